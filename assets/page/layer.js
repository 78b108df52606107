// One attention layer of a session, computed stage by stage in plain loops: a slow twin of the engine in another language. All numbers are
// float32, as the engine's. Letters: B sequences, Tq query tokens, Tk key tokens, H heads, G heads of keys and values, d_k and d_v
// widths of a head. A stage is {shape, data}: B x H x rows x columns, or B x rows x columns where it has no heads (engine/layer/stage.h).
import { TorchStream, drawDropoutNoise } from "./random.js";
import { eachPlace, listOfSize, newArray, pairAt, readLayer, usesBias, usesParameter } from "./session.js";
import { exponentials, softmaxRow } from "./softmax.js";

export const copyOf = (json) => JSON.parse(JSON.stringify(json));

// Throws Error with a plain message where the session cannot be computed. The layer keeps a copy of the session for sessionOf.
export function readSession(json) {
  const layer = readLayer(json);
  layer.session = copyOf(json);
  return layer;
}

export function sessionOf(layer) {
  return copyOf(layer.session);
}

// The session with its weights as numbers beside their recipe, so that single ones can be edited: what the program saves of drawn and
// edited weights.
export function sessionWithNumbers(layer) {
  const session = sessionOf(layer);
  for (const [name, value] of Object.entries(layer.weights)) {
    const bias = name.endsWith("_bias") && !usesBias(layer, name.slice(0, -"_bias".length));
    if (name === "layout") session.weights = { ...session.weights, layout: value };
    else if (!bias) session.weights[name] = value.shape.length === 1 ? Array.from(value.data) : rowsOf(value.data, value.shape[1]);
  }
  return session;
}

export function rowsOf(data, columns) {
  return listOfSize(data.length / columns, (row) => Array.from(data.subarray(row * columns, (row + 1) * columns)));
}

// ---- products ----

// One step of a sum of products. Rounded as float32 arithmetic does, so that a sum that nearly cancels, which "sum" divides by, is the
// engine's sum, and one that overflows is infinite.
function plusProduct(sum, a, b) {
  return Math.fround(sum + Math.fround(a * b));
}

// y = x W + b with W of in x out, or x W^T + b with W of out x in as nn.Linear has it. rows: how many rows x has.
function applyLinear(x, rows, weight, layout, bias) {
  const across = layout === "in_out",
    [inputs, outputs] = across ? weight.shape : [weight.shape[1], weight.shape[0]];
  const y = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++)
    for (let out = 0; out < outputs; out++) {
      let sum = 0;
      for (let i = 0; i < inputs; i++)
        sum = plusProduct(sum, x[row * inputs + i], weight.data[across ? i * outputs + out : out * inputs + i]);
      y[row * outputs + out] = bias ? sum + bias.data[out] : sum;
    }
  return y;
}

// B x rows x (heads width) to B x heads x rows x width: each head has its own columns.
function splitHeads(data, sequences, rows, heads, width) {
  const stage = newArray([sequences, heads, rows, width]);
  eachPlace(stage, (at, b, h, row, i) => (stage.data[at] = data[((b * rows + row) * heads + h) * width + i]));
  return stage;
}

// ---- queries, keys and values ----

// Q = X W_query, K = Y W_key, V = Y W_value, with Y the embeddings of the key tokens (Vaswani et al. 2017, section 3.2.2); or what is given
// of them; or X itself.
function projectedStage(layer, name) {
  const ofKeys = name !== "query";
  const input = layer.given[name] ?? ((ofKeys && layer.keyEmbeddings) || layer.embeddings);
  const rows = ofKeys ? layer.keyCount : layer.queryCount;
  const heads = ofKeys ? layer.keyHeads : layer.heads,
    width = name === "value" ? layer.dV : layer.dK;
  if (layer.projection !== "linear") return splitHeads(input.data, layer.sequences, rows, heads, width);
  const bias = usesBias(layer, name) ? layer.weights[`${name}_bias`] : null;
  const y = applyLinear(input.data, layer.sequences * rows, layer.weights[name], layer.weights.layout, bias);
  return splitHeads(y, layer.sequences, rows, heads, width);
}

