#include "app/ui/model/checkpoint_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/model/strongest_heads.h"
#include "app/ui/model/training_line.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr const char* kSlider = "model.checkpoint";
// In planned pixels.
constexpr float kTrack = 34, kCurves = 26, kHighCurves = 52, kPointsAt = 9, kSide = 416, kLowWindow = 620,
                kHighWindow = 880;
// Measures that are shares of attention: from 0 to 1.
constexpr std::array kShares = {HeadMeasure::Induction, HeadMeasure::PreviousToken,
                                HeadMeasure::DuplicateToken, HeadMeasure::FirstToken, HeadMeasure::Diagonal};

// The height of the curves in a window of that height; without any, that of the gap in their place. They are
// high where nothing else needs the room.
float curves_height(const UiContext& ui, float window) {
  constexpr float kGapOfCurves = 6;
  if (window < ui.theme.px(kLowWindow)) return ui.theme.px(kGapOfCurves);
  const bool table = ui.view.model.work->set && !ui.view.model.set.folded;
  return ui.theme.px(window >= ui.theme.px(kHighWindow) && !table ? kHighCurves : kCurves);
}

std::string checkpoint_text(const CheckpointsView& view) {
  const std::size_t at = view.shown();
  return "step " + std::to_string(view.steps[at].step) + ", " + std::to_string(at + 1) + " of " +
         std::to_string(view.steps.size());
}

// The place of a step on the slider; those of the axis stand at equal distances, as steps often grow by
// factors.
float place_of_step(const CheckpointsView& view, const Area& track, double step) {
  const std::vector<std::int64_t>& axis = view.axis;
  const auto after = std::lower_bound(axis.begin(), axis.end(), step,
                                      [](std::int64_t a, double b) { return static_cast<double>(a) < b; });
  double at = static_cast<double>(after - axis.begin());
  if (after == axis.end())
    at = static_cast<double>(axis.size()) - 1;
  else if (after != axis.begin() && static_cast<double>(*after) > step)
    at -= (static_cast<double>(*after) - step) / static_cast<double>(*after - *(after - 1));
  const auto last = static_cast<double>(std::max<std::size_t>(2, axis.size()) - 1);
  return track.at.x + track.size.x * static_cast<float>(at / last);
}

float place_of(const CheckpointsView& view, const Area& track, std::size_t at) {
  return place_of_step(view, track, static_cast<double>(view.steps[at].step));
}

std::size_t checkpoint_at(const CheckpointsView& view, const Area& track, float x) {
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < view.steps.size(); ++i)
    if (std::abs(place_of(view, track, i) - x) <= std::abs(place_of(view, track, nearest) - x)) nearest = i;
  return nearest;
}

void ask(CheckpointsView& view, std::size_t at) {
  view.asked = std::min(at, view.steps.size() - 1);
}

void begin_gesture(CheckpointsView& view) {
  static std::uint64_t gestures = std::uint64_t{3} << 50;  // distinct from those of other panels
  view.gesture = ++gestures;
}

std::size_t heads_of(const UiContext& ui) {
  return static_cast<std::size_t>(most_heads(ui.view.model.work->network->config()));
}

std::optional<std::size_t> chosen_head(const UiContext& ui) {
  if (!ui.view.head || ui.view.focus_view == FocusView::Model) return std::nullopt;
  const OpenModel& work = *ui.view.model.work;
  return static_cast<std::size_t>(row_of(work.network->config(), work.layer)) * heads_of(ui) +
         static_cast<std::size_t>(*ui.view.head);
}

std::optional<float> value_at(const CheckpointsView& view, std::size_t at, std::size_t head,
                              const CurveChoice& choice) {
  if (at >= view.heads.size() || !view.heads[at]) return std::nullopt;
  const CheckpointHeads& heads = *view.heads[at];
  if (choice.measure)
    return head < heads.measures.size() ? heads.measures[head].of(*choice.measure) : std::nullopt;
  if (head >= heads.weights.size()) return std::nullopt;
  const Matrix& weights = heads.weights[head];
  const bool inside = choice.query < weights.rows() && choice.key < weights.cols();
  return inside ? std::optional(weights(choice.query, choice.key)) : std::nullopt;
}

