// The chosen stage drawn large, with its header.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/figure/motion/between.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/picture/heads_together.h"
#include "app/ui/picture/minimap.h"
#include "app/ui/views/compare_view.h"
#include "app/ui/views/dropout_view.h"
#include "app/ui/views/factors_view.h"
#include "app/ui/views/head_parts_view.h"
#include "app/ui/views/heads_grid.h"
#include "app/ui/views/stage_parts.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/layer/stage_formula.h"
#include "engine/layer/weight_report.h"

namespace headlight {
namespace {

// The notice above the picture of given weights that are not the result of a softmax: one line at `at`, with
// the full text as a tooltip. Returns its height; 0 if there is nothing to report. Probed as "focus.notice".
float weight_notice(UiContext& ui, Stage stage, ImVec2 at, float width) {
  if (stage != Stage::Weights || !ui.answer || !ui.answer->weight_report) return 0;
  if (ui.layer().given_weights.empty()) return 0;  // the result belongs to the previous model
  const std::string text = report_text(*ui.answer->weight_report, ui.layer(), ui.counting());
  if (text.empty()) return 0;
  ImFont* font = ui.theme.fonts.label;
  const float height = font_size(font) + ui.theme.px(6);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, height});
  ui.probe.mark("focus.notice", text);
  tooltip(ui, text);
  fitted_text(font, at, width, ui.theme.text, text);
  return height;
}

// The pictures of the heads, with the factors of the product next to them.
void draw_with_factors(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  const float beside = factors_width(ui, stage, area);
  const std::vector<LargePicture>& pictures = state.cache.pictures();
  const std::size_t before = pictures.size();
  draw_heads(ui, state.cache, state.painter, stage, {area.at, {area.size.x - beside, area.size.y}}, "focus.",
             true, beside > 0, state.presented ? &*state.presented : nullptr);
  if (beside == 0 || pictures.size() == before) return;
  double end = 0;
  for (std::size_t i = before; i < pictures.size(); ++i)
    end = std::max(end, pictures[i].cells.right());
  const float x = std::min(static_cast<float>(end) + colorbar_width(ui), area.end().x - beside);
  const LargePicture first = pictures[before];
  draw_factors(ui, state.cache, stage, first, {{x, area.at.y}, {beside, area.size.y}});
}

void draw_heatmaps(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  ui.view.heads.one_large = ui.view.picture.numbered = false;
  // Three pictures side by side need some room.
  if (stage == Stage::Dropped && !shows_heads_together(ui, stage) && area.size.x >= ui.theme.px(330) &&
      !is_mapped(ui))
    draw_dropout(ui, state.cache, state.play, area);
  else if (shows_by_head(ui, state, stage))
    draw_by_head(ui, state.cache, area);
  else if (shows_heads_together(ui, stage))
    draw_heads_together(ui, state.cache, stage, area);
  else
    draw_with_factors(ui, state, stage, area);
}

// The picture of the stage in the chosen view.
void draw_picture(UiContext& ui, StagesPanelState& state, Stage stage, const Area& whole) {
  const bool maps = ui.view.focus_view == FocusView::Heatmap ||
                    (ui.view.focus_view == FocusView::Compare && ui.view.baseline.layer);
  const Area area = maps ? beside_minimap(ui, state.cache, stage, whole) : whole;
  switch (ui.view.focus_view) {
    case FocusView::Heatmap:
      return draw_heatmaps(ui, state, stage, area);
    case FocusView::Flow:
      return draw_flow_view(ui, state.flow, area);
    case FocusView::Row:
      return draw_row_view(ui, state.row, area);
    case FocusView::Vectors:
      return draw_vectors_view(ui, state.vectors, area);
    case FocusView::Compare:
      return draw_compare(ui, state.cache, stage, area);
    case FocusView::Model:
      return model_pages(ui, state.model, area);
  }
}

