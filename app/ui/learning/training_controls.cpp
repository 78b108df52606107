#include "app/ui/learning/training_controls.h"

#include <algorithm>
#include <cmath>

#include "app/ui/picture/movement_text.h"
#include "app/ui/widgets/number_cell.h"

namespace headlight {
namespace {

constexpr float kControlGap = 8, kSpeedWidth = 88, kOptimizerWidth = 80, kRateWidth = 60;  // planned pixels
constexpr Index kSpeeds[] = {1, 10, 100};

struct OptimizerInfo {
  OptimizerKind kind;
  const char *id, *label, *what;
};
constexpr OptimizerInfo kOptimizers[] = {
    {OptimizerKind::Sgd, "sgd", "SGD", "Each number moves against its gradient times the rate"},
    {OptimizerKind::Adam, "adam", "Adam",
     "Each number moves by about the rate, in the direction that its gradients have had in the mean"},
    {OptimizerKind::AdamW, "adamw", "AdamW", "As Adam, and every number shrinks a little in each step"}};

std::string refuse_rate(const std::string& text) {
  const ParsedNumber number = parse_number(text);
  if (!number.value) return number.message;
  return number.as_double >= 0 ? "" : "a rate is 0 or more";
}

void set_training(UiContext& ui, const TrainingSettings& settings) {
  ui.send(SetTraining{settings});
}

void choose_speed(UiContext& ui, LearningRun& run) {
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const Index speed : kSpeeds) {
    if (speed == run.steps_per_picture) current = choices.size();
    const std::string count = std::to_string(speed);
    choices.push_back(
        {count, count + (speed == 1 ? " step" : " steps"), "Steps from one picture to the next"});
  }
  if (const auto chosen = choice_box(ui, "learning.speed", choices, current, ui.theme.px(kSpeedWidth),
                                     "How many steps are taken from one picture to the next"))
    run.steps_per_picture = kSpeeds[*chosen];
}

void choose_optimizer(UiContext& ui, const TrainingSettings& settings) {
  std::vector<Choice> choices;
  for (const OptimizerInfo& info : kOptimizers)
    choices.push_back({info.id, info.label, info.what});
  const auto chosen =
      choice_box(ui, "learning.optimizer", choices, static_cast<std::size_t>(settings.optimizer),
                 ui.theme.px(kOptimizerWidth), "How a step is made from the gradients");
  if (!chosen) return;
  TrainingSettings changed = settings;
  changed.optimizer = kOptimizers[*chosen].kind;
  set_training(ui, changed);
}

void rate_field(UiContext& ui, TrainingControlsState& state, const TrainingSettings& settings) {
  const auto typed =
      text_field(ui, state.rate, "learning.rate", plain_number(settings.rate), ui.theme.px(kRateWidth),
                 "How far a step goes. Too far, and the loss grows instead of falling", refuse_rate);
  if (!typed) return;
  TrainingSettings changed = settings;
  changed.rate = parse_number(*typed).as_double;
  if (changed.rate != settings.rate) set_training(ui, changed);
}

// The button that opens the list of what may move.
void choose_parts(UiContext& ui, const TrainingSettings& settings) {
  const std::vector<TrainedPart> trained = trained_parts(ui.layer(), settings);
  const auto is_trained = [&](TrainedPart part) {
    return std::find(trained.begin(), trained.end(), part) != trained.end();
  };
  if (tool_button(ui, "learning.parts", "May move…", "What training may change"))
    ImGui::OpenPopup("learning.parts");
  const ImVec2 low = ImGui::GetItemRectMin();
  ImGui::SetNextWindowPos({low.x, low.y - ui.theme.px(4)}, 0, {0, 1});
  if (!ImGui::BeginPopup("learning.parts")) return;
  for (const TrainedPart part : kTrainedParts) {
    if (!has_part(ui.layer(), part)) continue;
    bool on = is_trained(part);
    if (!check_box(ui, std::string("learning.part.") + part_name(part), part_label(part), on, part_tip(part)))
      continue;
    TrainingSettings changed = settings;
    changed.parameters.clear();
    for (const TrainedPart other : kTrainedParts)
      if (has_part(ui.layer(), other) && (other == part ? on : is_trained(other)))
        changed.parameters.push_back(other);
    if (!changed.parameters.empty()) set_training(ui, changed);
  }
  ImGui::EndPopup();
}

std::string axis_text(double loss) {
  return loss == 0 ? "0" : number_text(static_cast<float>(loss), 2);
}

// The scale of the curve: steps from left to right, the loss from 0 to its highest.
struct CurveScale {
  Index first = 0, last = 1;
  double highest = 1;
  Area area;

