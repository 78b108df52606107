// The session file in a page: readLayer(json) checks a session of one layer and gives its settings and numbers. The fields are those of
// engine/session/FORMAT.md, with all arrays written out as lists; the checks those of engine/model/model_checks.cpp. Letters: B sequences,
// Tq query tokens, Tk key tokens, H heads, G heads of keys and values, d_k and d_v widths of a head.
import { TorchStream, drawDropoutNoise, linearBiasBound, linearWeightBound } from "./random.js";

const LAYER_PARAMETERS = ["query", "key", "value", "output"];
const MOST_TOKENS = 32768;
const FLOAT_MOST = 3.4028234663852886e38;

// ---- reading the fields of a session ----

function refuseSession(what, place, hint) {
  throw new Error(`${place ? place + ": " : ""}${what}${hint ? ": " + hint : ""}`);
}

function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return { object: "an object", string: "text", number: "a number", boolean: "true or false" }[typeof value] ?? "nothing";
}

// The members of an object: each is read by the kind that it must have, and no unknown one is passed over.
class Fields {
  constructor(value, place, known) {
    if (kindOf(value) !== "an object") refuseSession(`is ${kindOf(value)}, expected an object {...}`, place, `it holds ${known.join(", ")}`);
    this.value = value;
    this.at = place;
    for (const key of Object.keys(value))
      if (!known.includes(key)) refuseSession(`unknown key "${key}"`, this.place(key), `known are ${known.join(", ")}`);
  }

  place(key) {
    return this.at ? `${this.at}.${key}` : key;
  }

  has(key) {
    return Object.prototype.hasOwnProperty.call(this.value, key);
  }

  find(key) {
    return this.has(key) ? this.value[key] : undefined;
  }

  // Whether the member is there and not null: null switches a setting off.
  sets(key) {
    return this.has(key) && this.value[key] !== null;
  }

  require(key, hint) {
    if (!this.has(key)) refuseSession(`"${key}" is missing`, this.place(key), hint);
    return this.value[key];
  }

  number(key, fallback) {
    return this.has(key) ? finiteNumber(this.value[key], this.place(key)) : fallback;
  }

  whole(key, fallback, low, high) {
    return this.has(key) ? wholeNumber(this.value[key], this.place(key), low, high) : fallback;
  }

  flag(key, fallback) {
    const value = this.has(key) ? this.value[key] : fallback;
    if (typeof value !== "boolean") refuseSession(`is ${kindOf(value)}, expected true or false`, this.place(key));
    return value;
  }

  word(key, words, fallback) {
    const value = this.has(key) ? this.value[key] : fallback;
    if (!words.includes(value)) refuseSession(`${JSON.stringify(value)} is unknown`, this.place(key), `known words: ${words.join(", ")}`);
    return value;
  }

  texts(key) {
    const list = this.value[key];
    if (!Array.isArray(list) || list.some((text) => typeof text !== "string"))
      refuseSession("is not a list of labels", this.place(key), 'write ["Your", "journey"]');
    if (list.length > MOST_TOKENS) refuseSession(`these are ${list.length} tokens`, this.place(key), `at most ${MOST_TOKENS} can be shown`);
    return list.slice();
  }

  // A list of one number for each of something; empty where it is missing or null.
  numbers(key) {
    if (!this.sets(key)) return [];
    if (!Array.isArray(this.value[key])) refuseSession(`is ${kindOf(this.value[key])}, expected a list`, this.place(key));
    return this.value[key].map((number, i) => finiteNumber(number, `${this.place(key)}[${i}]`));
  }
}

function finiteNumber(value, place) {
  if (typeof value !== "number" || !Number.isFinite(value)) refuseSession(`is ${kindOf(value)}, expected a number`, place, "write a plain number such as 0.5");
  return value;
}

function wholeNumber(value, place, low, high) {
  finiteNumber(value, place);
  if (!Number.isInteger(value) || value < low || value > high)
    refuseSession(`is ${value}, expected a whole number from ${low} to ${high}`, place, "choose a number in that range");
  return value;
}

