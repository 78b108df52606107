#!/usr/bin/env python3
"""Gradients of sessions with a goal, as what they are by definition: how fast the loss changes with each number.

    /usr/bin/python3 generate_gradients.py gradients            writes gradients/NAME.headlight and gradients/NAME.golden.npz
    /usr/bin/python3 generate_gradients.py --check gradients    computes every session there again and compares with its .golden.npz
    /usr/bin/python3 generate_gradients.py --steps gradients    puts the training below into the sessions of another program, and its steps into
                                                                their .golden.npz

A number is moved by a tiny imaginary step i h; the imaginary part of the loss divided by h is the derivative, exact to the rounding of
float64 (Squire and Trapp 1998), so no formula of a gradient stands here. Only the noise of dropout is drawn by PyTorch.

The arrays of a golden: loss; grad.STAGE of every stage up to the goal's, with what is computed before it held; grad.NAME of the weights and
biases in the session's layout, and grad.key_embeddings. The stage `output` of a session with an output projection has the name
grad.output_stage, because grad.output is that of the matrix. Of a session with training also step.N.NAME, what is trained after N steps.
"""
import json
import pathlib
import sys

import numpy as np

STEP = 1e-30
COUNTS = (1, 2, 5)  # of steps

# Of the sessions that another program made.
TRAINING = {
    "previous-token": {"optimizer": "adam", "rate": 0.05},
    "two-rows-alone": {"optimizer": "sgd", "rate": 0.5},
    "output-squared": {"optimizer": "sgd", "rate": 0.1, "momentum": 0.9, "parameters": ["value", "output"]},
    "output-with-grouped-keys-and-rope": {"optimizer": "sgd", "rate": 0.25, "parameters": ["embeddings", "output", "query"]},
    "softcap-and-alibi": {"optimizer": "adamw", "rate": 0.02, "decay": 0.1, "parameters": ["embeddings", "query", "key"]},
    "padding-and-a-head-off": {"optimizer": "adam", "rate": 0.1, "betas": [0.5, 0.75], "epsilon": 1e-3, "parameters": ["embeddings", "value"]},
}


def array_of(value, folder):
    """Nested lists, in which "nan" and "-inf" may stand, or {"file": ..., "name": ...}."""
    if isinstance(value, dict):
        return np.asarray(np.load(folder / value["file"])[value["name"]], float)
    return np.array(json.loads(json.dumps(value).replace('"nan"', "NaN").replace('"-inf"', "-Infinity")), float)


def four_axes(array):
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def cut(rows, heads):
    """B x T x heads * width to B x heads x T x width."""
    return np.stack(np.split(rows, heads, axis=-1), axis=1)


