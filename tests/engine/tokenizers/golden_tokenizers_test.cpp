// Four kinds of tokenizers against ids computed by another program (tests/golden/README.md).
#include "engine/core/file.h"
#include "tests/engine/tokenizers/tokenizer_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kTokenizersFolder = source_root() + "/tests/golden/models/tokenizers/";

Tokenizer golden(const std::string& name) {
  return Tokenizer::parse(read_file(kTokenizersFolder + name + ".json"), name);
}

// A megabyte of the golden texts that decode to themselves; decoding omits special tokens.
std::string long_text(const Tokenizer& tokenizer) {
  const Json cases = parse_json(read_file(kTokenizersFolder + "byte.texts.json"));
  std::string once;
  for (const Json& one : cases)
    if (const auto text = one["text"].get<std::string>(); tokenizer.decode(tokenizer.encode(text)) == text)
      once += text + "\n";
  std::string text;
  while (text.size() < 1'000'000)
    text += once;
  return text;
}

}  // namespace

TEST_CASE("tokenizers: the ids of golden texts") {
  for (const std::string name : {"byte", "byte3", "sentence", "word"}) {
    const Tokenizer tokenizer = golden(name);
    const Json cases = parse_json(read_file(kTokenizersFolder + name + ".texts.json"));
    REQUIRE(cases.size() == 25);
    for (const Json& one : cases) {
      INFO(name << ": " << one["text"]);
      CHECK(tokenizer.encode(one["text"].get<std::string>()) == one["ids"].get<Ids>());
    }
  }
}

TEST_CASE("tokenizers: texts are decoded as they were, but for special tokens") {
  for (const std::string name : {"byte", "byte3", "sentence"}) {
    const Tokenizer tokenizer = golden(name);
    const Json cases = parse_json(read_file(kTokenizersFolder + name + ".texts.json"));
    for (const Json& one : cases) {
      const auto text = one["text"].get<std::string>();
      INFO(name << ": " << one["text"]);
      if (text.find("<|endoftext|>") == std::string::npos && text.find("<s>") == std::string::npos)
        CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
    }
  }
  const Tokenizer word = golden("word");
  CHECK(word.decode(word.encode("The cat, the key.")) == "the cat, the key.");
}

TEST_CASE("tokenizers: long texts are cut and come back") {
  for (const std::string name : {"byte", "byte3", "sentence"}) {
    const Tokenizer tokenizer = golden(name);
    for (const std::string& text :
         {long_text(tokenizer), std::string(1'000'000, 'a'), std::string(1'000'000, ' ')}) {
      INFO(name << ": " << text.substr(0, 20));
      const bool same = tokenizer.decode(tokenizer.encode(text)) == text;
      CHECK(same);
    }
  }
  CHECK(golden("word").encode(std::string(1'000'000, 'a')).size() == 3);
}

TEST_CASE("tokenizers: words and labels of ids") {
  const Tokenizer byte = golden("byte");
  const auto id = [](const Tokenizer& tokenizer, const char* word) { return *tokenizer.find(word); };
  CHECK(byte.text_of(id(byte, "Ġt")) == " t");
  CHECK(byte.text_of(id(byte, "â")) == "\\xE2");
  CHECK(byte.text_of(id(byte, "Ċ")) == "\n");
  CHECK(byte.text_of(id(byte, "<|endoftext|>")) == "<|endoftext|>");
  CHECK(byte.is_special(id(byte, "<|endoftext|>")));
  CHECK_FALSE(byte.is_special(id(byte, "Ġt")));
  CHECK_FALSE(byte.mask_token());
  CHECK(byte.word(-1) == "");
  CHECK(byte.word(byte.size()) == "");
  CHECK(byte.word(byte.size() - 1) != "");
  CHECK_FALSE(byte.find("no such word"));

  const Tokenizer sentence = golden("sentence");
  CHECK(sentence.text_of(id(sentence, "▁t")) == " t");
  CHECK(sentence.text_of(id(sentence, "<0xE2>")) == "\\xE2");
  CHECK(sentence.text_of(id(sentence, "<0x41>")) == "A");
  CHECK(sentence.prefix_id_count() == 1);
  CHECK(sentence.suffix_id_count() == 0);

  const Tokenizer word = golden("word");
  CHECK(word.text_of(id(word, "##ing")) == "ing");
  CHECK(word.word(id(word, "##ing")) == "##ing");
  CHECK(word.mask_token() == word.find("[MASK]"));
  CHECK(word.prefix_id_count() == 1);
  CHECK(word.suffix_id_count() == 1);
}

TEST_CASE("tokenizers: a text that is not UTF-8 is refused with the byte") {
  const Tokenizer tokenizer = golden("byte");
  check_error([&] { tokenizer.encode("ab\xFF"); }, "byte 3 of the text is not UTF-8", "", "UTF-8");
  check_error([&] { tokenizer.encode("\xED\xA0\x80"); }, "byte 1 of", "", "UTF-8");
  check_error([&] { tokenizer.encode("é\xC3"); }, "byte 3 of", "", "UTF-8");
}
