#!/usr/bin/env python3
"""Questions over data sets, computed from their definitions in NumPy with float64: sets/NAME.json for each sets/NAME.tsv.

The model is assets/examples/words, of the gpt2 family; every word of the sets is one token. What is in a file, for each row and, as
"mean" and "error" (the standard error, by n - 1), over the rows:
    loss             the mean of -ln p over the tokens of the text
    METRIC           logit_difference, rank, probability, log_probability of the target at the last token
    parts            L x H: what each head adds to the logit difference, the divisor of the last norm held
    heads.METRIC     L x H: the change of the metric with a head's context of the text `from` put in; if a text and its `from` differ in
                     length, at the named tokens alone
    residual.METRIC  L + 1 x names: the same of the stream at one named token
    ablation.METRIC  L x H: the change with a head's context replaced by its mean over all tokens of all texts of the set
"""
import json
import struct
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
MODEL = HERE.parent.parent / "assets/examples/words"
METRICS = ("logit_difference", "rank", "probability", "log_probability")
START = 900


def read_weights():
    with open(MODEL / "model.safetensors", "rb") as file:
        head = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    head.pop("__metadata__", None)
    kinds = {"F32": "<f4", "F16": "<f2"}
    return {name.removeprefix("transformer."): np.frombuffer(data[slice(*t["data_offsets"])], kinds[t["dtype"]])
            .reshape(t["shape"]).astype(np.float64) for name, t in head.items()}


CONFIG = json.loads((MODEL / "config.json").read_text())
WEIGHTS = read_weights()
VOCABULARY = json.loads((MODEL / "tokenizer.json").read_text())["model"]["vocab"]
LAYERS, HEADS = CONFIG["n_layer"], CONFIG["n_head"]
WIDTH = CONFIG["n_embd"] // HEADS


def token(word):
    return VOCABULARY["\u0120" + word]


def encode(text):
    return [START] + [token(word) for word in text.split(" ")]


def norm(x, name):
    deviation = np.sqrt(x.var(-1, keepdims=True) + CONFIG["layer_norm_epsilon"])
    return (x - x.mean(-1, keepdims=True)) / deviation * WEIGHTS[name + ".weight"] + WEIGHTS[name + ".bias"]


def linear(x, name):
    return x @ WEIGHTS[name + ".weight"] + WEIGHTS[name + ".bias"]


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def run(ids, change=lambda place, layer, x: x):
    """residual (L + 1 x T x d), context (L x H x T x d_v), mlp (L x T x d), logits (T x V). change: called with each before it is used."""
    x = WEIGHTS["wte.weight"][ids] + WEIGHTS["wpe.weight"][:len(ids)]
    seen = np.tri(len(ids), dtype=bool)
    residual, contexts = [], []
    for layer in range(LAYERS):
        x = change("residual", layer, x)
        residual.append(x)
        read = linear(norm(x, f"h.{layer}.ln_1"), f"h.{layer}.attn.c_attn")
        q, k, v = (part.reshape(len(ids), HEADS, WIDTH).transpose(1, 0, 2) for part in np.split(read, 3, -1))
        scores = np.where(seen, q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH), -np.inf)
        context = change("context", layer, softmax(scores) @ v)
        contexts.append(context)
        x = x + linear(context.transpose(1, 0, 2).reshape(len(ids), -1), f"h.{layer}.attn.c_proj")
        hidden = linear(norm(x, f"h.{layer}.ln_2"), f"h.{layer}.mlp.c_fc")
        gelu = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)))
        x = x + linear(gelu, f"h.{layer}.mlp.c_proj")
    residual.append(change("residual", LAYERS, x))
    return {"residual": np.stack(residual), "context": np.stack(contexts),
            "logits": norm(residual[-1], "ln_f") @ WEIGHTS["wte.weight"].T}


def metric(logits, row, kind):
    own = logits[row["target"]]
    if kind == "logit_difference":
        return own - logits[row["against"]]
    if kind == "rank":
        return 1.0 + (logits > own).sum()
    probability = softmax(logits)[row["target"]]
    return probability if kind == "probability" else np.log(probability)


def loss(ids):
    probabilities = softmax(run(ids)["logits"])
    return -np.mean([np.log(probabilities[i, ids[i + 1]]) for i in range(len(ids) - 1)])


