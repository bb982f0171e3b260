// Two strategies beside each other: which is the second, and on what the two disagree.
function bindBeside() {
  $("#beside").addEventListener("change", (event) => {
    state.beside = event.target.value === "" ? null : Number(event.target.value);
    choose({ side: 0 });
  });
}
function drawBeside() {
  const others = data.strategies.map((s, i) => [String(i), `beside ${s.label}`]).filter(([i]) => Number(i) !== state.strategy);
  fillSelect($("#beside"), [["", "one strategy"], ...others], state.beside === null ? "" : String(state.beside));
}

// The edges that one of the two fuses, with what both say.
function disagreements(first, second) {
  const found = [...verdicts.keys()].map((key) => key.split("\n"))
    .filter(([a, b]) => (together(first, a, b) === undefined) !== (together(second, a, b) === undefined));
  const title = element("h2", {}, `Where ${first.label} and ${second.label} differ `, element("small", {}, `${found.length} of ${verdicts.size} edges`));
  if (!found.length) return [title, element("p", { class: "empty" }, "They fuse the same edges.")];
  return [title, element("table", {}, ...found.slice(0, 120).map(([a, b]) => disagreement(first, second, a, b)))];
}
function disagreement(first, second, a, b) {
  const link = element("button", { class: "chip", type: "button" }, `${a} → ${b}`);
  link.addEventListener("click", () => { choose({ edge: [a, b] }); if (!state.collapsed) show(b); });
  const said = verdicts.get(`${a}\n${b}`);
  const lines = [first, second].map((s) => {
    const fused = together(s, a, b) !== undefined;
    return element("p", { class: "why" }, element("b", { class: fused ? "yes" : "no" }, `${s.label}: ${fused ? "fused" : "apart"}`), ` ${said.get(s.label)?.why ?? ""}`);
  });
  return element("tr", {}, element("td", {}, link, ...lines));
}

// On paper the lists are whole, and the graph is as large as its pane.
function bindPrint() {
  const paper = (isOn) => { document.body.classList.toggle("paper", isOn); draw(); fit(); };
  window.addEventListener("beforeprint", () => paper(true));
  window.addEventListener("afterprint", () => paper(false));
}
