// How one number came about: the sum of products that it is, from the stages that were computed and the layer's inputs.
import { numberText, shareText, spokenLabel, valueText } from "./colors.js";
import { listOfSize } from "./session.js";

// ---- the table of stages: engine/layer/stage.cpp ----

// perHead: B x H x rows x columns. pair: a number for each pair of query and key. keyed: rows are key tokens.
export const STAGES = {
  embeddings: { title: "Embeddings" },
  queries: { title: "Queries", perHead: true },
  keys: { title: "Keys", perHead: true, keyed: true },
  values: { title: "Values", perHead: true, keyed: true },
  rotated_queries: { title: "Rotated queries", perHead: true },
  rotated_keys: { title: "Rotated keys", perHead: true, keyed: true },
  scores: { title: "Attention scores", perHead: true, pair: true },
  scaled: { title: "Scaled scores", perHead: true, pair: true },
  capped: { title: "Capped scores", perHead: true, pair: true },
  biased: { title: "Scores with bias", perHead: true, pair: true },
  masked: { title: "Masked scores", perHead: true, pair: true },
  weights: { title: "Attention weights", perHead: true, pair: true },
  dropped: { title: "Attention weights after dropout", perHead: true, pair: true },
  context: { title: "Context vectors", perHead: true },
  concat: { title: "Context vectors of all heads" },
  output: { title: "Output of attention" },
};

export function shapeOf(stages, stage) {
  const { shape } = stages.get(stage),
    perHead = STAGES[stage].perHead;
  return { sequences: shape[0], heads: perHead ? shape[1] : 1, rows: shape.at(-2), columns: shape.at(-1), perHead };
}

// Keys and values of grouped heads: the number of the group's matrix.
export function headOf(stages, stage, head, heads) {
  const count = shapeOf(stages, stage).heads;
  return Math.min(count - 1, Math.floor((head * count) / heads));
}

export function numberAt(stages, cell) {
  const { heads, rows, columns } = shapeOf(stages, cell.stage);
  const head = heads === 1 ? 0 : cell.head;
  return stages.get(cell.stage).data[((cell.sequence * heads + head) * rows + cell.row) * columns + cell.column];
}

export function weightAt(layer, name, input, output) {
  const { shape, data } = layer.weights[name];
  return layer.weights.layout === "in_out" ? data[input * shape[1] + output] : data[output * shape[1] + input];
}

// ---- the pieces of a derivation ----

export const signPiece = (text) => ({ kind: "sign", text });
const plainPiece = (number) => ({ kind: "number", text: numberText(number, 2) });
const resultPiece = (stage, value) => ({ kind: "result", text: valueText(stage, value) });
export const boxPiece = (value, label, to, text = numberText(value, 2)) => ({ kind: "box", value, label, to, text });

// "a x b + c x d ..." of pairs of boxes.
export function sumOfProducts(pairs) {
  return pairs.flatMap(([a, b], at) => [...(at > 0 ? [signPiece("+")] : []), a, signPiece("×"), b]);
}

export const PROJECTED = { queries: "query", keys: "key", values: "value" };
// The stages from the product of a query and a key to what the softmax takes.
const PAIR_STAGES = ["scores", "scaled", "capped", "biased", "masked"];
// Above this, e to the number is written with the row's maximum subtracted, as it is computed.
const LARGE_POWER = 20;

// The derivation of one cell of one layer.
class Trace {
  constructor(layer, stages, cell) {
    Object.assign(this, { layer, stages, cell });
    this.value = numberAt(stages, cell);
    this.result = resultPiece(cell.stage, this.value);
    this.equals = [signPiece("="), this.result];
  }

  number(stage, change) {
    return numberAt(this.stages, { ...this.cell, stage, ...change });
  }

  // The box of another cell, or of the own one in another stage.
  box(label, stage, change, text) {
    const to = { ...this.cell, stage, ...change };
    return boxPiece(numberAt(this.stages, to), label, to, text);
  }

  share(label, stage, change) {
    return this.box(label, stage, change, shareText(this.number(stage, change), 1));
  }

  width(stage) {
    return shapeOf(this.stages, stage).columns;
  }

  group(stage) {
    return headOf(this.stages, stage, this.cell.head, this.layer.heads);
  }

