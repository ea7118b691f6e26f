// The page. A document is a program after a pass, or as Python, LLVM IR, PTX or SASS; its lines are numbers
// of strings, and each line has the number of a set of marks. A mark stands for an op of the
// program that was read: what shares a mark came from the same op.

let strings = [];
let sets = [];
let documents = []; // steps by their numbers, then texts
let ordered = []; // the same from the source to machine code
let pictures = [];

const state = {
  view: "ir",
  selected: null, // { document, line }
  query: null, // a regular expression
  value: "",
};
// For each set of marks, whether it has one of those that are selected, or under the pointer.
let selectedSets = null;
let hoveredSets = null;

const find = (selector) => document.querySelector(selector);

// Reading

function decode(data) {
  strings = data.strings.split("\n");
  sets = data.sets;
  pictures = data.pictures;
  documents = [];
  for (const step of data.steps) {
    const same = step.same_as === undefined ? null : documents[step.same_as];
    documents.push({
      ...step,
      index: documents.length,
      language: "mlir",
      isStep: true,
      lines: same ? same.lines : undelta(step.lines),
      marks: same ? same.marks : undelta(step.marks),
    });
  }
  for (const text of data.texts) {
    documents.push({
      ...text,
      index: documents.length,
      stage: text.name,
      language: text.name === "python" ? "python" : "code",
      isStep: false,
      changed: true,
      lines: undelta(text.lines),
      marks: text.marks ? undelta(text.marks) : new Int32Array(text.lines.length),
    });
  }
  for (const each of documents) each.isLast = documents[each.index + 1]?.stage !== each.stage;
  const isFirst = (each) => each.language === "python";
  ordered = [...documents.filter(isFirst), ...documents.filter((each) => !isFirst(each))];
  ordered.forEach((each, place) => (each.place = place));
  setWeights(data.weights ?? []);
  setNotes(data.notes ?? []);
}

function widthOf(document) {
  if (document.width === undefined)
    document.width = document.lines.reduce((width, line) => Math.max(width, strings[line].length), 0);
  return document.width;
}

const textOf = (document, line) => strings[document.lines[line]];
const previousOf = (document) => ordered[Math.max(0, document.place - 1)];
const baseName = (path) => path.split(/[\\/]/).pop();
const titleOf = (document) => (document.files ? document.files.map(baseName).join(", ") : document.name);

// The number of a line as it is shown; of Python that in its file.
function numberOf(document, line) {
  return document.places ? document.places[line][1] || "" : line + 1;
}

function opName(text) {
  const match = /^\s*(?:%[^=]*=\s*)?"?([A-Za-z_][\w.$]*)/.exec(text);
  return match ? match[1] : text.trim().slice(0, 40);
}

// Where ops came from

function setsWith(marks) {
  const wanted = new Set(marks);
  const found = new Uint8Array(sets.length);
  if (wanted.size) sets.forEach((set, n) => (found[n] = set.some((mark) => wanted.has(mark)) ? 1 : 0));
  return found;
}

function relatedLines(document, found) {
  const lines = [];
  if (found) document.marks.forEach((set, line) => found[set] && lines.push(line));
  return lines;
}

function select(document, line) {
  const marks = sets[document.marks[line]];
  state.selected = { document, line, marks };
  selectedSets = setsWith(marks);
  hoveredSets = null;
  for (const pane of panes) pane.follow(document, line);
  repaintMarks();
  showInspector();
  noteState();
}

function repaintMarks() {
  for (const view of [...panes, diff]) view.paintMarks();
}

function clearSelection() {
  state.selected = selectedSets = hoveredSets = null;
  state.value = "";
  for (const pane of panes) pane.target = -1;
  repaintMarks();
  showInspector();
  noteState();
}

function hover(document, line) {
  const marks = document && sets[document.marks[line]].length ? document.marks[line] : null;
  if (marks === hover.last) return;
  hover.last = marks;
  hoveredSets = marks === null ? null : setsWith(sets[marks]);
  repaintMarks();
}

// Rows of panes and of the diff

function queryRanges(text) {
  if (!state.query) return [];
  return Array.from(text.matchAll(state.query), (match) => [
    match.index,
    match.index + match[0].length,
    "found",
  ]);
}

