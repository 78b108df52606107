// What the page shows: the session, its layer and stages, what is selected, and every change of them.
import { part, say, within } from "./frame.js";
import { inputsOf } from "./inputs.js";
import { compute, copyOf, readSession, sessionOf } from "./layer.js";
import { renderPage } from "./page.js";
import { listOfSize } from "./session.js";
import { namesOf, numberAt, shapeOf, STAGES } from "./trace.js";

export const page = {
  session: null,
  layer: null,
  stages: null,
  opened: null,
  undone: [],
  redone: [],
  cell: { stage: "weights", sequence: 0, head: 0, row: 0, column: 0 },
  alone: false, // only the selected head is shown
  view: "map", // how the stage is drawn: "map", "flow" or "vectors"
  paints: false, // a click on a pair hides or shows it
  ofColumn: false, // in a flow the lines of the selected column stand out
  pointed: null, // the cell under the pointer
  previewed: null, // the word under the pointer
  input: "embeddings",
  editing: false,
  range: null,
  theme: "light",
  themeChoice: "auto",
  allTerms: false,
  countFrom: 0,
  draws: null, // of a lesson: the mean of many draws of dropout, which the picture then shows: {count, stages}
  gradients: null, // of a lesson: what its pictures show instead of the numbers, {NAME: array}
  looked: null, // of a lesson: a weight whose gradient is taken apart, {name, pieces}
  traceSlope: null, // of a lesson: how the gradient of a cell came about, which stands in place of its sum then
  marks: null, // of a lesson: the rectangles that a step outlines in a map
  held: null, // of a lesson: the stage whose range of colours a step states, and its ends
};

export const headCount = () => page.layer.heads;
export const shapeNow = (stage = page.cell.stage) => shapeOf(page.stages, stage);
export const namesNow = () => namesOf(page.session, page.stages, page.cell.stage);
export const stageNow = () => STAGES[page.cell.stage];
export const numberNow = (head, row, column, stage = page.cell.stage) =>
  numberAt(stage === "dropped" && page.draws ? page.draws.stages : page.stages, { stage, sequence: page.cell.sequence, head, row, column });
export const rowNow = (stage, head, row) => listOfSize(shapeNow(stage).columns, (column) => numberNow(head, row, column, stage));
export const inputsNow = () => inputsOf(page.session, page.layer, page.cell.sequence);

// ---- the layer ----

// Reads and computes a session; the page stays as it was where that cannot be done.
export function loadSession(session) {
  const layer = readSession(session),
    { stages } = compute(layer);
  Object.assign(page, { session: sessionOf(layer), layer, stages, draws: null, looked: null });
  clampCell();
}

export function clampCell() {
  const { cell, stages } = page;
  if (!stages.has(cell.stage)) cell.stage = "weights";
  const { sequences, rows, columns } = shapeNow();
  Object.assign(cell, {
    sequence: within(cell.sequence, sequences),
    head: within(cell.head, headCount()),
    row: within(cell.row, rows),
    column: within(cell.column, columns),
  });
}

// One change of the session. What is typed or dragged is one step of undo, from its first number to its end.
export function changeSession(session, typing = false) {
  const before = page.session;
  try {
    loadSession(session);
  } catch (error) {
    renderPage();
    return say(`That does not fit, and nothing is changed: ${error.message}.`, true);
  }
  if (!page.editing) {
    page.undone = [...page.undone, before].slice(-200);
    page.redone = [];
  }
  page.editing = typing;
  say("");
  renderPage();
}

export function changeSetting(change, typing = false) {
  const session = copyOf(page.session);
  change(session.attention, session);
  changeSession(session, typing);
}

export function stepHistory(from, to) {
  if (from.length === 0) return;
  to.push(page.session);
  loadSession(from.pop());
  page.editing = false;
  renderPage();
}

export function select(cell, reveals = false) {
  Object.assign(page.cell, cell);
  Object.assign(page, { allTerms: false, looked: null });
  clampCell();
  renderPage();
  if (reveals) part.sentence?.reveal(page.cell.row); // a page of a lesson has none
}
