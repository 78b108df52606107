// The page of one layer: the sentence, the sum behind a number, inputs and settings, and the document that holds them.
import { colorOf, cssColor, isShare, numberText, visibleLabel } from "./colors.js";
import { copyNumbersText, keepDrawn, part, say, segments, settingRow, tableText, within } from "./frame.js";
import { editedSession, InputTable, numberField, toggle } from "./inputs.js";
import { drops, editableMask, inMap, isHidden, layOutMaps, mapName, mapsShown, openNow, paintMaps, rangeNow } from "./maps.js";
import { renderCaption, renderStrip, selectedMap, textOf, toggleMask } from "./maps.js";
import { button, claimOf, colorBar, element, labelOf, numberTable, replaceChildren, rowBars, Sentence, setAttributes } from "./picture.js";
import { changeSession, changeSetting, clampCell, copyOf, headCount, inputsNow, loadSession, namesNow, numberNow, page } from "./state.js";
import { rowNow, select, shapeNow, stageNow, stepHistory } from "./state.js";
import { tokensOf, traceOf } from "./trace.js";

const PIECES_SHOWN = 24; // of a long sum: 12 boxes and their signs

// ---- the sentence ----

function renderSentence() {
  const { session, stages, cell } = page;
  part.sentence.setTokens(session.tokens, session.key_tokens);
  const asking = within(cell.row, session.tokens.length),
    row = page.previewed ?? asking,
    shares = stages.has("weights") ? rowNow("weights", cell.head, row) : null;
  part.sentence.show(asking, shares, page.previewed);
  if (!shares) return;
  const most = Math.max(...shares),
    where = headCount() > 1 ? `In head ${cell.head + page.countFrom} ` : "";
  part.claim.replaceChildren(...claimOf(where, session.tokens[row], tokensOf(session, true)[shares.indexOf(most)], most));
}

// ---- the derivation ----

function pieceElement(piece, reach) {
  if (piece.kind === "power") return element("span.sign", "e", element("sup", piece.text));
  if (piece.kind !== "box") return element("span", { class: piece.kind }, piece.text ?? "");
  const color = Number.isFinite(piece.value)
      ? colorOf({ kind: "signed", low: -reach, high: reach }, page.theme, piece.value)
      : [128, 128, 128],
    [r, g, b] = color;
  const chip = piece.to ? button({ class: "chip", click: () => followPiece(piece.to) }, piece.text) : element("span.chip", piece.text);
  chip.style.background = cssColor(color);
  chip.classList.toggle("on-dark", 0.2126 * r + 0.7152 * g + 0.0722 * b < 118);
  return element("span.piece", chip, element("span.piece-name", piece.label));
}

// Goes to where a number comes from: a cell of an earlier stage, or of an input.
function followPiece(to) {
  if (to.stage) {
    select(to);
    return part.trace.focus({ preventScroll: true });
  }
  page.input = to.input;
  renderInputs();
  part.table.moveTo(to);
}

function renderTrace() {
  const { cell } = page,
    { stage, row, column } = cell,
    names = namesNow(),
    map = selectedMap(),
    own = { ...cell, head: map };
  const pieces = traceOf(page.layer, page.stages, stageNow().perHead ? own : cell),
    boxes = pieces.filter((piece) => piece.kind === "box" && Number.isFinite(piece.value));
  const reach = Math.max(1e-9, ...boxes.map(({ value }) => Math.abs(value))),
    last = pieces.map(({ kind }) => kind).lastIndexOf("box");
  const shown = pieces.map((piece) => pieceElement(piece, reach));
  if (!page.allTerms && last > PIECES_SHOWN + 8)
    shown.splice(
      PIECES_SHOWN,
      last + 1 - PIECES_SHOWN,
      button(
        {
          class: "more",
          click: () => {
            page.allTerms = true;
            renderTrace();
          },
        },
        `… ${Math.round((last + 1 - PIECES_SHOWN) / 4)} more products …`,
      ),
    );
  const name = (text) => labelOf(text, "bdi.own");
  replaceChildren(
    part.trace,
    element(
      "h2",
      element(
        "b",
        name(names.rows[row]),
        ...(stageNow().pair ? [" asks, ", name(names.columns[column]), " answers"] : [`, ${names.columns[column]}`]),
      ),
      element("span.quiet", `${inMap()}${stageNow().pair ? "" : ` · ${stageNow().title.toLowerCase()}`}`),
      editableMask() && button({ class: "small", "data-key": "mask", click: toggleMask }, openNow() ? "hide this pair" : "show this pair"),
    ),
    element("div.pieces", shown),
  );
  const caption = [`${stageNow().title} of `, labelOf(names.rows[row]), inMap()];
  part.bars.replaceChildren(
    rowBars(
      caption,
      names.columns,
      rowNow(stage, map, row),
      (at) => textOf(map, row, at),
      column,
      (at) => select({ column: at }),
    ),
  );
}

