const MANY_OPS = 220;
const chosenGraph = Math.min(Number(location.hash.slice(1)) || 0, data.graphs.length - 1); // #1 in the address is the second
Object.assign(data, data.graphs[chosenGraph]);
const state = { strategy: 0, kernel: null, edge: null, op: null, collapsed: data.graph.ops.length > MANY_OPS, tab: "ir", order: "launch" };
const verdicts = indexVerdicts();
const views = new Map(data.graph.ops.map((op) => [op.name, op]));
const readers = new Map();
for (const op of data.graph.ops) for (const s of op.sources) readers.set(s, [...(readers.get(s) ?? []), op.name]);
let zoom = { x: 0, y: 0, k: 1 }, drawn = null;

const current = () => data.strategies[state.strategy];

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

// ---------------------------------------------------------------- the graph

const width = (text, unit) => Math.max(34, text.length * unit + 18);

// Boxes and links of all ops, or of the kernels of a strategy alone.
function opBoxes() {
  const boxes = [], links = [];
  const inputBox = (i, id) => ({ id, label: data.graph.inputs[i].name, w: width(data.graph.inputs[i].name, 7), h: 22, input: data.graph.inputs[i] });
  const opBox = (op, id) => {
    const label = op.view || op.name.startsWith(op.op) ? op.name : `${op.name} · ${op.op}`;
    return { id, label, w: width(label, 7.3) + (op.view ? -6 : 16), h: op.view ? 20 : 28, op };
  };
  data.graph.inputs.forEach((_, i) => { if (readers.has(i) && !isSpread(i)) boxes.push(inputBox(i, `in ${i}`)); });
  for (const op of data.graph.ops) {
    if (isSpread(op.name)) continue;
    boxes.push(opBox(op, op.name));
    for (const source of op.sources) {
      let from = typeof source === "number" ? `in ${source}` : source;
      if (isSpread(source)) {
        from = `${from} for ${op.name}`;
        boxes.push(typeof source === "number" ? inputBox(source, from) : opBox(views.get(source), from));
      }
      links.push([from, op.name]);
    }
  }
  return withoutIdle(boxes, links);
}

// What only feeds things that stand beside their readers need not be shown.
function withoutIdle(boxes, links) {
  const read = new Set(links.map(([from]) => from));
  const kept = boxes.filter((b) => read.has(b.id) || (b.op && (!b.op.view || b.op.returned)));
  if (kept.length === boxes.length) return { boxes, links };
  const ids = new Set(kept.map((b) => b.id));
  return withoutIdle(kept, links.filter(([, to]) => ids.has(to)));
}

// What computes nothing and is read in many places stands once beside each reader: no line across the page.
function isSpread(source) {
  const computed = typeof source === "string" && computedBehind(source).length;
  return !computed && (readers.get(source) ?? []).length > 2;
}

function kernelBoxes(strategy) {
  const boxes = strategy.groups.flatMap((group, k) => {
    if (firstOf(strategy, k) !== k) return [];
    const { count } = runOf(strategy, k), label = `${k + 1}  ${brief(group.ops, 3)}${count > 1 ? `  × ${count}` : ""}`;
    return [{ id: `kernel ${k}`, label, w: width(label, 7.3) + 10, h: 30, kernel: k, group }];
  });
  const links = new Map();
  const home = homes(strategy);
  const roots = new Map(); // an op in no kernel is looked through, to the kernels behind it
  for (const op of data.graph.ops) {
    const behind = new Set();
    for (const source of op.sources) {
      if (typeof source === "number") continue;
      for (const k of home.has(source) ? [home.get(source)[0]] : roots.get(source) ?? []) behind.add(k);
    }
    roots.set(op.name, behind);
    for (const to of home.get(op.name) ?? []) for (const from of behind) {
      if (from === to || home.get(op.name).includes(from)) continue;
      const [a, b] = [from, to].map((k) => firstOf(strategy, k));
      links.set(`${a} ${b}`, [`kernel ${a}`, `kernel ${b}`]);
    }
  }
  return { boxes, links: withoutCycles([...links.values()]) };
}

// Kernels that recompute an op may seem to feed each other: a link against the order is left out.
const withoutCycles = (links) => links.filter(([a, b]) => Number(a.slice(7)) < Number(b.slice(7)));

function brief(ops, most) {
  if (!ops.length) return "no op";
  return ops.length <= most ? ops.join(" ") : `${ops.slice(0, most - 1).join(" ")} … ${ops[ops.length - 1]} (${ops.length})`;
}