function makeCodeRow(document, line) {
  const text = textOf(document, line);
  const code = make("code");
  fillLine(code, text, document.language, queryRanges(text));
  const row = make("div", "row", {}, code);
  row.dataset.line = line;
  row.origin = { document, line };
  if (sets[document.marks[line]].length) row.classList.add("op-row");
  paintRow(row);
  return row;
}

function paintRow(row) {
  if (!row.origin) return;
  const { document, line } = row.origin;
  const set = document.marks[line];
  const { selected } = state;
  row.classList.toggle("selected", selected !== null && selected.document === document && selected.line === line);
  row.classList.toggle("related", Boolean(selectedSets?.[set]));
  row.classList.toggle("hovered", Boolean(hoveredSets?.[set]));
  for (const value of row.querySelectorAll(".value"))
    value.classList.toggle("same-value", value.textContent === state.value);
}

function watchRows(element) {
  element.addEventListener("mouseover", (event) => {
    const origin = event.target.closest(".row")?.origin;
    hover(origin?.document, origin?.line);
  });
  element.addEventListener("mouseleave", () => hover(null));
  element.addEventListener("click", (event) => {
    const origin = event.target.closest(".row")?.origin;
    if (event.target.closest("a.number")) {
      event.preventDefault();
      select(origin.document, origin.line);
      return void copyLink(linkTo(origin.document, origin.line));
    }
    if (!origin || String(getSelection())) return;
    const value = event.target.closest(".value")?.textContent ?? "";
    state.value = value === state.value ? "" : value;
    select(origin.document, origin.line);
  });
}

function ticksOf(document, lineToRow = (line) => line) {
  const ticks = relatedLines(document, selectedSets).map((line) => [lineToRow(line), "--related-tick"]);
  if (hoveredSets)
    ticks.push(...relatedLines(document, hoveredSets).map((line) => [lineToRow(line), "--hovered-tick"]));
  return ticks;
}

class Pane {
  constructor(place, side) {
    this.side = side;
    this.document = null;
    this.target = -1; // the line that the selected op of another document leads to
    this.tabs = make("div", "tabs");
    this.tabs.setAttribute("role", "tablist");
    this.tabs.setAttribute("aria-label", `Stages in the ${side} pane`);
    this.caption = make("span", "caption");
    const button = (label, title, distance) =>
      make("button", "small", {
        textContent: label,
        title,
        onclick: () => this.move(distance),
      });
    const bar = make("div", "bar", {}, button("‹", "previous pass", -1), button("›", "next pass", 1), this.caption);
    const lines = make("div", "lines");
    this.columns = make("div", "columns", { hidden: true }, ...makeColumns());
    place.append(this.tabs, bar, this.columns, lines);
    this.list = new FoldedList(
      lines,
      (line) => this.makeRow(line),
      () => (this.document ? ticksOf(this.document) : []),
    );
    watchRows(this.list.box);
    for (const document of ordered.filter((each) => each.isLast)) {
      const tab = make("button", "tab", {
        textContent: document.files ? titleOf(document) : document.stage,
        onclick: () => this.choose(document),
      });
      tab.setAttribute("role", "tab");
      tab.dataset.stage = document.stage;
      this.tabs.append(tab);
    }
  }

  makeRow(line) {
    const row = makeCodeRow(this.document, line);
    row.classList.toggle("target", line === this.target);
    const text = { textContent: numberOf(this.document, line) };
    row.prepend(
      row.classList.contains("op-row")
        ? make("a", "number", { ...text, href: linkTo(this.document, line), title: "copy link to this line", tabIndex: -1 })
        : make("span", "number", text),
      ...makeSign(this.document, line),
      ...makeCost(this.document, line),
    );
    return row;
  }

  // To the pass before or after.
  move(distance) {
    this.choose(ordered[this.document.place + distance] ?? this.document);
  }

  choose(document) {
    this.show(document);
    showCurrent();
    showInspector();
    noteState();
  }

