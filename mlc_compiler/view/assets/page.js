const TABS = { levels: drawLevels, passes: drawPasses, kernels: drawKernels, compile: drawCompile };
const TITLES = { levels: "levels", passes: "passes", kernels: "kernels", compile: "compile time" };
const NAMES = { tensor: "tensor", loop: "loop", source: "Triton", machine: "LLVM" };
const CONTEXT = 3;
const state = { graph: 0, tab: "levels", spots: new Set(), places: new Set(), kernel: null, pass: 0 };
let panes = [], drawn = new Set();
const graph = () => data.graphs[state.graph];
const place = (spot) => graph().spots[spot].join(":");
const seconds = (s) => s >= 1 ? `${s.toFixed(2)} s` : `${(s * 1e3).toFixed(s < 0.01 ? 2 : 0)} ms`;
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// ---------------------------------------------------------------- levels

function drawLevels() {
  if (!drawn.has("levels")) {
    panes = [userPane(), ...graph().levels.map(levelPane)];
    $("#levels .panes").replaceChildren(...panes.map((pane) => pane.root));
    for (const pane of panes) pane.marks = markOf;
  }
  for (const pane of panes) pane.draw();
  drawChosen();
}

// The lines of the user's program that ops come from, and those around them.
function userPane() {
  const spotsOf = new Map();
  graph().spots.forEach((_, spot) => spotsOf.set(place(spot), [...(spotsOf.get(place(spot)) ?? []), spot]));
  const entries = [];
  graph().files.forEach((file, f) => {
    entries.push({ text: file.name, classes: "title" });
    file.lines.forEach(([number, text], k) => {
      if (k && number > file.lines[k - 1][0] + 1) entries.push({ text: "⋯", classes: "title" });
      const spots = spotsOf.get(`${f}:${number}`) ?? [];
      entries.push({ text, number, spots, click: spots.length ? clickLine : null });
    });
  });
  return new Listing("torch", plural(graph().files.length, "file"), entries, { folds: false });
}

function levelPane(level) {
  const entries = level.lines.map((text, k) => {
    const spots = level.spots[k] ?? [], kernel = level.kernels[k] || null;
    return { text, number: k + 1, spots, kernel, click: spots.length || kernel ? clickLine : null };
  });
  return new Listing(NAMES[level.name], plural(level.lines.length, "line"), entries);
}

function markOf(entry) {
  if ((entry.spots ?? []).some((spot) => state.spots.has(spot))) return "lit";
  if (state.kernel !== null && entry.kernel === state.kernel) return "kin";
  return (entry.spots ?? []).some((spot) => state.places.has(place(spot))) ? "near" : "";
}

function clickLine(entry) {
  chooseSpots(entry.spots, entry.kernel ?? null);
}

function chooseSpots(spots, kernel) {
  Object.assign(state, { spots: new Set(spots), places: new Set(spots.map(place)), kernel });
  openTab("levels");
  for (const pane of panes) {
    pane.show(spots.length ? "lit" : "kin");
    pane.draw();
  }
}

// Of what is chosen: how many lines of each level, its kernels, and the rewrites that fired there.
function drawChosen() {
  const box = $("#chosen");
  if (!state.spots.size && state.kernel === null) {
    box.replaceChildren(element("p", { class: "empty" }, "Click a line of any level: what it comes from and what it became lights up. Lighter are other ops of the same line."));
    return;
  }
  const counts = panes.map((pane) => `${pane.name} ${pane.entries.filter((entry) => markOf(entry) === "lit").length}`);
  const kernels = [...new Set(panes.flatMap((pane) => pane.entries.filter((e) => e.kernel && markOf(e) === "lit").map((e) => e.kernel)))];
  const rewrites = new Map();
  let fired = 0;
  for (const step of graph().passes) for (const [rule, op, spots] of step.firings) if (spots.some((s) => state.spots.has(s))) {
    const key = JSON.stringify([step.name, rule, op]);
    rewrites.set(key, (rewrites.get(key) ?? 0) + 1);
    fired++;
  }
  const rows = [...rewrites].slice(0, 100).map(([key, count]) => {
    const [step, rule, op] = JSON.parse(key);
    return element("tr", {}, element("td", {}, step), element("td", { class: "code" }, rule), element("td", {}, `${count}×`),
      element("td", { class: "code" }, op), element("td", { class: "identity" }, graph().rules[rule].identity));
  });
  box.replaceChildren(element("p", { class: "empty" }, `lines lit: ${counts.join(", ")}; ${plural(fired, "rewrite")} here`),
    element("p", {}, ...kernels.slice(0, 12).map(kernelChip)), ...(rows.length ? [table(["pass", "rewrite", "", "op", "identity"], rows)] : []));
}

