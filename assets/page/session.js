// The session file in a page: readLayer(json) checks a session of one layer and gives its settings and numbers. The fields are those of
// engine/session/FORMAT.md, with all arrays written out as lists; the checks those of engine/layer/layer_checks.cpp. Letters: B sequences,
// Tq query tokens, Tk key tokens, H heads, G heads of keys and values, d_k and d_v widths of a head.
import { TorchStream, linearBiasBound, linearWeightBound } from "./random.js";

const LAYER_PARAMETERS = ["query", "key", "value", "output"],
  LAYER_ARRAYS = LAYER_PARAMETERS.flatMap((name) => [name, `${name}_bias`]);
const MOST_TOKENS = 32768,
  FLOAT_MOST = 3.4028234663852886e38;

// ---- readers: functions of a value, undefined where it is left out, and its place in the session ----

function expectSession(good, place, what) {
  if (!good) throw new Error(place ? `${place}: ${what}` : what);
}

function kindOf(value) {
  return value === null ? "null" : Array.isArray(value) ? "a list" : value === undefined ? "missing" : typeof value;
}

// The members of an object, each by its reader. No unknown member is passed over.
const members = (readers) => (value, place) => {
  const known = Object.keys(readers),
    at = (key) => (place ? `${place}.${key}` : key);
  expectSession(kindOf(value) === "object", place, `is ${kindOf(value)}, expected {${known.join(", ")}}`);
  for (const key of Object.keys(value)) expectSession(known.includes(key), at(key), `unknown key "${key}", known are ${known.join(", ")}`);
  return Object.fromEntries(known.map((key) => [key, readers[key](value[key], at(key))]));
};

const anything = (value) => value;
const orElse = (fallback, read) => (value, place) => (value === undefined ? fallback : read(value, place));
// null switches a setting off.
const orNull = (read) => (value, place) => (value === undefined || value === null ? null : read(value, place));

// A reader of values for which `good` holds.
const valueThat = (good, wanted) => (value, place) => {
  expectSession(
    good(value),
    place,
    `is ${Number.isFinite(value) || typeof value === "string" ? JSON.stringify(value) : kindOf(value)}, expected ${wanted}`,
  );
  return value;
};

const someNumber = valueThat(Number.isFinite, "a number");
const someText = valueThat((value) => typeof value === "string", "text");
const trueOrFalse = orElse(
  false,
  valueThat((value) => typeof value === "boolean", "true or false"),
);
const whole = (low, high) =>
  valueThat((value) => Number.isInteger(value) && value >= low && value <= high, `a whole number from ${low} to ${high}`);
const oneOf = (...words) => valueThat((value) => words.includes(value), `one of ${words.join(", ")}`);
// A seed has up to 64 bits; one beyond 2^53, which numbers of JavaScript round, may be its digits as text.
const someSeed = valueThat(
  (value) => Number.isInteger(value) || (typeof value === "string" && /^-?\d{1,20}$/.test(value)),
  "a whole number",
);

// A list of such values; empty where it is missing or null.
const listOf = (read) => (value, place) => {
  if (value === undefined || value === null) return [];
  expectSession(Array.isArray(value), place, `is ${kindOf(value)}, expected a list`);
  return value.map((item, i) => read(item, `${place}[${i}]`));
};

// ---- arrays ----

const BEYOND_JSON = new Map([
  ["nan", NaN],
  ["inf", Infinity],
  ["-inf", -Infinity],
]);

function cellNumber(value, place) {
  if (BEYOND_JSON.has(value)) return BEYOND_JSON.get(value);
  const number = Math.fround(someNumber(value, place));
  expectSession(Number.isFinite(number), place, "a number is too large for float32");
  return number;
}

// [of(0), of(1), ...]
export const listOfSize = (count, of) => Array.from({ length: count }, (_, i) => of(i));

export function newArray(shape) {
  return { shape, data: new Float32Array(shape.reduce((product, size) => product * size, 1)) };
}

// Calls visit(place in the data, sequence, head, row, column) for each number of an array of four axes.
export function eachPlace({ shape: [sequences, heads, rows, columns] }, visit) {
  let next = 0;
  for (let b = 0; b < sequences; b++)
    for (let h = 0; h < heads; h++)
      for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) visit(next++, b, h, row, column);
}

