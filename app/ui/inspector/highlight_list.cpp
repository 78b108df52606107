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
  const Layer& layer = ui.layer();
  std::vector<std::optional<float>> entropies;
  if (layer.head_count() < 2 || layer.head_count() > kMostHeads) return entropies;
  for (Index head = 0; head < layer.head_count(); ++head) {
    const HeadRequest request = {ui.view.sequence, head};
    ui.requested.heads.push_back(request);
    const auto summary = ui.answer ? ui.answer->find(request) : nullptr;
    const bool shown = summary && summary->rows > 0 && layer.attention.head_enabled(head);
    entropies.push_back(shown ? std::optional<float>(summary->entropy_bits) : std::nullopt);
  }
  return entropies;
}

// Whether the stored weights belong to the shown tokens.
bool tells_weights(const UiContext& ui, const InspectorState& state) {
  return state.change.holds(ui.view.sequence, ui.document.layer_revision());
}

std::vector<HighlightItem> highlight_items(UiContext& ui, const InspectorState& state) {
  const Layer& layer = ui.layer();
  const Counting counting = ui.counting();
  const bool told = tells_weights(ui, state);
  std::vector<HighlightItem> items;
  if (told)
    items = largest_changes(layer, ui.view.sequence, state.change.before(), state.change.after(),
                            kMostChanges, counting, ui.percent());
  const auto add = [&](std::vector<HighlightItem> more) {
    items.insert(items.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(heads_by_entropy(ask_entropies(ui), counting));
  if (told)
    add(strongest_pairs(layer, ui.view.sequence, state.change.after(), kMostPairs, counting, ui.percent()));
  return items;
}

float line_height(const UiContext& ui) {
  return std::floor(ui.theme.px(20));
}

float padding(const UiContext& ui) {
  return ui.theme.px(8);
}

bool stands_in_one_line(const UiContext& ui, const HighlightItem& item, float width) {
  const Fonts& fonts = ui.theme.fonts;
  return item.detail.empty() || text_width(fonts.label, whole_label(item)) + 3 * padding(ui) +
                                        text_width(fonts.number, item.number) <=
                                    width;
}

float item_height(const UiContext& ui, const HighlightItem& item, float width) {
  const float line = line_height(ui);
  return stands_in_one_line(ui, item, width) ? line : line + std::floor(ui.theme.px(16));
}

void draw_words(UiContext& ui, const HighlightItem& item, ImVec2 from, float width) {
  const float pad = padding(ui), line = line_height(ui);
  const bool one = stands_in_one_line(ui, item, width);
  draw_labelled(ui, {from.x + pad, from.y}, {width - 2 * pad, line}, ui.theme.text,
                one ? whole_label(item) : item.label, item.number);
  if (one) return;
  draw_labelled(ui, {from.x + pad, from.y + ui.theme.px(16)}, {width - 2 * pad, line}, ui.theme.quiet_text,
                item.detail, "");
}

void draw_item(UiContext& ui, InspectorState& state, const HighlightItem& item, std::size_t at) {
  const Theme& theme = ui.theme;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 size = {width, item_height(ui, item, width)};
  const std::string name = "inspector.worth." + std::to_string(at);
  const std::string words = whole_label(item) + ": " + item.number;
  const bool pressed = click_area(name.c_str(), size);
  ui.probe.mark(name, words);
  const bool hot = ImGui::IsItemHovered();
  tooltip(ui, words + (item.head ? "\nShow this head alone" : "\nTake it apart here"));
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
  draw_words(ui, item, from, width);
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
  const Layer& layer = ui.layer();
  if (!weights_are_few(layer)) return state.change.forget();
  if (ui.view.sequence >= layer.sequence_count()) return;
  HeadTiles tiles;
  bool all = ui.answer && ui.answer->share >= 1;
  for (Index head = 0; head < layer.head_count(); ++head) {
    const TileRequest request = whole_weights(layer, ui.view.sequence, head);
    ui.requested.tiles.push_back(request);
    tiles.push_back(all ? ui.answer->find(request) : nullptr);
    all = all && tiles.back();
  }
  if (all)
    state.change.follow(weights_of(layer, ui.opened_layer(), ui.view.sequence), ui.answer->revision,
                        std::move(tiles), ImGui::GetTime());
}

void draw_changes(UiContext& ui, InspectorState& state) {
  if (!tells_weights(ui, state)) return;
  std::vector<HighlightItem> items =
      largest_changes(ui.layer(), ui.view.sequence, state.change.before(), state.change.after(), kMostChanges,
                      ui.counting(), ui.percent());
  const ImVec2 room = ImGui::GetContentRegionAvail();
  float below = font_size(ui.theme.fonts.label) + ui.theme.px(16);
  std::size_t fitting = 0;
  while (fitting < items.size() &&
         (below += item_height(ui, items[fitting], room.x) + ui.theme.px(4)) <= room.y + ui.theme.px(4))
    ++fitting;
  items.resize(fitting);
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