// A seed is any whole number of 64 bits; one beyond 2^53, which numbers of JavaScript round, may be its digits as text.
function seedOf(value, place) {
  const digits = typeof value === "string" && /^-?\d{1,20}$/.test(value);
  if (!digits && !Number.isInteger(value)) refuseSession(`is ${kindOf(value)}, expected a whole number`, place, "write a seed such as 123");
  return value;
}

const NUMBERS_BEYOND_JSON = { nan: NaN, inf: Infinity, "-inf": -Infinity };

function cellNumber(value, place) {
  if (typeof value === "string" && value in NUMBERS_BEYOND_JSON) return NUMBERS_BEYOND_JSON[value];
  const number = Math.fround(finiteNumber(value, place));
  if (!Number.isFinite(number)) refuseSession("is too large for float32", place, "values stay below 3.4e38 in size");
  return number;
}

// Nested lists, all of one length at each depth, as {shape, data} in float32.
function arrayOf(value, place, least, most) {
  const shape = [];
  for (let list = value; Array.isArray(list); list = list[0]) {
    if (list.length === 0) refuseSession("holds an empty list", place, "write rows of numbers, such as [[1, 2], [3, 4]]");
    shape.push(list.length);
  }
  if (shape.length === 0 && kindOf(value) === "an object") refuseSession("is in another file", place, "in a page all numbers are written out");
  if (shape.length < least || shape.length > most)
    refuseSession(`lists are ${shape.length} deep, expected ${least === most ? least : `${least} to ${most}`}`, place);
  const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
  let next = 0;
  const fill = (list, depth) => {
    if (!Array.isArray(list) || list.length !== shape[depth])
      refuseSession(`a list has not ${shape[depth]} entries as the first one`, place, "make all rows equally long");
    for (const item of list) {
      if (depth + 1 < shape.length) fill(item, depth + 1);
      else data[next++] = cellNumber(item, place);
    }
  };
  fill(value, 0);
  return { shape, data };
}

function requireFinite(array, place) {
  if (!array.data.every(Number.isFinite)) refuseSession("has a number that is not finite", place, "replace NaN and infinity");
}

// Rows of numbers for each sequence, [T][d] or [B][T][d]: {count, rows, columns, data}.
function batchOf(value, place) {
  const { shape, data } = arrayOf(value, place, 2, 3);
  const [rows, columns] = shape.slice(-2);
  return { count: shape.length === 3 ? shape[0] : 1, rows, columns, data };
}

// Numbers for pairs of query and key: the last of the axes B, H, Tq, Tk; each may be 1 for all.
function pairsOf(value, place) {
  const { shape, data } = arrayOf(value, place, 1, 4);
  return { shape: [1, 1, 1, 1].slice(shape.length).concat(shape), data };
}

export function pairAt(array, sequence, head, query, key) {
  const [sequences, heads, rows, columns] = array.shape;
  const matrix = (sequences === 1 ? 0 : sequence) * heads + (heads === 1 ? 0 : head);
  return array.data[(matrix * rows + (rows === 1 ? 0 : query)) * columns + (columns === 1 ? 0 : key)];
}

// ---- the settings of attention ----

function readScaling(position) {
  const scaling = { factor: 1, low: 1, high: 4, positions: 8192, blend: "turns", magnitude: 1, factors: [] };
  if (!position.sets("scaling")) return scaling;
  const fields = new Fields(position.find("scaling"), position.place("scaling"), Object.keys(scaling));
  for (const name of ["factor", "low", "high", "magnitude"]) scaling[name] = fields.number(name, scaling[name]);
  scaling.positions = fields.whole("positions", scaling.positions, 1, 2 ** 30);
  scaling.blend = fields.word("blend", ["turns", "whole_pairs", "pairs"], scaling.blend);
  scaling.factors = fields.numbers("factors");
  return scaling;
}

