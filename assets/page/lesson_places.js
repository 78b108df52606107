// Whether a number of the present state is also one of an earlier state: a slow twin of app/lesson_text/reference_lineage.cpp for layers whose
// tokens and dimensions stay in their places, as they do in a page. A state is {layer, stages}.
import { shapeOf, STAGES } from "./trace.js";

// How many rows or columns there are of what is referenced.
function countOf(reference, { layer, stages }, rows) {
  if (reference.kind === "token") return layer.queryCount;
  if (reference.weight) return layer.weights[reference.weight]?.shape[rows ? 0 : 1] ?? 0;
  const { keyed, pair } = STAGES[reference.stage];
  if (rows) return keyed ? layer.keyCount : layer.queryCount;
  return pair ? layer.keyCount : shapeOf(stages, reference.stage).columns;
}

// How many products a cell is summed of.
function termsOfCell({ stage }, { layer, stages }) {
  if (stage === "context") return layer.keyCount;
  if (["queries", "keys", "values"].includes(stage)) return layer.embeddings?.columns ?? 0;
  return shapeOf(stages, stage).columns;
}

function liesIn(reference, state) {
  const { stage, weight, row = 0, column = 0, term = 0, sequence = 0 } = reference;
  if (stage && (!state.stages.has(stage) || sequence >= state.layer.sequences)) return false;
  if ((stage || weight || reference.kind === "token") && !reference.every_row && row >= countOf(reference, state, true)) return false;
  return (
    (reference.column === undefined || column < countOf(reference, state, false)) &&
    (reference.kind !== "term" || term < termsOfCell(reference, state))
  );
}

// Whether the reference means the same number in the state `then`; false if one of the states lacks its token or dimension.
export function meansSame(reference, now, then) {
  if (reference.setting || now === then) return true;
  if (reference.weight && now.layer.weights.layout !== then.layer.weights.layout) return false;
  return liesIn(reference, now) && liesIn(reference, then);
}

// Whether a list has the same rows and columns in the state `then`.
export function listsSame(reference, now, then) {
  const same = (rows) => countOf(reference, now, rows) === countOf(reference, then, rows);
  return meansSame(reference, now, then) && (!reference.every_row || same(true)) && (reference.column !== undefined || same(false));
}

// Whether what is referenced now is another token or dimension than in the state `first`.
export function hasMoved(reference, exists, now, first) {
  if (reference.setting) return false;
  if (!exists || !meansSame(reference, now, first)) return true;
  const isList = reference.kind !== "token" && (reference.column === undefined || reference.every_row);
  return isList && !listsSame(reference, now, first);
}