// Nested lists, all of one length at each depth, as {shape, data} in float32.
const arrayOf = (least, most) => (value, place) => {
  const shape = [];
  for (let list = value; Array.isArray(list); list = list[0]) shape.push(list.length);
  expectSession(kindOf(value) !== "object", place, "is in another file; in a page all numbers are written out");
  expectSession(shape.length >= least && shape.length <= most && !shape.includes(0), place, `is no array of ${least} to ${most} axes`);
  const array = newArray(shape);
  let next = 0;
  const fill = (list, depth) => {
    expectSession(Array.isArray(list) && list.length === shape[depth], place, `a list has not ${shape[depth]} entries as the first one`);
    for (const item of list) {
      if (depth + 1 < shape.length) fill(item, depth + 1);
      else array.data[next++] = cellNumber(item, place);
    }
  };
  fill(value, 0);
  return array;
};

// Rows of numbers for each sequence, [T][d] or [B][T][d]: {count, rows, columns, data}.
function batchOf(value, place) {
  const { shape, data } = arrayOf(2, 3)(value, place),
    [rows, columns] = shape.slice(-2);
  return { count: shape.length === 3 ? shape[0] : 1, rows, columns, data };
}

// Numbers for pairs of query and key: the last of the axes B, H, Tq, Tk; each may be 1 for all.
function pairsOf(value, place) {
  const { shape, data } = arrayOf(1, 4)(value, place);
  return { shape: [1, 1, 1, 1].slice(shape.length).concat(shape), data };
}

export function pairAt({ shape: [sequences, heads, rows, columns], data }, sequence, head, query, key) {
  const matrix = (sequences === 1 ? 0 : sequence) * heads + (heads === 1 ? 0 : head);
  return data[(matrix * rows + (rows === 1 ? 0 : query)) * columns + (columns === 1 ? 0 : key)];
}

// ---- the fields of a session ----

const someWidth = orElse(0, whole(1, 2 ** 24)),
  somePosition = orElse(0, whole(-(2 ** 30), 2 ** 30)),
  numbers = listOf(someNumber);

// One whole number, or one for each sequence.
function someCounts(value, place) {
  expectSession(!Array.isArray(value) || value.length > 0, place, "has no numbers");
  return listOf(whole(-MOST_TOKENS, MOST_TOKENS))(value === undefined || Array.isArray(value) ? value : [value], place);
}

const readScaling = members({
  factor: orElse(1, someNumber),
  low: orElse(1, someNumber),
  high: orElse(4, someNumber),
  positions: orElse(8192, whole(1, 2 ** 30)),
  blend: orElse("turns", oneOf("turns", "whole_pairs", "pairs")),
  magnitude: orElse(1, someNumber),
  factors: numbers,
});

const readPosition = members({
  kind: oneOf("rope", "alibi"),
  theta: orElse(10000, someNumber),
  dims: orNull(whole(2, 2 ** 24)),
  pairs: orElse("halves", oneOf("halves", "neighbours")),
  scaling: (value, place) => readScaling(value ?? {}, place),
  start: somePosition,
  key_start: somePosition,
  slopes: numbers,
});

const readRules = members({
  causal: trueOrFalse,
  offset: someCounts,
  window: listOf(orNull(whole(0, MOST_TOKENS))),
  keys: someCounts,
  allowed: orElse(null, pairsOf),
});

// kind: "none", "causal", "custom" (allowed alone) or "rules".
function readMask(value, place) {
  const rules = readRules(kindOf(value) === "object" ? value : {}, place),
    { causal, offset: offsets, window, keys } = rules;
  const allowed = Array.isArray(value) ? pairsOf(value, place) : rules.allowed;
  expectSession([0, 2].includes(window.length), `${place}.window`, "is not [left, right]");
  let kind = "rules";
  if (Array.isArray(value) && allowed.shape[0] * allowed.shape[1] === 1) kind = "custom";
  else if (!Array.isArray(value) && kindOf(value) !== "object") kind = orElse("none", oneOf("none", "causal"))(value, place);
  return { kind, causal, offsets, window: window.length === 2 ? window : [null, null], keys, allowed };
}