function kernelChip(name) {
  const chip = element("button", { class: "chip", type: "button" }, name);
  chip.addEventListener("click", () => { state.kernel = name; openTab("kernels"); });
  return chip;
}

// ---------------------------------------------------------------- passes

const textsOf = [];
// The lines before a pass: the changes of all passes before it, made.
function linesBefore(position) {
  const known = (textsOf[state.graph] ??= [graph().first]);
  for (let k = known.length; k <= position; k++) {
    const lines = [], changes = graph().passes[k - 1].changes, old = known[k - 1];
    let at = 0;
    for (const [start, removed, added] of changes) {
      for (; at < start; at++) lines.push(old[at]);
      for (const text of added) lines.push(text);
      at = start + removed;
    }
    for (; at < old.length; at++) lines.push(old[at]);
    known.push(changes.length ? lines : old);
  }
  return known[position];
}

// Lines as they were and as they are, with what is the same folded into gaps.
function differenceOf(position) {
  const before = linesBefore(position), entries = [];
  let at = 0;
  const same = (until) => {
    const lines = before.slice(at, until).map((text) => ({ text }));
    const head = at ? CONTEXT : 0, tail = until < before.length ? CONTEXT : 0;
    if (lines.length > head + tail + 2) {
      const hidden = lines.slice(head, lines.length - tail);
      entries.push(...lines.slice(0, head), gap(hidden), ...lines.slice(lines.length - tail));
    } else entries.push(...lines);
    at = until;
  };
  for (const [start, removed, added] of graph().passes[position].changes) {
    same(start);
    for (; at < start + removed; at++) entries.push({ text: before[at], number: "−", classes: "removed" });
    entries.push(...added.map((text) => ({ text, number: "+", classes: "added" })));
  }
  same(before.length);
  return entries;
}

const gap = (hidden) => ({ text: `⋯ ${hidden.length} lines as before`, classes: "gap", hidden, click: openGap });
function openGap(entry) {
  const pane = drawPasses.pane, at = pane.entries.indexOf(entry);
  pane.entries = [...pane.entries.slice(0, at), ...entry.hidden, ...pane.entries.slice(at + 1)];
  pane.rows();
  pane.draw();
}

function drawPasses() {
  const steps = graph().passes;
  if (!steps.length) {
    $("#passes .list").replaceChildren(element("p", { class: "empty" }, "no pass has run"));
    return;
  }
  $("#passes .list").replaceChildren(...steps.map((step, k) => {
    const idle = !step.changes.length && !step.error;
    const said = step.error ? [element("span", { class: "error" }, step.error)] : [idle ? "no change" : `${plural(step.ops, "op")} left${step.firings.length ? `, ${plural(step.firings.length, "rewrite")}` : ""}`];
    const button = element("button", { class: `pass ${idle ? "idle" : ""}`, type: "button", "aria-selected": String(k === state.pass) },
      element("div", { class: "name" }, step.name, element("span", {}, seconds(step.seconds))), element("div", { class: "numbers" }, ...said));
    button.addEventListener("click", () => { state.pass = k; drawPasses(); });
    return button;
  }));
  const step = steps[state.pass], changes = step.changes;
  const [gone, come] = changes.reduce(([a, b], [, removed, added]) => [a + removed, b + added.length], [0, 0]);
  drawPasses.pane = new Listing(step.name, changes.length ? `${gone} lines went, ${come} came` : "no change", differenceOf(state.pass), { folds: false });
  $("#passes .panes").replaceChildren(drawPasses.pane.root);
  drawPasses.pane.draw();
  drawRules(step);
}

function drawRules(step) {
  const by = new Map();
  for (const firing of step.firings) by.set(firing[0], [...(by.get(firing[0]) ?? []), firing]);
  const sorted = [...by].sort((p, q) => q[1].length - p[1].length);
  const found = sorted.map(([rule, firings]) => {
    const about = graph().rules[rule];
    const made = element("details", {}, element("summary", {}, element("span", { class: "code" }, rule), ` ${firings.length}×${about.inexact ? ", inexact" : ""}`,
      element("div", { class: "identity" }, about.identity)));
    made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(...firings.slice(0, 200).map(firingLine)); });
    return made;
  });
  $("#rules").replaceChildren(element("h2", {}, "Rewrites ", element("small", { class: "empty" }, String(step.firings.length))), ...(found.length ? found
    : [element("p", { class: "empty" }, "none: a pass without rules shows what it changed, no more")]));
}

