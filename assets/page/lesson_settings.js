// What lessons ask to change and the page of a layer does not have: how weights are drawn, biases, the seed of dropout, many of its draws.
import { segments, settingRow } from "./frame.js";
import { numberField, toggle } from "./inputs.js";
import { copyOf, dropoutNoise } from "./layer.js";
import { button } from "./picture.js";
import { changeSession, changeSetting, page, select } from "./state.js";
import { numberAt } from "./trace.js";

const DRAWS = 100; // of dropout, at a press

// Draws the weights anew, as the program does: nn.Linear stores them the other way round.
function drawAnew(change) {
  const { init, seed, order } = { ...page.layer.recipe, ...change };
  changeSession({ ...copyOf(page.session), weights: { init, seed, order } });
}

// Dropout with further seeds: their mean stands in the picture in place of the layer's own draw, until something is changed.
function drawMany() {
  const { layer, stages } = page,
    { shape, data } = stages.get("weights"),
    { sum = new Float64Array(data.length), count = 0 } = page.draws ?? {};
  for (let i = 0; i < DRAWS; i++) {
    const dropout = { ...layer.dropout, seed: Number(layer.dropout.seed ?? 0) + count + i };
    dropoutNoise({ ...layer, dropout }).forEach((noise, at) => (sum[at] += noise * data[at]));
  }
  const mean = Float32Array.from(sum, (number) => number / (count + DRAWS));
  page.draws = { sum, count: count + DRAWS, stages: new Map([["dropped", { shape, data: mean }]]) };
  select({ stage: "dropped" });
}

// The mean of the draws for a cell of "dropped"; undefined while there are none.
export const drawnMean = (cell) => (page.draws ? numberAt(page.draws.stages, cell) : undefined);

export function drawingRows() {
  const { recipe, projection, dropout, qkvBias } = page.layer,
    rows = [];
  if (recipe) {
    const inits = [
      ["rand", "rand"],
      ["linear", "nn.Linear"],
    ];
    rows.push(segments("weights", "init", inits, recipe.init, (init) => drawAnew({ init })));
    rows.push(
      settingRow(
        "seed",
        numberField("seed of the weights", "seed", Number(recipe.seed), (seed) => drawAnew({ seed: Math.round(seed) }), 1),
        button({ class: "plain", "data-key": "draw", click: () => drawAnew({}) }, "Draw"),
      ),
    );
  }
  const setBias = (qkv_bias) => changeSetting((attention) => Object.assign(attention, { qkv_bias }));
  if (projection === "linear" && recipe && !page.layer.isEdited)
    rows.push(settingRow("bias", toggle("bias of queries, keys and values", "bias", qkvBias, setBias)));
  if (dropout.probability > 0) {
    const setSeed = (seed) => changeSetting((attention) => (attention.dropout = { ...attention.dropout, seed: Math.round(seed) }));
    const seed = Number(dropout.seed ?? 0);
    rows.push(settingRow("seed of dropout", numberField("seed of dropout", "dropout.seed", seed, setSeed, 1)));
    if (dropout.training && page.stages.has("scores"))
      rows.push(
        settingRow(
          "",
          button(
            { class: "plain", "data-key": "draw_again", click: () => setSeed(Number(page.layer.dropout.seed ?? 0) + 1) },
            "Draw again",
          ),
          button({ class: "plain", "data-key": "many_draws", click: drawMany }, "Many draws"),
        ),
      );
  }
  return rows;
}
