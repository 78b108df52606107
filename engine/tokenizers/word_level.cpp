#include "engine/tokenizers/word_level.h"

#include "engine/tokenizers/typed_fields.h"

namespace headlight {

WordEncoder read_word_level(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary) {
  const JsonFields fields(model, "model", {"type", "unk_token", "vocab"});
  const std::string unk = fields.text("unk_token", "<unk>");
  const std::optional<std::int32_t> unk_id = vocabulary->find(unk);
  return [vocabulary, unk, unk_id](std::string_view word, std::vector<std::int32_t>& ids) {
    const std::optional<std::int32_t> id = vocabulary->find(word);
    if (!id && !unk_id)
      throw Error("the word " + in_quotes(std::string(word)) + " is not in the vocabulary, and neither is " +
                      in_quotes(unk) + " for such words",
                  "model.unk_token", "write other words, or add that word to " + vocabulary->place());
    ids.push_back(id ? *id : *unk_id);
  };
}

}  // namespace headlight
