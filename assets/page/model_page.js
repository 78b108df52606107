// The page of a whole model: a text that is typed goes through it, and is seen as a sentence, as the picture of a head and as next words.
import { numberText, spokenLabel, visibleLabel } from "./colors.js";
import { copyNumbersText, tableText } from "./copying.js";
import { keepDrawn, part, say, waitsForRelease, within } from "./frame.js";
import { readModel, runIds } from "./model.js";
import { placesOfLargest, runTyped, strongestHead, unpackedTensors, withToken } from "./model_data.js";
import { buildMap, headTitle, layerCount, quotedToken, renderMap, renderHeads, shareRange, weightsNow } from "./model_maps.js";
import { shareWords } from "./model_maps.js";
import { button, colorBar, element, labelOf, numberTable, replaceChildren, rowBars } from "./picture.js";
import { claimOf, Sentence } from "./sentence.js";
import { FLOW_WORDS } from "./views.js";

const NEXT_SHOWN = 8; // words
const BARS_SHOWN = 24; // of a longer row
const MOST_TABLED = 16384; // numbers

export const shown = {
  model: null,
  result: null, // of the text that is drawn
  text: "",
  took: 0, // ms
  layer: 0,
  head: null, // null: the mean over the layer's heads
  row: 0,
  column: 0,
  view: "map", // or "flow"
  ofColumn: false, // in a flow the lines of the selected column stand out
  pointed: null, // the cell under the pointer
  previewed: null, // the word under the pointer
  theme: "light",
  themeChoice: "auto",
  countFrom: 0,
};

// Tokens as labels of rows and columns.
export const labelsNow = () => shown.result.tokens.map(spokenLabel);

export function selectPair(change, reveals = false) {
  Object.assign(shown, change);
  const count = shown.result.tokens.length;
  Object.assign(shown, { row: within(shown.row, count), column: within(shown.column, count) });
  renderModel();
  if (reveals) part.sentence.reveal(shown.row);
}

// ---- the text ----

// Shows a result of the model; the last word asks.
function showResult(result, text) {
  const row = result.tokens.length - 1;
  Object.assign(shown, { result, text, row, pointed: null, previewed: null });
  const shares = weightsNow()[row];
  shown.column = Math.max(0, shares.indexOf(Math.max(...shares)));
}

function saidOfText() {
  const { took, result, model } = shown,
    time = took >= 300 ? `, computed in ${numberText(took / 1000, 1)} s` : "";
  say(`${result.tokens.length} of at most ${model.config.positions} tokens${time}`);
}

// What cannot be computed is told beside the field, and the picture of the text before stays.
function computeField() {
  clearTimeout(pause);
  if (waitsForRelease(computeField)) return;
  const text = part.field.value,
    begin = performance.now();
  try {
    showResult(runTyped(shown.model, text), text);
    shown.took = performance.now() - begin;
    part.field.removeAttribute("aria-invalid");
    renderModel();
    part.sentence.reveal(shown.row);
    saidOfText();
  } catch (error) {
    part.field.setAttribute("aria-invalid", "true");
    const told = error.message.replace(/^text: /, "");
    say(`${told[0].toUpperCase()}${told.slice(1)}. What is drawn is the text before.`, true);
  }
  part.main.classList.remove("stale");
}

let pause = 0;

// A letter is on screen before the model is computed; a slow model waits for a pause between letters.
function fieldTyped() {
  fitField();
  clearTimeout(pause);
  const slow = shown.took > 50;
  if (shown.took > 400) {
    say("computing …");
    part.main.classList.add("stale");
  }
  pause = setTimeout(computeField, slow ? Math.min(150 + shown.took, 600) : 20);
}

// As high as its lines, of which the style sheet limits the number.
function fitField() {
  part.field.style.height = "auto";
  part.field.style.height = `${part.field.scrollHeight + 2}px`;
}

function writeField(text) {
  part.field.value = text;
  fitField();
  computeField();
}