def parts(row):
    pass_ = run(row["text"])
    end = pass_["residual"][-1][-1]
    direction = WEIGHTS["ln_f.weight"] * (WEIGHTS["wte.weight"][row["target"]] - WEIGHTS["wte.weight"][row["against"]])
    values = np.zeros((LAYERS, HEADS))
    for layer in range(LAYERS):
        output = WEIGHTS[f"h.{layer}.attn.c_proj.weight"].reshape(HEADS, WIDTH, -1)
        for head in range(HEADS):
            added = pass_["context"][layer, head, -1] @ output[head]
            values[layer, head] = (added - added.mean()) @ direction / np.sqrt(end.var() + CONFIG["layer_norm_epsilon"])
    return values


def changed(row, place, layer, unit, here, values, kind):
    """The change of the metric with values put in at the tokens `here` of a head, or of the stream if unit is None."""
    def change(at_place, at_layer, x):
        if (at_place, at_layer) != (place, layer):
            return x
        x = x.copy()
        if unit is None:
            x[here] = values
        else:
            x[unit, here] = values
        return x
    return metric(run(row["text"], change)["logits"][-1], row, kind) - metric(run(row["text"])["logits"][-1], row, kind)


def patched_heads(row, kind, whole):
    source = run(row["from"])["context"]
    here = list(range(len(row["text"]))) if whole else row["tokens"]
    there = here if whole else row["from_tokens"]
    return np.array([[changed(row, "context", layer, head, here, source[layer, head, there], kind)
                      for head in range(HEADS)] for layer in range(LAYERS)])


def patched_stream(row, kind):
    source = run(row["from"])["residual"]
    return np.array([[changed(row, "residual", layer, None, [here], source[layer, [there]], kind)
                      for here, there in zip(row["tokens"], row["from_tokens"])] for layer in range(LAYERS + 1)])


def ablated(rows, row, kind):
    means = np.concatenate([run(one["text"])["context"] for one in rows], 2).mean(2)
    every = list(range(len(row["text"])))
    return np.array([[changed(row, "context", layer, head, every, means[layer, head], kind)
                      for head in range(HEADS)] for layer in range(LAYERS)])


def place_of(cell, ids):
    if cell.startswith("#"):
        return range(len(ids))[int(cell[1:])]
    places = [at for at, one in enumerate(ids) if one == token(cell)]
    assert len(places) == 1, cell
    return places[0]


def read_rows(file):
    header, *lines = [line.split("\t") for line in file.read_text().splitlines()]
    rows = []
    for line in lines:
        cells = dict(zip(header, line))
        row = {"text": encode(cells["text"]), "from": encode(cells["from"]), "target": token(cells["target"]),
               "against": token(cells["against"])}
        names = [cell for name, cell in cells.items() if name.startswith("@")]
        row["tokens"] = [place_of(cell, row["text"]) for cell in names]
        alike = len(row["text"]) == len(row["from"])
        row["from_tokens"] = row["tokens"] if alike else [place_of(cell, row["from"]) for cell in names]
        rows.append(row)
    return rows


def answers(rows):
    whole = all(len(row["text"]) == len(row["from"]) for row in rows)
    for row in rows:
        found = {"loss": loss(row["text"]), "parts": parts(row)}
        for kind in METRICS:
            found[kind] = metric(run(row["text"])["logits"][-1], row, kind)
            found["heads." + kind] = patched_heads(row, kind, whole)
            found["residual." + kind] = patched_stream(row, kind)
            found["ablation." + kind] = ablated(rows, row, kind)
        yield found


def rounded(x):
    return np.vectorize(lambda number: float(f"{number:.9g}"))(x).tolist()


def main():
    for file in sorted((HERE / "sets").glob("*.tsv")):
        rows = list(answers(read_rows(file)))
        found = {}
        for name in rows[0]:
            stacked = np.stack([np.asarray(row[name]) for row in rows])
            found[name] = {"rows": rounded(stacked), "mean": rounded(stacked.mean(0)),
                           "error": rounded(stacked.std(0, ddof=1) / np.sqrt(len(rows)))}
        file.with_suffix(".json").write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
