"""headlight.Model with the program that HEADLIGHT names: passes and interventions against GPT-2 by definition (plain_gpt2.py), the
questions against the command line, and the process behind it. Ends with 77, as skipped, where there is no NumPy."""
import gc
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: this python3 has no numpy")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "assets" / "python"))
import headlight
import plain_gpt2

MODELS = pathlib.Path(__file__).resolve().parents[1] / "golden" / "models"
GPT2 = MODELS / "gpt2"
WORDS = MODELS.parents[2] / "assets" / "examples" / "words"
PAIRS = MODELS.parent / "sets" / "pairs.tsv"
TEXT = "The cat sat on the mat"
ARRAYS = ("residual", "weights", "context", "mlp", "logits")
# The largest error, as a share of the largest number of an array: float32 against float64.
ROUNDING = 1e-5


def command(*words):
    return subprocess.run([os.environ["HEADLIGHT"], *map(str, words)], capture_output=True, text=True)


def every_change(plain, random, tokens, texts):
    """-> name, a list of changes. Each place with each `how`, of all or of some heads, neurons and positions, then several at
    once."""
    head = plain.width // plain.heads
    sizes = {"residual": plain.width, "mlp": plain.width, "weights": tokens, "neuron": 1}
    for place in plain_gpt2.FOUND_IN:
        for how in plain_gpt2.HOWS:
            if (place, how) == ("weights", "mean"):
                continue
            for some in (False, True):
                change = {"place": place, "layer": random.randint(plain.layers + (place == "residual")), "how": how}
                numbers = sizes.get(place, head)
                if some and place in ("queries", "keys", "values", "weights", "head"):
                    change["head"] = [0, -1] if random.rand() < 0.5 else int(random.randint(plain.heads))
                if some and place == "neuron":
                    change["neuron"] = [3, 0, -1] if random.rand() < 0.5 else 7
                if some:
                    change["position"] = -1 if random.rand() < 0.5 else [1, tokens - 2]
                if how == "mean":
                    change["texts"] = texts["set"]
                if how == "resample":
                    change["text"] = texts["other"]
                    if some and place != "weights":
                        del change["position"]
                        change.update(text=texts["longer"], positions=[[1, 3], [tokens - 1, tokens + 1]])
                if how == "value":
                    units = len(np.atleast_1d(change.get("head", change.get("neuron", 0))))
                    rows = 1 if change.get("position") == -1 else 2
                    change["value"] = random.normal(size=(units, rows, numbers)).round(3) if some else 0.25
                if how in ("add", "project_out"):
                    change["direction"] = random.normal(size=numbers).round(3)
                if how == "add":
                    change["strength"] = 1.5
                yield f"{place}, {how}, {'some' if some else 'all'}", [change]
    last = plain.layers - 1
    yield "several", [
        {"place": "head", "layer": 0, "head": 0, "how": "zero"},
        {"place": "mlp", "layer": 0, "position": 2, "how": "mean", "texts": texts["set"]},
        {"place": "residual", "layer": last, "how": "add", "direction": random.normal(size=plain.width), "strength": -2.0},
        {"place": "residual", "layer": last, "how": "project_out", "direction": random.normal(size=plain.width)},
        {"place": "weights", "layer": last, "head": 1, "how": "resample", "text": texts["other"]},
        {"place": "neuron", "layer": last, "neuron": 2, "how": "value", "value": 3.0}]


