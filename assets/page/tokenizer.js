// The tokenizer of a gpt2-family model: a tokenizer.json with byte-level BPE (Radford et al. 2019; the pairs of Sennrich et al. 2016) or
// whole words, as the Rust library `tokenizers` computes it. A slow twin of engine/tokenizers. What is not computed here is refused by
// its name.

function refuseTokenizer(place, value) {
  throw new Error(`tokenizer.json: ${place}: ${JSON.stringify(value ?? null)} is not computed in a page`);
}

// ---- bytes and their letters ----

const LETTER_OF_BYTE = [],
  BYTE_OF_LETTER = new Map();

// GPT-2's letters for bytes: a printable byte is its own letter, the others are U+0100 and on, in their order. The space is "Ġ".
for (let byte = 0, next = 256; byte < 256; byte++) {
  const own = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  LETTER_OF_BYTE[byte] = String.fromCodePoint(own ? byte : next++);
  BYTE_OF_LETTER.set(LETTER_OF_BYTE[byte], byte);
}

function inByteLetters(text) {
  return Array.from(new TextEncoder().encode(text), (byte) => LETTER_OF_BYTE[byte]).join("");
}

// Bytes as text, with each that is not UTF-8 as \xE2.
function escapedBytes(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at],
      length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
      text += new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes.slice(at, at + length)));
      at += length;
    } catch {
      text += `\\x${bytes[at++].toString(16).toUpperCase().padStart(2, "0")}`;
    }
  }
  return text;
}

// ---- words: how a text is cut ----

// Oniguruma's expressions as those of JavaScript: \s is Unicode's white space in both, which JavaScript's own is not; (?i:...) becomes
// classes of both cases.
function expressionOf(source, place) {
  const bothCases = (group) => group.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  const plain = source.replace(/\(\?i:([^()[\]\\]*)\)/g, (_, group) => `(?:${bothCases(group)})`);
  const unicode = plain.replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}");
  try {
    return new RegExp(unicode, "gu");
  } catch {
    return refuseTokenizer(place, source);
  }
}

const GPT2_WORDS = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const WORD_LETTERS = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d]";

// A text as stretches that match an expression and those between them.
function stretchesOf(text, expression) {
  const stretches = [];
  let done = 0;
  for (const match of text.matchAll(expression)) {
    if (match[0] === "") continue;
    if (done < match.index) stretches.push({ text: text.slice(done, match.index), match: false });
    stretches.push({ text: match[0], match: true });
    done = match.index + match[0].length;
  }
  if (done < text.length) stretches.push({ text: text.slice(done), match: false });
  return stretches;
}

// What becomes of the matches, by the library's names.
function splitBy(stretches, behavior, place) {
  const joined = (keeps) =>
    stretches.reduce((parts, stretch, i) => {
      if (i > 0 && keeps(stretches[i - 1], stretch)) parts[parts.length - 1] += stretch.text;
      else parts.push(stretch.text);
      return parts;
    }, []);
  switch (behavior) {
    case "Isolated":
      return joined(() => false);
    case "Removed":
      return stretches.filter((stretch) => !stretch.match).map((stretch) => stretch.text);
    case "MergedWithPrevious":
      return joined((before, stretch) => stretch.match && !before.match);
    case "MergedWithNext":
      return joined((before, stretch) => before.match && !stretch.match);
    case "Contiguous":
      return joined((before, stretch) => before.match === stretch.match);
  }
  return refuseTokenizer(place, behavior);
}

