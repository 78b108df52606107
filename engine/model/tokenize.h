// From a sentence to tokens and their embeddings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace headlight {

// Splits at white space; a punctuation mark is a token of its own, and so is "--". The marks are those that
// "Build a Large Language Model" splits at, , . : ; ? _ ! " ( ) ', and their typographic relatives. UTF-8;
// a byte that is none becomes U+FFFD.
std::vector<std::string> split_into_tokens(const std::string& text);

// The different tokens, in the order in which each appears first.
std::vector<std::string> distinct_tokens(const std::vector<std::string>& tokens);

// torch.manual_seed(seed + 2**31); torch.rand(number of different tokens, d_in): one row for each different
// token in the order in which it appears first, so that the same word has the same vector. The seed is not
// `seed` itself: W_query, drawn with the same one, would begin with the same numbers. tokens x d_in. d_in
// >= 1.
Matrix draw_token_embeddings(const std::vector<std::string>& tokens, std::int64_t seed, Index d_in);

struct TokenTable {  // token vectors that are known
  std::vector<std::string> tokens;
  Matrix vectors;  // one row per token
};
// The tokens' rows of the table. Throws Error that names the tokens which the table lacks.
Matrix look_up_token_embeddings(const std::vector<std::string>& tokens, const TokenTable& table);

// The session's tokens become these: one sequence, with d_in as the embeddings have it. Weights follow d_in
// as in set_d_in; a custom mask keeps what fits and lets new tokens attend. Throws Error and leaves the model
// as it was when there are no tokens or the shapes do not fit.
void replace_tokens(Model& model, const std::vector<std::string>& tokens, const Matrix& embeddings);

}  // namespace headlight
