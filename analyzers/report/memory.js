// The section "Memory": how much there is over time, what it is for, and how little would do. Functions alone: page.js,
// which stands before this, calls them.

function heapText(row) {
  return row.heap === null ? row.device === null ? "all memory" : "memory of unknown types" : `heap ${row.heap} (${bytes(row.size)}, ${row.flags || "of the host"})`;
}
function sameHeap(a, b) { return a.device === b.device && a.heap === b.heap; }

// Several values over one: lines that keep their values. lines: {name, colour, points: [x, y]}.
function curves(parent, id, lines, {x, y}) {
  const bar = element(parent, "div", undefined, {class: "bar"});
  for (const line of lines) {
    const name = element(bar, "span", undefined, {class: "curve"});
    element(name, "i").style.setProperty("--kind", `var(${line.colour})`);
    element(name, "span", " " + line.name);
  }
  const all = lines.flatMap(line => line.points), left = 70;
  const most = Math.max(...all.map(point => point[1]), 1);
  const first = Math.min(...all.map(point => point[0])), last = Math.max(...all.map(point => point[0]), first + 1);
  const at = (value, width) => left + (value - first) / (last - first) * (width - left - 10);
  const [made] = canvas(parent, 170, (context, width, height) => {
    axes(context, width, height, {left, most, y: y, x: [x(first), x(last)]});
    const top = value => height - 18 - value / most * (height - 34);
    for (const line of lines) {
      context.strokeStyle = css(line.colour);
      context.lineWidth = 1.5;
      context.beginPath();
      line.points.forEach((point, index) => {
        if (index) context.lineTo(at(point[0], width), top(line.points[index - 1][1]));
        context[index ? "lineTo" : "moveTo"](at(point[0], width), top(point[1]));
      });
      if (line.points.length) context.lineTo(width - 10, top(line.points[line.points.length - 1][1]));
      context.stroke();
      context.lineWidth = 1;
    }
  });
  made.id = id;
  made.addEventListener("pointermove", event => {
    const value = first + (event.offsetX - left) / (made.clientWidth - left - 10) * (last - first);
    const before = line => line.points.reduce((best, point) => point[0] <= value ? point : best, line.points[0]);
    showTip(event, [x(Math.min(Math.max(value, first), last)), ...lines.map(line => line.name + ": " + y(before(line)[1]))].join("\n"));
  });
  made.addEventListener("pointerleave", event => showTip(event, ""));
}

// Address by time: a rectangle for each time in which a resource has contents. rects: {begin, end, from, to, key, text}.
function rectangles(parent, id, rects, {last, most, x}) {
  const left = 70;
  const [made] = canvas(parent, 220, (context, width, height) => {
    axes(context, width, height, {left, most, y: value => bytes(Math.round(value)), x: [x(0), x(last)]});
    for (const one of rects) {
      const box = place(one, width, height);
      context.fillStyle = colour(one.key);
      context.fillRect(box.x, box.y, box.width, box.height);
      if (box.width < 3 || box.height < 3) continue;
      context.strokeStyle = css("--paper");
      context.strokeRect(box.x, box.y, box.width, box.height);
    }
  });
  const place = (one, width, height) => {
    const wide = (width - left - 10) / (last + 1), high = (height - 34) / most;
    return {x: left + one.from * wide, width: Math.max((one.to + 1 - one.from) * wide, 1),
            y: height - 18 - one.end * high, height: Math.max((one.end - one.begin) * high, 1)};
  };
  made.id = id;
  made.addEventListener("pointermove", event => {
    const found = rects.find(one => {
      const box = place(one, made.clientWidth, 220);
      return event.offsetX >= box.x - 1 && event.offsetX <= box.x + box.width + 1 && event.offsetY >= box.y - 1 && event.offsetY <= box.y + box.height + 1;
    });
    showTip(event, found && found.text);
  });
  made.addEventListener("pointerleave", event => showTip(event, ""));
}

// All memory types above one another: those that are packed, and those as the program bound them.
function memoryRectangles(place, rects) {
  const last = Math.max(...rects.map(one => one.last), 1), x = value => "item " + whole(Math.round(value));
  for (const [packed, title, id] of [[false, "As the program bound it", "memory-bound"], [true, "Packed", "memory-packed"]]) {
    const mine = rects.filter(one => one.packed === packed);
    if (!mine.length) continue;
    element(place, "h3", title);
    const most = Math.max(...rects.map(one => one.end), 1);
    rectangles(place, id, mine.flatMap(one => one.live.map(([from, to]) => ({begin: one.begin, end: one.end, from, to, key: one.class,
      text: `${one.object}, ${one.class}\n${bytes(one.end - one.begin)} at ${bytes(one.begin)}\nlive from item ${from} to ${to}`}))), {last, most, x});
  }
  const classes = [...new Set(rects.map(one => one.class))], bar = element(place, "div", undefined, {class: "bar"});
  for (const one of classes) {
    const name = element(bar, "span", undefined, {class: "curve"});
    element(name, "i").style.setProperty("--kind", colour(one));
    element(name, "span", " " + one);
  }
}

