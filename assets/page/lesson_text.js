// The text of a lesson in a state of the layer: conditions decided, numbers filled in. The texts come as the program parsed them
// (engine/session/parsed_text.h); this is a slow twin of app/lesson_text, and the two are compared (tests/page/lesson_test.mjs).
// A state is {layer, stages, gradients}: a layer, its stages, and the gradients of the session's goal where there is one, by the names of
// gradients.js. States are
// {now, first, opened, guess, language, countFrom}: first is the lesson's own numbers with the settings of the step, opened its own numbers
// and settings, guess the reader's guess as a list of rows.
import { numberText, visibleLabel } from "./colors.js";
import { dropoutNoise } from "./layer.js";
import { hasMoved, listsSame, meansSame } from "./lesson_places.js";
import { changedOnly, sameInputs, settingWord } from "./lesson_state.js";
import { listOfSize } from "./session.js";
import { exponentials } from "./softmax.js";
import { headOf, numberAt, PROJECTED, shapeOf, STAGES, weightAt } from "./trace.js";

const MISSING = "–",
  MOST_LISTED = 8,
  MOST_ROWS = 64; // a column or a stage with more is not referenced
const isCell = (reference) => reference.column !== undefined && !reference.every_row;
const ofToken = ({ kind }) => kind === "largest_token" || kind === "smallest_token";
const gradientName = ({ weight, stage }) => (weight ? `W_${weight}` : stage);
const ofGoal = (reference) => reference.gradient || reference.setting === "loss";

// ---- whether what is referenced exists ----

// How many products are summed to a cell of the stage.
function termCount({ layer, stages }, stage) {
  const keyed = layer.keyEmbeddings ?? layer.embeddings;
  if (stage in PROJECTED) return layer.projection !== "linear" ? 0 : (stage === "queries" ? layer.embeddings : keyed).columns;
  if (stage === "context") return layer.keyCount;
  if (stage === "output") return layer.outputProjection ? shapeOf(stages, "concat").columns : 0;
  return STAGES[stage].pair ? layer.dK : 0;
}

function hasWhatIsAsked(reference, state) {
  const { kind, stage } = reference,
    { pair } = STAGES[stage];
  if (["exponential", "row_max", "row_sum", "noise"].includes(kind)) return Boolean(pair);
  if (kind === "drawn_mean") return stage === "dropped";
  if (ofToken(reference)) return Boolean(reference.every_row || pair);
  if (kind === "entropy") return stage === "weights";
  if (kind === "terms") return termCount(state, stage) > 0;
  return kind !== "term" || (reference.term ?? 0) < termCount(state, stage);
}

function liesWithin(reference, rows, columns) {
  if (reference.every_row && rows > MOST_ROWS) return false;
  return (reference.every_row ? rows > 0 : (reference.row ?? 0) < rows) && (reference.column ?? 0) < columns;
}

function exists(reference, state) {
  if (reference.guess) return false;
  if (reference.setting) return true;
  const { layer, stages, gradients } = state;
  if (reference.kind === "token") return (reference.row ?? 0) < layer.queryCount;
  const gradient = !reference.gradient || gradients?.[gradientName(reference)];
  if (reference.weight) {
    const shape = layer.weights[reference.weight]?.shape;
    return Boolean(gradient && shape && !ofToken(reference) && reference.kind !== "entropy" && liesWithin(reference, ...shape));
  }
  if (!gradient || !stages.has(reference.stage)) return false;
  const { sequences, heads, rows, columns, perHead } = shapeOf(stages, reference.stage);
  const there = (reference.sequence ?? 0) < sequences && (!perHead || (reference.head ?? 0) < heads);
  return there && liesWithin(reference, rows, columns) && hasWhatIsAsked(reference, state);
}

// ---- numbers ----

function settingNumber(setting, { layer, gradients }) {
  const { probability, seed } = layer.dropout;
  switch (setting) {
    case "loss":
      return gradients?.loss ?? NaN;
    case "weight_seed":
      return layer.recipe && !layer.isEdited ? Number(layer.recipe.seed) : NaN;
    case "dropout_seed":
      return seed === null ? NaN : Number(seed);
    case "dropout_factor":
      return probability < 1 ? 1 / (1 - probability) : 0;
    case "d_in":
      return layer.embeddings?.columns ?? 0;
  }
  const { scale, dOut, dK, heads, keyHeads, queryCount, keyCount, sequences } = layer;
  return {
    scale,
    dropout: probability,
    d_out: dOut,
    d_k: dK,
    heads,
    kv_heads: keyHeads,
    tokens: queryCount,
    key_tokens: keyCount,
    sequences,
  }[setting];
}

