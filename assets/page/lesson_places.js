// Which number of an earlier state is the same one: a slow twin of app/lesson_text/reference_lineage.cpp. A state is {layer, stages}
// and may have `lineage`, the origin of each token, key, input, output and sequence since the lesson began (-1: new); without it nothing was moved.
import { shapeOf, STAGES } from "./trace.js";

const ofTokens = ({ layer, lineage }) => ({ origins: lineage?.tokens ?? [], begin: 0, count: layer.queryCount, all: layer.queryCount });

function ofKeys({ layer, lineage }) {
  const origins = (layer.keyTokens.length > 0 ? lineage?.keys : lineage?.tokens) ?? [];
  return { origins, begin: 0, count: layer.keyCount, all: layer.keyCount };
}

const ofInputs = ({ lineage }, count) => ({ origins: lineage?.inputs ?? [], begin: 0, count, all: count });

const ofOutputs = ({ lineage }, count, begin = 0, all = count) => ({ origins: lineage?.outputs ?? [], begin, count, all });

// The columns of a head are part of those of all heads.
function ofHead(reference, state) {
  const { heads, columns } = shapeOf(state.stages, reference.stage);
  return ofOutputs(state, columns, (reference.head ?? 0) * columns, heads * columns);
}

function ofWeight(reference, { layer, ...state }, rows) {
  const inner = reference.weight !== "output" && rows === (layer.weights.layout === "in_out");
  const count = layer.weights[reference.weight]?.shape[rows ? 0 : 1] ?? 0;
  return inner ? ofInputs(state, count) : ofOutputs(state, count);
}

// The rows or the columns of what is referenced.
function sideOf(reference, state, rows) {
  if (reference.kind === "token") return ofTokens(state);
  if (reference.weight) return ofWeight(reference, state, rows);
  const { keyed, pair, perHead } = STAGES[reference.stage];
  if (rows) return keyed ? ofKeys(state) : ofTokens(state);
  if (pair) return ofKeys(state);
  if (perHead) return ofHead(reference, state);
  const { columns } = shapeOf(state.stages, reference.stage);
  return reference.stage === "embeddings" ? ofInputs(state, columns) : ofOutputs(state, columns);
}

// What the products of a cell are summed over.
function termSide(reference, state) {
  if (reference.stage === "context") return ofKeys(state);
  if (["queries", "keys", "values"].includes(reference.stage)) return ofInputs(state, state.layer.embeddings?.columns ?? 0);
  return ofHead(reference, state);
}

function originOf({ origins, all }, line) {
  if (line < 0 || line >= all || (origins.length > 0 && origins.length !== all)) return -1;
  return origins.length === 0 ? line : origins[line];
}

// The line of `there` that comes from the same one as `line` of `here`; -1 if there is none.
function sameLine(here, line, there) {
  const origin = originOf(here, line);
  if (origin < 0) return -1;
  if (there.origins.length === 0) return origin < there.all ? origin : -1;
  return there.origins.length === there.all ? there.origins.indexOf(origin) : -1;
}

function placeThen(now, at, then) {
  if (at < 0 || at >= now.count) return -1;
  // While no line was moved, heads of different widths are compared by their index.
  if (now.origins.length === 0 && then.origins.length === 0) return at < then.count ? at : -1;
  const line = sameLine(now, now.begin + at, then);
  return line < then.begin || line >= then.begin + then.count ? -1 : line - then.begin;
}

const ofSequences = ({ layer, lineage }) => ({ origins: lineage?.sequences ?? [], all: layer.sequences });
const stageMissing = (reference, state) => reference.stage && !state.stages.has(reference.stage);

// The reference to the same number in the state `then`; null if one of the states lacks its token or dimension.
export function referenceThen(reference, now, then) {
  if (reference.setting || now === then) return reference;
  if (reference.weight && now.layer.weights.layout !== then.layer.weights.layout) return null;
  if (stageMissing(reference, now) || stageMissing(reference, then)) return null;
  const sequence = sameLine(ofSequences(now), reference.sequence ?? 0, ofSequences(then));
  if (sequence < 0 && reference.stage) return null;
  const followed = { ...reference, sequence: sequence < 0 ? reference.sequence : sequence };
  const move = (name, side) => (followed[name] = placeThen(side(now), reference[name] ?? 0, side(then))) >= 0;
  const there =
    (reference.every_row || move("row", (state) => sideOf(reference, state, true))) &&
    (reference.column === undefined || move("column", (state) => sideOf(reference, state, false))) &&
    (reference.kind !== "term" || move("term", (state) => termSide(reference, state)));
  return there ? followed : null;
}

function placesThen(now, then) {
  if (now.count !== then.count) return null;
  const places = Array.from({ length: now.count }, (_, at) => placeThen(now, at, then));
  return places.includes(-1) ? null : places;
}

// For each row and column of a list its place in the state `then`, as {rows, columns}, each null where the list has only one; null if the
// list has others there.
export function orderThen(reference, now, then) {
  if (stageMissing(reference, now) || stageMissing(reference, then)) return null;
  const places = (rows) => placesThen(sideOf(reference, now, rows), sideOf(reference, then, rows));
  const rows = reference.every_row ? places(true) : null,
    columns = reference.column === undefined ? places(false) : null;
  const lacks = (reference.every_row && !rows) || (reference.column === undefined && !columns);
  return lacks ? null : { rows, columns };
}

const inPlace = (places) => !places || places.every((place, at) => place === at);

// Whether what is referenced now is another token or dimension than in the state `first`.
export function hasMoved(reference, exists, now, first) {
  if (reference.setting) return false;
  if (!exists) return true;
  const followed = referenceThen(reference, now, first),
    same = (name) => (followed[name] ?? 0) === (reference[name] ?? 0);
  if (!followed || !["sequence", "row", "column", "term"].every(same)) return true;
  if (reference.kind === "token" || (reference.column !== undefined && !reference.every_row)) return false;
  const order = orderThen(reference, now, first);
  return !order || !inPlace(order.rows) || !inPlace(order.columns);
}
