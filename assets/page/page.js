// The page of one layer: reads the session in the document, draws it, and computes it anew with every change.
import { cellText, colorOf, cssColor, isShare, numberText, rangeOf, shareText, spokenLabel, valueText, visibleLabel } from "./colors.js";
import { editedSession, inputsOf, InputTable, numberField, segments, settingRow, toggle } from "./inputs.js";
import { compute, mayAttend, readSession, sessionOf } from "./layer.js";
import { button, choices, colorBar, element, HeatMap, labelOf, numberTable, planMaps, replaceChildren, rootPx, rowBars, Sentence, setAttributes, TEXT_FAMILY, textWidth } from "./picture.js";
import { headOf, namesOf, numberAt, shapeOf, STAGES, tokensOf, traceOf } from "./trace.js";

const PIECES_SHOWN = 24;  // of a long sum: 12 boxes and their signs

const page = {
  session: null, layer: null, stages: null, opened: null, undone: [], redone: [],
  cell: { stage: "weights", sequence: 0, head: 0, row: 0, column: 0 },
  alone: false,     // only the selected head is shown
  pointed: null,    // the cell under the pointer
  previewed: null,  // the word under the pointer
  input: "embeddings", editing: false, range: null, theme: "light", themeChoice: "auto", allTerms: false, countFrom: 0,
};
const root = document.documentElement;
const part = { maps: [], captions: [] };  // the elements of the document, by name

const copyOf = (json) => JSON.parse(JSON.stringify(json));
const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
const headCount = () => page.layer.heads;
const shapeNow = (stage = page.cell.stage) => shapeOf(page.stages, stage);
const namesNow = () => namesOf(page.session, page.stages, page.cell.stage);
const stageNow = () => STAGES[page.cell.stage];
const numberNow = (head, row, column, stage = page.cell.stage) => numberAt(page.stages, { stage, sequence: page.cell.sequence, head, row, column });
const rowNow = (stage, head, row) => Array.from({ length: shapeNow(stage).columns }, (_, column) => numberNow(head, row, column, stage));
const inputsNow = () => inputsOf(page.session, page.layer, page.cell.sequence);

// ---- the layer ----

// Reads and computes a session; the page stays as it was where that cannot be done.
function loadSession(session) {
  const layer = readSession(session), { stages } = compute(layer);
  Object.assign(page, { session: sessionOf(layer), layer, stages });
  clampCell();
}

function clampCell() {
  const { cell, stages } = page;
  if (!stages.has(cell.stage)) cell.stage = "weights";
  const { sequences, rows, columns } = shapeNow();
  Object.assign(cell, { sequence: within(cell.sequence, sequences), head: within(cell.head, headCount()), row: within(cell.row, rows), column: within(cell.column, columns) });
}

// One change of the session. What is typed or dragged is one step of undo, from its first number to its end.
function changeSession(session, typing = false) {
  const before = page.session;
  try {
    loadSession(session);
  } catch (error) {
    renderPage();
    return say(error.message, true);
  }
  if (!page.editing) {
    page.undone = [...page.undone, before].slice(-200);
    page.redone = [];
  }
  page.editing = typing;
  say("");
  renderPage();
}

function changeSetting(change) {
  const session = copyOf(page.session);
  change(session.attention, session);
  changeSession(session);
}

function stepHistory(from, to) {
  if (from.length === 0) return;
  to.push(page.session);
  loadSession(from.pop());
  page.editing = false;
  renderPage();
}

function say(text, isError = false) {
  part.message.textContent = text;
  part.message.classList.toggle("error", isError);
}

// ---- what is selected and pointed at ----

function select(cell, reveals = false) {
  Object.assign(page.cell, cell);
  page.allTerms = false;
  clampCell();
  renderPage();
  if (reveals) part.sentence.reveal(page.cell.row);
}

// Keys and values of grouped heads, and stages without heads, have fewer maps than there are heads.
const headOfMap = (map) => (shapeNow().heads === 1 ? page.cell.head : Math.floor((map * headCount()) / shapeNow().heads));
const selectedMap = () => headOf(page.stages, page.cell.stage, page.cell.head, headCount());
const mapsShown = () => (page.alone && shapeNow().heads > 1 ? [selectedMap()] : Array.from({ length: shapeNow().heads }, (_, map) => map));
const mapOfSelection = () => part.maps[mapsShown().indexOf(selectedMap())];
const mapName = (map) => `${shapeNow().heads === headCount() ? "head" : "group"} ${map + page.countFrom}`;
const inMap = () => (shapeNow().heads > 1 ? ` in ${mapName(selectedMap())}` : "");

