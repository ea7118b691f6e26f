// Drawings. Their parts know the ops that they are about: a click on one selects the heaviest line of
// those ops, and what is selected stands out in all drawings.

const PART_STYLE = `
svg { max-width: 100%; height: auto; display: block; }
.zoomed svg { max-width: none; }
[data-marks] { cursor: pointer; }
[data-chosen] > path, [data-chosen] > rect { stroke: #d29a00; stroke-width: 3; }
[data-chosen] > text { font-weight: 700; }`;

const marksOfPart = (part) => part.dataset.marks.split(" ").map(Number);

// A picture with its own styles, which follow the colours of the page.
function drawPicture(picture) {
  const host = make("div", "drawing");
  const scheme = document.documentElement.dataset.theme;
  const text = picture.svg.replace(
    /@media\s*\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/g,
    (_, wanted) => (wanted === scheme ? "@media all" : "@media not all"),
  );
  const root = host.attachShadow({ mode: "open" });
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  root.append(make("style", "", { textContent: PART_STYLE }));
  root.append(document.importNode(svg, true));
  // The title stands above the drawing.
  for (const head of root.querySelectorAll("text.head")) if (head.textContent === picture.title) head.remove();
  const chosen = new Set(state.selected?.marks ?? []);
  for (const part of root.querySelectorAll("[data-marks]"))
    if (marksOfPart(part).some((mark) => chosen.has(mark))) part.dataset.chosen = "";
  return host;
}

// Selects what a part of a picture is about, in the step that the picture is of.
function selectPart(picture, marks) {
  const step = documents[picture.step] ?? panes[1].document;
  const lines = relatedLines(step, setsWith(marks));
  if (!lines.length) return;
  const best = lines.reduce((most, line) => (weightOf(step, line) > weightOf(step, most) ? line : most));
  setView("ir");
  if (!panes.some((pane) => pane.document === step)) panes[1].choose(step);
  select(step, best);
}

function enlarge(picture) {
  const dialog = find("#large");
  const drawing = drawPicture(picture);
  const close = make("button", "small", { textContent: "close", onclick: () => dialog.close() });
  const hint = make("span", "note", { textContent: "scroll to zoom, drag to pan, double-click to reset; click a part to show its op" });
  dialog.replaceChildren(make("div", "bar", {}, make("strong", "", { textContent: picture.title }), hint, close), drawing);
  zoomable(drawing.shadowRoot.querySelector("svg"), (part) => {
    dialog.close();
    selectPart(picture, marksOfPart(part));
  });
  dialog.showModal();
}

// Lets a drawing be zoomed and moved by its view box; `choose` gets the part that is clicked on.
function zoomable(svg, choose) {
  const box = () => svg.viewBox.baseVal;
  const all = { x: box().x, y: box().y, width: box().width, height: box().height };
  const set = (view) => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y, width, height } = box();
      const factor = Math.min(all.width / width, Math.max(0.05 * (all.width / width), event.deltaY < 0 ? 0.8 : 1.25));
      const place = svg.getBoundingClientRect();
      const [u, v] = [(event.clientX - place.x) / place.width, (event.clientY - place.y) / place.height];
      set({ x: x + u * width * (1 - factor), y: y + v * height * (1 - factor), width: width * factor, height: height * factor });
    },
    { passive: false },
  );
  let grip = null;
  svg.addEventListener("pointerdown", (event) => (grip = { x: event.clientX, y: event.clientY, moved: false }));
  svg.addEventListener("pointermove", (event) => {
    if (!grip || !event.buttons) return;
    const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
    if (!grip.moved && Math.hypot(dx, dy) < 4) return;
    const { x, y, width, height } = box();
    const scale = width / svg.getBoundingClientRect().width;
    set({ x: x - dx * scale, y: y - dy * scale, width, height });
    grip = { x: event.clientX, y: event.clientY, moved: true };
  });
  svg.addEventListener("dblclick", () => set(all));
  svg.addEventListener("click", (event) => {
    const part = event.target.closest("[data-marks]");
    if (part && !grip?.moved) choose(part);
  });
}
