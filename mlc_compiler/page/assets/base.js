"use strict";
// What all pages share. Text reaches the page as text nodes only, never as HTML.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (selector) => document.querySelector(selector);
const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 7, ROW = 26;

function element(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}
function shape(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS(SVG, tag), attributes, children);
}
function furnished(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
const bytes = (n) => n >= 1e9 ? `${(n / 1e9).toFixed(1)} GB` : n >= 1e6 ? `${(n / 1e6).toFixed(1)} MB`
  : n >= 1e3 ? `${(n / 1e3).toFixed(1)} kB` : `${n} B`;
const micros = (n) => n === null || n === undefined ? "–" : n >= 1000 ? `${(n / 1000).toFixed(2)} ms` : `${n.toFixed(1)} µs`;
const colour = (number) => `--c: var(--c${number % COLOURS})`;
const fact = (name, value) => element("span", {}, element("b", {}, value), name);

function copyButton(text) {
  const button = element("button", { type: "button", class: "copy", title: "copy to the clipboard" }, "copy");
  button.addEventListener("click", async (event) => {
    event.stopPropagation();
    await navigator.clipboard.writeText(typeof text === "function" ? text() : text).catch(() => {});
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1200);
  });
  return button;
}

function table(head, rows) {
  const titles = head.length ? [element("thead", {}, element("tr", {}, ...head.map((text) => element("th", {}, text))))] : [];
  return element("table", {}, ...titles, element("tbody", {}, ...rows));
}

// Of a list of `count` rows in `scroll`, only those in sight exist; `make` gives the one at a position.
function drawInSight(scroll, rows, count, height, make) {
  rows.style.height = `${count * height}px`;
  const first = Math.max(0, Math.floor(scroll.scrollTop / height) - 4);
  const last = Math.min(count, first + Math.ceil((scroll.clientHeight || 300) / height) + 8);
  rows.replaceChildren(...Array.from({ length: last - first }, (_, k) => make(first + k)));
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}
function bindTheme() {
  setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  $("#theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
}

// Kernels as {flops, bytes, us, label} under the roofs of a device; `choose` takes the position of one.
function roofline({ bandwidth, flops, launch_us, tensor_flops = flops }, kernels, chosenPosition, choose) {
  const W = 398, H = 176, L = 40, R = 14, T = 10, B = 26;
  const intensity = (g) => Math.max(g.flops / Math.max(g.bytes, 1), 1e-2);
  const rate = (g) => Math.max(g.flops, 1e-2 * g.bytes, 1) / (Math.max(g.us, 1e-3) * 1e-6);
  const xs = kernels.map(intensity), ys = kernels.map(rate), ridge = flops / bandwidth;
  const span = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  const [x0, x1] = span([...xs, ridge / 30, (tensor_flops / bandwidth) * 10]), [y0, y1] = span([...ys, tensor_flops * 1.01, flops / 1e3]);
  const x = (v) => L + ((Math.log10(v) - x0) / (x1 - x0)) * (W - L - R);
  const y = (v) => H - B - ((Math.log10(v) - y0) / (y1 - y0)) * (H - T - B);
  const svg = shape("svg", { viewBox: `0 0 ${W} ${H}` });
  for (let p = x0; p <= x1; p++) svg.append(shape("line", { class: "axis", x1: x(10 ** p), x2: x(10 ** p), y1: T, y2: H - B }), shape("text", { x: x(10 ** p), y: H - B + 12, "text-anchor": "middle" }, power(p)));
  for (let p = y0; p <= y1; p++) svg.append(shape("line", { class: "axis", x1: L, x2: W - R, y1: y(10 ** p), y2: y(10 ** p) }), shape("text", { x: L - 5, y: y(10 ** p) + 3, "text-anchor": "end" }, rateText(p)));
  const from = 10 ** x0, low = Math.max(from, 10 ** y0 / bandwidth), products = tensor_flops / bandwidth;
  if (tensor_flops > flops) svg.append(shape("path", { class: "roof products", d: `M${x(ridge)},${y(flops)}L${x(products)},${y(tensor_flops)}L${x(10 ** x1)},${y(tensor_flops)}` }));
  svg.append(shape("path", { class: "roof", d: `M${x(low)},${y(low * bandwidth)}L${x(ridge)},${y(flops)}L${x(10 ** x1)},${y(flops)}` }));
  svg.append(shape("text", { x: W - R, y: H - 3, "text-anchor": "end" }, "operations a byte"));
  const most = kernels.reduce((m, g) => Math.max(m, g.us), 1e-9);
  let chosen = null;
  kernels.forEach((g, k) => {
    const dot = shape("circle", { cx: x(xs[k]), cy: y(ys[k]), r: 3 + 5 * Math.sqrt(g.us / most), style: colour(g.colour ?? k), class: k === chosenPosition ? "chosen" : null },
      shape("title", {}, `${g.label}: ${micros(g.us)}`));
    dot.addEventListener("click", () => choose(k));
    if (k === chosenPosition) chosen = dot;
    svg.append(dot);
  });
  if (chosen) svg.append(chosen);
  const said = `${(bandwidth / 1e12).toFixed(2)} TB/s, ${(flops / 1e12).toFixed(0)} TFLOP/s, ${launch_us} µs a launch`;
  return [element("h2", {}, "Roofline ", element("small", {}, said)), svg];
}
const power = (p) => p >= -2 && p <= 3 ? String(10 ** p) : `1e${p}`;
const rateText = (p) => p >= 12 ? `${10 ** (p - 12)} T` : p >= 9 ? `${10 ** (p - 9)} G` : p >= 6 ? `${10 ** (p - 6)} M` : `1e${p}`;
