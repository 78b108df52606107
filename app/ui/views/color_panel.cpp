#include "app/ui/views/color_panel.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/cell_legend.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/tile_source.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_fit.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr float kPanelWidth = 456, kLabelColumn = 72, kStripWidth = 36, kFieldWidth = 84,
                kButtonWidth = 40;  // planned pixels
constexpr int kMostDecimals = 8;
constexpr const char* kPopup = "colours";

void row_label(const UiContext& ui, const char* label) {
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, label);
  ImGui::SameLine(left + ui.theme.px(kLabelColumn));
}

void draw_color_strip(const UiContext& ui, const Colormap& map, ImVec2 at, ImVec2 size) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  constexpr int kSteps = 28;
  for (int i = 0; i < kSteps; ++i) {
    const float left = at.x + std::round(size.x * static_cast<float>(i) / kSteps);
    const float right = at.x + std::round(size.x * static_cast<float>(i + 1) / kSteps);
    list.AddRectFilled({left, at.y}, {right, at.y + size.y}, to_imgui(map.at((i + 0.5) / kSteps)));
  }
  list.AddRect(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.line));
}

// The colour map in use: the chosen one, else the default one.
ColormapKind shown_map(const UiContext& ui, const StageColors& colors, Stage stage) {
  return colormap_of(picture_colors(colors, stage, shown_numbers(ui, stage, std::nullopt, colors).range),
                     stage);
}

// A colour map as a strip of its colours and its name.
void map_choice(UiContext& ui, StageColors& colors, Stage stage, const ColormapInfo& info, float width) {
  const std::string name = "colours.map." + std::string(info.id);
  const bool chosen = shown_map(ui, colors, stage) == info.kind;
  const bool own = shown_map(ui, {}, stage) == info.kind;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {width, ImGui::GetFrameHeight()};
  if (click_area(name.c_str(), size)) colors.map = own ? std::nullopt : std::optional(info.kind);
  ui.probe.mark(name, chosen ? "on" : "off");
  const bool hot = ImGui::IsItemHovered();
  tooltip(ui, std::string(info.what) + (own ? "; the stage's own" : ""));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = ui.theme.px(4), pad = ui.theme.px(6);
  if (chosen || hot)
    list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.raised), rounding);
  if (chosen)
    list.AddRect(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.primary), rounding, 0,
                 std::max(1.0f, ui.theme.px(1)));
  const float high = ui.theme.px(12);
  draw_color_strip(ui, Colormap::of(info.kind, ui.theme.figure.neutral),
                   {at.x + pad, at.y + std::floor((size.y - high) / 2)}, {ui.theme.px(kStripWidth), high});
  ImFont* font = ui.theme.fonts.label;
  list.AddText(font, font_size(font),
               {at.x + 2 * pad + ui.theme.px(kStripWidth), at.y + (size.y - font_size(font)) / 2},
               to_imgui(ui.theme.text), info.name.data(), info.name.data() + info.name.size());
}

void map_choices(UiContext& ui, StageColors& colors, Stage stage) {
  const float gap = ui.theme.px(4), width = std::floor((ui.theme.px(kPanelWidth) - 2 * gap) / 3);
  int column = 0;
  for (const ColormapInfo& info : colormap_table()) {
    if (!info.in_window) continue;
    if (std::exchange(column, (column + 1) % 3) > 0) ImGui::SameLine(0, gap);
    map_choice(ui, colors, stage, info, width);
  }
}

std::string refuse_end(const std::string& text) {
  return parse_range_end(text) ? "" : "“" + text + "” is no number: write it as 0.25 or −1e-3";
}

// Copies the range on screen into the two ends when "by hand" is chosen.
void take_range_over(const UiContext& ui, StageColors& colors, Stage stage) {
  ValueStatistics numbers;
  const TileContent content = shown_content(ui, stage);
  for (std::size_t i = 0; ui.answer && i < ui.answer->tiles.size(); ++i) {
    const TileRequest& request = ui.answer->requested.tiles[i];
    const auto& tile = ui.answer->tiles[i];
    if (tile && request.stage == stage && request.content == content)
      numbers = joined(numbers, statistics_of(*tile));
  }
  const ColorRange range = color_range(numbers, picture_colors(colors, stage, numbers.range), stage);
  const auto rounded = [](double value) { return std::round(value * 1e4) / 1e4; };
  const bool coarse = rounded(range.high) > rounded(range.low);
  colors.low = coarse ? rounded(range.low) : range.low;
  colors.high = coarse ? rounded(range.high) : range.high;
}

