#!/usr/bin/env python3
"""Trains the two-layer attention-only model of the two examples, and writes them anew beside this file:

    induction.safetensors           the model, and what goes into each layer for the line that is shown
    previous-token-head.headlight   its first layer
    induction-head.headlight        its second layer

Needs Debian's python3-torch and nothing else. About three minutes on one core:

    python3 assets/examples/train_induction.py

The model reads "<start>", a line of random syllables, and the same line again; it is to tell each next
syllable. In the second line that can be known: it stood behind the same syllable in the first. There are no
layer norms and no MLPs, so what the layers do is all attention:

    x = token + position        x += attention_1(x)        x += attention_2(x)        logits = x U
"""
import json
import pathlib
import struct

import torch

SEED = 5
SYLLABLES = [c + v for c in "bdfgklmnprst" for v in "aeiou"]  # 60
START = len(SYLLABLES)
TOKENS = [*SYLLABLES, "<start>"]
WIDTH, HEADS, LAYERS = 64, 4, 2
LINES = range(5, 17)  # syllables in a line
STEPS, BATCH, RATE = 6000, 128, 2e-3
SHOWN_LINE = 10
FOLDER = pathlib.Path(__file__).parent


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.output = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, count, _ = x.shape
        heads = lambda y: y.view(batch, count, HEADS, -1).transpose(1, 2)
        scaled = heads(self.query(x)) @ heads(self.key(x)).transpose(2, 3) / (WIDTH // HEADS) ** 0.5
        future = torch.ones(count, count, dtype=torch.bool).triu(1)
        weights = scaled.masked_fill(future, float("-inf")).softmax(-1)
        context = (weights @ heads(self.value(x))).transpose(1, 2).reshape(batch, count, WIDTH)
        return self.output(context), weights


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.token = torch.nn.Embedding(len(TOKENS), WIDTH)
        self.position = torch.nn.Embedding(1 + 2 * max(LINES), WIDTH)
        self.layers = torch.nn.ModuleList(Attention() for _ in range(LAYERS))
        self.unembed = torch.nn.Linear(WIDTH, len(TOKENS), bias=False)

    def forward(self, tokens):
        """The logits, and for each layer what goes in and its weights."""
        x = self.token(tokens) + self.position(torch.arange(tokens.shape[1]))
        seen = []
        for layer in self.layers:
            added, weights = layer(x)
            seen.append((x, weights))
            x = x + added
        return self.unembed(x), seen


def repeated(line, count, generator):
    """`count` times <start>, a line of random syllables, and the line again."""
    syllables = torch.randint(len(SYLLABLES), (count, line), generator=generator)
    return torch.cat([torch.full((count, 1), START), syllables, syllables], dim=1)


def train(model, generator):
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, STEPS)
    for step in range(STEPS):
        line = LINES[int(torch.randint(len(LINES), (), generator=generator))]
        tokens = repeated(line, BATCH, generator)
        logits, _ = model(tokens)
        # The first syllable of the second line, too, can only be guessed: lines differ in length.
        loss = torch.nn.functional.cross_entropy(
            logits[:, line + 1:-1].reshape(-1, len(TOKENS)), tokens[:, line + 2:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            print(f"step {step + 1}: loss {loss.item():.4f}", flush=True)


@torch.no_grad()
def accuracy(model, line, count, generator):
    """Of the second line's syllables from the second on: the share that is told rightly."""
    tokens = repeated(line, count, generator)
    told = model(tokens)[0][:, line + 1:-1].argmax(-1)
    return (told == tokens[:, line + 2:]).float().mean().item()


@torch.no_grad()
def head_shares(model, line, count, generator):
    """By layer and head: the mean weight on the token before, and, in the second line, on the token behind
    the same syllable in the first line."""
    _, seen = model(repeated(line, count, generator))
    before, behind = [], []
    for _, weights in seen:
        before.append(weights.diagonal(-1, 2, 3).mean((0, 2)).tolist())
        behind.append(weights.diagonal(1 - line, 2, 3)[..., 2:].mean((0, 2)).tolist())
    return before, behind


def save_safetensors(path, tensors):
    header, at = {}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * 4
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.contiguous().float().numpy().astype("<f4").tobytes())


def shown_line(generator):
    """<start>, a line of different syllables, and the line again."""
    line = torch.randperm(len(SYLLABLES), generator=generator)[:SHOWN_LINE]
    return torch.cat([torch.tensor([START]), line, line])[None]


def session(layer, title, notes, head, row, column, steps, tokens):
    weights = {"layout": "out_in"}
    for name in ("query", "key", "value", "output"):
        weights[name] = {"file": "induction.safetensors", "name": f"layers.{layer}.{name}.weight"}
    weights["output_bias"] = {"file": "induction.safetensors", "name": f"layers.{layer}.output.bias"}
    return {
        "format": "headlight-session", "version": 1, "title": title, "notes": notes,
        "tokens": [TOKENS[token] for token in tokens],
        "embeddings": {"file": "induction.safetensors", "name": f"layers.{layer}.input"},
        "attention": {"projection": "linear", "d_out": WIDTH, "num_heads": HEADS, "qkv_bias": False,
                      "output_projection": True, "scale": "inverse_sqrt_dk", "mask": "causal",
                      "normalization": "softmax"},
        "weights": weights,
        "lesson": {"order": 101 + layer, "chapter": "A trained model",
                   "source": "assets/examples/train_induction.py", "stage": "weights", "head": head,
                   "row": row, "column": column, "count_from": 0, "steps": steps}}


def previous_token_session(head, notes, tokens):
    row = SHOWN_LINE // 2
    steps = [
        {"title": "A model that was trained",
         "text": "Two layers of attention and nothing else learnt to go on with a line of syllables that is "
                 "said twice. Here is the first layer, with a line of %d and its repetition: what goes in is "
                 "each token's own vector plus that of its place, {d_in} numbers." % SHOWN_LINE,
         "stage": "embeddings", "rows": [row], "select": [row, 0]},
        {"title": "One head looks back by one",
         "text": "In head %d the bright cells stand just below the diagonal: “{token[%d]}” gives {weights[%d,%d]} "
                 "of its attention to “{token[%d]}” before it. Nobody wrote this rule, training found it."
                 % (head, row, row, row - 1, row - 1),
         "stage": "weights", "head": head,
         "cells": [[i, i - 1] for i in range(1, len(tokens))], "select": [row, row - 1]},
        {"title": "It goes by places",
         "text": "In the second line the same syllable stands elsewhere, and again it is the token before that "
                 "counts: “{token[%d]}” gives “{token[%d]}” {weights[%d,%d]}. Syllables are random, so only the places "
                 "can tell." % (row + SHOWN_LINE, row + SHOWN_LINE - 1, row + SHOWN_LINE, row + SHOWN_LINE - 1),
         "stage": "weights", "head": head, "rows": [row, row + SHOWN_LINE],
         "select": [row + SHOWN_LINE, row + SHOWN_LINE - 1]},
        {"title": "What it passes on",
         "text": "The context of “{token[%d]}” is little else than the value of “{token[%d]}”. The output "
                 "projection adds it to what flows on: from now on every token carries a note of the one before "
                 "it." % (row, row - 1),
         "stage": "context", "head": head, "rows": [row], "select": [row, 0],
         "try": "Switch head %d off above its picture and look at output: the note is gone from every row. Then go "
                "on with “An induction head”, the layer that reads it." % (head)}]
    return session(0, "A previous-token head", notes, head, row, row - 1, steps, tokens)


def induction_session(head, notes, tokens):
    first, row = SHOWN_LINE // 2, SHOWN_LINE // 2 + SHOWN_LINE
    behind = first + 1
    steps = [
        {"title": "The second layer",
         "text": "What goes in is what the first layer left: token, place, and a note of the token before. The line "
                 "of %d syllables begins again at “{token[%d]}”, the token number %d."
                 % (SHOWN_LINE, SHOWN_LINE + 1, SHOWN_LINE + 1),
         "stage": "embeddings", "rows": [SHOWN_LINE + 1], "select": [SHOWN_LINE + 1, 0]},
        {"title": "It has stood here before",
         "text": "“{token[%d]}” of the second line gives {weights[%d,%d]} of its attention in head %d to “{token[%d]}”: "
                 "the token that stood behind “{token[%d]}” the first time, and the one that comes next."
                 % (row, row, behind, head, behind, first),
         "stage": "weights", "head": head, "cells": [[row, behind]], "select": [row, behind]},
        {"title": "A stripe of its own",
         "text": "The same for the whole second line: a second stripe, %d places left of the diagonal. A head that "
                 "finds what came next the last time is called an induction head." % (SHOWN_LINE - 1),
         "stage": "weights", "head": head,
         "cells": [[i, i - SHOWN_LINE + 1] for i in range(SHOWN_LINE + 1, len(tokens))],
         "select": [row, behind]},
        {"title": "Why the keys match",
         "text": "The query of “{token[%d]}” says what it is, the key of “{token[%d]}” says what stood before it: the note "
                 "of the first layer. They are the same syllable, so the score is {scaled[%d,%d]}."
                 % (row, behind, row, behind),
         "stage": "scaled", "head": head, "cells": [[row, behind]], "select": [row, behind]},
        {"title": "Where there is nothing to find",
         "text": "In the first line no syllable has stood before, and the attention of “{token[%d]}” spreads: its "
                 "largest weight is {weights[%d] largest}. In the second line it has found its place: "
                 "{weights[%d] largest}." % (first, first, row),
         "stage": "weights", "head": head, "rows": [first, row], "select": [first, 0],
         "try": "Choose “paint” in the list of masks and forbid “{token[%d]}” to attend to “{token[%d]}”: the head has "
                "to look elsewhere." % (row, behind)}]
    return session(1, "An induction head", notes, head, row, behind, steps, tokens)


@torch.no_grad()
def write_examples(model, generator, shares):
    tokens = shown_line(generator)
    logits, seen = model(tokens)
    told = logits[0, SHOWN_LINE + 1:-1].argmax(-1)
    print("of the line that is shown, told rightly:", int((told == tokens[0, SHOWN_LINE + 2:]).sum()), "of",
          len(told))
    tensors = dict(model.state_dict())
    for layer, (x, _) in enumerate(seen):
        tensors[f"layers.{layer}.input"] = x[0]
    save_safetensors(FOLDER / "induction.safetensors", tensors)

    before, behind = head_shares(model, SHOWN_LINE, 500, generator)
    print("mean weight on the token before:", [[round(x, 3) for x in row] for row in before])
    print("mean weight on the token behind the same:", [[round(x, 3) for x in row] for row in behind])
    looks_back = max(range(HEADS), key=lambda head: before[0][head])
    inducts = max(range(HEADS), key=lambda head: behind[1][head])
    told_text = (f"Of the second line's syllables, from the second on, the model tells {100 * sum(shares) / len(shares):.1f} % "
                 f"rightly (lines of {LINES[0]} to {LINES[-1]} syllables, 1000 of each length).")
    for name, content in (
            ("previous-token-head", previous_token_session(
                looks_back, f"The first layer of a model that was trained on lines said twice. Head {looks_back} "
                f"gives the token before {before[0][looks_back]:.2f} of its attention on average. " + told_text,
                tokens[0].tolist())),
            ("induction-head", induction_session(
                inducts, f"The second layer of a model that was trained on lines said twice. In the second line head "
                f"{inducts} gives the token that comes next {behind[1][inducts]:.2f} of its attention on average. "
                + told_text, tokens[0].tolist()))):
        path = FOLDER / (name + ".headlight")
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    model = Model()
    train(model, generator)
    shares = [accuracy(model, line, 1000, generator) for line in LINES]
    print("told rightly, by length of the line:", *(f"{n}: {share:.4f}" for n, share in zip(LINES, shares)))
    write_examples(model, generator, shares)