const layouts = new Map();
function layoutOf() {
  const key = state.collapsed ? current().label : "ops";
  if (!layouts.has(key)) {
    const graph = state.collapsed ? kernelBoxes(current()) : opBoxes();
    layouts.set(key, { ...graph, ...layered(graph.boxes, graph.links), key });
  }
  return layouts.get(key);
}

function drawGraph() {
  const graph = layoutOf(), view = $("#view");
  const isNew = drawn !== graph.key;
  if (isNew) {
    view.replaceChildren();
    graph.edges = graph.links.map(([a, b], i) => drawLink(view, graph, a, b, graph.bends[i]));
    graph.nodes = graph.boxes.map((box) => drawBox(view, graph.at.get(box.id), box));
    drawn = graph.key;
  }
  const strategy = current();
  graph.boxes.forEach((box, i) => paintBox(graph.nodes[i], box, strategy));
  graph.links.forEach(([a, b], i) => paintLink(graph.edges[i], a, b, strategy));
  if (isNew) home();
}

function drawLink(view, graph, a, b, bends) {
  const from = graph.at.get(a), to = graph.at.get(b);
  const points = [[from.x, from.y + from.h / 2], ...bends.map((id) => [graph.at.get(id).x, graph.at.get(id).y]), [to.x, to.y - to.h / 2]];
  let path = `M${points[0]}`;
  for (let i = 1; i < points.length; i++) {
    const [x1, y1] = points[i - 1], [x2, y2] = points[i], middle = y2 < y1 ? 40 : Math.max(12, (y2 - y1) / 2);
    path += `C${x1},${y1 + middle} ${x2},${y2 - middle} ${x2},${y2}`;
  }
  const group = shape("g", { class: points.some(([, y], i) => i && y < points[i - 1][1]) ? "edge across" : "edge" }, shape("path", { class: "line", d: path }), shape("path", { class: "reach", d: path }));
  group.addEventListener("click", (event) => { event.stopPropagation(); if (group.classList.contains("verdict")) choose({ edge: [a, b] }); });
  view.append(group);
  return group;
}

function drawBox(view, at, box) {
  const group = shape("g", { class: "node", transform: `translate(${at.x},${at.y})` });
  group.append(shape("rect", { class: "body", x: -at.w / 2, y: -at.h / 2, width: at.w, height: at.h, rx: box.input ? 11 : 6 }));
  const shift = box.op && !box.op.view ? 10 : 0;
  group.append(shape("text", { x: shift, "text-anchor": "middle" }, box.label));
  if (shift) group.append(shape("text", { class: "badge", x: -at.w / 2 + 13 }));
  const told = box.op ? `${box.op.op}  ${box.op.type}\n${box.op.place}` : box.input ? box.input.type : box.group.why;
  group.append(shape("title", {}, told));
  group.addEventListener("click", (event) => {
    event.stopPropagation();
    if (box.kernel !== undefined) choose({ kernel: box.kernel });
    else if (box.op) choose({ op: box.op.name, kernel: (homes(current()).get(box.op.name) ?? [null])[0] });
  });
  view.append(group);
  return group;
}

function paintBox(node, box, strategy) {
  const inside = box.kernel !== undefined ? [box.kernel] : box.op ? homes(strategy).get(box.op.name) ?? [] : [];
  const chosen = box.kernel !== undefined && state.kernel !== null ? firstOf(strategy, state.kernel) : state.kernel;
  const of = (name, on) => node.classList.toggle(name, Boolean(on));
  of("input", box.input);
  of("view", box.op?.view && !inside.length);
  of("computed", inside.length);
  of("kernel", box.kernel !== undefined);
  of("returned", box.op?.returned);
  of("faded", chosen !== null && !inside.includes(chosen));
  of("chosen", (box.op && box.op.name === state.op) || (box.kernel !== undefined && box.kernel === chosen));
  node.setAttribute("style", inside.length ? colour(inside.includes(chosen) ? chosen : inside[0]) : "");
  const badge = node.querySelector(".badge");
  if (badge) badge.textContent = inside.map((k) => k + 1).slice(0, 2).join("/") + (inside.length > 2 ? "+" : "");
}

function paintLink(edge, a, b, strategy) {
  const ends = state.collapsed ? null : verdictEnds(a, b);
  const shared = state.collapsed ? undefined : ends ? together(strategy, ...ends) : together(strategy, a, b);
  const of = (name, on) => edge.classList.toggle(name, Boolean(on));
  of("inside", shared !== undefined);
  of("memory", state.collapsed || (shared === undefined && (homes(strategy).has(a) || ends !== null)));
  of("verdict", ends !== null);
  of("faded", state.kernel !== null && shared !== state.kernel);
  of("chosen", state.edge && state.edge[0] === a && state.edge[1] === b);
  edge.setAttribute("style", shared !== undefined ? colour(shared) : "");
}

