#!/usr/bin/env python3
"""Trains the program's example model, and writes its folder and its lessons:

    syllables/config.json, tokenizer.json, model.safetensors
    whole-model.headlight       a lesson on its second layer and its predictions
    written-note.headlight      a lesson on its first layer, and how the second one depends on it

Needs Debian's python3-torch and nothing else. Some minutes on two cores:

    python3 assets/examples/train_syllables.py

It is a small complete model of the family gpt2, with its norms. It reads lines of random syllables, each repeated
once, and predicts each next syllable: in the repetition the next one is known. The task is that of train_induction.py;
here the two attention layers are part of a complete model. Its MLPs add the same numbers to every token, so that only
attention depends on the text. Its tokenizer splits texts of syllables at spaces, and any other text into bytes, for
which the model is not trained.
"""
import json
import pathlib

import torch
from torch.nn.functional import cross_entropy

from small_gpt2 import LETTERS, SPACE, Block, config, tensors, tokenizer
from train_induction import LINES, SYLLABLES, placed, save_safetensors

SEED = 3
WIDTH, HEADS, LAYERS, POSITIONS = 64, 4, 2, 64
STEPS, BATCH, RATE = 6000, 128, 2e-3
SHOWN_LINE, SHOWN_AGAIN = 8, 4  # syllables of the lessons' line, and how many of them are repeated
PREFIXES = range(0, 5)  # syllables before a line, so that positions predict nothing
FOLDER = pathlib.Path(__file__).parent / "syllables"


STARTS = sorted({SPACE + syllable[0] for syllable in SYLLABLES})  # half a syllable: the first merge of BPE
TOKENS = [*LETTERS, *STARTS, *(SPACE + syllable for syllable in SYLLABLES), "<start>"]
FIRST_SYLLABLE = len(LETTERS) + len(STARTS)
START = len(TOKENS) - 1


MERGES = [f"{SPACE} {start[1]}" for start in STARTS] + [f"{SPACE}{s[0]} {s[1]}" for s in SYLLABLES]


def attention_block():
    """A block whose MLP adds the same numbers to every token."""
    block = Block(WIDTH, HEADS, WIDTH)
    torch.nn.init.zeros_(block.down.weight)
    for parameter in (*block.up.parameters(), *block.down.parameters()):
        parameter.requires_grad_(False)
    return block


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = torch.nn.Embedding(len(TOKENS), WIDTH), torch.nn.Embedding(POSITIONS, WIDTH)
        self.unembed = torch.nn.Linear(WIDTH, len(TOKENS), bias=False)
        self.blocks = torch.nn.ModuleList(attention_block() for _ in range(LAYERS))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, ids):
        x = self.token(ids) + self.position(torch.arange(ids.shape[1]))
        seen = []
        for block in self.blocks:
            x, weights = block(x)
            seen.append(weights)
        return self.unembed(self.norm(x)), seen


def drawn(numbers, generator):
    return numbers[int(torch.randint(len(numbers), (), generator=generator))]


def lines(count, prefix, line, generator):
    """`count` times <start>, some random syllables, a line of them and the same line again."""
    syllables = FIRST_SYLLABLE + torch.randint(len(SYLLABLES), (count, prefix + line), generator=generator)
    return torch.cat([torch.full((count, 1), START), syllables, syllables[:, prefix:]], dim=1)


def train(model, generator):
    optimizer = torch.optim.Adam([each for each in model.parameters() if each.requires_grad], RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, STEPS)
    for step in range(STEPS):
        prefix, line = drawn(PREFIXES, generator), drawn(LINES, generator)
        ids, again = lines(BATCH, prefix, line, generator), prefix + line + 1
        logits, _ = model(ids)
        # Up to the first syllable of the second line tokens cannot be predicted: their loss counts little.
        told = cross_entropy(logits[:, again:-1].reshape(-1, len(TOKENS)), ids[:, again + 1:].reshape(-1))
        guessed = cross_entropy(logits[:, :again].reshape(-1, len(TOKENS)), ids[:, 1:again + 1].reshape(-1))
        loss = told + 0.05 * guessed
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            print(f"step {step + 1}: loss of what can be told {told.item():.4f}", flush=True)