// The losses, if the training wrote them down: chosen, or while it goes on and nothing else is chosen.
bool shows_losses(const UiContext& ui, const CheckpointBarState& state) {
  const ModelView& model = ui.view.model;
  return !model.checkpoints.losses.empty() &&
         (state.chosen ? state.of == CurvesOf::TrainingLoss : has_training_line(ui));
}

CurveChoice choice_of(const UiContext& ui, const CheckpointBarState& state) {
  if (shows_losses(ui, state)) return {std::nullopt, 0, 0, CurvesOf::TrainingLoss};
  if (state.chosen && state.of == CurvesOf::TextLoss) return {std::nullopt, 0, 0, CurvesOf::TextLoss};
  const auto pair = asked_pair(ui);
  if (state.chosen ? !state.measure.has_value() : pair.has_value())
    return pair ? CurveChoice{std::nullopt, pair->first, pair->second} : CurveChoice{std::nullopt, -1, -1};
  return {state.measure.value_or(HeadMeasure::Induction), 0, 0};
}

std::string pair_text(const UiContext& ui, Index query, Index key) {
  const OpenModel& work = *ui.view.model.work;
  const auto word = [&](Index at) {
    return spoken_label(token_label(work, at)) + " (" + ui.counting().number(at) + ")";
  };
  return word(query) + " → " + word(key);
}

void slide_by_keys(UiContext& ui, CheckpointBarState& state, CheckpointsView& view) {
  const bool focused = state.has_keys || ui.view.keyboard.at == kSlider;
  if (focused || state.took_arrows) ui.view.keyboard.takes_arrows = focused;
  state.took_arrows = focused;
  const bool free = !ui.view.selection.input && !ImGui::GetIO().WantTextInput && !ImGui::IsAnyItemActive();
  if (!focused || !free || ctrl_held() || alt_held()) return;
  const std::size_t now = view.shown(), last = view.steps.size() - 1;
  std::size_t wanted = now;
  if (key_pressed(Key::Left, true)) wanted = now > 0 ? now - 1 : 0;
  if (key_pressed(Key::Right, true)) wanted = std::min(now + 1, last);
  if (key_pressed(Key::Home)) wanted = 0;
  if (key_pressed(Key::End)) wanted = last;
  if (wanted == now) return;
  begin_gesture(view);
  ask(view, wanted);
}

void slide_by_pointer(CheckpointBarState& state, CheckpointsView& view, const Area& track) {
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  if (ImGui::IsItemActivated()) begin_gesture(view);
  state.has_keys = true;
  const std::size_t wanted = checkpoint_at(view, track, ImGui::GetIO().MousePos.x);
  if (wanted != view.shown()) ask(view, wanted);
}

void draw_track(const UiContext& ui, const CheckpointsView& view, const Area& track) {
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = track.at.y + theme.px(kPointsAt), line = std::max(1.0f, theme.px(2));
  list.AddLine({track.at.x, y}, {track.end().x, y}, to_imgui(theme.line), line);
  for (const std::int64_t step : view.axis)
    list.AddCircle({place_of_step(view, track, static_cast<double>(step)), y}, theme.px(2.5f),
                   to_imgui(theme.quiet_text));
  for (std::size_t i = 0; i < view.steps.size(); ++i)
    list.AddCircleFilled({place_of(view, track, i), y}, theme.px(3), to_imgui(theme.quiet_text));
  list.AddCircleFilled({place_of(view, track, view.shown()), y}, theme.px(7), to_imgui(theme.accent));
}

// The steps below the points, as far as they do not meet.
void draw_steps(const UiContext& ui, const CheckpointsView& view, const Area& track) {
  ImFont* font = ui.theme.fonts.label;
  const float y = track.end().y - font_size(font), gap = ui.theme.px(10);
  float free_from = track.at.x - ui.theme.px(8);
  for (std::size_t i = 0; i < view.steps.size(); ++i) {
    const std::string text = std::to_string(view.steps[i].step);
    const float width = text_width(font, text), right = track.end().x + ui.theme.px(8);
    const float x =
        std::clamp(place_of(view, track, i) - width / 2, track.at.x - ui.theme.px(8), right - width);
    if (x < free_from) continue;
    free_from = x + width + gap;
    const Color color = i == view.shown() ? ui.theme.text : ui.theme.quiet_text;
    ImGui::GetWindowDrawList()->AddText(font, font_size(font), {x, y}, to_imgui(color), text.c_str());
  }
}

