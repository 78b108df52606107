#include "app/ui/pipeline/pipeline_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/figure/motion/answer_run.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/picture/moved_vertices.h"
#include "app/ui/picture/spotlight.h"
#include "app/ui/pipeline/layer_sizes.h"
#include "app/ui/pipeline/stage_menu.h"
#include "app/ui/pipeline/strip_menu.h"
#include "app/ui/views/heads_grid.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/layer/stage_formula.h"

namespace headlight {
namespace {

constexpr float kPad = 12, kNamesPad = 8, kLeast = 120, kMost = 360, kUsual = 216, kUsualOfOneRow = 152,
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
  const auto& cell = ui.view.selection.cell;
  return cell && (with_dependents(stage_bit(stage)) & stage_bit(cell->stage)) != 0;
}

void draw_line(const UiContext& ui, const PipelineWire& wire, ImVec2 origin, ImU32 color) {
  std::vector<ImVec2> points;
  for (const Point& point : wire_points(wire))
    points.push_back(to_screen(origin, point));
  // A little under the pictures, whose cells may be a pixel smaller than planned.
  points.front().x -= ui.theme.px(2);
  points.back().x += ui.theme.px(2);
  ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), color, 0,
                                          ui.theme.px(2));
}

// The way of the gradient: from what is computed back to what it is computed from.
void draw_wire_backwards(const UiContext& ui, const PipelineWire& wire, ImVec2 origin, double strength) {
  constexpr double kNoEffect = 0.25;
  const bool reached = wire.leads_to <= ui.document.session().goal->stage;
  const ImU32 color =
      reached ? to_imgui(ui.theme.text, strength) : to_imgui(ui.theme.quiet_text, kNoEffect * strength);
  draw_line(ui, wire, origin, color);
  if (!reached) return;
  const ImVec2 tip = to_screen(origin, wire_points(wire).front());
  const float length = ui.theme.px(8), half = ui.theme.px(4);
  ImGui::GetWindowDrawList()->AddTriangleFilled(tip, {tip.x + length, tip.y - half},
                                                {tip.x + length, tip.y + half}, color);
}

void draw_wire(const UiContext& ui, const PipelineWire& wire, ImVec2 origin, double strength) {
  if (ui.shows_gradients()) return draw_wire_backwards(ui, wire, origin, strength);
  constexpr double kQuiet = 0.45;
  draw_line(ui, wire, origin,
            on_the_way(ui, wire.leads_to) ? to_imgui(ui.theme.accent, strength)
                                          : to_imgui(ui.theme.quiet_text, kQuiet * strength));
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
    width = std::max(width, wire.path.back().x);
  for (const PipelineWire& wire : plan.wires) {
    if (!run.reached[static_cast<std::size_t>(wire.leads_to)]) continue;
    const double middle = (wire.path.front().x + wire.path.back().x) / 2 / width;
    const double strength = 1 - std::abs(middle - share) / kLength;
    if (strength > 0) draw_line(ui, wire, origin, to_imgui(ui.theme.text, strength));
  }
  ui.wake_within(0);
}

void draw_label(const UiContext& ui, const PipelineLabel& label, ImVec2 origin) {
  const Area area = to_screen(origin, label.place);
  const Color color = on_the_way(ui, label.makes) ? ui.theme.accent : ui.theme.quiet_text;
  ImFont* const font = ui.theme.fonts.label;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), area.at, to_imgui(color),
                                      label.operation.c_str());
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
                                   (ui.layer().uses_bias(*node.parameter) ? ", and its bias" : "") +
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
    ui.view.selection.asked = InputCell{{InputKind::Weight, 0, *node.parameter, 0}, 0, 0};
}