const readDropout = members({
  probability: orElse(
    0,
    valueThat((value) => value >= 0 && value <= 1, "a number between 0 and 1"),
  ),
  training: orElse(true, trueOrFalse),
  seed: orNull(someSeed),
  build: orElse("default", oneOf("default", "mkl")),
});

const readAttention = members({
  projection: orElse("none", oneOf("none", "linear", "weights")),
  d_out: someWidth,
  num_heads: someWidth,
  num_kv_heads: someWidth,
  d_k: someWidth,
  d_v: someWidth,
  position: orNull(readPosition),
  softcap: orNull(someNumber),
  sinks: numbers,
  bias: orNull(pairsOf),
  qkv_bias: trueOrFalse,
  output_projection: trueOrFalse,
  scale: (value, place) =>
    (typeof value === "number" ? someNumber : orElse("inverse_sqrt_dk", oneOf("inverse_sqrt_dk", "none")))(value, place),
  mask: readMask,
  normalization: orElse("softmax", oneOf("softmax", "naive_softmax", "sum")),
  dropout: (value, place) => readDropout(value === undefined ? {} : value, place),
  disabled_heads: listOf(whole(0, 2 ** 24)),
});

const readWeights = members({
  init: orElse(null, oneOf("rand", "linear")),
  seed: orElse(null, someSeed),
  order: orElse(null, listOf(oneOf(...LAYER_PARAMETERS))),
  layout: orElse(null, oneOf("in_out", "out_in")),
  ...Object.fromEntries(LAYER_ARRAYS.map((name) => [name, orElse(null, name.endsWith("_bias") ? arrayOf(1, 1) : arrayOf(2, 2))])),
});

// Numbers that replace a block of a stage before later ones are computed (engine/layer/overwriting.h). Only pages have this field: a
// layer of a whole model that was changed is a session of its own there.
const readOverwritten = members({
  stage: oneOf("queries", "keys", "values", "rotated_queries", "rotated_keys", "weights", "context"),
  ...Object.fromEntries(["sequence", "head", "row", "column"].map((name) => [name, orElse(0, whole(0, MOST_TOKENS))])),
  values: arrayOf(2, 2),
});

const readFields = members({
  format: anything,
  version: anything,
  title: orElse("", someText),
  notes: orElse("", someText),
  tokens: valueThat(Array.isArray, "a list of labels"),
  key_tokens: listOf(someText),
  embeddings: orElse(null, batchOf),
  key_embeddings: orElse(null, batchOf),
  attention: readAttention,
  given: orElse(
    null,
    members({ query: orElse(null, batchOf), key: orElse(null, batchOf), value: orElse(null, batchOf), weights: orElse(null, pairsOf) }),
  ),
  weights: orElse(null, readWeights),
  goal: anything,
  training: anything,
  lesson: anything,
  overwritten: listOf(readOverwritten),
});

// ---- the layer ----

// The settings and numbers of the layer. Throws Error with what is wrong and where.
export function readLayer(json) {
  expectSession(json?.format === "headlight-session", "format", "this is not a Headlight session");
  expectSession(json.version === 1, "version", `is ${json.version}, expected 1`);
  expectSession(!("model_folder" in json), "model_folder", "the session is one of a whole model");
  const { attention: a, ...fields } = readFields(json, "");
  const layer = {
    tokens: listOf(someText)(fields.tokens, "tokens"),
    keyTokens: fields.key_tokens,
    embeddings: fields.embeddings,
    keyEmbeddings: fields.key_embeddings,
    overwritten: fields.overwritten,
    projection: a.projection,
    dOut: a.d_out || (a.projection !== "linear" && fields.embeddings?.columns) || 0,
    heads: a.num_heads || 1,
    keyHeads: a.num_kv_heads,
    dK: a.d_k,
    dV: a.d_v,
    qkvBias: a.qkv_bias,
    outputProjection: a.output_projection,
    position: a.position ?? { kind: "none" },
    softcap: a.softcap ?? 0,
    sinks: a.sinks,
    bias: a.bias,
    mask: a.mask,
    normalization: a.normalization,
    dropout: a.dropout,
    disabledHeads: a.disabled_heads,
    given: {},
    givenWeights: null,
    weights: { layout: "in_out" },
    recipe: null,
  };
  if (fields.given) takeGiven(layer, fields.given, a);
  completeSizes(layer, a.scale);
  checkInputs(layer);
  if (fields.weights) takeWeights(layer, fields.weights);
  checkWeights(layer);
  checkSettings(layer);
  return layer;
}