function memorySection() {
  const head = of("memory")[0];
  if (!head) return;
  const place = section("Memory");
  if (head.error) {
    element(place, "p", `Memory is not known: ${head.error}.`, {id: "memory-words"});
    element(element(place, "p"), "code", head.command);
    return;
  }
  const sums = of("memory/summary")[0], heaps = of("memory/heap"), points = of("memory/point");
  element(place, "p", `At most ${bytes(sums.allocated)} are allocated at a time, ${bytes(sums.bound)} have a buffer or an image on them, ` +
          `and ${bytes(sums.live)} hold contents that are read later. ` +
          (sums.saved ? `What is never live at the same time could share bytes: then ${bytes(sums.packed)} are enough, ${bytes(sums.saved)} less. ` +
                        `No packing needs less than ${bytes(sums.lower_bound)}.` : "Sharing bytes between what is never live at the same time saves nothing."),
          {id: "memory-words"});
  if (head.notes) element(place, "p", head.notes, {class: "note lines"});
  element(element(place, "p"), "code", head.command);
  heaps.forEach((heap, index) => {
    const mine = points.filter(point => sameHeap(point, heap));
    if (mine.length < 2 || (index > 0 && heaps.length === 2)) return;  // one heap alone is all memory
    if (heaps.length > 2) element(place, "h3", heapText(heap));
    const line = (name, colour) => ({name, colour, points: mine.map(point => [point.record, point[name]])});
    curves(place, index ? "memory-series-" + index : "memory-series", [line("allocated", "--accent"), line("bound", "--layout"), line("live", "--war")],
           {x: value => "record " + whole(Math.round(value)), y: value => bytes(Math.round(value))});
  });
  const rects = of("memory_rect");
  if (rects.length) memoryRectangles(place, rects);
  const advice = of("memory/advice");
  if (advice.length) {
    element(place, "h3", "Advice");
    table(place, "memory-advice", advice, [{name: "rule", get: row => row.rule}, {name: "of", get: row => row.name ? `${row.object} (${row.name})` : row.object},
      {name: "saves", get: row => row.saved, show: bytes}, {name: "traffic", get: row => row.traffic, show: bytes}, {name: "why, and what to do", get: row => row.text, lines: true},
      {name: "id", get: row => row.id}]);
    if (sums.advice > advice.length) element(place, "p", `${whole(sums.advice - advice.length)} more are left out.`, {class: "note"});
  }
  element(place, "h3", "What the buffers and images are for");
  table(place, "memory-classes", of("memory/class").filter(row => row.resources), [{name: "class", get: row => row.class},
    {name: "resources", get: row => row.resources, show: whole}, {name: "bytes", get: row => row.bytes, show: bytes}]);
  const details = element(place, "details");
  element(details, "summary", "Peaks, and who has the bytes then");
  table(details, "memory-heaps", heaps, [{name: "heap", get: heapText}, {name: "allocated at most", get: row => row.allocated, show: bytes},
    {name: "after record", get: row => row.allocated_record, show: whole}, {name: "bound at most", get: row => row.bound, show: bytes},
    {name: "live at most", get: row => row.live, show: bytes}, {name: "in item", get: row => row.live_item}]);
  table(details, "memory-peaks", of("memory/in_peak"), [{name: "of the peak", get: row => row.of}, {name: "heap", get: row => row.heap},
    {name: "object", get: row => row.name ? `${row.object} (${row.name})` : row.object}, {name: "bytes", get: row => row.bytes, show: bytes},
    {name: "made by record", get: row => row.record, show: whole}, {name: "has on it", get: row => (row.on || []).join(", ")}]);
  const stays = of("memory/stay");
  if (stays.length) {
    const why = element(place, "details");
    element(why, "summary", "What cannot move, and why");
    table(why, "memory-stays", stays, [{name: "object", get: row => row.name ? `${row.object} (${row.name})` : row.object},
      {name: "bytes", get: row => row.bytes, show: bytes}, {name: "reason", get: row => row.text || row.reason}]);
  }
}
