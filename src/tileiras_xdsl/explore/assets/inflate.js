// What the page carries is compressed: zlib in base64. Browsers unpack that themselves; for those
// that cannot, the format (RFC 1950 and 1951) is read here.

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
];
const LENGTH_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// A Huffman code by the lengths of its words: how many there are of each length, and the symbols
// in the order of their words.
function makeCode(lengths) {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  const next = new Uint16Array(16);
  for (let bits = 1; bits < 16; bits++) next[bits] = next[bits - 1] + counts[bits - 1];
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length) symbols[next[length]++] = symbol;
  });
  return { counts, symbols };
}

function inflate(bytes) {
  let position = 2; // after the header of zlib
  let hold = 0;
  let held = 0;
  let output = new Uint8Array(bytes.length * 8);
  let size = 0;

  function take(count) {
    while (held < count) {
      hold |= bytes[position++] << held;
      held += 8;
    }
    const value = hold & ((1 << count) - 1);
    hold >>>= count;
    held -= count;
    return value;
  }
  function symbolOf({ counts, symbols }) {
    let word = 0;
    let first = 0;
    let index = 0;
    for (let bits = 1; bits < 16; bits++) {
      word |= take(1);
      const count = counts[bits];
      if (word - first < count) return symbols[index + word - first];
      index += count;
      first = (first + count) << 1;
      word <<= 1;
    }
    throw new Error("the data of this page is damaged");
  }
  function reserve(count) {
    if (size + count <= output.length) return;
    const larger = new Uint8Array(Math.max(output.length * 2, size + count));
    larger.set(output);
    output = larger;
  }
  function copyStored() {
    hold = held = 0;
    const length = bytes[position] | (bytes[position + 1] << 8);
    position += 4;
    reserve(length);
    output.set(bytes.subarray(position, position + length), size);
    position += length;
    size += length;
  }
  function readCodes() {
    const literals = take(5) + 257;
    const distances = take(5) + 1;
    const codes = take(4) + 4;
    const lengths = new Array(19).fill(0);
    for (let i = 0; i < codes; i++) lengths[CODE_ORDER[i]] = take(3);
    const code = makeCode(lengths);
    const all = [];
    while (all.length < literals + distances) {
      const symbol = symbolOf(code);
      if (symbol < 16) all.push(symbol);
      else {
        const value = symbol === 16 ? all[all.length - 1] : 0;
        const [bits, least] = [[2, 3], [3, 3], [7, 11]][symbol - 16];
        for (let count = take(bits) + least; count > 0; count--) all.push(value);
      }
    }
    return [makeCode(all.slice(0, literals)), makeCode(all.slice(literals))];
  }
  function fixedCodes() {
    const lengths = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8));
    return [makeCode(lengths), makeCode(new Array(30).fill(5))];
  }
  function copyCoded([literals, distances]) {
    for (;;) {
      const symbol = symbolOf(literals);
      if (symbol === 256) return;
      if (symbol < 256) {
        reserve(1);
        output[size++] = symbol;
        continue;
      }
      const length = LENGTH_BASE[symbol - 257] + take(LENGTH_BITS[symbol - 257]);
      const far = symbolOf(distances);
      const distance = DISTANCE_BASE[far] + take(far < 4 ? 0 : (far >> 1) - 1);
      reserve(length);
      for (let i = 0; i < length; i++, size++) output[size] = output[size - distance];
    }
  }

  for (let last = 0; !last; ) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) copyStored();
    else copyCoded(kind === 1 ? fixedCodes() : readCodes());
  }
  return output.subarray(0, size);
}

async function unpack(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  if (typeof DecompressionStream === "undefined") return new TextDecoder().decode(inflate(bytes));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}
