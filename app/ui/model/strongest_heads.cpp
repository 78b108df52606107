#include "app/ui/model/strongest_heads.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kRow = 26, kBarHeight = 8, kNumber = 56;  // planned pixels
constexpr std::size_t kLeastRows = 2, kMostRows = 8;

struct HeadShare {
  LayerPlace layer;
  Index head = 0;
  float share = 0;
};

bool is_whole(const Tile& picture, Index query, Index key) {
  return !picture.pooled && query < picture.values.rows() && key < picture.values.cols();
}

std::vector<HeadShare> shares_of(const HeadsOverview& overview, Index query, Index key) {
  std::vector<HeadShare> shares;
  for (Index row = 0; row < overview.layers; ++row)
    for (Index head = 0; head < overview.head_count(row); ++head) {
      const Tile& picture = overview.of(row, head).picture;
      if (!is_whole(picture, query, key)) return {};
      shares.push_back({overview.place(row), head, picture.values(query, key)});
    }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const HeadShare& a, const HeadShare& b) { return a.share > b.share; });
  return shares;
}

std::string word_at(const OpenModel& work, Index token) {
  return "“" + spoken_label(token_label(work, token)) + "”";
}

// What the model expects behind a token: at the last checkpoint, so that the question stays the same at all
// of them, or of the open model.
std::optional<std::int32_t> expected_token(const ModelView& model, Index query) {
  const auto& heads = model.checkpoints.heads;
  if (!heads.empty() && heads.back() && static_cast<Index>(heads.back()->likeliest.size()) > query)
    return heads.back()->likeliest[static_cast<std::size_t>(query)];
  if (!model.answer || model.answer->predictions.empty() || !model.answers_text()) return std::nullopt;
  return model.answer->predictions.front().id;
}

void draw_row(UiContext& ui, const HeadShare& one, const std::pair<Index, Index>& pair, std::size_t rank,
              const Area& row, float names) {
  const Theme& theme = ui.theme;
  const std::string name = "model.strongest." + std::to_string(rank);
  const std::string label = names_of_layers(ui).text(one.layer) + ", " + head_name(one.head, ui.counting());
  const std::string share = share_text(static_cast<double>(one.share));
  const bool pointed =
      leading_area(ui, name, row, exact_number(double{one.share}),
                   head_place(ui, one.layer, one.head, Stage::Weights, pair.first, pair.second));
  ui.probe.mark(name, label + " " + share);
  const bool shown = one.layer == ui.view.model.work->layer && ui.view.head == one.head;
  const Color ink = shown ? theme.accent : pointed ? theme.link : theme.text;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float high = font_size(theme.fonts.text), y = row.at.y + std::floor((row.size.y - high) / 2);
  fitted_text(theme.fonts.text, {row.at.x, y}, names, ink, label);
  const float left = row.at.x + names + theme.px(12), right = row.end().x - theme.px(kNumber);
  const float bar = std::floor(row.at.y + (row.size.y - theme.px(kBarHeight)) / 2);
  share_bar(ui, {{left, bar}, {right - left, theme.px(kBarHeight)}}, double{one.share});
  list.AddText(theme.fonts.number, font_size(theme.fonts.number),
               {row.end().x - text_width(theme.fonts.number, share),
                row.at.y + std::floor((row.size.y - font_size(theme.fonts.number)) / 2)},
               to_imgui(theme.text), share.c_str());
}

}  // namespace

std::optional<std::pair<Index, Index>> asked_pair(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  if (!ui.layer().self_attention() || model.work->network->config().cross) return std::nullopt;
  const auto& cell = ui.view.selection.cell;
  if (cell && is_pair(cell->stage)) return std::pair(cell->row, cell->column);
  const Index query = model.shown_position();
  const auto expected = expected_token(model, query);
  for (Index key = query; expected && key >= 0; --key)
    if (model.work->ids[static_cast<std::size_t>(key)] == *expected) return std::pair(query, key);
  return std::nullopt;
}

std::string pair_sentence(const UiContext& ui) {
  const auto pair = asked_pair(ui);
  const OpenModel& work = *ui.view.model.work;
  const HeadsOverview& overview = *ui.view.model.answer->glance;
  const Index row = row_of(work.network->config(), work.layer), head = ui.view.head.value_or(-1);
  if (!pair || head < 0 || head >= overview.head_count(row)) return "";
  const Tile& picture = overview.of(row, head).picture;
  if (!is_whole(picture, pair->first, pair->second)) return "";
  return "Head " + ui.counting().number(head) + " of " + names_of_layers(ui).text(work.layer) +
         " looks from " + word_at(work, pair->first) + " at " + word_at(work, pair->second) + " with " +
         share_text(double{picture.values(pair->first, pair->second)}) + ".";
}

void strongest_heads(UiContext& ui, const HeadsOverview& overview, const OpenModel& work,
                     const std::optional<std::pair<Index, Index>>& pair, const Area& area) {
  const float line = font_size(ui.theme.fonts.label) + ui.theme.px(6), row = ui.theme.px(kRow);
  const std::size_t rows = std::min(kMostRows, fitting_lines(area.size.y - line, row));
  if (!pair || rows < kLeastRows) return;
  const std::vector<HeadShare> shares = shares_of(overview, pair->first, pair->second);
  if (shares.empty()) return;
  const std::string title = "From " + word_at(work, pair->first) + " at " + word_at(work, pair->second) +
                            ", the strongest of " + std::to_string(shares.size()) + " heads";
  fitted_text(ui.theme.fonts.label, area.at, area.size.x, ui.theme.quiet_text, title);
  ui.probe.mark_rect("model.strongest", {area.at.x, area.at.y, area.size.x, line}, title);
  float names = 0;
  for (std::size_t i = 0; i < std::min(rows, shares.size()); ++i)
    names = std::max(names, text_width(ui.theme.fonts.text, names_of_layers(ui).text(shares[i].layer) + ", " +
                                                                head_name(shares[i].head, ui.counting())));
  names = std::min(names + ui.theme.px(2), area.size.x * 0.5f);
  for (std::size_t i = 0; i < std::min(rows, shares.size()); ++i)
    draw_row(ui, shares[i], *pair, i,
             {{area.at.x, area.at.y + line + static_cast<float>(i) * row}, {area.size.x, row}}, names);
}

}  // namespace headlight
