// The steps of a whole model's forward pass on rows of the stream, which the pass over one text
// (network_pass.h) and that over many windows at once (engine/training) are made of. Each row belongs to a
// token. Letters as in engine/README.md, and d, the width of the stream. The steps of a model differ only by
// its NetworkConfig and by which weights there are. All use all threads; products throw as in factor.h. A
// trace, where one is given, receives what the backward pass needs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/architecture/network_config.h"
#include "engine/attention/kernels.h"
#include "engine/network/network_weights.h"
#include "engine/network/rotations.h"
#include "engine/simd/workspace.h"

namespace headlight {

// What an MLP computes for its rows, before the norms and the activation that follow.
struct MlpTrace {
  Matrix input;     // rows x d: what the projections read, after the norm
  Matrix gate, up;  // rows x mlp_width, before the activation; gate: only in a gated MLP
  Matrix output;    // rows x d, before mlp_out_norm; empty without that norm
};

// What a layer computes for its rows.
struct LayerTrace {
  Matrix attention_input;        // rows x d, after the norm
  Matrix projected_queries;      // rows x H d_k, before the norms of heads; empty without them
  Matrix projected_keys;         // rows x G d_k, likewise
  Matrix queries, keys, values;  // rows x H d_k, G d_k, G d_v, with rotary positions applied
  Matrix concat;                 // rows x H d_v
  Matrix attention_output;       // rows x d, before attention_out_norm; empty without that norm
  Matrix middle;                 // rows x d: the stream with what attention adds, before any norm
  MlpTrace mlp;
  Matrix left;  // rows x d, before the last norm; only with NormPlace::After
};

// What stands before the logits.
struct PredictionTrace {
  Matrix normed;       // rows x d, after the final norm; only with a head_transform
  Matrix transformed;  // rows x d, before the activation; likewise
  Matrix activated;    // rows x d, before head_norm; likewise
};

// Calls body(begin, count) for blocks of at most `most` of `rows` rows; `width`: numbers per row, a measure
// of the work.
void for_each_block(Index rows, Index most, Index width, const std::function<void(Index, Index)>& body);

// The settings of a layer's attention in a text of that many tokens, with its sinks and biases of the scores,
// and as many token labels, which are empty.
void set_layer_frame(const NetworkConfig& c, const NetworkWeights& w, Index layer, Index tokens,
                     Layer& frame);

// norm_rows for many rows. y may be x.
void norm_all(const NetworkConfig& c, const NormWeights& norm, const MatrixRef& x, MatrixOut y);

// Norms what attention or the MLP reads of the stream, where the family does so before them. rows: rows x d.
void norm_input(const NetworkConfig& c, const NormWeights& norm, MatrixOut rows);

// The tokens of a whole text.
struct TextTokens {
  std::span<const std::int32_t> ids;
  std::span<const std::int32_t> types;  // the segment of each; empty: all 0
};

// The sum of the embeddings of a text's tokens from `first` on, before embedding_norm. rows: tokens from
// `first` on x E (x d where tokens are projected first).
void sum_embeddings(const NetworkConfig& c, const NetworkWeights& w, const TextTokens& text, Index first,
                    MatrixOut rows);
// The stream that enters the first layer, for tokens from `first` on: x d.
void embed_tokens(const NetworkConfig& c, const NetworkWeights& w, const TextTokens& text, Index first,
                  MatrixOut rows, Workspace& workspace);
// The stream that enters the first layer, for an image. pixels: channels x (height width); rows: one for the
// class token and each patch x d.
void embed_image(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& pixels, MatrixOut rows,
                 Workspace& workspace);

// Turns projected queries or keys of tokens from `first` on into what scores are computed from: cuts them off
// and norms them where the model does, then applies rotary positions. rotation: null for none. rows: tokens x
// heads d_k.
void turn_heads(const NetworkConfig& c, const NormWeights& head_norm, const Rotation* rotation, Index first,
                MatrixOut rows);

// Applies rotary positions alone; rotation and rows as above.
void rotate_heads(const NetworkConfig& c, const Rotation* rotation, Index first, MatrixOut rows);

// Changes what the down projection of an MLP reads, for rows from `row` of those that are computed on.
using EditNeurons = std::function<void(Index row, MatrixOut neurons)>;

// The output of a layer's MLP for rows of the stream, rows x d, with its norms. edit: may be empty; experts
// do not call it.
Matrix mlp_output(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& entered,
                  Workspace& workspace, MlpTrace* trace = nullptr, const EditNeurons& edit = {});

// What happens to a layer's stream beside its own steps; each may be empty.
struct LayerHooks {
  EditNeurons edit_neurons = {};
  std::function<void(MatrixOut)> edit_mlp = {};  // changes what the MLP adds
  // What attention to another text adds, from the rows that it reads: rows x d.
  std::function<Matrix(const MatrixRef& rows)> cross = {};
};

// The stream as it leaves a layer: rows x d. entered: as it enters; attention: what attention adds.
void leave_layer(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& entered,
                 const MatrixRef& attention, const LayerHooks& hooks, MatrixOut left, Workspace& workspace,
                 LayerTrace* trace = nullptr);

// The experts that each row takes, and how much of them: rows x experts, zero for those not taken. normed:
// rows x d, as the router reads them.
Matrix expert_shares(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& normed,
                     Workspace& workspace);

// What the logits of rows of the last stream are computed from: rows x E.
Matrix prediction_input(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left,
                        Workspace& workspace, PredictionTrace* trace = nullptr);
// logits: rows x vocabulary, with the softcap.
void predict(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& input, MatrixOut logits,
             Workspace& workspace);

}  // namespace headlight
