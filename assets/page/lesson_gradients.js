// How a gradient came about: what the loss asks of a weight, and from each stage the chain rule back to the one before.
import { numberText } from "./colors.js";
import { boxPiece, headOf, numberAt, signPiece, sumOfProducts } from "./trace.js";

const STAGE_BEHIND = { scores: "scaled", scaled: "masked", weights: "dropped" };

// The pieces of the derivation of a cell's gradient. shares: what the loss asks of each weight, where it is a cross entropy.
export function slopeTrace({ layer, stages, gradients }, cell) {
  const { stage, row, column } = cell,
    { shares } = gradients,
    at = (name, array, change) => numberAt(new Map([[name, array]]), { ...cell, stage: name, ...change });
  const slope = (name, change) => boxPiece(at(name, gradients[name], change), `∂ ${name}`),
    number = (name, change) => boxPiece(numberAt(stages, { ...cell, stage: name, ...change }), name, { ...cell, stage: name, ...change }),
    wish = (key) => at("weights", shares, { column: key }),
    sum = (count, pair) => sumOfProducts(Array.from({ length: count }, (_, i) => pair(i)));
  const keyHead = headOf(stages, "keys", cell.head, layer.heads),
    equals = [signPiece("="), { kind: "result", text: `∂ ${numberText(at(stage, gradients[stage]), 4)}` }],
    keys = [...Array(layer.keyCount).keys()];
  const wishBox = () => boxPiece(wish(column), "wish");
  if (stage === "weights" && shares)
    return wish(column) ? [signPiece("−"), wishBox(), signPiece("÷"), number(stage), ...equals] : [signPiece("the loss does not look at it"), ...equals];
  if (stage === "masked") {
    const asked = shares
      ? boxPiece(keys.map(wish).reduce((a, b) => a + b), "wishes of the row")
      : boxPiece(at("weights", gradients.weights) - keys.reduce((all, key) => all + number("weights", { column: key }).value * slope("weights", { column: key }).value, 0), "∂ weight − mean ∂");
    return [asked, signPiece("×"), number("weights"), ...(shares ? [signPiece("−"), wishBox()] : []), ...equals];
  }
  if (stage === "queries") return [...sum(layer.keyCount, (key) => [slope("scores", { column: key }), number("keys", { head: keyHead, row: key })]), ...equals];
  if (stage === "dropped") return [...sum(layer.dV, (i) => [slope("context", { column: i }), number("values", { head: keyHead, row: column, column: i })]), ...equals];
  if (layer.heads === layer.keyHeads && stage === "keys")
    return [...sum(layer.queryCount, (query) => [slope("scores", { row: query, column: row }), number("queries", { row: query })]), ...equals];
  if (layer.heads === layer.keyHeads && stage === "values")
    return [...sum(layer.queryCount, (query) => [number("dropped", { row: query, column: row }), slope("context", { row: query })]), ...equals];
  const behind = STAGE_BEHIND[stage];
  if (!behind) return [signPiece("from all that is computed of it"), ...equals];
  return [slope(behind), signPiece(stage === "weights" ? "times the noise of dropout" : stage === "scores" ? `× ${numberText(layer.scale, 4)}` : "where it is not hidden"), ...equals];
}

// One number of a weight matrix, or of its bias: what each token asks for, in all.
export function weightSlopeTrace({ layer, stages, gradients }, { id, row, column }) {
  const stage = { query: "queries", key: "keys", value: "values" }[id],
    across = layer.weights.layout === "in_out",
    [input, out] = across ? [row, column] : [column, row],
    { columns, rows, data } = layer.embeddings ?? {};
  const width = gradients[stage]?.shape.at(-1),
    slope = gradients[`W_${id}`];
  const result = [signPiece("="), { kind: "result", text: `∂ ${numberText(slope.data[row * slope.shape[1] + column], 4)}` }];
  if (!width || layer.sequences > 1 || layer.keyEmbeddings) return result.slice(1);
  const cell = (token) => ({ stage, sequence: 0, head: Math.floor(out / width), row: token, column: out % width });
  const pair = (token) => [
    boxPiece(data[token * columns + input], layer.tokens[token], { stage: "embeddings", sequence: 0, row: token, column: input }),
    boxPiece(numberAt(new Map([[stage, gradients[stage]]]), cell(token)), `∂ ${stage}`),
  ];
  return [...sumOfProducts(Array.from({ length: rows }, (_, token) => pair(token))), ...result];
}
