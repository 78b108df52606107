#include "app/ui/dialogs/export_settings.h"

#include "app/export/option_text.h"
#include "app/figure/plan/row_plan.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/picture/map_view.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

struct Switch {
  const char* word;
  bool FigureOptions::*on;
};
constexpr Switch kSwitches[] = {{"labels", &FigureOptions::labels},
                                {"axes", &FigureOptions::axis_names},
                                {"bar", &FigureOptions::color_bar},
                                {"numbers", &FigureOptions::numbers}};

struct GroundName {
  Ground ground;
  const char* word;
};
constexpr GroundName kGrounds[] = {
    {Ground::White, "white"}, {Ground::Dark, "dark"}, {Ground::Transparent, "transparent"}};

void read_number(const ExportSettingsMap& words, const char* word, double& value) {
  const auto found = words.find(word);
  if (found == words.end()) return;
  const auto number = number_in(found->second);
  if (!number) return;
  value = *number;
}

void read_look(const ExportSettingsMap& words, FigureOptions& options) {
  for (const auto& [ground, word] : kGrounds)
    if (const auto found = words.find("background"); found != words.end() && found->second == word)
      options.ground = ground;
  if (const auto found = words.find("text_on"); found != words.end()) {
    if (found->second == "dark") options.theme = StyleKind::Dark;
    if (found->second == "light") options.theme = StyleKind::Light;
  }
  for (const Switch& part : kSwitches)
    if (const auto found = words.find(part.word); found != words.end())
      options.*part.on = found->second != "off";
  if (const auto found = words.find("grid_lines"); found != words.end())
    options.grid_lines = grid_lines_in(found->second);
  if (const auto found = words.find("colormap"); found != words.end())
    for (const ColormapInfo& info : colormap_table())
      if (found->second == info.id) options.colors.map = info.kind;
  options.columns_below = words.contains("columns_below");
  if (words.contains("no_title")) options.title = "";
  if (words.contains("no_subtitle")) options.subtitle = "";
}

std::vector<std::pair<Stage, std::string_view>> pair_stages() {
  std::vector<std::pair<Stage, std::string_view>> stages;
  for (const StageInfo& info : stage_table())
    if (is_pair(info.stage)) stages.emplace_back(info.stage, info.name);
  return stages;
}

// The arrangement of several heatmaps, and the stages of a row figure.
void read_panels(const ExportSettingsMap& words, FigureOptions& options) {
  double columns = 0;
  read_number(words, "panel_columns", columns);
  if (columns >= 1 && columns <= 1000) options.panel_columns = static_cast<std::size_t>(columns);
  if (const auto found = words.find("panel_title"); found != words.end()) options.panel_title = found->second;
  if (const auto found = words.find("row_stages"); found != words.end())
    for (const auto& [stage, name] : pair_stages())
      if ((" " + found->second + " ").find(" " + std::string(name) + " ") != std::string::npos)
        options.row_stages.push_back(stage);
}

