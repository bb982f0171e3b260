// What is chosen: a kernel, an edge, an op; with nothing chosen, where strategies differ.

function drawDetail() {
  const detail = $("#detail");
  if (state.edge) detail.replaceChildren(...edgeDetail(...state.edge));
  else if (state.kernel !== null) detail.replaceChildren(...kernelDetail(state.kernel));
  else if (state.op) detail.replaceChildren(...opDetail(state.op));
  else detail.replaceChildren(...(state.beside === null ? differences() : disagreements(...sides())));
  const mark = detail.querySelector("pre mark"), text = mark?.parentElement;
  if (text) text.scrollTop = mark.offsetTop - text.offsetTop - 24; // the part in view, and nothing else moves
}

function kernelDetail(k) {
  const strategy = current(), group = strategy.groups[k], of = data.texts.kernels[strategy.label]?.[k] ?? {};
  const shown = of.text === null || of.text === undefined ? null : data.texts.shown[of.text];
  const texts = { ir: ["IR", shown?.ir], source: ["Triton by mlc", shown?.source], code: [`${strategy.name}'s code`, of.code],
    whole: ["all of it", data.texts.wholes[of.whole]] };
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
    element("div", { class: "tabs" }, ...buttons, ...(open ? [copyButton(open[1][1]), wideButton()] : [])),
    open ? element("pre", {}, ...(open[0] === "whole" ? withPart(open[1][1], of.code) : [open[1][1]])) : element("p", { class: "empty" }, "the text of this kernel is not on the page: there are too many"),
    ...reasonsOf(strategy, group),
  ];
}

function wideButton() {
  const button = element("button", { type: "button", class: "wide", "aria-pressed": String(state.wide), title: "more room for the text" }, "wide");
  button.addEventListener("click", () => { state.wide = !state.wide; draw(); fit(); });
  return button;
}

// A whole program with the part of it that is a kernel's marked.
function withPart(whole, part) {
  const lines = whole.split("\n");
  const [first, last] = longestRun(lines.map((line) => line.trim()), part.split("\n").map((line) => line.trim()));
  if (first === last) return [whole];
  const joined = (from, to) => lines.slice(from, to).join("\n");
  return [first ? `${joined(0, first)}\n` : "", element("mark", {}, joined(first, last)), `\n${joined(last, lines.length)}`];
}

// Where most lines of `wanted` stand one after the other: a part may have another head where it is printed alone.
function longestRun(lines, wanted) {
  const places = new Map();
  lines.forEach((line, k) => { if (line) places.set(line, [...(places.get(line) ?? []), k]); });
  let best = [0, 0];
  for (let from = 0; from < wanted.length; from++) {
    for (const first of places.get(wanted[from]) ?? []) {
      if (from && first && wanted[from - 1] === lines[first - 1]) continue; // inside a run that is known
      let count = 1;
      while (from + count < wanted.length && lines[first + count] === wanted[from + count]) count++;
      if (count > best[1] - best[0]) best = [first, first + count];
    }
  }
  return best;
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
