// The editable layer: tokens, embeddings, weights and settings of one attention layer; no derived data.
// Letters as in engine/README.md: B sequences, Tq query tokens, Tk key tokens, d_in, d_out, H heads, G heads
// of keys and values, d_k, d_v.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/layer/lineage.h"
#include "engine/layer/open_keys.h"
#include "engine/layer/pair_array.h"
#include "engine/layer/position.h"

namespace headlight {

// Limit on tokens per layer; more cannot be displayed.
inline constexpr Index kMostTokens = 32768;
// Throws Error if `count` exceeds kMostTokens. Called before tokens are read or allocated.
void require_token_count(std::size_t count);
// Limit on the numbers in all matrices of a layer together, 8 gigabytes as float32. The same limit applies to
// editing, saving and opening, so that every saved layer can be opened.
inline constexpr Index kMostLayerNumbers = Index{1} << 31;

// None: Q = K = V = X. Linear: projections of X. Given: Q, K and V are Layer::given; X is not used. Weights:
// the attention weights are Layer::given_weights and the values, if any, Layer::given; earlier stages do not
// exist.
enum class Projection { None, Linear, Given, Weights };
enum class ScaleKind { InverseSqrtDk, None, Number };
// Custom: Layer::custom_mask alone. Rules: AttentionSettings::rules, and Layer::allowed if it is not empty.
enum class MaskKind { None, Causal, Custom, Rules };
enum class Normalization { Softmax, NaiveSoftmax, Sum };
// InOut: y = x W (torch.rand parameters). OutIn: y = x W^T (nn.Linear).
enum class WeightLayout { InOut, OutIn };
enum class InitKind { Rand, Linear };  // torch.rand, or the default initialisation of nn.Linear
enum class Parameter { Query, Key, Value, Output };

inline constexpr std::array<Parameter, 4> kParameters = {Parameter::Query, Parameter::Key, Parameter::Value,
                                                         Parameter::Output};

struct Scale {
  ScaleKind kind = ScaleKind::InverseSqrtDk;
  double number = 1.0;  // used by Number only; finite
  bool operator==(const Scale&) const = default;
};

// The build of PyTorch whose dropout is reproduced. Mkl: the wheels with MKL on Intel processors, which use a
// separate generator (engine/core/torch_stream.h).
enum class DropoutBuild { Default, Mkl };

struct Dropout {
  double probability = 0.0;  // in [0, 1]
  bool training = true;      // false: no dropout, as after layer.eval()
  // Seed set just before the forward pass; none: the stream continues after the draws of the weights.
  std::optional<std::int64_t> seed;
  DropoutBuild build = DropoutBuild::Default;
  bool operator==(const Dropout&) const = default;
  bool active() const { return training && probability > 0.0; }
};

struct AttentionSettings {
  Projection projection = Projection::None;
  Index d_out = 0;  // of the output; equals d_in if projection is None
  Index num_heads = 1;
  Index num_kv_heads = 0;  // G heads of keys and values, each for H / G heads of queries; 0: as many as heads
  Index d_k = 0, d_v = 0;  // width of a head's queries and keys, and of its values; 0: d_out / num_heads
  Position position;
  bool qkv_bias = false;
  bool output_projection = false;
  Scale scale;
  double softcap = 0;  // capped = softcap tanh(scaled / softcap); 0: none
  // A logit of each head that takes part in its softmax and whose weight is dropped, so that the weights of a
  // row sum to less than 1; empty: none. Only with Normalization::Softmax.
  std::vector<double> sinks;
  MaskKind mask = MaskKind::None;
  MaskRules rules;  // used by MaskKind::Rules only
  Normalization normalization = Normalization::Softmax;
  Dropout dropout;
  // Disabled heads, ascending: their columns of `concat` are zero.
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
  // By Parameter, with shapes as in expected_shape(); those that the settings do not use may have any shape.
  std::array<Matrix, 4> matrices;
  std::array<Matrix, 4> biases;  // one row each
  // The recipe that the weights were drawn by; it also determines where the dropout stream continues.
  std::optional<WeightRecipe> recipe;
  bool edited = false;  // a value was changed since the weights were drawn

