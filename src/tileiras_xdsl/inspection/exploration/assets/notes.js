// What there is to say about lines: remarks, errors, resources and estimates. They stand behind the
// lines of the Python source and of the program as it was read, and in the inspector.

const SHOWN_NOTES = 5;
const URGENCY = { error: 0, failure: 1, missed: 2, analysis: 3, passed: 4 };
const SIGNS = { error: "✖", failure: "✖", missed: "▲", analysis: "○", passed: "✔" };

let notes = [];
let notesOfMark = new Map();
let notesOfRow = new Map();

function setNotes(list) {
  notes = list.map((note, index) => ({ ...note, index }));
  notes.sort((a, b) => URGENCY[a.kind] - URGENCY[b.kind] || a.index - b.index);
  notesOfMark = new Map();
  notesOfRow = new Map();
  const add = (map, key, note) => map.set(key, [...(map.get(key) ?? []), note]);
  for (const note of notes) {
    for (const mark of note.marks) add(notesOfMark, mark, note);
    if (note.row !== null) add(notesOfRow, note.row, note);
  }
}

function notesOfMarks(marks) {
  const found = new Set();
  for (const mark of marks) for (const note of notesOfMark.get(mark) ?? []) found.add(note);
  return notes.filter((note) => found.has(note));
}

// Those that are shown behind a line.
function notesAt(document, line) {
  if (!notes.length) return [];
  const ofMarks = notesOfMarks(sets[document.marks[line]]);
  if (document.language === "python")
    return [...(notesOfRow.get(line) ?? []), ...ofMarks.filter((note) => note.row === null)].sort(
      (a, b) => notes.indexOf(a) - notes.indexOf(b),
    );
  if (document.stage === "cuda-tile") return ofMarks;
  return ofMarks.filter((note) => note.kind === "error");
}

// The most urgent of them, where it is seen however long the line is; of line -1, the place for it.
function makeSign(document, line) {
  if (!notes.length || (document.language !== "python" && document.stage !== "cuda-tile")) return [];
  const [note] = line < 0 ? [] : notesAt(document, line);
  return [make("span", `note-sign ${note?.kind ?? ""}`, { textContent: note ? SIGNS[note.kind] : "", title: note?.text ?? "" })];
}

function makeChips(document, line) {
  const found = notesAt(document, line);
  if (!found.length) return [];
  const chips = found.slice(0, SHOWN_NOTES).map((note) => {
    const chip = make("span", `note-chip ${note.kind}`, {
      textContent: `${SIGNS[note.kind]} ${note.text}`,
      title: note.reason ? `${note.text}; ${note.reason}` : note.text,
    });
    chip.dataset.about = note.about;
    return chip;
  });
  if (found.length > SHOWN_NOTES)
    chips.push(make("span", "note-chip more", { textContent: `+${found.length - SHOWN_NOTES}`, title: "click to read all" }));
  return chips;
}

// For the inspector: those of the selected line, in full.
function describeNotes({ document, line, marks }) {
  const found = new Set([...notesAt(document, line), ...notesOfMarks(marks)]);
  if (!found.size) return [];
  const list = make("ul", "", { id: "notes" });
  for (const note of found) {
    const item = make("li", `note-item ${note.kind}`, {}, make("strong", "", { textContent: `${SIGNS[note.kind]} ${note.about} ` }), note.text);
    if (note.reason) item.append(make("span", "note", { textContent: `; ${note.reason}` }));
    list.append(item);
  }
  return [make("h2", "", { textContent: "Remarks" }), list];
}