function cellWords(row, column) {
  const names = namesNow();
  return `${names.rows[row]}${stageNow().pair ? " → " : ", "}${names.columns[column]}`;
}

// Scores before the mask are seen whole; behind it the forbidden ones are hatched.
function isHidden(head, row, column) {
  return ["masked", "weights", "dropped"].includes(page.cell.stage) && page.stages.has("masked") && numberNow(head, row, column, "masked") === -Infinity;
}

function textOf(map, row, column) {
  return isHidden(map, row, column) ? "hidden" : valueText(page.cell.stage, numberNow(map, row, column));
}

function point(map, cell, event) {
  page.pointed = cell;
  paintMaps();
  if (cell && event.pointerType !== "touch") showTip(map, cell);
  else part.tip.hidden = true;
}

function showTip(map, { row, column }) {
  const exact = isShare(page.cell.stage) && !isHidden(map, row, column) ? numberText(numberNow(map, row, column), 4) : "";
  part.tip.replaceChildren(
    element("span.tip-pair", labelOf(cellWords(row, column)), element("b", textOf(map, row, column))),
    element("span.tip-where", [shapeNow().heads > 1 ? mapName(map) : stageNow().title.toLowerCase(), exact].filter(Boolean).join(" · ")));
  part.tip.hidden = false;
  const place = part.maps[mapsShown().indexOf(map)].placeOf({ row, column }), box = part.tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, place.x + 12), root.clientWidth - box.width - 8);
  const top = place.bottom + 8 + box.height < window.innerHeight ? place.bottom + 8 : place.top - box.height - 8;
  part.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

function mapKey(event) {
  const { cell } = page, { rows, columns, heads } = shapeNow();
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { ArrowUp: ["row", -1], ArrowDown: ["row", 1], ArrowLeft: ["column", -1], ArrowRight: ["column", 1], Home: ["column", -columns], End: ["column", columns],
    PageUp: ["head", -1], PageDown: ["head", 1] }[event.key];
  if (step) {
    const [axis, by] = step;
    select({ [axis]: within(cell[axis] + by, { row: rows, column: columns, head: heads === 1 ? 1 : headCount() }[axis]) }, true);
    mapOfSelection().canvas.focus();
    showTip(selectedMap(), cell);
  } else if (event.key === "Enter") part.trace.focus();
  else if (event.key === "Escape") part.tip.hidden = true;
  else if (event.key === "m" || event.key === " ") toggleMask();
  else return;
  event.preventDefault();
}

const openNow = () => mayAttend(page.layer, page.cell.sequence, page.cell.head, page.cell.row, page.cell.column);
const editableMask = () => stageNow().pair && inputsNow().find((input) => input.mask && !input.fixed);

function toggleMask() {
  const input = editableMask();
  if (input) changeSession(editedSession(page.session, page.layer, input, page.cell.row, page.cell.column, openNow() ? 0 : 1));
}

// ---- the maps ----

// A map keeps its element while their number stays.
function buildMaps(count) {
  if (part.maps.length === count) return;
  part.maps = Array.from({ length: count }, (_, at) => new HeatMap({
    pointermove: (event, cell) => point(mapsShown()[at], cell, event), pointerleave: () => point(0, null), keydown: mapKey,
    click: (event, cell) => {
      if (cell) select({ ...cell, head: headOfMap(mapsShown()[at]) }, true);
      part.maps[at].canvas.focus({ preventScroll: true });
    } }));
  part.captions = part.maps.map(() => element("figcaption"));
  part.picture.replaceChildren(...part.maps.map((map, at) => element("figure.map", part.captions[at], map.root)));
}

