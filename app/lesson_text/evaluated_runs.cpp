#include "app/lesson_text/evaluated_runs.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/lesson_text/lesson_controls.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/lesson_text/model_change.h"
#include "app/lesson_text/reference_text.h"

namespace headlight {
namespace {

using State = ReferencedNumbers::State;

Verdict verdict_of(bool holds) {
  return holds ? Verdict::Yes : Verdict::No;
}

double computed(Arithmetic kind, double left, double right) {
  switch (kind) {
    case Arithmetic::Add:
      return left + right;
    case Arithmetic::Subtract:
      return left - right;
    case Arithmetic::Multiply:
      return left * right;
    case Arithmetic::Divide:
      return left / right;
    case Arithmetic::Negate:
      return -left;
    case Arithmetic::Bits:
      return std::log2(left);
    case Arithmetic::Abs:
      return std::abs(left);
    case Arithmetic::Number:
    case Arithmetic::TextReference:
      break;
  }
  return left;
}

// The operand for index i: a list with a single number is broadcast.
double met(const std::vector<double>& values, std::size_t i) {
  return values.size() == 1 ? values.front() : values[i];
}

bool can_meet(const std::vector<double>& left, const std::vector<double>& right) {
  return left.size() == right.size() || left.size() == 1 || right.size() == 1;
}

ReferencedNumbers numbers_of(const Amount& amount, const ReferencedStates& states) {
  if (amount.kind == Arithmetic::Number) return {State::Known, {amount.number}};
  if (amount.kind == Arithmetic::TextReference && amount.reference.guess)
    return states.guess ? guessed_numbers(amount.reference, *states.guess) : ReferencedNumbers{};
  if (amount.kind == Arithmetic::TextReference) {
    const ValueSource* source = states.at(amount.reference.moment);
    return source ? referenced_numbers(amount.reference, *states.now, *source) : ReferencedNumbers{};
  }
  ReferencedNumbers left = numbers_of(amount.parts.front(), states);
  ReferencedNumbers right = numbers_of(amount.parts.back(), states);
  if (left.state != State::Known) return left;
  if (right.state != State::Known) return right;
  if (!can_meet(left.values, right.values)) return {};
  ReferencedNumbers numbers = {State::Known, {}};
  for (std::size_t i = 0; i < std::max(left.values.size(), right.values.size()); ++i)
    numbers.values.push_back(computed(amount.kind, met(left.values, i), met(right.values, i)));
  return numbers;
}

bool holds(ConditionKind kind, double left, double right) {
  switch (kind) {
    case ConditionKind::Less:
      return left < right;
    case ConditionKind::LessOrEqual:
      return left <= right;
    case ConditionKind::Greater:
      return left > right;
    case ConditionKind::GreaterOrEqual:
      return left >= right;
    case ConditionKind::Alike:
    case ConditionKind::NotAlike:
      return alike(left, right);
    case ConditionKind::Equal:
    case ConditionKind::NotEqual:
      return left == right;
    case ConditionKind::SoleLargest:
    case ConditionKind::SoleSmallest:
    case ConditionKind::Changed:
    case ConditionKind::ChangedLesson:
    case ConditionKind::ChangedOnly:
    case ConditionKind::Moved:
    case ConditionKind::Nan:
    case ConditionKind::Known:
    case ConditionKind::Setting:
    case ConditionKind::And:
    case ConditionKind::Or:
    case ConditionKind::Not:
      break;  // verdict() decides them
  }
  return false;
}

bool has_nan(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

Verdict compared(const Condition& condition, const ReferencedNumbers& left, const ReferencedNumbers& right) {
  if (left.state == State::Waiting || right.state == State::Waiting) return Verdict::Waiting;
  if (left.state == State::Gone || right.state == State::Gone || !can_meet(left.values, right.values) ||
      left.values.empty() || right.values.empty() || has_nan(left.values) || has_nan(right.values))
    return Verdict::Undecidable;
  bool all = true;
  for (std::size_t i = 0; i < std::max(left.values.size(), right.values.size()); ++i)
    all = all && holds(condition.kind, met(left.values, i), met(right.values, i));
  const bool negated = condition.kind == ConditionKind::NotEqual || condition.kind == ConditionKind::NotAlike;
  return verdict_of(all != negated);
}

bool any_moved(const Amount& amount, const Layer& now, const Layer& first) {
  if (amount.kind == Arithmetic::TextReference && amount.reference.guess) return false;
  if (amount.kind == Arithmetic::TextReference) return moved(amount.reference, now, first);
  return std::any_of(amount.parts.begin(), amount.parts.end(),
                     [&](const Amount& part) { return any_moved(part, now, first); });
}

// A number that exists only now or only in the first state has changed, and so has one in another place.
Verdict changed(const Amount& amount, const ReferencedStates& states) {
  if (!states.first) return Verdict::Undecidable;
  const ReferencedNumbers now = numbers_of(amount, states);
  if (now.state == State::Waiting) return Verdict::Waiting;
  if (now.state == State::Gone) {
    const ReferencedStates back = {states.first, states.first, states.opened};
    return numbers_of(amount, back).state == State::Known ? Verdict::Yes : Verdict::Undecidable;
  }
  if (any_moved(amount, states.now->layer(), states.first->layer())) return Verdict::Yes;
  const ReferencedNumbers first = numbers_of(at_moment(amount, ReferencedState::First), states);
  if (first.state != State::Known) return Verdict::Yes;
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return verdict_of(
      !std::equal(now.values.begin(), now.values.end(), first.values.begin(), first.values.end(), same));
}

// Whether the number is the only largest one of the list; the smallest likewise.
Verdict superlative(const Condition& condition, const ReferencedNumbers& one, const ReferencedNumbers& list) {
  if (one.state == State::Waiting || list.state == State::Waiting) return Verdict::Waiting;
  if (one.state == State::Gone || list.state == State::Gone || one.values.size() != 1 ||
      has_nan(one.values) || has_nan(list.values))
    return Verdict::Undecidable;
  const bool largest = condition.kind == ConditionKind::SoleLargest;
  std::size_t as_far = 0, further = 0;
  for (const double value : list.values) {
    as_far += value == one.values.front() ? 1 : 0;
    further += (largest ? value > one.values.front() : value < one.values.front()) ? 1 : 0;
  }
  return verdict_of(as_far == 1 && further == 0);
}

// Conditions on inputs and settings, not on numbers computed from them.
Verdict state_condition(const Condition& condition, const ReferencedStates& states) {
  if (!states.first) return Verdict::Undecidable;
  const Layer &now = states.now->layer(), &first = states.first->layer();
  if (condition.kind == ConditionKind::ChangedLesson) return verdict_of(!same_inputs(first, now));
  return verdict_of(condition.kind == ConditionKind::Moved ? moved(condition.left.reference, now, first)
                                                           : changed_only(condition, first, now));
}

Verdict nan_among(const ReferencedNumbers& numbers) {
  if (numbers.state == State::Waiting) return Verdict::Waiting;
  return numbers.state == State::Gone ? Verdict::Undecidable : verdict_of(has_nan(numbers.values));
}

Verdict known(const ReferencedNumbers& numbers) {
  return numbers.state == State::Waiting ? Verdict::Waiting : verdict_of(numbers.state == State::Known);
}

// `deciding`: No for And, Yes for Or; one such operand is enough. Otherwise Waiting comes before Undecidable.
Verdict joined(Verdict deciding, Verdict left, Verdict right) {
  if (left == deciding || right == deciding) return deciding;
  if (left == Verdict::Waiting || right == Verdict::Waiting) return Verdict::Waiting;
  if (left == Verdict::Undecidable || right == Verdict::Undecidable) return Verdict::Undecidable;
  return left;
}

class TextEvaluator {
 public:
  explicit TextEvaluator(const ReferencedStates& states) : states_(states) {}

  void tell(const std::vector<TextPiece>& pieces) {
    for (const TextPiece& piece : pieces) {
      if (!piece.branches.empty())
        branch(piece);
      else if (piece.amount)
        amount(piece);
      else if (piece.reference)
        reference(piece);
      else if (!piece.control.empty())
        control(piece);
      else if (piece.index)
        say(states_.counting.number(*piece.index), false);
      else
        say(piece.reason == kTyped ? number(piece.words) : piece.words, false);
    }
  }
  std::vector<EvaluatedRun> runs() { return std::move(runs_); }

 private:
  const LessonLanguage& language() const { return states_.language ? *states_.language : english(); }
  std::string number(std::string text) const { return localized(language(), std::move(text)); }

  void say(std::string text, bool live) { runs_.push_back({std::move(text), live}); }

  void control(const TextPiece& piece) {
    const LessonControl* const known = lesson_control(piece.control);
    EvaluatedRun run;
    run.text = !piece.words.empty() ? piece.words : known ? std::string(known->label) : piece.control;
    if (known) run.control = known->probe;
    runs_.push_back(std::move(run));
  }

  // Whether the preceding words end with an opening quotation mark.
  bool within_references() const { return !runs_.empty() && runs_.back().text.ends_with("“"); }

  void branch(const TextPiece& piece) {
    for (const TextBranch& branch : piece.branches) {
      const Verdict condition = branch.condition ? verdict(*branch.condition, states_) : Verdict::Yes;
      if (condition == Verdict::No) continue;
      if (condition == Verdict::Yes)
        tell(branch.pieces);
      else
        say(condition == Verdict::Waiting ? kPendingText : kMissingText, true);
      return;
    }
  }

  void amount(const TextPiece& piece) {
    const ReferencedNumbers numbers = numbers_of(*piece.amount, states_);
    const bool one = numbers.state == State::Known && numbers.values.size() == 1 && !has_nan(numbers.values);
    say(one                               ? number(number_text(numbers.values.front(), piece.decimals))
        : numbers.state == State::Waiting ? kPendingText
                                          : kMissingText,
        true);
  }

  void reference(const TextPiece& piece) {
    const TextReference& reference = *piece.reference;
    const ValueSource* source = states_.at(reference.moment);
    if (!source) {
      say(kMissingText, true);
      return;
    }
    std::string text = reference_text(reference, *states_.now, *source);
    const std::vector<std::string> names = referenced_tokens(reference, *states_.now, *source);
    if (names.size() > 1)
      text = joined_tokens(names, within_references(), label_text(language(), LessonLabel::Equally));
    if (piece.form == ReferenceForm::Words) {
      const ReferencedNumbers numbers = referenced_numbers(reference, *states_.now, *source);
      // Only English number words are known; a lesson with words of its own may be in any language.
      if (numbers.state == State::Known && language().labels.empty())
        text = number_word(numbers.values.front());
    }
    const std::string first = piece.form == ReferenceForm::WithFirst && states_.first
                                  ? reference_text(reference, *states_.now, *states_.first)
                                  : text;
    const bool token = reference.kind == ReferenceKind::Token ||
                       reference.kind == ReferenceKind::LargestToken ||
                       reference.kind == ReferenceKind::SmallestToken;
    const bool here = reference.moment == ReferencedState::Now;
    EvaluatedRun run = {token ? text : number(text), !token};
    run.slider = piece.slider;
    if (here) run.cell = reference_need(reference, source->layer()).cell;
    if (here && reference.parameter && reference.kind == ReferenceKind::Value && reference.is_cell())
      run.input = InputCell{{InputKind::Weight, 0, *reference.parameter}, reference.row, *reference.column};
    runs_.push_back(std::move(run));
    if (first == text || text == kPendingText || first == kMissingText) return;
    // In brackets after the number, so that the sentence stays intact wherever the number is.
    say(" (" + label_text(language(), LessonLabel::AtFirst) + " ", false);
    say(token ? first : number(first), true);
    say(")", false);
  }

  ReferencedStates states_;
  std::vector<EvaluatedRun> runs_;
};

}  // namespace

Verdict verdict(const Condition& condition, const ReferencedStates& states) {
  switch (condition.kind) {
    case ConditionKind::Changed:
      return changed(condition.left, states);
    case ConditionKind::SoleLargest:
    case ConditionKind::SoleSmallest:
      return superlative(condition, numbers_of(condition.left, states), numbers_of(condition.right, states));
    case ConditionKind::ChangedLesson:
    case ConditionKind::ChangedOnly:
    case ConditionKind::Moved:
      return state_condition(condition, states);
    case ConditionKind::Nan:
      return nan_among(numbers_of(condition.left, states));
    case ConditionKind::Known:
      return known(numbers_of(condition.left, states));
    case ConditionKind::Setting:
      return verdict_of(setting_word(condition.setting, states.now->layer()) == condition.word);
    case ConditionKind::And:
      return joined(Verdict::No, verdict(condition.conditions[0], states),
                    verdict(condition.conditions[1], states));
    case ConditionKind::Or:
      return joined(Verdict::Yes, verdict(condition.conditions[0], states),
                    verdict(condition.conditions[1], states));
    case ConditionKind::Not: {
      const Verdict inner = verdict(condition.conditions.front(), states);
      return inner == Verdict::Yes ? Verdict::No : inner == Verdict::No ? Verdict::Yes : inner;
    }
    case ConditionKind::Less:
    case ConditionKind::LessOrEqual:
    case ConditionKind::Greater:
    case ConditionKind::GreaterOrEqual:
    case ConditionKind::Equal:
    case ConditionKind::NotEqual:
    case ConditionKind::Alike:
    case ConditionKind::NotAlike:
      break;
  }
  return compared(condition, numbers_of(condition.left, states), numbers_of(condition.right, states));
}

std::vector<EvaluatedRun> evaluated_runs(const std::vector<TextPiece>& pieces,
                                         const ReferencedStates& states) {
  TextEvaluator evaluator(states);
  evaluator.tell(pieces);
  return evaluator.runs();
}

}  // namespace headlight
