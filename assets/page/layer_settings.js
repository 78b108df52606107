// Settings of the page of a layer that are folded away: how rows are normalized, positions, softcap, rules of the mask, heads of keys.
import { part, segments, settingRow } from "./frame.js";
import { listField, numberField, toggle } from "./inputs.js";
import { element, replaceChildren } from "./picture.js";
import { changeSetting, page } from "./state.js";

const change = (members) => changeSetting((attention) => Object.assign(attention, members));
const asWords = (pairs) => pairs.map(([value, text]) => [value, text ?? String(value)]);

// ---- positions ----

function changePosition(members) {
  change({ position: { ...page.session.attention.position, ...members } });
}

function rotaryRows({ theta, dims, pairs, start, key_start: keyStart }) {
  const whole = (name) => (number) => changePosition({ [name]: number });
  return [
    settingRow("theta", numberField("base of the angles, theta", "theta", theta, whole("theta"), 100)),
    settingRow("dims turned", numberField("how many numbers of a head are turned", "dims", dims, whole("dims"), 2)),
    segments("pairs", "pairs", asWords([["halves"], ["neighbours"]]), pairs, (word) => changePosition({ pairs: word })),
    settingRow(
      "counted from",
      numberField("position of the first query", "start", start, whole("start"), 1),
      numberField("position of the first key", "key_start", keyStart, whole("key_start"), 1),
    ),
  ];
}

function positionRows() {
  const { position } = page.layer,
    kinds = asWords([["none"], ["rope", "rotary"], ["alibi", "ALiBi"]]);
  const rows = [
    segments("positions", "position", kinds, position.kind, (kind) => change({ position: kind === "none" ? null : { kind } })),
  ];
  if (position.kind === "rope") rows.push(...rotaryRows(position));
  if (position.kind === "alibi") {
    const field = listField("slope of each head", "slopes", position.slopes, "auto", (slopes) => changePosition({ slopes }));
    rows.push(settingRow("slopes", field));
  }
  return rows;
}

// ---- rules of the mask ----

// The mask as rules, of which each that is left out allows everything.
function rulesNow() {
  const { mask = "none" } = page.session.attention;
  if (Array.isArray(mask)) return { allowed: mask };
  return typeof mask === "object" ? mask : mask === "none" ? {} : { causal: true };
}

// Rules that are all of one kind in the shorter way to write them.
function changeRules(members) {
  const { window = [null, null], ...others } = { ...rulesNow(), ...members },
    rules = { ...others, ...(window.some((side) => side !== null) ? { window } : {}) };
  for (const [name, rule] of Object.entries(rules)) if (rule === false || rule?.length === 0) delete rules[name];
  const names = Object.keys(rules).join();
  change({ mask: names === "" ? "none" : names === "causal" ? "causal" : names === "allowed" ? rules.allowed : rules });
}

function ruleRows() {
  const { causal = false, window = [null, null], offset = [], keys = [] } = rulesNow(),
    sides = window.length === 2 ? window : [null, null];
  const sideField = (side, name) =>
    listField(`keys ${name} of the query that are seen`, `window.${name}`, sides[side] === null ? [] : [sides[side]], "all", (most) =>
      changeRules({ window: sides.map((own, at) => (at === side ? (most[0] ?? null) : own)) }),
    );
  const counts = (label, key, list, rest) => listField(label, key, [list].flat(), rest, (numbers) => changeRules({ [key]: numbers }));
  return [
    settingRow("later keys hidden", toggle("later keys are hidden", "causal", causal, (on) => changeRules({ causal: on }))),
    settingRow("window", sideField(0, "before"), sideField(1, "behind")),
    settingRow("first query at", counts("place of the first query among the keys, for each sequence", "offset", offset, "0")),
    settingRow("keys in use", counts("how many keys there are, for each sequence", "keys", keys, "all")),
  ];
}

// ---- all of them ----

function keyHeadsRow() {
  const { heads, keyHeads } = page.layer,
    counts = Array.from({ length: heads }, (_, i) => i + 1).filter((count) => heads % count === 0);
  const set = (count) =>
    changeSetting((attention, session) => {
      attention.num_kv_heads = count === heads ? undefined : count;
      delete session.goal; // has a number for each head
      delete session.training;
    });
  return segments("heads of keys", "kv_heads", asWords(counts.map((count) => [count])), keyHeads, set);
}

export function renderMoreSettings() {
  const { layer } = page,
    kinds = asWords([["softmax"], ["naive_softmax", "naive"], ["sum"]]);
  part.more.hidden = layer.projection === "weights"; // attention as it was saved: none of them takes part
  if (part.more.hidden) return;
  replaceChildren(
    part.moreSettings,
    segments("normalize", "normalization", kinds, layer.normalization, (normalization) => change({ normalization })),
    settingRow(
      "softcap",
      numberField("limit of scores, 0 for none", "softcap", layer.softcap, (softcap) => change({ softcap: softcap || null }), 1),
    ),
    positionRows(),
    ruleRows(),
    layer.heads > 1 && keyHeadsRow(),
  );
}

export function moreSettings() {
  part.moreSettings = element("div");
  part.more = element("details.more-settings", element("summary", "More settings"), part.moreSettings);
  return part.more;
}
