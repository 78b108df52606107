#include "app/ui/views/motion_player.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/views/motion_source.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kLongPressSeconds = 0.5f;
constexpr double kEnd = 1 - 1e-6;

bool open_menu() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

bool has_keys(const UiContext& ui) {
  return !ui.view.selection.input && !ImGui::GetIO().WantTextInput && !ImGui::IsAnyItemActive() &&
         !ctrl_held() && !alt_held() && !open_menu();
}

void go_to(MotionPlayer& player, double t) {
  player.t = std::clamp(t, 0.0, 1.0);
  player.running = false;
}

void step_on(MotionPlayer& player, bool back) {
  go_to(player, back ? previous_stop(player.plan, player.t) : next_stop(player.plan, player.t));
}

void handle_keys(const UiContext& ui, MotionPlayer& player) {
  if (!has_keys(ui)) return;
  if (key_pressed(Key::Left, true)) step_on(player, true);
  if (key_pressed(Key::Right, true)) step_on(player, false);
  if (key_pressed(Key::Home)) go_to(player, 0);
  if (key_pressed(Key::End)) go_to(player, 1);
}

// Moves on with the time, from the first frame that shows it.
void advance(UiContext& ui, MotionPlayer& player) {
  if (std::exchange(player.fresh, false)) {
    if (!ui.preferences.motion) go_to(player, player.plan.steps.front().end);
  } else if (player.running) {
    player.t = std::min(1.0, player.t + static_cast<double>(ImGui::GetIO().DeltaTime) / player.plan.seconds);
    if (player.t >= 1) player.running = false;
  }
  if (player.running) ui.wake_within(0.01);
}

void paint_shape(const UiContext& ui, const MotionShape& shape, ImVec2 origin, ImDrawList& list) {
  const MotionActor& actor = *shape.actor;
  const auto at = [&](double x, double y) {
    return ImVec2(origin.x + static_cast<float>(x), origin.y + static_cast<float>(y));
  };
  const Rect& place = shape.place;
  const ImU32 color = to_imgui(shape.color, shape.color.a / 255.0);
  if (actor.kind == MotionActor::Kind::Text) {
    const SizedFont sized = sized_font(ui.theme.fonts, actor.size_px, actor.face);
    const std::string drawn = drawn_text(actor.text);
    const float width = sized.font->CalcTextSizeA(sized.size, kWidestText, 0, drawn.c_str()).x;
    const float part = actor.anchor == Anchor::Start ? 0 : actor.anchor == Anchor::Middle ? 0.5f : 1;
    ImVec2 corner = at(place.x + place.width / 2, place.y + place.height / 2);
    corner.x -= width * part;
    corner.y -= sized.size / 2;
    list.AddText(sized.font, sized.size, corner, color, drawn.c_str());
  } else if (actor.kind == MotionActor::Kind::Outline) {
    list.AddRect(at(place.x, place.y), at(place.right(), place.bottom()), color, 0, 0, ui.theme.px(1.5f));
  } else if (place.width > 0 && place.height > 0) {
    list.AddRectFilled(at(place.x, place.y), at(place.right(), place.bottom()), color);
  }
}

ImVec2 corner_of(const Rect& rect) {
  return {static_cast<float>(rect.x), static_cast<float>(rect.y)};
}

// At most two lines, the second of which is shortened.
void draw_caption(const UiContext& ui, const std::string& text, ImVec2 at, const Rect& place) {
  ImFont* const font = ui.theme.fonts.text;
  const auto width = static_cast<float>(place.width);
  push_font(font);
  const std::string lines = broken_at_spaces(text, width);
  ImGui::PopFont();
  const std::size_t end = lines.find('\n');
  fitted_text(font, at, width, ui.theme.text, lines.substr(0, end));
  if (end != std::string::npos && place.height >= 2 * static_cast<double>(font_size(font))) {
    std::string rest = lines.substr(end + 1);
    std::replace(rest.begin(), rest.end(), '\n', ' ');
    fitted_text(font, {at.x, at.y + font_size(font) * 1.2f}, width, ui.theme.text, rest);
  }
  ui.probe.mark_rect("play.caption", {at.x, at.y, place.width, place.height}, text);
}