// The width of one head; 0 where the columns are not so many equal heads.
function headWidth(rows, heads) {
  return rows && rows.columns % heads === 0 ? rows.columns / heads : 0;
}

// Queries, keys and values that are given, those that are not are X; or weights, and values where there are any.
function takeGiven(layer, { query, key, value, weights }, attention) {
  const saved = layer.projection === "weights",
    x = layer.embeddings,
    y = layer.keyEmbeddings ?? x;
  expectSession(layer.projection !== "linear", "given", 'queries, keys and values are given: the projection is "none"');
  expectSession(
    saved ? weights && !query && !key : !weights,
    "given",
    "has weights and value where the projection is weights, else query, key and value",
  );
  layer.given = saved ? (value ? { value } : {}) : { query: query ?? x, key: key ?? y, value: value ?? y };
  for (const [name, rows] of Object.entries(layer.given))
    expectSession(rows, `given.${name}`, "is missing, and so are embeddings, which it then is");
  layer.givenWeights = weights;
  if (!saved) layer.projection = "given";
  if (saved && attention.num_heads === 0) layer.heads = weights.shape[1];
  if (saved && layer.dOut === 0 && !value) layer.dOut = layer.heads;
  layer.dK = layer.dK || headWidth(layer.given.query, layer.heads);
  layer.dV = layer.dV || headWidth(layer.given.value, layer.keyHeads || layer.heads);
  if (attention.d_out === 0) layer.dOut = Math.max(layer.dV, 1) * layer.heads;
}

// Sizes that are left out follow from the others.
function completeSizes(layer, scale) {
  layer.sequences = layer.embeddings?.count ?? layer.givenWeights?.shape[0] ?? layer.given.query?.count;
  layer.queryCount = layer.tokens.length;
  layer.keyCount = layer.keyTokens.length || layer.queryCount;
  layer.keyHeads = layer.keyHeads || layer.heads;
  expectSession(layer.heads % layer.keyHeads === 0, "attention.num_kv_heads", `${layer.keyHeads} does not divide num_heads ${layer.heads}`);
  const shares = layer.dK === 0 || layer.dV === 0;
  expectSession(!shares || layer.dOut % layer.heads === 0, "attention.num_heads", `${layer.heads} does not divide d_out ${layer.dOut}`);
  layer.dK = layer.dK || layer.dOut / layer.heads;
  layer.dV = layer.dV || layer.dOut / layer.heads;
  layer.scale = Math.fround(scale === "none" ? 1 : scale === "inverse_sqrt_dk" ? 1 / Math.sqrt(layer.dK) : scale);
}

// ---- weights: numbers, or drawn by a recipe ----

export function usesParameter(layer, name) {
  return name === "output" ? layer.outputProjection : layer.projection === "linear";
}

export function usesBias(layer, name) {
  return usesParameter(layer, name) && (name === "output" || layer.qkvBias);
}

// [inputs, outputs] of a parameter's layer.
function parameterWidths(layer, name) {
  if (name === "output") return [layer.heads * layer.dV, layer.dOut];
  if (name === "query") return [layer.embeddings.columns, layer.heads * layer.dK];
  return [(layer.keyEmbeddings ?? layer.embeddings).columns, layer.keyHeads * (name === "key" ? layer.dK : layer.dV)];
}

