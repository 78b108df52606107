// The chosen stage drawn large, with its header.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/picture/minimap.h"
#include "app/ui/picture/shown_heads.h"
#include "app/ui/picture/spotlight.h"
#include "app/ui/stages/factors_view.h"
#include "app/ui/stages/stage_parts.h"
#include "app/ui/views/compare_view.h"
#include "app/ui/views/dropout_view.h"
#include "app/ui/views/head_parts_view.h"
#include "app/ui/views/heads_grid.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/model/stage_formula.h"
#include "engine/model/weight_report.h"

namespace headlight {
namespace {

// The notice above the picture of given weights that are not the result of a softmax: one line at `at`, with
// the full text as a tooltip. Returns its height; 0 if there is nothing to report. Probed as "focus.notice".
float weight_notice(UiContext& ui, Stage stage, ImVec2 at, float width) {
  if (stage != Stage::Weights || !ui.answer || !ui.answer->weight_report) return 0;
  if (ui.model().given_weights.empty()) return 0;  // the result belongs to the previous model
  const std::string text = report_text(*ui.answer->weight_report, ui.model(), ui.counting());
  if (text.empty()) return 0;
  ImFont* font = ui.theme.fonts.label;
  const float height = font_size(font) + ui.theme.px(6);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, height});
  ui.probe.mark("focus.notice", text);
  tooltip(ui, text);
  fitted_text(font, at, width, ui.theme.text, text);
  return height;
}

constexpr float kHeadChoiceWidth = 108, kBriefHeadChoiceWidth = 72;  // planned pixels

// The choice of heads: "all 0 1 2". `brief`: in a narrow header.
void head_choice(UiContext& ui, const StagesPanelState& state, Stage stage, bool brief) {
  const Index count = stage_heads(ui.model(), stage);
  if (count < 2) return;
  std::vector<Choice> choices = {{"all", brief ? "all" : "all heads", "every head, side by side"}};
  // A flow that shows some heads is not labelled "all heads".
  if (ui.view.focus_view == FocusView::Flow && flow_picks_heads(ui.model()) && !state.flow.heads.empty())
    choices.front().label = std::to_string(state.flow.heads.size()) + (brief ? "/" : " of ") +
                            std::to_string(ui.model().head_count());
  const bool of_one = ui.view.focus_view == FocusView::Row ||
                      (ui.view.one_large && (ui.view.focus_view == FocusView::Heatmap ||
                                             ui.view.focus_view == FocusView::Compare));
  if (of_one)
    choices.front().label = (brief ? "" : "head ") +
                            ui.counting().number(stage_head(ui.model(), stage, ui.shown_head())) + "/" +
                            std::to_string(count);
  for (Index head = 0; head < count; ++head) {
    const Counting counting = ui.counting();
    choices.push_back({std::to_string(head), brief ? counting.number(head) : head_name(head, counting), ""});
  }
  const std::size_t current = ui.view.head ? static_cast<std::size_t>(*ui.view.head) + 1 : 0;
  const auto chosen = choice_box(ui, "stages.heads", choices, std::min(current, choices.size() - 1),
                                 ui.theme.px(brief ? kBriefHeadChoiceWidth : kHeadChoiceWidth),
                                 "Which heads the pictures show");
  if (!chosen) return;
  if (*chosen == 0)
    ui.view.head.reset();
  else
    ui.view.head = static_cast<Index>(*chosen) - 1;
}

// The header controls for heatmaps do not apply to other views.
float tools_width(const UiContext& ui, Stage stage) {
  const bool heatmaps = ui.view.focus_view == FocusView::Heatmap || ui.view.focus_view == FocusView::Compare;
  return heatmaps ? focus_tools_width(ui, stage) : 0;
}

std::string export_tip(const UiContext& ui, const StagesPanelState& state, Stage stage) {
  if (ui.view.focus_view == FocusView::Vectors)
    return "Save the heatmap of this stage (Ctrl+E): this view has no file of its own";
  if (shows_by_head(ui, state, stage))
    return "Save the output (Ctrl+E): its parts by head have no file of their own";
  return ui.action_tip("export");
}

// The pictures of the heads, with the factors of the product next to them.
void draw_with_factors(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  const float beside = factors_width(ui, stage, area);
  const std::vector<LargePicture>& pictures = state.cache.pictures();
  const std::size_t before = pictures.size();
  draw_heads(ui, state.cache, state.painter, stage, {area.at, {area.size.x - beside, area.size.y}}, "focus.",
             true, beside > 0);
  if (beside == 0 || pictures.size() == before) return;
  double end = 0;
  for (std::size_t i = before; i < pictures.size(); ++i)
    end = std::max(end, pictures[i].cells.right());
  const float x = std::min(static_cast<float>(end) + colorbar_width(ui), area.end().x - beside);
  const LargePicture first = pictures[before];
  draw_factors(ui, state.cache, stage, first, {{x, area.at.y}, {beside, area.size.y}});
}