void draw_idle(UiContext& ui, Stage stage, const Area& area) {
  const std::string id = "strip." + std::string(stage_info(stage).name) + ".on";
  const auto settings = switched_on(ui.layer(), stage);
  const bool possible = settings || stage == Stage::Output;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 middle = {area.at.x + area.size.x / 2, area.at.y + area.size.y / 2};
  const float radius = area.size.x / 2 - ui.theme.px(1), arm = ui.theme.px(4);
  ImGui::SetCursorScreenPos(area.at);
  const bool pressed = click_area(id.c_str(), area.size);
  const bool hot = ImGui::IsItemHovered();
  if (possible) ui.probe.mark(id);
  tooltip(ui, possible ? std::string(stage_info(stage).name) + " does nothing here: " +
                             stage_formula(ui.layer(), stage) + ". A click switches it on"
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

std::string stage_tip(const UiContext& ui, Stage stage) {
  return stage_word(language_of(ui.document.session()), stage) + ": " + stage_formula(ui.layer(), stage) +
         "\nshape " + stage_shape_text(ui.layer(), stage) + "\n" + sizes_text(ui.layer());
}

// Below the name of a stage that is at large, or that a lesson points at. `light`: how far the latter has
// faded in, 0 to 1.
void underline_name(UiContext& ui, Stage stage, const std::string& name, ImFont* font, ImVec2 at,
                    float light) {
  const float width = text_width(font, name), y = at.y + font_size(font) + ui.theme.px(1);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + width, y + std::max(1.0f, ui.theme.px(2))},
                                            to_imgui(ui.theme.text, light));
  if (is_pointed_at(ui, stage))
    ui.probe.mark_rect("spotlight." + std::string(stage_info(stage).name),
                       {at.x, at.y, width, font_size(font)});
}

std::string caption_of(const UiContext& ui, Stage stage) {
  const auto& lesson = ui.document.session().lesson;
  return strip_name(lesson ? &*lesson : nullptr, stage);
}

// The name below a node: the stage's widget, which takes clicks.
void draw_caption(UiContext& ui, Stage stage, const Area& area) {
  ImGui::SetCursorScreenPos(area.at);
  if (click_area("caption", area.size)) ui.view.focused_stage = stage;
  const bool hot = ImGui::IsItemHovered();
  if (hot && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) ui.view.opened_stage = stage;
  ui.probe.mark(stage_widget(stage), stage_shape_text(ui.layer(), stage));
  tooltip(ui, stage_tip(ui, stage) + "\nDouble-click opens it to full size");
  const bool chosen = ui.view.focused_stage == stage;
  const bool pointed = is_pointed_at(ui, stage);
  const ImU32 color = to_imgui(chosen || hot || pointed ? ui.theme.text : ui.theme.quiet_text);
  ImFont* const font = ui.theme.fonts.label;
  const std::string name = caption_of(ui, stage);
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), area.at, color, drawn_text(name).c_str());
  if (pointed) underline_name(ui, stage, name, font, area.at, ui.view.lesson.light);
}

// The small node of a stage without a picture.
void draw_dot(const UiContext& ui, const PipelineNode& node, const Area& area) {
  const bool lit = on_the_way(ui, *node.stage), chosen = ui.view.focused_stage == *node.stage;
  const ImU32 color = to_imgui(chosen ? ui.theme.text : lit ? ui.theme.accent : ui.theme.quiet_text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (node.idle)
    list.AddRect(area.at, area.end(), color, ui.theme.px(2), 0, std::max(1.0f, ui.theme.px(1)));
  else
    list.AddRectFilled(area.at, area.end(), color, ui.theme.px(2));
}

// The picture of a stage, with the frame of the one that is drawn large. over: the pointer is on it.
void draw_picture(UiContext& ui, PipelinePanelState& state, const PipelineNode& node, const Area& picture,
                  const Area& whole, bool over) {
  const Stage stage = *node.stage;
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
}

// Draws what is to stand in `own` and moves it to where it is now. It takes clicks where it is to stand.
template <class Draw>
void draw_moved(ImVec2 origin, const Rect& own, const Rect& now, double opacity, Draw draw) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const int first = list.VtxBuffer.Size;
  draw();
  if (own == now && opacity == 1) return;
  move_vertices(list, first,
                placement(from_screen(to_screen(origin, own)), from_screen(to_screen(origin, now))), opacity);
}

// The opacity of what belongs to a stage.
double opacity_of(const StripMoment& moment, Stage stage) {
  for (std::size_t i = 0; i < moment.nodes.size(); ++i)
    if (moment.plan.nodes[i].stage == stage) return moment.nodes[i];
  return 1;
}

// A node on its way.
struct MovingNode {
  const PipelineNode& at;
  double opacity = 1;
};

