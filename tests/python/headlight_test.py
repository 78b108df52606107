"""assets/python/headlight.py with the program that HEADLIGHT names. Ends with 77, as skipped, where there is no NumPy."""
import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
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


def softmax_or_zero(scores):
    """The same, with zeros where a row may look at nothing."""
    return softmax(np.where(np.isneginf(scores).all(-1, keepdims=True), 0, scores)) * ~np.isneginf(scores).all(-1, keepdims=True)


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


def gradients_of(session):
    """What `headlight gradients` saves of it."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "session.headlight", pathlib.Path(folder) / "out.npz"
        path.write_text(json.dumps({"format": "headlight-session", "version": 1, **session}))
        headlight._run("gradients", path, "-o", out)
        return dict(np.load(out))


MODELS = pathlib.Path(__file__).resolve().parents[1] / "golden" / "models"
TEXT = "Your journey starts with one step. The keys to the cabinet are on the table, and one step starts with your keys."


def tensors_of(folder):
    """The float32 tensors of a model's folder, by name."""
    data = (pathlib.Path(folder) / "model.safetensors").read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[begin + one["data_offsets"][0]:begin + one["data_offsets"][1]], "<f4").reshape(one["shape"])
            for name, one in header.items()}


def gpt2_logits(p, ids, heads):
    """Logits of a batch of windows with GPT-2's tensors."""
    def normed(x, name):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], p[name + ".weight"], p[name + ".bias"], 1e-5)

    batch, count = ids.shape
    x = p["wte.weight"][ids] + p["wpe.weight"][:count]
    future = torch.ones(count, count, dtype=torch.bool).triu(1)
    for i in range(sum(name.endswith("ln_1.weight") for name in p)):
        h = f"h.{i}."
        q, k, v = ((normed(x, h + "ln_1") @ p[h + "attn.c_attn.weight"] + p[h + "attn.c_attn.bias"])
                   .view(batch, count, 3, heads, -1).permute(2, 0, 3, 1, 4))
        weights = (q @ k.transpose(2, 3) / q.shape[-1] ** 0.5).masked_fill(future, float("-inf")).softmax(-1)
        x = x + (weights @ v).transpose(1, 2).reshape(x.shape) @ p[h + "attn.c_proj.weight"] + p[h + "attn.c_proj.bias"]
        up = normed(x, h + "ln_2") @ p[h + "mlp.c_fc.weight"] + p[h + "mlp.c_fc.bias"]
        x = x + torch.nn.functional.gelu(up, approximate="tanh") @ p[h + "mlp.c_proj.weight"] + p[h + "mlp.c_proj.bias"]
    return normed(x, "ln_f") @ p["wte.weight"].T


class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "text.txt").write_text(TEXT)

    def trained(self, *more):
        """The steps' losses, and the tensors after them."""
        told = subprocess.run([headlight.program(), "train", MODELS / "gpt2", "--data", self.folder / "text.txt", "--length", "8", "-o",
                               self.folder / "out", "--force", *more], check=True, capture_output=True, text=True).stdout
        return ([float(line.split(", ")[1]) for line in told.splitlines()[1:] if ", " in line], tensors_of(self.folder / "out"))

    def begins(self, ids, length, batch, steps, seed):
        torch.manual_seed(seed)
        return [torch.randint(0, len(ids) - length, (batch,)) for _ in range(steps)]

    @with_torch
    def test_steps_of_adamw_and_sgd_are_those_of_torch(self):
        headlight._run("compute", MODELS / "gpt2", "--text", TEXT, "--layers", "none", "-o", self.folder / "ids.npz")
        ids = torch.tensor(np.load(self.folder / "ids.npz")["ids"].astype(np.int64))
        for options, optimizer in (
                (["--rate", "0.01", "--decay", "0.1", "--betas", "0.8,0.95", "--clip", "0.5"],
                 lambda p: torch.optim.AdamW(p, 0.01, (0.8, 0.95), weight_decay=0.1)),
                (["--optimizer", "sgd", "--rate", "0.05", "--momentum", "0.9"], lambda p: torch.optim.SGD(p, 0.05, 0.9))):
            losses, saved = self.trained(*options, "--steps", "5", "--batch", "3", "--seed", "11")
            p = {name: torch.tensor(numbers, requires_grad=True) for name, numbers in tensors_of(MODELS / "gpt2").items()}
            optimizer = optimizer(list(p.values()))
            expected = []
            for begins in self.begins(ids, 8, 3, 5, 11):
                windows = torch.stack([ids[begin:begin + 9] for begin in begins])
                logits = gpt2_logits(p, windows[:, :-1], 4)
                loss = torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), windows[:, 1:].reshape(-1))
                optimizer.zero_grad()
                loss.backward()
                if "--clip" in options:
                    torch.nn.utils.clip_grad_norm_(p.values(), 0.5)
                optimizer.step()
                expected.append(loss.item())
            np.testing.assert_allclose(losses, expected, rtol=2e-4)
            for name, parameter in p.items():
                parameter = parameter.detach().numpy()
                if name.endswith("c_attn.bias"):  # softmax does not change with the keys' bias: its gradient is rounding
                    kept = np.arange(len(parameter)) // (len(parameter) // 3) != 1
                    parameter, saved[name] = parameter[kept], saved[name][kept]
                np.testing.assert_allclose(saved[name], parameter, atol=2e-4, err_msg=name)

    @with_torch
    def test_the_gradients_of_a_model_are_those_of_autograd(self):
        ids = [3, 14, 15, 9, 2, 6, 5, 35]
        headlight._run("gradients", MODELS / "gpt2", "--ids", ",".join(map(str, ids)), "-o", self.folder / "out.npz")
        saved = np.load(self.folder / "out.npz")
        p = {name: torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
             for name, numbers in tensors_of(MODELS / "gpt2").items()}
        loss = torch.nn.functional.cross_entropy(gpt2_logits(p, torch.tensor([ids[:-1]]), 4)[0], torch.tensor(ids[1:]))
        loss.backward()
        np.testing.assert_allclose(saved["loss"], loss.item(), rtol=1e-5)
        for name, parameter in p.items():
            np.testing.assert_allclose(saved["grad." + name], parameter.grad, atol=1e-4 * float(parameter.grad.abs().max()),
                                       err_msg=name)