void choose_range(const UiContext& ui, StageColors& colors, Stage stage, RangeKind kind) {
  if (kind == RangeKind::ByHand) take_range_over(ui, colors, stage);
  if (kind == RangeKind::Automatic) colors.without_first = false;
  colors.range = kind;
}

std::vector<RangeKindInfo> suitable_ranges(const UiContext& ui, const StageColors& colors, Stage stage) {
  std::vector<RangeKindInfo> kinds;
  const bool ordered = !is_mapped(ui) || !is_pair(stage);  // percentiles need all cells in memory
  for (const RangeKindInfo& info : range_kind_table())
    if (range_allowed(info.kind, stage) &&
        (ordered || info.kind != RangeKind::Robust || info.kind == colors.range))
      kinds.push_back(info);
  return kinds;
}

void range_choice(UiContext& ui, StageColors& colors, Stage stage) {
  const std::vector<RangeKindInfo> kinds = suitable_ranges(ui, colors, stage);
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const RangeKindInfo& info : kinds) {
    if (info.kind == colors.range) current = choices.size();
    choices.push_back({std::string(info.id), std::string(info.name), std::string(info.what)});
  }
  row_label(ui, "range");
  const auto chosen = choice_box(ui, "colours.range", choices, current, ui.theme.px(140),
                                 "What the two ends of the colours are");
  if (chosen) choose_range(ui, colors, stage, kinds[*chosen].kind);
}

void ends_by_hand(UiContext& ui, ColorPanelState& state, StageColors& colors) {
  row_label(ui, "from, to");
  const auto low = text_field(ui, state.low, "colours.low", shortest_digits(colors.low),
                              ui.theme.px(kFieldWidth), "The number at the low end", refuse_end);
  ImGui::SameLine(0, ui.theme.px(8));
  const auto high = text_field(ui, state.high, "colours.high", shortest_digits(colors.high),
                               ui.theme.px(kFieldWidth), "The number at the high end", refuse_end);
  if (low) colors.low = *parse_range_end(*low);
  if (high) colors.high = *parse_range_end(*high);
  if (colors.low < colors.high) return;
  row_label(ui, "");
  label_text(ui, "The first must be smaller than the second", ui.theme.error);
  ui.probe.mark("colours.message");
}

void range_switches(UiContext& ui, StageColors& colors, Stage stage) {
  const bool by_hand = colors.range == RangeKind::ByHand;
  if (stage_heads(ui.layer(), stage) > 1 && !by_hand) {
    row_label(ui, "");
    check_box(
        ui, "colours.shared", "one range for all heads", colors.shared,
        "Off: each head has its own range and its own colour bar, and heads cannot be compared by colour");
  }
  if (is_pair(stage) && !by_hand) {
    row_label(ui, "");
    check_box(ui, "colours.without_first", "leave the first token out", colors.without_first,
              "Much attention goes to the first token and drowns the rest: its column does not count for the "
              "range");
    if (colors.without_first && colors.range == RangeKind::Automatic) colors.range = RangeKind::Whole;
  }
}

// Beside the choice of the range: the weights themselves without the first key.
void first_key_switch(UiContext& ui, Stage stage) {
  if (!can_leave_first_out(ui, stage)) return;
  row_label(ui, "");
  if (check_box(
          ui, "colours.first_key", "weights without the first key", ui.view.picture.without_first,
          "The weights of the other keys, each row made to sum to 1 again; a row that looks at the first "
          "key alone is empty. The model stays as it is"))
    ui.view.picture.by_value = false;
}

