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
from torch.nn.functional import cross_entropy

from english import Grammar, words
from small_gpt2 import LETTERS, SPACE, Block, config, tensors, tokenizer
from train_induction import save_safetensors

SEED = 5
WIDTH, HEADS, LAYERS, POSITIONS = 96, 6, 3, 96
STEPS, BATCH, LENGTH, RATE = 3000, 48, 40, 4e-3
FOLDER = pathlib.Path(__file__).parent / "words"


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


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = torch.nn.Embedding(len(TOKENS), WIDTH), torch.nn.Embedding(POSITIONS, WIDTH)
        for table in (self.token, self.position):
            torch.nn.init.normal_(table.weight, std=0.05)
        self.blocks = torch.nn.ModuleList(Block(WIDTH, HEADS, 4 * WIDTH) for _ in range(LAYERS))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, ids):
        x = self.token(ids) + self.position(torch.arange(ids.shape[1]))
        seen = []
        for block in self.blocks:
            x, weights = block(x)
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
    (FOLDER / "config.json").write_text(json.dumps(
        config(WIDTH, LAYERS, HEADS, 4 * WIDTH, POSITIONS, len(TOKENS), True, "float16"), indent=1) + "\n")
    (FOLDER / "tokenizer.json").write_text(json.dumps(
        tokenizer(TOKENS, [f"{left} {right}" for left, right in MERGES]), ensure_ascii=False, indent=1) + "\n")
    (FOLDER / "who-gave-what.headlight").write_text(json.dumps(session(), ensure_ascii=False, indent=1) + "\n")
