"""assets/python/headlight.py with the program that HEADLIGHT names. Ends with 77, as skipped, where there is no NumPy."""
import contextlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: this python3 has no numpy")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "assets" / "python"))
import headlight

with_torch = unittest.skipIf(torch is None, "this python3 has no torch")


def softmax(scores):
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def some(*shape):
    return np.random.RandomState(5).normal(size=shape).astype(np.float32)


def computed(*what, stage="weights", **more):
    """The stage as the program computes it of what show() would open."""
    with tempfile.TemporaryDirectory() as folder:
        path = headlight._arguments(what[0] if what else None, what[1] if len(what) > 1 else None, more).save(
            pathlib.Path(folder))
        out = pathlib.Path(folder) / "out.npz"
        headlight._run("compute", path, "-o", out)
        return np.load(out)[stage]


@contextlib.contextmanager
def environment(**variables):
    """With these set, or removed where they are None."""
    kept = {name: os.environ.get(name) for name in variables}

    def put(values):
        for name, value in values.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    put(variables)
    try:
        yield
    finally:
        put(kept)


class Arrays(unittest.TestCase):
    def test_weights_are_shown_as_they_are(self):
        for shape in ((4, 6), (3, 4, 6), (2, 3, 4, 6)):
            weights = softmax(some(*shape))
            np.testing.assert_array_equal(computed(weights), weights.reshape((1,) * (4 - len(shape)) + shape))

    def test_weights_with_values(self):
        weights, v = softmax(some(2, 4, 6)), some(2, 6, 3)
        np.testing.assert_allclose(computed(weights, v=v, stage="context")[0], weights @ v, atol=1e-6)

    def test_queries_keys_and_values_of_groups(self):
        q, k, v = some(4, 5, 8), some(2, 7, 8), some(2, 7, 3)
        scores = q @ np.repeat(k, 2, 0).swapaxes(-2, -1) / 8 ** 0.5
        np.testing.assert_allclose(computed(q=q, k=k, v=v)[0], softmax(scores), atol=1e-6)
        closed = np.where(np.tri(5, 7, dtype=bool), scores * 8 ** 0.5 * 0.5, -np.inf)
        np.testing.assert_allclose(computed(q=q, k=k, v=v, causal=True, scale=0.5)[0], softmax(closed), atol=1e-6)

    def test_one_of_several_layers(self):
        layers = [softmax(some(1, 2, 4, 4)), softmax(2 * some(1, 2, 4, 4))]
        for given in (layers, tuple(layers), np.array(layers)):
            np.testing.assert_array_equal(computed(given, layer=1), layers[1])
            np.testing.assert_array_equal(computed(given), layers[0])

    def test_all_layers_go_to_a_window_as_one_array(self):
        layers = [softmax(some(1, 2, 4, 4)), softmax(2 * some(1, 2, 4, 4)), softmax(3 * some(1, 2, 4, 4))]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for given in (layers, tuple(layers), np.array(layers), [one[0] for one in layers]):
                words = headlight._arguments(given, list("abcd"), {"switched": True}).opened(folder)
                self.assertEqual(words, ["--apply", folder / "session.headlight", folder / "layers.npz"])
                np.testing.assert_array_equal(np.load(words[2])["attentions"], layers)
                self.assertEqual(json.loads(words[1].read_text())["tokens"], list("abcd"))
            for given, more in ((layers, {"layer": 1}), (layers[0], {}), (layers, {"v": some(2, 4, 3)}),
                                ([layers[0], softmax(some(1, 2, 5, 5))], {})):
                words = headlight._arguments(given, None, {"switched": True, **more}).opened(folder)
                self.assertEqual(words, [folder / "session.headlight"])

    def test_what_does_not_fit_is_raised(self):
        weights = softmax(some(2, 4, 4))
        broken = weights.copy()
        broken[1, 2, 3] = np.nan
        for message, call in (
                ("queries", lambda: headlight.figure(weights, list("abc"))),
                ("the weights\\[1, 2, 3\\] is nan", lambda: headlight.figure(broken)),
                ("2 to 4 axes", lambda: headlight.figure(some(3))),
                ("all of q, k and v", lambda: headlight.figure(q=weights)),
                ("no layer 2: there are 2", lambda: headlight.figure([weights, weights], layer=2)),
                ("--head", lambda: headlight.figure(weights, head=7)),
                ("no format", lambda: headlight.figure(weights, format="gif"))):
            with self.assertRaisesRegex(headlight.HeadlightError, message) as raised:
                call()
            self.assertNotIn(tempfile.gettempdir(), str(raised.exception))


