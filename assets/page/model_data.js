// A model as a page holds it, and what is read off a text that went through it.
import { run, runIds } from "./model.js";

// ---- tensors ----

// IEEE half precision: a sign, 5 bits of exponent, 10 of fraction.
function floatOfHalfBits(bits) {
  const exponent = (bits >> 10) & 31,
    fraction = (bits & 1023) / 1024,
    sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
}

const NUMBER_READERS = {
  F32: [4, (view, at) => view.getFloat32(at, true)],
  F16: [2, (view, at) => floatOfHalfBits(view.getUint16(at, true))],
};

// {name: {shape, data: Float32Array}} of {name: {shape, type, data}}, where data is base64 of little-endian numbers.
export function unpackedTensors(packed) {
  const unpack = ({ shape, type, data }) => {
    const letters = atob(data),
      bytes = new Uint8Array(letters.length),
      [size, read] = NUMBER_READERS[type];
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    const view = new DataView(bytes.buffer),
      numbers = new Float32Array(bytes.length / size);
    for (let i = 0; i < numbers.length; i++) numbers[i] = read(view, i * size);
    return { shape, data: numbers };
  };
  return Object.fromEntries(Object.entries(packed).map(([name, tensor]) => [name, unpack(tensor)]));
}

// ---- texts ----

// Of a model without a tokenizer the text is a list of ids: "464, 3797".
export function runTyped(model, text) {
  if (model.tokenizer) return run(model, text);
  const ids = text.split(/[\s,]+/).filter(Boolean);
  if (!ids.every((id) => /^\d{1,9}$/.test(id))) throw new Error("text: the model has no tokenizer: give ids of tokens, as 1, 2, 3");
  return runIds(model, ids.map(Number));
}

// The text with a token of the model behind it.
export function withToken(model, text, token) {
  if (!model.tokenizer) return text.trim() ? `${text.trimEnd()}, ${token}` : token;
  // Only byte-level tokens have the space before their word.
  return model.tokenizer.inLetters || text === "" ? text + token : `${text} ${token}`;
}

// ---- weights ----

const meansOfHeads = new WeakMap();

// The weights of a head, T x T; head null: the mean over the layer's heads.
export function headWeights(result, layer, head) {
  const heads = result.weights[layer];
  if (head !== null) return heads[head];
  if (!meansOfHeads.has(heads))
    meansOfHeads.set(
      heads,
      heads[0].map((row, query) => row.map((_, key) => heads.reduce((sum, own) => sum + own[query][key], 0) / heads.length)),
    );
  return meansOfHeads.get(heads);
}

// The head in which the last token looks most at what the model expects next, where the text has that already; else at another token than
// the first, on which heads rest that find nothing.
export function strongestHead(result, layer) {
  const last = result.tokens.length - 1,
    inner = Array.from({ length: Math.max(0, last - 1) }, (_, i) => i + 1);
  const expected = inner.filter((at) => result.tokens[at] === result.next[0][0]),
    looked = (row) => (expected.length > 0 ? expected.reduce((sum, at) => sum + row[at], 0) : Math.max(0, ...inner.map((at) => row[at])));
  const sizes = result.weights[layer].map((head) => looked(head[last]));
  return Math.max(0, sizes.indexOf(Math.max(...sizes))); // 0: no number is one
}

// The places of the largest numbers, in their order.
export function placesOfLargest(numbers, count) {
  const places = [...numbers.keys()];
  if (places.length <= count) return places;
  return places
    .sort((a, b) => numbers[b] - numbers[a] || a - b)
    .slice(0, count)
    .sort((a, b) => a - b);
}