  show(document) {
    const isNew = document !== this.document;
    this.document = document;
    for (const tab of this.tabs.children)
      tab.setAttribute("aria-selected", tab.dataset.stage === document.stage);
    const words = document.isStep
      ? [document.index ? `after ${document.name}` : "as read", plural(document.ops, "op"), plural(document.lines.length, "line")]
      : [titleOf(document), plural(document.lines.length, "line"), ...(document.faults ?? [])];
    this.caption.textContent = words.join(" · ");
    this.caption.title = [this.caption.textContent, ...(document.files ?? [])].join("\n");
    if (isNew) this.target = -1;
    this.columns.hidden = !document.control;
    if (document.control) {
      const width = barrierWidth(document);
      this.columns.parentElement.style.setProperty("--barriers", width);
      this.columns.parentElement.classList.toggle("no-barriers", !width);
    }
    this.list.showDocument(document);
    if (isNew) {
      this.list.box.scrollTop = 0;
      if (state.selected) this.follow(state.selected.document, state.selected.line);
      this.paintMarks();
    }
  }

  // Shows what has to do with a line of another document, or the line itself.
  follow(document, line) {
    this.target = -1;
    if (document === this.document) return this.list.reveal(line);
    const lines = relatedLines(this.document, selectedSets);
    if (!lines.length) return;
    this.target = bestLine(this.document, lines, { document, line });
    this.list.reveal(this.target);
  }

  paintMarks() {
    for (const [line, row] of this.list.shown) {
      paintRow(row);
      row.classList.toggle("target", line === this.target);
    }
    this.list.paintRuler();
  }
}

// Pictures

function makePicture(picture, index) {
  const frame = make("button", "picture", { title: "enlarge" });
  frame.dataset.picture = index;
  frame.dataset.kind = picture.kind;
  const step = picture.step === null || picture.step === undefined ? null : documents[picture.step];
  frame.append(make("span", "picture-title", { textContent: picture.title }), drawPicture(picture));
  if (step) frame.append(make("span", "note", { textContent: `after ${step.name}` }));
  frame.onclick = () => enlarge(picture);
  return frame;
}

// All pictures, or those of a kind.
function showGallery(kind = "all") {
  const album = make("div", "album");
  pictures.forEach((picture, n) => {
    if (kind === "all" || picture.kind === kind) album.append(makePicture(picture, n));
  });
  const kinds = make("div", "", { id: "kinds" });
  for (const each of ["all", ...new Set(pictures.map((picture) => picture.kind))]) {
    const button = make("button", "small", { textContent: each, onclick: () => showGallery(each) });
    button.setAttribute("aria-pressed", each === kind);
    kinds.append(button);
  }
  find("#gallery").replaceChildren(
    pictures.length ? kinds : make("p", "note", { textContent: "This program has no pictures." }),
    album,
  );
}

// Pictures of the inspector are drawn once for all ops that they belong to.
const kept = new Map();

function keptPicture(picture, index) {
  const theme = document.documentElement.dataset.theme;
  if (kept.get(index)?.theme !== theme) kept.set(index, { theme, frame: makePicture(picture, index) });
  return kept.get(index).frame;
}

// The inspector: an op, where it came from and what it became, and pictures

function showInspector() {
  const inspector = find("#inspector");
  inspector.textContent = "";
  const { selected } = state;
  if (selected) inspector.append(...describeSelection(selected));
  else
    inspector.append(
      make("h2", "", { textContent: "Inspector" }),
      make("p", "note", {
        textContent: "Click an op to see where it came from and what it was lowered to. Hover over one to highlight it in the other pane.",
      }),
    );
  // Of a long way, the part around the op.
  find("#trail .current")?.scrollIntoView({ block: "nearest" });
  const shown = state.view === "ir" ? panes.map((pane) => pane.document) : [panes[1].document];
  const steps = new Set(shown.map((each) => each.index));
  const marks = new Set(selected?.marks ?? []);
  const ofOp = [];
  const ofStep = [];
  pictures.forEach((picture, n) => {
    if (picture.marks.some((mark) => marks.has(mark))) ofOp.push([picture, n]);
    else if (steps.has(picture.step)) ofStep.push([picture, n]);
  });
  // Of the same picture after several passes, that of a pass that is shown comes first.
  ofOp.sort(([a], [b]) => steps.has(b.step) - steps.has(a.step));
  for (const [title, list] of [["Pictures of this op", ofOp], ["Pictures of these passes", ofStep]]) {
    if (!list.length) continue;
    inspector.append(make("h2", "", { textContent: title }));
    for (const [picture, n] of list.slice(0, 12)) inspector.append(keptPicture(picture, n));
    if (list.length > 12) inspector.append(make("p", "note", { textContent: `and ${list.length - 12} more, see Pictures` }));
  }
}