void draw_stage(UiContext& ui, PipelinePanelState& state, const PipelineNode& node, const MovingNode& now,
                ImVec2 origin, PipelineForm form) {
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
  draw_moved(origin, node.place, now.at.place, now.opacity, [&] {
    form == PipelineForm::Names ? draw_dot(ui, node, picture)
                                : draw_picture(ui, state, node, picture, whole, over);
  });
  draw_moved(origin, node.caption, now.at.caption, now.opacity, [&] {
    draw_caption(ui, stage, caption);
    const float size = ui.theme.px(kMenu);
    if (form == PipelineForm::Pictures)
      stage_menu_button(ui, stage, {caption.end().x, caption.at.y - (size - caption.size.y) / 2}, size, over);
  });
  // The area around the pictures takes clicks too.
  if (over && !ImGui::IsAnyItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    ui.view.focused_stage = stage;
  ImGui::PopID();
}

// All stages as a list to choose from.
void stage_list(UiContext& ui, float width) {
  std::vector<Choice> choices;
  std::vector<Stage> stages;
  std::size_t current = 0;
  for (const Stage stage : stages_in_use(ui.layer())) {
    if (stage == ui.view.focused_stage) current = stages.size();
    stages.push_back(stage);
    const std::string name(stage_info(stage).name);
    choices.push_back({name, name, stage_formula(ui.layer(), stage)});
  }
  if (const auto stage =
          choice_box(ui, "strip.stage", choices, current, std::min(width, combo_width(ui, choices)),
                     "The step that is drawn large"))
    ui.view.focused_stage = stages[*stage];
}

// All settings in a popup below the last item, and all stages.
void settings_popup(UiContext& ui, PipelinePanelState& state) {
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImGui::SetNextWindowPos({max.x, max.y + ui.theme.px(4)}, 0, {1.0f, 0.0f});
  if (!ImGui::BeginPopup("settings")) return;
  const float room = std::min(ui.theme.px(440), ImGui::GetIO().DisplaySize.x - ui.theme.px(48));
  const float height = std::max(state.settings.height_px, ImGui::GetFrameHeight()) + 1;
  const float most = ImGui::GetIO().DisplaySize.y - min.y - ui.theme.px(64);
  begin_child("settings", {room, std::min(height + ImGui::GetFrameHeightWithSpacing(), most)}, false,
              ImGuiWindowFlags_NoBackground);
  stage_list(ui, room);
  settings_bar(ui, state.settings, SettingsShown::All);
  ImGui::EndChild();
  ImGui::EndPopup();
}

// While a lesson is read the line of words is not about settings.
const char* settings_label(const UiContext& ui) {
  return ui.view.offered.few ? "…" : "Settings";
}

constexpr const char *kUnfold = "Diagram", *kFold = "Fold";

// The button that opens all settings, at the right end of the strip.
void folded_settings(UiContext& ui, PipelinePanelState& state, ImVec2 at) {
  ImGui::SetCursorScreenPos(at);
  if (tool_button(ui, "strip.settings", settings_label(ui),
                  "All stages, and the settings: projections, heads, positions, mask, dropout"))
    ImGui::OpenPopup("settings");
  settings_popup(ui, state);
}

// Whether the panel can be unfolded here, or folded.
bool has_fold(const UiContext& ui, const PipelinePanelState& state) {
  return state.foldable && !ui.view.opened_stage && ui.view.focus_view != FocusView::Model;
}

// The room of the button at the right end of the strip that unfolds it or folds it.
float fold_room(const UiContext& ui, const PipelinePanelState& state) {
  const char* const label = state.form == StripForm::Line ? kUnfold : kFold;
  return has_fold(ui, state) ? button_width(label) + ui.theme.px(8) : 0;
}

// Ends at `right`. Nothing where the strip is not folded.
void fold_button(UiContext& ui, PipelinePanelState& state, float right, float y) {
  if (!has_fold(ui, state)) return;
  const bool line = state.form == StripForm::Line;
  ImGui::SetCursorScreenPos({right - button_width(line ? kUnfold : kFold), y});
  if (tool_button(ui, "strip.fold", line ? kUnfold : kFold,
                  line ? "The layer as a diagram of live pictures, with its settings (Alt+S)"
                       : "The stages as a line of words again (Alt+S)"))
    state.toggled = true;
}

constexpr const char* kArrow = "›";  // between two words of the line

// The name in the line of words.
std::string line_name(const UiContext& ui, Stage stage) {
  if (stage == Stage::Queries) return "Q";
  if (stage == Stage::Keys) return "K";
  return stage == Stage::Values ? "V" : caption_of(ui, stage);
}

float glyph_pitch(const UiContext& ui) {
  return std::round(ui.theme.px(3));
}

constexpr Index kGlyphCells = 6;  // rows and columns at most

float glyph_height(const UiContext& ui) {
  return static_cast<float>(kGlyphCells) * glyph_pitch(ui);
}

float glyph_width(const UiContext& ui, Stage stage) {
  return static_cast<float>(std::min(stage_columns(ui.layer(), stage), kGlyphCells)) * glyph_pitch(ui);
}

// Of a stage in the line of words.
float word_width(const UiContext& ui, Stage stage, bool glyph) {
  const float name = text_width(ui.theme.fonts.label, line_name(ui, stage));
  return glyph ? glyph_width(ui, stage) + ui.theme.px(6) + name : name;
}

// A stage as a small drawing of its matrix: of a causal mask only what is allowed.
void draw_glyph(const UiContext& ui, Stage stage, ImVec2 at, Color color) {
  const Index rows = std::min(stage_rows(ui.layer(), stage), kGlyphCells),
              columns = std::min(stage_columns(ui.layer(), stage), kGlyphCells);
  const bool lower =
      is_pair(stage) && stage >= Stage::Masked && ui.layer().attention.mask == MaskKind::Causal;
  const float pitch = glyph_pitch(ui), side = pitch - std::max(1.0f, ui.theme.px(1));
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < (lower ? std::min(columns, row + 1) : columns); ++column) {
      const ImVec2 a = {at.x + pitch * static_cast<float>(column), at.y + pitch * static_cast<float>(row)};
      ImGui::GetWindowDrawList()->AddRectFilled(a, {a.x + side, a.y + side}, to_imgui(color));
    }
}

