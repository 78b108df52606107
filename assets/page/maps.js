// The pictures of the chosen stage, what is pointed at in them, and the strip of all stages.
import { cellText, colorOf, isShare, numberText, rangeOf, valueText } from "./colors.js";
import { hideTip, part, showTipAt, stepInMap, within } from "./frame.js";
import { editedSession } from "./inputs.js";
import { copyOf, mayAttend } from "./layer.js";
import { button, choices, element, focusOn, HeatMap, planLabelledMaps, replaceChildren, rootPx, setAttributes } from "./picture.js";
import { changeSession, changeSetting, headCount, inputsNow, namesNow, numberNow, page, select, shapeNow } from "./state.js";
import { rowNow, stageNow } from "./state.js";
import { listOfSize } from "./session.js";
import { headOf, namesOf, numberAt, STAGES } from "./trace.js";
import { FLOW_WORDS, flowPicture, vectorPicture } from "./views.js";

const MOST_ARROWS = 12; // from the origin

// ---- what is selected and pointed at ----

// Keys and values of grouped heads, and stages without heads, have fewer maps than there are heads.
const headOfMap = (map) => (shapeNow().heads === 1 ? page.cell.head : Math.floor((map * headCount()) / shapeNow().heads));
export const selectedMap = () => headOf(page.stages, page.cell.stage, page.cell.head, headCount());
export const mapsShown = () => (page.alone && shapeNow().heads > 1 ? [selectedMap()] : listOfSize(shapeNow().heads, Number));
const mapOfSelection = () => part.maps[mapsShown().indexOf(selectedMap())];
export const mapName = (map) => `${shapeNow().heads === headCount() ? "head" : "group"} ${map + page.countFrom}`;
export const inMap = () => (shapeNow().heads > 1 ? ` in ${mapName(selectedMap())}` : "");

function cellWords(row, column) {
  const names = namesNow();
  return `${names.rows[row]}${stageNow().pair ? " → " : ", "}${names.columns[column]}`;
}

// Scores before the mask are seen whole; behind it the forbidden ones are hatched.
export function isHidden(head, row, column) {
  return (
    ["masked", "weights", "dropped"].includes(page.cell.stage) &&
    page.stages.has("masked") &&
    numberNow(head, row, column, "masked") === -Infinity
  );
}

// The gradients that the maps show in the place of numbers, if they do.
export const slopesNow = () => page.gradients?.[page.cell.stage];

export function slopeNow(map, row, column) {
  const slopes = slopesNow();
  return slopes && numberAt(new Map([[page.cell.stage, slopes]]), { ...page.cell, head: map, row, column });
}

export function textOf(map, row, column) {
  const slope = slopeNow(map, row, column);
  if (slope !== undefined) return `∂ ${numberText(slope, 4)}`;
  return isHidden(map, row, column) ? "hidden" : valueText(page.cell.stage, numberNow(map, row, column));
}

export function point(map, cell, event) {
  page.pointed = cell;
  paintMaps();
  if (cell && event.pointerType !== "touch") showTip(map, cell);
  else hideTip();
}

function showTip(map, { row, column }) {
  const exact = isShare(page.cell.stage) && !isHidden(map, row, column) ? numberText(numberNow(map, row, column), 4) : "";
  const place = part.maps[mapsShown().indexOf(map)].placeOf({ row, column }),
    where = [shapeNow().heads > 1 ? mapName(map) : stageNow().title.toLowerCase(), exact].filter(Boolean).join(" · ");
  showTipAt(place, cellWords(row, column), textOf(map, row, column), where);
}

function mapKey(event) {
  const { cell } = page,
    { rows, columns, heads } = shapeNow();
  const step = stepInMap(event, columns);
  if (step) {
    const [axis, by] = step,
      isOther = axis !== "head" || heads > 1; // else the head stays the chosen one for stages with heads
    select({ [axis]: within(cell[axis] + by * isOther, { row: rows, column: columns, head: headCount() }[axis]) }, true);
    mapOfSelection().canvas.focus();
    showTip(selectedMap(), cell);
  } else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === "Enter") part.trace.focus();
  else if (event.key === "Escape") hideTip();
  else if (event.key === "m" || event.key === " ") toggleMask();
  else return;
  event.preventDefault();
}