// Whether a figure can have these settings; if not, the defaults stay.
bool possible(const FigureOptions& options) {
  try {
    check_options(options, Stage::Weights);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void read_page(const ExportSettingsMap& words, FigureOptions& options) {
  FigureOptions read = options;
  read_panels(words, read);
  read_number(words, "dpi", read.dpi);
  read_number(words, "font_size", read.font_size_pt);
  if (const auto found = words.find("width"); found != words.end()) read.width = length_in(found->second);
  if (const auto found = words.find("height"); found != words.end()) read.height = length_in(found->second);
  if (const auto found = words.find("cell"); found != words.end()) read.cell = length_in(found->second);
  if (const auto found = words.find("font"); found != words.end()) read.font = found->second;
  if (possible(read)) options = read;
}

}  // namespace

ExportSettingsMap export_settings_text(const ExportSettings& settings) {
  const FigureOptions& options = settings.options;
  ExportSettingsMap words = {{"preset", settings.preset},
                             {"format", std::string(file_format_info(settings.format).id)},
                             {"dpi", shortest_digits(options.dpi)},
                             {"font_size", shortest_digits(options.font_size_pt)},
                             {"text_on", options.theme == StyleKind::Dark ? "dark" : "light"},
                             {"grid_lines", grid_lines_text(options.grid_lines)}};
  if (options.width) words["width"] = length_text(*options.width);
  if (options.height) words["height"] = length_text(*options.height);
  if (options.cell) words["cell"] = length_text(*options.cell);
  if (!options.font.empty()) words["font"] = options.font;
  for (const auto& [ground, word] : kGrounds)
    if (options.ground == ground) words["background"] = word;
  for (const Switch& part : kSwitches)
    if (!(options.*part.on)) words[part.word] = "off";
  if (options.colors.map)
    words["colormap"] = colormap_table()[static_cast<std::size_t>(*options.colors.map)].id;
  if (settings.range_chosen) {
    words["range"] = range_text(options.colors);
    if (!options.colors.shared) words["own_range"] = "on";
  }
  if (settings.decimals) words["decimals"] = std::to_string(*settings.decimals);
  if (options.columns_below) words["columns_below"] = "on";
  if (options.panel_columns > 0) words["panel_columns"] = std::to_string(options.panel_columns);
  if (options.panel_title) words["panel_title"] = *options.panel_title;
  for (const Stage stage : options.row_stages) {
    std::string& names = words["row_stages"];
    names += (names.empty() ? "" : " ") + std::string(stage_info(stage).name);
  }
  if (options.title == std::string()) words["no_title"] = "on";
  if (options.subtitle == std::string()) words["no_subtitle"] = "on";
  if (!settings.folder.empty()) words["folder"] = settings.folder.string();
  return words;
}

ExportSettings export_settings(const ExportSettingsMap& words, StyleKind theme) {
  ExportSettings settings;
  settings.options.theme = theme;
  if (const auto found = words.find("preset"); found != words.end() && figure_preset(found->second))
    settings.preset = found->second;
  if (const auto found = words.find("format"); found != words.end())
    if (const FileFormatInfo* info = file_format_by_id(found->second)) settings.format = info->format;
  read_look(words, settings.options);
  read_page(words, settings.options);
  if (const auto found = words.find("range"); found != words.end()) {
    StageColors colors = settings.options.colors;
    settings.range_chosen =
        read_range(found->second, colors) && (colors.range != RangeKind::ByHand || colors.low < colors.high);
    colors.shared = !words.contains("own_range");
    if (settings.range_chosen) settings.options.colors = colors;
  }
  double decimals = -1;
  read_number(words, "decimals", decimals);
  if (decimals >= 0 && decimals <= 8) settings.decimals = static_cast<int>(decimals);
  if (const auto found = words.find("folder"); found != words.end()) settings.folder = found->second;
  return settings;
}

// Whether the heatmaps on screen have numbers in their cells, also in more than kMostNumbered rows.
static bool shows_numbers(const UiContext& ui, const FigureChoice& choice) {
  return figure_kind_info(choice.kind).own_maps && ui.view.picture.numbered &&
         choice.part.stage == large_stage(ui.view);
}

FigureOptions figure_options(const ExportSettings& settings, const UiContext& ui,
                             const FigureChoice& choice) {
  FigureOptions options = settings.options;
  // Each stage of a pipeline has its own colours: those of one stage on screen do not apply to all.
  StageColors colors = figure_kind_info(choice.kind).every_stage
                           ? StageColors{}
                           : ui.view.picture.colors_of(choice.part.stage);
  if (settings.options.colors.map) colors.map = settings.options.colors.map;
  if (settings.range_chosen) {
    const auto map = colors.map;
    colors = settings.options.colors;
    colors.map = map;
  }
  if (!range_allowed(colors.range, choice.part.stage)) colors.range = RangeKind::Whole;
  options.colors = colors;
  if (!figure_kind_info(choice.kind).cells) options.cell.reset();
  options.decimals = settings.decimals.value_or(ui.view.picture.decimals);
  options.many_numbers = settings.decimals.has_value() || shows_numbers(ui, choice);
  options.counting = ui.counting();
  options.percent = ui.percent();
  options.kept_and_now = true;
  if (const auto& work = ui.view.model.work) {
    options.layer = work->layer.layer;
    options.place = shown_layer(ui);
    options.text = work->text;
  }
  const ViewState& view = ui.view;
  if (view.selection.cell && view.selection.cell->sequence == choice.part.sequence) {
    options.chosen_row = view.selection.cell->row;
    options.chosen_column = view.selection.cell->column;
    options.chosen_columns = stage_info(view.selection.cell->stage).columns;
  }
  return options;
}

}  // namespace headlight
