// What conditions of a lesson's text ask of the inputs and settings of two layers: a slow twin of app/lesson_text/model_change.cpp.
import { readSession } from "./layer.js";
import { usesBias, usesParameter } from "./session.js";

const onOff = (on) => (on ? "on" : "off");

// The kind of the scale, which the layer has only as a number.
function scaleWord({ session }) {
  const scale = session.attention?.scale ?? "inverse_sqrt_dk";
  return typeof scale === "number" ? "number" : scale;
}

// A setting as conditions write it.
export function settingWord(setting, layer) {
  const { mask, normalization, projection, dropout, qkvBias, outputProjection, weights, disabledHeads } = layer;
  switch (setting) {
    case "mask":
      return ["none", "causal"].includes(mask.kind) ? mask.kind : "other";
    case "normalization":
      return normalization;
    case "projection":
      return projection;
    case "scale":
      return scaleWord(layer);
    case "dropout":
      return onOff(dropout.training && dropout.probability > 0);
    case "training":
      return onOff(dropout.training);
    case "bias":
      return onOff(qkvBias);
    case "output_projection":
      return onOff(outputProjection);
    case "dropout_seed":
      return dropout.seed === null ? "none" : "set";
    case "layout":
      return weights.layout;
    case "disabled_heads":
      return disabledHeads.length === 0 ? "none" : "some";
  }
  throw new Error(`no condition asks for ${setting}`);
}

const plain = (array) => array && { shape: array.shape ?? [array.count, array.rows, array.columns], data: Array.from(array.data) };

// Settings and inputs; which parameters are used is one of the settings.
function inputsOfLayer(layer) {
  const { projection, dOut, heads, keyHeads, dK, dV, qkvBias, outputProjection, position, softcap, sinks, normalization, dropout } = layer;
  const { disabledHeads, mask, queryCount, keyCount, overwritten } = layer;
  return {
    settings: {
      projection,
      dOut,
      heads,
      keyHeads,
      dK,
      dV,
      qkvBias,
      outputProjection,
      position,
      softcap,
      sinks,
      normalization,
      dropout,
      disabledHeads,
    },
    scale: [scaleWord(layer), scaleWord(layer) === "number" ? layer.scale : 0],
    mask: { ...mask, allowed: plain(mask.allowed) },
    counts: [queryCount, keyCount],
    inputs: [
      layer.embeddings,
      layer.keyEmbeddings,
      layer.given.query,
      layer.given.key,
      layer.given.value,
      layer.givenWeights,
      layer.bias,
    ].map(plain),
    overwritten: overwritten.map((block) => ({ ...block, values: plain(block.values) })),
  };
}

function sameWeights(a, b) {
  if (a.weights.layout !== b.weights.layout) return false;
  const same = (name) => JSON.stringify(plain(a.weights[name])) === JSON.stringify(plain(b.weights[name]));
  return ["query", "key", "value", "output"].every(
    (name) =>
      (!usesParameter(a, name) || !usesParameter(b, name) || same(name)) &&
      (!usesBias(a, name) || !usesBias(b, name) || same(`${name}_bias`)),
  );
}

export function sameInputs(a, b) {
  return a === b || (JSON.stringify(inputsOfLayer(a)) === JSON.stringify(inputsOfLayer(b)) && sameWeights(a, b));
}

const SETTING_FIELDS = { bias: "qkv_bias", heads: "num_heads" };

// The session `first` with one of the settings of `now`; a smaller number of heads switches off only those that are left.
function withSetting(first, now, part) {
  const attention = { ...first.attention },
    field = SETTING_FIELDS[part] ?? part;
  attention[field] = now.attention[field];
  if (part === "heads") attention.disabled_heads = (attention.disabled_heads ?? []).filter((head) => head < (now.attention.num_heads ?? 1));
  return { ...first, attention };
}

// Copies the referenced numbers of `from` into a matrix of the same shape.
function copyBlock(reference, from, to) {
  if (from?.shape.join() !== to?.shape.join() || !from) return;
  const [rows, columns] = from.shape.slice(-2),
    matrix = reference.weight ? 0 : (reference.sequence ?? 0) * rows * columns;
  from.data.forEach((number, i) => {
    const at = i - matrix,
      inRow = reference.every_row || Math.floor(at / columns) === (reference.row ?? 0),
      inColumn = reference.column === undefined || at % columns === reference.column;
    if (at >= 0 && at < rows * columns && inRow && inColumn) to.data[i] = number;
  });
}

const withShape = (batch) => batch && { shape: [batch.count, batch.rows, batch.columns], data: batch.data };

// Whether a part of the inputs, or one setting, is all that is different.
export function changedOnly({ part, left }, first, now) {
  if (sameInputs(first, now)) return false;
  if (part) {
    try {
      return sameInputs(readSession(withSetting(first.session, now.session, part)), now);
    } catch {
      return false; // the setting does not fit the others of the lesson
    }
  }
  const layer = { ...first, weights: { ...first.weights } },
    { weight } = left.ref;
  if (weight) {
    const own = first.weights[weight];
    if (own) layer.weights[weight] = { shape: own.shape, data: own.data.slice() };
    copyBlock(left.ref, now.weights[weight], layer.weights[weight]);
  } else if (first.embeddings) {
    layer.embeddings = { ...first.embeddings, data: first.embeddings.data.slice() };
    copyBlock(left.ref, withShape(now.embeddings), withShape(layer.embeddings));
  }
  return sameInputs(layer, now);
}
