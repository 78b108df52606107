// The chosen stage at large, with its header.
#include <algorithm>

#include "app/ui/action_table.h"
#include "app/ui/compare_view.h"
#include "app/ui/focus_views.h"
#include "app/ui/spotlight.h"
#include "app/ui/stage_parts.h"
#include "app/ui/widgets.h"

namespace headlight {
namespace {

constexpr float kHeadChoiceWidth = 108, kBriefHeadChoiceWidth = 62;  // planned pixels

// "all 1 2 3": which heads are drawn.
// `brief` where there is little room.
void head_choice(UiContext& ui, Stage stage, bool brief = false) {
  const Index count = stage_heads(ui.model(), stage);
  if (count < 2) return;
  std::vector<Choice> choices = {{"all", brief ? "all" : "all heads", "every head, side by side"}};
  for (Index head = 0; head < count; ++head) {
    const std::string number = std::to_string(head + 1);
    choices.push_back({number, brief ? number : "head " + number, ""});
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

// What the header offers for the heatmaps of a stage has no meaning in other views.
float tools_width(const UiContext& ui, Stage stage) {
  const bool heatmaps = ui.view.focus_view == FocusView::Heatmap || ui.view.focus_view == FocusView::Compare;
  return heatmaps ? focus_tools_width(ui, stage) : 0;
}

std::string export_tip(const UiContext& ui, const StagesPanelState& state, Stage stage) {
  if (ui.view.focus_view != FocusView::Heatmap)
    return "Save the heatmap of this stage as an image (Ctrl+E): this view has no file of its own";
  if (shows_by_head(ui, state, stage))
    return "Save the output as an image (Ctrl+E): its parts by head have no file of their own";
  return action_tip("export");
}

void draw_heatmaps(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  // Three pictures side by side need some room.
  if (stage == Stage::Dropped && area.size.x >= ui.theme.px(330))
    draw_dropout(ui, state, area);
  else if (shows_by_head(ui, state, stage))
    draw_by_head(ui, state, area);
  else
    draw_heads(ui, state, stage, area, "focus.", true);
}

// The picture of the stage below its header, in the view that is chosen.
void draw_picture(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  switch (ui.view.focus_view) {
    case FocusView::Heatmap:
      return draw_heatmaps(ui, state, stage, area);
    case FocusView::Flow:
      return draw_flow_view(ui, state, area);
    case FocusView::Row:
      return draw_row_view(ui, state, area);
    case FocusView::Vectors:
      return draw_vectors_view(ui, state, area);
    case FocusView::Compare:
      return draw_compare(ui, state, stage, area);
  }
}

void draw_focus_header(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened) {
  const Fonts& fonts = ui.theme.fonts;
  const float pad = ui.theme.px(12), line = ImGui::GetFrameHeight();
  const std::string name(stage_info(stage).name);
  const float baseline = area.at.y + pad;
  float x = area.at.x + pad;
  fitted_text(fonts.title, {x, baseline + (line - fonts.title->FontSize) / 2}, area.size.x, ui.theme.text,
              name);
  x += text_width(fonts.title, name) + ui.theme.px(12);
  // Beside the name: what stands at the right comes and goes with the view.
  ImGui::SetCursorScreenPos({x, baseline});
  view_switch(ui);
  x += view_switch_width(ui) + ui.theme.px(12);

  const bool choice = stage_heads(ui.model(), stage) > 1;
  std::string close = opened ? "Back" : "Full size";
  const std::string save = "Export…";
  const float gap = ui.theme.px(8), button_pad = 2 * ImGui::GetStyle().FramePadding.x;
  float tools = tools_width(ui, stage);
  float others = text_width(fonts.text, save) + 2 * button_pad + gap +
                 (choice ? ui.theme.px(kHeadChoiceWidth) + gap : 0) + (tools > 0 ? tools + gap : 0);
  // Shorter where the stage's name needs the room.
  const auto tight = [&] { return x + text_width(fonts.text, close) + others + pad > area.end().x; };
  if (tight() && !opened) close = "Full";
  const bool brief = choice && tight();
  if (brief) others -= ui.theme.px(kHeadChoiceWidth - kBriefHeadChoiceWidth);
  // Double-click and F11 open the picture as well.
  const bool can_open = opened || !tight();
  if (!can_open) others -= button_pad + gap;
  // A wide one would lie over the choice of views; full size has room for it.
  if (tools > 0 && x + others + pad > area.end().x) {
    others -= tools + gap;
    tools = 0;
  }
  const float buttons = (can_open ? text_width(fonts.text, close) : 0) + others;
  const bool updating =
      ui.answer && ui.answer->revision != ui.document.revision() && ui.answer->compute_ms > 100;
  // As much of it as there is room for, part by part.
  const float room = std::max(0.0f, area.end().x - pad - buttons - gap - x);
  std::string detail = updating ? "updating…" : "";
  for (const std::string& part : {stage_formula(ui.model(), stage), stage_shape_text(ui.model(), stage)}) {
    const std::string longer = detail.empty() ? part : detail + "   ·   " + part;
    if (text_width(fonts.label, longer) <= room) detail = longer;
  }
  fitted_text(fonts.label, {x, baseline + (line - fonts.label->FontSize) / 2}, room, ui.theme.quiet_text,
              detail);

  ImGui::SetCursorScreenPos({area.end().x - pad - buttons, baseline});
  if (tools > 0) {
    focus_tools(ui, state, stage);
    ImGui::SameLine(0, gap);
  }
  head_choice(ui, stage, brief);
  if (choice) ImGui::SameLine(0, gap);
  if (can_open) {
    if (tool_button(ui, opened ? "focus.close" : "focus.open", close,
                    opened ? "Back to the whole pipeline (Escape)" : "Open this stage to full size", true))
      ui.view.opened_stage = opened ? std::nullopt : std::optional<Stage>(stage);
    ImGui::SameLine(0, gap);
  }
  if (tool_button(ui, "focus.export", save, export_tip(ui, state, stage)))
    ui.actions.push_back({Action::ExportStage, {}, stage});
}

}  // namespace

void draw_focus(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened) {
  draw_card_frame(ui, area, false);
  draw_focus_header(ui, state, stage, area, opened);
  const float pad = ui.theme.px(12), header = pad + ImGui::GetFrameHeight() + ui.theme.px(8);
  draw_picture(ui, state, stage,
               {{area.at.x + pad, area.at.y + header}, {area.size.x - 2 * pad, area.size.y - header - pad}});
  spotlight_card(ui, stage, area.at, area.size);
}

void small_stages(UiContext& ui, StagesPanelState& state, const Area& area) {
  static const std::vector<Choice> kStages = [] {
    std::vector<Choice> choices;
    for (const StageInfo& info : stage_table())
      choices.push_back({std::string(info.name), std::string(info.name), ""});
    return choices;
  }();
  draw_card_frame(ui, area, false);
  const float pad = ui.theme.px(8);
  ImGui::SetCursorScreenPos({area.at.x + pad, area.at.y + pad});
  if (const auto chosen =
          choice_box(ui, "stages.stage", kStages, static_cast<std::size_t>(ui.view.focused_stage),
                     ui.theme.px(124), "The stage that is shown"))
    ui.view.focused_stage = static_cast<Stage>(*chosen);
  ImGui::SameLine(0, ui.theme.px(4));
  const Stage stage = ui.view.focused_stage;
  head_choice(ui, stage);
  const bool choice = stage_heads(ui.model(), stage) > 1;
  const float tools = tools_width(ui, stage), used = ui.theme.px(124 + 8 + (choice ? kHeadChoiceWidth : 0));
  const float views = view_switch_width(ui);
  float x = area.at.x + pad + used + ui.theme.px(4);
  if (used + views + 2 * pad <= area.size.x) {
    ImGui::SetCursorScreenPos({x, area.at.y + pad});
    view_switch(ui);
    x += views + ui.theme.px(4);
  }
  if (tools > 0 && x + tools + pad <= area.end().x) {
    ImGui::SetCursorScreenPos({x, area.at.y + pad});
    focus_tools(ui, state, stage);
  }
  const float header = pad + ImGui::GetFrameHeight() + ui.theme.px(4);
  draw_picture(ui, state, stage,
               {{area.at.x + pad, area.at.y + header}, {area.size.x - 2 * pad, area.size.y - header - pad}});
}

}  // namespace headlight
