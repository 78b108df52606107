// The rows for the figure's size, resolution, font and background.
#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/export/option_text.h"
#include "app/ui/dialogs/export_rows.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kNumberWidth = 60, kUnitWidth = 56, kFontWidth = 172, kPresetWidth = 200;

std::string number_text_of(double value) {
  std::string text = length_text({std::round(value * 100) / 100, LengthUnit::Pixels});
  return text.substr(0, text.size() - unit_name(LengthUnit::Pixels).size());
}

// A text field with a red border and a tooltip if it has a fault.
bool field(const UiContext& ui, const ExportDialogState& state, const char* name, const char* fault,
           std::string& text, float width, const char* hint, const std::string& tip) {
  const bool bad = state.fault.field == fault;
  ImGui::SetNextItemWidth(width);
  if (bad) ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.error));
  const bool edited = text_entry(ui, name, text, kMostQuery, hint);
  if (bad) ImGui::PopStyleColor();
  ui.probe.mark(name, text);
  if (bad && ImGui::IsItemActive()) {
    ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.theme.px(4)});
    show_tooltip(ui, state.fault.text);
  } else {
    tooltip(ui, bad ? state.fault.text : tip);
  }
  return edited;
}

void preset_row(UiContext& ui, ExportDialogState& state) {
  ExportSettings& settings = state.settings;
  const FigurePreset* preset = figure_preset(settings.preset);
  std::vector<Choice> choices;
  std::size_t now = 0;
  for (const FigurePreset& each : figure_preset_table()) {
    if (&each == preset) now = choices.size();
    choices.push_back({std::string(each.id), std::string(each.name), std::string(each.what)});
  }
  // Choosing the changed preset again restores it.
  if (!follows_preset(settings.options, *preset)) {
    now = choices.size();
    choices.push_back(
        {"changed", std::string(preset->name) + ", changed", "The preset with what was changed since"});
  }
  row_label(ui, "preset");
  const auto chosen = choice_box(ui, "dialog.preset", choices, now, ui.theme.px(kPresetWidth),
                                 "Size, resolution, type and ground for a use");
  if (!chosen || *chosen >= figure_preset_table().size()) return;
  const FigurePreset& taken = figure_preset_table()[*chosen];
  settings.preset = taken.id;
  apply_preset(settings.options, taken);
  if (taken.ground == Ground::White) settings.options.theme = StyleKind::Light;
  if (taken.width) state.unit = taken.width->unit;
  show_options(state);
}

void read_length(std::optional<Length>& length, const std::string& text, LengthUnit unit) {
  if (text.empty()) length.reset();
  if (const auto value = number_in(text)) length = Length{*value, unit};
}

// The same size in another unit.
void change_unit(ExportDialogState& state, LengthUnit unit) {
  FigureOptions& options = state.settings.options;
  for (std::optional<Length>* length : {&options.width, &options.height, &options.cell}) {
    if (!*length) continue;
    const double px = planned_px(**length, options, FigureFormat::Png);
    const double per_unit = planned_px({1, unit}, options, FigureFormat::Png);
    *length = Length{std::round(px / per_unit * 100) / 100, unit};
  }
  state.unit = unit;
  show_options(state);
}

