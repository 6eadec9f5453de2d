// The sections "Order" and "Synchronization". Functions alone: page.js, which stands before this, calls them.

// ---- order: the work graph of a frame

function svgElement(parent, name, attributes, text) {
  // The page names no address, not even that of SVG's namespace.
  const svg = parent instanceof SVGElement ? parent : new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg");
  const made = document.createElementNS(svg.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

// Kinds of needs, the strongest first, and what each one means.
function kindsOfNeeds() {
  return [["RAW", "reads what was written"], ["WAW", "writes over what was written"], ["WAR", "writes over what was read"],
          ["layout", "a layout transition"], ["query", "the same queries"], ["payload", "an image that an acquire gets"]];
}
function mainKind(need) {
  const words = need.kinds.split(" ");
  const found = kindsOfNeeds().find(([kind]) => words.includes(kind));
  return found ? found[0] : "all";
}
function shortText(item) {
  const what = item.kind === "pass" ? "render pass, " + whole(item.draws) + (item.draws === 1 ? " draw" : " draws")
                                    : [item.command, countsOf(item)].filter(Boolean).join(", ");
  return [what, (item.labels || []).join("/")].filter(Boolean).join(" · ");
}

function orderSection() {
  const head = of("order")[0];
  if (!head) return;
  const place = section("Order: what must come after what");
  const items = of("order_item"), joins = of("order_join"), needs = of("order_need");
  const words = [];
  if (head.error) words.push("There is no work graph: " + head.error + ".");
  else if (!items.length) words.push(`Frame ${head.frame} has no work.`);
  else {
    words.push(`Frame ${head.frame}` + (head.choice ? ` (${head.choice})` : "") + `: ${whole(head.items)} ` +
               (head.items === 1 ? "item" : "items") + " of work, in the order of execution. An arrow leads from an item to one that must come after it, " +
               "because both touch the same memory.");
    words.push(`The longest way along the arrows has ${whole(head.longest)} ` + (head.longest === 1 ? "item." : "items: these cannot run at the same time."));
    if (head.shown < head.items) words.push(`The first ${whole(head.shown)} items are shown; ${whole(head.items - head.shown)} later ones are left out.`);
    if (head.drawn < head.edges) words.push(`${whole(head.edges - head.drawn)} arrows are left out.`);
    if (head.outside) words.push(`${whole(head.outside)} needs of items before the frame are not drawn: ↑ counts them.`);
  }
  element(place, "p", words.join(" "), {id: "order-words"});
  if (head.notes) element(place, "p", head.notes, {class: "note lines"});
  element(element(place, "p"), "code", head.command);
  if (!items.length) return;
  drawOrder(place, items, joins, needs);
  const names = new Map(items.map(item => ["i" + item.item, item.name]));
  for (const join of joins) names.set("j" + join.join, `point ${join.join} (${whole(join.items)} items)`);
  const details = element(place, "details");
  element(details, "summary", "The same as tables");
  table(details, "order-items", items, [{name: "item", get: row => row.name}, {name: "runs on", get: row => row.lane},
    {name: "what", get: row => row.text.slice(row.name.length + 1)}, {name: "needs of before the frame", get: row => row.outside, show: whole}]);
  if (needs.length)
    table(details, "order-needs", needs, [{name: "item", get: row => names.get(row.to)}, {name: "comes after", get: row => names.get(row.from)},
      {name: "kinds", get: row => row.kinds}, {name: "grade", get: row => row.kinds ? row.possible ? "possible" : "certain" : ""},
      {name: "follows from others", get: row => row.implied ? "yes" : ""}, {name: "of", get: row => row.places}]);
}

// A row an item, a column a queue. Arrows within a queue run on the left of its column.
function drawOrder(place, items, joins, needs) {
  const row = 26, top = 26, id = item => "i" + item.item;
  const rank = name => name === "host" ? 0 : name === "presentation" ? 2 : 1;
  const lanes = [...new Set(items.map(item => item.lane))].sort((a, b) => rank(a) - rank(b));
  const bar = element(place, "div", undefined, {class: "bar"});
  const box = element(place, "div", undefined, {class: "scroll order"});
  const svg = svgElement(box, "svg", {id: "order-graph", role: "img", "aria-label": "work graph of a frame; the same follows as tables"});
  for (const [kind, meaning] of kindsOfNeeds()) {
    const count = needs.filter(need => mainKind(need) === kind).length;
    if (!count) continue;
    const choice = element(bar, "label", undefined, {class: "k-" + kind, title: meaning});
    const check = element(choice, "input", undefined, {type: "checkbox", checked: ""});
    check.addEventListener("change", () => svg.classList.toggle("no-" + kind, !check.checked));
    element(choice, "i");
    element(choice, "span", `${kind}: ${meaning} (${whole(count)})`);
  }
  const implied = needs.filter(need => need.implied).length;
  if (implied) {
    const choice = element(bar, "label"), check = element(choice, "input", undefined, {type: "checkbox", id: "order-implied"});
    element(choice, "span", `also arrows that follow from others (${whole(implied)})`);
    check.addEventListener("change", () => svg.classList.toggle("no-implied", !check.checked));
    svg.classList.add("no-implied");
  }
  if (needs.some(need => need.possible)) element(element(bar, "span", undefined, {class: "may"}), "i").after(" dashed: possible");
  const again = () => {
    svg.replaceChildren();
    const room = Math.floor((box.clientWidth - 2) / lanes.length), gutter = room < 320 ? 56 : 84;
    const wide = Math.max(250, room), width = wide * lanes.length;
    const height = top + row * items.length + 4;
    for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) svg.setAttribute(name, value);
    const edges = svgElement(svg, "g"), nodes = svgElement(svg, "g"), at = new Map(), ofNode = new Map();
    lanes.forEach((name, lane) => svgElement(nodes, "text", {x: lane * wide + gutter, y: 16, class: "lane"}, name));
    items.forEach((item, index) => {
      const lane = lanes.indexOf(item.lane), left = lane * wide + gutter;
      at.set(id(item), {lane, left, right: (lane + 1) * wide - 10, y: top + row * index + row / 2, index});
    });
    for (const join of joins) {
      const user = needs.find(need => need.from === "j" + join.join), to = user && at.get(user.to);
      if (!to) continue;
      const spot = {lane: to.lane, left: to.left - 12, right: to.left - 12, y: to.y - row / 2, index: to.index - 0.5};
      at.set("j" + join.join, spot);
      const dot = svgElement(nodes, "circle", {cx: spot.left, cy: spot.y, r: 3.5});
      dot.addEventListener("pointermove", event => showTip(event, `all of ${whole(join.items)} items`));
      dot.addEventListener("pointerleave", event => showTip(event, ""));
    }
    for (const need of needs) {
      const from = at.get(need.from), to = at.get(need.to);
      if (!from || !to) continue;
      const group = svgElement(edges, "g", {class: "edge k-" + mainKind(need) + (need.possible ? " may" : "") + (need.implied ? " implied" : "")});
      const y = [from.y + 4, to.y - 4];
      let path, tip;
      if (from.lane === to.lane) {
        const bulge = Math.min(gutter - 12, 10 + 7 * Math.sqrt(to.index - from.index)) / 0.75;
        path = `M${from.left} ${y[0]}C${from.left - bulge} ${y[0]} ${to.left - bulge} ${y[1]} ${to.left - 5} ${y[1]}`;
        tip = `M${to.left} ${y[1]}l-6-3.5v7z`;
      } else {
        const right = from.lane < to.lane, x = right ? [from.right, to.left] : [from.left, to.right], sign = right ? 1 : -1;
        path = `M${x[0]} ${y[0]}C${x[0] + sign * 60} ${y[0]} ${x[1] - sign * 60} ${y[1]} ${x[1] - sign * 5} ${y[1]}`;
        tip = `M${x[1]} ${y[1]}l${-6 * sign}-3.5v7z`;
      }
      svgElement(group, "path", {d: path});
      svgElement(group, "path", {d: tip, class: "head"});
      for (const end of [need.from, need.to]) ofNode.set(end, [...(ofNode.get(end) || []), {need, group}]);
    }
    for (const item of items) {
      const {left, right, y} = at.get(id(item));
      const node = svgElement(nodes, "g", {class: "node " + item.kind});
      svgElement(node, "rect", {x: left, y: y - row / 2 + 2, width: right - left, height: row - 4, rx: 4});
      const before = item.outside ? "↑" + whole(item.outside) : "";
      const letters = Math.floor((right - left - 16 - 7 * before.length) / 6.5), text = item.name + " " + shortText(item);
      const label = svgElement(node, "text", {x: left + 7, y: y + 4});
      svgElement(label, "tspan", {class: "name"}, item.name);
      svgElement(label, "tspan", {}, (text.length > letters ? text.slice(0, letters - 1) + "…" : text).slice(item.name.length));
      if (before) svgElement(node, "text", {x: right - 6, y: y + 4, class: "before"}, before);
      const mine = ofNode.get(id(item)) || [];
      const lines = mine.filter(one => one.need.to === id(item)).slice(0, 8).map(({need}) => {
        const other = items.find(one => id(one) === need.from);
        return `${need.possible ? "may need" : "needs"} ${other ? other.name : "all of a point"}: ${need.kinds} ${need.places}`;
      });
      node.addEventListener("pointerenter", () => { svg.classList.add("focus"); for (const one of mine) one.group.classList.add("on"); });
      node.addEventListener("pointermove", event => showTip(event, [item.text, ...lines].join("\n")));
      node.addEventListener("pointerleave", event => {
        svg.classList.remove("focus");
        for (const one of mine) one.group.classList.remove("on");
        showTip(event, "");
      });
    }
  };
  drawn.push(again);
}

// ---- synchronization: what rondo sync finds

function scopeText(stages, access) {
  return (stages.length ? stages.join(" | ") : "NONE") + (access.length ? " (" + access.join(" | ") + ")" : "");
}
function scopesText(barrier) {
  return scopeText(barrier.src_stages, barrier.src_access) + " → " + scopeText(barrier.dst_stages, barrier.dst_access);
}
function sideText(side) {
  const where = side.submit === null ? String(side.record) : side.record + "@" + side.submit;
  return side.command + " " + where + (side.transition ? ", its layout transition" : "") +
         (side.stages.length ? "\nin " + scopeText(side.stages, side.access) : "") + (side.labels.length ? "\n[" + side.labels.join("/") + "]" : "");
}
// At most so many lines, and how many more there are.
function firstLines(all, most) {
  return all.length > most ? [...all.slice(0, most), `and ${whole(all.length - most)} more`].join("\n") : all.join("\n");
}

function cureText(row) {
  const named = barrier => barrier.object || "memory";
  switch (row.rule) {
    case "superfluous":
      return "Remove it: nothing needs it." +
             (row.needed_like ? ` But ${whole(row.needed_like)} with the same scopes and resources are needed: perhaps the same place of the program.` : "");
    case "too-wide":
      return firstLines(row.barriers.filter(one => one.unused || one.enough).map(
        one => named(one) + (one.unused ? ": nothing needs this barrier" : ": enough is " + scopesText(one.enough))), 8);
    case "ineffective":
      return `It orders nothing. Perhaps it was meant for this race, ${row.hazards}:\n${sideText(row.from)}\nbefore ${sideText(row.to)}\n${row.cure}`;
    default:
      return row.cure || "";
  }
}

function syncSection() {
  const head = of("sync_summary")[0];
  if (!head) return;
  const place = section("Synchronization");
  if (head.error) {
    element(place, "p", `What orders the work is not known: ${head.error}.`, {id: "sync-words"});
    element(element(place, "p"), "code", head.command);
    return;
  }
  const counts = Object.entries(head.rules).map(([rule, count]) => whole(count) + " " + rule).join(", ");
  const words = [head.findings ? `Findings, by cause: ${counts}.` : "Nothing was found: no race, and nothing without a purpose."];
  words.push(`The program has ${whole(head.operations)} ` + (head.operations === 1 ? "synchronization command" : "synchronization commands") +
             `: ${whole(head.needed)} needed, ${whole(head.superfluous)} superfluous, ${whole(head.unknown)} of unknown purpose.`);
  if (head.shown < head.findings) words.push(`The first ${whole(head.shown)} findings are shown.`);
  element(place, "p", words.join(" "), {id: "sync-words"});
  if (head.notes) element(place, "p", head.notes, {class: "note lines"});
  element(element(place, "p"), "code", head.command);
  const more = of("sync_more");
  const all = of("sync").map((row, index) => ({...row, layouts: more[index].layouts || [], places: more[index].places || [], more: more[index].command}));
  const common = [{name: "findings", get: row => row.occurrences, show: whole},
    {name: "also at record", get: row => row.other_records.join(", ") + (row.other_records.length + 1 < row.occurrences ? ", …" : "")},
    {name: "more", get: row => row.more, lines: true}, {name: "id", get: row => row.id}];
  const races = all.filter(row => row.rule === "race"), others = all.filter(row => row.rule !== "race");
  if (races.length) {
    element(place, "h3", "Races");
    table(place, "sync-races", races, [{name: "kinds", get: row => row.hazards}, {name: "grade", get: row => row.grade},
      {name: "of", get: row => firstLines(row.places, 4), lines: true}, {name: "first", get: row => sideText(row.from), lines: true},
      {name: "second", get: row => sideText(row.to), lines: true},
      {name: "what to do", lines: true,
       get: row => (row.ordered ? "They are ordered, but what was written is not made visible.\n" : "") + row.cure}, ...common]);
  }
  if (others.length) {
    element(place, "h3", "Barriers, events, dependencies of subpasses, semaphores and waits of the host");
    table(place, "sync-barriers", others, [{name: "rule", get: row => row.rule}, {name: "grade", get: row => row.grade},
      {name: "command", get: row => `${row.command} ${row.record}` + (row.submit === null ? "" : "@" + row.submit) +
                                    (row.semaphore ? `\nwaits for ${row.semaphore}, which ${row.signalled_by} signals` : "") + (row.render_pass ? `\ndependency of ${row.render_pass}` : "") +
                                    (row.labels.length ? "\n[" + row.labels.join("/") + "]" : ""), lines: true},
      {name: "before → after", get: row => firstLines(row.barriers.map((one, index) =>
        (one.object || "memory") + (row.layouts[index] ? " " + row.layouts[index] : "") + ": " + scopesText(one)), 8), lines: true},
      {name: "what to do", get: cureText, lines: true}, ...common]);
  }
}
