#include "engine/tokenizers/unigram.h"

#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const char* const kWords =
    R"([["<unk>", 0], ["a", -1], ["b", -1], ["ab", -2], ["c", -1.5], ["bc", -2], ["abc", -3.25],
                              ["<0xC3>", -9], ["<0xA9>", -9]])";

Ids ids(const std::string& members, const std::string& text, const std::string& words = kWords) {
  TokenizerText whole;
  whole.model = R"({"type": "Unigram", )" + members + R"(, "vocab": )" + words + "}";
  return whole.tokenizer().encode(text);
}

}  // namespace

// The expected ids are those of the Rust library.
TEST_CASE("unigram: the cut of the highest score, of equal ones that whose last piece begins first") {
  const std::string unk = R"("unk_id": 0)";
  CHECK(ids(unk, "ab") == Ids{3});
  CHECK(ids(unk, "abc") == Ids{1, 5});
  CHECK(ids(unk, "abab") == Ids{3, 3});
  CHECK(ids(unk, "bcabc") == Ids{5, 1, 5});
  CHECK(ids(unk, "").empty());
}

TEST_CASE("unigram: unknown characters in a row are one") {
  const std::string unk = R"("unk_id": 0)";
  CHECK(ids(unk, "xyab") == Ids{0, 3});
  CHECK(ids(unk, "a\u00E9b") == Ids{1, 0, 2});
  CHECK(ids(unk, "\u00E9\u00E9") == Ids{0});
  CHECK(ids(unk, "<unk>a") == Ids{0, 1});
}

TEST_CASE("unigram: bytes to fall back on, where each has its word") {
  const std::string bytes = R"("unk_id": 0, "byte_fallback": true)";
  CHECK(ids(bytes, "a\u00E9b") == Ids{1, 7, 8, 2});
  CHECK(ids(bytes, "a\u00E9xb") == Ids{1, 0, 2});
  CHECK(ids(bytes, "\u00E9a") == Ids{7, 8, 1});
}

TEST_CASE("unigram: of the same word the last id counts") {
  CHECK(ids(R"("unk_id": 0)", "ab", R"([["<unk>", 0], ["a", -1], ["a", -2], ["b", -1]])") == Ids{2, 3});
}

TEST_CASE("unigram: without an id for the unknown such texts are refused") {
  CHECK(ids(R"("unk_id": null)", "ab") == Ids{3});
  check_error([] { ids(R"("unk_id": null)", "ax"); }, "\"x\" is not in the vocabulary", "model.unk_id",
              "without it");
}

TEST_CASE("unigram: faults are named") {
  const auto fault = [](const std::string& members, const std::string& words, const std::string& what,
                        const std::string& where) {
    check_error([&] { ids(members, "", words); }, what, "tokenizer.json: model." + where, "");
  };
  fault(R"("unk_id": 9)", kWords, "9", "unk_id");
  fault(R"("unk_id": 0)", R"({"a": 0})", "expected a list", "vocab");
  fault(R"("unk_id": 0)", R"([["a"]])", "expected a word and its score", "vocab[0]");
  fault(R"("unk_id": 0)", R"([["a", "b"]])", "expected a number", "vocab[0][1]");
  fault(R"("unk": 0)", kWords, "unknown key \"unk\"", "unk");
}

TEST_CASE("unigram: a model without a type is one when it has an unk_id") {
  TokenizerText whole;
  whole.model = R"({"unk_id": 0, "vocab": )" + std::string(kWords) + "}";
  CHECK(whole.tokenizer().encode("ab") == Ids{3});
}
