// One text through a whole model: the residual stream, the attention of each layer, and logits. Computes only
// what is requested, and after an edit only what the edit affects. Letters as in engine/README.md: T tokens,
// d the width of the stream, L layers, H heads, G heads of keys and values. Not thread-safe; products use all
// threads. Computing may throw Stopped, and Error if a weight file has changed since it was opened; what was
// computed before stays valid.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/architecture/layer_setting.h"
#include "engine/attention/kernels.h"
#include "engine/network/layer_attention.h"
#include "engine/network/layer_place.h"
#include "engine/network/network.h"
#include "engine/network/prepared_intervention.h"
#include "engine/network/rotations.h"

namespace headlight {

// Changes in a pass beside interventions (intervention.h): heads that are switched off or replaced by their
// mean, and numbers of a stage that are overwritten (activation patching). Everything computed from them
// follows.
enum class HeadState {
  On,
  Off,   // its columns of concat are zero
  Mean,  // its columns are their mean over the tokens of the text
};
// One state per head, from head 0 on; heads without one are on.
using HeadStates = std::vector<HeadState>;

// Residual: the stream that enters the layer; of layer L, the one that leaves the last layer. Input: what
// attention reads of it, after the norm. Queries and Keys: with rotary positions applied. Context: before
// heads are switched off. AttentionAdded, MlpAdded: what is added to the stream.
enum class PatchStage { Residual, Input, Queries, Keys, Values, Weights, Context, AttentionAdded, MlpAdded };

struct Patch {
  PatchStage stage = PatchStage::Residual;
  Index layer = 0;
  Index head = 0;             // in stages with heads; for Keys and Values, a head of keys and values
  Index row = 0, column = 0;  // where the values begin
  Matrix values;
  Side side = Side::Own;  // the pass over a side has only patches of its own
  bool operator==(const Patch& other) const;
};

// The stage of a patch that an intervention of the place changes; of neurons, what their MLP adds.
PatchStage patch_stage_of(InterventionPlace place);

// Replacement weights: w of shape d x columns (Output: H d_v x d); bias: one row, or empty.
struct OwnWeights {
  Matrix w, bias;
};

class NetworkPass {
 public:
  // Starts without a text.
  explicit NetworkPass(std::shared_ptr<const Network> network);

  const Network& network() const { return *network_; }
  const std::shared_ptr<const Network>& network_owner() const { return network_; }
  const std::vector<std::int32_t>& ids() const { return ids_; }
  Index token_count() const { return static_cast<Index>(ids_.size()); }

  // Sets the text. In a causal model, tokens before the first difference are not recomputed. Throws Error for
  // what Network::require_ids rejects, and if the text needs more than half of the memory; the text then does
  // not change. Also throws Error if a weight file has changed; the pass is then unusable.
  // types: the segment of each token, as bert has them; empty: all 0. Throws Error if there is not one for
  // each token, or if the model does not have them.
  void set_ids(const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& types = {});
  // Sets an image in the place of a text: channels x (height width), of the config's size; tokens are the
  // class token and the patches, and ids() their numbers. Throws Error for another shape.
  void set_image(Matrix pixels);
  // Of a model of two sides: the pass over the source, to whose output this one attends; else null.
  NetworkPass* encoder() { return encoder_.empty() ? nullptr : &encoder_.front(); }
  // The pass that computes the layers of a side. Precondition: the model has it.
  NetworkPass& of_side(Side side) { return side == Side::Encoder ? encoder_.front() : *this; }
  // Takes over what the encoder leaves. Call after changes of its text, or of its layers. What is computed
  // stays valid if the encoder leaves the same numbers as before.
  void follow_encoder();
  // What the encoder left: tokens of the source x the encoder's d.
  MatrixRef memory() const { return memory_; }

  // The changes of layers below are those of encoder() where the place is on its side.
  // Sets what the heads of a layer contribute. Their context and everything below it stay valid. Throws Error
  // for the mean of a head of cross-attention.
  void set_heads(LayerPlace place, const HeadStates& heads);
  const HeadStates& heads(Index layer) const { return at(layer).heads; }
  // Sets the settings that a layer has of its own. A text of another length removes those whose matrices are
  // not for it. Setting the same pointers again changes nothing. Throws Error as put_settings(); the layer
  // then does not change.
  void set_settings(LayerPlace place, const OwnSettings& own);
  const OwnSettings& settings(Index layer) const { return at(layer).settings; }
  // Sets the numbers that are overwritten in the pass over the current text. Of patches of the same place,
  // the last one counts. Throws Error if one lies outside of its stage or the model has no such stage; the
  // patches then do not change.
  void set_patches(const std::vector<Patch>& patches);
  const std::vector<Patch>& patches() const { return patches_; }
  // Sets the interventions, which stay for the texts that follow; set_ids() throws Error for a text that one
  // of them does not fit. They are applied in their order, behind patches of the same numbers, patches of
  // queries and keys excepted, whose numbers are turned; heads that are off or at their mean are so behind
  // them. Texts that they take numbers from are run once, without any change. Throws Error as range_of(), and
  // as set_ids() for these texts; the interventions then do not change.
  void set_interventions(const Interventions& interventions);
  const std::vector<PreparedIntervention>& interventions() const { return interventions_; }
  bool has_interventions(const Interventions& interventions) const;
  bool intervenes(InterventionPlace place, Index layer) const;
  // The numbers of a place, changes included: T x (units numbers), units side by side.
  Matrix numbers_at(InterventionPlace place, Index layer);
  // Replaces the checkpoint's weights for one parameter of a layer's attention; null: the checkpoint's.
  // Setting the same pointer again changes nothing. Throws Error for another shape.
  void set_weights(LayerPlace place, Parameter parameter, std::shared_ptr<const OwnWeights> own);