// A head's curve; where a checkpoint has no value yet, it has a gap.
void draw_curve(const UiContext& ui, const CheckpointsView& view, const CurveChoice& choice, const Area& plot,
                std::size_t head, Color color, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::optional<ImVec2> before;
  for (std::size_t i = 0; i < view.steps.size(); ++i) {
    const std::optional<float> value = value_at(view, i, head, choice);
    std::optional<ImVec2> here;
    if (value)
      here = ImVec2{place_of(view, plot, i), plot.end().y - plot.size.y * std::clamp(*value, 0.0f, 1.0f)};
    if (before && here) list.AddLine(*before, *here, to_imgui(color), ui.theme.px(width));
    if (here && !before && view.steps.size() < 2)
      list.AddCircleFilled(*here, ui.theme.px(2), to_imgui(color));
    before = here;
  }
}

double largest_logged_loss(const CheckpointsView& view) {
  double most = 0;
  for (const LoggedLoss& one : view.losses)
    most = std::max({most, one.loss.value_or(0), one.held_out.value_or(0)});
  return most;
}

// The losses from 0 to the largest: of the training thin, of the held-out part thick.
void draw_losses(const UiContext& ui, const CheckpointsView& view, const Area& plot) {
  const double most = largest_logged_loss(view);
  if (!(most > 0) || !std::isfinite(most)) return;
  const auto curve = [&](const std::optional<double> LoggedLoss::*which, Color color, float width) {
    std::vector<ImVec2> points;
    for (const LoggedLoss& one : view.losses)
      if (one.*which && std::isfinite(*(one.*which)))
        points.push_back({place_of_step(view, plot, static_cast<double>(one.step)),
                          plot.end().y - plot.size.y * static_cast<float>(*(one.*which) / most)});
    if (points.size() > 1)
      ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), to_imgui(color),
                                              0, ui.theme.px(width));
  };
  curve(&LoggedLoss::loss, ui.theme.quiet_text, 1.5f);
  curve(&LoggedLoss::held_out, ui.theme.link, 2.5f);
}

std::optional<double> text_loss(const CheckpointsView& view, std::size_t at) {
  const bool known = at < view.heads.size() && view.heads[at];
  return known && view.heads[at]->loss && std::isfinite(*view.heads[at]->loss) ? view.heads[at]->loss
                                                                               : std::nullopt;
}

double largest_text_loss(const CheckpointsView& view) {
  double most = 0;
  for (std::size_t i = 0; i < view.steps.size(); ++i)
    most = std::max(most, text_loss(view, i).value_or(0));
  return most;
}

// From 0 to the largest; where a checkpoint is not computed yet, a gap.
void draw_text_loss(const UiContext& ui, const CheckpointsView& view, const Area& plot) {
  const double most = largest_text_loss(view);
  std::optional<ImVec2> before;
  for (std::size_t i = 0; most > 0 && i < view.steps.size(); ++i) {
    const std::optional<double> loss = text_loss(view, i);
    std::optional<ImVec2> here;
    if (loss)
      here = ImVec2{place_of(view, plot, i), plot.end().y - plot.size.y * static_cast<float>(*loss / most)};
    if (before && here)
      ImGui::GetWindowDrawList()->AddLine(*before, *here, to_imgui(ui.theme.link), ui.theme.px(2.5f));
    before = here;
  }
}

// "2.31", or why there is none.
std::string text_loss_text(const CheckpointsView& view, std::size_t at, int decimals) {
  if (const std::optional<double> loss = text_loss(view, at)) return number_text(*loss, decimals);
  return at < view.heads.size() && view.heads[at] ? "there is none" : "computing…";
}

// "loss 2.31, held out 2.40": the newest until the checkpoint.
std::string loss_text(const CheckpointsView& view, std::size_t at, int decimals) {
  std::optional<double> loss, held_out;
  for (const LoggedLoss& one : view.losses) {
    if (one.step > view.steps[at].step && loss) break;
    if (one.loss) loss = one.loss;
    if (one.held_out) held_out = one.held_out;
  }
  std::string text = loss ? "loss " + number_text(*loss, decimals) : "";
  if (held_out) text += (text.empty() ? "held out " : ", held out ") + number_text(*held_out, decimals);
  return text;
}