class Passes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = headlight.Model(GPT2)
        cls.plain = plain_gpt2.PlainGpt2(GPT2)

    @classmethod
    def tearDownClass(cls):
        cls.model.close()

    def close(self, computed, wanted, places=ARRAYS):
        for name in places:
            error = abs(computed[name] - wanted[name]).max() / abs(wanted[name]).max()
            self.assertLess(error, ROUNDING, name)

    def test_a_text_and_its_ids(self):
        ids = self.model.ids(TEXT)
        self.assertTrue(all(type(one) is int for one in ids))
        self.assertEqual("".join(self.model.tokens(TEXT)), TEXT)
        self.assertEqual(self.model.tokens(ids), self.model.tokens(TEXT))
        by_text, by_ids = self.model.run(TEXT), self.model.run(np.array(ids))
        for name in ARRAYS:
            self.assertEqual(by_text[name].dtype, np.float32)
            np.testing.assert_array_equal(by_text[name], by_ids[name])

    def test_a_pass_is_that_by_definition(self):
        ids = self.model.ids(TEXT)
        computed = self.model.run(ids)
        self.assertEqual(set(computed), set(ARRAYS))
        self.close(computed, self.plain.run(ids))
        about = self.model.about
        self.assertEqual(computed["mlp"].shape, (about["layers"], len(ids), about["mlp_width"]))

    def test_what_is_kept(self):
        self.assertEqual(set(self.model.run(TEXT, keep=("logits", "mlp"))), {"logits", "mlp"})
        self.assertEqual(set(self.model.run(TEXT, keep="weights")), {"weights"})
        with self.assertRaisesRegex(headlight.Error, "logit.*logits") as caught:
            self.model.run(TEXT, keep=("logit",))
        self.assertEqual(caught.exception.where, "keep")

    def test_every_change_is_that_by_definition(self):
        random = np.random.RandomState(11)
        tokens = 7

        def draw(count):
            return random.randint(0, self.plain.vocabulary, count).tolist()

        ids = draw(tokens)
        texts = {"other": draw(tokens), "longer": draw(tokens + 2), "set": [draw(5), draw(tokens), draw(3)]}
        untouched = self.plain.run(ids)
        for name, changes in every_change(self.plain, random, tokens, texts):
            with self.subTest(name):
                wanted = self.plain.run(ids, changes)
                place = plain_gpt2.FOUND_IN[changes[0]["place"]]
                self.assertGreater(abs(wanted[place] - untouched[place]).max(), 1e-6)
                self.close(self.model.run(ids, changes=changes), wanted)
        self.close(self.model.run(ids), untouched)  # nothing is left of them

    def test_changes_follow_the_text(self):
        """Positions from the end, and a text that begins like the one before it."""
        change = [{"place": "residual", "layer": 1, "position": -1, "how": "zero"},
                  {"place": "keys", "layer": 0, "position": [-1, 0], "how": "value", "value": 2}]
        ids = self.model.ids(TEXT)
        for length in (len(ids), len(ids) - 2, len(ids) - 1, len(ids)):
            self.close(self.model.run(ids[:length], changes=change), self.plain.run(ids[:length], change))

    def test_the_model_s_own_changes_come_first(self):
        first = {"place": "head", "layer": 0, "head": 1, "how": "value", "value": 0.5}
        then = {"place": "head", "layer": 0, "head": 1, "how": "add", "direction": np.arange(8)}
        ids = self.model.ids(TEXT)
        with headlight.Model(GPT2, changes=[first]) as changed:
            self.close(changed.run(ids), self.plain.run(ids, [first]))
            self.close(changed.run(ids, changes=[then]), self.plain.run(ids, [first, then]))

    def test_changes_in_files(self):
        change = {"place": "mlp", "layer": 1, "how": "mean", "texts": [TEXT, self.model.ids("A dog")]}
        ids = self.model.ids(TEXT)
        wanted = self.plain.run(ids, [dict(change, texts=[ids, self.model.ids("A dog")])])
        with tempfile.TemporaryDirectory() as folder:
            listed, session = pathlib.Path(folder) / "changes.json", pathlib.Path(folder) / "a.headlight"
            listed.write_text(json.dumps([change]))
            session.write_text(json.dumps({"format": "headlight-session", "version": 1, "model_folder": {
                "path": str(GPT2), "ids": ids, "layer": 0, "changes": [change, {"layer": 0, "head": 1, "state": "off", "on": False}]}}))
            for file in (listed, session):
                self.close(self.model.run(ids, changes=file), wanted)
                saved = pathlib.Path(folder) / "out.npz"
                done = command("compute", GPT2, "--text", TEXT, "--changes", file, "--keep", ",".join(ARRAYS), "-o", saved, "--force")
                self.assertEqual(done.returncode, 0, done.stderr)
                with np.load(saved) as arrays:
                    self.close(arrays, wanted)
                    np.testing.assert_array_equal(arrays["ids"], ids)
                done = command("compute", GPT2, "--text", TEXT, "--changes", file, "-o", saved, "--force")
                self.assertEqual(done.returncode, 0, done.stderr)
                with np.load(saved) as arrays:
                    self.close({"residual": arrays["residual"], "logits": arrays["logits"]}, wanted, ("residual", "logits"))

    def test_stages_of_a_changed_layer(self):
        """`compute` computes each layer's stages of its own: they show the changes."""
        changes = [{"place": "queries", "layer": 1, "head": 2, "how": "value", "value": 1.5},
                   {"place": "weights", "layer": 1, "head": 0, "position": 2, "how": "zero"},
                   {"place": "head", "layer": 2, "head": [0, 3], "how": "add", "direction": np.ones(8)}]
        ids = self.model.ids(TEXT)
        wanted = self.plain.run(ids, changes)
        with tempfile.TemporaryDirectory() as folder:
            listed, saved = pathlib.Path(folder) / "changes.json", pathlib.Path(folder) / "out.npz"
            listed.write_text(json.dumps(headlight._json_value(changes)))
            done = command("compute", GPT2, "--text", TEXT, "--changes", listed, "-o", saved)
            self.assertEqual(done.returncode, 0, done.stderr)
            with np.load(saved) as arrays:
                self.close({"queries": arrays["layers.1.queries"], "weights": arrays["layers.1.weights"],
                            "context": arrays["layers.2.context"]},
                           {"queries": wanted["queries"][1], "weights": wanted["weights"][1], "context": wanted["context"][2]},
                           ("queries", "weights", "context"))

    def refused(self, words, change, where, text=TEXT):
        with self.assertRaisesRegex(headlight.Error, words) as caught:
            self.model.run(text, changes=[change])
        self.assertIn(where, caught.exception.where)
        self.assertTrue(caught.exception.hint)

    def test_changes_that_are_wrong(self):
        zero = {"place": "head", "layer": 0, "how": "zero"}
        of = lambda **more: {**zero, **more}
        self.refused("\"heads\" is unknown.*\"head\"", of(place="heads"), "changes[0].place")
        self.refused("\"ablate\" is unknown", of(how="ablate"), "changes[0].how")
        self.refused("unknown key \"haed\".*\"head\"", of(haed=1), "changes[0].haed")
        self.refused("no layer 3", of(layer=3), "changes[0].layer")
        self.refused("no layer -1", of(layer=-1), "changes[0].layer")
        self.refused("no head 4", of(head=4), "changes[0].head")
        self.refused("no head -5", of(head=[0, -5]), "changes[0].head")
        self.refused("no neuron 128", of(place="neuron", neuron=128), "changes[0].neuron")
        self.refused("no position 99", of(position=99), "changes[0].position")
        self.refused("position 1 is named twice", of(position=[1, 1]), "changes[0].position")
        self.refused("no heads", of(place="residual", head=0), "changes[0].head")
        self.refused("\"value\" does not go with", of(value=1), "changes[0].value")
        self.refused("has the shape 1 x 1 x 3, which does not fit 4 x", of(how="value", value=[1, 2, 3]), "changes[0].value")
        self.refused("too large|not finite|NaN", of(how="value", value=[[float("nan")] * 8]), "changes[0].value")
        self.refused("4 numbers, expected 8", of(how="add", direction=[1, 2, 3, 4]), "changes[0].direction")
        self.refused("NaN or infinity", of(how="add", direction=[float("inf")] * 8), "changes[0].direction")
        self.refused("it is zero", of(how="project_out", direction=[0] * 8), "changes[0].direction")
        self.refused("\"direction\" is missing", of(how="project_out"), "changes[0].direction")
        self.refused("no mean", of(place="weights", how="mean", texts=[TEXT]), "changes[0].how")
        self.refused("has 1 tokens", of(place="weights", how="resample", text=[3]), "changes[0].text")
        self.refused("none at position", of(how="resample", text=[3]), "changes[0].text")
        self.refused("no position in the other text 9", of(how="resample", text=[3], positions=[[0, 9]]), "changes[0].positions")
        self.refused("outside the vocabulary", of(how="resample", text=[99999]), "changes[0].text")
        self.refused("no list of texts", of(how="mean", texts=TEXT), "changes[0].texts")
        with self.assertRaisesRegex(headlight.Error, "list of dicts"):
            self.model.run(TEXT, changes=zero)
        self.assertEqual(self.model.run(TEXT)["logits"].shape[1], 377)  # the process goes on

    def test_texts_that_are_wrong(self):
        for text, words in (([], "no ids"), ([99999], "outside the vocabulary"), ("", "no tokens"), ([0.5], "list of the ids")):
            with self.assertRaisesRegex(headlight.Error, words):
                self.model.run(text)

    def test_the_head_of_every_family_is_switched_off_as_by_its_state(self):
        for name in ("gpt_neox", "llama", "qwen2", "qwen3", "gemma2", "mistral", "bert"):
            with self.subTest(name), headlight.Model(MODELS / name) as model:
                ids = [1, 5, 9, 2, 7]
                off = model.run(ids, changes=[{"layer": 1, "head": 1, "state": "off"}])
                zero = model.run(ids, changes=[{"place": "head", "layer": 1, "head": 1, "how": "zero"}])
                self.close(off, zero, ("residual",))
                # What the model has itself, put in again at every place, changes nothing.
                same = [{"place": place, "layer": layer, "how": "resample", "text": ids}
                        for place in plain_gpt2.FOUND_IN for layer in range(model.about["layers"])]
                untouched = model.run(ids)
                self.close(model.run(ids, changes=same), untouched, tuple(untouched))
                # Keys and values have heads of their own.
                groups = model.about["kv_heads"]
                with self.assertRaisesRegex(headlight.Error, f"no head {groups}"):
                    model.run(ids, changes=[{"place": "keys", "layer": 0, "head": groups, "how": "zero"}])


