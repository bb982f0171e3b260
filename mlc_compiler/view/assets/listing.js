// A text of many lines: only those in sight exist, and what is indented below a line folds into it.
const LINE = 18, LONG = 3000;

class Listing {
  // `entries` are {text, number, classes, spots, kernel, click}; `name` and `note` stand above.
  constructor(name, note, entries, { folds = true } = {}) {
    this.entries = entries;
    this.name = name;
    this.ends = folds ? foldEnds(entries) : [];
    this.folded = new Set();
    this.marks = () => "";
    this.lines = element("div", { class: "lines" });
    this.text = element("div", { class: "text", tabindex: "0" }, this.lines);
    const all = element("button", { type: "button", class: "foldall" }, "fold");
    all.addEventListener("click", () => { this.foldAll(this.folded.size === 0); });
    this.root = element("section", { class: "pane", "data-level": name }, element("h2", {}, name, element("small", { title: note }, note),
      ...(this.ends.some((end) => end) ? [all] : []), copyButton(() => entries.map((entry) => entry.text).join("\n"))), this.text);
    this.text.addEventListener("scroll", () => this.draw());
    if (entries.length > LONG) this.foldAll(true);
    this.rows();
    const widest = entries.reduce((most, entry) => Math.max(most, entry.text.length), 0);
    this.lines.style.width = `${Math.min(widest, 4000) + 10}ch`;
  }
  // The positions of the entries that are not folded away.
  rows() {
    this.shown = [];
    for (let k = 0; k < this.entries.length; k = this.folded.has(k) ? this.ends[k] : k + 1) this.shown.push(k);
  }
  foldAll(folded) {
    this.folded.clear();
    if (folded) for (let k = 0; k < this.entries.length; k++) {
      const outermost = this.ends[k] && (this.entries[k].kernel || !/^\S*module/.test(this.entries[k].text));
      if (outermost) { this.folded.add(k); k = this.ends[k] - 1; }
    }
    this.rows();
    this.draw();
  }
  toggle(k) {
    if (!this.folded.delete(k)) this.folded.add(k);
    this.rows();
    this.draw();
  }
  draw() {
    drawInSight(this.text, this.lines, this.shown.length, LINE, (row) => this.line(row));
  }
  line(row) {
    const k = this.shown[row], entry = this.entries[k], end = this.ends[k], gutter = element("span", { class: "gutter" });
    if (end) {
      const fold = element("button", { type: "button", class: "fold", title: "fold" }, this.folded.has(k) ? `${end - k - 1} ▸` : "▾");
      fold.addEventListener("click", (event) => { event.stopPropagation(); this.toggle(k); });
      gutter.append(fold);
    } else gutter.append(entry.number === undefined ? "" : String(entry.number));
    let mark = this.marks(entry);
    for (let inner = k + 1; this.folded.has(k) && mark !== "lit" && inner < end; inner++) mark = this.marks(this.entries[inner]) || mark;
    const made = element("div", { class: `line ${entry.classes ?? ""} ${entry.click ? "linked" : ""} ${mark}`, style: `top:${row * LINE}px` }, gutter, entry.text);
    if (entry.click) made.addEventListener("click", () => entry.click(entry));
    return made;
  }
  // The first entry that is marked so comes in sight.
  show(mark) {
    const k = this.entries.findIndex((entry) => this.marks(entry) === mark);
    if (k < 0) return;
    let row = this.shown.findLastIndex((position) => position <= k);
    const top = row * LINE, box = this.text;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - LINE) box.scrollTop = Math.max(0, top - box.clientHeight / 3);
  }
}

// For each line that others are indented below, the first line that is not below it.
function foldEnds(entries) {
  const ends = new Array(entries.length).fill(0), open = [];
  const close = (indent, at) => {
    while (open.length && open[open.length - 1].indent >= indent) {
      const { k } = open.pop();
      if (at - k > 2) ends[k] = at;
    }
  };
  let last = 0;
  entries.forEach((entry, k) => {
    if (!entry.text.trim()) return;
    const indent = entry.text.search(/\S/);
    close(indent, last + 1);
    open.push({ indent, k });
    last = k;
  });
  close(-1, last + 1);
  return ends;
}
