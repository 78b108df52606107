#include "app/ui/stages_panel.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/figure/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/text_fit.h"
#include "app/ui/widgets.h"

namespace headlight {
namespace {

constexpr float kHeadChoiceWidth = 108;  // planned pixels

struct Area {
  ImVec2 at, size;
  ImVec2 end() const { return {at.x + size.x, at.y + size.y}; }
};

void draw_card_frame(const UiContext& ui, const Area& area, bool chosen) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = ui.theme.px(6);
  list.AddRectFilled(area.at, area.end(), to_imgui(ui.theme.panel), rounding);
  list.AddRect(area.at, area.end(), to_imgui(chosen ? ui.theme.accent : ui.theme.line), rounding, 0,
               std::max(1.0f, ui.theme.px(1)));
}

// Text at a place of its own, with an ellipsis rather than a cut at the card's edge.
void fitted_text(ImFont* font, ImVec2 at, float width, Color color, const std::string& text) {
  ImGui::PushFont(font);
  const std::string fitted = elided(text, width);
  ImGui::PopFont();
  ImGui::GetWindowDrawList()->AddText(font, font->FontSize, at, to_imgui(color), fitted.c_str());
}

std::vector<Index> shown_heads(const UiContext& ui, Stage stage) {
  std::vector<Index> heads;
  const Index count = stage_heads(ui.model(), stage);
  for (Index head = 0; head < count; ++head)
    if (count == 1 || !ui.view.head || *ui.view.head == head) heads.push_back(head);
  return heads;
}

// All shown heads of a stage in a grid that makes them as large as the area allows.
bool draw_heads(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area,
                const std::string& prefix, bool large) {
  const std::vector<Index> heads = shown_heads(ui, stage);
  const int count = static_cast<int>(heads.size());
  const float gap = ui.theme.px(large ? 12 : 4);
  const float caption = large && count > 1 ? ui.theme.fonts.label->FontSize + ui.theme.px(4) : 0;
  const float aspect = is_square(stage) ? 1.0f
                                        : std::clamp(static_cast<float>(stage_columns(ui.model(), stage)) /
                                                         static_cast<float>(ui.model().token_count()),
                                                     0.35f, 3.0f);
  const int columns = best_columns(count, area.size.x, area.size.y, gap, aspect);
  const int rows = (count + columns - 1) / columns;
  // Heads share one range of colours, so the last one of a row carries the bar for all.
  const float bar = large && columns > 1 ? ui.theme.px(46) : 0;
  const auto share = [&](float room, int parts) {
    return std::floor((room - gap * static_cast<float>(parts - 1)) / static_cast<float>(parts));
  };
  const ImVec2 cell = {share(area.size.x - bar, columns), share(area.size.y, rows)};
  bool opened = false;
  // The last picture is laid out first: the others take over the size of its cells.
  Rect cells_of_last;
  for (int i = count - 1; i >= 0; --i) {
    const Index head = heads[static_cast<std::size_t>(i)];
    const ImVec2 at = {area.at.x + static_cast<float>(i % columns) * (cell.x + gap),
                       area.at.y + static_cast<float>(i / columns) * (cell.y + gap)};
    if (caption > 0)
      fitted_text(ui.theme.fonts.label, at, cell.x, ui.theme.quiet_text, "head " + std::to_string(head + 1));
    ImGui::SetCursorScreenPos({at.x, at.y + caption});
    HeatmapSpot spot;
    spot.stage = stage;
    spot.head = head;
    spot.labels = large || (cell.x >= ui.theme.px(190) && cell.y >= ui.theme.px(150));
    const bool last = i % columns == columns - 1 || i == count - 1;
    spot.colorbar = large ? last : count == 1 && cell.x >= ui.theme.px(120);
    spot.name = prefix + std::string(stage_info(stage).name) + ".h" + std::to_string(head);
    spot.like = cells_of_last;
    const HeatmapResult result =
        heatmap_view(ui, state.cache, spot, {cell.x + (last ? bar : 0), cell.y - caption});
    opened |= result.double_clicked;
    if (large && i == count - 1) cells_of_last = result.cells;
  }
  return opened;
}

void card_menu(UiContext& ui, Stage stage) {
  const std::string name = "stage." + std::string(stage_info(stage).name);
  if (!ImGui::BeginPopup((name + ".popup").c_str())) return;
  if (ImGui::MenuItem("Open to full size")) ui.view.opened_stage = stage;
  ui.probe.mark(name + ".open");
  if (ImGui::MenuItem("Export as image…", "Ctrl+E")) ui.actions.push_back({Action::ExportStage, {}, stage});
  ui.probe.mark(name + ".export");
  ImGui::EndPopup();
}

// The ⋯ in a card's corner.
void menu_button(UiContext& ui, Stage stage, ImVec2 corner) {
  const std::string name = "stage." + std::string(stage_info(stage).name);
  const float size = ui.theme.px(20);
  ImGui::SetCursorScreenPos({corner.x - size - ui.theme.px(4), corner.y + ui.theme.px(4)});
  if (ImGui::InvisibleButton((name + ".menu").c_str(), {size, size}))
    ImGui::OpenPopup((name + ".popup").c_str());
  ui.probe.mark(name + ".menu");
  const bool hot = ImGui::IsItemHovered();
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hot) list.AddRectFilled(a, b, to_imgui(ui.theme.raised), ui.theme.px(4));
  for (int dot = -1; dot <= 1; ++dot)
    list.AddCircleFilled({(a.x + b.x) / 2 + static_cast<float>(dot) * ui.theme.px(5), (a.y + b.y) / 2},
                         ui.theme.px(1.5f), to_imgui(hot ? ui.theme.text : ui.theme.quiet_text));
  tooltip(ui, "Open to full size, or export as an image");
  card_menu(ui, stage);
}