// The share of a pair's frequency that is not scaled: by its turns within the positions (Llama 3.1), or by its number between the pair that
// turns `high` times and the one that turns `low` times (YaRN, Peng et al. 2023, arXiv 2309.00071).
function unscaledShare(position, pair, frequency) {
  const { low, high, positions, blend } = position.scaling,
    clamp = (x) => Math.min(Math.max(x, 0), 1);
  if (blend === "turns") return clamp(((positions * frequency) / (2 * Math.PI) - low) / (high - low));
  const pairOf = (turns) => (position.dims * Math.log(positions / (turns * 2 * Math.PI))) / (2 * Math.log(position.theta));
  const whole = blend === "whole_pairs";
  const first = Math.max(whole ? Math.floor(pairOf(high)) : pairOf(high), 0);
  let last = Math.min(whole ? Math.ceil(pairOf(low)) : pairOf(low), position.dims - 1);
  if (first === last) last += 0.001;
  return 1 - clamp((pair - first) / (last - first));
}

// The angle that a pair turns from one position to the next: theta^(-2i/dims) (Su et al. 2021, arXiv 2104.09864), divided by its factor
// (LongRoPE, Ding et al. 2024, arXiv 2402.13753) and scaled for longer texts.
function rotaryStep(position, pair) {
  const { factor, factors } = position.scaling;
  let frequency = Math.pow(position.theta, (-2 * pair) / position.dims);
  if (factors.length > 0) frequency /= factors[pair];
  if (factor === 1) return frequency;
  const kept = unscaledShare(position, pair, frequency);
  return ((1 - kept) * frequency) / factor + kept * frequency;
}

// Each pair (a, b) of a head's numbers becomes (a cos - b sin, b cos + a sin). halves: numbers i and i + dims/2 are a pair; neighbours:
// 2i and 2i + 1.
function rotated(stage, position, start) {
  const [, , rows, width] = stage.shape,
    half = position.dims / 2;
  const turned = { shape: stage.shape, data: stage.data.slice() };
  for (let pair = 0; pair < half; pair++) {
    const step = rotaryStep(position, pair);
    const [first, second] = position.pairs === "halves" ? [pair, pair + half] : [2 * pair, 2 * pair + 1];
    for (let at = 0; at < stage.data.length; at += width) {
      const angle = step * (start + ((at / width) % rows));
      const cosine = position.scaling.magnitude * Math.cos(angle),
        sine = position.scaling.magnitude * Math.sin(angle);
      turned.data[at + first] = stage.data[at + first] * cosine - stage.data[at + second] * sine;
      turned.data[at + second] = stage.data[at + second] * cosine + stage.data[at + first] * sine;
    }
  }
  return turned;
}

// ---- pairs of query and key ----

// A stage of pairs, from a function of sequence, head, query and key.
function pairStage(layer, number) {
  const stage = newArray([layer.sequences, layer.heads, layer.queryCount, layer.keyCount]);
  eachPlace(stage, (at, b, h, query, key) => (stage.data[at] = number(b, h, query, key, at)));
  return stage;
}

// scores = Q K^T: each head of keys serves H / G heads of queries (Ainslie et al. 2023, arXiv 2305.13245).
function scoresOf(layer, queries, keys) {
  const share = layer.heads / layer.keyHeads,
    width = layer.dK;
  return pairStage(layer, (b, h, query, key) => {
    const q = ((b * layer.heads + h) * layer.queryCount + query) * width;
    const k = ((b * layer.keyHeads + Math.floor(h / share)) * layer.keyCount + key) * width;
    let sum = 0;
    for (let i = 0; i < width; i++) sum = plusProduct(sum, queries.data[q + i], keys.data[k + i]);
    return sum;
  });
}

// The slopes of ALiBi (Press et al. 2021, arXiv 2108.12409): 2^(-8i/n) for n heads where n is a power of two, else those of the next lower
// power and every second one of the next higher.
export function alibiSlopes(heads) {
  const low = 2 ** Math.floor(Math.log2(heads));
  return listOfSize(heads, (i) => 2 ** (i < low ? (-8 * (i + 1)) / low : (-8 * (1 + 2 * (i - low))) / (2 * low)));
}

// How many keys stand before the first query of a sequence.
function queryOffset(layer, sequence) {
  const offsets = layer.mask.offsets;
  return offsets.length === 0 ? 0 : offsets[offsets.length === 1 ? 0 : sequence];
}

// What is added to a score: the bias, and -slope |distance| of ALiBi. Rounded to float32 once.
function addedTo(layer, slopes, sequence, head, query, key) {
  const distance = Math.abs(queryOffset(layer, sequence) + query - key);
  return Math.fround((slopes ? -slopes[head] * distance : 0) + (layer.bias ? pairAt(layer.bias, sequence, head, query, key) : 0));
}

