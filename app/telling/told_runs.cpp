#include "app/telling/told_runs.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/telling/model_change.h"
#include "app/telling/quote_text.h"

namespace headlight {
namespace {

using State = QuotedNumbers::State;

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
    default:
      return std::abs(left);
  }
}

// The number of a list that meets the i-th of another one: a single number meets them all.
double met(const std::vector<double>& values, std::size_t i) {
  return values.size() == 1 ? values.front() : values[i];
}

bool can_meet(const std::vector<double>& left, const std::vector<double>& right) {
  return left.size() == right.size() || left.size() == 1 || right.size() == 1;
}

QuotedNumbers numbers_of(const Amount& amount, const ToldStates& states) {
  if (amount.kind == Arithmetic::Number) return {State::Known, {amount.number}};
  if (amount.kind == Arithmetic::Quote) {
    const Facts* facts = states.at(amount.quote.moment);
    return facts ? quoted_numbers(amount.quote, *states.now, *facts) : QuotedNumbers{};
  }
  QuotedNumbers left = numbers_of(amount.parts.front(), states);
  QuotedNumbers right = numbers_of(amount.parts.back(), states);
  if (left.state != State::Known) return left;
  if (right.state != State::Known) return right;
  if (!can_meet(left.values, right.values)) return {};
  QuotedNumbers numbers = {State::Known, {}};
  for (std::size_t i = 0; i < std::max(left.values.size(), right.values.size()); ++i)
    numbers.values.push_back(computed(amount.kind, met(left.values, i), met(right.values, i)));
  return numbers;
}

bool holds(ClaimKind kind, double left, double right) {
  switch (kind) {
    case ClaimKind::Less:
      return left < right;
    case ClaimKind::LessOrEqual:
      return left <= right;
    case ClaimKind::Greater:
      return left > right;
    case ClaimKind::GreaterOrEqual:
      return left >= right;
    case ClaimKind::Alike:
    case ClaimKind::NotAlike:
      return alike(left, right);
    default:
      return left == right;
  }
}

