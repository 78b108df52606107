#include "engine/tokenizers/added_tokens.h"

#include <algorithm>

#include "engine/core/stopping.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

// Returns the character before `at` and moves `at` to its first byte.
char32_t previous_character(std::string_view text, std::size_t& at) {
  do
    --at;
  while (at > 0 && (text[at] & 0xC0) == 0x80);
  std::size_t begin = at;
  return next_character(text, begin);
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && is_word_character(previous_character(text, begin))) return false;
  return end == text.size() || !is_word_character(next_character(text, end));
}

std::size_t before_space(std::string_view text, std::size_t at, std::size_t least) {
  while (at > least) {
    std::size_t before = at;
    if (!is_white_space(previous_character(text, before))) break;
    at = before;
  }
  return at;
}

std::size_t behind_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t behind = at;
    if (!is_white_space(next_character(text, behind))) break;
    at = behind;
  }
  return at;
}

AddedToken read_token(const Json& value, const std::string& place) {
  const JsonFields fields(value, place,
                          {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
  AddedToken token;
  fields.require("id", "give the token an id");
  token.id = static_cast<std::int32_t>(fields.whole("id", 0, 0, kMostTokenId));
  token.content = required_text(fields, "content", "write the token's text");
  if (token.content.empty())
    throw Error("the text of a token is empty", fields.place("content"), "remove the token");
  token.special = fields.flag("special", false);
  token.single_word = fields.flag("single_word", false);
  token.lstrip = fields.flag("lstrip", false);
  token.rstrip = fields.flag("rstrip", false);
  token.normalized = fields.flag("normalized", !token.special);
  return token;
}

void require_agreement(const AddedToken& token, const Vocabulary& vocabulary, const std::string& place) {
  const std::optional<std::int32_t> id = vocabulary.find(token.content);
  if (id && *id != token.id)
    throw Error(in_quotes(token.content) + " has id " + std::to_string(token.id) + ", but " +
                    std::to_string(*id) + " in " + vocabulary.place(),
                place + ".id", "give it the same id in both");
  const std::string* word = vocabulary.word(token.id);
  if (word && *word != token.content)
    throw Error("id " + std::to_string(token.id) + " is that of " + in_quotes(*word) + " in " +
                    vocabulary.place() + " too",
                place + ".id", "give every token an id of its own");
}

}  // namespace

TokenFinder::TokenFinder(std::vector<Content> contents) : contents_(std::move(contents)) {
  if (contents_.empty()) return;
  std::vector<std::pair<std::string_view, std::int32_t>> words;
  words.reserve(contents_.size());
  for (const Content& content : contents_)
    words.emplace_back(content.text, static_cast<std::int32_t>(words.size()));
  trie_.emplace(std::move(words));
}

std::vector<TextPart> TokenFinder::cut(std::string_view text) const {
  std::vector<TextPart> parts;
  static const std::string place = "added_tokens";
  SearchBudget look_ups(text.size(), place);
  std::size_t done = 0;
  std::size_t space_begin = 0, space_end = 0;  // the white space found last
  for (std::size_t at = 0; trie_ && at < text.size();) {
    Found found;
    trie_->words_at(text, at, look_ups, [&](std::size_t end, std::int32_t index) {
      found = {end, contents_[static_cast<std::size_t>(index)].token};
    });
    if (!found.token) {
      ++at;
      continue;
    }
    throw_if_stopped();
    std::size_t begin = at, end = found.end;
    at = found.end;
    if (found.token->single_word && !stands_alone(text, begin, end)) continue;
    if (found.token->lstrip) begin = before_space(text, begin, done);
    if (found.token->rstrip) {
      if (end < space_begin || end > space_end) {
        space_begin = end;
        space_end = behind_space(text, end);
      }
      end = space_end;
    }
    if (done < begin) parts.push_back({done, begin, std::nullopt});
    parts.push_back({begin, end, found.token->id});
    done = end;
  }
  if (done < text.size()) parts.push_back({done, text.size(), std::nullopt});
  return parts;
}

AddedTokens::AddedTokens(const Json* list, const Vocabulary& vocabulary, const Normalize& normalize) {
  if (list) read(*list, vocabulary);
  prepare(normalize);
}

void AddedTokens::read(const Json& list, const Vocabulary& vocabulary) {
  const std::string list_place = "added_tokens";
  const Json::array_t& values = list_value(list, list_place);
  tokens_.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string place = place_in_list("added_tokens", i);
    tokens_.push_back(read_token(values[i], place));
    const AddedToken& token = tokens_.back();
    require_agreement(token, vocabulary, place);
    if (!by_id_.emplace(token.id, &token).second)
      throw Error(
          "id " + std::to_string(token.id) + " is that of " + in_quotes(by_id_[token.id]->content) + " too",
          place + ".id", "give every token an id of its own");
    if (!by_content_.emplace(token.content, &token).second)
      throw Error(in_quotes(token.content) + " is there twice", place + ".content", "remove one of the two");
  }
}

// Special tokens first: of equal contents the first is used.
void AddedTokens::prepare(const Normalize& normalize) {
  std::size_t bytes = 0;
  for (const AddedToken& token : tokens_)
    bytes += token.content.size();
  Allowance allowance(bytes);
  std::vector<TokenFinder::Content> as_typed, normalized;
  for (const bool special : {true, false})
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const AddedToken& token = tokens_[i];
      if (token.special != special) continue;
      const std::string content = token.normalized ? normalize(token.content, allowance) : token.content;
      if (content.empty())
        throw Error("nothing is left of " + in_quotes(token.content) + " behind the normalizer",
                    place_in_list("added_tokens", i) + ".normalized", "write false");
      (token.normalized ? normalized : as_typed).push_back({content, &token});
    }
  as_typed_ = TokenFinder(std::move(as_typed));
  normalized_ = TokenFinder(std::move(normalized));
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  const auto found = by_content_.find(content);
  return found == by_content_.end() ? nullptr : found->second;
}

const AddedToken* AddedTokens::token(std::int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::int32_t AddedTokens::size() const {
  std::int32_t size = 0;
  for (const AddedToken& token : tokens_)
    size = std::max(size, token.id + 1);
  return size;
}

std::optional<std::int32_t> TokenNames::find(std::string_view word) const {
  const AddedToken* token = added->find(word);
  return token ? token->id : vocabulary->find(word);
}

const std::string* TokenNames::word(std::int32_t id) const {
  const AddedToken* token = added->token(id);
  return token ? &token->content : vocabulary->word(id);
}

}  // namespace headlight