function fieldKey(event) {
  if (event.isComposing) return;
  if (event.key === "Enter" && !event.shiftKey) computeField();
  else if (event.key === "Escape") writeField(shown.text);
  else return;
  event.preventDefault();
}

// ---- the parts of the page ----

function renderWords() {
  const { result, row, previewed, layer, head } = shown,
    asks = previewed ?? row,
    shares = weightsNow()[asks],
    most = Math.max(...shares);
  part.sentence.setTokens(result.tokens);
  part.sentence.show(row, shares, previewed);
  part.claim.replaceChildren(...claimOf(`In ${headTitle(layer, head)}, `, result.tokens[asks], result.tokens[shares.indexOf(most)], most));
}

// A click writes the word behind the text. Not so parts of a letter, which are no text.
function renderNext() {
  const { result, model } = shown,
    likeliest = result.next.slice(0, NEXT_SHOWN),
    write = (token) => writeField(withToken(model, part.field.value, token));
  const names = likeliest.map(([token], at) =>
    token.includes("\\x")
      ? spokenLabel(token)
      : button({ class: "next-word", "data-key": `next.${at}`, title: "Write it behind the text" }, labelOf(spokenLabel(token))),
  );
  replaceChildren(
    part.next,
    rowBars(
      ["What follows “", quotedToken(result.tokens.length - 1), "”"],
      names,
      likeliest.map(([, share]) => share),
      (at) => shareWords(likeliest[at][1]),
      -1,
      (at) => !likeliest[at][0].includes("\\x") && write(likeliest[at][0]),
      1,
    ),
  );
}

function renderBars() {
  const { row, column, layer, head } = shown,
    shares = weightsNow()[row].slice(0, row + 1),
    places = placesOfLargest(shares, BARS_SHOWN),
    labels = labelsNow();
  const left = shares.length - places.length;
  part.bars.replaceChildren(
    rowBars(
      ["Where “", quotedToken(row), `” looks in ${headTitle(layer, head)}${left > 0 ? `, without the ${left} smallest shares` : ""}`],
      places.map((at) => labels[at]),
      places.map((at) => shares[at]),
      (at) => shareWords(shares[places[at]]),
      places.indexOf(column),
      (at) => selectPair({ column: places[at] }),
    ),
  );
}

function renderCaption() {
  const range = shareRange(),
    isFlow = shown.view === "flow",
    more = shown.theme === "light" ? "Darker" : "Lighter";
  part.caption.replaceChildren(
    element("b", `Attention weights, ${headTitle(shown.layer, shown.head)}. `),
    isFlow
      ? FLOW_WORDS
      : `Rows look from, columns at. ${more} is a larger share${range.logarithmic ? ", each power of ten alike" : ""}; every row adds up to ` +
          "100\u00a0%. Hatched: later words, hidden by the mask.",
  );
  part.colors.replaceChildren(isFlow ? "" : colorBar(range, shown.theme, "share of attention", true));
  if (part.behind.open) renderTable();
}

function renderTable() {
  const names = labelsNow(),
    weights = weightsNow(),
    few = names.length ** 2 <= MOST_TABLED;
  const title = `Attention weights, ${headTitle(shown.layer, shown.head)}`;
  part.tables.replaceChildren(
    few
      ? numberTable(title, names, names, (row, column) => (column > row ? "hidden" : numberText(weights[row][column], 4)))
      : element("p", `${names.length ** 2} numbers are too many for a table here; copied, they are a table for other programs.`),
  );
}

export function renderModel() {
  renderMap();
  renderWords();
  renderHeads();
  renderNext();
  renderBars();
  renderCaption();
}

// ---- the whole page ----

function copyMap() {
  const names = labelsNow(),
    weights = weightsNow();
  copyNumbersText(tableText(names, names, (row) => weights[row]));
}