function readPosition(attention) {
  if (!attention.sets("position")) return { kind: "none" };
  const known = ["kind", "theta", "dims", "pairs", "scaling", "start", "key_start", "slopes"];
  const fields = new Fields(attention.find("position"), attention.place("position"), known);
  fields.require("kind", 'write "rope" or "alibi"');
  const farthest = 2 ** 30;
  return {
    kind: fields.word("kind", ["rope", "alibi"]),
    theta: fields.number("theta", 10000),
    dims: fields.sets("dims") ? fields.whole("dims", 0, 2, 2 ** 24) : 0,
    pairs: fields.word("pairs", ["halves", "neighbours"], "halves"),
    scaling: readScaling(fields),
    start: fields.whole("start", 0, -farthest, farthest),
    keyStart: fields.whole("key_start", 0, -farthest, farthest),
    slopes: fields.numbers("slopes"),
  };
}

function readCounts(fields, key, low, high) {
  if (!fields.has(key)) return [];
  const value = fields.find(key), place = fields.place(key);
  if (!Array.isArray(value)) return [wholeNumber(value, place, low, high)];
  if (value.length === 0) refuseSession("has no numbers", place, "give one for each sequence");
  return value.map((count, i) => wholeNumber(count, `${place}[${i}]`, low, high));
}

function readWindow(fields) {
  if (!fields.sets("window")) return [null, null];
  const window = fields.find("window"), place = fields.place("window");
  if (!Array.isArray(window) || window.length !== 2) refuseSession("is not two numbers", place, "write [left, right], null for an open side");
  return window.map((reach) => (reach === null ? null : wholeNumber(reach, place, 0, MOST_TOKENS)));
}

// kind: "none", "causal", "custom" (allowed alone) or "rules".
function readMask(attention) {
  const mask = { kind: "none", causal: false, offsets: [], window: [null, null], keys: [], allowed: null };
  if (!attention.has("mask")) return mask;
  const value = attention.find("mask"), place = attention.place("mask");
  if (Array.isArray(value)) {
    mask.allowed = pairsOf(value, place);
    mask.kind = mask.allowed.shape[0] * mask.allowed.shape[1] === 1 ? "custom" : "rules";
  } else if (kindOf(value) === "an object") {
    const fields = new Fields(value, place, ["causal", "offset", "window", "keys", "allowed"]);
    mask.kind = "rules";
    mask.causal = fields.flag("causal", false);
    mask.offsets = readCounts(fields, "offset", -MOST_TOKENS, MOST_TOKENS);
    mask.window = readWindow(fields);
    mask.keys = readCounts(fields, "keys", 0, MOST_TOKENS);
    if (fields.has("allowed")) mask.allowed = pairsOf(fields.find("allowed"), fields.place("allowed"));
  } else {
    mask.kind = attention.word("mask", ["none", "causal"]);
  }
  return mask;
}

function readDropout(attention) {
  const dropout = { probability: 0, training: true, seed: null, build: "default" };
  if (!attention.has("dropout")) return dropout;
  const fields = new Fields(attention.find("dropout"), attention.place("dropout"), Object.keys(dropout));
  dropout.probability = fields.number("probability", 0);
  if (dropout.probability < 0 || dropout.probability > 1)
    refuseSession(`probability is ${dropout.probability}`, fields.place("probability"), "it lies between 0 and 1");
  dropout.training = fields.flag("training", true);
  if (fields.sets("seed")) dropout.seed = seedOf(fields.find("seed"), fields.place("seed"));
  dropout.build = fields.word("build", ["default", "mkl"], "default");
  return dropout;
}

// The number that scores are multiplied with; null: 1/sqrt(d_k).
function readScale(attention) {
  if (typeof attention.find("scale") === "number") return Math.fround(attention.number("scale"));
  return attention.word("scale", ["inverse_sqrt_dk", "none"], "inverse_sqrt_dk") === "none" ? 1 : null;
}

