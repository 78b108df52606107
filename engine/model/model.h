// What a user edits: tokens, embeddings, weights and the settings of one attention layer. Nothing derived.
// Letters as in engine/README.md: B sequences, Tq tokens that ask and Tk that are attended to, d_in, d_out, H
// heads, G heads of keys and values, d_k, d_v.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/lineage/lineage.h"
#include "engine/model/open_keys.h"
#include "engine/model/pair_array.h"
#include "engine/model/position.h"

namespace headlight {

// The most tokens that a model may have: more cannot be shown.
inline constexpr Index kMostTokens = 32768;
// Throws Error when there are more, at once: it is asked before anything of them is read or made.
void require_token_count(std::size_t count);
// The most numbers in all matrices of a model together, 8 gigabytes as float32: the one limit for what is
// edited, saved and opened, so that what is saved can be opened again.
inline constexpr Index kMostModelNumbers = Index{1} << 31;

// None: Q = K = V = X. Given: they stand in Model::given, and X plays no part. Weights: the weights of
// attention stand in Model::given_weights, the values, where there are any, in Model::given; the stages
// before them do not exist.
enum class Projection { None, Linear, Given, Weights };
enum class ScaleKind { InverseSqrtDk, None, Number };
// Custom: Model::custom_mask alone. Rules: AttentionSettings::rules, and Model::allowed where it is there.
enum class MaskKind { None, Causal, Custom, Rules };
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

// Which build of PyTorch the zeros of dropout are those of. Mkl: its wheels with MKL on Intel's processors,
// which draw them from a generator of their own (random/torch_stream.h).
enum class DropoutBuild { Default, Mkl };

struct Dropout {
  double probability = 0.0;  // in [0, 1]
  bool training = true;      // false: dropout does nothing, as after model.eval()
  // Seed set just before the forward pass; none: the stream goes on where the weights left it.
  std::optional<std::int64_t> seed;
  DropoutBuild build = DropoutBuild::Default;
  bool operator==(const Dropout&) const = default;
  bool active() const { return training && probability > 0.0; }
};

struct AttentionSettings {
  Projection projection = Projection::None;
  Index d_out = 0;  // of the output; equals d_in when projection is None
  Index num_heads = 1;
  Index num_kv_heads = 0;  // heads of keys and values, each for H / G heads of queries; 0: as many as heads
  Index d_k = 0, d_v = 0;  // width of a head's queries and keys, and of its values; 0: d_out / num_heads
  Position position;
  bool qkv_bias = false;
  bool output_projection = false;
  Scale scale;
  double softcap = 0;  // capped = softcap tanh(scaled / softcap); 0: there is none
  MaskKind mask = MaskKind::None;
  MaskRules rules;  // used by MaskKind::Rules only
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
  // By Parameter, of the shapes that expected_shape() tells. Parameters that the settings do not use may be
  // empty or of any shape.
  std::array<Matrix, 4> matrices;
  std::array<Matrix, 4> biases;  // one row each
  // The recipe the weights came from. It also tells where the dropout stream goes on.
  std::optional<WeightRecipe> recipe;
  bool edited = false;  // a value was changed since the recipe was followed

  const Matrix& matrix(Parameter p) const { return matrices[static_cast<std::size_t>(p)]; }
  Matrix& matrix(Parameter p) { return matrices[static_cast<std::size_t>(p)]; }
  const Matrix& bias(Parameter p) const { return biases[static_cast<std::size_t>(p)]; }
  Matrix& bias(Parameter p) { return biases[static_cast<std::size_t>(p)]; }
};

enum class Stage : std::uint8_t;  // all of them in stage.h

// Numbers that stand in the place of those that a stage computes; what is behind it follows. See
// overwriting.h.
struct Overwritten {
  Stage stage{};
  Index sequence = 0, head = 0;  // one of the stage's own: of keys and values one of theirs
  Index row = 0, column = 0;     // where the values begin
  Matrix values;
  bool operator==(const Overwritten& other) const {
    return stage == other.stage && sequence == other.sequence && head == other.head && row == other.row &&
           column == other.column && same_matrix(values, other.values);
  }
};

struct Model {
  std::vector<std::string> tokens;      // Tq labels, shared by all sequences
  std::vector<std::string> key_tokens;  // Tk labels of those attended to; empty: the same tokens
  std::vector<Matrix> embeddings;       // B matrices, Tq x d_in each; none where they are not known
  // B matrices, Tk x their own width, of which keys and values are made; none: the embeddings.
  std::vector<Matrix> key_embeddings;
  AttentionSettings attention;
  // Q, K, V by Parameter, heads side by side: B matrices of Tq x H d_k, Tk x G d_k, Tk x G d_v. Empty unless
  // they are given.
  std::array<std::vector<Matrix>, 3> given;
  PairArray given_weights;  // B x H x Tq x Tk, with Projection::Weights
  Matrix
      custom_mask;  // Tq x Tk of 0 and 1, 1 = may attend; row: query, column: key. Used by MaskKind::Custom
  // Likewise, of B or 1 sequences and H or 1 heads, each Tq x Tk; may be empty. Used by MaskKind::Rules.
  PairArray allowed;
  // Added to the scores behind scale and softcap; each axis may be 1; may hold minus infinity. Empty: none.
  PairArray score_bias;
  Weights weights;
  std::vector<Overwritten> overwritten;  // the last one counts where two overlap
  Lineage lineage;                       // which lines they are of those that it began with; computes nothing