// The steps that cut a text into words: each makes texts of one text.
function cuttingSteps(value, place) {
  const cut = (expression, behavior) => (text) => splitBy(stretchesOf(text, expression), behavior, place);
  switch (value?.type) {
    case undefined:
      return [];
    case "Sequence":
      return value.pretokenizers.flatMap((part, i) => cuttingSteps(part, `${place}.pretokenizers[${i}]`));
    case "ByteLevel": {
      const steps = (value.add_prefix_space ?? true) ? [(text) => [text.startsWith(" ") ? text : ` ${text}`]] : [];
      if (value.use_regex ?? true) steps.push(cut(expressionOf(GPT2_WORDS, place), "Isolated"));
      return [...steps, (text) => [inByteLetters(text)]];
    }
    case "Split": {
      const literal = value.pattern?.String?.replace(/[\\^$.*+?()[\]{}|/-]/g, (letter) => `\\${letter}`);
      const expression = expressionOf(value.pattern?.Regex ?? literal, `${place}.pattern`);
      const inverted = (stretches) => (value.invert ? stretches.map(({ text, match }) => ({ text, match: !match })) : stretches);
      return [(text) => splitBy(inverted(stretchesOf(text, expression)), value.behavior, `${place}.behavior`)];
    }
    case "Digits":
      return [cut(value.individual_digits ? /\p{N}/gu : /\p{N}+/gu, "Isolated")];
    case "Whitespace": {
      const words = expressionOf(`${WORD_LETTERS}+|(?:(?!${WORD_LETTERS})\\S)+`, place);
      return [(text) => text.match(words) ?? []];
    }
    case "WhitespaceSplit":
      return [(text) => text.match(/\P{White_Space}+/gu) ?? []];
  }
  return refuseTokenizer(`${place}.type`, value.type);
}

// ---- added tokens ----

// Tokens that are found by their text before anything else is done: the leftmost first, of several there the longest. Gives texts and ids.
function cutAtTokens(text, tokens) {
  const parts = [],
    aside = (at) => at !== undefined && new RegExp(WORD_LETTERS, "u").test(at);
  let done = 0;
  for (let at = 0; at < text.length;) {
    const token = tokens.find(({ content }) => text.startsWith(content, at));
    if (!token) {
      at++;
      continue;
    }
    let begin = at,
      end = at + token.content.length;
    at = end;
    if (token.single_word && (aside([...text.slice(0, begin)].pop()) || aside([...text.slice(end)][0]))) continue;
    if (token.lstrip) begin = done + text.slice(done, begin).replace(/\p{White_Space}+$/u, "").length;
    if (token.rstrip) end += /^\p{White_Space}*/u.exec(text.slice(end))[0].length;
    if (done < begin) parts.push(text.slice(done, begin));
    parts.push(token.id);
    done = end;
  }
  if (done < text.length) parts.push(text.slice(done));
  return parts;
}

function readAddedTokens(list) {
  const tokens = (list ?? []).map((token) => ({ ...token, normalized: token.normalized ?? !token.special }));
  return tokens.sort((a, b) => b.content.length - a.content.length);
}

// ---- words to ids ----

// Byte-pair encoding: of all neighbours whose pair was learnt the earliest learnt is joined first, the leftmost of equal ones, until none
// is left. A pass joins a pair wherever it stands, and ends early where that makes a pair that was learnt before it.
function joinPairs(symbols, merges) {
  const rankOf = (left, right) => merges.get(pairKey(left, right))?.rank ?? Infinity;
  for (;;) {
    const best = symbols.reduce((least, symbol, at) => Math.min(least, rankOf(symbol, symbols[at + 1])), Infinity);
    if (best === Infinity) return symbols;
    const passed = [];
    let at = 0;
    for (let earlier = false; at < symbols.length && !earlier;) {
      if (rankOf(symbols[at], symbols[at + 1]) !== best) {
        passed.push(symbols[at++]);
        continue;
      }
      const joined = merges.get(pairKey(symbols[at], symbols[at + 1])).joined;
      at += 2;
      earlier = Math.min(rankOf(passed[passed.length - 1], joined), rankOf(joined, symbols[at])) < best;
      passed.push(joined);
    }
    symbols = passed.concat(symbols.slice(at));
  }
}

function pairKey(left, right) {
  return left * 2 ** 24 + right;
}

function readMerges(list, vocabulary) {
  const merges = new Map();
  list.forEach((merge, rank) => {
    if (typeof merge === "string" && merge.startsWith("#version")) return;
    const [left, right] = typeof merge === "string" ? merge.split(" ") : merge;
    const ids = [left, right, left + right].map((word) => vocabulary.get(word));
    if (ids.includes(undefined)) refuseTokenizer(`model.merges[${rank}]`, merge);
    merges.set(pairKey(ids[0], ids[1]), { rank, joined: ids[2] });
  });
  return merges;
}

