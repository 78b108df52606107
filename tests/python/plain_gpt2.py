"""GPT-2 by definition, in float64: one pass with interventions, as FORMAT.md (engine/session) defines them.

T tokens, d width of the stream, L layers, H heads, d_k width of a head, n width of the MLP, V vocabulary.
"""
import json
import pathlib

import numpy as np

# In which array of a pass the numbers of a place stand.
FOUND_IN = {"residual": "residual", "queries": "queries", "keys": "keys", "values": "values", "weights": "weights",
            "head": "context", "neuron": "mlp", "mlp": "mlp_added"}
HOWS = ("zero", "mean", "resample", "value", "add", "project_out")


def tensors_of(folder):
    data = (pathlib.Path(folder) / "model.safetensors").read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    return {name: numbers_of(data[begin + one["data_offsets"][0]:begin + one["data_offsets"][1]], one["dtype"])
            .reshape(one["shape"]).astype(np.float64) for name, one in header.items()}


def numbers_of(piece, dtype):
    if dtype == "BF16":
        return (np.frombuffer(piece, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(piece, {"F32": "<f4", "F16": "<f2"}[dtype])


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def which(given, count):
    return np.arange(count) if given is None else np.arange(count)[np.atleast_1d(given)]


class PlainGpt2:
    def __init__(self, folder):
        config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        self.w = {name.removeprefix("transformer."): tensor for name, tensor in tensors_of(folder).items()}
        self.layers, self.heads, self.width = config["n_layer"], config["n_head"], config["n_embd"]
        self.epsilon = config.get("layer_norm_epsilon", 1e-5)
        self.neurons = self.w["h.0.mlp.c_fc.weight"].shape[1]
        self.vocabulary = len(self.w["wte.weight"])

    def norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + self.epsilon)
        return scaled * self.w[name + ".weight"] + self.w[name + ".bias"]

    def linear(self, x, name):
        return x @ self.w[name + ".weight"] + self.w[name + ".bias"]

    def units(self, place, x):
        """The numbers of a place as units x T x numbers: heads, neurons of one number each, or one unit."""
        return x.T[:, :, None] if place == "neuron" else x if x.ndim == 3 else x[None]

    def changed(self, place, layer, x, changes):
        for change in changes:
            if (change["place"], change["layer"]) == (place, layer):
                x = self.changed_once(place, layer, x, change)
        return x

    def changed_once(self, place, layer, x, change):
        units, how = self.units(place, x).copy(), change["how"]
        pairs = change.get("positions")
        here = which([one for one, _ in pairs] if pairs else change.get("position"), units.shape[1])
        chosen = np.ix_(which(change.get("neuron" if place == "neuron" else "head"), len(units)), here)
        numbers = units[chosen]

        def of(text):
            return self.units(place, self.run(text)[FOUND_IN[place]][layer])

        if how == "zero":
            numbers = 0
        elif how == "value":
            numbers = np.asarray(change["value"], float)
        elif how == "mean":
            numbers = np.concatenate([of(text) for text in change["texts"]], 1).mean(1, keepdims=True)[chosen[0][:, 0]]
        elif how == "resample":
            source = of(change["text"])
            there = which([one for _, one in pairs], source.shape[1]) if pairs else here
            numbers = source[np.ix_(chosen[0][:, 0], there)]
        else:
            direction = np.asarray(change["direction"], float).reshape(-1)
            if how == "add":
                numbers = numbers + change.get("strength", 1) * direction
            else:
                unit = direction / np.linalg.norm(direction)
                numbers = numbers - (numbers @ unit)[..., None] * unit
        units[chosen] = numbers
        return units[:, :, 0].T if place == "neuron" else units if x.ndim == 3 else units[0]

    def run(self, ids, changes=()):
        """residual (L + 1, T, d), weights (L, H, T, T), context (L, H, T, d_k), mlp (L, T, n), logits (T, V), and queries,
        keys, values, mlp_added."""
        tokens, out = len(ids), {}

        def at(place, layer, x):
            x = self.changed(place, layer, x, changes)
            out.setdefault(FOUND_IN[place], []).append(x)
            return x

        x = self.w["wte.weight"][ids] + self.w["wpe.weight"][:tokens]
        for layer in range(self.layers):
            name = f"h.{layer}."
            x = at("residual", layer, x)
            projected = self.linear(self.norm(x, name + "ln_1"), name + "attn.c_attn").reshape(tokens, 3, self.heads, -1)
            q, k, v = (at(place, layer, projected[:, i].transpose(1, 0, 2))
                       for i, place in enumerate(("queries", "keys", "values")))
            scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
            weights = at("weights", layer, softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf)))
            context = at("head", layer, weights @ v)
            x = x + self.linear(context.transpose(1, 0, 2).reshape(tokens, -1), name + "attn.c_proj")
            neurons = at("neuron", layer, gelu(self.linear(self.norm(x, name + "ln_2"), name + "mlp.c_fc")))
            x = x + at("mlp", layer, self.linear(neurons, name + "mlp.c_proj"))
        x = at("residual", self.layers, x)
        out["logits"] = self.norm(x, "ln_f") @ self.w.get("lm_head.weight", self.w["wte.weight"]).T
        return {name: np.stack(one) if isinstance(one, list) else one for name, one in out.items()}
