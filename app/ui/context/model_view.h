// The open model as the panels see it: its answers, their view state, and their requests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/analysis_view.h"
#include "app/ui/context/checkpoints_view.h"
#include "app/ui/context/data_set_view.h"
#include "app/ui/context/training_view.h"
#include "engine/interpretation/model_worker.h"
#include "engine/interpretation/open_model.h"
#include "engine/interpretation/patch_estimate.h"
#include "engine/interpretation/patch_map.h"
#include "engine/interpretation/sampling.h"

namespace headlight {

// Activation patching: the effect of inserting numbers of a stage of the run on A into the run on B.
struct PatchMapResult {
  std::shared_ptr<const OpenModel> of, from;  // B (`of`) and A (`from`)
  LogitChoice logit;
  PatchStage stage = PatchStage::Residual;
  PatchMap map;
  double before = 0;  // the logit without a patch
  std::optional<Error> failure;
};

// The estimate of all such effects by one gradient (attribution patching).
struct PatchEstimateResult {
  std::shared_ptr<const OpenModel> of, from;  // as above
  LogitChoice logit;
  PatchEstimate estimate;
  std::optional<Error> failure;
};

// The pages about a whole model. Only where they stand beside the picture, Text: what the model reads and
// what is changed in it; and where the inspector has no column there, Cell: how the selected number comes
// about.
enum class ModelPage { Heads, Layers, Parts, Patches, Analyses, Text, Cell };
// The value that colours or sorts the map of all heads.
enum class MapColors { Weights, Change, Part };

// Asks for the dialog of an intervention: of the listed one that is edited, else of a new one, in which a
// cell of the shown layer takes part.
struct InterventionRequest {
  std::optional<ChangeEntry> edited;
  std::optional<CellAddress> cell;
};

struct ModelView {
  // Written by the program for the panels.
  std::shared_ptr<const OpenModel> work;        // null: none is open. Includes pending changes
  std::shared_ptr<const ModelResult> answer;    // the newest
  bool fresh = false;                           // whether `answer` belongs to `work`
  std::shared_ptr<const ModelResult> baseline;  // of the baseline A, if it has a model
  std::string trouble;                          // the error of the last text or change; "" if there is none
  std::optional<double> progress;               // 0 to 1, of an answer that takes long
  Index adding = 0;                             // tokens still to be generated
  std::shared_ptr<const PatchMapResult> patches;
  std::shared_ptr<const PatchEstimateResult> estimate;
  std::optional<double> patch_progress;  // 0 to 1, while they are computed
  CheckpointsView checkpoints;
  AnalysisView analyses;
  DataSetView set;
  TrainingView training;

  // Set by the panels.
  std::optional<Index> position;        // the token whose predictions are shown; nullopt: predicted_position
  std::optional<std::int32_t> target;   // the token of attribution and patching; nullopt: the likeliest
  std::optional<std::int32_t> against;  // this token's logit is subtracted
  std::optional<std::pair<LayerPlace, Index>> part;  // the layer and head whose part is shown by source token
  std::optional<Index> mlp_part;  // the layer whose MLP is outlined among the parts, until one is clicked
  ModelPage page = ModelPage::Heads;
  bool pages_beside = false;  // the pages have a column beside the picture, and are no view of their own
  bool cell_is_page = false;  // as above; the inspector has no column
  MapColors map_colors = MapColors::Weights;
  Index glance_side = 32;  // largest side of a head's small picture, in numbers
  Sampling sampling{0, 0};
  std::int64_t seed = 123;
  PatchStage patch_stage = PatchStage::Residual;  // the stage that the page *Patches* inserts
  // The cell of the shown layer whose number, row or head is to be overwritten; while the dialog is open,
  // `baseline_place` is the place whose values in A it needs.
  std::optional<CellAddress> overwrites;
  std::optional<PatchPlace> baseline_place;
  std::optional<InterventionRequest> intervenes;

  // The position whose predictions are shown. Precondition: a model is open.
  Index shown_position() const;
  // The logit of attribution, lens and patching: of the clicked token, which remains chosen when the text or
  // the model changes, else of the likeliest token of the newest answer. Less that of `against`, unless it is
  // the same token.
  LogitChoice logit_choice() const;
  // Whether the newest answer belongs to the open text, at this or another checkpoint; otherwise its numbers
  // belong to other tokens.
  bool answers_text() const;
  // The newest results for all heads, for the predictions of each layer and for the attribution of the logit
  // to parts and embeddings; null if they do not belong to the present text, position and logit.
  const HeadsOverview* current_overview() const;
  const std::vector<std::vector<Prediction>>* current_lens() const;
  const Attribution* current_parts() const;
  const EmbeddingParts* current_embeddings() const;
  // Why the map of patches is out of date; "" if it is not. `kept` is the model of A. Precondition: `work`
  // and `patches` are set.
  std::string patches_outdated(const std::shared_ptr<const OpenModel>& kept) const;
  // The estimate for the open model, the kept one and the chosen logit; null if it is not computed yet.
  const PatchEstimateResult* current_estimate(const std::shared_ptr<const OpenModel>& kept) const;
};

// Why the question on the page cannot be asked of the rows of the data set, as a sentence without a full
// stop; "" if it can. Precondition: model.set.rows.
std::string why_not_of_set(const ModelView& model);
// Whether the question on the page is asked of the rows of the data set that are on.
bool asks_of_set(const ModelView& model);
// The number of a set's targets that a question is asked about; none: what it reads by itself.
std::optional<Metric> set_metric(const ModelView& model);

}  // namespace headlight