const ATTENTION_FIELDS = ["projection", "d_out", "num_heads", "num_kv_heads", "d_k", "d_v", "position", "softcap", "sinks", "bias", "qkv_bias",
  "output_projection", "scale", "mask", "normalization", "dropout", "disabled_heads"];

function readAttention(value, layer) {
  const fields = new Fields(value, "attention", ATTENTION_FIELDS), most = 2 ** 24;
  layer.projection = fields.word("projection", ["none", "linear", "weights"], "none");
  if (layer.projection === "linear") fields.require("d_out", 'give the width of queries, keys and values, such as "d_out": 2');
  layer.dOut = fields.whole("d_out", layer.embeddings ? layer.embeddings.columns : 0, 1, most);
  layer.heads = fields.whole("num_heads", 1, 1, most);
  layer.keyHeads = fields.whole("num_kv_heads", 0, 1, most);
  layer.dK = fields.whole("d_k", 0, 1, most);
  layer.dV = fields.whole("d_v", 0, 1, most);
  layer.qkvBias = fields.flag("qkv_bias", false);
  layer.outputProjection = fields.flag("output_projection", false);
  layer.position = readPosition(fields);
  layer.softcap = fields.sets("softcap") ? fields.number("softcap", 0) : 0;
  layer.sinks = fields.numbers("sinks");
  layer.bias = fields.sets("bias") ? pairsOf(fields.find("bias"), fields.place("bias")) : null;
  layer.scale = readScale(fields);
  layer.mask = readMask(fields);
  layer.normalization = fields.word("normalization", ["softmax", "naive_softmax", "sum"], "softmax");
  layer.dropout = readDropout(fields);
  layer.disabledHeads = fields.numbers("disabled_heads").map((head) => wholeNumber(head, fields.place("disabled_heads"), 0, layer.heads - 1));
}

// ---- given queries, keys, values and weights ----

// The width of one head; 0 where the columns are not so many equal heads.
function headWidth(rows, heads) {
  return rows && heads > 0 && rows.columns % heads === 0 ? rows.columns / heads : 0;
}

function readGiven(value, attention, layer) {
  if (layer.projection === "linear")
    refuseSession("queries, keys and values are given, but the projection is linear", "given", 'write "projection": "none", or remove "given"');
  const names = layer.projection === "weights" ? ["weights", "value"] : ["query", "key", "value"];
  const fields = new Fields(value, "given", names);
  for (const name of names.filter((name) => name !== "weights")) {
    if (fields.has(name)) layer.given[name] = batchOf(fields.find(name), fields.place(name));
    else if (layer.projection !== "weights") layer.given[name] = (name !== "query" && layer.keyEmbeddings) || layer.embeddings;
    if (!layer.given[name] && layer.projection !== "weights") fields.require(name, "give it, or embeddings, which it then is");
  }
  if (layer.projection === "weights") {
    layer.givenWeights = pairsOf(fields.require("weights", "give an array of H x Tq x Tk"), fields.place("weights"));
    if (!("num_heads" in attention)) layer.heads = layer.givenWeights.shape[1];
    if (layer.dOut === 0 && !layer.given.value) layer.dOut = layer.heads;
  } else {
    layer.projection = "given";
  }
  layer.dK = layer.dK || headWidth(layer.given.query, layer.heads);
  layer.dV = layer.dV || headWidth(layer.given.value, layer.keyHeads || layer.heads);
  if (!("d_out" in attention)) layer.dOut = Math.max(layer.dV, 1) * layer.heads;
}

// ---- weights: numbers, or drawn by a recipe ----

export function usesParameter(layer, name) {
  return name === "output" ? layer.outputProjection : layer.projection === "linear";
}

export function usesBias(layer, name) {
  return usesParameter(layer, name) && (name === "output" || layer.qkvBias);
}

function parameterWidths(layer, name) {
  if (name === "output") return [layer.heads * layer.dV, layer.dOut];
  if (name === "query") return [layer.embeddings.columns, layer.heads * layer.dK];
  const inputs = (layer.keyEmbeddings ?? layer.embeddings).columns;
  return [inputs, layer.keyHeads * (name === "key" ? layer.dK : layer.dV)];
}