// manual_seed(seed), then each parameter in turn, its bias after its weight: torch.rand gives d_in x d_out, nn.Linear d_out x d_in.
function drawWeights(layer, { init, seed, order }) {
  const stream = new TorchStream(seed),
    linear = init === "linear",
    missing = LAYER_PARAMETERS.find((name) => usesParameter(layer, name) && !order.includes(name));
  expectSession(missing === undefined, "weights.order", `does not name ${missing}, which the settings use`);
  for (const name of order.filter((name) => usesParameter(layer, name))) {
    const [inputs, outputs] = parameterWidths(layer, name),
      bound = linearWeightBound(inputs),
      biasBound = linearBiasBound(inputs);
    const weight = newArray(linear ? [outputs, inputs] : [inputs, outputs]),
      bias = newArray([outputs]);
    weight.data.forEach((_, i) => (weight.data[i] = linear ? stream.uniform(bound) : stream.rand()));
    if (linear && usesBias(layer, name)) bias.data.forEach((_, i) => (bias.data[i] = stream.uniform(biasBound)));
    layer.weights[name] = weight;
    layer.weights[`${name}_bias`] = bias;
  }
}

function takeWeights(layer, { init, seed, order, layout, ...arrays }) {
  const given = Object.entries(arrays).filter(([, array]) => array),
    implied = init === "linear" ? "out_in" : "in_out";
  if (init !== null || seed !== null || order) {
    const names = order ?? LAYER_PARAMETERS;
    expectSession(init !== null && seed !== null, "weights", "weights that are drawn need init and seed");
    expectSession(new Set(names).size === names.length, "weights.order", "names a parameter twice");
    layer.recipe = { init, seed, order: names };
  }
  const drawn = layer.recipe !== null && given.length === 0;
  layer.isEdited = !drawn; // numbers beside a recipe are those that were drawn and then edited
  expectSession(layer.recipe || layout, "weights.layout", "is missing");
  expectSession(!drawn || (layout ?? implied) === implied, "weights.layout", '"rand" draws in_out, "linear" draws out_in');
  layer.weights = { layout: layout ?? implied, ...Object.fromEntries(given) };
  if (drawn) drawWeights(layer, layer.recipe);
}

// ---- checks ----

function requireFinite(array, place) {
  expectSession(array.data.every(Number.isFinite), place, "a number is not finite");
}

function requireRows(batch, place, sequences, rows, columns = batch.columns) {
  const right = batch.count === sequences && batch.rows === rows && batch.columns === columns;
  expectSession(right, place, `is ${batch.count} x ${batch.rows} x ${batch.columns}, expected ${sequences} x ${rows} x ${columns}`);
  requireFinite(batch, place);
}

function checkInputs(layer) {
  const { sequences, queryCount, keyCount, embeddings: x, keyEmbeddings: y, dOut } = layer,
    needed = ["none", "linear"].includes(layer.projection);
  expectSession(queryCount > 0 && Math.max(queryCount, keyCount) <= MOST_TOKENS, "tokens", `there are 1 to ${MOST_TOKENS}`);
  expectSession(x || !needed, "embeddings", "is missing");
  expectSession(y || !needed || layer.keyTokens.length === 0, "key_embeddings", `has no row for each of the ${keyCount} key tokens`);
  expectSession((layer.projection === "weights") === (layer.givenWeights !== null), "given.weights", "is missing");
  if (x) requireRows(x, "embeddings", sequences, queryCount);
  if (y) requireRows(y, "key_embeddings", sequences, keyCount);
  const widths = { query: layer.heads * layer.dK, key: layer.keyHeads * layer.dK, value: layer.keyHeads * layer.dV },
    concat = layer.heads * layer.dV;
  for (const [name, batch] of Object.entries(layer.given))
    requireRows(batch, `given.${name}`, sequences, name === "query" ? queryCount : keyCount, widths[name]);
  const ofX = [dOut, concat, widths.query, widths.key, widths.value, (y ?? x)?.columns];
  expectSession(
    layer.projection !== "none" || ofX.every((width) => width === x.columns),
    "attention.d_out",
    "without projections all widths are d_in",
  );
  expectSession(dOut > 0 && (layer.outputProjection || concat === dOut), "attention.d_out", `is ${dOut}, but the heads are ${concat} wide`);
}