function describeSelection({ document: where, line, marks }) {
  const title = make(
    "h2",
    "",
    {},
    where.isStep ? "Selected op " : "Selected line ",
    make("button", "small", { id: "copy-link", textContent: "copy link", title: "to this line ( c )", onclick: () => copyLink(linkTo(where, line)) }),
    " ",
    make("button", "small", { textContent: "clear", onclick: clearSelection }),
  );
  const text = wholeText(where, line);
  const code = make("pre", "snippet");
  fillLine(code, text.trim(), where.language, []);
  const name = where.isStep ? `${opName(text)}, ` : "";
  const place = make("p", "note", { textContent: `${name}line ${numberOf(where, line)} of ${labelOf(where)}` });
  const parts = [title, place, code, ...describeNotes({ document: where, line, marks })];
  if (!marks.length) return [...parts, make("p", "note", { textContent: "This line has no provenance." })];
  parts.push(make("h2", "", { textContent: "Through the pipeline" }));
  const trail = make("ol", "", { id: "trail" });
  const shown = panes.map((pane) => pane.document);
  let last = null;
  for (const each of ordered) {
    const lines = relatedLines(each, selectedSets);
    if (!each.isStep && !lines.length) continue;
    // Passes that leave the op alone are not worth a row, but for those that are on show.
    const signature = lines.map((n) => lineKey(each.lines[n])).join();
    if (signature === last && each !== where && !shown.includes(each)) continue;
    last = signature;
    trail.append(makeTrailRow(each, lines, where));
  }
  return [...parts, trail];
}

function makeTrailRow(document, lines, where) {
  const names = new Map();
  const heaviest = new Map();
  for (const line of lines) {
    const name = document.language === "python" ? textOf(document, line).trim() : codeName(document, wholeText(document, line));
    names.set(name, (names.get(name) ?? 0) + 1);
    if (!heaviest.has(name)) heaviest.set(name, weightOf(document, line));
  }
  const sorted = Array.from(names).sort(([a], [b]) => heaviest.get(b) - heaviest.get(a));
  const words = sorted.map(([name, count]) => (count > 1 ? `${name} ×${count}` : name));
  const more = words.length > 6 ? ["…"] : [];
  const button = make(
    "button",
    "trail-row",
    {
      onclick: () => showLine(document, lines.length ? bestLine(document, lines, state.selected) : 0),
    },
    make("span", "note", { textContent: labelOf(document) }),
    make("span", lines.length ? "" : "note", {
      textContent: lines.length ? [...words.slice(0, 6), ...more].join(", ") : "removed",
    }),
  );
  button.dataset.document = document.index;
  button.classList.toggle("current", document === where);
  return make("li", "", {}, button);
}

const labelOf = (document) =>
  document.isStep ? `${document.stage}: ${document.index ? document.name : "read"}` : titleOf(document);

// Shows a document beside that of the selected op, at a line.
function showLine(document, line) {
  setView("ir");
  const origin = state.selected?.document;
  // Small windows show one pane.
  const visible = panes.filter((each) => each.list.box.clientWidth);
  let pane = visible.find((each) => each.document === document);
  pane ??= visible.find((each) => each.document !== origin) ?? panes[1];
  if (pane.document !== document) pane.choose(document);
  pane.target = origin === document ? -1 : line;
  pane.list.reveal(line);
  pane.paintMarks();
}

// Passes