// A link may pass a view: the verdict is on the computed ops at its ends.
const endsOf = new Map();
function verdictEnds(a, b) {
  const key = `${a}\n${b}`;
  if (!endsOf.has(key)) endsOf.set(key, findEnds(a, b));
  return endsOf.get(key);
}
function findEnds(a, b) {
  if (verdicts.has(`${a}\n${b}`)) return [a, b];
  const up = computedBehind(a), down = computedAfter(b);
  for (const p of up) for (const c of down) if (verdicts.has(`${p}\n${c}`)) return [p, c];
  return null;
}
function computedBehind(name) {
  const op = views.get(name);
  if (!op) return [];
  return op.view ? op.sources.filter((s) => typeof s === "string").flatMap(computedBehind) : [name];
}
function computedAfter(name) {
  return views.get(name)?.view ? (readers.get(name) ?? []).flatMap(computedAfter) : [name];
}

// ---------------------------------------------------------------- moving and zooming

function move() {
  $("#view").setAttribute("transform", `translate(${zoom.x},${zoom.y}) scale(${zoom.k})`);
  $("#graph").classList.toggle("far", zoom.k < 0.32);
}

// Where reading begins: labels can be read, the top is in sight.
function home() {
  fit();
  if (zoom.k >= 0.62) return;
  const k = 0.75, graph = layoutOf(), box = $("#stage").getBoundingClientRect();
  const top = [...graph.at.values()].filter((b) => k * b.y < box.height);
  const left = top.reduce((m, b) => Math.min(m, b.x - b.w / 2), Infinity);
  zoom = { k, x: k * graph.width < box.width - 60 ? (box.width - k * graph.width) / 2 - k * graph.left : 30 - k * left, y: 30 };
  move();
}

function fit() {
  const graph = layoutOf(), box = $("#stage").getBoundingClientRect();
  const whole = Math.min((box.width - 60) / graph.width, (box.height - 70) / graph.height);
  const k = Math.min(1.25, Math.max(whole, 0.01));
  zoom = { k, x: (box.width - k * graph.width) / 2 - k * graph.left, y: Math.max(30, (box.height - k * graph.height) / 2) };
  move();
}

function bindMoves() {
  const svg = $("#graph");
  let last = null, far = 0;
  svg.addEventListener("pointerdown", (event) => { last = [event.clientX, event.clientY]; far = 0; });
  window.addEventListener("pointermove", (event) => {
    if (!last) return;
    zoom.x += event.clientX - last[0];
    zoom.y += event.clientY - last[1];
    far += Math.abs(event.clientX - last[0]) + Math.abs(event.clientY - last[1]);
    last = [event.clientX, event.clientY];
    svg.classList.add("moving");
    move();
  });
  window.addEventListener("pointerup", () => { last = null; svg.classList.remove("moving"); });
  svg.addEventListener("click", () => { if (far < 4) choose({}); });
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect(), factor = Math.exp(-event.deltaY * 0.0015);
    const k = Math.min(4, Math.max(0.01, zoom.k * factor)), real = k / zoom.k;
    const x = event.clientX - box.left, y = event.clientY - box.top;
    zoom = { k, x: x - (x - zoom.x) * real, y: y - (y - zoom.y) * real };
    move();
  }, { passive: false });
}

function show(id) {
  const at = layoutOf().at.get(id), box = $("#stage").getBoundingClientRect();
  if (!at) return;
  const x = zoom.x + zoom.k * at.x, y = zoom.y + zoom.k * at.y;
  if (zoom.k >= 0.5 && x > 60 && x < box.width - 60 && y > 40 && y < box.height - 40) return;
  const k = Math.max(zoom.k, 0.7);
  zoom = { k, x: box.width / 2 - k * at.x, y: box.height / 2 - k * at.y };
  move();
}

// ---------------------------------------------------------------- strategies, kernels, roofline