// All cells of the large pictures together.
Rect all_cells(const std::vector<LargePicture>& pictures) {
  if (pictures.empty()) return {};
  Rect all = pictures.front().cells;
  for (const LargePicture& picture : pictures)
    all = joined(all, picture.cells);
  return all;
}

// What the large pictures show of the stage. Returns their cells all together, or nothing as long as their
// numbers are missing.
std::optional<Rect> draw_shown(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  if (state.motion.moves()) {
    const Rect result = draw_motion_stage(ui, state.motion, {area.at.x, area.at.y, area.size.x, area.size.y});
    return state.motion.plan.empty() ? std::nullopt : std::optional<Rect>(result);
  }
  draw_picture(ui, state, stage, area);
  const std::vector<LargePicture>& pictures = state.cache.pictures();
  const bool of_tiles = ui.view.focus_view == FocusView::Heatmap;
  if (of_tiles && pictures.empty()) return std::nullopt;
  return all_cells(pictures);
}

// The same, on its way from the picture before it.
void draw_moving_picture(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  state.change.begin(ui, state.step, state.motion.moves(), area);
  const std::optional<Rect> cells = draw_shown(ui, state, stage, area);
  state.change.end(ui, cells.value_or(Rect{}), cells.has_value());
}

// With the motion's controls below it, and its caption while something is on its way.
void draw_played_picture(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  if (area.size.x < 1 || area.size.y < 1) return;
  const MotionPlayerPlan places = prepare_motion(ui, state.motion, area);
  const Rect& shown = state.motion.moves() ? places.stage : places.at_rest;
  draw_moving_picture(ui, state, stage,
                      {area.at, {static_cast<float>(shown.width), static_cast<float>(shown.height)}});
  draw_motion_controls(ui, state.motion, places);
}

constexpr const char *kOpen = "Full size", *kBack = "Back", *kPlay = "Play", *kExport = "Export…";
constexpr float kAfterSwitch = 12, kAfterName = 12;  // planned pixels

// The controls at the right end of the header, in this order. They have the same places for every stage.
struct HeaderSlots {
  bool play = true;           // Space and holding the pointer on a cell play as well
  bool open = true;           // a double-click and F11 also open the picture
  bool export_button = true;  // the top bar has one too
};

float open_width() {
  return std::max(button_width(kOpen), button_width(kBack));
}

// With the gap before each.
float width_of(const UiContext& ui, const HeaderSlots& slots) {
  const float gap = ui.theme.px(8);
  return (slots.play ? gap + button_width(kPlay) : 0) + (slots.open ? gap + open_width() : 0) +
         (slots.export_button ? gap + button_width(kExport) : 0);
}

// What else the header of a stage has.
struct HeaderParts {
  ViewNames names = ViewNames::None;
  bool brief = true;  // shorter labels in the choice of heads and in their order
  bool tools = true;
  bool heads = true;  // the captions of the pictures also choose heads
};

float width_of(const UiContext& ui, const HeaderParts& parts, Stage stage, float tools) {
  const float gap = ui.theme.px(8);
  float width = view_switch_width(ui, parts.names) + ui.theme.px(kAfterSwitch);
  if (parts.tools && tools > 0) width += tools;
  if (parts.heads && !folds_tools(ui) && stage_heads(ui.layer(), stage) > 1)
    width += (parts.tools && tools > 0 ? gap : 0) + head_choice_width(ui, parts.brief);
  return width;
}

// The stage's name, in the lesson's language if it has one there.
std::string shown_name(const UiContext& ui, Stage stage) {
  return stage_word(language_of(ui.document.session()), stage);
}

// The most slots with which each stage of the model keeps its own controls.
HeaderSlots fitting_slots(const UiContext& ui, bool opened, float room) {
  if (folds_tools(ui)) return {false, opened, false};
  float widest = 0;
  for (const Stage stage : stages_in_use(ui.layer()))
    widest =
        std::max(widest, text_width(ui.theme.fonts.title, shown_name(ui, stage)) + ui.theme.px(kAfterName) +
                             width_of(ui, HeaderParts{}, stage, least_focus_tools_width(ui, stage)));
  for (const HeaderSlots& slots :
       {HeaderSlots{}, HeaderSlots{true, true, false}, HeaderSlots{true, opened, false}})
    if (widest + width_of(ui, slots) <= room) return slots;
  return {false, opened, false};
}

