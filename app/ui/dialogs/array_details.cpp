// The right half of the chooser: the selected array as a picture, its facts and its possible roles.
#include <algorithm>
#include <cmath>
#include <memory>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/dialogs/array_chooser.h"
#include "app/ui/dialogs/array_words.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kThumbnailWidth = 288, kThumbnailHeight = 216, kOptionHeight = 42;
constexpr float kBarRoom = 76;    // beside the cells, for the colour bar
constexpr float kLeastSide = 96;  // of a picture with few rows or columns, whose cells are then not square

HeatmapFigure figure_of(const Tile& tile) {
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(tile);
  const bool is_signed = !tile.range.empty() && tile.range.low < 0;
  figure.colormap = is_signed ? ColormapKind::PurpleGreen : ColormapKind::BlueGreen;
  figure.range = color_range(tile.range, figure.colormap, !is_signed);
  figure.decimals = 2;
  figure.show_colorbar = !tile.range.empty();
  return figure;
}

// Square cells that fill the space; a single row or column is drawn wide enough to be visible.
void lay_out(const UiContext& ui, ArrayChooserState& state, ImVec2 room) {
  const ImVec2 old = state.thumbnail_room;
  if (old.x == room.x && old.y == room.y && state.thumbnail_theme == ui.theme.kind) return;
  state.thumbnail_room = room;
  state.thumbnail_theme = ui.theme.kind;
  ++state.thumbnail_version;
  const Tile& tile = state.look->tile;
  const auto rows = static_cast<double>(tile.values.rows()),
             columns = static_cast<double>(tile.values.cols());
  const double width = room.x - ui.theme.px(kBarRoom), least = ui.theme.px(kLeastSide);
  const double most = ui.theme.px(48);  // of a cell
  const double cell = std::min({width / columns, room.y / rows, most});
  PlanLimits limits;
  limits.cell_px = std::max(cell, std::min(most, least / columns));
  limits.cell_height_px = std::max(cell, std::min(most, least / rows));
  limits.show_title = limits.show_labels = false;
  state.thumbnail = plan_heatmap(figure_of(tile), ui.theme.figure, limits, imgui_measure(ui.theme));
}

// Draws lines between the parts of a fused array.
void draw_cuts(const UiContext& ui, const ArrayChooserState& state, ImVec2 origin) {
  const auto& place = state.choices.role_of(*state.choices.selected());
  if (!place || !is_fused(place->role) || is_fused_by_heads(place->role)) return;
  const Rect& cells = state.thumbnail.cells.rect;
  const bool rows = is_weight(place->role) && place->layout == WeightLayout::OutIn;
  const float beyond = ui.theme.px(4), thin = std::max(1.0f, std::floor(ui.theme.px(1)));
  const auto left = origin.x + static_cast<float>(cells.x), top = origin.y + static_cast<float>(cells.y);
  const auto width = static_cast<float>(cells.width), height = static_cast<float>(cells.height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const float share : {1.0f / 3, 2.0f / 3}) {
    const float x = std::floor(left + width * share), y = std::floor(top + height * share);
    const ImVec2 a = rows ? ImVec2(left - beyond, y) : ImVec2(x, top - beyond);
    const ImVec2 b = rows ? ImVec2(left + width + beyond, y + thin) : ImVec2(x + thin, top + height + beyond);
    list.AddRectFilled(a, b, to_imgui(ui.theme.primary));
  }
}

void thumbnail(const UiContext& ui, ArrayChooserState& state, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  const bool there = state.look && !state.look->problem && state.look->tile.values.size() > 0;
  ui.probe.mark("arrays.thumbnail", there ? "shown" : "empty");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.ground), ui.theme.px(6));
  if (!there) {
    if (!state.looking.running()) return;
    list.AddText({at.x + ui.theme.px(12), at.y + ui.theme.px(12)}, to_imgui(ui.theme.quiet_text), "Reading…");
    return;
  }
  const float pad = ui.theme.px(12);
  lay_out(ui, state, {size.x - 2 * pad, size.y - 2 * pad});
  const HeatmapPlan& plan = state.thumbnail;
  const ImVec2 origin = {at.x + pad, at.y + std::floor((size.y - static_cast<float>(plan.height)) / 2)};
  paint_plan(plan, origin, list, ui.theme, ui.textures, "arrays.thumbnail", state.thumbnail_version);
  draw_cuts(ui, state, origin);
}

void layout_button(const UiContext& ui, ArrayChooserState& state, const RoleProposal& proposal,
                   WeightLayout layout, const std::vector<Index>& shape) {
  const bool in_out = layout == WeightLayout::InOut, current = proposal.layout == layout;
  const Index in = shape[in_out ? 0 : 1], out = shape[in_out ? 1 : 0];
  const std::string tip = std::string(in_out ? "y = x W, as torch.rand parameters and GPT-2 have it"
                                             : "y = x Wᵀ, as nn.Linear has it") +
                          ": " + std::to_string(in) + " in, " + std::to_string(out) + " out";
  const bool possible = current || proposal.flippable;
  if (tool_button(ui, in_out ? "arrays.layout.in_out" : "arrays.layout.out_in",
                  in_out ? "in × out" : "out × in", tip, possible, current)) {
    state.message.clear();
    state.choices.set_layout(layout, ui.layer());
  }
}

void wrapped(const UiContext& ui, const std::string& text, Color color) {
  ImGui::PushTextWrapPos(0);
  label_text(ui, text, color);
  ImGui::PopTextWrapPos();
}