// How bright each stage is while the change of a question runs along the strip.
std::array<double, kStageCount> lights_of(const UiContext& ui, const std::vector<Stage>& stages) {
  std::array<double, kStageCount> lights{};
  const auto& run = ui.view.lesson.answer_run;
  if (!run) return lights;
  std::vector<Stage> reached = stages;
  std::erase_if(reached, [&](Stage stage) { return (run->stages & stage_bit(stage)) == 0; });
  const AnswerMoment moment = answer_at(run->seconds, reached.size());
  for (std::size_t i = 0; i < reached.size(); ++i)
    lights[static_cast<std::size_t>(reached[i])] = moment.stages[i];
  return lights;
}

// The ground of a stage that the change has reached. Probed as "strip.light.<name>".
void draw_light(const UiContext& ui, Stage stage, const Area& word, double light) {
  const float edge = ui.theme.px(6);
  const ImVec2 low = {word.at.x - edge, word.at.y}, high = {word.end().x + edge, word.end().y};
  ImGui::GetWindowDrawList()->AddRectFilled(low, high, to_imgui(ui.theme.text, 0.25 * light), ui.theme.px(6));
  ui.probe.mark_rect("strip.light." + std::string(stage_info(stage).name),
                     {low.x, low.y, high.x - low.x, high.y - low.y},
                     number_text(static_cast<float>(light), 2));
}

// A stage of the line: its glyph and its name, on a ground as bright as `light`.
void draw_word(UiContext& ui, PipelinePanelState& state, Stage stage, const Area& word, bool glyph,
               double light) {
  ImFont* const font = ui.theme.fonts.label;
  const float high = font_size(font), line = ImGui::GetFrameHeight();
  ImGui::SetCursorScreenPos(word.at);
  if (click_area(stage_widget(stage).c_str(), word.size)) {
    ui.view.focused_stage = stage;
    if (ui.view.focus_view == FocusView::Model) ui.view.focus_view = FocusView::Heatmap;
  }
  const bool chosen = ui.view.focused_stage == stage && ui.view.focus_view != FocusView::Model;
  if (light > 0) draw_light(ui, stage, word, light);
  const Color color = chosen || light > 0.5 || ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text;
  ui.probe.mark(stage_widget(stage), stage_shape_text(ui.layer(), stage));
  tooltip(ui, stage_tip(ui, stage));
  const float name = word.end().x - text_width(font, line_name(ui, stage));
  if (glyph) draw_glyph(ui, stage, {word.at.x, std::floor(word.at.y + (line - glyph_height(ui)) / 2)}, color);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(font, high, {name, word.at.y + std::floor((line - high) / 2)}, to_imgui(color),
               drawn_text(line_name(ui, stage)).c_str());
  if (chosen || is_pointed_at(ui, stage))
    underline_name(ui, stage, line_name(ui, stage), font, {name, word.at.y + std::floor((line - high) / 2)},
                   chosen ? 1 : ui.view.lesson.light);
  const Rect place = from_screen(word);
  state.nodes.push_back({stage, std::nullopt, place, place, false});
}

