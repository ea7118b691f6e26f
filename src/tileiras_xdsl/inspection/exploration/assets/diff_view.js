// The view "Diff": what a pass changed, op by op. Types are hidden and lines wrapped as in the panes;
// types that a pass changed are shown.

const SIGN_COLUMNS = 14; // two line numbers and a sign
const DIFF_SIGNS = { gone: "−", new: "+", from: "<", to: ">", same: " " };
const DIFF_TICKS = { gone: "--gone-tick", new: "--new-tick", from: "--moved-tick", to: "--moved-tick" };
const isChange = (row) => row !== undefined && row.kind in DIFF_TICKS;

class DiffList extends LineList {
  constructor(place, ticks) {
    super(place, (index) => this.makePart(index), ticks);
    this.all = [];
    this.rows = []; // the rows of the diff, without what is folded
    this.parts = []; // what is shown of them: [row, part, from, to]
    this.places = []; // of each row, the first of these
    this.opened = new Set();
    this.withTypes = new Set();
    this.characters = 0;
    this.box.addEventListener("click", (event) => this.unfold(event), { capture: true });
    new ResizeObserver(() => {
      if (this.before && reading.wrap && this.columns() !== this.characters) this.refresh();
    }).observe(this.box);
  }

  columns() {
    return Math.floor(this.box.clientWidth / this.characterWidth()) - SIGN_COLUMNS - 1;
  }

  showDiff(before, after, all) {
    Object.assign(this, { before, after, all });
    this.opened = new Set();
    this.withTypes = new Set();
    this.refresh();
    this.box.scrollTop = 0;
    const first = this.rows.findIndex(isChange);
    if (first > 0) this.reveal(first);
  }

  refresh() {
    if (this.before) this.layOut();
    super.refresh();
  }

  // Which rows are shown, and in how many parts.
  layOut() {
    const isAlias = (row) => ALIAS.test(strings[row.text]);
    const end = this.all.findIndex((row) => !isAlias(row));
    const [aliases, ops] = end < 0 ? [this.all, []] : [this.all.slice(0, end), this.all.slice(end)];
    const isFound = (row) => state.query && strings[row.text].search(state.query) >= 0;
    const areShown = reading.assumes || this.opened.has(ALIASES) || !ops.some(isChange) || aliases.some(isFound);
    const fold = { kind: "fold", from: ALIASES, title: aliasTitle(aliases) };
    const head = areShown || !aliases.length ? aliases : [fold];
    this.rows = this.all.some(isChange) ? [...head, ...foldRows(ops, this.opened)] : [];
    const width = reading.wrap && this.box.clientWidth ? this.columns() : Infinity;
    this.characters = width;
    this.parts = [];
    this.places = [];
    let longest = 0;
    for (const row of this.rows) {
      this.places.push(this.parts.length);
      if (row.kind === "fold") {
        this.parts.push([row, 0]);
        continue;
      }
      row.shown = shownLine(strings[row.text], this.showsTypes(row));
      row.ranges = null;
      const rest = indentOf(row.shown.shown) + CONTINUED;
      wrapText(row.shown.shown, width).forEach(([from, to], part) => {
        this.parts.push([row, part, from, to]);
        longest = Math.max(longest, to - from + (part ? rest : 0));
      });
    }
    this.count = this.parts.length;
    this.sheet.style.height = `${this.count * ROW_HEIGHT}px`;
    const room = width === Infinity ? longest : Math.min(longest, width);
    this.sheet.style.width = `max(100%, ${Math.min(room, LONGEST) + SIGN_COLUMNS}ch)`;
  }

  showsTypes(row) {
    if (reading.types || this.withTypes.has(row.text)) return true;
    if (row.other >= 0 && typesIn(row.text) !== typesIn(row.other)) return true;
    return Boolean(state.query) && typesIn(row.text).search(state.query) >= 0;
  }

  // What differs from the line that a line became, or was.
  rangesOf(row) {
    if (row.ranges) return row.ranges;
    if (row.renamed) {
      const names = Array.from(row.shown.shown.matchAll(NAMES), ({ 0: name, index }) => [index, index + name.length, "differs"]);
      return (row.ranges = row.renamed.map((n) => names[n]).filter(Boolean));
    }
    if (row.other < 0) return (row.ranges = []);
    const other = shownLine(strings[row.other], this.showsTypes(row)).shown;
    return (row.ranges = differingParts(row.shown.shown, other).map((range) => [...range, "differs"]));
  }

  rowOf(row) {
    return this.places[row] ?? 0;
  }

  topLine() {
    const top = Math.floor(this.box.scrollTop / ROW_HEIGHT);
    return Math.max(0, this.rows.indexOf(this.parts[top]?.[0]));
  }

