// What panels see of a whole model that is open, and how they ask for change.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/interpretation/model_desk.h"
#include "engine/interpretation/model_work.h"
#include "engine/interpretation/patch_map.h"
#include "engine/interpretation/sampling.h"

namespace headlight {

// A change of what is open of the model; `gesture` as in commands.
struct WorkEdit {
  std::string name;  // of the step
  std::function<void(ModelWork&)> edit;
  std::uint64_t gesture = 0;
};

// What the text of A does, put into B.
struct PatchMapAnswer {
  std::shared_ptr<const ModelWork> of, from;  // B and A
  LogitChoice logit;
  PatchStage stage = PatchStage::Residual;
  PatchMap map;
  double before = 0;  // the logit without any
  std::optional<Error> failure;
};

// The pages of the view "model".
enum class ModelPage { Heads, Layers, Parts, Patches };
// By what the map of all heads is coloured or sorted.
enum class MapColors { Weights, Change, Part };

struct ModelView {
  // Told to the panels.
  std::shared_ptr<const ModelWork> work;      // null: none is open. With every change that is on its way
  std::shared_ptr<const ModelAnswer> answer;  // the newest one
  bool fresh = false;                         // it is of `work`
  std::shared_ptr<const ModelAnswer> kept;    // of A, where a model was kept
  std::string detached;                       // why the model does not follow the layer; "" where it does
  std::string trouble;                        // what is wrong with the last text or change; "" of none
  std::optional<double> progress;             // of an answer that takes long
  Index adding = 0;                           // tokens that are still to be added to the text
  std::shared_ptr<const PatchMapAnswer> patches;
  std::optional<double> patch_progress;  // while they are computed

  // Asked for by the panels.
  std::optional<Index> position;        // the token whose predictions are shown; none: where the text goes on
  std::optional<std::int32_t> target;   // the token that parts and patches are of; none: the likeliest
  std::optional<std::int32_t> against;  // less that one's logit
  std::optional<std::pair<Index, Index>> part;  // the layer and head whose part is told by source tokens
  bool wants_lens = false, wants_glance = false, wants_parts = false;  // in this frame
  ModelPage page = ModelPage::Heads;
  MapColors map_colors = MapColors::Weights;
  Index glance_side = 32;  // numbers across a small picture of a head, at most
  Sampling sampling{0, 0};
  std::int64_t seed = 123;
  Index add_tokens = 0;  // *Continue*: so many
  bool stop_adding = false, ask_patches = false, stop_patches = false;
  PatchStage patch_stage = PatchStage::Residual;  // what *Patches* puts in
  // A cell of the layer that is shown whose number, row or head is to be overwritten, and while that is asked
  // the place whose numbers in A are wished for.
  std::optional<CellAddress> overwrites;
  std::optional<PatchPlace> wants_of_kept;
  std::vector<WorkEdit> edits;

  // Where the predictions are read. Precondition: a model is open.
  Index shown_position() const;
  // The logit that parts, lens and patches tell of: of the token that was clicked, which stays while texts
  // and changes come and go, or else of the likeliest one of the newest answer.
  LogitChoice logit_choice() const;
  // Whether the newest answer is of the text that is open now: else its numbers are of other tokens.
  bool answers_text() const;
  // What is known of all heads, of each layer's predictions and of the parts of the logit, as far as it is of
  // the present text, token and logit; null where it is not.
  const HeadsGlance* glance_told() const;
  const std::vector<std::vector<Prediction>>* lens_told() const;
  const Attribution* parts_told() const;
  // Why the map of patches is not that of what is open now; "" where it is.
  std::string patches_outdated(const std::shared_ptr<const ModelWork>& kept) const;
};

}  // namespace headlight
