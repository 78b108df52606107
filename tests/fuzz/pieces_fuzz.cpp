// Models of SentencePiece: whatever the bytes are, either texts have ids of its pieces, or it is rejected.
#include "engine/tokenizers/sentence_pieces.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const SentencePieces model = parse_sentence_pieces(text_of(data, size));
    for (const bool own_words : {false, true}) {
      const JsonTree document(tokenizer_of_pieces(model, {{}, {}, own_words, own_words, {}}));
      const Tokenizer tokenizer = Tokenizer::read(document.value);
      require(tokenizer.size() == static_cast<std::int32_t>(model.pieces.size()), "each piece has an id");
      const std::vector<std::int32_t> ids = tokenizer.encode("The cat  sat, it's 12 \xE6\x97\xA5.");
      for (const std::int32_t id : ids)
        require(id >= 0 && id < tokenizer.size(), "an id is below the size");
      tokenizer.decode(ids);
    }
  } catch (const Error&) {
  }
  return 0;
}