function firingLine([, op, spots]) {
  const where = [...new Set(spots.map(place))].map((key) => { const [f, line] = key.split(":"); return `${graph().files[f].name}:${line}`; });
  const chip = element("button", { class: "chip", type: "button" }, `${op} ${where[0] ?? ""}`);
  chip.addEventListener("click", () => chooseSpots(spots, null));
  return element("div", {}, chip);
}

// ---------------------------------------------------------------- kernels

// The longest first; those of which nothing is predicted last.
function sortedKernels() {
  const weight = (kernel) => (kernel.forecast ? kernel.forecast.us * Math.max(1, kernel.launches) : -1);
  return [...graph().kernels].sort((p, q) => weight(q) - weight(p));
}

function drawKernels() {
  const kernels = sortedKernels(), known = kernels.filter((kernel) => kernel.forecast);
  const total = known.reduce((sum, kernel) => sum + kernel.forecast.us * kernel.launches, 0);
  $("#kernels h2").replaceChildren(plural(kernels.length, "kernel"), element("small", { class: "empty" }, ` on ${graph().device.name}, ${micros(total)} predicted for all launches`));
  const names = ["", "kernel", "launches", "grid", "warps", "rows × columns", "predicted", "bound by", "moved", "registers"];
  $("#kernels .head").replaceChildren(...names.map((name) => element("span", name === "registers" ? { title: "of a thread, estimated" } : {}, name)));
  drawInSight($("#kernels .scroll"), $("#kernels .rows"), kernels.length, ROW, (k) => kernelRow(kernels[k], k));
  const points = known.map((kernel, k) => ({ ...kernel.forecast, label: kernel.name, colour: k }));
  const chosen = known.findIndex((kernel) => kernel.name === state.kernel);
  $("#roofline").replaceChildren(...(known.length ? roofline(graph().device, points, chosen, (k) => chooseKernel(known[k].name)) : []));
  drawDetail(kernels.find((kernel) => kernel.name === state.kernel));
  drawCalls();
}

function kernelRow(kernel, k) {
  const f = kernel.forecast, cells = [String(kernel.launches), kernel.grid.join(" × "), String(kernel.warps ?? "–"),
    f ? `${f.rows} × ${f.columns}` : "–", f ? micros(f.us) : "–", f ? f.bound : "–", f ? bytes(f.bytes) : "–", f ? `~${f.registers}` : "–"];
  const row = element("div", { class: "row", role: "option", tabindex: "0", style: `top:${k * ROW}px;${colour(k)}`, "aria-selected": String(kernel.name === state.kernel) },
    element("span", { class: "dot" }), element("span", { class: "ops", title: kernel.name }, kernel.name), ...cells.map((text) => element("span", {}, text)));
  row.addEventListener("click", () => chooseKernel(kernel.name));
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") chooseKernel(kernel.name); });
  return row;
}

function chooseKernel(name) {
  state.kernel = name;
  drawKernels();
}

function drawDetail(kernel) {
  if (!kernel) {
    $("#detail").replaceChildren(element("p", { class: "empty" }, "Click a kernel for what bounds it."));
    return;
  }
  const show = element("button", { type: "button" }, "show its lines"), f = kernel.forecast;
  show.addEventListener("click", () => chooseSpots(spotsOfKernel(kernel.name), kernel.name));
  const longest = f ? Math.max(...Object.values(f.parts)) : 0;
  const parts = f ? Object.entries(f.parts).sort((p, q) => q[1] - p[1]).map(([name, us]) => element("div", { class: `part ${name === f.bound ? "bound" : ""}` },
    element("span", {}, name), element("i", { style: `width:${(100 * us) / longest}%` }), element("b", {}, micros(us)))) : [];
  const facts = f ? [element("div", { class: "facts" }, fact("predicted", micros(f.us)), fact("moved", bytes(f.bytes)), fact("operations", f.flops.toExponential(1)), fact("warps", String(f.warps)))] : [];
  $("#detail").replaceChildren(element("h2", {}, kernel.name), element("p", { class: "why" }, kernel.why), ...facts, ...parts, element("div", {}, show));
}

function spotsOfKernel(name) {
  const levels = graph().levels, last = levels[levels.length - 1];
  return [...new Set(last.spots.flatMap((spots, k) => (last.kernels[k] === name ? spots : [])))];
}