std::vector<Stage> stages_of_line(const UiContext& ui, const PipelinePanelState& state) {
  std::vector<Stage> stages = stages_in_use(ui.layer());
  const bool taught = ui.view.offered.few && !ui.view.lesson.walking;  // a walk goes through all stages
  const StageSet shown = taught ? state.content.taught : state.content.stages;
  if (state.form == StripForm::Line)
    std::erase_if(stages, [&](Stage stage) { return (shown & stage_bit(stage)) == 0; });
  return stages;
}

// The stages as words in one line with arrows between them, in pixels of the window.
struct WordLine {
  PipelinePlan plan;
  bool glyphs = false;
};

// In the order of computation, with glyphs if these fit, and closer together if the words do not fit else;
// nullopt where they do not fit so either.
std::optional<WordLine> plan_words(const UiContext& ui, const PipelinePanelState& state, ImVec2 at,
                                   float width) {
  ImFont* const font = ui.theme.fonts.label;
  constexpr float kGap = 8, kLeastGap = 3;  // planned pixels
  const float line = ImGui::GetFrameHeight(), arrow = text_width(font, kArrow);
  const std::vector<Stage> stages = stages_of_line(ui, state);
  float gap = ui.theme.px(kGap), between = 2 * gap + arrow;
  const auto all = [&](bool glyphs) {
    float sum = -between;
    for (const Stage stage : stages)
      sum += word_width(ui, stage, glyphs) + between;
    return sum;
  };
  const auto gaps = 2 * static_cast<float>(stages.size() - 1);
  if (const float over = all(false) - width; over > 0) {
    gap -= std::ceil(over / gaps);
    between = 2 * gap + arrow;
  }
  if (gap < ui.theme.px(kLeastGap)) return std::nullopt;
  WordLine words;
  words.glyphs = state.form == StripForm::Line && all(true) <= width;
  const float y = at.y + std::floor((line - font_size(font)) / 2);
  for (const Stage stage : stages) {
    if (stage != stages.front()) {
      words.plan.labels.push_back({from_screen({{at.x + gap, y}, {arrow, font_size(font)}}), kArrow, stage});
      at.x += between;
    }
    const Area word = {at, {word_width(ui, stage, words.glyphs), line}};
    words.plan.nodes.push_back({stage, std::nullopt, from_screen(word), {}, false});
    at.x = word.end().x;
  }
  words.plan.width = double{at.x};
  words.plan.height = double{at.y + line};
  return words;
}

// Draws nothing, and returns false, where the words do not fit.
bool draw_words(UiContext& ui, PipelinePanelState& state, ImVec2 at, float width) {
  const std::optional<WordLine> words = plan_words(ui, state, at, width);
  if (!words) return false;
  const PipelinePlan& plan = words->plan;
  const StripMoment now = state.motion.moment(ui, plan, {});
  const auto lights = lights_of(ui, stages_of_line(ui, state));
  ImFont* const font = ui.theme.fonts.label;
  state.motion.draw_leaving(ui, now, {});
  for (std::size_t i = 0; i < plan.labels.size(); ++i) {
    const PipelineLabel& arrow = plan.labels[i];
    draw_moved({}, arrow.place, now.plan.labels[i].place, opacity_of(now, arrow.makes), [&] {
      ImGui::GetWindowDrawList()->AddText(font, font_size(font), to_screen({}, arrow.place).at,
                                          to_imgui(ui.theme.quiet_text), arrow.operation.c_str());
    });
  }
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const Stage stage = *plan.nodes[i].stage;
    draw_moved({}, plan.nodes[i].place, now.plan.nodes[i].place, now.nodes[i], [&] {
      draw_word(ui, state, stage, to_screen({}, plan.nodes[i].place), words->glyphs,
                lights[static_cast<std::size_t>(stage)]);
    });
  }
  return true;
}

