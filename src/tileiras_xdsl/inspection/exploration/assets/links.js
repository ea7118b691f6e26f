// Deep links: what is shown is in the address, as in `#pass=cse&op=12&left=read&view=diff`. So the
// back button works, and a link can be sent to others who have the page.
//
//   pass   what the right pane shows: a pass, `stage/pass` where several have the name, or a stage,
//          `python`, `llvm`, `ptx`, `sass`
//   left   the same for the left pane
//   op     the selected line, as it is numbered; `at` says where if that is not the right pane
//   view   `diff` or `pictures`

const isFramed = window.parent !== window;
let isRestoring = false;
let isNoting = false;
let firstLink = ""; // to what the page shows when it is opened without a link

function nameOf(document) {
  const alike = documents.filter((each) => each.name === document.name);
  return alike.length > 1 ? `${document.stage}/${document.name}` : document.name;
}

function findDocument(name) {
  return (
    documents.find((each) => nameOf(each) === name || each.name === name) ??
    documents.find((each) => each.isLast && each.stage === name)
  );
}

// Lines by the numbers that are shown; those of a second file of Python have its name before it.
function lineName(document, line) {
  const [file, number] = document.places?.[line] ?? [0, line + 1];
  return file ? `${baseName(document.files[file])}:${number}` : String(number);
}

function findLine(document, name) {
  const found = document.places
    ? document.places.findIndex((_, line) => lineName(document, line) === name)
    : Number(name) - 1;
  return document.lines[found] === undefined ? -1 : found;
}

function makeLink(selected = state.selected) {
  const words = { pass: nameOf(panes[1].document), left: nameOf(panes[0].document) };
  if (selected) {
    words.op = lineName(selected.document, selected.line);
    const at = nameOf(selected.document);
    if (at !== words.pass) words.at = at;
  }
  if (state.view !== "ir") words.view = state.view;
  return formatLink(words);
}

const formatLink = (words) =>
  `#${Object.entries(words)
    .map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2F/g, "/").replace(/%3A/g, ":")}`)
    .join("&")}`;

// A link to one line, whatever else is shown.
const linkTo = (document, line) => formatLink({ pass: nameOf(document), op: lineName(document, line) });

// Puts what is shown into the address, once for all changes of an event.
function noteState() {
  if (isRestoring || isNoting || isFramed || !panes) return;
  isNoting = true;
  queueMicrotask(() => {
    isNoting = false;
    const link = makeLink();
    if (link === location.hash) return;
    try {
      history.pushState(null, "", link);
    } catch {
      // Some browsers allow no history for files; the page works without.
    }
  });
}

function followLink() {
  const link = location.hash.length < 2 ? firstLink : location.hash;
  if (!panes || !link) return;
  const words = new URLSearchParams(link.slice(1));
  isRestoring = true;
  try {
    showLink(words);
  } finally {
    isRestoring = false;
  }
}

function showLink(words) {
  const missing = (what) => say(`This report has no ${what}.`);
  const get = (key) => {
    if (!words.has(key)) return null;
    const found = findDocument(words.get(key));
    if (!found) missing(`pass ‘${words.get(key)}’`);
    return found ?? null;
  };
  const right = get("pass");
  const left = get("left");
  const at = get("at") ?? right;
  if (right && !left && right.language === "python") panes[0].show(right);
  else if (right) {
    panes[0].show(left ?? previousOf(right));
    panes[1].show(right);
  }
  state.selected = selectedSets = hoveredSets = null;
  showCurrent();
  setView(["diff", "pictures"].includes(words.get("view")) ? words.get("view") : "ir");
  if (!at || !words.has("op")) return void repaintMarks();
  const line = findLine(at, words.get("op"));
  if (line < 0) missing(`line ${words.get("op")} of ${labelOf(at)}`);
  else select(at, line);
}

async function copyLink(link = makeLink()) {
  const text = isFramed ? link : location.href.split("#")[0] + link;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", "", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("Link copied.");
}

// A word that goes away by itself.
function say(text) {
  const toast = find("#toast");
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (toast.hidden = true), 2500);
}

function prepareLinks() {
  firstLink = makeLink();
  addEventListener("popstate", followLink);
  addEventListener("hashchange", followLink);
}
