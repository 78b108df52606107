// The question of a step: its answers, bars, cells, words or number, what the reader gave, and the verdict.
import { numberText } from "./colors.js";
import { changedSession, lesson, renderText, statesOf, stepNow, word } from "./lesson.js";
import { isNear, judge, referenceOf, rightGuess } from "./lesson_truth.js";
import { referencedNumbers } from "./lesson_text.js";
import { say } from "./frame.js";
import { button, choices, element, focusOn, labelOf, placeByKey, withKey } from "./picture.js";
import { changeSession, page, select } from "./state.js";
import { namesOf } from "./trace.js";

const STEPS_OF_BAR = 100; // from one end to the other

// What was given to a question: {choice}, or {guess: rows of numbers}, and once it is answered {right, reply, truth}.
export const givenNow = () => (lesson.given[lesson.step] ??= {});

// ---- names of what is guessed ----

function namesOfGuess(question) {
  if (question.cells) {
    const { rows, columns } = namesOf(page.session, page.stages, question.cells.stage);
    return { rows: question.cells.rows.map((at) => rows[at]), columns: question.cells.columns.map((at) => columns[at]) };
  }
  const reference = referenceOf((question.bars ?? question.word).of),
    names = namesOf(page.session, page.stages, reference.stage);
  return { rows: [], columns: reference.every_row ? names.rows : names.columns };
}

// The guess before anything is given: the present numbers, or nothing marked.
function emptyGuess(question) {
  const { cells, word, number } = question;
  if (cells) return cells.rows.map(() => cells.columns.map(() => 0));
  if (number) return [[(number.low + number.high) / 2]];
  const numbers = referencedNumbers(referenceOf((question.bars ?? word).of), statesOf().now) ?? [0];
  return [word ? numbers.map(() => 0) : numbers.map((value) => Math.min(Math.max(value, question.bars.low), question.bars.high))];
}

// ---- answering ----

export const isAnswered = (given) => given.reply !== undefined;

// Makes the change that the question supposes, and judges what was guessed by the numbers before and after it.
export function answer() {
  const { ask } = stepNow(),
    given = givenNow(),
    before = statesOf().now;
  // What was asked stands as it was asked.
  Object.assign(given, { asked: statesOf(), session: page.session });
  if (ask.change) {
    const session = changedSession(ask);
    if (!session) return say("What this step asks for does not fit the present inputs: restore the lesson's own.", true);
    changeSession(session);
  }
  const states = { ...statesOf(), first: before, opened: before };
  if (ask.answers) Object.assign(given, { right: given.choice === ask.right, reply: given.choice });
  else if (ask.cell)
    Object.assign(given, {
      right: given.choice.join() === cellAsked(ask).join(),
      reply: given.choice.join() === cellAsked(ask).join() ? 0 : 1,
    });
  else {
    const truth = rightGuess(ask, states);
    Object.assign(given, truth ? { truth, ...judge(ask, given.guess, truth, states) } : { right: false, reply: 1 });
  }
  const stage = stageAsked(ask);
  if (page.stages.has(stage)) select({ stage });
  else lesson.draw();
  lesson.reply?.focus();
}

// The change is taken back with the answer.
export function askAgain() {
  const { session } = givenNow();
  delete lesson.given[lesson.step];
  if (session) changeSession(session);
  lesson.draw();
}

// The stage whose picture shows what was asked for.
function stageAsked({ cells, cell, bars, word: words, number }) {
  const list = bars ?? words ?? number;
  return (cells ?? cell ?? (list && referenceOf(list.of)))?.stage;
}

const cellAsked = ({ cell }) => [cell.row, cell.column];

// ---- what the reader answers with ----

function answerChoices(question, given) {
  const options = question.answers.map((text, at) => [at, text]);
  return choices("answers", "answer", "answers", options, given.choice, (at) => {
    if (isAnswered(given)) return;
    given.choice = at;
    lesson.draw();
  });
}

function slider(label, value, { low, high }, set, disabled) {
  const shown = element("span.value", numberText(value, 2));
  const field = element("input", {
    type: "range",
    min: low,
    max: high,
    step: (high - low) / STEPS_OF_BAR,
    value,
    disabled,
    "aria-label": label,
    input: () => {
      set(Number(field.value));
      shown.textContent = numberText(Number(field.value), 2);
    },
  });
  return [field, shown];
}

// Behind a bar that was drawn stands what is right.
function barRows({ bars }, given) {
  const names = namesOfGuess({ bars }).columns,
    truth = given.truth?.[0];
  return given.guess[0].map((value, at) => {
    const isDrawn = !bars.drawn || bars.drawn.includes(at);
    const [field, shown] = slider(`${names[at]}`, value, bars, (number) => (given.guess[0][at] = number), !isDrawn || isAnswered(given));
    const after = truth ? element("span.truth", `→ ${numberText(truth[at], 2)}`) : null;
    return element("label", { class: isDrawn ? "bar drawn" : "bar" }, element("span.bar-name", labelOf(names[at])), field, shown, after);
  });
}

