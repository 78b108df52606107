// The program's lessons, their models, and their texts with evaluated references.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "app/lesson_text/evaluated_runs.h"
#include "app/settings/assets.h"
#include "engine/session/session.h"

namespace headlight_test {

inline std::vector<std::string> lesson_stems() {
  std::vector<std::string> stems;
  for (const auto& file : headlight::lesson_files())
    stems.push_back(file.stem().string());
  std::sort(stems.begin(), stems.end());
  return stems;
}

// The session of the lesson in STEM.headlight. Throws `Error` if there is none.
inline headlight::Session lesson_session(const std::string& stem) {
  for (const auto& file : headlight::lesson_files())
    if (file.stem() == stem) return headlight::load_session(file);
  throw headlight::Error("there is no such lesson", stem, "");
}

// The lesson's model with the settings of the step.
inline headlight::Layer step_model(const headlight::Session& session, const headlight::LessonStep& step) {
  headlight::Layer layer = session.layer;
  apply_settings(step.settings, layer);
  return layer;
}

inline headlight::Evaluator pass_of(const headlight::Session& session, const headlight::LessonStep& step) {
  return evaluate(step_model(session, step));
}

inline std::string told(const std::vector<headlight::TextPiece>& pieces,
                        const headlight::ReferencedStates& states) {
  std::string text;
  for (const headlight::EvaluatedRun& run : evaluated_runs(pieces, states))
    text += run.text;
  return text;
}

// The step's model after the change that its question asks for.
inline headlight::Layer asked_model(const headlight::Session& session, const headlight::LessonStep& step) {
  headlight::Layer layer = step_model(session, step);
  if (step.question && step.question->change) apply_change(*step.question->change, layer);
  return layer;
}

// The step's texts, evaluated in the state in which the step begins; the replies to its question are
// evaluated after the question's change.
inline std::string told_step(const headlight::Session& session, const headlight::LessonStep& step) {
  const headlight::Evaluator first = pass_of(session, step), opened = evaluate(session.layer),
                             done = evaluate(asked_model(session, step));
  const headlight::Goal* const goal = session.goal.get();
  const headlight::PassValues of_first(first, goal), of_opened(opened, goal), of_done(done, goal);
  const headlight::ReferencedStates at_first = {&of_first, &of_first, &of_opened},
                                    replied = {&of_done, &of_first, &of_opened};
  const std::vector<headlight::LessonText> parts = step.texts();
  const std::size_t replies = step.question ? step.question->replies.size() : 0;
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += told(parts[i].pieces(), i + replies < parts.size() ? at_first : replied) + "\n";
  return text;
}

}  // namespace headlight_test
