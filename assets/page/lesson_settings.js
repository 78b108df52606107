// Settings that lessons ask to change and the page of a layer does not have: how weights are drawn, biases, the seed of dropout.
import { segments, settingRow } from "./frame.js";
import { numberField, toggle } from "./inputs.js";
import { changeSession, changeSetting, copyOf, page } from "./state.js";

// Draws the weights anew, as the program does: nn.Linear stores them the other way round.
function drawAnew(change) {
  const { init, seed, order } = { ...page.layer.recipe, ...change };
  changeSession({ ...copyOf(page.session), weights: { init, seed, order } });
}

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
        numberField("seed of the weights", "seed", Number(recipe.seed), (seed) => drawAnew({ seed: Math.round(seed) })),
      ),
    );
  }
  const setBias = (qkv_bias) => changeSetting((attention) => Object.assign(attention, { qkv_bias }));
  if (projection === "linear" && recipe && !page.layer.isEdited)
    rows.push(settingRow("bias", toggle("bias of queries, keys and values", "bias", qkvBias, setBias)));
  if (dropout.probability > 0) {
    const setSeed = (seed) => changeSetting((attention) => (attention.dropout = { ...attention.dropout, seed: Math.round(seed) }));
    rows.push(
      settingRow(
        "seed of dropout",
        numberField("seed of dropout", "dropout.seed", dropout.seed === null ? 0 : Number(dropout.seed), setSeed),
      ),
    );
  }
  return rows;
}
