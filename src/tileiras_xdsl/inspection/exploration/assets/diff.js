// What a pass changed. Lines are compared without the numbers of their values and blocks, and
// without their indentation: an op that goes renumbers all that follow, which is no change.

// Special registers of PTX such as `%tid.x` have no number that could change.
const NAMES = /([%^])(?!\w+\.[xyz]\b)[\w$.]+(#\d+)?/g;
const FUNCTION = /^\s*(?:define\b|(?:\.\w+\s+)*\.(?:entry|func)\b|"?(?:\w+\.)*(?:entry|func)\b)/;

const keys = new Map();
const keyOf = new Map();

function lineKey(index) {
  let key = keyOf.get(index);
  if (key === undefined) {
    const text = strings[index].trim().replace(NAMES, "$1").replace(/:\d+ =/, " =");
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

// Rows of a unified diff of two documents: what was removed, added, moved, and what stayed. `other` is
// the line that one became, or was.
function diffRows(before, after) {
  const keysOf = ({ lines, marks }) => {
    const text = Array.from(lines, lineKey);
    return { text, origin: text.map((key, n) => `${key} ${marks[n]}`) };
  };
  const [a, b] = [keysOf(before), keysOf(after)];
  const pairs = matchLines(a, b);
  const moves = findMoves(before, a, after, b, pairs);
  const arrived = new Set(moves.values());
  const rows = [];
  let [i, j] = [0, 0];
  for (const [p, q] of [...pairs, [a.text.length, b.text.length]]) {
    const partners = pairChanges(before, range(i, p).filter((x) => !moves.has(x)), after, range(j, q).filter((y) => !arrived.has(y)));
    const origins = new Map(Array.from(partners, ([x, y]) => [y, x]));
    const addNew = (end) => {
      for (; j < end; j++)
        rows.push({ kind: arrived.has(j) ? "to" : "new", b: j, text: after.lines[j], other: before.lines[origins.get(j)] ?? -1 });
    };
    // What a line has become follows it at once.
    for (; i < p; i++) {
      const partner = partners.get(i) ?? -1;
      addNew(partner);
      rows.push({ kind: moves.has(i) ? "from" : "gone", a: i, to: moves.get(i), text: before.lines[i], other: after.lines[partner] ?? -1 });
      addNew(partner + 1);
    }
    addNew(q);
    if (p < a.text.length) rows.push({ kind: "same", a: p, b: q, text: after.lines[q], other: -1 });
    [i, j] = [p + 1, q + 1];
  }
  return rows;
}

// The values and blocks of each line: what they are called, and where they first occur.
function findNames(lines) {
  const first = new Map();
  let functions = 0;
  return Array.from(lines, (index, at) => {
    if (FUNCTION.test(strings[index])) functions++;
    return Array.from(strings[index].matchAll(NAMES), ([text]) => {
      const [name, result] = text.split("#");
      const key = `${functions} ${name}`;
      if (!first.has(key)) first.set(key, at);
      return { key, result, line: first.get(key) };
    });
  });
}

// The rows of a diff, in which lines that are the same but for using other values or blocks are
// changes; `renamed` counts these. What first occurs on a line without a partner may stand for
// anything: that line is a change of its own.
function markRenamed(rows, before, after) {
  const [namesA, namesB] = [findNames(before.lines), findNames(after.lines)];
  const partners = new Map(rows.flatMap(({ kind, a, b, to }) => (kind === "same" ? [[a, b]] : kind === "from" ? [[a, to]] : [])));
  const inB = new Set(partners.values());
  const [became, was] = [new Map(), new Map()];
  const [ofA, ofB] = [new Map(), new Map()];
  for (const [a, b] of [...partners].sort(([x], [y]) => x - y)) {
    const renamed = namesA[a].flatMap((x, n) => {
      const y = namesB[b][n];
      if (!partners.has(x.line) || !inB.has(y.line)) return [];
      if (!became.has(x.key)) became.set(x.key, y.key);
      if (!was.has(y.key)) was.set(y.key, x.key);
      return became.get(x.key) === y.key && was.get(y.key) === x.key && x.result === y.result ? [] : [n];
    });
    if (!renamed.length) continue;
    ofA.set(a, renamed);
    ofB.set(b, renamed);
  }
  return rows.flatMap((row) => {
    if (row.kind === "from" || row.kind === "to") return [{ ...row, renamed: row.kind === "from" ? ofA.get(row.a) : ofB.get(row.b) }];
    if (row.kind !== "same" || !ofA.has(row.a)) return [row];
    const [renamed, old] = [ofA.get(row.a), before.lines[row.a]];
    return [
      { kind: "gone", a: row.a, text: old, other: row.text, renamed },
      { kind: "new", b: row.b, text: row.text, other: old, renamed },
    ];
  });
}

const range = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);

// Which lines that are gone are elsewhere, as they were: those that came from the same op.
function findMoves(before, a, after, b, pairs) {
  const kept = [new Set(), new Set()];
  for (const [p, q] of pairs) {
    kept[0].add(p);
    kept[1].add(q);
  }
  const places = new Map();
  for (let j = b.text.length - 1; j >= 0; j--) {
    if (kept[1].has(j) || !after.marks[j]) continue;
    if (!places.has(b.origin[j])) places.set(b.origin[j], []);
    places.get(b.origin[j]).push(j);
  }
  const moves = new Map();
  for (let i = 0; i < a.text.length; i++) {
    if (kept[0].has(i) || !before.marks[i]) continue;
    const j = places.get(a.origin[i])?.pop();
    if (j !== undefined) moves.set(i, j);
  }
  return moves;
}

// The name of the op of a line, without its dialect.
const mnemonics = new Map();

function mnemonic(index) {
  if (!mnemonics.has(index)) mnemonics.set(index, /^\s*(?:[%^][^=]*=\s*)?"?(?:[\w$]+\.)*([\w$]+)/.exec(strings[index])?.[1] ?? "");
  return mnemonics.get(index);
}

// Which of the lines that were added is what one that was removed has become: one of the same
// origin, preferably an op of the same name, or the one in its place if as many were added as removed.
function pairChanges(before, gone, after, added) {
  if (gone.length === added.length) return new Map(gone.map((x, n) => [x, added[n]]));
  const partners = new Map();
  const taken = new Set();
  const byName = ({ lines, marks }, n) => `${marks[n]} ${mnemonic(lines[n])}`;
  const byOrigin = ({ marks }, n) => marks[n];
  for (const keyOf of [byName, byOrigin]) {
    const free = new Map();
    for (const y of added.filter((each) => !taken.has(each)).reverse()) {
      const key = keyOf(after, y);
      if (!free.has(key)) free.set(key, []);
      free.get(key).push(y);
    }
    for (const x of gone) {
      const y = before.marks[x] && !partners.has(x) ? free.get(keyOf(before, x))?.pop() : undefined;
      if (y === undefined) continue;
      partners.set(x, y);
      taken.add(y);
    }
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

const LEAST_COMMON = 0.3;

// The parts of a line, from where to where, that are not in another; by words, whatever values are
// called and however far it is indented. None if little is the same: what would be marked is the line.
function differingParts(text, other) {
  const split = (line) => line.match(/[%^][\w$.]+(?:#\d+)?|\w+|\s+|[^\w\s]/g) ?? [];
  const [words, others] = [split(text.trimStart()), split(other.trimStart())];
  const key = (word) => (/^[%^]\w/.test(word) ? word[0] : word.trim() || " ");
  const [a, b] = [words.map(key), others.map(key)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  // The longest common subsequence of what is between: lengths from each place to the end.
  const [height, width] = [endA - start, endB - start];
  const table = Array.from({ length: height + 1 }, () => new Uint16Array(width + 1));
  for (let i = height - 1; i >= 0; i--)
    for (let j = width - 1; j >= 0; j--)
      table[i][j] = a[start + i] === b[start + j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const isCommon = a.map((_, n) => n < start || n >= endA);
  for (let [i, j] = [0, 0]; i < height && j < width; )
    if (a[start + i] === b[start + j]) [isCommon[start + i], i, j] = [true, i + 1, j + 1];
    else if (table[i + 1][j] >= table[i][j + 1]) i++;
    else j++;
  const letters = (list) => list.reduce((sum, word) => sum + (/^\w/.test(word) ? word.length : 0), 0);
  const common = letters(a.filter((_, n) => isCommon[n]));
  if (common < LEAST_COMMON * Math.max(letters(a), letters(b))) return [];
  const parts = [];
  let at = text.length - text.trimStart().length;
  words.forEach((word, n) => {
    if (!isCommon[n]) {
      if (parts.length && parts[parts.length - 1][1] === at) parts[parts.length - 1][1] += word.length;
      else parts.push([at, at + word.length]);
    }
    at += word.length;
  });
  return parts;
}