class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = headlight.Model(GPT2)

    @classmethod
    def tearDownClass(cls):
        cls.model.close()

    def test_an_answer_is_the_command_line_s(self):
        other = self.model.ids(TEXT)
        other[1] = 5
        asked = {"lens": {}, "parts": {"target": "#5", "against": "#9"}, "ablation": {"ablation": "zero", "measure": "logit"},
                 "patches": {"from_ids": other, "stage": "output"}, "circuit": {"layer": 1, "head": 2, "top": 5},
                 "rollout": {"words": True}}
        with tempfile.TemporaryDirectory() as folder:
            for question, options in asked.items():
                with self.subTest(question):
                    answer = self.model.ask(question, text=TEXT, **options)
                    saved = pathlib.Path(folder) / f"{question}.json"
                    done = command(*answer.about["command"][1:], "-o", saved)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    told = json.loads(saved.read_text())
                    self.assertEqual(answer.about["command"], told["about"]["command"])
                    self.assertEqual([one["name"] for one in told["tables"]], list(answer.tables))
                    for one in told["tables"]:
                        table = answer.tables[one["name"]]
                        self.assertEqual((table.rows, table.columns), (one["rows"], one["columns"]))
                        values = np.array([[np.nan if x is None else x for x in row] for row in one["values"]], np.float32)
                        np.testing.assert_array_equal(np.asarray(table), values.reshape(table.shape))

    def test_changes_of_a_question(self):
        change = {"place": "head", "layer": 2, "head": 0, "how": "mean", "texts": [TEXT, "A dog"]}
        plain, changed = (self.model.ask("parts", text=TEXT, target="#5", changes=one) for one in (None, [change]))
        self.assertEqual(len(changed.about["changes"]), 1)
        self.assertIn("head 0", changed.about["changes"][0])
        name = list(plain.tables)[0]
        self.assertGreater(abs(np.nan_to_num(plain.tables[name] - changed.tables[name])).max(), 1e-6)
        with tempfile.TemporaryDirectory() as folder:  # its command says the same
            saved = pathlib.Path(folder) / "out.npz"
            done = command(*changed.about["command"][1:], "-o", saved)
            self.assertEqual(done.returncode, 0, done.stderr)
            with np.load(saved) as arrays:
                np.testing.assert_array_equal(arrays[name], np.asarray(changed.tables[name]))

    def test_figures(self):
        answer = self.model.ask("lens", text=TEXT, width="220mm")
        self.assertTrue(answer.figure("png").startswith(b"\x89PNG"))
        self.assertTrue(answer.figure("pdf").startswith(b"%PDF"))
        self.assertIn("<svg", answer.figure())
        self.assertEqual(answer._repr_svg_(), answer.figure("svg"))
        with self.assertRaisesRegex(headlight.Error, "gif"):
            answer.figure("gif")
        for _ in range(40):  # the process stores some results; others are asked for again
            self.model.ask("norms", text=TEXT)
        self.assertTrue(answer.figure("png").startswith(b"\x89PNG"))

    def test_tables_of_pandas(self):
        table = list(self.model.ask("parts", text=TEXT).tables.values())[0]
        try:
            import pandas
        except ImportError:
            self.assertRaises(ImportError, table.frame)
            return
        frame = table.frame()
        self.assertEqual(list(frame.index), table.rows)
        self.assertEqual(list(frame.columns), table.columns)

    def test_composition_needs_no_text(self):
        answer, of_text = self.model.ask("composition", layer=1), self.model.ask("composition", text=TEXT, layer=1)
        self.assertEqual((answer.about["texts"], answer.about["ids"]), ([], []))
        self.assertEqual(list(answer.tables), list(of_text.tables))
        for name, table in answer.tables.items():
            np.testing.assert_array_equal(np.asarray(table), np.asarray(of_text.tables[name]))
        self.assertIn("<svg", answer.figure())

    def test_questions_that_are_wrong(self):
        for question, options, words in (("lense", {"text": TEXT}, "lense"), ("lens", {}, "needs a text"),
                                         ("lens", {"text": TEXT, "sprength": 1}, "sprength"),
                                         ("lens", {"text": TEXT, "target": "#99999"}, "vocabulary"),
                                         ("circuit", {"text": TEXT, "layer": 9}, "no layer 9"),
                                         ("lens", {"text": TEXT, "width": {"a": 1}}, "object")):
            with self.assertRaisesRegex(headlight.Error, words):
                self.model.ask(question, **options)
        self.assertTrue(self.model.ask("lens", text=TEXT).tables)