  makePart(index) {
    const [row, part, from, to] = this.parts[index];
    if (row.kind === "fold") {
      const fold = make("button", "row fold", { textContent: row.title ?? `⋯ ${plural(row.count, "unchanged line")}`, title: "show these lines" });
      fold.dataset.from = row.from;
      return fold;
    }
    const [document, at] = row.kind === "gone" || row.kind === "from" ? [this.before, row.a] : [this.after, row.b];
    const line = opLines(document).starts[at];
    const { shown, pieces } = row.shown;
    const rest = part ? " ".repeat(indentOf(shown) + CONTINUED) : "";
    const text = rest + shown.slice(from, to);
    const isHere = ([start, end]) => start < to && end > from;
    const place = ([start, end, kind]) => [Math.max(start, from) - from + rest.length, Math.min(end, to) - from + rest.length, kind];
    const hints = pieces.filter(isHere);
    const differing = this.rangesOf(row);
    const ranges = differing.length ? differing.filter(isHere).map(place) : queryRanges(text);
    const code = make("code");
    fillLine(code, text, document.language, [...hints.map(place), ...ranges].sort(([a], [b]) => a - b));
    code.querySelectorAll(".hint").forEach((each, n) => {
      each.title = hints[n][3];
      each.dataset.types = row.text;
    });
    for (const each of code.querySelectorAll(".type")) {
      const definition = definitionsOf(document).get(each.textContent);
      if (definition) each.title = definition;
    }
    const numberOfSide = (side, where) =>
      make("span", "number", { textContent: part || where === undefined ? "" : opLines(side).starts[where] + 1 });
    const element = make(
      "div",
      `row ${row.kind}`,
      {},
      numberOfSide(this.before, row.a),
      numberOfSide(this.after, row.b),
      make("span", "sign", { textContent: part ? " " : DIFF_SIGNS[row.kind] }),
      code,
    );
    element.dataset.line = line;
    element.origin = { document, line };
    if (sets[document.marks[line]].length) element.classList.add("op-row");
    paintRow(element);
    return element;
  }

  unfold(event) {
    const fold = event.target.closest(".fold");
    const hint = event.target.closest("[data-types]");
    if (!fold && !hint) return;
    event.stopPropagation();
    if (fold) this.opened.add(Number(fold.dataset.from));
    else this.withTypes.add(Number(hint.dataset.types));
    this.refresh();
  }
}

function aliasTitle(rows) {
  const count = (kind) => rows.filter((row) => row.kind === kind).length;
  const changes = [["gone", "−"], ["new", "+"]].flatMap(([kind, sign]) => (count(kind) ? [`${sign}${count(kind)}`] : []));
  const total = rows.length - count("gone") - count("from");
  return `⋯ ${total} alias${total === 1 ? "" : "es"}${changes.length ? `, ${changes.join(" ")}` : ""}`;
}

class Diff {
  constructor(place) {
    this.caption = make("span", "caption");
    const button = (label, title, direction) =>
      make("button", "small", { textContent: label, title, onclick: () => this.jump(direction) });
    const bar = make("div", "bar", {}, button("↑", "previous change", -1), button("↓", "next change", 1), this.caption);
    const lines = make("div", "lines");
    place.append(bar, lines);
    this.list = new DiffList(lines, () =>
      this.list.rows.flatMap((row, n) => (isChange(row) ? [[n, DIFF_TICKS[row.kind]]] : [])),
    );
    watchRows(this.list.box);
  }

  show(document) {
    const before = previousOf(document);
    const comparable = document.isStep && document.index > 0;
    const all = comparable && before.lines !== document.lines ? this.rowsOf(opLines(before), opLines(document)) : [];
    const count = (kind) => all.reduce((sum, row) => sum + (row.kind === kind ? 1 : 0), 0);
    const [gone, come, moved] = [count("gone"), count("new"), count("to")];
    const words = [`${document.name}: ${plural(come, "line")} added, ${gone} removed`, ...(moved ? [`${moved} moved`] : [])];
    this.caption.textContent = !document.isStep
      ? `${titleOf(document)} is not the result of a pass: choose a pass on the left, or view it side by side`
      : !document.index
        ? "the input; no pass has run yet"
        : gone + come + moved
          ? `${words.join(", ")} (ignoring value numbers and indentation)`
          : `${document.name} changed nothing`;
    this.list.showDiff(before, document, all);
  }

  rowsOf(before, after) {
    return markRenamed(diffRows(before, after), before, after);
  }

  jump(direction) {
    const { list } = this;
    const changes = list.parts.map(([row]) => isChange(row));
    const middle = Math.round((list.box.scrollTop + list.box.clientHeight / 3) / ROW_HEIGHT);
    let at = middle + direction;
    while (changes[at] && changes[at - direction]) at += direction;
    while (changes[at] === false) at += direction;
    if (changes[at]) list.box.scrollTop = at * ROW_HEIGHT - list.box.clientHeight / 3;
  }

  paintMarks() {
    for (const row of this.list.shown.values()) if (row.origin) paintRow(row);
  }
}