void draw_timeline(UiContext& ui, MotionPlayer& player, ImVec2 at, ImVec2 size) {
  const float radius = ui.theme.px(6);
  if (size.x < 4 * radius) return;
  ImGui::SetCursorScreenPos(at);
  click_area("play.timeline", size);
  ui.probe.mark("play.timeline", std::to_string(player.t));
  const float left = at.x + radius, right = at.x + size.x - radius, y = at.y + size.y / 2;
  if (ImGui::IsItemActive())
    go_to(player, static_cast<double>((ImGui::GetIO().MousePos.x - left) / (right - left)));
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemActive();
  tooltip(ui, "Drag to any moment; the arrow keys go from step to step");
  const auto x_of = [&](double t) { return left + (right - left) * static_cast<float>(t); };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({left, y}, {right, y}, to_imgui(ui.theme.line), ui.theme.px(3));
  list.AddLine({left, y}, {x_of(player.t), y}, to_imgui(ui.theme.primary), ui.theme.px(3));
  for (const MotionStep& step : player.plan.steps)
    list.AddCircleFilled({x_of(step.end), y}, ui.theme.px(3),
                         to_imgui(step.end <= player.t ? ui.theme.primary : ui.theme.quiet_text));
  list.AddCircleFilled({x_of(player.t), y}, hot ? radius : radius * 0.8f, to_imgui(ui.theme.primary));
}

const char* toggle_label(const UiContext& ui, const MotionPlayer& player) {
  if (player.t >= kEnd) return "Again";
  if (!ui.preferences.motion) return "Next";
  return player.running ? "Pause" : "Play";
}

void draw_controls(UiContext& ui, MotionPlayer& player, ImVec2 at, const Rect& place) {
  const float gap = ui.theme.px(8), close = button_width("Close");
  float toggle = 0;
  for (const char* label : {"Again", "Next", "Pause", "Play"})
    toggle = std::max(toggle, button_width(label));
  ImGui::SetCursorScreenPos(at);
  if (tool_button(ui, "play.toggle", toggle_label(ui, player), "Space: pause, go on, or once more")) {
    if (ui.preferences.motion)
      play_or_pause(ui, player);
    else
      player.t >= kEnd ? go_to(player, 0) : step_on(player, false);
  }
  const float width = static_cast<float>(place.width), line = ImGui::GetFrameHeight();
  draw_timeline(ui, player, {at.x + toggle + gap, at.y}, {width - toggle - close - 2 * gap, line});
  if (width < toggle + close + gap) return;
  ImGui::SetCursorScreenPos({at.x + width - close, at.y});
  if (tool_button(ui, "play.close", "Close", "Back to the picture (Escape)")) end_motion(player);
}

// A cell of the large picture on which the pointer is held.
void begin_on_long_press(UiContext& ui, MotionPlayer& player) {
  const auto& cell = ui.view.selection.hovered.last;
  const bool playable = cell && cell->stage == large_stage(ui.view) && has_motion(ui.layer(), cell->stage);
  const bool paints = ui.view.picture.paints_mask && cell && cell->stage == Stage::Masked;
  if (!playable || paints || key_down(Key::Space) || open_menu() || ui.view.selection.cell != cell) return;
  const ImGuiIO& io = ImGui::GetIO();
  const float held = io.MouseDownDuration[ImGuiMouseButton_Left];
  if (held < 0 || io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] > 16) return;
  if (held < kLongPressSeconds) return ui.wake_within(static_cast<double>(kLongPressSeconds - held));
  begin_motion(ui, player, cell);
}

}  // namespace

bool can_play(const UiContext& ui) {
  const FocusView view = ui.view.focus_view;
  return view != FocusView::Compare && view != FocusView::Model && motion_cell(ui).has_value();
}

void begin_motion(UiContext& ui, MotionPlayer& player, const std::optional<CellAddress>& cell) {
  player.cell = cell ? cell : motion_cell(ui);
  player.armed = false;
  player.t = 0;
  player.running = player.fresh = player.shown();
  player.plan = {};
  if (!player.shown()) return;
  ui.view.selection.cell = player.cell;
  ui.wake_within(0.001);
}

void end_motion(MotionPlayer& player) {
  player.cell.reset();
  player.running = player.armed = false;
  player.plan = {};
}

