// The right guess of a question, and whether a reader's guess is right: a slow twin of app/lesson_text/question_truth.cpp. A guess is a
// list of rows of numbers: bars, a guessed number, or 1 for what is marked or chosen and 0 for the others. States are those of lesson_text.js,
// with `now` after the question's change and `first` before it.
import { alike, referencedNumbers, verdict } from "./lesson_text.js";
import { headOf, numberAt, shapeOf, STAGES } from "./trace.js";

const NEAR_GUESS = 0.05; // of the range of a guessed number

const sameNumber = (a, b) => alike(a, b) || (Number.isNaN(a) && Number.isNaN(b));

// What makes a number right: its place among the others, whether the change moves it, or "< 0" and the like.
function meetsRule(rule, value, before, numbers) {
  const known = numbers.filter((number) => !Number.isNaN(number)),
    [sign, threshold] = rule.split(" ");
  switch (sign) {
    case "largest":
      return value === Math.max(...known);
    case "smallest":
      return value === Math.min(...known);
    case "changed":
      return !sameNumber(value, before);
    case "unchanged":
      return sameNumber(value, before);
    case "<":
      return value < Number(threshold);
    case ">":
      return value > Number(threshold);
    case "=":
      return value === Number(threshold);
  }
  return value !== Number(threshold);
}

const rightOnes = (rule, now, before) => now.map((value, at) => Number(meetsRule(rule, value, before[at], now)));

// The reference of a text that consists of one.
export const referenceOf = (pieces) => pieces[0].ref;
const conditionOf = (pieces) => pieces[0].if[0][0];

function rightMarks({ stage, sequence = 0, head = 0, rows, columns, right }, { now, first }) {
  const row = ({ stages, layer }, at) =>
    columns.map((column) => numberAt(stages, { stage, sequence, head: headOf(stages, stage, head, layer.heads), row: at, column }));
  return rows.map((at) => rightOnes(right, row(now, at), row(first, at)));
}

function marksExist({ stage, sequence = 0, head = 0, rows, columns }, { stages }) {
  if (!stages.has(stage)) return false;
  const shape = shapeOf(stages, stage);
  const isHead = !STAGES[stage].perHead || head < shape.heads;
  return isHead && sequence < shape.sequences && Math.max(...rows) < shape.rows && Math.max(...columns) < shape.columns;
}

// null where a number does not exist.
export function rightGuess({ cells, word, bars, number }, states) {
  const { now, first } = states;
  if (cells) return marksExist(cells, now) && marksExist(cells, first) ? rightMarks(cells, states) : null;
  const reference = referenceOf((word ?? bars ?? number).of),
    after = referencedNumbers(reference, now);
  if (!after || !word) return after && [after];
  const before = referencedNumbers(reference, first);
  return before?.length === after.length ? [rightOnes(word.right, after, before)] : null;
}

export function isNear({ low, high }, guess, number) {
  return Math.abs(guess - number) <= NEAR_GUESS * (high - low);
}

function barsAreRight({ drawn, low, high, near, right }, guess, truth, states) {
  if (right) return verdict(conditionOf(right), { ...states, guess }) === true;
  const reach = near ?? (high - low) / 20,
    bars = drawn ?? truth[0].map((_, at) => at);
  return bars.every((bar) => bar >= guess[0].length || Math.abs(guess[0][bar] - truth[0][bar]) <= reach + 1e-6);
}

function isRight({ bars, number, cells }, guess, truth, states) {
  if (guess.length !== truth.length || guess[0].length !== truth[0].length) return false;
  if (bars) return barsAreRight(bars, guess, truth, states);
  if (number) return isNear(number, guess[0][0], truth[0][0]);
  if (cells) return guess.flat().join() === truth.flat().join();
  return guess[0].some((chosen, at) => chosen * truth[0][at] > 0);
}

// {right, reply}: the place of the reply among those of the question.
export function judge(question, guess, truth, states) {
  if (isRight(question, guess, truth, states)) return { right: true, reply: 0 };
  const wrong = (question.wrong ?? []).findIndex((pieces) => verdict(conditionOf(pieces), { ...states, guess }) === true);
  return { right: false, reply: wrong < 0 ? 1 : 2 + wrong };
}
