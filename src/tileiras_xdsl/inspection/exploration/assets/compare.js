// Two programs side by side. A document is a list of numbers of strings; a pair is what a pass left
// of A and of B, whose documents are compared when they are looked at.

let strings = [];
let documents = [];
let pairs = [];
let shown = null; // the number of the pair on show
let layout = { key: "", rows: [], parts: [], places: [], longest: [0, 0] }; // what is shown of it
let opened = new Set(); // the folds that were opened
let withTypes = new Set(); // the rows whose types were asked for
let lists = [];

const find = (selector) => document.querySelector(selector);
const textOf = (document, line) => strings[document.lines[line]];
const SIDES = ["A", "B"];
const NUMBER_COLUMNS = 9;
const isAlike = (pair) => pair.status === "same" || pair.status === "target";

// Lines of both sides beside each other, one for each op: those that are the same, those that became
// others, and those that only one side has. Aliases are compared with aliases.
function alignedRows(a, b) {
  const sides = [a, b].map((each) => (each ? opLines(each) : { lines: [], marks: [] }));
  const heads = sides.map(({ lines }) => {
    const end = lines.findIndex((line) => !ALIAS.test(strings[line]));
    return end < 0 ? lines.length : end;
  });
  const part = (from, to) => {
    const [before, after] = sides.map(({ lines, marks }, n) => ({ lines: lines.slice(from[n], to[n]), marks: marks.slice(from[n], to[n]) }));
    const place = (at, n) => (at === undefined ? undefined : at + from[n]);
    const found = [];
    const unified = diffRows(before, after);
    for (let n = 0; n < unified.length; n++) {
      const [row, next] = [unified[n], unified[n + 1]];
      const isPair = row.kind === "gone" && row.other >= 0 && next?.kind === "new" && next.other >= 0;
      if (isPair) n++;
      found.push({ kind: isPair ? "changed" : row.kind, a: place(row.a, 0), b: place(isPair ? next.b : row.b, 1) });
    }
    return found;
  };
  return { aliases: part([0, 0], heads), ops: part(heads, sides.map(({ lines }) => lines.length)) };
}

const isChange = (row) => row !== undefined && row.kind !== "same" && row.kind !== "fold";

// The numbers of the strings of a row, of both sides.
function stringsOf({ a, b }) {
  const pair = pairs[shown];
  return [a === undefined ? -1 : opLines(pair.a).lines[a], b === undefined ? -1 : opLines(pair.b).lines[b]];
}

// Types are hidden as in the report; those that differ are shown.
function showsTypes(row) {
  if (!pairs[shown].is_step || reading.types || withTypes.has(row)) return true;
  const [a, b] = stringsOf(row);
  return row.kind === "changed" && typesIn(a) !== typesIn(b);
}

// Which rows are shown, and what of them on both sides, which have as many parts as the longer one.
function layOut() {
  const pair = pairs[shown];
  const width = reading.wrap && pair.is_step && lists[0].box.clientWidth ? Math.min(...lists.map((list) => list.columns())) : Infinity;
  const key = [shown, ...Object.values(reading), width, opened.size, withTypes.size].join();
  if (key === layout.key) return;
  const { aliases, ops } = pair.rows;
  const isOneSided = !pair.a || !pair.b;
  const areShown = reading.assumes || opened.has(ALIASES) || !ops.some(isChange) || !aliases.length;
  const count = (side) => aliases.filter((row) => row[side] !== undefined).length;
  const title = `⋯ aliases: ${isOneSided ? aliases.length : `${count("a")} in A, ${count("b")} in B`}${aliases.some(isChange) ? "" : ", identical"}`;
  const head = areShown ? aliases : [{ kind: "fold", from: ALIASES, title }];
  const isFolded = !isOneSided && [...aliases, ...ops].some(isChange);
  const rows = [...head, ...(isFolded ? foldRows(ops, opened) : ops)];
  const parts = [];
  const places = [];
  const longest = [0, 0];
  for (const row of rows) {
    places.push(parts.length);
    if (row.kind === "fold") {
      parts.push([row, 0]);
      continue;
    }
    const types = showsTypes(row);
    row.sides = stringsOf(row).map((index, side) => {
      if (index < 0) return null;
      const text = pair.is_step ? shownLine(strings[index], types) : { shown: strings[index], pieces: [] };
      const rest = indentOf(text.shown) + CONTINUED;
      const ranges = wrapText(text.shown, width);
      ranges.forEach(([from, to], part) => (longest[side] = Math.max(longest[side], to - from + (part ? rest : 0))));
      return { ...text, ranges };
    });
    const most = Math.max(...row.sides.map((each) => each?.ranges.length ?? 0));
    for (let part = 0; part < most; part++) parts.push([row, part]);
  }
  layout = { key, rows, parts, places, longest };
}

