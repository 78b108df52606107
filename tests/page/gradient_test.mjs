// Gradients and steps of training in a page: those of the program, for the lessons that have a goal and the golden sessions of gradients.
//   HEADLIGHT=build/release/app/headlight node tests/page/gradient_test.mjs
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Checks, inTemporaryFolder, loadScript, readJson, readNpz, ROOT, runProgram } from "./support.mjs";

const { compute, gradientsOf, hasGradients, readSession, trainedSession } = await loadScript([
  "random.js",
  "session.js",
  "softmax.js",
  "layer.js",
  "gradients.js",
]);
const checks = new Checks();
const BOUND = 2e-5; // of the largest number of an array: products are summed in another order than the engine's
const PARAMETERS = ["query", "key", "value", "output"];

// Under the names of the program's file.
function named(gradients) {
  const names = Object.entries(gradients).map(([name, array]) => [name.replace(/^W_/, "").replace(/^b_(.*)/, "$1_bias"), array]);
  return Object.fromEntries(names.filter(([name]) => name !== "loss"));
}

function testGradients(name, file, folder) {
  const { lesson, ...session } = readJson(file),
    out = join(folder, "gradients.npz"),
    { code } = runProgram(["gradients", file, "-o", out, "--force"]);
  let layer = null;
  try {
    layer = readSession(session);
  } catch {
    return; // a session whose arrays are in files of their own
  }
  if (code !== 0 || !hasGradients(layer)) return;
  const { loss, ...expected } = readNpz(out),
    gradients = gradientsOf({ layer, stages: compute(layer).stages });
  if (!checks.check(`${name}: there are gradients`, gradients !== null)) return;
  checks.near(`${name}: loss`, "loss", [gradients.loss], loss.data, BOUND);
  const own = named(gradients),
    largest = Math.max(...Object.values(expected).flatMap(({ data }) => data.map(Math.abs)));
  for (const [key, array] of Object.entries(expected)) {
    const of = key.replace(/^grad\./, ""),
      isStage = array.shape.length > 2;
    if (of === "key_embeddings" || !(of in own)) continue;
    // What cancels, as the bias of keys in a softmax does, leaves the roundings alone.
    if (Math.max(...array.data.map(Math.abs)) < 1e-6 * largest) continue;
    const mine = of === "output" && !isStage ? gradients.W_output : of === "output" ? gradients.output : own[of];
    checks.near(`${name}: ${of}`, "gradients", Array.from(mine.data), array.data, BOUND);
  }
}

function testTraining(name, file, steps, folder) {
  const { lesson, ...session } = readJson(file),
    out = join(folder, "trained.headlight"),
    source = join(folder, "session.headlight");
  writeFileSync(source, JSON.stringify(session));
  const { code, error } = runProgram(["train", source, "--steps", String(steps), "-o", out, "--force"]);
  if (!checks.check(`${name}: it is trained by the program`, code === 0, error)) return;
  const expected = readSession(readJson(out)),
    { session: trained } = trainedSession(session, { steps }, compute),
    own = readSession(trained);
  for (const parameter of PARAMETERS.filter((one) => expected.weights[one]))
    checks.near(
      `${name}, ${steps} steps: ${parameter}`,
      "training",
      Array.from(own.weights[parameter].data),
      Array.from(expected.weights[parameter].data),
      1e-3,
    );
}

const lessons = readdirSync(join(ROOT, "assets/lessons"))
  .filter((file) => file.endsWith(".headlight") && readJson(join(ROOT, "assets/lessons", file)).goal)
  .map((file) => [file, join(ROOT, "assets/lessons", file)]);
const golden = join(ROOT, "tests/golden/gradients");
const sessions = [
  ...lessons,
  ...readdirSync(golden)
    .filter((file) => file.endsWith(".headlight"))
    .map((file) => [file, join(golden, file)]),
];
inTemporaryFolder((folder) => {
  for (const [name, file] of sessions) checks.run(name, () => testGradients(name, file, folder));
  for (const [name, file] of lessons) for (const steps of [1, 20]) checks.run(name, () => testTraining(name, file, steps, folder));
});
checks.check("lessons have goals", lessons.length >= 6);
checks.finish("page: gradients");
