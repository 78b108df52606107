#include "app/ui/pipeline/pipeline_panel.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/picture/spotlight.h"
#include "app/ui/pipeline/stage_menu.h"
#include "app/ui/views/heads_grid.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/model/stage_formula.h"

namespace headlight {
namespace {

constexpr float kPad = 12, kLeast = 120, kMost = 360, kUsual = 216, kUsualOfOneRow = 152,
                kMenu = 16;  // planned pixels

std::string stage_widget(Stage stage) {
  return "stage." + std::string(stage_info(stage).name);
}

ImVec2 to_screen(ImVec2 origin, const Point& point) {
  return {origin.x + static_cast<float>(point.x), origin.y + static_cast<float>(point.y)};
}

Area to_screen(ImVec2 origin, const Rect& rect) {
  return {{origin.x + static_cast<float>(rect.x), origin.y + static_cast<float>(rect.y)},
          {static_cast<float>(rect.width), static_cast<float>(rect.height)}};
}

Rect from_screen(const Area& area) {
  return {area.at.x, area.at.y, area.size.x, area.size.y};
}

// Whether the selected cell depends on the stage.
bool on_the_way(const UiContext& ui, Stage stage) {
  const auto& cell = ui.view.selected;
  return cell && (with_dependents(stage_bit(stage)) & stage_bit(cell->stage)) != 0;
}

void draw_line(const UiContext& ui, const PipelineWire& wire, ImVec2 origin, ImU32 color) {
  const ImVec2 a = to_screen(origin, wire.from), b = to_screen(origin, wire.to);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = ui.theme.px(2);
  if (std::abs(a.y - b.y) < 1) {
    list.AddLine(a, b, color, width);
    return;
  }
  // Straight as far as possible, with a curve into the other row at the end.
  const float bend = std::min(ui.theme.px(40), b.x - a.x), from = wire.joins ? b.x - bend : a.x;
  if (from > a.x) list.AddLine(a, {from, a.y}, color, width);
  const float middle = (from + b.x) / 2;
  list.AddBezierCubic({from, a.y}, {middle, a.y}, {middle, b.y}, b, color, width);
}

void draw_wire(const UiContext& ui, const PipelineWire& wire, ImVec2 origin) {
  draw_line(ui, wire, origin, to_imgui(on_the_way(ui, wire.leads_to) ? ui.theme.accent : ui.theme.line));
}

// Records the stages whose values the last edit has changed.
void on_edit(const UiContext& ui, PipelineRun& run) {
  if (!ui.answer || ui.answer->share < 1) return;
  const ViewResult& answer = *ui.answer;
  std::array<std::uint64_t, kStageCount> versions{};
  for (std::size_t i = 0; i < std::min(answer.requested.tiles.size(), answer.tile_versions.size()); ++i) {
    std::uint64_t& version = versions[static_cast<std::size_t>(answer.requested.tiles[i].stage)];
    version = std::max(version, answer.tile_versions[i]);
  }
  const bool edited = answer.revision != run.revision;
  for (std::size_t stage = 0; stage < kStageCount; ++stage) {
    if (edited)
      run.reached[stage] =
          run.versions[stage] > 0 && versions[stage] > 0 && versions[stage] != run.versions[stage];
    if (versions[stage] > 0) run.versions[stage] = versions[stage];
  }
  const bool any = std::find(run.reached.begin(), run.reached.end(), true) != run.reached.end();
  if (edited && any) run.began = ImGui::GetTime();
  run.revision = answer.revision;
}

// A highlight that moves from left to right along the lines to the changed stages.
void draw_run(UiContext& ui, const PipelinePlan& plan, const PipelineRun& run, ImVec2 origin) {
  constexpr double kSeconds = 0.2, kLength = 0.25;  // kLength: share of the diagram's width
  const double share = (ImGui::GetTime() - run.began) / kSeconds;
  if (run.began < 0 || share >= 1 + kLength || !ui.preferences.motion) return;
  double width = 1;
  for (const PipelineWire& wire : plan.wires)
    width = std::max(width, wire.to.x);
  for (const PipelineWire& wire : plan.wires) {
    if (!run.reached[static_cast<std::size_t>(wire.leads_to)]) continue;
    const double middle = (wire.from.x + wire.to.x) / 2 / width;
    const double strength = 1 - std::abs(middle - share) / kLength;
    if (strength > 0) draw_line(ui, wire, origin, to_imgui(ui.theme.text, strength));
  }
  ui.wake_within(0);
}

void draw_join(const UiContext& ui, const PipelineJoin& join, ImVec2 origin) {
  const ImVec2 at = to_screen(origin, join.at);
  const ImU32 color = to_imgui(on_the_way(ui, join.makes) ? ui.theme.accent : ui.theme.quiet_text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = ui.theme.px(8);
  list.AddCircleFilled(at, radius, to_imgui(ui.theme.panel));
  list.AddCircle(at, radius, color, 0, std::max(1.0f, ui.theme.px(1.5f)));
  list.AddCircleFilled(at, ui.theme.px(2), color);
  ImFont* const font = ui.theme.fonts.label;
  const float width = text_width(font, join.operation);
  list.AddText(font, font_size(font), {at.x - width / 2, at.y - radius - font_size(font) - ui.theme.px(3)},
               to_imgui(ui.theme.quiet_text), join.operation.c_str());
}

void draw_slot(UiContext& ui, PipelinePanelState& state, const PipelineSlot& slot, ImVec2 origin) {
  const Area area = to_screen(origin, slot.place);
  ImGui::SetCursorScreenPos(area.at);
  switch (slot.setting) {
    case PipelineSetting::Scale:
      return scale_control(ui, area.size.x);
    case PipelineSetting::Mask:
      return mask_control(ui, state.settings.mask, area.size.x);
    case PipelineSetting::Normalization:
      return normalization_control(ui, area.size.x);
    case PipelineSetting::Dropout: {
      const float letter = ui.theme.px(14);
      ImFont* const font = ui.theme.fonts.label;
      ImGui::GetWindowDrawList()->AddRectFilled({area.at.x, area.at.y + area.size.y / 4},
                                                {area.at.x + letter, area.end().y - area.size.y / 4},
                                                to_imgui(ui.theme.panel));
      ImGui::GetWindowDrawList()->AddText(
          font, font_size(font),
          {area.at.x + ui.theme.px(2), area.at.y + (area.size.y - font_size(font)) / 2},
          to_imgui(ui.theme.quiet_text), "p");
      ImGui::SetCursorScreenPos({area.at.x + letter, area.at.y});
      return dropout_control(ui, state.settings, area.size.x - letter);
    }
  }
}

// "W_q", as in the formulas; the tooltip has the full name.
std::string parameter_label(Parameter parameter) {
  return std::string("W_") + parameter_name(parameter)[0];
}

void draw_chip(UiContext& ui, const PipelineNode& node, ImVec2 origin) {
  const Area area = to_screen(origin, node.place);
  const std::string id = node.parameter ? std::string("strip.W_") + parameter_name(*node.parameter)
                                        : std::string("strip.key_embeddings");
  ImGui::SetCursorScreenPos(area.at);
  const bool pressed = click_area(id.c_str(), area.size);
  ui.probe.mark(id);
  const bool hot = ImGui::IsItemHovered();
  tooltip(ui, node.parameter ? std::string("W_") + parameter_name(*node.parameter) +
                                   ": the matrix that is multiplied with" +
                                   (ui.model().uses_bias(*node.parameter) ? ", and its bias" : "") +
                                   ". A click brings it to the front on the left"
                             : "The embeddings of the other tokens, whose keys and values are attended to");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Area drawn = hot ? Area{{area.at.x, area.at.y - ui.theme.px(1)}, area.size} : area;
  list.AddRectFilled(drawn.at, drawn.end(), to_imgui(ui.theme.raised), ui.theme.px(6));
  const bool lit = node.parameter && on_the_way(ui, projected_stage(*node.parameter));
  list.AddRect(drawn.at, drawn.end(),
               to_imgui(lit   ? ui.theme.accent
                        : hot ? ui.theme.quiet_text
                              : ui.theme.line),
               ui.theme.px(6), 0, std::max(1.0f, ui.theme.px(1)));
  ImFont* const font = ui.theme.fonts.label;
  const std::string label = node.parameter ? parameter_label(*node.parameter) : "X_k";
  const float width = std::min(text_width(font, label), area.size.x - ui.theme.px(6));
  fitted_text(font, {area.at.x + (area.size.x - width) / 2, drawn.at.y + (area.size.y - font_size(font)) / 2},
              area.size.x - ui.theme.px(6), ui.theme.text, label);
  if (pressed && node.parameter)
    ui.view.asked_input = InputCell{{InputKind::Weight, 0, *node.parameter, 0}, 0, 0};
}

// The settings that a click on an idle stage sends; nullopt if there are none.
std::optional<AttentionSettings> switched_on(const Model& model, Stage stage) {
  constexpr double kUsualDropout = 0.5;
  AttentionSettings settings = model.attention;
  if (stage == Stage::Scaled)
    settings.scale.kind = ScaleKind::InverseSqrtDk;
  else if (stage == Stage::Masked)
    settings.mask = MaskKind::Causal;
  else if (stage == Stage::Dropped && settings.dropout.probability > 0)
    settings.dropout.training = true;
  else if (stage == Stage::Dropped)
    settings.dropout.probability = kUsualDropout;
  else
    return std::nullopt;
  return settings;
}

void draw_idle(UiContext& ui, Stage stage, const Area& area) {
  const std::string id = "strip." + std::string(stage_info(stage).name) + ".on";
  const auto settings = switched_on(ui.model(), stage);
  const bool possible = settings || stage == Stage::Output;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 middle = {area.at.x + area.size.x / 2, area.at.y + area.size.y / 2};
  const float radius = area.size.x / 2 - ui.theme.px(1), arm = ui.theme.px(4);
  ImGui::SetCursorScreenPos(area.at);
  const bool pressed = click_area(id.c_str(), area.size);
  const bool hot = ImGui::IsItemHovered();
  if (possible) ui.probe.mark(id);
  tooltip(ui, possible ? std::string(stage_info(stage).name) + " does nothing here: " +
                             stage_formula(ui.model(), stage) + ". A click switches it on"
                       : "One head: there is nothing to join");
  const ImU32 color = to_imgui(hot && possible ? ui.theme.text : ui.theme.quiet_text);
  list.AddCircleFilled(middle, radius, to_imgui(hot && possible ? ui.theme.raised : ui.theme.panel));
  list.AddCircle(middle, radius, color, 0, std::max(1.0f, ui.theme.px(1)));
  if (possible) {
    const float width = std::max(1.0f, ui.theme.px(1.5f));
    list.AddLine({middle.x - arm, middle.y}, {middle.x + arm, middle.y}, color, width);
    list.AddLine({middle.x, middle.y - arm}, {middle.x, middle.y + arm}, color, width);
  }
  if (!pressed) return;
  if (settings)
    ui.send(SetAttention{*settings});
  else if (possible)
    ui.send(SetOutputProjection{true});
}

float name_width(const UiContext& ui, Stage stage) {
  return text_width(ui.theme.fonts.label, std::string(stage_info(stage).name));
}

// The name below a node: the stage's widget, which takes clicks.
void draw_caption(UiContext& ui, Stage stage, const Area& area) {
  const std::string name(stage_info(stage).name), shape = stage_shape_text(ui.model(), stage);
  ImGui::SetCursorScreenPos(area.at);
  if (click_area("caption", area.size)) ui.view.focused_stage = stage;
  const bool hot = ImGui::IsItemHovered();
  if (hot && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) ui.view.opened_stage = stage;
  ui.probe.mark(stage_widget(stage), shape);
  tooltip(ui, name + ": " + stage_formula(ui.model(), stage) + "\nshape " + shape +
                  "\nDouble-click opens it to full size");
  ImFont* const font = ui.theme.fonts.label;
  // "rotated" is enough where "rotated_queries" does not fit: the queries are drawn next to it.
  const bool fits = text_width(font, name) <= area.size.x;
  const std::string shown = fits ? name : name.substr(0, name.find('_'));
  const float width = std::min(text_width(font, shown), area.size.x);
  const bool chosen = ui.view.focused_stage == stage;
  fitted_text(font, {area.at.x + (area.size.x - width) / 2, area.at.y}, area.size.x,
              chosen || hot ? ui.theme.text : ui.theme.quiet_text, shown);
}

void draw_stage(UiContext& ui, PipelinePanelState& state, const PipelineNode& node, ImVec2 origin) {
  const Stage stage = *node.stage;
  ImGui::PushID(stage_widget(stage).c_str());
  const Area picture = to_screen(origin, node.place), caption = to_screen(origin, node.caption);
  const float edge = ui.theme.px(3);
  const Area whole = {{picture.at.x - edge, picture.at.y - edge},
                      {picture.size.x + 2 * edge, picture.size.y + 2 * edge}};
  const ImVec2 low = {std::min(whole.at.x, caption.at.x), whole.at.y},
               high = {std::max(whole.end().x, caption.end().x), caption.end().y};
  const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                    ImGui::IsMouseHoveringRect(low, high);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool chosen = ui.view.focused_stage == stage;
  if (node.idle) {
    draw_idle(ui, stage, picture);
  } else {
    if (over || chosen) list.AddRectFilled(whole.at, whole.end(), to_imgui(ui.theme.raised), ui.theme.px(4));
    if (draw_heads(ui, state.cache, state.painter, stage, picture, "stage.", false))
      ui.view.opened_stage = stage;
  }
  if (chosen)
    list.AddRect(whole.at, whole.end(), to_imgui(ui.theme.text), ui.theme.px(4), 0,
                 std::max(1.0f, ui.theme.px(1.5f)));
  const float name = std::min(caption.size.x, name_width(ui, stage) + ui.theme.px(4));
  const Area named = {{std::floor(caption.at.x + (caption.size.x - name) / 2), caption.at.y},
                      {std::ceil(name), caption.size.y}};
  draw_caption(ui, stage, named);
  const float size = ui.theme.px(kMenu);
  stage_menu_button(ui, stage, {named.end().x, named.at.y - (size - named.size.y) / 2}, size, over);
  // The area around the pictures takes clicks too.
  if (over && !ImGui::IsAnyItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    ui.view.focused_stage = stage;
  spotlight_card(ui, stage, whole.at, whole.size);
  ImGui::PopID();
}

// All settings in a popup below the last item.
void settings_popup(UiContext& ui, PipelinePanelState& state) {
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImGui::SetNextWindowPos({max.x, max.y + ui.theme.px(4)}, 0, {1.0f, 0.0f});
  if (!ImGui::BeginPopup("settings")) return;
  const float room = std::min(ui.theme.px(440), ImGui::GetIO().DisplaySize.x - ui.theme.px(48));
  const float height = std::max(state.settings.height_px, ImGui::GetFrameHeight()) + 1;
  const float most = ImGui::GetIO().DisplaySize.y - min.y - ui.theme.px(64);
  begin_child("settings", {room, std::min(height, most)}, false, ImGuiWindowFlags_NoBackground);
  settings_bar(ui, state.settings, SettingsShown::All);
  ImGui::EndChild();
  ImGui::EndPopup();
}

// The stages as names with arrows between them, on as many lines as needed; if the settings are folded, the
// button that opens them is at the end. Returns the height.
float draw_names(UiContext& ui, PipelinePanelState& state, ImVec2 at, float width, bool folded) {
  const float line = ImGui::GetFrameHeight(), gap = ui.theme.px(4);
  ImFont* const font = ui.theme.fonts.label;
  const float arrow = text_width(font, "→") + 2 * gap;
  float x = at.x, y = at.y;
  bool first = true;
  for (const Stage stage : stages_in_use(ui.model())) {
    const std::string name(stage_info(stage).name);
    const float button = text_width(font, name) + 2 * ui.theme.px(6);
    if (!first && x + arrow + button > at.x + width) {
      x = at.x;
      y += line;
    } else if (!first) {
      ImGui::GetWindowDrawList()->AddText(font, font_size(font), {x + gap, y + (line - font_size(font)) / 2},
                                          to_imgui(ui.theme.quiet_text), "→");
      x += arrow;
    }
    PipelineNode node;
    node.stage = stage;
    node.idle = is_idle(ui.model(), stage);
    const Area area = {{x, y}, {button, line}};
    node.place = node.caption = from_screen(area);
    state.nodes.push_back(node);
    ImGui::PushID(name.c_str());
    if (ui.view.focused_stage == stage)
      ImGui::GetWindowDrawList()->AddRectFilled(area.at, area.end(), to_imgui(ui.theme.raised),
                                                ui.theme.px(4));
    draw_caption(ui, stage, {{x, y + (line - font_size(font)) / 2}, {button, font_size(font)}});
    spotlight_card(ui, stage, area.at, area.size);
    ImGui::PopID();
    x += button;
    first = false;
  }
  if (folded) {
    const float button = button_width("Settings");
    if (x + 2 * gap + button > at.x + width) y += line + gap;
    ImGui::SetCursorScreenPos({at.x + width - button, y});
    if (tool_button(ui, "strip.settings", "Settings",
                    "Projections, heads, positions, mask, dropout: how this layer attends"))
      ImGui::OpenPopup("settings");
    settings_popup(ui, state);
  }
  return y + line - at.y;
}

PipelineArea room_of(const UiContext& ui, ImVec2 size) {
  return {size.x,
          size.y,
          ui.theme.scale,
          ImGui::GetFrameHeight(),
          font_size(ui.theme.fonts.label),
          ui.view.head ? 1 : 0};
}

void draw_plan(UiContext& ui, PipelinePanelState& state, const PipelinePlan& plan, ImVec2 origin) {
  for (const PipelineWire& wire : plan.wires)
    if (!on_the_way(ui, wire.leads_to)) draw_wire(ui, wire, origin);
  for (const PipelineWire& wire : plan.wires)
    if (on_the_way(ui, wire.leads_to)) draw_wire(ui, wire, origin);
  on_edit(ui, state.run);
  draw_run(ui, plan, state.run, origin);
  for (const PipelineJoin& join : plan.joins)
    draw_join(ui, join, origin);
  for (const PipelineSlot& slot : plan.slots)
    draw_slot(ui, state, slot, origin);
  for (const PipelineNode& node : plan.nodes) {
    if (node.stage)
      draw_stage(ui, state, node, origin);
    else
      draw_chip(ui, node, origin);
    PipelineNode shown = node;
    shown.place = from_screen(to_screen(origin, node.place));
    shown.caption = from_screen(to_screen(origin, node.caption));
    state.nodes.push_back(shown);
  }
}

// The x position at which each part of the settings acts.
SettingsPlaces setting_places(const PipelinePlan& plan) {
  SettingsPlaces places{};
  const auto at = [&](SettingsPart part) -> float& { return places[static_cast<std::size_t>(part)]; };
  const auto middle = [](const Rect& rect) { return static_cast<float>(rect.x + rect.width / 2); };
  if (!plan.joins.empty()) at(SettingsPart::Position) = static_cast<float>(plan.joins.front().at.x);
  for (const PipelineSlot& slot : plan.slots) {
    if (slot.setting == PipelineSetting::Scale) at(SettingsPart::Scale) = middle(slot.place);
    if (slot.setting == PipelineSetting::Mask) at(SettingsPart::Mask) = middle(slot.place);
    if (slot.setting == PipelineSetting::Dropout) at(SettingsPart::Dropout) = middle(slot.place);
  }
  for (const PipelineNode& node : plan.nodes)
    if (node.stage == Stage::Output || node.parameter == Parameter::Output) {
      at(SettingsPart::Output) = middle(node.place);
      break;
    }
  return places;
}

// The size of the diagram in a panel of this size, above the line of settings.
ImVec2 drawing_size(const UiContext& ui, const PipelinePanelState& state, ImVec2 size) {
  const float pad = ui.theme.px(kPad);
  return {size.x - 2 * pad, size.y - 2 * pad - state.settings.height_px - ui.theme.px(8)};
}

bool has_drawing(UiContext& ui, const PipelinePanelState& state, ImVec2 size) {
  return !ui.view.opened_stage &&
         !plan_pipeline(ui.model(), room_of(ui, drawing_size(ui, state, size))).names_only;
}

}  // namespace

bool folds_settings(const UiContext& ui, const PipelinePanelState& state, ImVec2 window) {
  constexpr float kMostOfWindow = 0.3f;
  return state.names_px + state.settings_px + ui.theme.px(20) > window.y * kMostOfWindow;
}

float pipeline_height(UiContext& ui, PipelinePanelState& state, ImVec2 window) {
  const float settings = std::max(state.settings.height_px, ImGui::GetFrameHeight()),
              line = ImGui::GetFrameHeight();
  const float wanted = state.height > 0         ? std::clamp(ui.theme.px(static_cast<float>(state.height)),
                                                             ui.theme.px(kLeast), ui.theme.px(kMost))
                       : in_one_row(ui.model()) ? ui.theme.px(kUsualOfOneRow)
                                                : std::max(ui.theme.px(kUsual), std::floor(window.y * 0.24f));
  // Further lines of settings do not make the diagram smaller.
  const float height = std::floor(std::min(wanted + settings - line, window.y * 0.42f));
  if (has_drawing(ui, state, {window.x - 2 * ui.theme.px(8), height})) return height;
  const float below = folds_settings(ui, state, window) ? 0 : settings + ui.theme.px(4);
  return std::ceil(std::max(state.names_px, line) + below + 2 * ui.theme.px(8));
}

void pipeline_panel(UiContext& ui, PipelinePanelState& state, ImVec2 at, ImVec2 size) {
  draw_card_frame(ui, {at, size}, false);
  state.nodes.clear();
  const bool drawing = has_drawing(ui, state, size);
  const float pad = ui.theme.px(drawing ? kPad : 8);
  const ImVec2 origin = {at.x + pad, at.y + pad};
  PipelinePlan plan;
  if (drawing) {
    plan = plan_pipeline(ui.model(), room_of(ui, drawing_size(ui, state, size)));
    draw_plan(ui, state, plan, origin);
  } else {
    const bool folded = folds_settings(ui, state, ImGui::GetIO().DisplaySize);
    state.names_px = draw_names(ui, state, origin, size.x - 2 * pad, folded);
    if (folded) return;
  }
  const float settings = std::ceil(std::max(state.settings.height_px, ImGui::GetFrameHeight())) + 1;
  ImGui::SetCursorScreenPos({origin.x, at.y + size.y - pad - settings});
  begin_child("settings", {size.x - 2 * pad, settings}, false,
              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  const SettingsPlaces places = setting_places(plan);
  settings_bar(ui, state.settings, drawing ? SettingsShown::Rest : SettingsShown::All,
               drawing ? &places : nullptr);
  ImGui::EndChild();
  if (drawing || state.settings_px == state.settings.height_px) return;
  state.settings_px = state.settings.height_px;
  ui.wake_within(0);
}

}  // namespace headlight
