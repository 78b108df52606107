#include "app/ui/model/head_menu.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/intervening.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

HeadState state_of_head(const OpenModel& work, LayerPlace layer, Index head) {
  const auto found = work.on.layers.find(layer);
  if (found == work.on.layers.end()) return HeadState::On;
  const auto at = static_cast<std::size_t>(head);
  return at < found->second.heads.size() ? found->second.heads[at] : HeadState::On;
}

// Whether all of the head's context is replaced by it.
bool replaces_head(const Intervention& one, LayerPlace layer, Index head, Index heads) {
  if (one.place != InterventionPlace::Head || !one.positions.empty()) return false;
  if (layer.side != Side::Own || one.layer != layer.layer) return false;
  return one.units.empty() || std::any_of(one.units.begin(), one.units.end(),
                                          [&](Index unit) { return unit == head || unit + heads == head; });
}

// The listed mean over texts of this head alone.
std::optional<ChangeEntry> mean_over_texts(const OpenModel& work, LayerPlace layer, Index head) {
  const Index heads = work.network->config().heads;
  for (const ChangeEntry& entry : list_changes(work)) {
    if (entry.kind != ChangeKind::Intervention || !entry.on) continue;
    const Intervention& one = *work.on.interventions[static_cast<std::size_t>(entry.at)];
    if (one.how == InterventionHow::Mean && one.units.size() == 1 && replaces_head(one, layer, head, heads))
      return entry;
  }
  return std::nullopt;
}

// One for all that a click does, which is one step of undo.
std::uint64_t click_gesture() {
  static std::uint64_t gestures = std::uint64_t{7} << 50;  // distinct from those of other panels
  return ++gestures;
}

// What the menu does takes the place of a mean over texts that it has put in before. Returns the gesture.
std::uint64_t put_in_place(UiContext& ui, const std::string& name, LayerPlace layer, Index head,
                           HeadState state) {
  const std::uint64_t gesture = click_gesture();
  if (const auto mean = mean_over_texts(*ui.view.model.work, layer, head))
    ui.send(EditOpenModel{RemoveChange{*mean}, name, gesture});
  ui.send(EditOpenModel{SetHead{layer, head, state}, name, gesture});
  return gesture;
}

void put_in_mean_of_set(UiContext& ui, const std::string& name, LayerPlace layer, Index head) {
  const std::uint64_t gesture = put_in_place(ui, name, layer, head, HeadState::On);
  Intervention mean;
  mean.place = InterventionPlace::Head;
  mean.how = InterventionHow::Mean;
  mean.layer = layer.layer;
  mean.units = {head};
  mean.texts = ui.view.model.set.rows->texts();
  ui.send(EditOpenModel{AddIntervention{std::move(mean)}, name, gesture});
}

// The session stores the texts, and each pass that is begun anew reads them.
bool is_small(const DataSet& set) {
  constexpr std::size_t kMostTokens = 20'000;
  std::size_t tokens = 0;
  for (const DataRow& row : set.rows)
    tokens += row.text.size();
  return tokens <= kMostTokens;
}

void mean_of_set_entry(UiContext& ui, LayerPlace layer, Index head) {
  const ModelView& model = ui.view.model;
  if (!model.work->set || !model.set.rows || !can_intervene(ui) || layer.side != Side::Own) return;
  const DataSet& set = *model.set.rows;
  const std::string label = "Replace by its mean over the set's " +
                            counted(static_cast<std::int64_t>(set.rows.size()), "row", "rows");
  const auto mean = mean_over_texts(*model.work, layer, head);
  const bool on =
      mean && model.work->on.interventions[static_cast<std::size_t>(mean->at)]->texts == set.texts();
  const bool small = is_small(set);
  if (ImGui::MenuItem(label.c_str(), nullptr, on, small)) put_in_mean_of_set(ui, label, layer, head);
  ui.probe.mark("model.head.menu.set_mean", on ? "on" : "", small);
  tooltip(ui, small ? "Of the rows that are on, without any change; every token counts as much"
                    : "The set has too many tokens for that: switch rows off");
}

}  // namespace

ReplacedHead replaced_head(const OpenModel& work, LayerPlace layer, Index head) {
  switch (state_of_head(work, layer, head)) {
    case HeadState::Off:
      return {HeadMark::Off, "off"};
    case HeadState::Mean:
      return {HeadMark::Mean, mean_in_words(*work.network)};
    case HeadState::On:
      break;
  }
  for (const auto& one : work.on.interventions) {
    if (!replaces_head(*one, layer, head, work.network->config().heads)) continue;
    if (one->how == InterventionHow::Zero) return {HeadMark::Off, "off"};
    if (one->how == InterventionHow::Mean)
      return {HeadMark::Mean,
              "its mean over " + counted(static_cast<std::int64_t>(one->texts.size()), "text", "texts")};
  }
  return {};
}

std::vector<HeadStroke> strokes_of(HeadMark mark, ImVec2 at, ImVec2 end) {
  const float height = end.y - at.y;
  switch (mark) {
    case HeadMark::Off:
      return {HeadStroke{ImVec2{at.x, end.y}, ImVec2{end.x, at.y}}};
    case HeadMark::Mean:
      return {HeadStroke{ImVec2{at.x, at.y + 0.4f * height}, ImVec2{end.x, at.y + 0.4f * height}},
              HeadStroke{ImVec2{at.x, at.y + 0.6f * height}, ImVec2{end.x, at.y + 0.6f * height}}};
    case HeadMark::None:
      break;
  }
  return {};
}

void draw_head_mark(const UiContext& ui, HeadMark mark, ImVec2 at, ImVec2 end) {
  if (mark == HeadMark::None) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, end, to_imgui(ui.theme.panel, 0.75));
  for (const auto& [from, to] : strokes_of(mark, at, end))
    list.AddLine(from, to, to_imgui(ui.theme.quiet_text), ui.theme.px(1.5f));
}

void head_menu(UiContext& ui, LayerPlace layer, Index head) {
  if (!ImGui::BeginPopupContextItem()) return;
  const OpenModel& work = *ui.view.model.work;
  const HeadState now = state_of_head(work, layer, head);
  const bool replaced = mean_over_texts(work, layer, head).has_value();
  struct Entry {
    const char* id;
    std::string label;
    HeadState state;
  };
  for (const Entry& entry : {Entry{"on", "On", HeadState::On}, Entry{"off", "Switch off", HeadState::Off},
                             Entry{"mean", "Replace by " + mean_in_words(*work.network), HeadState::Mean}}) {
    if (entry.state == HeadState::Mean && layer.side == Side::Cross) continue;  // it has none
    if (ImGui::MenuItem(entry.label.c_str(), nullptr, now == entry.state && !replaced))
      put_in_place(ui, entry.label, layer, head, entry.state);
    ui.probe.mark(std::string("model.head.menu.") + entry.id);
  }
  mean_of_set_entry(ui, layer, head);
  if (ImGui::MenuItem("Only this one in its layer"))
    ui.send(EditOpenModel{KeepOnlyHead{layer, head}, "Only one head"});
  ui.probe.mark("model.head.menu.solo");
  ImGui::EndPopup();
}

}  // namespace headlight
