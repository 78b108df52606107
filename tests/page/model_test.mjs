// The whole model of a page (assets/page/tokenizer.js, model.js, model_data.js) against models of the hub's own library, golden tokenizers, and the
// program:
//   node tests/page/model_test.mjs                    golden data, and the bundled model on eight texts where HEADLIGHT names the program
//   HEADLIGHT=build/release/app/headlight node tests/page/model_test.mjs --texts 70
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { randomNumbers } from "./session_edits.mjs";
import {
  Checks,
  PROGRAM,
  ROOT,
  argument,
  inTemporaryFolder,
  loadScript,
  outputOf,
  readJson,
  readNpz,
  readSafetensors,
  runProgram,
} from "./support.mjs";

const {
  encodeText,
  headWeights,
  placesOfLargest,
  readModel,
  readTokenizer,
  run,
  runIds,
  runTyped,
  strongestHead,
  tokenText,
  unpackedTensors,
  withToken,
} = await loadScript(["softmax.js", "tokenizer.js", "model.js", "model_data.js"]);

const BOUND = 1e-5;
const checks = new Checks();
const golden = join(ROOT, "tests/golden");

function modelOf(folder) {
  const file = join(folder, "tokenizer.json");
  const tokenizer = existsSync(file) ? readJson(file) : null;
  return readModel({
    config: readJson(join(folder, "config.json")),
    tokenizer,
    tensors: readSafetensors(join(folder, "model.safetensors")),
  });
}

