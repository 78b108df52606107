#!/usr/bin/env python3
"""One attention layer of each family of models, as its checkpoints have it, and what PyTorch makes of it.

    /usr/bin/python3 generate_families.py families      needs PyTorch and NumPy; reads no other file

families/FAMILY/
  layer.safetensors   tensors of a layer under the names and in the shapes of the family's checkpoints, the parts around
                      attention and its next layer among them where they have a name to be told apart by; and what the
                      layer's attention is given, behind the norm before it:
                          hidden_states           [B, T, d] or [T, d]
                          encoder_hidden_states   [B, Tk, d], cross-attention only
                          attention_mask          [B, T] of 0 and 1, BERT only: 0 is padding
  config.json         the family's keys, with values that no default has
  expected.npz        weights [B, H, Tq, Tk] behind the softmax and output [B, Tq, d] behind the output projection, float32
                      of a computation in float64

Letters: B sequences, Tq tokens that ask and Tk that are attended to, d width, H query heads, G heads of keys and values (query head h
uses h // (H / G)), d_k width of a head. Each family is written as its own code in Hugging Face's transformers computes it.
"""
import json
import math
import os
import struct
import sys

import numpy as np
import torch

torch.set_num_threads(1)
torch.set_grad_enabled(False)

# ---- files -------------------------------------------------------------------------------------------------------

KINDS = {torch.float32: "F32", torch.int64: "I64", torch.uint8: "U8"}


def save_safetensors(path, tensors):
    """8 bytes of little-endian header length, the header in JSON, the values: of every tensor in the order given."""
    header, values, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, tensor in tensors.items():
        raw = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": KINDS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(raw)]}
        values.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(values))


def save(folder, config, tensors, expected):
    os.makedirs(folder, exist_ok=True)
    save_safetensors(os.path.join(folder, "layer.safetensors"), tensors)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    np.savez(os.path.join(folder, "expected.npz"), **{name: part.float().numpy() for name, part in expected.items()})


# ---- random parts ------------------------------------------------------------------------------------------------


def linear(out, into, gain=1.0):
    """As nn.Linear keeps it, [out, in]: numbers of variance 1 become such of variance gain^2."""
    return torch.randn(out, into) * (gain / math.sqrt(into))


def conv1d(into, out, gain=1.0):
    """As GPT-2's Conv1D keeps it, [in, out]."""
    return linear(out, into, gain).t().contiguous()


def bias(size):
    return torch.randn(size) * 0.3


def norm(size):
    return 1 + 0.1 * torch.randn(size)


# ---- attention ---------------------------------------------------------------------------------------------------


def project(x, weight, bias=None):
    y = x.double() @ weight.double().t()
    return y if bias is None else y + bias.double()


def heads_of(x, count):
    """[B, T, count * d_k] to [B, count, T, d_k]."""
    return x.view(*x.shape[:-1], count, -1).transpose(1, 2)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


def angles_of(count, theta, dims):
    """[count, dims / 2]."""
    return torch.arange(count).double()[:, None] / theta ** (torch.arange(0, dims, 2).double() / dims)


def rotated(x, theta, dims=None):
    """The first `dims` numbers of each head turned, i with i + dims / 2; all when dims is not said."""
    dims = dims or x.shape[-1]
    angles = angles_of(x.shape[-2], theta, dims)
    angles = torch.cat((angles, angles), -1)
    turning, passing = x[..., :dims], x[..., dims:]
    return torch.cat((turning * angles.cos() + rotate_half(turning) * angles.sin(), passing), -1)


def rotated_neighbours(x, theta, dims):
    """The same of 2 i with 2 i + 1."""
    angles = angles_of(x.shape[-2], theta, dims).repeat_interleave(2, -1)
    turning, passing = x[..., :dims], x[..., dims:]
    across = torch.stack((-turning[..., 1::2], turning[..., ::2]), -1).flatten(-2)
    return torch.cat((turning * angles.cos() + across * angles.sin(), passing), -1)


def causal(count, window=None):
    """[T, T] of bool; with a window, key j is open to query i where i - j < window."""
    behind = torch.arange(count)[:, None] - torch.arange(count)[None, :]
    return (behind >= 0) & (behind < (window or count))


def attend(q, k, v, scale, *, allowed=None, softcap=None, added=None):
    """q [B, H, Tq, d_k], k and v [B, G, Tk, d_k] to weights [B, H, Tq, Tk] and the heads side by side [B, Tq, H d_k]."""
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = q @ k.transpose(-1, -2) * scale
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if added is not None:
        scores = scores + added
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
    weights = scores.softmax(-1)
    context = (weights @ v).transpose(1, 2)
    return weights, context.reshape(*context.shape[:2], -1)


