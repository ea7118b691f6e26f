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

const DIFF_LIMIT = 4_000_000;

// The pairs of lines that are the same, in order.
function matchLines(a, b) {
  const pairs = [];
  matchRange(a, 0, a.length, b, 0, b.length, pairs);
  return pairs;
}

function matchRange(a, a0, a1, b, b0, b1, pairs) {
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) pairs.push([a0++, b0++]);
  const tail = [];
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) tail.push([--a1, --b1]);
  if (a0 < a1 && b0 < b1) {
    const anchors = findAnchors(a, a0, a1, b, b0, b1);
    if (anchors.length) {
      let [i, j] = [a0, b0];
      for (const [p, q] of anchors) {
        matchRange(a, i, p, b, j, q, pairs);
        pairs.push([p, q]);
        [i, j] = [p + 1, q + 1];
      }
      matchRange(a, i, a1, b, j, b1, pairs);
    } else if ((a1 - a0) * (b1 - b0) <= DIFF_LIMIT) matchTable(a, a0, a1, b, b0, b1, pairs);
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

// The longest common subsequence, by the table of those of all ends.
function matchTable(a, a0, a1, b, b0, b1, pairs) {
  const width = b1 - b0 + 1;
  const table = new Uint16Array((a1 - a0 + 1) * width);
  for (let i = a1 - 1; i >= a0; i--) {
    for (let j = b1 - 1; j >= b0; j--) {
      const at = (i - a0) * width + j - b0;
      table[at] =
        a[i] === b[j] ? table[at + width + 1] + 1 : Math.max(table[at + width], table[at + 1]);
    }
  }
  for (let i = a0, j = b0; i < a1 && j < b1; ) {
    const at = (i - a0) * width + j - b0;
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (table[at + width] >= table[at + 1]) i++;
    else j++;
  }
}

// Rows of a unified diff: what went, what came, what stayed.
function diffRows(before, after) {
  const a = Array.from(before, lineKey);
  const b = Array.from(after, lineKey);
  const rows = [];
  let [i, j] = [0, 0];
  for (const [p, q] of [...matchLines(a, b), [a.length, b.length]]) {
    const [gone, come] = [p - i, q - j];
    // Where as many lines came as went, each is shown with what it was.
    for (let k = 0; k < gone; k++)
      rows.push({ kind: "gone", a: i + k, text: before[i + k], other: gone === come ? after[j + k] : -1 });
    for (let k = 0; k < come; k++)
      rows.push({ kind: "new", b: j + k, text: after[j + k], other: gone === come ? before[i + k] : -1 });
    if (p < a.length) rows.push({ kind: "same", a: p, b: q, text: after[q], other: -1 });
    [i, j] = [p + 1, q + 1];
  }
  return rows;
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