void draw_card(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  const StageInfo& info = stage_info(stage);
  const std::string name = "stage." + std::string(info.name);
  ImGui::PushID(name.c_str());
  draw_card_frame(ui, area, ui.view.focused_stage == stage);
  const float pad = ui.theme.px(8), menu = ui.theme.px(24);
  const Fonts& fonts = ui.theme.fonts;
  const std::string shape = stage_shape_text(ui.model(), stage);
  const float shape_width = text_width(fonts.label, shape);
  const float text_room = area.size.x - 2 * pad - menu;
  const float line = fonts.text->FontSize + ui.theme.px(1);

  // The header takes clicks; the pictures below take their own.
  const float header = pad + line + fonts.label->FontSize + ui.theme.px(4);
  ImGui::SetCursorScreenPos(area.at);
  if (ImGui::InvisibleButton("header", {area.size.x - menu, header})) ui.view.focused_stage = stage;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    ui.view.opened_stage = stage;
  ui.probe.mark(name, shape);
  const std::string formula = stage_formula(ui.model(), stage);
  tooltip(ui, std::string(info.name) + ": " + formula + "\nshape " + shape +
                  "\nDouble-click opens it to full size");

  const ImVec2 at = {area.at.x + pad, area.at.y + ui.theme.px(6)};
  const float name_width = text_width(fonts.text, std::string(info.name));
  fitted_text(fonts.text, at, text_room, ui.theme.text, std::string(info.name));
  const bool shape_fits = name_width + shape_width + ui.theme.px(8) <= text_room;
  if (shape_fits)
    fitted_text(fonts.label,
                {area.end().x - pad - menu + ui.theme.px(4) - shape_width,
                 at.y + (fonts.text->FontSize - fonts.label->FontSize) * 0.7f},
                shape_width + 1, ui.theme.quiet_text, shape);
  const float room = area.size.x - 2 * pad;
  fitted_text(fonts.label, {at.x, at.y + line}, room, ui.theme.quiet_text, formula);
  if (!shape_fits && text_width(fonts.label, formula) + shape_width + ui.theme.px(8) <= room)
    fitted_text(fonts.label, {at.x + room - shape_width, at.y + line}, shape_width + 1, ui.theme.quiet_text,
                shape);

  const Area picture = {{area.at.x + pad, area.at.y + header},
                        {area.size.x - 2 * pad, area.size.y - header - pad}};
  if (draw_heads(ui, state, stage, picture, "stage.", false)) ui.view.opened_stage = stage;
  menu_button(ui, stage, {area.end().x, area.at.y});
  ImGui::PopID();
}