void size_row(UiContext& ui, ExportDialogState& state) {
  static const std::vector<Choice> kUnits = {{"px", "px", "Pixels: of a PNG its own, else 1/96 inch"},
                                             {"mm", "mm", "Millimetres"},
                                             {"in", "in", "Inches"},
                                             {"cm", "cm", "Centimetres"},
                                             {"pt", "pt", "Points: 1/72 inch"}};
  FigureOptions& options = state.settings.options;
  const float width = ui.theme.px(kNumberWidth);
  row_label(ui, "size");
  if (field(ui, state, "dialog.width", "width", state.texts.width, width, "auto",
            "The figure's width; empty: as wide as it needs to be"))
    read_length(options.width, state.texts.width, state.unit);
  ImGui::SameLine(0, ui.theme.px(4));
  quiet_text(ui, "×");
  ImGui::SameLine(0, ui.theme.px(4));
  if (field(ui, state, "dialog.height", "height", state.texts.height, width, "auto",
            "The figure's height; empty: as high as it needs to be"))
    read_length(options.height, state.texts.height, state.unit);
  ImGui::SameLine(0, ui.theme.px(4));
  const auto unit = choice_box(ui, "dialog.unit", kUnits, static_cast<std::size_t>(state.unit),
                               ui.theme.px(kUnitWidth), "The unit of all three");
  if (unit) change_unit(state, static_cast<LengthUnit>(*unit));
  next_in_row(ui, width + ui.theme.px(40));
  quiet_text(ui, "cells");
  ImGui::SameLine(0, ui.theme.px(4));
  if (field(ui, state, "dialog.cell", "cell", state.texts.cell, width, "auto",
            "The side of each cell, equal in all figures, in place of the figure's size"))
    read_length(options.cell, state.texts.cell, state.unit);
}

void resolution_row(UiContext& ui, ExportDialogState& state) {
  FigureOptions& options = state.settings.options;
  const bool pixels = export_format(state) == FileFormat::Png;
  row_label(ui, "dpi");
  ImGui::BeginDisabled(!pixels);
  if (field(ui, state, "dialog.dpi", "dpi", state.texts.dpi, ui.theme.px(kNumberWidth), "",
            "Pixels of the PNG per inch"))
    options.dpi = number_in(state.texts.dpi).value_or(options.dpi);
  ImGui::EndDisabled();
  for (const int scale : {1, 2, 4}) {
    const std::string text = std::to_string(scale);
    ImGui::SameLine(0, ui.theme.px(4));
    if (!tool_button(ui, "dialog.scale." + text, text + "×", "Pixels of the file for each pixel of the plan",
                     pixels, options.dpi == 96 * scale))
      continue;
    options.dpi = 96 * scale;
    show_options(state);
  }
}

// Font families common in figures that are installed on the machine.
std::vector<Choice> usual_fonts(const ExportDialogState& state) {
  std::vector<Choice> choices = {{"usual", "usual", "Inter, and DejaVu Sans Mono for numbers"}};
  for (const char* family :
       {"Inter", "Arial", "Helvetica", "Liberation Sans", "Nimbus Sans", "Noto Sans", "Source Sans 3",
        "DejaVu Sans", "TeX Gyre Heros", "Latin Modern Sans", "Times New Roman", "Liberation Serif",
        "Nimbus Roman", "TeX Gyre Termes", "STIX Two Text", "Noto Serif", "DejaVu Serif",
        "Latin Modern Roman", "CMU Serif"})
    if (std::find(state.fonts.begin(), state.fonts.end(), family) != state.fonts.end())
      choices.push_back({family, family, ""});
  for (const char* generic : {"sans", "serif", "monospace"})
    choices.push_back({generic, generic, "As the machine has it set"});
  return choices;
}

void font_row(UiContext& ui, ExportDialogState& state) {
  FigureOptions& options = state.settings.options;
  row_label(ui, "font");
  field(ui, state, "dialog.font", "font", options.font, ui.theme.px(kFontWidth), "the usual",
        "A family for all text; empty: Inter, and DejaVu Sans Mono for numbers");
  ImGui::SameLine(0, 0);
  if (ImGui::ArrowButton("##dialog.fonts", ImGuiDir_Down)) ImGui::OpenPopup("##fonts");
  ui.probe.mark("dialog.fonts");
  tooltip(ui, "Families of this machine that suit figures");
  if (ImGui::BeginPopup("##fonts")) {
    for (const Choice& choice : usual_fonts(state)) {
      const bool usual = choice.id == "usual";
      if (ImGui::Selectable(choice.label.c_str(), options.font == (usual ? "" : choice.id)))
        options.font = usual ? "" : choice.id;
      ui.probe.mark("dialog.fonts." + choice.id);
      tooltip(ui, choice.tooltip);
    }
    ImGui::EndPopup();
  }
  next_in_row(ui, ui.theme.px(kNumberWidth) + ui.theme.px(24));
  if (field(ui, state, "dialog.font_size", "font size", state.texts.font_size, ui.theme.px(kNumberWidth - 16),
            "", "Of labels and numbers in points; the title is half as large again"))
    options.font_size_pt = number_in(state.texts.font_size).value_or(options.font_size_pt);
  ImGui::SameLine(0, ui.theme.px(4));
  quiet_text(ui, "pt");
}

