#include "app/ui/views/head_sorting.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/share_text.h"
#include "app/ui/context/shown_heads.h"

namespace headlight {
namespace {

template <class Request>
void request_for(std::vector<Request>& requested, const Request& request) {
  if (std::find(requested.begin(), requested.end(), request) == requested.end()) requested.push_back(request);
}

std::optional<float> summary_value(const HeadSummary& summary, HeadMeasure measure, const UiContext& ui) {
  const Layer& layer = ui.layer();
  if (summary.rows == 0) return std::nullopt;
  if (measure == HeadMeasure::Entropy) return summary.entropy_bits;
  if (!layer.queries_among_keys()) return std::nullopt;
  if (measure == HeadMeasure::Distance) return summary.mean_distance;
  return layer.query_offset(ui.view.sequence) + layer.token_count() > 1 ? std::optional(summary.first_weight)
                                                                        : std::nullopt;
}

}  // namespace

std::shared_ptr<const HeadSummary> request_summary(UiContext& ui, Index head) {
  const HeadRequest request{ui.view.sequence, head};
  request_for(ui.requested.heads, request);
  return ui.answer ? ui.answer->find(request) : nullptr;
}

std::shared_ptr<const HeadMeasures> request_measures(UiContext& ui, Index head) {
  const MeasuresRequest request{ui.view.sequence, head, ui.view.heads.picture};
  if (request.picture.of_baseline() && can_compare_with_baseline(ui))
    ui.requested.reference = ui.view.baseline.layer;
  request_for(ui.requested.measures, request);
  return ui.answer ? ui.answer->find(request) : nullptr;
}

MeasuredHeadValue request_measure(UiContext& ui, Index head, HeadMeasure measure) {
  if (measure == HeadMeasure::Entropy || measure == HeadMeasure::Distance ||
      measure == HeadMeasure::FirstToken) {
    const auto summary = request_summary(ui, head);
    if (!summary) return {};
    return {true, summary_value(*summary, measure, ui)};
  }
  const auto measures = request_measures(ui, head);
  if (!measures) return {};
  return {true, measures->of(measure)};
}

std::string measure_text(HeadMeasure measure, std::optional<float> value, bool percent) {
  if (!value) return std::string(head_measure_info(measure).none);
  if (measure == HeadMeasure::Entropy) return number_text(*value, 2) + " bits";
  if (measure == HeadMeasure::Distance) return number_text(*value, 2) + " away";
  if (percent && measure != HeadMeasure::LikePicture) return share_text(double{*value}, 1);
  return number_text(*value, 3);
}

float measure_share(const UiContext& ui, HeadMeasure measure, std::optional<float> value) {
  if (!value) return 0;
  const auto keys = static_cast<float>(std::max<Index>(2, ui.layer().key_count()));
  const float most = measure == HeadMeasure::Entropy    ? std::log2(keys)
                     : measure == HeadMeasure::Distance ? keys - 1
                                                        : 1.0f;
  return std::clamp(*value / most, 0.0f, 1.0f);
}

void draw_measure_bar(const UiContext& ui, ImVec2 at, ImVec2 size, float share) {
  if (share <= 0) return;
  constexpr double kFaintest = 0.12, kStrongest = 0.38;
  const double alpha = kFaintest + (kStrongest - kFaintest) * double{share};
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x * share, at.y + size.y},
                                            to_imgui(ui.theme.quiet_text, alpha), ui.theme.px(3));
}

std::vector<Index> ordered_heads(UiContext& ui, std::vector<Index> heads) {
  const HeadSorting& sorting = ui.view.heads.sorting;
  if (!sorting.by || heads.size() < 2) return heads;
  std::vector<std::optional<float>> values;
  bool complete = true;
  for (const Index head : heads) {
    const MeasuredHeadValue measured = request_measure(ui, head, *sorting.by);
    complete &= measured.known;
    values.push_back(measured.value);
  }
  if (!complete) return heads;  // sorting by some of the measures would make the heads jump
  std::vector<Index> ordered;
  for (const Index place : sorted_places(values, sorting.ascending))
    ordered.push_back(heads[static_cast<std::size_t>(place)]);
  // A new order makes its first head the large one.
  if (ui.view.heads.large_by != sorting) ui.view.heads.large = ordered.front();
  ui.view.heads.large_by = sorting;
  return ordered;
}

void sort_heads_by(ViewState& view, std::optional<HeadMeasure> measure) {
  view.heads.sorting = {measure, false};
  if (measure == HeadMeasure::LikePicture && view.heads.picture.kind == PictureKind::None)
    view.heads.picture = {PictureKind::Head, view.head.value_or(0)};
}

bool can_compare_with_baseline(const UiContext& ui) {
  return ui.view.baseline.layer && !is_mapped(ui);
}

std::string picture_text(const UiContext& ui) {
  const HeadPicture& picture = ui.view.heads.picture;
  switch (picture.kind) {
    case PictureKind::None:
      break;
    case PictureKind::Head:
      return "like head " + head_number(ui, picture.head);
    case PictureKind::BaselineHead:
      return "like head " + head_number(ui, picture.head) + " of the kept state";
    case PictureKind::SameBaselineHead:
      return "like itself when kept";
    case PictureKind::Mask:
      return "like the painted mask";
  }
  return "like a picture";
}

}  // namespace headlight