def lesson(layer, order, title, notes, head, row, column, steps, ids):
    text = "".join(TOKENS[i] for i in ids[1:]).replace(SPACE, " ").strip()
    return {
        "format": "headlight-session", "version": 1, "title": title, "notes": notes,
        "model_folder": {"path": "syllables", "text": text, "ids": ids, "layer": layer, "changes": []},
        "lesson": {"order": order, "chapter": "A trained model", "source": "assets/examples/train_syllables.py",
                   "stage": "weights", "head": head, "row": row, "column": column, "count_from": 0,
                   "steps": steps}}


def whole_model_lesson(head, notes, ids):
    row, first = SHOWN_LINE + SHOWN_AGAIN, SHOWN_AGAIN
    at = {"row": row, "first": first, "behind": first + 1, "other": row - 1, "head": head}
    each = [f"weights[{row},{first + 1}] head {i}" for i in range(HEADS)]
    listed, all_find = ", ".join("{" + of + "}" for of in each), " and ".join(of + " > 0.5" for of in each)
    steps = [
        {"title": "A text, and what comes next",
         "text": placed("This is a whole model, from the text to the next token: {tokens} tokens, "
                        "and the pictures show where each head of each layer looks. Its text is a line of syllables that "
                        "begins a second time. At the left stands what it expects after the last one, "
                        "“{token[<row>]}”. A dot in front of a syllable is the blank that belongs to it.", at),
         "stage": "weights", "rows": [row], "select": [row, first + 1], "view": "model",
         "try": placed("Click another token of the text at the left: what does the model expect after it? Where it is said for "
                       "the first time it has to guess. Here “{token[<row>]}” gives {now weights[<row>,<behind>]} of its "
                       "attention to “{token[<behind>]}” in one head of the second layer (layers and heads count from zero in the window).", at)},
        {"title": "Where it looks for the answer",
         "text": placed("{if weights[<row>,<behind>] > 0.5}In the second layer this head gives {weights[<row>,<behind>]} of the "
                        "attention of “{token[<row>]}” to “{token[<behind>]}”: what came next when “{token[<first>]}” stood here the "
                        "first time.{else}At first this head looked from “{token[<row>]}” at what came next the "
                        "first time, “{token[<behind>]}”; now it gives {now weights[<row>,<behind>]}.{end} Such heads are called "
                        "induction heads.", at),
         "stage": "weights", "head": head, "cells": [[row, first + 1]], "select": [row, first + 1]},
        {"title": "How many find it",
         "text": placed("{if " + all_find + "}All heads of this layer have found “{token[<behind>]}”: it gets " + listed +
                        " of the attention of “{token[<row>]}”.{else}“{token[<row>]}” gives “{token[<behind>]}” " + listed +
                        " in the heads of this layer.{end}", at),
         "stage": "weights", "cells": [[row, first + 1]], "select": [row, first + 1],
         "ask": {"question": placed("Keep this state (Ctrl+K): the prediction at the left is kept, to compare with. One head gives "
                                    "“{token[<behind>]}” {weights[<row>,<behind>] head <head>} of its attention. What becomes of the "
                                    "prediction when all heads of this layer are switched off?", at),
                 "answers": ["It stays ahead, but weakened", "It is gone", "It stays as it is"], "right": 1,
                 "replies": [placed(reply, at) for reply in (
                     "{if output[<row>] ~ output[<other>]}Look at the left: it is gone. The attention of this layer adds the same numbers to every token now, such as {now output[<row>,0]}.{else}The layer adds {now output[<row>,0]} and other numbers to the "
                     "last token: some of its heads are at work.{end}",
                     "{if output[<row>] ~ output[<other>]}Yes: the attention of this layer adds the same numbers to every token now, such as {now "
                     "output[<row>,0]}, and knows nothing of the line.{else}The layer adds {now output[<row>,0]} and other numbers to "
                     "the last token: some of its heads are at work.{end}",
                     "{if output[<row>] ~ output[<other>]}Look at the left: it is gone. Nothing but {now output[<row>,0]} and other "
                     "numbers that are the same for every token comes from the attention of this layer.{else}The layer adds {now output[<row>,0]} "
                     "and other numbers to the last token: some of its heads are at work.{end}")],
                 "change": {"set": {"disabled_heads": list(range(HEADS))}}}},
        {"title": "Which head says it",
         "text": placed("The pictures are those of all heads again. Parts, above them, tells what each head adds to the number of a prediction, its logit: the sum of all parts is the logit. MLP is the other half of a layer, a small network that works on each token by itself. {if weights[<row>,<behind>] head <head> > 0.5}Attention alone does not tell how "
                        "much: a head gives “{token[<behind>]}” {weights[<row>,<behind>] head <head>} of its "
                        "attention, and what it adds for that depends on its values.{else}A head gives "
                        "“{token[<behind>]}” {now weights[<row>,<behind>] head <head>} of its attention.{end}", at),
         "stage": "weights", "rows": [row], "select": [row, first + 1], "view": "model",
         "try": placed("Choose Parts and click the head that is painted strongly: which token is its part of? Then choose Layers: "
                       "from which layer on is the prediction there?", at)}]
    return lesson(1, 120, "A whole model", notes, head, row, first + 1, steps, ids)