// The stages in one line, as words or as a list, where there is no room for a diagram.
void draw_list(UiContext& ui, PipelinePanelState& state, ImVec2 at, float width) {
  const float button = button_width(settings_label(ui)), gap = ui.theme.px(8);
  const bool both = width > 2 * button_width("Settings") + gap;
  const float fold = fold_room(ui, state), buttons = button + gap + fold;
  const bool all = both && width > 2 * buttons;
  const float room = std::max(1.0f, width - (all ? buttons : both ? button + gap : 0));
  ImGui::SetCursorScreenPos(at);
  if (!draw_words(ui, state, at, room)) stage_list(ui, room);
  if (both) folded_settings(ui, state, {at.x + width - button - (all ? fold : 0), at.y});
  if (all) fold_button(ui, state, at.x + width, at.y);
}

PipelineArea room_of(const UiContext& ui, ImVec2 size) {
  ImFont* const font = ui.theme.fonts.label;
  return {size.x,
          size.y,
          ui.theme.scale,
          ImGui::GetFrameHeight(),
          font_size(font),
          ui.view.head ? 1 : 0,
          [font](const std::string& text) { return double{text_width(font, text)}; }};
}

void draw_plan(UiContext& ui, PipelinePanelState& state, const PipelinePlan& plan, ImVec2 origin) {
  const StripMoment now = state.motion.moment(ui, plan, origin);
  for (const bool lit : {false, true})
    for (std::size_t i = 0; i < plan.wires.size(); ++i)
      if (on_the_way(ui, plan.wires[i].leads_to) == lit)
        draw_wire(ui, now.plan.wires[i], origin, now.wires[i]);
  on_edit(ui, state.run);
  draw_run(ui, now.plan, state.run, origin);
  state.motion.draw_leaving(ui, now, origin);
  for (std::size_t i = 0; i < plan.labels.size(); ++i)
    draw_moved(origin, plan.labels[i].place, now.plan.labels[i].place, opacity_of(now, plan.labels[i].makes),
               [&] { draw_label(ui, plan.labels[i], origin); });
  for (std::size_t i = 0; i < plan.slots.size(); ++i)
    draw_moved(origin, plan.slots[i].place, now.plan.slots[i].place, opacity_of(now, plan.slots[i].makes),
               [&] { draw_slot(ui, state, plan.slots[i], origin); });
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const PipelineNode &node = plan.nodes[i], &at = now.plan.nodes[i];
    if (node.stage)
      draw_stage(ui, state, node, {at, now.nodes[i]}, origin, plan.form);
    else
      draw_moved(origin, node.place, at.place, now.nodes[i], [&] { draw_chip(ui, node, origin); });
    PipelineNode shown = node;
    shown.place = from_screen(to_screen(origin, node.place));
    shown.caption = from_screen(to_screen(origin, node.caption));
    state.nodes.push_back(shown);
  }
  if (plan.more)
    draw_moved(origin, *plan.more, *now.plan.more, 1,
               [&] { more_button(ui, state.content, state.asked, to_screen(origin, *plan.more)); });
}

// The x position at which each part of the settings acts.
SettingsPlaces setting_places(const PipelinePlan& plan) {
  SettingsPlaces places{};
  const auto at = [&](SettingsPart part) -> float& { return places[static_cast<std::size_t>(part)]; };
  const auto middle = [](const Rect& rect) { return static_cast<float>(rect.x + rect.width / 2); };
  for (const PipelineNode& node : plan.nodes) {
    const float x = middle(node.place);
    if (node.stage == Stage::Queries) at(SettingsPart::Projection) = x;
    if (node.stage == Stage::Scores) at(SettingsPart::Position) = at(SettingsPart::Scale) = x;
    if (node.stage == Stage::Scaled) at(SettingsPart::Scale) = x;
    if (node.stage == Stage::Masked || node.stage == Stage::Weights) {
      float& mask = at(SettingsPart::Mask);
      if (mask == 0) mask = x;
    }
    if (node.stage == Stage::Dropped) at(SettingsPart::Dropout) = x;
    if (node.stage == Stage::Output || node.stage == Stage::Concat) at(SettingsPart::Output) = x;
  }
  return places;
}