const cellOf = ({ stage, sequence = 0, head = 0, row = 0, column = 0 }) => ({ stage, sequence, head, row, column });

// The two factors of each product that a cell is the sum of.
function termsOf(reference, { layer, stages }) {
  const cell = cellOf(reference),
    { stage, row, column } = cell,
    at = (of, change) => numberAt(stages, { ...cell, stage: of, ...change });
  if (stage in PROJECTED) {
    const name = PROJECTED[stage],
      input = (name !== "query" && layer.keyEmbeddings) || layer.embeddings,
      out = cell.head * shapeOf(stages, stage).columns + column;
    const from = (cell.sequence * input.rows + row) * input.columns;
    return listOfSize(input.columns, (i) => [input.data[from + i], weightAt(layer, name, i, out)]);
  }
  if (stage === "output")
    return listOfSize(shapeOf(stages, "concat").columns, (i) => [at("concat", { column: i }), weightAt(layer, "output", i, column)]);
  if (stage === "context") {
    const head = headOf(stages, "values", cell.head, layer.heads);
    return listOfSize(layer.keyCount, (key) => [at("dropped", { column: key }), at("values", { head, row: key })]);
  }
  const turned = stages.has("rotated_queries") ? "rotated_" : "",
    head = headOf(stages, "keys", cell.head, layer.heads);
  return listOfSize(layer.dK, (i) => [at(`${turned}queries`, { column: i }), at(`${turned}keys`, { head, row: column, column: i })]);
}

// What a normalization makes of a row of scores, in float32: the maximum that it subtracts, the exponential of a cell, their sum.
function chainNumber(reference, { layer, stages }) {
  const { sequence, head, row, column } = cellOf(reference);
  if (reference.kind === "noise") {
    const noise = dropoutNoise(layer);
    return noise ? noise[((sequence * layer.heads + head) * layer.queryCount + row) * layer.keyCount + column] : 1;
  }
  if (!stages.has("masked")) return 0;
  const masked = Float32Array.from(
    listOfSize(layer.keyCount, (column) => numberAt(stages, { stage: "masked", sequence, head, row, column })),
  );
  const sink = layer.sinks.length > 0 ? Math.fround(layer.sinks[head]) : undefined;
  let most = 0,
    powers = masked,
    sum = 0;
  if (layer.normalization === "sum") {
    powers = masked.map((score) => (score === -Infinity ? 0 : score));
    sum = powers.reduce((total, score) => Math.fround(total + score), 0);
  } else {
    if (layer.normalization === "softmax") most = masked.reduce((high, score) => Math.max(high, score), -Infinity);
    if (sink !== undefined) most = Math.max(most, sink);
    if (most !== -Infinity) ({ powers, sum } = exponentials(masked, most));
    else powers = masked.map(() => 0);
    if (sink !== undefined) sum = Math.fround(sum + Math.fround(Math.exp(sink - most)));
  }
  return { row_max: most, row_sum: sum, exponential: powers[column] }[reference.kind];
}

function arrayOfReference(reference, state) {
  const { weight, stage, gradient } = reference;
  const array = gradient ? state.gradients[gradientName(reference)] : weight ? state.layer.weights[weight] : state.stages.get(stage);
  const [rows, columns] = array.shape.slice(-2);
  if (weight) return { data: array.data, rows, columns };
  const head = STAGES[stage].perHead ? (reference.head ?? 0) : 0,
    heads = STAGES[stage].perHead ? array.shape[1] : 1;
  const begin = ((reference.sequence ?? 0) * heads + head) * rows * columns;
  return { data: array.data.subarray(begin, begin + rows * columns), rows, columns };
}

function referencedRows(reference, state) {
  const { data, rows, columns } = arrayOfReference(reference, state),
    lines = reference.every_row ? listOfSize(rows, Number) : [reference.row ?? 0];
  return lines.map((row) => Array.from(data.subarray(row * columns, (row + 1) * columns)));
}

function listed(reference, rows) {
  if (reference.column !== undefined) return rows.map((row) => row[reference.column]);
  return reference.transposed ? rows[0].flatMap((_, column) => rows.map((row) => row[column])) : rows.flat();
}

// In bits; NaN if a weight is below zero.
function entropyOf(weights) {
  if (weights.some((weight) => weight < 0)) return NaN;
  return weights.reduce((bits, weight) => (weight > 0 ? bits - weight * Math.log2(weight) : bits), 0);
}