def written_note_lesson(head, notes, ids):
    row = SHOWN_LINE // 2
    again = SHOWN_LINE + SHOWN_AGAIN
    at = {"row": row, "before": row - 1, "again": again, "again_before": again - 1, "head": head}
    steps = [
        {"title": "The layer before",
         "text": placed("{if weights[<row>,<before>] > 0.5 and weights[<again>,<again_before>] > 0.5}In the first layer this head "
                        "looks back by one: “{token[<row>]}” gives {weights[<row>,<before>]} of its attention to "
                        "“{token[<before>]}”, and “{token[<again>]}” at the end {weights[<again>,<again_before>]} to the one before "
                        "it.{else}At first this head looked back by one; “{token[<row>]}” gives {now weights[<row>,<before>]} of its "
                        "attention to “{token[<before>]}” now.{end}", at),
         "stage": "weights", "head": head, "cells": [[i, i - 1] for i in range(1, len(ids))], "select": [row, row - 1]},
        {"title": "What it writes",
         "text": placed("The context of this head is little else than the value of the token before. The output "
                        "projection adds it to the residual stream, the row of numbers that each token carries from layer to "
                        "layer: a note beside each token, of what stood in front of it."
                        " {if weights[<row>,<before>] > "
                        "0.9}“{token[<before>]}” has a weight of {weights[<row>,<before>]} in the note of "
                        "“{token[<row>]}”.{else}"
                        "“{token[<before>]}” has a weight of {now weights[<row>,<before>]} in the note of "
                        "“{token[<row>]}”."
                        "{end} The heads of the second layer read these notes.", at),
         "stage": "context", "head": head, "rows": [row], "select": [row, 0]},
        {"title": "Without the note",
         "text": placed("The prediction at the left is made by the second layer, and this is the first. {if disabled_heads is "
                        "none}All heads are at work.{else}Heads of this layer are switched off.{end} One of them gives "
                        "{now weights[<row>,<before>]} of the attention of “{token[<row>]}” to the token before.", at),
         "stage": "weights", "head": head, "cells": [[row, row - 1]], "select": [row, row - 1],
         "ask": {"question": "Keep this state (Ctrl+K). What becomes of the prediction when this head alone is switched off?",
                 "answers": ["Nothing: the heads that find the answer are in the next layer",
                             "It weakens or goes: they do not find it"], "right": 1,
                 "replies": [placed(reply, at) for reply in (
                     "{if not disabled_heads is none}Look at the left, and then at the second layer (Alt+Down): its heads look for a "
                     "note that is missing now.{else}Switch it off above its picture, and look at the left.{end} This head gives "
                     "{now weights[<row>,<before>]} to the token before, and what it makes of that is left out.",
                     "{if not disabled_heads is none}So it is: look at the second layer (Alt+Down), whose heads look for a note that is "
                     "missing now.{else}Switch it off above its picture, and look at the left.{end} This head gives {now "
                     "weights[<row>,<before>]} to the token before, and what it makes of that is left out.")],
                 "change": {"set": {"disabled_heads": [head]}}}},
        {"title": "A note from another text",
         "text": placed("Patches go further than a switch: the stream of one text is put into another one. {if "
                        "weights[<row>,<before>] head <head> > 0.5}What head {fixed <head>: the one that looks back by one} of the first layer has written with {weights[<row>,<before>] head <head>} of its attention "
                        "comes along with it.{else}What head {fixed <head>: the one that looks back by one} of the first layer writes comes along with it.{end}", at),
         "stage": "weights", "rows": [row], "select": [row, row - 1], "view": "model",
         "try": placed("Keep this text (Ctrl+K) and change one of its first syllables at the left. Then choose Patches and Compute: "
                       "which layer and token bring the kept prediction back? “{token[<row>]}” gives {now weights[<row>,<before>] head <head>} to the "
                       "token before it.", at)}]
    return lesson(0, 121, "A note that is read", notes, head, row, row - 1, steps, ids)


