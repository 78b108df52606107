#include "engine/layer/tokenize.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/torch_stream.h"
#include "engine/layer/mask_presets.h"
#include "engine/layer/reshape.h"

namespace headlight {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The length in bytes of the first UTF-8 character; 0 if the bytes are invalid.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 && lead < 0xF5   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  return length;
}

bool one_of(std::string_view character, std::initializer_list<std::string_view> set) {
  return std::find(set.begin(), set.end(), character) != set.end();
}

bool is_space(std::string_view character) {
  if (character.size() == 1) return static_cast<unsigned char>(character[0]) <= ' ';
  return one_of(character, {"\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005",
                            "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u2028", "\u2029", "\u202F",
                            "\u205F", "\u3000", "\uFEFF"});
}

bool is_mark(std::string_view character) {
  if (character.size() == 1)
    return std::string_view(",.:;?_!\"()'").find(character) != std::string_view::npos;
  return one_of(character, {"‘", "’", "‚",  "“",  "”",  "„",  "«",  "»",  "‹",  "›",  "…",  "–",  "—",
                            "¿", "¡", "。", "，", "、", "！", "？", "：", "；", "（", "）", "「", "」"});
}

}  // namespace

std::vector<std::string> split_into_tokens(const std::string& text) {
  std::vector<std::string> tokens;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) tokens.push_back(std::exchange(word, {}));
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t length = character_length(rest);
    const std::string_view character = length == 0 ? kReplacement : rest.substr(0, length);
    if (rest.starts_with("--")) {
      end_word();
      tokens.emplace_back("--");
      rest.remove_prefix(2);
      continue;
    }
    if (is_space(character)) {
      end_word();
    } else if (is_mark(character)) {
      end_word();
      tokens.emplace_back(character);
    } else {
      word += character;
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  end_word();
  return tokens;
}

std::vector<std::string> distinct_tokens(const std::vector<std::string>& tokens) {
  std::unordered_map<std::string_view, bool> seen;
  std::vector<std::string> distinct;
  for (const std::string& token : tokens)
    if (seen.emplace(token, true).second) distinct.push_back(token);
  return distinct;
}

Matrix draw_token_embeddings(const std::vector<std::string>& tokens, std::int64_t seed, Index d_in) {
  TokenTable drawn{distinct_tokens(tokens), {}};
  drawn.vectors.resize(static_cast<Index>(drawn.tokens.size()), d_in);
  TorchStream stream(embeddings_seed(seed));
  fill_rand(stream, drawn.vectors);
  return look_up_token_embeddings(tokens, drawn);
}

Matrix look_up_token_embeddings(const std::vector<std::string>& tokens, const TokenTable& table) {
  std::unordered_map<std::string_view, Index> rows;
  for (std::size_t i = 0; i < table.tokens.size(); ++i)
    rows.emplace(table.tokens[i], static_cast<Index>(i));
  constexpr std::size_t kNamed = 5;
  std::string missing;
  std::size_t missing_count = 0;
  for (const std::string& token : distinct_tokens(tokens)) {
    if (rows.count(token) > 0 || ++missing_count > kNamed) continue;
    missing += (missing.empty() ? "\"" : ", \"") + token + "\"";
  }
  if (missing_count > kNamed) missing += " and " + std::to_string(missing_count - kNamed) + " more";
  if (missing_count > 0)
    throw Error("the table has no vector for " + missing, "tokens",
                "add a line for each, or change the text");
  Matrix x(static_cast<Index>(tokens.size()), table.vectors.cols());
  for (std::size_t i = 0; i < tokens.size(); ++i)
    x.row(static_cast<Index>(i)) = table.vectors.row(rows.at(tokens[i]));
  return x;
}

namespace {

// Data per pair of tokens no longer applies; a custom mask is fitted, the rest is removed.
void fit_masks(Layer& layer) {
  if (layer.custom_mask.size() > 0)
    layer.custom_mask = fitted_mask(layer.custom_mask, layer.token_count(), layer.key_count());
  layer.allowed = {};
  const PairArray& bias = layer.score_bias;
  if (bias.rows() > 1 || bias.columns() > 1 || bias.sequences > 1) layer.score_bias = {};
  MaskRules& rules = layer.attention.rules;
  rules.keys.clear();
  if (rules.offsets.size() > 1) rules.offsets.resize(1);
}

}  // namespace

void replace_tokens(Layer& layer, const std::vector<std::string>& tokens, const Matrix& embeddings) {
  if (tokens.empty()) throw Error("there are no tokens", "tokens", "type a sentence with at least one word");
  if (layer.attention.projection == Projection::Given || layer.attention.projection == Projection::Weights)
    throw Error("queries, keys and values are given for the tokens that are there", "tokens",
                "set the projection to none or linear first");
  const auto count = static_cast<Index>(tokens.size());
  if (embeddings.rows() != count || embeddings.cols() < 1)
    throw Error("there are " + std::to_string(count) + " tokens and " + std::to_string(embeddings.rows()) +
                    " embeddings",
                "embeddings", "one row of numbers for each token");
  Layer changed = layer;
  if (embeddings.cols() != layer.d_in()) set_d_in(changed, embeddings.cols());
  changed.tokens = tokens;
  changed.embeddings = {embeddings};
  if (!changed.key_embeddings.empty()) changed.key_embeddings.resize(1);
  changed.lineage.tokens = new_lines(count);
  changed.lineage.sequences = new_lines(1);
  fit_masks(changed);
  validate(changed);
  layer = std::move(changed);
}

}  // namespace headlight