const COUNTED = { "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a === b, "!=": (a, b) => a !== b };

function reduced({ kind, counted, threshold = 0 }, values) {
  if (kind === undefined) return values;
  if (kind === "count") return [values.filter((value) => COUNTED[counted](value, threshold)).length];
  if (values.some(Number.isNaN)) return [NaN];
  const largest = Math.max(...values),
    smallest = Math.min(...values),
    sum = values.reduce((total, value) => total + value, 0);
  return [
    {
      sum,
      mean: sum / values.length,
      largest,
      smallest,
      spread: largest - smallest,
      entropy: kind === "entropy" ? entropyOf(values) : NaN,
    }[kind],
  ];
}

// The referenced numbers as a list; null if they do not exist.
function numbersIn(reference, state) {
  if (!exists(reference, state)) return null;
  if (reference.setting) {
    const number = settingNumber(reference.setting, state);
    return Number.isNaN(number) ? null : [number];
  }
  const { kind } = reference;
  if (kind === "drawn_mean") {
    const mean = state.drawnMean?.(cellOf(reference));
    return mean === undefined ? null : [mean];
  }
  if (kind === "term") return [termsOf(reference, state).map(([a, b]) => Math.fround(a * b))[reference.term ?? 0]];
  if (["exponential", "row_max", "row_sum", "noise"].includes(kind)) return [chainNumber(reference, state)];
  return reduced(reference, listed(reference, referencedRows(reference, state)));
}

// The numbers of the state `then` for the tokens and dimensions that the reference names now.
export function referencedNumbers(reference, now, then = now) {
  const isList = !reference.setting && reference.kind === undefined && !isCell(reference);
  return meansSame(reference, now, then) && (!isList || listsSame(reference, now, then)) ? numbersIn(reference, then) : null;
}

// guess[1]: of a single row its second number.
function guessedNumbers(reference, guess) {
  const single = guess.length === 1 && reference.column === undefined && !reference.every_row;
  const rows = single || reference.every_row ? guess : guess.slice(reference.row ?? 0, (reference.row ?? 0) + 1),
    column = single ? (reference.row ?? 0) : reference.column;
  if (rows.length === 0 || (column ?? 0) >= guess[0].length) return null;
  return reduced(reference, column === undefined ? rows.flat() : rows.map((row) => row[column]));
}

const ARITHMETIC = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  negate: (a) => -a,
  abs: Math.abs,
  bits: Math.log2,
};

// Two lists meet where they have as many numbers, or one of them has only one; null otherwise.
function met(left, right) {
  if (left.length !== right.length && left.length !== 1 && right.length !== 1) return null;
  const at = (list, i) => (list.length === 1 ? list[0] : list[i]);
  return listOfSize(Math.max(left.length, right.length), (i) => [at(left, i), at(right, i)]);
}

function numbersOf(amount, states) {
  if (typeof amount === "number") return [amount];
  const { ref } = amount;
  if (ref?.guess) return states.guess ? guessedNumbers(ref, states.guess) : null;
  if (ref) {
    const then = states[ref.moment ?? "now"];
    return then ? referencedNumbers(ref, states.now, then) : null;
  }
  const [left, right] = [amount.parts[0], amount.parts.at(-1)].map((part) => numbersOf(part, states));
  return left && right && (met(left, right)?.map((pair) => ARITHMETIC[amount.op](...pair)) ?? null);
}

// ---- conditions: true, false, or null where there is nothing to decide by ----

// The same number by the digits that a text shows.
export function alike(a, b) {
  const apart = Math.abs(a - b);
  return a === b || apart <= 5e-5 || (Number.isFinite(apart) && apart <= 1e-5 * Math.max(Math.abs(a), Math.abs(b)));
}

const COMPARISONS = {
  ...COUNTED,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "!=": COUNTED["="], // of lists: not all equal
  "~": alike,
  "!~": alike,
};

function compared(sign, left, right) {
  const pairs = left && right && met(left, right);
  if (!pairs || pairs.length === 0 || pairs.flat().some(Number.isNaN)) return null;
  return pairs.every(([a, b]) => COMPARISONS[sign](a, b)) !== sign.startsWith("!");
}

// Whether a number is the only largest, or smallest, of a list.
function isSole(sign, one, list) {
  if (!one || !list || one.length !== 1 || [...one, ...list].some(Number.isNaN)) return null;
  const [value] = one,
    beyond = (other) => (sign === "largest of" ? other > value : other < value);
  return list.filter((other) => other === value).length === 1 && !list.some(beyond);
}