void draw_pipeline(UiContext& ui, StagesPanelState& state, const Area& area) {
  const float gap = ui.theme.px(8);
  const int columns = area.size.x >= ui.theme.px(940) && area.size.y < ui.theme.px(480) ? 6 : 4;
  const int rows = static_cast<int>(kStageCount) / columns;
  const ImVec2 cell = {
      std::floor((area.size.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
      std::floor((area.size.y - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows))};
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
    draw_card(ui, state, stage_table()[i].stage,
              {{area.at.x + static_cast<float>(column) * (cell.x + gap),
                area.at.y + static_cast<float>(row) * (cell.y + gap)},
               cell});
  }
}

// "all 1 2 3": which heads are drawn.
void head_choice(UiContext& ui, Stage stage) {
  const Index count = stage_heads(ui.model(), stage);
  if (count < 2) return;
  std::vector<Choice> choices = {{"all", "all heads", "every head, side by side"}};
  for (Index head = 0; head < count; ++head) {
    const std::string number = std::to_string(head + 1);
    choices.push_back({number, "head " + number, ""});
  }
  const std::size_t current = ui.view.head ? static_cast<std::size_t>(*ui.view.head) + 1 : 0;
  const auto chosen = choice_box(ui, "stages.heads", choices, std::min(current, choices.size() - 1),
                                 kHeadChoiceWidth * ui.theme.scale, "Which heads the pictures show");
  if (!chosen) return;
  if (*chosen == 0)
    ui.view.head.reset();
  else
    ui.view.head = static_cast<Index>(*chosen) - 1;
}

void draw_focus_header(UiContext& ui, Stage stage, const Area& area, bool opened) {
  const Fonts& fonts = ui.theme.fonts;
  const float pad = ui.theme.px(12), line = ImGui::GetFrameHeight();
  const std::string name(stage_info(stage).name);
  const float baseline = area.at.y + pad;
  float x = area.at.x + pad;
  fitted_text(fonts.title, {x, baseline + (line - fonts.title->FontSize) / 2}, area.size.x, ui.theme.text,
              name);
  x += text_width(fonts.title, name) + ui.theme.px(12);

  const bool choice = stage_heads(ui.model(), stage) > 1;
  const std::string close = opened ? "Back" : "Full size", save = "Export…";
  const float gap = ui.theme.px(8), button_pad = 2 * ImGui::GetStyle().FramePadding.x;
  const float buttons = text_width(fonts.text, close) + text_width(fonts.text, save) + 2 * button_pad + gap +
                        (choice ? kHeadChoiceWidth * ui.theme.scale + gap : 0);
  const bool updating =
      ui.answer && ui.answer->revision != ui.document.revision() && ui.answer->compute_ms > 100;
  std::string detail = stage_formula(ui.model(), stage) + "   ·   " + stage_shape_text(ui.model(), stage);
  if (updating) detail += "   ·   updating…";
  fitted_text(fonts.label, {x, baseline + (line - fonts.label->FontSize) / 2},
              std::max(0.0f, area.end().x - pad - buttons - gap - x), ui.theme.quiet_text, detail);

  ImGui::SetCursorScreenPos({area.end().x - pad - buttons, baseline});
  head_choice(ui, stage);
  if (choice) ImGui::SameLine(0, gap);
  if (tool_button(ui, opened ? "focus.close" : "focus.open", close,
                  opened ? "Back to the whole pipeline (Escape)" : "Open this stage to full size", true))
    ui.view.opened_stage = opened ? std::nullopt : std::optional<Stage>(stage);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "focus.export", save, "Save this picture as an image (Ctrl+E)"))
    ui.actions.push_back({Action::ExportStage, {}, stage});
}

void draw_focus(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened) {
  draw_card_frame(ui, area, false);
  draw_focus_header(ui, stage, area, opened);
  const float pad = ui.theme.px(12), header = pad + ImGui::GetFrameHeight() + ui.theme.px(8);
  draw_heads(ui, state, stage,
             {{area.at.x + pad, area.at.y + header}, {area.size.x - 2 * pad, area.size.y - header - pad}},
             "focus.", true);
}

// Where the pipeline has no room: one stage at a time, chosen from a list.
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
  head_choice(ui, ui.view.focused_stage);
  const float header = pad + ImGui::GetFrameHeight() + ui.theme.px(4);
  draw_heads(ui, state, ui.view.focused_stage,
             {{area.at.x + pad, area.at.y + header}, {area.size.x - 2 * pad, area.size.y - header - pad}},
             "focus.", true);
}

}  // namespace

int best_columns(int count, float width, float height, float gap, float aspect) {
  int best = 1;
  float best_size = -1;
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const float w = (width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float h = (height - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
    const float size = std::min(w, h * aspect);
    if (size > best_size * 1.01f) {
      best_size = size;
      best = columns;
    }
  }
  return best;
}

void stages_panel(UiContext& ui, StagesPanelState& state) {
  const Area all = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
  if (all.size.y < ui.theme.px(440) || all.size.x < ui.theme.px(440)) {
    small_stages(ui, state, all);
    return;
  }
  if (ui.view.opened_stage) {
    if (key_pressed(Key::Escape) && !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) &&
        !ImGui::IsAnyItemActive()) {
      ui.view.opened_stage.reset();
    } else {
      draw_focus(ui, state, *ui.view.opened_stage, all, true);
      return;
    }
  }
  const float edge = ui.theme.px(8);
  float pipeline = std::floor(all.size.y * state.pipeline_share);
  draw_pipeline(ui, state, {all.at, {all.size.x, pipeline}});
  ImGui::SetCursorScreenPos({all.at.x, all.at.y + pipeline});
  splitter(ui, "stages.splitter", false, all.size.x, pipeline, std::min(ui.theme.px(240), all.size.y * 0.5f),
           all.size.y * 0.75f);
  state.pipeline_share = pipeline / std::max(all.size.y, 1.0f);
  draw_focus(ui, state, ui.view.focused_stage,
             {{all.at.x, all.at.y + pipeline + edge}, {all.size.x, all.size.y - pipeline - edge}}, false);
}

}  // namespace headlight
