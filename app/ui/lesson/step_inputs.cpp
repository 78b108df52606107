#include "app/ui/lesson/step_inputs.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "app/lesson_text/lesson_controls.h"

namespace headlight {
namespace {

bool contains_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// The words and references that are shown, without those of conditions.
struct ShownText {
  std::string words;
  std::vector<TextReference> references;
  std::vector<const LessonControl*> controls;

  explicit ShownText(const LessonText& text) { add(text.pieces()); }
  void add(const std::vector<TextPiece>& pieces) {
    for (const TextPiece& piece : pieces) {
      words += piece.words;
      if (const LessonControl* const control = lesson_control(piece.control)) controls.push_back(control);
      if (piece.reference) references.push_back(*piece.reference);
      if (piece.amount) add_references(*piece.amount, references);
      for (const TextBranch& branch : piece.branches)
        add(branch.pieces);
    }
  }
};

bool is_embedding(const TextReference& reference) {
  return !reference.parameter && reference.stage == Stage::Embeddings &&
         reference.kind != ReferenceKind::Token && reference.kind != ReferenceKind::Setting;
}

void add_references_of(const std::vector<TextReference>& references, StepInputs& used) {
  for (const TextReference& reference : references) {
    used.embeddings = used.embeddings || is_embedding(reference);
    used.weights = used.weights || reference.parameter.has_value();
  }
}

void add_declared(const ShownText& shown, StepInputs& used) {
  for (const LessonControl* control : shown.controls) {
    const bool tokens = control->name == "inputs" || control->place == ControlPlace::KeyTokens;
    used.embeddings = used.embeddings || tokens;
    used.weights = used.weights || control->place == ControlPlace::Weights;
  }
}

void add_named(const ShownText& shown, StepInputs& used) {
  const std::string& text = shown.words;
  const bool left = contains_any(text, {"at the left", "on the left"});
  used.embeddings = used.embeddings || left || contains_any(text, {"mbedding"});
  used.weights =
      used.weights || left || contains_any(text, {"W_", "b_", "weight matri", "matrix of weights"});
  add_declared(shown, used);
}

// Whether the words name another control, in which something is typed or dragged.
bool is_typed_elsewhere(const ShownText& shown) {
  return std::any_of(shown.controls.begin(), shown.controls.end(), [](const LessonControl* control) {
    return control->use == ControlUse::Type || control->use == ControlUse::Drag;
  });
}

// What the reader is asked to do at a token is done in its embedding, unless the words name weights.
void add_try(const LessonText& text, StepInputs& used) {
  StepInputs named;
  add_references_of(references_of(text.pieces()), named);
  const ShownText shown(text);
  add_named(shown, named);
  if (!named.weights && !is_typed_elsewhere(shown) &&
      contains_any(text.written(), {"{type", "number", "rag "}))
    named.embeddings = true;
  used.embeddings = used.embeddings || named.embeddings;
  used.weights = used.weights || named.weights;
}

}  // namespace

StepInputs inputs_of(const LessonStep& step) {
  StepInputs used = {step.stage == Stage::Embeddings, step.weight.has_value()};
  const ShownText shown(step.text);
  add_references_of(shown.references, used);
  add_named(shown, used);
  if (!step.try_it.empty()) add_try(step.try_it, used);
  if (!step.question) return used;
  // "Drag the bars" is about the guess, whose picture is the large one.
  const ShownText asked(step.question->text);
  add_references_of(asked.references, used);
  add_declared(asked, used);
  for (const LessonText& reply : step.question->replies)
    add_references_of(references_of(reply.pieces()), used);
  if (!step.question->change) return used;
  for (const ChangedNumber& number : step.question->change->numbers)
    (number.parameter ? used.weights : used.embeddings) = true;
  return used;
}

std::vector<std::string_view> named_controls(UiContext& ui, const LessonGuide& guide,
                                             const LessonStep& step) {
  std::vector<std::string_view> named;
  for (const LessonText& text : step.texts()) {
    if (control_pieces(text.pieces()).empty()) continue;
    for (const EvaluatedRun& run : step_text(ui, guide, text))
      if (!run.control.empty()) named.push_back(run.control);
  }
  return named;
}

}  // namespace headlight