class Layer:
    """A session's layer. `moved`: what is added to a stage, or as input.NAME to an input, before anything is computed from it."""

    def __init__(self, session, folder):
        self.session, self.folder = session, folder
        self.settings = session["attention"]
        self.heads = self.settings.get("num_heads", 1)
        self.groups = self.settings.get("num_kv_heads", self.heads)

    def number(self, value):
        return array_of(value, self.folder)

    def moved_input(self, name, value, moved):
        return value + moved.get("input." + name, 0)

    def inputs(self, moved, put):
        kind, session = self.settings.get("projection", "none"), self.session
        result = {}
        sizes = {"query": self.heads, "key": self.groups, "value": self.groups}
        if kind in ("linear", "none") and "given" not in session:
            x = self.number(session["embeddings"])
            x = put("embeddings", x if x.ndim == 3 else x[None])
            y = x
            if "key_embeddings" in session:
                y = self.number(session["key_embeddings"])
                y = self.moved_input("key_embeddings", y if y.ndim == 3 else y[None], moved)
            for name in sizes:
                rows = x if name == "query" else y
                result[name] = cut(self.linear(rows, name, moved) if kind == "linear" else rows, sizes[name])
            return result
        for name in sizes:
            if name not in session["given"]:
                continue
            rows = self.number(session["given"][name])
            result[name] = rows if rows.ndim == 4 else cut(rows if rows.ndim == 3 else rows[None], sizes[name])
        return result

    def linear(self, rows, name, moved):
        weights = self.session["weights"]
        matrix = self.moved_input(name, self.number(weights[name]), moved)
        rows = np.einsum("bti,io->bto" if weights["layout"] == "in_out" else "bti,oi->bto", rows, matrix)
        if name != "output" and not self.settings.get("qkv_bias"):
            return rows
        return rows + self.moved_input(name + "_bias", self.number(weights[name + "_bias"]), moved)

    def turned(self, rows, start):
        position = self.settings["position"]
        dims = position.get("dims") or rows.shape[-1]
        half = dims // 2
        result = rows.astype(complex)
        for pair in range(half):
            angle = (start + np.arange(rows.shape[2])) * position.get("theta", 10000.0) ** (-2.0 * pair / dims)
            first, second = (2 * pair, 2 * pair + 1) if position.get("pairs") == "neighbours" else (pair, pair + half)
            result[..., first] = rows[..., first] * np.cos(angle) - rows[..., second] * np.sin(angle)
            result[..., second] = rows[..., first] * np.sin(angle) + rows[..., second] * np.cos(angle)
        return result

    def offset(self, sequence):
        mask = self.settings.get("mask")
        offset = mask.get("offset", 0) if isinstance(mask, dict) else 0
        return offset[sequence if len(offset) > 1 else 0] if isinstance(offset, list) else offset

    def open_pairs(self, shape):
        mask = self.settings.get("mask", "none")
        result = np.ones(shape, bool)
        if mask == "none":
            return result
        rules = {"causal": True} if mask == "causal" else mask if isinstance(mask, dict) else {"allowed": mask}
        left, right = rules.get("window") or (None, None)
        for b, h, i, j in np.ndindex(*shape):
            at = i + self.offset(b)
            result[b, h, i, j] = not (
                (rules.get("causal") and j > at) or (left is not None and j < at - left)
                or (right is not None and j > at + right) or ("keys" in rules and j >= rules["keys"][b]))
        if "allowed" in rules:
            result &= np.broadcast_to(four_axes(self.number(rules["allowed"])) != 0, shape)
        return result

    def added(self, shape):
        """The bias and ALiBi; None without either."""
        position = self.settings.get("position") or {}
        result = np.zeros(shape)
        if position.get("kind") != "alibi" and "bias" not in self.settings:
            return None
        if position.get("kind") == "alibi":
            # Without slopes those of the paper, for a number of heads that is a power of two.
            slopes = position.get("slopes") or [2 ** (-8 * (head + 1) / self.heads) for head in range(self.heads)]
            for b, h, i, j in np.ndindex(*shape):
                result[b, h, i, j] = -slopes[h] * abs(i + self.offset(b) - j)
        if "bias" in self.settings:
            result = result + four_axes(self.number(self.settings["bias"]))
        return result

    def normalized(self, masked):
        closed = np.isneginf(masked.real)
        if self.settings.get("normalization", "softmax") == "sum":
            parts = np.where(closed, 0, masked)
        else:
            top = np.where(closed, -np.inf, masked.real).max(-1, keepdims=True)
            parts = np.where(closed, 0, np.exp(np.where(closed, 0, masked) - np.where(np.isneginf(top), 0, top)))
        empty = closed.all(-1, keepdims=True)
        return np.where(empty, 0, parts / np.where(empty, 1, parts.sum(-1, keepdims=True)))

    def stages(self, moved, noise):
        """Every stage by its name, in the order of computation."""
        out = {}

        def put(name, value):
            out[name] = value + moved.get(name, 0)
            return out[name]

        given = self.session.get("given", {})
        inputs = self.inputs(moved, put)
        repeat = self.heads // self.groups
        if "weights" in given:
            weights = put("weights", four_axes(self.number(given["weights"])).astype(complex))
            v = put("values", inputs["value"]) if "value" in inputs else None
        else:
            q, k = put("queries", inputs["query"]), put("keys", inputs["key"])
            v = put("values", inputs["value"])
            position = self.settings.get("position") or {}
            if position.get("kind") == "rope":
                q = put("rotated_queries", self.turned(q, position.get("start", 0)))
                k = put("rotated_keys", self.turned(k, position.get("key_start", 0)))
            weights = self.weights(put, q, np.repeat(k, repeat, 1))
        dropped = put("dropped", weights if noise is None else weights * noise)
        if v is None:
            return out
        context = put("context", np.einsum("bhij,bhjc->bhic", dropped, np.repeat(v, repeat, 1)))
        for head in self.settings.get("disabled_heads", []):
            context = context * (np.arange(self.heads) != head)[None, :, None, None]
        concat = put("concat", np.concatenate(list(np.moveaxis(context, 1, 0)), axis=-1))
        put("output", self.linear(concat, "output", moved) if self.settings.get("output_projection") else concat)
        return out

    def weights(self, put, q, k):
        scores = put("scores", np.einsum("bhic,bhjc->bhij", q, k))
        scale = self.settings.get("scale", "inverse_sqrt_dk")
        if not isinstance(scale, (int, float)):
            scale = 1 / np.sqrt(q.shape[-1]) if scale == "inverse_sqrt_dk" else 1
        x = put("scaled", scores * scale)
        cap = self.settings.get("softcap")
        if cap:
            x = put("capped", cap * np.tanh(x / cap))
        more = self.added(x.shape)
        if more is not None:
            # Minus infinity plus a complex number has no defined imaginary part.
            x = put("biased", np.where(np.isneginf(more), -np.inf, x + np.where(np.isneginf(more), 0, more)))
        masked = put("masked", np.where(self.open_pairs(x.shape), x, -np.inf))
        return put("weights", self.normalized(masked))