std::string head_text(const UiContext& ui, std::size_t head) {
  const std::size_t heads = heads_of(ui);
  const LayerPlace place = layer_places(ui.view.model.work->network->config())[head / heads];
  return names_of_layers(ui).text(place) + ", head " + ui.counting().number(static_cast<Index>(head % heads));
}

// Which head the thick curve is of, and its value at the shown checkpoint.
std::string caption(const UiContext& ui, const CheckpointBarState& state) {
  const CheckpointsView& view = ui.view.model.checkpoints;
  const CurveChoice choice = choice_of(ui, state);
  if (choice.of == CurvesOf::TrainingLoss) return loss_text(view, view.shown(), 2);
  if (choice.of == CurvesOf::TextLoss) return text_loss_text(view, view.shown(), 2);
  const bool two_texts = ui.view.model.work->network->config().cross;
  if (!choice.measure && two_texts) return "of two texts there are no pairs";
  if (!choice.measure && choice.query < 0) return "click a cell of weights";
  const auto head = leading_curve(view, choice, chosen_head(ui));
  if (!head) {
    const bool all = std::none_of(view.heads.begin(), view.heads.end(), [](const auto& one) { return !one; });
    if (!all) return "computing…";
    return choice.measure ? std::string(head_measure_info(*choice.measure).none) : "the text is too long";
  }
  const std::optional<float> value = value_at(view, view.shown(), *head, choice);
  const std::string share = value ? ": " + share_text(double{*value}) : "";
  return head_text(ui, *head) + share;
}

void draw_curves(UiContext& ui, const CheckpointBarState& state, const Area& plot) {
  const CheckpointsView& view = ui.view.model.checkpoints;
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const float y : {plot.at.y, plot.end().y})
    list.AddLine({plot.at.x, y}, {plot.end().x, y}, to_imgui(theme.line), std::max(1.0f, theme.px(1)));
  const float x = place_of(view, plot, view.shown());
  list.AddLine({x, plot.at.y}, {x, plot.end().y}, to_imgui(theme.accent, 0.5), std::max(1.0f, theme.px(1)));
  const auto all = layer_places(ui.view.model.work->network->config()).size() * heads_of(ui);
  const CurveChoice choice = choice_of(ui, state);
  if (choice.of == CurvesOf::TrainingLoss) return draw_losses(ui, view, plot);
  if (choice.of == CurvesOf::TextLoss) return draw_text_loss(ui, view, plot);
  const auto leading = leading_curve(view, choice, chosen_head(ui));
  for (std::size_t head = 0; head < all; ++head)
    if (head != leading) draw_curve(ui, view, choice, plot, head, theme.quiet_text, 1);
  if (leading) draw_curve(ui, view, choice, plot, *leading, theme.link, 2.5f);
}

// The number at the upper end of the curves, whose lower end is 0; "" while there is none.
std::string upper_end(const UiContext& ui, const CheckpointBarState& state) {
  const CurvesOf of = choice_of(ui, state).of;
  if (of == CurvesOf::Heads) return "100 %";
  const CheckpointsView& view = ui.view.model.checkpoints;
  const double most = of == CurvesOf::TextLoss ? largest_text_loss(view) : largest_logged_loss(view);
  return most > 0 && std::isfinite(most) ? number_text(most, 2) : "";
}

// Between the words at the left and the curves.
void draw_axis(UiContext& ui, const CheckpointBarState& state, const Area& plot) {
  ImFont* const font = ui.theme.fonts.label;
  const std::string most = upper_end(ui, state);
  const float right = plot.at.x - ui.theme.px(12), half = font_size(font) / 2;
  const auto number = [&](const std::string& text, float y) {
    ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                        {std::floor(right - text_width(font, text)), std::floor(y - half)},
                                        to_imgui(ui.theme.quiet_text), text.c_str());
  };
  if (most.empty()) return;
  number(most, plot.at.y);
  number("0", plot.end().y);
  const float width = text_width(font, most);
  ui.probe.mark_rect("model.checkpoint.axis", {right - width, plot.at.y, width, plot.size.y}, "0 to " + most);
}

