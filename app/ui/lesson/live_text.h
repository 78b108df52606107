// A lesson's text with the engine's newest numbers in it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/lesson_text/evaluated_runs.h"
#include "app/ui/context/ui_context.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// The earlier states that a lesson's text may refer to: the lesson's own numbers with the settings of a step,
// and as it opened.
struct ReferenceStates {
  // The goal, which may be null, is the one whose loss and gradients the text may refer to.
  ReferenceStates(Layer own, const Layer& as_opened, std::shared_ptr<const Goal> of_session)
      : first(evaluate(std::move(own))), opened(evaluate(as_opened)), goal(std::move(of_session)) {}
  ReferenceStates(const ReferenceStates&) = delete;
  ReferenceStates& operator=(const ReferenceStates&) = delete;

  Evaluator first, opened;
  std::shared_ptr<const Goal> goal;
  // Kept, so that gradients are computed once and not in every frame.
  PassValues of_first{first, goal.get()}, of_opened{opened, goal.get()};
};

// Longer texts are truncated, because texts are laid out in every frame.
inline constexpr std::size_t kMostTextShown = 20'000;
std::string readable(const std::string& text);

// The text's runs from the newest result, which is requested for its references; technical terms are runs
// with a meaning. At most kMostTextShown bytes. own: null if the text refers to the present state alone.
std::vector<EvaluatedRun> live_text(UiContext& ui, const LessonText& text, const ReferenceStates* own);

// The number of the text's first reference, which is requested; none if it is pending or not a single number.
std::optional<double> live_number(UiContext& ui, const LessonText& text);

// The numbers of the text's first reference, one or a list, likewise.
std::optional<std::vector<double>> live_numbers(UiContext& ui, const LessonText& text);

// The concatenated text of the runs.
std::string plain_text(const std::vector<EvaluatedRun>& runs);

}  // namespace headlight