  // The stream that enters a layer; of layer L, the one that leaves the last layer: T x d. Valid until the
  // next change.
  MatrixRef residual(Index layer);
  Matrix residual_row(Index layer, Index token);  // 1 x d
  // The input of a layer's attention: T x d, after the norm if there is one before it.
  Matrix attention_input(Index layer);
  // attention_input() without patches of PatchStage::Input.
  Matrix normed_residual(Index layer);
  // Of a layer, with rotary positions applied, heads side by side: T x H d_k, T x G d_k, T x G d_v.
  MatrixRef queries(Index layer);
  MatrixRef keys(Index layer);
  MatrixRef values(Index layer);
  // Of attention to the memory: its settings, without matrices; what it reads, count x d, after the norm; its
  // values, tokens of the source x H d_v; the heads side by side as the output projection reads them, count x
  // H d_v; and the weights of a head, T x tokens of the source.
  const Layer& cross_frame(Index layer) const { return cross_[static_cast<std::size_t>(layer)].frame; }
  Matrix cross_input(Index layer, Index first, Index count);
  MatrixRef cross_values(Index layer);
  Matrix cross_heads(Index layer, Index first, Index count);
  Matrix cross_weights(Index layer, Index head);
  // Thread-safe cross_weights(). Precondition: need_cross(layer) was called after the last change.
  void need_cross(Index layer);
  Matrix cross_weights_there(Index layer, Index head) const;
  // What values are mixed with: the weights after dropout.
  Matrix cross_dropped(Index layer, Index head);
  // The shares of the experts in a layer's output for each token: T x experts, zero for those not taken.
  Matrix expert_shares(Index layer);
  // Weights of a head, including patches: T x T.
  Matrix attention_weights(Index layer, Index head);
  // Thread-safe attention_weights(). Precondition: queries(layer) was called after the last change.
  Matrix weights_there(Index layer, Index head) const;
  // What values are mixed with: the weights after dropout.
  Matrix dropped_weights(Index layer, Index head);
  // The multipliers of a layer's dropout: H matrices of T x T; none while it is not active.
  const std::vector<Matrix>& noise(Index layer);
  // How queries and keys of a layer are turned. Valid until the next change.
  HeadRotations rotations(Index layer) const { return rotations_.of(layer); }
  // The heads side by side, before any is switched off: T x H d_v.
  MatrixRef concat(Index layer);
  // One row of concat as the output projection reads it, 1 x H d_v, and the result of the projection before
  // any norm, 1 x d.
  Matrix concat_row(Index layer, Index token);
  Matrix projected_heads(Index layer, Index token);
  // What the heads together and the MLP add to the stream: count x d, for tokens from `first` on. With
  // NormPlace::After: before the norm of the sum.
  Matrix attention_added(Index layer, Index first, Index count);
  Matrix mlp_added(Index layer, Index first, Index count);
  // The stream that a layer's MLP reads, before the norm in front of it, and what its first projections read,
  // behind that norm: count x d.
  Matrix entering_mlp(Index layer, Index first, Index count);
  Matrix mlp_input(Index layer, Index first, Index count);
  // What the down projection of a layer's MLP reads: count x mlp_width. Precondition: it has no experts.
  Matrix mlp_hidden(Index layer, Index first, Index count);
  // The stream with what attention adds, before any norm of the sum: count x d.
  Matrix middle(Index layer, Index first, Index count);
  // The attention settings and masks of a layer, without matrices.
  const Layer& layer_frame(Index layer) const { return at(layer).frame; }
  const LayerWeights& layer_weights(Index layer) const { return at(layer).weights; }

  // Logits of tokens from `first` on: count x vocabulary. Throws Error if the model has no predictions.
  Matrix logits(Index first, Index count);
  // The stream that leaves the last layer, behind the final norm if there is one: T x d.
  Matrix output();
  // Logits of rows of a stream, as if they left the last layer: rows x vocabulary (the logit lens). Throws
  // Error as above.
  Matrix logits_of(const MatrixRef& stream) const;

