#!/usr/bin/env python3
"""Writes what the example model of simple English is made from, into a folder:

    tokenizer.json      BPE over bytes that knows each word of english.py as one token
    lines-1.txt, ...    the texts that it is trained on
    unseen.txt          200 sentences about pairs of people that are in no line, each without its last word, a tab,
                        and that word

    python3 assets/examples/words_texts.py FOLDER

A line is LENGTH tokens long: <start> and as many sentences as fit, the last one cut off. With windows of that length,
one behind the other, each window is a line. Needs only Python's standard library.
"""
import collections
import json
import pathlib
import sys

from english import Grammar, words

LENGTH, LINES, FILES = 48, 120_000, 2
SEED, UNSEEN_SEED = 5, 1234


def byte_letters():
    """The letter of each byte in a byte-level vocabulary, as in GPT-2's tokenizer."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    return {**{byte: chr(byte) for byte in shown}, **{byte: chr(256 + i) for i, byte in enumerate(others)}}


SPACE = byte_letters()[ord(" ")]


def joined(word, pair):
    """The pieces of a word with each occurrence of the pair made one piece."""
    pieces, at = [], 0
    while at < len(word):
        both = tuple(word[at:at + 2]) == pair
        pieces.append("".join(pair) if both else word[at])
        at += 2 if both else 1
    return pieces


def merges(known):
    """The most frequent pair of neighbours is joined, again and again, until each word is one piece."""
    pieces, made = [[SPACE, *word] for word in known], []
    while True:
        count = collections.Counter(pair for word in pieces for pair in zip(word, word[1:]))
        if not count:
            return made
        made.append(min(count, key=lambda pair: (-count[pair], pair)))
        pieces = [joined(word, made[-1]) for word in pieces]


def tokenizer():
    """The text of tokenizer.json; the last token is <start>, which begins every text."""
    pairs = merges(words())
    tokens = [*byte_letters().values(), *("".join(pair) for pair in pairs), "<start>"]
    first = len(tokens) - 1
    start = {"id": first, "content": "<start>", "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<start>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<start>": {"id": "<start>", "ids": [first], "tokens": ["<start>"]}}}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
             "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
             "vocab": {token: i for i, token in enumerate(tokens)}, "merges": [" ".join(pair) for pair in pairs]}
    return json.dumps({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [start],
                       "normalizer": None, "pre_tokenizer": byte_level, "post_processor": template,
                       "decoder": byte_level, "model": model}, ensure_ascii=False)


def line(grammar):
    told = []
    while len(told) < LENGTH - 1:
        told += grammar.sentence().split()
    return " ".join(told[:LENGTH - 1])


def unseen():
    grammar = Grammar(UNSEEN_SEED, unseen=True)
    return "".join("\t".join(grammar.giving().rsplit(" ", 2)[:2]) + "\n" for _ in range(200))


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(tokenizer() + "\n")
    (folder / "unseen.txt").write_text(unseen())
    grammar = Grammar(SEED)
    for i in range(1, FILES + 1):
        # The template sets <start> before each file.
        (folder / f"lines-{i}.txt").write_text("<start>".join(line(grammar) for _ in range(LINES // FILES)))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