void choose_curves(const UiContext& ui, CheckpointBarState& state, float width) {
  const CurveChoice now = choice_of(ui, state);
  const std::string pair = now.query >= 0 && !now.measure && now.of == CurvesOf::Heads
                               ? pair_text(ui, now.query, now.key)
                               : "a pair of tokens";
  std::vector<Choice> choices = {
      {"pair", pair, "How much one token attends to another: those of the selected cell of weights"}};
  std::size_t current = 0;
  for (const HeadMeasure measure : kShares) {
    const HeadMeasureInfo& info = head_measure_info(measure);
    if (measure == now.measure) current = choices.size();
    choices.push_back({std::string(info.name), std::string(info.label), std::string(info.what)});
  }
  const std::size_t text = choices.size(), training = text + 1;
  if (now.of != CurvesOf::Heads) current = now.of == CurvesOf::TextLoss ? text : training;
  choices.push_back({"text_loss", "loss of this text",
                     "How well each checkpoint predicts the open text: the mean of −ln p of its tokens"});
  if (!ui.view.model.checkpoints.losses.empty())
    choices.push_back({"loss", "loss of the training",
                       "How the loss fell: thin that of the steps, thick that of the held-out part"});
  const auto chosen = choice_box(ui, "model.checkpoint.measure", choices, current, width,
                                 "What the curves are of: of the heads from 0 to 100 %");
  if (!chosen) return;
  state.chosen = true;
  state.of = *chosen == text       ? CurvesOf::TextLoss
             : *chosen == training ? CurvesOf::TrainingLoss
                                   : CurvesOf::Heads;
  if (state.of != CurvesOf::Heads) return;
  state.measure = *chosen == 0 ? std::nullopt : std::optional(kShares[*chosen - 1]);
}

// At the left: the step, and what the curves are of.
void draw_side(UiContext& ui, CheckpointBarState& state, const Area& area, bool curves) {
  const CheckpointsView& view = ui.view.model.checkpoints;
  const float gap = ui.theme.px(4), line = ImGui::GetFrameHeight();
  ImGui::SetCursorScreenPos(area.at);
  const std::string text = view.trouble.empty() ? checkpoint_text(view) : view.trouble;
  const Color color = view.trouble.empty() ? ui.theme.text : ui.theme.error;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = area.end().x - at.x, high = font_size(ui.theme.fonts.text);
  fitted_text(ui.theme.fonts.text, {at.x, at.y + std::floor((line - high) / 2)}, width, color, text);
  ImGui::Dummy({std::max(width, 1.0f), line});
  ui.probe.mark("model.checkpoint.text", text);
  tooltip(ui, text);
  if (!curves) return;
  ImGui::SetCursorScreenPos({area.at.x, area.at.y + line + gap});
  const float choice = std::min(area.size.x * 0.5f, ui.theme.px(180)), behind = choice + 2 * gap;
  choose_curves(ui, state, choice);
  fitted_text(
      ui.theme.fonts.label,
      {area.at.x + behind, area.at.y + line + gap + std::floor((line - font_size(ui.theme.fonts.label)) / 2)},
      area.size.x - behind, ui.theme.link, caption(ui, state));
}

constexpr const char* kSliderTip =
    "The checkpoints of the training, one point each. Drag, or click and use the arrow keys: text, pictures "
    "and patches follow";

// at: the checkpoint that is pointed at.
std::string curves_tip(const UiContext& ui, const CheckpointBarState& state, std::size_t at) {
  const CheckpointsView& view = ui.view.model.checkpoints;
  const std::string step = "Step " + std::to_string(view.steps[at].step) + ": ";
  switch (choice_of(ui, state).of) {
    case CurvesOf::TextLoss:
      return step + "loss of this text " + text_loss_text(view, at, 4) + ", the mean of −ln p of its tokens";
    case CurvesOf::TrainingLoss:
      return step + loss_text(view, at, 4) +
             ". The loss over the steps of the training: thin that of the steps, thick that of the held-out "
             "part";
    case CurvesOf::Heads:
      break;
  }
  return "How much each head attends in this way at each checkpoint, on the open text: thick the chosen "
         "head, "
         "or the one that comes to most";
}

