// The lessons that come with the program, and what they say.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "app/settings/assets.h"
#include "app/telling/told_runs.h"
#include "engine/session/session.h"

namespace headlight_test {

inline std::vector<std::string> lesson_stems() {
  std::vector<std::string> stems;
  for (const auto& file : headlight::lesson_files())
    stems.push_back(file.stem().string());
  std::sort(stems.begin(), stems.end());
  return stems;
}

// The session of a lesson by its file's stem.
inline headlight::Session lesson_session(const std::string& stem) {
  for (const auto& file : headlight::lesson_files())
    if (file.stem() == stem) return headlight::load_session(file);
  throw headlight::Error("there is no such lesson", stem, "");
}

// The model that a step is about.
inline headlight::Model step_model(const headlight::Session& session, const headlight::LessonStep& step) {
  headlight::Model model = session.model;
  apply_settings(step.settings, model);
  return model;
}

inline headlight::Evaluator pass_of(const headlight::Session& session, const headlight::LessonStep& step) {
  return evaluate(step_model(session, step));
}

inline std::string told(const std::vector<headlight::TextPiece>& pieces,
                        const headlight::ToldStates& states) {
  std::string text;
  for (const headlight::ToldRun& run : told_runs(pieces, states))
    text += run.text;
  return text;
}

// The step's text and what it gives to try, as they stand when the lesson opens.
inline std::string told_step(const headlight::Session& session, const headlight::LessonStep& step) {
  const headlight::Evaluator first = pass_of(session, step), opened = evaluate(session.model);
  const headlight::PassFacts of_first(first), of_opened(opened);
  std::string text;
  for (const std::string& part : step.told_texts())
    text += told(headlight::parse_text(part, step.sequence, step.first_head()),
                 {&of_first, &of_first, &of_opened}) +
            "\n";
  return text;
}

}  // namespace headlight_test
