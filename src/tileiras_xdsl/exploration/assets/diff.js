// What a pass changed. Lines are compared without the numbers of their values and blocks, and
// without their indentation: an op that goes renumbers all that follow, which is no change.

const keys = new Map();
const keyOf = new Map();

function lineKey(index) {
  let key = keyOf.get(index);
  if (key === undefined) {
    const text = strings[index].trim().replace(/([%^])[\w$.]+(#\d+)?/g, "$1").replace(/:\d+ =/, " =");
    key = keys.get(text);
    if (key === undefined) keys.set(text, (key = keys.size));
    keyOf.set(index, key);
  }
  return key;
}

// Two lists of lines as numbers: of their text, and of their text and marks.
function matchLines(a, b) {
  const pairs = [];
  matchRange(a, 0, a.text.length, b, 0, b.text.length, pairs);
  return pairs;
}

// Finds the lines of two ranges that are the same, in order. Those that came from the same op and
// are like no other hold the rest in its place.
function matchRange(a, a0, a1, b, b0, b1, pairs) {
  while (a0 < a1 && b0 < b1 && a.text[a0] === b.text[b0]) pairs.push([a0++, b0++]);
  const tail = [];
  while (a0 < a1 && b0 < b1 && a.text[a1 - 1] === b.text[b1 - 1]) tail.push([--a1, --b1]);
  if (a0 < a1 && b0 < b1) {
    let anchors = findAnchors(a.origin, a0, a1, b.origin, b0, b1);
    if (!anchors.length) anchors = findAnchors(a.text, a0, a1, b.text, b0, b1);
    if (anchors.length) {
      let [i, j] = [a0, b0];
      for (const [p, q] of anchors) {
        matchRange(a, i, p, b, j, q, pairs);
        pairs.push([p, q]);
        [i, j] = [p + 1, q + 1];
      }
      matchRange(a, i, a1, b, j, b1, pairs);
    } else matchRepeated(a.text, a0, a1, b.text, b0, b1, pairs);
  }
  for (let i = tail.length - 1; i >= 0; i--) pairs.push(tail[i]);
}

// Lines that are there once on both sides, as many as there are in the same order.
function findAnchors(a, a0, a1, b, b0, b1) {
  const places = new Map();
  for (let j = b0; j < b1; j++) places.set(b[j], places.has(b[j]) ? -1 : j);
  const seen = new Map();
  for (let i = a0; i < a1; i++) seen.set(a[i], seen.has(a[i]) ? -1 : i);
  const piles = [];
  for (let i = a0; i < a1; i++) {
    const j = places.get(a[i]);
    if (j === undefined || j < 0 || seen.get(a[i]) < 0) continue;
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (piles[middle].pair[1] < j) low = middle + 1;
      else high = middle;
    }
    piles[low] = { pair: [i, j], before: low ? piles[low - 1] : null };
  }
  const anchors = [];
  for (let at = piles[piles.length - 1]; at; at = at.before) anchors.push(at.pair);
  return anchors.reverse();
}

const EDITS = 1000;

// The same for lines that are all there more than once: a script of fewest edits by the greedy way
// of Myers, in parts of so many edits that the time stays in proportion to the lines.
function matchRepeated(a, a0, a1, b, b0, b1, pairs) {
  const inA = new Set(a.slice(a0, a1));
  const inB = new Set(b.slice(b0, b1));
  const places = (list, from, to, other) => {
    const kept = [];
    for (let i = from; i < to; i++) if (other.has(list[i])) kept.push(i);
    return kept;
  };
  const rows = places(a, a0, a1, inB);
  const columns = places(b, b0, b1, inA);
  let [i, j] = [0, 0];
  while (i < rows.length && j < columns.length) {
    const part = editPart((x, y) => a[rows[x]] === b[columns[y]], i, rows.length, j, columns.length);
    for (const [x, y] of part.pairs) pairs.push([rows[x], columns[y]]);
    [i, j] = part.end;
  }
}

function editPart(isSame, i0, i1, j0, j1) {
  const [height, width] = [i1 - i0, j1 - j0];
  const most = Math.min(EDITS, height + width);
  const reached = new Int32Array(2 * most + 3);
  const trace = [];
  let best = null;
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reached.slice(most - edits, most + edits + 3));
    best = null;
    for (let k = -edits; k <= edits; k += 2) {
      const at = k + most + 1;
      const down = k === -edits || (k !== edits && reached[at - 1] < reached[at + 1]);
      let x = down ? reached[at + 1] : reached[at - 1] + 1;
      let y = x - k;
      while (x < height && y < width && isSame(i0 + x, j0 + y)) {
        x++;
        y++;
      }
      reached[at] = x;
      if (x <= height && y <= width && (!best || x + y > best.x + best.y)) best = { x, y, k, edits };
      if (x === height && y === width) return backtrack(trace, best, i0, j0);
    }
  }
  return backtrack(trace, best, i0, j0);
}

