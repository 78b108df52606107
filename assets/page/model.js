// A whole model of the family gpt2 (Radford et al. 2019): tokens, embeddings, layers, next words. A slow twin of engine/network. Sums are
// in double, stored as float32. Letters: T tokens, d numbers a token, H heads of d / H numbers, V words.
import { softmaxRow } from "./softmax.js";
import { encodeText, readTokenizer, tokenText } from "./tokenizer.js";

function refuseModel(place, what) {
  throw new Error(`${place}: ${what}`);
}

// ---- reading ----

function configNumber(config, names, fallback) {
  const name = names.find((name) => config[name] !== undefined && config[name] !== null);
  const value = name === undefined ? fallback : config[name];
  if (!Number.isFinite(value) || value <= 0) refuseModel(`config.json: ${names[0]}`, `is ${value ?? "missing"}, expected a number above 0`);
  return value;
}

function readConfig(config) {
  if ((config.model_type ?? "gpt2") !== "gpt2") refuseModel("config.json: model_type", `${config.model_type} is not computed in a page`);
  if (config.add_cross_attention)
    refuseModel("config.json: add_cross_attention", "attention to another model's tokens is not computed in a page");
  const width = configNumber(config, ["n_embd", "hidden_size"]),
    heads = configNumber(config, ["n_head", "num_attention_heads"]);
  if (width % heads !== 0) refuseModel("config.json: n_head", `${heads} does not divide the width ${width}`);
  const activation = config.activation_function ?? "gelu_new";
  if (!ACTIVATIONS.has(activation)) refuseModel("config.json: activation_function", `${activation} is not computed in a page`);
  return {
    width,
    heads,
    activation: ACTIVATIONS.get(activation),
    layers: configNumber(config, ["n_layer", "num_hidden_layers"]),
    positions: configNumber(config, ["n_positions", "max_position_embeddings"], 1024),
    vocabulary: configNumber(config, ["vocab_size"]),
    inner: configNumber(config, ["n_inner"], 4 * width),
    epsilon: Math.fround(config.layer_norm_epsilon ?? 1e-5),
    scaled: config.scale_attn_weights ?? true,
    scaledByLayer: config.scale_attn_by_inverse_layer_idx ?? false,
    tied: config.tie_word_embeddings ?? true,
  };
}

// data: {config, tokenizer, tensors: {name: {shape, data: Float32Array}}}, as config.json, tokenizer.json and the tensors' files have
// them. Without a tokenizer (null) the model reads ids only.
export function readModel(data) {
  const config = readConfig(data.config),
    prefix = "transformer.wte.weight" in data.tensors ? "transformer." : "";
  const tensor = (name, ...shape) => {
    const found = data.tensors[name] ?? refuseModel(name, "the tensor is missing");
    if (found.shape.join() !== shape.join()) refuseModel(name, `is ${found.shape.join(" x ")}, expected ${shape.join(" x ")}`);
    return found;
  };
  const { width, inner, vocabulary } = config;
  const norm = (name) => ({ weight: tensor(`${name}.weight`, width).data, bias: tensor(`${name}.bias`, width).data });
  // A matrix of GPT-2 has a column for each output.
  const linear = (name, inputs, outputs) => ({ weight: tensor(`${name}.weight`, inputs, outputs), bias: tensor(`${name}.bias`, outputs) });
  const layer = (name) => ({
    attentionNorm: norm(`${name}.ln_1`),
    projections: linear(`${name}.attn.c_attn`, width, 3 * width),
    output: linear(`${name}.attn.c_proj`, width, width),
    mlpNorm: norm(`${name}.ln_2`),
    up: linear(`${name}.mlp.c_fc`, width, inner),
    down: linear(`${name}.mlp.c_proj`, inner, width),
  });
  const words = tensor(`${prefix}wte.weight`, vocabulary, width);
  return {
    config,
    tokenizer: data.tokenizer ? readTokenizer(data.tokenizer) : null,
    words,
    places: tensor(`${prefix}wpe.weight`, config.positions, width),
    layers: Array.from({ length: config.layers }, (_, i) => layer(`${prefix}h.${i}`)),
    finalNorm: norm(`${prefix}ln_f`),
    head: config.tied ? words : tensor("lm_head.weight", vocabulary, width),
  };
}

// ---- the steps of a layer ----

// Layer normalization (Ba et al. 2016, arXiv 1607.06450): (x - mean) / sqrt(variance + epsilon) * weight + bias, token by token.
function normalizedRows(x, { weight, bias }, epsilon) {
  const width = weight.length,
    y = new Float32Array(x.length);
  for (let at = 0; at < x.length; at += width) {
    const row = x.subarray(at, at + width),
      mean = row.reduce((sum, number) => sum + number, 0) / width;
    const variance = row.reduce((sum, number) => sum + (number - mean) ** 2, 0) / width,
      factor = 1 / Math.sqrt(variance + epsilon);
    row.forEach((number, i) => (y[at + i] = (number - mean) * factor * weight[i] + bias[i]));
  }
  return y;
}