export const openNow = () => mayAttend(page.layer, page.cell.sequence, page.cell.head, page.cell.row, page.cell.column);
export const setPainting = (paints) => {
  page.paints = paints;
  select({});
};
export const editableMask = () => stageNow().pair && inputsNow().find((input) => input.mask && !input.fixed);

export function toggleMask() {
  const input = editableMask();
  if (input) changeSession(editedSession(page.session, page.layer, input, page.cell.row, page.cell.column, openNow() ? 0 : 1));
}

// ---- the maps ----

// A map keeps its element while their number stays.
function buildMaps(count) {
  if (part.maps.length === count) return;
  part.maps = Array.from(
    { length: count },
    (_, at) =>
      new HeatMap({
        pointermove: (event, cell) => point(mapsShown()[at], cell, event),
        pointerleave: () => point(0, null),
        blur: hideTip,
        keydown: mapKey,
        click: (event, cell) => {
          if (cell) select({ ...cell, head: headOfMap(mapsShown()[at]) }, true);
          if (cell && page.paints) toggleMask();
          focusOn(part.maps[at].canvas);
        },
      }),
  );
  part.captions = part.maps.map(() => element("figcaption"));
  part.picture.replaceChildren(...part.maps.map((map, at) => element("figure.map", part.captions[at], map.root)));
}

function layOutMaps() {
  const count = mapsShown().length,
    { rows, columns } = shapeNow(),
    names = namesNow(),
    square = Boolean(stageNow().pair);
  buildMaps(count);
  const room = part.picture.clientWidth;
  part.plan = planLabelledMaps(names, {
    count,
    rows,
    columns,
    square,
    room,
    height: room < rootPx(34) ? Infinity : Math.max(window.innerHeight * 0.62, rootPx(26)),
    least: rootPx(count > 6 ? 11.5 : count > 1 ? 8.75 : 17.5),
    most: Math.max(rootPx([4, 3.25][count - 1] ?? 2.5), count === 1 ? rootPx(17.5) / Math.max(rows, columns) : 0),
  });
  part.picture.style.gridTemplateColumns = `repeat(${part.plan.across}, auto)`;
  part.maps.forEach((map, at) => {
    map.layOut({ ...part.plan, rows, columns, rowNames: at % part.plan.across === 0 ? names.rows : null, columnNames: names.columns });
    part.captions[at].style.paddingLeft = `${map.left}px`;
  });
}

const isOff = (map) => stageNow().perHead && shapeNow().heads === headCount() && page.layer.disabledHeads.includes(map);

function renderCaption(map, caption) {
  if (!stageNow().perHead || headCount() === 1)
    return caption.replaceChildren(
      element("span.map-name", slopesNow() ? `Gradients: ${stageNow().title.toLowerCase()}` : stageNow().title),
    );
  const off = isOff(map),
    name = mapName(map),
    many = shapeNow().heads > 1;
  replaceChildren(
    caption,
    button(
      {
        class: `map-name${map === selectedMap() ? " chosen" : ""}`,
        "data-key": `head.${map}`,
        "aria-pressed": String(page.alone),
        title: page.alone ? "Show all heads" : "Show this head alone",
        click: () => {
          page.alone = !page.alone && many;
          select({ head: headOfMap(map) });
          focusOn(mapOfSelection().root.previousSibling.querySelector("button"));
        },
      },
      name,
      page.alone && many && element("span.quiet", " · show all"),
    ),
    shapeNow().heads === headCount() &&
      button(
        {
          class: "head-switch",
          role: "switch",
          "aria-checked": String(!off),
          "aria-label": `${name} takes part`,
          title: `Switch this head ${off ? "on" : "off"}`,
          "data-key": `switch.${map}`,
          click: () => switchHead(map),
        },
        off ? "off" : "on",
      ),
  );
}

