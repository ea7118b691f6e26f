// A list of which only what can be seen is in the page; all its rows have the same height.

const ROW_HEIGHT = 19;
const SPARE_ROWS = 12;

class LineList {
  // `makeRow(index)` makes the element of a row, `ticks()` says which rows to mark at the side.
  constructor(place, makeRow, ticks) {
    this.makeRow = makeRow;
    this.ticks = ticks;
    this.count = 0;
    this.shown = new Map();
    this.box = make("div", "scroll", { tabIndex: 0 });
    this.sheet = make("div", "sheet");
    this.ruler = make("canvas", "ruler");
    this.box.append(this.sheet);
    place.append(this.box, this.ruler);
    this.box.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => {
      this.schedule();
      this.paintRuler();
    }).observe(this.box);
  }

  show(count, width) {
    this.count = count;
    this.sheet.style.height = `${count * ROW_HEIGHT}px`;
    this.sheet.style.width = `max(100%, calc(${Math.min(width, LONGEST) + 8}ch))`;
    this.refresh();
  }

  // By what a row is known in `shown`, and where what is known by it is.
  keyOf(index) {
    return index;
  }

  rowOf(key) {
    return key;
  }

  // Makes all visible rows anew.
  refresh() {
    this.sheet.textContent = "";
    this.shown.clear();
    this.paint();
    this.paintRuler();
  }

  characterWidth() {
    if (!this.width) {
      const probe = make("span", "row", { textContent: "0".repeat(100) });
      probe.style.right = "auto";
      this.sheet.append(probe);
      this.width = probe.getBoundingClientRect().width / 100 || 7;
      probe.remove();
    }
    return this.width;
  }

  schedule() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paint();
    });
  }

  paint() {
    const height = this.box.clientHeight;
    const top = this.box.scrollTop;
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
    const last = Math.min(this.count, Math.ceil((top + height) / ROW_HEIGHT) + SPARE_ROWS);
    for (const [key, row] of this.shown) {
      if (row.place >= first && row.place < last) continue;
      row.remove();
      this.shown.delete(key);
    }
    const added = document.createDocumentFragment();
    for (let index = first; index < last; index++) {
      const key = this.keyOf(index);
      if (this.shown.has(key)) continue;
      const row = this.makeRow(index);
      row.place = index;
      row.style.top = `${index * ROW_HEIGHT}px`;
      this.shown.set(key, row);
      added.append(row);
    }
    this.sheet.append(added);
  }

  paintRuler() {
    const width = 8;
    const height = this.box.clientHeight;
    const scale = window.devicePixelRatio || 1;
    if (this.ruler.height !== Math.round(height * scale)) {
      this.ruler.width = width * scale;
      this.ruler.height = Math.round(height * scale);
      this.ruler.style.height = `${height}px`;
    }
    const context = this.ruler.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement);
    for (const [index, colour] of this.ticks()) {
      context.fillStyle = style.getPropertyValue(colour);
      context.fillRect(1, (this.rowOf(index) / this.count) * (height - 3), width - 2, 3);
    }
  }

  // Brings a row to where it is seen well, unless it is.
  reveal(index) {
    const top = this.rowOf(index) * ROW_HEIGHT;
    const height = this.box.clientHeight;
    const isSeen =
      top >= this.box.scrollTop + ROW_HEIGHT && top <= this.box.scrollTop + height - 2 * ROW_HEIGHT;
    if (isSeen) return;
    this.box.scrollTop = Math.max(0, top - height / 3);
    this.box.scrollLeft = 0;
    this.paint();
  }
}

function make(tag, className = "", properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
