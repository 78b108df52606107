// The list of items that stand out; a click on one shows it.
#include <algorithm>
#include <cmath>

#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/widgets.h"

namespace headlight::inspector {
namespace {

constexpr std::size_t kMostPairs = 6, kMostChanges = 3;
constexpr Index kMostHeads = 64;  // heads whose entropy is requested

std::vector<std::optional<float>> ask_entropies(UiContext& ui) {
  const Model& model = ui.model();
  std::vector<std::optional<float>> entropies;
  if (model.head_count() < 2 || model.head_count() > kMostHeads) return entropies;
  for (Index head = 0; head < model.head_count(); ++head) {
    const HeadRequest request = {ui.view.sequence, head};
    ui.requested.heads.push_back(request);
    const auto summary = ui.answer ? ui.answer->find(request) : nullptr;
    const bool shown = summary && summary->rows > 0 && model.attention.head_enabled(head);
    entropies.push_back(shown ? std::optional<float>(summary->entropy_bits) : std::nullopt);
  }
  return entropies;
}

// Whether the stored weights belong to the shown tokens.
bool tells_weights(const UiContext& ui, const InspectorState& state) {
  return state.change.holds(ui.view.sequence, ui.document.model_revision());
}

std::vector<HighlightItem> highlight_items(UiContext& ui, const InspectorState& state) {
  const Model& model = ui.model();
  const Counting counting = ui.counting();
  const bool told = tells_weights(ui, state);
  std::vector<HighlightItem> items;
  if (told)
    items = largest_changes(model, ui.view.sequence, state.change.before(), state.change.after(),
                            kMostChanges, counting, ui.percent());
  const auto add = [&](std::vector<HighlightItem> more) {
    items.insert(items.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(heads_by_entropy(ask_entropies(ui), counting));
  if (told)
    add(strongest_pairs(model, ui.view.sequence, state.change.after(), kMostPairs, counting, ui.percent()));
  return items;
}

float item_height(const UiContext& ui) {
  return std::floor(ui.theme.px(20));
}

void draw_item(UiContext& ui, InspectorState& state, const HighlightItem& item, std::size_t at) {
  const Theme& theme = ui.theme;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, item_height(ui)};
  const std::string name = "inspector.worth." + std::to_string(at);
  const bool pressed = click_area(name.c_str(), size);
  ui.probe.mark(name, item.label + ": " + item.number);
  const bool hot = ImGui::IsItemHovered();
  tooltip(ui,
          item.label + ": " + item.number + (item.head ? "\nShow this head alone" : "\nTake it apart here"));
  if (item.cell) {
    offer_source(ui, state, {item.cell, {}}, pressed);
  } else if (pressed && item.head) {
    ui.view.head = item.head;
    ui.view.focused_stage = Stage::Weights;
    if (ui.view.opened_stage) ui.view.opened_stage = Stage::Weights;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {from.x + size.x, from.y + size.y};
  list.AddRectFilled(from, end, to_imgui(theme.raised), theme.px(4));
  if (hot) list.AddRect(from, end, to_imgui(theme.line), theme.px(4), 0, std::max(1.0f, theme.px(1)));
  draw_labelled(ui, {from.x + theme.px(8), from.y}, {size.x - theme.px(16), size.y}, theme.text, item.label,
                item.number);
}

void draw_hint(const UiContext& ui) {
  push_font(ui.theme.fonts.label);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.quiet_text));
  ImGui::TextWrapped(
      "Point at a cell of any picture: its value is taken apart here, down to the products it is the sum of. "
      "Click to keep it.");
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

}  // namespace

void follow_change(UiContext& ui, InspectorState& state) {
  const Model& model = ui.model();
  if (!weights_are_few(model)) return state.change.forget();
  if (ui.view.sequence >= model.sequence_count()) return;
  HeadTiles tiles;
  bool all = ui.answer && ui.answer->share >= 1;
  for (Index head = 0; head < model.head_count(); ++head) {
    const TileRequest request = whole_weights(model, ui.view.sequence, head);
    ui.requested.tiles.push_back(request);
    tiles.push_back(all ? ui.answer->find(request) : nullptr);
    all = all && tiles.back();
  }
  if (all)
    state.change.follow(weights_of(model, ui.opened_layer(), ui.view.sequence), ui.answer->revision,
                        std::move(tiles), ImGui::GetTime());
}

void draw_changes(UiContext& ui, InspectorState& state) {
  const float heading = font_size(ui.theme.fonts.label) + ui.theme.px(16), line = item_height(ui);
  const float room = ImGui::GetContentRegionAvail().y - heading;
  const std::size_t most = std::min(kMostChanges, fitting_lines(room, line, ui.theme.px(4)));
  if (most == 0 || !tells_weights(ui, state)) return;
  const std::vector<HighlightItem> items =
      largest_changes(ui.model(), ui.view.sequence, state.change.before(), state.change.after(), most,
                      ui.counting(), ui.percent());
  if (items.empty()) return;
  ImGui::Dummy({0, std::floor(ui.theme.px(4))});
  quiet_text(ui, items.front().section);
  for (std::size_t i = 0; i < items.size(); ++i)
    draw_item(ui, state, items[i], i);
}

void draw_highlights(UiContext& ui, InspectorState& state) {
  heading(ui, "Inspector");
  draw_hint(ui);
  const std::vector<HighlightItem> items = highlight_items(ui, state);
  if (begin_child("worth", ImGui::GetContentRegionAvail(), false, ImGuiWindowFlags_NoBackground)) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i == 0 || items[i].section != items[i - 1].section) {
        ImGui::Dummy({0, std::floor(ui.theme.px(2))});
        ImGui::PushTextWrapPos(0);
        quiet_text(ui, items[i].section);
        ImGui::PopTextWrapPos();
      }
      draw_item(ui, state, items[i], i);
    }
  }
  ImGui::EndChild();
}

}  // namespace headlight::inspector
