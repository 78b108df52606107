// The layer of a page (assets/page/random.js, session.js, layer.js) against PyTorch's numbers, the golden layers, and `headlight compute`:
//   node tests/page/layer_test.mjs                    goldens, and all lessons where HEADLIGHT names the program
//   HEADLIGHT=build/release/app/headlight node tests/page/layer_test.mjs --edits 50 [--seed N]
//                                                     also after so many random edits of each, and of golden sessions
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "./crc32.mjs";
import { edited, randomNumbers } from "./session_edits.mjs";
import {
  Checks,
  PROGRAM,
  ROOT,
  argument,
  computedByProgram,
  inTemporaryFolder,
  loadScript,
  nested,
  readJson,
  readNpz,
} from "./support.mjs";

const { TorchStream, compute, drawDropoutNoise, linearBiasBound, linearWeightBound, readSession, sessionOf, sessionWithNumbers } =
  await loadScript(["random.js", "session.js", "softmax.js", "layer.js"]);

const BOUND = 1e-5; // of the largest number of a stage
const checks = new Checks();
const golden = join(ROOT, "tests/golden");

function sameBits(actual, expected) {
  return actual.length === expected.length && actual.every((number, i) => Object.is(number, Math.fround(expected[i])));
}

// ---- the random streams ----

function testStreams(text) {
  const { rng } = JSON.parse(text);
  // Seeds as they are written: JSON's numbers lose the last digits of those beyond 2^53.
  const seeds = [...text.slice(text.indexOf('"engine"'), text.indexOf('"rand"')).matchAll(/"seed": *(-?\d+)/g)].map((match) => match[1]);
  rng.engine.forEach(({ u32 }, i) => {
    const stream = new TorchStream(seeds[i]);
    checks.check(
      `engine, seed ${seeds[i]}`,
      u32.every((word) => word === stream.nextWord()),
    );
  });
  for (const { seed, n, values, crc32: sum, last } of rng.rand) {
    const stream = new TorchStream(seed),
      drawn = Float32Array.from({ length: n }, () => stream.rand());
    checks.check(`rand, seed ${seed}, ${n}`, values ? sameBits(drawn, values) : crc32(drawn) === sum && drawn[n - 1] === Math.fround(last));
  }
  for (const item of rng.linear) testLinear(item);
  for (const item of rng.dropout) testDropout(item, "default");
  for (const item of rng.dropout_mkl_variant) testDropout(item, "mkl");
}

function testLinear({ seed, d_in: inputs, d_out: outputs, weight, bias, weight_crc32: weightSum, bias_crc32: biasSum, next_rand: next }) {
  const stream = new TorchStream(seed),
    name = `linear, seed ${seed}, ${inputs} x ${outputs}`;
  const draw = (count, bound) => Float32Array.from({ length: count }, () => stream.uniform(bound));
  const drawn = draw(inputs * outputs, linearWeightBound(inputs));
  checks.check(name, weight ? sameBits(drawn, weight.flat()) : crc32(drawn) === weightSum);
  const biases = biasSum !== undefined || bias.length > 0 ? draw(outputs, linearBiasBound(inputs)) : [];
  checks.check(`${name}, bias`, bias ? sameBits(Array.from(biases), bias) : crc32(biases) === biasSum);
  if (next !== undefined) checks.check(`${name}, what follows`, stream.rand() === Math.fround(next));
}

function testDropout({ seed, p, n, keep, scale, kept, crc32: sum, next_rand: next }, build) {
  const stream = new TorchStream(seed),
    noise = drawDropoutNoise(stream, p, n, build),
    name = `dropout ${build}, seed ${seed}, ${p}, ${n}`;
  const letters = Array.from(noise, (number) => (number === 0 ? "0" : "1")).join("");
  if (keep) checks.check(name, letters === keep);
  else checks.check(name, letters.replaceAll("0", "").length === kept && crc32(noise) === sum);
  if (scale !== undefined) checks.check(`${name}, scale`, Math.max(...noise) === Math.fround(scale));
  if (next !== undefined) checks.check(`${name}, what follows`, stream.rand() === Math.fround(next));
}

// ---- the golden cases of PyTorch ----

