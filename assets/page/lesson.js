// The page of a lesson: its steps with their live text beside the picture that they speak of. The data is {session, lesson, course}: the
// session as it opens, the lesson with its texts as the program parsed them, and where the page stands in its course.
import { visibleLabel } from "./colors.js";
import { endPress, hideTip, keepDrawn, part, root, say, settingRow, waitsForRelease } from "./frame.js";
import { gradientsOf } from "./gradients.js";
import { editedSession, InputTable } from "./inputs.js";
import { compute, copyOf, readSession } from "./layer.js";
import { slopeTrace, weightSlopeTrace } from "./lesson_gradients.js";
import { readColours, readProgress, writeColours, writeProgress } from "./lesson_progress.js";
import { answer, givenNow, isAnswered, questionBlock } from "./lesson_question.js";
import { renderLearning, stopLearning } from "./lesson_learning.js";
import { drawingRows, drawnMean } from "./lesson_settings.js";
import { sessionAfter, sessionOfStep, startOf } from "./lesson_steps.js";
import { evaluatedRuns } from "./lesson_text.js";
import { paintMaps, renderPicture, renderStrip, viewNow } from "./maps.js";
import { nestedNumbers, pageKeys, renderBehind, renderInputs, renderLegend, renderSettings, renderTrace } from "./panels.js";
import { button, element, focusOn, HeatMap, labelOf, replaceChildren, setAttributes, withKey } from "./picture.js";
import { changeSession, changeSetting, clampCell, inputsNow, loadSession, page, select, shapeNow } from "./state.js";
import { STAGES } from "./trace.js";

// step: the shown one; read: the last one that was seen. given: what was answered, by step. start: the session that the step began with.
// kept: the state that a step compares with.
export const lesson = {
  data: null,
  course: null,
  step: 0,
  read: 0,
  given: {},
  start: null,
  first: null,
  opened: null,
  kept: null,
  reply: null,
  term: null, // whose meaning is shown
  terms: null, // the pattern of all of them
  draw: () => renderPage(),
};

// Controls that texts name and a page does not have.
const ONLY_IN_PROGRAM = ["step_through", "play", "brushes", "solo", "heads_table"];

export const stepNow = () => lesson.data.steps[lesson.step];

const madeGradients = new WeakMap(); // of a layer

function withGradients(state) {
  if (!madeGradients.has(state.layer)) madeGradients.set(state.layer, gradientsOf(state));
  return { ...state, gradients: madeGradients.get(state.layer) };
}

function stateOfSession(session) {
  const layer = readSession(session);
  return withGradients({ layer, stages: compute(layer).stages });
}

export function statesOf() {
  const { first, opened, data } = lesson;
  return {
    now: { ...withGradients({ layer: page.layer, stages: page.stages }), drawnMean },
    first,
    opened,
    language: data.language,
    countFrom: page.countFrom,
  };
}

// A word around the texts, in the lesson's language.
export const word = (key, english) => lesson.data.language?.labels[key] ?? english;

export const changedSession = (ask) => sessionAfter(page.session, ask);

// ---- text ----

// Sets a setting that a slider in the text moves.
function moveSetting(setting, value, low) {
  const whole = setting === "heads" || setting === "d_out";
  endPress();
  changeSetting((attention) => {
    if (setting === "dropout") attention.dropout = { probability: 0, ...attention.dropout, probability: value };
    else attention[setting === "heads" ? "num_heads" : setting] = whole ? Math.max(Math.round(value), low) : value;
  }, true);
}

function sliderOf({ slider, text }) {
  const { low, high, setting } = slider;
  const whole = setting === "heads" || setting === "d_out";
  const field = element("input.in-text", {
    type: "range",
    min: low,
    max: high,
    step: whole ? 1 : (high - low) / 200,
    "aria-label": setting,
    input: () => moveSetting(setting, Number(field.value), low),
    change: () => {
      page.editing = false;
      renderPage();
    },
  });
  fillSlider(field, text);
  field.moves = JSON.stringify(slider);
  return field;
}

const fillSlider = (field, text) => {
  const number = Number(text.replace("−", "-").replace(",", "."));
  if (field !== document.activeElement || !page.editing) field.value = number;
  field.setAttribute("aria-valuetext", text);
};