  // "+ bias" of a parameter, where it has one.
  bias(name, column, uses) {
    const bias = this.layer.weights[`${name}_bias`];
    return uses && bias ? [signPiece("+"), boxPiece(bias.data[column], "bias", { input: `${name}_bias`, row: 0, column })] : [];
  }

  weightBox(name, row, column) {
    return boxPiece(weightAt(this.layer, name, row, column), `W ${row},${column}`, { input: name, row, column });
  }

  // One number of X W + b, or of X itself where nothing is projected.
  projected() {
    const { layer, cell } = this,
      name = PROJECTED[cell.stage],
      column = cell.head * this.width(cell.stage) + cell.column;
    const keyed = name !== "query" && layer.keyEmbeddings,
      input = keyed ? layer.keyEmbeddings : layer.embeddings;
    if (layer.projection !== "linear" && layer.projection !== "none") return [signPiece("given"), this.result];
    const from = (i) => {
      const value = input.data[((cell.sequence % input.count) * input.rows + cell.row) * input.columns + i];
      return boxPiece(
        value,
        `dim ${i}`,
        keyed ? { input: "key_embeddings", row: cell.row, column: i } : { ...cell, stage: "embeddings", column: i },
      );
    };
    if (layer.projection === "none") return [from(column), signPiece("the embedding itself"), ...this.equals];
    const pairs = listOfSize(input.columns, (i) => [from(i), this.weightBox(name, i, column)]);
    return [...sumOfProducts(pairs), ...this.bias(name, column, layer.qkvBias), ...this.equals];
  }

  // A pair of dimensions turned by the angle of the token's position (RoFormer, Su et al. 2021).
  rotated() {
    const { layer, cell } = this,
      stage = cell.stage.replace("rotated_", ""),
      at = cell.column;
    const dims = layer.position.dims || this.width(stage),
      own = this.box(`dim ${at}`, stage);
    if (at >= dims) return [own, signPiece("not turned"), ...this.equals];
    const halves = layer.position.pairs === "halves",
      half = dims / 2,
      first = halves ? at < half : at % 2 === 0;
    const other = halves ? (at + half) % dims : at ^ 1;
    return [
      own,
      signPiece("× cos φ"),
      signPiece(first ? "−" : "+"),
      this.box(`dim ${other}`, stage, { column: other }),
      signPiece("× sin φ"),
      ...this.equals,
    ];
  }

  // The dot product of a query and a key.
  score() {
    const [queries, keys] = this.stages.has("rotated_queries") ? ["rotated_queries", "rotated_keys"] : ["queries", "keys"];
    const head = this.group(keys),
      row = this.cell.column;
    return sumOfProducts(
      listOfSize(this.width(queries), (column) => [
        this.box(`query ${column}`, queries, { column }),
        this.box(`key ${column}`, keys, { head, row, column }),
      ]),
    );
  }

  // From the score to one of the stages behind it.
  pair(until) {
    const { layer, stages } = this,
      last = PAIR_STAGES.indexOf(until);
    if (!stages.has("scores")) return [];
    const scale = layer.session.attention.scale ?? "inverse_sqrt_dk",
      pieces = [...this.score(), signPiece("="), plainPiece(this.number("scores"))];
    const then = (stage, ...signs) =>
      stages.has(stage) && PAIR_STAGES.indexOf(stage) <= last && pieces.push(...signs, plainPiece(this.number(stage)));
    if (scale === "inverse_sqrt_dk") then("scaled", signPiece(`÷ √${this.width("queries")} =`));
    else if (scale !== "none") then("scaled", signPiece(`× ${Number(scale.toFixed(4))} =`));
    then("capped", signPiece(`${layer.softcap} × tanh(… ÷ ${layer.softcap}) =`));
    if (stages.has("biased"))
      then(
        "biased",
        signPiece("+"),
        boxPiece(this.number("biased") - this.number(stages.has("capped") ? "capped" : "scaled"), "bias", null),
        signPiece("="),
      );
    return pieces;
  }

  row(stage) {
    return listOfSize(this.width(stage), (column) => this.number(stage, { column }));
  }

