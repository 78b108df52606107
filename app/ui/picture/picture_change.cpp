#include "app/ui/picture/picture_change.h"

#include <algorithm>
#include <utility>

#include <imgui.h>

#include "app/ui/picture/moved_vertices.h"

namespace headlight {
namespace {

// How long the earlier picture waits for the numbers of the new one, how faint it is then, and in what time
// it becomes so.
constexpr double kLongestWait = 0.4, kWaiting = 0.55, kFaintSeconds = 0.12;

double waiting_opacity(double seconds) {
  return 1 - (1 - kWaiting) * std::clamp(seconds / kFaintSeconds, 0.0, 1.0);
}

// The selection on its way.
void draw_pair(const UiContext& ui, ImDrawList& list, const Stroke& pair) {
  std::vector<ImVec2> corners;
  for (const Point& corner : outline_of(pair))
    corners.push_back(screen_point(corner));
  list.AddPolyline(corners.data(), static_cast<int>(corners.size()), to_imgui(ui.theme.accent),
                   ImDrawFlags_Closed, ui.theme.px(2));
  const Rect place = {pair.path.front().x, pair.path.front().y, pair.path.back().x - pair.path.front().x,
                      pair.width};
  ui.probe.mark_rect("focus.moving", place);
}

}  // namespace

PictureChange::Key PictureChange::key_of(const UiContext& ui, std::size_t step, bool plays) {
  const ViewState& view = ui.view;
  return {ui.opened_layer(),
          step,
          view.sequence,
          view.opened_stage.value_or(view.focused_stage),
          view.opened_stage.has_value(),
          view.focus_view,
          view.head,
          view.heads.pool,
          ui.shows_gradients(),
          plays};
}

void PictureChange::begin(UiContext& ui, std::size_t step, bool plays, const Area& area) {
  const Key key = key_of(ui, step, plays);
  const bool changed = key_ && *key_ != key;
  key_ = key;
  if (changed && ui.preferences.motion && !ui.view.learning.plays) {
    copy_ = copy_shown(ui, "picture", area_);
    before_ = shown_;
    waits_.begin();
    complete_ = false;
  }
  area_ = {area.at.x, area.at.y, area.size.x, area.size.y};
  ui.view.selection.pair.reset();
  first_vertex_ = ImGui::GetWindowDrawList()->VtxBuffer.Size;
}

void PictureChange::end(UiContext& ui, const Rect& cells, bool complete) {
  shown_.cells = cells;
  shown_.pair = ui.view.selection.pair;
  if (!copy_) return;
  const double waited = complete_ ? 0 : waits_.seconds();
  if (!complete_) faint_ = waiting_opacity(waited);
  if (!complete_ && (complete || waited > kLongestWait)) {
    complete_ = true;
    fades_.begin();
  }
  const double seconds = complete_ ? fades_.seconds() : 0;
  if (seconds >= kChangeSeconds || !ui.preferences.motion) return copy_.reset();
  ScreenMoment moment = screen_at(before_, shown_, seconds);
  moment.earlier *= faint_;
  draw(ui, moment);
}

void PictureChange::draw(UiContext& ui, const ScreenMoment& moment) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  move_vertices(list, first_vertex_, moment.later_at);
  list.PushClipRect(screen_point({area_.x, area_.y}), screen_point({area_.right(), area_.bottom()}), true);
  const bool drawn = draw_copy(ui, list, *copy_, copy_->area, moment.earlier_at, moment.earlier);
  if (moment.pair) draw_pair(ui, list, *moment.pair);
  list.PopClipRect();
  if (!drawn) return copy_.reset();
  ui.probe.mark_rect("focus.earlier", area_, std::to_string(moment.earlier));
  keep_moving(ui);
}

}  // namespace headlight