const GOLDEN_STAGES = {
  Q: "queries",
  K: "keys",
  V: "values",
  scores: "scores",
  scaled: "scaled",
  masked: "masked",
  weights: "weights",
  dropped: "dropped",
  context_heads: "context",
  concat: "concat",
  output: "output",
};
const GOLDEN_PARAMETERS = { W_query: "query", W_key: "key", W_value: "value", out_proj: "output" };

function goldenNumbers(value) {
  const special = { inf: Infinity, nan: NaN };
  return value.flat(Infinity).map((number) => (number === null ? -Infinity : typeof number === "string" ? special[number] : number));
}

function goldenEmbeddings({ config, input, x }) {
  if (input.kind !== "rand2") return x;
  const stream = new TorchStream(input.seed),
    gain = Math.fround(input.gain);
  const number = () => Math.fround(Math.fround(stream.rand() * 2 - 1) * gain);
  return Array.from({ length: config.B }, () => Array.from({ length: config.T }, () => Array.from({ length: config.d_in }, number)));
}

function goldenSession(item) {
  const { config } = item;
  const session = {
    format: "headlight-session",
    version: 1,
    tokens: Array.from({ length: config.T }, (_, i) => String(i)),
    embeddings: goldenEmbeddings(item),
    attention: {
      projection: config.init === "none" ? "none" : "linear",
      d_out: config.d_out,
      num_heads: config.num_heads,
      qkv_bias: config.qkv_bias,
      output_projection: config.out_proj,
      scale: config.scale ? "inverse_sqrt_dk" : "none",
      mask: config.causal ? "causal" : "none",
      normalization: config.normalisation === "softmax_naive" ? "naive_softmax" : config.normalisation,
      dropout: { probability: config.dropout, training: true, seed: config.dropout_seed },
    },
  };
  if (config.init !== "none")
    session.weights = { init: config.init, seed: config.seed, order: config.creation_order.map((name) => GOLDEN_PARAMETERS[name]) };
  return session;
}

function testParameters(item, layer) {
  for (const [name, expected] of Object.entries(item.params)) {
    const [parameter, kind] = name.split("."),
      ours = GOLDEN_PARAMETERS[parameter] + (kind === "bias" ? "_bias" : "");
    const { data } = layer.weights[ours];
    const bits = expected.crc32 === undefined ? sameBits(Array.from(data), goldenNumbers(expected)) : crc32(data) === expected.crc32;
    checks.check(`${item.name}: ${name} bit for bit`, bits);
  }
}

// Large cases have sums over the whole array, and some rows.
function testLargeStage(name, stage, { checks: sums, rows }) {
  const width = stage.shape.at(-1),
    finite = Array.from(stage.data, (number) => (number === -Infinity ? 0 : number));
  const sum = (of) => finite.reduce((total, number, i) => total + of(number, i), 0);
  checks.near(name, "golden sums", [sum(Math.abs)], [sums.abs], BOUND);
  checks.near(name, "golden sums", [sum((number) => number * number)], [sums.sq], BOUND);
  checks.check(
    `${name}: sum by place`,
    Math.abs(sum((number, i) => (number * (((31 * i + 7) % 101) + 1)) / 101) - sums.ramp) <= BOUND * sums.abs,
  );
  for (const { index, values } of rows) {
    const row = index.reduce((at, i, axis) => at * stage.shape[axis] + i, 0);
    checks.near(
      `${name}[${index}]`,
      "golden cases",
      Array.from(stage.data.subarray(row * width, (row + 1) * width)),
      goldenNumbers(values),
      BOUND,
    );
  }
}

// Q, K and V of the goldens are B x T x d_out, ours have the heads before the tokens.
function joined(stage) {
  const [sequences, heads, rows, width] = stage.shape,
    data = new Float32Array(stage.data.length);
  stage.data.forEach((number, i) => {
    const at = Math.floor(i / width),
      row = at % rows,
      matrix = Math.floor(at / rows);
    data[((Math.floor(matrix / heads) * rows + row) * heads + (matrix % heads)) * width + (i % width)] = number;
  });
  return { shape: [sequences, rows, heads * width], data };
}

