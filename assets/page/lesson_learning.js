// The training of a lesson's layer towards its goal: steps, the rate, the loss and its curve, along which the reader goes back.
import { numberText } from "./colors.js";
import { endPress, say, segments, settingRow } from "./frame.js";
import { trainedSession } from "./gradients.js";
import { numberField } from "./inputs.js";
import { compute, copyOf } from "./layer.js";
import { lesson, statesOf } from "./lesson.js";
import { button, element, replaceChildren, setAttributes } from "./picture.js";
import { changeSession, page, select } from "./state.js";

const STEP_COUNTS = [1, 10, 100],
  PLAY_MS = 60; // from step to step

// Each step since the training began: sessions and losses. at: the step that is shown, as the session `shown`; memory: of the optimizer;
// timer: of a training that plays.
const training = { sessions: [], losses: [], at: 0, shown: null, memory: null, timer: 0 };

const lossNow = () => statesOf().now.gradients?.loss;

// What the reader changed takes the place of the present step; the next one goes on from there. Before the first step the training is new.
function followReader() {
  const { session } = page;
  if (session === training.shown) return;
  if (!session.training?.steps || training.sessions.length === 0)
    Object.assign(training, { sessions: [], losses: [], at: 0, memory: null });
  training.sessions.splice(training.at, Infinity, session);
  training.losses.splice(training.at, Infinity, lossNow());
  training.shown = session;
}

function showStep(at, typing) {
  training.at = at;
  changeSession(copyOf(training.sessions[at]), typing);
}

function learn(count, typing = false) {
  followReader();
  const { sessions, losses, at } = training;
  let next = page.session,
    taken = 1;
  sessions.splice(at + 1);
  losses.splice(at + 1);
  for (let i = 0; i < count && taken; i++) {
    const step = trainedSession(next, { steps: 1, memory: training.memory }, compute);
    ({ session: next, taken } = step);
    training.memory = step.memory;
    losses[sessions.length - 1] = step.loss;
    if (taken) sessions.push(next);
  }
  training.at = sessions.length - 1;
  training.shown = null;
  changeSession(next, typing);
  if (taken) return true;
  stopLearning();
  say("The next step would not be finite: choose a smaller rate.", true);
  return false;
}

export function stopLearning() {
  clearInterval(training.timer);
  training.timer = 0;
  page.editing = false;
}

// Whether a field has something that is not taken over yet: the next step would draw it anew.
function isTyping() {
  const { type, value, defaultValue } = document.activeElement;
  return type === "text" && value !== defaultValue;
}

function play() {
  if (training.timer) stopLearning();
  else training.timer = setInterval(() => isTyping() || learn(1, true), PLAY_MS);
  select({});
}

function goBack(at, typing) {
  stopLearning();
  endPress();
  training.memory = null;
  page.editing = typing && at !== 0;
  showStep(at, typing);
}

function reset() {
  stopLearning();
  training.at = 0;
  changeSession(copyOf(training.sessions[0].training?.steps ? lesson.start : training.sessions[0]));
}

// ---- what is seen ----

// The loss from the first step to the last, and where the present one is.
function lossCurve() {
  const { losses, at } = training,
    most = Math.max(...losses.filter(Number.isFinite), 1e-9),
    last = losses.length - 1 || 1,
    height = (loss) => (Number.isFinite(loss) ? 60 - (56 * loss) / most : 2),
    line = (d, name) => element("svg:path", { d, class: name, "vector-effect": "non-scaling-stroke" });
  return element(
    "svg:svg",
    {
      class: "loss-curve",
      role: "img",
      viewBox: `0 0 ${last} 62`,
      preserveAspectRatio: "none",
      "aria-label": `the loss from ${numberText(losses[0], 4)} to ${numberText(losses.at(-1), 4)} in ${losses.length - 1} steps`,
    },
    line(`M${at} 0V62`, "now"),
    line(`M${losses.map((loss, step) => `${step} ${height(loss)}`).join("L")}`),
  );
}

const back = element("input.back", {
  type: "range",
  min: 0,
  step: 1,
  "aria-label": "go back to a step",
  "data-key": "learn.back",
  input: () => goBack(Number(back.value), true),
  change: () => {
    page.editing = false;
    select({});
  },
});

export function renderLearning(target) {
  const { goal } = page.session,
    loss = lossNow();
  if (!goal || loss === undefined) {
    stopLearning();
    return replaceChildren(target, element("p.quiet", "The wish of this lesson does not fit the layer any more."));
  }
  if (page.editing && document.activeElement === back) training.shown = page.session;
  followReader();
  const { at, sessions, timer } = training,
    settings = page.session.training ?? {},
    { rate = 0.01, optimizer = "sgd", steps = 0 } = settings;
  const set = (change) => changeSession({ ...page.session, training: { ...page.session.training, ...change } }),
    press = (key, text, click, disabled) => button({ class: "plain", "data-key": `learn.${key}`, click, disabled }, text);
  setAttributes(back, {
    max: sessions.length - 1,
    hidden: sessions.length < 2,
    "aria-valuetext": `step ${at}, loss ${numberText(loss, 4)}`,
  });
  back.value = at;
  const said = [
    settingRow("loss", element("b", numberText(loss, 4)), element("span.quiet", `step ${steps}`)),
    sessions.length > 1 && lossCurve(),
  ];
  // While it plays or the slider is pulled, what is pressed stays where it is.
  if (page.editing && target.contains(back)) return target.firstElementChild.replaceChildren(...said.filter(Boolean));
  replaceChildren(
    target,
    element("div", said),
    back,
    settingRow(
      "rate",
      numberField("learning rate", "learn.rate", rate, (value) => value > 0 && set({ rate: value })),
    ),
    segments(
      "optimizer",
      "learn.optimizer",
      [
        ["sgd", "SGD"],
        ["adam", "Adam"],
        ["adamw", "AdamW"],
      ],
      optimizer,
      (word) => set({ optimizer: word }),
    ),
    element(
      "div.learn-row",
      press("play", timer ? "Pause" : "Learn", play),
      STEP_COUNTS.map((count) => press(count, count === 1 ? "1 step" : `${count} steps`, () => learn(count))),
      press("reset", "Reset", reset, steps === 0),
    ),
  );
}