class DataSets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = headlight.Model(WORDS)

    @classmethod
    def tearDownClass(cls):
        cls.model.close()

    def test_means_and_errors_are_those_by_definition(self):
        """Of each row's numbers, which are those of its text asked alone."""
        single = {"parts": {}, "loss": {"metric": "logit_difference"}}
        for question, options in {**single, "patches": {"stage": "output", "normalized": True}}.items():
            with self.subTest(question):
                answer = self.model.ask(question, set=PAIRS, **options)
                self.assertEqual(len(answer.rows), 3)
                for name, table in answer.tables.items():
                    self.assertEqual(table.each.shape, (3, *table.shape))
                    each, present = table.each.astype(np.float64), ~np.isnan(table.each)
                    count = present.sum(0)
                    mean = np.where(present, each, 0).sum(0) / np.maximum(count, 1)
                    squares = np.where(present, each - mean, 0) ** 2
                    error = np.sqrt(squares.sum(0) / np.maximum(count - 1, 1) / np.maximum(count, 1))
                    self.assertTrue((count > 1).any(), name)
                    np.testing.assert_allclose(np.asarray(table), np.where(count > 0, mean, np.nan), rtol=1e-5, atol=1e-6)
                    np.testing.assert_allclose(table.error, np.where(count > 1, error, np.nan), rtol=1e-5, atol=1e-6)
        answer = self.model.ask("loss", set=PAIRS, metric="logit_difference")
        for row, difference in zip(answer.rows, answer.tables["target"].each):
            logits = self.model.run(row["text"], keep="logits")["logits"][-1].astype(np.float64)
            wanted = logits[row["target_id"]] - logits[row["against_id"]]
            self.assertAlmostEqual(difference[0, 0], wanted, delta=1e-4)
            self.assertAlmostEqual(row["metric"], wanted, delta=1e-4)

    def test_rows_have_their_cells(self):
        header, *lines = PAIRS.read_text().splitlines()
        rows = self.model.ask("parts", set=PAIRS).rows
        self.assertEqual([[row[name] for name in header.split("\t")] for row in rows], [line.split("\t") for line in lines])
        self.assertEqual(rows[1]["positions"]["@S2"], 7)
        self.assertTrue(all("tables" not in row for row in rows))

    def test_without_a_set_there_is_none(self):
        answer = self.model.ask("parts", text="Mary gave the key to")
        self.assertIsNone(answer.rows)
        for table in answer.tables.values():
            self.assertIsNone(table.error)
            self.assertIsNone(table.each)
        self.assertIsNone(self.model.ask("parts", set=PAIRS).tables["heads"][0].error)

    def test_tables_of_pandas(self):
        table = self.model.ask("parts", set=PAIRS).tables["heads"]
        try:
            import pandas
        except ImportError:
            self.assertRaises(ImportError, table.frame, error=True)
            return
        frame = table.frame(error=True)
        self.assertEqual(list(frame.columns)[:2], [table.columns[0], f"{table.columns[0]} error"])
        np.testing.assert_array_equal(frame.to_numpy()[:, ::2], np.asarray(table))
        np.testing.assert_array_equal(frame.to_numpy()[:, 1::2], table.error)
        frame = table.frame(rows=True)
        for row in range(3):
            np.testing.assert_array_equal(frame.loc[row].to_numpy(), table.each[row])
        self.assertEqual(list(frame.loc[2].index), table.rows)
        single = self.model.ask("parts", text="Mary gave the key to").tables["heads"]
        for of, options in ((table, {"error": True, "rows": True}), (single, {"error": True}), (single, {"rows": True})):
            self.assertRaises(headlight.Error, of.frame, **options)


