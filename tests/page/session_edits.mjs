// Random edits of a session of one layer: of its numbers, its settings and its shapes. What comes out may be refused; then the program
// and the page have to refuse it both.

// Numbers in [0, 1) that a text determines (mulberry32).
export function randomNumbers(seed) {
  let state = 0;
  for (const letter of String(seed)) state = Math.imul(state ^ letter.codePointAt(0), 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Dice {
  constructor(random) {
    this.random = random;
  }

  below(count) {
    return Math.floor(this.random() * count);
  }

  of(list) {
    return list[this.below(list.length)];
  }

  // A number as a user might type it.
  number() {
    return this.of([
      0,
      1,
      -1,
      Number((this.random() * 4 - 2).toFixed(3)),
      Number((this.random() * 2 - 1).toFixed(2)),
      Number((this.random() * 40 - 20).toFixed(1)),
    ]);
  }

  array(shape, number) {
    if (shape.length === 0) return number();
    return Array.from({ length: shape[0] }, () => this.array(shape.slice(1), number));
  }

  flag() {
    return this.random() < 0.5;
  }
}

// Replaces one number somewhere in nested lists.
function changeCell(list, dice, number) {
  const at = dice.below(list.length);
  if (Array.isArray(list[at])) changeCell(list[at], dice, number);
  else list[at] = number;
}

// B, H, Tq and Tk, some of them 1.
function pairShape(layer, dice) {
  const { sequences, heads, queryCount, keyCount } = layer;
  const shape = [sequences, heads, queryCount, keyCount].map((size) => (dice.random() < 0.3 ? 1 : size));
  const least = shape.findIndex((size, axis) => size > 1 || axis > 1);
  return shape.slice(Math.min(dice.below(least + 1), least));
}

function positionOf(layer, dice) {
  if (dice.flag()) return { kind: "alibi", ...(dice.flag() ? { slopes: dice.array([layer.heads], () => dice.number()) } : {}) };
  const position = {
    kind: "rope",
    theta: dice.of([10000, 500, 7]),
    pairs: dice.of(["halves", "neighbours"]),
    start: dice.below(9),
    key_start: dice.below(9),
  };
  if (layer.dK >= 4 && dice.flag()) position.dims = 2 * (1 + dice.below(layer.dK / 2));
  const pairs = Math.floor((position.dims ?? layer.dK) / 2);
  if (dice.flag()) {
    position.scaling = {
      factor: dice.of([1, 2, 8]),
      low: 1,
      high: 4,
      positions: dice.of([16, 8192]),
      blend: dice.of(["turns", "whole_pairs", "pairs"]),
    };
    if (dice.flag()) position.scaling.magnitude = 1.25;
    if (dice.flag()) position.scaling.factors = dice.array([pairs], () => dice.of([1, 1.5, 4]));
  }
  return position;
}

function maskOf(layer, dice) {
  const { sequences, queryCount, keyCount } = layer,
    cell = () => (dice.random() < 0.7 ? 1 : 0);
  switch (dice.below(4)) {
    case 0:
      return dice.of(["none", "causal"]);
    case 1:
      return dice.array([queryCount, keyCount], cell);
    case 2:
      return { allowed: dice.array(pairShape(layer, dice), cell), causal: dice.flag() };
  }
  const mask = { causal: dice.flag() };
  if (dice.flag()) mask.offset = dice.flag() ? dice.below(7) - 3 : dice.array([sequences], () => dice.below(7) - 3);
  if (dice.flag()) mask.window = [dice.of([null, 0, 1, 2]), dice.of([null, 0, 1, 2])];
  if (dice.flag()) mask.keys = dice.array([sequences], () => dice.below(keyCount + 1));
  if (dice.flag()) mask.allowed = dice.array(pairShape(layer, dice), cell);
  return mask;
}

const EDITS = {
  embedding: (session, dice) => session.embeddings && changeCell(session.embeddings, dice, dice.number()),
  keyEmbedding: (session, dice) => session.key_embeddings && changeCell(session.key_embeddings, dice, dice.number()),
  given: (session, dice) => session.given && changeCell(dice.of(Object.values(session.given)), dice, dice.number()),
  weight: (session, dice, layer, withNumbers) => {
    if (!layer.weights.query && !layer.weights.output) return;
    session.weights = withNumbers(layer).weights;
    const arrays = Object.values(session.weights).filter((value) => Array.isArray(value) && typeof value[0] !== "string");
    changeCell(dice.of(arrays), dice, dice.number());
  },
  mask: (session, dice, layer) => (session.attention.mask = maskOf(layer, dice)),
  maskAgain: (session, dice, layer) => (session.attention.mask = maskOf(layer, dice)),
  scale: (session, dice) => (session.attention.scale = dice.of(["none", "inverse_sqrt_dk", 0.5, 2, -1])),
  softcap: (session, dice) => (session.attention.softcap = dice.of([null, 0.5, 2, 50])),
  normalization: (session, dice) => (session.attention.normalization = dice.of(["softmax", "softmax", "naive_softmax", "sum"])),
  sinks: (session, dice, layer) => (session.attention.sinks = dice.flag() ? null : dice.array([layer.heads], () => dice.number())),
  dropout: (session, dice) => {
    const dropout = {
      probability: dice.of([0, 0.1, 0.5, 0.75, 1]),
      training: dice.random() < 0.9,
      seed: dice.of([null, 0, 123, -7, 4294967419]),
    };
    session.attention.dropout = dice.flag() ? dropout : { ...dropout, build: "mkl" };
  },
  disabled: (session, dice, layer) =>
    (session.attention.disabled_heads = Array.from({ length: layer.heads }, (_, i) => i).filter(() => dice.random() < 0.3)),
  bias: (session, dice, layer) => {
    const number = () => (dice.random() < 0.1 ? "-inf" : dice.number());
    session.attention.bias = dice.flag() ? null : dice.array(pairShape(layer, dice), number);
  },
  position: (session, dice, layer) => (session.attention.position = dice.flag() ? null : positionOf(layer, dice)),
  outputProjection: (session, dice) => (session.attention.output_projection = dice.flag()),
  qkvBias: (session, dice) => (session.attention.qkv_bias = dice.flag()),
  heads: (session, dice) => (session.attention.num_heads = 1 + dice.below(4)),
  keyHeads: (session, dice) => (session.attention.num_kv_heads = 1 + dice.below(3)),
  width: (session, dice) => (session.attention.d_out = 1 + dice.below(8)),
  headWidths: (session, dice, layer) => {
    Object.assign(session.attention, { d_k: 1 + dice.below(8), d_v: 1 + dice.below(4) });
    session.attention.d_out = session.attention.output_projection ? 1 + dice.below(8) : layer.heads * session.attention.d_v;
  },
  recipe: (session, dice) => {
    if (session.attention.projection !== "linear") return;
    const order = ["query", "key", "value", "output"].sort(() => dice.random() - 0.5);
    session.weights = { init: dice.of(["rand", "linear"]), seed: dice.of([0, 5, 123, -1, 2 ** 40 + 3]), order };
  },
  projection: (session, dice, layer) => {
    if (layer.projection === "given" || layer.projection === "weights") return;
    session.attention.projection = dice.of(["none", "linear"]);
    session.attention.d_out = session.attention.projection === "none" ? layer.embeddings.columns : 4;
    session.weights ??= { init: "linear", seed: 123 };
  },
  givenWeights: (session, dice, layer) => {
    if (dice.random() < 0.8) return;
    const weights = dice.array([layer.sequences, layer.heads, layer.queryCount, layer.keyCount], () => dice.random());
    session.given = { weights };
    if (dice.flag()) session.given.value = dice.array([layer.sequences, layer.keyCount, layer.keyHeads * layer.dV], () => dice.number());
    session.attention = {
      projection: "weights",
      num_heads: layer.heads,
      num_kv_heads: layer.keyHeads,
      d_v: layer.dV,
      d_out: layer.heads * layer.dV,
    };
    delete session.weights;
  },
  keyTokens: (session, dice, layer) => {
    if (!layer.embeddings || session.given) return;
    const count = 1 + dice.below(6);
    session.key_tokens = Array.from({ length: count }, (_, i) => `k${i}`);
    session.key_embeddings = dice.array([layer.sequences, count, layer.embeddings.columns], () => dice.number());
  },
  batch: (session, dice, layer) => {
    if (!layer.embeddings || session.given || session.key_embeddings) return;
    const { rows, columns } = layer.embeddings;
    session.embeddings = dice.array([1 + dice.below(3), rows, columns], () => dice.number());
  },
};

// A copy of the session with one random edit. withNumbers: the session of a layer with its weights as numbers.
export function edited(session, random, withNumbers, read) {
  const dice = new Dice(random),
    copy = JSON.parse(JSON.stringify(session));
  EDITS[dice.of(Object.keys(EDITS))](copy, dice, read(session), withNumbers);
  return copy;
}
