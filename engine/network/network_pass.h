// One text through a whole model: the residual stream, what attention keeps of each layer, and logits. What
// is asked for is computed, and nothing else; what an edit does not reach stays. Letters as in
// engine/README.md: T tokens, d the width of the stream, L layers, H heads, G of keys and values. Not
// thread-safe; products run on all threads. While it computes, Stopped may be thrown: what was computed by
// then stays.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/kernels/kernels.h"
#include "engine/network/network.h"

namespace headlight {

class NetworkPass {
 public:
  // No text yet.
  explicit NetworkPass(std::shared_ptr<const Network> network);

  const Network& network() const { return *network_; }
  const std::shared_ptr<const Network>& network_owner() const { return network_; }
  const std::vector<std::int32_t>& ids() const { return ids_; }
  Index token_count() const { return static_cast<Index>(ids_.size()); }

  // Another text. Where the model is causal, tokens in front of the first that differs are not computed
  // again. Throws Error for what Network::require_ids refuses, and when the memory there is does not suffice;
  // the text stays then.
  void set_ids(const std::vector<std::int32_t>& ids);
  // Heads of a layer that are switched off, ascending: their part of the output is left out. The layers below
  // stay as they are, and so do this one's heads.
  void set_disabled_heads(Index layer, const std::vector<Index>& heads);
  const std::vector<Index>& disabled_heads(Index layer) const;
  // Other weights than the checkpoint's for a parameter of a layer's attention; w of shape d x columns
  // (Output: H d_v x d), bias of one row, empty where there is none. None: the checkpoint's.
  struct OwnWeights {
    Matrix w, bias;
  };
  void set_weights(Index layer, Parameter parameter, std::optional<OwnWeights> own);

  // The stream as it enters a layer, of layer L as it leaves the last one: T x d. Until something changes.
  MatrixRef residual(Index layer);
  // What attention of a layer reads: T x d. Behind the norm where there is one.
  Matrix attention_input(Index layer);
  // Of a layer, positions turned into them, heads side by side: T x H d_k, T x G d_k, T x G d_v.
  MatrixRef queries(Index layer);
  MatrixRef keys(Index layer);
  MatrixRef values(Index layer);
  // Weights of a head: T x T.
  Matrix attention_weights(Index layer, Index head);
  // What a layer attends with, without matrices.
  const Model& layer_frame(Index layer) const { return at(layer).frame; }
  const LayerWeights& layer_weights(Index layer) const { return at(layer).weights; }

  // Logits of tokens from `first` on: count x vocabulary. Throws Error when the model predicts no tokens.
  Matrix logits(Index first, Index count);
  // Logits that rows of a stream would have if they left the last layer: rows x vocabulary (the logit lens).
  Matrix logits_of(const MatrixRef& stream) const;

 private:
  struct OwnTensors;  // numbers that are the pass's own, as tensors
  struct LayerState {
    Model frame;
    LayerWeights weights;  // of the checkpoint, and where they are, the pass's own
    std::array<std::shared_ptr<const OwnTensors>, 4> own;  // by Parameter
    std::vector<Index> disabled_heads;
    Matrix queries, keys, values, concat;  // rows: tokens, as many as there is room for
    Index known = 0;                       // so many tokens in front have keys and values
    std::vector<bool> attended;            // tokens whose queries and concat are there
  };
  struct StreamState {
    Matrix rows;
    std::vector<bool> there;
  };
  LayerState& at(Index layer) { return layers_[static_cast<std::size_t>(layer)]; }
  const LayerState& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  StreamState& stream(Index layer) { return streams_[static_cast<std::size_t>(layer)]; }
  bool reads_ahead(Index layer) const;

  // What layers from `layer` on make of tokens from `first` on is stale.
  void forget(Index layer, Index first);
  void leave_anew(Index layer);
  void make_room(Index tokens);
  void embed(Index first);

  // The stream that enters a layer is there for tokens [begin, end).
  void need_stream(Index layer, Index begin, Index end);
  void need_keys(Index layer, Index end);
  void need_heads(Index layer, Index begin, Index end);
  Matrix normed(Index layer, Index begin, Index end);
  void turn(const NormWeights& head_norm, Index begin, MatrixOut rows) const;
  void leave_layer(Index layer, Index begin, Index end);
  Matrix attention_output(Index layer, Index begin, Index end) const;
  void add_mlp(Index layer, MatrixOut rows, const MatrixRef& entered) const;

  std::shared_ptr<const Network> network_;
  std::vector<std::int32_t> ids_;
  std::vector<LayerState> layers_;    // L
  std::vector<StreamState> streams_;  // L + 1
  Rotation rotation_;
  Index rotated_ = 0;  // so many tokens it is made for
};

}  // namespace headlight