function layOutMaps() {
  const count = mapsShown().length, { rows, columns } = shapeNow(), names = namesNow(), square = Boolean(stageNow().pair);
  buildMaps(count);
  const widest = (list) => Math.max(0, ...list.map((name) => textWidth(name, `600 ${rootPx(0.75)}px ${TEXT_FAMILY}`)));
  const room = part.picture.clientWidth, longest = widest(names.columns), labelWidth = Math.min(widest(names.rows) + rootPx(0.75), rootPx(8), room * 0.26);
  const plan = (angled) => {
    const labelHeight = angled ? Math.min(longest * 0.72 + rootPx(1.125), rootPx(5)) : rootPx(1.5);
    return { angled, labelWidth, labelHeight, ...planMaps({
      count, rows, columns, square, labelWidth, labelHeight, caption: rootPx(2), gap: rootPx(1), room: room - (angled ? Math.min(longest, rootPx(5)) * 0.71 : 0),
      height: room < rootPx(34) ? Infinity : Math.max(window.innerHeight * 0.62, rootPx(26)), least: rootPx(count > 6 ? 11.5 : count > 1 ? 8.75 : 17.5), most: Math.max(rootPx([4, 3.25][count - 1] ?? 2.5), count === 1 ? rootPx(17.5) / Math.max(rows, columns) : 0) }) };
  };
  const straight = plan(false);
  part.plan = !square && straight.cellWidth >= longest + 4 ? straight : plan(true);
  part.picture.style.gridTemplateColumns = `repeat(${part.plan.across}, auto)`;
  part.maps.forEach((map, at) => {
    map.layOut({ ...part.plan, rows, columns, rowNames: at % part.plan.across === 0 ? names.rows : null, columnNames: names.columns });
    part.captions[at].style.paddingLeft = `${map.left}px`;
  });
}

const isOff = (map) => stageNow().perHead && shapeNow().heads === headCount() && page.layer.disabledHeads.includes(map);

function renderCaption(map, caption) {
  if (!stageNow().perHead || headCount() === 1) return caption.replaceChildren(element("span.map-name", stageNow().title));
  const off = isOff(map), name = mapName(map), many = shapeNow().heads > 1;
  replaceChildren(caption,
    button({ class: `map-name${map === selectedMap() ? " chosen" : ""}`, "data-key": `head.${map}`, "aria-pressed": String(page.alone), title: page.alone ? "Show all heads" : "Show this head alone",
      click: () => {
        page.alone = !page.alone && many;
        select({ head: headOfMap(map) });
        mapOfSelection().root.previousSibling.querySelector("button").focus({ preventScroll: true });
      } }, name, page.alone && many && element("span.quiet", " · show all")),
    shapeNow().heads === headCount() && button({ class: "head-switch", role: "switch", "aria-checked": String(!off), "aria-label": `${name} takes part`, title: `Switch this head ${off ? "on" : "off"}`,
      "data-key": `switch.${map}`, click: () => switchHead(map) }, off ? "off" : "on"));
}

function switchHead(head) {
  changeSetting((attention) => {
    const off = attention.disabled_heads ?? [];
    attention.disabled_heads = off.includes(head) ? off.filter((one) => one !== head) : [...off, head].sort((a, b) => a - b);
  });
}

const rangeOfStage = (stage) => ({ ...rangeOf(page.stages.get(stage).data, stage, shapeNow(stage).columns), stage });

// The range is held while something is edited, and fitted at rest.
function rangeNow() {
  if (!page.editing || page.range?.stage !== page.cell.stage) page.range = rangeOfStage(page.cell.stage);
  return page.range;
}

const drops = () => page.layer.dropout.training && page.layer.dropout.probability > 0;

function paintMaps() {
  const { stage, row, column } = page.cell, range = rangeNow(), { cellWidth } = part.plan;
  const decimals = Math.max(-range.low, range.high) >= 10 ? 1 : 2, wide = cellWidth >= rootPx(2.25), fits = isShare(stage) && cellWidth >= rootPx(1.5);
  mapsShown().forEach((map, at) => {
    const own = map === selectedMap(), name = shapeNow().heads > 1 ? `, ${mapName(map)}` : "";
    part.maps[at].paint({
      range, grey: isOff(map) && headCount() > 1, value: (r, c) => numberNow(map, r, c), hidden: (r, c) => isHidden(map, r, c),
      dropped: (r, c) => stage === "dropped" && drops() && numberNow(map, r, c) === 0 && numberNow(map, r, c, "weights") !== 0,
      text: (r, c) => (wide || (fits && r === row) ? cellText(stage, numberNow(map, r, c), decimals) : ""),
      selected: own ? { row, column } : null, framed: own ? null : { row, column }, pointed: page.pointed }, page.theme);
    setAttributes(part.maps[at].canvas, { tabindex: own ? "0" : "-1", "aria-label": `${stageNow().title}${name}: ${cellWords(row, column)}, ${textOf(map, row, column)}` });
  });
}