function byteBpe(model, vocabulary) {
  for (const key of ["dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "unk_token"])
    if (model[key]) refuseTokenizer(`model.${key}`, model[key]);
  const merges = readMerges(model.merges, vocabulary);
  return (word) => {
    if (model.ignore_merges && vocabulary.has(word)) return [vocabulary.get(word)];
    return joinPairs(
      Array.from(word, (letter) => vocabulary.get(letter)).filter((id) => id !== undefined),
      merges,
    );
  };
}

function wholeWords(model, vocabulary) {
  const unknown = vocabulary.get(model.unk_token);
  return (word) => [vocabulary.get(word) ?? unknown].filter((id) => id !== undefined);
}

function wordEncoder(model, vocabulary) {
  const type = model.type ?? (model.merges ? "BPE" : "");
  if (type === "BPE") return byteBpe(model, vocabulary);
  if (type === "WordLevel") return wholeWords(model, vocabulary);
  return refuseTokenizer("model.type", type);
}

// The ids around a text: [before, after].
function idsAround(value) {
  switch (value?.type) {
    case undefined:
    case "ByteLevel":
      return [[], []];
    case "Sequence":
      return value.processors.map(idsAround).reduce(
        ([before, after], [first, last]) => [
          [...first, ...before],
          [...after, ...last],
        ],
        [[], []],
      );
    case "TemplateProcessing": {
      const text = value.single.findIndex((piece) => "Sequence" in piece);
      const ids = (pieces) => pieces.flatMap((piece) => value.special_tokens[piece.SpecialToken.id].ids);
      return [ids(value.single.slice(0, text)), ids(value.single.slice(text + 1))];
    }
    case "RobertaProcessing":
    case "BertProcessing":
      return [[value.cls[1]], [value.sep[1]]];
  }
  return refuseTokenizer("post_processor.type", value.type);
}

// ---- the tokenizer ----

export function readTokenizer(json) {
  if (json.normalizer) refuseTokenizer("normalizer", json.normalizer.type);
  if (json.decoder && json.decoder.type !== "ByteLevel") refuseTokenizer("decoder.type", json.decoder.type);
  const vocabulary = new Map(Object.entries(json.model.vocab)),
    added = readAddedTokens(json.added_tokens);
  return {
    words: new Map([...vocabulary].map(([word, id]) => [id, word])),
    added,
    steps: cuttingSteps(json.pre_tokenizer, "pre_tokenizer"),
    encodeWord: wordEncoder(json.model, vocabulary),
    around: idsAround(json.post_processor),
    inLetters: Boolean(json.decoder),
  };
}

// The ids of a text, with those that the template puts around it. Half a pair of UTF-16 becomes U+FFFD, as where a text is saved.
export function encodeText(tokenizer, text) {
  const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
  const [before, after] = tokenizer.around,
    ids = [...before];
  const cut = (parts, tokens) => parts.flatMap((part) => (typeof part === "string" ? cutAtTokens(part, tokens) : [part]));
  const typed = cut(
    [whole],
    tokenizer.added.filter((token) => !token.normalized),
  );
  for (const part of cut(
    typed,
    tokenizer.added.filter((token) => token.normalized),
  )) {
    if (typeof part === "string") {
      const words = tokenizer.steps.reduce((texts, step) => texts.flatMap(step), [part]);
      for (const word of words) ids.push(...tokenizer.encodeWord(word));
    } else {
      ids.push(part);
    }
  }
  return [...ids, ...after];
}

// A token for labels: " key". Bytes that are not UTF-8 as \xE2.
export function tokenText(tokenizer, id) {
  const token = tokenizer.added.find((token) => token.id === id),
    word = token?.content ?? tokenizer.words.get(id);
  if (word === undefined) return String(id);
  const letters = [...word];
  if (token?.special || !tokenizer.inLetters || letters.some((letter) => !BYTE_OF_LETTER.has(letter))) return word;
  return escapedBytes(letters.map((letter) => BYTE_OF_LETTER.get(letter)));
}