function readRecipe(fields, layer) {
  fields.require("init", 'weights that are drawn need "init": "rand" or "linear"');
  const recipe = { init: fields.word("init", ["rand", "linear"]), order: LAYER_PARAMETERS.slice() };
  recipe.seed = seedOf(fields.require("seed", 'weights that are drawn need a seed, such as "seed": 123'), fields.place("seed"));
  if (!fields.has("order")) return recipe;
  recipe.order = fields.texts("order");
  for (const name of recipe.order) {
    if (!LAYER_PARAMETERS.includes(name)) refuseSession(`"${name}" is unknown`, fields.place("order"), `known words: ${LAYER_PARAMETERS.join(", ")}`);
    if (recipe.order.indexOf(name) !== recipe.order.lastIndexOf(name)) refuseSession(`"${name}" is named twice`, fields.place("order"));
  }
  for (const name of LAYER_PARAMETERS)
    if (usesParameter(layer, name) && !recipe.order.includes(name)) refuseSession(`"${name}" is missing, but the settings use it`, fields.place("order"));
  return recipe;
}

// manual_seed(seed), then each parameter in turn, its bias after its weight: torch.rand gives d_in x d_out, nn.Linear d_out x d_in.
function drawWeights(layer, recipe) {
  const stream = new TorchStream(recipe.seed), linear = recipe.init === "linear";
  layer.weights.layout = linear ? "out_in" : "in_out";
  for (const name of recipe.order.filter((name) => usesParameter(layer, name))) {
    const [inputs, outputs] = parameterWidths(layer, name);
    const data = new Float32Array(inputs * outputs), bias = new Float32Array(outputs);
    const bound = linearWeightBound(inputs), biasBound = linearBiasBound(inputs);
    for (let i = 0; i < data.length; i++) data[i] = linear ? stream.uniform(bound) : stream.rand();
    if (linear && usesBias(layer, name)) for (let i = 0; i < outputs; i++) bias[i] = stream.uniform(biasBound);
    layer.weights[name] = { shape: linear ? [outputs, inputs] : [inputs, outputs], data };
    layer.weights[`${name}_bias`] = { shape: [outputs], data: bias };
  }
}

function readWeights(value, layer) {
  const arrays = LAYER_PARAMETERS.flatMap((name) => [name, `${name}_bias`]);
  const fields = new Fields(value, "weights", ["init", "seed", "order", "layout", ...arrays]);
  if (["init", "seed", "order"].some((key) => fields.has(key))) layer.recipe = readRecipe(fields, layer);
  const implied = layer.recipe?.init === "linear" ? "out_in" : "in_out";
  if (layer.recipe && !arrays.some((key) => fields.has(key))) {
    if (fields.word("layout", ["in_out", "out_in"], implied) !== implied)
      refuseSession('the layout does not agree with "init"', fields.place("layout"), '"rand" draws in_out, "linear" draws out_in');
    return drawWeights(layer, layer.recipe);
  }
  for (const name of LAYER_PARAMETERS) {
    const bias = `${name}_bias`;
    if (fields.has(name)) layer.weights[name] = arrayOf(fields.find(name), fields.place(name), 2, 2);
    if (fields.has(bias)) layer.weights[bias] = arrayOf(fields.find(bias), fields.place(bias), 1, 1);
  }
  if (!layer.recipe) fields.require("layout", '"in_out" for y = x W, "out_in" for y = x W^T');
  layer.weights.layout = fields.word("layout", ["in_out", "out_in"], implied);
}

// ---- the layer as a whole ----

const SESSION_FIELDS = ["format", "version", "title", "notes", "tokens", "key_tokens", "embeddings", "key_embeddings", "attention", "given", "weights",
  "goal", "training", "lesson", "overwritten"];

