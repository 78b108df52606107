// One text through a whole model: the residual stream, what attention keeps of each layer, and logits. What
// is asked for is computed, and nothing else; what an edit does not reach stays. Letters as in
// engine/README.md: T tokens, d the width of the stream, L layers, H heads, G of keys and values. Not
// thread-safe; products run on all threads. While it computes, Stopped may be thrown, and Error when a file
// of the weights has changed since it was opened: what was computed by then stays.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/kernels/kernels.h"
#include "engine/network/layer_attention.h"
#include "engine/network/network.h"
#include "engine/network/patch.h"

namespace headlight {

// Weights of one's own: w of shape d x columns (Output: H d_v x d), a bias of one row, empty where there is
// none.
struct OwnWeights {
  Matrix w, bias;
};

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
  // the text stays then. When a file of the weights has changed it throws as well, and the pass is of no use.
  void set_ids(const std::vector<std::int32_t>& ids);
  // What becomes of the heads of a layer behind their context: what is below stays as it is, and so do they.
  void set_heads(Index layer, const HeadStates& heads);
  const HeadStates& heads(Index layer) const { return at(layer).heads; }
  // How a layer weighs: scores divided by a temperature above 0, 1 for none, before the softmax, and pairs
  // that are allowed, T x T of 0 and 1, in the place of the layer's mask; null: that mask. A text of another
  // length takes the latter away. Throws Error for another shape or temperature.
  void set_weighing(Index layer, double temperature, std::shared_ptr<const Matrix> allowed);
  // What is overwritten, on the way of the text as it is. Patches of the same place: the last one counts.
  // Throws Error when one lies outside of its stage, or the model has no such stage; all stay as they were
  // then.
  void set_patches(const std::vector<Patch>& patches);
  const std::vector<Patch>& patches() const { return patches_; }
  // Other weights than the checkpoint's for a parameter of a layer's attention; null: the checkpoint's. The
  // same pointer again changes nothing. Throws Error for another shape.
  void set_weights(Index layer, Parameter parameter, std::shared_ptr<const OwnWeights> own);

  // The stream as it enters a layer, of layer L as it leaves the last one: T x d. Until something changes.
  MatrixRef residual(Index layer);
  Matrix residual_row(Index layer, Index token);  // 1 x d
  // What attention of a layer reads: T x d. Behind the norm where there is one.
  Matrix attention_input(Index layer);
  // The same as it would be if no patch were of it.
  Matrix normed_residual(Index layer);
  // Of a layer, positions turned into them, heads side by side: T x H d_k, T x G d_k, T x G d_v.
  MatrixRef queries(Index layer);
  MatrixRef keys(Index layer);
  MatrixRef values(Index layer);
  // Weights of a head: T x T. Patches of them are in it.
  Matrix attention_weights(Index layer, Index head);
  // The same of a layer whose queries have been asked for since anything changed; from several threads at
  // once.
  Matrix weights_there(Index layer, Index head) const;
  // The heads side by side, as they were before some were switched off: T x H d_v.
  MatrixRef concat(Index layer);
  // One row of it as it goes into the output projection, and of what comes out, before a norm: 1 x H d_v, 1 x
  // d.
  Matrix concat_row(Index layer, Index token);
  Matrix projected_heads(Index layer, Index token);
  // What the sum over the heads adds to the stream, and what the MLP does: rows x d, of tokens from `first`
  // on. With NormPlace::After what goes into the sum.
  Matrix attention_added(Index layer, Index first, Index count);
  Matrix mlp_added(Index layer, Index first, Index count);
  // What a layer attends with, without matrices.
  const Model& layer_frame(Index layer) const { return at(layer).frame; }
  const LayerWeights& layer_weights(Index layer) const { return at(layer).weights; }

  // Logits of tokens from `first` on: count x vocabulary. Throws Error when the model predicts no tokens.
  Matrix logits(Index first, Index count);
  // Logits that rows of a stream would have if they left the last layer: rows x vocabulary (the logit lens).
  // Throws Error as above.
  Matrix logits_of(const MatrixRef& stream) const;

 private:
  struct OwnTensors;  // numbers that are the pass's own, as tensors
  struct LayerState {
    Model frame;
    LayerWeights weights;  // of the checkpoint, and where they are, the pass's own
    std::array<std::shared_ptr<const OwnTensors>, 4> own;  // by Parameter
    HeadStates heads;
    double temperature = 1;
    std::shared_ptr<const Matrix> allowed;
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
  void weigh_anew(Index layer);
  void make_room(Index tokens);
  bool follow_positions();
  void embed(Index first);

  // The stream that enters a layer is there for tokens [begin, end).
  void need_stream(Index layer, Index begin, Index end);
  void need_keys(Index layer, Index end);
  void need_heads(Index layer, Index begin, Index end);
  Matrix normed(Index layer, Index begin, Index end);
  Matrix read_rows(Index layer, Index begin, Index end);
  void turn(const NormWeights& head_norm, Index begin, MatrixOut rows) const;
  void leave_layer(Index layer, Index begin, Index end);
  Matrix attention_output(Index layer, Index begin, Index end);
  void leave_out_heads(Index layer, MatrixOut concat) const;
  Matrix mlp_output(Index layer, const MatrixRef& entered) const;

  // Overwrites what patches say of a stage's rows, which are those of tokens from `begin` on.
  void patch(PatchStage stage, Index layer, Index begin, MatrixOut rows) const;
  bool patches_weights(Index layer) const;
  OverwriteWeights overwrite_weights(Index layer) const;  // empty where there are no such patches
  void check_patch(const Patch& patch) const;
  void forget_patch(const Patch& patch);

  std::shared_ptr<const Network> network_;
  std::vector<std::int32_t> ids_;
  std::vector<Patch> patches_;
  std::vector<LayerState> layers_;    // L
  std::vector<StreamState> streams_;  // L + 1
  Position position_;                 // in a text of this length
  Rotation rotation_;
  Index rotated_ = 0;  // so many tokens it is made for
};

}  // namespace headlight