def batched(x):
    return x if x.dim() == 3 else x[None]


# ---- the families ------------------------------------------------------------------------------------------------


def gpt2():
    """Fused queries, keys and values in a Conv1D; its mask for the longest text is among the tensors."""
    d, heads, positions = 32, 4, 24
    x = torch.randn(2, 12, d)
    tensors = {"hidden_states": x}
    for layer in range(2):
        at = f"h.{layer}"
        tensors |= {f"{at}.ln_1.weight": norm(d), f"{at}.ln_1.bias": bias(d),
                    f"{at}.attn.bias": torch.ones(positions, positions).tril()[None, None],
                    f"{at}.attn.c_attn.weight": conv1d(d, 3 * d, 1.2), f"{at}.attn.c_attn.bias": bias(3 * d),
                    f"{at}.attn.c_proj.weight": conv1d(d, d), f"{at}.attn.c_proj.bias": bias(d)}
    tensors |= {"h.0.mlp.c_fc.weight": conv1d(d, 2 * d), "h.0.mlp.c_fc.bias": bias(2 * d),
                "h.0.mlp.c_proj.weight": conv1d(2 * d, d), "h.0.mlp.c_proj.bias": bias(d)}
    fused = project(x, tensors["h.0.attn.c_attn.weight"].t(), tensors["h.0.attn.c_attn.bias"])
    q, k, v = (heads_of(part, heads) for part in fused.split(d, -1))
    weights, joined = attend(q, k, v, (d // heads) ** -0.5, allowed=causal(x.shape[1]))
    output = project(joined, tensors["h.0.attn.c_proj.weight"].t(), tensors["h.0.attn.c_proj.bias"])
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": d, "n_head": heads, "n_layer": 2, "n_inner": 2 * d,
              "n_positions": positions, "n_ctx": positions, "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False,
              "reorder_and_upcast_attn": False, "activation_function": "gelu_new"}
    return config, tensors, {"weights": weights, "output": output}


def gpt_neox():
    """Fused by heads: the rows are [H, 3, d_k]. A quarter of each head is turned."""
    d, heads, part, base, positions = 64, 4, 0.25, 2500.0, 32
    d_k = d // heads
    dims = int(d_k * part)
    at = "gpt_neox.layers.0"
    x = torch.randn(14, d)
    tensors = {"hidden_states": x, f"{at}.input_layernorm.weight": norm(d), f"{at}.input_layernorm.bias": bias(d),
               f"{at}.attention.bias": torch.ones(positions, positions).tril()[None, None].to(torch.uint8),
               f"{at}.attention.masked_bias": torch.tensor(-1e9),
               f"{at}.attention.rotary_emb.inv_freq": 1.0 / base ** (torch.arange(0, dims, 2) / dims),
               f"{at}.attention.query_key_value.weight": linear(3 * d, d, 1.3), f"{at}.attention.query_key_value.bias": bias(3 * d),
               f"{at}.attention.dense.weight": linear(d, d), f"{at}.attention.dense.bias": bias(d),
               f"{at}.mlp.dense_h_to_4h.weight": linear(d, d), f"{at}.mlp.dense_h_to_4h.bias": bias(d)}
    fused = project(x, tensors[f"{at}.attention.query_key_value.weight"], tensors[f"{at}.attention.query_key_value.bias"])
    q, k, v = fused.view(1, x.shape[0], heads, 3 * d_k).transpose(1, 2).split(d_k, -1)
    weights, joined = attend(rotated(q, base, dims), rotated(k, base, dims), v, d_k ** -0.5, allowed=causal(x.shape[0]))
    output = project(joined, tensors[f"{at}.attention.dense.weight"], tensors[f"{at}.attention.dense.bias"])
    config = {"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "hidden_size": d, "intermediate_size": d,
              "num_attention_heads": heads, "num_hidden_layers": 1, "max_position_embeddings": positions, "rotary_pct": part,
              "rotary_emb_base": int(base), "use_parallel_residual": True, "hidden_act": "gelu"}
    return config, tensors, {"weights": weights, "output": output}


def llama_layer(layer, d, heads, kv_heads, d_k, *, biases=False, gain=1.3):
    """The tensors of a layer as Llama and its descendants name them."""
    at = f"model.layers.{layer}"
    tensors = {f"{at}.input_layernorm.weight": norm(d)}
    for name, count in (("q_proj", heads), ("k_proj", kv_heads), ("v_proj", kv_heads)):
        tensors[f"{at}.self_attn.{name}.weight"] = linear(count * d_k, d, gain)
        if biases:
            tensors[f"{at}.self_attn.{name}.bias"] = bias(count * d_k)
    tensors[f"{at}.self_attn.o_proj.weight"] = linear(d, heads * d_k)
    return tensors


def llama_attention(tensors, layer, heads, kv_heads, theta, scale, **masks):
    """What a layer of llama_layer computes of hidden_states."""
    at = f"model.layers.{layer}.self_attn"
    x = batched(tensors["hidden_states"])
    q, k, v = (heads_of(project(x, tensors[f"{at}.{name}.weight"], tensors.get(f"{at}.{name}.bias")), count)
               for name, count in (("q_proj", heads), ("k_proj", kv_heads), ("v_proj", kv_heads)))
    weights, joined = attend(rotated(q, theta), rotated(k, theta), v, scale, **masks)
    return weights, project(joined, tensors[f"{at}.o_proj.weight"])


def llama():
    """Three query heads for each head of keys and values."""
    d, heads, kv_heads, theta = 48, 6, 2, 500000.0
    d_k = d // heads
    tensors = {"hidden_states": torch.randn(1, 16, d)}
    for layer in range(2):
        tensors |= llama_layer(layer, d, heads, kv_heads, d_k)
    weights, output = llama_attention(tensors, 0, heads, kv_heads, theta, d_k ** -0.5, allowed=causal(16))
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": d, "intermediate_size": 2 * d,
              "num_attention_heads": heads, "num_key_value_heads": kv_heads, "num_hidden_layers": 2, "max_position_embeddings": 8192,
              "rope_theta": theta, "rope_scaling": None, "attention_bias": False, "rms_norm_eps": 1e-5, "hidden_act": "silu"}
    return config, tensors, {"weights": weights, "output": output}