function softmaxOf(logits) {
  const most = Math.max(...logits),
    powers = logits.map((logit) => Math.exp(logit - most)),
    sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

// weights: of layer N; logits: of the last token.
function testRun(name, group, made, weights, logits) {
  made.weights.forEach((layer, i) => checks.near(`${name}: weights of layer ${i}`, group, layer.flat(2), weights(i), BOUND));
  const expected = softmaxOf(logits);
  checks.near(
    `${name}: probabilities`,
    group,
    made.next.map(([, probability]) => probability),
    expected.sort((a, b) => b - a),
    BOUND,
  );
}

// ---- golden data ----

function testGoldenModel(folder, weightsName) {
  const arrays = readNpz(join(folder, "golden.npz")),
    model = modelOf(folder);
  const made = runIds(model, arrays.ids.data);
  testRun(
    folder.slice(golden.length + 1),
    "golden models",
    made,
    (i) => arrays[weightsName(i)].data,
    arrays.logits.data.slice(-model.config.vocabulary),
  );
}

function testTokenizer(name) {
  const tokenizer = readTokenizer(readJson(join(golden, `models/tokenizers/${name}.json`)));
  for (const { text, ids } of readJson(join(golden, `models/tokenizers/${name}.texts.json`))) {
    const ours = encodeText(tokenizer, text);
    checks.check(`${name}: ids of ${JSON.stringify(text)}`, ours.join() === ids.join(), `are ${ours}, expected ${ids}`);
  }
}

// Random merges in any order, against a loop that joins one pair at a time.
function testPairs() {
  const random = randomNumbers("pairs"),
    below = (limit) => Math.floor(random() * limit);
  for (let round = 0; round < 200; round++) {
    const words = ["a", "b", "c"],
      merges = [];
    while (merges.length < 8) {
      const pair = [words[below(words.length)], words[below(words.length)]];
      if (words.includes(pair.join(""))) continue;
      words.push(pair.join(""));
      merges.splice(below(merges.length + 1), 0, pair);
    }
    const vocab = Object.fromEntries(words.map((word, id) => [word, id])),
      pre = { type: "ByteLevel", add_prefix_space: false, use_regex: false };
    const tokenizer = readTokenizer({ pre_tokenizer: pre, model: { type: "BPE", vocab, merges } });
    const text = Array.from({ length: 30 }, () => "abc"[below(3)]).join("");
    checks.check(
      `pairs ${round}`,
      encodeText(tokenizer, text).join() ===
        joinedOneByOne([...text], merges)
          .map((word) => vocab[word])
          .join(),
    );
  }
}

function joinedOneByOne(symbols, merges) {
  for (;;) {
    const ranks = symbols.slice(1).map((right, at) => merges.findIndex((pair) => pair[0] === symbols[at] && pair[1] === right));
    const known = ranks.filter((rank) => rank >= 0);
    if (known.length === 0) return symbols;
    const at = ranks.indexOf(Math.min(...known));
    symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
  }
}

// ---- the bundled model, against the program ----

const TEXTS = [
  "",
  " ",
  "Anna gave Ben the",
  "a<start>b",
  "</script><script>alert(1)</script>",
  "emoji 🙂👩‍👩‍👧 end",
  "naïve café Straße ÅNGSTRÖM",
  "\ud83dhalf a pair",
  "  ",
  "a",
  ".",
  "\n",
  "\t\t",
  "Oscar and Peter sat down . Oscar gave the key to",
  "Mary and Rosa went out . Mary brought the pillow to",
  "<start>",
  "<start><start>",
  " <start> ",
  "<star",
  "<start",
  "<|endoftext|>",
  "<!-- --> ]]> &amp; \" ' `",
  "It's 3.14159, isn't it? We'LL see!",
  "1234567890 12 345 6",
  "x = [1, 2,3];\n    return x[0]  # ok",
  "\r\nwindows\r\n",
  "trailing spaces   ",
  "   leading",
  "a  b   c    d",
  "Ελλάδα и Россия",
  "日本語のテキスト",
  "e\u0301 combining",
  "\u00a0nbsp and \u200bzero width",
  "\u0085next line",
  "\u2028separator\u2029",
  "\ufeffbyte order",
  "\u202eright to left",
  "half a pair\ude42",
  "\u0001\u0002 control \u007f",
  "\u3000wide space",
  "ﬁ ligature Ⅷ ½ ²",
  "ـہ ﷽",
  "𝒜𝓃𝓃𝒶",
  "Ⓐ circled 🄰",
  "__proto__ constructor toString hasOwnProperty",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "' ' 's 'S 't",
  "The The The the the the",
  "Anna .Ben ,Carl !Dora",
  "~!@#$%^&*()_+{}|:<>?-=[]\\;,./",
  "Nina gave Tom the red ball . Then Tom gave Nina",
];

// A text with half a pair of UTF-16 reaches the program as the U+FFFD that it becomes in UTF-8.
function testText(model, place, text, folder) {
  const out = join(folder, "model.npz"),
    name = `${basename(place)}: ${JSON.stringify(text)}`;
  const { code, error } = runProgram(["compute", place, "--text", text, "-o", out, "--force"]);
  if (!checks.check(`${name}: the program reads it`, code === 0, error)) return;
  const arrays = readNpz(out),
    made = run(model, text);
  checks.check(`${name}: ids`, made.ids.join() === arrays.ids.data.join(), `are ${made.ids}, expected ${arrays.ids.data}`);
  testRun(name, "against the program", made, (i) => arrays[`layers.${i}.weights`].data, arrays.logits.data.slice(-model.config.vocabulary));
}

function randomTexts(count) {
  const random = randomNumbers("texts"),
    below = (limit) => Math.floor(random() * limit);
  const pieces = [
    () => " ",
    () => "<start>",
    () => String.fromCodePoint(1 + below(0x2fff)),
    () => String.fromCodePoint(32 + below(95)),
    () => TEXTS[below(TEXTS.length)].slice(0, 8),
  ];
  return Array.from({ length: count }, () => Array.from({ length: 1 + below(12) }, () => pieces[below(pieces.length)]()).join(""));
}

// Untrained models as `headlight init` makes them: with byte-level BPE, and with whole words.
function testNewModels(folder) {
  for (const words of [[], ["--whole-words"]]) {
    const place = join(folder, words.length > 0 ? "words" : "pairs"),
      data = join(WORDS, "unseen.txt");
    const sizes = [
      "--family",
      "gpt2",
      "--layers",
      "2",
      "--heads",
      "2",
      "--width",
      "16",
      "--positions",
      "64",
      "--vocabulary",
      "300",
      "--seed",
      "7",
    ];
    const { code, error } = runProgram(["init", place, ...sizes, "--data", data, ...words]);
    if (!checks.check(`init ${words}`, code === 0, error)) continue;
    const model = modelOf(place);
    for (const text of ["Oscar gave the key to Rosa.", "naïve_x 12,5 … ② <|endoftext|> <unk>end", "  \n a\u00a0b"])
      testText(model, place, text, folder);
  }
}

// The bundled model with other options than its own.
function testOptions(folder) {
  const config = readJson(join(WORDS, "config.json"));
  const activations = ["gelu", "relu", "silu", "quick_gelu", "relu2"].map((name) => ({ activation_function: name }));
  const others = [{ scale_attn_weights: false }, { scale_attn_by_inverse_layer_idx: true }, { layer_norm_epsilon: 0.1 }, { n_inner: null }];
  for (const [i, options] of [...activations, ...others].entries()) {
    const place = join(folder, `options ${JSON.stringify(options)}`.replace(/[^\w ]/g, ""));
    mkdirSync(place);
    for (const file of ["tokenizer.json", "model.safetensors"]) copyFileSync(join(WORDS, file), join(place, file));
    writeFileSync(join(place, "config.json"), JSON.stringify({ ...config, ...options }));
    testText(modelOf(place), place, TEXTS[2 + i], folder);
  }
}

// Every token's label as `print` writes it, with spaces at its ends, line breaks and tabs made visible.
function testLabels(model) {
  const visible = (text) =>
    text
      .replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length))
      .replaceAll("\n", "⏎")
      .replaceAll("\t", "⇥");
  const lines = outputOf(["print", WORDS, "--text", "a", "--top", String(model.config.vocabulary)])
    .trimEnd()
    .split("\n")
    .slice(2);
  checks.check("labels: one line for each token", lines.length === model.config.vocabulary);
  for (const line of lines) {
    const [, id, shown] = /^ *\d+ +(\d+) +[\d.]+ % +-?[\d.]+  (.*)$/.exec(line),
      ours = tokenText(model.tokenizer, Number(id));
    if (!/\p{C}/u.test(ours.replace(/[\n\t]/g, "")))
      checks.check(`label of ${id}`, visible(ours) === shown, `is ${visible(ours)}, expected ${shown}`);
  }
}