class Gradients(unittest.TestCase):
    @with_torch
    def test_a_causal_layer_of_groups_has_those_of_autograd(self):
        tokens, d_in, heads, groups, width = 40, 6, 4, 2, 4
        shapes = {"query": (heads * width, d_in), "key": (groups * width, d_in), "value": (groups * width, d_in),
                  "output": (3, heads * width), "query_bias": (heads * width,), "key_bias": (groups * width,),
                  "value_bias": (groups * width,), "output_bias": (3,), "embeddings": (tokens, d_in)}
        random = np.random.RandomState(8)
        numbers = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        target = random.normal(size=(tokens, 3)).astype(np.float32)
        target[::3, 1] = np.nan
        weights = {name: array.tolist() for name, array in numbers.items() if name != "embeddings"}
        saved = gradients_of({
            "tokens": [str(t) for t in range(tokens)], "embeddings": numbers["embeddings"].tolist(),
            "attention": {"projection": "linear", "d_out": 3, "num_heads": heads, "num_kv_heads": groups, "d_k": width, "d_v": width,
                          "qkv_bias": True, "output_projection": True, "mask": "causal", "softcap": 3.0},
            "weights": {"layout": "out_in", **weights},
            "goal": {"stage": "output", "loss": "squared",
                     "target": [["nan" if np.isnan(t) else float(t) for t in row] for row in target]}})
        p = {name: torch.tensor(array, dtype=torch.float64, requires_grad=True) for name, array in numbers.items()}

        def linear(name, count):
            rows = torch.nn.functional.linear(p["embeddings"], p[name], p[name + "_bias"])
            return rows.view(tokens, count, width).transpose(0, 1)

        q, k, v = linear("query", heads), linear("key", groups), linear("value", groups)
        k, v = (x.repeat_interleave(heads // groups, 0) for x in (k, v))
        scores = 3 * torch.tanh(q @ k.transpose(1, 2) / width ** 0.5 / 3)
        weights = torch.softmax(scores.masked_fill(torch.ones(tokens, tokens).triu(1).bool(), -torch.inf), -1)
        weights.retain_grad()
        context = (weights @ v).transpose(0, 1).reshape(tokens, heads * width)
        output = torch.nn.functional.linear(context, p["output"], p["output_bias"])
        wanted = ~torch.tensor(np.isnan(target))
        loss = ((output - torch.tensor(target))[wanted] ** 2).mean()
        loss.backward()
        self.assertAlmostEqual(float(saved["loss"]), float(loss), 5)
        for name, parameter in p.items():
            np.testing.assert_allclose(saved["grad." + name].reshape(parameter.shape), parameter.grad, atol=2e-6, rtol=2e-5)
        np.testing.assert_allclose(saved["grad.weights"][0], weights.grad, atol=2e-6, rtol=2e-5)


class Training(unittest.TestCase):
    @with_torch
    def test_steps_are_those_of_the_optimizers_of_pytorch(self):
        tokens, d_in, width, steps = 7, 4, 3, 25
        random = np.random.RandomState(9)
        shapes = {"embeddings": (tokens, d_in), "query": (width, d_in), "key": (width, d_in), "value": (width, d_in),
                  "query_bias": (width,), "key_bias": (width,), "value_bias": (width,)}
        numbers = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        target = random.normal(size=(tokens, width)).astype(np.float32)
        for training, optimizer in (
                ({"optimizer": "sgd", "rate": 0.2, "momentum": 0.8}, lambda p: torch.optim.SGD(p, 0.2, momentum=0.8)),
                ({"optimizer": "adam", "rate": 0.05, "betas": [0.8, 0.95]}, lambda p: torch.optim.Adam(p, 0.05, (0.8, 0.95))),
                ({"optimizer": "adamw", "rate": 0.05, "decay": 0.2}, lambda p: torch.optim.AdamW(p, 0.05, weight_decay=0.2))):
            names = [name for name in shapes if not name.startswith("value")]
            p = {name: torch.tensor(array, dtype=torch.float64, requires_grad=name in names) for name, array in numbers.items()}

            def loss_of():
                q, k, v = (torch.nn.functional.linear(p["embeddings"], p[n], p[n + "_bias"]) for n in ("query", "key", "value"))
                scores = 2 * torch.tanh(q @ k.T / width ** 0.5 / 2)
                weights = torch.softmax(scores.masked_fill(torch.ones(tokens, tokens).triu(1).bool(), -torch.inf), -1)
                return ((weights @ v - torch.tensor(target)) ** 2).mean()

            with tempfile.TemporaryDirectory() as folder:
                path, out = pathlib.Path(folder) / "session.headlight", pathlib.Path(folder) / "out.headlight"
                path.write_text(json.dumps({
                    "format": "headlight-session", "version": 1, "tokens": [str(t) for t in range(tokens)],
                    "embeddings": numbers["embeddings"].tolist(),
                    "attention": {"projection": "linear", "d_out": width, "qkv_bias": True, "mask": "causal", "softcap": 2.0},
                    "weights": {"layout": "out_in", **{n: numbers[n].tolist() for n in shapes if n != "embeddings"}},
                    "goal": {"stage": "output", "loss": "squared", "target": target.tolist()},
                    "training": {**training, "parameters": ["key", "query", "embeddings"]}}))
                headlight._run("train", path, "--steps", str(steps), "-o", out)
                trained = json.loads(out.read_text())
            self.assertEqual(trained["training"]["steps"], steps)
            descent = optimizer([p[name] for name in names])
            for _ in range(steps):
                descent.zero_grad()
                loss_of().backward()
                descent.step()
            for name in shapes:
                got = np.array(trained["embeddings"] if name == "embeddings" else trained["weights"][name])
                np.testing.assert_allclose(got, p[name].detach(), atol=2e-5, rtol=2e-5, err_msg=f"{training}: {name}")


class Arrays(unittest.TestCase):
    def test_weights_are_shown_as_they_are(self):
        for shape in ((4, 6), (3, 4, 6), (2, 3, 4, 6)):
            weights = softmax(some(*shape))
            np.testing.assert_array_equal(computed(weights), weights.reshape((1,) * (4 - len(shape)) + shape))

    def test_rows_of_nan_are_shown_and_told(self):
        weights = softmax(some(2, 4, 4))
        weights[1, 2] = np.nan
        with contextlib.redirect_stderr(io.StringIO()) as told:
            np.testing.assert_array_equal(computed(weights, layout="hqk"), weights[None])
        self.assertIn("4 attention weights are NaN", told.getvalue())

    def test_weights_with_values(self):
        weights, v = softmax(some(2, 4, 6)), some(2, 6, 3)
        np.testing.assert_allclose(computed(weights, v=v, stage="context")[0], weights @ v, atol=1e-6)

    def test_queries_keys_and_values_of_groups(self):
        q, k, v = some(4, 5, 8), some(2, 7, 8), some(2, 7, 3)
        scores = q @ np.repeat(k, 2, 0).swapaxes(-2, -1) / 8 ** 0.5
        np.testing.assert_allclose(computed(q=q, k=k, v=v)[0], softmax(scores), atol=1e-6)
        for offset, told in ((2, {}), (0, {"offset": 0}), (1, {"offset": 1})):  # the five are the last of seven
            closed = np.where(np.tri(5, 7, offset, dtype=bool), scores * 8 ** 0.5 * 0.5, -np.inf)
            np.testing.assert_allclose(computed(q=q, k=k, v=v, causal=True, scale=0.5, **told)[0], softmax(closed), atol=1e-6)

    def test_one_query_is_the_last_one(self):
        q, k, v = some(1, 2, 1, 4), some(1, 2, 6, 4), some(1, 2, 6, 4)
        np.testing.assert_allclose(computed(q=q, k=k, v=v, causal=True), softmax(q @ k.swapaxes(-2, -1) / 2), atol=1e-6)
        self.assertEqual(computed(q=q, k=k, v=v, causal=True, offset=2)[0, 0, 0, 3:].tolist(), [0, 0, 0])

    def test_masks_and_biases(self):
        q, k, v = some(2, 3, 4, 5), some(2, 3, 6, 5)[:, :, ::-1], some(2, 3, 6, 5)
        scores = q @ k.swapaxes(-2, -1) / 5 ** 0.5
        random = np.random.RandomState(6)
        full = random.rand(2, 3, 4, 6) < 0.6
        full[..., 0] = True
        pad = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], bool)

        def check(wanted, **more):
            np.testing.assert_allclose(computed(q=q, k=k, v=v, **more), softmax(wanted), atol=1e-6)

        def closed(allowed):
            return np.where(allowed, scores, -np.inf)

        for kind in (bool, np.uint8, np.int64, np.float32):
            check(closed(full), mask=full.astype(kind))
            check(closed(~~full), mask=(~full).astype(kind), mask_true="forbidden")
            check(closed(pad[:, None, None]), mask=pad.astype(kind))
            check(closed(pad[:, None, None]), mask=pad[:, None, None].astype(kind))
            check(closed(full[0, 0]), mask=full[0, 0].astype(kind))
            check(closed(pad[:, None, None] & np.tri(4, 6, 2, dtype=bool)), mask=pad.astype(kind), causal=True)
        for lowest in (-1e9, -1e4, -65504.0, np.finfo(np.float32).min, -np.inf):
            added = np.where(full, 0, lowest).astype(np.float32)
            check(scores + added, mask=added)
            check(scores + added, bias=added)
            check(scores + added[0, 0], mask=added[0, 0])
        bias = some(3, 4, 6)
        check(scores + bias, bias=bias)
        check(scores + bias, mask=bias)
        check(scores, mask=np.zeros((4, 6), np.float32))
        check(closed(full) + bias, mask=full, bias=bias)
        check(scores + bias + bias[0], mask=bias[0], bias=bias)

    def test_masks_that_may_mean_the_contrary_are_asked_about(self):
        q, k, v = some(1, 2, 5, 4), some(1, 2, 5, 4), some(1, 2, 5, 4)
        scores, tokens = q @ k.swapaxes(-2, -1) / 2, list("abcde")
        lower = np.tri(5, dtype=bool)
        late = lower | (np.arange(5) > 3)
        windowed = lower & ~np.tri(5, k=-2, dtype=bool)
        for allowed in (lower, late, windowed, lower[None, None], lower.astype(np.int64)):
            forbidden = 1 - allowed if allowed.dtype != bool else ~allowed
            if allowed is late or allowed is windowed:
                forbidden = ~lower | (np.arange(5) == 0) if allowed is late else np.triu(np.ones((5, 5), bool), 1)
            with self.assertRaisesRegex(headlight.HeadlightError, "mask_true='forbidden'"):
                headlight.figure(q=q, k=k, v=v, tokens=tokens, mask=forbidden)
            opened = np.asarray(forbidden) == 0
            np.testing.assert_allclose(
                computed(None, tokens, q=q, k=k, v=v, mask=forbidden, mask_true="forbidden"),
                softmax_or_zero(np.where(opened, scores, -np.inf)), atol=1e-6)
        upper = np.triu(np.ones((5, 5), bool))
        np.testing.assert_allclose(computed(None, tokens, q=q, k=k, v=v, mask=upper, mask_true="allowed"),
                                   softmax(np.where(upper, scores, -np.inf)), atol=1e-6)
        near = np.abs(np.arange(5)[:, None] - np.arange(5)) < 2
        for plain in (near, ~np.eye(5, dtype=bool), np.arange(5) > 2):  # both sides alike, or the same for every query
            mask = np.broadcast_to(plain, (1, 1, 5, 5))
            np.testing.assert_allclose(computed(q=q, k=k, v=v, mask=mask), softmax(np.where(mask, scores, -np.inf)), atol=1e-6)

    def test_what_a_mask_cannot_be(self):
        q, k, v = some(5, 2, 5, 4), some(5, 2, 5, 4), some(5, 2, 5, 4)
        mask, tokens = np.tri(5), list("abcde")
        for message, more in (
                ("no True", {"mask": np.zeros((1, 1, 5, 5), bool)}),
                ("queries x keys and sequences x keys", {"mask": mask}),
                (r"\(3, 4\): expected queries x keys", {"mask": np.ones((3, 4), bool)}),
                ("NaN", {"mask": np.full((1, 1, 5, 5), np.nan)}),
                ("other numbers than 0 and 1", {"mask": np.full((1, 1, 5, 5), 2)}),
                ("neither 'allowed' nor 'forbidden'", {"mask": mask[None, None], "mask_true": True}),
                ("give mask=", {"mask_true": "allowed"}),
                ("causal=True", {"offset": 3}),
                ("NaN", {"bias": np.full((1, 1, 5, 5), np.nan)}),
                ("expected bools", {"mask": np.full((1, 1, 5, 5), "x")})):
            with self.assertRaisesRegex(headlight.HeadlightError, message):
                headlight.figure(q=q, k=k, v=v, tokens=tokens, layout="bhtd", **more)
        with self.assertRaisesRegex(headlight.HeadlightError, "mask go with q, k and v"):
            headlight.figure(softmax(some(4, 4)), mask=np.tri(4))

    def test_heads_before_or_behind_the_tokens(self):
        q, k, v = some(2, 3, 5, 4), some(2, 3, 5, 4) + 1, some(2, 3, 5, 4)
        wanted = softmax(q @ k.swapaxes(-2, -1) / 2)
        turned = [one.swapaxes(1, 2) for one in (q, k, v)]
        named = [dict(zip("qkv", one)) for one in ((q, k, v), turned)]
        for given in named:
            with self.assertRaisesRegex(headlight.HeadlightError, "layout='bhtd' or layout='bthd'"):
                headlight.figure(**given)
        np.testing.assert_allclose(computed(**named[0], layout="bhtd"), wanted, atol=1e-6)
        np.testing.assert_allclose(computed(**named[1], layout="bthd"), wanted, atol=1e-6)
        np.testing.assert_allclose(computed(None, list("abcde"), **named[0]), wanted, atol=1e-6)
        np.testing.assert_allclose(computed(**named[0], mask=np.ones((5, 5), bool)), wanted, atol=1e-6)
        with self.assertRaisesRegex(headlight.HeadlightError, "layout='bthd'"):
            headlight.figure(None, list("abcde"), **named[1])
        single = {name: one[0] for name, one in named[1].items()}
        np.testing.assert_allclose(computed(**single, layout="thd"), wanted[:1], atol=1e-6)
        with self.assertRaisesRegex(headlight.HeadlightError, "layout='htd' or layout='thd'"):
            headlight.figure(None, list("abcde"), **single)
        with self.assertRaisesRegex(headlight.HeadlightError, "names 3 axes"):
            headlight.figure(**named[0], layout="htd")
        with self.assertRaisesRegex(headlight.HeadlightError, "none of bhtd"):
            headlight.figure(**named[0], layout="tdbh")

    def test_steps_of_a_generation_are_joined(self):
        closed = np.where(np.tri(6, dtype=bool), 3 * some(2, 2, 3, 6, 6), -np.inf)  # two layers of two sequences
        layers = [softmax(one).astype(np.float32) for one in closed]
        for prompt in (4, 1):
            steps = [tuple(one[:, :, :prompt, :prompt] for one in layers)]
            steps += [tuple(one[:, :, at:at + 1, :at + 1] for one in layers) for at in range(prompt, 6)]
            for at, layer in enumerate(layers):
                np.testing.assert_array_equal(computed(tuple(steps), list("abcdef"), layer=at), layer)
                np.testing.assert_array_equal(computed(tuple(steps), list("abcdefg"), layer=at), layer)
        crossed = [tuple(one[:, :, at:at + 1] for one in layers) for at in range(6)]
        np.testing.assert_array_equal(computed(crossed, layer=1), layers[1])
        forgetting = [*steps[:5], tuple(one[..., 2:] for one in steps[5])]
        with self.assertRaisesRegex(headlight.HeadlightError, "step 5 of generate\(\) has 4 keys in layer 0, expected 6"):
            headlight.figure(forgetting)

    def test_weights_that_a_model_keeps_to_itself(self):
        weights = softmax(some(1, 2, 4, 4))

        class Output:
            def __init__(self, attentions):
                self.attentions = attentions

        class Two:
            cross_attentions = encoder_attentions = (weights,)

        with self.assertRaisesRegex(headlight.HeadlightError, "outputs.cross_attentions"):
            headlight.figure(Two())
        with self.assertRaisesRegex(headlight.HeadlightError, "no array of numbers"):
            headlight.figure([[1, 2], [3]])
        for none in (None, (None, None), [weights, None], ((None, None), (None, None)), Output(None), Output((None, None))):
            with self.assertRaisesRegex(headlight.HeadlightError, 'attn_implementation="eager"'):
                headlight.figure(none)
        np.testing.assert_array_equal(computed(Output((weights, weights))), weights)

    def test_a_batch_is_not_shown_as_heads_in_silence(self):
        weights = softmax(some(3, 4, 4))
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(computed(weights).shape, (1, 3, 4, 4))
        self.assertIn("3 x 4 x 4 is taken as 3 heads", told.getvalue())
        with contextlib.redirect_stderr(io.StringIO()) as told:
            np.testing.assert_array_equal(computed(weights, layout="bqk"), weights[:, None])
            np.testing.assert_array_equal(computed(weights, layout="hqk"), weights[None])
            np.testing.assert_array_equal(computed([weights, weights], layer=1, layout="bqk"), weights[:, None])
        self.assertEqual(told.getvalue(), "")
        with self.assertRaisesRegex(headlight.HeadlightError, "none of weights"):
            headlight.figure(weights, layout="bhtd")

    def test_a_file_is_opened_as_it_is(self):
        weights = softmax(some(1, 2, 4, 4))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            path = headlight._arguments(weights, list("abcd"), {}).save(folder)
            for given in (path, str(path)):
                self.assertIn("<svg", headlight.figure(given)._repr_svg_())
            with self.assertRaisesRegex(headlight.HeadlightError, "tokens go with arrays"):
                headlight.figure(path, list("abcd"))
            with self.assertRaisesRegex(headlight.HeadlightError, "no such file"):
                headlight.figure(folder / "nothing.headlight")

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
        def attend_so(q, k, v, layer):
            q, k = rotated(q, 500.0, 2), rotated(k, 500.0, 2)
            scores = 20 * torch.tanh(q @ k.transpose(-2, -1) * 0.5 / 20)
            scores = scores.masked_fill(~torch.ones(5, 5).tril().triu(-2).bool(), -torch.inf)
            return scores.softmax(-1) @ v

        layer = Odd(attend_so)
        layer.config = Config(num_attention_heads=4, rope_theta=500.0, partial_rotary_factor=0.5, sliding_window=3,
                              attn_logit_softcapping=20.0)
        with headlight.capture(layer) as captured:
            layer(torch.rand(1, 5, 16))
        self.assertEqual(captured[0].settings, {
            "mask": {"causal": True, "window": [2, None]}, "softcap": 20.0,
            "position": {"kind": "rope", "theta": 500.0, "dims": 2}})
        self.assertTrue((computed(captured)[0, 0, 4, :2] == 0).all())


