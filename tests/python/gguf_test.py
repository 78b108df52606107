"""GGUF files with the program that HEADLIGHT names: what it computes of them agrees with the folder of the numbers that they hold.
Ends with 77, as skipped, where there is no NumPy."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: this python3 has no numpy")
    sys.exit(77)

import gguf_files

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "models"
LIBRARY = GOLDEN.parent / "library"
# Folders that the same numbers in a GGUF file compute: llama.cpp's architectures that are known.
CONVERTED = ("llama", "mixtral", "qwen2", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text", "phi", "phi3", "phi3_longrope", "olmo", "olmo2",
             "smollm3", "granite", "starcoder2", "stablelm", "cohere", "gpt2", "gpt_bigcode", "gpt_neox", "bloom", "mpt")
TEXT = "Your journey starts with one step. The keys to the cabinet are on the table."
# The largest error of a logit, as a share of the largest logit, that the rounding of the weights may have.
ROUNDING = {"F32": 1e-4, "F16": 0.01, "BF16": 0.05, "Q8_0": 0.1, "Q4_0": 1.5, "Q4_K": 1, "Q6_K": 0.3}


def run(*words):
    return subprocess.run([os.environ["HEADLIGHT"], *map(str, words)], capture_output=True, text=True)


def wide_model(folder):
    """A llama of random weights whose rows are whole blocks of 256 numbers."""
    random = np.random.RandomState(3)
    config = {"model_type": "llama", "hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
              "intermediate_size": 512, "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "tie_word_embeddings": True,
              "max_position_embeddings": 128, "hidden_act": "silu", "vocab_size": 64}
    shapes = {"model.embed_tokens": (64, 256), "model.norm": (256,)}
    for layer in range(2):
        own = {"input_layernorm": (256,), "post_attention_layernorm": (256,), "self_attn.q_proj": (256, 256), "self_attn.k_proj": (128, 256),
               "self_attn.v_proj": (128, 256), "self_attn.o_proj": (256, 256), "mlp.gate_proj": (512, 256), "mlp.up_proj": (512, 256),
               "mlp.down_proj": (256, 512)}
        shapes.update({f"model.layers.{layer}.{name}": shape for name, shape in own.items()})
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    gguf_files.write_safetensors(folder / "model.safetensors", {
        name + ".weight": (random.normal(size=shape) * (0.1 if len(shape) > 1 else 1)).astype(np.float32) for name, shape in shapes.items()})


class GgufTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def computed(self, model, *given):
        out = self.folder / "out.npz"
        ran = run("compute", model, *given, "--force", "-o", out)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        if str(model).endswith(".gguf"):
            self.assertEqual(ran.stderr, "")
        with np.load(out) as arrays:
            return dict(arrays)

    def compare(self, golden, kind, version=3):
        model = gguf_files.Model(golden, kind)
        file, folder = self.folder / f"{golden.name}-{kind}.gguf", self.folder / f"{golden.name}-{kind}"
        model.write(file, version)
        model.write_widened(folder)
        given = ("--ids", "1,5,9,2,7,7,3,30,12,40")
        ours, same, original = self.computed(file, *given), self.computed(folder, *given), self.computed(golden, *given)
        self.assertEqual(ours.keys(), same.keys())
        for name, values in same.items():
            np.testing.assert_allclose(ours[name], values, rtol=0, atol=1e-4, err_msg=f"{golden.name} {kind} {name}")
        error = np.abs(ours["logits"] - original["logits"]).max() / np.abs(original["logits"]).max()
        self.assertLess(error, ROUNDING[kind], f"{golden.name} {kind}")

    def test_every_family_in_the_types_of_32_numbers(self):
        for family in ("llama", "llama3", "qwen2", "qwen3", "gemma2", "gpt2", "gpt_neox"):
            for kind in ("F32", "F16", "BF16", "Q8_0", "Q4_0"):
                with self.subTest(family=family, kind=kind):
                    self.compare(GOLDEN / family, kind)

    def test_every_architecture_of_the_library(self):
        for family in CONVERTED:
            with self.subTest(family=family):
                self.compare(LIBRARY / family, "F32")

    def test_the_types_of_256_numbers(self):
        wide_model(self.folder / "wide")
        for kind in ("Q4_K", "Q6_K", "Q8_0", "Q4_0"):
            with self.subTest(kind=kind):
                self.compare(self.folder / "wide", kind, version=2)

    def test_ids_of_a_text_are_those_of_the_folder(self):
        for family in ("llama", "llama3", "qwen2", "gpt2", "gpt_neox"):
            with self.subTest(family=family):
                file = self.folder / f"{family}.gguf"
                model = gguf_files.Model(GOLDEN / family, "F32")
                if family == "llama3":  # its folder says nothing of whole words
                    model.metadata["tokenizer.ggml.pre"] = "dbrx"
                model.write(file)
                for text in (TEXT, "  two  spaces\n\nand 1234 numbers, it's naïve 🙂", "don't"):
                    np.testing.assert_array_equal(self.computed(file, "--text", text, "--layers", "none")["ids"],
                                                  self.computed(GOLDEN / family, "--text", text, "--layers", "none")["ids"])

    def test_a_folder_with_one_file(self):
        alone = self.folder / "alone"
        alone.mkdir()
        gguf_files.Model(GOLDEN / "gpt2", "F16").write(alone / "model.gguf")
        np.testing.assert_array_equal(self.computed(alone, "--text", TEXT)["logits"],
                                      self.computed(alone / "model.gguf", "--text", TEXT)["logits"])
        (alone / "other.gguf").write_bytes(b"GGUF")
        ran = run("compute", alone, "--text", TEXT, "-o", self.folder / "x.npz")
        self.assertEqual(ran.returncode, 1)
        self.assertIn('several GGUF files in it: "model.gguf", "other.gguf"', ran.stderr)


if __name__ == "__main__":
    unittest.main()
