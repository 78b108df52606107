#include "app/ui/model/prediction_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr float kLine = 20, kPercent = 60;  // planned pixels

// The token's probability in the kept state, from the logits at its own position; nullopt if it has none.
std::optional<double> probability_of_baseline(const ModelView& model, std::int32_t id) {
  if (!model.baseline || !model.baseline->logits || id >= model.baseline->logits->cols()) return std::nullopt;
  return prediction_of(model.baseline->logits->row(0), id).probability;
}

void note(const UiContext& ui, const std::string& text) {
  ImGui::PushTextWrapPos(0);
  quiet_text(ui, text);
  ImGui::PopTextWrapPos();
  ui.probe.mark("model.note", text);
}

struct Columns {
  float token = 0, bar = 0, percent = 0, kept = 0;  // x of each column from the left edge
  float end = 0;
};

Columns columns_of(const UiContext& ui, float width, bool kept) {
  Columns columns;
  const float percent = ui.theme.px(kPercent);
  columns.end = width;
  columns.kept = width - (kept ? percent : 0);
  columns.percent = columns.kept - percent;
  columns.bar = std::floor(columns.percent * 0.45f);
  return columns;
}

void number_at(const UiContext& ui, const std::string& text, float right, float y, Color color) {
  ImFont* const font = ui.theme.fonts.label;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {right - text_width(font, text), y},
                                      to_imgui(color), text.c_str());
}

void prediction_line(UiContext& ui, const Prediction& one, std::size_t rank, const Columns& columns) {
  ModelView& model = ui.view.model;
  const Theme& theme = ui.theme;
  const float height = theme.px(kLine);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string name = "model.prediction." + std::to_string(rank);
  const std::string label = visible_label(model.work->network->label(one.id));
  if (click_area(name.c_str(), {columns.end, height})) {
    const bool same = model.target == one.id;
    model.target = same ? std::nullopt : std::optional(one.id);
  }
  ui.probe.mark(name, label + " " + share_text(one.probability, 1));
  const auto kept = probability_of_baseline(model, one.id);
  tooltip(ui, "“" + label + "”: probability " + four_decimals(one.probability) +
                  (kept ? ", in the kept state " + four_decimals(*kept) : "") +
                  "; its logit, the score before softmax, is " +
                  number_text(static_cast<double>(one.logit), 4) + ", its id " + std::to_string(one.id) +
                  ". A click makes it the token that Parts and Patches are about");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (model.target == one.id || ImGui::IsItemHovered())
    list.AddRectFilled(at, {at.x + columns.end, at.y + height}, to_imgui(theme.raised), theme.px(3));
  const Color ink = model.fresh ? theme.text : theme.quiet_text;
  const float y = at.y + std::floor((height - font_size(theme.fonts.label)) / 2);
  fitted_text(theme.fonts.label, {at.x + theme.px(4), y}, columns.bar - theme.px(8), ink, label);
  const float full = columns.percent - columns.bar, thick = theme.px(kept ? 5 : 8),
              middle = at.y + height / 2;
  // The track is 100 %, so that bars of different texts can be compared.
  const float left = at.x + columns.bar;
  const auto bar = [&](double probability, float top, Color color) {
    const float length = full * static_cast<float>(probability);
    list.AddRectFilled({left, top}, {left + full, top + thick}, to_imgui(theme.line), theme.px(2));
    list.AddRectFilled({left, top}, {left + std::max(length, 1.0f), top + thick}, to_imgui(color),
                       theme.px(2));
    return Rect{left, top, length, thick};
  };
  const Rect own =
      bar(one.probability, kept ? middle - thick - 1 : middle - thick / 2, theme.figure.series.front());
  ui.probe.mark_rect(name + ".track", {own.x, own.y, full, own.height});
  ui.probe.mark_rect(name + ".bar", own);
  if (kept) bar(*kept, middle + 1, theme.quiet_text);
  number_at(ui, share_text(one.probability, 1), at.x + columns.kept, y, ink);
  if (kept) number_at(ui, share_text(*kept, 1), at.x + columns.end, y, theme.quiet_text);
}

// The likeliest tokens, at most `most`; the likeliest of the kept state is always among them.
std::vector<Prediction> shown_predictions(const ModelView& model, std::size_t most) {
  std::vector<Prediction> shown = model.answer->predictions;
  shown.resize(std::min(shown.size(), most));
  if (!model.baseline || model.baseline->predictions.empty() || !model.answer->logits) return shown;
  const std::int32_t of_a = model.baseline->predictions.front().id;
  const auto is_it = [of_a](const Prediction& one) { return one.id == of_a; };
  if (std::none_of(shown.begin(), shown.end(), is_it) && of_a < model.answer->logits->cols())
    shown.back() = prediction_of(model.answer->logits->row(0), of_a);
  return shown;
}

}  // namespace

float prediction_lines_height(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  const auto lines = static_cast<float>(model.answer ? model.answer->predictions.size() : 1);
  const bool kept = model.baseline && model.baseline->logits;
  return lines * ui.theme.px(kLine) + ImGui::GetStyle().ItemSpacing.y +
         (kept ? font_size(ui.theme.fonts.label) + ui.theme.px(2) : 0);
}

void prediction_lines(UiContext& ui, float height) {
  const ModelView& model = ui.view.model;
  if (!model.work->network->predicts())
    return note(ui, "This folder has no weights that predict tokens (" + model.work->network->missing_head() +
                        "): its layers can be looked at and changed.");
  if (!model.answer || model.answer->predictions.empty()) return note(ui, "computing…");
  const float spacing = ImGui::GetStyle().ItemSpacing.y, line = ui.theme.px(kLine);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  const bool kept = model.baseline && model.baseline->logits;
  const Columns columns = columns_of(ui, ImGui::GetContentRegionAvail().x, kept);
  if (kept) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    number_at(ui, "now", at.x + columns.kept, at.y, ui.theme.quiet_text);
    number_at(ui, "kept", at.x + columns.end, at.y, ui.theme.quiet_text);
    ImGui::Dummy({1, font_size(ui.theme.fonts.label) + ui.theme.px(2)});
    height -= font_size(ui.theme.fonts.label) + ui.theme.px(2);
  }
  const std::vector<Prediction> all =
      shown_predictions(model, std::max<std::size_t>(1, fitting_lines(height - spacing, line)));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    prediction_line(ui, all[rank], rank, columns);
  ImGui::PopStyleVar();
}

}  // namespace headlight