// The lines of one side; rows are those of the layout.
class SideList extends LineList {
  constructor(place, side) {
    super(
      place,
      (index) => makeRow(side, ...layout.parts[index]),
      () => layout.rows.flatMap((row, at) => (isChange(row) ? [[at, side ? "--new-tick" : "--gone-tick"]] : [])),
    );
    this.side = side;
    new ResizeObserver(() => {
      if (shown !== null && this.box.clientWidth) refreshLists();
    }).observe(this.box);
  }

  columns() {
    return Math.floor(this.box.clientWidth / this.characterWidth()) - NUMBER_COLUMNS;
  }

  refresh() {
    layOut();
    this.key = layout.key;
    this.count = layout.parts.length;
    this.sheet.style.height = `${this.count * ROW_HEIGHT}px`;
    this.sheet.style.width = `max(100%, ${Math.min(layout.longest[this.side], LONGEST) + NUMBER_COLUMNS - 1}ch)`;
    super.refresh();
  }

  rowOf(row) {
    return layout.places[row] ?? 0;
  }

  topLine() {
    return Math.max(0, layout.rows.indexOf(layout.parts[Math.floor(this.box.scrollTop / ROW_HEIGHT)]?.[0]));
  }
}

// Those that no longer show what they should.
function refreshLists() {
  layOut();
  for (const list of lists) if (list.key !== layout.key) list.refresh();
}

function makeRow(side, row, part) {
  if (row.kind === "fold") {
    const title = row.title ?? `⋯ ${plural(row.count, "identical line")}`;
    const fold = make("button", "row fold", { textContent: side ? "" : title, title: "show these lines" });
    fold.onclick = () => {
      opened.add(row.from);
      refreshLists();
    };
    return fold;
  }
  const own = row.sides[side];
  if (!own) return make("div", "row none");
  const kind = row.kind === "same" ? "same" : side ? "new" : "gone";
  const range = own.ranges[part];
  if (!range) return make("div", `row ${kind}`);
  const [from, to] = range;
  const pair = pairs[shown];
  const rest = part ? " ".repeat(indentOf(own.shown) + CONTINUED) : "";
  const isHere = ([start, end]) => start < to && end > from;
  const place = ([start, end, name]) => [Math.max(start, from) - from + rest.length, Math.min(end, to) - from + rest.length, name];
  const hints = own.pieces.filter(isHere);
  if (!own.differs) {
    const other = row.kind === "changed" ? row.sides[1 - side].shown : null;
    own.differs = other === null ? [] : differingParts(own.shown, other).map((each) => [...each, "differs"]);
  }
  const code = make("code");
  const marked = [...hints, ...own.differs.filter(isHere)].map(place);
  fillLine(code, rest + own.shown.slice(from, to), pair.language, marked.sort(([a], [b]) => a - b));
  code.querySelectorAll(".hint").forEach((each, n) => {
    each.title = hints[n][3];
    each.onclick = () => {
      withTypes.add(row);
      refreshLists();
    };
  });
  const document = side ? pair.b : pair.a;
  for (const each of code.querySelectorAll(".type")) {
    const definition = pair.is_step && definitionsOf(document).get(each.textContent);
    if (definition) each.title = definition;
  }
  const line = opLines(document).starts[side ? row.b : row.a] + 1;
  const element = make("div", `row ${kind}`, {}, make("span", "number", { textContent: part ? "" : line }), code);
  element.dataset.line = line;
  return element;
}

function show(index, remember = true) {
  shown = index;
  opened = new Set();
  withTypes = new Set();
  const pair = pairs[index];
  pair.rows ??= alignedRows(pair.a, pair.b);
  const all = [...pair.rows.aliases, ...pair.rows.ops];
  const count = (kinds) => all.filter((row) => kinds.includes(row.kind)).length;
  const [gone, come] = [count(["gone", "changed"]), count(["new", "changed"])];
  find("#caption").textContent = !pair.a
    ? `${pair.name} runs for B only`
    : !pair.b
      ? `${pair.name} runs for A only`
      : gone + come
        ? `${pair.label}: ${gone} ${gone === 1 ? "line" : "lines"} only in A, ${come} only in B (ignoring value numbers)`
        : `${pair.label}: A and B are identical`;
  for (const button of find("#passes").querySelectorAll(".pass"))
    button.setAttribute("aria-current", Number(button.dataset.pair) === index);
  setView("lines");
  for (const list of lists) list.box.scrollTop = 0;
  const first = layout.rows.findIndex(isChange);
  if (first > 0) lists[0].reveal(first);
  if (remember) history.replaceState(null, "", `#pass=${encodeURIComponent(pair.key)}`);
}

function jump(direction) {
  const changes = layout.parts.map(([row]) => isChange(row));
  const { box } = lists[0];
  let at = Math.round((box.scrollTop + box.clientHeight / 3) / ROW_HEIGHT) + direction;
  while (changes[at] && changes[at - direction]) at += direction;
  while (changes[at] === false) at += direction;
  if (changes[at]) box.scrollTop = at * ROW_HEIGHT - box.clientHeight / 3;
}