function testRefusals(model) {
  const refused = (name, work, words) => {
    let said = "";
    try {
      work();
    } catch (error) {
      said = error.message;
    }
    checks.check(name, words.test(said), said || "nothing was thrown");
  };
  refused("a text that is too long", () => run(model, "a ".repeat(model.config.positions)), /positions for 96/);
  refused("a text that is far too long", () => run(model, "a".repeat(1e6)), /more than 20000 characters/);
  refused("a long word", () => run(model, "a".repeat(20000)), /positions for 96/);
  refused("an id outside", () => runIds(model, [5000]), /outside the vocabulary/);
  refused("another family", () => readModel({ config: { model_type: "llama" }, tensors: {} }), /llama is not computed/);
  refused(
    "no tensors",
    () => readModel({ config: readJson(join(WORDS, "config.json")), tensors: {} }),
    /wte\.weight: the tensor is missing/,
  );
}

// ---- the model as a page holds it, and what it reads off a text ----

const packedNumbers = (type, bytes) => ({ a: { shape: [bytes.length], type, data: Buffer.from(bytes).toString("base64") } });

function testUnpacking() {
  const floats = Float32Array.of(0, -1.5, 1e-40, 3.4e38, Infinity),
    plain = unpackedTensors(packedNumbers("F32", new Uint8Array(floats.buffer))).a.data;
  checks.check("float32 numbers", plain.join() === floats.join(), `are ${plain}`);
  // 1, -2, the largest, the least above zero, the least normal one, minus zero, infinity, not a number: IEEE 754, binary16.
  const bits = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x8000, 0x7c00, 0x7e00),
    halves = unpackedTensors(packedNumbers("F16", new Uint8Array(bits.buffer))).a.data;
  const expected = [1, -2, 65504, 2 ** -24, 2 ** -14, -0, Infinity, NaN];
  checks.check(
    "half precision",
    expected.every((number, i) => Object.is(number, halves[i])),
    `is ${halves}`,
  );
}