function drawCalls() {
  const rows = graph().calls.map((call) => {
    const chip = element("button", { class: "chip", type: "button" }, call.callee);
    chip.addEventListener("click", () => chooseSpots(call.spots, null));
    return element("tr", {}, element("td", {}, chip), element("td", {}, `${call.count}×`), element("td", {}, call.why));
  });
  $("#calls").replaceChildren(element("h2", {}, "Library calls"), rows.length ? table(["call", "", "why"], rows) : element("p", { class: "empty" }, "none: every op is in a kernel"));
}

// ---------------------------------------------------------------- compile time

function drawCompile() {
  const total = new Map();
  for (const one of data.graphs) for (const step of one.passes) total.set(step.name, (total.get(step.name) ?? 0) + step.seconds);
  const sorted = [...total].sort((p, q) => q[1] - p[1]), most = sorted.length ? sorted[0][1] : 1;
  const rows = sorted.map(([name, s]) => element("tr", {}, element("td", {}, name), element("td", {}, seconds(s)),
    element("td", { style: "width:60%" }, element("div", { class: "bar", style: `width:${(100 * s) / Math.max(most, 1e-9)}%` }))));
  const breaks = data.breaks.map(([why, count]) => element("tr", {}, element("td", {}, `${count}×`), element("td", {}, why)));
  $("#compile").replaceChildren(
    element("section", { id: "timeline" }, element("h2", {}, "Timeline ", element("small", { class: "empty" }, "each graph as its passes ran; grey is what follows them. Recording is left out.")), timeline(sorted)),
    element("section", {}, element("h2", {}, `${plural(data.graphs.length, "graph")}, ${plural(data.breaks.length, "kind")} of graph break`),
      breaks.length ? table(["", "why Dynamo broke the graph"], breaks) : element("p", { class: "empty" }, "no graph break is known")),
    element("section", {}, element("h2", {}, "Seconds by pass"), table(["pass", "all graphs", ""], rows)));
}

function timeline(sorted) {
  const W = 1200, H = 26, LEFT = 150, order = new Map(sorted.map(([name], k) => [name, k]));
  const first = Math.min(...data.graphs.map((g) => g.began)), end = Math.max(...data.graphs.map((g) => g.began + g.seconds)) - first;
  const x = (s) => LEFT + (s / Math.max(end, 1e-9)) * (W - LEFT - 60);
  const svg = shape("svg", { viewBox: `0 0 ${W} ${H * data.graphs.length + 6}` });
  data.graphs.forEach((g, k) => {
    const from = g.began - first, top = k * H + 4;
    svg.append(shape("text", { x: 0, y: top + 14 }, g.name.slice(0, 24)), shape("rect", { class: "rest", x: x(from), y: top, width: x(from + g.seconds) - x(from), height: H - 8 }),
      ...g.passes.map((step) => shape("rect", { x: x(from + step.start), y: top, width: Math.max(0.5, x(step.seconds) - x(0)), height: H - 8, style: colour(order.get(step.name)) },
        shape("title", {}, `${step.name}: ${seconds(step.seconds)}`))),
      shape("text", { x: x(from + g.seconds) + 6, y: top + 14 }, seconds(g.seconds)));
  });
  return svg;
}

// ---------------------------------------------------------------- all together

function openTab(tab) {
  state.tab = tab;
  for (const name of Object.keys(TABS)) {
    $(`#${name}`).hidden = name !== tab;
    $(`#tabs [data-tab=${name}]`).setAttribute("aria-selected", String(name === tab));
  }
  TABS[tab]();
  drawn.add(tab);
}

function openGraph(position) {
  const fallback = data.graphs[position].passes.findIndex((step) => step.changes.length);
  Object.assign(state, { graph: position, spots: new Set(), places: new Set(), kernel: null, pass: Math.max(0, fallback) });
  drawn = new Set();
  $("#subtitle").textContent = `${graph().name}: ${plural(graph().kernels.length, "kernel")}, ${graph().passes.length} passes, ${seconds(graph().seconds)}`;
  openTab(state.tab);
}

function start() {
  $("#title").textContent = data.title;
  bindTheme();
  for (const [name, title] of Object.entries(TITLES)) {
    const button = element("button", { type: "button", role: "tab", "data-tab": name }, title);
    button.addEventListener("click", () => openTab(name));
    $("#tabs").append(button);
  }
  const select = $("#graphs");
  select.append(...data.graphs.map((one, k) => element("option", { value: String(k) }, `${k + 1} ${one.name}`)));
  select.hidden = data.graphs.length < 2;
  select.addEventListener("change", () => openGraph(Number(select.value)));
  $("#kernels .scroll").addEventListener("scroll", drawKernels);
  window.addEventListener("resize", () => TABS[state.tab]());
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") chooseSpots([], null); });
  if (data.graphs.length) openGraph(0);
}
start();