class ArraysOfTexts(unittest.TestCase):
    """Model.patches() and Model.gradients() against central differences of GPT-2 by definition."""
    STEP = 1e-4

    @classmethod
    def setUpClass(cls):
        cls.model = headlight.Model(GPT2)
        cls.plain = plain_gpt2.PlainGpt2(GPT2)
        cls.ids, cls.other = [1, 5, 9, 2, 7], [1, 8, 9, 4, 7]

    @classmethod
    def tearDownClass(cls):
        cls.model.close()

    def close(self, value, wanted, largest):
        self.assertLess(abs(value - wanted), 1e-4 * max(1e-3, largest))

    def loss(self, changes=()):
        logits = self.plain.run(self.ids, changes)["logits"][:-1]
        return -np.log(plain_gpt2.softmax(logits))[np.arange(len(self.ids) - 1), self.ids[1:]]

    def slope(self, number, moves):
        """How fast a number changes with a step along several moves: (place, layer, more, direction)."""
        def at(strength):
            return number([{"place": place, "layer": layer, "how": "add", "direction": direction, "strength": strength, **more}
                           for place, layer, more, direction in moves])
        return (at(self.STEP) - at(-self.STEP)) / (2 * self.STEP)

    def test_gradients_are_central_differences(self):
        found, random = self.model.gradients(self.ids), np.random.RandomState(3)
        losses = self.loss()
        self.assertAlmostEqual(float(found["loss"]), losses.mean(), delta=1e-5)
        np.testing.assert_allclose(found["loss_by_token"], losses, rtol=1e-4, atol=1e-5)
        stream = found["grad.residual"]
        self.assertEqual(stream.shape, (self.plain.layers + 1, len(self.ids), self.plain.width))
        embedding = self.plain.run(self.ids)["residual"][0]
        np.testing.assert_allclose(found["loss_by_embedding"], (embedding * stream[0]).sum(-1), atol=1e-5)
        for layer in range(self.plain.layers + 1):
            direction = random.normal(size=self.plain.width)
            moves = [("residual", layer, {"position": 2}, direction)]
            self.close(stream[layer, 2] @ direction, self.slope(lambda changes: self.loss(changes).mean(), moves),
                       abs(stream[layer]).max() * self.plain.width)
        for name in ("h.1.mlp.c_fc.weight", "h.0.attn.c_attn.weight", "ln_f.bias"):
            tensor, original = next(found[one] for one in found if one.endswith(name)), self.plain.w[name]
            self.assertEqual(tensor.shape, original.shape)
            direction = random.normal(size=original.shape)
            sides = []
            for strength in (self.STEP, -self.STEP):
                self.plain.w[name] = original + strength * direction
                sides.append(self.loss().mean())
            self.plain.w[name] = original
            self.close((tensor * direction).sum(), (sides[0] - sides[1]) / (2 * self.STEP), abs(tensor).sum())
        self.assertEqual(found.axes["grad.layers.1.weights"], (self.model.tokens(self.ids),) * 2)
        self.assertIsNone(found.rows)
        self.assertEqual(found.about["question"], "gradients")

    def test_estimates_are_slopes_and_patches_are_passes(self):
        target, against = 12, 30
        found = self.model.patches(self.ids, from_ids=self.other, target=target, against=against, each=True)
        here, there = self.plain.run(self.ids), self.plain.run(self.other)

        def number(changes=()):
            logits = self.plain.run(self.ids, changes)["logits"][-1]
            return logits[target] - logits[against]
        self.assertAlmostEqual(float(found["logit"]), number(), delta=1e-4)
        for place, array, name in (("residual", "residual", "residual"), ("mlp", "mlp_added", "mlp_added")):
            estimated, patched = found["estimate." + name], found["patch." + name]
            largest = abs(estimated).max()
            for layer in range(self.plain.layers):
                for token in (1, 3, 4):
                    change = (there[array] - here[array])[layer, token]
                    self.close(estimated[layer, token], self.slope(number, [(place, layer, {"position": token}, change)]), largest)
                    put = {"place": place, "layer": layer, "position": token, "how": "resample", "text": self.other}
                    self.close(patched[layer, token], number([put]) - number(), abs(patched).max())
        estimated, by_token = found["estimate.context"], found["estimate.layers.1.context"]
        change = (there["context"] - here["context"])[1, 2]
        moves = [("head", 1, {"head": 2, "position": token}, change[token]) for token in range(len(self.ids))]
        self.close(estimated[1, 2], self.slope(number, moves), abs(estimated).max())
        self.close(by_token[2, 3], self.slope(number, moves[3:4]), abs(by_token).max())
        put = {"place": "head", "layer": 1, "head": 2, "how": "resample", "text": self.other}
        self.close(found["patch.context"][1, 2], number([put]) - number(), abs(found["patch.context"]).max())
        self.assertEqual(len(found.lines), 6)
        self.assertTrue(found.lines[1].startswith("residual: correlation "))
        self.assertEqual(found.axes["estimate.residual"][0], ["0", "1", "2", "end"])

    def test_changes_are_those_of_the_text(self):
        change = {"place": "head", "layer": 1, "head": 2, "how": "zero"}
        found = self.model.patches(self.ids, from_ids=self.other, target=12, changes=[change])
        self.assertAlmostEqual(float(found["logit"]), self.plain.run(self.ids, [change])["logits"][-1, 12], delta=1e-4)
        self.assertEqual(len(found.about["changes"]), 1)
        with headlight.Model(GPT2, changes=[change]) as changed:
            with self.assertRaisesRegex(headlight.Error, "as its files have it"):
                changed.gradients(self.ids)

    def test_slopes_pass_through_every_change(self):
        random, target, tokens = np.random.RandomState(6), 12, len(self.ids)
        there = self.plain.run(self.other)["mlp_added"][1]
        head = self.plain.width // self.plain.heads
        for place, numbers, more in (("weights", tokens, {"head": 1}), ("neuron", 1, {"neuron": [3, 70]}), ("queries", head, {"head": 0}),
                                     ("keys", head, {"head": [1, 2]}), ("values", head, {}), ("head", head, {"head": 3}),
                                     ("mlp", self.plain.width, {}), ("residual", self.plain.width, {})):
            for how in ("zero", "add", "project_out"):
                with self.subTest(place=place, how=how):
                    change = {"place": place, "layer": 2, "how": how, "position": [2, tokens - 1], **more}
                    if how != "zero":
                        change["direction"] = random.normal(size=numbers)
                    moved = (there - self.plain.run(self.ids, [change])["mlp_added"][1])
                    estimated = self.model.patches(self.ids, from_ids=self.other, target=target, changes=[change])["estimate.mlp_added"]

                    def number(moves):
                        return self.plain.run(self.ids, [change, *moves])["logits"][-1, target]
                    for token in (1, 2, tokens - 1):
                        wanted = self.slope(number, [("mlp", 1, {"position": token}, moved[token])])
                        self.close(estimated[1, token], wanted, abs(estimated).max())

    def test_what_is_wrong(self):
        for options, words in (({}, "from"), ({"from_ids": [1, 2]}, "as many tokens"), ({"from_ids": self.other, "stage": "mlp"}, "stage"),
                               ({"set": PAIRS}, "stands in the place")):
            with self.assertRaisesRegex(headlight.Error, words):
                self.model.patches(self.ids, **options)
        with self.assertRaisesRegex(headlight.Error, "at least two tokens|one token"):
            self.model.gradients([1])
        with self.assertRaisesRegex(headlight.Error, "goes with --set"):
            self.model.gradients(self.ids, each=True)

    def test_over_a_set_they_are_means_of_the_rows_at_the_named_tokens(self):
        with headlight.Model(WORDS) as model:
            patches, gradients = model.patches(set=PAIRS, each=True), model.gradients(set=PAIRS, each=True)
            for found in (patches, gradients):
                self.assertEqual(len(found.rows), 3)
                self.assertEqual(set(found.error), set(found))
                self.assertEqual(set(found.each), set(found))
                for name, each in found.each.items():
                    self.assertEqual(each.shape, (3, *found[name].shape))
                    each, count = each.astype(np.float64), (~np.isnan(each)).sum(0)
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # of numbers that no row has
                        mean, error = np.nanmean(each, 0), np.nanstd(each, 0, ddof=1) / np.sqrt(count)
                    scale = np.nanmax(abs(each))
                    np.testing.assert_allclose(found[name], mean, atol=1e-5 * scale)
                    np.testing.assert_allclose(found.error[name], np.where(count > 1, error, np.nan), atol=1e-5 * scale)
            for at, row in enumerate(patches.rows):
                places = list(row["positions"].values())
                single = model.patches(row["text"], from_=row["from"], target=row["target"], against=row["against"], each=True)
                self.assertAlmostEqual(row["metric"], float(single["logit"]), delta=1e-5)
                for name in ("estimate.residual", "patch.mlp_added", "estimate.layers.1.context"):
                    np.testing.assert_allclose(patches.each[name][at], single[name][:, places], atol=1e-5)
                np.testing.assert_allclose(patches.each["patch.context"][at], single["patch.context"], atol=1e-5)
                np.testing.assert_allclose(patches.each["estimate.layers.2.weights"][at],
                                           single["estimate.layers.2.weights"][:, places][:, :, places], atol=1e-5)
                alone = model.gradients(row["text"])
                self.assertAlmostEqual(gradients.rows[at]["metric"], float(alone["loss"]), delta=1e-5)
                np.testing.assert_allclose(gradients.each["loss_by_token"][at], alone["loss_by_token"][np.array(places) - 1], atol=1e-5)
                np.testing.assert_allclose(gradients.each["grad.residual"][at], alone["grad.residual"][:, places], atol=1e-5)
                for name in alone:
                    if name.startswith("grad.") and "residual" not in name and "layers" not in name:
                        np.testing.assert_allclose(gradients.each[name][at], alone[name], atol=1e-5)
            self.assertEqual(patches.axes["estimate.residual"][1], ["@IO", "@S2", "@END"])
            few = model.gradients(set=PAIRS)
            tensor = next(name for name in few if name.endswith("wpe.weight"))
            self.assertNotIn(tensor, few.each)
            np.testing.assert_allclose(few[tensor], gradients[tensor], atol=1e-6)
            np.testing.assert_allclose(few.error[tensor], gradients.error[tensor], atol=1e-6)
            for found in (patches, gradients):  # the command computes the same
                with tempfile.TemporaryDirectory() as folder:
                    saved = pathlib.Path(folder) / "out.npz"
                    done = command(*found.about["command"][1:], "-o", saved)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    with np.load(saved) as arrays:
                        for name in found:
                            np.testing.assert_array_equal(arrays[name], found[name])
                            np.testing.assert_array_equal(arrays["error." + name], found.error[name])
                        self.assertEqual(arrays["set.target"].tolist(), ["Leo", "Peter", "Eve"])
                        np.testing.assert_allclose(arrays["set_rows.metric"], [row["metric"] for row in found.rows], atol=1e-5)

    def test_tables_of_pandas(self):
        found = self.model.patches(self.ids, from_ids=self.other)
        try:
            import pandas
        except ImportError:
            self.assertRaises(ImportError, found.frame, "estimate.residual")
            return
        frame = found.frame("estimate.residual")
        self.assertEqual(list(frame.columns), self.model.tokens(self.ids))
        self.assertEqual(list(found.frame("logit_by_embedding").index), self.model.tokens(self.ids))
        self.assertRaises(headlight.Error, found.frame, "estimate.layers.1.weights")


