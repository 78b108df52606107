// What a user edits: tokens, embeddings, weights and the settings of one attention layer. Nothing derived.
// Letters as in engine/README.md: B sequences, T tokens, d_in, d_out, H heads, d_k = d_v = d_out / H.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// The most tokens that a model may have: more cannot be shown.
inline constexpr Index kMostTokens = 32768;
// Throws Error when there are more, at once: it is asked before anything of them is read or made.
void require_token_count(std::size_t count);
// The most numbers in all matrices of a model together, 8 gigabytes as float32: the one limit for what is
// edited, saved and opened, so that what is saved can be opened again.
inline constexpr Index kMostModelNumbers = Index{1} << 31;

// None: Q = K = V = X. Given: they stand in Model::given, and X plays no part.
enum class Projection { None, Linear, Given };
enum class ScaleKind { InverseSqrtDk, None, Number };
enum class MaskKind { None, Causal, Custom };
enum class Normalization { Softmax, NaiveSoftmax, Sum };
enum class WeightLayout {
  InOut,
  OutIn
};                                     // InOut: y = x W (torch.rand parameters). OutIn: y = x W^T (nn.Linear)
enum class InitKind { Rand, Linear };  // torch.rand, or the default initialisation of nn.Linear
enum class Parameter { Query, Key, Value, Output };

inline constexpr std::array<Parameter, 4> kParameters = {Parameter::Query, Parameter::Key, Parameter::Value,
                                                         Parameter::Output};

struct Scale {
  ScaleKind kind = ScaleKind::InverseSqrtDk;
  double number = 1.0;  // used by Number only; finite
  bool operator==(const Scale&) const = default;
};

struct Dropout {
  double probability = 0.0;  // in [0, 1]
  bool training = true;      // false: dropout does nothing, as after model.eval()
  // Seed set just before the forward pass; none: the stream goes on where the weights left it.
  std::optional<std::int64_t> seed;
  bool operator==(const Dropout&) const = default;
  bool active() const { return training && probability > 0.0; }
};

struct AttentionSettings {
  Projection projection = Projection::None;
  Index d_out = 0;  // equals d_in when projection is None
  Index num_heads = 1;
  bool qkv_bias = false;
  bool output_projection = false;
  Scale scale;
  MaskKind mask = MaskKind::None;
  Normalization normalization = Normalization::Softmax;
  Dropout dropout;
  // Heads that are switched off, ascending: `concat` holds zeros in their place.
  std::vector<Index> disabled_heads;
  bool head_enabled(Index head) const;
  bool operator==(const AttentionSettings&) const = default;
};

// How weights were drawn: manual_seed(seed), then each parameter of `order` in turn, bias after weight.
struct WeightRecipe {
  InitKind init = InitKind::Rand;
  std::int64_t seed = 123;
  std::vector<Parameter> order = {kParameters.begin(), kParameters.end()};
  bool operator==(const WeightRecipe&) const = default;
};

struct Weights {
  WeightLayout layout = WeightLayout::InOut;
  // By Parameter. Query, Key, Value: d_in x d_out (InOut) or d_out x d_in (OutIn). Output: d_out x d_out.
  // Parameters that the settings do not use may be empty or of any shape.
  std::array<Matrix, 4> matrices;
  std::array<Matrix, 4> biases;  // 1 x d_out each
  // The recipe the weights came from. It also tells where the dropout stream goes on.
  std::optional<WeightRecipe> recipe;
  bool edited = false;  // a value was changed since the recipe was followed

  const Matrix& matrix(Parameter p) const { return matrices[static_cast<std::size_t>(p)]; }
  Matrix& matrix(Parameter p) { return matrices[static_cast<std::size_t>(p)]; }
  const Matrix& bias(Parameter p) const { return biases[static_cast<std::size_t>(p)]; }
  Matrix& bias(Parameter p) { return biases[static_cast<std::size_t>(p)]; }
};

struct Model {
  std::vector<std::string> tokens;  // T labels, shared by all sequences
  std::vector<Matrix> embeddings;   // B matrices, T x d_in each
  AttentionSettings attention;
  // Q, K, V by Parameter: B matrices each, T x d_out, heads side by side. Empty unless they are given.
  std::array<std::vector<Matrix>, 3> given;
  Matrix custom_mask;  // T x T of 0 and 1, 1 = may attend; row: query, column: key. Used by MaskKind::Custom
  Weights weights;

  Index sequence_count() const { return static_cast<Index>(embeddings.size()); }
  Index token_count() const { return static_cast<Index>(tokens.size()); }
  Index d_in() const { return embeddings.empty() ? 0 : embeddings.front().cols(); }
  Index d_out() const { return attention.d_out; }
  Index head_count() const { return attention.num_heads; }
  Index d_k() const { return attention.num_heads > 0 ? attention.d_out / attention.num_heads : 0; }

  bool uses(Parameter p) const;
  bool uses_bias(Parameter p) const;
  // The factor that turns scores into scaled scores.
  float scale_factor() const;
  // Whether the token of row `query` may attend to the token of column `key`.
  bool may_attend(Index query, Index key) const;
};

// The shape that the settings ask of a parameter's matrix: rows, columns.
std::array<Index, 2> expected_shape(const Model& model, Parameter parameter);

// Every matrix that has a row for each token.
std::vector<Matrix*> token_rows(Model& model);

// How many numbers there are: of the embeddings, of what is given, of all weights and of the mask in use.
double number_count(const Model& model);

// Throws Error unless every shape fits, every value is finite and every setting is in its range. The place
// is named as in the session file: "weights.query", "embeddings[0]", "attention.num_heads".
void validate(const Model& model);
// The part of it that looks at the mask.
void validate_mask(const Model& model);

// The names of the session file and the command line: "query", "W_query" on screen.
const char* parameter_name(Parameter parameter);

}  // namespace headlight
