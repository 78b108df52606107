#!/usr/bin/env python3
"""Counts in how many of the sentences of words/unseen.txt the word that is missing comes first.

    python3 assets/examples/measure_words.py HEADLIGHT [FOLDER...]

HEADLIGHT: the program. FOLDER: a model's folder or a checkpoint in it; assets/examples/words by default.
"""
import pathlib
import subprocess
import sys

WORDS = pathlib.Path(__file__).parent / "words"


def first_word(headlight, folder, text):
    done = subprocess.run([headlight, "print", folder, "--text", text, "--top", "1"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout.splitlines()[2].split()[-1].lstrip("·")


def measure(headlight, folder):
    sentences = [line.split("\t") for line in (WORDS / "unseen.txt").read_text().splitlines()]
    right = sum(first_word(headlight, folder, text) == word for text, word in sentences)
    return f"{folder}: {right} of {len(sentences)}"


if __name__ == "__main__":
    for folder in sys.argv[2:] or [WORDS]:
        print(measure(sys.argv[1], folder), flush=True)