// Numbers that replace a block of a stage before later ones are computed (engine/model/overwriting.h). Only pages have this field: a layer of
// a whole model that was changed is a session of its own there.
function readOverwritten(value) {
  if (!Array.isArray(value)) refuseSession(`is ${kindOf(value)}, expected a list`, "overwritten");
  return value.map((block, i) => {
    const fields = new Fields(block, `overwritten[${i}]`, ["stage", "sequence", "head", "row", "column", "values"]);
    const start = (key) => fields.whole(key, 0, 0, MOST_TOKENS);
    const stage = fields.word("stage", ["queries", "keys", "values", "rotated_queries", "rotated_keys", "weights", "context"]);
    const values = arrayOf(fields.require("values", "give rows of numbers"), fields.place("values"), 2, 2);
    return { stage, sequence: start("sequence"), head: start("head"), row: start("row"), column: start("column"), values };
  });
}

function readEmbeddings(fields, layer) {
  const given = fields.find("given") ?? {};
  const spare = "weights" in given || ["query", "key", "value"].every((name) => name in given);
  if (!spare) fields.require("embeddings", "give one row of numbers for each token");
  if (fields.has("embeddings")) layer.embeddings = batchOf(fields.find("embeddings"), "embeddings");
  if (fields.has("key_embeddings")) layer.keyEmbeddings = batchOf(fields.find("key_embeddings"), "key_embeddings");
}

function requireSession(json) {
  const hint = 'a session begins with {"format": "headlight-session", "version": 1, ...';
  if (kindOf(json) !== "an object" || json.format !== "headlight-session") refuseSession("this is not a Headlight session", "format", hint);
  if (json.version !== 1) refuseSession(`the version is ${json.version}, expected 1`, "version", 'write "version": 1');
  if ("model_folder" in json) refuseSession("the session is one of a whole model", "model_folder", "its page has the model, not a layer");
}

// The settings and numbers of the layer. Throws Error with what is wrong, where, and how to mend it.
export function readLayer(json) {
  requireSession(json);
  const fields = new Fields(json, "", SESSION_FIELDS);
  const layer = { embeddings: null, keyEmbeddings: null, given: {}, givenWeights: null, weights: { layout: "in_out" }, recipe: null };
  fields.require("tokens", 'list the labels of the tokens: "tokens": ["Your", "journey"]');
  layer.tokens = fields.texts("tokens");
  layer.keyTokens = fields.has("key_tokens") && json.key_tokens.length > 0 ? fields.texts("key_tokens") : null;
  readEmbeddings(fields, layer);
  readAttention(fields.require("attention", 'at least "attention": {"projection": "none"}'), layer);
  if (fields.has("given")) readGiven(fields.find("given"), json.attention, layer);
  completeSizes(layer);
  checkInputs(layer);
  if (fields.has("weights")) readWeights(fields.find("weights"), layer);
  layer.overwritten = fields.has("overwritten") ? readOverwritten(fields.find("overwritten")) : [];
  checkLayer(layer);
  return layer;
}

// Sizes that are left out follow from the others.
function completeSizes(layer) {
  const sources = [layer.embeddings?.count, layer.givenWeights?.shape[0], layer.given.query?.count];
  layer.sequences = sources.find((count) => count !== undefined);
  layer.queryCount = layer.tokens.length;
  layer.keyCount = (layer.keyTokens ?? layer.tokens).length;
  layer.keyHeads = layer.keyHeads || layer.heads;
  if (layer.heads % layer.keyHeads !== 0)
    refuseSession(`num_kv_heads ${layer.keyHeads} does not divide num_heads ${layer.heads}`, "attention.num_kv_heads");
  if ((layer.dK === 0 || layer.dV === 0) && layer.dOut % layer.heads !== 0)
    refuseSession(`num_heads ${layer.heads} does not divide d_out ${layer.dOut}`, "attention.num_heads", "choose a divisor, or give d_k and d_v");
  layer.dK = layer.dK || layer.dOut / layer.heads;
  layer.dV = layer.dV || layer.dOut / layer.heads;
  layer.scale = layer.scale ?? Math.fround(1 / Math.sqrt(layer.dK));
  if (layer.dOut < 1) refuseSession("d_out is 0", "attention.d_out", "d_out is at least 1");
}