// Whether the mask lets a query attend to a key: all rules have to allow it. Query i stands at position offset + i among the keys.
export function mayAttend(layer, sequence, head, query, key) {
  const mask = layer.mask,
    [left, right] = mask.window;
  if (mask.kind === "none") return true;
  if (mask.kind === "causal") return key <= query;
  const at = queryOffset(layer, sequence) + query;
  if (mask.causal && key > at) return false;
  if ((left !== null && key < at - left) || (right !== null && key > at + right)) return false;
  if (mask.keys.length > 0 && key >= mask.keys[sequence]) return false;
  return !mask.allowed || pairAt(mask.allowed, sequence, head, query, key) !== 0;
}

// exp(s) / sum as written, which overflows as in the notebooks.
function naiveSoftmaxRow(row) {
  if (row.every((score) => score === -Infinity)) return row.fill(0);
  const { powers, sum } = exponentials(row, 0);
  return powers.map((power) => power / sum);
}

// s / sum of s over the open pairs. Minus infinity is a closed pair, or a score that overflowed: that one is part of the sum.
function sumRow(row, isOpen) {
  const open = row.map((score, key) => (score !== -Infinity || isOpen(key) ? 1 : 0));
  if (!open.includes(1)) return row.fill(0);
  const numbers = row.map((score, key) => (open[key] ? score : 0));
  const sum = Math.fround(numbers.reduce((total, number) => total + number, 0));
  return numbers.map((number) => number / sum);
}

function weightsOf(layer, masked) {
  const stage = { shape: masked.shape, data: masked.data.slice() },
    width = layer.keyCount;
  for (let at = 0, index = 0; at < stage.data.length; at += width, index++) {
    const query = index % layer.queryCount,
      matrix = Math.floor(index / layer.queryCount);
    const head = matrix % layer.heads,
      sequence = Math.floor(matrix / layer.heads);
    const row = stage.data.slice(at, at + width);
    const isOpen = (key) => !layer.bias && mayAttend(layer, sequence, head, query, key);
    if (layer.normalization === "softmax")
      stage.data.set(softmaxRow(row, layer.sinks.length > 0 ? Math.fround(layer.sinks[head]) : undefined), at);
    else if (layer.normalization === "naive_softmax") stage.data.set(naiveSoftmaxRow(row), at);
    else stage.data.set(sumRow(row, isOpen), at);
  }
  return stage;
}

// The numbers that the recipe of the weights draws: dropout without a seed of its own goes on behind them, as in a notebook that seeds
// once.
function drawnCount(layer) {
  const drawn = layer.recipe.order.filter((name) => usesParameter(layer, name));
  return drawn.reduce((count, name) => {
    const [rows, columns] = layer.weights[name].shape,
      outputs = layer.weights.layout === "in_out" ? columns : rows;
    return count + rows * columns + (layer.recipe.init === "linear" && usesBias(layer, name) ? outputs : 0);
  }, 0);
}

// Dropout's multipliers for B x H x Tq x Tk pairs, masked ones included; null where it is off.
export function dropoutNoise(layer) {
  const { probability, training, seed, build } = layer.dropout;
  if (!training || probability === 0) return null;
  const stream = new TorchStream(seed ?? layer.recipe?.seed ?? 0);
  if (seed === null && layer.recipe) stream.skip(drawnCount(layer));
  return drawDropoutNoise(stream, probability, layer.sequences * layer.heads * layer.queryCount * layer.keyCount, build);
}

// ---- context and output ----

// context = dropped V.
function contextOf(layer, dropped, values) {
  const share = layer.heads / layer.keyHeads,
    width = layer.dV;
  const stage = newArray([layer.sequences, layer.heads, layer.queryCount, width]);
  eachPlace(stage, (at, b, head, row, i) => {
    const from = Math.floor(at / width) * layer.keyCount,
      of = (b * layer.keyHeads + Math.floor(head / share)) * layer.keyCount;
    let sum = 0;
    for (let key = 0; key < layer.keyCount; key++) sum = plusProduct(sum, dropped.data[from + key], values.data[(of + key) * width + i]);
    stage.data[at] = sum;
  });
  return stage;
}