def loss(layer, moved, noise):
    goal = layer.session["goal"]
    x = layer.stages(moved, noise)[goal["stage"]]
    target = four_axes(layer.number(goal["target"]))
    target = np.broadcast_to(target, (x if x.ndim == 4 else x[:, None]).shape).reshape(x.shape)
    wanted = ~np.isnan(target)
    if goal["loss"] == "squared":
        return sum((x[at] - target[at]) ** 2 for at in zip(*np.nonzero(wanted))) / wanted.sum()
    rows = [at for at in np.ndindex(*x.shape[:-1]) if wanted[at].all() and target[at].sum() > 0]
    total = 0
    for at in rows:
        shares = target[at] / target[at].sum()
        total -= sum(t * np.log(w) for t, w in zip(shares, x[at]) if t > 0)
    return total / len(rows)


def derivative(shape, f):
    result = np.zeros(shape)
    for at in np.ndindex(*shape):
        step = np.zeros(shape, complex)
        step[at] = 1j * STEP
        result[at] = f(step).imag / STEP
    return result


def with_number(session, name, value):
    if name == "embeddings":
        return {**session, "embeddings": value.tolist()}
    return {**session, "weights": {**session["weights"], name: value.tolist()}}


def trained_names(session):
    weights = session.get("weights", {})
    chosen = session["training"].get("parameters", ["query", "key", "value", "output"])
    biased = {"output"} | ({"query", "key", "value"} if session["attention"].get("qkv_bias") else set())
    names = ["embeddings"] if "embeddings" in chosen else []
    for name in ("query", "key", "value", "output"):
        if name in chosen and name in weights:
            names += [name] + [name + "_bias"] * (name in biased)
    return names


def moved_by(how, step, number, gradient, state):
    """The number after a step, as torch.optim.SGD, Adam and AdamW define it. state: what the optimizer remembers, or nothing."""
    if how["optimizer"] == "sgd":
        state["u"] = gradient if step == 1 else how.get("momentum", 0) * state["u"] + gradient
        return number - how["rate"] * state["u"]
    first, second = how.get("betas", [0.9, 0.999])
    state["m"] = first * state.get("m", 0) + (1 - first) * gradient
    state["v"] = second * state.get("v", 0) + (1 - second) * gradient ** 2
    if how["optimizer"] == "adamw":
        number = number * (1 - how["rate"] * how.get("decay", 0.01))
    mean, square = state["m"] / (1 - first ** step), state["v"] / (1 - second ** step)
    return number - how["rate"] * mean / (np.sqrt(square) + how.get("epsilon", 1e-8))


