#include "app/ui/lesson/step_inputs.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

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

  explicit ShownText(const LessonText& text) { add(text.pieces()); }
  void add(const std::vector<TextPiece>& pieces) {
    for (const TextPiece& piece : pieces) {
      words += piece.words;
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

void add_named_words(const std::string& text, StepInputs& used) {
  const bool left = contains_any(text, {"at the left", "on the left"});
  used.embeddings = used.embeddings || left || contains_any(text, {"mbedding", "key tokens”"});
  used.weights =
      used.weights || left ||
      contains_any(text, {"W_", "b_", "weight matri", "matrix of weights", "nder Weights", "set d_out"});
}

// What the reader is asked to do at a token is done in its embedding, unless the words name weights.
void add_try(const LessonText& text, StepInputs& used) {
  StepInputs named;
  add_references_of(references_of(text.pieces()), named);
  add_named_words(ShownText(text).words, named);
  if (!named.weights && contains_any(text.written(), {"{type", "number", "rag "})) named.embeddings = true;
  used.embeddings = used.embeddings || named.embeddings;
  used.weights = used.weights || named.weights;
}

// Words of a text, and a control that they name.
struct NamedControl {
  std::string_view words, name;
};
constexpr NamedControl kNamedControls[] = {{"Step through", "walk.start"},
                                           {"Paint", "focus.paint"},
                                           {"“Many draws”", "focus.play"},
                                           {"Draw again", "focus.draw_again"},
                                           {"“solo”", "focus.solo"},
                                           {"∂ is on", "focus.gradients"},
                                           {"“bias”", "settings.qkv_bias"},
                                           {"Set heads", "settings.heads"},
                                           {"Set the scale", "settings.scale"},
                                           {"Switch the scale", "settings.scale"},
                                           {"the settings call", "settings.mask"},
                                           {"Switch training", "settings.training"},
                                           {"set p", "settings.dropout"},
                                           {"seed of dropout", "settings.seed"},
                                           {"clear the seed", "settings.seed"},
                                           {"set d_out", "inputs.d_out"},
                                           {"press Draw", "inputs.draw"},
                                           {"Press Draw under", "inputs.draw"},
                                           {"brushes", "learning.brushes"},
                                           {"the rate", "learning.rate"},
                                           {"“Reset”", "learning.reset"}};

}  // namespace

StepInputs inputs_of(const LessonStep& step) {
  StepInputs used = {step.stage == Stage::Embeddings, step.weight.has_value()};
  const ShownText shown(step.text);
  add_references_of(shown.references, used);
  add_named_words(shown.words, used);
  if (!step.try_it.empty()) add_try(step.try_it, used);
  if (!step.question) return used;
  add_try(step.question->text, used);
  for (const LessonText& reply : step.question->replies)
    add_references_of(references_of(reply.pieces()), used);
  if (!step.question->change) return used;
  for (const ChangedNumber& number : step.question->change->numbers)
    (number.parameter ? used.weights : used.embeddings) = true;
  return used;
}

std::vector<std::string_view> named_controls(const LessonStep& step) {
  std::string words = ShownText(step.text).words + " " + ShownText(step.try_it).words;
  if (step.question) {
    words += " " + ShownText(step.question->text).words;
    for (const LessonText& reply : step.question->replies)
      words += " " + ShownText(reply).words;
  }
  std::vector<std::string_view> named;
  for (const NamedControl& control : kNamedControls)
    if (words.find(control.words) != std::string::npos) named.push_back(control.name);
  return named;
}

}  // namespace headlight