function buildModelPage({ title, notes, text }) {
  const section = (name, label) => element("section", { class: name, "aria-label": label }),
    link = (words, click) => button({ class: "link", click }, words);
  Object.assign(part, {
    message: element("p.message", { role: "status", id: "message" }),
    claim: element("p.claim", { "aria-live": "polite" }),
    theme: element("div.theme"),
    heads: section("head-choice", "layers and heads"),
    picture: element("figure.picture-alone"),
    next: section("next", "the next word"),
    bars: section("bars", "the row as bars"),
    caption: element("p.caption"),
    colors: element("div"),
    tables: element("div.scrolled", { tabindex: "0" }),
    tip: element("div.tip", { hidden: true, "aria-hidden": "true" }),
    field: element("textarea.field", {
      rows: "1",
      "aria-label": shown.model.tokenizer ? "the text that the model reads" : "ids of the tokens that the model reads",
      "aria-describedby": "message",
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      enterkeyhint: "go",
      dir: "auto",
      "data-key": "text",
      input: fieldTyped,
      keydown: fieldKey,
    }),
  });
  part.sentence = new Sentence({
    ask: (row) => {
      const shares = weightsNow()[row];
      selectPair({ row, column: shares.indexOf(Math.max(...shares)) }, true);
    },
    point: (row) => {
      shown.previewed = row;
      renderWords();
    },
  });
  part.behind = element(
    "details.behind",
    { toggle: () => part.behind.open && renderTable() },
    element("summary", "The picture as a table of numbers"),
    part.tables,
  );
  buildMap();
  const layers = layerCount(),
    heads = shown.result.weights[0].length,
    counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
  part.figures = element("div.model", part.heads, part.picture, part.bars, part.next);
  part.main = element(
    "main",
    element("div.typing", part.field, part.message),
    element("div.asking", part.sentence.root, part.claim),
    part.figures,
    element("div.below", part.caption, part.colors),
    part.behind,
  );
  document.body.replaceChildren(
    element(
      "div.page",
      element(
        "header",
        element("div.heading", element("h1", labelOf(visibleLabel(title))), part.theme),
        notes ? element("p.notes", labelOf(notes.split("\n").map(visibleLabel).join("\n"))) : null,
        element(
          "p.hint",
          `A language model of ${counted(layers, "layer")} with ${counted(heads, "head")} each, computed in this page. Type a text, point at a word or a cell.`,
        ),
      ),
      part.main,
      element(
        "footer",
        element("span", "made with Headlight"),
        element(
          "span.actions",
          link("the first text again", () => writeField(text)),
          link("copy the numbers", copyMap),
        ),
      ),
    ),
    part.tip,
  );
  part.field.value = text;
}

// The picture that the program made stays, with the reason.
function standStill(why) {
  const still = document.getElementById("still");
  still.classList.remove("until-live");
  still.querySelector(".hint").textContent = `This page stands still: ${why}. Headlight itself computes it.`;
  window.headlight = { why };
  document.documentElement.dataset.ready = "still";
}

function openModelPage() {
  const data = JSON.parse(document.getElementById("data").textContent),
    { config, tokenizer, tensors } = data.model;
  try {
    shown.model = readModel({ config, tokenizer, tensors: unpackedTensors(tensors) });
    const begin = performance.now(),
      result = data.ids.length > 0 ? runIds(shown.model, data.ids) : runTyped(shown.model, data.text);
    shown.took = performance.now() - begin;
    shown.countFrom = data.count_from;
    Object.assign(shown, { layer: data.layer, head: strongestHead(result, data.layer) });
    showResult(result, data.text);
  } catch (error) {
    return standStill(error.message);
  }
  buildModelPage(data);
  keepDrawn(shown, renderModel);
  fitField();
  saidOfText();
  part.sentence.reveal(shown.row);
  window.headlight = {
    run: (text) => {
      const { tokens, weights, next } = runTyped(shown.model, text);
      return { tokens, weights, next };
    },
  };
  document.documentElement.dataset.ready = "live";
}

openModelPage();
