#include "app/telling/told_runs.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
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
    return facts ? quoted_numbers(amount.quote, *facts) : QuotedNumbers{};
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

Verdict changed(const QuotedNumbers& now, const QuotedNumbers& first) {
  if (now.state == State::Waiting) return Verdict::Waiting;
  if (first.state != State::Known) return Verdict::Unsure;
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return verdict_of(now.state != State::Known || !std::equal(now.values.begin(), now.values.end(),
                                                             first.values.begin(), first.values.end(), same));
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
    const bool one = numbers.state == State::Known && numbers.values.size() == 1;
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
    std::string text = quote_text(quote, *facts);
    if (piece.form == QuoteForm::Words) {
      const QuotedNumbers numbers = quoted_numbers(quote, *facts);
      if (numbers.state == State::Known) text = number_word(numbers.values.front());
    }
    const std::string first =
        piece.form == QuoteForm::WithFirst && states_.first ? quote_text(quote, *states_.first) : text;
    const bool token = quote.kind == QuoteKind::Token || quote.kind == QuoteKind::LargestToken ||
                       quote.kind == QuoteKind::SmallestToken;
    const bool here = quote.moment == QuotedState::Now;
    ToldRun run = {text, !token, {}, {}, piece.slider};
    if (here) run.cell = quote_need(quote, facts->model()).cell;
    if (here && quote.parameter && quote.kind == QuoteKind::Value && quote.is_cell())
      run.weight = ToldWeight{*quote.parameter, quote.row, *quote.column};
    runs_.push_back(std::move(run));
    if (first == text || text == kNotYet) return;
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
      return changed(numbers_of(claim.left, states),
                     numbers_of(at_moment(claim.left, QuotedState::First), states));
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