void draw_slider(UiContext& ui, CheckpointBarState& state, const Area& area) {
  CheckpointsView& view = ui.view.model.checkpoints;
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), top = area.at.y + theme.px(8), bottom = area.end().y - theme.px(8);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state.has_keys = false;
  const bool curves = area.size.y >= theme.px(2 * 8 + kTrack + kCurves);
  const float side = std::min(theme.px(kSide), area.size.x * 0.34f);
  draw_side(ui, state, {{area.at.x + pad, top}, {side - pad, bottom - top}}, curves);
  // The curves and the points are one slider.
  const float points = bottom - theme.px(kTrack), begin = curves ? top + theme.px(2) : points;
  const bool axis = curves && points - begin >= 3 * font_size(theme.fonts.label);
  const float left =
      area.at.x + side + pad + (axis ? text_width(theme.fonts.label, "00.00") + theme.px(8) : 0);
  const float width = std::max(1.0f, area.end().x - pad - theme.px(8) - left);
  const Area track = {{left, points}, {width, theme.px(kTrack)}};
  const Area plot = {{left, begin}, {width, std::max(0.0f, track.at.y - theme.px(4) - begin)}};
  ImGui::SetCursorScreenPos({track.at.x - theme.px(8), begin});
  click_area("##model.checkpoint", {track.size.x + 2 * theme.px(8), track.end().y - begin});
  ui.probe.mark(kSlider, checkpoint_text(view));
  slide_by_pointer(state, view, track);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  tooltip(ui, curves && mouse.y < track.at.y ? curves_tip(ui, state, checkpoint_at(view, track, mouse.x))
                                             : kSliderTip);
  if (curves) {
    ui.probe.mark_rect("model.checkpoint.curve", {plot.at.x, plot.at.y, plot.size.x, plot.size.y},
                       caption(ui, state));
    draw_curves(ui, state, plot);
    if (axis) draw_axis(ui, state, plot);
  }
  draw_track(ui, view, track);
  draw_steps(ui, view, track);
  slide_by_keys(ui, state, view);
}

}  // namespace

std::optional<std::size_t> leading_curve(const CheckpointsView& view, const CurveChoice& choice,
                                         std::optional<std::size_t> chosen) {
  std::optional<std::size_t> leading;
  float most = -1;
  for (std::size_t i = 0; i < view.heads.size(); ++i) {
    const std::size_t count = view.heads[i] ? view.heads[i]->measures.size() : 0;
    for (std::size_t head = 0; head < count; ++head) {
      const std::optional<float> value = value_at(view, i, head, choice);
      if (!value || (chosen && head != *chosen) || !(*value > most)) continue;
      most = *value;
      leading = head;
    }
  }
  return leading;
}

float checkpoint_bar_height(const UiContext& ui, float window) {
  const ModelView& model = ui.view.model;
  const float training = has_training_line(ui) ? training_line_height(ui) : 0;
  if (!model.work || model.checkpoints.steps.size() < 2) return training > 0 ? training + ui.theme.px(16) : 0;
  return ui.theme.px(2 * 8 + kTrack) + curves_height(ui, window) + training;
}

void checkpoint_bar(UiContext& ui, CheckpointBarState& state, const Area& area) {
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), gap = theme.px(8);
  draw_card_frame(ui, area, false);
  Area rest = area;
  if (has_training_line(ui)) {
    training_line(ui, {{area.at.x + pad, area.at.y + gap}, {area.size.x - 2 * pad, ImGui::GetFrameHeight()}});
    rest.at.y += training_line_height(ui);
    rest.size.y -= training_line_height(ui);
  }
  CheckpointsView& view = ui.view.model.checkpoints;
  if (!ui.view.model.work || view.steps.size() < 2) return;
  draw_slider(ui, state, rest);
  // Who goes back to an older checkpoint stays there.
  if (view.asked && ImGui::IsMouseDown(ImGuiMouseButton_Left))
    ui.view.model.training.follows = *view.asked + 1 == view.steps.size();
}

}  // namespace headlight