function drawStrategies() {
  const slowest = Math.max(...data.strategies.map((s) => s.measured_us ?? s.predicted_us), 1e-9);
  const cards = data.strategies.map((s, i) => {
    const us = s.measured_us ?? s.predicted_us;
    const knobs = Object.entries(s.knobs).map(([k, v]) => ` ${k}=${v}`).join("");
    const card = element("button", { class: "strategy", type: "button", role: "radio", "aria-checked": String(i === state.strategy), "data-label": s.label },
      element("div", { class: "numbers" }, element("span", { class: "name" }, s.name + knobs), element("span", { class: "tag" }, s.real ? "real" : "emulated")),
      element("div", { class: "numbers" }, element("span", {}, element("b", {}, String(s.kernels)), s.kernels === 1 ? " kernel" : " kernels"), bytes(s.bytes)),
      element("div", { class: "numbers" }, element("span", {}, s.measured_us === null ? "predicted" : "measured"), element("b", {}, micros(us))),
      element("div", { class: "bar" }, element("i", { style: `width:${(100 * us) / slowest}%` })),
      ...(s.real ? [element("div", { class: "by", title: s.version }, s.version)] : []));
    card.addEventListener("click", () => { state.strategy = i; choose({}); });
    return card;
  });
  const missing = Object.entries(data.failures).map(([peer, why]) => element("p", { class: "failure" }, `${peer}: ${why}`));
  const cuts = new Map();
  for (const s of data.strategies) for (const c of s.cuts) {
    const text = `${s.label}: cut at ${c.callee}: ${c.why}`;
    cuts.set(text, [...(cuts.get(text) ?? []), c.place]);
  }
  const marked = [...cuts].map(([text, places]) => element("p", { class: "failure", title: [...new Set(places)].join("\n") }, `${text} (${places.length})`));
  $("#strategies").replaceChildren(...cards, ...missing, ...marked);
}

function drawRoofline() {
  const kernels = current().groups.map((g, k) => ({ flops: g.flops, bytes: g.bytes, us: g.predicted_us, label: `${k + 1} ${brief(g.ops, 5)}` }));
  $("#roofline").replaceChildren(...roofline(data.graph.device, kernels, state.kernel, (kernel) => choose({ kernel })));
}

// ---------------------------------------------------------------- what is chosen

function drawDetail() {
  const detail = $("#detail");
  if (state.edge) detail.replaceChildren(...edgeDetail(...state.edge));
  else if (state.kernel !== null) detail.replaceChildren(...kernelDetail(state.kernel));
  else if (state.op) detail.replaceChildren(...opDetail(state.op));
  else detail.replaceChildren(...differences());
}

function kernelDetail(k) {
  const strategy = current(), group = strategy.groups[k], of = data.texts.kernels[strategy.label]?.[k] ?? {};
  const shown = of.text === null || of.text === undefined ? null : data.texts.shown[of.text];
  const texts = { ir: ["IR", shown?.ir], source: ["Triton by mlc", shown?.source], code: [`${strategy.name}'s code`, of.code] };
  const tabs = Object.entries(texts).filter(([, [, text]]) => text);
  const open = tabs.find(([key]) => key === state.tab) ?? tabs[0];
  const buttons = tabs.map(([key, [label]]) => {
    const button = element("button", { type: "button", "aria-pressed": String(open[0] === key), "data-tab": key }, label);
    button.addEventListener("click", () => { state.tab = key; drawDetail(); });
    return button;
  });
  return [
    element("h2", {}, `Kernel ${k + 1} `, element("small", {}, `${group.kind}, ${strategy.label}`)),
    element("p", { class: "why" }, group.why),
    element("div", { class: "facts" }, fact("moved", bytes(group.bytes)), fact("operations", group.flops.toExponential(1)), fact("predicted", micros(group.predicted_us)), fact("ops", String(group.ops.length))),
    chips(group.ops),
    ...(group.lines.length ? [element("p", { class: "empty marks" }, group.lines.slice(0, 6).join(", "))] : []),
    ...(group.duplicated.length ? [element("p", { class: "empty marks" }, `computed elsewhere too: ${group.duplicated.join(", ")}`)] : []),
    ...traffic("reads", group.reads), ...traffic("writes", group.writes),
    element("div", { class: "tabs" }, ...buttons, ...(open ? [copyButton(open[1][1])] : [])),
    open ? element("pre", {}, open[1][1]) : element("p", { class: "empty" }, "the text of this kernel is not on the page: there are too many"),
    ...reasonsOf(strategy, group),
  ];
}

function chips(ops) {
  const box = element("div", { class: "chips" });
  for (const name of ops.slice(0, 60)) {
    const chip = element("button", { class: "chip", type: "button" }, name);
    chip.addEventListener("click", () => { choose({ op: name }); if (!state.collapsed) show(name); });
    box.append(chip);
  }
  if (ops.length > 60) box.append(`and ${ops.length - 60} more`);
  return box;
}

