// The section "Waves": what could run at the same time, and what makes the program longer than its data needs.
// Functions alone: page.js, which stands before this, calls them.

function stepText(step) {
  return step.name + " " + (step.kind === "pass" ? "render pass, " + whole(step.draws) + (step.draws === 1 ? " draw" : " draws") : step.command) +
         ((step.labels || []).length ? " [" + step.labels.join("/") + "]" : "");
}

function wavesSection() {
  const head = of("waves")[0];
  if (!head) return;
  const place = section("Waves: what could run at the same time");
  if (head.error) {
    element(place, "p", `Waves are not known: ${head.error}.`, {id: "waves-words"});
    element(element(place, "p"), "code", head.command);
    return;
  }
  const sums = of("waves/summary")[0], waves = of("waves/wave"), timed = sums.unit === "ns";
  const length = timed ? time : value => whole(value) + (value === 1 ? " item" : " items");
  const words = [`${head.span}: ${whole(sums.items)} ` + (sums.items === 1 ? "item" : "items") + ` of work in ${whole(sums.waves)} ` +
                 (sums.waves === 1 ? "wave" : "waves") + `; the program makes ${whole(sums.regions)} of it.`,
                 "The items of a wave need nothing of one another."];
  if (sums.items) {
    words.push(`One after the other they take ${length(sums.work)}. The data forces ${length(sums.data)} of it into one chain, the program ${length(sums.program)}: ` +
               `so ${sums.parallelism.toFixed(2)} items could run at a time, and the program lets ${sums.program_parallelism.toFixed(2)}.`);
    if (!timed) words.push("Each item counts 1, as there are no times.");
  }
  if (timed && sums.timed < sums.items) words.push(`${whole(sums.items - sums.timed)} items have no time and count 0.`);
  element(place, "p", words.join(" "), {id: "waves-words"});
  if (head.notes) element(place, "p", head.notes, {class: "note lines"});
  element(element(place, "p"), "code", head.command);
  if (waves.length > 1) {
    series(place, "waves-series", waves.map(row => [row.wave, row.count]), {x: value => "wave " + Math.round(value), y: value => whole(Math.round(value)) + " items", bars: true});
    if (waves.length < sums.waves) element(place, "p", `The first ${whole(waves.length)} waves are shown.`, {class: "note"});
  }
  const costs = of("waves/cost");
  if (costs.length) {
    element(place, "h3", "Synchronization that makes the program's chain longest");
    table(place, "wave-costs", costs, [{name: "saves", get: row => row.saves, show: length}, {name: "without", get: row => row.text},
      {name: "rondo sync says", get: row => row.verdict}]);
  }
  for (const [by, title, id] of [["program", "The longest chain that the program orders", "path-program"],
                                 ["data", "The longest chain that the data forces", "path-data"]]) {
    const steps = of("waves/path").filter(row => row.of === by);
    if (steps.length < 2) continue;
    const all = sums[by + "_steps"], details = element(place, "details", undefined, by === "program" ? {open: ""} : {});
    element(details, "summary", `${title}: ${length(sums[by])}, ${whole(all)} steps` + (steps.length < all ? `, the first ${whole(steps.length)}` : ""));
    table(details, id, steps, [{name: "until its end", get: row => row.end, show: length}, {name: "length", get: row => row.length, show: length},
      {name: "item", get: stepText},
      {name: "comes after the one above because of", lines: true,
       get: row => (row.operations || []).map(one => one.text).join("\n") ||
                   (row.needs || []).map(one => one.kinds.join(" ") + (one.object ? " of " + one.object : "") + (one.grade === "possible" ? " (possible)" : "")).join("\n")},
      {name: "the data needs it", get: row => row.step === 0 || row.of === "data" ? "" : row.needed === null ? "perhaps" : row.needed ? "yes" : "no"}]);
  }
  const frames = of("waves/frame");
  if (frames.length > 1) {
    const details = element(place, "details");
    element(details, "summary", "Frame by frame");
    table(details, "wave-frames", frames, [{name: "frame", get: row => row.frame, show: whole}, {name: "items", get: row => row.items, show: whole},
      {name: "waves", get: row => row.waves, show: whole}, {name: "of the program", get: row => row.regions, show: whole},
      {name: "sum", get: row => row.work, show: length}, {name: "forced by data", get: row => row.data, show: length},
      {name: "by the program", get: row => row.program, show: length}, {name: "measured", get: row => row.measured_ns, show: time}]);
  }
}