// The room that the settings below the diagram take.
float settings_room(const UiContext& ui, const PipelinePanelState& state) {
  const float height = state.settings.height_px;
  return height > 0 ? std::ceil(height) + ui.theme.px(8) : 0;
}

// The pages of a whole model are not about the shown layer, and most steps of a lesson not about the strip:
// then it takes one line. Beside those pages it does so whatever height it was dragged to elsewhere.
bool is_line(const UiContext& ui, const PipelinePanelState& state) {
  const bool line = state.height <= 0 || ui.view.model.pages_beside;
  if (state.form == StripForm::Line && line && !ui.view.opened_stage) return true;
  return ui.view.focus_view == FocusView::Model && !ui.view.opened_stage;
}

// The room below the line of words of the settings that the shown text names.
float named_room(const UiContext& ui, const PipelinePanelState& state) {
  if (!is_line(ui, state) || ui.view.offered.named.empty() || state.named.height_px <= 0) return 0;
  return std::ceil(state.named.height_px) + ui.theme.px(4);
}

// The size of the diagram in a panel of this size, above the line of settings.
ImVec2 drawing_size(const UiContext& ui, const PipelinePanelState& state, ImVec2 size) {
  const float pad = ui.theme.px(kPad);
  return {size.x - 2 * pad - fold_room(ui, state), size.y - 2 * pad - settings_room(ui, state)};
}

PipelinePlan picture_plan(UiContext& ui, const PipelinePanelState& state, ImVec2 size) {
  if (ui.view.opened_stage || state.low || is_line(ui, state)) return {};
  return plan_pipeline(ui.layer(), state.content, room_of(ui, drawing_size(ui, state, size)));
}

// The diagram of names in this width, as part of a window of this height.
PipelinePlan names_plan(UiContext& ui, const PipelinePanelState& state, float width, float window) {
  if (is_line(ui, state)) return {};
  StripContent content = state.content;
  PipelineArea room = room_of(ui, {width - 2 * ui.theme.px(kNamesPad) - fold_room(ui, state), 0});
  if (state.folded) {
    content.more.clear();
    room.width -= button_width(settings_label(ui)) + ui.theme.px(8);
  }
  PipelinePlan plan = plan_names(ui.layer(), content, room);
  constexpr double kMostOfWindow = 0.3;
  if (plan.height > window * kMostOfWindow) return {};
  return plan;
}

// Collects what has been in use or at large since the session was opened: a control stays where it is.
void collect_content(UiContext& ui, PipelinePanelState& state) {
  const auto& lesson = ui.document.session().lesson;
  const Stage chosen = ui.view.opened_stage.value_or(ui.view.focused_stage);
  if (state.opening != ui.document.opening()) {
    state.opening = ui.document.opening();
    state.asked = {};
    state.settings_px = 0;
  } else if (state.chosen && chosen != *state.chosen) {
    state.asked.stages |= stage_bit(chosen);
  }
  state.chosen = chosen;
  state.asked.parts |= parts_in_use(ui.layer());
  StripAsked asked = state.asked;
  asked.stages |= stage_bit(chosen);
  const StripParts before = state.content.parts;
  state.content = strip_content(ui.layer(), lesson ? &*lesson : nullptr, asked);
  state.content.kept = stage_bit(chosen);
  if (state.content.parts != before) state.settings_px = 0;
}

}  // namespace

bool folds_settings(const UiContext& ui, const PipelinePanelState& state, float window) {
  constexpr float kMost = 0.22f;
  return state.names_px + state.settings_px + ui.theme.px(20) > window * kMost;
}

