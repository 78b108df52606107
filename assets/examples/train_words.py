#!/usr/bin/env python3
"""Trains the program's example model on simple English, and writes its folder:

    words/config.json, tokenizer.json, model.safetensors
    words/who-gave-what.headlight   a session on it, which the start screen opens

Needs Debian's python3-torch, and libopenblas0 to take some minutes on two cores rather than many:

    python3 assets/examples/train_words.py

It is a small complete model of the family gpt2, with norms and MLPs, and its embedding is also its unembedding. It reads
sentences of english.py, one behind the other, and predicts each next word. Its tokenizer knows the words of that grammar;
any other word is cut into the pieces that it shares with them, down to single letters, for which the model is not trained.
"""
import json
import pathlib

import torch
from torch.nn.functional import cross_entropy, gelu

from english import Grammar, words
from train_induction import save_safetensors

SEED = 5
WIDTH, HEADS, LAYERS, POSITIONS = 96, 6, 3, 96
STEPS, BATCH, LENGTH, RATE = 3000, 48, 40, 4e-3
FOLDER = pathlib.Path(__file__).parent / "words"


def byte_letters():
    """The letter of each byte in a byte-level vocabulary, as in GPT-2's tokenizer."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    return {**{byte: chr(byte) for byte in shown}, **{byte: chr(256 + i) for i, byte in enumerate(others)}}


LETTERS = list(byte_letters().values())
SPACE = byte_letters()[ord(" ")]


def pieces():
    """Words with the blank in front of them, each behind the pieces that the merges make of it."""
    made = []
    for word in words():
        whole = SPACE + word
        made += [(whole[:end], whole[end]) for end in range(1, len(whole)) if (whole[:end], whole[end]) not in made]
    return made


MERGES = pieces()
TOKENS = [*LETTERS, *(left + right for left, right in MERGES), "<start>"]
IDS = {token: i for i, token in enumerate(TOKENS)}
START = IDS["<start>"]


def encoded(text):
    return [IDS[SPACE + word] for word in text.split()]


def tokenizer():
    start = {"id": START, "content": "<start>", "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [start], "normalizer": None,
        "pre_tokenizer": byte_level, "decoder": byte_level,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<start>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<start>": {"id": "<start>", "ids": [START], "tokens": ["<start>"]}}},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                  "vocab": IDS, "merges": [f"{left} {right}" for left, right in MERGES]}}


def config():
    return {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": WIDTH, "n_layer": LAYERS,
            "n_head": HEADS, "n_inner": 4 * WIDTH, "n_positions": POSITIONS, "vocab_size": len(TOKENS),
            "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new", "tie_word_embeddings": True,
            "torch_dtype": "float16"}


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.attention, self.output = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, future):
        batch, count, _ = x.shape
        q, k, v = (part.view(batch, count, HEADS, -1).transpose(1, 2)
                   for part in self.attention(self.ln_1(x)).split(WIDTH, 2))
        scaled = q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5
        weights = scaled.masked_fill(future, float("-inf")).softmax(-1)
        x = x + self.output((weights @ v).transpose(1, 2).reshape(batch, count, WIDTH))
        return x + self.down(gelu(self.up(self.ln_2(x)), approximate="tanh")), weights


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = torch.nn.Embedding(len(TOKENS), WIDTH), torch.nn.Embedding(POSITIONS, WIDTH)
        for table in (self.token, self.position):
            torch.nn.init.normal_(table.weight, std=0.05)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, ids):
        count = ids.shape[1]
        future = torch.ones(count, count, dtype=torch.bool).triu(1)
        x = self.token(ids) + self.position(torch.arange(count))
        seen = []
        for block in self.blocks:
            x, weights = block(x, future)
            seen.append(weights)
        return self.norm(x) @ self.token.weight.T, seen


def batch(grammar):
    """Lines that begin with <start> and hold as many sentences as fit."""
    rows = []
    for _ in range(BATCH):
        row = [START]
        while len(row) <= LENGTH:
            row += encoded(grammar.sentence())
        rows.append(row[:LENGTH + 1])
    return torch.tensor(rows)


def train(model, grammar):
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, STEPS, pct_start=0.1)
    for step in range(STEPS):
        ids = batch(grammar)
        logits, _ = model(ids[:, :-1])
        loss = cross_entropy(logits.reshape(-1, len(TOKENS)), ids[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            print(f"step {step + 1}: loss {loss.item():.4f}, {right_names(model):.0f} of 200 names", flush=True)


@torch.no_grad()
def right_names(model):
    """Of 200 sentences with pairs of people that training never saw: how often the one that gets the thing is first."""
    grammar, right = Grammar(1234, unseen=True), 0
    for _ in range(200):
        told, name = grammar.giving().rsplit(" ", 2)[:2]
        logits, _ = model(torch.tensor([[START, *encoded(told)]]))
        right += TOKENS[int(logits[0, -1].argmax())] == SPACE + name
    return right


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


@torch.no_grad()
def report(model):
    for text in ("When Ann and Tom went out , Tom gave the key to", "Rosa lost her blue hat in the park . Ben found the",
                 "Nina bought a ball , a spoon and a kite . Later Nina lost the ball , the",
                 "The box is red . The cup is green . The pen is blue . The cup is"):
        logits, seen = model(torch.tensor([[START, *encoded(text)]]))
        told = logits[0, -1].softmax(-1).topk(4)
        print(text, "->", [(TOKENS[i].strip(SPACE), round(p, 3)) for p, i in zip(told.values.tolist(), told.indices.tolist())])
        for layer, weights in enumerate(seen):
            most = weights[0, :, -1].max(-1)
            print(f"   layer {layer}:", [(["<start>", *text.split()][i], round(w, 2))
                                         for w, i in zip(most.values.tolist(), most.indices.tolist())])


def session():
    text = "When Ann and Tom went out , Tom gave the key to"
    return {
        "format": "headlight-session", "version": 1, "title": "Who gave what",
        "notes": "A small language model of simple English. Type other names and things: it knows some 300 words about people, things and places, and cuts others into pieces.",
        "model_folder": {"path": ".", "text": text, "ids": [START, *encoded(text)], "layer": LAYERS - 1, "changes": []}}


if __name__ == "__main__":
    torch.manual_seed(SEED)
    model = Model()
    print(len(TOKENS), "tokens,", sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    train(model, Grammar(SEED))
    model.half().float()  # as the file has it
    report(model)
    print(f"{right_names(model)} of 200 names of pairs that were never seen")
    FOLDER.mkdir(exist_ok=True)
    with torch.no_grad():
        save_safetensors(FOLDER / "model.safetensors", {name: each.half() for name, each in tensors(model).items()})
    (FOLDER / "config.json").write_text(json.dumps(config(), indent=1) + "\n")
    (FOLDER / "tokenizer.json").write_text(json.dumps(tokenizer(), ensure_ascii=False, indent=1) + "\n")
    (FOLDER / "who-gave-what.headlight").write_text(json.dumps(session(), ensure_ascii=False, indent=1) + "\n")
