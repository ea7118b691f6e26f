// What an instruction makes its warp wait for, and the registers that are live: the columns before
// machine code. The control bits are described in backend/sass.py.

function decodeControl(bits) {
  const barrier = (at) => ((bits >> at) & 7) === 7 ? null : (bits >> at) & 7;
  return {
    stall: bits & 15,
    yields: !((bits >> 4) & 1),
    write: barrier(5),
    read: barrier(8),
    waits: [0, 1, 2, 3, 4, 5].filter((n) => (bits >> (11 + n)) & 1),
    reuse: [0, 1, 2, 3].filter((n) => (bits >> (17 + n)) & 1),
  };
}

function describeControl({ stall, yields, write, read, waits, reuse }, live) {
  const words = [`stall: the warp issues its next instruction after ${plural(stall, "cycle")}`];
  if (waits.length) words.push(`waits for barrier ${waits.join(", ")}`);
  if (write !== null) words.push(`barrier ${write} is released when the result is written`);
  if (read !== null) words.push(`barrier ${read} is released when operands are read`);
  if (reuse.length) words.push(`operand ${reuse.join(", ")} stays in the reuse cache`);
  if (yields) words.push("yield: the scheduler prefers another warp");
  return [...words, `${plural(live, "register")} live`].join("\n");
}

// An instruction without the columns of nvdisasm.
function narrowCode(text) {
  const code = /^\s*\/\*([0-9a-f]+)\*\/\s+(@!?U?P\w+)?\s*(.*)$/.exec(text);
  return code ? `${code[1]} ${code[2] ? `${code[2]} ` : ""}${code[3]}` : text.replace(/^\s+/, "  ");
}

const barriersOf = ({ waits, read, write }) => [
  ...waits.map((n) => `?${n}`),
  ...(read === null ? [] : [`R${read}`]),
  ...(write === null ? [] : [`W${write}`]),
];

const MOST_BARRIERS = 5; // characters

// Characters that the cells of barriers take, the longest of which are cut: a column in which
// nothing is takes no room.
function barrierWidth(document) {
  document.barrierWidth ??= document.control.reduce(
    (most, [bits]) => (bits === undefined ? most : Math.max(most, Math.min(MOST_BARRIERS, barriersOf(decodeControl(bits)).join(" ").length))),
    0,
  );
  return document.barrierWidth;
}

const NUMBERS = 9; // characters of the columns of stalls and live registers
const controlWidth = (document) => NUMBERS + (barrierWidth(document) ? barrierWidth(document) + 2 : 0);

// The head of the columns.
const makeColumns = () => [
  make("span", "number"),
  make("span", "stall", { textContent: "st", title: "stall: cycles until the warp may issue its next instruction" }),
  make("span", "barriers", { textContent: "bar", title: "barriers: ?n: waits for barrier n; Rn, Wn: releases it when operands are read, when the result is written" }),
  make("span", "live", { textContent: "live", title: "live registers" }),
  make("code", "", { textContent: "instruction" }),
];

function makeControl(document, line) {
  const [bits, live] = document.control[line] ?? [];
  if (bits === undefined) return [make("span", "stall"), make("span", "barriers"), make("span", "live")];
  document.most ??= Math.max(1, ...document.control.map(([, each]) => each ?? 0));
  const control = decodeControl(bits);
  const title = describeControl(control, live);
  const stall = make("span", "stall", { title, textContent: control.stall });
  stall.style.setProperty("--part", `${(100 * control.stall) / 15}%`);
  const registers = make("span", "live", { title, textContent: live });
  registers.style.setProperty("--part", `${(100 * live) / document.most}%`);
  return [stall, make("span", "barriers", { title, textContent: barriersOf(control).join(" ") }), registers];
}