const referencesIn = (amount) => (amount.ref ? [amount.ref] : (amount.parts ?? []).flatMap(referencesIn));

function withMoment(amount, moment) {
  if (typeof amount === "number") return amount;
  return amount.ref ? { ref: { ...amount.ref, moment } } : { ...amount, parts: amount.parts.map((part) => withMoment(part, moment)) };
}

// A number that exists only now or only at first has changed, and so has one in another place.
function hasChanged(amount, states) {
  const { now, first } = states;
  if (!first) return null;
  const numbers = numbersOf(amount, states);
  if (!numbers) return numbersOf(amount, { ...states, now: first }) ? true : null;
  if (referencesIn(amount).some((ref) => !ref.guess && hasMoved(ref, exists(ref, now), now, first))) return true;
  const before = numbersOf(withMoment(amount, "first"), states);
  return !before || numbers.some((number, at) => number !== before[at] && !(Number.isNaN(number) && Number.isNaN(before[at])));
}

// And, or: one part that decides is enough.
function joined(deciding, verdicts) {
  return verdicts.includes(deciding) ? deciding : verdicts.includes(null) ? null : !deciding;
}

export function verdict(condition, states) {
  const { is, left, right, parts } = condition,
    { now, first } = states;
  const numbers = (amount) => numbersOf(amount, states);
  switch (is) {
    case "and":
    case "or":
      return joined(
        is === "or",
        parts.map((part) => verdict(part, states)),
      );
    case "not": {
      const inner = verdict(parts[0], states);
      return inner === null ? null : !inner;
    }
    case "setting":
      return settingWord(condition.setting, now.layer) === condition.word;
    case "changed":
      return hasChanged(left, states);
    case "changed lesson":
      return first ? !sameInputs(first.layer, now.layer) : null;
    case "changed only":
      return first ? changedOnly(condition, first.layer, now.layer) : null;
    case "moved":
      return first ? hasMoved(left.ref, exists(left.ref, now), now, first) : null;
    case "nan":
      return numbers(left)?.some(Number.isNaN) ?? null;
    case "known":
      return numbers(left) !== null;
    case "largest of":
    case "smallest of":
      return isSole(is, numbers(left), numbers(right));
    default:
      return compared(is, numbers(left), numbers(right));
  }
}

// ---- words ----

// Without the zeros at its end if it is exactly that number, as a person would type it.
function trimmedNumber(value, decimals) {
  const text = numberText(value, decimals),
    digits = numberText(Math.abs(value), decimals);
  const isExact = /^\d+\.\d*$/.test(digits) && Math.fround(Number(digits)) === Math.fround(Math.abs(value));
  return isExact ? text.replace(/\.?0*$/, "") : text;
}

// Of many items the first six and the last.
function joinedItems(items, between) {
  return (items.length > MOST_LISTED ? [...items.slice(0, MOST_LISTED - 2), "…", items.at(-1)] : items).join(between);
}

function referredText(reference, value) {
  const { decimals = 4 } = reference;
  const typed =
    !ofGoal(reference) && (reference.setting || reference.kind === "noise" || reference.weight || reference.stage === "embeddings");
  return typed && decimals === 4 ? trimmedNumber(value, decimals) : numberText(value, decimals);
}

function termsText(terms) {
  const factor = (value) => (value < 0 ? `(${trimmedNumber(value, 4)})` : trimmedNumber(value, 4));
  return joinedItems(
    terms.map(([left, right]) => `${trimmedNumber(left, 4)} × ${factor(right)}`),
    " + ",
  );
}

// The tokens that share the largest or smallest number; none where a number is NaN.
function extremeTokens(reference, state) {
  const values = exists(reference, state) ? listed(reference, referencedRows(reference, state)) : [];
  if (values.some(Number.isNaN)) return [];
  const { layer } = state,
    sought = reference.kind === "largest_token" ? Math.max(...values) : Math.min(...values);
  const keyed = !reference.every_row || STAGES[reference.stage].keyed;
  const labels = keyed && layer.keyTokens.length > 0 ? layer.keyTokens : layer.tokens;
  return labels.filter((_, at) => values[at] === sought).map(visibleLabel);
}

const NUMBER_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

// With a decimal comma lists are parted by semicolons.
function localized(text, language) {
  return language?.decimal === "," ? text.replaceAll(", ", "; ").replace(/(\d)\.(?=\d)/g, "$1,") : text;
}

