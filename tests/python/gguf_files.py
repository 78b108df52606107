"""Writes the tiny models of tests/golden/models as GGUF files, in plain NumPy, as the converter of llama.cpp lays them out.

    /usr/bin/python3 gguf_files.py FOLDER TYPE OUT.gguf      TYPE: F32, F16, BF16, Q8_0, Q4_0, Q4_K or Q6_K
    /usr/bin/python3 gguf_files.py --blocks OUT.npz          random blocks of each type, and the numbers in them

Rows that are no whole blocks of the type are stored as F16, and tensors of one axis as F32. `Model.widened` has the numbers that the
file then holds, under the names of the hub's library.
"""
import json
import pathlib
import re
import struct
import sys

import numpy as np

NUMBERS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14, "BF16": 30}
BLOCKS = {"F32": 1, "F16": 1, "BF16": 1, "Q8_0": 32, "Q4_0": 32, "Q4_K": 256, "Q6_K": 256}
ALIGNMENT = 32


def halves(values):
    return np.asarray(values, np.float32).astype("<f2")


def nonzero(values):
    return np.where(values == 0, 1, values)


def brain_bits(values):
    """The upper halves of float32, rounded to the nearest, ties to even."""
    bits = np.ascontiguousarray(values, "<f4").view("<u4").astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def q8_0(blocks):
    d = halves(np.abs(blocks).max(1) / 127)
    q = np.rint(blocks / nonzero(d.astype(np.float32))[:, None]).clip(-127, 127).astype(np.int8)
    return np.concatenate([d[:, None].view(np.uint8), q.view(np.uint8)], 1)


def q4_0(blocks):
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)[:, 0]
    d = halves(largest / -8)
    q = (np.rint(blocks / nonzero(d.astype(np.float32))[:, None]) + 8).clip(0, 15).astype(np.uint8)
    return np.concatenate([d[:, None].view(np.uint8), q[:, :16] | q[:, 16:] << 4], 1)


def q4_k(blocks):
    parts = blocks.reshape(-1, 8, 32)
    low = np.minimum(parts.min(2), 0)
    scale = (parts.max(2) - low) / 15
    d, m = halves(scale.max(1) / 63), halves((-low).max(1) / 63)
    s = np.rint(scale / nonzero(d.astype(np.float32))[:, None]).clip(0, 63).astype(np.uint8)
    t = np.rint(-low / nonzero(m.astype(np.float32))[:, None]).clip(0, 63).astype(np.uint8)
    step = nonzero(d.astype(np.float32)[:, None] * s)
    q = np.rint((parts + (m.astype(np.float32)[:, None] * t)[:, :, None]) / step[:, :, None]).clip(0, 15).astype(np.uint8)
    packed = np.concatenate([s[:, :4] | (s[:, 4:] >> 4) << 6, t[:, :4] | (t[:, 4:] >> 4) << 6, s[:, 4:] & 15 | (t[:, 4:] & 15) << 4], 1)
    pairs = q.reshape(-1, 4, 2, 32)
    return np.concatenate([d[:, None].view(np.uint8), m[:, None].view(np.uint8), packed, (pairs[:, :, 0] | pairs[:, :, 1] << 4).reshape(-1, 128)], 1)


def q6_k(blocks):
    parts = blocks.reshape(-1, 16, 16)
    scale = np.abs(parts).max(2) / 31
    d = halves(scale.max(1) / 127)
    s = np.rint(scale / nonzero(d.astype(np.float32))[:, None]).clip(0, 127).astype(np.int8)
    s[::2, ::3] *= -1  # a scale may be negative
    step = nonzero(d.astype(np.float32)[:, None] * s)
    q = (np.rint(parts / step[:, :, None]).clip(-32, 31) + 32).astype(np.uint8).reshape(-1, 2, 4, 32)
    low, high = q & 15, q >> 4
    lower = np.stack([low[:, :, 0] | low[:, :, 2] << 4, low[:, :, 1] | low[:, :, 3] << 4], 2).reshape(-1, 128)
    upper = (high[:, :, 0] | high[:, :, 1] << 2 | high[:, :, 2] << 4 | high[:, :, 3] << 6).reshape(-1, 64)
    return np.concatenate([lower, upper, s.view(np.uint8), d[:, None].view(np.uint8)], 1)