function switchHead(head) {
  changeSetting((attention) => {
    const off = attention.disabled_heads ?? [];
    attention.disabled_heads = off.includes(head) ? off.filter((one) => one !== head) : [...off, head].sort((a, b) => a - b);
  });
}

function rangeOfStage(stage) {
  const { held } = page,
    range = rangeOf(page.stages.get(stage).data, stage, shapeNow(stage).columns);
  return { ...range, ...(held?.stage === stage ? held : {}), stage };
}

// The range is held while something is edited, and fitted at rest.
export function rangeNow() {
  const slopes = slopesNow();
  // A number below zero makes the range one of both signs.
  if (slopes) return rangeOf([...slopes.data, -1e-12], "gradients", 0);
  if (!page.editing || page.range?.stage !== page.cell.stage) page.range = rangeOfStage(page.cell.stage);
  return page.range;
}

export const drops = () => page.layer.dropout.training && page.layer.dropout.probability > 0;

export function paintMaps() {
  const { stage, row, column } = page.cell,
    range = rangeNow(),
    { cellWidth } = part.plan;
  const decimals = Math.max(-range.low, range.high) >= 10 ? 1 : 2,
    wide = cellWidth >= rootPx(2.25),
    fits = isShare(stage) && cellWidth >= rootPx(1.5);
  mapsShown().forEach((map, at) => {
    const own = map === selectedMap(),
      name = shapeNow().heads > 1 ? `, ${mapName(map)}` : "";
    part.maps[at].paint(
      {
        range,
        grey: isOff(map) && headCount() > 1,
        value: (r, c) => slopeNow(map, r, c) ?? numberNow(map, r, c),
        hidden: (r, c) => isHidden(map, r, c),
        dropped: (r, c) => stage === "dropped" && drops() && numberNow(map, r, c) === 0 && numberNow(map, r, c, "weights") !== 0,
        text: (r, c) => {
          const slope = slopeNow(map, r, c);
          if (slope !== undefined) return wide ? numberText(slope, 2) : "";
          return wide || (fits && r === row) ? cellText(stage, numberNow(map, r, c), decimals) : "";
        },
        selected: own ? { row, column } : null,
        framed: own ? null : { row, column },
        pointed: page.pointed,
        marks: page.marks?.(map) ?? [],
      },
      page.theme,
    );
    setAttributes(part.maps[at].canvas, {
      tabindex: own ? "0" : "-1",
      "aria-label": `${stageNow().title}${name}: ${cellWords(row, column)}, ${textOf(map, row, column)}`,
    });
  });
}

// ---- other pictures of the stage ----

// The stages whose rows are points of one plane; null where they are of several widths. Of queries and keys those that meet.
function spaceNow() {
  const { stage } = page.cell,
    turned = page.stages.has("rotated_queries") ? "rotated_" : "";
  let space = ["values", "context"];
  if (stage === "embeddings") space = [stage];
  else if (stage === "output") space = ["embeddings", stage];
  else if (/queries|keys/.test(stage) || (stageNow().pair && !isShare(stage))) space = [`${turned}queries`, `${turned}keys`];
  const shapes = space.map((name) => page.stages.has(name) && page.stages.get(name).shape.slice(-2).join());
  return shapes.every((shape) => shape && shape === shapes[0]) ? space : null;
}

function viewsNow() {
  if (slopesNow()) return [];
  return [["map", "map"], isShare(page.cell.stage) && ["flow", "flow"], spaceNow() && ["vectors", "vectors"]].filter(Boolean);
}

export const viewNow = () => (viewsNow().some(([view]) => view === page.view) ? page.view : "map");

function flowNow() {
  const pick = (change) => {
    page.ofColumn = "column" in change;
    select(change, true);
  };
  const share = (row, column) => numberNow(selectedMap(), row, column);
  return flowPicture({ names: namesNow(), share, chosen: page.cell, ofColumn: page.ofColumn, pick });
}

