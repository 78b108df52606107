// Splits text into tokens and assigns embeddings to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/layer/layer.h"

namespace headlight {

// Splits at white space; each punctuation mark is a separate token, and so is "--". The marks are those that
// "Build a Large Language Layer" splits at, , . : ; ? _ ! " ( ) ', and their typographic variants. UTF-8; an
// invalid byte becomes U+FFFD.
std::vector<std::string> split_into_tokens(const std::string& text);

// The distinct tokens in the order of first occurrence.
std::vector<std::string> distinct_tokens(const std::vector<std::string>& tokens);

// torch.manual_seed(seed + 2**31); torch.rand(number of distinct tokens, d_in): one row per distinct token in
// the order of first occurrence, so that equal words have equal vectors. Not `seed` itself, because W_query,
// drawn with it, would begin with the same numbers. Returns tokens x d_in. d_in >= 1.
Matrix draw_token_embeddings(const std::vector<std::string>& tokens, std::int64_t seed, Index d_in);

struct TokenTable {  // known token vectors
  std::vector<std::string> tokens;
  Matrix vectors;  // one row per token
};
// The tokens' rows of the table. Throws Error that names tokens missing from the table.
Matrix look_up_token_embeddings(const std::vector<std::string>& tokens, const TokenTable& table);

// Replaces the layer's tokens by one sequence of these, with the d_in of `embeddings`. Weights follow d_in as
// in set_d_in; a custom mask is fitted (see fitted_mask). Throws Error and leaves the layer unchanged if
// there are no tokens or the shapes do not match.
void replace_tokens(Layer& layer, const std::vector<std::string>& tokens, const Matrix& embeddings);

}  // namespace headlight
