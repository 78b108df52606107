// The pictures of a model's page: the chosen head, large, and small ones of all heads to choose from.
import { cellText, colorOf, numberText, rangeOf, shareText, spokenLabel, valueText } from "./colors.js";
import { hideTip, part, showTipAt, stepInMap, within } from "./frame.js";
import { headWeights } from "./model_data.js";
import { labelsNow, selectPair, shown } from "./model_page.js";
import { flowPicture } from "./views.js";
import { choices, element, HeatMap, labelOf, planLabelledMaps, replaceChildren, rootPx, setAttributes } from "./picture.js";

export const layerCount = () => shown.result.weights.length;
export const headsOfLayer = () => shown.result.weights[0].length;
export const weightsNow = () => headWeights(shown.result, shown.layer, shown.head);
// The first token has the weight 1 in every head, so that all heads of a text have one range.
export const shareRange = () => rangeOf([0, 1], "weights", shown.result.tokens.length);

export function headTitle(layer, head) {
  const from = shown.countFrom;
  return `layer ${layer + from}, ${head === null ? `mean of ${headsOfLayer()} heads` : `head ${head + from}`}`;
}

const pairTitle = (row, column) => [row, column].map((at) => spokenLabel(shown.result.tokens[at])).join(" → ");
const shareOf = (row, column) => (column > row ? "hidden" : valueText("weights", weightsNow()[row][column]));

// ---- the large picture ----

function showTip({ row, column }) {
  const exact = column > row ? "a later word" : numberText(weightsNow()[row][column], 4);
  showTipAt(
    part.map.placeOf({ row, column }),
    pairTitle(row, column),
    shareOf(row, column),
    `${headTitle(shown.layer, shown.head)} · ${exact}`,
  );
}

function pointAt(event, cell) {
  const before = shown.pointed;
  if (cell?.row === before?.row && cell?.column === before?.column) return;
  shown.pointed = cell;
  paintMap();
  if (cell && event.pointerType !== "touch") showTip(cell);
  else hideTip();
}

function keyInMap(event) {
  const count = shown.result.tokens.length,
    step = stepInMap(event, count);
  if (event.key === "Escape") hideTip();
  if (!step) return;
  event.preventDefault();
  const [axis, by] = step;
  if (axis === "head") selectPair(headBeside(by));
  else selectPair({ [axis]: within(shown[axis] + by, count) }, true);
  showTip(shown);
}

// The head before or behind the chosen one; the mean stands behind the last head of its layer.
function headBeside(by) {
  const across = headsOfLayer() + 1,
    at = within(shown.layer * across + (shown.head ?? across - 1) + by, layerCount() * across),
    head = at % across;
  return { layer: Math.floor(at / across), head: head === across - 1 ? null : head };
}

export function buildMap() {
  part.map = new HeatMap({
    pointermove: pointAt,
    pointerleave: (event) => pointAt(event, null),
    blur: hideTip,
    keydown: keyInMap,
    click: (_, cell) => {
      if (cell) selectPair(cell, true);
      part.map.canvas.focus({ preventScroll: true });
    },
  });
  setAttributes(part.map.canvas, { tabindex: "0" });
  Object.assign(part, { mapTitle: element("figcaption"), views: element("div.views"), flow: element("div") });
  part.picture.replaceChildren(part.views, part.mapTitle, part.map.root, part.flow);
}

// The chosen head as a map, or as a flow.
export function renderMap() {
  const names = labelsNow(),
    isFlow = shown.view === "flow",
    views = [
      ["map", "map"],
      ["flow", "flow"],
    ];
  part.map.root.hidden = isFlow;
  part.flow.hidden = !isFlow;
  replaceChildren(
    part.views,
    choices("how the weights are drawn", "view", "segments", views, shown.view, (view) => selectPair({ view })),
  );
  layOutMap();
  paintMap();
  if (!isFlow) return part.flow.replaceChildren();
  const pick = (change) => selectPair({ ...change, ofColumn: "column" in change }, true),
    share = (row, column) => (column > row ? 0 : weightsNow()[row][column]);
  replaceChildren(part.flow, flowPicture({ names: { rows: names, columns: names }, share, chosen: shown, ofColumn: shown.ofColumn, pick }));
}

