// What pages of a layer and of a lesson share: the sum behind a number, the caption and the colours, inputs and settings.
import { colorOf, cssColor, isShare, numberText, textOn } from "./colors.js";
import { part, segments, settingRow, within } from "./frame.js";
import { numberField, toggle } from "./inputs.js";
import { drops, editableMask, inMap, isHidden, mapName, mapsShown, openNow, rangeNow, selectedMap, slopeNow, slopesNow } from "./maps.js";
import { setPainting, textOf, toggleMask, viewWords } from "./maps.js";
import { button, colorBar, element, focusOn, labelOf, numberTable, replaceChildren, rowBars } from "./picture.js";
import { changeSetting, inputsNow, namesNow, numberNow, page, select, shapeNow, stageNow, stepHistory } from "./state.js";
import { listOfSize } from "./session.js";
import { traceOf } from "./trace.js";

const PIECES_SHOWN = 24; // of a long sum: 12 boxes and their signs

// ---- the derivation ----

function pieceElement(piece, reach) {
  if (piece.kind === "power") return element("span.sign", "e", element("sup", piece.text));
  if (piece.kind !== "box") return element("span", { class: piece.kind }, piece.text ?? "");
  const color = Number.isFinite(piece.value)
    ? colorOf({ kind: "signed", low: -reach, high: reach }, page.theme, piece.value)
    : [128, 128, 128];
  const chip = piece.to ? button({ class: "chip", click: () => followPiece(piece.to) }, piece.text) : element("span.chip", piece.text);
  Object.assign(chip.style, { background: cssColor(color), color: textOn(color) });
  return element("span.piece", chip, element("span.piece-name", piece.label));
}

// Goes to where a number comes from: a cell of an earlier stage, or of an input.
function followPiece(to) {
  if (to.stage) {
    select(to);
    return focusOn(part.trace);
  }
  page.input = to.input;
  renderInputs();
  part.table.moveTo(to);
}

export function renderTrace() {
  const { cell } = page,
    { row, column } = cell,
    names = namesNow(),
    map = selectedMap(),
    own = { ...cell, head: map };
  const traced = stageNow().perHead ? own : cell,
    { looked } = page,
    pieces = looked ? looked.pieces : slopesNow() ? page.traceSlope(traced) : traceOf(page.layer, page.stages, traced),
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
          "data-key": "more",
          click: () => {
            page.allTerms = true;
            renderTrace();
          },
        },
        `… ${Math.round((last + 1 - PIECES_SHOWN) / 4)} more products …`,
      ),
    );
  const name = (text) => labelOf(text, "bdi.own"),
    ofStage = stageNow().pair ? "" : ` · ${stageNow().title.toLowerCase()}`,
    ofDraw = page.draws && cell.stage === "dropped" ? " in the layer's own draw" : "";
  replaceChildren(
    part.trace,
    element(
      "h2",
      element(
        "b",
        looked ? looked.name : name(names.rows[row]),
        ...(looked ? [] : stageNow().pair ? [" asks, ", name(names.columns[column]), " answers"] : [`, ${names.columns[column]}`]),
      ),
      !looked && element("span.quiet", `${inMap()}${ofStage}${ofDraw}`),
      editableMask() && button({ class: "small", "data-key": "mask", click: toggleMask }, openNow() ? "hide this pair" : "show this pair"),
      editableMask() &&
        button(
          {
            class: "small",
            "data-key": "paint",
            "aria-pressed": String(page.paints),
            title: "A click on a pair of the picture hides it, or shows it",
            click: () => setPainting(!page.paints),
          },
          "Paint",
        ),
    ),
    element("div.pieces", shown),
  );
  const caption = [`${slopesNow() ? "Gradients: " : ""}${stageNow().title} of `, labelOf(names.rows[row]), inMap()];
  part.bars.replaceChildren(
    rowBars(
      caption,
      names.columns,
      names.columns.map((_, at) => slopeNow(map, row, at) ?? numberNow(map, row, at)),
      (at) => textOf(map, row, at),
      column,
      (at) => select({ column: at }),
    ),
  );
}

// ---- the caption, the colours and the table behind the picture ----