function showPasses() {
  const list = find("#passes");
  let stage = "";
  pairs.forEach((pair, n) => {
    if (pair.stage !== stage) {
      stage = pair.stage;
      list.append(make("li", "stage", { textContent: stage }));
    }
    const ops = (each) => make("span", "ops", { textContent: each?.ops ?? "" });
    const button = make(
      "button",
      "pass compared",
      { onclick: () => show(n), title: `${pair.label}: ${pair.status === "target" ? "differs only in the target" : pair.status}` },
      make("span", "name", { textContent: pair.name }),
      ops(pair.a),
      ops(pair.b),
      make("span", "status", { textContent: pair.status === "same" ? "=" : pair.status }),
    );
    button.dataset.pair = n;
    button.classList.toggle("unchanged", isAlike(pair));
    button.classList.toggle("differs", !isAlike(pair));
    list.append(make("li", "", {}, button));
  });
  list.addEventListener("keydown", (event) => {
    const next = shown + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0);
    if (next === shown || !pairs[next]) return;
    event.preventDefault();
    show(next);
    list.querySelector(`[data-pair="${next}"]`).focus();
  });
}

function showCost({ head, rows: lines, note }) {
  const table = make("table");
  const row = (tag, cells) => make("tr", "", {}, ...cells.map((text) => make(tag, "", { textContent: text })));
  table.append(make("thead", "", {}, row("th", head)));
  const body = make("tbody");
  for (const cells of lines) {
    const line = row("td", cells);
    line.classList.toggle("differs", cells[1] !== cells[2]);
    body.append(line);
  }
  table.append(body);
  find("#cost").append(lines.length ? table : "At least one of the programs failed to compile.", make("p", "note", { textContent: note }));
}

function setView(view) {
  find("#pair").hidden = view !== "lines";
  find("#cost").hidden = view !== "cost";
  for (const button of find("#views").children)
    button.setAttribute("aria-pressed", button.dataset.view === view);
  if (view === "lines") refreshLists();
}

function followTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const paint = () => {
    const theme = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    find("#theme").textContent = theme === "dark" ? "light" : "dark";
    for (const list of lists) list.paintRuler();
  };
  dark.addEventListener("change", paint);
  find("#theme").onclick = () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    paint();
  };
  paint();
}

function fromAddress() {
  const key = new URLSearchParams(location.hash.slice(1)).get("pass");
  const at = pairs.findIndex((pair) => pair.key === key);
  return at >= 0 ? at : null;
}

async function start() {
  const data = JSON.parse(await unpack(find("#data").textContent.trim()));
  strings = data.strings.split("\n");
  documents = data.documents.map((lines) => ({ lines: undelta(lines) }));
  // Without marks, lines are told apart by their text.
  for (const each of documents) each.marks = new Int32Array(each.lines.length);
  const side = (given, isStep) => given && { ...documents[given.document], ops: given.ops, isStep };
  pairs = data.pairs.map((pair) => ({
    ...pair,
    a: side(pair.a, pair.is_step),
    b: side(pair.b, pair.is_step),
    key: pair.is_step ? `${pair.stage}/${pair.name}` : pair.name,
    label: pair.is_step ? (pair.name === "read" ? "as read" : `after ${pair.name}`) : pair.name,
    language: pair.is_step ? "mlir" : "code",
  }));
  data.titles.forEach((title, n) =>
    find("#titles").append(make("span", `side-${n}`, {}, make("b", "", { textContent: SIDES[n] }), title)),
  );
  find("#first").textContent = data.first;
  lists = ["#side-a", "#side-b"].map((place, side) => new SideList(find(place), side));
  prepareReading(lists);
  // A side that has followed the other one says so later, when the other may have moved on.
  const followed = [null, null];
  lists.forEach((list, n) =>
    list.box.addEventListener("scroll", () => {
      const other = lists[1 - n].box;
      const top = list.box.scrollTop;
      const follows = top === followed[n];
      followed[n] = null;
      if (follows || Math.abs(other.scrollTop - top) <= 1) return;
      other.scrollTop = top;
      followed[1 - n] = other.scrollTop;
    }),
  );
  followTheme();
  showPasses();
  showCost(data.cost);
  for (const button of find("#views").children) button.onclick = () => setView(button.dataset.view);
  find("#before").onclick = () => jump(-1);
  find("#next").onclick = () => jump(1);
  const first = pairs.findIndex((pair) => !isAlike(pair));
  show(fromAddress() ?? Math.max(0, first), false);
  addEventListener("hashchange", () => fromAddress() !== null && show(fromAddress(), false));
  find("#loading").remove();
  document.body.dataset.ready = performance.now().toFixed(0);
}

start().catch((error) => {
  find("#loading").textContent = `This comparison cannot be shown: ${error.message}`;
  throw error;
});