function requireRows(batch, place, sequences, rows, columns) {
  if (batch.count !== sequences) refuseSession(`has ${batch.count} sequences, expected ${sequences}`, place, "give one matrix for each sequence");
  if (batch.rows !== rows || (columns && batch.columns !== columns))
    refuseSession(`is ${batch.rows} x ${batch.columns}, expected ${rows} x ${columns || batch.columns}`, place, "one row for each token");
  requireFinite(batch, place);
}

function checkInputs(layer) {
  const { sequences, queryCount, keyCount } = layer;
  if (queryCount === 0) refuseSession("there are no tokens", "tokens", "give at least one token");
  const needed = ["none", "linear"].includes(layer.projection);
  if (needed && layer.keyTokens && !layer.keyEmbeddings)
    refuseSession("there are none for the key tokens", "key_embeddings", `give one row for each of the ${keyCount} key tokens`);
  if (needed && !layer.embeddings) refuseSession("there are no embeddings", "embeddings", "give one row for each token");
  if (layer.embeddings) requireRows(layer.embeddings, "embeddings", sequences, queryCount);
  if (layer.keyEmbeddings) requireRows(layer.keyEmbeddings, "key_embeddings", sequences, keyCount);
  if ((layer.projection === "weights") !== (layer.givenWeights !== null))
    refuseSession("the weights are missing", "given.weights", "give an array of H x Tq x Tk or B x H x Tq x Tk");
  const widths = { query: layer.heads * layer.dK, key: layer.keyHeads * layer.dK, value: layer.keyHeads * layer.dV };
  for (const [name, batch] of Object.entries(layer.given))
    requireRows(batch, `given.${name}`, sequences, name === "query" ? queryCount : keyCount, widths[name]);
  const concat = layer.heads * layer.dV;
  const widthsOfX = [layer.dOut, concat, layer.heads * layer.dK, (layer.keyEmbeddings ?? layer.embeddings)?.columns];
  if (layer.projection === "none" && (layer.keyHeads !== layer.heads || widthsOfX.some((width) => width !== layer.embeddings.columns)))
    refuseSession(`d_out is ${layer.dOut}, d_in is ${layer.embeddings.columns}`, "attention.d_out", "without projections all heads are of one width");
  if (!layer.outputProjection && concat !== layer.dOut)
    refuseSession(`d_out is ${layer.dOut}, but the heads are ${concat} wide`, "attention.d_out", `without an output projection write ${concat}`);
}

function checkPosition(layer) {
  const position = layer.position, place = "attention.position";
  if (position.kind === "alibi" && position.slopes.length > 0 && position.slopes.length !== layer.heads)
    refuseSession(`${position.slopes.length} slopes for ${layer.heads} heads`, `${place}.slopes`, "give one for each head, or none");
  if (position.kind !== "rope") return;
  position.dims = position.dims || layer.dK;
  if (position.dims % 2 !== 0 || position.dims > layer.dK)
    refuseSession(`${position.dims} numbers of a head are turned, d_k is ${layer.dK}`, `${place}.dims`, "choose an even number up to d_k");
  if (position.theta <= 0) refuseSession("theta is not a number above 0", `${place}.theta`, "most models have 10000");
  const { factor, low, high, magnitude, factors, blend } = position.scaling;
  const wrong = Math.min(factor, low, magnitude, ...factors) <= 0 || high <= low || (blend !== "turns" && position.theta <= 1);
  if (wrong || (factors.length > 0 && factors.length !== position.dims / 2))
    refuseSession("its numbers do not go together", `${place}.scaling`, "factors, low and magnitude are above 0, high is above low");
}

