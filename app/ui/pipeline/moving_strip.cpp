#include "app/ui/pipeline/moving_strip.h"

#include <algorithm>

namespace headlight {
namespace {

StripMoment resting(const PipelinePlan& plan) {
  return {plan, std::vector<double>(plan.nodes.size(), 1), std::vector<double>(plan.wires.size(), 1), {}, 1};
}

Rect on_screen(const Rect& rect, ImVec2 origin) {
  return {origin.x + rect.x, origin.y + rect.y, rect.width, rect.height};
}

}  // namespace

StripMoment MovingStrip::moment(UiContext& ui, const PipelinePlan& plan, ImVec2 origin) {
  const bool goes_on = goal_ && goal_->form == plan.form && opening_ == ui.document.opening();
  if (!goes_on || !ui.preferences.motion)
    moves_ = false;
  else if (!same_parts(*goal_, plan))
    begin(ui);
  goal_ = plan;
  opening_ = ui.document.opening();
  const double seconds = moves_ ? clock_.seconds() : kStripSeconds;
  moves_ = seconds < kStripSeconds;
  StripMoment moment = moves_ ? strip_at(before_, plan, seconds) : resting(plan);
  if (moves_) keep_moving(ui);
  shown_ = moment.plan;
  shown_.nodes.insert(shown_.nodes.end(), moment.leaving.begin(), moment.leaving.end());
  shown_at_ = origin;
  return moment;
}

void MovingStrip::begin(const UiContext& ui) {
  before_ = shown_;
  before_at_ = shown_at_;
  copy_ = copy_shown(ui, "strip", on_screen({0, 0, before_.width, before_.height}, before_at_));
  clock_.begin();
  moves_ = true;
}

void MovingStrip::draw_leaving(const UiContext& ui, const StripMoment& moment, ImVec2 origin) {
  if (!copy_) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto draw = [&](const Rect& then, const Rect& now) {
    const Rect part = on_screen(then, before_at_);
    draw_copy(ui, list, *copy_, part, placement(part, on_screen(now, origin)), 1 - moment.arrived);
  };
  for (const PipelineNode& node : moment.leaving) {
    const PipelineNode* then = same_node(before_, node);
    draw(then->place, node.place);
    if (then->caption.width > 0) draw(then->caption, node.caption);
  }
}

}  // namespace headlight
