// Colours of the words of a line.

const LONGEST = 4000;
const TOKENS = {
  mlir: /(\/\/.*)|("(?![a-z_]\w*\.[\w.]+"\()(?:[^"\\]|\\.)*")|(%[\w$.]+(?:#\d+)?)|(\^[\w$.]+)|(@[\w$.]+|@"[^"]*")|([!#][A-Za-z_][\w.$]*)|("[a-z_]\w*\.[\w.]+"|\b[a-z_]\w*\.[\w.]+)|(-?\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\b)|(\b(?:[su]?i\d+|b?f\d+\w*|tf32|index|none|tensor|memref|vector|tile|ptr|token)\b)/g,
  code: /(\/\/.*|;.*$)|("(?:[^"\\]|\\.)*")|(%[\w$.]+|\bU?[RP]\d+\b)|(\$L[\w]+|^\s*[\w.$-]+:(?=\s|$))|(@[\w$.]+|@"[^"]*")|([!#]\w+)|((?:^\s*(?:@!?%?\w+\s+)?|=\s+)[A-Za-z][\w.]*|^\s*\.\w+)|(-?\b(?:0x[0-9a-fA-F]+|0[fd][0-9a-fA-F]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b)|(\b(?:i\d+|float|double|half|ptr|void)\b|\.(?:[bsuf]\d+|f16x2|pred)\b)/g,
  python: /(#.*)|("""(?:.*?""")?|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|((?!))|(\b(?:def|return|for|in|if|elif|else|while|and|or|not|is|None|True|False|lambda|with|as|import|from|pass|break|continue)\b)|(@[\w.]+)|((?!))|(\b[A-Za-z_]\w*(?=\())|(-?\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\b)|(\b(?:int|float|bool|tuple)\b)/g,
};
const CLASSES = ["comment", "string", "value", "block", "symbol", "type", "op", "number", "type"];

// Pieces of a line: text and class, one after the other.
function tokenize(text, language) {
  const pattern = TOKENS[language];
  const pieces = [];
  let at = 0;
  pattern.lastIndex = 0;
  for (let match; (match = pattern.exec(text)); ) {
    if (match.index > at) pieces.push([text.slice(at, match.index), ""]);
    const kind = CLASSES[match.findIndex((group, n) => n > 0 && group !== undefined) - 1];
    // What stands before the name of an op: its dialect, or an equals sign or a predicate.
    const isOp = kind === "op";
    const name = !isOp ? 0 : language === "mlir" ? match[0].indexOf(".") + 1 : match[0].search(/[\w.]+$/);
    if (name) pieces.push([match[0].slice(0, name), language === "mlir" ? "dialect" : ""]);
    pieces.push([match[0].slice(name), kind]);
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push([text.slice(at), ""]);
  return pieces;
}

// Fills an element with a line; ranges are places to stand out: [from, to, class].
function fillLine(element, text, language, ranges) {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length} characters)` : text;
  let at = 0;
  for (const [piece, kind] of tokenize(shown, language)) {
    let from = at;
    const end = at + piece.length;
    for (const [start, stop, extra] of ranges) {
      const first = Math.max(start, from);
      const last = Math.min(stop, end);
      if (first >= last) continue;
      if (first > from) addPiece(element, shown.slice(from, first), kind);
      addPiece(element, shown.slice(first, last), `${kind} ${extra}`);
      from = last;
    }
    if (from < end) addPiece(element, shown.slice(from, end), kind);
    at = end;
  }
}

function addPiece(element, text, kind) {
  if (!kind) return void element.append(text);
  const span = document.createElement("span");
  span.className = kind;
  span.textContent = text;
  element.append(span);
}