bool has_nan(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

Verdict compared(const Claim& claim, const QuotedNumbers& left, const QuotedNumbers& right) {
  if (left.state == State::Waiting || right.state == State::Waiting) return Verdict::Waiting;
  if (left.state == State::Gone || right.state == State::Gone || !can_meet(left.values, right.values) ||
      left.values.empty() || right.values.empty() || has_nan(left.values) || has_nan(right.values))
    return Verdict::Unsure;
  bool all = true;
  for (std::size_t i = 0; i < std::max(left.values.size(), right.values.size()); ++i)
    all = all && holds(claim.kind, met(left.values, i), met(right.values, i));
  const bool negated = claim.kind == ClaimKind::NotEqual || claim.kind == ClaimKind::NotAlike;
  return verdict_of(all != negated);
}

bool any_moved(const Amount& amount, const Model& now, const Model& first) {
  if (amount.kind == Arithmetic::Quote) return moved(amount.quote, now, first);
  return std::any_of(amount.parts.begin(), amount.parts.end(),
                     [&](const Amount& part) { return any_moved(part, now, first); });
}

// What is gone has changed if it was there, and so has what was not there, and what stood elsewhere.
Verdict changed(const Amount& amount, const ToldStates& states) {
  if (!states.first) return Verdict::Unsure;
  const QuotedNumbers now = numbers_of(amount, states);
  if (now.state == State::Waiting) return Verdict::Waiting;
  if (now.state == State::Gone) {
    const ToldStates back = {states.first, states.first, states.opened};
    return numbers_of(amount, back).state == State::Known ? Verdict::Yes : Verdict::Unsure;
  }
  if (any_moved(amount, states.now->model(), states.first->model())) return Verdict::Yes;
  const QuotedNumbers first = numbers_of(at_moment(amount, QuotedState::First), states);
  if (first.state != State::Known) return Verdict::Yes;
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return verdict_of(
      !std::equal(now.values.begin(), now.values.end(), first.values.begin(), first.values.end(), same));
}

// The one number, if it is the largest of the list and no other is as large; the smallest likewise.
Verdict superlative(const Claim& claim, const QuotedNumbers& one, const QuotedNumbers& list) {
  if (one.state == State::Waiting || list.state == State::Waiting) return Verdict::Waiting;
  if (one.state == State::Gone || list.state == State::Gone || one.values.size() != 1 ||
      has_nan(one.values) || has_nan(list.values))
    return Verdict::Unsure;
  const bool largest = claim.kind == ClaimKind::SoleLargest;
  std::size_t as_far = 0, further = 0;
  for (const double value : list.values) {
    as_far += value == one.values.front() ? 1 : 0;
    further += (largest ? value > one.values.front() : value < one.values.front()) ? 1 : 0;
  }
  return verdict_of(as_far == 1 && further == 0);
}

// Of inputs and settings, not of what is computed from them.
Verdict looking_back(const Claim& claim, const ToldStates& states) {
  if (!states.first) return Verdict::Unsure;
  const Model &now = states.now->model(), &first = states.first->model();
  if (claim.kind == ClaimKind::ChangedLesson) return verdict_of(!same_inputs(first, now));
  return verdict_of(claim.kind == ClaimKind::Moved ? moved(claim.left.quote, now, first)
                                                   : changed_only(claim, first, now));
}

Verdict nan_among(const QuotedNumbers& numbers) {
  if (numbers.state == State::Waiting) return Verdict::Waiting;
  return numbers.state == State::Gone ? Verdict::Unsure : verdict_of(has_nan(numbers.values));
}

// And: one No is enough. Or: one Yes. Else what is not known decides.
Verdict joined(Verdict deciding, Verdict left, Verdict right) {
  if (left == deciding || right == deciding) return deciding;
  if (left == Verdict::Waiting || right == Verdict::Waiting) return Verdict::Waiting;
  if (left == Verdict::Unsure || right == Verdict::Unsure) return Verdict::Unsure;
  return left;
}

class Teller {
 public:
  explicit Teller(const ToldStates& states) : states_(states) {}

  void tell(const std::vector<TextPiece>& pieces) {
    for (const TextPiece& piece : pieces) {
      if (!piece.branches.empty())
        branch(piece);
      else if (piece.amount)
        amount(piece);
      else if (piece.quote)
        quote(piece);
      else
        say(piece.words, false);
    }
  }
  std::vector<ToldRun> runs() { return std::move(runs_); }

 private:
  void say(std::string text, bool live) { runs_.push_back({std::move(text), live, {}, {}, {}}); }

  // Whether the words before end with an opening quotation mark.
  bool within_quotes() const { return !runs_.empty() && runs_.back().text.ends_with("“"); }

  void branch(const TextPiece& piece) {
    for (const TextBranch& branch : piece.branches) {
      const Verdict claim = branch.claim ? verdict(*branch.claim, states_) : Verdict::Yes;
      if (claim == Verdict::No) continue;
      if (claim == Verdict::Yes)
        tell(branch.pieces);
      else
        say(claim == Verdict::Waiting ? kNotYet : kGone, true);
      return;
    }
  }

  void amount(const TextPiece& piece) {
    const QuotedNumbers numbers = numbers_of(*piece.amount, states_);
    const bool one = numbers.state == State::Known && numbers.values.size() == 1 && !has_nan(numbers.values);
    say(one                               ? number_text(numbers.values.front(), piece.decimals)
        : numbers.state == State::Waiting ? kNotYet
                                          : kGone,
        true);
  }

  void quote(const TextPiece& piece) {
    const Quote& quote = *piece.quote;
    const Facts* facts = states_.at(quote.moment);
    if (!facts) {
      say(kGone, true);
      return;
    }
    std::string text = quote_text(quote, *states_.now, *facts);
    const std::vector<std::string> names = quoted_tokens(quote, *states_.now, *facts);
    if (names.size() > 1 && within_quotes()) text = told_tokens(names);
    if (piece.form == QuoteForm::Words) {
      const QuotedNumbers numbers = quoted_numbers(quote, *states_.now, *facts);
      if (numbers.state == State::Known) text = number_word(numbers.values.front());
    }
    const std::string first = piece.form == QuoteForm::WithFirst && states_.first
                                  ? quote_text(quote, *states_.now, *states_.first)
                                  : text;
    const bool token = quote.kind == QuoteKind::Token || quote.kind == QuoteKind::LargestToken ||
                       quote.kind == QuoteKind::SmallestToken;
    const bool here = quote.moment == QuotedState::Now;
    ToldRun run = {text, !token, {}, {}, piece.slider};
    if (here) run.cell = quote_need(quote, facts->model()).cell;
    if (here && quote.parameter && quote.kind == QuoteKind::Value && quote.is_cell())
      run.weight = ToldWeight{*quote.parameter, quote.row, *quote.column};
    runs_.push_back(std::move(run));
    if (first == text || text == kNotYet || first == kGone) return;
    // Behind it, so that the sentence stays one, wherever the number stands.
    say(" (at first ", false);
    say(first, true);
    say(")", false);
  }

  ToldStates states_;
  std::vector<ToldRun> runs_;
};

}  // namespace

Verdict verdict(const Claim& claim, const ToldStates& states) {
  switch (claim.kind) {
    case ClaimKind::Changed:
      return changed(claim.left, states);
    case ClaimKind::SoleLargest:
    case ClaimKind::SoleSmallest:
      return superlative(claim, numbers_of(claim.left, states), numbers_of(claim.right, states));
    case ClaimKind::ChangedLesson:
    case ClaimKind::ChangedOnly:
    case ClaimKind::Moved:
      return looking_back(claim, states);
    case ClaimKind::Nan:
      return nan_among(numbers_of(claim.left, states));
    case ClaimKind::Setting:
      return verdict_of(setting_word(claim.setting, states.now->model()) == claim.word);
    case ClaimKind::And:
      return joined(Verdict::No, verdict(claim.claims[0], states), verdict(claim.claims[1], states));
    case ClaimKind::Or:
      return joined(Verdict::Yes, verdict(claim.claims[0], states), verdict(claim.claims[1], states));
    case ClaimKind::Not: {
      const Verdict inner = verdict(claim.claims.front(), states);
      return inner == Verdict::Yes ? Verdict::No : inner == Verdict::No ? Verdict::Yes : inner;
    }
    default:
      return compared(claim, numbers_of(claim.left, states), numbers_of(claim.right, states));
  }
}

std::vector<ToldRun> told_runs(const std::vector<TextPiece>& pieces, const ToldStates& states) {
  Teller teller(states);
  teller.tell(pieces);
  return teller.runs();
}

}  // namespace headlight
