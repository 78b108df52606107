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

// Goals beside a row in which the mask closes every pair: what wants something of it has no gradients, as in the program; of others all
// numbers are finite.
function testClosedRows(folder) {
  const file = join(folder, "closed.headlight"),
    nothing = ["nan", "nan"];
  const goals = [
    [
      "weights",
      "cross_entropy",
      [
        [1, 0],
        [0, 1],
      ],
      false,
    ],
    ["weights", "cross_entropy", [nothing, [0, 1]], true],
    [
      "weights",
      "cross_entropy",
      [
        [0, 0],
        [1, 1],
      ],
      true,
    ],
    ["weights", "cross_entropy", [[0, 0], nothing], false],
    [
      "weights",
      "squared",
      [
        [1, 0],
        [0, 1],
      ],
      true,
    ],
    ["weights", "squared", [nothing, nothing], false],
    [
      "masked",
      "squared",
      [
        [1, 0],
        [0, 1],
      ],
      false,
    ],
    ["masked", "squared", [nothing, [0, 1]], true],
  ];
  for (const [stage, loss, target, exist] of goals) {
    const name = `${loss} of ${stage}, ${JSON.stringify(target)}`,
      session = {
        format: "headlight-session",
        version: 1,
        tokens: ["a", "b"],
        embeddings: [
          [1, 2],
          [3, 4],
        ],
        attention: {
          projection: "none",
          mask: [
            [0, 0],
            [1, 1],
          ],
        },
        goal: { stage, loss, target },
      };
    writeFileSync(file, JSON.stringify(session));
    const { code } = runProgram(["gradients", file, "-o", join(folder, "closed.npz"), "--force"]),
      layer = readSession(session),
      gradients = gradientsOf({ layer, stages: compute(layer).stages });
    checks.check(`${name}: the program`, (code === 0) === exist, `ends with ${code}`);
    checks.check(name, (gradients !== null) === exist, gradients ? `the loss is ${gradients.loss}` : "there are no gradients");
    const numbers = Object.values(gradients ?? {}).flatMap((array) => (typeof array === "number" ? array : Array.from(array.data)));
    checks.check(`${name}: finite`, numbers.every(Number.isFinite), numbers.join());
  }
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
  checks.run("closed rows", () => testClosedRows(folder));
  for (const [name, file] of sessions) checks.run(name, () => testGradients(name, file, folder));
  for (const [name, file] of lessons) for (const steps of [1, 20]) checks.run(name, () => testTraining(name, file, steps, folder));
});
checks.check("lessons have goals", lessons.length >= 6);
checks.finish("page: gradients");
