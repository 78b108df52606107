"""Two small models of SentencePiece, and the ids that SentencePiece itself (Debian's python3-sentencepiece 0.1.97) gives texts with them:

    /usr/bin/python3 generate_sentence_pieces.py models/tokenizers

bpe: as Llama's (bytes to fall back on, spaces kept); unigram: as T5's (spaces joined, a small map of characters). The texts of the
repository that they are learnt from may change; the models need not be made again then.
"""
import io
import json
import pathlib
import sys

import sentencepiece

TESTS = pathlib.Path(__file__).resolve().parents[1]
TEXTS = [
    "", " ", "a", "Your journey starts with one step", "The keys to the cabinet are on the table.", "  two  spaces\tand a tab\n\nand lines ",
    "It's 3.14159, isn't it? 1234 numbers", "naïve café 🙂 日本語", "ＦＵＬＬ width ｆｏｒｍｓ", "the the the the",
    "attention attention attends", "x" * 40, "A layer of attention, its heads and their weights: every number."]


def learnt(**options):
    written = io.BytesIO()
    lines = (TESTS.parent / "app" / "manual" / "window.md").read_text().splitlines()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=written, minloglevel=2, num_threads=1, **options)
    return written.getvalue()


def main(folder):
    rules = folder / "rules.tsv"
    rules.write_text("".join(f"{0xFF21 + i:X}\t{0x41 + i:X}\n{0xFF41 + i:X}\t{0x61 + i:X}\n" for i in range(26)))
    models = {
        "bpe": learnt(model_type="bpe", vocab_size=600, byte_fallback=True, normalization_rule_name="identity",
                      remove_extra_whitespaces=False, allow_whitespace_only_pieces=True, user_defined_symbols=["<turn>"]),
        "unigram": learnt(model_type="unigram", vocab_size=400, normalization_rule_tsv=str(rules), pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
                          character_coverage=0.999)}
    rules.unlink()
    for name, model in models.items():
        (folder / f"pieces_{name}.model").write_bytes(model)
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        before, after = ([processor.bos_id()], []) if name == "bpe" else ([], [processor.eos_id()])
        cases = [{"text": text, "ids": before + processor.encode(text) + after} for text in TEXTS]
        lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
        (folder / f"pieces_{name}.texts.json").write_text(f"[\n{lines}\n]\n")


main(pathlib.Path(sys.argv[1]))
