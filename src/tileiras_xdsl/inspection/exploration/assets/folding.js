// IR as one reads it: types, long signatures, assumptions and the definitions of aliases are folded
// away, and lines fit the pane, unless one asks for them. The same is in xdsl_extras/reading.py, for
// notebooks and terminals.

const reading = { types: false, assumes: false, wrap: true };
const CONTINUED = 4; // by how much the rest of a line is indented; a region is indented by less
const MIN_FOLDED = 3;
const MAX_PARAMETERS = 8; // more of them are folded
const MAX_STRING = 80;
const MIN_COLUMNS = 24;
const MAX_CHIP = 58; // characters of code that a remark takes at most
const CHIP_SPACE = 3;
const CHIP_SCALE = 1.1; // how many characters of a remark take the place of one of code
const TYPE = /!?[A-Za-z_][\w$.]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const ASSUME = /^\s*(%[\w$.-]+) = (\w+\.assume)\b/;
const SIGNATURE = /^\s*[\w.]+\.(?:entry|func)\b[^@]*@[\w$.-]+(?=\()/;
const NESTING = /["([{<)\]}]|(?<!-)>| : | -> /g; // what the search for types stops at
const ALIAS = /^[!#]\w+ = /;
const ALIASES = -1; // in a diff, the fold of all aliases

const indentOf = (text) => text.length - text.trimStart().length;

// Where the types of operands and results stand in the line of an op: after a colon or an arrow
// outside of all brackets.
function findTypes(text) {
  const found = [];
  if (ALIAS.test(text)) return found;
  let depth = 0;
  NESTING.lastIndex = 0;
  for (let match; (match = NESTING.exec(text)); ) {
    const at = match.index;
    const character = match[0];
    if (character === '"') {
      STRING.lastIndex = at;
      if (STRING.test(text)) NESTING.lastIndex = STRING.lastIndex;
    } else if (character[0] === " ") {
      // The second blank may begin the next one.
      NESTING.lastIndex = at + character.length - 1;
      const end = depth ? null : skipTypes(text, at + character.length);
      if (end === null) continue;
      found.push([at, end]);
      NESTING.lastIndex = end;
    } else if ("([{<".includes(character)) depth++;
    else depth--;
  }
  return found;
}

function skipTypes(text, at) {
  let end = skipType(text, at);
  while (end !== null) {
    const separator = [", ", " -> ", " to "].find((each) => text.startsWith(each, end));
    const next = separator === undefined ? null : skipType(text, end + separator.length);
    if (next === null || text.startsWith(" = ", next)) return end;
    end = next;
  }
  return null;
}

function skipType(text, at) {
  if (text[at] !== "(") {
    TYPE.lastIndex = at;
    if (!TYPE.test(text)) return null;
    at = TYPE.lastIndex;
    if (text[at] !== "<") return at;
  }
  let depth = 0;
  for (let end = at; end < text.length; end++) {
    if ("([{<".includes(text[end])) depth++;
    else if (")]}".includes(text[end]) || (text[end] === ">" && text[end - 1] !== "-")) {
      if (!--depth) return end + 1;
    }
  }
  return null;
}

// What of a line is not shown, with what stands for it: types, and parameters if there are many.
function findHidden(text) {
  const hidden = findTypes(text).map(([from, to]) => [from, to, " …"]);
  const from = SIGNATURE.exec(text)?.[0].length;
  const to = from === undefined ? null : skipType(text, from);
  if (to === null) return hidden;
  const count = text.slice(from + 1, to - 1).match(/%[\w$.-]+(?=: )/g)?.length ?? 0;
  return count > MAX_PARAMETERS ? [[from + 1, to - 1, `⋯ ${count} parameters`], ...hidden] : hidden;
}

// The lines of a document that do not continue the one before them, and for all lines which of
// these they belong to.
function startsOf(document) {
  if (document.starts) return document.starts;
  const starts = [];
  let indent = 0;
  for (let line = 0; line < document.lines.length; line++) {
    const text = textOf(document, line);
    const isRest = document.isStep && starts.length && text.trim() && indentOf(text) >= indent + CONTINUED;
    if (isRest) continue;
    starts.push(line);
    indent = indentOf(text);
  }
  return (document.starts = starts);
}

// The same for one line, without a look at all others.
function wholeText(document, line) {
  if (!document.isStep) return textOf(document, line);
  const least = indentOf(textOf(document, line)) + CONTINUED;
  let end = line + 1;
  const isRest = (text) => text.trim() && indentOf(text) >= least;
  while (end < document.lines.length && isRest(textOf(document, end))) end++;
  return wholeLine(document, line, end);
}

// All of a line that was broken when it was printed.
function wholeLine(document, line, end) {
  let text = textOf(document, line);
  for (let at = line + 1; at < end; at++) text += ` ${textOf(document, at).trim()}`;
  return text;
}

// A document with a line for each op, as one string even where it was printed on several.
function opLines(document) {
  if (!document.opLines) {
    const starts = startsOf(document);
    const lines = starts.map((line, n) => {
      const end = starts[n + 1] ?? document.lines.length;
      return end === line + 1 ? document.lines[line] : strings.push(wholeLine(document, line, end)) - 1;
    });
    document.opLines = { starts, lines, marks: starts.map((line) => document.marks[line]) };
  }
  return document.opLines;
}

const knownTypes = new Map();

// What is not shown of a line, by the number of its string.
function typesIn(index) {
  const text = strings[index];
  if (!knownTypes.has(index)) knownTypes.set(index, findHidden(text).map(([from, to]) => text.slice(from, to)).join());
  return knownTypes.get(index);
}

// What is shown of a line: its text, and which parts stand for others: [from, to, class, text].
function shownLine(whole, withTypes) {
  const text = whole.length > MAX_STRING ? shortenStrings(whole) : whole;
  const pieces = [];
  let shown = "";
  let at = 0;
  const add = (until) => {
    shown += text.slice(at, until);
    at = until;
  };
  for (const [from, to, title] of withTypes ? [] : findHidden(text)) {
    add(from);
    const place = shown.length + title.search(/\S/);
    pieces.push([place, place + 1, "hint", text.slice(from, to).trim()]);
    shown += title;
    at = to;
  }
  add(text.length);
  return { shown, pieces };
}

// Of bytes of constants the first are shown.
function shortenStrings(text) {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (each) => (each.length > MAX_STRING ? `${each.slice(0, MAX_STRING / 2)}…"` : each));
}

// Pieces of a text that are not longer than a width: broken after commas or at blanks, and within
// words that do not fit, after a bracket or before a dot.
function wrapText(text, width) {
  const parts = [];
  let from = 0;
  const rest = " ".repeat(indentOf(text) + CONTINUED);
  let room = Math.max(width, MIN_COLUMNS);
  while (text.length - from > room) {
    let at = text.lastIndexOf(", ", from + room - 1) + 1;
    if (at - from < room / 2) at = text.lastIndexOf(" ", from + room);
    if (at - from < room / 4 || at - from <= indentOf(text)) at = breakWord(text, from, room);
    parts.push([from, at]);
    from = text[at] === " " ? at + 1 : at;
    room = Math.max(width - rest.length, MIN_COLUMNS);
  }
  parts.push([from, text.length]);
  return parts;
}

function breakWord(text, from, room) {
  for (let at = from + room; at > from + room / 2; at--) if (text[at] === "." || "(<[=".includes(text[at - 1])) return at;
  return from + room;
}

// A list of the lines of a document. From outside, rows are known by the numbers of their lines;
// what a line is continued by has numbers between them.
class FoldedList extends LineList {
  constructor(place, makeLine, ticks) {
    super(place, (index) => this.makeFoldedRow(index), ticks);
    this.makeLine = makeLine;
    this.rows = [];
    this.places = new Int32Array(0);
    this.characters = 0;
    this.box.addEventListener("click", (event) => this.unfold(event), { capture: true });
    new ResizeObserver(() => {
      if (this.document && reading.wrap && this.columns() !== this.characters) this.refresh();
    }).observe(this.box);
  }

  columns() {
    const sign = this.document?.language === "python" ? 2 : 0;
    const cost = isCostShown && this.document?.costs ? COST_COLUMNS : 0;
    const control = this.document?.control ? controlWidth(this.document) : 0;
    return Math.floor(this.box.clientWidth / this.characterWidth()) - 9 - sign - cost - control;
  }

  showDocument(document) {
    if (document !== this.document) this.opened = new Set();
    this.document = document;
    this.refresh();
  }

  refresh() {
    if (this.document) this.fold();
    super.refresh();
  }

  // Makes the rows: [line, part, from, to] of what is shown of it, or [line, -1, title].
  fold() {
    const { document } = this;
    const starts = startsOf(document);
    const isPython = document.language === "python";
    const isWrapped = reading.wrap && (document.isStep || isPython || document.control) && this.box.clientWidth;
    const width = isWrapped ? this.columns() : Infinity;
    this.characters = width;
    this.rows = [];
    this.texts = new Map();
    this.places = new Int32Array(document.lines.length);
    let longest = 0;
    for (let n = 0; n < starts.length; n++) {
      const line = starts[n];
      const folded = this.foldFrom(starts, n);
      const end = starts[n + Math.max(folded.count, 1)] ?? document.lines.length;
      this.places.fill(this.rows.length, line, end);
      if (folded.count) {
        this.rows.push([line, -1, folded.title]);
        n += folded.count - 1;
        continue;
      }
      const text = wholeLine(document, line, end);
      const shown = document.isStep
        ? shownLine(text, this.showsTypes(line, text))
        : { shown: document.control ? narrowCode(text) : text, pieces: [] };
      this.texts.set(line, shown);
      const parts = wrapText(shown.shown, width);
      parts.forEach(([from, to], part) => this.rows.push([line, part, from, to]));
      const rest = indentOf(shown.shown) + CONTINUED;
      const lengths = parts.map(([from, to], part) => to - from + (part ? rest : 0));
      longest = Math.max(longest, ...lengths);
      if (isPython) this.addNoteRows(line, parts.length, width - lengths[lengths.length - 1]);
    }
    this.count = this.rows.length;
    this.sheet.style.height = `${this.count * ROW_HEIGHT}px`;
    this.sheet.style.width = `max(100%, ${Math.min(longest, LONGEST) + 8}ch)`;
  }

  // Remarks that do not fit behind a line of the source stand below it, one by one.
  addNoteRows(line, part, room) {
    const chips = makeChips(this.document, line);
    const taken = chips.reduce((sum, chip) => sum + Math.min(chip.textContent.length, MAX_CHIP) + CHIP_SPACE, 0);
    if (taken <= room) return;
    const { shown } = this.texts.get(line);
    const end = shown.length;
    chips.forEach((chip, n) => {
      for (const text of this.wrapChip(chip.textContent, indentOf(shown) + CONTINUED)) this.rows.push([line, part++, end, end, n, text]);
    });
  }

  // The text of a remark in parts that fit the pane.
  wrapChip(text, indent) {
    if (this.characters === Infinity) return [text];
    const width = Math.min(MAX_CHIP, CHIP_SCALE * (this.characters - indent) - CHIP_SPACE);
    return wrapText(text, Math.floor(width)).map(([from, to], n) => (n ? "\u2003" : "") + text.slice(from, to));
  }

  // How many lines from one on are shown as one.
  foldFrom(starts, n) {
    const { document } = this;
    if (!document.isStep || reading.assumes || this.opened.has(starts[n])) return { count: 0 };
    const textAt = (at) => textOf(document, starts[at]);
    const pattern = ALIAS.test(textAt(n)) ? ALIAS : ASSUME;
    let end = n;
    while (end < starts.length && pattern.test(textAt(end))) {
      if (state.query && strings[document.lines[starts[end]]].search(state.query) >= 0) return { count: 0 };
      end++;
    }
    const count = end - n;
    if (count < (pattern === ALIAS ? 1 : MIN_FOLDED)) return { count: 0 };
    if (pattern === ALIAS) return { count, title: `⋯ ${count} alias${count > 1 ? "es" : ""}` };
    const [first, last] = [n, end - 1].map((at) => ASSUME.exec(textAt(at)));
    return { count, title: `${" ".repeat(indentOf(textAt(n)))}⋯ ${first[1]} … ${last[1]}: ${count} × ${first[2]}` };
  }

  // Types are shown if one asks for them, or searches for what is in them.
  showsTypes(line, text) {
    if (reading.types || this.opened.has(line)) return true;
    if (!state.query) return false;
    return findHidden(text).some(([from, to]) => text.slice(from, to).search(state.query) >= 0);
  }

  keyOf(index) {
    const [line, part] = this.rows[index];
    return part > 0 ? line + part / 1000 : line;
  }

  rowOf(line) {
    return this.places[line] ?? 0;
  }

  // The line at the top of what is seen.
  topLine() {
    return this.rows[Math.floor(this.box.scrollTop / ROW_HEIGHT)]?.[0] ?? 0;
  }

  makeFoldedRow(index) {
    const [line, part, from, to, chip, words] = this.rows[index];
    if (part < 0) {
      const code = make("code", "", { textContent: from });
      const row = make("button", "row fold", { title: "show these lines" }, make("span", "number"), code);
      row.dataset.fold = line;
      return row;
    }
    const { shown, pieces } = this.texts.get(line);
    const row = part ? make("div", "row", {}, make("span", "number"), ...makeSign(this.document, -1), ...makeCost(this.document, -1), make("code")) : this.makeLine(line);
    const { document } = this;
    if (part) {
      row.origin = { document, line };
      if (sets[document.marks[line]].length) row.classList.add("op-row");
      paintRow(row);
    }
    if (document.control) row.querySelector("code").before(...makeControl(document, part ? -1 : line));
    if (chip !== undefined) {
      const pill = makeChips(document, line)[chip];
      pill.textContent = words;
      row.append(pill);
      row.classList.add("noted");
    } else if (this.rows[index + 1]?.[0] !== line) {
      // Behind the last part of a line.
      row.append(...makeChips(document, line));
    }
    if (!document.isStep && !document.control && document.language !== "python") return row;
    const code = row.querySelector("code");
    const rest = part ? " ".repeat(indentOf(shown) + CONTINUED) : "";
    const text = rest + shown.slice(from, to);
    const place = (at) => at - from + rest.length;
    const hints = pieces.filter(([start]) => start >= from && start < to).map(([start, end, kind]) => [place(start), place(end), kind]);
    code.textContent = "";
    fillLine(code, text, document.language, [...hints, ...queryRanges(text)].sort(([a], [b]) => a - b));
    const titles = pieces.filter(([start]) => start >= from && start < to);
    code.querySelectorAll(".hint").forEach((each, n) => {
      each.title = titles[n][3];
      each.dataset.fold = line;
    });
    for (const each of code.querySelectorAll(".type")) {
      const definition = definitionsOf(document).get(each.textContent);
      if (definition) each.title = definition;
    }
    return row;
  }

  unfold(event) {
    const fold = event.target.closest("[data-fold]");
    if (!fold) return;
    event.stopPropagation();
    const first = Number(fold.dataset.fold);
    this.opened.add(first);
    // What follows in the run would be folded again.
    for (let n = startsOf(this.document).indexOf(first) + 1; fold.classList.contains("fold"); n++) {
      const line = startsOf(this.document)[n];
      if (line === undefined || this.places[line] !== this.places[first]) break;
      this.opened.add(line);
    }
    this.refresh();
  }

  // Brings a line to where it is seen, out of a fold if it is in one.
  reveal(line) {
    const row = this.rows[this.rowOf(line)];
    if (row && row[1] < 0) {
      const place = this.rowOf(line);
      for (const start of startsOf(this.document)) if (this.places[start] === place) this.opened.add(start);
      this.refresh();
    }
    super.reveal(line);
  }
}

// What the aliases of a document stand for.
function definitionsOf(document) {
  if (!document.definitions) {
    document.definitions = new Map();
    const starts = startsOf(document);
    for (let n = 0; n < starts.length; n++) {
      const text = wholeLine(document, starts[n], starts[n + 1] ?? document.lines.length);
      if (!ALIAS.test(text)) break;
      document.definitions.set(text.slice(0, text.indexOf(" ")), text);
    }
  }
  return document.definitions;
}

// The switches, and what is done when one is pressed.
function prepareReading(lists) {
  for (const button of find("#reading").children) {
    const name = button.dataset.reading;
    button.setAttribute("aria-pressed", reading[name]);
    button.addEventListener("click", () => {
      reading[name] = !reading[name];
      button.setAttribute("aria-pressed", reading[name]);
      for (const list of lists) {
        const first = list.topLine();
        list.refresh();
        // What was at the top stays there.
        list.box.scrollTop = list.rowOf(first) * ROW_HEIGHT;
        list.paint();
      }
    });
  }
}