// The most of a stage's own controls that fit into `room`, the view switch among them.
HeaderParts fitting_parts(const UiContext& ui, Stage stage, float room) {
  const HeaderParts choices[] = {
      {ViewNames::All, false, true, true},   {ViewNames::All, true, true, true},
      {ViewNames::Chosen, true, true, true}, {ViewNames::None, true, true, true},
      {ViewNames::None, true, false, true},  {ViewNames::None, true, false, false}};
  for (const HeaderParts& parts : choices)
    if (width_of(ui, parts, stage, focus_tools_width(ui, stage, parts.brief)) <= room) return parts;
  return choices[std::size(choices) - 1];
}

// The names of the views in the header of a whole model, which has no other controls.
ViewNames fitting_names(const UiContext& ui, float room) {
  for (const ViewNames names : {ViewNames::All, ViewNames::Chosen})
    if (view_switch_width(ui, names) <= room) return names;
  return ViewNames::None;
}

// What a picture of gradients shows, in place of the formula of the stage.
std::string gradient_formula(const UiContext& ui, Stage stage) {
  const std::string name(stage_info(stage).name);
  const GradientsResult* const known = ui.answer ? ui.answer->gradients.get() : nullptr;
  if (known && !known->refusal.empty()) return "no gradients: " + known->refusal;
  if (stage > ui.document.session().goal->stage) return "the loss does not depend on " + name;
  return "∂ loss / ∂ " + name + ": how fast the loss grows with each number";
}

// "layer 2, head 3", where neither has a list of its own in the header.
std::string shown_place(const UiContext& ui, Stage stage) {
  if (!folds_tools(ui)) return "";
  std::string layer = names_of_layers(ui).text(ui.view.model.work->layer);
  if (stage_heads(ui.layer(), stage) < 2) return layer;
  return layer + ", " + (ui.view.head ? head_name(*ui.view.head, ui.counting()) : "all heads");
}

// Which head, the formula and the shape, as far as they fit.
void header_detail(UiContext& ui, Stage stage, ImVec2 at, float room) {
  const bool updating =
      ui.answer && ui.answer->revision != ui.document.revision() && ui.answer->compute_ms > 100;
  std::string detail = updating ? "updating…" : "";
  const std::string formula =
      ui.shows_gradients() ? gradient_formula(ui, stage)
      : shows_by_value(ui, stage)
          ? std::string(ui.layer().uses(Parameter::Output) ? "α × |v W_o|" : "α × |v|")
      : shows_without_first(ui, stage) ? std::string("without the first key, each row to 1 again")
                                       : stage_formula(ui.layer(), stage);
  for (const std::string& part : {shown_place(ui, stage), formula, stage_shape_text(ui.layer(), stage)}) {
    if (part.empty()) continue;
    std::string longer = detail;
    if (!longer.empty()) longer += "   ·   ";
    longer += part;
    if (text_width(ui.theme.fonts.label, longer) <= room) detail = std::move(longer);
  }
  fitted_text(ui.theme.fonts.label, at, room, ui.theme.quiet_text, detail);
  if (folds_tools(ui))
    ui.probe.mark_rect("focus.layer", {at.x, at.y, std::max(room, 1.0f), font_size(ui.theme.fonts.label)},
                       ui.view.layers.names.empty() ? "0" : ui.view.layers.names[ui.view.layers.at]);
}

// The model's layers and heads, in the header of the view "model".
void model_detail(UiContext& ui, ImVec2 at, float room) {
  if (!ui.view.model.work) return;
  const NetworkConfig& config = ui.view.model.work->network->config();
  const std::string text = std::string(family_name(config)) + "   ·   " +
                           (config.cross ? std::to_string(config.encoder->layers) + " + " : "") +
                           std::to_string(config.layers) + " layers × " + std::to_string(config.heads) +
                           " heads   ·   d " + std::to_string(config.width);
  fitted_text(ui.theme.fonts.label, at, room, ui.theme.quiet_text, text);
}

