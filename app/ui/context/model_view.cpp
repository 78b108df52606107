#include "app/ui/context/model_view.h"

#include <algorithm>

#include "engine/core/error.h"

namespace headlight {

Index ModelView::shown_position() const {
  const auto last = static_cast<Index>(work->ids.size()) - 1;
  if (work->image) return predicted_position(*work->network, work->ids);  // the only one with predictions
  if (position) return std::clamp<Index>(*position, 0, last);
  try {
    return predicted_position(*work->network, work->ids);
  } catch (const Error&) {
    return last;  // the text has no masked token
  }
}

LogitChoice ModelView::logit_choice() const {
  LogitChoice choice;
  choice.position = shown_position();
  if (target)
    choice.id = *target;
  else if (answer && !answer->predictions.empty())
    choice.id = answer->predictions.front().id;
  if (against != choice.id) choice.other = against;  // a logit less itself is nothing
  return choice;
}

bool ModelView::answers_text() const {
  return answer && same_input(answer->state, *work) &&
         same_architecture(*answer->state.network, *work->network);
}

const HeadsOverview* ModelView::current_overview() const {
  return answers_text() ? answer->glance.get() : nullptr;
}

const std::vector<std::vector<Prediction>>* ModelView::current_lens() const {
  const bool of_it = answers_text() && answer->request.position == shown_position() && !answer->lens.empty();
  return of_it ? &answer->lens : nullptr;
}

const Attribution* ModelView::current_parts() const {
  const bool of_it = answers_text() && answer->parts && answer->parts->of == logit_choice();
  return of_it ? &*answer->parts : nullptr;
}

const EmbeddingParts* ModelView::current_embeddings() const {
  const bool of_it = answers_text() && answer->embeddings && answer->embeddings->of == logit_choice();
  return of_it ? &*answer->embeddings : nullptr;
}

const PatchEstimateResult* ModelView::current_estimate(const std::shared_ptr<const OpenModel>& kept) const {
  const bool of_it =
      estimate && estimate->of == work && estimate->from == kept && estimate->logit == logit_choice();
  return of_it ? estimate.get() : nullptr;
}

std::string ModelView::patches_outdated(const std::shared_ptr<const OpenModel>& kept) const {
  const OpenModel& of = *patches->of;
  if (of.network != work->network || !same_input(of, *work) || patches->from != kept)
    return "The text, or the kept one, is another one since";
  if (patches->stage != patch_stage) return "The map that was computed is of something else put in";
  if (!(state_of(of) == state_of(*work))) return "The model was changed since";
  if (!(patches->logit == logit_choice())) return "The map that was computed is of another logit";
  return "";
}

std::string why_not_of_set(const ModelView& model) {
  const AnalysisKind kind = model.analyses.asked.kind;
  const DataSet& set = *model.set.rows;
  if (kind == AnalysisKind::Composition)
    return "Composition is of weights alone, so that a data set says nothing about it";
  if (kind == AnalysisKind::Circuit && set.names.empty())
    return "OV and QK are between few tokens, and no column of the data set names any. A column such as @END "
           "does";
  if (analysis_info(kind).of_other && !set.has("from"))
    return "Numbers are taken from another text, and the data set has no column “from” with that of each row";
  return "";
}

bool asks_of_set(const ModelView& model) {
  return model.work && model.work->set && model.set.rows && model.set.asks && why_not_of_set(model).empty();
}

std::optional<Metric> set_metric(const ModelView& model) {
  const AnalysisKind kind = model.analyses.asked.kind;
  const bool sums = kind == AnalysisKind::Parts || kind == AnalysisKind::Neurons;
  const bool of_logits =
      !model.set.metric || *model.set.metric == Metric::Logit || *model.set.metric == Metric::LogitDifference;
  if (!model.set.rows || !analysis_info(kind).of_target || (sums && !of_logits)) return std::nullopt;
  return model.set.metric;
}

}  // namespace headlight
