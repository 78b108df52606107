// Tokenizers: the bytes before the first byte 1 are tokenizer.json, the rest is a text. Whatever they
// contain, either the text is encoded as ids of the vocabulary, or it is rejected.
#include "engine/tokenizers/tokenizer.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

namespace {

void try_text(const Tokenizer& tokenizer, const std::string& text) {
  try {
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    require(ids.size() >= tokenizer.prefix_id_count() + tokenizer.suffix_id_count(), "the template is there");
    for (const std::int32_t id : ids) {
      require(id >= 0 && id < tokenizer.size(), "an id is below the size");
      require(tokenizer.find(tokenizer.word(id)) == id, "a word has its id");
    }
    require(tokenizer.encode(text) == ids, "a text has the same ids again");
    for (std::size_t i = 0; i < std::min<std::size_t>(ids.size(), 16); ++i)
      tokenizer.text_of(ids[i]);
    tokenizer.decode(ids);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input = text_of(data, size);
  const std::size_t cut = std::min(input.find('\1'), input.size());
  try {
    const Tokenizer tokenizer = Tokenizer::parse(input.substr(0, cut), "fuzz");
    try_text(tokenizer, input.substr(std::min(cut + 1, input.size())));
  } catch (const Error&) {
  }
  return 0;
}
