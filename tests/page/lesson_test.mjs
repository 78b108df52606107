// Lessons in a page: the texts that it evaluates are those of the program, for every step of every lesson, in the state that it begins
// with, after the change that it asks for, and after random edits. The program gives its parsed texts, its numbers and what it tells
// (tests/page/told_lessons.cpp).
//   TOLD_LESSONS=build/release/tests/told_lessons node tests/page/lesson_test.mjs [--edits 50] [--seed 1]
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { argument, Checks, loadScript } from "./support.mjs";

const { compute, evaluatedRuns, gradientsOf, readSession, textOfRuns } = await loadScript([
  "random.js",
  "session.js",
  "softmax.js",
  "layer.js",
  "gradients.js",
  "colors.js",
  "trace.js",
  "lesson_places.js",
  "lesson_state.js",
  "lesson_text.js",
]);
const checks = new Checks();

const numberOf = (number) => (typeof number === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[number] : number);
const arrayOf = ({ shape, data }) => ({ shape, data: Float32Array.from(data, numberOf) });

// A state with the program's numbers.
function stateOf({ session, stages, gradients }) {
  const state = { layer: readSession(session), stages: new Map() };
  for (const [name, stage] of Object.entries(stages)) state.stages.set(name, arrayOf(stage));
  // In the order of computation, as the page has them.
  if (gradients)
    state.gradients = Object.fromEntries(
      Object.entries(gradients).map(([name, value]) => [name, name === "loss" ? numberOf(value) : arrayOf(value)]),
    );
  return state;
}

// The same state with the page's own numbers.
function ownState(state) {
  const own = { ...state, stages: compute(state.layer).stages };
  return { ...own, gradients: gradientsOf(own) };
}

const DIGITS = /−?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|∞)|NaN/g;

// Whether two texts are the same but for the last digit of numbers: `unit` units of it.
function nearlySame(a, b, unit) {
  if (a === b) return true;
  if (a.replace(DIGITS, "#") !== b.replace(DIGITS, "#")) return false;
  const others = b.match(DIGITS) ?? [];
  return (a.match(DIGITS) ?? []).every((digits, at) => {
    const [x, y] = [digits, others[at]].map((text) => Number(text.replace("−", "-").replace("∞", "Infinity")));
    const [mantissa, exponent] = digits.split("e"),
      step = 10 ** (Number(exponent ?? 0) - (mantissa.split(".")[1] ?? "").length);
    return Object.is(x, y) || Math.abs(x - y) <= step * unit * 1.001;
  });
}

const counts = { states: 0, texts: 0, rounded: 0, own: 0, ownOff: 0 };

// With the names of controls, as the page shows them.
function textOf(step, parsed, states) {
  const runs = evaluatedRuns(parsed, states);
  return textOfRuns(runs.map((run) => (run.control && !run.text ? { ...run, text: step.controls[run.control] } : run)));
}

function compareState(step, { edit, now: state, told }, name) {
  // No token and no dimension is moved in a page.
  if (Object.keys(state.lineage).length > 0) return;
  const now = stateOf(state);
  counts.states++;
  told.forEach((expected, at) => {
    const states = { now, first: step.first, opened: step.opened },
      actual = textOf(step, step.texts[at], states);
    counts.texts++;
    counts.rounded += actual !== expected;
    checks.check(
      `${name}, ${edit}, text ${at}`,
      nearlySame(actual, expected, 1),
      `the program tells\n  ${expected}\nthe page\n  ${actual}`,
    );
  });
  if (edit !== "none" && edit !== "asked") return;
  const own = { now: ownState(now), first: ownState(step.first), opened: ownState(step.opened) };
  told.forEach((expected, at) => {
    const actual = textOf(step, step.texts[at], own);
    counts.own++;
    const good = nearlySame(actual, expected, 2);
    checks.check(`${name}, ${edit}, text ${at}, with the page's numbers`, good, `the program tells\n  ${expected}\nthe page\n  ${actual}`);
  });
}

async function testLessons(program, edits, seed) {
  const process = spawn(program, [String(edits), String(seed)], { stdio: ["ignore", "pipe", "inherit"] }),
    ended = new Promise((done) => process.on("close", done));
  let step = null;
  for await (const line of createInterface({ input: process.stdout })) {
    const read = JSON.parse(line);
    if ("lesson" in read) step = { ...read, first: stateOf(read.first), opened: stateOf(read.opened) };
    else checks.run(`${step.lesson}, step ${step.step + 1}`, () => compareState(step, read, `${step.lesson}, step ${step.step + 1}`));
  }
  checks.check("the program has told all lessons", (await ended) === 0);
}

await testLessons(globalThis.process.env.TOLD_LESSONS, Number(argument("--edits", 2)), argument("--seed", "1"));
checks.check("there are lessons", counts.states > 400, `${counts.states} states`);
checks.check("few numbers are rounded another way", counts.rounded * 200 <= counts.texts, `${counts.rounded} of ${counts.texts} texts`);
console.log(`page: lessons: ${counts.texts} texts in ${counts.states} states, ${counts.rounded} with another last digit`);
checks.finish("page: lessons");