function numberRow({ number }, given) {
  const [field, shown] = slider("your guess", given.guess[0][0], number, (value) => (given.guess[0][0] = value), isAnswered(given));
  const truth = given.truth ? element("span.truth", `→ ${numberText(given.truth[0][0], 2)}`) : null;
  return [element("label.bar.drawn", element("span.bar-name", "your guess"), field, shown, truth)];
}

const markClass = (marked, truth) => (truth === undefined ? "" : marked === truth ? (truth ? " hit" : "") : truth ? " missed" : " wrong");

// A grid of cells to mark: one stop of the keyboard, arrows within, Space marks.
function markGrid(question, given) {
  const names = namesOfGuess(question),
    place = (given.place ??= [0, 0]);
  const cell = (row, column) =>
    button(
      {
        class: `mark${markClass(given.guess[row][column], given.truth?.[row][column])}`,
        "data-key": `mark.${row}.${column}`,
        "aria-pressed": String(Boolean(given.guess[row][column])),
        "aria-label": `${names.rows[row]}, ${names.columns[column]}`,
        tabindex: row === place[0] && column === place[1] ? "0" : "-1",
        disabled: isAnswered(given),
        click: () => mark(row, column),
        keydown: (event) => {
          const vertical = event.key === "ArrowUp" || event.key === "ArrowDown",
            next = placeByKey(event, vertical ? row : column, (vertical ? names.rows : names.columns).length);
          if (next === undefined) return;
          given.place = vertical ? [next, column] : [row, next];
          lesson.draw();
          focusOn(withKey(document, `mark.${given.place.join(".")}`));
        },
      },
      given.guess[row][column] ? "✓" : "",
    );
  const mark = (row, column) => {
    given.guess[row][column] = 1 - given.guess[row][column];
    given.place = [row, column];
    lesson.draw();
  };
  return [
    element(
      "table.marks",
      element(
        "tr",
        element("td"),
        names.columns.map((name) => element("th", { scope: "col" }, labelOf(name))),
      ),
      names.rows.map((name, row) =>
        element(
          "tr",
          element("th", { scope: "row" }, labelOf(name)),
          names.columns.map((_, column) => element("td", cell(row, column))),
        ),
      ),
    ),
  ];
}

function wordChoices(question, given) {
  const names = namesOfGuess(question).columns;
  const options = names.map((name, at) => [at, element("span", { class: given.truth?.[0][at] ? "hit" : null }, labelOf(name))]);
  return choices("words", "word", "segments words-asked", options, given.guess[0].indexOf(1), (at) => {
    if (isAnswered(given)) return;
    given.guess = [names.map((_, i) => Number(i === at))];
    lesson.draw();
  });
}

// The cell that is selected in the picture is the answer.
function cellChoice({ cell }) {
  const names = namesOf(page.session, page.stages, cell.stage),
    isStage = page.cell.stage === cell.stage;
  return element(
    "p.quiet",
    isStage
      ? [
          "Select a cell of the picture. Selected: ",
          labelOf(names.rows[page.cell.row]),
          ", ",
          labelOf(names.columns[page.cell.column]),
          ".",
        ]
      : "Select a cell of the picture.",
  );
}

function answerField(question, given) {
  if (question.answers) return answerChoices(question, given);
  if (question.cell) return cellChoice(question);
  given.guess ??= emptyGuess(question);
  if (question.bars) return barRows(question, given);
  if (question.number) return numberRow(question, given);
  return question.cells ? markGrid(question, given) : wordChoices(question, given);
}

function isReady(question, given) {
  if (question.answers) return given.choice !== undefined;
  if (question.word) return given.guess[0].includes(1);
  return !question.cell || page.cell.stage === question.cell.stage;
}

function commit(question, given) {
  if (question.cell) given.choice = [page.cell.row, page.cell.column];
  answer();
}

// ---- the block of a question ----

function verdictLine(question, given) {
  const isNearby = question.number && given.truth && isNear(question.number, given.guess[0][0], given.truth[0][0]);
  return given.right || isNearby ? `${word("right", "Right")}.` : `${word("not_quite", "Not quite")}.`;
}

// The question, what is answered with, and once it was answered the verdict and its reply.
export function questionBlock(question) {
  const given = givenNow(),
    field = answerField(question, given);
  const asked = element("p.question", { id: "question" });
  renderText(asked, question.question, given.asked ?? statesOf());
  const parts = [asked, element("div", { class: "field", role: "group", "aria-labelledby": "question" }, field)];
  if (!isAnswered(given)) {
    const words = question.change ? word("see", "See it") : word("answer", "Answer");
    parts.push(
      button({ class: "primary", "data-key": "see", disabled: !isReady(question, given), click: () => commit(question, given) }, words),
    );
    return parts;
  }
  const reply = element("p.reply");
  renderText(reply, question.replies[given.reply], statesOf());
  lesson.reply = element(
    "div",
    { class: given.right ? "verdict right" : "verdict", tabindex: "-1", role: "status" },
    element("b", verdictLine(question, given)),
    reply,
  );
  parts.push(lesson.reply, button({ class: "link", "data-key": "again", click: askAgain }, word("ask_again", "Ask again")));
  return parts;
}