  // Softmax of a row, with the sink's part where a head has one; or its numbers divided by their sum.
  weight() {
    const { layer, cell } = this;
    if (!this.stages.has("masked")) return [signPiece("given"), this.result];
    const row = this.row("masked"),
      mine = row[cell.column],
      open = row.filter((value) => value !== -Infinity);
    if (mine === -Infinity) return [signPiece("hidden by the mask:"), this.result];
    const add = (sum, value) => sum + value;
    if (layer.normalization === "sum")
      return [...this.pair("masked"), signPiece(`÷ ${numberText(open.reduce(add, 0), 2)}`), ...this.equals];
    const sinks = layer.sinks.length > 0 ? [layer.sinks[cell.head]] : [],
      all = [...open, ...sinks],
      most = Math.max(...all);
    const shift = Math.abs(most) > LARGE_POWER ? most : 0,
      total = all.map((value) => Math.exp(value - shift)).reduce(add, 0);
    const power = numberText(mine, 2) + (shift === 0 ? "" : ` − ${numberText(shift, 2)}`);
    return [
      ...this.pair("masked"),
      { kind: "gap" },
      { kind: "power", text: power },
      signPiece(`÷ ${numberText(total, 2)}${sinks.length > 0 ? " with the sink" : ""}`),
      ...this.equals,
    ];
  }

  dropped() {
    const { probability, training } = this.layer.dropout,
      active = training && probability > 0;
    const how = !active ? "no dropout" : this.value === 0 ? "× 0, dropped" : `÷ (1 − ${probability})`;
    return [this.share("weight", "weights"), signPiece(how), ...this.equals];
  }

  // The mean of the values, weighted by the row of weights.
  context() {
    const from = this.stages.has("dropped") ? "dropped" : "weights",
      head = this.group("values");
    const pairs = this.row(from).map((_, key) => [
      this.share(`weight ${key}`, from, { column: key }),
      this.box(`value ${key}`, "values", { head, row: key }),
    ]);
    return [...sumOfProducts(pairs), ...this.equals];
  }

  concat() {
    const width = this.width("context"),
      column = this.cell.column % width,
      head = Math.floor(this.cell.column / width);
    const off = this.layer.disabledHeads.includes(head);
    return [
      this.box(`dim ${column}`, "context", { head, column }),
      signPiece(off ? "× 0: its head is off" : "of its head"),
      ...this.equals,
    ];
  }

  output() {
    const { column } = this.cell;
    if (!this.layer.outputProjection) return [this.box(`dim ${column}`, "concat"), ...this.equals];
    const pairs = this.row("concat").map((_, i) => [this.box(`dim ${i}`, "concat", { column: i }), this.weightBox("output", i, column)]);
    return [...sumOfProducts(pairs), ...this.bias("output", column, true), ...this.equals];
  }

  pieces() {
    const { stage } = this.cell;
    if (stage in PROJECTED) return this.projected();
    switch (stage) {
      case "embeddings":
        return [signPiece("an input:"), this.result];
      case "rotated_queries":
      case "rotated_keys":
        return this.rotated();
      case "scores":
        return [...this.score(), ...this.equals];
      case "masked":
        return [...this.pair(stage), signPiece(this.value === -Infinity ? "hidden by the mask" : "not hidden"), ...this.equals];
      case "weights":
        return this.weight();
      case "dropped":
      case "context":
      case "concat":
      case "output":
        return this[stage]();
      default:
        return [...this.pair(stage).slice(0, -1), this.result];
    }
  }
}

// The pieces of the derivation of one cell: boxes that lead to where their number comes from, signs, results.
export function traceOf(layer, stages, cell) {
  return new Trace(layer, stages, cell).pieces();
}

// ---- a cell in words ----

export function tokensOf(session, keyed) {
  return keyed && session.key_tokens?.length ? session.key_tokens : session.tokens;
}

// The names of a stage's rows and columns.
export function namesOf(session, stages, stage) {
  const info = STAGES[stage],
    { columns } = shapeOf(stages, stage);
  return {
    rows: tokensOf(session, info.keyed).map(spokenLabel),
    columns: info.pair ? tokensOf(session, true).map(spokenLabel) : listOfSize(columns, (i) => `dim ${i}`),
  };
}