function testGolden(item) {
  const layer = readSession(goldenSession(item)),
    { stages } = compute(layer);
  if (item.x.crc32 !== undefined) checks.check(`${item.name}: x bit for bit`, crc32(layer.embeddings.data) === item.x.crc32);
  testParameters(item, layer);
  for (const [theirs, ours] of Object.entries(GOLDEN_STAGES)) {
    const stage = "QKV".includes(theirs) ? joined(stages.get(ours)) : stages.get(ours),
      name = `${item.name}: ${ours}`;
    if (Array.isArray(item[theirs])) checks.near(name, "golden cases", Array.from(stage.data), goldenNumbers(item[theirs]), BOUND);
    else testLargeStage(name, stage, item[theirs]);
  }
}

// ---- the golden layers of other programs ----

// Writes the arrays that a session refers to into it. Queries, keys and values of B x heads x T x width have their heads side by side in
// lists.
function writtenOut(value, folder, place = "") {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => writtenOut(item, folder));
  if ("file" in value) {
    const array = readNpz(join(folder, value.file))[value.name];
    return nested(/^given\.(query|key|value)$/.test(place) && array.shape.length === 4 ? joined(array) : array);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writtenOut(item, folder, place ? `${place}.${key}` : key)]));
}

// The largest sum of magnitudes of a row of weights: 1, except where scores are divided by a sum that nearly cancels. There a rounding of a
// score grows as the weights do.
function growthOf({ shape, data }) {
  const width = shape.at(-1),
    sums = new Array(data.length / width).fill(0);
  data.forEach((weight, i) => (sums[Math.floor(i / width)] += Math.abs(weight)));
  return Math.max(1, ...sums.filter(Number.isFinite));
}

const FROM_WEIGHTS = ["weights", "dropped", "context", "concat", "output"];

function testStages(name, group, stages, expected) {
  const growth = growthOf(expected.weights);
  for (const [stage, { shape, data }] of Object.entries(expected)) {
    const ours = stages.get(stage),
      grows = growth > 100 && FROM_WEIGHTS.includes(stage);
    if (!checks.check(`${name}: ${stage}`, ours?.shape.join() === shape.join(), `is ${ours?.shape}, expected ${shape}`)) continue;
    const of = grows ? `${group}, sums that nearly cancel` : group;
    checks.near(`${name}: ${stage}`, of, Array.from(ours.data), data, grows ? (BOUND * growth) / 100 : BOUND);
  }
}

function testGoldenLayers(folder) {
  for (const file of readdirSync(folder).filter((file) => file.endsWith(".headlight"))) {
    const name = file.replace(".headlight", "");
    checks.run(name, () => {
      const session = writtenOut(readJson(join(folder, file)), folder),
        layer = readSession(session);
      testStages(name, "golden layers", compute(layer).stages, readNpz(join(folder, `${name}.golden.npz`)));
      checks.check(`${name}: the session again`, JSON.stringify(sessionOf(layer)) === JSON.stringify(session));
    });
  }
}

// ---- what is refused, and what is overwritten ----

function simpleSession(attention = {}, more = {}) {
  const base = {
    format: "headlight-session",
    version: 1,
    tokens: ["a", "b"],
    embeddings: [
      [1, 2],
      [3, 4],
    ],
  };
  return { ...base, attention: { projection: "none", ...attention }, ...more };
}

function testRefusals() {
  const cases = [
    [{ format: "other" }, /not a Headlight session/],
    [simpleSession({}, { version: 2 }), /version/],
    [simpleSession({ maks: "causal" }), /unknown key "maks"/],
    [simpleSession({ mask: "diagonal" }), /attention\.mask.*is "diagonal"/],
    [simpleSession({ mask: [[1, 0]] }), /attention\.mask/],
    [
      simpleSession({
        mask: [
          [1, 2],
          [0, 1],
        ],
      }),
      /neither 0 nor 1/,
    ],
    [simpleSession({ num_heads: 3 }), /num_heads: 3 does not divide d_out 2/],
    [simpleSession({}, { embeddings: [[1, 2], [3]] }), /embeddings/],
    [simpleSession({}, { embeddings: [[1, 2]] }), /embeddings/],
    [
      simpleSession(
        {},
        {
          embeddings: [
            [1, 1e39],
            [0, 0],
          ],
        },
      ),
      /too large for float32/,
    ],
    [simpleSession({}, { embeddings: { file: "x.npy" } }), /written out/],
    [simpleSession({ dropout: { probability: 1.5 } }), /between 0 and 1/],
    [simpleSession({ projection: "linear", d_out: 2 }, { weights: { init: "rand", seed: 1.5 } }), /seed/],
    [simpleSession({ projection: "linear", d_out: 2 }), /weights\.query/],
    [{ format: "headlight-session", version: 1, model_folder: { path: "gpt2" } }, /whole model/],
  ];
  for (const [session, words] of cases) {
    let said = "";
    try {
      readSession(session);
    } catch (error) {
      said = error.message;
    }
    checks.check(`refused with ${words}`, words.test(said), said || "it was read");
  }
}