// The verdicts at the border of a kernel and inside it.
function reasonsOf(strategy, group) {
  const inside = new Set(group.ops);
  const found = [];
  for (const said of verdicts.values()) {
    const d = said.get(strategy.label);
    if (d && (inside.has(d.producer) || inside.has(d.consumer))) found.push(d);
  }
  if (!found.length) return [];
  found.sort((p, q) => Number(p.fuse) - Number(q.fuse));
  return [element("h2", { style: "margin-top:14px" }, "Reasons"), verdictTable(found.slice(0, 80).map((d) => [`${d.producer} → ${d.consumer}`, d, d.fuse]))];
}

function verdictTable(rows) {
  return element("table", {}, ...rows.map(([name, d, fuse]) => element("tr", {},
    element("td", {}, element("span", { style: "font-family:var(--mono);font-size:12px" }, name), element("p", { class: "why" }, d ? d.why : "no verdict on this edge")),
    element("td", { class: `verdict ${fuse ? "yes" : "no"}` }, fuse ? "fused" : "apart", ...(d && d.saves_us !== null ? [element("div", { class: "empty" }, `${fuse ? "" : "would "}${d.saves_us >= 0 ? (fuse ? "saves" : "save") : fuse ? "costs" : "cost"} ${Math.abs(d.saves_us).toFixed(2)} µs`)] : [])))));
}

function edgeDetail(a, b) {
  const [p, c] = verdictEnds(a, b) ?? [a, b], said = verdicts.get(`${p}\n${c}`) ?? new Map();
  return [element("h2", {}, `${p} → ${c}`), verdictTable(data.strategies.map((s) => [s.label, said.get(s.label), together(s, p, c) !== undefined]))];
}

function opDetail(name) {
  const op = views.get(name);
  const edges = [...verdicts.keys()].map((key) => key.split("\n")).filter(([a, b]) => a === name || b === name);
  return [
    element("h2", {}, `${name} `, element("small", {}, op.op)), element("p", { class: "why" }, op.type), element("p", { class: "empty marks" }, op.place),
    ...edges.slice(0, 30).flatMap(([a, b]) => edgeDetail(a, b)),
  ];
}

// With nothing chosen: the edges that not all strategies fuse.
function differences() {
  const split = [];
  for (const key of verdicts.keys()) {
    const [a, b] = key.split("\n"), fused = data.strategies.filter((s) => together(s, a, b) !== undefined);
    if (fused.length && fused.length < data.strategies.length) split.push([a, b, fused]);
  }
  if (!split.length) return [element("p", { class: "empty" }, "All strategies agree on every edge. Click a kernel for its IR, its source and its reasons.")];
  const rows = split.slice(0, 120).map(([a, b, fused]) => {
    const link = element("button", { class: "chip", type: "button" }, `${a} → ${b}`);
    link.addEventListener("click", () => { choose({ edge: [a, b] }); if (!state.collapsed) show(b); });
    return element("tr", {}, element("td", {}, link, element("p", { class: "why" }, `fused by ${fused.map((s) => s.label).join(", ")}`)));
  });
  return [element("h2", {}, "Where they differ ", element("small", {}, `${split.length} of ${verdicts.size} edges`)), element("table", {}, ...rows)];
}

// ---------------------------------------------------------------- all together

function choose({ kernel = null, edge = null, op = null }) {
  Object.assign(state, { kernel, edge, op });
  draw();
}
function draw() {
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
  select.addEventListener("change", () => { location.hash = select.value; location.reload(); });
  $("#title").replaceChildren(select);
}
function start() {
  $("#title").textContent = data.graph.name;
  $("#subtitle").textContent = `${data.graph.ops.length} ops on ${data.graph.device.name}`;
  bindTheme();
  chooseGraph();
  fillSelect($("#order"), Object.entries(ORDERS).map(([key, [label]]) => [key, label]), state.order);
  $("#order").addEventListener("change", (event) => { state.order = event.target.value; drawKernels(); });
  $("#fit").addEventListener("click", fit);
  $("#collapse").setAttribute("aria-pressed", String(state.collapsed));
  $("#collapse").addEventListener("click", () => {
    state.collapsed = !state.collapsed;
    $("#collapse").setAttribute("aria-pressed", String(state.collapsed));
    choose({});
  });
  let typing = null;
  $("#search").addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => search(event.target.value.trim()), 120); // a large graph takes a while to paint
  });
  $("#kernels .scroll").addEventListener("scroll", drawKernels);
  window.addEventListener("resize", fit);
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") choose({}); });
  bindMoves();
  draw();
}
start();
