#include "app/ui/model/training_line.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

std::string time_left(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < kMinute) return std::to_string(std::lround(std::ceil(seconds))) + " s left";
  if (seconds < kHour) return std::to_string(std::lround(std::ceil(seconds / kMinute))) + " min left";
  return number_text(seconds / kHour, 1) + " h left";
}

struct LineButton {
  const char *name, *label, *tip;
  TrainingView::Control control;
};

std::vector<LineButton> buttons_of(const TrainingView& training) {
  using Control = TrainingView::Control;
  if (!training.goes_on()) return {{"training.close", "Close", "Leave this line out", Control::Forget}};
  std::vector<LineButton> buttons;
  if (training.phase == TrainingPhase::Paused)
    buttons.push_back({"training.pause", "Go on", "Take the next steps", Control::GoOn});
  else
    buttons.push_back({"training.pause", "Pause", "Take no further step for now", Control::Pause});
  buttons.push_back(
      {"training.save", "Look now", "Save a checkpoint of this step and show it", Control::SaveNow});
  buttons.push_back({"training.stop", "Stop",
                     "End here, with a checkpoint: \"Train a model…\" can continue it later", Control::Stop});
  return buttons;
}

}  // namespace

std::string training_text(const TrainingView& training) {
  const std::string step = "step " + std::to_string(training.step) + " of " + std::to_string(training.steps);
  std::string text;
  switch (training.phase) {
    case TrainingPhase::None:
      return "";
    case TrainingPhase::Preparing:
      return "Training: the text is read…";
    case TrainingPhase::Failed:
      return "The training ended at " + step + ": " + training.failure;
    case TrainingPhase::Running:
      text = "Training: " + step;
      break;
    case TrainingPhase::Paused:
      text = "Paused at " + step;
      break;
    case TrainingPhase::Stopped:
      text = "Stopped at " + step;
      break;
    case TrainingPhase::Done:
      text = "Trained: " + std::to_string(training.steps) + " steps";
      break;
  }
  if (const LoggedLoss* one = newest_with(training.losses, &LoggedLoss::loss))
    text += " · loss " + number_text(*one->loss, 2);
  if (const LoggedLoss* one = newest_with(training.losses, &LoggedLoss::held_out))
    text += " · held out " + number_text(*one->held_out, 2);
  if (training.phase == TrainingPhase::Running && training.seconds_left)
    text += " · " + time_left(*training.seconds_left);
  return text;
}

bool has_training_line(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  const auto& steps = model.checkpoints.steps;
  const bool own = !steps.empty() && steps.front().folder.parent_path() == model.training.folder;
  return model.work && model.training.phase != TrainingPhase::None &&
         (own || model.training.goes_on() || model.training.phase == TrainingPhase::Failed);
}

float training_line_height(const UiContext& ui) {
  return ImGui::GetFrameHeight() + ui.theme.px(4);
}

void training_line(UiContext& ui, const Area& area) {
  TrainingView& training = ui.view.model.training;
  const float gap = ui.theme.px(8);
  float right = area.end().x;
  const std::vector<LineButton> buttons = buttons_of(training);
  for (auto button = buttons.rbegin(); button != buttons.rend(); ++button) {
    right -= button_width(button->label);
    ImGui::SetCursorScreenPos({right, area.at.y});
    if (tool_button(ui, button->name, button->label, button->tip)) training.control = button->control;
    right -= gap;
  }
  if (training.goes_on()) {
    right -= button_width("Follow");
    ImGui::SetCursorScreenPos({right, area.at.y});
    if (tool_button(ui, "training.follow", "Follow", "Show each checkpoint as soon as it is there", true,
                    training.follows))
      training.follows = !training.follows;
    right -= gap;
  }
  const std::string text = training_text(training);
  const float width = std::max(1.0f, right - area.at.x), high = font_size(ui.theme.fonts.text);
  const Color color = training.phase == TrainingPhase::Failed ? ui.theme.error : ui.theme.text;
  fitted_text(ui.theme.fonts.text, {area.at.x, area.at.y + std::floor((area.size.y - high) / 2)}, width,
              color, text);
  ImGui::SetCursorScreenPos(area.at);
  ImGui::Dummy({width, area.size.y});
  ui.probe.mark("training.text", text);
  tooltip(ui,
          training.memory.empty() ? text : text + "\n" + training.folder.string() + "; " + training.memory);
}

}  // namespace headlight