void play_button(UiContext& ui, MotionPlayer& motion) {
  if (tool_button(ui, "focus.play_motion", kPlay, ui.action_tip("play"), can_play(ui), motion.shown()))
    motion.shown() ? end_motion(motion) : begin_motion(ui, motion);
}

// The controls with fixed places; `end`: the right end of the last one.
void header_slots(UiContext& ui, StagesPanelState& state, Stage stage, const HeaderSlots& slots, ImVec2 end,
                  bool opened) {
  const float gap = ui.theme.px(8);
  float x = end.x - width_of(ui, slots);
  const auto next = [&](float width) {
    ImGui::SetCursorScreenPos({x + gap, end.y});
    x += gap + width;
  };
  if (slots.play) {
    next(button_width(kPlay));
    play_button(ui, state.motion);
  }
  if (slots.open) {
    next(open_width());
    if (tool_button(ui, opened ? "focus.close" : "focus.open", opened ? kBack : kOpen,
                    opened ? "Back to the whole pipeline (Escape)" : "Open this stage to full size", true))
      ui.view.opened_stage = opened ? std::nullopt : std::optional<Stage>(stage);
  }
  if (!slots.export_button) return;
  next(button_width(kExport));
  if (tool_button(ui, "focus.export", kExport, export_tip(ui, state, stage)))
    ui.actions.push_back({Action::ExportStage, {}, stage});
}

// The name and what is computed, without controls but those that the step's text names.
void presented_header(UiContext& ui, StagesPanelState& state, Stage stage, const std::string& name, ImVec2 at,
                      float end) {
  if (const float tools = named_tools_width(ui, stage); tools > 0) {
    ImGui::SetCursorScreenPos({end - tools, at.y});
    named_tools(ui, state, stage);
    end -= tools + ui.theme.px(8);
  }
  const Fonts& fonts = ui.theme.fonts;
  const float line = ImGui::GetFrameHeight();
  const auto middle = [&](ImFont* font) { return at.y + (line - font_size(font)) / 2; };
  fitted_text(fonts.title, {at.x, middle(fonts.title)}, end - at.x, ui.theme.text, name);
  const float x = at.x + std::min(end - at.x, text_width(fonts.title, name) + ui.theme.px(kAfterName));
  if (ui.view.focus_view != FocusView::Model) header_detail(ui, stage, {x, middle(fonts.label)}, end - x);
}

// While a lesson is read: what its text names, Play, and the rest in a menu.
void reading_header(UiContext& ui, StagesPanelState& state, Stage stage, ImVec2 at, float end) {
  const float gap = ui.theme.px(8), more = more_menu_width(), play = button_width(kPlay);
  const float tools = named_tools_width(ui, stage);
  ImGui::SetCursorScreenPos({end - more, at.y});
  focus_menu(ui, state, stage);
  float x = end - more;
  if (x - gap - play > at.x) {
    x -= gap + play;
    ImGui::SetCursorScreenPos({x, at.y});
    play_button(ui, state.motion);
  }
  if (tools > 0) {
    x -= gap + tools;
    ImGui::SetCursorScreenPos({x, at.y});
    named_tools(ui, state, stage);
  }
  const float room = x - gap - at.x,
              middle = at.y + (ImGui::GetFrameHeight() - font_size(ui.theme.fonts.label)) / 2;
  if (room <= 0) return;
  if (ui.view.focus_view == FocusView::Model) return model_detail(ui, {at.x, middle}, room);
  header_detail(ui, stage, {at.x, middle}, room);
}

