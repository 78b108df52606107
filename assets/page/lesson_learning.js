// The training of a lesson's layer towards its goal: steps, the rate, and the loss.
import { numberText } from "./colors.js";
import { say, settingRow } from "./frame.js";
import { trainedSession } from "./gradients.js";
import { numberField } from "./inputs.js";
import { compute } from "./layer.js";
import { statesOf } from "./lesson.js";
import { button, element } from "./picture.js";
import { changeSession, page } from "./state.js";

const STEP_COUNTS = [1, 10, 100];

function learn(steps) {
  const { session, taken } = trainedSession(page.session, { steps }, compute);
  changeSession(session);
  if (taken < steps) say("The next step would not be finite: choose a smaller rate.", true);
}

export function learningBlock() {
  const { training = {}, goal } = page.session,
    loss = statesOf().now.gradients?.loss;
  if (!goal || loss === undefined) return [element("p.quiet", "The wish of this lesson does not fit the layer any more.")];
  const { rate = 0.01, steps = 0 } = training;
  const setRate = (value) => value > 0 && changeSession({ ...page.session, training: { ...training, rate: value } });
  const buttons = STEP_COUNTS.map((count) =>
    button({ class: "plain", "data-key": `learn.${count}`, click: () => learn(count) }, count === 1 ? "1 step" : `${count} steps`),
  );
  return [
    settingRow("loss", element("b", numberText(loss, 4)), element("span.quiet", `step ${steps}`)),
    settingRow("rate", numberField("learning rate", "learn.rate", rate, setRate)),
    settingRow("Learn", ...buttons),
  ];
}