def shown_ids(generator):
    """<start>, a line of different syllables, and its beginning again."""
    line = FIRST_SYLLABLE + torch.randperm(len(SYLLABLES), generator=generator)[:SHOWN_LINE]
    return torch.cat([torch.tensor([START]), line, line[:SHOWN_AGAIN]])


@torch.no_grad()
def write_lessons(model, generator):
    ids = shown_ids(generator)
    logits, seen = model(ids[None])
    row = len(ids) - 1
    back = [weights.diagonal(-1).mean().item() for weights in seen[0][0]]
    found = [weights[row, SHOWN_AGAIN + 1].item() for weights in seen[1][0]]
    told = logits[0, -1].softmax(-1)
    print("the lessons' line:", [TOKENS[i] for i in ids.tolist()], "next:", TOKENS[told.argmax()], round(told.max().item(), 3))
    notes = "A small model of the family gpt2 that was trained on lines said twice, opened as a whole."
    ids = ids.tolist()
    for name, content in (
            ("whole-model", whole_model_lesson(found.index(max(found)), notes, ids)),
            ("written-note", written_note_lesson(back.index(max(back)), notes, ids))):
        (FOLDER.parent / (name + ".headlight")).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")


@torch.no_grad()
def report(model, generator):
    line = 10
    ids = lines(200, 0, line, generator)
    logits, seen = model(ids)
    right = (logits[:, line + 1:-1].argmax(-1) == ids[:, line + 2:]).float().mean().item()
    print(f"of the second line told rightly, but for its first syllable: {100 * right:.1f} %")
    for layer, weights in enumerate(seen):
        before = weights.diagonal(-1, 2, 3).mean((0, 2))
        behind = weights.diagonal(1 - line, 2, 3)[..., 2:].mean((0, 2))
        print(f"layer {layer}: on the token before {[round(x, 3) for x in before.tolist()]}, "
              f"on what came behind the same syllable {[round(x, 3) for x in behind.tolist()]}")


if __name__ == "__main__":
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    model = Model()
    train(model, generator)
    report(model, torch.Generator().manual_seed(SEED + 1))
    FOLDER.mkdir(exist_ok=True)
    with torch.no_grad():
        save_safetensors(FOLDER / "model.safetensors", {**tensors(model), "lm_head.weight": model.unembed.weight})
    (FOLDER / "config.json").write_text(json.dumps(
        config(WIDTH, LAYERS, HEADS, WIDTH, POSITIONS, len(TOKENS), False, "float32"), indent=1) + "\n")
    (FOLDER / "tokenizer.json").write_text(json.dumps(tokenizer(TOKENS, MERGES), ensure_ascii=False, indent=1) + "\n")
    write_lessons(model, torch.Generator().manual_seed(SEED + 2))
