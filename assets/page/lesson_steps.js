// The steps of a lesson as sessions: what a step begins with, the way from step to step, the change that a question supposes.
import { trainedSession } from "./gradients.js";
import { compute, copyOf, readSession, sessionWithNumbers } from "./layer.js";

// A session with settings of a step, which are written as those of "attention".
function withSettings(session, settings) {
  const attention = { ...session.attention, ...settings };
  if (settings.dropout) attention.dropout = { ...session.attention.dropout, ...settings.dropout };
  return { ...session, attention };
}

// The step's own session. `start`: what its settings change beside settings, as weights of another shape.
export function startOf(opened, { set = {}, start = {} }) {
  return { ...withSettings(opened, set), ...start };
}

// The settings that lead from one step to the next: those of the next, and the lesson's own for those that only the one before names.
function settingsBetween(before = {}, next = {}, own = {}) {
  const way = {};
  for (const key of Object.keys({ ...before, ...next }))
    way[key] = key === "dropout" ? settingsBetween(before.dropout, next.dropout, own.dropout) : key in next ? next[key] : own[key];
  return way;
}

// The reader's session in the next step; the step's own one where the reader's shapes do not fit its settings.
export function sessionOfStep(session, opened, before, next) {
  const way = withSettings(session, settingsBetween(before.set, next.set, opened.attention));
  try {
    readSession(way);
    return next.start || before.start ? startOf(opened, next) : way;
  } catch {
    return startOf(opened, next);
  }
}

const WEIGHTS = { W_query: "query", W_key: "key", W_value: "value", W_output: "output" };

function putNumber(session, { of = "embeddings", row = 0, column = 0, value }) {
  const { embeddings, weights } = session,
    rows = of === "embeddings" ? (Array.isArray(embeddings[0][0]) ? embeddings[0] : embeddings) : weights[WEIGHTS[of]];
  rows[row][column] = value;
}

// The session after a change; null if it does not fit. `after`: as `start` of a step.
export function sessionAfter(session, { change, after = {} }) {
  try {
    let changed = { ...withSettings(copyOf(session), change.set ?? {}), ...copyOf(after) };
    const numbers = change.numbers ?? [];
    if (numbers.some(({ of }) => of in WEIGHTS)) changed = sessionWithNumbers(readSession(changed));
    numbers.forEach((number) => putNumber(changed, number));
    readSession(changed);
    return change.learn ? trainedSession(changed, change.learn, compute).session : changed;
  } catch {
    return null;
  }
}