  float x(double step) const {
    const double share = (step - static_cast<double>(first)) / static_cast<double>(last - first);
    return area.at.x + area.size.x * static_cast<float>(std::clamp(share, 0.0, 1.0));
  }
  float y(double loss) const {
    const double share = std::isfinite(loss) ? std::clamp(loss / highest, 0.0, 1.0) : 1;
    return area.end().y - area.size.y * static_cast<float>(share);
  }
  Index step_at(float px) const {
    const double share = static_cast<double>((px - area.at.x) / std::max(area.size.x, 1.0f));
    return first + static_cast<Index>(std::lround(share * static_cast<double>(last - first)));
  }
};

// The axis of the loss goes from 0 to the first loss, and farther only where the loss has grown.
double highest_loss(const TrainingReport& report) {
  double highest = 0;
  for (const LossRange& range : report.curve.ranges())
    if (std::isfinite(range.high)) highest = std::max(highest, range.high);
  return highest > 0 ? highest : 1;
}

CurveScale curve_scale(const UiContext& ui, const TrainingReport& report, const Area& area) {
  constexpr Index kLeastSteps = 20;  // a short run begins at the left
  CurveScale scale;
  scale.first = report.curve.first();
  scale.last = std::max(scale.first + kLeastSteps, report.last_step);
  scale.highest = highest_loss(report);
  const float axis = text_width(ui.theme.fonts.label, axis_text(scale.highest)) + ui.theme.px(8);
  scale.area = {{area.at.x + axis, area.at.y}, {std::max(1.0f, area.size.x - axis), area.size.y}};
  return scale;
}

// The two ends of the axis, at the left of the curve.
void draw_axis(UiContext& ui, const CurveScale& scale) {
  ImFont* const font = ui.theme.fonts.label;
  const float high = font_size(font), right = scale.area.at.x - ui.theme.px(8);
  for (const bool upper : {true, false}) {
    const std::string text = axis_text(upper ? scale.highest : 0);
    const ImVec2 at = {std::floor(right - text_width(font, text)),
                       std::floor(upper ? scale.area.at.y : scale.area.end().y - high)};
    ImGui::GetWindowDrawList()->AddText(font, high, at, to_imgui(ui.theme.quiet_text), text.c_str());
    ui.probe.mark_rect(upper ? "learning.axis.high" : "learning.axis.low",
                       {at.x, at.y, text_width(font, text), high}, text);
  }
}

void draw_curve(const UiContext& ui, const TrainingReport& report, const CurveScale& scale) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Theme& theme = ui.theme;
  list.AddLine({scale.area.at.x, scale.area.end().y}, scale.area.end(), to_imgui(theme.line),
               std::max(1.0f, theme.px(1)));
  std::vector<ImVec2> points;
  const auto& ranges = report.curve.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Index begin = report.curve.first() + static_cast<Index>(i) * report.curve.stride();
    const float x = scale.x(static_cast<double>(begin));
    points.push_back({x, scale.y(ranges[i].high)});
    if (ranges[i].low != ranges[i].high) points.push_back({x, scale.y(ranges[i].low)});
  }
  if (points.size() > 1)
    list.AddPolyline(points.data(), static_cast<int>(points.size()), to_imgui(theme.link), 0, theme.px(2));
}

void draw_handle(UiContext& ui, const TrainingReport& report, const CurveScale& scale) {
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float x = scale.x(static_cast<double>(report.step)), y = scale.y(report.loss);
  list.AddLine({x, scale.area.at.y}, {x, scale.area.end().y}, to_imgui(theme.accent),
               std::max(1.0f, theme.px(1.5f)));
  list.AddCircleFilled({x, y}, theme.px(5), to_imgui(theme.accent));
}

// Whether there is a goal, and no lesson that asks for a guess first.
bool may_train(const UiContext& ui, const TrainingControlsState& state) {
  return ui.document.session().goal != nullptr && !state.waits;
}

// Whether the shown step is not the first one.
bool has_begun(const TrainingReport* report) {
  return report && report->failure.empty() && report->step > report->first_step;
}

void learn_button(UiContext& ui, TrainingControlsState& state) {
  LearningRun& run = state.run;
  if (primary_button(ui, "learning.learn", run.playing() ? "Pause" : "Learn",
                     state.waits ? "The lesson asks for your guess first: give it, or skip the question"
                                 : "Take step after step against the gradients of the loss",
                     may_train(ui, state)))
    run.playing() ? run.pause() : run.play(ui);
  ui.probe.mark("learning.learn", run.playing() ? "playing" : "");
}

void step_button(UiContext& ui, TrainingControlsState& state) {
  if (tool_button(ui, "learning.step", "Step", "One step", may_train(ui, state))) state.run.step(ui);
}

void back_button(UiContext& ui, TrainingControlsState& state) {
  const TrainingReport* const report = state.run.report();
  if (tool_button(ui, "learning.back", "Back", "Back to the step before", has_begun(report)))
    state.run.seek(ui, report->step - 1);
}

