#!/usr/bin/env python3
"""Trains the two-layer attention-only model of the examples, and writes the examples beside this file:

    induction.safetensors           the model, and the input of each layer for the line that is shown
    previous-token-head.headlight   its first layer
    induction-head.headlight        its second layer
    prediction.headlight            its second layer, with the logits as its outputs

Needs Debian's python3-torch and nothing else. About three minutes on one core:

    python3 assets/examples/train_induction.py

The model reads "<start>", a line of random syllables, and the same line again; it predicts each next syllable. In
the second line the next syllable is known: it followed the same syllable in the first line. There are no layer norms
and no MLPs, so that the layers consist of attention only:

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
        """The logits, and for each layer its input and its weights."""
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
        # Without the first syllable of the second line, which cannot be predicted: lines differ in length.
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
    """The share of correct predictions of the second line's syllables from the second on."""
    tokens = repeated(line, count, generator)
    told = model(tokens)[0][:, line + 1:-1].argmax(-1)
    return (told == tokens[:, line + 2:]).float().mean().item()


@torch.no_grad()
def head_shares(model, line, count, generator):
    """By layer and head: the mean weight on the previous token, and, in the second line, on the token after the same
    syllable in the first line."""
    _, seen = model(repeated(line, count, generator))
    before, behind = [], []
    for _, weights in seen:
        before.append(weights.diagonal(-1, 2, 3).mean((0, 2)).tolist())
        behind.append(weights.diagonal(1 - line, 2, 3)[..., 2:].mean((0, 2)).tolist())
    return before, behind