// ---- the strip of stages ----

function glyphOf(stage) {
  const { rows, columns } = shapeNow(stage), range = rangeOfStage(stage), head = headOf(page.stages, stage, page.cell.head, headCount());
  const canvas = element("canvas.glyph", { "aria-hidden": "true", width: columns, height: rows }), pen = canvas.getContext("2d"), image = pen.createImageData(columns, rows);
  for (let at = 0; at < rows * columns; ++at) {
    const value = numberNow(head, Math.floor(at / columns), at % columns, stage);
    image.data.set(Number.isFinite(value) ? [...colorOf(range, page.theme, value), 255] : [128, 128, 128, 40], 4 * at);
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

function renderStrip() {
  const options = [...page.stages.keys()].map((stage) => [stage, glyphOf(stage), element("span", stage.replace("_", " "))]);
  replaceChildren(part.strip, choices("the stage that is shown", "stage", "strip", options, page.cell.stage, (stage) => select({ stage })));
}

// ---- the sentence ----

function renderSentence() {
  const { session, stages, cell } = page, key = JSON.stringify([session.tokens, session.key_tokens]);
  if (part.words !== key) {
    part.words = key;
    const starts = /^[ \u0120\u2581]/, pieces = session.tokens.some((token) => starts.test(token));
    part.sentence.setWords(session.tokens.map(spokenLabel), session.key_tokens?.map(spokenLabel), session.tokens.map((token, at) => pieces && at > 0 && !starts.test(token)));
  }
  const asking = within(cell.row, session.tokens.length), row = page.previewed ?? asking, shares = stages.has("weights") ? rowNow("weights", cell.head, row) : null;
  part.sentence.show(asking, shares, page.previewed);
  if (!shares) return;
  const most = Math.max(...shares), quoted = (token) => ["“", labelOf(spokenLabel(token)), "”"], other = tokensOf(session, true)[shares.indexOf(most)];
  part.claim.replaceChildren(headCount() > 1 ? `In head ${cell.head + page.countFrom} ` : "", ...quoted(session.tokens[row]), " looks at ",
    ...(most > 0 ? [...quoted(other), ` with ${shareText(most)} of its attention.`] : ["nothing."]));
}

// ---- the derivation ----

function pieceElement(piece, reach) {
  if (piece.kind === "power") return element("span.sign", "e", element("sup", piece.text));
  if (piece.kind !== "box") return element("span", { class: piece.kind }, piece.text ?? "");
  const color = Number.isFinite(piece.value) ? colorOf({ kind: "signed", low: -reach, high: reach }, page.theme, piece.value) : [128, 128, 128], [r, g, b] = color;
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
  const { cell } = page, { stage, row, column } = cell, names = namesNow(), map = selectedMap(), own = { ...cell, head: map };
  const pieces = traceOf(page.layer, page.stages, stageNow().perHead ? own : cell), boxes = pieces.filter((piece) => piece.kind === "box" && Number.isFinite(piece.value));
  const reach = Math.max(1e-9, ...boxes.map(({ value }) => Math.abs(value))), last = pieces.map(({ kind }) => kind).lastIndexOf("box");
  const shown = pieces.map((piece) => pieceElement(piece, reach));
  if (!page.allTerms && last > PIECES_SHOWN + 8)
    shown.splice(PIECES_SHOWN, last + 1 - PIECES_SHOWN, button({ class: "more", click: () => { page.allTerms = true; renderTrace(); } }, `… ${Math.round((last + 1 - PIECES_SHOWN) / 4)} more products …`));
  const name = (text) => labelOf(text, "bdi.own");
  replaceChildren(part.trace,
    element("h2", element("b", name(names.rows[row]), ...(stageNow().pair ? [" asks, ", name(names.columns[column]), " answers"] : [`, ${names.columns[column]}`])),
      element("span.quiet", `${inMap()}${stageNow().pair ? "" : ` · ${stageNow().title.toLowerCase()}`}`),
      editableMask() && button({ class: "small", "data-key": "mask", click: toggleMask }, openNow() ? "hide this pair" : "show this pair")),
    element("div.pieces", shown));
  const caption = [`${stageNow().title} of `, labelOf(names.rows[row]), inMap()];
  part.bars.replaceChildren(rowBars(caption, names.columns, rowNow(stage, map, row), (at) => textOf(map, row, at), column, (at) => select({ column: at })));
}

// ---- the caption, the colours and the table behind the picture ----

function renderLegend() {
  const { stage } = page.cell, { pair, keyed, title } = stageNow(), { heads, rows, columns } = shapeNow(), range = rangeNow(), more = page.theme === "light" ? "Darker" : "Lighter";
  const maps = heads === 1 ? "" : page.alone ? `, ${mapName(selectedMap())}` : `, ${heads} heads`;
  const said = [pair ? "Rows look from, columns at." : keyed ? "A row for each token attended to." : "A row for each token."];
  if (isShare(stage)) said.push(`${more} is a larger share${range.logarithmic ? ", each power of ten alike" : ""}${stage === "weights" && !page.layer.sinks.length ? "; every row adds up to 100\u00a0%" : ""}.`);
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
  const names = namesNow(), many = shapeNow().heads > 1;
  part.behindTables.replaceChildren(...mapsShown().map((map) => numberTable(`${stageNow().title}${many ? `, ${mapName(map)}` : ""}`, names.rows, names.columns,
    (row, column) => (isHidden(map, row, column) ? "hidden" : numberText(numberNow(map, row, column), 4)))));
}

// ---- the inputs and settings ----

function renderInputs() {
  const inputs = inputsNow(), input = inputs.find(({ id }) => id === page.input) ?? inputs[0];
  page.input = input.id;
  if (document.activeElement !== part.inputChoice) part.inputChoice.replaceChildren(...inputs.map(({ id, name }) => element("option", { value: id }, name)));
  part.inputChoice.value = input.id;
  part.table.show(input, page.theme, page.editing);
}

// The numbers of heads that divide the width among them; none where something is stated for each head.
function headChoices() {
  const { attention } = page.session, { layer } = page;
  if (!["linear", "none"].includes(layer.projection) || attention.num_kv_heads || attention.d_k || attention.d_v || layer.sinks.length || layer.position.slopes?.length || layer.bias?.shape[1] > 1) return [];
  return Array.from({ length: 16 }, (_, i) => i + 1).filter((count) => layer.dOut % count === 0);
}

function setHeads(count) {
  changeSetting((attention, session) => {
    attention.num_heads = count;
    attention.disabled_heads = (attention.disabled_heads ?? []).filter((head) => head < count);
    delete session.goal;  // has a number for each head
    delete session.training;
  });
}

function renderSettings() {
  const { attention } = page.session, { layer } = page, dropout = { probability: 0, training: true, seed: null, ...attention.dropout }, rows = [];
  const words = (list) => list.map((word) => [word, String(word)]), set = (name) => (value) => changeSetting((edited) => { edited[name] = value; });
  const counts = headChoices(), { sequences } = shapeNow(), drop = (change) => set("dropout")({ ...dropout, ...change });
  if (sequences > 1) rows.push(segments("sequence", "sequence", words([...Array(sequences).keys()]), page.cell.sequence, (sequence) => select({ sequence })));
  if (layer.projection !== "weights") {
    const mask = attention.mask ?? "none", own = typeof mask !== "string", scale = attention.scale ?? "inverse_sqrt_dk", number = typeof scale === "number";
    rows.push(segments("mask", "mask", words(["causal", "none", ...(own ? ["own"] : [])]), own ? "own" : mask, (word) => word !== "own" && set("mask")(word)));
    if (counts.length > 1) rows.push(segments("heads", "heads", words(counts.slice(0, 5)), layer.heads, setHeads));
    rows.push(segments("scale", "scale", [["inverse_sqrt_dk", "1/√dₖ"], ["none", "none"], ["number", "own"]], number ? "number" : scale, (word) => set("scale")(word === "number" ? 1 : word)));
    if (number) rows.push(settingRow("scale by", numberField("scale by", "scale.by", scale, set("scale"))));
  }
  rows.push(settingRow("dropout", numberField("share that is dropped", "dropout.p", dropout.probability, (probability) => drop({ probability: within(probability, 2) })),
    toggle("dropout while training", "dropout", dropout.training, (training) => drop({ training }))));
  replaceChildren(part.settings, rows);
}

// ---- the whole page ----

function renderPage() {
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

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

// "auto" follows the system.
function setTheme(choice, printing = false) {
  if (!printing) page.themeChoice = choice;
  page.theme = choice === "auto" ? (systemDark.matches ? "dark" : "light") : choice;
  root.dataset.theme = page.theme;
  replaceChildren(part.theme, segments("colours", "theme", ["auto", "light", "dark"].map((word) => [word, word]), page.themeChoice, (next) => setTheme(next)));
  renderPage();
}

function copyNumbers() {
  const names = namesNow(), line = (cells) => cells.join("\t");
  const text = mapsShown().map((map) => [line(["", ...names.columns]), ...names.rows.map((name, row) => line([name, ...rowNow(page.cell.stage, map, row)]))].join("\n")).join("\n\n");
  const done = () => say("The numbers are on the clipboard."), refused = () => say("This browser does not let a page write to the clipboard.", true);
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, refused);
  else refused();
}

function undoAll() {
  changeSession(page.opened);
  say("All changes are undone; Ctrl+Z brings them back.");
}

function buildPage() {
  const link = (text, click) => button({ class: "link", click }, text), section = (name, label) => element("section", { class: name, "aria-label": label });
  const { title, notes } = page.session;
  Object.assign(part, {
    message: element("p.message", { role: "status" }), claim: element("p.claim", { "aria-live": "polite" }), theme: element("div.theme"), strip: element("nav", { "aria-label": "stages" }),
    picture: element("div.picture"), trace: section("trace", "how the number came about"), bars: section("bars", "the row as bars"), caption: element("p.caption"), colors: element("div"),
    behindTables: element("div.scrolled", { tabindex: "0" }), settings: section("settings", "settings"), tip: element("div.tip", { hidden: true, "aria-hidden": "true" }),
    inputChoice: element("select", { "aria-label": "the input that is shown", change: () => { page.input = part.inputChoice.value; renderInputs(); } }), undoAll: link("undo all changes", undoAll),
  });
  setAttributes(part.trace, { tabindex: "-1", "aria-live": "polite" });
  part.sentence = new Sentence({ ask: (row) => select({ row }, true), point: (row) => { page.previewed = row; renderSentence(); } });
  part.table = new InputTable({
    change: (id, row, column, number, typing) => changeSession(editedSession(page.session, page.layer, inputsNow().find((input) => input.id === id), row, column, number), typing),
    rest: () => { page.editing = false; renderPage(); } });
  part.behind = element("details.behind", { toggle: () => part.behind.open && renderBehind() }, element("summary", "The picture as a table of numbers"), part.behindTables);
  document.body.replaceChildren(element("div.page",
    element("header", element("div.heading", element("h1", labelOf(visibleLabel(title || "A layer of attention"))), part.theme),
      notes ? element("p.notes", labelOf(notes.split("\n").map(visibleLabel).join("\n"))) : null, element("p.hint", "One layer of attention, computed in this page. Point at a cell, change a number.")),
    element("main", element("div.asking", part.sentence.root, part.claim), part.strip,
      element("div.columns", element("div.seen", part.picture, part.trace, part.bars, part.caption, part.behind),
        element("aside", { "aria-label": "inputs" }, settingRow(element("b", "Input"), part.inputChoice), part.table.root, part.settings, part.colors)), part.message),
    element("footer", element("span", "made with Headlight"), element("span.actions", part.undoAll, link("copy the numbers", copyNumbers)))), part.tip);
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
  return Array.from({ length: shape[depth] }, (_, i) => (depth === shape.length - 1 ? data[begin + i] : nestedNumbers({ shape, data }, depth + 1, begin + i * each, each)));
}

function openPage() {
  const { session, view } = JSON.parse(document.getElementById("data").textContent);
  page.countFrom = view?.count_from ?? 0;
  loadSession(session);
  page.opened = page.session;
  const head = view?.head ?? 0, row = view?.row ?? session.tokens.length - 1, shares = rowNow("weights", head, row);
  Object.assign(page.cell, { head, row, column: view?.column ?? shares.indexOf(Math.max(...shares)) });
  clampCell();
  buildPage();
  setTheme("auto");
  part.sentence.reveal(row);
  systemDark.addEventListener("change", () => setTheme(page.themeChoice));
  document.addEventListener("keydown", pageKeys);
  let width = 0;
  new ResizeObserver(() => {
    if (width === root.clientWidth) return;
    width = root.clientWidth;
    renderPage();
  }).observe(root);
  window.addEventListener("beforeprint", () => setTheme("light", true));
  window.addEventListener("afterprint", () => setTheme(page.themeChoice));
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
  root.dataset.ready = "live";
}

openPage();
