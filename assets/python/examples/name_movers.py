"""The heads of a model that write a name (Wang et al. 2022), from the prediction to the circuit, in one sitting.

    python3 name_movers.py FOLDER [--heads N] [--figures DIR]

FOLDER is a causal model with a tokenizer, such as gpt2. In "When Mary and John went to the store, John gave a drink to" the
answer is the name that was said once. Each section is a step that a notebook would have as a cell.
"""
import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import headlight

NAMES = ("Mary", "John", "Anna", "Paul", "Lucy", "Mark", "Emma", "Alex", "Kate", "Tom")
TEMPLATE = "When {a} and {b} went to the store, {c} gave a drink to"


def names_of_equal_length(m):
    """The first two names of as many tokens, so that texts with them can be compared token by token."""
    by_length = {}
    for name in NAMES:
        known = by_length.setdefault(len(m.ids(" " + name)), [])
        known.append(name)
        if len(known) == 2:
            return known
    raise SystemExit("no two of the names have as many tokens in this model")


def difference(m, text, target, against, changes=None):
    """The logit of the target less that of the other token, behind the last token of the text."""
    last = m.run(text, keep=("logits",), changes=changes)["logits"][-1]
    return float(last[target] - last[against])


def section(title):
    print(f"\n{title}\n{'-' * len(title)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--heads", type=int, default=3, help="how many heads are looked at")
    parser.add_argument("--figures", type=pathlib.Path, help="a folder for the figures")
    given = parser.parse_args()
    with headlight.Model(given.folder) as m:
        said_once, said_twice = names_of_equal_length(m)
        text = TEMPLATE.format(a=said_once, b=said_twice, c=said_twice)
        # The other name is said twice, so that the answer is the other one; as many tokens.
        other = TEMPLATE.format(a=said_once, b=said_twice, c=said_once)
        target, against = next((a, b) for a, b in zip(m.ids(" " + said_once), m.ids(" " + said_twice)) if a != b)
        options = dict(text=text, target=f"#{target}", against=f"#{against}")

        section("The prediction")
        before = difference(m, text, target, against)
        print(f"{text!r}: logit of {said_once} less that of {said_twice}: {before:.4f}; with the names swapped: "
              f"{difference(m, other, target, against):.4f}")

        section("Direct logit attribution: which heads write it")
        parts = m.ask("parts", **options)
        heads = np.asarray(parts.tables["heads"])
        order = np.argsort(-heads, axis=None)[:given.heads]
        movers = [tuple(int(one) for one in np.unravel_index(place, heads.shape)) for place in order]
        weights = m.run(text, keep=("weights",))["weights"]
        tokens = m.tokens(text)
        for layer, head in movers:
            seen = int(weights[layer, head, -1].argmax())
            print(f"L{layer} H{head}: {heads[layer, head]:+.4f}; looks most at token {seen}, {tokens[seen]!r}")

        section("Patching: what each of them does at the last token if it reads the other text")
        for layer, head in movers:
            patch = {"place": "head", "layer": layer, "head": head, "position": -1, "how": "resample", "text": other}
            print(f"L{layer} H{head}: {difference(m, text, target, against, [patch]) - before:+.4f}")

        section("Mean ablation, over texts with other names")
        texts = [TEMPLATE.format(a=a, b=b, c=c) for a, b in zip(NAMES, NAMES[1:]) for c in (a, b)]
        ablated = []
        for layer, head in movers:
            ablated.append({"place": "head", "layer": layer, "head": head, "how": "mean", "texts": texts})
            print(f"without {len(ablated)}: {difference(m, text, target, against, ablated) - before:+.4f}")

        section("What is left of the attribution without them")
        left = np.asarray(m.ask("parts", changes=ablated, **options).tables["heads"])
        place = np.unravel_index(np.argmax(left), left.shape)
        print(f"the largest part is now L{place[0]} H{place[1]}, {left[place]:+.4f} (it was {heads[place]:+.4f})")

        section("Logit lens: where the answer appears")
        lens = m.ask("lens", text=text, target=f"#{target}")
        for name, table in lens.tables.items():
            print(f"{name}: {table.shape[0]} x {table.shape[1]}, rows {', '.join(table.rows[:3])} ...")

        section("The circuit of the strongest head, by its weights")
        layer, head = movers[0]
        circuit = m.ask("circuit", text=text, layer=layer, head=head, embeddings="effective", top=5)
        for note in circuit.notes:
            print(note)

        if given.figures:
            given.figures.mkdir(parents=True, exist_ok=True)
            for name, result in (("parts", parts), ("lens", lens), ("circuit", circuit)):
                (given.figures / f"{name}.svg").write_text(result.figure("svg"), encoding="utf-8")
                print(f"{given.figures / name}.svg: {' '.join(result.about['command'][:4])} ...")


if __name__ == "__main__":
    main()
