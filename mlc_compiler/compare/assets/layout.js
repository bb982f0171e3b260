// Layers by longest path, order by barycentre, then places: after Sugiyama. Boxes are {id, w, h}, links [from, to].
// A link over a few layers gets a bend in each of them, so that it does not run behind boxes.
function layered(given, links) {
  const GAP_X = 18, GAP_Y = 44, LONGEST = 12, MOST_BENDS = 4000;
  const neighbours = (boxes, pairs) => {
    const after = new Map(boxes.map((b) => [b.id, []])), before = new Map(boxes.map((b) => [b.id, []]));
    for (const [a, b] of pairs) { after.get(a).push(b); before.get(b).push(a); }
    return { after, before };
  };
  const plain = neighbours(given, links);
  const layer = layersOf(given, plain.before, plain.after);
  const boxes = [...given], pieces = [], bends = links.map(() => []);
  let count = 0;
  links.forEach(([a, b], i) => {
    const from = layer.get(a), to = layer.get(b);
    let last = a;
    if (to - from > 1 && to - from <= LONGEST && count < MOST_BENDS) {
      for (let at = from + 1; at < to; at++) {
        const id = `bend ${count++}`;
        boxes.push({ id, w: 6, h: 0 });
        layer.set(id, at);
        bends[i].push(id);
        pieces.push([last, id]);
        last = id;
      }
    }
    pieces.push([last, b]);
  });
  const { after, before } = neighbours(boxes, pieces);
  const rows = [];
  for (const box of boxes) (rows[layer.get(box.id)] ??= []).push(box);
  for (let i = 0; i < rows.length; i++) rows[i] ??= [];
  const place = new Map();
  for (const row of rows) pack(row, place, GAP_X, null);
  for (let sweep = 0; sweep < 10; sweep++) {
    const down = sweep % 2 === 0;
    const order = down ? rows : [...rows].reverse();
    for (const row of order) {
      const wish = (box) => {
        const near = (down ? before : after).get(box.id);
        return near.length ? near.reduce((sum, id) => sum + place.get(id), 0) / near.length : place.get(box.id);
      };
      const wishes = new Map(row.map((box) => [box.id, wish(box)]));
      row.sort((p, q) => wishes.get(p.id) - wishes.get(q.id));
      pack(row, place, GAP_X, wishes);
    }
  }
  straighten(rows, place);
  return { bends, ...inColumns(rows, place, GAP_Y) };
}

// A long graph drifts sideways; what its rows lean to over a few screens is taken back.
function straighten(rows, place) {
  const NEAR = 8;
  const centres = rows.map((row) => (row.length ? row.reduce((sum, b) => sum + place.get(b.id), 0) / row.length : null));
  for (let i = 1; i < rows.length; i++) centres[i] ??= centres[i - 1];
  const sums = [0];
  for (const centre of centres) sums.push(sums[sums.length - 1] + (centre ?? 0));
  rows.forEach((row, i) => {
    const first = Math.max(0, i - NEAR), last = Math.min(rows.length, i + NEAR + 1);
    const lean = (sums[last] - sums[first]) / (last - first);
    for (const box of row) place.set(box.id, place.get(box.id) - lean);
  });
}

// Rows from top to bottom; a graph much taller than wide goes on in columns, as text does.
function inColumns(rows, place, gap) {
  const SHAPE = 1.15, SHORT = 24, MOST = rows.length > SHORT ? 40 : 1;
  const talls = rows.map((row) => Math.max(0, ...row.map((b) => b.h)) + gap);
  let best = null;
  for (let count = 1; count <= Math.min(MOST, rows.length); count++) {
    const tried = cutInto(count, rows, place, talls);
    const off = Math.abs(Math.log(tried.width / tried.height / SHAPE));
    if (!best || off < best.off) best = { ...tried, off };
    if (tried.width > tried.height * SHAPE) break;
  }
  const at = new Map();
  for (const { box, x, y, tall } of best.boxes) at.set(box.id, { x, y: y + (tall - gap) / 2, w: box.w, h: box.h });
  return { at, left: 0, width: best.width, height: Math.max(1, best.height - gap) };
}

// The rows in `count` columns of about one height, each as wide as what stands in it.
function cutInto(count, rows, place, talls) {
  const GUTTER = 90;
  const limit = talls.reduce((sum, t) => sum + t, 0) / count;
  const boxes = [];
  let x = 0, y = 0, first = 0, height = 0;
  for (let i = 0; i <= rows.length; i++) {
    if (i === rows.length || y >= limit) {
      const members = rows.slice(first, i).flat();
      const left = members.reduce((m, b) => Math.min(m, place.get(b.id) - b.w / 2), Infinity);
      const right = members.reduce((m, b) => Math.max(m, place.get(b.id) + b.w / 2), -Infinity);
      for (const entry of boxes) if (entry.column === first) entry.x = place.get(entry.box.id) - left + x;
      x += Math.max(1, right - left) + GUTTER;
      height = Math.max(height, y);
      first = i;
      y = 0;
    }
    if (i < rows.length) for (const box of rows[i]) boxes.push({ box, column: first, x: 0, y, tall: talls[i] });
    y += talls[i] ?? 0;
  }
  return { boxes, width: x - GUTTER, height };
}

// A box stands under all it reads, and right above its first reader.
function layersOf(boxes, before, after) {
  const layer = new Map(), waiting = new Map(boxes.map((b) => [b.id, before.get(b.id).length]));
  const work = boxes.filter((b) => !waiting.get(b.id)).map((b) => b.id);
  for (const id of work) layer.set(id, 0);
  for (let i = 0; i < work.length; i++) {
    const id = work[i];
    for (const next of after.get(id)) {
      layer.set(next, Math.max(layer.get(next) ?? 0, layer.get(id) + 1));
      waiting.set(next, waiting.get(next) - 1);
      if (waiting.get(next) === 0) work.push(next);
    }
  }
  for (const box of boxes) if (!layer.has(box.id)) layer.set(box.id, 0); // kernels that need each other: only an emulation's fault
  for (const id of work.reverse()) {
    const next = after.get(id);
    if (next.length) layer.set(id, Math.max(layer.get(id), Math.min(...next.map((n) => layer.get(n))) - 1));
  }
  return layer;
}

// Places of a row in its order: each box as near to its wish as its neighbours allow.
function pack(row, place, gap, wishes) {
  const wish = row.map((box) => (wishes ? wishes.get(box.id) : 0));
  const apart = (i) => (row[i - 1].w + row[i].w) / 2 + gap;
  const fromLeft = [], fromRight = [];
  row.forEach((_, i) => { fromLeft[i] = i ? Math.max(wish[i], fromLeft[i - 1] + apart(i)) : wish[i]; });
  for (let i = row.length - 1; i >= 0; i--) {
    fromRight[i] = i < row.length - 1 ? Math.min(wish[i], fromRight[i + 1] - apart(i + 1)) : wish[i];
  }
  row.forEach((box, i) => place.set(box.id, (fromLeft[i] + fromRight[i]) / 2));
}