function checkPosition(layer) {
  const position = layer.position,
    place = "attention.position";
  if (position.kind === "alibi") requireForHeads(layer, position.slopes, `${place}.slopes`);
  if (position.kind !== "rope") return;
  position.dims = position.dims ?? layer.dK;
  expectSession(
    position.dims % 2 === 0 && position.dims <= layer.dK,
    `${place}.dims`,
    `is ${position.dims}, expected an even number up to d_k ${layer.dK}`,
  );
  expectSession(position.theta > 0, `${place}.theta`, "is not above 0");
  const { factor, low, high, magnitude, factors, blend } = position.scaling;
  const good = Math.min(factor, low, magnitude, ...factors) > 0 && high > low && (blend === "turns" || position.theta > 1);
  expectSession(good && [0, position.dims / 2].includes(factors.length), `${place}.scaling`, "its numbers do not go together");
}

function requireForHeads({ heads }, list, place) {
  const good = [0, heads].includes(list.length) && list.every((number) => Math.abs(number) <= FLOAT_MOST);
  expectSession(good, place, `gives not one number below 3.4e38 for each of ${heads} heads`);
}

// once: whether each axis may be 1.
function requireAxes({ shape }, place, layer, once) {
  const wanted = [layer.sequences, layer.heads, layer.queryCount, layer.keyCount];
  const right = shape.every((size, axis) => size === wanted[axis] || (size === 1 && once[axis]));
  expectSession(right, place, `is ${shape.join(" x ")}, expected B x H x Tq x Tk, which are ${wanted.join(" x ")}`);
}

function checkMask(layer) {
  const { kind, allowed, offsets, keys } = layer.mask,
    place = "attention.mask",
    free = kind === "rules";
  if (allowed) requireAxes(allowed, place, layer, [true, true, free, free]);
  expectSession(!allowed || allowed.data.every((cell) => cell === 0 || cell === 1), place, "a cell is neither 0 nor 1");
  expectSession([0, 1, layer.sequences].includes(offsets.length), `${place}.offset`, "is not one number for each sequence");
  const good = [0, layer.sequences].includes(keys.length) && keys.every((count) => count >= 0 && count <= layer.keyCount);
  expectSession(good, `${place}.keys`, `is not 0 to ${layer.keyCount} for each sequence`);
}

function checkWeights(layer) {
  const required = (key, shape) => {
    const array = layer.weights[key],
      place = `weights.${key}`;
    expectSession(
      array?.shape.join() === shape.join(),
      place,
      `is ${array?.shape.join(" x ") ?? "missing"}, expected ${shape.join(" x ")}`,
    );
    requireFinite(array, place);
  };
  for (const name of LAYER_PARAMETERS.filter((name) => usesParameter(layer, name))) {
    const [inputs, outputs] = parameterWidths(layer, name);
    required(name, layer.weights.layout === "in_out" ? [inputs, outputs] : [outputs, inputs]);
    if (usesBias(layer, name)) required(`${name}_bias`, [outputs]);
  }
}

function checkSettings(layer) {
  const { bias, sinks, softcap, heads, disabledHeads: off } = layer;
  checkPosition(layer);
  checkMask(layer);
  requireForHeads(layer, sinks, "attention.sinks");
  expectSession(Number.isFinite(layer.scale), "attention.scale", "is not below 3.4e38");
  expectSession(softcap >= 0 && softcap <= FLOAT_MOST, "attention.softcap", "is not a number above 0");
  expectSession(sinks.length === 0 || layer.normalization === "softmax", "attention.sinks", "sinks are part of a softmax");
  expectSession(
    new Set(off).size === off.length && off.every((head) => head < heads),
    "attention.disabled_heads",
    `names not each of ${heads} heads once`,
  );
  if (bias) requireAxes(bias, "attention.bias", layer, [true, true, true, true]);
  expectSession(
    !bias || bias.data.every((number) => Number.isFinite(number) || number === -Infinity),
    "attention.bias",
    "a number is neither finite nor -inf",
  );
  if (!layer.givenWeights) return;
  requireAxes(layer.givenWeights, "given.weights", layer, [false, false, false, false]);
  const idle = layer.position.kind !== "none" || softcap > 0 || sinks.length > 0 || bias || layer.mask.kind !== "none";
  expectSession(!idle, "attention", "a position, softcap, sinks, bias or mask have no effect: the weights are given");
}
