#!/usr/bin/env python3
"""onnxruntime's time for the whole model that headlight-bench times: GPT-2 small's shape with random weights.

The runtime is npm's onnxruntime-node, installed without its scripts into a temporary folder, where the model is
written too, as an ONNX graph with the protocol buffers encoded here. It needs npm, node and NumPy.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

RUNNER = """
const [folder, threads, tokens] = process.argv.slice(2);
const ort = require(folder + '/node_modules/onnxruntime-node');
const count = Number(tokens);
const whole = (numbers) => new ort.Tensor('int64', BigInt64Array.from(numbers, BigInt), [count]);
const places = Array.from({length: count}, (_, i) => i);
const mask = new Float32Array(count * count);
for (let i = 0; i < count; ++i) for (let j = i + 1; j < count; ++j) mask[i * count + j] = -Infinity;
const feeds = {ids: whole(places.map((i) => i * 7 % 50257)), positions: whole(places),
               mask: new ort.Tensor('float32', mask, [count, count])};
(async () => {
  const session = await ort.InferenceSession.create(folder + '/model.onnx',
      {intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all'});
  const times = [];
  await session.run(feeds);
  for (const until = performance.now() + 1000; times.length < 5 || performance.now() < until;) {
    const start = performance.now();
    await session.run(feeds);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify(times[Math.floor(times.length / 2)]));
})();
"""


def varint(number):
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def whole(field, number):
    """A number that is not negative."""
    return varint(field << 3) + varint(number)


def part(field, content):
    """A text, bytes or an encoded message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


class Graph:
    """A graph of ONNX (onnx.proto3), to which nodes and weights are added."""

    def __init__(self):
        self.content, self.names, self.random = [], 0, numpy.random.default_rng(1)

    def weights(self, array):
        """A constant: float32, or int64 of a shape."""
        self.names += 1
        name = f"w{self.names}"
        kind = 1 if array.dtype == numpy.float32 else 7
        dims = b"".join(whole(1, size) for size in array.shape)
        self.content.append(part(5, dims + whole(2, kind) + part(8, name) + part(9, array.tobytes())))
        return name

    def drawn(self, *shape):
        return self.weights((self.random.random(shape, numpy.float32) - 0.5) * numpy.float32(0.1))

    def node(self, operation, *inputs, outputs=1, domain="", **attributes):
        """The names of the results of a node; a single one by itself."""
        self.names += 1
        results = [f"n{self.names}.{i}" for i in range(outputs)]
        content = b"".join(part(1, name) for name in inputs) + b"".join(part(2, name) for name in results)
        content += part(4, operation) + part(7, domain)
        for name, value in attributes.items():
            if isinstance(value, tuple):
                stated = b"".join(whole(8, number) for number in value) + whole(20, 7)
            else:
                stated = whole(3, value) + whole(20, 2)
            content += part(5, part(1, name) + stated)
        self.content.append(part(1, content))
        return results if outputs > 1 else results[0]

    def value(self, field, name, kind, *dims):
        """An input (field 11) or an output (12); dims are named."""
        shape = b"".join(part(1, part(2, dim)) for dim in dims)
        self.content.append(part(field, part(1, name) + part(2, part(1, whole(1, kind) + part(2, shape)))))

    def model(self):
        domains = part(8, part(1, "") + whole(2, 17)) + part(8, part(1, "com.microsoft") + whole(2, 1))
        return whole(1, 8) + domains + part(7, part(2, "gpt2") + b"".join(self.content))


def gpt2(width=768, heads=12, layers=12, vocabulary=50257, positions=1024):
    graph = Graph()
    shape = lambda *sizes: graph.weights(numpy.array(sizes, numpy.int64))
    linear = lambda x, rows, columns: graph.node("Gemm", x, graph.drawn(rows, columns), graph.drawn(columns))
    norm = lambda x: graph.node("LayerNormalization", x, graph.drawn(width), graph.drawn(width))
    split, join = shape(0, heads, width // heads), shape(0, width)
    scale = graph.weights(numpy.array((width // heads) ** -0.5, numpy.float32))
    graph.value(11, "ids", 7, "tokens")
    graph.value(11, "positions", 7, "tokens")
    graph.value(11, "mask", 1, "tokens", "keys")
    table = graph.drawn(vocabulary, width)
    x = graph.node("Add", graph.node("Gather", table, "ids"),
                   graph.node("Gather", graph.drawn(positions, width), "positions"))
    for _ in range(layers):
        fused = graph.node("Split", linear(norm(x), width, 3 * width), outputs=3, axis=1)
        query, key, value = (graph.node("Transpose", graph.node("Reshape", one, split), perm=order)
                             for one, order in zip(fused, ((1, 0, 2), (1, 2, 0), (1, 0, 2))))
        scores = graph.node("Add", graph.node("Mul", graph.node("MatMul", query, key), scale), "mask")
        context = graph.node("MatMul", graph.node("Softmax", scores), value)
        concat = graph.node("Reshape", graph.node("Transpose", context, perm=(1, 0, 2)), join)
        x = graph.node("Add", x, linear(concat, width, width))
        hidden = graph.node("FastGelu", linear(norm(x), width, 4 * width), domain="com.microsoft")
        x = graph.node("Add", x, linear(hidden, 4 * width, width))
    logits = graph.node("Gemm", norm(x), table, transB=1)
    graph.value(12, logits, 1, "tokens", "words")
    return graph.model()


class Runtime:
    """onnxruntime-node with the model, in a temporary folder for as long as it exists."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="headlight-ort-")
        here = pathlib.Path(self.folder.name)
        self.call("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefix", str(here),
                  "onnxruntime-node")
        (here / "model.onnx").write_bytes(gpt2())
        (here / "run.js").write_text(RUNNER, encoding="utf-8")

    @staticmethod
    def call(*command):
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"compare: {command[0]} does not run ({error}); the packages nodejs and npm are needed for --ort")

    def median_ms(self, tokens, threads):
        return json.loads(self.call("node", self.folder.name + "/run.js", self.folder.name, str(threads), str(tokens)))