class Steering(unittest.TestCase):
    """The question direction against GPT-2 by definition with the direction added at positions of the text."""
    @classmethod
    def setUpClass(cls):
        cls.model, cls.plain = headlight.Model(GPT2), plain_gpt2.PlainGpt2(GPT2)
        cls.ids = cls.model.ids(TEXT)[:6]

    @classmethod
    def tearDownClass(cls):
        cls.model.close()

    def continued(self, direction, strength, positions, count):
        change = {"place": "residual", "layer": 1, "how": "add", "direction": direction, "strength": strength}
        if positions is not None:
            change["position"] = positions
        ids = list(self.ids)
        for _ in range(count):
            ids.append(int(self.plain.run(ids, [change])["logits"][-1].argmax()))
        return ids[len(self.ids):], self.plain.run(self.ids, [change])["logits"][-1]

    def test_at_positions_and_with_the_tokens_that_follow(self):
        other = [4, 4, 8]
        mean = self.plain.run(other)["residual"][1].mean(0) - self.plain.run(self.ids)["residual"][1].mean(0)
        for positions, typed in ((None, None), ([2], "#2"), ([1, len(self.ids) - 1], "1,-1")):
            answer = self.model.ask("direction", text=self.ids, from_ids=other, layer=1, strength=-3, steps=4, target="#5",
                                    positions=typed)
            np.testing.assert_allclose(answer.direction, mean, rtol=1e-4, atol=1e-5)
            generated, target = answer.tables["generated"], answer.tables["target"]
            for row, strength in enumerate((0, -1.5, -3, -6)):
                follow, logits = self.continued(mean, strength, positions, 4)
                self.assertEqual(generated.remarks[row], "".join(self.model.tokens(follow)))
                self.assertAlmostEqual(generated[row, 0], logits[5], delta=1e-3)
                self.assertAlmostEqual(target[0, row], logits[5], delta=1e-3)

    def test_a_direction_of_a_file(self):
        direction = np.random.RandomState(5).normal(size=self.plain.width).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            file, saved = pathlib.Path(folder) / "v.npy", pathlib.Path(folder) / "w.npy"
            np.save(file, direction)
            answer = self.model.ask("direction", text=self.ids, layer=1, direction=file, save_direction=saved, target="#5")
            np.testing.assert_array_equal(answer.direction, direction)
            np.testing.assert_array_equal(np.load(saved), direction)
            for row, strength in enumerate((0, 0.5, 1, 2)):
                self.assertAlmostEqual(answer.tables["target"][0, row], self.continued(direction, strength, None, 0)[1][5], delta=1e-3)
            with self.assertRaisesRegex(headlight.Error, "exists"):
                self.model.ask("direction", text=self.ids, layer=1, direction=file, save_direction=saved)
        self.assertIsNone(self.model.ask("norms", text=self.ids).direction)

    def test_over_a_set_at_a_named_token(self):
        with headlight.Model(WORDS) as model:
            plain, layer = plain_gpt2.PlainGpt2(WORDS), 1
            answer = model.ask("direction", set=PAIRS, layer=layer, positions="@S2", steps=2)
            generated = answer.tables["generated"]
            self.assertEqual(generated.shape, (12, 2))
            for at, row in enumerate(answer.rows):
                change = {"place": "residual", "layer": layer, "how": "add", "direction": answer.direction, "strength": 2,
                          "position": row["positions"]["@S2"]}
                ids = model.ids(row["text"])
                logits = plain.run(ids, [change])["logits"][-1]
                difference = logits[row["target_id"]] - logits[row["against_id"]]
                self.assertAlmostEqual(answer.tables["target"].each[at, 0, 3], difference, delta=1e-3)
                for _ in range(2):
                    ids.append(int(plain.run(ids, [change])["logits"][-1].argmax()))
                self.assertEqual(generated.remarks[4 * at + 3], "".join(model.tokens(ids[-2:])))


