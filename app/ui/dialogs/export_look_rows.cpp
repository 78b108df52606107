// The rows for the figure's colours, titles and parts.
#include <algorithm>

#include <imgui.h>

#include "app/export/option_text.h"
#include "app/ui/dialogs/export_rows.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kMapWidth = 140, kRangeWidth = 140, kEndWidth = 72, kDecimalsWidth = 148, kLinesWidth = 148,
                kPanelsWidth = 104;
constexpr std::size_t kMostPanelColumns = 8;  // entries in the list
constexpr int kMostDecimals = 8;

void map_choice(UiContext& ui, StageColors& colors) {
  std::vector<Choice> choices = {{"screen", "as on screen", "The map that the window shows"}};
  std::size_t now = 0;
  for (const ColormapInfo& info : colormap_table()) {
    if (colors.map == info.kind) now = choices.size();
    choices.push_back({std::string(info.id), std::string(info.name), std::string(info.what)});
  }
  const auto chosen = choice_box(ui, "dialog.map", choices, now, ui.theme.px(kMapWidth), "The colour map");
  if (!chosen) return;
  colors.map.reset();
  if (*chosen > 0) colors.map = colormap_table()[*chosen - 1].kind;
}

void range_choice(UiContext& ui, ExportDialogState& state) {
  ExportSettings& settings = state.settings;
  std::vector<Choice> choices = {{"screen", "as on screen", "The range that the window shows"}};
  std::vector<RangeKind> kinds = {RangeKind::Whole};
  std::size_t now = 0;
  for (const RangeKindInfo& info : range_kind_table()) {
    if (!range_allowed(info.kind, state.choice.part.stage)) continue;
    if (settings.range_chosen && settings.options.colors.range == info.kind) now = choices.size();
    choices.push_back({std::string(info.id), std::string(info.name), std::string(info.what)});
    kinds.push_back(info.kind);
  }
  next_in_row(ui, ui.theme.px(kRangeWidth));
  const auto chosen =
      choice_box(ui, "dialog.range", choices, now, ui.theme.px(kRangeWidth), "What the colours span");
  if (!chosen) return;
  settings.range_chosen = *chosen > 0;
  settings.options.colors.range = kinds[*chosen];
  settings.options.colors.without_first = ui.view.picture.colors_of(state.choice.part.stage).without_first;
}

void range_end(UiContext& ui, ExportDialogState& state, const char* name, std::string& text, double& value) {
  const bool bad = state.fault.field == "range";
  ImGui::SetNextItemWidth(ui.theme.px(kEndWidth));
  if (bad) ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.error));
  if (text_entry(ui, name, text, kMostNumber)) value = number_in(text).value_or(value);
  if (bad) ImGui::PopStyleColor();
  ui.probe.mark(name, text);
  tooltip(ui, bad ? state.fault.text : "From here to there; what lies beyond has the colour of the end");
}

void color_rows(UiContext& ui, ExportDialogState& state) {
  ExportSettings& settings = state.settings;
  row_label(ui, "colours");
  map_choice(ui, settings.options.colors);
  range_choice(ui, state);
  const bool by_hand = settings.range_chosen && settings.options.colors.range == RangeKind::ByHand;
  if (by_hand) {
    row_label(ui, "from, to");
    range_end(ui, state, "dialog.low", state.texts.low, settings.options.colors.low);
    ImGui::SameLine(0, ui.theme.px(4));
    range_end(ui, state, "dialog.high", state.texts.high, settings.options.colors.high);
    return;
  }
  const bool several = figure_kind_info(state.choice.kind).own_maps && !state.choice.part.heads &&
                       stage_heads(ui.layer(), state.choice.part.stage) > 1;
  if (!several) return;
  row_label(ui, "");
  const StageColors& on_screen = ui.view.picture.colors_of(state.choice.part.stage);
  bool shared = settings.range_chosen ? settings.options.colors.shared : on_screen.shared;
  if (!check_box(ui, "dialog.shared", "one range for all heads", shared,
                 "Off: each head has a range and a colour bar of its own"))
    return;
  if (!settings.range_chosen) {
    const auto map = settings.options.colors.map;
    settings.options.colors = on_screen;
    settings.options.colors.map = map;
    settings.range_chosen = true;
  }
  settings.options.colors.shared = shared;
}

void decimals_row(UiContext& ui, ExportSettings& settings) {
  std::vector<Choice> choices = {
      {"screen", std::to_string(ui.view.picture.decimals) + ", as on screen", "As the window shows numbers"}};
  for (int i = 0; i <= kMostDecimals; ++i)
    choices.push_back({std::to_string(i), std::to_string(i), ""});
  row_label(ui, "decimals");
  const auto chosen = choice_box(ui, "dialog.decimals", choices,
                                 settings.decimals ? static_cast<std::size_t>(*settings.decimals) + 1 : 0,
                                 ui.theme.px(kDecimalsWidth), "Of the numbers in the cells");
  if (!chosen) return;
  settings.decimals.reset();
  if (*chosen > 0) settings.decimals = static_cast<int>(*chosen) - 1;
}