function testTyping(model) {
  const withoutTokenizer = { ...model, tokenizer: null },
    failed = (work, words) => {
      try {
        work();
      } catch (error) {
        return words.test(error.message);
      }
      return false;
    };
  checks.check("ids are typed", runTyped(withoutTokenizer, " 900, 701 660\n").ids.join() === "900,701,660");
  for (const wrong of ["1, x", "-1", "1.5"])
    checks.check(
      `${wrong} is no list of ids`,
      failed(() => runTyped(withoutTokenizer, wrong), /give ids of tokens/),
    );
  checks.check(
    "no ids",
    failed(() => runTyped(withoutTokenizer, " , "), /has no tokens/),
  );
  checks.check("a token behind a text", withToken(model, "Ann gave", " the") === "Ann gave the");
  checks.check(
    "an id behind ids",
    withToken(withoutTokenizer, "900", "701") === "900, 701" && withToken(withoutTokenizer, "", "701") === "701",
  );
  const typed = runTyped(model, "Ann gave"),
    next = typed.next[0][0];
  checks.check(
    "a next word becomes a token",
    runTyped(model, withToken(model, "Ann gave", next)).tokens.join() === [...typed.tokens, next].join(),
  );
}

function testReading(model) {
  const result = run(model, "When Ann and Tom went out , Tom gave the key to"),
    last = result.tokens.length - 1,
    ann = result.tokens.indexOf(" Ann");
  const mean = headWeights(result, 2, null),
    sum = (list) => list.reduce((total, number) => total + number, 0);
  checks.check("a head", headWeights(result, 1, 4) === result.weights[1][4]);
  checks.check("the mean of a row adds up to 1", Math.abs(sum(mean[last]) - 1) < 1e-6);
  checks.check("the mean of a cell", Math.abs(mean[last][ann] - sum(result.weights[2].map((head) => head[last][ann])) / 6) < 1e-12);
  checks.check("the mean is kept", headWeights(result, 2, null) === mean);
  const strongest = strongestHead(result, 2),
    most = Math.max(...result.weights[2].map((head) => head[last][ann]));
  checks.check("the expected word is Ann", result.next[0][0] === " Ann");
  checks.check("the head that looks at it", result.weights[2][strongest][last][ann] === most);
  checks.check("a text of one token", strongestHead(run(model, ""), 0) === 0);
  checks.check("all places of few", placesOfLargest([0.1, 0.3, 0.2], 3).join() === "0,1,2");
  checks.check("the places of the largest", placesOfLargest([0.1, 0.3, 0.3, 0.2, 0.3], 3).join() === "1,2,4");
}

// Those that app/page/page_tokenizer.cpp refuses.
function testRefusedTokenizers() {
  for (const [name, words] of [
    ["sentence", /normalizer: "Sequence" is not computed/],
    ["word", /normalizer: "BertNormalizer" is not computed/],
  ]) {
    let said = "";
    try {
      readTokenizer(readJson(join(golden, `models/tokenizers/${name}.json`)));
    } catch (error) {
      said = error.message;
    }
    checks.check(`${name}: is refused`, words.test(said), said || "nothing was thrown");
  }
}

const WORDS = join(ROOT, "assets/examples/words");

checks.run("library/gpt2", () => testGoldenModel(join(golden, "library/gpt2"), (i) => `weights.${i}`));
checks.run("library/gpt2_inverse_layer", () => testGoldenModel(join(golden, "library/gpt2_inverse_layer"), (i) => `weights.${i}`));
checks.run("models/gpt2", () => testGoldenModel(join(golden, "models/gpt2"), (i) => `layers.${i}.weights`));
for (const name of ["byte", "byte3"]) checks.run(name, () => testTokenizer(name));
checks.run("pairs", testPairs);
const bundled = modelOf(WORDS);
checks.run("refusals", () => testRefusals(bundled));
checks.run("refused tokenizers", testRefusedTokenizers);
checks.run("unpacking", testUnpacking);
checks.run("typing", () => testTyping(bundled));
checks.run("reading", () => testReading(bundled));
if (PROGRAM) {
  checks.run("labels", () => testLabels(bundled));
  inTemporaryFolder((folder) => {
    const texts = [...TEXTS, ...randomTexts(100)].slice(0, Number(argument("--texts", 8)));
    for (const text of texts) checks.run(JSON.stringify(text), () => testText(bundled, WORDS, text, folder));
    checks.run("options", () => testOptions(folder));
    checks.run("new models", () => testNewModels(folder));
  });
}
checks.finish("page: model");
