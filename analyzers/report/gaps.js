// The section "Gaps": when the queues do nothing, and why. Functions alone: page.js, which stands before this, calls them.

// The causes of rondo gaps, and what each one means.
function causesOfGaps() {
  return [["host", "the host had not submitted the work"], ["semaphore", "the work waits for a semaphore"],
          ["barrier", "a barrier, an event or the border of a render pass drains the queue"],
          ["start", "nothing holds the work: driver and device start it"], ["player", "the replay itself was late"],
          ["below timer", "too short for the clocks"], ["unexplained", "not explained"]];
}
function gapItemText(item) {
  return item ? `${item.command} ${item.record}@${item.submit}` + (item.label ? ` [${item.label}]` : "") : "the begin of the span";
}
function gapCallText(call) { return call.command ? call.command + " " + call.record : "record " + call.record; }

// Why the queue waits, in words.
function gapReason(gap) {
  switch (gap.cause) {
    case "host":
      return gapCallText(gap.submit_call) + " had not submitted it. The host was " +
             (gap.in_call ? "in " + gapCallText(gap.in_call) : "in the program itself") + " for " + time(gap.in_call_ns) + " of it";
    case "semaphore":
      return `waits for ${gap.semaphore}, which ` + (gap.signal_call ? gapCallText(gap.signal_call) : gap.signal_queue) + " signals" +
             (gap.signal_item ? " after " + gapItemText(gap.signal_item) : "");
    case "barrier":
      return `${gap.barrier_command} ${gap.barrier} lets nothing begin before all ends`;
    default:
      return causesOfGaps().find(([cause]) => cause === gap.cause)[1];
  }
}

function gapsSection() {
  const head = of("gaps")[0];
  if (!head) return;
  const place = section("Gaps: when the device does nothing");
  if (head.error) {
    element(place, "p", `Gaps are not known: ${head.error}.`, {id: "gaps-words"});
    element(element(place, "p"), "code", head.command);
    return;
  }
  const sums = of("gaps/summary")[0], queues = of("gaps/gap_queue"), gaps = of("gaps/gap").filter(gap => gap.paced);
  const named = causesOfGaps().map(([cause, words]) => ({cause, words, ns: sums[cause.replace(" ", "_") + "_ns"] || 0}));
  const causes = named.filter(one => one.ns > 0);
  const words = queues.map(one => `${one.queue} does nothing for ${time(one.idle_ns)} of ${time(one.idle_ns + one.busy_ns)}.`);
  if (sums.captured_ns > 0)
    words.push(`Each call was made no earlier than in the capture: that took ${time(sums.paced_ns)}, and ${time(sums.captured_ns)} in the capture.`);
  else words.push("No call has a time in the capture, so the replay was not slowed down to it.");
  if (sums.slow) words.push("That is more than 5 % longer, so these gaps are not all the program's.");
  if (sums.clock === "unknown") words.push("Nothing relates the clocks of device and host.");
  if (sums.unpaced_gaps) words.push(`${whole(sums.unpaced_gaps)} gaps that only a faster replay has are the player's own and are left out.`);
  element(place, "p", words.join(" "), {id: "gaps-words"});
  element(element(place, "p"), "code", head.command);
  if (!gaps.length) return;
  const lanes = queues.map(queue => {
    const mine = gaps.filter(gap => gap.queue === queue.queue).sort((a, b) => a.begin_ns - b.begin_ns), items = [];
    let at = mine.length ? Math.min(0, mine[0].begin_ns) : 0;
    const end = at + queue.idle_ns + queue.busy_ns;
    const busy = to => { if (to > at) items.push({begin: at, end: to, name: "works", text: "works", key: "works", fill: "--faint"}); };
    for (const gap of mine) {
      busy(gap.begin_ns);
      at = gap.begin_ns + gap.length_ns;
      items.push({begin: gap.begin_ns, end: at, name: gap.cause, key: gap.cause, hatch: true,
                  text: `${gap.cause}: ${gapReason(gap)}\nafter ${gapItemText(gap.after)}\nbefore ${gapItemText(gap.before)}`});
    }
    busy(end);
    return {name: queue.queue, items};
  });
  timeline(place, "gaps-timeline", lanes, {cause: one => one.key});
  table(place, "gap-causes", causes, [{name: "cause", get: row => row.cause}, {name: "time", get: row => row.ns, show: time},
    {name: "share", get: row => sums.gap_ns > 0 ? row.ns / sums.gap_ns : 0, show: percent}, {name: "what it means", get: row => row.words}]);
  const details = element(place, "details");
  element(details, "summary", `The longest gaps (${whole(Math.min(gaps.length, 500))} of ${whole(sums.gaps)})`);
  table(details, "gaps", gaps.slice(0, 500), [{name: "length", get: row => row.length_ns, show: time}, {name: "begins at", get: row => row.begin_ns, show: time},
    {name: "queue", get: row => row.queue}, {name: "cause", get: row => row.cause}, {name: "why", get: gapReason, lines: true},
    {name: "after", get: row => gapItemText(row.after)}, {name: "before", get: row => gapItemText(row.before)}]);
}
