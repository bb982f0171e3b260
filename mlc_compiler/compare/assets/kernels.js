// The list of kernels: sorted, and equal layers once.

function drawKernels() {
  const strategy = current();
  $("#kernels h2").replaceChildren(`${strategy.kernels} ${strategy.kernels === 1 ? "kernel" : "kernels"} `,
    element("small", {}, `${bytes(strategy.bytes)} moved, ${micros(strategy.predicted_us)} predicted`
      + (strategy.recomputed ? `, ${strategy.recomputed} recomputed` : "")));
  const lines = kernelLines(strategy);
  drawInSight($("#kernels .scroll"), $("#kernels .rows"), lines.length, ROW, (at) => kernelLine(strategy, lines[at], at));
}

// What the kernels are sorted by; in the order of launches equal layers stand there once.
const ORDERS = { launch: ["as launched"], us: ["by time", (g) => g.predicted_us], bytes: ["by bytes", (g) => g.bytes],
  flops: ["by operations", (g) => g.flops], ops: ["by ops", (g) => g.ops.length] };

// The lines of the list: kernels by number, and the run before the kernels of a layer that stands there several times.
function kernelLines(strategy) {
  const size = ORDERS[state.order][1];
  strategy.lines ??= {};
  return strategy.lines[state.order] ??= size
    ? strategy.groups.map((group, k) => ({ k, size: size(group) })).sort((a, b) => b.size - a.size || a.k - b.k)
    : strategy.runs.flatMap((run) => [...(run.count > 1 ? [{ run }] : []), ...Array.from({ length: run.period }, (_, k) => ({ k: run.start + k, inside: run.count > 1 }))]);
}

function kernelLine(strategy, line, at) {
  if (!line.run) return kernelRow(strategy.groups[line.k], line.k, at, line.inside);
  const { start, period, count } = line.run;
  const us = count * strategy.groups.slice(start, start + period).reduce((sum, g) => sum + g.predicted_us, 0);
  return element("div", { class: "row times", style: `top:${at * ROW}px` },
    element("span", { class: "ops" }, `${count} times: kernels ${start + 1} to ${start + period * count}`), element("span", { class: "us" }, micros(us)));
}

function kernelRow(group, k, at, inside) {
  const row = element("div", { class: inside ? "row inside" : "row", role: "option", tabindex: "0", style: `top:${at * ROW}px;${colour(k)}`, "aria-selected": String(k === state.kernel), "data-kernel": String(k) },
    element("span", { class: "dot" }), element("span", { class: "number" }, String(k + 1)), element("span", { class: "ops", title: group.ops.join(" ") }, brief(group.ops, 5)),
    element("span", { class: "kind" }, group.kind), element("span", { class: "us" }, micros(group.predicted_us)));
  row.addEventListener("click", () => { choose({ kernel: k }); show(state.collapsed ? boxOf(k) : group.ops[0]); });
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") choose({ kernel: k }); });
  return row;
}

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
