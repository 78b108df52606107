"""Models of every family with other options than library/ has, in plain NumPy.

Each function below computes a family as its own code does, in float64, from a config.json and its tensors by name;
it shares nothing with the engine but the names. Run

    /usr/bin/python3 generate_variants.py variants            # writes variants/FAMILY.json anew
    /usr/bin/python3 generate_variants.py --check library     # compares with what the library itself computed

A file is a list of variants: "config", "tensors" (name: shape, middle, spread), what goes in, and the arrays that
come out. Weights are not stored: number i of tensor k, in the order of the file, is drawn by `numbers()`.
"""
import json
import math
import os
import re
import sys

import numpy as np

ERF = np.vectorize(math.erf)
ACT = {
    "gelu": lambda x: 0.5 * x * (1 + ERF(x / math.sqrt(2))),
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "quick_gelu": lambda x: x / (1 + np.exp(-1.702 * x)),
    "relu2": lambda x: np.maximum(x, 0) ** 2,
}
ACT["gelu_new"] = ACT["gelu_pytorch_tanh"] = lambda x: 0.5 * x * (
    1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def numbers(k, count, middle, spread):
    """Number i: middle + spread (u - 0.5), u from the bits of a multiplied and mixed i; float32."""
    h = (np.arange(count, dtype=np.uint64) * 2654435761 + 40503 * (k + 1)) & 0xFFFFFFFF
    for shift in (16, 13):
        h ^= h >> np.uint64(shift)
        h = (h * 2246822519) & 0xFFFFFFFF
    h ^= h >> np.uint64(16)
    return (middle + spread * (h.astype(np.float64) / 2**32 - 0.5)).astype(np.float32)


class Weights:
    """Tensors by name, behind the first prefix that there is."""

    def __init__(self, tensors, *prefixes):
        self.t = tensors
        self.p = next((p for p in prefixes if any(n.startswith(p) for n in tensors)), "")

    def __call__(self, name, optional=False):
        for whole in (self.p + name, name):
            if whole in self.t:
                return self.t[whole]
        if optional:
            return None
        raise KeyError(name)

    def linear(self, name, x):
        y = x @ self(name + ".weight").T
        bias = self(name + ".bias", True)
        return y if bias is None else y + bias

    def ln(self, name, x, eps):
        return layer_norm(x, eps, self(name + ".weight", True), self(name + ".bias", True))


def layer_norm(x, eps, w=None, b=None):
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)
    y = y if w is None else y * w
    return y if b is None else y + b


def rms(x, eps, w, one=0.0):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * (w + one)


def heads_of(x, n):
    """T x (n d) to n x T x d."""
    return x.reshape(x.shape[0], n, -1).transpose(1, 0, 2)


def causal(t, window=None):
    i, j = np.arange(t)[:, None], np.arange(t)[None, :]
    open_ = j <= i
    return open_ if window is None else open_ & (i - j < window)