// A matrix with at most kNeverPooled rows and columns is never pooled: no picture requests fewer.
bool may_be_pooled(const UiContext& ui, Stage stage) {
  constexpr Index kNeverPooled = 32;
  return std::max(stage_rows(ui.layer(), stage), stage_columns(ui.layer(), stage)) > kNeverPooled;
}

void choose_pooling(StageColors& colors, Stage stage, Pooling kind) {
  colors.pooling = kind == default_pooling(stage) ? std::nullopt : std::optional(kind);
}

void pooling_choice(UiContext& ui, StageColors& colors, Stage stage) {
  std::vector<Choice> choices;
  for (const PoolingInfo& info : pooling_table())
    choices.push_back({std::string(info.id), std::string(info.name), std::string(info.what)});
  row_label(ui, "several");
  const auto chosen =
      choice_box(ui, "colours.pooling", choices, static_cast<std::size_t>(pooling_of(colors, stage)),
                 ui.theme.px(140), "What is shown of several cells that are drawn as one");
  if (chosen) choose_pooling(colors, stage, pooling_table()[*chosen].kind);
}

void decimals_choice(UiContext& ui) {
  std::vector<Choice> choices;
  for (int i = 0; i <= kMostDecimals; ++i)
    choices.push_back({std::to_string(i), std::to_string(i), ""});
  row_label(ui, "decimals");
  const auto chosen = choice_box(
      ui, "colours.decimals", choices,
      static_cast<std::size_t>(std::clamp(ui.view.picture.decimals, 0, kMostDecimals)), ui.theme.px(60),
      "Of the numbers in the cells of all pictures, 0 to 8; fewer where a cell has no "
      "room for them");
  if (chosen) ui.view.picture.decimals = static_cast<int>(*chosen);
}

void popover(UiContext& ui, ColorPanelState& state, Stage stage) {
  StageColors& colors = ui.view.picture.colors_of(stage);
  heading(ui, "Colours of " + std::string(stage_info(stage).name));
  map_choices(ui, colors, stage);
  ImGui::Dummy({0, ui.theme.px(2)});
  range_choice(ui, colors, stage);
  if (colors.range == RangeKind::ByHand) ends_by_hand(ui, state, colors);
  range_switches(ui, colors, stage);
  first_key_switch(ui, stage);
  if (may_be_pooled(ui, stage)) pooling_choice(ui, colors, stage);
  decimals_choice(ui);
  const bool as_usual = colors == first_window_colors(stage);
  ImGui::SameLine(0, ui.theme.px(16));
  if (tool_button(ui, "colours.reset", "As usual", "The stage's own map and range", !as_usual))
    colors = first_window_colors(stage);
  ImGui::SameLine(0, ui.theme.px(8));
  const bool is_signed = stage_info(stage).is_signed;
  if (tool_button(ui, "colours.alike", "All like this",
                  is_signed ? "The same for every stage with numbers of both signs"
                            : "The same for weights and dropped"))
    for (const StageInfo& info : stage_table())
      if (info.is_signed == is_signed) ui.view.picture.colors_of(info.stage) = StageColors(colors);
  ImGui::Dummy({0, ui.theme.px(2)});
  heading(ui, "Cells without a colour of the scale");
  cell_legend(ui, "colours.legend", all_cell_kinds(), Stage::Masked, ui.theme.px(kPanelWidth));
}

template <class Change>
void add_choice(std::vector<ColorChoice>& choices, const std::string& text, bool current,
                const char* keywords, Change change) {
  choices.push_back({text, current, keywords, [change](UiContext& ui) {
                       const Stage stage = ui.view.opened_stage.value_or(ui.view.focused_stage);
                       change(ui, ui.view.picture.colors_of(stage), stage);
                     }});
}

}  // namespace