def steps_of(session, folder, noise):
    result, states = {}, {}
    for step in range(1, max(COUNTS) + 1):
        layer, after = Layer(session, folder), session
        for name in trained_names(session):
            number = layer.number(session["embeddings"] if name == "embeddings" else session["weights"][name])
            shape = number.shape if name != "embeddings" or number.ndim == 3 else (1, *number.shape)
            at = "embeddings" if name == "embeddings" else "input." + name
            gradient = derivative(shape, lambda nudge: loss(layer, {at: nudge}, noise)).reshape(number.shape)
            number = moved_by(session["training"], step, number, gradient, states.setdefault(name, {}))
            after = with_number(after, name, number)
            if step in COUNTS:
                result[f"step.{step}.{name}"] = number
        session = after
    return result


def noise_of(session, shape):
    """The multipliers that torch.nn.Dropout draws after manual_seed(seed)."""
    dropout = session["attention"].get("dropout", {})
    if not dropout.get("probability") or not dropout.get("training", True):
        return None
    import torch
    torch.manual_seed(dropout["seed"])
    return torch.nn.functional.dropout(torch.ones(*shape), dropout["probability"]).double().numpy()


def golden(session, folder):
    layer = Layer(session, folder)
    plain = layer.stages({}, None)
    noise = noise_of(session, plain["weights"].shape)
    result = {"loss": np.array(loss(layer, {}, noise).real)}
    projects = session["attention"].get("output_projection")
    for name, value in plain.items():
        stored = "output_stage" if name == "output" and projects else name
        result["grad." + stored] = derivative(value.shape, lambda step: loss(layer, {name: step}, noise))
        if name == session["goal"]["stage"]:
            break
    weights = session.get("weights", {})
    for name in [n + end for n in ("query", "key", "value", "output") for end in ("", "_bias")]:
        used = not name.endswith("_bias") or name == "output_bias" or session["attention"].get("qkv_bias")
        if name in weights and used:
            shape = layer.number(weights[name]).shape
            result["grad." + name] = derivative(shape, lambda step: loss(layer, {"input." + name: step}, noise))
    if "key_embeddings" in session:
        rows = layer.number(session["key_embeddings"])
        shape = rows.shape if rows.ndim == 3 else (1, *rows.shape)
        result["grad.key_embeddings"] = derivative(shape, lambda step: loss(layer, {"input.key_embeddings": step}, noise))
    if "training" in session:
        result.update(steps_of(session, folder, noise))
    return result


def add_training(folder):
    for name, training in TRAINING.items():
        file = folder / f"{name}.headlight"
        session = {**json.loads(file.read_text()), "training": training}
        file.write_text(json.dumps(session, indent=1) + "\n")
        stored = dict(np.load(file.with_suffix(".golden.npz")))
        noise = noise_of(session, Layer(session, folder).stages({}, None)["weights"].shape)
        np.savez(file.with_suffix(".golden.npz"), **stored, **steps_of(session, folder, noise))