void draw_focus_header(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened) {
  const Fonts& fonts = ui.theme.fonts;
  const float pad = ui.theme.px(12), gap = ui.theme.px(8), line = ImGui::GetFrameHeight();
  const bool whole = ui.view.focus_view == FocusView::Model;
  const std::string name =
      (whole || !ui.shows_gradients() ? "" : "∂ ") + (whole ? std::string("model") : shown_name(ui, stage));
  const float y = area.at.y + pad, end = area.end().x - pad;
  float x = area.at.x + pad;
  if (state.presented) return presented_header(ui, state, stage, name, {x, y}, end);
  if (ui.view.offered.few) {
    const float least = more_menu_width() + gap;
    const float name_room = std::max(0.0f, std::min(text_width(fonts.title, name), end - x - least));
    fitted_text(fonts.title, {x, y + (line - font_size(fonts.title)) / 2}, name_room, ui.theme.text, name);
    return reading_header(ui, state, stage, {x + name_room + ui.theme.px(kAfterName), y}, end);
  }
  const bool listed = view_switch_width(ui, ViewNames::None) > end - x;
  const float least = listed ? view_list_width(ui, end - x) : view_switch_width(ui, ViewNames::None);
  const float shown = std::max(0.0f, std::min(text_width(fonts.title, name), end - x - least - gap));
  ImGui::SetCursorScreenPos({x, y});
  ImGui::Dummy({shown, line});
  if (shown < text_width(fonts.title, name)) tooltip(ui, name);
  fitted_text(fonts.title, {x, y + (line - font_size(fonts.title)) / 2}, shown, ui.theme.text, name);
  if (shown > 0) x += shown + std::min(ui.theme.px(kAfterName), std::max(gap / 2, end - x - shown - least));
  if (listed) {
    ImGui::SetCursorScreenPos({x, y});
    return view_list(ui, end - x);
  }
  const HeaderSlots slots =
      whole ? HeaderSlots{false, false, false} : fitting_slots(ui, opened, end - area.at.x - pad);
  HeaderParts parts;
  if (whole)
    parts.names = fitting_names(ui, end - x);
  else
    parts = fitting_parts(ui, stage, end - x - width_of(ui, slots));
  // The view switch is next to the name, because the controls on the right change with the view.
  ImGui::SetCursorScreenPos({x, y});
  view_switch(ui, parts.names);
  const float behind = x + view_switch_width(ui, parts.names) + ui.theme.px(kAfterSwitch);

  if (whole) return model_detail(ui, {behind, y + (line - font_size(fonts.label)) / 2}, end - behind);
  const float tools = focus_tools_width(ui, stage, parts.brief);
  const float right = end - width_of(ui, slots) - (x + width_of(ui, parts, stage, tools) - behind);
  header_detail(ui, stage, {behind, y + (line - font_size(fonts.label)) / 2},
                std::max(0.0f, right - gap - behind));
  ImGui::SetCursorScreenPos({right, y});
  if (parts.tools && tools > 0) focus_tools(ui, state, stage, parts.brief);
  if (parts.heads && !folds_tools(ui) && stage_heads(ui.layer(), stage) > 1) {
    if (parts.tools && tools > 0) ImGui::SameLine(0, gap);
    head_choice(ui, stage, parts.brief);
  }
  header_slots(ui, state, stage, slots, {end, y}, opened);
}

}  // namespace

void draw_focus(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened) {
  draw_card_frame(ui, area, false);
  ui.probe.mark_rect("focus.area", {area.at.x, area.at.y, area.size.x, area.size.y});
  draw_focus_header(ui, state, stage, area, opened);
  const float pad = ui.theme.px(12);
  float header = pad + ImGui::GetFrameHeight() + ui.theme.px(8);
  header += weight_notice(ui, stage, {area.at.x + pad, area.at.y + header}, area.size.x - 2 * pad);
  const Area picture = {{area.at.x + pad, area.at.y + header},
                        {area.size.x - 2 * pad, area.size.y - header - pad}};
  state.motion.shown() ? draw_played_picture(ui, state, stage, picture)
                       : draw_moving_picture(ui, state, stage, picture);
}

}  // namespace headlight