def mistral():
    """A window: a query looks at itself and the five keys before it."""
    d, heads, kv_heads, theta, window, count = 32, 4, 2, 1000000.0, 6, 20
    d_k = d // heads
    tensors = {"hidden_states": torch.randn(count, d)} | llama_layer(0, d, heads, kv_heads, d_k)
    tensors["model.layers.0.mlp.gate_proj.weight"] = linear(2 * d, d)
    weights, output = llama_attention(tensors, 0, heads, kv_heads, theta, d_k ** -0.5, allowed=causal(count, window))
    config = {"model_type": "mistral", "architectures": ["MistralForCausalLM"], "hidden_size": d, "intermediate_size": 2 * d,
              "num_attention_heads": heads, "num_key_value_heads": kv_heads, "num_hidden_layers": 1, "max_position_embeddings": 32768,
              "rope_theta": theta, "sliding_window": window, "rms_norm_eps": 1e-5, "hidden_act": "silu"}
    return config, tensors, {"weights": weights, "output": output}


def qwen2():
    """Biases of queries, keys and values, none of the output. Its window is there and not in use."""
    d, heads, kv_heads, theta, count = 32, 4, 2, 1000000.0, 15
    d_k = d // heads
    tensors = {"hidden_states": torch.randn(2, count, d)} | llama_layer(0, d, heads, kv_heads, d_k, biases=True)
    weights, output = llama_attention(tensors, 0, heads, kv_heads, theta, d_k ** -0.5, allowed=causal(count))
    config = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": d, "intermediate_size": 2 * d,
              "num_attention_heads": heads, "num_key_value_heads": kv_heads, "num_hidden_layers": 1, "max_position_embeddings": 32768,
              "rope_theta": theta, "use_sliding_window": False, "sliding_window": 4, "max_window_layers": 1, "rms_norm_eps": 1e-6,
              "hidden_act": "silu"}
    return config, tensors, {"weights": weights, "output": output}


def gemma2():
    """A scale of its own, a softcap before the mask, heads wider than their share of d; layers 0, 2, ... have a window, layer 1 none."""
    d, heads, kv_heads, d_k, theta, window, cap, scalar, count = 32, 4, 2, 12, 10000.0, 5, 3.0, 8, 14
    tensors = {"hidden_states": torch.randn(1, count, d)}
    for layer in range(2):
        tensors |= llama_layer(layer, d, heads, kv_heads, d_k, gain=1.5)
        tensors[f"model.layers.{layer}.post_attention_layernorm.weight"] = 0.1 * torch.randn(d)
    expected = {}
    for layer, allowed in ((0, causal(count, window)), (1, causal(count))):
        prefix = "" if layer == 0 else f"layer{layer}_"
        expected[prefix + "weights"], expected[prefix + "output"] = llama_attention(
            tensors, layer, heads, kv_heads, theta, scalar ** -0.5, softcap=cap, allowed=allowed)
    config = {"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": d, "intermediate_size": 2 * d,
              "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": d_k, "num_hidden_layers": 2,
              "max_position_embeddings": 8192, "rope_theta": theta, "sliding_window": window, "query_pre_attn_scalar": scalar,
              "attn_logit_softcapping": cap, "final_logit_softcapping": 30.0, "attention_bias": False, "rms_norm_eps": 1e-6,
              "hidden_activation": "gelu_pytorch_tanh"}
    return config, tensors, expected


