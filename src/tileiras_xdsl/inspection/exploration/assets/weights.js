// Of all that an op became, which line matters most: the one with the heaviest name, see weights.py.

let weights = []; // [[regular expression, weight], …], of which the first that fits counts

function setWeights(list) {
  weights = list.map(([pattern, weight]) => [new RegExp(pattern), weight]);
}

// The name of the op or instruction of a line.
function codeName(document, text) {
  if (document.name === "sass") {
    const bare = text.replace(/\/\*.*?\*\//g, " ").replace(/@!?U?P\w+/g, " ");
    return /\b[A-Z][A-Z0-9]+(?:\.[\w.]+)?/.exec(bare)?.[0] ?? "";
  }
  if (document.isStep) return opName(text);
  const bare = text.trim().replace(/^@!?%\w+\s+/, "");
  // What LLVM IR calls says more than that it calls.
  if (!/^(?:%[\w.]+ = )?(?:tail )?call\b/.test(bare)) return opName(bare);
  const assembly = /\basm [^"]*"([^"]*)"/.exec(bare)?.[1].replace(/\\0A/g, " ");
  if (assembly === undefined) return /@[\w.]+/.exec(bare)?.[0] ?? "call";
  const names = assembly.match(/(?<![\w.$%])[a-z]\w*\.[\w.]+/g) ?? ["asm"];
  return names.reduce((best, name) => (weightOfName(name) > weightOfName(best) ? name : best));
}

const weightOfName = (name) => weights.find(([pattern]) => pattern.test(name))?.[1] ?? 1;

function weightOf(document, line) {
  const text = wholeText(document, line);
  // What is in the body stands for itself.
  if (document.isStep && text.endsWith("{")) return 1;
  return weightOfName(codeName(document, text));
}

// Whether a line is the one that stands for all that shares its marks in its document.
function isHeaviest(document, line, found) {
  if (document.language === "python") return true;
  const weight = weightOf(document, line);
  return relatedLines(document, found).every((each) => weightOf(document, each) <= weight);
}

// Of the lines that have to do with a line of another document, the one to show: the heaviest, if
// that line is the heaviest itself; else the one that is most like it. Of equals, the innermost.
function bestLine(document, lines, { document: other, line }) {
  const name = codeName(other, wholeText(other, line)).toLowerCase();
  const words = name.split(/[._]/).filter((word) => word.length > 2);
  const byWeight = isHeaviest(other, line, selectedSets);
  const own = weightOf(other, line);
  const score = (at) => {
    const text = wholeText(document, at);
    const lower = text.toLowerCase();
    // Machine code has no underscores: TRYWAIT.
    const bare = lower.replaceAll("_", "");
    const alike = words.filter((word) => lower.includes(word) || bare.includes(word)).length;
    const weight = document.language === "python" ? 0 : weightOf(document, at);
    const depth = document.isStep ? indentOf(text) : 0;
    return byWeight ? [weight, alike, depth] : [alike, -Math.abs(weight - own), depth];
  };
  let best = lines[0];
  let most = score(best);
  for (const at of lines) {
    const points = score(at);
    const first = points.findIndex((value, n) => value !== most[n]);
    if (first >= 0 && points[first] > most[first]) [best, most] = [at, points];
  }
  return best;
}
