const data = JSON.parse(document.getElementById("data").textContent);
const isProfile = data.kind === "profile";
const palette = ["#4e79d7", "#e2813b", "#43a36b", "#c9548f", "#8a63d2", "#c9a227", "#2aa3b8", "#d1584f", "#7a8f2e", "#a0705a"];
const grey = "#8b95a3";

// Text of the model gets into the page by this function alone, as text.
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(element.style, value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) element.append(child);
  return element;
}
function draw(tag, properties, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function significant(value) {
  if (value === 0) return "0";
  const digits = Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toFixed(digits);
}
function scaled(value, units) {
  for (const [size, unit] of units) if (Math.abs(value) >= size) return significant(value / size) + " " + unit;
  const [size, unit] = units[units.length - 1];
  return significant(value / size) + " " + unit;
}
const missing = (format) => (value) => value === null || value === undefined ? "–" : format(value);
const seconds = missing((value) => scaled(value, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]));
const bytes = missing((value) => scaled(value, [[1 << 30, "GiB"], [1 << 20, "MiB"], [1 << 10, "KiB"], [1, "B"]]));
const rate = missing((value) => significant(value / 1e9));
const percent = missing((value) => (100 * value).toFixed(value < 0.0995 ? 1 : 0) + " %");
const flop = missing((value) => scaled(value, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]));
const cycles = missing((value) => scaled(value, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]));
const clipped = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

const kernels = data.kernels;
kernels.forEach((kernel, at) => {
  kernel.at = at;
  kernel.bytes = kernel.read === null || kernel.written === null ? null : kernel.read + kernel.written;
  kernel.speed = kernel.operations && kernel.seconds ? kernel.operations / kernel.seconds : null;
  kernel.ofFloor = kernel.floor !== null && kernel.seconds ? kernel.floor / kernel.seconds : null;
  kernel.total = kernel.cost ? kernel.cost.total : null;
  kernel.color = at < palette.length ? palette[at] : grey;
});
const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.hidden = false;
  tip.textContent = text;
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - height - 8)) + "px";
}
const hideTip = () => { tip.hidden = true; };
const shade = (share) => share >= 0.7 ? "var(--good)" : share >= 0.4 ? "var(--fair)" : "var(--poor)";

