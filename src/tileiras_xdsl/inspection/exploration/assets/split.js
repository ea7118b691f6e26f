// Borders that can be moved, with the pointer or the arrows. Sizes are kept in the browser, where it
// allows that: for files and frames some do not.

const STORE = "tileiras-report-sizes";
const LEAST = 120;

function readSizes() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch {
    return {};
  }
}

function keepSizes(sizes) {
  try {
    localStorage.setItem(STORE, JSON.stringify(sizes));
  } catch {
    // They last as long as the page.
  }
}

// Each border: what it resizes, in which direction, and from which side that grows.
const BORDERS = {
  "#split-passes": { target: "nav", property: "--passes-width", sign: 1 },
  "#split-panes": { target: "#left", property: "--left-width", sign: 1 },
  "#split-inspector": { target: "#inspector", property: "--inspector-width", sign: -1 },
  "#split-below": { target: "#inspector", property: "--inspector-height", sign: -1, vertical: true },
};

function prepareBorders() {
  const sizes = readSizes();
  const style = document.documentElement.style;
  const set = (border, pixels) => {
    const whole = border.vertical ? innerHeight : innerWidth;
    const size = Math.round(Math.max(LEAST, Math.min(pixels, whole - 2 * LEAST)));
    sizes[border.property] = size;
    style.setProperty(border.property, `${size}px`);
    keepSizes(sizes);
  };
  for (const border of Object.values(BORDERS)) {
    const size = Number(sizes[border.property]);
    const whole = border.vertical ? innerHeight : innerWidth;
    if (size >= LEAST && size <= whole - 2 * LEAST) style.setProperty(border.property, `${size}px`);
  }
  for (const [selector, border] of Object.entries(BORDERS)) {
    const element = find(selector);
    const measure = () => find(border.target).getBoundingClientRect()[border.vertical ? "height" : "width"];
    const position = (event) => (border.vertical ? event.clientY : event.clientX);
    let from = null;
    element.addEventListener("pointerdown", (event) => {
      from = { at: position(event), size: measure() };
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    element.addEventListener("pointermove", (event) => {
      if (from) set(border, from.size + border.sign * (position(event) - from.at));
    });
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (from = null));
    element.addEventListener("keydown", (event) => {
      const keys = border.vertical ? { ArrowUp: -1, ArrowDown: 1 } : { ArrowLeft: -1, ArrowRight: 1 };
      if (!keys[event.key]) return;
      event.preventDefault();
      set(border, measure() + border.sign * keys[event.key] * 24);
    });
    element.addEventListener("dblclick", () => {
      delete sizes[border.property];
      style.removeProperty(border.property);
      keepSizes(sizes);
    });
  }
}
