// How fast the loss of a session's goal changes with each number of the layer, by the chain rule backwards through the stages, and steps of
// training: a slow twin of engine/learning (layer_backward.cpp, optimizer.cpp). For layers with projections or none, softmax, any mask and
// dropout; positions, softcaps, biases of scores and sinks are left to the program. Letters as in layer.js.
import { dropoutNoise, mayAttend, readSession, rowsOf, sessionWithNumbers } from "./layer.js";
import { eachPlace, listOfSize, newArray, pairAt, usesBias, usesParameter } from "./session.js";

const STAGE_ORDER = [
  "embeddings",
  "queries",
  "keys",
  "values",
  "scores",
  "scaled",
  "masked",
  "weights",
  "dropped",
  "context",
  "concat",
  "output",
];

// Whether the page computes gradients of the layer.
export function hasGradients({ projection, position, softcap, sinks, bias, normalization, overwritten }) {
  const plain = position.kind === "none" && softcap === 0 && sinks.length === 0 && !bias && overwritten.length === 0;
  return plain && normalization !== "sum" && ["none", "linear"].includes(projection);
}

// The target as B x heads x rows x columns, each of which may be 1. NaN: nothing is wanted.
function targetOf(list) {
  const shape = [];
  for (let inner = list; Array.isArray(inner); inner = inner[0]) shape.push(inner.length);
  const data = list.flat(Infinity).map((number) => (number === "nan" ? NaN : Math.fround(number)));
  return { shape: [1, 1, 1, 1].slice(shape.length).concat(shape), data };
}

// A stage without heads as one with a single head.
const withHeads = ({ shape, data }) => ({ shape: shape.length === 4 ? shape : [shape[0], 1, shape[1], shape[2]], data });

// ---- the loss and its gradient at the goal's stage ----

// Both losses are null where nothing is wanted, or something of a pair that the mask closes: of such goals the program has no gradients.

// The mean of (x - t)^2 over what something is wanted of.
function squaredLoss(layer, name, stage, target) {
  const gradient = newArray(stage.shape),
    whole = withHeads(stage);
  let sum = 0,
    count = 0,
    meetsClosed = false;
  eachPlace(whole, (at, ...place) => {
    const away = whole.data[at] - pairAt(target, ...place);
    if (Number.isNaN(away)) return;
    meetsClosed ||= name === "masked" && !mayAttend(layer, ...place);
    count++;
    sum += away * away;
    gradient.data[at] = 2 * away;
  });
  gradient.data.forEach((slope, at) => (gradient.data[at] = slope / count));
  return meetsClosed || !count ? null : { loss: sum / count, gradient };
}

// The mean of -sum t ln w over the rows that something is wanted of. `shares`: of each target, divided by the number of rows.
function crossEntropy(layer, weights, masked, target) {
  const [sequences, heads, rows, columns] = weights.shape,
    shares = newArray(weights.shape);
  let sum = 0,
    count = 0,
    meetsClosed = false;
  eachPlace({ shape: [sequences, heads, rows, 1] }, (line, b, h, row) => {
    const begin = line * columns,
      wanted = listOfSize(columns, (key) => pairAt(target, b, h, row, key)),
      total = wanted.reduce((all, one) => all + one, 0);
    if (!(total > 0)) return;
    count++;
    const scores = Array.from(masked.data.subarray(begin, begin + columns)),
      most = Math.max(...scores),
      logOfSum = most + Math.log(scores.reduce((all, score) => all + Math.exp(score - most), 0));
    wanted.forEach((one, key) => {
      if (one === 0) return;
      meetsClosed ||= !mayAttend(layer, b, h, row, key);
      const weight = weights.data[begin + key];
      sum -= (one / total) * (weight >= 1e-30 ? Math.log(weight) : scores[key] - logOfSum);
      shares.data[begin + key] = one / total;
    });
  });
  shares.data.forEach((share, at) => (shares.data[at] = share / count));
  return meetsClosed || !count ? null : { loss: sum / count, shares };
}

// ---- backwards through the stages ----

class Backward {
  constructor(layer, stages) {
    Object.assign(this, { layer, stages });
    this.of = Object.fromEntries(STAGE_ORDER.filter((name) => stages.has(name)).map((name) => [name, newArray(stages.get(name).shape)]));
    for (const name of ["query", "key", "value", "output"]) {
      if (usesParameter(layer, name)) this.of[`W_${name}`] = newArray(layer.weights[name].shape);
      if (usesBias(layer, name)) this.of[`b_${name}`] = newArray(layer.weights[`${name}_bias`].shape);
    }
  }

  // y = x W + b: adds to the gradients of x (which may have none), W and b. rows: of x and y.
  linear(name, x, y, dx, width) {
    const { weights } = this.layer,
      { shape, data } = weights[name],
      across = weights.layout === "in_out",
      inputs = across ? shape[0] : shape[1],
      outputs = across ? shape[1] : shape[0];
    const dW = this.of[`W_${name}`].data,
      db = this.of[`b_${name}`]?.data;
    for (let row = 0; row < width; row++)
      for (let out = 0; out < outputs; out++) {
        const slope = y(row, out);
        if (db) db[out] += slope;
        for (let i = 0; i < inputs; i++) {
          const at = across ? i * outputs + out : out * inputs + i;
          dW[at] += x[row * inputs + i] * slope;
          if (dx) dx[row * inputs + i] += data[at] * slope;
        }
      }
  }