// nullopt for "": the figure's own title.
std::optional<std::string> own_words(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// Whether the title is shown, and its text: custom or the figure's own.
void title_row(UiContext& ui, const char* name, const char* label, std::string& text,
               std::optional<std::string>& option) {
  const bool none = option && option->empty();
  bool shown = !none;
  row_label(ui, label);
  if (check_box(ui, std::string(name) + ".shown", "", shown, "Whether it is shown"))
    option = shown ? own_words(text) : std::optional<std::string>("");
  ImGui::SameLine(0, ui.theme.px(4));
  ImGui::BeginDisabled(!shown);
  ImGui::SetNextItemWidth(-1);
  if (text_entry(ui, name, text, kMostLabel, "the figure's own")) option = own_words(text);
  ui.probe.mark(name, text, shown);
  ImGui::EndDisabled();
}

void part_rows(UiContext& ui, FigureOptions& options) {
  static const std::vector<Choice> kLines = {{"auto", "lines where room", "Between large cells"},
                                             {"on", "lines", "Between all cells"},
                                             {"off", "no lines", "Between no cells"}};
  row_label(ui, "parts");
  check_box(ui, "dialog.labels", "labels", options.labels, "The tokens beside rows and columns");
  ImGui::SameLine(0, ui.theme.px(10));
  check_box(ui, "dialog.axes", "axis names", options.axis_names, "“query” and “key”");
  ImGui::SameLine(0, ui.theme.px(10));
  check_box(ui, "dialog.bar", "colour bar", options.color_bar, "Which colour is which number");
  row_label(ui, "");
  check_box(ui, "dialog.numbers", "numbers", options.numbers, "In the cells, where they have room");
  ImGui::SameLine(0, ui.theme.px(10));
  if (const auto chosen = choice_box(ui, "dialog.lines", kLines, static_cast<std::size_t>(options.grid_lines),
                                     ui.theme.px(kLinesWidth), "Lines between the cells"))
    options.grid_lines = grid_lines_in(kLines[*chosen].id);
  ImGui::SameLine(0, ui.theme.px(10));
  check_box(ui, "dialog.columns_below", "names below", options.columns_below,
            "The columns' labels stand below the cells; off: above them");
}

bool has_panels(const UiContext& ui, const ExportDialogState& state) {
  const FigureChoice& choice = state.choice;
  switch (choice.kind) {
    case FigureKind::Pipeline:
    case FigureKind::Compare:
      return true;
    case FigureKind::Flow:
    case FigureKind::Row:
      return false;
    case FigureKind::Heads:
      break;
  }
  const auto& heads = choice.part.heads;
  const auto count = static_cast<std::size_t>(stage_heads(ui.layer(), choice.part.stage));
  return (heads ? heads->size() : count) > 1;
}

// The arrangement of several heatmaps, and the title above each.
void panel_rows(UiContext& ui, ExportDialogState& state) {
  if (!has_panels(ui, state)) return;
  FigureOptions& options = state.settings.options;
  std::vector<Choice> choices = {{"auto", "auto", "As many side by side as suits the page"}};
  for (std::size_t i = 1; i <= kMostPanelColumns; ++i)
    choices.push_back({std::to_string(i), std::to_string(i) + " per line", ""});
  row_label(ui, "panels");
  const auto chosen =
      choice_box(ui, "dialog.panel_columns", choices, std::min(options.panel_columns, kMostPanelColumns),
                 ui.theme.px(kPanelsWidth), "How many heatmaps stand side by side");
  if (chosen) options.panel_columns = *chosen;
  ImGui::SameLine(0, ui.theme.px(4));
  const bool bad = state.fault.field == "panel title";
  ImGui::SetNextItemWidth(-1);
  if (bad) ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.error));
  if (text_entry(ui, "dialog.panel_title", state.texts.panel_title, kMostLabel, "title, as L{layer}H{head}"))
    options.panel_title = own_words(state.texts.panel_title);
  if (bad) ImGui::PopStyleColor();
  ui.probe.mark("dialog.panel_title", state.texts.panel_title);
  tooltip(
      ui,
      bad ? state.fault.text
          : "Above each heatmap: {head} and {sequence} count from 0, {stage}, {title}, and {layer}, which is "
            "0 but of a whole model");
}

}  // namespace

void draw_look_rows(UiContext& ui, ExportDialogState& state) {
  color_rows(ui, state);
  decimals_row(ui, state.settings);
  title_row(ui, "dialog.title", "title", state.texts.title, state.settings.options.title);
  title_row(ui, "dialog.subtitle", "subtitle", state.texts.subtitle, state.settings.options.subtitle);
  panel_rows(ui, state);
  part_rows(ui, state.settings.options);
}

}  // namespace headlight