const labelled = (language, key, english) => language?.labels?.[key] ?? english;

function referenceText(reference, now, then) {
  if (!meansSame(reference, now, then) || !exists(reference, then)) return MISSING;
  if (reference.kind === "token") return visibleLabel(then.layer.tokens[reference.row ?? 0]);
  if (reference.kind === "terms") return termsText(termsOf(reference, then));
  const numbers = referencedNumbers(reference, now, then) ?? numbersIn(reference, then);
  if (!numbers || (reference.kind === "entropy" && Number.isNaN(numbers[0]))) return MISSING;
  if (reference.kind === "count") return String(numbers[0]);
  return joinedItems(
    numbers.map((number) => referredText(reference, number)),
    ", ",
  );
}

// “a”, “b” and equally “c”, within the quotation marks that the text has around the name.
function tokensText(names, isQuoted, language) {
  if (names.length < 2) return names[0] ?? MISSING;
  const equally = labelled(language, "equally", "and equally"),
    last = names.pop();
  return isQuoted ? `${names.join("”, “")}” ${equally} “${last}` : `${names.join(", ")} ${equally} ${last}`;
}

function wordOf(number) {
  return NUMBER_WORDS[number] ?? trimmedNumber(number, 4);
}

// Runs of {text}: `live` where it depends on the numbers; `cell` or `input` that it names; `slider`; `control`.
class Evaluation {
  constructor(states) {
    this.states = states;
    this.language = states.language;
    this.runs = [];
  }

  say(text, more) {
    this.runs.push({ text, ...more });
  }

  number(text) {
    return localized(text, this.language);
  }

  tell(pieces) {
    for (const piece of pieces) {
      if (typeof piece === "string") this.say(piece);
      else if (piece.if) this.tellBranch(piece.if);
      else if ("calc" in piece) this.tellAmount(piece);
      else if (piece.ref) this.tellReference(piece);
      else if (piece.control) this.say(piece.words, { control: piece.control });
      else this.say("index" in piece ? String(piece.index + (this.states.countFrom ?? 0)) : this.number(piece.typed));
    }
    return this.runs;
  }

  tellBranch(branches) {
    for (const [condition, pieces] of branches) {
      const holds = condition === null || verdict(condition, this.states);
      if (holds === false) continue;
      if (holds) this.tell(pieces);
      else this.say(MISSING, { live: true });
      return;
    }
  }

  tellAmount({ calc, decimals }) {
    const numbers = numbersOf(calc, this.states),
      known = numbers?.length === 1 && !Number.isNaN(numbers[0]);
    this.say(known ? this.number(numberText(numbers[0], decimals ?? 4)) : MISSING, { live: true });
  }

  // The text of a reference in one state.
  textIn(reference, then, isQuoted) {
    const { now } = this.states;
    if (!ofToken(reference)) return referenceText(reference, now, then);
    return meansSame(reference, now, then) ? tokensText(extremeTokens(reference, then), isQuoted, this.language) : MISSING;
  }

  tellReference({ ref, form, slider }) {
    const { now, first } = this.states,
      then = this.states[ref.moment ?? "now"];
    if (!then) return this.say(MISSING, { live: true });
    const isToken = ref.kind === "token" || ofToken(ref),
      isQuoted = this.runs.at(-1)?.text.endsWith("“"),
      shown = (text) => (isToken ? text : this.number(text));
    let text = this.textIn(ref, then, isQuoted);
    if (form === "words" && !Object.keys(this.language?.labels ?? {}).length) {
      const numbers = referencedNumbers(ref, now, then);
      if (numbers) text = wordOf(numbers[0]);
    }
    const here = then === now && exists(ref, now);
    this.say(shown(text), {
      live: !isToken,
      slider: slider && { ...slider, setting: ref.setting },
      cell: here && ref.stage && isCell(ref) && !ref.gradient ? cellOf(ref) : undefined,
      input: here && ref.weight && isCell(ref) ? { input: ref.weight, row: ref.row ?? 0, column: ref.column } : undefined,
    });
    if (form !== "first" || !first) return;
    const before = this.textIn({ ...ref, kind: ref.kind }, first, false);
    if (before === text || before === MISSING) return;
    this.say(` (${labelled(this.language, "at_first", "at first")} `);
    this.say(shown(before), { live: true });
    this.say(")");
  }
}

export function evaluatedRuns(pieces, states) {
  return new Evaluation(states).tell(pieces);
}

export function textOfRuns(runs) {
  return runs.map(({ text }) => text).join("");
}