void layout_choice(const UiContext& ui, ArrayChooserState& state, const ArrayEntry& entry) {
  const std::optional<RoleProposal> proposal = state.choices.proposal();
  const bool chosen = state.choices.role_of(*state.choices.selected()).has_value();
  if (!proposal || !chosen) return;
  if (is_weight(proposal->role)) {
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, "layout");
    ImGui::SameLine();
    layout_button(ui, state, *proposal, WeightLayout::InOut, entry.shape);
    ImGui::SameLine();
    layout_button(ui, state, *proposal, WeightLayout::OutIn, entry.shape);
  }
  if (is_fused(proposal->role))
    wrapped(ui, split_words(*state.choices.proposal(), entry.shape), ui.theme.quiet_text);
}

void facts(const UiContext& ui, ArrayChooserState& state, const ArrayEntry& entry) {
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(drawn_text(visible_label(entry.name)).c_str());
  ImGui::PopTextWrapPos();
  if (entry.problem) {
    const std::string problem = problem_words(*entry.problem, state.path);
    wrapped(ui, problem, ui.theme.error);
    ui.probe.mark("arrays.facts", problem);
    return;
  }
  std::string text = shape_words(entry.shape) + " · " + entry.type;
  if (state.look && state.look->problem)
    text = problem_words(*state.look->problem, state.path);
  else if (state.look && !entry.text)
    text += "\n" + range_words(state.look->summary);
  if (state.look && state.look->tile.pooled) text += "\na cell is the largest in size of several values";
  if (entry.shape.size() > 2 && state.look && !entry.text) text += "\nthe first matrix is shown";
  if (!entry.row_labels.empty())
    text += "\nrows are named: " + visible_label(entry.row_labels.front()) + ", …";
  wrapped(ui, text, state.look && state.look->problem ? ui.theme.error : ui.theme.quiet_text);
  ui.probe.mark("arrays.facts", text);
  ImGui::Dummy({0, 0});
  layout_choice(ui, state, entry);
}

// A role to choose: a radio mark, its name, and below it the resulting layer.
bool option_row(const UiContext& ui, const std::string& name, const std::string& label,
                const std::string& below, bool chosen, bool refused) {
  const Theme& theme = ui.theme;
  const float height = theme.px(kOptionHeight), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Selectable(("##" + name).c_str(), false, 0, {0, height});
  ui.probe.mark(name, chosen ? "chosen" : refused ? "refused" : "");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = font_size(theme.fonts.text), left = min.x + theme.px(28);
  const ImVec2 middle = {std::floor(min.x + theme.px(14)) + 0.5f,
                         std::floor(min.y + theme.px(5) + line / 2) + 0.5f};
  list.AddCircle(middle, theme.px(6), to_imgui(chosen ? theme.primary : theme.quiet_text), 0, theme.px(1.2f));
  if (chosen) list.AddCircleFilled(middle, theme.px(3.5f), to_imgui(theme.primary));
  list.AddText({left, std::floor(min.y + theme.px(5))}, to_imgui(theme.text), label.c_str());
  push_font(theme.fonts.label);
  const std::string shown = elided(below, min.x + width - theme.px(8) - left);
  list.AddText({left, std::floor(min.y + theme.px(7) + line)},
               to_imgui(refused && chosen ? theme.error : theme.quiet_text), shown.c_str());
  ImGui::PopFont();
  if (shown != below) tooltip(ui, below);
  return pressed;
}

void places(const UiContext& ui, ArrayChooserState& state) {
  const ArrayEntry& entry = state.choices.entries()[*state.choices.selected()];
  if (entry.problem) return;
  const std::optional<RoleProposal> role = state.choices.role_of(*state.choices.selected());
  std::optional<std::optional<ArrayRole>> asked;
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "Goes to");
  if (state.choices.options().empty()) {
    quiet_text(ui, "No place in the model takes an array of this shape.");
    return;
  }
  ImGui::SameLine();
  align_right(button_width("Nowhere"));
  if (tool_button(ui, "arrays.role.none", "Nowhere", "This array is not used", role.has_value()))
    asked = std::optional<ArrayRole>();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  begin_child("##arrays.places", {0, 0}, false, ImGuiWindowFlags_NoBackground);
  for (const RoleOption& option : state.choices.options()) {
    const ArrayRole place = option.proposal.role;
    if (option_row(ui, std::string("arrays.role.") + role_id(place), role_name(place), option.outcome,
                   role && role->role == place, option.refused))
      asked = std::optional(place);
  }
  if (asked) {
    state.message.clear();
    state.choices.give_role(*asked, ui.layer());
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

void array_details(UiContext& ui, ArrayChooserState& state, ImVec2 size) {
  begin_child("##arrays.right", size, false, ImGuiWindowFlags_NoBackground);
  if (const auto selected = state.choices.selected()) {
    const ArrayEntry entry = state.choices.entries()[*selected];
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 picture = {std::floor(std::min(ui.theme.px(kThumbnailWidth), room.x * 0.48f)),
                            std::floor(std::min(ui.theme.px(kThumbnailHeight), room.y * 0.45f))};
    thumbnail(ui, state, picture);
    ImGui::SameLine(0, ui.theme.px(12));
    begin_child("##arrays.facts", {0, picture.y}, false, ImGuiWindowFlags_NoBackground);
    facts(ui, state, entry);
    ImGui::EndChild();
    array_questions(ui, state);
    places(ui, state);
  }
  ImGui::EndChild();
}

}  // namespace headlight