def attend(q, k, v, scale, mask=None, bias=None, sinks=None, cap=None):
    """Weights and concat. q: H x T x d; k, v: G x Tk x d."""
    k, v = (np.repeat(a, q.shape[0] // a.shape[0], axis=0) for a in (k, v))
    s = q @ k.transpose(0, 2, 1) * scale
    s = s if cap is None else cap * np.tanh(s / cap)
    s = s if bias is None else s + bias
    s = s if mask is None else np.where(mask, s, -np.inf)
    top = s.max(-1, keepdims=True)
    if sinks is not None:
        top = np.maximum(top, sinks[:, None, None])
    e = np.exp(s - top)
    total = e.sum(-1, keepdims=True)
    if sinks is not None:
        total = total + np.exp(sinks[:, None, None] - top)
    w = e / total
    return w, (w @ v).transpose(1, 0, 2).reshape(q.shape[1], -1)


def frequencies(c, dims, theta, scaling, t):
    """Angles per position of each pair, and the factor of cosine and sine."""
    f = theta ** -(np.arange(0, dims, 2) / dims)
    scaling = scaling or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    most = c.get("max_position_embeddings", c.get("n_positions"))
    if kind == "linear":
        return f / scaling["factor"], 1.0
    if kind == "dynamic":
        longer = max(t, most) / most
        grown = theta * (scaling["factor"] * longer - (scaling["factor"] - 1)) ** (dims / (dims - 2))
        return grown ** -(np.arange(0, dims, 2) / dims), 1.0
    if kind == "llama3":
        wave, old = 2 * math.pi / f, scaling["original_max_position_embeddings"]
        low, high = old / scaling["low_freq_factor"], old / scaling["high_freq_factor"]
        smooth = (old / wave - scaling["low_freq_factor"]) / (
            scaling["high_freq_factor"] - scaling["low_freq_factor"])
        mixed = (1 - smooth) * f / scaling["factor"] + smooth * f
        return np.where(wave > low, f / scaling["factor"], np.where(wave < high, f, mixed)), 1.0
    if kind == "yarn":
        old, factor = scaling.get("original_max_position_embeddings", most), scaling["factor"]

        def pair(turns):
            return dims * math.log(old / (turns * 2 * math.pi)) / (2 * math.log(theta))

        first, last = pair(scaling.get("beta_fast") or 32), pair(scaling.get("beta_slow") or 1)
        if scaling.get("truncate", True):
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, dims - 1)
        last = last + 0.001 if first == last else last
        kept = 1 - np.clip((np.arange(dims // 2) - first) / (last - first), 0, 1)

        def magnitude(s, m=1.0):
            return 1.0 if s <= 1 else 0.1 * m * math.log(s) + 1

        by = scaling.get("attention_factor")
        if by is None and scaling.get("mscale") and scaling.get("mscale_all_dim"):
            by = magnitude(factor, scaling["mscale"]) / magnitude(factor, scaling["mscale_all_dim"])
        return f / factor * (1 - kept) + f * kept, magnitude(factor) if by is None else by
    if kind in ("longrope", "su"):
        old = scaling.get("original_max_position_embeddings", c.get("original_max_position_embeddings", 4096))
        s = most / old
        by = scaling.get("attention_factor")
        if by is None:
            by = 1.0 if s <= 1 else math.sqrt(1 + math.log(s) / math.log(old))
        return f / np.array(scaling["long_factor" if t > old else "short_factor"]), by
    return f, 1.0


def turn(x, f, by=1.0, neighbours=False):
    """Rotary positions. x: H x T x d."""
    a = np.arange(x.shape[1])[:, None] * f
    cos, sin, n = by * np.cos(a), by * np.sin(a), 2 * len(f)
    y = x.copy()
    one, two = (x[..., 0:n:2], x[..., 1:n:2]) if neighbours else (x[..., : n // 2], x[..., n // 2 : n])
    first, second = one * cos - two * sin, two * cos + one * sin
    if neighbours:
        y[..., 0:n:2], y[..., 1:n:2] = first, second
    else:
        y[..., : n // 2], y[..., n // 2 : n] = first, second
    return y


def alibi_slopes(n):
    low = 2 ** math.floor(math.log2(n))
    s = [2 ** (-8 * i / low) for i in range(1, low + 1)]
    return np.array(s + [2 ** (-4 * i / low) for i in range(1, 2 * (n - low), 2)])


class Run:
    """What goes through the layers, and what is recorded."""

    def __init__(self):
        self.streams, self.weights = [], []

    def layer(self, x, w):
        self.weights.append(w)
        self.streams.append(x)
        return x

    def done(self, logits=None):
        out = {"residual": np.stack(self.streams)}
        out.update({"weights.%d" % i: w for i, w in enumerate(self.weights)})
        if logits is not None:
            out["logits"] = logits
        return out


def head(c, w, x, name="lm_head", tokens="embed_tokens", tied=False):
    """Logits; None where the files have no head."""
    if c.get("tie_word_embeddings", tied):
        y = x @ w(tokens + ".weight").T
        bias = w.t.get(name + ".bias")
        return y if bias is None else y + bias
    return w.linear(name, x) if name + ".weight" in w.t else None


# ---- GPT-2 and those like it ----


def gpt2(c, t, ids):
    w, run = Weights(t, "transformer."), Run()
    big, act = c["model_type"] == "gpt_bigcode", ACT[c.get("activation_function", "gelu_new")]
    d, h, eps = c["n_embd"], c["n_head"], c.get("layer_norm_epsilon", 1e-5)
    x = run.layer(w("wte.weight")[ids] + w("wpe.weight")[: len(ids)], None)
    run.weights.clear()

    def lin(name, v):
        return w.linear(name, v) if big else v @ w(name + ".weight") + w(name + ".bias")

    for i in range(c["n_layer"]):
        p = "h.%d." % i
        qkv = lin(p + "attn.c_attn", w.ln(p + "ln_1", x, eps))
        if big and not c.get("multi_query", True):
            q, k, v = qkv.reshape(len(ids), h, 3, -1).transpose(2, 1, 0, 3)
        elif big:
            q, k, v = heads_of(qkv[:, :d], h), qkv[None, :, d : d + d // h], qkv[None, :, d + d // h :]
        else:
            q, k, v = (heads_of(a, h) for a in np.split(qkv, 3, -1))
        scale = (d // h) ** -0.5 if c.get("scale_attn_weights", True) else 1.0
        if c.get("scale_attn_by_inverse_layer_idx"):
            scale /= i + 1
        a, z = attend(q, k, v, scale, causal(len(ids)))
        x = x + lin(p + "attn.c_proj", z)
        x = x + lin(p + "mlp.c_proj", act(lin(p + "mlp.c_fc", w.ln(p + "ln_2", x, eps))))
        run.layer(x, a)
    return run.done(head(c, w, w.ln("ln_f", x, eps), tokens="wte", tied=True))


def gpt_neo(c, t, ids):
    w, run, n, eps = Weights(t, "transformer."), Run(), len(ids), c.get("layer_norm_epsilon", 1e-5)
    kinds = [k for part, times in c["attention_types"] for _ in range(times) for k in part]
    x = run.layer(w("wte.weight")[ids] + w("wpe.weight")[:n], None)
    run.weights.clear()
    for i, kind in enumerate(kinds):
        p = "h.%d." % i
        y = w.ln(p + "ln_1", x, eps)
        q, k, v = (heads_of(w.linear(p + "attn.attention.%s_proj" % s, y), c["num_heads"]) for s in "qkv")
        a, z = attend(q, k, v, 1.0, causal(n, c["window_size"] if kind == "local" else None))
        x = x + w.linear(p + "attn.attention.out_proj", z)
        y = ACT[c.get("activation_function", "gelu_new")](w.linear(p + "mlp.c_fc", w.ln(p + "ln_2", x, eps)))
        x = run.layer(x + w.linear(p + "mlp.c_proj", y), a)
    return run.done(head(c, w, w.ln("ln_f", x, eps), tokens="wte", tied=True))


def gptj(c, t, ids):
    w, run, n, h = Weights(t, "transformer."), Run(), len(ids), c["n_head"]
    eps, act = c.get("layer_norm_epsilon", 1e-5), ACT[c.get("activation_function", "gelu_new")]
    f = 10000.0 ** -(np.arange(0, c["rotary_dim"], 2) / c["rotary_dim"])
    x = run.layer(w("wte.weight")[ids], None)
    run.weights.clear()
    for i in range(c["n_layer"]):
        p = "h.%d." % i
        y = w.ln(p + "ln_1", x, eps)
        if c["model_type"] == "codegen":
            blocks = w.linear(p + "attn.qkv_proj", y).reshape(n, 4, 3, -1)
            q, v, k = (heads_of(blocks[:, :, j].reshape(n, -1), h) for j in range(3))
        else:
            q, k, v = (heads_of(w.linear(p + "attn.%s_proj" % s, y), h) for s in "qkv")
        q, k = turn(q, f, neighbours=True), turn(k, f, neighbours=True)
        a, z = attend(q, k, v, q.shape[-1] ** -0.5, causal(n))
        x = x + w.linear(p + "attn.out_proj", z) + w.linear(p + "mlp.fc_out", act(w.linear(p + "mlp.fc_in", y)))
        run.layer(x, a)
    return run.done(head(c, w, w.ln("ln_f", x, eps), tokens="wte"))


def gpt_neox(c, t, ids):
    w, run, n, h = Weights(t, "gpt_neox."), Run(), len(ids), c["num_attention_heads"]
    eps, act, d_k = c.get("layer_norm_eps", 1e-5), ACT[c.get("hidden_act", "gelu")], c["hidden_size"] // h
    f, by = frequencies(c, int(d_k * c["rotary_pct"]), c["rotary_emb_base"], c.get("rope_scaling"), n)
    x = run.layer(w("embed_in.weight")[ids], None)
    run.weights.clear()
    for i in range(c["num_hidden_layers"]):
        p = "layers.%d." % i
        qkv = w.linear(p + "attention.query_key_value", w.ln(p + "input_layernorm", x, eps))
        q, k, v = qkv.reshape(n, h, 3, d_k).transpose(2, 1, 0, 3)
        a, z = attend(turn(q, f, by), turn(k, f, by), v, d_k**-0.5, causal(n))
        z = w.linear(p + "attention.dense", z)
        read = x if c.get("use_parallel_residual", True) else x + z
        y = act(w.linear(p + "mlp.dense_h_to_4h", w.ln(p + "post_attention_layernorm", read, eps)))
        x = run.layer(x + z + w.linear(p + "mlp.dense_4h_to_h", y), a)
    return run.done(head(c, w, w.ln("final_layer_norm", x, eps), "embed_out", "embed_in"))


def opt(c, t, ids):
    w, run, n, h = Weights(t, "model.decoder.", "decoder."), Run(), len(ids), c["num_attention_heads"]
    before, act, eps = c.get("do_layer_norm_before", True), ACT[c.get("activation_function", "relu")], 1e-5
    x = w("embed_tokens.weight")[ids]
    if c.get("word_embed_proj_dim", c["hidden_size"]) != c["hidden_size"]:
        x = w.linear("project_in", x)
    x = run.layer(x + w("embed_positions.weight")[2 : n + 2], None)
    run.weights.clear()
    for i in range(c["num_hidden_layers"]):
        p = "layers.%d." % i
        y = w.ln(p + "self_attn_layer_norm", x, eps) if before else x
        q, k, v = (heads_of(w.linear(p + "self_attn.%s_proj" % s, y), h) for s in "qkv")
        a, z = attend(q, k, v, q.shape[-1] ** -0.5, causal(n))
        x = x + w.linear(p + "self_attn.out_proj", z)
        x = x if before else w.ln(p + "self_attn_layer_norm", x, eps)
        y = w.ln(p + "final_layer_norm", x, eps) if before else x
        x = x + w.linear(p + "fc2", act(w.linear(p + "fc1", y)))
        x = run.layer(x if before else w.ln(p + "final_layer_norm", x, eps), a)
    if before and not c.get("_remove_final_layer_norm"):
        x = w.ln("final_layer_norm", x, eps)
    if c.get("word_embed_proj_dim", c["hidden_size"]) != c["hidden_size"]:
        x = w.linear("project_out", x)
    return run.done(head(c, w, x, tied=True))


def bloom(c, t, ids):
    w, run, n, h, eps = Weights(t, "transformer."), Run(), len(ids), c["n_head"], c.get("layer_norm_epsilon", 1e-5)
    behind = c.get("apply_residual_connection_post_layernorm", False)
    x = run.layer(w.ln("word_embeddings_layernorm", w("word_embeddings.weight")[ids], eps), None)
    run.weights.clear()
    bias = alibi_slopes(h)[:, None, None] * np.arange(n)[None, None]
    for i in range(c["n_layer"]):
        p = "h.%d." % i
        y = w.ln(p + "input_layernorm", x, eps)
        q, k, v = w.linear(p + "self_attention.query_key_value", y).reshape(n, h, 3, -1).transpose(2, 1, 0, 3)
        a, z = attend(q, k, v, q.shape[-1] ** -0.5, causal(n), bias)
        x = (y if behind else x) + w.linear(p + "self_attention.dense", z)
        y = w.ln(p + "post_attention_layernorm", x, eps)
        m = w.linear(p + "mlp.dense_4h_to_h", ACT["gelu_new"](w.linear(p + "mlp.dense_h_to_4h", y)))
        x = run.layer((y if behind else x) + m, a)
    return run.done(head(c, w, w.ln("ln_f", x, eps), tokens="word_embeddings", tied=True))


def mpt(c, t, ids):
    w, run, n, h, eps = Weights(t, "transformer."), Run(), len(ids), c["n_heads"], c.get("layer_norm_epsilon", 1e-5)
    own = c.get("attn_config", {})
    power = 2 ** math.ceil(math.log2(h))
    slopes = 2.0 ** -(np.arange(1, power + 1) * own.get("alibi_bias_max", 8) / power)
    if power != h:
        slopes = np.concatenate([slopes[1::2], slopes[::2]])[:h]
    bias = slopes[:, None, None] * np.arange(1 - n, 1)[None, None]
    x = run.layer(w("wte.weight")[ids], None)
    run.weights.clear()
    for i in range(c["n_layers"]):
        p = "blocks.%d." % i
        qkv = w.linear(p + "attn.Wqkv", w.ln(p + "norm_1", x, eps))
        if own.get("clip_qkv"):
            qkv = np.clip(qkv, -own["clip_qkv"], own["clip_qkv"])
        q, k, v = (heads_of(a, h) for a in np.split(qkv, 3, -1))
        a, z = attend(q, k, v, own.get("softmax_scale") or q.shape[-1] ** -0.5, causal(n), bias)
        x = x + w.linear(p + "attn.out_proj", z)
        y = ACT["gelu"](w.linear(p + "ffn.up_proj", w.ln(p + "norm_2", x, eps)))
        x = run.layer(x + w.linear(p + "ffn.down_proj", y), a)
    return run.done(head(c, w, w.ln("norm_f", x, eps), tokens="wte", tied=True))


def bfloat16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return bits.astype(np.uint32).view(np.float32)


def falcon(c, t, ids):
    w, run, n, h = Weights(t, "transformer."), Run(), len(ids), c["num_attention_heads"]
    d_k, eps, act = c["hidden_size"] // h, c.get("layer_norm_epsilon", 1e-5), ACT[c.get("activation", "gelu")]
    newer, parallel = c.get("new_decoder_architecture", False), c.get("parallel_attn", True)
    norms = c.get("num_ln_in_parallel_attn") or (2 if newer else 1)
    x = run.layer(w("word_embeddings.weight")[ids], None)
    run.weights.clear()
    bias = None
    if c.get("alibi"):
        slopes = bfloat16(alibi_slopes(h))
        bias = bfloat16(slopes[:, None, None] * bfloat16(np.arange(n, dtype=np.float32))) * d_k**-0.5
    f, by = frequencies(c, d_k, c.get("rope_theta", 10000.0), c.get("rope_scaling"), n)
    for i in range(c["num_hidden_layers"]):
        p = "h.%d." % i
        two = newer and norms == 2
        y = w.ln(p + ("ln_attn" if two else "input_layernorm"), x, eps)
        qkv = w.linear(p + "self_attention.query_key_value", y)
        if newer:
            g = c["num_kv_heads"]
            groups = qkv.reshape(n, g, h // g + 2, d_k)
            q = groups[:, :, :-2].reshape(n, h, d_k).transpose(1, 0, 2)
            k, v = groups[:, :, -2].transpose(1, 0, 2), groups[:, :, -1].transpose(1, 0, 2)
        elif c.get("multi_query", True):
            all_ = qkv.reshape(n, h + 2, d_k).transpose(1, 0, 2)
            q, k, v = all_[:-2], all_[-2:-1], all_[-1:]
        else:
            q, k, v = qkv.reshape(n, h, 3, d_k).transpose(2, 1, 0, 3)
        if bias is None:
            q, k = turn(q, f, by), turn(k, f, by)
        a, z = attend(q, k, v, d_k**-0.5, causal(n), bias)
        z = w.linear(p + "self_attention.dense", z)
        if two:
            read = w.ln(p + "ln_mlp", x, eps)
        else:
            read = y if parallel else w.ln(p + "post_attention_layernorm", x + z, eps)
        x = x + z + w.linear(p + "mlp.dense_4h_to_h", act(w.linear(p + "mlp.dense_h_to_4h", read)))
        run.layer(x, a)
    return run.done(head(c, w, w.ln("ln_f", x, eps), tokens="word_embeddings", tied=True))


# ---- Llama and those derived from it ----


def experts_of_llama(c, w, p, y):
    """Mixtral's and Qwen 3's mixtures of experts."""
    mixtral = c["model_type"] == "mixtral"
    s = w.linear(p + ("block_sparse_moe.gate" if mixtral else "mlp.gate"), y)
    s = np.exp(s - s.max(-1, keepdims=True))
    s /= s.sum(-1, keepdims=True)
    out = np.zeros_like(y)
    for row in range(len(y)):
        top = np.argsort(-s[row], kind="stable")[: c["num_experts_per_tok"]]
        total = s[row, top].sum() if mixtral or c.get("norm_topk_prob") else 1.0
        for e in top:
            names = ("block_sparse_moe.experts.%d.", "w1", "w3", "w2") if mixtral else (
                "mlp.experts.%d.", "gate_proj", "up_proj", "down_proj")
            q = p + names[0] % e
            hidden = ACT[c["hidden_act"]](w.linear(q + names[1], y[row])) * w.linear(q + names[2], y[row])
            out[row] += s[row, e] / total * w.linear(q + names[3], hidden)
    return out


def experts_of_gpt_oss(c, w, p, y):
    s, out = w.linear(p + "mlp.router", y), np.zeros_like(y)
    for row in range(len(y)):
        top = np.argsort(-s[row], kind="stable")[: c["num_experts_per_tok"]]
        share = np.exp(s[row, top] - s[row, top].max())
        share /= share.sum()
        for e, by in zip(top, share):
            both = y[row] @ w(p + "mlp.experts.gate_up_proj")[e] + w(p + "mlp.experts.gate_up_proj_bias")[e]
            gate, up = np.minimum(both[::2], 7), np.clip(both[1::2], -7, 7)
            hidden = (up + 1) * gate / (1 + np.exp(-1.702 * gate))
            out[row] += by * (hidden @ w(p + "mlp.experts.down_proj")[e] + w(p + "mlp.experts.down_proj_bias")[e])
    return out


def windows_of(c):
    """By layer, the window or None."""
    kind, layers, window = c["model_type"], c["num_hidden_layers"], c.get("sliding_window")
    types = c.get("layer_types")
    if kind in ("mistral", "mixtral", "phi3", "starcoder2"):
        return [window] * layers
    if kind == "qwen3_moe":
        return [window if c.get("use_sliding_window") else None] * layers
    if kind in ("gemma2", "gpt_oss"):
        slides = [i % 2 == 0 for i in range(layers)]
    elif kind == "gemma3_text":
        slides = [(i + 1) % c.get("sliding_window_pattern", 6) != 0 for i in range(layers)]
    elif kind in ("qwen2", "qwen3"):
        window = window if c.get("use_sliding_window") else None
        slides = [window is not None and i >= c.get("max_window_layers", 28) for i in range(layers)]
    elif kind == "smollm3":
        window = window if c.get("use_sliding_window") else None
        slides = [window is not None and not turned_layers(c)[i] for i in range(layers)]
    else:
        return [None] * layers
    if types:
        slides = [one == "sliding_attention" for one in types]
    return [window if one else None for one in slides]


def turned_layers(c):
    if c.get("no_rope_layers"):
        return [bool(one) for one in c["no_rope_layers"]]
    if c["model_type"] != "smollm3":
        return [True] * c["num_hidden_layers"]
    return [(i + 1) % c.get("no_rope_layer_interval", 4) != 0 for i in range(c["num_hidden_layers"])]


def llama(c, t, ids):
    kind = c["model_type"]
    w, run, n, h, d = Weights(t, "model."), Run(), len(ids), c["num_attention_heads"], c["hidden_size"]
    g = c.get("num_key_value_heads") or h
    d_k = c.get("head_dim") or d // h
    gemma = kind.startswith("gemma")
    eps = c.get("rms_norm_eps", c.get("layer_norm_eps", c.get("norm_epsilon", 1e-5)))
    act = ACT[c.get("hidden_activation") or c.get("hidden_act") or "silu"]
    by_layer = kind in ("olmo", "cohere", "stablelm", "starcoder2", "phi")

    def norm(name, v):
        if by_layer:
            return w.ln(name, v, eps)
        return rms(v, eps, w(name + ".weight"), 1.0 if gemma else 0.0)

    share = c.get("partial_rotary_factor", {"stablelm": 0.25, "phi": 0.5}.get(kind, 1.0))
    nested = c.get("rope_parameters") or {}
    full = nested.get("full_attention", nested) or {}
    local = nested.get("sliding_attention", {})
    theta = full.get("rope_theta", c.get("rope_theta", 10000.0))
    turns = {True: frequencies(c, int(d_k * share), theta, c.get("rope_scaling") or full, n)}
    if kind == "gemma3_text":
        base = local.get("rope_theta", c.get("rope_local_base_freq", 10000.0))
        turns[False] = frequencies(c, d_k, base, local, n)
    scale = d_k**-0.5
    if gemma and kind != "gemma":
        scale = c.get("query_pre_attn_scalar", 256) ** -0.5
    if kind == "granite":
        scale = c["attention_multiplier"]
    x = w("embed_tokens.weight")[ids]
    x = x * (np.float64(np.float32(math.sqrt(d))) if gemma else c.get("embedding_multiplier", 1.0))
    run.layer(x, None)
    run.weights.clear()
    windows, turned = windows_of(c), turned_layers(c)
    parallel = kind in ("cohere", "phi") or c.get("use_parallel_residual", False)
    more = c.get("residual_multiplier", 1.0)
    for i in range(c["num_hidden_layers"]):
        p = "layers.%d." % i
        y = x if kind == "olmo2" else norm(p + "input_layernorm", x)
        if kind == "phi3":
            qkv = w.linear(p + "self_attn.qkv_proj", y)
            q, k, v = qkv[:, : h * d_k], qkv[:, h * d_k : (h + g) * d_k], qkv[:, (h + g) * d_k :]
        else:
            q, k, v = (w.linear(p + "self_attn.%s_proj" % s, y) for s in "qkv")
        if c.get("clip_qkv"):
            q, k, v = (np.clip(one, -c["clip_qkv"], c["clip_qkv"]) for one in (q, k, v))
        if kind == "olmo2":
            q, k = norm(p + "self_attn.q_norm", q), norm(p + "self_attn.k_norm", k)
        q, k, v = heads_of(q, h), heads_of(k, g), heads_of(v, g)
        if kind in ("qwen3", "qwen3_moe", "gemma3_text"):
            q, k = norm(p + "self_attn.q_norm", q), norm(p + "self_attn.k_norm", k)
        if kind == "cohere" and c.get("use_qk_norm"):
            q, k = (layer_norm(one, eps) * w(p + "self_attn.%s_norm.weight" % s)[:, None] for one, s in ((q, "q"), (k, "k")))
        if c.get("qk_layernorm") and kind == "phi":
            q, k = norm(p + "self_attn.q_layernorm", q), norm(p + "self_attn.k_layernorm", k)
        if c.get("qk_layernorm") and kind == "stablelm":
            q, k = (np.stack([layer_norm(one[j], eps, w(p + "self_attn.%s_layernorm.norms.%d.weight" % (s, j)))
                              for j in range(len(one))]) for one, s in ((q, "q"), (k, "k")))
        if turned[i]:
            f, by = turns[windows[i] is None] if False in turns else turns[True]
            q, k = (turn(one, f, by, kind == "cohere") for one in (q, k))
        sinks = w(p + "self_attn.sinks") if kind == "gpt_oss" else None
        cap = c.get("attn_logit_softcapping", 50.0) if kind == "gemma2" else None
        a, z = attend(q, k, v, scale, causal(n, windows[i]), sinks=sinks, cap=cap)
        z = w.linear(p + ("self_attn.dense" if kind == "phi" else "self_attn.o_proj"), z)
        around = kind in ("gemma2", "gemma3_text", "olmo2")
        z = norm(p + "post_attention_layernorm", z) if around else z
        entered, x = x, x + more * z
        if kind == "olmo2":
            y = x
        elif not (parallel):
            y = norm(p + ("pre_feedforward_layernorm" if around else "post_attention_layernorm"), x)
        sparse = kind == "mixtral" or (kind == "qwen3_moe" and i not in (c.get("mlp_only_layers") or [])
                                       and c["num_experts"] > 0 and (i + 1) % c.get("decoder_sparse_step", 1) == 0)
        if kind == "gpt_oss":
            m = experts_of_gpt_oss(c, w, p, y)
        elif sparse:
            m = experts_of_llama(c, w, p, y)
        elif kind == "phi3":
            gate, up = np.split(w.linear(p + "mlp.gate_up_proj", y), 2, -1)
            m = w.linear(p + "mlp.down_proj", act(gate) * up)
        elif kind in ("starcoder2", "phi"):
            one, two = ("fc1", "fc2") if kind == "phi" else ("c_fc", "c_proj")
            m = w.linear(p + "mlp." + two, act(w.linear(p + "mlp." + one, y)))
        else:
            m = act(w.linear(p + "mlp.gate_proj", y)) * w.linear(p + "mlp.up_proj", y)
            m = w.linear(p + "mlp.down_proj", m)
        m = norm(p + "post_feedforward_layernorm", m) if around else m
        x = run.layer(x + more * m, a)
    x = norm("final_layernorm" if kind == "phi" else "norm", x)
    tied = gemma or kind in ("smollm3", "cohere", "starcoder2")
    logits = head(c, w, x, tied=tied)
    if logits is not None:
        logits = logits * c.get("logit_scale", 1.0) / c.get("logits_scaling", 1.0)
        cap = c.get("final_logit_softcapping", 30.0) if kind == "gemma2" else c.get("final_logit_softcapping")
        logits = logits if not cap else cap * np.tanh(logits / cap)
    return run.done(logits)


# ---- encoders ----


def bert(c, t, ids):
    kind = c["model_type"]
    w, run, n = Weights(t, kind + "."), Run(), len(ids)
    h, eps = c["num_attention_heads"], c.get("layer_norm_eps", 1e-12)
    act = ACT[c.get("hidden_act", "gelu_new" if kind == "albert" else "gelu")]
    places = np.arange(n)
    if kind == "roberta":
        pad = c.get("pad_token_id", 1)
        real = np.array([one != pad for one in ids])
        places = np.cumsum(real) * real + pad
    x = w("embeddings.word_embeddings.weight")[ids] + w("embeddings.position_embeddings.weight")[places]
    x = w.ln("embeddings.LayerNorm", x + w("embeddings.token_type_embeddings.weight")[0], eps)
    if kind == "albert":
        x = w.linear("encoder.embedding_hidden_mapping_in", x)
    if kind == "electra" and c["embedding_size"] != c["hidden_size"]:
        x = w.linear("embeddings_project", x)
    run.layer(x, None)
    run.weights.clear()
    if kind == "albert":
        names, q = [], ["attention.query", "attention.key", "attention.value", "attention.dense",
                        "attention.LayerNorm", "ffn", "ffn_output", "full_layer_layer_norm"]
        for i in range(c["num_hidden_layers"]):
            group = int(i / (c["num_hidden_layers"] / c.get("num_hidden_groups", 1)))
            names += ["encoder.albert_layer_groups.%d.albert_layers.%d." % (group, j)
                      for j in range(c.get("inner_group_num", 1))]
    else:
        names = ["encoder.layer.%d." % i for i in range(c["num_hidden_layers"])]
        q = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
             "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"]
    for p in names:
        qkv = [heads_of(w.linear(p + one, x), h) for one in q[:3]]
        a, z = attend(*qkv, qkv[0].shape[-1] ** -0.5, causal(n) if c.get("is_decoder") else None)
        x = w.ln(p + q[4], x + w.linear(p + q[3], z), eps)
        x = w.ln(p + q[7], x + w.linear(p + q[6], act(w.linear(p + q[5], x))), eps)
        run.layer(x, a)
    dense, norm, out, bias = {
        "bert": ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                 "cls.predictions.decoder", "cls.predictions.bias"),
        "roberta": ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias"),
        "electra": ("generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head",
                    "generator_lm_head.bias"),
        "albert": ("predictions.dense", "predictions.LayerNorm", "predictions.decoder", "predictions.bias"),
    }[kind]
    if dense + ".weight" not in t:
        return run.done()
    own = act if kind in ("bert", "albert") else ACT["gelu"]
    y = w.ln(norm, own(w.linear(dense, x)), eps)
    tied = c.get("tie_word_embeddings", True)
    last = w("embeddings.word_embeddings.weight") if tied else t[out + ".weight"]
    return run.done(y @ last.T + t[bias])


def distilbert(c, t, ids):
    w, run, n, h, act, eps = Weights(t, "distilbert."), Run(), len(ids), c["n_heads"], ACT[c["activation"]], 1e-12
    x = w("embeddings.word_embeddings.weight")[ids] + w("embeddings.position_embeddings.weight")[:n]
    x = run.layer(w.ln("embeddings.LayerNorm", x, eps), None)
    run.weights.clear()
    for i in range(c["n_layers"]):
        p = "transformer.layer.%d." % i
        q, k, v = (heads_of(w.linear(p + "attention.%s_lin" % s, x), h) for s in "qkv")
        a, z = attend(q, k, v, q.shape[-1] ** -0.5)
        x = w.ln(p + "sa_layer_norm", x + w.linear(p + "attention.out_lin", z), eps)
        x = w.ln(p + "output_layer_norm", x + w.linear(p + "ffn.lin2", act(w.linear(p + "ffn.lin1", x))), eps)
        run.layer(x, a)
    y = w.ln("vocab_layer_norm", act(w.linear("vocab_transform", x)), eps)
    last = w("embeddings.word_embeddings.weight") if c.get("tie_word_embeddings", True) else t["vocab_projector.weight"]
    return run.done(y @ last.T + t["vocab_projector.bias"])


def modernbert(c, t, ids):
    w, run, n, h = Weights(t, "model."), Run(), len(ids), c["num_attention_heads"]
    eps, act, d_k = c.get("norm_eps", 1e-5), ACT[c.get("hidden_activation", "gelu")], c["hidden_size"] // h
    x = run.layer(w.ln("embeddings.norm", w("embeddings.tok_embeddings.weight")[ids], eps), None)
    run.weights.clear()
    apart = np.abs(np.arange(n)[:, None] - np.arange(n)[None])
    for i in range(c["num_hidden_layers"]):
        p = "layers.%d." % i
        whole = i % c.get("global_attn_every_n_layers", 3) == 0
        theta = c["global_rope_theta"] if whole or c.get("local_rope_theta") is None else c["local_rope_theta"]
        f, _ = frequencies(c, d_k, theta, None, n)
        y = x if i == 0 else w.ln(p + "attn_norm", x, eps)
        q, k, v = (heads_of(one, h) for one in np.split(w.linear(p + "attn.Wqkv", y), 3, -1))
        a, z = attend(turn(q, f), turn(k, f), v, d_k**-0.5, None if whole else apart <= c["local_attention"] // 2)
        x = x + w.linear(p + "attn.Wo", z)
        one, two = np.split(w.linear(p + "mlp.Wi", w.ln(p + "mlp_norm", x, eps)), 2, -1)
        x = run.layer(x + w.linear(p + "mlp.Wo", act(one) * two), a)
    y = w.linear("head.dense", w.ln("final_norm", x, eps))
    y = w.ln("head.norm", ACT[c.get("classifier_activation", "gelu")](y), eps)
    last = w("embeddings.tok_embeddings.weight") if c.get("tie_word_embeddings", True) else t["decoder.weight"]
    return run.done(y @ last.T + (t["decoder.bias"] if c.get("decoder_bias", True) else 0))


def vit(c, t, image):
    w, run, h, eps = Weights(t, "vit."), Run(), c["num_attention_heads"], c.get("layer_norm_eps", 1e-12)
    pair = lambda one: one if isinstance(one, list) else [one, one]
    (high, wide), (ph, pw) = pair(c["image_size"]), pair(c["patch_size"])
    kernel = w("embeddings.patch_embeddings.projection.weight").reshape(c["hidden_size"], -1)
    patches = [image[:, i : i + ph, j : j + pw].reshape(-1)
               for i in range(0, high - ph + 1, ph) for j in range(0, wide - pw + 1, pw)]
    x = np.stack(patches) @ kernel.T + w("embeddings.patch_embeddings.projection.bias")
    x = np.concatenate([w("embeddings.cls_token")[0], x]) + w("embeddings.position_embeddings")[0]
    run.layer(x, None)
    run.weights.clear()
    for i in range(c["num_hidden_layers"]):
        p = "encoder.layer.%d." % i
        y = w.ln(p + "layernorm_before", x, eps)
        q, k, v = (heads_of(w.linear(p + "attention.attention." + s, y), h) for s in ("query", "key", "value"))
        a, z = attend(q, k, v, q.shape[-1] ** -0.5)
        x = x + w.linear(p + "attention.output.dense", z)
        y = ACT[c.get("hidden_act", "gelu")](w.linear(p + "intermediate.dense", w.ln(p + "layernorm_after", x, eps)))
        x = run.layer(x + w.linear(p + "output.dense", y), a)
    return run.done(w.linear("classifier", w.ln("layernorm", x, eps)[0]))


# ---- two sides ----


def both(encoder, decoder, cross, logits):
    out = {}
    for side, (run, last) in (("encoder.", encoder), ("decoder.", decoder)):
        out.update({side + k: v for k, v in run.done().items()})
        out[side + "output"] = last
    out.update({"cross.weights.%d" % i: a for i, a in enumerate(cross)})
    out["logits"] = logits
    return out


def t5(c, t, ids, decoder_ids):
    w, h, eps = Weights(t), c["num_heads"], c.get("layer_norm_epsilon", 1e-6)
    word = c["feed_forward_proj"]
    gated = word.startswith("gated-")
    act = ACT["gelu_new" if word == "gated-gelu" else word.split("-")[-1]]

    def buckets(n, both_ways):
        count, most = c["relative_attention_num_buckets"], c["relative_attention_max_distance"]
        r = np.arange(n)[None] - np.arange(n)[:, None]
        base = 0
        if both_ways:
            count //= 2
            base = (r > 0) * count
            r = np.abs(r)
        else:
            r = -np.minimum(r, 0)
        exact = count // 2
        far = exact + (np.log(np.maximum(r, 1).astype(np.float32) / exact) / np.float32(math.log(most / exact))
                       * (count - exact)).astype(int)
        return base + np.where(r < exact, r, np.minimum(far, count - 1))

    def norm(name, x):
        return rms(x, eps, w(name + ".weight"))

    def heads(p, x, names):
        return [heads_of(w.linear(p + s, x), h) for s in names]

    def side(name, x, memory, layers):
        run, crossed, n = Run(), [], len(x)
        run.layer(x, None)
        run.weights.clear()
        table = w(name + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight")
        bias = table[buckets(n, memory is None)].transpose(2, 0, 1)
        for i in range(layers):
            p = name + ".block.%d.layer." % i
            y = norm(p + "0.layer_norm", x)
            a, z = attend(*heads(p + "0.SelfAttention.", y, "qkv"), 1.0, causal(n) if memory is not None else None, bias)
            x = x + w.linear(p + "0.SelfAttention.o", z)
            last = "1."
            if memory is not None:
                last = "2."
                y, e = norm(p + "1.layer_norm", x), p + "1.EncDecAttention."
                b, z = attend(*heads(e, y, "q"), *heads(e, memory, "kv"), 1.0)
                crossed.append(b)
                x = x + w.linear(e + "o", z)
            y, m = norm(p + last + "layer_norm", x), p + last + "DenseReluDense."
            y = act(w.linear(m + "wi_0", y)) * w.linear(m + "wi_1", y) if gated else act(w.linear(m + "wi", y))
            x = run.layer(x + w.linear(m + "wo", y), a)
        return run, norm(name + ".final_layer_norm", x), crossed

    shared = w("shared.weight")
    enc = side("encoder", shared[ids], None, c["num_layers"])
    dec = side("decoder", shared[decoder_ids], enc[1], c.get("num_decoder_layers") or c["num_layers"])
    y = dec[1]
    tied = c.get("tie_word_embeddings", True)
    logits = y * c["d_model"] ** -0.5 @ shared.T if tied else w.linear("lm_head", y)
    return both(enc[:2], dec[:2], dec[2], logits)


def bart(c, t, ids, decoder_ids):
    w, eps, act = Weights(t, "model."), 1e-5, ACT[c["activation_function"]]
    by = math.sqrt(c["d_model"]) if c.get("scale_embedding") else 1.0

    def side(name, tokens, memory):
        run, crossed, n, h = Run(), [], len(tokens), c[name + "_attention_heads"]

        def attention(p, x, of, mask):
            q = heads_of(w.linear(p + ".q_proj", x), h)
            k, v = (heads_of(w.linear(p + ".%s_proj" % s, of), h) for s in "kv")
            a, z = attend(q, k, v, q.shape[-1] ** -0.5, mask)
            return a, w.linear(p + ".out_proj", z)

        x = w("shared.weight")[tokens] * by + w(name + ".embed_positions.weight")[2 : n + 2]
        x = run.layer(w.ln(name + ".layernorm_embedding", x, eps), None)
        run.weights.clear()
        for i in range(c[name + "_layers"]):
            p = name + ".layers.%d." % i
            a, z = attention(p + "self_attn", x, x, None if memory is None else causal(n))
            x = w.ln(p + "self_attn_layer_norm", x + z, eps)
            if memory is not None:
                b, z = attention(p + "encoder_attn", x, memory, None)
                crossed.append(b)
                x = w.ln(p + "encoder_attn_layer_norm", x + z, eps)
            x = w.ln(p + "final_layer_norm", x + w.linear(p + "fc2", act(w.linear(p + "fc1", x))), eps)
            run.layer(x, a)
        return run, x, crossed

    enc = side("encoder", ids, None)
    dec = side("decoder", decoder_ids, enc[1])
    last = w("shared.weight") if c.get("tie_word_embeddings", True) else t["lm_head.weight"]
    return both(enc[:2], dec[:2], dec[2], dec[1] @ last.T + t["final_logits_bias"][0])


FAMILIES = {
    "gpt2": gpt2, "gpt_bigcode": gpt2, "gpt_neo": gpt_neo, "gptj": gptj, "codegen": gptj, "gpt_neox": gpt_neox,
    "opt": opt, "bloom": bloom, "mpt": mpt, "falcon": falcon, "bert": bert, "roberta": bert, "electra": bert,
    "albert": bert, "distilbert": distilbert, "modernbert": modernbert, "vit": vit, "t5": t5, "bart": bart,
}
for name in ("llama mistral mixtral qwen2 qwen3 qwen3_moe gemma gemma2 gemma3_text phi phi3 olmo olmo2 smollm3 granite "
             "cohere stablelm starcoder2 gpt_oss").split():
    FAMILIES[name] = llama


def compute(config, tensors, inputs):
    wide = {k: v.astype(np.float64) for k, v in tensors.items()}
    return FAMILIES[config["model_type"]](config, wide, *inputs)


# ---- what the library computed ----


def read_safetensors(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    table = json.loads(data[8 : 8 + size])
    return {k: np.frombuffer(data[8 + size + v["data_offsets"][0] : 8 + size + v["data_offsets"][1]], "<f4").reshape(v["shape"])
            for k, v in table.items() if k != "__metadata__"}


def check(folder):
    worst = 0
    for name in sorted(os.listdir(folder)):
        config = json.load(open(os.path.join(folder, name, "config.json")))
        golden = np.load(os.path.join(folder, name, "golden.npz"))
        inputs = [golden[k] for k in ("ids", "encoder.ids", "decoder.ids", "image") if k in golden]
        made = compute(config, read_safetensors(os.path.join(folder, name, "model.safetensors")), inputs)
        for key in golden.files:
            if key in ("ids", "encoder.ids", "decoder.ids", "image"):
                continue
            off = np.abs(made[key] - golden[key]).max() / np.abs(golden[key]).max()
            worst = max(worst, off)
            if off > 1e-4:
                print(name, key, off)
    print("largest difference relative to the largest number of its array: %.1e" % worst)


# ---- the variants ----


def edit(pattern, change):
    """Changes tensors whose name fits: change(name, shape) gives those in its place, {name: shape}."""
    def apply(shapes):
        made = {}
        for name, shape in shapes.items():
            made.update(change(name, shape) if re.fullmatch(pattern, name) else {name: shape})
        return made
    return apply


def without(pattern):
    return edit(pattern, lambda name, shape: {})


def with_bias(pattern):
    """Adds a bias to weights with a row for each output."""
    return edit(pattern + r"\.weight", lambda name, shape: {name: shape, name[:-6] + "bias": shape[:1]})


def shaped(pattern, shape):
    return edit(pattern, lambda name, _: {name: shape})


def added(**shapes):
    return lambda before: {**before, **{k.replace("__", "."): v for k, v in shapes.items()}}


def renamed(pattern, to):
    return edit(pattern, lambda name, shape: {re.sub(pattern, to, name): shape})


def beside(pattern, to, shape):
    """Adds a tensor beside each that fits."""
    return edit(pattern, lambda name, own: {name: own, re.sub(pattern, to, name): shape})


def sized(**to):
    """Replaces sizes: d32=48 makes every 32 a 48."""
    table = {int(k[1:]): v for k, v in to.items()}
    return lambda shapes: {k: [table.get(n, n) for n in v] for k, v in shapes.items()}


def untied(rows, columns, name="lm_head.weight"):
    return lambda shapes: {**shapes, name: [rows, columns]}


RIGHT = {"rope_type": "linear", "factor": 8.0}
# Family, folder of library/ with its tensors, members that differ, changes of tensors.
VARIANTS = [
    ("gpt2", "gpt2", {"scale_attn_weights": False, "scale_attn_by_inverse_layer_idx": True, "activation_function": "relu"}, []),
    ("gpt2", "gpt2", {"tie_word_embeddings": False, "layer_norm_epsilon": 0.1}, [lambda s: untied(*s["transformer.wte.weight"])(s)]),
    ("gpt_bigcode", "gpt_bigcode", {"multi_query": False}, [shaped(r".*c_attn\.weight", [96, 32]), shaped(r".*c_attn\.bias", [96])]),
    ("gpt_bigcode", "gpt_bigcode", {"scale_attn_weights": False, "tie_word_embeddings": False, "activation_function": "gelu"},
     [untied(100, 32)]),
    ("gpt_neo", "gpt_neo", {"attention_types": [[["local"], 1], [["global", "global", "local"], 1]], "window_size": 2}, []),
    ("gpt_neo", "gpt_neo", {"attention_types": [[["local"], 4]], "window_size": 6, "activation_function": "relu",
                            "tie_word_embeddings": False}, [untied(100, 24)]),
    ("gptj", "gptj", {"rotary_dim": 8, "activation_function": "gelu"}, []),
    ("gptj", "gptj", {"n_head": 2, "rotary_dim": 6, "layer_norm_epsilon": 0.1}, []),
    ("codegen", "codegen", {"rotary_dim": 8, "activation_function": "silu"}, []),
    ("codegen", "codegen", {"n_head": 8, "rotary_dim": 2}, []),
    ("gpt_neox", "gpt_neox", {"use_parallel_residual": False, "rotary_pct": 1.0, "partial_rotary_factor": 1.0, "hidden_act": "relu"}, []),
    ("gpt_neox", "gpt_neox", {"attention_bias": False, "rope_scaling": RIGHT, "tie_word_embeddings": True},
     [without(r".*attention\..*\.bias"), without("embed_out.weight")]),
    ("opt", "opt", {"enable_bias": False, "_remove_final_layer_norm": True, "activation_function": "gelu"},
     [without(r".*(proj|fc1|fc2)\.bias"), without(r"model\.decoder\.final_layer_norm\..*")]),
    ("opt", "opt", {"layer_norm_elementwise_affine": False}, [without(r".*layer_norm\..*")]),
    ("opt", "opt", {"do_layer_norm_before": False, "tie_word_embeddings": False},
     [without(r"model\.decoder\.final_layer_norm\..*"), untied(100, 32)]),
    ("opt", "opt_350m", {"do_layer_norm_before": True, "tie_word_embeddings": False},
     [added(model__decoder__final_layer_norm__weight=[32], model__decoder__final_layer_norm__bias=[32]), untied(100, 16)]),
    ("bloom", "bloom", {"apply_residual_connection_post_layernorm": True}, []),
    ("bloom", "bloom", {"hidden_size": 48, "n_head": 6}, [sized(d32=48, d96=144, d128=192)]),
    ("mpt", "mpt", {"d_model": 48, "n_heads": 6, "attn_config": {"clip_qkv": 0.8, "alibi_bias_max": 4}},
     [sized(d32=48, d96=144, d128=192)]),
    ("mpt", "mpt", {"attn_config": {"softmax_scale": 0.5, "alibi": True}, "tie_word_embeddings": False}, [untied(100, 32)]),
    ("falcon", "falcon", {"alibi": True, "num_attention_heads": 16}, [sized(d48=36), edit(r".*mlp.*", lambda n, s: {n: [48 if k == 36 else k for k in s]})]),
    ("falcon", "falcon", {"alibi": True, "multi_query": False, "bias": True, "parallel_attn": False},
     [shaped(r".*query_key_value\.weight", [96, 32]), with_bias(r".*(query_key_value|dense|dense_h_to_4h|dense_4h_to_h)"),
      beside(r"(.*h\.\d\.)input_layernorm\.weight", r"\1post_attention_layernorm.weight", [32]),
      beside(r"(.*h\.\d\.)input_layernorm\.bias", r"\1post_attention_layernorm.bias", [32])]),
    ("falcon", "falcon", {"multi_query": False, "rope_scaling": RIGHT, "rope_theta": 500.0},
     [shaped(r".*query_key_value\.weight", [96, 32])]),
    ("falcon", "falcon_new", {"num_ln_in_parallel_attn": 1, "bias": True, "tie_word_embeddings": False, "activation": "relu"},
     [renamed(r"(.*)ln_attn(.*)", r"\1input_layernorm\2"), without(r".*ln_mlp.*"), untied(100, 32),
      with_bias(r".*(query_key_value|dense|dense_h_to_4h|dense_4h_to_h)")]),
    ("phi", "phi", {"qk_layernorm": True, "partial_rotary_factor": 0.25, "num_key_value_heads": 2},
     [shaped(r".*[kv]_proj\.weight", [16, 32]), shaped(r".*[kv]_proj\.bias", [16]),
      beside(r"(.*self_attn\.)q_proj\.weight", r"\1q_layernorm.weight", [8]), beside(r"(.*self_attn\.)q_proj\.bias", r"\1q_layernorm.bias", [8]),
      beside(r"(.*self_attn\.)k_proj\.weight", r"\1k_layernorm.weight", [8]), beside(r"(.*self_attn\.)k_proj\.bias", r"\1k_layernorm.bias", [8])]),
    ("phi", "phi", {"partial_rotary_factor": 1.0, "rope_scaling": RIGHT, "hidden_act": "relu"}, []),
    ("llama", "llama_linear", {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                               "original_max_position_embeddings": 16}, "num_key_value_heads": 1}, [shaped(r".*[kv]_proj\.weight", [8, 32])]),
    ("llama", "llama_linear", {"head_dim": 16, "rope_scaling": {"type": "dynamic", "factor": 3.0}, "max_position_embeddings": 5,
                               "tie_word_embeddings": True, "hidden_act": "gelu"},
     [shaped(r".*q_proj\.weight", [64, 32]), shaped(r".*[kv]_proj\.weight", [32, 32]), shaped(r".*o_proj\.weight", [32, 64]), without("lm_head.weight")]),
    ("llama", "llama_yarn", {"rope_scaling": {"rope_type": "yarn", "factor": 8.0, "beta_fast": 4.0, "beta_slow": 0.5, "mscale": 1.0,
                             "mscale_all_dim": 0.7, "original_max_position_embeddings": 16}}, []),
    ("mistral", "mistral", {"sliding_window": 3, "tie_word_embeddings": True}, [without("lm_head.weight")]),
    ("mistral", "mistral", {"sliding_window": None, "rope_theta": 500.0, "rms_norm_eps": 0.1}, []),
    ("qwen2", "qwen2_window", {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "sliding_window": 2}, []),
    ("qwen2", "qwen2_window", {"layer_types": None, "max_window_layers": 2, "sliding_window": 3, "tie_word_embeddings": True}, [without("lm_head.weight")]),
    ("qwen3", "qwen3", {"attention_bias": True, "use_sliding_window": True, "sliding_window": 3, "layer_types": None, "max_window_layers": 1},
     [with_bias(r".*self_attn\.[qkvo]_proj")]),
    ("qwen3", "qwen3", {"head_dim": 4, "rope_theta": 500.0},
     [shaped(r".*q_proj\.weight", [16, 24]), shaped(r".*[kv]_proj\.weight", [8, 24]), shaped(r".*o_proj\.weight", [24, 16]), shaped(r".*[qk]_norm\.weight", [4])]),
    ("gemma", "gemma", {"hidden_act": "gelu", "attention_bias": True}, [with_bias(r".*self_attn\.[qkvo]_proj")]),
    ("gemma", "gemma", {"num_key_value_heads": 4, "tie_word_embeddings": False}, [shaped(r".*[kv]_proj\.weight", [32, 32]), untied(100, 32)]),
    ("gemma2", "gemma2", {"layer_types": ["full_attention", "sliding_attention"], "attn_logit_softcapping": 2.0, "final_logit_softcapping": 5.0,
                          "query_pre_attn_scalar": 3}, []),
    ("gemma2", "gemma2", {"layer_types": None, "sliding_window": 2, "attention_bias": True}, [with_bias(r".*self_attn\.[qkvo]_proj")]),
    ("gemma3_text", "gemma3_text", {"layer_types": None, "_sliding_window_pattern": None, "sliding_window_pattern": 2, "sliding_window": 3,
                                    "rope_scaling": RIGHT, "final_logit_softcapping": 4.0}, []),
    ("gemma3_text", "gemma3_text_v5", {"rope_parameters": {"full_attention": {"rope_theta": 9000.0, "rope_type": "linear", "factor": 4.0},
                                       "sliding_attention": {"rope_theta": 700.0, "rope_type": "default"}}, "query_pre_attn_scalar": 20}, []),
    ("phi3", "phi3", {"sliding_window": 3, "partial_rotary_factor": 0.5}, []),
    ("phi3", "phi3_longrope", {"original_max_position_embeddings": 32, "partial_rotary_factor": 0.5, "rope_scaling":
                               {"type": "longrope", "long_factor": [2.0, 3.0], "short_factor": [1.1, 1.5]}}, []),
    ("phi3", "phi3_longrope", {"original_max_position_embeddings": 5, "num_key_value_heads": 4, "rope_scaling":
                               {"type": "su", "long_factor": [1.0, 2.0, 3.0, 4.0], "short_factor": [1.0, 1.0, 1.0, 1.0], "attention_factor": 1.3}},
     [shaped(r".*qkv_proj\.weight", [96, 32])]),
    ("olmo", "olmo", {"clip_qkv": 0.7, "num_key_value_heads": 2}, [shaped(r".*[kv]_proj\.weight", [16, 32])]),
    ("olmo", "olmo", {"attention_bias": True, "clip_qkv": 1.1, "tie_word_embeddings": True}, [with_bias(r".*self_attn\.[qkvo]_proj"), without("lm_head.weight")]),
    ("olmo2", "olmo2", {"num_key_value_heads": 2, "rope_theta": 500.0}, [shaped(r".*[kv]_proj\.weight", [16, 32]), shaped(r".*k_norm\.weight", [16])]),
    ("olmo2", "olmo2", {"attention_bias": True, "hidden_act": "gelu"}, [with_bias(r".*self_attn\.[qkvo]_proj")]),
    ("smollm3", "smollm3", {"no_rope_layers": None, "layer_types": None, "no_rope_layer_interval": 2, "use_sliding_window": True, "sliding_window": 3}, []),
    ("smollm3", "smollm3", {"no_rope_layers": [0, 1, 0, 1], "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": False},
     [with_bias(r".*self_attn\.[qkvo]_proj"), with_bias(r".*mlp\..*_proj"), untied(90, 24)]),
    ("granite", "granite", {"attention_bias": True, "mlp_bias": True, "attention_multiplier": 0.5, "residual_multiplier": 0.7},
     [with_bias(r".*self_attn\.[qkvo]_proj"), with_bias(r".*mlp\..*_proj")]),
    ("granite", "granite", {"tie_word_embeddings": True, "logits_scaling": 0.5, "embedding_multiplier": 1.5, "num_key_value_heads": 4},
     [without("lm_head.weight"), shaped(r".*[kv]_proj\.weight", [32, 32])]),
    ("cohere", "cohere", {"use_qk_norm": True, "logit_scale": 2.0},
     [beside(r"(.*self_attn\.)q_proj\.weight", r"\1q_norm.weight", [4, 8]), beside(r"(.*self_attn\.)k_proj\.weight", r"\1k_norm.weight", [2, 8])]),
    ("cohere", "cohere", {"attention_bias": True, "rope_scaling": RIGHT, "tie_word_embeddings": False},
     [with_bias(r".*self_attn\.[qkvo]_proj"), untied(100, 32)]),
    ("stablelm", "stablelm", {"qk_layernorm": True, "use_qkv_bias": True},
     [with_bias(r".*self_attn\.[qkv]_proj")] + [beside(r"(.*self_attn\.)%s_proj\.weight" % s, r"\1%s_layernorm.norms.%d.weight" % (s, i), [8])
                                                for s, n in (("q", 4), ("k", 2)) for i in range(n)]),
    ("stablelm", "stablelm", {"use_parallel_residual": True, "partial_rotary_factor": 0.25, "hidden_act": "gelu"}, [without(r".*post_attention_layernorm.*")]),
    ("starcoder2", "starcoder2", {"use_bias": False, "sliding_window": 3}, [without(r".*(proj|fc)\.bias")]),
    ("starcoder2", "starcoder2", {"num_key_value_heads": 4, "tie_word_embeddings": False, "hidden_act": "relu"},
     [shaped(r".*[kv]_proj\.weight", [32, 32]), shaped(r".*[kv]_proj\.bias", [32]), untied(100, 32)]),
    ("mixtral", "mixtral", {"num_experts_per_tok": 1, "sliding_window": 3}, []),
    ("mixtral", "mixtral", {"num_local_experts": 3, "num_experts_per_tok": 3, "head_dim": 4, "hidden_act": "gelu"},
     [without(r".*experts\.3\..*"), shaped(r".*block_sparse_moe\.gate\.weight", [3, 32]), shaped(r".*q_proj\.weight", [16, 32]),
      shaped(r".*[kv]_proj\.weight", [8, 32]), shaped(r".*o_proj\.weight", [32, 16])]),
    ("qwen3_moe", "qwen3_moe", {"norm_topk_prob": False, "num_experts_per_tok": 3, "use_sliding_window": True, "sliding_window": 3}, []),
    ("qwen3_moe", "qwen3_moe", {"decoder_sparse_step": 2, "attention_bias": True},
     [with_bias(r".*self_attn\.[qkvo]_proj"), without(r"model\.layers\.0\.mlp\..*"),
      added(model__layers__0__mlp__gate_proj__weight=[48, 32], model__layers__0__mlp__up_proj__weight=[48, 32], model__layers__0__mlp__down_proj__weight=[32, 48])]),
    ("qwen3_moe", "qwen3_moe", {"mlp_only_layers": [1]},
     [without(r"model\.layers\.1\.mlp\..*"),
      added(model__layers__1__mlp__gate_proj__weight=[48, 32], model__layers__1__mlp__up_proj__weight=[48, 32], model__layers__1__mlp__down_proj__weight=[32, 48])]),
    ("gpt_oss", "gpt_oss", {"attention_bias": False, "rope_scaling": None, "layer_types": None, "sliding_window": 2, "num_experts_per_tok": 1},
     [without(r".*self_attn\..*\.bias")]),
    ("gpt_oss", "gpt_oss", {"layer_types": ["full_attention", "full_attention"], "num_experts_per_tok": 4, "tie_word_embeddings": True, "rope_scaling":
                            {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "beta_fast": 8.0}}, [without("lm_head.weight")]),
    ("bert", "bert_untied", {"is_decoder": True, "hidden_act": "relu", "layer_norm_eps": 0.1}, []),
    ("bert", "bert", {"hidden_act": "gelu_new", "type_vocab_size": 5}, [shaped(r".*token_type_embeddings\.weight", [5, 24])]),
    ("roberta", "roberta", {"pad_token_id": 4, "hidden_act": "relu"}, []),
    ("roberta", "roberta", {"pad_token_id": 0, "is_decoder": True, "tie_word_embeddings": False}, [untied(100, 32, "lm_head.decoder.weight")]),
    ("distilbert", "distilbert", {"activation": "relu"}, []),
    ("distilbert", "distilbert", {"n_heads": 2, "tie_word_embeddings": False}, [untied(100, 32, "vocab_projector.weight")]),
    ("electra", "electra", {"embedding_size": 32, "hidden_act": "relu"}, [without(r".*embeddings_project.*"), edit(
        r"(electra\.embeddings\..*|generator_predictions\..*)", lambda n, s: {n: [32 if k == 16 else k for k in s]})]),
    ("electra", "electra", {"is_decoder": True, "tie_word_embeddings": False, "layer_norm_eps": 0.1}, [untied(100, 16, "generator_lm_head.weight")]),
    ("albert", "albert", {"num_hidden_groups": 2, "num_hidden_layers": 4, "hidden_act": "relu"},
     [edit(r"(.*albert_layer_groups\.)0(.*)", lambda n, s: {n: s, n.replace("groups.0", "groups.1"): s})]),
    ("albert", "albert", {"inner_group_num": 2, "num_hidden_layers": 2, "tie_word_embeddings": False},
     [edit(r"(.*albert_layers\.)0(.*)", lambda n, s: {n: s, n.replace("layers.0", "layers.1"): s}), untied(100, 16, "predictions.decoder.weight")]),
    ("modernbert", "modernbert", {"global_attn_every_n_layers": 2, "local_attention": 4, "norm_bias": True, "attention_bias": True, "mlp_bias": True,
                                  "classifier_bias": True, "decoder_bias": False, "classifier_activation": "relu"},
     [without(r"decoder\.bias"), with_bias(r".*(norm|Wqkv|Wo|Wi|head\.dense)")]),
    ("modernbert", "modernbert", {"local_rope_theta": None, "local_attention": 3, "hidden_activation": "silu", "tie_word_embeddings": False},
     [untied(90, 24, "decoder.weight")]),
    ("t5", "t5", {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "is_gated_act": True, "dense_act_fn": "gelu_new"},
     [edit(r"(.*)\.wi\.weight", lambda n, s: {n.replace("wi.", "wi_0."): s, n.replace("wi.", "wi_1."): s}), untied(90, 32)]),
    ("t5", "t5", {"num_decoder_layers": 1, "relative_attention_num_buckets": 4, "relative_attention_max_distance": 5, "feed_forward_proj": "gated-silu"},
     [without(r"decoder\.block\.1\..*"), shaped(r".*relative_attention_bias\.weight", [4, 4]),
      edit(r"(.*)\.wi\.weight", lambda n, s: {n.replace("wi.", "wi_0."): s, n.replace("wi.", "wi_1."): s})]),
    ("bart", "bart", {"scale_embedding": True, "encoder_layers": 1, "decoder_attention_heads": 2, "activation_function": "relu"},
     [without(r"model\.encoder\.layers\.1\..*")]),
    ("bart", "bart", {"decoder_layers": 1, "encoder_attention_heads": 8, "tie_word_embeddings": False},
     [without(r"model\.decoder\.layers\.1\..*"), untied(90, 32)]),
    ("vit", "vit", {"qkv_bias": False, "image_size": [24, 16], "hidden_act": "relu"},
     [without(r".*attention\.attention\..*\.bias"), shaped(r".*position_embeddings", [1, 7, 32])]),
    ("vit", "vit", {"patch_size": [8, 12], "num_channels": 1, "id2label": {"0": "a", "1": "b", "2": "c"}},
     [shaped(r".*projection\.weight", [32, 1, 8, 12]), shaped(r".*position_embeddings", [1, 7, 32]), shaped(r"classifier\.weight", [3, 32]), shaped(r"classifier\.bias", [3])]),
]


def middle_and_spread(family, name, shape):
    norm = re.search(r"(norm|ln_)", name) is not None
    if name.endswith("weight") and norm and (len(shape) == 1 or "q_norm" in name or "k_norm" in name):
        return [0.0 if family.startswith("gemma") else 1.0, 0.6]
    if "router" in name or name.endswith("mlp.gate.weight") or "moe.gate" in name:
        return [0.0, 2.0]
    return [0.0, 1.4 if "embed" in name or "wte" in name or "shared" in name or "sinks" in name else 0.9]


def inputs_of(config, tensors):
    ids = [5, 17, 4, 2, 17, 9, 23]
    if config["model_type"] == "vit":
        high, wide = (config["image_size"] + [0])[:2] if isinstance(config["image_size"], list) else [config["image_size"]] * 2
        return {"image": numbers(999, config["num_channels"] * high * wide, 0, 2).reshape(-1, high, wide).astype(float)}
    if config.get("is_encoder_decoder"):
        return {"encoder.ids": np.array(ids), "decoder.ids": np.array([1, 20, 3, 8, 6])}
    return {"ids": np.array(ids)}


def variant(family, folder, members, changes):
    config = json.load(open(os.path.join("library", folder, "config.json")))
    for idle in ("architectures", "transformers_version", "dtype", "label2id", "attention_layers"):
        config.pop(idle, None)
    config.update(members)
    shapes = {k: list(v.shape) for k, v in read_safetensors(os.path.join("library", folder, "model.safetensors")).items()}
    for change in changes:
        shapes = change(shapes)
    tensors, told = {}, {}
    for k, (name, shape) in enumerate(sorted(shapes.items())):
        told[name] = shape + middle_and_spread(family, name, shape)
        tensors[name] = numbers(k, int(np.prod(shape)), *told[name][-2:]).reshape(shape)
    inputs = inputs_of(config, tensors)
    made = compute(config, tensors, list(inputs.values()))
    arrays = {}
    for key, value in made.items():  # enough of each array: the last stream, and some of its rows
        kept = value[-1] if key.endswith("residual") else value
        kept = kept[:, -2:] if "weights" in key else kept[-2:] if kept.ndim == 2 else kept
        arrays[key] = {"shape": list(kept.shape), "numbers": [float("%.6g" % one) for one in kept.reshape(-1)]}
    given = {k: {"shape": list(v.shape), "numbers": [float("%.9g" % one) for one in v.reshape(-1)]} for k, v in inputs.items()}
    return {"config": config, "tensors": told, "inputs": given, "arrays": arrays}


def write_variants(folder):
    os.makedirs(folder, exist_ok=True)
    files = {}
    for family, *rest in VARIANTS:
        files.setdefault(family, []).append(variant(family, *rest))
    assert set(files) == set(FAMILIES) and all(len(one) >= 2 for one in files.values())
    for family, all_ in files.items():
        with open(os.path.join(folder, family + ".json"), "w") as out:
            out.write("[" + ",\n".join(json.dumps(one, separators=(",", ":")) for one in all_) + "]\n")
    print("%d variants of %d families" % (len(VARIANTS), len(files)))


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(sys.argv[2])
    else:
        write_variants(sys.argv[1])