void reset_button(UiContext& ui, TrainingControlsState& state) {
  const TrainingReport* const report = state.run.report();
  if (tool_button(ui, "learning.reset", "Reset", "Back to where it began", has_begun(report)))
    state.run.seek(ui, report->first_step);
}

}  // namespace

void training_controls(UiContext& ui, TrainingControlsState& state, float width) {
  const float gap = ui.theme.px(kControlGap), begin = ImGui::GetCursorScreenPos().x;
  const TrainingSettings settings = LearningRun::settings_of(ui);
  learn_button(ui, state);
  for (void (*const button)(UiContext&, TrainingControlsState&) : {step_button, back_button, reset_button}) {
    ImGui::SameLine(0, gap);
    button(ui, state);
  }
  const auto fits = [&](float wanted) {
    return ImGui::GetItemRectMax().x + gap + ui.theme.px(wanted) <= begin + width;
  };
  if (!fits(kSpeedWidth)) return;
  ImGui::SameLine(0, gap);
  choose_speed(ui, state.run);
  if (!fits(kOptimizerWidth)) return;
  ImGui::SameLine(0, gap);
  choose_optimizer(ui, settings);
  if (!fits(kRateWidth + 36)) return;
  ImGui::SameLine(0, gap);
  label_text(ui, "rate", ui.theme.quiet_text);
  ImGui::SameLine(0, ui.theme.px(4));
  rate_field(ui, state, settings);
  if (!fits(88)) return;
  ImGui::SameLine(0, gap);
  choose_parts(ui, settings);
}

void run_buttons(UiContext& ui, TrainingControlsState& state, Flow& flow) {
  const float gap = ui.theme.px(kControlGap);
  flow.control(std::max(button_width("Learn"), button_width("Pause")), gap);
  learn_button(ui, state);
  flow.control(button_width("Step"), gap);
  step_button(ui, state);
  if (!ui.view.offered.names("learning.reset")) return;
  flow.control(button_width("Reset"), gap);
  reset_button(ui, state);
}

void choose_rate(UiContext& ui, TrainingControlsState& state, Flow& flow) {
  flow.group("rate", ui.theme.px(kRateWidth));
  rate_field(ui, state, LearningRun::settings_of(ui));
}

void training_settings(UiContext& ui, TrainingControlsState& state, Flow& flow) {
  const float gap = ui.theme.px(kControlGap);
  const TrainingSettings settings = LearningRun::settings_of(ui);
  flow.control(button_width("Back"), gap);
  back_button(ui, state);
  if (!ui.view.offered.names("learning.reset")) {
    flow.control(button_width("Reset"), gap);
    reset_button(ui, state);
  }
  flow.control(ui.theme.px(kSpeedWidth), gap);
  choose_speed(ui, state.run);
  flow.control(ui.theme.px(kOptimizerWidth), gap);
  choose_optimizer(ui, settings);
  if (!ui.view.offered.names("learning.rate")) choose_rate(ui, state, flow);
  flow.control(button_width("May move…"), gap);
  choose_parts(ui, settings);
}

void loss_curve(UiContext& ui, TrainingControlsState& state, const Area& area) {
  const TrainingReport* const report = state.run.report();
  if (!report || !report->failure.empty()) return;
  const CurveScale scale = curve_scale(ui, *report, area);
  ImGui::SetCursorScreenPos({scale.area.at.x, area.at.y - ui.theme.px(4)});
  click_area("##learning.curve", {scale.area.size.x, area.size.y + ui.theme.px(8)});
  ui.probe.mark("learning.curve", std::to_string(report->step));
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const Index wanted =
        std::clamp(scale.step_at(ImGui::GetIO().MousePos.x), report->first_step, report->last_step);
    if (state.dragged != wanted && wanted != report->step) state.run.seek(ui, wanted);
    state.dragged = wanted;
  } else {
    state.dragged.reset();
    tooltip(ui, "The loss over the steps. Drag along it: the pictures show the layer as it was at each step");
  }
  draw_axis(ui, scale);
  draw_curve(ui, *report, scale);
  draw_handle(ui, *report, scale);
}

std::string training_words(const UiContext& ui, const TrainingControlsState& state) {
  const TrainingReport* const report = state.run.report();
  if (!report) return "";
  if (!report->failure.empty()) return report->failure;
  std::string words = "step " + std::to_string(report->step);
  if (report->last_step > report->step) words += " of " + std::to_string(report->last_step);
  if (report->divergence)
    return words + "   ·   stopped at step " + std::to_string(report->divergence->step) + ": " +
           report->divergence->reason + ". A smaller rate helps";
  const std::string moved = most_moved_text(report->movements, ui.counting());
  return moved.empty() ? words : words + "   ·   most moved: " + moved;
}

}  // namespace headlight