std::optional<double> parse_range_end(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "\u2212") == 0) {
      plain += '-';
      i += 2;
    } else if (text[i] != ' ') {
      plain += text[i];
    }
  }
  if (plain.starts_with('+')) plain.erase(0, 1);
  double value = 0;
  const auto [stop, failure] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (failure != std::errc() || stop != plain.data() + plain.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

float color_button_width(const UiContext& ui) {
  return ui.theme.px(kButtonWidth);
}

void color_button(UiContext& ui, ColorPanelState& state, Stage stage) {
  const StageColors& colors = ui.view.picture.colors_of(stage);
  if (ImGui::Button("##focus.colours", {color_button_width(ui), 0})) state.asked = true;
  const std::string map(colormap_table()[static_cast<std::size_t>(shown_map(ui, colors, stage))].id);
  ui.probe.mark("focus.colours", map);
  tooltip(ui, "Colours: the map, the range, decimals, and what the marks mean");
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  const float pad = ui.theme.px(7), high = ui.theme.px(12);
  draw_color_strip(ui, Colormap::of(shown_map(ui, colors, stage), ui.theme.figure.neutral),
                   {a.x + pad, a.y + std::floor((b.y - a.y - high) / 2)}, {b.x - a.x - 2 * pad, high});
  color_popover(ui, state, stage, {a.x, a.y, b.x - a.x, b.y - a.y});
}

void color_popover(UiContext& ui, ColorPanelState& state, Stage stage, const Rect& anchor) {
  if (std::exchange(state.asked, false)) ImGui::OpenPopup(kPopup);
  // On the side of the anchor with more room.
  const bool above = anchor.y > double{ImGui::GetIO().DisplaySize.y} / 2;
  const double gap = double{ui.theme.px(4)}, y = above ? anchor.y - gap : anchor.bottom() + gap;
  ImGui::SetNextWindowPos({static_cast<float>(anchor.right()), static_cast<float>(y)}, ImGuiCond_Always,
                          {1, above ? 1.0f : 0.0f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.theme.px(12), ui.theme.px(12)});
  if (ImGui::BeginPopup(kPopup)) {
    popover(ui, state, stage);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

std::vector<ColorChoice> color_choices(const UiContext& ui) {
  std::vector<ColorChoice> choices;
  const Stage stage = ui.view.opened_stage.value_or(ui.view.focused_stage);
  const StageColors& now = ui.view.picture.colors_of(stage);
  for (const ColormapInfo& info : colormap_table())
    if (info.in_window)
      add_choice(choices, "colours: " + std::string(info.name), shown_map(ui, now, stage) == info.kind,
                 "colour color map palette",
                 [kind = info.kind](UiContext&, StageColors& colors, Stage) { colors.map = kind; });
  for (const RangeKindInfo& info : suitable_ranges(ui, now, stage))
    add_choice(choices, "range: " + std::string(info.name), now.range == info.kind,
               "colour color scale percentile symmetric fixed",
               [kind = info.kind](UiContext& context, StageColors& colors, Stage of) {
                 choose_range(context, colors, of, kind);
               });
  if (stage_heads(ui.layer(), stage) > 1)
    for (const bool shared : {true, false})
      add_choice(choices, shared ? "range: one for all heads" : "range: each head its own",
                 now.shared == shared, "colour color",
                 [shared](UiContext&, StageColors& colors, Stage) { colors.shared = shared; });
  const bool automatic = now.range == RangeKind::Automatic;
  if (is_pair(stage))
    for (const bool without : {true, false})
      add_choice(choices, without ? "range: leave the first token out" : "range: count the first token",
                 !automatic && now.without_first == without, "colour color sink",
                 [without](UiContext&, StageColors& colors, Stage) {
                   if (colors.range == RangeKind::Automatic) colors.range = RangeKind::Whole;
                   colors.without_first = without;
                 });
  for (const PoolingInfo& info : pooling_table())
    if (may_be_pooled(ui, stage))
      add_choice(choices, "several cells as one: " + std::string(info.name),
                 pooling_of(now, stage) == info.kind, "pooling zoom colour color",
                 [kind = info.kind](UiContext&, StageColors& colors, Stage of) {
                   choose_pooling(colors, of, kind);
                 });
  for (int i = 0; i <= kMostDecimals; ++i)
    add_choice(choices, "decimals: " + std::to_string(i), ui.view.picture.decimals == i, "digits numbers",
               [i](UiContext& context, StageColors&, Stage) { context.view.picture.decimals = i; });
  return choices;
}

}  // namespace headlight