  output() {
    const { layer, of, stages } = this,
      concat = stages.get("concat"),
      width = layer.dOut;
    if (!layer.outputProjection) return of.concat.data.set(of.output.data);
    this.linear(
      "output",
      concat.data,
      (row, out) => of.output.data[row * width + out],
      of.concat.data,
      concat.data.length / concat.shape[2],
    );
  }

  concat() {
    const { layer, of } = this;
    eachPlace(of.context, (at, b, h, row, column) => {
      const width = layer.dV;
      if (!layer.disabledHeads.includes(h))
        of.context.data[at] = of.concat.data[(b * layer.queryCount + row) * layer.heads * width + h * width + column];
    });
  }

  // The place of a key's row of a head in keys or values.
  keyRow(sequence, head, key, width) {
    const { heads, keyHeads, keyCount } = this.layer;
    return ((sequence * keyHeads + Math.floor((head * keyHeads) / heads)) * keyCount + key) * width;
  }

  // Each pair of query and key of a stage, with the rows of the query's numbers and of the key's.
  pairs(stage, width, visit) {
    eachPlace(this.of[stage], (at, b, h, query, key) =>
      visit(at, ((b * this.layer.heads + h) * this.layer.queryCount + query) * width, this.keyRow(b, h, key, width), [b, h, query, key]),
    );
  }

  context() {
    const { of, stages } = this,
      width = this.layer.dV;
    this.pairs("dropped", width, (at, from, to) => {
      let sum = 0;
      for (let i = 0; i < width; i++) {
        sum += of.context.data[from + i] * stages.get("values").data[to + i];
        of.values.data[to + i] += stages.get("dropped").data[at] * of.context.data[from + i];
      }
      of.dropped.data[at] = sum;
    });
  }

  dropped() {
    const noise = dropoutNoise(this.layer);
    this.of.dropped.data.forEach((slope, at) => (this.of.weights.data[at] = slope * (noise ? noise[at] : 1)));
  }

  // The softmax of a row: dL/ds = w (dL/dw - sum of w dL/dw) (Bridle 1990).
  weights() {
    const { of, stages } = this,
      width = this.layer.keyCount,
      { data } = stages.get("weights");
    for (let begin = 0; begin < data.length; begin += width) {
      let sum = 0;
      for (let i = begin; i < begin + width; i++) sum += data[i] * of.weights.data[i];
      for (let i = begin; i < begin + width; i++) of.masked.data[i] = data[i] === 0 ? 0 : data[i] * (of.weights.data[i] - sum);
    }
  }

  masked() {
    this.pairs(
      "scaled",
      0,
      (at, from, to, [b, h, query, key]) =>
        (this.of.scaled.data[at] = mayAttend(this.layer, b, h, query, key) ? this.of.masked.data[at] : 0),
    );
  }

  scaled() {
    this.of.scaled.data.forEach((slope, at) => (this.of.scores.data[at] = slope * this.layer.scale));
  }

  scores() {
    const { of, stages } = this,
      width = this.layer.dK;
    this.pairs("scores", width, (at, from, to) => {
      for (let i = 0; i < width; i++) {
        of.queries.data[from + i] += of.scores.data[at] * stages.get("keys").data[to + i];
        of.keys.data[to + i] += of.scores.data[at] * stages.get("queries").data[from + i];
      }
    });
  }

  // What is projected to queries, keys and values. The embeddings of key tokens of their own have no stage.
  inputs() {
    const { layer, of } = this;
    for (const [name, stage] of [
      ["query", "queries"],
      ["key", "keys"],
      ["value", "values"],
    ]) {
      const [, heads, rows, width] = of[stage].shape,
        own = name === "query" || !layer.keyEmbeddings,
        input = own ? layer.embeddings : layer.keyEmbeddings;
      const slope = (row, out) =>
        of[stage].data[((Math.floor(row / rows) * heads + Math.floor(out / width)) * rows + (row % rows)) * width + (out % width)];
      if (layer.projection === "linear") this.linear(name, input.data, slope, own ? of.embeddings.data : null, layer.sequences * rows);
      else if (own)
        for (let row = 0; row < layer.sequences * rows; row++)
          for (let i = 0; i < input.columns; i++) of.embeddings.data[row * input.columns + i] += slope(row, i);
    }
  }

  from(stage) {
    const steps = ["output", "concat", "context", "dropped", "weights", "masked", "scaled", "scores"],
      begin = steps.indexOf(stage);
    for (const step of begin < 0 ? [] : steps.slice(begin)) this[step]();
    if (stage !== "embeddings") this.inputs();
  }
}

