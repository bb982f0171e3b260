// The address holds what is chosen: a link reopens it. `#1` alone is the second graph.
const inAddress = () => new URLSearchParams(/^#\d+$/.test(location.hash) ? `graph=${location.hash.slice(1)}` : location.hash.slice(1));

function graphOfAddress(count) {
  return Math.min(Number(inAddress().get("graph")) || 0, count - 1);
}

function readAddress() {
  const given = inAddress(), place = (key) => data.strategies.findIndex((s) => s.label === given.get(key));
  state.strategy = Math.max(0, place("strategy"));
  state.beside = place("beside") >= 0 && place("beside") !== state.strategy ? place("beside") : null;
  state.side = state.beside !== null && given.get("side") === "1" ? 1 : 0;
  const kernel = given.has("kernel") ? Number(given.get("kernel")) - 1 : -1;
  state.kernel = kernel in current().groups ? kernel : null;
  state.op = views.has(given.get("op")) ? given.get("op") : null;
  const edge = (given.get("edge") ?? "").split(">");
  state.edge = edge.length === 2 && edge.every((name) => views.has(name)) ? edge : null;
  state.tab = given.get("tab") ?? state.tab;
  const order = (given.get("order") ?? "launch").replace(/^-/, "");
  if (order in ORDERS) Object.assign(state, { order, reverse: (given.get("order") ?? "").startsWith("-") });
  state.wide = given.has("wide");
  if (given.has("only")) state.collapsed = given.get("only") === "kernels";
}

function writeAddress() {
  const parts = new URLSearchParams();
  const put = (key, value, usual) => { if (value !== usual && value !== null) parts.set(key, value); };
  put("graph", String(chosenGraph), "0");
  put("strategy", data.strategies[state.strategy].label, data.strategies[0].label);
  put("beside", state.beside === null ? null : data.strategies[state.beside].label);
  put("side", String(state.side), "0");
  put("kernel", state.kernel === null ? null : String(state.kernel + 1));
  put("op", state.op);
  put("edge", state.edge === null ? null : state.edge.join(">"));
  put("tab", state.tab, "ir");
  put("order", `${state.reverse ? "-" : ""}${state.order}`, "launch");
  put("wide", state.wide ? "1" : null);
  put("only", state.collapsed ? "kernels" : "ops", data.graph.ops.length > MANY_OPS ? "kernels" : "ops");
  history.replaceState(null, "", `#${parts}`);
}