class Shown(unittest.TestCase):
    def test_figures_are_what_a_notebook_shows(self):
        svg = headlight.figure(softmax(some(2, 4, 4)), ["<one>", "two", "three", "four"], head=1)
        self.assertIn("<svg", svg._repr_svg_())
        self.assertIn("three", svg._repr_svg_())
        self.assertIsNone(svg._repr_png_())
        png = headlight.figure(softmax(some(2, 4, 4)), format="png", options=["--colormap", "cividis"])
        self.assertTrue(png._repr_png_().startswith(b"\x89PNG"))
        self.assertIsNone(png._repr_svg_())

    def test_a_window_is_opened_with_the_session_and_leaves_no_files(self):
        with tempfile.TemporaryDirectory() as folder, environment(HEADLIGHT=os.environ["HEADLIGHT"]):
            stand_in, said = pathlib.Path(folder) / "headlight", pathlib.Path(folder) / "said"
            stand_in.write_text('#!/bin/sh\n'
                                f'[ "$1" = print ] && exec "{os.environ["HEADLIGHT"]}" "$@"\n'
                                f'printf "%s\\n" "$@" >"{said}"\ncat "$3" >>"{said}"\nexit 3\n')
            stand_in.chmod(0o755)
            os.environ["HEADLIGHT"] = str(stand_in)
            window = headlight.show(softmax(some(2, 4, 4)), list("abcd"), options=("--screenshot", "x.png"))
            self.assertEqual(window.wait(), 3)
            self.assertTrue(window.tidied.wait(10))
            self.assertFalse(os.path.exists(window.folder))
            screenshot, picture, path, session = said.read_text().split("\n", 3)
            self.assertEqual((screenshot, picture), ("--screenshot", "x.png"))
            self.assertEqual(pathlib.Path(path), window.folder / "session.headlight")
            self.assertEqual(json.loads(session)["tokens"], list("abcd"))

    def test_a_window_switches_between_all_layers(self):
        layers = [softmax(n * some(1, 2, 4, 4)) for n in (1, 2, 3)]
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "window.png"
            window = headlight.show(layers, list("abcd"), options=("--screenshot", picture, "--automation", folder))
            self.assertEqual(window.wait(), 0)
            widgets = (pathlib.Path(folder) / "widgets.json").read_text()
            self.assertIn('"toolbar.layer"', widgets)
            self.assertNotIn('"arrays.apply"', widgets)
            self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))

    def test_without_a_display_it_says_so(self):
        with environment(DISPLAY=None, WAYLAND_DISPLAY=None):
            with self.assertRaisesRegex(headlight.HeadlightError, "no display"):
                headlight.show(softmax(some(4, 4)))

    def test_where_the_program_is_not(self):
        with environment(HEADLIGHT="/nowhere/headlight"):
            with self.assertRaisesRegex(headlight.HeadlightError, "HEADLIGHT is /nowhere/headlight"):
                headlight.figure(softmax(some(4, 4)))

    def test_the_program_is_found_on_the_path(self):
        with environment(HEADLIGHT=None, PATH=os.path.dirname(os.environ["HEADLIGHT"])):
            self.assertTrue(os.path.samefile(headlight.program(), shutil.which("headlight")))


@with_torch
class MultiheadAttention(unittest.TestCase):
    def check(self, layer, x, keys=None, **more):
        y = x if keys is None else keys
        output, weights = layer.eval()(x, y, y, average_attn_weights=False)
        given = {} if keys is None else {"keys": keys}
        np.testing.assert_allclose(computed(layer, x, **given), weights.detach().numpy(), atol=1e-6)
        made = computed(layer, x, stage="output", **given)
        wanted = output if layer.batch_first else output.transpose(0, 1)
        np.testing.assert_allclose(made, wanted.detach().numpy(), atol=1e-5)

    def test_its_weights_and_its_output(self):
        torch.manual_seed(1)
        for batch_first in (True, False):
            for bias in (True, False):
                self.check(torch.nn.MultiheadAttention(12, 3, bias=bias, batch_first=batch_first), torch.rand(4, 5, 12))

    def test_keys_of_another_width_and_length(self):
        torch.manual_seed(2)
        layer = torch.nn.MultiheadAttention(12, 3, kdim=7, vdim=7, batch_first=True)
        self.check(layer, torch.rand(2, 5, 12), torch.rand(2, 6, 7))

    def test_its_input_is_asked_for(self):
        with self.assertRaisesRegex(headlight.HeadlightError, "layer's input"):
            headlight.figure(torch.nn.MultiheadAttention(4, 1))


