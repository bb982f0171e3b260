const MANY_OPS = 220;
const chosenGraph = graphOfAddress(data.graphs.length);
Object.assign(data, data.graphs[chosenGraph]);
const state = { strategy: 0, beside: null, side: 0, kernel: null, edge: null, op: null, collapsed: data.graph.ops.length > MANY_OPS,
  tab: "ir", order: "launch", reverse: false, wide: false };
const verdicts = indexVerdicts();
const views = new Map(data.graph.ops.map((op) => [op.name, op]));
const readers = new Map();
for (const op of data.graph.ops) for (const s of op.sources) readers.set(s, [...(readers.get(s) ?? []), op.name]);

// The strategy that is shown, and the one beside it, if any; what is chosen is of one of them.
const sides = () => [state.strategy, ...(state.beside === null ? [] : [state.beside])].map((k) => data.strategies[k]);
const current = () => sides()[state.side];
const rival = (side) => sides()[1 - side];

function indexVerdicts() {
  const index = new Map();
  for (const d of data.decisions) {
    const key = `${d.producer}\n${d.consumer}`;
    if (!index.has(key)) index.set(key, new Map());
    index.get(key).set(d.strategy, d);
  }
  return index;
}

// Op to the kernels that compute it, under one strategy.
function homes(strategy) {
  strategy.homes ??= (() => {
    const found = new Map();
    strategy.groups.forEach((group, k) => group.ops.forEach((op) => found.set(op, [...(found.get(op) ?? []), k])));
    return found;
  })();
  return strategy.homes;
}
const together = (strategy, a, b) => {
  const of = homes(strategy).get(b) ?? [];
  return (homes(strategy).get(a) ?? []).find((k) => of.includes(k));
};

// ---------------------------------------------------------------- strategies, kernels, roofline

// The predicted time, and the measured one where somebody asked the clock.
function times(s) {
  const measured = s.measured === null ? [] : [[s.measured.wrong ? "measured, wrong" : "measured", s.measured_us === null ? "-" : micros(s.measured_us)]];
  return [["predicted", micros(s.predicted_us)], ...measured];
}
function drawStrategies() {
  const slowest = Math.max(...data.strategies.map((s) => s.measured_us ?? s.predicted_us), 1e-9);
  const cards = data.strategies.map((s, i) => {
    const us = s.measured_us ?? s.predicted_us;
    const knobs = Object.entries(s.knobs).map(([k, v]) => ` ${k}=${v}`).join("");
    const card = element("button", { class: "strategy", type: "button", role: "radio", "aria-checked": String(i === state.strategy), "data-label": s.label },
      element("div", { class: "numbers" }, element("span", { class: "name" }, s.name + knobs), element("span", { class: "tag" }, s.real ? "real" : "emulated")),
      element("div", { class: "numbers" }, element("span", {}, element("b", {}, String(s.kernels)), s.kernels === 1 ? " kernel" : " kernels"), bytes(s.bytes)),
      ...times(s).map(([what, time]) => element("div", { class: "numbers" }, element("span", {}, what), element("b", {}, time))),
      element("div", { class: "bar" }, element("i", { style: `width:${(100 * us) / slowest}%` })),
      ...(s.real ? [element("div", { class: "by", title: s.version }, s.version)] : []),
      ...(s.remark ? [element("div", { class: "by remark", title: s.remark }, s.remark)] : []));
    card.addEventListener("click", () => { state.strategy = i; if (state.beside === i) state.beside = null; choose({ side: 0 }); });
    return card;
  });
  const missing = Object.entries(data.failures).map(([peer, why]) => element("p", { class: "failure" }, `${peer}: ${why}`));
  const cuts = new Map();
  for (const s of data.strategies) for (const c of s.cuts) {
    const text = `${s.label}: cut at ${c.callee}: ${c.why}`;
    cuts.set(text, [...(cuts.get(text) ?? []), c.place]);
  }
  const marked = [...cuts].map(([text, places]) => element("p", { class: "failure", title: [...new Set(places)].join("\n") }, `${text} (${places.length})`));
  const waiting = data.waiting.length ? [element("p", { class: "failure waiting", role: "status" }, `${data.waiting[0]} is being asked; ${data.waiting.length} have not answered`)] : [];
  $("#strategies").replaceChildren(...cards, ...waiting, ...missing, ...marked);
}

function drawRoofline() {
  const kernels = current().groups.map((g, k) => ({ flops: g.flops, bytes: g.bytes, us: g.predicted_us, label: `${k + 1} ${brief(g.ops, 5)}` }));
  $("#roofline").replaceChildren(...roofline(data.graph.device, kernels, state.kernel, (kernel) => choose({ kernel })));
}

// ---------------------------------------------------------------- all together

function choose({ kernel = null, edge = null, op = null, side = state.side }) {
  Object.assign(state, { kernel, edge, op, side: state.beside === null ? 0 : side });
  draw();
}
function draw() {
  writeAddress();
  $("#collapse").setAttribute("aria-pressed", String(state.collapsed));
  drawBeside();
  $("main").classList.toggle("wide", state.wide);
  drawStrategies();
  drawGraph();
  drawRoofline();
  drawKernels();
  drawDetail();
}
function search(text) {
  const found = text && (views.get(text) ?? data.graph.ops.find((op) => op.name.includes(text) || op.op === text));
  if (!found) return;
  const kernel = (homes(current()).get(found.name) ?? [null])[0];
  choose({ op: found.name, kernel: state.collapsed ? kernel : null });
  show(!state.collapsed ? found.name : kernel === null ? "" : boxOf(kernel));
}
function fillSelect(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, label]) => element("option", { value }, label)));
  select.value = chosen;
}
// Of several graphs (forward and backward) the address says which is shown.
function chooseGraph() {
  if (data.graphs.length < 2) return;
  const select = element("select", { id: "which", "aria-label": "graph" });
  fillSelect(select, data.graphs.map(({ graph }, k) => [String(k), graph.name]), String(chosenGraph));
  select.addEventListener("change", () => { location.hash = select.value; });
  $("#title").replaceChildren(select);
}
function start() {
  $("#title").textContent = data.graph.name;
  $("#subtitle").textContent = `${data.graph.ops.length} ops on ${data.graph.device.name}`;
  bindTheme();
  chooseGraph();
  readAddress();
  bindBeside();
  $("#fit").addEventListener("click", fit);
  $("#collapse").addEventListener("click", () => {
    state.collapsed = !state.collapsed;
    choose({});
  });
  let typing = null;
  $("#search").addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => search(event.target.value.trim()), 120); // a large graph takes a while to paint
  });
  for (const scroll of document.querySelectorAll(".kernels .scroll")) scroll.addEventListener("scroll", drawKernels);
  window.addEventListener("resize", () => { drawKernels(); fit(); });
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") choose({}); });
  window.addEventListener("hashchange", () => location.reload());
  bindPrint();
  bindMoves();
  draw();
  if (state.kernel !== null || state.op) show(state.collapsed && state.kernel !== null ? boxOf(state.kernel) : state.op ?? current().groups[state.kernel].ops[0]);
  if (data.waiting.length) setTimeout(() => location.reload(), 2000);
}
start();
