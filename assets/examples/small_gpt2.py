"""What an example model of the family gpt2 is made of: a byte-level tokenizer, a block, and the names of its tensors."""
import torch
from torch.nn.functional import gelu


def byte_letters():
    """The letter of each byte in a byte-level vocabulary, as in GPT-2's tokenizer."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    return {**{byte: chr(byte) for byte in shown}, **{byte: chr(256 + i) for i, byte in enumerate(others)}}


LETTERS = list(byte_letters().values())
SPACE = byte_letters()[ord(" ")]


def tokenizer(tokens, merges):
    """tokenizer.json of a BPE over bytes; the last token is <start>, which begins every text. merges: "left right"."""
    first = len(tokens) - 1
    start = {"id": first, "content": "<start>", "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [start], "normalizer": None,
        "pre_tokenizer": byte_level, "decoder": byte_level,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<start>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<start>": {"id": "<start>", "ids": [first], "tokens": ["<start>"]}}},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                  "vocab": {token: i for i, token in enumerate(tokens)}, "merges": merges}}


def config(width, layers, heads, inner, positions, vocabulary, tied, dtype):
    return {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": width, "n_layer": layers,
            "n_head": heads, "n_inner": inner, "n_positions": positions, "vocab_size": vocabulary,
            "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new", "tie_word_embeddings": tied,
            "torch_dtype": dtype}


class Block(torch.nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.attention, self.output = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, inner), torch.nn.Linear(inner, width)

    def forward(self, x):
        """What the layer makes of the stream, and the weights of its heads."""
        batch, count, width = x.shape
        q, k, v = (part.view(batch, count, self.heads, -1).transpose(1, 2)
                   for part in self.attention(self.ln_1(x)).split(width, 2))
        scaled = q @ k.transpose(2, 3) / (width // self.heads) ** 0.5
        future = torch.ones(count, count, dtype=torch.bool).triu(1)
        weights = scaled.masked_fill(future, float("-inf")).softmax(-1)
        x = x + self.output((weights @ v).transpose(1, 2).reshape(batch, count, width))
        return x + self.down(gelu(self.up(self.ln_2(x)), approximate="tanh")), weights


def tensors(model):
    """The parameters with the names and shapes of GPT-2's checkpoints, whose layers have a column per output."""
    named = {"wte.weight": model.token.weight, "wpe.weight": model.position.weight}
    for i, block in enumerate(model.blocks):
        layers = {"ln_1": block.ln_1, "attn.c_attn": block.attention, "attn.c_proj": block.output,
                  "ln_2": block.ln_2, "mlp.c_fc": block.up, "mlp.c_proj": block.down}
        for name, layer in layers.items():
            named[f"h.{i}.{name}.weight"] = layer.weight.T if layer.weight.dim() == 2 else layer.weight
            named[f"h.{i}.{name}.bias"] = layer.bias
    named["ln_f.weight"], named["ln_f.bias"] = model.norm.weight, model.norm.bias
    return named