def bert():
    """Both ways, three texts of different lengths filled up with padding, which no query looks at and which asks all the same."""
    d, heads, lengths = 32, 4, [12, 7, 9]
    d_k, count = d // heads, max(lengths)
    at = "bert.encoder.layer.0"
    x = torch.randn(len(lengths), count, d)
    mask = (torch.arange(count)[None, :] < torch.tensor(lengths)[:, None]).long()
    tensors = {"hidden_states": x, "attention_mask": mask}
    for name in ("query", "key", "value"):
        tensors |= {f"{at}.attention.self.{name}.weight": linear(d, d, 1.3), f"{at}.attention.self.{name}.bias": bias(d)}
    tensors |= {f"{at}.attention.output.dense.weight": linear(d, d), f"{at}.attention.output.dense.bias": bias(d),
                f"{at}.attention.output.LayerNorm.weight": norm(d), f"{at}.attention.output.LayerNorm.bias": bias(d),
                f"{at}.intermediate.dense.weight": linear(2 * d, d), f"{at}.intermediate.dense.bias": bias(2 * d),
                f"{at}.output.dense.weight": linear(d, 2 * d), f"{at}.output.dense.bias": bias(d)}
    q, k, v = (heads_of(project(x, tensors[f"{at}.attention.self.{name}.weight"], tensors[f"{at}.attention.self.{name}.bias"]), heads)
               for name in ("query", "key", "value"))
    weights, joined = attend(q, k, v, d_k ** -0.5, allowed=mask[:, None, None, :].bool())
    output = project(joined, tensors[f"{at}.attention.output.dense.weight"], tensors[f"{at}.attention.output.dense.bias"])
    config = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": d, "intermediate_size": 2 * d,
              "num_attention_heads": heads, "num_hidden_layers": 1, "max_position_embeddings": 64, "position_embedding_type": "absolute",
              "hidden_act": "gelu"}
    return config, tensors, {"weights": weights, "output": output}


def t5_buckets(count, buckets, farthest, both_ways):
    """[T, T]. Both ways: half of the buckets are for keys after the query, which otherwise share that of the query itself. The near
    distances have one each, the others grow by logarithms up to the farthest."""
    away = torch.arange(count)[None, :] - torch.arange(count)[:, None]
    side = torch.zeros_like(away)
    if both_ways:
        buckets //= 2
        side, away = (away > 0).long() * buckets, away.abs()
    else:
        away = -away.clamp(max=0)
    near = buckets // 2
    far = near + (torch.log(away.float().clamp(min=1) / near) / math.log(farthest / near) * (buckets - near)).long()
    return side + torch.where(away < near, away, far.clamp(max=buckets - 1))


def t5_bias(table, count, both_ways):
    """[1, H, T, T] out of [buckets, H]."""
    bucket = t5_buckets(count, table.shape[0], T5_CONFIG["relative_attention_max_distance"], both_ways)
    return table.double()[bucket].permute(2, 0, 1)[None]


T5_CONFIG = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": True, "d_model": 32, "d_kv": 12,
             "d_ff": 64, "num_heads": 4, "num_layers": 1, "num_decoder_layers": 1, "relative_attention_num_buckets": 8,
             "relative_attention_max_distance": 12, "feed_forward_proj": "relu", "layer_norm_epsilon": 1e-6}


def t5_layer(at):
    """Scores are not scaled: queries are small instead."""
    d, inner = T5_CONFIG["d_model"], T5_CONFIG["num_heads"] * T5_CONFIG["d_kv"]
    return {f"{at}.q.weight": linear(inner, d, 0.4), f"{at}.k.weight": linear(inner, d), f"{at}.v.weight": linear(inner, d),
            f"{at}.o.weight": linear(d, inner)}


def t5_attention(tensors, at, x, y, added=None, allowed=None):
    heads = T5_CONFIG["num_heads"]
    q, k, v = (heads_of(project(of, tensors[f"{at}.{name}.weight"]), heads) for name, of in (("q", x), ("k", y), ("v", y)))
    weights, joined = attend(q, k, v, 1.0, added=added, allowed=allowed)
    return weights, project(joined, tensors[f"{at}.o.weight"])


