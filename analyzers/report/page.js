"use strict";
// Everything that comes from the capture is set as text: nothing of it becomes markup.
const rows = JSON.parse(document.getElementById("rows").textContent);
const of = kind => rows.filter(row => row.row === kind);
const main = document.getElementById("main");

function element(parent, name, text, attributes) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  parent.appendChild(made);
  return made;
}
function section(title) {
  const made = element(main, "section");
  element(made, "h2", title);
  return made;
}

// ---- numbers

function time(ns) {
  if (ns >= 1e9) return (ns / 1e9).toFixed(3) + " s";
  if (ns >= 1e6) return (ns / 1e6).toFixed(3) + " ms";
  return ns >= 1e3 ? (ns / 1e3).toFixed(2) + " µs" : ns.toFixed(0) + " ns";
}
// 1, 2 or 5 times a power of ten, at least `step`.
function roundStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * [1, 2, 5, 10].find(factor => factor * power >= step);
}
// All of an axis in one unit, with the digits that its step needs.
function tickText(ns, step, most) {
  const [unit, name] = most >= 1e9 ? [1e9, " s"] : most >= 1e6 ? [1e6, " ms"] : most >= 1e3 ? [1e3, " µs"] : [1, " ns"];
  return (ns / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9))) + name;
}
function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; count >= 1024 && unit + 1 < units.length; ++unit) count /= 1024;
  return unit ? count.toFixed(1) + " " + units[unit] : count + " B";
}
const percent = part => (100 * part).toFixed(1) + " %";
const whole = number => number.toLocaleString("en-US");

// ---- tables: a click on a head sorts, "copy" takes tab-separated values

// columns: {name, get(row), show(value)}; show makes it a number. `id` is for tests.
function table(parent, id, all, given) {
  const columns = given.filter(column => all.some(row => (column.get(row) ?? "") !== ""));  // none that is empty in all rows
  const bar = element(parent, "div", undefined, {class: "bar"});
  element(bar, "span", whole(all.length) + (all.length === 1 ? " row" : " rows"));
  const copy = element(bar, "button", "copy");
  const box = element(parent, "div", undefined, {class: "scroll"});
  const made = element(box, "table", undefined, {id, class: all.length > 40 ? "long" : ""});
  const head = element(element(made, "thead"), "tr");
  const body = element(made, "tbody");
  let shown = all.slice(), by = -1, down = true;
  const fill = () => {
    body.replaceChildren();
    const fragment = document.createDocumentFragment();
    for (const row of shown) {
      const line = element(fragment, "tr");
      for (const column of columns) {
        const value = column.get(row);
        element(line, "td", value === undefined || value === null ? "" : column.show ? column.show(value) : String(value),
                column.show ? {class: "number"} : column.lines ? {class: "lines"} : {});
      }
    }
    body.appendChild(fragment);
  };
  columns.forEach((column, index) => {
    const cell = element(head, "th", column.name, column.show ? {class: "number"} : {});
    cell.addEventListener("click", () => {
      down = by === index ? !down : Boolean(column.show);
      by = index;
      for (const other of head.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a ?? "").localeCompare(String(b ?? ""));
      shown.sort((a, b) => (down ? -1 : 1) * order(column.get(a), column.get(b)));
      fill();
    });
  });
  copy.addEventListener("click", () => {
    const clean = value => String(value ?? "").replace(/[\t\n]/g, " ");
    const lines = [columns.map(column => column.name), ...shown.map(row => columns.map(column => clean(column.get(row))))];
    navigator.clipboard.writeText(lines.map(line => line.join("\t")).join("\n"));
    copy.textContent = "copied";
  });
  fill();
}

// ---- canvases

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const tip = element(document.body, "div", "", {class: "tip"});
tip.hidden = true;
function showTip(event, text) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - 470) + "px";
  tip.style.top = event.clientY + 14 + "px";
}
function colour(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return `hsl(${(hash >>> 0) % 360} 55% 55%)`;
}
const drawn = [];
function canvas(parent, height, draw) {
  const made = element(parent, "canvas");
  made.style.height = height + "px";
  const again = () => {
    const scale = devicePixelRatio || 1, width = made.clientWidth;
    made.width = width * scale;
    made.height = height * scale;
    const context = made.getContext("2d");
    context.scale(scale, scale);
    context.font = "11px system-ui, sans-serif";
    draw(context, width, height);
  };
  drawn.push(again);
  return [made, again];
}