// A number that is read from a cell leads to it.
function runElement({ text, live, cell, input, control }) {
  const shown = control ? lesson.data.controls[control] : "";
  if (control) {
    const isElsewhere = ONLY_IN_PROGRAM.includes(control);
    return element("span", element("span.plate", text || shown), isElsewhere && element("span.quiet", " (in the program)"));
  }
  if (!live) return document.createTextNode(text);
  if (cell && STAGES[cell.stage]) return button({ class: "live", click: () => select(cell) }, text);
  if (!input) return element("span.live", text);
  const show = () => {
    page.input = input.input;
    renderInputs();
    part.table.moveTo(input);
  };
  return button({ class: "live", click: show }, text);
}

const asNode = (node) => (typeof node === "string" ? document.createTextNode(node) : node);

// The names of terms, a plural's s behind them, as one pattern that takes the letter before them too: bytes outside ASCII count as letters.
function termPattern(terms) {
  const names = Object.keys(terms).sort((a, b) => b.length - a.length),
    plain = names.map((name) => name.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  return new RegExp(`(^|[^\\p{L}_])(${plain.join("|")})s?(?![\\p{L}_])`, "giu");
}

// Words of a text of which those with a meaning, where they first occur, are buttons that show it.
function withTerms(text, seen) {
  const { terms = {} } = lesson.data,
    nodes = [];
  let end = 0;
  lesson.terms ??= termPattern(terms);
  for (const match of Object.keys(terms).length > 0 ? text.matchAll(lesson.terms) : []) {
    const name = Object.keys(terms).find((one) => one.toLowerCase() === match[2].toLowerCase()),
      begin = match.index + match[1].length;
    const isQuoted = text.lastIndexOf("“", begin) > text.lastIndexOf("”", begin);
    if (!name || isQuoted || seen.has(name)) continue;
    seen.add(name);
    const key = `term.${name}`,
      attributes = { class: "term", "data-key": key, "aria-expanded": String(lesson.term === name), click: () => showMeaning(name) };
    nodes.push(text.slice(end, begin), button(attributes, text.slice(begin, match.index + match[0].length)));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}

// A second click hides it again.
function showMeaning(name) {
  lesson.term = lesson.term === name ? null : name;
  renderReading();
}

function renderMeaning() {
  const { term, data } = lesson;
  part.meaning.hidden = !term;
  if (term) part.meaning.replaceChildren(element("b", term), `: ${data.terms[term]}`);
}

// Writes a text; sliders of the same setting stay the elements that they are, so that they can be dragged while the words around them change.
// seen: the terms whose meanings were offered already; without it none are.
export function renderText(target, pieces, states, seen) {
  const { activeElement: focused } = document,
    key = target.contains(focused) && focused.dataset.key;
  const sliders = [...target.querySelectorAll("input.in-text")];
  for (const node of [...target.childNodes]) if (!sliders.includes(node)) node.remove();
  let next = 0;
  for (const run of evaluatedRuns(pieces, states)) {
    const anchor = sliders[next] ?? null;
    const isPlain = seen && !run.live && !run.control;
    if (!run.slider) (isPlain ? withTerms(run.text, seen) : [runElement(run)]).forEach((node) => target.insertBefore(asNode(node), anchor));
    else if (anchor?.moves === JSON.stringify(run.slider)) fillSlider(sliders[next++], run.text);
    else target.insertBefore(sliderOf(run), anchor);
    if (run.slider) target.insertBefore(element("span.live", ` ${run.text} `), sliders[next] ?? null);
  }
  sliders.slice(next).forEach((slider) => slider.remove());
  target.querySelectorAll(".live").forEach((live, at) => (live.dataset.key = `live.${at}`));
  if (key) focusOn(withKey(target, key));
}

// ---- what a step points at ----

// The rectangles that the step outlines in a map, as {row, column, rows, columns}.
function marksOf(map) {
  const { stage = "weights", head, sequence = 0, rows = [], columns = [], cells = [] } = stepNow(),
    shape = shapeNow();
  const shown = page.cell.stage === stage && page.cell.sequence === sequence && (head === undefined || shape.heads === 1 || head === map);
  if (!shown) return [];
  const all = (row, column, height, width) => ({ row, column, rows: height, columns: width });
  const single = cells.map(([row, column]) => all(row, column, 1, 1));
  if (rows.length > 0 && columns.length > 0) return [...single, ...rows.flatMap((row) => columns.map((column) => all(row, column, 1, 1)))];
  return [...single, ...rows.map((row) => all(row, 0, 1, shape.columns)), ...columns.map((column) => all(0, column, shape.rows, 1))].filter(
    ({ row, column }) => row < shape.rows && column < shape.columns,
  );
}

// The cell that the step selects, or the first one that it outlines.
function placeOf({ select: selected, cells = [], rows = [], columns = [] }) {
  const [row, column] = selected ?? cells[0] ?? [rows[0] ?? page.cell.row, columns[0] ?? page.cell.column];
  return { row, column };
}

function pointAt(step) {
  const { stage = "weights", head, sequence = 0, weight, range, view, rows = [], columns = [] } = step;
  page.view = view;
  page.ofColumn = columns.length > 0 && rows.length === 0;
  page.alone = head !== undefined && Boolean(STAGES[stage].perHead);
  page.held = range ? { stage, low: range[0], high: range[1], logarithmic: false } : null;
  if (weight && inputsNow().some(({ id }) => id === weight)) page.input = weight;
  Object.assign(page.cell, { stage, sequence, head: head ?? page.cell.head, ...placeOf(step) });
  clampCell();
}

// ---- the kept picture of a step that compares ----

// Whether the shown stage is compared: then both pictures stand side by side.
function compares() {
  const { stage = "weights", against } = stepNow();
  const shapeIn = ({ stages }) => stages.get(page.cell.stage)?.shape.join();
  return Boolean(against) && viewNow() === "map" && page.cell.stage === stage && shapeIn(lesson.kept) === shapeIn(page);
}

function renderKept() {
  const { kept } = lesson;
  part.kept.replaceChildren();
  if (part.keptTitle.hidden) return;
  const { maps: live } = part,
    { stages, layer, gradients, draws } = page;
  part.maps = live.map(({ rows, columns, rowNames, columnNames }) => {
    const map = new HeatMap({});
    map.layOut({ ...part.plan, rows, columns, rowNames, columnNames });
    return map;
  });
  Object.assign(page, { ...kept, gradients: gradients && kept.gradients, draws: null });
  paintMaps();
  Object.assign(page, { stages, layer, gradients, draws });
  part.kept.style.gridTemplateColumns = part.picture.style.gridTemplateColumns;
  part.kept.append(...part.maps.map((map) => element("figure.map", element("figcaption"), map.root)));
  for (const { canvas } of part.maps) setAttributes(canvas, { tabindex: "-1" });
  part.maps = live;
}

// ---- the reading column ----

// A thing to try; where the question has a change, it was made with the answer.
function tryBlock({ try: pieces, ask }) {
  if (!pieces || (ask && !isAnswered(givenNow()))) return null;
  const text = element("p");
  renderText(text, pieces, statesOf());
  return element("div.try", element("h3", word("try", "Something to try")), text);
}

function renderDots() {
  const dots = lesson.data.steps.map((step, at) =>
    button({
      class: `dot${at <= lesson.read ? " read" : ""}`,
      "data-key": `dot.${at}`,
      "aria-current": at === lesson.step ? "step" : null,
      "aria-label": `step ${at + 1}: ${step.title}`,
      title: step.title,
      click: () => goTo(at),
    }),
  );
  replaceChildren(part.dots, dots);
}

function renderFooter() {
  const { steps } = lesson.data,
    { next } = lesson.course,
    last = lesson.step === steps.length - 1;
  const changed = JSON.stringify(page.session) !== JSON.stringify(lesson.start);
  const forward = last
    ? element(
        "a",
        { class: "primary", "data-key": "next", href: next?.file ?? "index.html" },
        next ? `${word("next", "Next")}: ${next.title}` : "To the course",
      )
    : button({ class: "primary", "data-key": "next", click: () => goTo(lesson.step + 1) }, word("next", "Next"));
  replaceChildren(
    part.footer,
    button({ class: "plain", "data-key": "back", disabled: lesson.step === 0, click: () => goTo(lesson.step - 1) }, word("back", "Back")),
    changed && button({ class: "link", "data-key": "restore", click: restore }, word("restore", "Restore")),
    forward,
  );
}

function renderReading() {
  const step = stepNow(),
    { steps } = lesson.data;
  part.place.textContent = `${word("step", "step")} ${lesson.step + 1} ${word("of", "of")} ${steps.length}`;
  part.stepTitle.textContent = step.title;
  renderText(part.text, step.text, statesOf(), new Set());
  renderMeaning();
  replaceChildren(part.question, step.ask ? questionBlock(step.ask) : []);
  replaceChildren(part.try, tryBlock(step) ?? []);
  if (step.learning) renderLearning(part.learning);
  else part.learning.replaceChildren();
  renderDots();
  renderFooter();
}

// ---- the whole page ----

export function renderPage() {
  if (waitsForRelease(renderPage)) return;
  page.marks = marksOf;
  page.gradients = stepNow().gradients ? statesOf().now.gradients : null;
  page.traceSlope = (cell) => slopeTrace(statesOf().now, cell);
  part.keptTitle.hidden = part.nowTitle.hidden = !compares();
  root.toggleAttribute("data-compares", !part.keptTitle.hidden);
  renderPicture();
  renderKept();
  renderStrip();
  part.strip.querySelector(`[data-key="stage.${stepNow().stage ?? "weights"}"]`)?.classList.add("asked");
  renderTrace();
  renderLegend();
  renderInputs();
  renderSettings();
  replaceChildren(part.drawing, drawingRows());
  renderReading();
}

// Begins a step: from the step before with what the reader changed there, from elsewhere with the lesson's own numbers.
function goTo(at, focuses = true) {
  stopLearning();
  const before = stepNow(),
    step = lesson.data.steps[at],
    { session: opened } = lesson.opened.layer;
  const isOwn = JSON.stringify(page.session) === JSON.stringify(lesson.start);
  const session = isOwn ? startOf(opened, step) : sessionOfStep(page.session, opened, before, step);
  Object.assign(lesson, { step: at, term: null });
  lesson.first = stateOfSession(startOf(opened, step));
  loadSession(session);
  lesson.start = lesson.first.layer.session;
  lesson.kept = step.against ? stateOfSession(startOf(opened, { set: step.against, start: step.kept })) : null;
  Object.assign(page, { undone: [], redone: [], editing: false, paints: false, pointed: null });
  hideTip();
  pointAt(step);
  lesson.read = Math.max(lesson.read, at);
  writeProgress(lesson.data.name, { step: at, read: lesson.read, steps: lesson.data.steps.length });
  say("");
  renderPage();
  if (!focuses) return;
  history.replaceState(null, "", `#${at + 1}`);
  focusOn(part.stepTitle);
  part.reading.scrollIntoView({ block: "nearest" });
}

function restore() {
  delete lesson.given[lesson.step];
  page.paints = false;
  changeSession(copyOf(lesson.start));
}

function buildLesson() {
  const section = (name, label) => element("section", { class: name, "aria-label": label });
  const { number, chapter } = lesson.data;
  Object.assign(part, {
    message: element("p.message", { role: "status" }),
    theme: element("div.theme"),
    strip: element("nav", { "aria-label": "stages" }),
    views: element("div.views"),
    picture: element("div.picture"),
    other: element("div.other"),
    kept: element("div.picture"),
    trace: section("trace", "how the number came about"),
    bars: section("bars", "the row as bars"),
    caption: element("p.caption"),
    colors: element("div"),
    behindTables: element("div.scrolled", { tabindex: "0" }),
    settings: section("settings", "settings"),
    tip: element("div.tip", { hidden: true, "aria-hidden": "true" }),
    place: element("span.quiet"),
    dots: element("div", { class: "dots", role: "group", "aria-label": "steps" }),
    stepTitle: element("h2", { class: "step-title", tabindex: "-1" }),
    text: element("p", { class: "text", "aria-live": "polite" }),
    meaning: element("p.meaning", { role: "note" }),
    question: section("block", "question"),
    try: element("div"),
    learning: section("learning", "training"),
    drawing: element("div"),
    footer: element("div.steps"),
    inputChoice: element("select", {
      "aria-label": "the input that is shown",
      change: () => {
        page.input = part.inputChoice.value;
        renderInputs();
      },
    }),
  });
  setAttributes(part.trace, { tabindex: "-1", "aria-live": "polite" });
  part.table = new InputTable({
    change: (id, row, column, number, typing) => {
      const input = inputsNow().find((one) => one.id === id);
      changeSession(editedSession(page.session, page.layer, input, row, column, number), typing);
    },
    rest: () => {
      page.editing = false;
      renderPage();
    },
    look: ({ id, name, rows, columns }, { row, column }) => {
      if (!page.gradients?.[`W_${id}`]) return;
      page.looked = {
        name: `${name}, ${rows[row]}, ${columns[column]}`,
        pieces: weightSlopeTrace(statesOf().now, { id, row, column }),
      };
      renderTrace();
    },
  });
  part.behind = element(
    "details.behind",
    { toggle: () => part.behind.open && renderBehind() },
    element("summary", "The picture as a table of numbers"),
    part.behindTables,
  );
  part.keptTitle = element("div", { hidden: true }, element("h3", "kept"), part.kept);
  part.nowTitle = element("h3", { hidden: true }, "now");
  part.reading = element(
    "section",
    { class: "reading", "aria-label": "lesson" },
    element("div.where", part.place, part.dots),
    part.stepTitle,
    part.text,
    part.meaning,
    part.question,
    part.try,
    part.learning,
    part.message,
    part.footer,
  );
  document.body.replaceChildren(
    element(
      "div.page.lesson",
      element(
        "header",
        element(
          "div.heading",
          element("a.link", { href: "index.html" }, "‹ Course"),
          element("p.chapter", `${word("lesson", "Lesson")} ${number} · `, labelOf(visibleLabel(chapter))),
          part.theme,
        ),
        element("h1", labelOf(visibleLabel(page.session.title))),
      ),
      element(
        "main.beside",
        part.reading,
        element(
          "div",
          part.strip,
          element(
            "div.columns",
            element(
              "div.seen",
              part.views,
              element("div.pictures", part.keptTitle, element("div", part.nowTitle, part.picture, part.other)),
              part.trace,
              part.bars,
              part.caption,
              part.behind,
            ),
            element(
              "aside",
              { "aria-label": "inputs" },
              settingRow(element("b", "Input"), part.inputChoice),
              part.table.root,
              part.settings,
              part.drawing,
              part.colors,
            ),
          ),
        ),
      ),
      element("footer", element("span", "made with Headlight"), element("span", "Alt + Page Down and Page Up: next and last step")),
    ),
    part.tip,
  );
}

// Alt+Page Down and Alt+Page Up, as in the window.
function lessonKeys(event) {
  const by = { PageDown: 1, PageUp: -1 }[event.key],
    to = lesson.step + by;
  if (!event.altKey || !by) return;
  event.preventDefault();
  if (lesson.data.steps[to]) goTo(to);
  else if (by > 0) part.footer.querySelector("a")?.click();
}

function openLesson() {
  const { session, lesson: data, course } = JSON.parse(document.getElementById("data").textContent);
  const { step = 0, read = 0 } = readProgress()[data.name] ?? {};
  page.countFrom = data.count_from ?? 0;
  loadSession(session);
  page.opened = page.session;
  Object.assign(lesson, {
    data,
    course,
    opened: stateOfSession(session),
    start: page.session,
    read: Math.min(read, data.steps.length - 1),
  });
  // The address may name a step; a lesson that was read to its end begins anew.
  const named = Number(location.hash.slice(1)) - 1,
    at = data.steps[named] ? named : step < data.steps.length - 1 ? step : 0;
  buildLesson();
  goTo(at, false);
  Object.assign(page, { themeChoice: readColours(), keepTheme: writeColours });
  keepDrawn(page, renderPage);
  document.addEventListener("keydown", pageKeys);
  document.addEventListener("keydown", lessonKeys);
  window.headlight = {
    stages: () => Object.fromEntries([...page.stages].map(([name, stage]) => [name, nestedNumbers(stage)])),
    session: () => copyOf(page.session),
    step: () => lesson.step,
    answer,
  };
  document.documentElement.dataset.ready = "live";
}

openLesson();