class Transcoders(unittest.TestCase):
    """The features of a transcoder of GPT-2's MLP, by definition."""
    def test_what_fires_what_it_adds_and_what_is_left(self):
        plain, random, layer, target, against = plain_gpt2.PlainGpt2(GPT2), np.random.RandomState(8), 1, 5, 9
        draw = lambda *shape: random.normal(size=shape).astype(np.float32)
        arrays = {"W_enc": draw(plain.width, 11), "W_dec": draw(11, plain.width), "b_enc": draw(11), "b_dec": draw(plain.width),
                  "W_skip": draw(plain.width, plain.width)}
        ids = [1, 5, 9, 2, 7]
        here = plain.run(ids)
        added, residual = here["mlp_added"][layer], here["residual"]
        stream = residual[layer + 1] - added
        whole = plain.norm(stream, f"h.{layer}.ln_2")
        bare = (whole - plain.w[f"h.{layer}.ln_2.bias"]) / plain.w[f"h.{layer}.ln_2.weight"]

        def number(changes=()):
            logits = plain.run(ids, changes)["logits"][-1]
            return logits[target] - logits[against]
        with tempfile.TemporaryDirectory() as folder, headlight.Model(GPT2) as model:
            for reads, x in (("mlp_input", whole), ("normalized", bare), ("stream", stream)):
                for skip in (True, False):
                    file = pathlib.Path(folder) / f"{reads}-{skip}.npz"
                    np.savez(file, **{name: array for name, array in arrays.items() if skip or name != "W_skip"})
                    answer = model.ask("features", text=ids, layer=layer, dictionary=file, reads=reads, target=f"#{target}",
                                       against=f"#{against}", top=11)
                    fires = np.maximum(x @ arrays["W_enc"] + arrays["b_enc"], 0)
                    rebuilt = fires @ arrays["W_dec"] + arrays["b_dec"] + (x @ arrays["W_skip"].T if skip else 0)
                    left = ((added - rebuilt) ** 2).sum(-1) / (added ** 2).sum(-1)
                    np.testing.assert_allclose(answer.tables["tokens"][:, 0], (fires > 0).sum(-1))
                    np.testing.assert_allclose(answer.tables["tokens"][:, 1], left, rtol=1e-3)
                    share = ((added - rebuilt) ** 2).sum() / ((added - added.mean(0)) ** 2).sum()
                    told = float(re.search(r"not explained: ([\d.]+) %", " ".join(answer.notes)).group(1))
                    self.assertAlmostEqual(told / (100 * share), 1, delta=1e-3)
                    for row, name in zip(answer.tables["features"], answer.tables["features"].rows):
                        one = fires[:, int(name), None] * arrays["W_dec"][int(name)]

                        def without(times):
                            return number([{"place": "mlp", "layer": layer, "how": "value", "value": (added - times * one)[None]}])
                        self.assertAlmostEqual(row[0], fires[:, int(name)].max(), delta=1e-3)
                        self.assertAlmostEqual(row[3], without(1) - number(), delta=2e-3)
                        slope = (without(-1e-4) - without(1e-4)) / 2e-4
                        self.assertAlmostEqual(row[2], slope, delta=2e-3 * max(1, abs(slope)))
            # By W_skip alone it is a transcoder too, whose place no choice overrides.
            asked = {"text": ids, "layer": layer, "dictionary": pathlib.Path(folder) / "mlp_input-True.npz"}
            found = model.ask("features", **asked)
            self.assertEqual(found.about["options"]["place"], "mlp")
            np.testing.assert_array_equal(model.ask("features", place="mlp", **asked).tables["tokens"], found.tables["tokens"])
            with self.assertRaisesRegex(headlight.Error, "another place was chosen"):
                model.ask("features", place="residual", **asked)