// ---- the caption, the colours and the table behind the picture ----

function renderLegend() {
  const { stage } = page.cell,
    { pair, keyed, title } = stageNow(),
    { heads, rows, columns } = shapeNow(),
    range = rangeNow(),
    more = page.theme === "light" ? "Darker" : "Lighter";
  const maps = heads === 1 ? "" : page.alone ? `, ${mapName(selectedMap())}` : `, ${heads} heads`;
  const said = [pair ? "Rows look from, columns at." : keyed ? "A row for each token attended to." : "A row for each token."];
  if (isShare(stage))
    said.push(
      `${more} is a larger share${range.logarithmic ? ", each power of ten alike" : ""}` +
        `${stage === "weights" && !page.layer.sinks.length ? "; every row adds up to 100\u00a0%" : ""}.`,
    );
  else said.push(range.kind === "signed" ? "Green is above zero, purple below." : `${more} green is more.`);
  const cells = Array.from({ length: rows * columns }, (_, at) => [Math.floor(at / columns), at % columns]);
  if (pair && mapsShown().some((map) => cells.some(([row, column]) => isHidden(map, row, column))))
    said.push(`Hatched: ${page.layer.mask.kind === "causal" ? "later words, " : ""}hidden by the mask.`);
  if (stage === "dropped" && drops()) said.push("Crossed: dropped; the others grow in return.");
  part.caption.replaceChildren(element("b", `${title}${maps}. `), said.join(" "));
  part.colors.replaceChildren(colorBar(range, page.theme, isShare(stage) ? "share of attention" : title.toLowerCase(), isShare(stage)));
  if (part.behind.open) renderBehind();
}

function renderBehind() {
  const names = namesNow(),
    many = shapeNow().heads > 1;
  part.behindTables.replaceChildren(
    ...mapsShown().map((map) =>
      numberTable(`${stageNow().title}${many ? `, ${mapName(map)}` : ""}`, names.rows, names.columns, (row, column) =>
        isHidden(map, row, column) ? "hidden" : numberText(numberNow(map, row, column), 4),
      ),
    ),
  );
}

// ---- the inputs and settings ----

function renderInputs() {
  const inputs = inputsNow(),
    input = inputs.find(({ id }) => id === page.input) ?? inputs[0];
  page.input = input.id;
  if (document.activeElement !== part.inputChoice)
    part.inputChoice.replaceChildren(...inputs.map(({ id, name }) => element("option", { value: id }, name)));
  part.inputChoice.value = input.id;
  part.table.show(input, page.theme, page.editing);
}

// The numbers of heads that divide the width among them, at most five and the present one among them; none where something is stated for
// each head.
function headChoices() {
  const { attention } = page.session,
    { layer } = page;
  if (
    !["linear", "none"].includes(layer.projection) ||
    attention.num_kv_heads ||
    attention.d_k ||
    attention.d_v ||
    layer.sinks.length ||
    layer.position.slopes?.length ||
    layer.bias?.shape[1] > 1
  )
    return [];
  const counts = Array.from({ length: 16 }, (_, i) => i + 1).filter((count) => layer.dOut % count === 0);
  return [...counts.filter((count) => count !== layer.heads).slice(0, 4), layer.heads].sort((a, b) => a - b);
}

