// One line a graph. Of each strategy one number is shown, and the least of a line is marked.
const NUMBERS = { predicted_us: ["predicted time", micros], bytes: ["bytes moved", bytes], launches: ["launches", String], kernels: ["kernels", String] };
const labels = [...new Set(data.graphs.flatMap((g) => g.strategies.map((s) => s.strategy)))];
const of = (graph, label) => graph.strategies.find((s) => s.strategy === label)?.[state.number];
const differ = (graph) => graph.edges ? graph.disputed / graph.edges : 0;
const COLUMNS = { graph: (g) => g.graph, times: (g) => g.times, ops: (g) => g.ops, differ,
  ...Object.fromEntries(labels.map((label) => [label, (g) => of(g, label) ?? -1])) };
const state = { sort: "", reverse: false, number: "predicted_us" };

// The address holds the order and the number: a link reopens them. Without an order the lines stand as they were given.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1)), sort = (given.get("sort") ?? "").replace(/^-/, "");
  if (sort in COLUMNS) Object.assign(state, { sort, reverse: given.get("sort").startsWith("-") });
  if (given.get("number") in NUMBERS) state.number = given.get("number");
}
function writeAddress() {
  const parts = new URLSearchParams();
  if (state.sort) parts.set("sort", `${state.reverse ? "-" : ""}${state.sort}`);
  if (state.number !== "predicted_us") parts.set("number", state.number);
  history.replaceState(null, "", `#${parts}`);
}

// Names upwards, numbers with the most first; the other way around at a second click.
function ordered() {
  if (!state.sort) return data.graphs;
  const key = COLUMNS[state.sort], way = (state.sort === "graph" ? 1 : -1) * (state.reverse ? -1 : 1);
  return [...data.graphs].sort((a, b) => way * (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

function heading(column) {
  const isOn = state.sort === column, up = (column === "graph") !== state.reverse;
  const button = element("button", { type: "button", title: "sort", "data-column": column }, column, ...(isOn ? [up ? " ↑" : " ↓"] : []));
  button.addEventListener("click", () => { Object.assign(state, { reverse: isOn && !state.reverse, sort: column }); draw(); });
  return element("th", { "aria-sort": isOn ? (up ? "ascending" : "descending") : "none" }, button);
}

function line(graph) {
  const least = Math.min(...graph.strategies.map((s) => s[state.number]));
  const cells = labels.map((label) => {
    const number = of(graph, label);
    return element("td", { class: number === least ? "least" : null }, number === undefined ? "–" : NUMBERS[state.number][1](number));
  });
  return element("tr", {}, element("td", {}, graph.graph), element("td", {}, String(graph.times)), element("td", {}, String(graph.ops)),
    element("td", {}, `${Math.round(100 * differ(graph))}%`), ...cells);
}

function draw() {
  writeAddress();
  const head = element("thead", {}, element("tr", {}, ...Object.keys(COLUMNS).map(heading)));
  $("#graphs").replaceChildren(element("table", {}, head, element("tbody", {}, ...ordered().map(line))));
}

function start() {
  $("#title").textContent = data.name;
  $("#subtitle").textContent = `${data.graphs.length} graphs`;
  bindTheme();
  readAddress();
  $("#number").replaceChildren(...Object.entries(NUMBERS).map(([value, [label]]) => element("option", { value }, label)));
  $("#number").value = state.number;
  $("#number").addEventListener("change", (event) => { state.number = event.target.value; draw(); });
  const sums = data.totals.map((t) => element("tr", {}, ...[t.strategy, `${t.graphs} of ${data.graphs.length}`, String(t.kernels), String(t.launches), bytes(t.bytes), micros(t.predicted_us), String(t.cuts)]
    .map((text) => element("td", {}, text))));
  $("#totals").replaceChildren(table(["in all", "graphs", "kernels", "launches", "moved", "predicted", "cut ops"], sums));
  const failures = data.graphs.flatMap((g) => Object.entries(g.failures).map(([who, why]) => `${who}: not asked of ${g.graph}: ${why}`));
  $("#failures").replaceChildren(...failures.map((text) => element("p", { class: "failure" }, text)));
  window.addEventListener("hashchange", () => location.reload());
  draw();
}
start();