// {loss, NAME: array} with the stages' names, W_query and b_query and so on, and of a cross entropy its `shares`; null where there is no
// goal, or it does not fit the layer.
export function gradientsOf({ layer, stages }) {
  const { goal } = layer.session;
  if (!goal || !hasGradients(layer) || !stages.has(goal.stage)) return null;
  const stage = stages.get(goal.stage),
    target = targetOf(goal.target),
    fits = withHeads(stage).shape.every((size, axis) => target.shape[axis] === size || target.shape[axis] === 1);
  if (!fits) return null;
  const lost =
    goal.loss === "squared" ? squaredLoss(layer, goal.stage, stage, target) : crossEntropy(layer, stage, stages.get("masked"), target);
  if (!lost) return null;
  const back = new Backward(layer, stages),
    { loss, gradient, shares } = lost;
  if (gradient) {
    back.of[goal.stage] = gradient;
    back.from(goal.stage);
    return { loss, ...back.of };
  }
  const { weights, masked } = back.of,
    width = layer.keyCount;
  // Of the scores at once, w sum of t - t: a weight may be too small to divide by.
  for (let begin = 0; begin < shares.data.length; begin += width) {
    const total = shares.data.subarray(begin, begin + width).reduce((sum, share) => sum + share, 0);
    for (let i = begin; i < begin + width; i++) {
      weights.data[i] = shares.data[i] === 0 ? 0 : -shares.data[i] / stage.data[i];
      masked.data[i] = total * stage.data[i] - shares.data[i];
    }
  }
  back.from("masked");
  return { loss, shares, ...back.of };
}

// ---- training ----

const PARTS = ["query", "key", "value", "output"];

// The arrays that are trained, each with the name of its gradient.
function trainedArrays(layer, { parameters }) {
  const names = parameters ?? PARTS.filter((name) => usesParameter(layer, name));
  return names.flatMap((name) => {
    if (name === "embeddings") return [{ array: layer.embeddings, of: "embeddings" }];
    const bias = usesBias(layer, name) ? [{ array: layer.weights[`${name}_bias`], of: `b_${name}` }] : [];
    return [{ array: layer.weights[name], of: `W_${name}` }, ...bias];
  });
}

// One step of torch.optim.SGD, Adam or AdamW. memory: {mean, square} of an array, from step to step.
function moveArray(
  { optimizer = "sgd", momentum = 0, betas = [0.9, 0.999], epsilon = 1e-8, decay = 0.01 },
  rate,
  data,
  gradient,
  memory,
  step,
) {
  const kept = optimizer === "adamw" ? 1 - rate * decay : 1;
  data.forEach((number, i) => {
    if (optimizer === "sgd") {
      memory.mean[i] = momentum * memory.mean[i] + gradient[i];
      data[i] = number - rate * memory.mean[i];
      return;
    }
    memory.mean[i] = betas[0] * memory.mean[i] + (1 - betas[0]) * gradient[i];
    memory.square[i] = betas[1] * memory.square[i] + (1 - betas[1]) * gradient[i] ** 2;
    const mean = memory.mean[i] / (1 - betas[0] ** step),
      root = Math.sqrt(memory.square[i] / (1 - betas[1] ** step));
    data[i] = kept * number - (rate * mean) / (root + Math.max(epsilon, 1.2e-38));
  });
}

// The session after steps of training with its own settings, and the loss before the last of them; it stops before the step that would not
// be finite. memory: what the optimizer remembers of the steps before, as this returns it. `computed`: the stages of a layer.
export function trainedSession(session, { steps, rate, memory }, computed) {
  const { training = {} } = session,
    layer = readSession(session),
    arrays = trainedArrays(layer, training),
    isOf = (array, i) => memory.arrays[i]?.mean.length === array.data.length,
    fits = memory && memory.arrays.length === arrays.length && arrays.every(({ array }, i) => isOf(array, i)),
    empty = ({ data }) => ({ mean: new Float32Array(data.length), square: new Float32Array(data.length) });
  const memories = fits ? memory.arrays : arrays.map(({ array }) => empty(array)),
    before = fits ? memory.steps : 0;
  let taken = 0,
    loss = NaN;
  for (; taken < steps; taken++) {
    const gradients = gradientsOf({ layer, stages: computed(layer).stages });
    if (!gradients) break;
    ({ loss } = gradients);
    const old = arrays.map(({ array }) => array.data.slice());
    arrays.forEach(({ array, of }, i) =>
      moveArray(training, rate ?? training.rate ?? 0.01, array.data, gradients[of].data, memories[i], before + taken + 1),
    );
    if (arrays.every(({ array }) => array.data.every(Number.isFinite))) continue;
    arrays.forEach(({ array }, i) => array.data.set(old[i]));
    break;
  }
  const trained = sessionWithNumbers(layer);
  if (arrays.some(({ of }) => of === "embeddings")) {
    const { count, rows, columns, data } = layer.embeddings,
      size = rows * columns,
      list = listOfSize(count, (b) => rowsOf(data.subarray(b * size, (b + 1) * size), columns));
    trained.embeddings = count === 1 ? list[0] : list;
  }
  return {
    session: { ...trained, training: { ...training, steps: (training.steps ?? 0) + taken } },
    taken,
    loss,
    memory: { arrays: memories, steps: before + taken },
  };
}
