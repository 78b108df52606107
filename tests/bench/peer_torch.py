#!/usr/bin/env python3
"""PyTorch's time for the forward pass that headlight-bench times: the same sizes, the same stages kept.

    /usr/bin/python3 peer_torch.py [--threads N] [--train-step] [T,d,H ...]

Prints a line of JSON for each size and mask: the median in milliseconds, in the fields of headlight-bench --json.
"""
import argparse
import json
import os
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit(f"PyTorch is not installed for {sys.executable}: the Debian package python3-torch brings it "
             "for /usr/bin/python3")

SIZES = ["6,3,1", "64,64,4", "256,256,8", "512,768,12", "1024,768,12", "2048,768,12"]


def forward_of(tokens, width, heads, causal):
    x = torch.rand(1, tokens, width)
    query, key, value, output = (torch.rand(width, width) * 0.05 for _ in range(4))
    bias = torch.zeros(width)
    future = torch.triu(torch.ones(tokens, tokens), 1).bool()

    def in_heads(y):
        return y.view(1, tokens, heads, width // heads).transpose(1, 2)

    def forward():
        q, k, v = in_heads(x @ query), in_heads(x @ key), in_heads(x @ value)
        scores = q @ k.transpose(2, 3)
        scaled = scores / (width // heads) ** 0.5
        masked = scaled.masked_fill(future, -torch.inf) if causal else scaled
        weights = torch.softmax(masked, -1)
        context = weights @ v
        concat = context.transpose(1, 2).reshape(1, tokens, width)
        return q, k, v, scores, scaled, masked, weights, context, concat, concat @ output + bias

    return forward


def model_forward_of(tokens, width=768, heads=12, layers=12, vocabulary=50257):
    """A whole model of GPT-2 small's shape, from ids to the logits of every token."""
    linear = lambda rows, columns: (torch.rand(rows, columns) - 0.5) * 0.05
    table, places, ids = linear(vocabulary, width), linear(tokens, width), torch.arange(tokens) * 7 % vocabulary
    weight, bias = torch.ones(width), torch.zeros(width)
    blocks = [[linear(width, 3 * width), linear(width, width), linear(width, 4 * width), linear(4 * width, width)]
              for _ in range(layers)]
    zeros = {columns: torch.zeros(columns) for columns in (width, 3 * width, 4 * width)}
    future = torch.triu(torch.ones(tokens, tokens), 1).bool()
    norm = lambda x: torch.nn.functional.layer_norm(x, (width,), weight, bias)

    def forward():
        x = table[ids] + places
        for fused, output, up, down in blocks:
            q, k, v = (part.view(tokens, heads, -1).transpose(0, 1)
                       for part in torch.addmm(zeros[3 * width], norm(x), fused).split(width, 1))
            scores = (q @ k.transpose(1, 2) / (width // heads) ** 0.5).masked_fill(future, -torch.inf)
            context = (torch.softmax(scores, -1) @ v).transpose(0, 1).reshape(tokens, width)
            x = x + torch.addmm(zeros[width], context, output)
            wide = torch.nn.functional.gelu(torch.addmm(zeros[4 * width], norm(x), up), approximate="tanh")
            x = x + torch.addmm(zeros[width], wide, down)
        return norm(x) @ table.T

    return forward


def train_step_of(layers=4, width=256, heads=8, length=128, batch=8, vocabulary=2000):
    """Loss, gradients, clipping and AdamW's step of a small GPT-2, as headlight-bench's train_step."""
    torch.set_grad_enabled(True)
    drawn = lambda *shape: torch.nn.Parameter(torch.randn(*shape) * 0.02)
    table, places, norms, blocks = drawn(vocabulary, width), drawn(length, width), [], []
    for _ in range(2 * layers + 1):
        norms.append((torch.nn.Parameter(torch.ones(width)), torch.nn.Parameter(torch.zeros(width))))
    for _ in range(layers):
        blocks.append([(drawn(rows, columns), torch.nn.Parameter(torch.zeros(columns))) for rows, columns in (
            (width, 3 * width), (width, width), (width, 4 * width), (4 * width, width))])
    parameters = [table, places, *(p for pair in norms for p in pair), *(p for block in blocks for pair in block for p in pair)]
    optimizer = torch.optim.AdamW(parameters, 1e-4)
    future = torch.triu(torch.ones(length, length), 1).bool()
    norm = lambda x, pair: torch.nn.functional.layer_norm(x, (width,), *pair)

    def linear(x, pair):
        return torch.addmm(pair[1], x.reshape(-1, x.shape[-1]), pair[0]).view(*x.shape[:-1], -1)

    def step():
        windows = torch.randint(0, vocabulary, (batch, length + 1))
        x = table[windows[:, :-1]] + places
        for i, (fused, output, up, down) in enumerate(blocks):
            q, k, v = (part.view(batch, length, heads, -1).transpose(1, 2)
                       for part in linear(norm(x, norms[2 * i]), fused).split(width, 2))
            weights = torch.softmax((q @ k.transpose(2, 3) / (width // heads) ** 0.5).masked_fill(future, -torch.inf), -1)
            x = x + linear((weights @ v).transpose(1, 2).reshape(batch, length, width), output)
            x = x + linear(torch.nn.functional.gelu(linear(norm(x, norms[2 * i + 1]), up), approximate="tanh"), down)
        logits = norm(x, norms[-1]).view(-1, width) @ table.T
        loss = torch.nn.functional.cross_entropy(logits, windows[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()

    return step


def dropout_draw_of(tokens, heads):
    noise = torch.empty(1, heads, tokens, tokens)
    return lambda: noise.bernoulli_(0.9)


def use_threads(count):
    torch.set_num_threads(count)
    torch.set_grad_enabled(False)


def median_ms(work, seconds=1.0):
    work()
    times, until = [], time.perf_counter() + seconds
    while len(times) < 5 or (time.perf_counter() < until and len(times) < 1000):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--train-step", action="store_true", help="only a step of training")
    parser.add_argument("sizes", nargs="*", default=SIZES)
    arguments = parser.parse_args()
    use_threads(arguments.threads)
    if arguments.train_step:
        print(json.dumps({"work": "train_step", "T": 128, "d": 256, "H": 8, "causal": True, "ms": median_ms(train_step_of())}))
        sys.exit()
    for size in arguments.sizes or SIZES:
        tokens, width, heads = map(int, size.split(","))
        for causal in (True, False):
            ms = median_ms(forward_of(tokens, width, heads, causal))
            print(json.dumps({"work": "forward", "T": tokens, "d": width, "H": heads, "causal": causal,
                              "ms": ms}), flush=True)