def cases():
    random = np.random.RandomState(5)

    def some(*shape):
        return random.uniform(-1.5, 1.5, shape).astype(np.float32).round(3).tolist()

    def session(name, goal, attention, queries=4, keys=None, **more):
        labels = {"tokens": [f"q{i}" for i in range(queries)]}
        if keys:
            labels["key_tokens"] = [f"k{i}" for i in range(keys)]
        return {"format": "headlight-session", "version": 1, "title": name, **labels, **more, "attention": attention, "goal": goal}

    def linear(d_in, key_d_in, attention, layout="in_out"):
        h, g = attention["num_heads"], attention.get("num_kv_heads", attention["num_heads"])
        d_k, d_v, weights = attention["d_k"], attention["d_v"], {"layout": layout}
        shapes = {"query": (d_in, h * d_k), "key": (key_d_in, g * d_k), "value": (key_d_in, g * d_v)}
        if attention.get("output_projection"):
            shapes["output"] = (h * d_v, attention["d_out"])
        for name, (rows, columns) in shapes.items():
            weights[name] = some(rows, columns) if layout == "in_out" else some(columns, rows)
            if name == "output" or attention.get("qkv_bias"):
                weights[name + "_bias"] = some(columns)
        return {"projection": "linear", **attention}, weights

    def squared(stage, target):
        return {"stage": stage, "loss": "squared", "target": target}

    a, w = linear(3, 5, {"d_out": 3, "num_heads": 4, "num_kv_heads": 2, "d_k": 4, "d_v": 2, "qkv_bias": True, "output_projection": True,
                         "position": {"kind": "rope", "theta": 30.0, "dims": 2, "pairs": "neighbours", "start": 2, "key_start": 1},
                         "softcap": 2.0, "mask": {"causal": True, "offset": [1, 2], "window": [2, None], "keys": [5, 4]}}, "out_in")
    yield session("cross-with-everything", squared("output", some(2, 1, 4, 3)), a, keys=5, embeddings=some(2, 4, 3),
                  key_embeddings=some(2, 5, 5), weights=w,
                  training={"optimizer": "adamw", "rate": 0.01, "parameters": ["embeddings", "query", "key", "value", "output"]})
    a, w = linear(3, 3, {"d_out": 4, "num_heads": 2, "d_k": 2, "d_v": 2, "mask": "causal",
                         "dropout": {"probability": 0.4, "training": True, "seed": 7}})
    yield session("dropout", squared("context", some(1, 2, 4, 2)), a, embeddings=some(4, 3), weights=w,
                  training={"optimizer": "sgd", "rate": 0.3, "momentum": 0.5})
    yield session("dropped-weights", squared("dropped", [["nan", 0.5, 0.25, 0.0]]), a, embeddings=some(4, 3), weights=w)
    yield session("no-projection", {"stage": "weights", "loss": "cross_entropy", "target": [[1, 1, 0, 2], [0, 0, 0, 0], [0, "nan", 1, 1], [0, 1, 0, 1]]},
                  {"projection": "none", "scale": 0.5}, embeddings=some(4, 3))
    yield session("naive-softmax", squared("concat", some(3, 4)),
                  {"projection": "none", "num_heads": 2, "normalization": "naive_softmax", "mask": [[1, 0, 0], [0, 0, 0], [1, 1, 1]]},
                  queries=3, embeddings=some(3, 4), training={"optimizer": "sgd", "rate": 0.2, "parameters": ["embeddings"]})
    weights = np.abs(np.array(some(1, 2, 3, 4)))
    yield session("given-weights", squared("output", some(3, 3)),
                  {"projection": "weights", "num_heads": 2, "d_out": 3, "d_k": 1, "d_v": 2, "output_projection": True}, queries=3, keys=4,
                  given={"weights": weights.tolist(), "value": some(4, 4)},
                  weights={"layout": "in_out", "output": some(4, 3), "output_bias": some(3)})
    yield session("given-weights-alone", {"stage": "weights", "loss": "cross_entropy", "target": [[0.5, 0.25, 0, 0.25]]},
                  {"projection": "weights", "num_heads": 2, "d_out": 2}, queries=3, keys=4, given={"weights": weights.tolist()})
    bias = some(1, 2, 3, 3)
    bias[0][0][1][2] = "-inf"
    a, w = linear(3, 3, {"d_out": 4, "num_heads": 2, "d_k": 2, "d_v": 2, "bias": bias, "position": {"kind": "alibi", "slopes": [0.5, 0.25]}})
    target = some(1, 2, 3, 3)
    target[0][0][1][2] = "nan"
    x = some(2, 3, 3)
    for stage in ("biased", "masked"):
        yield session("goal-of-" + stage, squared(stage, target), a, queries=3, embeddings=x, weights=w)
    for stage in ("queries", "values", "scores"):
        yield session("goal-of-" + stage, squared(stage, [["nan", 0.5, 1.0][:2 if stage != "scores" else 3]]), a, queries=3, embeddings=x, weights=w)


def main():
    folder = pathlib.Path(sys.argv[-1])
    if sys.argv[1] == "--steps":
        add_training(folder)
        return
    if sys.argv[1] != "--check":
        folder.mkdir(exist_ok=True)
        for session in cases():
            (folder / f"{session['title']}.headlight").write_text(json.dumps(session, indent=1) + "\n")
            np.savez(folder / f"{session['title']}.golden.npz", **golden(session, folder))
        return
    for file in sorted(folder.glob("*.headlight")):
        expected, got = np.load(file.with_suffix(".golden.npz")), golden(json.loads(file.read_text()), folder)
        missing = set(expected) - set(got)
        worst = max(np.abs(got[name] - expected[name]).max() for name in set(expected) & set(got))
        print(f"{file.stem}: differs by {worst:.1e}", f"without {sorted(missing)}" if missing else "")


if __name__ == "__main__":
    main()