function showPasses() {
  const list = find("#passes");
  const longest = Math.max(1e-9, ...documents.map((each) => each.time_ms ?? 0));
  let stage = "";
  let ops = null;
  for (const each of ordered) {
    if (each.stage !== stage) {
      stage = each.stage;
      list.append(make("li", "stage", { textContent: stage }));
    }
    const change = ops === null || each.ops === ops || !each.isStep ? "" : signed(each.ops - ops);
    ops = each.ops ?? ops;
    const time = make("span", "time", { textContent: each.isStep ? formatTime(each.time_ms) : "" });
    time.style.setProperty("--part", `${(100 * (each.time_ms ?? 0)) / longest}%`);
    const button = make(
      "button",
      "pass",
      { onclick: () => showDocument(each), title: passTitle(each) },
      make("span", "name", { textContent: titleOf(each) }),
      make("span", "change", { textContent: change }),
      make("span", "ops", { textContent: each.isStep ? each.ops : "" }),
      time,
    );
    button.dataset.document = each.index;
    button.classList.toggle("unchanged", each.isStep && !each.changed);
    list.append(make("li", "", {}, button));
  }
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const focused = event.target.closest(".pass");
    const next = step && focused && ordered[documents[focused.dataset.document].place + step];
    if (!next) return;
    event.preventDefault();
    showDocument(next);
    list.querySelector(`[data-document="${next.index}"]`).focus();
  });
  const total = documents.reduce((sum, each) => sum + (each.time_ms ?? 0), 0);
  find("#total").textContent = `${plural(documents.filter((each) => each.isStep).length, "step")}, ${formatTime(total)}`;
}

const passTitle = (each) =>
  each.isStep ? `${each.name}: ${plural(each.ops, "op")}, ${formatTime(each.time_ms)}${each.changed ? "" : ", changed nothing"}` : each.name;