// Charts over a width are drawn again when the window changes, and in the colours of the present scheme.
const charts = [];
function chart(height, paint, hit, tellAt) {
  const canvas = make("canvas", { style: { height: height + "px" } });
  const repaint = () => {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.body);
    paint(context, width, height, (name) => style.color && resolved(name));
  };
  const found = (event) => {
    const box = canvas.getBoundingClientRect();
    return hit(event.clientX - box.left, event.clientY - box.top, box.width, height);
  };
  canvas.addEventListener("mousemove", (event) => {
    const text = tellAt(found(event));
    canvas.style.cursor = text ? "pointer" : "default";
    text ? showTip(event, text) : hideTip();
  });
  canvas.addEventListener("mouseleave", hideTip);
  charts.push(repaint);
  return [canvas, found];
}
function resolved(name) {
  const probe = make("span", { style: { color: `var(${name})`, display: "none" } });
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

function timeline() {
  const slices = data.slices, end = Math.max(...slices.map((slice) => slice.start + slice.time), 1e-9);
  const depth = Math.max(...slices.map((slice) => slice.depth)) + 1, row = 26, height = depth * row + 20;
  const place = (slice, width) => [slice.start / end * width, Math.max(1, slice.time / end * width - 0.5), slice.depth * row];
  const paint = (context, width, height, color) => {
    for (const slice of slices) {
      const [x, wide, y] = place(slice, width);
      context.fillStyle = slice.kernel < 0 ? grey : kernels[slice.kernel].color;
      context.globalAlpha = chosen !== null && slice.kernel !== chosen ? 0.38 : 1;
      context.fillRect(x, y, wide, row - 4);
      if (wide > 46) {
        context.globalAlpha = 1;
        context.fillStyle = "#fff";
        context.font = "11px system-ui, sans-serif";
        context.save();
        context.beginPath();
        context.rect(x, y, wide - 3, row);
        context.clip();
        context.fillText(slice.name, x + 5, y + 15);
        context.restore();
      }
    }
    context.globalAlpha = 1;
    context.fillStyle = color("--dim");
    context.font = "11px system-ui, sans-serif";
    for (let at = 0; at <= 8; at++) {
      context.textAlign = at === 0 ? "left" : at === 8 ? "right" : "center";
      context.fillText(seconds(end * at / 8), width * at / 8, height - 3);
    }
    context.textAlign = "left";
  };
  const hit = (x, y, width) => {
    const inside = slices.filter((slice) => {
      const [left, wide, top] = place(slice, width);
      return x >= left - 1 && x <= left + wide + 1 && y >= top && y <= top + row;
    });
    return inside[inside.length - 1] || null;
  };
  const tell = (slice) => slice && [
    slice.name, slice.args.join(", "), seconds(slice.time),
    slice.operations ? rate(slice.operations / slice.time) + " GFLOP/s" : null,
    slice.floor !== null && slice.time ? percent(slice.floor / slice.time) + " of the floor" : null,
  ].filter(Boolean).join("\n");
  const [canvas, found] = chart(height, paint, hit, tell);
  canvas.addEventListener("click", (event) => { const slice = found(event); if (slice) choose(slice.kernel, slice.call); });
  return make("section", { class: "card" }, make("div", { class: "bar-top" }, make("h2", {}, "One run"),
    make("span", { class: "dim" }, `${slices.length} calls; the run whose time is the median`)), canvas);
}

function memoryChart() {
  const memory = data.memory, points = memory.points, height = 170, base = height - 18;
  const most = Math.max(memory.arena, ...points.map((point) => point[1] + point[2]), 1);
  const paint = (context, width, height, color) => {
    const y = (value) => base - value / most * (base - 14), x = (at) => at / points.length * width;
    const area = (value, fill) => {
      context.beginPath();
      context.moveTo(0, base);
      points.forEach((point, at) => { context.lineTo(x(at), y(value(point))); context.lineTo(x(at + 1), y(value(point))); });
      context.lineTo(width, base);
      context.fillStyle = fill;
      context.fill();
    };
    area((point) => point[1] + point[2], palette[1]);
    area((point) => point[1], palette[0]);
    context.strokeStyle = color("--dim");
    context.fillStyle = color("--dim");
    context.font = "11px system-ui, sans-serif";
    if (memory.arena) {
      context.setLineDash([5, 4]);
      context.beginPath();
      context.moveTo(0, y(memory.arena));
      context.lineTo(width, y(memory.arena));
      context.stroke();
      context.setLineDash([]);
      context.textAlign = "right";
      context.fillText("arena " + bytes(memory.arena), width - 4, y(memory.arena) - 4);
    }
    context.textAlign = "left";
    context.fillText("first instruction", 0, height - 3);
    context.textAlign = "right";
    context.fillText("last", width, height - 3);
  };
  const hit = (x, y, width) => points[Math.min(points.length - 1, Math.max(0, Math.floor(x / width * points.length)))];
  const tell = (point) => point && `instruction ${point[0]}` + (point[3] >= 0 ? `: ${data.slices[point[3]].name}` : "")
    + `\n${bytes(point[1])} in the arena\n${bytes(point[2])} of their own`;
  const [canvas, found] = chart(height, paint, hit, tell);
  canvas.addEventListener("click", (event) => {
    const point = found(event);
    if (point && point[3] >= 0) choose(data.slices[point[3]].kernel, data.slices[point[3]].call);
  });
  const legend = make("span", { class: "legend" }, make("i", { class: "dot", style: { background: palette[0] } }), "in the arena",
    make("i", { class: "dot", style: { background: palette[1] } }), "tensors with memory of their own");
  return make("section", { class: "card" }, make("div", { class: "bar-top" }, make("h2", {}, "Memory in use, by instruction"), legend), canvas);
}

const barOf = (kernel, share, text, fill) => make("td", { class: "with-bar" },
  make("i", { style: { width: `calc(${Math.max(0, Math.min(1, share || 0)) * 100}% - 8px)`, background: fill || "" } }), make("span", {}, text));
const cell = (text, kind) => make("td", { class: kind, title: kind ? text : null }, text);
const mostTime = Math.max(...kernels.map((kernel) => kernel.seconds || 0), 1e-12);
const mostCost = Math.max(...kernels.map((kernel) => kernel.total || 0), 1e-12);
const columns = [
  { title: "kernel", key: "name", left: true, cell: (kernel) => make("td", { class: "name", title: kernel.name },
    make("i", { class: "dot", style: { background: kernel.color } }), kernel.name) },
  isProfile && { title: "calls", key: "calls", cell: (kernel) => cell(String(kernel.calls)) },
  isProfile && { title: "time", key: "seconds", cell: (kernel) => barOf(kernel, kernel.seconds / mostTime, seconds(kernel.seconds)) },
  isProfile && { title: "share", key: "share", cell: (kernel) => cell(percent(kernel.share)) },
  isProfile && { title: "of floor", key: "ofFloor", hint: "The least time that its operations and bytes can take on this machine, as a part of its time",
    cell: (kernel) => barOf(kernel, kernel.ofFloor, percent(kernel.ofFloor), kernel.ofFloor === null ? "none" : shade(kernel.ofFloor)) },
  isProfile && { title: "FLOP", key: "operations", cell: (kernel) => cell(flop(kernel.operations)) },
  isProfile && { title: "GFLOP/s", key: "speed", cell: (kernel) => cell(rate(kernel.speed)) },
  isProfile && { title: "bytes", key: "bytes", cell: (kernel) => cell(bytes(kernel.bytes)) },
  { title: "schedule", key: "rule", left: true, cell: (kernel) => cell(kernel.rule || "–", "left") },
  !isProfile && { title: "expected cycles", key: "total", cell: (kernel) => barOf(kernel, (kernel.total || 0) / mostCost, cycles(kernel.total)) },
  !isProfile && { title: "candidates", key: "count", cell: (kernel) => cell(String(kernel.considered.length + (kernel.rule ? 1 : 0))) },
  { title: "source", key: "source", left: true, cell: (kernel) => cell(kernel.sources[0] || "", "source left") },
].filter(Boolean);
kernels.forEach((kernel) => { kernel.source = kernel.sources[0] || ""; kernel.count = kernel.considered.length; });

let chosen = null, chosenCall = null, sorted = { key: isProfile ? "seconds" : "at", down: isProfile };
const rows = new Map(), body = make("tbody"), heads = make("tr"), detail = make("section", { class: "card detail" });
const search = make("input", { type: "search", placeholder: "name, source or schedule", "aria-label": "filter", oninput: fill });

function fill() {
  const wanted = search.value.trim().toLowerCase();
  const order = kernels.filter((kernel) => !wanted || [kernel.name, kernel.rule || "", ...kernel.sources].some((text) => text.toLowerCase().includes(wanted)));
  order.sort((a, b) => {
    const [x, y] = [a[sorted.key], b[sorted.key]];
    if (x === null || y === null || x === undefined || y === undefined) return (x === null || x === undefined) - (y === null || y === undefined);
    const sign = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (sorted.down ? -sign : sign) || a.at - b.at;
  });
  body.replaceChildren(...order.map((kernel) => rows.get(kernel.at)));
  [...heads.children].forEach((head, at) => {
    const isKey = columns[at].key === sorted.key;
    isKey ? head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending") : head.removeAttribute("aria-sort");
  });
}
function sortBy(key) {
  sorted = { key, down: sorted.key === key ? !sorted.down : typeof kernels[0]?.[key] !== "string" };
  fill();
}
function table() {
  for (const column of columns) heads.append(make("th", { class: column.left ? "left" : null, title: column.hint, tabindex: 0,
    onclick: () => sortBy(column.key), onkeydown: (event) => { if (event.key === "Enter") sortBy(column.key); } }, column.title));
  for (const kernel of kernels) rows.set(kernel.at, make("tr", { tabindex: 0, onclick: () => choose(kernel.at),
    onkeydown: (event) => { if (event.key === "Enter") choose(kernel.at); } }, columns.map((column) => column.cell(kernel))));
  fill();
  return make("section", { class: "card" }, make("div", { class: "bar-top" }, make("h2", {}, `Kernels (${kernels.length})`), search),
    make("div", { class: "scroll" }, make("table", { id: "kernels" }, make("thead", {}, heads), body)));
}

// The graph: every call of a kernel, with the calls whose results it reads and those that read its results.
const allCalls = [];
(data.functions || []).forEach((owner) => owner.calls.forEach((call) => {
  Object.assign(call, { owner, id: allCalls.length, readers: [] });
  allCalls.push(call);
}));
(data.functions || []).forEach((owner) => owner.calls.forEach((call) => call.from.forEach((at) => owner.calls[at].readers.push(call))));

function neighbours(call) {
  const before = call.from.map((at) => call.owner.calls[at]), others = call.others, after = call.readers;
  const shown = 7, line = 30, left = [...before.map((one) => ({ call: one })), ...others.map((text) => ({ text }))];
  const right = after.map((one) => ({ call: one }));
  if (call.returned) right.push({ text: "result" });
  const cut = (list) => list.length > shown ? [...list.slice(0, shown - 1), { text: `${list.length - shown + 1} more` }] : list;
  const [ins, outs] = [cut(left), cut(right)], count = Math.max(ins.length, outs.length, 1), height = count * line + 4;
  const svg = draw("svg", { viewBox: `0 0 640 ${height}`, role: "img" }), middle = height / 2;
  const top = (list, at) => middle + (at - (list.length - 1) / 2) * line;
  const box = (x, y, entry, kind) => {
    const text = entry.call ? entry.call.name : entry.text;
    const group = draw("g", entry.call && kind !== "own" ? { role: "button", onclick: () => choose(entry.call.kernel, entry.call.id) } : { class: kind },
      draw("title", {}, text), draw("rect", { class: "box", x, y: y - 11, width: 180, height: 23, rx: 5 }));
    const label = draw("text", { x: x + 8, y: y + 5, ...(entry.call ? {} : { class: "quiet" }) });
    label.textContent = clipped(text, 22);
    group.append(label);
    svg.append(group);
  };
  const link = (x, y, u, v) => svg.append(draw("path", { d: `M${x} ${y} C${x + 25} ${y} ${u - 25} ${v} ${u} ${v}` }));
  ins.forEach((entry, at) => { link(182, top(ins, at), 230, middle); box(2, top(ins, at), entry, ""); });
  outs.forEach((entry, at) => { link(410, middle, 458, top(outs, at)); box(458, top(outs, at), entry, ""); });
  box(230, middle, { call }, "own");
  return svg;
}

function termBar(cost, most, colors) {
  if (!cost) return "–";
  return make("div", { class: "terms", title: cost.terms.map(([term, value]) => `${term} ${cycles(value)}`).join(", ") },
    cost.terms.map(([term, value]) => make("i", { style: { width: Math.max(0, value) / most * 100 + "%", background: colors.get(term) } })));
}
function schedule(kernel) {
  if (kernel.scheduleless) return [make("h3", {}, "Schedule"), make("p", { class: "dim" }, kernel.scheduleless)];
  const costs = [kernel.cost, ...kernel.considered.map((one) => one.cost)].filter(Boolean);
  const most = Math.max(...costs.map((cost) => cost.total), 1e-12), colors = new Map();
  for (const cost of costs) for (const [term] of cost.terms) if (!colors.has(term)) colors.set(term, palette[colors.size % palette.length]);
  const line = (name, cost, text, kind) => make("tr", { class: kind }, make("td", { class: "mono" }, name), make("td", {}, cost ? cycles(cost.total) : "–"),
    make("td", { style: { minWidth: "130px" } }, termBar(cost, most, colors)), make("td", { class: "left" }, text));
  const lines = kernel.rule ? [line(kernel.rule, kernel.cost, kernel.doc || "", "taken")] : [];
  lines.push(...kernel.considered.map((one) => line(one.name, one.cost, one.declined, "")));
  const legend = make("div", { class: "legend" }, [...colors].map(([term, color]) => [make("i", { class: "dot", style: { background: color } }), term]));
  return [make("h3", {}, "Schedule"), kernel.rule ? null : make("p", { class: "dim" }, "No rule was taken: the function is as it was written."),
    make("table", { class: "plain" }, make("thead", {}, make("tr", {}, ["candidate", "cycles"].map((text) => make("th", {}, text)), ["terms", "why"].map((text) => make("th", { class: "left" }, text)))),
      make("tbody", {}, lines)), legend];
}

function choose(at, call) {
  if (at === undefined || at === null || at < 0) return;
  const before = rows.get(chosen);
  if (before) before.classList.remove("chosen");
  chosen = at;
  rows.get(at).classList.add("chosen");
  const kernel = kernels[at], own = allCalls.filter((one) => one.kernel === at);
  chosenCall = call === undefined || call === null || call < 0 ? own[0] : allCalls[call];
  history.replaceState(null, "", "#" + at);
  showDetail(kernel, own);
  charts.forEach((repaint) => repaint());
  for (const line of document.querySelectorAll(".calls tr")) line.classList.toggle("chosen", chosenCall && line.dataset.call === String(chosenCall.id));
}

function showDetail(kernel, own) {
  const chips = isProfile ? [["time", seconds(kernel.seconds)], ["calls", kernel.calls], ["floor", seconds(kernel.floor)], ["FLOP", flop(kernel.operations)],
    ["GFLOP/s", rate(kernel.speed)], ["read", bytes(kernel.read)], ["written", bytes(kernel.written)]] : [];
  const parts = [make("h2", { class: "mono", style: { overflowWrap: "anywhere" } }, make("i", { class: "dot", style: { background: kernel.color } }), kernel.name),
    make("div", { class: "chips" }, chips.map(([name, value]) => make("span", {}, name + " ", make("b", {}, String(value)))))];
  if (kernel.sources.length) parts.push(make("h3", {}, "Made from"), make("ul", { class: "sources mono" }, kernel.sources.map((text) => make("li", {}, text))));
  if (chosenCall) {
    const at = own.indexOf(chosenCall);
    const step = (by) => make("button", { onclick: () => choose(kernel.at, own[(at + by + own.length) % own.length].id), "aria-label": by < 0 ? "previous call" : "next call" }, by < 0 ? "‹" : "›");
    parts.push(make("h3", {}, "In the graph"), make("div", { class: "bar-top" }, make("span", { class: "dim", style: { flex: 1 } },
      `call ${at + 1} of ${own.length} in `, make("code", {}, chosenCall.owner.name), chosenCall.text ? `: ${clipped(chosenCall.text, 160)}` : ""), own.length > 1 ? [step(-1), step(1)] : null), neighbours(chosenCall));
  }
  parts.push(...schedule(kernel));
  const texts = [["TensorIR", kernel.tensor_ir], ["before the schedule", kernel.before], ["schedule trace", kernel.trace]].filter(([, text]) => text);
  if (texts.length) {
    const code = make("pre", { tabindex: 0 }), tabs = make("div", { class: "tabs" });
    const open = (at) => { code.textContent = texts[at][1]; [...tabs.children].forEach((tab, index) => tab.setAttribute("aria-pressed", String(index === at))); };
    texts.forEach(([title], at) => tabs.append(make("button", { onclick: () => open(at) }, title)));
    parts.push(tabs, code);
    open(0);
  }
  detail.replaceChildren(...parts.flat().filter(Boolean));
  detail.scrollTop = 0;
}

function graph() {
  const shown = data.functions.filter((owner) => owner.calls.length);
  return make("section", { class: "card", id: "graph" }, make("h2", {}, "The graph"), shown.map((owner) => make("details", { open: shown.length === 1 || owner.name === data.function ? "" : null },
    make("summary", {}, make("code", {}, owner.signature), make("span", { class: "dim" }, `, ${owner.calls.length} calls`)),
    make("div", { class: "scroll" }, make("table", { class: "calls" }, make("thead", {}, make("tr", {}, make("th", {}, "#"), ["call", "arguments", "reads", "source"].map((text) => make("th", { class: "left" }, text)))),
      make("tbody", {}, owner.calls.map((call, at) => make("tr", { tabindex: 0, "data-call": call.id, onclick: () => choose(call.kernel, call.id), onkeydown: (event) => { if (event.key === "Enter") choose(call.kernel, call.id); } },
        make("td", {}, String(at + 1)), make("td", { class: "name left" }, make("i", { class: "dot", style: { background: call.kernel < 0 ? grey : kernels[call.kernel].color } }), call.name),
        cell(call.text, "source left mono"), cell([...call.from.map((one) => `#${one + 1}`), ...call.others].join(", "), "source left"), cell(call.source, "source left")))))))));
}

const main = document.getElementById("main");
main.replaceChildren(make("header", {}, make("h1", {}, data.title), make("span", { class: "dim" }, data.subtitle)),
  make("div", { class: "facts" }, data.facts.map(([name, value]) => make("div", { class: "card fact" }, make("b", {}, value), make("span", {}, name)))));
if (isProfile && data.slices.length) main.append(timeline());
main.append(make("div", { class: isProfile ? "columns" : "columns even" }, table(), detail));
if (data.memory && data.memory.points.length) main.append(memoryChart());
if (data.functions && data.functions.length) main.append(make("div", { style: { height: "14px" } }), graph());
main.append(make("p", { class: "dim" }, data.machine || ""));
addEventListener("resize", () => charts.forEach((repaint) => repaint()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((repaint) => repaint()));
if (kernels.length) choose(Math.min(Number(location.hash.slice(1)) || 0, kernels.length - 1));
else detail.append("There are no kernels.");