const MOST_BESIDE = 20; // tokens of a picture that leaves room for the bars beside it

// As large as the window lets it be seen whole, and never smaller than a picture that can be read.
function layOutMap() {
  const names = labelsNow(),
    count = names.length,
    large = count > MOST_BESIDE,
    side = Math.max(rootPx(17.5), Math.min(rootPx(large ? 38 : 26), window.innerHeight * (large ? 0.85 : 0.52)));
  part.figures.classList.toggle("large", large);
  const plan = planLabelledMaps(
    { rows: names, columns: names },
    {
      count: 1,
      rows: count,
      columns: count,
      square: true,
      room: part.picture.clientWidth,
      height: side,
      least: rootPx(17.5),
      most: Math.min(rootPx(4), side / count),
    },
  );
  part.map.layOut({ ...plan, rows: count, columns: count, rowNames: names, columnNames: names });
  part.mapTitle.style.paddingLeft = `${part.map.left}px`;
}

export function paintMap() {
  const { row, column, pointed, layer, head } = shown,
    weights = weightsNow(),
    fits = part.map.cellWidth >= rootPx(1.5);
  part.map.paint(
    {
      range: shareRange(),
      value: (query, key) => weights[query][key],
      hidden: (query, key) => key > query,
      text: (query, key) => (fits && query === row ? cellText("weights", weights[query][key], 2) : ""),
      selected: { row, column },
      pointed,
    },
    shown.theme,
  );
  part.mapTitle.replaceChildren(element("b", headTitle(layer, head)));
  setAttributes(part.map.canvas, {
    "aria-label": `Attention weights, ${headTitle(layer, head)}: ${pairTitle(row, column)}, ${shareOf(row, column)}`,
  });
}

// ---- the small pictures ----

const glyphs = { of: null, theme: null, made: new Map() };
const GLYPH_PX = 44; // more cells than these are drawn smoothly

function glyphOfHead(layer, head) {
  const { result, theme } = shown,
    key = `${layer}.${head}`;
  if (glyphs.of !== result || glyphs.theme !== theme) Object.assign(glyphs, { of: result, theme, made: new Map() });
  if (!glyphs.made.has(key)) glyphs.made.set(key, paintedGlyph(headWeights(result, layer, head), theme));
  return glyphs.made.get(key);
}

function paintedGlyph(weights, theme) {
  const count = weights.length,
    range = shareRange(),
    canvas = element("canvas", { "aria-hidden": "true", width: count, height: count });
  const pen = canvas.getContext("2d"),
    image = pen.createImageData(count, count);
  weights.forEach((row, query) => {
    for (let key = 0; key <= query; key++) image.data.set([...colorOf(range, theme, row[key]), 255], 4 * (query * count + key));
  });
  pen.putImageData(image, 0, 0);
  canvas.style.imageRendering = count > GLYPH_PX ? "auto" : "pixelated";
  return canvas;
}

// A row for each layer, with its heads and their mean.
export function renderHeads() {
  const heads = headsOfLayer(),
    from = shown.countFrom,
    columns = [...Array(heads).keys(), null];
  const places = Array.from({ length: layerCount() }, (_, layer) => columns.map((head) => ({ layer, head }))).flat(),
    name = ({ layer, head }) => `${layer}.${head ?? "mean"}`;
  const group = choices(
    "the head that is shown",
    "head",
    "heads",
    places.map((place) => [name(place), glyphOfHead(place.layer, place.head)]),
    name(shown),
    (chosen) => selectPair(places.find((place) => name(place) === chosen)),
    columns.length,
  );
  const label = (text) => element("span.head-name", { "aria-hidden": "true" }, text);
  [...group.children].forEach((button, at) => {
    const { layer, head } = places[at];
    setAttributes(button, { "aria-label": headTitle(layer, head), title: headTitle(layer, head) });
    if (head === 0) button.before(label(`layer ${layer + from}`));
  });
  group.prepend(label("head"), ...columns.map((head) => label(head === null ? "mean" : String(head + from))));
  group.style.gridTemplateColumns = `auto repeat(${columns.length}, minmax(0, 2.75rem))`;
  replaceChildren(part.heads, group);
}

export const quotedToken = (at) => labelOf(spokenLabel(shown.result.tokens[at]));
export const shareWords = (share) => shareText(share, 1);