export function renderLegend() {
  const { stage } = page.cell,
    { pair, keyed, title } = stageNow(),
    { heads, rows, columns } = shapeNow(),
    range = rangeNow(),
    slopes = slopesNow(),
    more = page.theme === "light" ? "Darker" : "Lighter";
  const maps = heads === 1 ? "" : page.alone || viewWords() ? `, ${mapName(selectedMap())}` : `, ${heads} heads`;
  const said = [pair ? "Rows look from, columns at." : keyed ? "A row for each token attended to." : "A row for each token."];
  if (viewWords()) said.splice(0, 1, viewWords());
  else if (slopes) said.push("Each cell says how fast the loss grows with its number: it falls where the number grows if that is purple.");
  else if (isShare(stage))
    said.push(
      `${more} is a larger share${range.logarithmic ? ", each power of ten alike" : ""}` +
        `${stage === "weights" && !page.layer.sinks.length ? "; every row adds up to 100\u00a0%" : ""}.`,
    );
  else said.push(range.kind === "signed" ? "Green is above zero, purple below." : `${more} green is more.`);
  const cells = listOfSize(rows * columns, (at) => [Math.floor(at / columns), at % columns]);
  if (pair && !viewWords() && mapsShown().some((map) => cells.some(([row, column]) => isHidden(map, row, column))))
    said.push(`Hatched: ${page.layer.mask.kind === "causal" ? "later words, " : ""}hidden by the mask.`);
  if (stage === "dropped" && drops())
    said.push(page.draws ? `The mean of ${page.draws.count} draws.` : "Crossed: dropped; the others grow in return.");
  part.caption.replaceChildren(element("b", `${title}${maps}. `), said.join(" "));
  const isOfShares = isShare(stage) && !slopes,
    of = slopes ? "gradient" : isOfShares ? "share of attention" : title.toLowerCase();
  part.colors.replaceChildren(viewWords() ? "" : colorBar(range, page.theme, of, isOfShares));
  if (part.behind.open) renderBehind();
}

export function renderBehind() {
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

export function renderInputs() {
  const inputs = inputsNow(),
    input = inputs.find(({ id }) => id === page.input) ?? inputs[0];
  for (const one of [part.table.root, part.inputChoice]) one.hidden = !input; // attention as it was saved may have none
  if (!input) return;
  page.input = input.id;
  if (document.activeElement !== part.inputChoice)
    part.inputChoice.replaceChildren(...inputs.map(({ id, name }) => element("option", { value: id }, name)));
  part.inputChoice.value = input.id;
  const slopes = page.gradients?.[`W_${input.id}`] ?? page.gradients?.[input.id],
    size = input.rows.length * input.columns.length,
    begin = slopes?.shape.length > 2 ? size * page.cell.sequence : 0;
  part.table.slopes = slopes?.data.subarray(begin, begin + size);
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
  const counts = listOfSize(16, (i) => i + 1).filter((count) => layer.dOut % count === 0);
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

export function renderSettings() {
  const { attention } = page.session,
    { layer } = page,
    { dropout } = layer,
    rows = [];
  const words = (list) => list.map((word) => [word, String(word)]),
    set = (name) => (value) =>
      changeSetting((edited) => {
        edited[name] = value;
      });
  const counts = headChoices(),
    { sequences } = shapeNow(),
    drop = (change) =>
      changeSetting((edited) => (edited.dropout = { probability: 0, training: true, seed: null, ...edited.dropout, ...change }));
  if (sequences > 1)
    rows.push(
      segments("sequence", "sequence", words(listOfSize(sequences, Number)), page.cell.sequence, (sequence) => select({ sequence })),
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

// ---- keys, and what a page hands out ----

export function pageKeys(event) {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.target.tagName === "INPUT" || !"zy".includes(key)) return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) stepHistory(page.redone, page.undone);
  else stepHistory(page.undone, page.redone);
}

// The stage as nested lists of its shape.
export function nestedNumbers({ shape, data }, depth = 0, begin = 0, size = data.length) {
  const each = size / shape[depth];
  return listOfSize(shape[depth], (i) =>
    depth === shape.length - 1 ? data[begin + i] : nestedNumbers({ shape, data }, depth + 1, begin + i * each, each),
  );
}