  Index sequence_count() const;
  Index token_count() const { return static_cast<Index>(tokens.size()); }  // Tq
  Index key_count() const { return static_cast<Index>(key_labels().size()); }
  const std::vector<std::string>& key_labels() const { return key_tokens.empty() ? tokens : key_tokens; }
  // Whether queries and keys are of one list of tokens.
  bool self_attention() const { return key_tokens.empty(); }
  Index d_in() const { return embeddings.empty() ? 0 : embeddings.front().cols(); }
  Index key_d_in() const { return key_embeddings.empty() ? d_in() : key_embeddings.front().cols(); }
  Index d_out() const { return attention.d_out; }
  Index head_count() const { return attention.num_heads; }
  Index kv_head_count() const { return attention.num_kv_heads > 0 ? attention.num_kv_heads : head_count(); }
  Index kv_head_of(Index head) const { return head / (head_count() / kv_head_count()); }
  Index d_k() const { return attention.d_k > 0 ? attention.d_k : shared_width(); }
  Index d_v() const { return attention.d_v > 0 ? attention.d_v : shared_width(); }
  Index concat_width() const { return head_count() * d_v(); }
  Index rotary_dims() const { return attention.position.dims > 0 ? attention.position.dims : d_k(); }

  bool uses(Parameter p) const;
  bool uses_bias(Parameter p) const;
  // What the parameter's weights are multiplied with: the embeddings, or those of the keys. Not of Output.
  const Matrix& projection_input(Parameter p, Index sequence) const;
  // The factor that turns scores into scaled scores.
  float scale_factor() const;
  // Alibi: of a head.
  double alibi_slope(Index head) const;
  // Whether queries are tokens of the list of keys, so that each has a place there, at query_offset: one list
  // of tokens, or a mask or positions that go by how far a query is from a key. Else they are of two texts.
  bool queries_among_keys() const;
  // How many keys stand before the first query of the sequence.
  Index query_offset(Index sequence) const;
  KeyBand key_band(Index sequence) const;
  // Whether the token of row `query` may attend to that of column `key`.
  bool may_attend(Index query, Index key, Index sequence = 0, Index head = 0) const {
    return open_cells(sequence, head).contains(query, key);
  }
  // The same of all of them; while the model lives and its masks stay.
  OpenCells open_cells(Index sequence, Index head) const;

 private:
  Index shared_width() const { return attention.num_heads > 0 ? attention.d_out / attention.num_heads : 0; }
};

// The shape that the settings ask of a parameter's matrix: rows, columns.
std::array<Index, 2> expected_shape(const Model& model, Parameter parameter);
// How many numbers a token has behind the parameter: H d_k, G d_k, G d_v, d_out.
Index parameter_width(const Model& model, Parameter parameter);
// How many heads they are, and how wide one of them; of Output those of its input.
struct HeadShape {
  Index count = 0, width = 0;
};
HeadShape head_shape(const Model& model, Parameter parameter);

// Every matrix that has a row for each token that asks, and for each that is attended to, be it the same.
std::vector<Matrix*> token_rows(Model& model);
std::vector<Matrix*> key_rows(Model& model);

// How many numbers there are: of the embeddings, of what is given, of all weights, biases and masks.
double number_count(const Model& model);

// Throws Error unless every shape fits, every value is finite and every setting is in its range. The place
// is named as in the session file: "weights.query", "embeddings[0]", "attention.num_heads".
void validate(const Model& model);
// The part of it that looks at the mask.
void validate_mask(const Model& model);

// The names of the session file and the command line: "query", "W_query" on screen.
const char* parameter_name(Parameter parameter);

}  // namespace headlight
