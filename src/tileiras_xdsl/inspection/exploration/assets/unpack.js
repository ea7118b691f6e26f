// The data of a page: zlib in base64, which browsers have unpacked themselves since 2023.

async function unpack(base64) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("the browser is too old to unpack it, a newer one can");
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

// Numbers, of which each is given as what it has more than the one before it.
function undelta(differences) {
  const values = new Int32Array(differences.length);
  let value = 0;
  for (let i = 0; i < values.length; i++) values[i] = value += differences[i];
  return values;
}