if torch is not None:
    def rotated(x, theta=10000.0, dims=None, neighbours=False, speeds=None):
        """Rotary positions by complex numbers."""
        dims = dims or x.shape[-1]
        speeds = theta ** -(torch.arange(0, dims, 2) / dims) if speeds is None else speeds
        turns = torch.polar(torch.ones(x.shape[-2], dims // 2), torch.arange(x.shape[-2])[:, None] * speeds)
        part = x[..., :dims]
        pairs = part.unflatten(-1, (-1, 2)) if neighbours else torch.stack(part.chunk(2, -1), -1)
        after = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turns)
        after = after.flatten(-2) if neighbours else torch.cat([after[..., 0], after[..., 1]], -1)
        return torch.cat([after, x[..., dims:]], -1)

    def causal_scores(q, k, scale=0.5):
        scores = q @ k.transpose(-2, -1) * scale
        return scores.masked_fill(~torch.ones(scores.shape[-2:]).tril().bool(), torch.finfo(scores.dtype).min)

    def by_hand(scores):
        """Softmax that no watcher of PyTorch's knows."""
        parts = (scores - scores.amax(-1, keepdim=True)).exp()
        return parts / parts.sum(-1, keepdim=True)

    class Odd(torch.nn.Module):
        """Projections apart, and whatever a test does to them. It returns a tuple, as the hub's do; `truth` are its weights."""

        def __init__(self, attend, names=("q_proj", "k_proj", "v_proj"), **config):
            super().__init__()
            self.attend, self.names, self.config = attend, names, Config(num_attention_heads=4, **config)
            for name in names:
                setattr(self, name, torch.nn.Linear(16, 16))
                torch.nn.init.normal_(getattr(self, name).weight)
            self.o_proj = torch.nn.Linear(16, 16)

        def forward(self, x, attention_mask=None, output_attentions=False):
            q, k, v = (getattr(self, name)(x).unflatten(-1, (4, 4)).transpose(1, 2) for name in self.names)
            more = () if attention_mask is None else (attention_mask,)
            return self.o_proj(self.attend(q, k, v, self, *more).transpose(1, 2).flatten(2)), None

    class Watched(Odd):
        """Its weights are known to the test, whether it multiplies them itself or not."""

        def __init__(self, weigh, **config):
            super().__init__(lambda q, k, v, layer, *more: layer.keep(weigh(q, k, layer, *more)) @ v, **config)

        def keep(self, weights):
            self.truth = weights.detach().numpy()
            return weights


@with_torch
class CapturedAsUsed(unittest.TestCase):
    """What is captured is what the layer used, or it is refused by its name."""

    def setUp(self):
        torch.manual_seed(7)

    def captured(self, layer, *arguments, **named):
        model = torch.nn.ModuleDict({"inside": layer}).eval()
        with torch.no_grad(), headlight.capture(model) as captured:
            model["inside"](*arguments, **named)
        self.assertEqual([one.name for one in captured], ["inside"])
        return captured

    def check(self, layer, *arguments, whole=False, **named):
        """whole: its queries and keys are there as well."""
        captured = self.captured(layer, *arguments, **named)
        np.testing.assert_allclose(computed(captured), layer.truth, atol=2e-6)
        self.assertEqual(captured[0].q is not None, whole, captured[0].settings)
        if whole:
            self.assertEqual(captured[0].k.shape[-2], layer.truth.shape[-1])
        return captured[0]

    def refused(self, message, layer, *arguments, **named):
        captured = self.captured(layer, *arguments, **named)
        for call in (lambda: headlight.figure(captured), lambda: headlight.figure(captured, layer=0),
                     lambda: headlight._arguments(captured, None, {"switched": True})):
            with self.assertRaisesRegex(headlight.HeadlightError, f"inside: .*{message}"):
                call()

    def test_the_mask_that_it_was_called_with(self):
        x = torch.rand(2, 5, 16)
        pad = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1.0]])
        for lowest in (-1e4, -65504.0, torch.finfo(torch.float32).min, -torch.inf):
            for mask in ((1 - pad)[:, None, None].bool(), ~torch.ones(5, 5).tril().bool()[None, None],
                         (1 - pad)[:, None, None].bool() | ~torch.ones(5, 5).tril().bool()):
                mask = torch.zeros(mask.shape).masked_fill(mask, lowest)
                if lowest == -torch.inf and (mask == lowest).all(-1).any():
                    continue  # rows of NaN
                layer = Watched(lambda q, k, layer, mask: (q @ k.transpose(-2, -1) / 2 + mask).softmax(-1))
                dead = (mask < -1e3).all(-1).any()
                self.check(layer, x, attention_mask=mask, whole=not dead)
                self.check(layer, x, mask, whole=not dead)

    def test_a_padding_mask_where_no_softmax_was_seen(self):
        x = torch.rand(2, 5, 16)
        pad = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1.0]])
        added = torch.zeros(2, 1, 1, 5).masked_fill(pad[:, None, None] == 0, -1e9)
        for mask in (pad, added):
            layer = Watched(lambda q, k, layer, mask: by_hand(q @ k.transpose(-2, -1) / 2 + added))
            self.check(layer, x, attention_mask=mask, whole=True)
        layer = Watched(lambda q, k, layer: by_hand(q @ k.transpose(-2, -1) / 2 + added))
        self.refused("its result is not that of its queries", layer, x)

    def test_scales(self):
        for scale, settings in ((1.0, {"scale": 1.0}), (0.5, {}), (0.37, {"scale": 0.37})):
            for weigh in (torch.softmax, lambda scores, _: by_hand(scores)):
                layer = Watched(lambda q, k, layer: weigh(causal_scores(q, k, scale), -1))
                if scale == 0.37:
                    layer.scaling = scale
                told = self.check(layer, torch.rand(2, 5, 16), whole=True)
                self.assertEqual({**told.settings, "mask": None}, {**settings, "mask": None})
        layer = Watched(lambda q, k, layer: causal_scores(q, k, 0.21).softmax(-1))  # which nothing says
        self.check(layer, torch.rand(2, 5, 16))
        layer = Watched(lambda q, k, layer: by_hand(causal_scores(q, k, 0.21)))
        self.refused("its result", layer, torch.rand(2, 5, 16))

    def test_rotary_positions(self):
        half = torch.tensor([1, 0.01])
        ways = (({"rope_theta": 10000.0}, {}, {"kind": "rope", "theta": 10000.0, "dims": 4}),
                ({"rope_parameters": {"rope_theta": 300.0, "partial_rotary_factor": 0.5}}, {"theta": 300.0, "dims": 2},
                 {"kind": "rope", "theta": 300.0, "dims": 2}),
                ({"rotary_dim": 4}, {"dims": 4, "neighbours": True},
                 {"kind": "rope", "theta": 10000.0, "dims": 4, "pairs": "neighbours"}),
                ({"rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 4.0}}, {"speeds": half / 4}, None),
                ({"rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, {"speeds": half / 3}, None))
        for config, done, position in ways:
            layer = Watched(lambda q, k, layer: causal_scores(rotated(q, **done), rotated(k, **done)).softmax(-1), **config)
            told = self.check(layer, torch.rand(2, 6, 16), whole=True)
            self.assertEqual(told.settings.get("position"), position)
            hidden = Watched(lambda q, k, layer: by_hand(causal_scores(rotated(q, **done), rotated(k, **done))), **config)
            if position is None:
                self.refused("rope_scaling", hidden, torch.rand(2, 6, 16))
            else:
                self.check(hidden, torch.rand(2, 6, 16), whole=True)

    def test_rotary_positions_of_llama_3(self):
        told = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                "original_max_position_embeddings": 20}
        speeds = []
        for speed in (1.0, 0.1):  # of theta 100: as the hub's library has it, in its words
            length = 2 * np.pi / speed
            smooth = (20 / length - 1) / (4 - 1)
            speeds.append(speed / 8 if length > 20 else speed if length < 5 else (1 - smooth) * speed / 8 + smooth * speed)
        for weigh in (lambda scores: scores.softmax(-1), by_hand):
            layer = Watched(lambda q, k, layer: weigh(causal_scores(
                rotated(q, speeds=torch.tensor(speeds)), rotated(k, speeds=torch.tensor(speeds)))),
                rope_theta=100.0, rope_scaling=told)
            found = self.check(layer, torch.rand(2, 12, 16), whole=True)
            self.assertEqual(found.settings["position"]["scaling"],
                             {"factor": 8.0, "low": 1.0, "high": 4.0, "positions": 20})

    def test_what_more_a_layer_does(self):
        bias = torch.randn(4, 6, 6)

        def normed(q, k):
            return torch.nn.functional.layer_norm(q, (4,)), torch.nn.functional.layer_norm(k, (4,)) * 3

        ways = {"relative_attention_bias": lambda q, k: q @ k.transpose(-2, -1) + bias,
                "q_norm": lambda q, k: causal_scores(*normed(q, k)),
                "alibi": lambda q, k: causal_scores(q, k) - torch.rand(4, 1, 1) * torch.arange(6).flip(0),
                "attn_logit_softcapping": lambda q, k: 3 * torch.tanh(q @ k.transpose(-2, -1) / 6),
                "distance_embedding": lambda q, k: q @ k.transpose(-2, -1) / 2 + torch.einsum("bhqd,qkd->bhqk", q, torch.ones(6, 6, 4)
                                                                                              * torch.rand(6, 6, 1))}
        for name, score in ways.items():
            layer = Watched(lambda q, k, layer: score(q, k).softmax(-1))
            setattr(layer, name, torch.nn.Linear(1, 1) if "norm" in name else True)
            self.check(layer, torch.rand(2, 6, 16), whole=name == "q_norm")
            hidden = Watched(lambda q, k, layer: by_hand(score(q, k)))
            setattr(hidden, name, torch.nn.Linear(1, 1) if "norm" in name else True)
            self.refused(f"{name}.*output_attentions=True", hidden, torch.rand(2, 6, 16))

    def test_what_changes_behind_the_softmax(self):
        share = torch.rand(4, 1, 1)
        mixing = torch.rand(4, 4).softmax(-1)

        def with_sink(q, k, layer):
            sink = torch.ones(2, 4, 6, 1)
            return torch.cat([causal_scores(q, k), sink], -1).softmax(-1)[..., :-1]

        for weigh in (with_sink, lambda q, k, layer: causal_scores(q, k).softmax(-1) * share,
                      lambda q, k, layer: torch.einsum("hg,bgqk->bhqk", mixing, causal_scores(q, k).softmax(-1))):
            self.check(Watched(weigh), torch.rand(2, 6, 16))
        for weigh in (lambda q, k, layer: by_hand(causal_scores(q, k)) * share,):
            self.refused("its result", Watched(weigh), torch.rand(2, 6, 16))

        def twice(q, k, v, layer):
            first, second = causal_scores(q, k).softmax(-1), causal_scores(k, q).softmax(-1)
            return first @ v - 0.5 * (second @ v)

        self.refused("it computes 2 attentions", Odd(twice), torch.rand(2, 6, 16))

        def values_by_distance(q, k, v, layer):
            weights = layer.keep(causal_scores(q, k).softmax(-1))
            return weights @ v + torch.einsum("bhqk,qkd->bhqd", weights, torch.ones(6, 6, 4))

        layer = Odd(values_by_distance)
        layer.keep = lambda weights: setattr(layer, "truth", weights.detach().numpy()) or weights
        self.check(layer, torch.rand(2, 6, 16))

    def test_products_by_their_other_names(self):
        def flat(q, k, v, layer):
            q, k, v = (one.flatten(0, 1) for one in (q, k, v))
            scores = torch.baddbmm(torch.zeros(q.shape[0], 6, 6), q, k.transpose(1, 2), alpha=0.5)
            weights = layer.keep_flat(torch.nn.functional.softmax(scores, dim=-1, dtype=torch.float32))
            return torch.bmm(weights, v).unflatten(0, (-1, 4))

        def summed(q, k, v, layer):
            weights = layer.keep_flat(torch.softmax(torch.einsum("bhqd,bhkd->bhqk", q, k) / 2, dim=-1))
            return torch.einsum("bhqk,bhkd->bhqd", torch.nn.functional.dropout(weights, 0.5, layer.training), v)

        for attend in (flat, summed):
            layer = Odd(attend)

            def keep_flat(weights, layer=layer):
                layer.truth = weights.detach().numpy().reshape(2, 4, 6, 6)
                return weights

            layer.keep_flat = keep_flat
            self.check(layer, torch.rand(2, 6, 16), whole=True)

    def test_keys_of_a_cache(self):
        past = torch.randn(2, 4, 7, 4)

        def weigh(q, k, layer):
            return (q @ torch.cat([past, k], 2).transpose(-2, -1) / 2).softmax(-1)

        layer = Odd(lambda q, k, v, layer: layer.keep(weigh(q, k, layer)) @ torch.cat([past, v], 2))
        layer.keep = lambda weights: setattr(layer, "truth", weights.detach().numpy()) or weights
        self.check(layer, torch.rand(2, 1, 16), whole=True)

    def test_what_a_module_returns_beside_its_weights(self):
        """Zeros that it returns, as the mask that T5 hands on, are no weights."""
        layer = Watched(lambda q, k, layer: q.matmul(k.transpose(-2, -1)).mul(0.5).softmax(-1))
        forward = layer.forward
        layer.forward = lambda x: (*forward(x), torch.zeros(1, 4, 5, 5), torch.eye(4).expand(1, 4, 4, 4))
        self.check(layer, torch.rand(2, 5, 16), whole=True)

    def test_a_layer_by_other_names(self):
        class Patches(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.to_qkv = torch.nn.Linear(16, 48)

            def forward(self, x):
                q, k, v = self.to_qkv(x).unflatten(-1, (3, 4, 4)).permute(2, 0, 3, 1, 4)
                weights = (q @ k.transpose(-2, -1) / 2).softmax(-1)
                self.truth = weights.detach().numpy()
                return (weights @ v).transpose(1, 2).flatten(2)

        self.check(Patches(), torch.rand(2, 5, 16), whole=True)

    def test_one_refused_layer_of_several(self):
        good = Watched(lambda q, k, layer: causal_scores(q, k).softmax(-1))
        bad = Watched(lambda q, k, layer: by_hand(causal_scores(q, k)) * 0.3)
        model = torch.nn.ModuleList([bad, good]).eval()
        with torch.no_grad(), headlight.capture(model) as captured:
            for layer in model:
                layer(torch.rand(1, 5, 16))
        np.testing.assert_allclose(computed(captured, layer=1), good.truth, atol=1e-6)
        with self.assertRaisesRegex(headlight.HeadlightError, "^0: its result.*layer=1 can be shown"):
            headlight._arguments(captured, None, {"switched": True})

    def test_a_fused_kernel_inside_of_a_layer(self):
        def scaled_dot_product_attention(query, key, value, attn_mask=None, **more):  # as PyTorch 2 has it
            if torch.overrides.has_torch_function((query,)):
                return torch.overrides.handle_torch_function(
                    scaled_dot_product_attention, (query,), query, key, value, attn_mask=attn_mask, **more)
            scores = query @ key.transpose(-2, -1) / 2
            return by_hand(scores if attn_mask is None else scores + attn_mask) @ value

        mask = torch.zeros(2, 1, 1, 5)
        mask[0, ..., :2] = torch.finfo(torch.float32).min
        layer = Odd(lambda q, k, v, layer, mask: scaled_dot_product_attention(rotated(q), rotated(k), v, attn_mask=mask))
        x = torch.rand(2, 5, 16)
        q, k = (getattr(layer, name)(x).unflatten(-1, (4, 4)).transpose(1, 2) for name in layer.names[:2])
        layer.truth = by_hand(rotated(q) @ rotated(k).transpose(-2, -1) / 2 + mask).detach().numpy()
        self.check(layer, x, attention_mask=mask, whole=True)

    def test_a_fused_kernel_is_taken_from_its_arguments(self):
        """torch.nn.functional.scaled_dot_product_attention, of PyTorch 2, by its name."""
        q, k, v = torch.randn(2, 4, 3, 4), torch.randn(2, 2, 6, 4), torch.randn(2, 2, 6, 4)
        scores = q @ k.repeat_interleave(2, 1).transpose(-2, -1)
        added = torch.randn(2, 1, 3, 6)
        allowed = torch.rand(2, 1, 3, 6) > 0.4
        allowed[..., 0] = True
        for named, wanted in (({}, scores / 2), ({"scale": 0.3}, scores * 0.3),
                              ({"is_causal": True}, (scores / 2).masked_fill(~torch.ones(3, 6).tril().bool(), -torch.inf)),
                              ({"attn_mask": added}, scores / 2 + added),
                              ({"attn_mask": allowed, "enable_gqa": True}, (scores / 2).masked_fill(~allowed, -torch.inf)),
                              ({"attn_mask": torch.zeros(2, 1, 3, 6).masked_fill(torch.tensor([[[[1], [0], [0]]]]).bool(), -1e9)},
                               (scores / 2).masked_fill(torch.tensor([[[[1], [0], [0]]]]).bool(), -1e9)),
                              ({"attn_mask": torch.zeros(3, 6).masked_fill(~torch.ones(3, 6).tril(3).bool(), -1e9)},
                               (scores / 2).masked_fill(~torch.ones(3, 6).tril(3).bool(), -torch.inf))):
            layer = headlight._layer_of_fused("layer", (q, k, v), named)
            np.testing.assert_allclose(computed(headlight_captured(layer)), wanted.softmax(-1).numpy(), atol=1e-6)


def headlight_captured(*layers):
    captured = headlight._Captured()
    captured.layers = list(layers)
    return captured


if __name__ == "__main__":
    unittest.main()
