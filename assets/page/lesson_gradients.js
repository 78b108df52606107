// How a gradient came about: what the loss asks of a weight, and from each stage the chain rule back to the one before.
import { numberText } from "./colors.js";
import { listOfSize } from "./session.js";
import { boxPiece, headOf, numberAt, signPiece, sumOfProducts } from "./trace.js";

// Where the gradient of a pair comes from, and what it is multiplied by.
const PAIR_BEHIND = {
  scores: ["scaled", ({ scale }) => `× ${numberText(scale, 4)}`],
  scaled: ["masked", () => "where it is not hidden"],
  weights: ["dropped", () => "times the noise of dropout"],
};

const resultOf = (slope) => [signPiece("="), { kind: "result", text: `∂ ${numberText(slope, 4)}` }];
const sumOver = (count, pair) => sumOfProducts(listOfSize(count, pair));

// The derivation of the gradient of one cell.
class SlopeTrace {
  constructor({ layer, stages, gradients }, cell) {
    Object.assign(this, { layer, stages, gradients, cell, keyHead: headOf(stages, "keys", cell.head, layer.heads) });
  }

  at(name, array, change) {
    return numberAt(new Map([[name, array]]), { ...this.cell, stage: name, ...change });
  }

  slope(name, change) {
    return boxPiece(this.at(name, this.gradients[name], change), `∂ ${name}`);
  }

  number(name, change) {
    const to = { ...this.cell, stage: name, ...change };
    return boxPiece(numberAt(this.stages, to), name, to);
  }

  // What a cross entropy asks of a weight of the row: its target, divided by the number of rows.
  wish(key) {
    return this.at("weights", this.gradients.shares, { column: key });
  }

  // Of the loss itself: -t / w.
  weights() {
    const wish = this.wish(this.cell.column);
    if (!wish) return [signPiece("the loss does not look at it")];
    return [signPiece("−"), boxPiece(wish, "wish"), signPiece("÷"), this.number("weights")];
  }

  // Back through softmax: w sum(t) - t of a cross entropy, else w (∂w - sum(w ∂w)).
  masked() {
    const { gradients, cell, layer } = this,
      sum = (number) => listOfSize(layer.keyCount, number).reduce((a, b) => a + b),
      weight = this.number("weights");
    if (gradients.shares) {
      const wishes = boxPiece(
        sum((key) => this.wish(key)),
        "wishes of the row",
      );
      return [wishes, signPiece("×"), weight, signPiece("−"), boxPiece(this.wish(cell.column), "wish")];
    }
    const mean = sum((column) => this.number("weights", { column }).value * this.slope("weights", { column }).value);
    return [weight, signPiece("× ("), this.slope("weights"), signPiece("−"), boxPiece(mean, "mean of ∂"), signPiece(")")];
  }

  pieces() {
    const { layer, cell, keyHead: head } = this,
      { stage, row, column } = cell,
      alone = layer.heads === layer.keyHeads; // else several heads of queries meet the same key
    if (stage === "masked" || (stage === "weights" && this.gradients.shares)) return this[stage]();
    if (stage === "queries")
      return sumOver(layer.keyCount, (key) => [this.slope("scores", { column: key }), this.number("keys", { head, row: key })]);
    if (stage === "dropped")
      return sumOver(layer.dV, (i) => [this.slope("context", { column: i }), this.number("values", { head, row: column, column: i })]);
    if (stage === "keys" && alone)
      return sumOver(layer.queryCount, (query) => [
        this.slope("scores", { row: query, column: row }),
        this.number("queries", { row: query }),
      ]);
    if (stage === "values" && alone)
      return sumOver(layer.queryCount, (query) => [
        this.number("dropped", { row: query, column: row }),
        this.slope("context", { row: query }),
      ]);
    const [behind, how] = PAIR_BEHIND[stage] ?? [];
    return behind ? [this.slope(behind), signPiece(how(layer))] : [signPiece("from all that is computed of it")];
  }
}

// The pieces of the derivation of a cell's gradient.
export function slopeTrace(state, cell) {
  const trace = new SlopeTrace(state, cell),
    { stage } = cell;
  return [...trace.pieces(), ...resultOf(trace.at(stage, state.gradients[stage]))];
}

// The same of one number of W_query, W_key or W_value: what each token asks for, in all. Of others the result alone.
export function weightSlopeTrace({ layer, gradients }, { id, row, column }) {
  const stage = { query: "queries", key: "keys", value: "values" }[id],
    [input, out] = layer.weights.layout === "in_out" ? [row, column] : [column, row],
    slope = gradients[`W_${id}`],
    result = resultOf(slope.data[row * slope.shape[1] + column]);
  if (!stage || layer.sequences > 1 || layer.keyEmbeddings) return result.slice(1);
  const width = gradients[stage].shape[3],
    { rows, columns, data } = layer.embeddings;
  const cell = (token) => ({ stage, sequence: 0, head: Math.floor(out / width), row: token, column: out % width });
  const pair = (token) => [
    boxPiece(data[token * columns + input], layer.tokens[token], { stage: "embeddings", sequence: 0, row: token, column: input }),
    boxPiece(numberAt(new Map([[stage, gradients[stage]]]), cell(token)), `∂ ${stage}`),
  ];
  return [...sumOver(rows, pair), ...result];
}
