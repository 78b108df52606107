#!/usr/bin/env python3
"""PyTorch's time for the forward pass that headlight-bench times: the same sizes, the same stages kept.

    /usr/bin/python3 peer_torch.py [--threads N] [T,d,H ...]

One line of JSON for each size: the median in milliseconds, as headlight-bench --json has it.
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