const signed = (number) => (number > 0 ? `+${number}` : `−${-number}`);
const formatTime = (ms) => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`);

// Shows what a pass made, beside what it was given.
function showDocument(document) {
  // The source is the first pane.
  if (document.language === "python") panes[0].show(document);
  else {
    panes[0].show(previousOf(document));
    panes[1].show(document);
  }
  showCurrent();
  setView(state.view === "diff" ? "diff" : "ir");
}

// Marks the passes that are on show in the list of all.
function showCurrent() {
  const [left, right] = panes.map((pane) => pane.document.index);
  for (const button of find("#passes").querySelectorAll(".pass")) {
    const index = Number(button.dataset.document);
    button.setAttribute("aria-current", index === right);
    button.classList.toggle("on-left", index === left);
  }
}

function setView(view) {
  state.view = view;
  document.body.dataset.view = view;
  for (const button of find("#views").children)
    button.setAttribute("aria-pressed", button.dataset.view === view);
  // Pictures have no lines whose cost could be shown.
  find("#cost-button").disabled = view === "pictures";
  if (view === "diff") diff.show(panes[1].document);
  if (view === "pictures") showGallery();
  for (const pane of view === "ir" ? panes : []) pane.list.schedule();
  showInspector();
  noteState();
}

// Search

const HITS_PER_STEP = 8;

function makeQuery(text) {
  const form = /^\/(.+)\/$/.exec(text);
  try {
    return new RegExp(form ? form[1] : text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi");
  } catch {
    return null;
  }
}

function search(text) {
  const results = find("#results");
  state.query = text.length > 1 ? makeQuery(text) : null;
  for (const pane of panes) pane.list.refresh();
  if (state.view === "diff") diff.list.refresh();
  results.textContent = "";
  results.hidden = text.length < 2;
  if (results.hidden) return;
  if (!state.query) return void results.append(make("p", "note", { textContent: "Not a valid regular expression." }));
  const matches = new Uint8Array(strings.length);
  strings.forEach((line, n) => {
    state.query.lastIndex = 0;
    matches[n] = state.query.test(line) ? 1 : 0;
  });
  let total = 0;
  const groups = [];
  for (const each of ordered) {
    if (each.same_as !== undefined) continue;
    const hits = [];
    each.lines.forEach((line, n) => matches[line] && hits.push(n));
    if (!hits.length) continue;
    total += hits.length;
    groups.push(makeGroup(each, hits));
  }
  results.append(make("p", "note", { textContent: total ? `${plural(total, "line")} in ${plural(groups.length, "step")}` : "No matches." }), ...groups);
}

function makeGroup(document, hits) {
  const group = make("section", "group", {}, make("h3", "", { textContent: `${labelOf(document)} (${hits.length})` }));
  const add = (lines) => {
    for (const line of lines) {
      const code = make("code");
      const text = textOf(document, line).trim();
      fillLine(code, text.slice(0, 300), document.language, queryRanges(text.slice(0, 300)));
      const hit = make("button", "hit", { onclick: () => showHit(document, line) }, make("span", "number", { textContent: numberOf(document, line) }), code);
      group.append(hit);
    }
  };
  add(hits.slice(0, HITS_PER_STEP));
  const rest = hits.slice(HITS_PER_STEP, 500);
  if (rest.length) {
    const more = make("button", "small", { textContent: `${rest.length} more` });
    more.onclick = () => {
      more.remove();
      add(rest);
    };
    group.append(more);
  }
  return group;
}

function showHit(document, line) {
  find("#results").hidden = true;
  state.view = "ir";
  showDocument(document);
  select(document, line);
}

// Colours

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = find("#theme");
  if (button) button.textContent = theme === "dark" ? "light" : "dark";
}

function followTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let isChosen = false;
  const change = (theme) => {
    setTheme(theme);
    if (!panes) return;
    for (const view of [...panes, diff]) view.list.paintRuler();
    if (state.view === "pictures") showGallery();
    showInspector();
  };
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => isChosen || change(dark.matches ? "dark" : "light"));
  find("#theme").onclick = () => {
    isChosen = true;
    change(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  };
}

// Start

let panes = null;
let diff = null;

function prepareSearch() {
  const input = find("#search");
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => search(input.value.trim()), 120);
  });
  input.addEventListener("focus", () => (find("#results").hidden = input.value.trim().length < 2));
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("#results, #search")) find("#results").hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === input) find("#results .hit")?.click();
    if (event.key === "Escape" && !find("#large").open) {
      if (!find("#results").hidden) find("#results").hidden = true;
      else if (event.target === input) input.blur();
      else clearSelection();
    }
  });
}

// Why there is no more, with links to the op and to its line.
function showError(data) {
  const banner = find("#error");
  banner.hidden = !data.error;
  if (!data.error) return;
  banner.append(`Compilation failed: ${data.error} `);
  const note = notes.find((each) => each.kind === "error");
  const found = setsWith(note?.marks ?? []);
  const last = documents.filter((each) => each.isStep).pop();
  const [line] = relatedLines(last, found);
  const add = (text, where, at) => {
    const name = `${text}, line ${numberOf(where, at)}`;
    banner.append(make("a", "small", { textContent: name, href: linkTo(where, at) }), " ");
  };
  if (line !== undefined) add(labelOf(last), last, line);
  const source = documents.find((each) => each.language === "python");
  const row = note?.row ?? (source && relatedLines(source, found)[0]);
  if (source && row !== undefined && row !== null) add(titleOf(source), source, row);
}

async function start() {
  followTheme();
  const data = JSON.parse(await unpack(find("#data").textContent.trim()));
  decode(data);
  for (const [name, value] of Object.entries(data.options))
    if (value !== null && value !== "") find("#options").append(make("span", "chip", { textContent: `${name} ${value}` }));
  showError(data);
  for (const each of data.faults ?? []) find("#faults").append(make("p", "note", { textContent: each }));
  panes = [new Pane(find("#left"), "left"), new Pane(find("#right"), "right")];
  diff = new Diff(find("#diff"));
  for (const button of find("#views").children) button.onclick = () => setView(button.dataset.view);
  prepareSearch();
  prepareReading([...panes.map((pane) => pane.list), diff.list]);
  prepareCost();
  showPasses();
  // What was read, and the last stage that still has tiles in it.
  const steps = documents.filter((each) => each.isStep);
  isRestoring = true;
  panes[0].show(ordered[0]);
  const isNarrow = !find("#left").getBoundingClientRect().width;
  panes[1].show(isNarrow && ordered[0].language === "python" ? ordered[0] : steps.find((each) => each.isLast && each.stage === "tileas") ?? steps[steps.length - 1]);
  showCurrent();
  setView("ir");
  isRestoring = false;
  prepareKeys();
  prepareBorders();
  prepareLinks();
  followLink();
  find("#loading").remove();
  document.body.dataset.ready = performance.now().toFixed(0);
}

start().catch((error) => {
  find("#loading").textContent = `This report cannot be shown: ${error.message}`;
  throw error;
});