let pulledPlane = null; // stays while a point is pulled

function pullEmbedding(row, place, typing, plane) {
  pulledPlane = typing ? plane : null;
  page.editing = page.editing && typing;
  if (!place) return select({});
  const session = copyOf(page.session),
    { columns, put } = inputsNow()[0];
  place.slice(0, columns.length).forEach((number, column) => put(session, row, column, Number(number.toFixed(2))));
  changeSession(session, true);
}

function vectorsNow() {
  const space = spaceNow(),
    { rows, columns } = shapeNow(space[0]),
    { cell } = page,
    met = /keys/.test(space[1]);
  const rowOf = (stage, row) => rowNow(stage, headOf(page.stages, stage, cell.head, headCount()), row),
    names = namesOf(page.session, page.stages, space[0]).rows;
  return vectorPicture({
    names,
    sets: space.map((stage) => names.map((_, row) => rowOf(stage, row))),
    titles: space.map((stage) => STAGES[stage].title),
    arrows: space[1] && !met ? "sets" : columns < 3 && rows <= MOST_ARROWS ? "origin" : "",
    chosen: within(cell.row, rows),
    pick: (row) => select({ row }, true),
    pull: space[0] === "embeddings" && pullEmbedding,
    side: Math.min(part.other.clientWidth, rootPx(28)),
    plane: pulledPlane,
  });
}

// What the picture shows, for its caption; "" of maps.
export function viewWords() {
  if (viewNow() === "flow") return FLOW_WORDS;
  if (viewNow() === "map") return "";
  const [first, second] = spaceNow().map((stage) => STAGES[stage].title.toLowerCase()),
    { columns } = shapeNow(spaceNow()[0]);
  const others = columns > 2 ? ` Of ${columns} numbers the first two are drawn.` : "",
    meaning =
      second === undefined
        ? " A point can be pulled."
        : `, green: ${second}${/keys/.test(second) ? "" : ", with an arrow from one to the other"}.`;
  return `Blue: ${first}${second === undefined ? "." : ""}${meaning}${others}`;
}

// The picture of the stage, as maps or another view of it.
export function renderPicture() {
  const view = viewNow(),
    views = viewsNow(),
    heads = listOfSize(headCount(), (head) => [head, `head ${head + page.countFrom}`]);
  const show = (chosen) => {
    page.view = chosen;
    select({});
  };
  part.picture.hidden = view !== "map";
  part.other.hidden = view === "map";
  replaceChildren(
    part.views,
    views.length > 1 && choices("how the stage is drawn", "view", "segments", views, view, show),
    view !== "map" &&
      heads.length > 1 &&
      choices("the head that is drawn", "viewed", "segments", heads, page.cell.head, (head) => select({ head })),
  );
  if (view !== "map") return replaceChildren(part.other, view === "flow" ? flowNow() : vectorsNow());
  layOutMaps();
  mapsShown().forEach((map, at) => renderCaption(map, part.captions[at]));
  paintMaps();
}

// ---- the strip of stages ----

function glyphOf(stage) {
  const { rows, columns } = shapeNow(stage),
    range = rangeOfStage(stage),
    head = headOf(page.stages, stage, page.cell.head, headCount());
  const canvas = element("canvas.glyph", { "aria-hidden": "true", width: columns, height: rows }),
    pen = canvas.getContext("2d"),
    image = pen.createImageData(columns, rows);
  for (let at = 0; at < rows * columns; ++at) {
    const value = numberNow(head, Math.floor(at / columns), at % columns, stage);
    image.data.set(Number.isFinite(value) ? [...colorOf(range, page.theme, value), 255] : [128, 128, 128, 40], 4 * at);
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

export function renderStrip() {
  const options = [...page.stages.keys()].map((stage) => [stage, glyphOf(stage), element("span", stage.replace("_", " "))]);
  replaceChildren(
    part.strip,
    choices("the stage that is shown", "stage", "strip", options, page.cell.stage, (stage) => select({ stage })),
  );
}