function requireAxes(array, place, layer, ones) {
  const wanted = [layer.sequences, layer.heads, layer.queryCount, layer.keyCount];
  array.shape.forEach((size, axis) => {
    if (size !== wanted[axis] && !(size === 1 && ones[axis]))
      refuseSession(`axis ${axis} has ${size}, expected ${wanted[axis]}`, place, `its axes are B x H x Tq x Tk: ${wanted.join(" x ")}`);
  });
}

function checkMask(layer) {
  const mask = layer.mask, place = "attention.mask";
  if (mask.allowed) {
    const free = mask.kind === "rules";
    requireAxes(mask.allowed, place, layer, [true, true, free, free]);
    if (mask.allowed.data.some((cell) => cell !== 0 && cell !== 1)) refuseSession("a cell is neither 0 nor 1", place, "1 lets the query attend to the key");
  }
  if (mask.offsets.length > 1 && mask.offsets.length !== layer.sequences) refuseSession("is not one number for each sequence", `${place}.offset`);
  if (mask.keys.length > 0 && mask.keys.length !== layer.sequences) refuseSession("is not one number for each sequence", `${place}.keys`);
  if (mask.keys.some((count) => count > layer.keyCount)) refuseSession(`a sequence has 0 to ${layer.keyCount} keys`, `${place}.keys`);
}

function checkWeights(layer) {
  for (const name of LAYER_PARAMETERS.filter((name) => usesParameter(layer, name))) {
    const [inputs, outputs] = parameterWidths(layer, name), place = `weights.${name}`;
    const wanted = layer.weights.layout === "in_out" ? [inputs, outputs] : [outputs, inputs];
    const weight = layer.weights[name], bias = layer.weights[`${name}_bias`];
    if (weight?.shape.join() !== wanted.join()) refuseSession(`is ${weight?.shape.join(" x ") ?? "missing"}, expected ${wanted.join(" x ")}`, place);
    requireFinite(weight, place);
    if (!usesBias(layer, name)) continue;
    if (bias?.shape[0] !== outputs) refuseSession(`is ${bias?.shape[0] ?? "missing"}, expected ${outputs} numbers`, `${place}_bias`);
    requireFinite(bias, `${place}_bias`);
  }
}

function checkLayer(layer) {
  const tooLarge = (number) => Math.abs(number) > FLOAT_MOST;
  checkPosition(layer);
  checkMask(layer);
  checkWeights(layer);
  if (tooLarge(layer.scale)) refuseSession("scale is not a finite number", "attention.scale", "choose a number below 3.4e38");
  if (layer.softcap < 0 || tooLarge(layer.softcap)) refuseSession("softcap is not a number above 0", "attention.softcap", "leave it out for none");
  if (layer.sinks.length > 0 && (layer.sinks.length !== layer.heads || layer.sinks.some(tooLarge)))
    refuseSession(`${layer.sinks.length} sinks for ${layer.heads} heads`, "attention.sinks", "give one for each head, or none");
  if (layer.sinks.length > 0 && layer.normalization !== "softmax") refuseSession("sinks are part of a softmax", "attention.sinks");
  if (new Set(layer.disabledHeads).size !== layer.disabledHeads.length) refuseSession("a head is named twice", "attention.disabled_heads");
  if (layer.bias) {
    requireAxes(layer.bias, "attention.bias", layer, [true, true, true, true]);
    if (layer.bias.data.some((number) => !Number.isFinite(number) && number !== -Infinity))
      refuseSession("a number is neither finite nor minus infinity", "attention.bias");
  }
  if (layer.projection !== "weights") return;
  requireAxes(layer.givenWeights, "given.weights", layer, [false, false, false, false]);
  const settings = { position: layer.position.kind !== "none", softcap: layer.softcap > 0, sinks: layer.sinks.length > 0, bias: layer.bias, mask: layer.mask.kind !== "none" };
  for (const [name, set] of Object.entries(settings))
    if (set) refuseSession("has no effect: the weights are given", `attention.${name}`, "leave it out, or give queries and keys");
}