def t5():
    """Self-attention of the encoder: no scale, no mask, a number for each bucket of distances and each head added to the scores. All
    layers have the table of the first."""
    d, heads, buckets, count = T5_CONFIG["d_model"], T5_CONFIG["num_heads"], T5_CONFIG["relative_attention_num_buckets"], 18
    at = "encoder.block.0.layer.0.SelfAttention"
    x = torch.randn(1, count, d)
    table = torch.randn(buckets, heads)
    tensors = {"hidden_states": x} | t5_layer(at) | {
        f"{at}.relative_attention_bias.weight": table, "encoder.block.0.layer.0.layer_norm.weight": norm(d),
        "encoder.block.0.layer.1.DenseReluDense.wi.weight": linear(2 * d, d),
        "encoder.block.0.layer.1.DenseReluDense.wo.weight": linear(d, 2 * d), "encoder.block.0.layer.1.layer_norm.weight": norm(d)}
    after = "encoder.block.1.layer.0.SelfAttention"
    tensors |= t5_layer(after)
    added = t5_bias(table, count, both_ways=True)
    weights, output = t5_attention(tensors, at, x, x, added)
    weights1, output1 = t5_attention(tensors, after, x, x, added)
    return T5_CONFIG, tensors, {"weights": weights, "output": output, "layer1_weights": weights1, "layer1_output": output1}


def cross_attention():
    """T5's decoder looks at the encoder's tokens: keys and values are of other tokens, and more of them; nothing is added."""
    d = T5_CONFIG["d_model"]
    at = "decoder.block.0.layer.1.EncDecAttention"
    x, y = torch.randn(2, 9, d), torch.randn(2, 13, d)
    tensors = {"hidden_states": x, "encoder_hidden_states": y} | t5_layer(at) | {"decoder.block.0.layer.1.layer_norm.weight": norm(d)}
    weights, output = t5_attention(tensors, at, x, y)
    return T5_CONFIG, tensors, {"weights": weights, "output": output}


def t5_decoder():
    """Self-attention of the decoder: causal, and all buckets are for keys before the query."""
    d, heads, buckets, count = T5_CONFIG["d_model"], T5_CONFIG["num_heads"], T5_CONFIG["relative_attention_num_buckets"], 17
    at = "decoder.block.0.layer.0.SelfAttention"
    x = torch.randn(2, count, d)
    table = torch.randn(buckets, heads)
    tensors = {"hidden_states": x} | t5_layer(at) | {f"{at}.relative_attention_bias.weight": table}
    tensors |= t5_layer("decoder.block.0.layer.1.EncDecAttention")
    weights, output = t5_attention(tensors, at, x, x, t5_bias(table, count, both_ways=False), causal(count))
    return T5_CONFIG, tensors, {"weights": weights, "output": output}


def gptj():
    """Neighbours are turned, and of each head some only; no biases."""
    d, heads, dims, count = 32, 4, 4, 13
    at = "transformer.h.0"
    x = torch.randn(2, count, d)
    tensors = {"hidden_states": x, f"{at}.ln_1.weight": norm(d), f"{at}.ln_1.bias": bias(d)}
    tensors |= {f"{at}.attn.{name}.weight": linear(d, d, 1.3) for name in ("q_proj", "k_proj", "v_proj", "out_proj")}
    tensors[f"{at}.mlp.fc_out.weight"] = linear(d, d)
    q, k, v = (heads_of(project(x, tensors[f"{at}.attn.{name}.weight"]), heads) for name in ("q_proj", "k_proj", "v_proj"))
    weights, joined = attend(rotated_neighbours(q, 10000.0, dims), rotated_neighbours(k, 10000.0, dims), v, (d // heads) ** -0.5,
                             allowed=causal(count))
    config = {"model_type": "gptj", "architectures": ["GPTJForCausalLM"], "n_embd": d, "n_head": heads, "n_layer": 1, "n_inner": None,
              "n_positions": 64, "rotary": True, "rotary_dim": dims, "activation_function": "gelu_new"}
    return config, tensors, {"weights": weights, "output": project(joined, tensors[f"{at}.attn.out_proj.weight"])}


FAMILIES = (gpt2, gpt_neox, llama, mistral, qwen2, gemma2, bert, t5, cross_attention, t5_decoder, gptj)

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for number, family in enumerate(FAMILIES):
        torch.manual_seed(2000 + number)
        save(os.path.join(sys.argv[1], family.__name__), *family())