def save_safetensors(path, tensors):
    header, at = {}, 0
    for name, tensor in tensors.items():
        half = tensor.dtype == torch.float16
        size = tensor.numel() * (2 if half else 4)
        header[name] = {"dtype": "F16" if half else "F32", "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            kind = "<f2" if tensor.dtype == torch.float16 else "<f4"
            file.write(tensor.contiguous().numpy().astype(kind).tobytes())


def shown_line(generator):
    """<start>, a line of different syllables, and the line again."""
    line = torch.randperm(len(SYLLABLES), generator=generator)[:SHOWN_LINE]
    return torch.cat([torch.tensor([START]), line, line])[None]


def session(layer, title, notes, head, row, column, steps, tokens):
    weights = {"layout": "out_in"}
    for name in ("query", "key", "value", "output"):
        weights[name] = {"file": "induction.safetensors", "name": f"layers.{layer}.{name}.weight"}
    weights["output_bias"] = {"file": "induction.safetensors", "name": f"layers.{layer}.output.bias"}
    return session_with(weights, layer, 24 + layer, title, notes, head, row, column, steps, tokens)


def session_with(weights, layer, order, title, notes, head, row, column, steps, tokens):
    return {
        "format": "headlight-session", "version": 1, "title": title, "notes": notes,
        "tokens": [TOKENS[token] for token in tokens],
        "embeddings": {"file": "induction.safetensors", "name": f"layers.{layer}.input"},
        "attention": {"projection": "linear", "d_out": WIDTH, "num_heads": HEADS, "qkv_bias": False,
                      "output_projection": True, "scale": "inverse_sqrt_dk", "mask": "causal",
                      "normalization": "softmax"},
        "weights": weights,
        "lesson": {"order": order, "chapter": "Real models",
                   "source": "assets/examples/train_induction.py", "stage": "weights", "head": head,
                   "row": row, "column": column, "count_from": 0, "steps": steps}}


def placed(text, at):
    """The text with the positions of `at` filled in: <row> becomes the row."""
    for name, place in at.items():
        text = text.replace(f"<{name}>", str(place))
    return text


def previous_token_session(head, notes, tokens):
    row = SHOWN_LINE // 2
    at = {"row": row, "before": row - 1, "again": row + SHOWN_LINE, "again_before": row + SHOWN_LINE - 1}
    steps = [
        {"title": "A model that was trained",
         "text": placed("A model of nothing but attention layers has learnt to go on with a line of syllables that is "
                        "said once and then again. Here is the first of them, with a line and its repetition, "
                        "{tokens} tokens in all: what goes in is each token's own vector plus that of its place, "
                        "{d_in} numbers.", at),
         "stage": "embeddings", "rows": [row], "select": [row, 0]},
        {"title": "One head looks back by one",
         "text": placed("{if weights[<row>,<before>] > 0.5 and weights[<row>,<before>] = weights[<row>] "
                        "largest}In this head the bright cells stand just below the diagonal: “{token[<row>]}” "
                        "gives {calc 100 * weights[<row>,<before>]:0} % of its attention to “{token[<before>]}” before "
                        "it.{else}In this head the bright cells stood just below the diagonal at first: "
                        "“{token[<row>]}” gives {now weights[<row>,<before>]} of its attention to "
                        "“{token[<before>]}” before it.{end} Nobody wrote this rule, training found it.", at),
         "stage": "weights", "head": head,
         "cells": [[i, i - 1] for i in range(1, len(tokens))], "select": [row, row - 1]},
        {"title": "It goes by places",
         "text": placed("In the second line the same syllable stands elsewhere{if weights[<again>,<again_before>]"
                        " = weights[<again>] largest}, and again it is the token before that counts: "
                        "“{token[<again>]}” gives “{token[<again_before>]}” {calc 100 * weights[<again>,<again_before>]:0} %, "
                        "the largest share of its row.{else}: “{token[<again>]}” gives “{token[<again_before>]}” "
                        "{now weights[<again>,<again_before>]}; the largest share goes to “{weights[<again>] "
                        "largest_token}” now.{end} The syllables of a line are random, so it cannot know them beforehand: it goes by the places.", at),
         "stage": "weights", "head": head, "rows": [row, row + SHOWN_LINE],
         "select": [row + SHOWN_LINE, row + SHOWN_LINE - 1]},
        {"title": "What it passes on",
         "text": placed("{if weights[<row>,<before>] > 0.9}The context of “{token[<row>]}” is little else than "
                        "the value of “{token[<before>]}”, to which it gives {calc 100 * weights[<row>,<before>]:0} % of its attention.{else}The context of “{token[<row>]}” has {now weights[<row>,<before>]} of the "
                        "value of “{token[<before>]}”.{end} The output projection adds it to what flows on: {if "
                        "disabled_heads is none}so every token carries a note of the one before it.{else}heads "
                        "that are switched off add nothing.{end}", at),
         "stage": "context", "head": head, "rows": [row], "select": [row, 0],
         "try": placed("Switch this head off above its picture and look at output: what is left of the note? The"
                       " output of “{token[<row>]}” begins with {now output[<row>,0]}. Then go on with “An "
                       "induction head”, the layer that reads it.", at)}]
    return session(0, "A previous-token head", notes, head, row, row - 1, steps, tokens)


def induction_session(head, notes, tokens):
    first, row = SHOWN_LINE // 2, SHOWN_LINE // 2 + SHOWN_LINE
    behind = first + 1
    at = {"first": first, "row": row, "behind": behind, "line": SHOWN_LINE, "start": SHOWN_LINE + 1,
          "start_behind": 2, "last": len(tokens) - 1, "last_behind": len(tokens) - SHOWN_LINE}
    steps = [
        {"title": "The second layer",
         "text": placed("What goes in is what the first layer left: token, place, and a note of the token before."
                        " {if not changed embeddings}A line of {fixed <line>: of the session's own} syllables "
                        "begins again at “{token[<start>]}”, in the row that is outlined.{else}At first a line "
                        "began again in the row that is outlined; the numbers that go in have been changed "
                        "since.{end}", at),
         "stage": "embeddings", "rows": [SHOWN_LINE + 1], "select": [SHOWN_LINE + 1, 0]},
        {"title": "It has stood here before",
         "text": placed("{if weights[<row>,<behind>] = weights[<row>] largest}“{token[<row>]}” of the second line"
                        " gives {calc 100 * weights[<row>,<behind>]:0} % of its attention in this head to “{token[<behind>]}”, "
                        "the largest share of its row:{else}“{token[<row>]}” of the second line gives {now "
                        "weights[<row>,<behind>]} of its attention in this head to “{token[<behind>]}”, and the "
                        "largest share to “{weights[<row>] largest_token}”. Look at “{token[<behind>]}”:{end} the"
                        " token that came after “{token[<first>]}” the first time"
                        ", and the one that comes next.", at),
         "stage": "weights", "head": head, "cells": [[row, behind]], "select": [row, behind]},
        {"title": "A stripe of its own",
         "text": placed("{if weights[<start>,<start_behind>] > 0.5 and weights[<row>,<behind>] > 0.5 and "
                        "weights[<last>,<last_behind>] > 0.5}The same for the whole second line: a second stripe,"
                        " left of the diagonal.{else}At first it was the same for the whole second line, a second"
                        " stripe left of the diagonal; “{token[<row>]}” gives it {now weights[<row>,<behind>]}.{end}"
                        " A head that finds what came next the last time is called an induction head.", at),
         "stage": "weights", "head": head,
         "cells": [[i, i - SHOWN_LINE + 1] for i in range(SHOWN_LINE + 1, len(tokens))],
         "select": [row, behind]},
        {"title": "Why the keys match",
         "text": placed("The query of “{token[<row>]}” says what it is, the key of “{token[<behind>]}” says what "
                        "stood before it: the note of the first layer. {if scaled[<row>,<behind>] = scaled[<row>]"
                        " largest}They speak of the same syllable, so the scaled score is the largest of the row, "
                        "{scaled[<row>,<behind>]}.{else}The scaled score is"
                        " {now scaled[<row>,<behind>]}; the largest of"
                        " the row is {scaled[<row>] largest} now.{end}", at),
         "stage": "scaled", "head": head, "rows": [row], "select": [row, behind]},
        {"title": "Where there is nothing to find",
         "text": placed("In the first line no syllable has stood before, {if weights[<first>] largest < "
                        "weights[<row>] largest}and the attention of “{token[<first>]}” spreads further: its "
                        "largest weight is {weights[<first>] largest}. In the second line it has found its place:"
                        " {weights[<row>] largest}.{else}yet the attention of “{token[<first>]}” does not spread "
                        "further now: its largest weight is {weights[<first>] largest}, that in the second line "
                        "{weights[<row>] largest}.{end}", at),
         "stage": "weights", "head": head, "rows": [first, row], "select": [first, 0],
         "try": placed("Choose “paint” in the list of masks and forbid “{token[<row>]}” to attend to "
                       "“{token[<behind>]}”. Where will the head look then? It gives {now "
                       "weights[<row>,<behind>]} to it, and the largest share to “{weights[<row>] "
                       "largest_token}”.", at)}]
    return session(1, "An induction head", notes, head, row, behind, steps, tokens)


def logits_of(model, tokens):
    """The output projection of the last layer, multiplied by the unembedding: its outputs are the layer's part of the
    logits. The first columns are the syllables of the line that is shown, in their order, then all others, then zeros
    up to the width."""
    line = tokens[1:1 + SHOWN_LINE]
    order = line + [token for token in range(len(TOKENS)) if token not in line]
    unembed = torch.zeros(WIDTH, WIDTH)
    unembed[:len(order)] = model.unembed.weight[order]
    output = model.layers[-1].output
    return unembed @ output.weight, unembed @ output.bias


def prediction_session(head, notes, tokens):
    column = SHOWN_LINE // 2
    row, behind = column + SHOWN_LINE, column + 1
    shown = {"rows": [SHOWN_LINE + 1, len(tokens)], "columns": [0, SHOWN_LINE]}
    at = {"row": row, "behind": behind, "before": column, "column": column, "first": 1, "other": row + 1,
          "head": head}
    heads = [f"weights[{row},{behind}] head {i}" for i in range(HEADS)]
    listed = ", ".join("{" + of + "}" for of in heads)
    all_find = " and ".join(of + " > 0.5" for of in heads)
    steps = [
        {"title": "What comes next?",
         "text": placed("A line of syllables is said, and said again. What follows “{token[<row>]}” the second time "
                        "you can tell, since you heard it: “{token[<behind>]}”. This model can as well, and here is "
                        "the layer in which it happens. What goes in are {d_in} numbers for each token; the rows of "
                        "the line's repetition are outlined.", at),
         "stage": "embeddings", "rows": list(range(SHOWN_LINE + 1, len(tokens))), "select": [row, 0]},
        {"title": "Found by a measure",
         "text": placed("Which head does it? The measure “induction” says how much of its attention a head gives, on average, to what followed the same token earlier: Table, above the pictures, measures every head. {if " + all_find + "}Every head here "
                        "has found “{token[<behind>]}” for “{token[<row>]}”: it gets " + listed + " of their "
                        "attention.{else}“{token[<row>]}” gives “{token[<behind>]}” " + listed + " in the heads of "
                        "this layer.{end}", at),
         "stage": "weights", "cells": [[row, behind]], "select": [row, behind],
         "try": placed("Choose Table above the pictures: it lists every head with every measure. A click on the "
                       "heading “induction” sorts by it: the mean over all queries that have such a token. Of "
                        "“{token[<row>]}” alone the last head gives {now weights[<row>,<behind>] head <head>}.", at)},
        {"title": "What is asked, what answers",
         "text": placed("The query of “{token[<row>]}” says which syllable it is. The key of “{token[<behind>]}” says "
                        "which syllable stood before it, “{token[<before>]}”: that note was written by the layer "
                        "before this one. {if scaled[<row>,<behind>] = scaled[<row>] largest}They fit, and the scaled "
                        "score is the largest of its row, {scaled[<row>,<behind>]}.{else}Their scaled score is "
                        "{scaled[<row>,<behind>]}, the largest of the row {scaled[<row>] largest}.{end}", at),
         "stage": "scaled", "head": head, "rows": [row], "select": [row, behind]},
        {"title": "What the layer says",
         "text": placed("In this session the output projection is joined with the table of all syllables, so a column "
                        "of the output stands for a syllable that may come next, and its number, a logit, says how "
                        "strongly the layer expects it. The columns shown are the syllables of the line in their "
                        "order; “{token[<behind>]}” is column {fixed <column>: counted from 0, as this lesson "
                        "does}. {if output[<row>,<column>] = output[<row>] largest}It has the largest logit in the row of “{token[<row>]}”, {output[<row>,<column>]}: "
                        "that is the prediction.{else}In the row of “{token[<row>]}” it has "
                        "{output[<row>,<column>]}, the largest logit of the row is {output[<row>] largest}.{end}", at),
         "stage": "output", "rows": [row], "select": [row, column], "zoom": shown,
         "ask": {"question": placed("Head {fixed <head>: its name} gives “{token[<behind>]}” "
                                    "{weights[<row>,<behind>] head <head>} of its attention, and {output[<row>,<column>]} is what all heads together say. What "
                                    "becomes of the prediction if this head is switched off?", at),
                 "answers": ["It is lost", "It stays ahead, but weakened", "It stays as it is"],
                 "right": 1,
                 "replies": [placed(reply, at) for reply in (
                     "{if output[<row>,<column>] = output[<row>] largest}It is weaker, but not lost:{else}As it "
                     "stands:{end} {now output[<row>,<column>]}. The other heads have found “{token[<behind>]}” by "
                     "themselves, and what heads say is added.",
                     "{now output[<row>,<column>]}: {if output[<row>,<column>] = output[<row>] largest}ahead of all "
                     "others, and weaker by what the head had added.{else}the largest of the row is {output[<row>] "
                     "largest}.{end} What heads say is added, and the others go on saying it.",
                     "It moves: {now output[<row>,<column>]}. What heads say is added, so what this head had said is "
                     "gone. {if output[<row>,<column>] = output[<row>] largest}The others go on saying it, which "
                     "keeps it ahead.{else}The largest of the row is {output[<row>] largest}.{end}")],
                 "change": {"set": {"disabled_heads": [head]}}}},
        {"title": "Without any head",
         "text": placed("{if output[<row>] ~ output[<other>]}Now all heads of the layer are off, and nothing is left "
                        "of the line: what stands in every row is the bias.{else}This step had switched all heads of the layer off; "
                        "there are such at work again.{end} “{token[<behind>]}” has {output[<row>,<column>]}, after "
                        "{opened output[<row>,<column>]} with all of them. {if output[<row>,<column>] < opened "
                        "output[<row>,<column>]}So it is these heads that know what comes next.{else}The prediction "
                        "does not need these heads now.{end}", at),
         "stage": "output", "rows": [row], "select": [row, column], "range": [-20, 20], "zoom": shown,
         "set": {"disabled_heads": list(range(HEADS))},
         "try": placed("Click “weights” in the strip at the top, and switch the heads on again one after the other, above their pictures: how many does it take "
                       "until “{token[<behind>]}” is ahead? It has {now output[<row>,<column>]}, the row's largest "
                       "logit is {output[<row>] largest}.", at)}]
    weights = {"layout": "out_in"}
    for name in ("query", "key", "value"):
        weights[name] = {"file": "induction.safetensors", "name": f"layers.{LAYERS - 1}.{name}.weight"}
    weights["output"] = {"file": "induction.safetensors", "name": "logits.weight"}
    weights["output_bias"] = {"file": "induction.safetensors", "name": "logits.bias"}
    return session_with(weights, LAYERS - 1, 24 + LAYERS, "The prediction, and the heads behind it", notes, head,
                        row, behind, steps, tokens)


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
    tensors["logits.weight"], tensors["logits.bias"] = logits_of(model, tokens[0].tolist())
    save_safetensors(FOLDER / "induction.safetensors", tensors)

    before, behind = head_shares(model, SHOWN_LINE, 500, generator)
    print("mean weight on the token before:", [[round(x, 3) for x in row] for row in before])
    print("mean weight on the token behind the same:", [[round(x, 3) for x in row] for row in behind])
    looks_back = max(range(HEADS), key=lambda head: before[0][head])
    inducts = max(range(HEADS), key=lambda head: behind[1][head])
    told_text = (f"Of the second line's syllables, from the second on, the model predicts {100 * sum(shares) / len(shares):.1f} % "
                 f"correctly (lines of {LINES[0]} to {LINES[-1]} syllables, 1000 of each length).")
    for name, content in (
            ("previous-token-head", previous_token_session(
                looks_back, f"The first layer of a model that was trained on lines said twice. Head {looks_back} "
                f"gives the token before {100 * before[0][looks_back]:.0f} % of its attention on average. " + told_text,
                tokens[0].tolist())),
            ("induction-head", induction_session(
                inducts, f"The second layer of a model that was trained on lines said twice. In the second line head "
                f"{inducts} gives the token that comes next {100 * behind[1][inducts]:.0f} % of its attention on average. "
                + told_text, tokens[0].tolist())),
            ("prediction", prediction_session(
                inducts, "The second layer of the trained model once more. Its outputs are logits here, one for each "
                "syllable that may come next: the output projection is joined with the table that turns a residual stream into "
                "logits, the unembedding. What the first layer adds to them is left out; the syllable that comes next "
                "is predicted without it.", tokens[0].tolist()))):
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