// Lines from the lower left to the upper right: for a time in which nothing works.
function hatch(context, left, top, width, height, filled) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = filled;
  context.lineWidth = 2;
  context.beginPath();
  for (let x = left - height - (left - height) % 7; x < left + width; x += 7) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

// Lanes of intervals. lanes: {name, items: [{begin, end, name, text, key, hatch, fill}]}, all in nanoseconds.
function timeline(parent, id, lanes, keys) {
  const bar = element(parent, "div", undefined, {class: "bar"});
  const choice = element(bar, "select", undefined, {"aria-label": "colour by"});
  for (const key of Object.keys(keys)) element(choice, "option", "colour by " + key, {value: key});
  const reset = element(bar, "button", "all");
  element(bar, "span", "wheel: zoom; drag: move; point at an interval for more");
  let first = Infinity, last = -Infinity;
  for (const lane of lanes) for (const item of lane.items) { first = Math.min(first, item.begin); last = Math.max(last, item.end); }
  if (!(last > first)) last = first + 1;
  let from = first, to = last;
  const label = 150, row = 26, top = 20;
  const [made, again] = canvas(parent, top + row * lanes.length + 6, (context, width) => {
    const at = ns => label + (ns - from) / (to - from) * (width - label - 4);
    context.fillStyle = css("--paper");
    context.fillRect(0, 0, width, top + row * lanes.length + 6);
    context.fillStyle = css("--faint");
    const step = roundStep((to - from) / 5);
    context.textAlign = "center";
    for (let tick = Math.ceil((from - first) / step); tick * step <= to - first; ++tick)
      context.fillText(tickText(tick * step, step, to - first), Math.min(Math.max(at(first + tick * step), label + 12), width - 24), 13);
    context.textAlign = "left";
    lanes.forEach((lane, index) => {
      const y = top + row * index;
      context.fillStyle = css("--shade");
      context.fillRect(label, y, width - label - 4, row - 4);
      // What is narrower than a pixel is drawn once.
      let drawnTo = -1;
      for (const item of lane.items) {
        if (item.end < from || item.begin > to) continue;
        const left = Math.max(at(item.begin), label), right = Math.max(Math.min(at(item.end), width - 4), left + 1);
        if (right <= drawnTo && right - left < 2) continue;
        drawnTo = Math.max(drawnTo, right);
        const filled = item.fill ? css(item.fill) : colour(keys[choice.value](item));
        if (item.hatch) hatch(context, left, y, right - left, row - 4, filled);
        else {
          context.fillStyle = filled;
          context.fillRect(left, y, right - left, row - 4);
        }
        if (right - left < 60) continue;
        context.save();
        context.beginPath();
        context.rect(left, y, right - left - 3, row - 4);
        context.clip();
        context.fillStyle = item.hatch ? css("--ink") : "#fff";
        context.fillText(item.name, left + 4, y + 15);
        context.restore();
      }
      context.fillStyle = css("--ink");
      context.fillText(lane.name.slice(0, 26), 2, y + 15);
    });
  });
  made.id = id;
  const nsAt = x => from + (x - label) / (made.clientWidth - label - 4) * (to - from);
  const move = (a, b) => {
    const width = Math.min(b - a, last - first);
    from = Math.min(Math.max(a, first), last - width);
    to = from + width;
    made.dataset.span = to - from;
    again();
  };
  made.dataset.span = to - from;
  made.addEventListener("wheel", event => {
    event.preventDefault();
    const centre = nsAt(event.offsetX), factor = event.deltaY > 0 ? 1.25 : 0.8;
    move(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }, {passive: false});
  let drag = null;
  made.addEventListener("pointerdown", event => { drag = {x: event.offsetX, from, to}; made.setPointerCapture(event.pointerId); });
  made.addEventListener("pointerup", () => { drag = null; });
  made.addEventListener("pointermove", event => {
    if (drag) {
      const shift = (drag.x - event.offsetX) / (made.clientWidth - label - 4) * (drag.to - drag.from);
      return move(drag.from + shift, drag.to + shift);
    }
    const lane = lanes[Math.floor((event.offsetY - top) / row)], ns = nsAt(event.offsetX);
    const near = (to - from) / made.clientWidth;
    const found = lane && lane.items.find(item => item.begin - near <= ns && ns <= item.end + near);
    showTip(event, found && found.text + "\n" + time(found.end - found.begin));
  });
  made.addEventListener("pointerleave", event => showTip(event, ""));
  choice.addEventListener("change", again);
  reset.addEventListener("click", () => move(first, last));
}

// An empty picture with lines at 0, at half and at `most`, and what stands at both ends of the axis x.
function axes(context, width, height, {left, most, y, x}) {
  context.fillStyle = css("--paper");
  context.fillRect(0, 0, width, height);
  context.strokeStyle = css("--line");
  context.fillStyle = css("--faint");
  for (const part of [0, 0.5, 1]) {
    const line = height - 18 - part * (height - 34);
    context.beginPath(); context.moveTo(left, line); context.lineTo(width - 10, line); context.stroke();
    context.fillText(y(most * part), 4, line + 4);
  }
  context.fillText(x[0], left, height - 4);
  context.textAlign = "right"; context.fillText(x[1], width - 10, height - 4); context.textAlign = "left";
}

// One value over another. points: [x, y]; bars, or a line that keeps its value.
function series(parent, id, points, {x, y, bars}) {
  const most = Math.max(...points.map(point => point[1]), 1), left = 70;
  const first = points[0][0], last = Math.max(points[points.length - 1][0], first + 1);
  const at = (value, width) => left + (value - first) / (last - first) * (width - left - 10);
  const [made] = canvas(parent, 150, (context, width, height) => {
    axes(context, width, height, {left, most, y: y, x: [x(first), x(last)]});
    const top = value => height - 18 - value / most * (height - 34);
    context.fillStyle = context.strokeStyle = css("--accent");
    if (bars) {
      const wide = Math.max((width - left - 10) / points.length - 1, 1);
      for (const point of points) context.fillRect(Math.min(at(point[0], width), width - 10 - wide), top(point[1]), wide, height - 18 - top(point[1]));
      return;
    }
    context.beginPath();
    points.forEach((point, index) => {
      if (index) context.lineTo(at(point[0], width), top(points[index - 1][1]));
      context[index ? "lineTo" : "moveTo"](at(point[0], width), top(point[1]));
    });
    context.stroke();
  });
  made.id = id;
  made.addEventListener("pointermove", event => {
    const value = first + (event.offsetX - left) / (made.clientWidth - left - 10) * (last - first);
    const nearest = points.reduce((best, point) => Math.abs(point[0] - value) < Math.abs(best[0] - value) ? point : best);
    showTip(event, x(nearest[0]) + ": " + y(nearest[1]));
  });
  made.addEventListener("pointerleave", event => showTip(event, ""));
}

// ---- the page

const head = of("analysis")[0];
document.getElementById("title").textContent = "Rondo report: " + head.program;
document.title = "Rondo report: " + head.program;
document.getElementById("subtitle").textContent =
  [head.file, head.device, "capture " + head.capture_digest,
   "Rondo " + head.rondo].join(" · ");

const verdict = element(section("What it shows"), "ul", undefined, {class: "verdict", id: "verdict"});
for (const sentence of of("sentence")) {
  const line = element(verdict, "li", sentence.text);
  if (sentence.command) { element(line, "br"); element(line, "code", sentence.command); }
}

const items = of("time"), calls = of("call");
const countsOf = item => [...Object.entries(item.counts || {}), ...(item.draws === undefined ? [] : [["draws", item.draws]])]
  .map(([name, count]) => name + " " + whole(count)).join(", ");
const shadersOf = item => (item.shaders || []).map(shader => shader.stage + " " + shader.digest.slice(0, 8)).join(", ");
const itemText = item => [item.item + " " + item.command, item.pipeline_name || item.pipeline, shadersOf(item),
  (item.labels || []).join("/"), countsOf(item)].filter(Boolean).join("\n");
if (items.length) {
  const place = section("Device, as replayed");
  const lanes = new Map();
  for (const item of items) {
    if (!lanes.has(item.queue)) lanes.set(item.queue, []);
    lanes.get(item.queue).push({begin: item.begin_ns, end: item.begin_ns + item.median_ns, name: item.command, text: itemText(item), item});
  }
  for (const lane of lanes.values()) lane.sort((a, b) => a.begin - b.begin);
  timeline(place, "device-timeline", [...lanes].map(([name, all]) => ({name, items: all})), {
    pipeline: one => one.item.pipeline || one.item.command, label: one => (one.item.labels || []).join("/") || one.item.command,
    command: one => one.item.command});
  element(place, "p", `${whole(items.length)} of ${whole(head.items)} items, the longest; each begins as in the last of ${head.iterations} iterations and is as long as its median.`,
          {class: "note"});
}
if (calls.length) {
  const place = section("Host, as captured");
  const lanes = new Map();
  for (const call of calls) {
    if (!lanes.has(call.thread)) lanes.set(call.thread, []);
    lanes.get(call.thread).push({begin: call.start_ns, end: call.end_ns, name: call.command, text: call.command + ", record " + call.record, call});
  }
  timeline(place, "host-timeline", [...lanes].map(([name, all]) => ({name: "thread " + name, items: all})), {command: one => one.call.command});
  element(place, "p", `${whole(calls.length)} of ${whole(head.timed_calls)} timed calls, the longest: submits, waits, presents, acquires.`, {class: "note"});
}
gapsSection();
const timeColumns = [
  {name: "share", get: row => row.share, show: percent}, {name: "median", get: row => row.median_ns, show: time},
  {name: "min", get: row => row.min_ns, show: time}, {name: "p95", get: row => row.p95_ns, show: time},
  {name: "GB/s", get: row => row.gb_per_s, show: value => value.toFixed(1)}];
if (items.length) {
  const place = section("Longest items");
  table(place, "items", items.slice(0, 500), [{name: "item", get: row => row.item}, ...timeColumns,
    {name: "command", get: row => row.command}, {name: "pipeline", get: row => row.pipeline_name || row.pipeline},
    {name: "shaders", get: shadersOf}, {name: "labels", get: row => (row.labels || []).join("/")}, {name: "counts", get: countsOf}]);
}
for (const [by, title] of [["pipeline", "Pipelines"], ["shader", "Shaders"], ["label", "Labels"], ["pass", "Render passes"], ["kind", "Commands"]]) {
  const groups = of("group").filter(row => row.by === by);
  if (!groups.length || (by === "label" && groups.length === 1)) continue;
  const place = section(title);
  table(place, "groups-" + by, groups, [{name: by, get: row => row.item}, {name: "share", get: row => row.share, show: percent},
    {name: "time", get: row => row.median_ns, show: time}, {name: "items", get: row => row.n, show: whole},
    {name: "bytes at most", get: row => row.bytes, show: bytes}]);
}
const frames = of("frame");
if (frames.length > 1) {
  const place = section("Frames, as captured");
  series(place, "frame-series", frames.map(row => [row.frame, row.duration_ns]), {x: value => "frame " + Math.round(value), y: time, bars: true});
  table(place, "frames", frames, [{name: "frame", get: row => row.frame, show: whole}, {name: "duration", get: row => row.duration_ns, show: time},
    {name: "submits", get: row => row.submits, show: whole}, {name: "commands", get: row => row.commands, show: whole},
    {name: "calls", get: row => row.calls, show: whole}]);
}
wavesSection();
orderSection();
syncSection();
const pictures = of("picture");
if (pictures.length) {
  const place = section("Pictures, as replayed");
  const sheet = element(place, "div", undefined, {class: "pictures", id: "pictures"});
  for (const row of pictures) {
    const figure = element(sheet, "figure");
    element(figure, "img", undefined, {src: "data:image/png;base64," + row.png, alt: "frame " + row.frame});
    element(figure, "figcaption", "frame " + row.frame);
  }
}
memorySection();
{
  const place = section("Devices, and what is not known");
  table(place, "facts", of("fact"), [{name: "what", get: row => row.name}, {name: "", get: row => row.text}]);
  const hidden = of("hidden");
  if (hidden.length) table(place, "hidden", hidden, [{name: "hidden from the program", get: row => row.name}, {name: "why", get: row => row.reason},
    {name: "asked for", get: row => row.asked}]);
}
const redraw = () => drawn.forEach(again => again());
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("beforeprint", redraw);
redraw();
document.body.dataset.ready = "yes";
