// Claims decided once more, in the plainest way: from whole matrices of a pass, with no list, trace or row
// of what the program itself asks for. The slow twin of app/telling.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/session/claim.h"

namespace headlight_test {

struct PlainStates {
  const headlight::Evaluator& now;
  const headlight::Evaluator& first;
  const headlight::Evaluator& opened;
};

// The numbers of a quote; none where it is gone.
using PlainNumbers = std::optional<std::vector<double>>;

inline const headlight::Evaluator& plain_state(const headlight::Quote& quote, const PlainStates& states) {
  if (quote.moment == headlight::QuotedState::Now) return states.now;
  return quote.moment == headlight::QuotedState::First ? states.first : states.opened;
}

// Of a softmax row, or of the other normalisations: what the weights are made of.
inline double plain_chain(const headlight::Quote& quote, const headlight::Evaluator& pass) {
  using namespace headlight;
  const Matrix& logits = pass.matrix(Stage::Masked, quote.sequence, quote.head);
  const Normalization kind = pass.model().attention.normalization;
  double largest = -INFINITY, sum = 0;
  for (Index c = 0; c < logits.cols(); ++c)
    largest = std::max(largest, static_cast<double>(logits(quote.row, c)));
  const double taken = kind == Normalization::Softmax ? largest : 0;
  const auto made_of = [&](Index column) {
    const double logit = logits(quote.row, column);
    if (kind == Normalization::Sum) return std::isinf(logit) ? 0.0 : logit;
    return std::exp(logit - taken);
  };
  for (Index c = 0; c < logits.cols(); ++c)
    sum += made_of(c);
  if (quote.kind == QuoteKind::RowMax) return taken;
  return quote.kind == QuoteKind::RowSum ? sum : made_of(*quote.column);
}

inline double plain_setting(headlight::QuotedSetting setting, const headlight::Model& model) {
  using namespace headlight;
  const AttentionSettings& a = model.attention;
  switch (setting) {
    case QuotedSetting::Scale:
      if (a.scale.kind == ScaleKind::Number) return a.scale.number;
      return a.scale.kind == ScaleKind::None ? 1 : 1 / std::sqrt(static_cast<double>(model.d_k()));
    case QuotedSetting::Dropout:
      return a.dropout.probability;
    case QuotedSetting::DropoutFactor:
      return 1 / (1 - a.dropout.probability);
    case QuotedSetting::DIn:
      return static_cast<double>(model.embeddings[0].cols());
    case QuotedSetting::DOut:
      return static_cast<double>(a.d_out);
    case QuotedSetting::DHead:
      return static_cast<double>(a.d_out / a.num_heads);
    case QuotedSetting::Heads:
      return static_cast<double>(a.num_heads);
    case QuotedSetting::Tokens:
      return static_cast<double>(model.tokens.size());
    case QuotedSetting::Sequences:
      return static_cast<double>(model.embeddings.size());
    default:
      return NAN;  // seeds: no claim asks for them
  }
}

inline double plain_made_of(const headlight::Quote& quote, const std::vector<double>& values) {
  using namespace headlight;
  double sum = 0, bits = 0, smallest = values[0], largest = values[0];
  int counted = 0;
  for (const double value : values) {
    if (std::isnan(value) && quote.kind != QuoteKind::Count) return NAN;
    sum += value;
    smallest = value < smallest ? value : smallest;
    largest = value > largest ? value : largest;
    if (value > 0) bits -= value * std::log(value) / std::log(2.0);
    const bool less = value<quote.threshold, greater = value> quote.threshold,
               same = value == quote.threshold;
    counted += quote.counted == CountedIf::Less      ? less
               : quote.counted == CountedIf::Greater ? greater
               : quote.counted == CountedIf::Equal   ? same
                                                     : !same;
  }
  if (quote.kind == QuoteKind::Entropy && smallest < 0) return NAN;
  switch (quote.kind) {
    case QuoteKind::Sum:
      return sum;
    case QuoteKind::Mean:
      return sum / static_cast<double>(values.size());
    case QuoteKind::Largest:
      return largest;
    case QuoteKind::Smallest:
      return smallest;
    case QuoteKind::Spread:
      return largest - smallest;
    case QuoteKind::Count:
      return counted;
    default:
      return bits;
  }
}

inline PlainNumbers plain_numbers(const headlight::Quote& quote, const PlainStates& states) {
  using namespace headlight;
  const Evaluator& pass = plain_state(quote, states);
  const Model& model = pass.model();
  if (quote.kind == QuoteKind::Setting) return std::vector<double>{plain_setting(quote.setting, model)};
  if (!quote.parameter &&
      (!stage_exists(model, quote.stage) || quote.sequence >= model.sequence_count() ||
       (stage_info(quote.stage).per_head && quote.head >= stage_heads(model, quote.stage))))
    return std::nullopt;
  const bool split = stage_info(quote.stage).per_head;
  const Matrix& all = quote.parameter ? model.weights.matrix(*quote.parameter)
                                      : pass.matrix(quote.stage, quote.sequence, split ? quote.head : 0);
  std::vector<double> values;
  for (Index i = 0; i < all.size(); ++i) {
    const Index row = quote.transposed ? i % all.rows() : i / all.cols();
    const Index column = quote.transposed ? i / all.rows() : i % all.cols();
    if ((quote.every_row || row == quote.row) && (!quote.column || column == *quote.column))
      values.push_back(all(row, column));
  }
  if (values.empty()) return std::nullopt;
  switch (quote.kind) {
    case QuoteKind::Value:
      return values;
    case QuoteKind::Exponential:
    case QuoteKind::RowMax:
    case QuoteKind::RowSum:
      return std::vector<double>{plain_chain(quote, pass)};
    default:
      return std::vector<double>{plain_made_of(quote, values)};
  }
}

inline PlainNumbers plain_numbers(const headlight::Amount& amount, const PlainStates& states) {
  using namespace headlight;
  if (amount.kind == Arithmetic::Number) return std::vector<double>{amount.number};
  if (amount.kind == Arithmetic::Quote) return plain_numbers(amount.quote, states);
  const PlainNumbers left = plain_numbers(amount.parts.front(), states);
  const PlainNumbers right = plain_numbers(amount.parts.back(), states);
  if (!left || !right) return std::nullopt;
  if (left->size() != right->size() && left->size() != 1 && right->size() != 1) return std::nullopt;
  std::vector<double> values;
  for (std::size_t i = 0; i < std::max(left->size(), right->size()); ++i) {
    const double a = (*left)[left->size() == 1 ? 0 : i], b = (*right)[right->size() == 1 ? 0 : i];
    values.push_back(amount.kind == Arithmetic::Add        ? a + b
                     : amount.kind == Arithmetic::Subtract ? a - b
                     : amount.kind == Arithmetic::Multiply ? a * b
                     : amount.kind == Arithmetic::Divide   ? a / b
                     : amount.kind == Arithmetic::Negate   ? -a
                     : amount.kind == Arithmetic::Abs      ? std::fabs(a)
                                                           : std::log(a) / std::log(2.0));
  }
  return values;
}

// Yes or no; none where nothing can be said.
using PlainVerdict = std::optional<bool>;

inline PlainVerdict plain_comparison(const headlight::Claim& claim, const PlainStates& states) {
  using namespace headlight;
  const PlainNumbers left = plain_numbers(claim.left, states), right = plain_numbers(claim.right, states);
  if (!left || !right) return std::nullopt;
  if (left->size() != right->size() && left->size() != 1 && right->size() != 1) return std::nullopt;
  bool all = true;
  for (std::size_t i = 0; i < std::max(left->size(), right->size()); ++i) {
    const double a = (*left)[left->size() == 1 ? 0 : i], b = (*right)[right->size() == 1 ? 0 : i];
    if (std::isnan(a) || std::isnan(b)) return std::nullopt;
    const bool near =
        a == b || std::fabs(a - b) <= 0.00005 ||
        (std::isfinite(a - b) && std::fabs(a - b) <= 0.00001 * std::fmax(std::fabs(a), std::fabs(b)));
    const bool here = claim.kind == ClaimKind::Less             ? a < b
                      : claim.kind == ClaimKind::LessOrEqual    ? !(a > b)
                      : claim.kind == ClaimKind::Greater        ? b < a
                      : claim.kind == ClaimKind::GreaterOrEqual ? !(b > a)
                      : claim.kind == ClaimKind::Alike || claim.kind == ClaimKind::NotAlike
                          ? near
                          : !(a < b) && !(b < a);
    all = all && here;
  }
  return all != (claim.kind == ClaimKind::NotEqual || claim.kind == ClaimKind::NotAlike);
}

inline PlainVerdict plain_change(const headlight::Claim& claim, const PlainStates& states) {
  using namespace headlight;
  const PlainNumbers now = plain_numbers(claim.left, states);
  const PlainNumbers first = plain_numbers(at_moment(claim.left, QuotedState::First), states);
  if (!first) return std::nullopt;
  if (!now || now->size() != first->size()) return true;
  for (std::size_t i = 0; i < now->size(); ++i)
    if ((*now)[i] != (*first)[i] && !(std::isnan((*now)[i]) && std::isnan((*first)[i]))) return true;
  return false;
}

inline PlainVerdict plain_verdict(const headlight::Claim& claim, const PlainStates& states) {
  using namespace headlight;
  if (claim.kind == ClaimKind::Changed) return plain_change(claim, states);
  if (claim.kind == ClaimKind::Setting) return setting_word(claim.setting, states.now.model()) == claim.word;
  if (claim.kind == ClaimKind::Nan) {
    const PlainNumbers values = plain_numbers(claim.left, states);
    if (!values) return std::nullopt;
    bool any = false;
    for (const double value : *values)
      any = any || std::isnan(value);
    return any;
  }
  if (claim.kind == ClaimKind::Not) {
    const PlainVerdict inner = plain_verdict(claim.claims[0], states);
    return inner ? PlainVerdict(!*inner) : inner;
  }
  if (claim.kind == ClaimKind::And || claim.kind == ClaimKind::Or) {
    const bool decides = claim.kind == ClaimKind::Or;
    const PlainVerdict left = plain_verdict(claim.claims[0], states),
                       right = plain_verdict(claim.claims[1], states);
    if ((left && *left == decides) || (right && *right == decides)) return decides;
    return left && right ? PlainVerdict(!decides) : std::nullopt;
  }
  return plain_comparison(claim, states);
}

}  // namespace headlight_test
