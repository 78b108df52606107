#include "engine/tokenizers/pre_tokenizer.h"

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Texts = std::vector<std::string>;

Texts cut(const std::string& json, const std::string& text, bool begins_text = true) {
  const Json value = parse_json(json);
  Texts texts;
  for (const Fragment& fragment : PreTokenizer::read(&value).cut({text, begins_text}))
    texts.push_back(fragment.text);
  return texts;
}

Texts split_at_dashes(const std::string& behavior, const std::string& text, const std::string& more = "") {
  return cut(R"({"type": "Split", "pattern": {"String": "-"}, "behavior": ")" + behavior + "\"" + more + "}",
             text);
}

}  // namespace

TEST_CASE("pre-tokenizer: none leaves a text whole, and an empty one has no words") {
  CHECK(PreTokenizer::read(nullptr).cut({"a b", true}).size() == 1);
  CHECK(PreTokenizer::read(nullptr).cut({"", true}).empty());
  CHECK(cut(R"({"type": "ByteLevel"})", "").empty());
}

TEST_CASE("pre-tokenizer: words of GPT-2 in letters for bytes") {
  CHECK(cut(R"({"type": "ByteLevel", "add_prefix_space": true})", "It's  12é\n") ==
        Texts{"ĠIt", "'s", "Ġ", "Ġ12", "Ã©", "Ċ"});
  CHECK(cut(R"({"type": "ByteLevel", "add_prefix_space": false})", "It is") == Texts{"It", "Ġis"});
  CHECK(cut(R"({"type": "ByteLevel", "add_prefix_space": true})", " It") == Texts{"ĠIt"});
  CHECK(cut(R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})", "It is") ==
        Texts{"ItĠis"});
}

TEST_CASE("pre-tokenizer: what becomes of the matches of a split") {
  CHECK(split_at_dashes("Isolated", "a--b-") == Texts{"a", "-", "-", "b", "-"});
  CHECK(split_at_dashes("Removed", "a--b-") == Texts{"a", "b"});
  CHECK(split_at_dashes("MergedWithPrevious", "a--b-") == Texts{"a-", "-", "b-"});
  CHECK(split_at_dashes("MergedWithNext", "a--b-") == Texts{"a", "-", "-b", "-"});
  CHECK(split_at_dashes("Contiguous", "a--b-") == Texts{"a", "--", "b", "-"});
  CHECK(split_at_dashes("Removed", "a--b-", R"(, "invert": true)") == Texts{"-", "-", "-"});
  CHECK(cut(R"x({"type": "Split", "pattern": {"Regex": "(?=[A-Z])"}, "behavior": "Isolated"})x",
            "oneTwoThree") == Texts{"one", "Two", "Three"});
}

TEST_CASE("pre-tokenizer: Llama 3's expression takes digits by three") {
  CHECK(cut(R"({"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
         "behavior": "Isolated", "invert": false},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]})",
            "It'S 12345!\n\n") == Texts{"It", "'S", "Ġ", "123", "45", "!ĊĊ"});
}

TEST_CASE("pre-tokenizer: white space, punctuation and digits") {
  CHECK(cut(R"({"type": "Whitespace"})", " ab_1 c!?\u00A0d\u0301.") ==
        Texts{"ab_1", "c", "!?", "d\u0301", "."});
  CHECK(cut(R"({"type": "WhitespaceSplit"})", " ab c!?\u3000d ") == Texts{"ab", "c!?", "d"});
  CHECK(cut(R"({"type": "BertPreTokenizer"})", "He said: \"no\"… $1") ==
        Texts{"He", "said", ":", "\"", "no", "\"", "…", "$", "1"});
  CHECK(cut(R"({"type": "Digits", "individual_digits": true})", "a12b") == Texts{"a", "1", "2", "b"});
  CHECK(cut(R"({"type": "Digits", "individual_digits": false})", "a12b") == Texts{"a", "12", "b"});
  CHECK(cut(R"({"type": "Punctuation"})", "a,b!!") == Texts{"a", ",", "b", "!", "!"});
  CHECK(cut(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a,b!!") == Texts{"a", ",", "b", "!!"});
}

TEST_CASE("pre-tokenizer: Metaspace") {
  const auto metaspace = [](const std::string& members, const std::string& text, bool begins_text = true) {
    return cut(R"({"type": "Metaspace", "replacement": "▁")" + members + "}", text, begins_text);
  };
  CHECK(metaspace("", "a  b") == Texts{"▁a", "▁", "▁b"});
  CHECK(metaspace("", " a") == Texts{"▁a"});
  CHECK(metaspace(R"(, "add_prefix_space": false)", "a b") == Texts{"a", "▁b"});
  CHECK(metaspace(R"(, "prepend_scheme": "never", "split": false)", "a b") == Texts{"a▁b"});
  CHECK(metaspace(R"(, "prepend_scheme": "first", "split": false)", "a b") == Texts{"▁a▁b"});
  CHECK(metaspace(R"(, "prepend_scheme": "first", "split": false)", "a b", false) == Texts{"a▁b"});
  // Of several words only the first of the text gets the prefix.
  CHECK(cut(R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
               {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}]})",
            "a b") == Texts{"▁a", "b"});
}

// The expected parts are those of the Rust library.
TEST_CASE("pre-tokenizer: scripts, delimiters and parts of a length") {
  CHECK(cut(R"({"type": "UnicodeScripts"})", " Hi 日本ごカー, да! ok") ==
        Texts{"Hi ", "日本ごカー", ", ", "да", "! ", "ok"});
  CHECK(cut(R"({"type": "UnicodeScripts"})", "  ").empty());
  CHECK(cut(R"({"type": "CharDelimiterSplit", "delimiter": "-"})", "a--b-c") == Texts{"a", "b", "c"});
  CHECK(cut(R"({"type": "FixedLength", "length": 2})", "abcdé") == Texts{"ab", "cd", "é"});
}

TEST_CASE("pre-tokenizer: joiners belong to words, and newer characters to what they are") {
  CHECK(cut(R"({"type": "Whitespace"})", "a\u200Cb\u200D c\u200Bd") ==
        Texts{"a\u200Cb\u200D", "c", "\u200B", "d"});
  CHECK(cut(R"({"type": "Whitespace"})", "\U00010D50\U000113B8.") == Texts{"\U00010D50\U000113B8", "."});
  CHECK(cut(R"({"type": "Punctuation"})", "a\u1B4Eb!") ==
        Texts{"a\u1B4Eb", "!"});  // punctuation since Unicode 16
  CHECK(cut(R"({"type": "Digits", "individual_digits": true})", "a\U00011DE0b") ==
        Texts{"a", "\U00011DE0", "b"});
}