  const Matrix& matrix(Parameter p) const { return matrices[static_cast<std::size_t>(p)]; }
  Matrix& matrix(Parameter p) { return matrices[static_cast<std::size_t>(p)]; }
  const Matrix& bias(Parameter p) const { return biases[static_cast<std::size_t>(p)]; }
  Matrix& bias(Parameter p) { return biases[static_cast<std::size_t>(p)]; }
};

enum class Stage : std::uint8_t;  // defined in stage.h

// Numbers that replace a block of a computed stage before later stages are computed. See overwriting.h.
struct Overwritten {
  Stage stage{};
  Index sequence = 0, head = 0;  // a head of the stage: of keys and values one of the G
  Index row = 0, column = 0;     // of the block's first value
  Matrix values;
  bool operator==(const Overwritten& other) const {
    return stage == other.stage && sequence == other.sequence && head == other.head && row == other.row &&
           column == other.column && same_matrix(values, other.values);
  }
};

struct Layer {
  std::vector<std::string> tokens;      // Tq labels, shared by all sequences
  std::vector<std::string> key_tokens;  // Tk labels of the key tokens; empty: self-attention
  std::vector<Matrix> embeddings;       // B matrices, Tq x d_in each; empty if unknown
  // B matrices, Tk x key_d_in, that keys and values are projected from; empty: the embeddings.
  std::vector<Matrix> key_embeddings;
  AttentionSettings attention;
  // Q, K, V by Parameter, heads side by side: B matrices of Tq x H d_k, Tk x G d_k, Tk x G d_v. Empty unless
  // the projection is Given, or Weights with values.
  std::array<std::vector<Matrix>, 3> given;
  PairArray given_weights;  // B x H x Tq x Tk, with Projection::Weights
  // Tq x Tk of 0 and 1, 1: may attend; row: query, column: key. Used by MaskKind::Custom.
  Matrix custom_mask;
  // Masks of B or 1 sequences and H or 1 heads, each as custom_mask; may be empty. Used by MaskKind::Rules.
  PairArray allowed;
  // Added to the scores after scale and softcap; each axis may be 1; may contain minus infinity. Empty: none.
  PairArray score_bias;
  Weights weights;
  std::vector<Overwritten> overwritten;  // of overlapping blocks the last one applies
  Lineage lineage;                       // origins of lines since opening; not used in computations

  Index sequence_count() const;
  Index token_count() const { return static_cast<Index>(tokens.size()); }  // Tq
  Index key_count() const { return static_cast<Index>(key_labels().size()); }
  const std::vector<std::string>& key_labels() const { return key_tokens.empty() ? tokens : key_tokens; }
  // Whether queries and keys are the same tokens.
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
  // The input of the parameter's projection: the embeddings or the key embeddings. Not for Output.
  const Matrix& projection_input(Parameter p, Index sequence) const;
  // scaled = scores * scale_factor().
  float scale_factor() const;
  // The sink of a head; nullopt if there are none.
  std::optional<float> sink_of(Index head) const {
    if (attention.sinks.empty()) return std::nullopt;
    return static_cast<float>(attention.sinks[static_cast<std::size_t>(head)]);
  }
  // The slope of a head with PositionKind::Alibi.
  double alibi_slope(Index head) const;
  // Whether each query has a position among the keys, at query_offset: in self-attention, or if the mask or
  // the positions use the distance between query and key. Otherwise queries and keys are two separate texts.
  bool queries_among_keys() const;
  // The number of keys before the first query of the sequence.
  Index query_offset(Index sequence) const;
  KeyBand key_band(Index sequence) const;
  // Whether the token of row `query` may attend to that of column `key`.
  bool may_attend(Index query, Index key, Index sequence = 0, Index head = 0) const {
    return open_cells(sequence, head).contains(query, key);
  }
  // The open cells of one head. Refers to the layer's masks, which must outlive it unchanged.
  OpenCells open_cells(Index sequence, Index head) const;

 private:
  Index shared_width() const { return attention.num_heads > 0 ? attention.d_out / attention.num_heads : 0; }
};

// The shape that the settings require of a parameter's matrix: rows, columns.
std::array<Index, 2> expected_shape(const Layer& layer, Parameter parameter);
// The number of outputs per token of the parameter's layer: H d_k, G d_k, G d_v, d_out.
Index parameter_width(const Layer& layer, Parameter parameter);
// The number and width of the heads in that output; for Output those of its input.
struct HeadShape {
  Index count = 0, width = 0;
};
HeadShape head_shape(const Layer& layer, Parameter parameter);

// All matrices with one row per query token, or per key token. In self-attention token_rows has both.
std::vector<Matrix*> token_rows(Layer& layer);
std::vector<Matrix*> key_rows(Layer& layer);

// The count of the numbers in embeddings, given arrays, weights, masks, score bias and overwritten blocks.
double number_count(const Layer& layer);

// Throws Error unless all shapes match, all values are finite and all settings are within their ranges.
// where() is the name in the session file: "weights.query", "embeddings[0]", "attention.num_heads".
void validate(const Layer& layer);
// The part of validate() that checks the mask.
void validate_mask(const Layer& layer);
// The part that checks positions, numbers such as the softcap, the mask and the bias of the scores.
void validate_pair_settings(const Layer& layer);

// The name in the session file and on the command line: "query", shown on screen as "W_query".
const char* parameter_name(Parameter parameter);

}  // namespace headlight