// erf(x) = 2 / sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (1 3 5 ... (2n+1)), whose terms all have one sign (Abramowitz and Stegun, 7.1.6).
function errorFunction(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x,
    sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

// GELU (Hendrycks and Gimpel 2016, arXiv 1606.08415) as x times the normal distribution, and its approximation by tanh, which GPT-2 has.
const exactGelu = (x) => 0.5 * x * (1 + errorFunction(x * Math.SQRT1_2));
const tanhGelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
const logistic = (x) => 1 / (1 + Math.exp(-x));
const ACTIVATIONS = new Map([
  ...["gelu", "gelu_python"].map((name) => [name, exactGelu]),
  ...["gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu_accurate", "gelu_python_tanh"].map((name) => [name, tanhGelu]),
  ...["silu", "swish"].map((name) => [name, (x) => x * logistic(x)]),
  ["quick_gelu", (x) => x * logistic(1.702 * x)],
  ["relu", (x) => Math.max(x, 0)],
  ["relu2", (x) => Math.max(x, 0) ** 2],
]);

// y = x W + b, row by row. The outputs of a row grow together, so that W is read in its order.
function linearRows(x, { weight, bias }) {
  const [inputs, outputs] = weight.shape,
    rows = x.length / inputs,
    y = new Float32Array(rows * outputs),
    sums = new Float64Array(outputs),
    numbers = weight.data;
  for (let row = 0; row < rows; row++) {
    sums.set(bias.data);
    for (let i = 0; i < inputs; i++) {
      const input = x[row * inputs + i],
        begin = i * outputs;
      for (let out = 0; out < outputs; out++) sums[out] += input * numbers[begin + out];
    }
    y.set(sums, row * outputs);
  }
  return y;
}

function addRows(x, y) {
  y.forEach((number, i) => (x[i] += number));
}

// Causal attention of one layer: softmax(Q K^T scale) V for each head; Q, K and V stand side by side in each row. Gives the heads side by
// side, and their weights, H x T x T.
function attendCausally(rows, config, layer) {
  const { width, heads } = config,
    tokens = rows.length / (3 * width),
    size = width / heads;
  const scale = Math.fround((config.scaled ? 1 / Math.sqrt(size) : 1) / (config.scaledByLayer ? layer + 1 : 1));
  const joined = new Float32Array(tokens * width),
    mixed = new Float64Array(size),
    weights = [];
  for (let head = 0; head < heads; head++) {
    const [q, k, v] = [0, 1, 2].map((part) => part * width + head * size),
      ofHead = [];
    for (let query = 0; query < tokens; query++) {
      const scores = new Float32Array(query + 1).map((_, key) => {
        let sum = 0;
        for (let i = 0; i < size; i++) sum += rows[query * 3 * width + q + i] * rows[key * 3 * width + k + i];
        return sum * scale;
      });
      const shares = softmaxRow(scores);
      mixed.fill(0);
      for (let key = 0; key <= query; key++) {
        const share = shares[key],
          begin = key * 3 * width + v;
        for (let i = 0; i < size; i++) mixed[i] += share * rows[begin + i];
      }
      joined.set(mixed, query * width + head * size);
      ofHead.push([...shares, ...new Array(tokens - query - 1).fill(0)]);
    }
    weights.push(ofHead);
  }
  return { joined, weights };
}

// ---- the model ----

// x = words[id] + places[position]
function embeddedTokens(model, ids) {
  const { width } = model.config,
    x = new Float32Array(ids.length * width);
  ids.forEach((id, position) => {
    for (let i = 0; i < width; i++) x[position * width + i] = model.words.data[id * width + i] + model.places.data[position * width + i];
  });
  return x;
}

function requireIds(model, ids) {
  const { positions, vocabulary } = model.config,
    outside = ids.find((id) => id >= vocabulary);
  if (ids.length === 0) refuseModel("text", "it has no tokens: give at least one character");
  if (ids.length > positions)
    refuseModel("text", `there are ${ids.length} tokens, but the model has positions for ${positions}: give a shorter text`);
  if (outside !== undefined) refuseModel("text", `id ${outside} is outside the vocabulary`);
}

// A token for labels; its id where nothing is known of it.
function wordLabel(model, id) {
  return model.tokenizer ? tokenText(model.tokenizer, id) : String(id);
}

// Probabilities of the word behind the text, the most probable first.
function nextWords(model, x) {
  const { width, epsilon, vocabulary } = model.config;
  const last = normalizedRows(x.subarray(x.length - width), model.finalNorm, epsilon);
  const logits = Float64Array.from({ length: vocabulary }, (_, id) =>
    last.reduce((sum, number, i) => sum + number * model.head.data[id * width + i], 0),
  );
  const shares = softmaxRow(logits.slice());
  const ids = Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
  return ids.map((id) => [wordLabel(model, id), shares[id]]);
}

// {ids, tokens, weights: [L][H][T][T], next: [[token, probability], ...]}
export function runIds(model, ids) {
  requireIds(model, ids);
  const { config } = model,
    weights = [],
    x = embeddedTokens(model, ids);
  model.layers.forEach((layer, number) => {
    const attention = attendCausally(linearRows(normalizedRows(x, layer.attentionNorm, config.epsilon), layer.projections), config, number);
    weights.push(attention.weights);
    addRows(x, linearRows(attention.joined, layer.output));
    const hidden = linearRows(normalizedRows(x, layer.mlpNorm, config.epsilon), layer.up).map(config.activation);
    addRows(x, linearRows(hidden, layer.down));
  });
  return { ids, tokens: ids.map((id) => wordLabel(model, id)), weights, next: nextWords(model, x) };
}

const MOST_LETTERS = 20000; // beyond any number of positions that a page computes

export function run(model, text) {
  if (text.length > MOST_LETTERS) refuseModel("text", `it has more than ${MOST_LETTERS} characters: give a shorter text`);
  if (!model.tokenizer) refuseModel("text", "the model has no tokenizer: give ids");
  return runIds(model, encodeText(model.tokenizer, text));
}