 private:
  struct OwnTensors;  // replacement weights as tensors
  struct LayerState {
    Layer frame;
    LayerWeights weights;                                  // of the checkpoint, or the replacement
    std::array<std::shared_ptr<const OwnTensors>, 4> own;  // by Parameter
    HeadStates heads;
    OwnSettings settings;
    std::vector<Matrix> noise;             // of dropout; empty until it is needed
    Matrix queries, keys, values, concat;  // rows: tokens, with spare capacity
    Index known = 0;                       // how many leading tokens have keys and values
    std::vector<bool> attended;            // tokens whose queries and concat are computed
  };
  // Attention to the memory.
  struct CrossState {
    Layer frame;
    std::array<std::shared_ptr<const OwnTensors>, 4> own;  // by Parameter
    OwnSettings settings;
    std::vector<Matrix> noise;  // of dropout; empty until it is needed
    Rotations rotations;
    Matrix queries, keys, values;  // rows: tokens, of the memory for keys and values
    bool known = false;            // whether keys and values are computed
  };
  struct StreamState {
    Matrix rows;
    std::vector<bool> there;
  };
  LayerState& at(Index layer) { return layers_[static_cast<std::size_t>(layer)]; }
  const LayerState& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  StreamState& stream(Index layer) { return streams_[static_cast<std::size_t>(layer)]; }
  bool depends_on_later_tokens(Index layer) const;

  // Marks what layers from `layer` on compute for tokens from `first` on as stale.
  void forget(Index layer, Index first);
  void leave_anew(Index layer);
  void make_room(Index tokens);

  // Settings that layers have of their own: own_settings.cpp.
  Layer own_frame(Index layer, const OwnSettings& own) const;
  Layer own_cross_frame(Index layer, const OwnSettings& own) const;
  void set_cross_settings(Index layer, const OwnSettings& own);
  bool turn_layers();
  bool follow_length();
  void follow_cross_lengths();
  OverwriteWeights edit_weights(Index layer);
  OverwriteWeights edit_cross_weights(Index layer);
  HeadRotations cross_rotations(Index layer);

  // Attention to the memory: cross_attention.cpp.
  void begin_cross();
  void set_cross_heads(Index layer, const HeadStates& heads);
  void need_cross_keys(Index layer);
  Matrix cross_concat(Index layer, Index begin, const MatrixRef& rows);
  Matrix cross_output(Index layer, const MatrixRef& concat);
  void add_cross(Index layer, Index first, MatrixOut rows);

  void embed(Index first);

  // Computes the stream that enters a layer for tokens [begin, end), unless it is known.
  void need_stream(Index layer, Index begin, Index end);
  void project_heads(InterventionPlace place, Index layer, Index begin, const Matrix& x, MatrixOut rows);
  void need_keys(Index layer, Index end);
  void need_heads(Index layer, Index begin, Index end);
  Matrix normed(Index layer, Index begin, Index end);
  Matrix read_rows(Index layer, Index begin, Index end);
  void leave(Index layer, Index begin, Index end);
  Matrix attention_output(Index layer, Index begin, Index end);
  void apply_head_states(Index layer, MatrixOut concat) const;

  // Interventions: intervening.cpp.
  void intervene(InterventionPlace place, Index layer, Index begin, MatrixOut rows) const;
  std::vector<InterventionRange> intervention_ranges(Index tokens) const;
  // Queries or keys before rotary positions. Precondition: the stream of the tokens is known.
  Matrix projected(InterventionPlace place, Index layer, Index begin, Index end);

  // Applies the patches of a stage to its rows, which are those of tokens from `begin` on.
  void patch(PatchStage stage, Index layer, Index begin, MatrixOut rows) const;
  bool patches_weights(Index layer) const;
  OverwriteWeights overwrite_weights(Index layer) const;  // empty if there are no such patches
  void check_patch(const Patch& patch) const;
  void forget_stage(PatchStage stage, Index layer, Index row);
  void follow_patched_weights();

  std::shared_ptr<const Network> network_;
  mutable Workspace workspace_;
  std::vector<std::int32_t> ids_, types_;  // types_: empty, or one for each id
  std::vector<Patch> patches_;
  std::vector<PreparedIntervention> interventions_;
  std::vector<PreparedIntervention> former_;  // those before, whose numbers of other texts may serve again
  std::vector<bool>
      patched_weights_;               // of each layer whether its weights are patched; empty before any patch
  std::vector<LayerState> layers_;    // L
  std::vector<StreamState> streams_;  // L + 1
  std::vector<CrossState> cross_;     // L, or none
  std::vector<NetworkPass> encoder_;  // one, or none
  Matrix image_, memory_;
  Rotations rotations_;
};

}  // namespace headlight