void ground_row(UiContext& ui, FigureOptions& options) {
  row_label(ui, "ground");
  const bool clear = options.ground == Ground::Transparent;
  const bool dark = figure_style(options).background == FigureStyle::dark().background;
  if (tool_button(ui, "dialog.theme.light", "white",
                  clear ? "Text that can be read on a white ground" : "For print", true, !dark)) {
    options.theme = StyleKind::Light;
    if (!clear) options.ground = Ground::White;
  }
  ImGui::SameLine(0, ui.theme.px(4));
  if (tool_button(ui, "dialog.theme.dark", "dark",
                  clear ? "Text that can be read on a dark ground" : "As on a dark screen", true, dark)) {
    options.theme = StyleKind::Dark;
    if (!clear) options.ground = Ground::Dark;
  }
  ImGui::SameLine(0, ui.theme.px(8));
  bool transparent = clear;
  if (check_box(ui, "dialog.transparent", "transparent", transparent,
                "No ground: what lies behind the figure shows through"))
    options.ground = transparent                        ? Ground::Transparent
                     : options.theme == StyleKind::Dark ? Ground::Dark
                                                        : Ground::White;
}

// The first field whose text is not a number.
ExportFault unread_field(const ExportDialogState& state) {
  const ExportTexts& texts = state.texts;
  struct Field {
    const char* name;
    const std::string* text;
    bool may_be_empty;
  };
  const bool by_hand =
      state.settings.range_chosen && state.settings.options.colors.range == RangeKind::ByHand;
  static const std::string kNothing;
  for (const Field& one : {Field{"width", &texts.width, true}, Field{"height", &texts.height, true},
                           Field{"cell", &texts.cell, true}, Field{"dpi", &texts.dpi, false},
                           Field{"font size", &texts.font_size, false},
                           Field{"range", by_hand ? &texts.low : &kNothing, !by_hand},
                           Field{"range", by_hand ? &texts.high : &kNothing, !by_hand}})
    if (!(one.may_be_empty && one.text->empty()) && !number_in(*one.text))
      return {one.name, "“" + *one.text + "” is no number: write it as 12 or 0.5"};
  return {};
}

}  // namespace

void show_options(ExportDialogState& state) {
  const FigureOptions& options = state.settings.options;
  const auto length = [](const std::optional<Length>& side) {
    return side ? number_text_of(side->value) : std::string();
  };
  state.texts.width = length(options.width);
  state.texts.height = length(options.height);
  state.texts.cell = length(options.cell);
  state.texts.dpi = number_text_of(options.dpi);
  state.texts.font_size = number_text_of(options.font_size_pt);
  state.texts.low = number_text_of(options.colors.low);
  state.texts.high = number_text_of(options.colors.high);
  state.texts.panel_title = options.panel_title.value_or("");
}

void check_fields(const UiContext& ui, ExportDialogState& state) {
  state.fault = unread_field(state);
  if (!state.fault.text.empty()) return;
  try {
    chosen_part(state.choice.part, ui.layer());
    check_options(figure_options(state.settings, ui, state.choice), state.choice.part.stage);
  } catch (const Error& error) {
    state.fault = {error.where(), error.summary() + ": " + error.hint()};
  }
}

void draw_page_rows(UiContext& ui, ExportDialogState& state) {
  preset_row(ui, state);
  size_row(ui, state);
  resolution_row(ui, state);
  font_row(ui, state);
  ground_row(ui, state.settings.options);
}

}  // namespace headlight