function setHeads(count) {
  changeSetting((attention, session) => {
    attention.num_heads = count;
    attention.disabled_heads = (attention.disabled_heads ?? []).filter((head) => head < count);
    delete session.goal; // has a number for each head
    delete session.training;
  });
}

function renderSettings() {
  const { attention } = page.session,
    { layer } = page,
    dropout = { probability: 0, training: true, seed: null, ...attention.dropout },
    rows = [];
  const words = (list) => list.map((word) => [word, String(word)]),
    set = (name) => (value) =>
      changeSetting((edited) => {
        edited[name] = value;
      });
  const counts = headChoices(),
    { sequences } = shapeNow(),
    drop = (change) => set("dropout")({ ...dropout, ...change });
  if (sequences > 1)
    rows.push(
      segments("sequence", "sequence", words([...Array(sequences).keys()]), page.cell.sequence, (sequence) => select({ sequence })),
    );
  if (layer.projection !== "weights") {
    const mask = attention.mask ?? "none",
      own = typeof mask !== "string",
      scale = attention.scale ?? "inverse_sqrt_dk",
      number = typeof scale === "number";
    rows.push(
      segments(
        "mask",
        "mask",
        words(["causal", "none", ...(own ? ["own"] : [])]),
        own ? "own" : mask,
        (word) => word !== "own" && set("mask")(word),
      ),
    );
    if (counts.length > 1) rows.push(segments("heads", "heads", words(counts), layer.heads, setHeads));
    rows.push(
      segments(
        "scale",
        "scale",
        [
          ["inverse_sqrt_dk", "1/√dₖ"],
          ["none", "none"],
          ["number", "own"],
        ],
        number ? "number" : scale,
        (word) => set("scale")(word === "number" ? 1 : word),
      ),
    );
    if (number) rows.push(settingRow("scale by", numberField("scale by", "scale.by", scale, set("scale"))));
  }
  rows.push(
    settingRow(
      "dropout",
      numberField("share that is dropped", "dropout.p", dropout.probability, (probability) =>
        drop({ probability: within(probability, 2) }),
      ),
      toggle("dropout while training", "dropout", dropout.training, (training) => drop({ training })),
    ),
  );
  replaceChildren(part.settings, rows);
}

// ---- the whole page ----

export function renderPage() {
  layOutMaps();
  mapsShown().forEach((map, at) => renderCaption(map, part.captions[at]));
  paintMaps();
  renderSentence();
  renderStrip();
  renderTrace();
  renderLegend();
  renderInputs();
  renderSettings();
  part.undoAll.disabled = JSON.stringify(page.session) === JSON.stringify(page.opened);
}

function copyNumbers() {
  const names = namesNow(),
    text = (map) => tableText(names.columns, names.rows, (row) => rowNow(page.cell.stage, map, row));
  copyNumbersText(mapsShown().map(text).join("\n\n"));
}

