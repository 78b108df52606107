#!/usr/bin/env python3
"""PyTorch's time for the forward pass that headlight-bench times: the same sizes, the same stages kept.

    /usr/bin/python3 peer_torch.py [--threads N] [T,d,H ...]

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
    parser.add_argument("sizes", nargs="*", default=SIZES)
    arguments = parser.parse_args()
    use_threads(arguments.threads)
    for size in arguments.sizes or SIZES:
        tokens, width, heads = map(int, size.split(","))
        for causal in (True, False):
            ms = median_ms(forward_of(tokens, width, heads, causal))
            print(json.dumps({"work": "forward", "T": tokens, "d": width, "H": heads, "causal": causal,
                              "ms": ms}), flush=True)