void draw_heatmaps(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  ui.view.one_large = false;
  // Three pictures side by side need some room.
  if (stage == Stage::Dropped && area.size.x >= ui.theme.px(330) && !is_mapped(ui))
    draw_dropout(ui, state.cache, state.play, area);
  else if (shows_by_head(ui, state, stage))
    draw_by_head(ui, state.cache, area);
  else
    draw_with_factors(ui, state, stage, area);
}

// The picture of the stage in the chosen view.
void draw_picture(UiContext& ui, StagesPanelState& state, Stage stage, const Area& whole) {
  const bool maps = ui.view.focus_view == FocusView::Heatmap ||
                    (ui.view.focus_view == FocusView::Compare && ui.view.baseline.model);
  const Area area = maps ? beside_minimap(ui, state.cache, stage, whole) : whole;
  switch (ui.view.focus_view) {
    case FocusView::Heatmap:
      return draw_heatmaps(ui, state, stage, area);
    case FocusView::Flow:
      return draw_flow_view(ui, state.flow, area);
    case FocusView::Row:
      return draw_row_view(ui, state.row, area);
    case FocusView::Vectors:
      return draw_vectors_view(ui, state.vectors, area);
    case FocusView::Compare:
      return draw_compare(ui, state.cache, stage, area);
    case FocusView::Model:
      return model_pages(ui, state.model, area);
  }
}

// The controls at the right end of the header.
struct HeaderParts {
  std::string close;          // "" if it does not fit: a double-click and F11 also open the picture
  bool brief = false;         // shorter labels in the choice of heads
  bool export_button = true;  // the top bar has one too
  bool tools = true;
  bool heads = true;  // the captions of the pictures also choose heads
  bool play = true;   // Space and holding the pointer on a cell play as well
};

float width_of(const UiContext& ui, const HeaderParts& parts, Stage stage) {
  float width = 0;
  const auto add = [&](float part) {
    if (part > 0) width += part + (width > 0 ? ui.theme.px(8) : 0);
  };
  if (parts.tools) add(tools_width(ui, stage));
  if (parts.heads && stage_heads(ui.model(), stage) > 1)
    add(ui.theme.px(parts.brief ? kBriefHeadChoiceWidth : kHeadChoiceWidth));
  if (!parts.close.empty()) add(button_width(parts.close.c_str()));
  if (parts.play && can_play(ui)) add(button_width("Play"));
  if (parts.export_button) add(button_width("Export…"));
  return width;
}

constexpr float kAfterSwitch = 12;  // planned pixels

struct Header {
  ViewNames names = ViewNames::None;
  HeaderParts parts;
};

// The most controls that fit into `room`, the view switch among them. Those that are also available elsewhere
// are dropped first; then the names of the views are.
Header fitting_header(const UiContext& ui, Stage stage, bool opened, float room) {
  const std::string close = opened ? "Back" : "Full size", brief_close = opened ? "Back" : "Full";
  const std::string no_close = opened ? "Back" : "";
  const std::vector<Header> choices = {{ViewNames::All, {close, false, true, true}},
                                       {ViewNames::All, {brief_close, false, true, true}},
                                       {ViewNames::All, {brief_close, true, true, true}},
                                       {ViewNames::All, {brief_close, true, false, true}},
                                       {ViewNames::All, {no_close, true, false, true}},
                                       {ViewNames::Chosen, {brief_close, true, false, true}},
                                       {ViewNames::Chosen, {no_close, true, false, true}},
                                       {ViewNames::None, {no_close, true, false, true}},
                                       {ViewNames::None, {no_close, true, false, true, true, false}},
                                       {ViewNames::None, {no_close, true, true, false}},
                                       {ViewNames::None, {no_close, true, false, false}},
                                       {ViewNames::None, {no_close, true, false, false, false}},
                                       {ViewNames::None, {no_close, true, false, false, false, false}}};
  const auto fits = [&](const Header& header) {
    return view_switch_width(ui, header.names) + ui.theme.px(kAfterSwitch) +
               width_of(ui, header.parts, stage) <=
           room;
  };
  const auto found = std::find_if(choices.begin(), choices.end(), fits);
  return found == choices.end() ? choices.back() : *found;
}

// The names of the views in the header of a whole model, which has no other controls.
ViewNames fitting_names(const UiContext& ui, float room) {
  for (const ViewNames names : {ViewNames::All, ViewNames::Chosen})
    if (view_switch_width(ui, names) <= room) return names;
  return ViewNames::None;
}