// As a file that Headlight opens.
function saveSession() {
  const href = URL.createObjectURL(new Blob([JSON.stringify(page.session, null, 1)], { type: "application/json" }));
  element("a", { download: "session.headlight", href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

function undoAll() {
  changeSession(page.opened);
  say("All changes are undone; Ctrl+Z brings them back.");
}

function buildPage() {
  const link = (text, click) => button({ class: "link", click }, text),
    section = (name, label) => element("section", { class: name, "aria-label": label });
  const { title, notes } = page.session;
  Object.assign(part, {
    message: element("p.message", { role: "status" }),
    claim: element("p.claim", { "aria-live": "polite" }),
    theme: element("div.theme"),
    strip: element("nav", { "aria-label": "stages" }),
    picture: element("div.picture"),
    trace: section("trace", "how the number came about"),
    bars: section("bars", "the row as bars"),
    caption: element("p.caption"),
    colors: element("div"),
    behindTables: element("div.scrolled", { tabindex: "0" }),
    settings: section("settings", "settings"),
    tip: element("div.tip", { hidden: true, "aria-hidden": "true" }),
    inputChoice: element("select", {
      "aria-label": "the input that is shown",
      change: () => {
        page.input = part.inputChoice.value;
        renderInputs();
      },
    }),
    undoAll: link("undo all changes", undoAll),
  });
  setAttributes(part.trace, { tabindex: "-1", "aria-live": "polite" });
  part.sentence = new Sentence({
    ask: (row) => select({ row }, true),
    point: (row) => {
      page.previewed = row;
      renderSentence();
    },
  });
  part.table = new InputTable({
    change: (id, row, column, number, typing) =>
      changeSession(
        editedSession(
          page.session,
          page.layer,
          inputsNow().find((input) => input.id === id),
          row,
          column,
          number,
        ),
        typing,
      ),
    rest: () => {
      page.editing = false;
      renderPage();
    },
  });
  part.behind = element(
    "details.behind",
    { toggle: () => part.behind.open && renderBehind() },
    element("summary", "The picture as a table of numbers"),
    part.behindTables,
  );
  document.body.replaceChildren(
    element(
      "div.page",
      element(
        "header",
        element("div.heading", element("h1", labelOf(visibleLabel(title || "A layer of attention"))), part.theme),
        notes ? element("p.notes", labelOf(notes.split("\n").map(visibleLabel).join("\n"))) : null,
        element("p.hint", "One layer of attention, computed in this page. Point at a cell, change a number."),
      ),
      element(
        "main",
        element("div.asking", part.sentence.root, part.claim),
        part.strip,
        element(
          "div.columns",
          element("div.seen", part.picture, part.trace, part.bars, part.caption, part.behind),
          element(
            "aside",
            { "aria-label": "inputs" },
            settingRow(element("b", "Input"), part.inputChoice),
            part.table.root,
            part.settings,
            part.colors,
          ),
        ),
        part.message,
      ),
      element(
        "footer",
        element("span", "made with Headlight"),
        element("span.actions", part.undoAll, link("copy the numbers", copyNumbers), link("save the session", saveSession)),
      ),
    ),
    part.tip,
  );
}

function pageKeys(event) {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.target.tagName === "INPUT" || !"zy".includes(key)) return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) stepHistory(page.redone, page.undone);
  else stepHistory(page.undone, page.redone);
}

// The stage as nested lists of its shape.
function nestedNumbers({ shape, data }, depth = 0, begin = 0, size = data.length) {
  const each = size / shape[depth];
  return Array.from({ length: shape[depth] }, (_, i) =>
    depth === shape.length - 1 ? data[begin + i] : nestedNumbers({ shape, data }, depth + 1, begin + i * each, each),
  );
}

function openPage() {
  const { session, view } = JSON.parse(document.getElementById("data").textContent);
  page.countFrom = view?.count_from ?? 0;
  loadSession(session);
  page.opened = page.session;
  const head = view?.head ?? 0,
    row = view?.row ?? session.tokens.length - 1,
    shares = rowNow("weights", head, row);
  Object.assign(page.cell, { head, row, column: view?.column ?? shares.indexOf(Math.max(...shares)) });
  clampCell();
  buildPage();
  keepDrawn(page, renderPage);
  part.sentence.reveal(row);
  document.addEventListener("keydown", pageKeys);
  window.headlight = {
    stages: () => Object.fromEntries([...page.stages].map(([name, stage]) => [name, nestedNumbers(stage)])),
    session: () => copyOf(page.session),
    load: (json) => {
      loadSession(json);
      Object.assign(page, { undone: [], redone: [], editing: false });
      say("");
      renderPage();
    },
  };
  document.documentElement.dataset.ready = "live";
}

openPage();
