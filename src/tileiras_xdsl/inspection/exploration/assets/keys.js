// The keyboard. Keys act on the pane that was clicked or had the focus last.

let activeSide = 1;
const activePane = () => panes[activeSide];

const KEYS = [
  ["j, ↓", "next op in the pane", ["j", "ArrowDown"], () => moveOp(1)],
  ["k, ↑", "previous op", ["k", "ArrowUp"], () => moveOp(-1)],
  ["o", "switch to the other pane, at the same op", ["o"], () => crossOver()],
  ["]", "next pass in the pane", ["]"], () => activePane().move(1)],
  ["[", "previous pass", ["["], () => activePane().move(-1)],
  ["↓ ↑", "in the list of passes: previous or next pass", [], null],
  ["/", "search all passes", ["/"], () => find("#search").focus()],
  ["n", "next search hit; without a search, next line related to the selected op", ["n"], () => moveHit(1)],
  ["N", "previous one", ["N"], () => moveHit(-1)],
  ["s, d, p", "side by side, diff, pictures", ["s", "d", "p"], (key) => setView({ s: "ir", d: "diff", p: "pictures" }[key])],
  ["c", "copy a link to the current view", ["c"], () => void copyLink()],
  ["← →", "resize panes, with the border focused", [], null],
  ["Esc", "close, leave the search, clear the selection", [], null],
  ["?", "this help", ["?"], () => showHelp()],
];

function moveOp(direction) {
  const pane = activePane();
  const { document, list } = pane;
  const isHere = state.selected?.document === document;
  const top = list.rows[Math.ceil(list.box.scrollTop / ROW_HEIGHT)]?.[0] ?? 0;
  let line = isHere ? state.selected.line : top - (direction > 0 ? 1 : 0);
  const isInside = () => line >= 0 && line < document.lines.length;
  // What is folded stays so.
  const isOp = () => sets[document.marks[line]].length && list.rows[list.rowOf(line)][1] >= 0;
  do line += direction;
  while (isInside() && !isOp());
  if (isInside()) select(document, line);
}

function crossOver() {
  const other = panes[1 - activeSide];
  const lines = relatedLines(other.document, selectedSets);
  activeSide = 1 - activeSide;
  other.list.box.focus({ preventScroll: true });
  if (state.selected && lines.length) select(other.document, bestLine(other.document, lines, state.selected));
}

// The next line of a search, in this document and then in others.
function moveHit(direction) {
  const pane = activePane();
  const isHit = (document) => {
    if (!state.query) return (line) => Boolean(selectedSets?.[document.marks[line]]);
    return (line) => {
      state.query.lastIndex = 0;
      return state.query.test(textOf(document, line));
    };
  };
  const places = state.query ? ordered.filter((each) => each.same_as === undefined) : [pane.document];
  const at = Math.max(0, places.indexOf(pane.document));
  for (let step = 0; step < places.length; step++) {
    const document = places[(at + direction * step + places.length) % places.length];
    const hit = isHit(document);
    const isFirst = step === 0 && state.selected?.document === document;
    const end = document.lines.length;
    let line = isFirst ? state.selected.line + direction : direction > 0 ? 0 : end - 1;
    while (line >= 0 && line < end && !hit(line)) line += direction;
    if (line < 0 || line >= end) continue;
    if (pane.document !== document) pane.choose(document);
    if (state.query) return select(document, line);
    // All lines of the op are marked already: the selection stays.
    return pane.list.reveal(line);
  }
}

function showHelp() {
  const dialog = find("#large");
  const table = make("table", "", { id: "keys" });
  for (const [keys, text] of KEYS)
    table.append(make("tr", "", {}, make("td", "", {}, make("kbd", "", { textContent: keys })), make("td", "", { textContent: text })));
  dialog.replaceChildren(
    make("div", "bar", {}, make("strong", "", { textContent: "Keys" }), make("button", "small", { textContent: "close", onclick: () => dialog.close() })),
    table,
  );
  if (!dialog.open) dialog.showModal();
}

function prepareKeys() {
  panes.forEach((pane, side) => {
    const element = find(side ? "#right" : "#left");
    for (const event of ["pointerdown", "focusin"]) element.addEventListener(event, () => (activeSide = side));
  });
  find("#keys-button").onclick = showHelp;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || find("#large").open) return;
    if (event.target.closest("input, textarea, [role=separator]")) return;
    // Lists other than panes have arrows of their own.
    const isArrow = event.key.startsWith("Arrow");
    if (isArrow && !event.target.closest(".pane") && event.target !== document.body) return;
    const entry = KEYS.find(([, , keys]) => keys.includes(event.key));
    if (!entry) return;
    event.preventDefault();
    entry[3](event.key);
  });
}
