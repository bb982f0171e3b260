// The list of kernels: sorted, and equal layers once.

function drawKernels() {
  const shown = sides();
  $("#others").hidden = shown.length < 2;
  shown.forEach((strategy, side) => drawList(strategy, side, $(side ? "#others" : "#kernels"), shown.length > 1));
}

function drawList(strategy, side, section, two) {
  section.querySelector("h2").replaceChildren(`${two ? `${strategy.label}: ` : ""}${strategy.kernels} ${strategy.kernels === 1 ? "kernel" : "kernels"} `,
    element("small", {}, `${bytes(strategy.bytes)} moved, ${micros(strategy.predicted_us)} predicted`
      + (strategy.recomputed ? `, ${strategy.recomputed} recomputed` : "")));
  section.querySelector(".head").replaceChildren(element("span"), ...Object.keys(ORDERS).map(sortButton));
  const lines = kernelLines(strategy);
  drawInSight(section.querySelector(".scroll"), section.querySelector(".rows"), lines.length, ROW, (at) => kernelLine(strategy, lines[at], at, side));
}

// The columns and what each is sorted by; in the order of launches equal layers stand there once.
const ORDERS = { launch: ["#", (g, k) => k, 1], ops: ["ops", (g) => g.ops.length, -1], kind: ["kind", (g) => g.kind, 1],
  flops: ["FLOP", (g) => g.flops, -1], bytes: ["moved", (g) => g.bytes, -1], us: ["time", (g) => g.predicted_us, -1] };

function sortButton(key) {
  const [label, , way] = ORDERS[key], isOn = state.order === key;
  const up = (way > 0) !== state.reverse;
  const button = element("button", { type: "button", class: key, "data-order": key, "aria-sort": isOn ? (up ? "ascending" : "descending") : "none", title: "sort" },
    label, ...(isOn ? [up ? " ↑" : " ↓"] : []));
  button.addEventListener("click", () => { Object.assign(state, { reverse: isOn && !state.reverse, order: key }); draw(); });
  return button;
}

// The lines of the list: kernels by number, and the run before the kernels of a layer that stands there several times.
function kernelLines(strategy) {
  const key = `${state.order} ${state.reverse}`;
  strategy.lines ??= {};
  return strategy.lines[key] ??= key === "launch false" ? foldedLines(strategy) : sortedLines(strategy);
}
function foldedLines(strategy) {
  return strategy.runs.flatMap((run) => [...(run.count > 1 ? [{ run }] : []), ...Array.from({ length: run.period }, (_, k) => ({ k: run.start + k, inside: run.count > 1 }))]);
}
function sortedLines(strategy) {
  const [, size, way] = ORDERS[state.order], turned = state.reverse ? -way : way;
  const lines = strategy.groups.map((group, k) => ({ k, size: size(group, k) }));
  return lines.sort((a, b) => turned * (a.size < b.size ? -1 : Number(a.size > b.size)) || a.k - b.k);
}

// A kernel of one strategy that computes what a kernel of the other does; true where there is no other.
function isShared(strategy, k, other) {
  if (!other) return true;
  const computed = (group) => group.ops.filter((op) => !views.get(op)?.view).sort().join(" ");
  other.computed ??= new Set(other.groups.map(computed));
  return other.computed.has(computed(strategy.groups[k]));
}

function kernelLine(strategy, line, at, side) {
  if (!line.run) return kernelRow(strategy, line.k, at, line.inside, side);
  const { start, period, count } = line.run;
  const us = count * strategy.groups.slice(start, start + period).reduce((sum, g) => sum + g.predicted_us, 0);
  return element("div", { class: "row times", style: `top:${at * ROW}px` },
    element("span", { class: "ops" }, `${count} times: kernels ${start + 1} to ${start + period * count}`), element("span", { class: "us" }, micros(us)));
}

function kernelRow(strategy, k, at, inside, side) {
  const group = strategy.groups[k], differs = !isShared(strategy, k, rival(side));
  const row = element("div", { class: `row${inside ? " inside" : ""}${differs ? " differs" : ""}`, role: "option", tabindex: "0", style: `top:${at * ROW}px;${colour(k)}`,
    "aria-selected": String(k === state.kernel && side === state.side), "data-kernel": String(k), title: differs ? `${rival(side).label} has no such kernel` : null },
    element("span", { class: "dot" }), element("span", { class: "number" }, `${k + 1}${differs ? " ≠" : ""}`), element("span", { class: "ops", title: group.ops.join(" ") }, brief(group.ops, 5)),
    element("span", { class: "kind" }, group.kind), element("span", { class: "us" }, brieflyCounted(group.flops)),
    element("span", { class: "us" }, bytes(group.bytes)), element("span", { class: "us" }, micros(group.predicted_us)));
  row.addEventListener("click", () => { choose({ kernel: k, side }); show(state.collapsed ? boxOf(k) : group.ops[0]); });
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") choose({ kernel: k, side }); });
  return row;
}

const brieflyCounted = (n) => n >= 1e9 ? `${(n / 1e9).toFixed(1)} G` : n >= 1e6 ? `${(n / 1e6).toFixed(1)} M` : n >= 1e3 ? `${(n / 1e3).toFixed(0)} k` : String(n);

// Of equal layers the kernels of the first stand for all.
function runOf(strategy, k) {
  return strategy.runs.find((run) => k < run.start + run.period * run.count);
}
function firstOf(strategy, k) {
  const run = runOf(strategy, k);
  return run.start + ((k - run.start) % run.period);
}
const boxOf = (k) => `kernel ${firstOf(current(), k)}`;

// Values with their bytes, parameters by the names that the user gave them.
function traffic(verb, values) {
  const texts = Object.entries(values).map(([name, size]) => `${name} ${bytes(size)}`), more = texts.length - 8;
  return texts.length ? [element("p", { class: "empty marks" }, `${verb} ${texts.slice(0, 8).join(", ")}${more > 0 ? ` and ${more} more` : ""}`)] : [];
}