// The pairs on the way to a point, whose rows of furthest points are centred in the trace.
function backtrack(trace, { x, y, k, edits }, i0, j0) {
  const pairs = [];
  const end = [i0 + x, j0 + y];
  for (; edits >= 0; edits--) {
    const reached = trace[edits];
    const at = k + edits + 1;
    const down = k === -edits || (k !== edits && reached[at - 1] < reached[at + 1]);
    const startX = edits === 0 ? 0 : down ? reached[at + 1] : reached[at - 1] + 1;
    while (x > startX) pairs.push([i0 + --x, j0 + --y]);
    k += down ? 1 : -1;
    if (!down) x--;
    else y--;
  }
  return { pairs: pairs.reverse(), end };
}

// Rows of a unified diff of two documents: what went, what came, what stayed.
function diffRows(before, after) {
  const keysOf = ({ lines, marks }) => {
    const text = Array.from(lines, lineKey);
    return { text, origin: text.map((key, n) => `${key} ${marks[n]}`) };
  };
  const [a, b] = [keysOf(before), keysOf(after)];
  const rows = [];
  let [i, j] = [0, 0];
  for (const [p, q] of [...matchLines(a, b), [a.text.length, b.text.length]]) {
    const partners = pairChanges(before, i, p, after, j, q);
    const origins = new Map(Array.from(partners, ([x, y]) => [y, x]));
    const addNew = (end) => {
      for (; j < end; j++)
        rows.push({ kind: "new", b: j, text: after.lines[j], other: before.lines[origins.get(j)] ?? -1 });
    };
    // What a line has become follows it at once.
    for (; i < p; i++) {
      const partner = partners.get(i) ?? -1;
      addNew(partner);
      rows.push({ kind: "gone", a: i, text: before.lines[i], other: after.lines[partner] ?? -1 });
      addNew(partner + 1);
    }
    addNew(q);
    if (p < a.text.length) rows.push({ kind: "same", a: p, b: q, text: after.lines[q], other: -1 });
    [i, j] = [p + 1, q + 1];
  }
  return rows;
}

// Which of the lines that came is what one that went has become: one of the same origin, or the
// one in its place if as many came as went.
function pairChanges(before, i, p, after, j, q) {
  const partners = new Map();
  if (p - i === q - j) {
    for (; i < p; i++, j++) partners.set(i, j);
    return partners;
  }
  const free = new Map();
  for (let y = q - 1; y >= j; y--) {
    if (!free.has(after.marks[y])) free.set(after.marks[y], []);
    free.get(after.marks[y]).push(y);
  }
  for (let x = i; x < p; x++) {
    const y = before.marks[x] ? free.get(before.marks[x])?.pop() : undefined;
    if (y !== undefined) partners.set(x, y);
  }
  return partners;
}

const CONTEXT = 3;

// The same with long runs of what stayed folded away, but for those that were opened.
function foldRows(rows, opened) {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, at) => {
    if (row.kind !== "same")
      near.fill(1, Math.max(0, at - CONTEXT), Math.min(rows.length, at + CONTEXT + 1));
  });
  const folded = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && !near[end]) end++;
    if (end - at > 1 && !opened.has(at)) folded.push({ kind: "fold", from: at, count: end - at });
    else folded.push(...rows.slice(at, end));
    if (end < rows.length) folded.push(rows[end]);
    at = end + 1;
  }
  return folded;
}

// The part of a line that differs from another: from where to where.
function differingPart(text, other) {
  let start = 0;
  const shorter = Math.min(text.length, other.length);
  while (start < shorter && text[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && text[text.length - 1 - end] === other[other.length - 1 - end]) end++;
  return [start, text.length - end];
}