PACKED = {"Q8_0": q8_0, "Q4_0": q4_0, "Q4_K": q4_k, "Q6_K": q6_k}


def packed(values, kind):
    values = np.ascontiguousarray(values, np.float32)
    if kind == "F32":
        return values.astype("<f4").tobytes()
    if kind == "F16":
        return halves(values).tobytes()
    if kind == "BF16":
        return brain_bits(values).tobytes()
    return np.ascontiguousarray(PACKED[kind](values.reshape(-1, BLOCKS[kind]))).tobytes()


def half_at(block, at):
    return np.ascontiguousarray(block[:, at : at + 2]).view("<f2").astype(np.float32)


def widened_q4_k(block):
    out = np.empty((len(block), 256), np.float32)
    d, m, b = half_at(block, 0), half_at(block, 2), block[:, 4:16].astype(np.int32)
    for part in range(8):
        if part < 4:
            s, t = b[:, part] & 63, b[:, part + 4] & 63
        else:
            s = b[:, part + 4] & 15 | (b[:, part - 4] >> 6) << 4
            t = b[:, part + 4] >> 4 | (b[:, part] >> 6) << 4
        q = block[:, 16 + part // 2 * 32 : 48 + part // 2 * 32]
        q = (q & 15) if part % 2 == 0 else (q >> 4)
        scale, minimum = d * s[:, None].astype(np.float32), m * t[:, None].astype(np.float32)
        out[:, part * 32 : part * 32 + 32] = scale * q.astype(np.float32) - minimum
    return out


def widened_q6_k(block):
    out = np.empty((len(block), 256), np.float32)
    d = half_at(block, 208)
    scales = np.ascontiguousarray(block[:, 192:208]).view(np.int8).astype(np.float32)
    for half in range(2):
        lower, upper = block[:, half * 64 : half * 64 + 64], block[:, 128 + half * 32 : 160 + half * 32]
        for quarter in range(4):
            low = lower[:, quarter % 2 * 32 : quarter % 2 * 32 + 32]
            low = (low & 15) if quarter < 2 else (low >> 4)
            q = (low | (upper >> (2 * quarter) & 3) << 4).astype(np.float32) - 32
            first = half * 8 + quarter * 2
            each = np.repeat(scales[:, first : first + 2], 16, 1)
            out[:, half * 128 + quarter * 32 : half * 128 + quarter * 32 + 32] = d * each * q
    return out


def widened(data, kind, shape):
    raw = np.frombuffer(data, np.uint8)
    if kind == "F32":
        return raw.view("<f4").reshape(shape)
    if kind == "F16":
        return raw.view("<f2").astype(np.float32).reshape(shape)
    if kind == "BF16":
        return (raw.view("<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    block = raw.reshape(int(np.prod(shape)) // BLOCKS[kind], -1)
    if kind == "Q8_0":
        numbers = half_at(block, 0) * np.ascontiguousarray(block[:, 2:]).view(np.int8).astype(np.float32)
    elif kind == "Q4_0":
        q = np.concatenate([block[:, 2:] & 15, block[:, 2:] >> 4], 1)
        numbers = half_at(block, 0) * (q.astype(np.float32) - 8)
    else:
        numbers = (widened_q4_k if kind == "Q4_K" else widened_q6_k)(block)
    return numbers.reshape(shape)


def read_safetensors(folder):
    tensors = {}
    for path in sorted(pathlib.Path(folder).glob("*.safetensors")):
        data = path.read_bytes()
        (size,) = struct.unpack("<Q", data[:8])
        for name, entry in json.loads(data[8 : 8 + size]).items():
            if name == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            tensors[name] = widened(data[8 + size + begin : 8 + size + end], entry["dtype"], entry["shape"]).astype(np.float32)
    return tensors


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [at, at + 4 * values.size]}
        at += 4 * values.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(np.ascontiguousarray(v, "<f4").tobytes() for v in tensors.values()))


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(item):
    """A value of the metadata with its kind: bool, int (u32), float, text, or a list of one of these."""
    if isinstance(item, bool):
        return struct.pack("<I?", 7, item)
    if isinstance(item, int):
        return struct.pack("<II", 4, item)
    if isinstance(item, float):
        return struct.pack("<If", 6, item)
    if isinstance(item, str):
        return struct.pack("<I", 8) + text(item)
    first = item[0]
    kind = 8 if isinstance(first, str) else 6 if isinstance(first, float) else 5
    entries = b"".join(text(one) if kind == 8 else struct.pack("<f" if kind == 6 else "<i", one) for one in item)
    return struct.pack("<IIQ", 9, kind, len(item)) + entries


def gguf_bytes(metadata, tensors, version=3):
    """tensors: (name, type, shape as in NumPy, bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for key, item in metadata.items():
        head += text(key) + value(item)
    data = b""
    for name, kind, shape, own in tensors:
        data += b"\0" * (-len(data) % ALIGNMENT)
        head += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in reversed(shape))
        head += struct.pack("<IQ", NUMBERS[kind], len(data))
        data += own
    return head + b"\0" * (-len(head) % ALIGNMENT) + data


def pairs_apart(rows, heads):
    """Rows of queries or keys: the halves of a head, which a rotary position turns together, become neighbours."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def pairs_back(rows, heads):
    return rows.reshape(heads, rows.shape[0] // heads // 2, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def fused_apart(rows, heads):
    return rows.reshape(heads, 3, -1, *rows.shape[1:]).swapaxes(0, 1).reshape(rows.shape)


def fused_back(rows, heads):
    return rows.reshape(3, heads, -1, *rows.shape[1:]).swapaxes(0, 1).reshape(rows.shape)


LLAMA = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
         "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
AROUND = {**LLAMA, "post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
          "post_feedforward_layernorm": "post_ffw_norm"}
GPT2 = {"ln_1": "attn_norm", "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up",
        "mlp.c_proj": "ffn_down"}
NEOX = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "attention.query_key_value": "attn_qkv",
        "attention.dense": "attn_output", "mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"}
BLOOM = {**NEOX, "self_attention.query_key_value": "attn_qkv", "self_attention.dense": "attn_output"}
MPT = {"norm_1": "attn_norm", "norm_2": "ffn_norm", "attn.Wqkv": "attn_qkv", "attn.out_proj": "attn_output", "ffn.up_proj": "ffn_up",
       "ffn.down_proj": "ffn_down"}
PHI = {**LLAMA, "self_attn.dense": "attn_output", "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down"}
PHI3 = {**LLAMA, "self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up"}
STABLELM = {**LLAMA, "self_attn.q_layernorm.norms.E": "attn_q_norm", "self_attn.k_layernorm.norms.E": "attn_k_norm"}
STARCODER2 = {**LLAMA, "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
MIXTRAL = {**LLAMA, "block_sparse_moe.gate": "ffn_gate_inp", "block_sparse_moe.experts.E.w1": "ffn_gate_exps",
           "block_sparse_moe.experts.E.w2": "ffn_down_exps", "block_sparse_moe.experts.E.w3": "ffn_up_exps"}
QWEN3_MOE = {**LLAMA, "mlp.gate": "ffn_gate_inp", "mlp.experts.E.gate_proj": "ffn_gate_exps", "mlp.experts.E.up_proj": "ffn_up_exps",
             "mlp.experts.E.down_proj": "ffn_down_exps"}
OUTSIDE = {"embed_tokens": "token_embd", "norm": "output_norm", "final_layernorm": "output_norm", "lm_head": "output", "wte": "token_embd",
           "wpe": "position_embd", "ln_f": "output_norm", "norm_f": "output_norm", "embed_in": "token_embd", "final_layer_norm": "output_norm",
           "embed_out": "output", "word_embeddings": "token_embd", "word_embeddings_layernorm": "token_embd_norm"}
# The architecture, what stands before the names that are outside of layers, the layers' list, and the names in a layer.
LAYERS = {"llama": ("llama", "model.", "layers.", LLAMA), "mixtral": ("llama", "model.", "layers.", MIXTRAL),
          "qwen2": ("qwen2", "model.", "layers.", LLAMA), "qwen3": ("qwen3", "model.", "layers.", LLAMA),
          "qwen3_moe": ("qwen3moe", "model.", "layers.", QWEN3_MOE), "gemma": ("gemma", "model.", "layers.", LLAMA),
          "gemma2": ("gemma2", "model.", "layers.", AROUND), "gemma3_text": ("gemma3", "model.", "layers.", AROUND),
          "phi": ("phi2", "model.", "layers.", PHI), "phi3": ("phi3", "model.", "layers.", PHI3), "olmo": ("olmo", "model.", "layers.", LLAMA),
          "olmo2": ("olmo2", "model.", "layers.", AROUND), "smollm3": ("smollm3", "model.", "layers.", LLAMA),
          "granite": ("granite", "model.", "layers.", LLAMA), "starcoder2": ("starcoder2", "model.", "layers.", STARCODER2),
          "stablelm": ("stablelm", "model.", "layers.", STABLELM), "cohere": ("command-r", "model.", "layers.", LLAMA),
          "gpt2": ("gpt2", "", "h.", GPT2), "gpt_bigcode": ("starcoder", "transformer.", "h.", GPT2),
          "gpt_neox": ("gptneox", "gpt_neox.", "layers.", NEOX), "bloom": ("bloom", "transformer.", "h.", BLOOM),
          "mpt": ("mpt", "transformer.", "blocks.", MPT)}
PAIRS = ("llama", "mixtral", "olmo", "smollm3", "granite")  # whose queries and keys are stored as neighbours


def gguf_name(name, family):
    """The name in the file, and which of a stack of tensors it is there; None: it is not in a stack."""
    _, prefix, layers, layer_names = LAYERS[family]
    stem, part = name.rsplit(".", 1)
    stem = stem.removeprefix(prefix).removeprefix("transformer.")
    if not stem.startswith(layers):
        return OUTSIDE[stem] + "." + part, None
    layer, rest = stem[len(layers) :].split(".", 1)
    stacked = re.fullmatch(r"(.*(?:experts|norms)\.)(\d+)(.*)", rest)
    own = stacked[1] + "E" + stacked[3] if stacked else rest
    return f"blk.{layer}.{layer_names[own]}.{part}", int(stacked[2]) if stacked else None


def heads_of(config):
    return next(config[name] for name in ("num_attention_heads", "n_head", "n_heads") if name in config)


def changes(name, config):
    """What the converter does to a tensor, and its inverse."""
    family, heads = config["model_type"], heads_of(config)
    if family in PAIRS and ".q_proj." in name:
        return lambda t: pairs_apart(t, heads), lambda t: pairs_back(t, heads)
    if family in PAIRS and ".k_proj." in name:
        own = config.get("num_key_value_heads", heads)
        return lambda t: pairs_apart(t, own), lambda t: pairs_back(t, own)
    if "query_key_value" in name:
        return lambda t: fused_apart(t, heads), lambda t: fused_back(t, heads)
    if family == "gpt2" and (".c_" in name) and name.endswith(".weight"):
        return np.transpose, np.transpose
    if family.startswith("gemma") and name.endswith("norm.weight"):
        return lambda t: (t + np.float32(1)).astype(np.float32), lambda t: (t - np.float32(1)).astype(np.float32)
    return lambda t: t, lambda t: t


def llama3_factors(config):
    """The numbers by which llama.cpp divides the frequencies of Llama 3."""
    scaling = config["rope_scaling"]
    width = config["hidden_size"] // config["num_attention_heads"]
    first, factor = scaling["original_max_position_embeddings"], scaling["factor"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    factors = []
    for i in range(width // 2):
        wave = 2 * np.pi * config["rope_theta"] ** (2 * i / width)
        smooth = (first / wave - low) / (high - low)
        factors.append(1 if wave < first / high else factor if wave > first / low else 1 / ((1 - smooth) / factor + smooth))
    return np.array(factors, np.float32)


def first_of(config, *names, usual=None):
    return next((config[name] for name in names if config.get(name) is not None), usual)


def rotary_metadata(config, width, heads):
    own = config.get("head_dim") or width // heads
    share = first_of(config, "rotary_pct", "partial_rotary_factor", usual=1)
    metadata = {"rope.dimension_count": int(share * own), "rope.freq_base": first_of(config, "rope_theta", "rotary_emb_base", usual=10000.0)}
    if config.get("head_dim") and config["model_type"] != "granite":
        metadata.update({"attention.key_length": own, "attention.value_length": own})
    return metadata


# Members of config.json that are settings of some families.
OF_FAMILIES = {
    "attn_logit_softcapping": "attn_logit_softcapping", "final_logit_softcapping": "final_logit_softcapping",
    "sliding_window": "attention.sliding_window", "use_parallel_residual": "use_parallel_residual", "clip_qkv": "attention.clamp_kqv",
    "attention_multiplier": "attention.scale", "embedding_multiplier": "embedding_scale", "residual_multiplier": "residual_scale",
    "logits_scaling": "logit_scale", "logit_scale": "logit_scale", "num_experts": "expert_count", "num_local_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count", "moe_intermediate_size": "expert_feed_forward_length",
    "original_max_position_embeddings": "rope.scaling.original_context_length"}
WHOLE = ("sliding_window", "use_parallel_residual", "num_experts", "num_local_experts", "num_experts_per_tok", "moe_intermediate_size",
         "original_max_position_embeddings")
LEFT_OUT = {"smollm3": ("sliding_window",), "qwen2": ("sliding_window",), "qwen3": ("sliding_window",), "qwen3_moe": ("sliding_window",),
            "mixtral": ("sliding_window",)}


def metadata_of(config, architecture):
    family = config["model_type"]
    width, heads = first_of(config, "hidden_size", "n_embd", "d_model", "n_embed"), heads_of(config)
    metadata = {"embedding_length": width, "block_count": first_of(config, "num_hidden_layers", "n_layer", "n_layers"),
                "attention.head_count": heads, "feed_forward_length": first_of(config, "intermediate_size", "n_inner", usual=4 * width),
                "context_length": first_of(config, "n_positions", "max_position_embeddings", "max_seq_len", usual=64)}
    if "rms_norm_eps" in config:
        metadata["attention.layer_norm_rms_epsilon"] = config["rms_norm_eps"]
    else:
        metadata["attention.layer_norm_epsilon"] = first_of(config, "layer_norm_epsilon", "layer_norm_eps", "norm_epsilon", usual=1e-5)
    if family == "gpt_bigcode":
        metadata["attention.head_count_kv"] = 1
    elif family == "bloom":
        metadata["attention.head_count_kv"] = heads
    elif family == "mpt":
        metadata["attention.max_alibi_bias"] = float(config["attn_config"].get("alibi_bias_max", 8))
        if config["attn_config"].get("clip_qkv"):
            metadata["attention.clamp_kqv"] = float(config["attn_config"]["clip_qkv"])
    elif family != "gpt2":
        metadata.update(rotary_metadata(config, width, heads))
        if family != "gpt_neox":
            metadata.update({"attention.head_count_kv": first_of(config, "num_key_value_heads", usual=heads), "vocab_size": config["vocab_size"]})
    if family == "gemma2":
        metadata["attention.scale"] = config["query_pre_attn_scalar"] ** -0.5
    for member, setting in OF_FAMILIES.items():
        if config.get(member) is not None and member not in LEFT_OUT.get(family, ()):
            metadata[setting] = config[member] if member in WHOLE else float(config[member])
    return {"general.architecture": architecture, "general.name": "tiny", **{f"{architecture}.{name}": item for name, item in metadata.items()}}


def tokenizer_of(folder):
    """The metadata of a tokenizer.json: byte-level BPE, or SentencePiece's BPE with the scores that its merges have."""
    path = pathlib.Path(folder) / "tokenizer.json"
    if not path.exists():
        return {}
    document = json.loads(path.read_text())
    model = document["model"]
    words = sorted(model["vocab"], key=model["vocab"].get)
    special = {token["content"] for token in document["added_tokens"]}
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    metadata = {"tokenizer.ggml.tokens": words}
    if document["normalizer"] is None:
        metadata.update({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.merges": merges, "tokenizer.ggml.add_bos_token": False,
                         "tokenizer.ggml.pre": "llama-bpe" if document["pre_tokenizer"]["type"] == "Sequence" else "gpt-2",
                         "tokenizer.ggml.token_type": [3 if word in special else 1 for word in words]})
        return metadata
    rank = {merge.replace(" ", ""): at for at, merge in reversed(list(enumerate(merges)))}
    metadata.update({"tokenizer.ggml.model": "llama", "tokenizer.ggml.bos_token_id": model["vocab"]["<s>"],
                     "tokenizer.ggml.scores": [float(-rank.get(word, 10000 + at)) for at, word in enumerate(words)],
                     "tokenizer.ggml.token_type": [2 if word == "<unk>" else 3 if word in special else 6 if word.startswith("<0x") else 1
                                                   for word in words]})
    return metadata


class Model:
    """A folder's model with its matrices in one type."""

    def __init__(self, folder, kind):
        self.config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        family = self.config["model_type"]
        self.metadata = {**metadata_of(self.config, LAYERS[family][0]), **tokenizer_of(folder)}
        self.tensors, self.widened, stacks = [], {}, {}
        for name, own in read_safetensors(folder).items():
            there, back = changes(name, self.config)
            stored = np.ascontiguousarray(there(own))
            used = "F32" if stored.ndim == 1 else kind if stored.shape[-1] % BLOCKS[kind] == 0 else "F16"
            data = packed(stored, used)
            in_file, place = gguf_name(name, family)
            if place is None:
                self.tensors.append((in_file, used, stored.shape, data))
            else:
                stacks.setdefault((in_file, used, stored.shape), {})[place] = data
            self.widened[name] = np.ascontiguousarray(back(widened(data, used, stored.shape)))
        for (in_file, used, shape), parts in stacks.items():
            self.tensors.append((in_file, used, (len(parts), *shape), b"".join(parts[place] for place in sorted(parts))))
        scaling = self.config.get("rope_scaling") or {}
        if scaling.get("rope_type") == "llama3":
            self.add_row("rope_freqs", llama3_factors(self.config))
        for length in ("long", "short"):
            if f"{length}_factor" in scaling:
                self.add_row(f"rope_factors_{length}", scaling[f"{length}_factor"])

    def add_row(self, name, numbers):
        row = np.array(numbers, np.float32)
        self.tensors.append((name + ".weight", "F32", row.shape, row.tobytes()))

    def write(self, path, version=3):
        pathlib.Path(path).write_bytes(gguf_bytes(self.metadata, self.tensors, version))

    def write_widened(self, folder):
        """The folder of the numbers that the file holds, in float32."""
        folder = pathlib.Path(folder)
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(self.config))
        write_safetensors(folder / "model.safetensors", self.widened)


def random_blocks(path, count=5):
    """TYPE.bytes and TYPE.numbers: blocks of random bytes, but with scales that are of usual size."""
    random, arrays = np.random.RandomState(7), {}
    for kind, size, scales in (("Q8_0", 34, [0]), ("Q4_0", 18, [0]), ("Q4_K", 144, [0, 2]), ("Q6_K", 210, [208])):
        block = random.randint(0, 256, (count, size)).astype(np.uint8)
        for at in scales:
            block[:, at : at + 2] = halves(random.normal(size=count))[:, None].view(np.uint8)
        arrays[kind + ".bytes"] = block
        arrays[kind + ".numbers"] = widened(block.tobytes(), kind, (count, BLOCKS[kind]))
    np.savez(path, **arrays)


if __name__ == "__main__":
    random_blocks(sys.argv[2]) if sys.argv[1] == "--blocks" else Model(sys.argv[1], sys.argv[2]).write(sys.argv[3])