// The formula and the shape, as far as they fit.
void header_detail(UiContext& ui, Stage stage, ImVec2 at, float room) {
  const bool updating =
      ui.answer && ui.answer->revision != ui.document.revision() && ui.answer->compute_ms > 100;
  std::string detail = updating ? "updating…" : "";
  for (const std::string& part : {stage_formula(ui.model(), stage), stage_shape_text(ui.model(), stage)}) {
    std::string longer = detail;
    if (!longer.empty()) longer += "   ·   ";
    longer += part;
    if (text_width(ui.theme.fonts.label, longer) <= room) detail = std::move(longer);
  }
  fitted_text(ui.theme.fonts.label, at, room, ui.theme.quiet_text, detail);
}

// The model's layers and heads, in the header of the view "model".
void model_detail(UiContext& ui, ImVec2 at, float room) {
  if (!ui.view.model.work) return;
  const NetworkConfig& config = ui.view.model.work->network->config();
  const std::string text = std::string(family_name(config.family)) + "   ·   " +
                           std::to_string(config.layers) + " layers × " + std::to_string(config.heads) +
                           " heads   ·   d " + std::to_string(config.width);
  fitted_text(ui.theme.fonts.label, at, room, ui.theme.quiet_text, text);
}

void draw_focus_header(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened) {
  const Fonts& fonts = ui.theme.fonts;
  const float pad = ui.theme.px(12), gap = ui.theme.px(8), line = ImGui::GetFrameHeight();
  const bool whole = ui.view.focus_view == FocusView::Model;
  const std::string name(whole ? "model" : stage_info(stage).name);
  const float y = area.at.y + pad, end = area.end().x - pad;
  float x = area.at.x + pad;
  const float least = view_switch_width(ui, ViewNames::None);
  const float shown = std::min(text_width(fonts.title, name), end - x - least - gap);
  ImGui::SetCursorScreenPos({x, y});
  ImGui::Dummy({shown, line});
  if (shown < text_width(fonts.title, name)) tooltip(ui, name);
  fitted_text(fonts.title, {x, y + (line - font_size(fonts.title)) / 2}, shown, ui.theme.text, name);
  x += shown + std::min(ui.theme.px(12), std::max(gap / 2, end - x - shown - least));
  Header header;
  if (whole)
    header.names = fitting_names(ui, end - x);
  else
    header = fitting_header(ui, stage, opened, end - x);
  // The view switch is next to the name, because the controls on the right change with the view.
  ImGui::SetCursorScreenPos({x, y});
  view_switch(ui, header.names);
  x += view_switch_width(ui, header.names) + ui.theme.px(kAfterSwitch);

  if (whole) return model_detail(ui, {x, y + (line - font_size(fonts.label)) / 2}, end - x);
  const HeaderParts& parts = header.parts;
  const float right = end - width_of(ui, parts, stage);
  header_detail(ui, stage, {x, y + (line - font_size(fonts.label)) / 2}, std::max(0.0f, right - gap - x));
  ImGui::SetCursorScreenPos({right, y});
  // SameLine only between two controls: after the last one it would put the picture on this line.
  auto next = [gap, begun = false]() mutable {
    if (std::exchange(begun, true)) ImGui::SameLine(0, gap);
  };
  if (parts.tools && tools_width(ui, stage) > 0) {
    next();
    focus_tools(ui, state, stage);
  }
  if (parts.heads && stage_heads(ui.model(), stage) > 1) {
    next();
    head_choice(ui, state, stage, parts.brief);
  }
  if (!parts.close.empty()) {
    next();
    if (tool_button(ui, opened ? "focus.close" : "focus.open", parts.close,
                    opened ? "Back to the whole pipeline (Escape)" : "Open this stage to full size", true))
      ui.view.opened_stage = opened ? std::nullopt : std::optional<Stage>(stage);
  }
  if (parts.play && can_play(ui)) {
    next();
    if (tool_button(ui, "focus.play_motion", "Play", ui.action_tip("play"), true, state.motion.shown()))
      state.motion.shown() ? end_motion(state.motion) : begin_motion(ui, state.motion);
  }
  if (!parts.export_button) return;
  next();
  if (tool_button(ui, "focus.export", "Export…", export_tip(ui, state, stage)))
    ui.actions.push_back({Action::ExportStage, {}, stage});
}

}  // namespace

void draw_focus(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened) {
  draw_card_frame(ui, area, false);
  ui.probe.mark_rect("focus.area", {area.at.x, area.at.y, area.size.x, area.size.y});
  draw_focus_header(ui, state, stage, area, opened);
  const float pad = ui.theme.px(12);
  float header = pad + ImGui::GetFrameHeight() + ui.theme.px(8);
  header += weight_notice(ui, stage, {area.at.x + pad, area.at.y + header}, area.size.x - 2 * pad);
  const Area picture = {{area.at.x + pad, area.at.y + header},
                        {area.size.x - 2 * pad, area.size.y - header - pad}};
  state.motion.shown() ? draw_motion(ui, state.motion, picture) : draw_picture(ui, state, stage, picture);
  spotlight_card(ui, stage, area.at, area.size);
}

}  // namespace headlight