if torch is not None:
    def attend(q, k, v, scale, causal=True):
        k, v = (one.repeat_interleave(q.shape[1] // k.shape[1], 1) for one in (k, v))
        scores = q @ k.transpose(-2, -1) * scale
        if causal:
            scores = scores.masked_fill(~torch.ones(scores.shape[-2:]).tril().bool(), -torch.inf)
        weights = scores.softmax(-1)
        return (weights @ v).transpose(1, 2).flatten(2), weights

    class Config:
        def __init__(self, **settings):
            self.__dict__.update(settings)

    class Apart(torch.nn.Module):
        """Projections apart, as Llama and BERT have them; it shows its weights when it is asked for them."""

        def __init__(self, names, groups, returns, causal=True):
            super().__init__()
            self.names, self.returns, self.is_causal = names, returns, causal
            self.config = Config(num_attention_heads=4)
            for name, heads in zip(names, (4, groups, groups)):
                setattr(self, name, torch.nn.Linear(16, heads * 4))
            self.o_proj = torch.nn.Linear(16, 16)

        def forward(self, x):
            q, k, v = (getattr(self, name)(x).unflatten(-1, (-1, 4)).transpose(1, 2) for name in self.names)
            mixed, self.kept = attend(q, k, v, 0.5, self.is_causal)
            return (self.o_proj(mixed), self.kept) if self.returns else self.o_proj(mixed)

    class Fused(torch.nn.Module):
        """One projection for all, as GPT-2 (side by side) and GPT-NeoX (head by head) have it."""

        def __init__(self, name):
            super().__init__()
            self.name, self.num_heads, self.is_causal = name, 4, True
            setattr(self, name, torch.nn.Linear(16, 48))

        def forward(self, x):
            fused = getattr(self, self.name)(x)
            if self.name == "c_attn":
                parts = [part.unflatten(-1, (4, 4)).transpose(1, 2) for part in fused.split(16, -1)]
            else:
                parts = fused.unflatten(-1, (4, 12)).transpose(1, 2).split(4, -1)
            mixed, self.kept = attend(*parts, 0.5)
            return mixed


@with_torch
class Captured(unittest.TestCase):
    def check(self, *layers):
        torch.manual_seed(3)
        model = torch.nn.Sequential(*layers).eval()
        x = torch.rand(2, 5, 16)
        with headlight.capture(model) as captured:
            model(x)
        self.assertEqual(len(captured), len(layers))
        for at, layer in enumerate(layers):
            np.testing.assert_allclose(computed(captured, layer=at), layer.kept.detach().numpy(), atol=1e-6)
        with headlight.capture(model) as nothing:
            pass
        model(x)
        self.assertEqual(len(nothing), 0)  # no hook is left behind
        with self.assertRaisesRegex(headlight.HeadlightError, "nothing was captured"):
            headlight.figure(nothing)

    def test_projections_by_their_names(self):
        for names in (("q_proj", "k_proj", "v_proj"), ("query", "key", "value"), ("q", "k", "v")):
            for groups in (4, 2, 1):
                self.check(Apart(names, groups, False), Apart(names, groups, False, causal=False))

    def test_projections_in_one(self):
        self.check(Fused("c_attn"), Fused("query_key_value"))

    def test_weights_that_are_returned(self):
        torch.manual_seed(4)
        layer, x = Apart(("q_proj", "k_proj", "v_proj"), 2, True), torch.rand(1, 5, 16)

        class Block(torch.nn.Module):  # hands the weights on to its caller
            def __init__(self):
                super().__init__()
                self.attention = layer

            def forward(self, x):
                return self.attention(x)

        block = Block()
        with headlight.capture(block) as captured:
            block(x)
        self.assertEqual([one.name for one in captured], ["attention"])
        np.testing.assert_array_equal(computed(captured), layer.kept.detach().numpy())

    def test_an_encoder_of_torch(self):
        torch.manual_seed(6)
        encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(16, 4, batch_first=True), 3).eval()
        x = torch.rand(2, 5, 16)
        with torch.no_grad():
            before = encoder(x)
            with headlight.capture(encoder) as captured:
                during = encoder(x)
            after = encoder(x)
        self.assertEqual([one.name for one in captured], [f"layers.{i}.self_attn" for i in range(3)])
        torch.testing.assert_close(during, before)
        torch.testing.assert_close(after, before)
        weights = encoder.layers[0].self_attn(x, x, x, average_attn_weights=False)[1]
        np.testing.assert_allclose(computed(captured, layer=0), weights.detach().numpy(), atol=1e-6)

    def test_what_a_configuration_says(self):
        layer = Apart(("q_proj", "k_proj", "v_proj"), 4, False)
        layer.config = Config(num_attention_heads=4, rope_theta=500.0, partial_rotary_factor=0.5, sliding_window=3,
                              attn_logit_softcapping=20.0)
        with headlight.capture(layer) as captured:
            layer(torch.rand(1, 5, 16))
        self.assertEqual(captured[0].settings, {
            "mask": {"causal": True, "window": [2, None]}, "softcap": 20.0,
            "position": {"kind": "rope", "theta": 500.0, "dims": 2}})
        self.assertTrue((computed(captured)[0, 0, 4, :2] == 0).all())


if __name__ == "__main__":
    unittest.main()