void play_or_pause(UiContext& ui, MotionPlayer& player) {
  if (!player.shown()) {
    // Space with a drag moves the picture.
    if (key_down(Key::Space))
      player.armed = true;
    else
      begin_motion(ui, player);
  } else if (!ui.preferences.motion && !player.plan.empty()) {
    player.t >= kEnd ? go_to(player, 0) : step_on(player, false);
  } else if (player.t >= kEnd) {
    begin_motion(ui, player, player.cell);
  } else {
    player.running = !player.running;
    if (player.running) ui.wake_within(0.001);
  }
}

bool close_on_escape(const UiContext& ui, MotionPlayer& player) {
  if (player.shown() && key_pressed(Key::Escape) && !open_menu() && !ImGui::IsAnyItemActive() &&
      !ui.view.selection.input) {
    end_motion(player);
    player.closed_frame = ImGui::GetFrameCount();
  }
  return player.closed_frame == ImGui::GetFrameCount();
}

void follow_motion(UiContext& ui, MotionPlayer& player) {
  if (player.armed) {
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Middle))
      player.armed = false;
    else if (!key_down(Key::Space) && can_play(ui))
      begin_motion(ui, player);
  }
  if (player.shown()) {
    const CellAddress& cell = *player.cell;
    const bool there = address_exists(ui.layer(), cell) && has_motion(ui.layer(), cell.stage);
    if (!there || ui.view.selection.cell != cell || large_stage(ui.view) != cell.stage || !can_play(ui))
      end_motion(player);
  } else {
    begin_on_long_press(ui, player);
  }
}

MotionPlayerPlan plan_motion_player(Rect area, double text_line, double control_line, double gap) {
  MotionPlayerPlan plan;
  double height = area.height;
  if (height >= 4 * control_line) {
    height -= control_line;
    plan.controls = {area.x, area.y + height, area.width, control_line};
    height -= gap;
  }
  plan.at_rest = {area.x, area.y, area.width, std::max(0.0, height)};
  const double lines = height >= 12 * text_line ? 2 : height >= 6 * text_line ? 1 : 0;
  if (lines > 0) {
    const double caption = text_line * (1.2 * (lines - 1) + 1.1);
    height -= caption;
    plan.caption = {area.x, area.y + height, area.width, caption};
    height -= gap;
  }
  plan.stage = {area.x, area.y, area.width, std::max(0.0, height)};
  return plan;
}

MotionPlayerPlan prepare_motion(UiContext& ui, MotionPlayer& player, const Area& area) {
  const MotionPlayerPlan places =
      plan_motion_player({area.at.x, area.at.y, area.size.x, area.size.y}, font_size(ui.theme.fonts.text),
                         ImGui::GetFrameHeight(), ui.theme.px(8));
  player.plan = motion_of(ui, *player.cell, places.stage.width, places.stage.height);
  if (!player.plan.empty()) {
    handle_keys(ui, player);
    advance(ui, player);
  }
  return places;
}

Rect draw_motion_stage(UiContext& ui, MotionPlayer& player, const Rect& stage) {
  const ImVec2 at = corner_of(stage), origin = {std::floor(at.x), std::floor(at.y)};
  if (player.plan.empty()) {
    fitted_text(ui.theme.fonts.label, at, static_cast<float>(stage.width), ui.theme.quiet_text, "computing…");
    return {};
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint_drawing(player.plan.rest, origin, list, ui.theme);
  for (const MotionShape& shape : shapes_at(player.plan, player.t))
    paint_shape(ui, shape, origin, list);
  Rect result = player.plan.result;
  result.x += double{origin.x};
  result.y += double{origin.y};
  if (stage.width < 1 || stage.height < 1) return result;
  ImGui::SetCursorScreenPos(at);
  const bool pressed =
      click_area("play.stage", {static_cast<float>(stage.width), static_cast<float>(stage.height)});
  ui.probe.mark("play.stage", motion_title(ui.layer(), *player.cell, ui.counting()));
  if (pressed) ui.preferences.motion ? play_or_pause(ui, player) : step_on(player, false);
  return result;
}

void draw_motion_controls(UiContext& ui, MotionPlayer& player, const MotionPlayerPlan& places) {
  if (!player.shown() || player.plan.empty()) return;
  if (player.moves() && places.caption.height > 0)
    draw_caption(ui, player.plan.steps[step_at(player.plan, player.t)].caption, corner_of(places.caption),
                 places.caption);
  if (places.controls.height > 0) draw_controls(ui, player, corner_of(places.controls), places.controls);
}

}  // namespace headlight