class Example(unittest.TestCase):
    def test_it_runs_on_a_small_model(self):
        example = pathlib.Path(headlight.__file__).resolve().parent / "examples" / "name_movers.py"
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", str(example), str(GPT2), "--heads", "2", "--figures", folder],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for words in ("The prediction", "Patching", "without 2:", "Logit lens", "circuit of the strongest"):
                self.assertIn(words, done.stdout)
            for name in ("parts", "lens", "circuit"):
                self.assertIn("<svg", (pathlib.Path(folder) / f"{name}.svg").read_text())


class Processes(unittest.TestCase):
    def test_two_models_in_one_program(self):
        with headlight.Model(GPT2) as one, headlight.Model(MODELS / "llama") as other:
            first, second = one.run([1, 2, 3]), other.run([1, 2, 3])
            self.assertNotEqual(first["residual"].shape, second["residual"].shape)
            np.testing.assert_array_equal(one.run([1, 2, 3])["logits"], first["logits"])

    def test_the_end(self):
        model = headlight.Model(GPT2)
        process = model._worker.process
        with model:
            self.assertIsNone(process.poll())
        self.assertIsNotNone(process.poll())
        self.assertEqual(process.returncode, 0)
        model.close()
        with self.assertRaisesRegex(headlight.Error, "closed"):
            model.run(TEXT)
        model = headlight.Model(GPT2)
        process = model._worker.process
        del model
        gc.collect()
        self.assertEqual(process.wait(5), 0)

    def test_a_process_that_dies(self):
        with headlight.Model(GPT2) as model:
            wanted = model.run(TEXT)["logits"]
            model._worker.process.send_signal(signal.SIGKILL)
            model._worker.process.wait()
            with self.assertWarnsRegex(RuntimeWarning, "signal 9 ended it.*anew"):
                np.testing.assert_array_equal(model.run(TEXT)["logits"], wanted)
            answer = model.ask("lens", text=TEXT)
            model._worker.process.send_signal(signal.SIGSTOP)
            threading.Timer(0.3, model._worker.process.send_signal, (signal.SIGKILL,)).start()
            with self.assertRaisesRegex(headlight.Error, "process of the model is gone: signal 9"):
                model.run(TEXT)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                np.testing.assert_array_equal(model.run(TEXT)["logits"], wanted)
                self.assertTrue(answer.figure("png").startswith(b"\x89PNG"))  # of a result of the process before

    def test_interrupted(self):
        with headlight.Model(GPT2) as model:
            wanted = model.run(TEXT)["logits"]
            stopped = model._worker.process
            stopped.send_signal(signal.SIGSTOP)  # so that the call waits
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                model.run(TEXT)
            self.assertIsNotNone(stopped.poll())
            np.testing.assert_array_equal(model.run(TEXT)["logits"], wanted)

    def test_a_second_call_costs_what_it_computes(self):
        with headlight.Model(GPT2) as model:
            model.run(TEXT)
            begun = time.monotonic()
            for _ in range(50):
                model.run(TEXT, keep=("logits",))
            self.assertLess(time.monotonic() - begun, 5)

    def test_a_folder_that_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(headlight.Error, "config.json|weights|safetensors") as caught:
                headlight.Model(folder)
            self.assertTrue(caught.exception.what)
        with self.assertRaises(headlight.HeadlightError):
            headlight.Model("/no/such/model")


class Protocol(unittest.TestCase):
    """`headlight serve` without the module."""

    def served(self, *lines):
        text = "".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in lines)
        done = subprocess.run([os.environ["HEADLIGHT"], "serve", str(GPT2)], input=text.encode(), capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def test_lines_and_bytes(self):
        status, out, err = self.served({"do": "ids", "text": TEXT}, "no json\n", {"do": "runn"}, {"do": "run", "ids": [1, 2], "keep": ["logits"]},
                                       {"do": "close"}, {"do": "ids", "text": TEXT})
        self.assertEqual((status, err), (0, b""))
        stream = io.BytesIO(out)
        told = json.loads(stream.readline())
        self.assertEqual(told["protocol"], 1)
        self.assertEqual(told["model"]["family"], "gpt2")
        self.assertIsInstance(json.loads(stream.readline())["ids"], list)
        self.assertIn("error", json.loads(stream.readline()))
        error = json.loads(stream.readline())["error"]
        self.assertEqual(set(error), {"what", "where", "hint"})
        self.assertIn("run", error["hint"])
        reply = json.loads(stream.readline())
        self.assertEqual(reply["arrays"], [{"name": "logits", "shape": [2, 377]}])
        logits = np.frombuffer(stream.read(2 * 377 * 4), "<f4").reshape(2, 377)
        np.testing.assert_allclose(logits, plain_gpt2.PlainGpt2(GPT2).run([1, 2])["logits"], atol=1e-4)
        self.assertEqual(json.loads(stream.readline()), {"closed": True})
        self.assertEqual(stream.read(), b"")  # nothing is read behind it

    def test_a_model_that_cannot_be_opened(self):
        done = subprocess.run([os.environ["HEADLIGHT"], "serve", "/no/such/model"], input=b"", capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error", json.loads(done.stdout))


if __name__ == "__main__":
    unittest.main()
