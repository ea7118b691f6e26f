// Two programs side by side. A document is a list of numbers of strings; a pair is what a pass left
// of A and of B, whose documents are compared when they are looked at.

let strings = [];
let documents = [];
let pairs = [];
let shown = null; // the number of the pair on show
let rows = [];
let opened = new Set();
let lists = [];

const find = (selector) => document.querySelector(selector);
const SIDES = ["A", "B"];

// Lines of both sides beside each other: those that are the same, those that became others, and
// those that only one side has. Long runs of the same are folded.
function alignedRows(a, b) {
  if (!a || !b) return Array.from((a ?? b).lines, (_, n) => (a ? { kind: "gone", a: n } : { kind: "new", b: n }));
  const found = [];
  const unified = diffRows(a, b);
  for (let n = 0; n < unified.length; n++) {
    const [row, next] = [unified[n], unified[n + 1]];
    if (row.kind === "gone" && row.other >= 0 && next?.kind === "new" && next.other >= 0) {
      found.push({ kind: "changed", a: row.a, b: next.b });
      n++;
    } else found.push({ kind: row.kind, a: row.a, b: row.b });
  }
  return found;
}

function makeRow(side, at) {
  const row = rows[at];
  if (row.kind === "fold") {
    const fold = make("button", "row fold", { textContent: side ? "" : `⋯ ${row.count} identical lines`, title: "show them" });
    fold.onclick = () => {
      opened.add(row.from);
      layOut();
    };
    return fold;
  }
  const line = side ? row.b : row.a;
  if (line === undefined) return make("div", "row none");
  const pair = pairs[shown];
  const [own, other] = side ? [pair.b, pair.a] : [pair.a, pair.b];
  const text = strings[own.lines[line]];
  const partner = side ? row.a : row.b;
  const ranges =
    row.kind === "changed" ? differingParts(text, strings[other.lines[partner]]).map((part) => [...part, "differs"]) : [];
  const code = make("code");
  fillLine(code, text, pair.language, ranges);
  const kind = row.kind === "same" ? "same" : side ? "new" : "gone";
  const element = make("div", `row ${kind}`, {}, make("span", "number", { textContent: line + 1 }), code);
  element.dataset.line = line + 1;
  return element;
}

function layOut() {
  const pair = pairs[shown];
  const all = pair.rows;
  rows = all.some((row) => row.kind !== "same") ? foldRows(all, opened) : all;
  const width = (each) => (each ? each.lines.reduce((most, line) => Math.max(most, strings[line].length), 0) : 0);
  lists.forEach((list, side) => list.show(rows.length, width(side ? pair.b : pair.a)));
}

function show(index, remember = true) {
  shown = index;
  opened = new Set();
  const pair = pairs[index];
  pair.rows ??= alignedRows(pair.a, pair.b);
  layOut();
  const count = (kinds) => pair.rows.filter((row) => kinds.includes(row.kind)).length;
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
  for (const list of lists) list.box.scrollTop = 0;
  const first = rows.findIndex((row) => row.kind !== "same" && row.kind !== "fold");
  if (first > 0) lists[0].reveal(first);
  setView("lines");
  if (remember) history.replaceState(null, "", `#pass=${encodeURIComponent(pair.key)}`);
}

function jump(direction) {
  const isChange = (n) => rows[n] && rows[n].kind !== "same" && rows[n].kind !== "fold";
  const { box } = lists[0];
  let at = Math.round((box.scrollTop + box.clientHeight / 3) / ROW_HEIGHT) + direction;
  while (rows[at] && isChange(at) && isChange(at - direction)) at += direction;
  while (rows[at] && !isChange(at)) at += direction;
  if (rows[at]) box.scrollTop = at * ROW_HEIGHT - box.clientHeight / 3;
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
      { onclick: () => show(n), title: `${pair.label}: ${pair.status}` },
      make("span", "name", { textContent: pair.name }),
      ops(pair.a),
      ops(pair.b),
      make("span", "status", { textContent: pair.status === "same" ? "=" : pair.status }),
    );
    button.dataset.pair = n;
    button.classList.toggle("unchanged", pair.status === "same");
    button.classList.toggle("differs", pair.status !== "same");
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
  if (view === "lines") for (const list of lists) list.refresh();
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
  const side = (given) => given && { ...documents[given.document], ops: given.ops };
  pairs = data.pairs.map((pair) => ({
    ...pair,
    a: side(pair.a),
    b: side(pair.b),
    key: pair.is_step ? `${pair.stage}/${pair.name}` : pair.name,
    label: pair.is_step ? (pair.name === "read" ? "as read" : `after ${pair.name}`) : pair.name,
    language: pair.is_step ? "mlir" : "code",
  }));
  data.titles.forEach((title, n) =>
    find("#titles").append(make("span", `side-${n}`, {}, make("b", "", { textContent: SIDES[n] }), title)),
  );
  find("#first").textContent = data.first;
  lists = ["#side-a", "#side-b"].map(
    (place, n) =>
      new LineList(
        find(place),
        (at) => makeRow(n, at),
        () => rows.flatMap((row, at) => (row.kind === "same" || row.kind === "fold" ? [] : [[at, n ? "--new-tick" : "--gone-tick"]])),
      ),
  );
  lists.forEach((list, n) =>
    list.box.addEventListener("scroll", () => {
      const other = lists[1 - n].box;
      if (Math.abs(other.scrollTop - list.box.scrollTop) > 1) other.scrollTop = list.box.scrollTop;
    }),
  );
  followTheme();
  showPasses();
  showCost(data.cost);
  for (const button of find("#views").children) button.onclick = () => setView(button.dataset.view);
  find("#before").onclick = () => jump(-1);
  find("#next").onclick = () => jump(1);
  const first = pairs.findIndex((pair) => pair.status !== "same");
  show(fromAddress() ?? Math.max(0, first), false);
  addEventListener("hashchange", () => fromAddress() !== null && show(fromAddress(), false));
  find("#loading").remove();
  document.body.dataset.ready = performance.now().toFixed(0);
}

start().catch((error) => {
  find("#loading").textContent = `This comparison cannot be shown: ${error.message}`;
  throw error;
});