// The heads side by side; zeros in the place of heads that are switched off.
function concatOf(layer, context) {
  const width = layer.dV,
    stage = newArray([layer.sequences, layer.queryCount, layer.heads * width]);
  eachPlace(context, (at, b, head, row, i) => {
    const to = (b * layer.queryCount + row) * layer.heads + head;
    if (!layer.disabledHeads.includes(head)) stage.data[to * width + i] = context.data[at];
  });
  return stage;
}

// Y = Z W_o + b_o, or Z itself.
function outputOf(layer, concat) {
  if (!layer.outputProjection) return { shape: concat.shape, data: concat.data.slice() };
  const rows = layer.sequences * layer.queryCount;
  const data = applyLinear(concat.data, rows, layer.weights.output, layer.weights.layout, layer.weights.output_bias);
  return { shape: [layer.sequences, layer.queryCount, layer.dOut], data };
}

// Writes the numbers that replace computed ones into a stage.
function overwriteStage(layer, name, stage) {
  const [, heads, rows, columns] = stage.shape;
  for (const block of layer.overwritten.filter((block) => block.stage === name)) {
    const [height, width] = block.values.shape;
    if (block.head >= heads || block.sequence >= layer.sequences || block.row + height > rows || block.column + width > columns)
      throw new Error(`overwritten: the numbers lie outside of ${name}`);
    for (let i = 0; i < block.values.data.length; i++) {
      const row = block.row + Math.floor(i / width),
        column = block.column + (i % width);
      stage.data[((block.sequence * heads + block.head) * rows + row) * columns + column] = block.values.data[i];
    }
  }
}

// ---- the layer ----

// The stages that the layer has, by name, in the order of computation.
export function compute(layer) {
  const stages = new Map();
  const put = (name, stage) => {
    overwriteStage(layer, name, stage);
    stages.set(name, stage);
    return stage;
  };
  if (layer.embeddings) {
    const { count, rows, columns, data } = layer.embeddings;
    stages.set("embeddings", { shape: [count, rows, columns], data: data.slice() });
  }
  const weights = layer.projection === "weights" ? givenWeights(layer, put) : computedWeights(layer, put);
  const noise = dropoutNoise(layer);
  const dropped = put(
    "dropped",
    pairStage(layer, (b, h, query, key, at) => weights.data[at] * (noise ? noise[at] : 1)),
  );
  if (!stages.has("values")) return { stages };
  const context = put("context", contextOf(layer, dropped, stages.get("values")));
  stages.set("concat", concatOf(layer, context));
  stages.set("output", outputOf(layer, stages.get("concat")));
  return { stages };
}

// Attention as it was saved, and the values where there are any.
function givenWeights(layer, put) {
  if (layer.given.value) put("values", projectedStage(layer, "value"));
  return put("weights", { shape: layer.givenWeights.shape, data: layer.givenWeights.data.slice() });
}

function computedWeights(layer, put) {
  const turns = layer.position.kind === "rope";
  let queries = put("queries", projectedStage(layer, "query"));
  let keys = put("keys", projectedStage(layer, "key"));
  put("values", projectedStage(layer, "value"));
  if (turns) queries = put("rotated_queries", rotated(queries, layer.position, layer.position.start));
  if (turns) keys = put("rotated_keys", rotated(keys, layer.position, layer.position.key_start));
  const scores = put("scores", scoresOf(layer, queries, keys));
  let before = put(
    "scaled",
    pairStage(layer, (b, h, query, key, at) => scores.data[at] * layer.scale),
  );
  const follow = (name, number) => {
    const { data } = before;
    before = put(
      name,
      pairStage(layer, (b, h, query, key, at) => number(data[at], b, h, query, key)),
    );
  };
  // capped = cap tanh(scaled / cap), as in Gemma 2 (arXiv 2408.00118).
  const cap = Math.fround(layer.softcap);
  if (layer.softcap > 0) follow("capped", (score) => cap * Math.tanh(score / cap));
  const slopes =
    layer.position.kind !== "alibi" ? null : layer.position.slopes.length > 0 ? layer.position.slopes : alibiSlopes(layer.heads);
  if (slopes || layer.bias) follow("biased", (score, b, h, query, key) => score + addedTo(layer, slopes, b, h, query, key));
  // Selects instead of adding minus infinity: 0 times infinity is not a number.
  follow("masked", (score, b, h, query, key) => (mayAttend(layer, b, h, query, key) ? score : -Infinity));
  return put("weights", weightsOf(layer, before));
}
