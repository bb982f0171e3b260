// The graph of a strategy, one box an op or one a kernel; of two strategies one beside the other.

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
function layoutOf(strategy = current()) {
  const key = state.collapsed ? strategy.label : "ops";
  if (!layouts.has(key)) {
    const graph = state.collapsed ? kernelBoxes(strategy) : opBoxes();
    layouts.set(key, { ...graph, ...layered(graph.boxes, graph.links), key });
  }
  return layouts.get(key);
}

let zoom = { x: 0, y: 0, k: 1 };
const panes = [{ svg: "#graph", drawn: "" }, { svg: "#other", drawn: "" }];

// The graph once for each strategy, under one zoom.
function drawGraph() {
  const shown = sides(), two = shown.length > 1;
  const isNew = two !== $("#stage").classList.contains("two");
  $("#stage").classList.toggle("two", two);
  for (const { svg } of panes) $(svg).parentElement.querySelector(".whose").textContent = "";
  const drawnNew = shown.map((strategy, side) => drawPane(strategy, side, two));
  if (isNew || drawnNew.includes(true)) home();
}

function drawPane(strategy, side, two) {
  const graph = layoutOf(strategy), pane = panes[side], svg = $(pane.svg), view = svg.querySelector("g");
  const isNew = pane.drawn !== graph.key;
  if (isNew) {
    view.replaceChildren();
    pane.edges = graph.links.map(([a, b], i) => drawLink(view, graph, a, b, graph.bends[i]));
    pane.nodes = graph.boxes.map((box) => drawBox(view, graph.at.get(box.id), box, side));
    pane.drawn = graph.key;
  }
  if (two) svg.parentElement.querySelector(".whose").textContent = strategy.label;
  graph.boxes.forEach((box, i) => paintBox(pane.nodes[i], box, strategy, side));
  graph.links.forEach(([a, b], i) => paintLink(pane.edges[i], a, b, strategy, side));
  return isNew;
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

function drawBox(view, at, box, side) {
  const group = shape("g", { class: "node", transform: `translate(${at.x},${at.y})` });
  group.append(shape("rect", { class: "body", x: -at.w / 2, y: -at.h / 2, width: at.w, height: at.h, rx: box.input ? 11 : 6 }));
  const shift = box.op && !box.op.view ? 10 : 0;
  group.append(shape("text", { x: shift, "text-anchor": "middle" }, box.label));
  if (shift) group.append(shape("text", { class: "badge", x: -at.w / 2 + 13 }));
  const told = box.op ? `${box.op.op}  ${box.op.type}\n${box.op.place}` : box.input ? box.input.type : box.group.why;
  group.append(shape("title", {}, told));
  group.addEventListener("click", (event) => {
    event.stopPropagation();
    if (box.kernel !== undefined) choose({ kernel: box.kernel, side });
    else if (box.op) choose({ op: box.op.name, kernel: (homes(sides()[side]).get(box.op.name) ?? [null])[0], side });
  });
  view.append(group);
  return group;
}

function paintBox(node, box, strategy, side) {
  const inside = box.kernel !== undefined ? [box.kernel] : box.op ? homes(strategy).get(box.op.name) ?? [] : [];
  const kernel = side === state.side ? state.kernel : null;
  const chosen = box.kernel !== undefined && kernel !== null ? firstOf(strategy, kernel) : kernel;
  const of = (name, on) => node.classList.toggle(name, Boolean(on));
  of("input", box.input);
  of("view", box.op?.view && !inside.length);
  of("computed", inside.length);
  of("kernel", box.kernel !== undefined);
  of("returned", box.op?.returned);
  of("differs", box.kernel !== undefined && !isShared(strategy, box.kernel, rival(side)));
  of("faded", chosen !== null && !inside.includes(chosen));
  of("chosen", (box.op && box.op.name === state.op) || (box.kernel !== undefined && box.kernel === chosen));
  node.setAttribute("style", inside.length ? colour(inside.includes(chosen) ? chosen : inside[0]) : "");
  const badge = node.querySelector(".badge");
  if (badge) badge.textContent = inside.map((k) => k + 1).slice(0, 2).join("/") + (inside.length > 2 ? "+" : "");
}

function paintLink(edge, a, b, strategy, side) {
  const ends = state.collapsed ? null : verdictEnds(a, b);
  const shared = state.collapsed ? undefined : ends ? together(strategy, ...ends) : together(strategy, a, b);
  const of = (name, on) => edge.classList.toggle(name, Boolean(on));
  of("inside", shared !== undefined);
  of("memory", state.collapsed || (shared === undefined && (homes(strategy).has(a) || ends !== null)));
  of("verdict", ends !== null);
  of("faded", side === state.side && state.kernel !== null && shared !== state.kernel);
  of("differs", ends && rival(side) && (together(rival(side), ...ends) === undefined) !== (shared === undefined));
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
  for (const { svg } of panes) {
    $(svg).querySelector("g").setAttribute("transform", `translate(${zoom.x},${zoom.y}) scale(${zoom.k})`);
    $(svg).classList.toggle("far", zoom.k < 0.32);
  }
}
const paneBox = () => $("#graph").getBoundingClientRect();

// Where reading begins: labels can be read, the top is in sight.
function home() {
  fit();
  if (zoom.k >= 0.62) return;
  const k = 0.75, graph = layoutOf(), box = paneBox();
  const top = [...graph.at.values()].filter((b) => k * b.y < box.height);
  const left = top.reduce((m, b) => Math.min(m, b.x - b.w / 2), Infinity);
  zoom = { k, x: k * graph.width < box.width - 60 ? (box.width - k * graph.width) / 2 - k * graph.left : 30 - k * left, y: 30 };
  move();
}

function fit() {
  const graph = layoutOf(), box = paneBox();
  const whole = Math.min((box.width - 60) / graph.width, (box.height - 70) / graph.height);
  const k = Math.min(1.25, Math.max(whole, 0.01));
  zoom = { k, x: (box.width - k * graph.width) / 2 - k * graph.left, y: Math.max(30, (box.height - k * graph.height) / 2) };
  move();
}

function bindMoves() {
  for (const { svg } of panes) bindPane($(svg));
}
function bindPane(svg) {
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
  const at = layoutOf().at.get(id), box = paneBox();
  if (!at) return;
  const x = zoom.x + zoom.k * at.x, y = zoom.y + zoom.k * at.y;
  if (zoom.k >= 0.5 && x > 60 && x < box.width - 60 && y > 40 && y < box.height - 40) return;
  const k = Math.max(zoom.k, 0.7);
  zoom = { k, x: box.width / 2 - k * at.x, y: box.height / 2 - k * at.y };
  move();
}