// Weights that are overwritten give what the same weights give where they are given.
function testOverwritten() {
  const row = [[0.25, 0.75]],
    session = simpleSession({}, { overwritten: [{ stage: "weights", row: 1, values: row }] });
  const { stages } = compute(readSession(session));
  const weights = [Array.from(stages.get("weights").data.subarray(0, 2)), row[0]];
  const given = compute(
    readSession(simpleSession({ projection: "weights" }, { given: { weights: [weights], value: session.embeddings } })),
  ).stages;
  for (const name of ["weights", "dropped", "context", "concat", "output"])
    checks.near(`overwritten: ${name}`, "overwritten", Array.from(stages.get(name).data), Array.from(given.get(name).data), BOUND);
  checks.check("overwritten: a row that is not", stages.get("weights").data[0] < 0.5);
}

// ---- the lessons, and random edits of sessions, against the program ----

let computed = 0; // sessions that neither the program nor the page refused

function compareWithProgram(name, session, folder) {
  const program = computedByProgram(session, folder);
  let stages = null,
    said = "";
  try {
    ({ stages } = compute(readSession(session)));
  } catch (error) {
    said = error.message;
  }
  if (program.error !== undefined || !stages) {
    checks.check(
      name,
      program.error !== undefined && !stages,
      `the program says ${program.error ?? "nothing"}, the page ${said || "nothing"}: ${JSON.stringify(session.attention)}`,
    );
    return false;
  }
  computed++;
  checks.check(`${name}: names in their order`, [...stages.keys()].join() === Object.keys(program.stages).join(), `${[...stages.keys()]}`);
  const before = checks.failed.length;
  testStages(name, "against the program", stages, program.stages);
  if (checks.failed.length > before) checks.failed.push(`${name}: ${JSON.stringify(session)}`);
  return true;
}

// The sessions of a folder, without what is wanted of them and their lessons.
function sessionsOf(folder) {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".headlight"))
    .sort();
  return files.map((file) => {
    const { goal, training, lesson, ...session } = readJson(join(folder, file));
    return { name: file.replace(".headlight", ""), session: writtenOut(session, folder) };
  });
}

function testAgainstProgram({ name, session }, edits, seed, folder) {
  checks.run(name, () => compareWithProgram(name, session, folder));
  const random = randomNumbers(seed + name);
  for (let i = 1; i <= edits; i++) {
    checks.run(`${name}, edit ${i}`, () => {
      const next = edited(session, random, sessionWithNumbers, readSession);
      if (compareWithProgram(`${name}, edit ${i}`, next, folder)) session = next;
    });
  }
}

// Without edits only the lessons: of the golden layers the numbers are known.
function testSessions(edits, seed) {
  const folders = ["assets/lessons", ...(edits > 0 ? ["tests/golden/layers", "tests/golden/gradients"] : [])];
  const sessions = folders.flatMap((folder) => sessionsOf(join(ROOT, folder)));
  inTemporaryFolder((folder) => sessions.forEach((item) => testAgainstProgram(item, edits, seed, folder)));
}

const text = readFileSync(join(golden, "goldens.json"), "utf8");
checks.run("streams", () => testStreams(text));
for (const item of JSON.parse(text).cases) checks.run(item.name, () => testGolden(item));
testGoldenLayers(join(golden, "layers"));
checks.run("refusals", testRefusals);
checks.run("overwritten", testOverwritten);
if (PROGRAM) testSessions(Number(argument("--edits", 0)), argument("--seed", "1"));
if (PROGRAM) console.log(`page: layer: ${computed} sessions were computed by the program too`);
checks.finish("page: layer");