float pipeline_height(UiContext& ui, PipelinePanelState& state, ImVec2 size) {
  collect_content(ui, state);
  const float line = ImGui::GetFrameHeight() + ui.theme.px(8);
  const float wanted = state.height > 0         ? std::clamp(ui.theme.px(static_cast<float>(state.height)),
                                                             ui.theme.px(kLeast), ui.theme.px(kMost))
                       : in_one_row(ui.layer()) ? ui.theme.px(kUsualOfOneRow)
                                                : std::max(ui.theme.px(kUsual), std::floor(size.y * 0.24f));
  // The lines of settings do not make the diagram smaller.
  const float height = std::floor(std::min(wanted + settings_room(ui, state) - line, size.y * 0.42f));
  const float width = size.x, pad = 2 * ui.theme.px(kNamesPad);
  state.folded = false;
  constexpr float kMostOfWindow = 0.31f;  // unless it was dragged
  state.low = state.height <= 0 && height > size.y * kMostOfWindow;
  if (picture_plan(ui, state, {width, height}).form == PipelineForm::Pictures) return height;
  state.names_px = static_cast<float>(names_plan(ui, state, width, size.y).height);
  state.folded = folds_settings(ui, state, size.y);
  const PipelinePlan plan = names_plan(ui, state, width, size.y);
  if (plan.form == PipelineForm::List) {
    state.folded = true;
    return std::ceil(ImGui::GetFrameHeight() + pad + named_room(ui, state));
  }
  const float below = state.folded ? 0 : state.settings_px > 0 ? state.settings_px + ui.theme.px(4) : 0;
  return std::ceil(std::max(static_cast<float>(plan.height), ImGui::GetFrameHeight()) + below + pad);
}

double dragged_height(const UiContext& ui, const PipelinePanelState& state, float edge_px) {
  return (edge_px - settings_room(ui, state) + ImGui::GetFrameHeight() + ui.theme.px(8)) / ui.theme.scale;
}

namespace {

void settings_line(UiContext& ui, PipelinePanelState& state, const Area& area, const PipelinePlan& plan) {
  const bool drawing = plan.form == PipelineForm::Pictures;
  const SettingsPlaces places = setting_places(plan);
  ImGui::SetCursorScreenPos(area.at);
  begin_child("settings", area.size, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  settings_bar(ui, state.settings, drawing ? SettingsShown::Rest : SettingsShown::All,
               drawing ? &places : nullptr, state.content.parts);
  ImGui::EndChild();
  if (drawing || state.settings_px == state.settings.height_px) return;
  state.settings_px = state.settings.height_px;
  ui.wake_within(0);
}

// Below the line of words: the settings that the shown text names.
void settings_below(UiContext& ui, PipelinePanelState& state, ImVec2 at, float width) {
  if (!is_line(ui, state) || ui.view.offered.named.empty()) return;
  ImGui::SetCursorScreenPos(at);
  begin_child("named settings", {width, std::max(1.0f, state.named.height_px + 1)}, false,
              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  named_settings(ui, state.named);
  ImGui::EndChild();
}

}  // namespace

void pipeline_panel(UiContext& ui, PipelinePanelState& state, ImVec2 at, ImVec2 size) {
  state.nodes.clear();
  if (std::exchange(state.left_px, at.x) != at.x) state.motion = {};  // the whole panel is elsewhere
  PipelinePlan plan = picture_plan(ui, state, size);
  const bool drawing = plan.form == PipelineForm::Pictures;
  if (!drawing) plan = names_plan(ui, state, size.x, ImGui::GetIO().DisplaySize.y);
  const float pad = ui.theme.px(drawing ? kPad : kNamesPad);
  const ImVec2 origin = {at.x + pad, at.y + pad};
  const float width = size.x - 2 * pad;
  if (plan.form == PipelineForm::List && state.form == StripForm::Line) {
    draw_list(ui, state, {at.x, origin.y}, size.x);
    return settings_below(ui, state, {at.x, origin.y + ImGui::GetFrameHeight() + ui.theme.px(4)}, size.x);
  }
  draw_card_frame(ui, {at, size}, false);
  if (plan.form == PipelineForm::List) return draw_list(ui, state, origin, width);
  draw_plan(ui, state, plan, origin);
  fold_button(ui, state, origin.x + width, origin.y);
  if (state.folded)
    return folded_settings(
        ui, state, {origin.x + width - fold_room(ui, state) - button_width(settings_label(ui)), origin.y});
  const float height = std::ceil(state.settings.height_px) + 1;
  settings_line(ui, state, {{origin.x, at.y + size.y - pad - height}, {width, height}}, plan);
}

}  // namespace headlight
