#include "engine/session/condition.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/session/reference_words.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

// What each setting of kConditionSettingWords can be, padded with "".
constexpr std::array<std::array<std::string_view, 4>, kConditionSettingWords.size()> kSettingValues = {
    {{"none", "causal", "other"},
     {"softmax", "naive_softmax", "sum"},
     {"none", "linear", "given", "weights"},
     {"inverse_sqrt_dk", "none", "number"},
     {"on", "off"},
     {"on", "off"},
     {"on", "off"},
     {"on", "off"},
     {"set", "none"},
     {"in_out", "out_in"},
     {"none", "some"}}};

class ConditionReader {
 public:
  ConditionReader(TextScanner& in, Index sequence, Index head) : in_(in), sequence_(sequence), head_(head) {}

  Condition read_any() {
    Condition condition = read_all();
    while (in_.take_word("or"))
      condition = joined(ConditionKind::Or, std::move(condition), read_all());
    return condition;
  }

  Amount read_sum() {
    Amount sum = read_product();
    for (;;) {
      if (in_.take("+"))
        sum = joined(Arithmetic::Add, std::move(sum), read_product());
      else if (in_.take("-"))
        sum = joined(Arithmetic::Subtract, std::move(sum), read_product());
      else
        return sum;
    }
  }

 private:
  static Condition joined(ConditionKind kind, Condition left, Condition right) {
    Condition condition;
    condition.kind = kind;
    condition.conditions = {std::move(left), std::move(right)};
    return condition;
  }
  static Amount joined(Arithmetic kind, Amount left, Amount right) {
    return {kind, 0, {}, {std::move(left), std::move(right)}};
  }

  Condition read_all() {
    Condition condition = read_one();
    while (in_.take_word("and"))
      condition = joined(ConditionKind::And, std::move(condition), read_one());
    return condition;
  }

  // Nested parts are read recursively: the limit protects the stack from a malicious file.
  void count_part() {
    if (++parts_ > kMostParts)
      in_.fail("has more than " + std::to_string(kMostParts) + " parts", "say it in several sentences");
  }

  Condition read_one() {
    count_part();
    Condition condition;
    if (in_.take_word("not")) {
      condition.kind = ConditionKind::Not;
      condition.conditions = {read_one()};
      return condition;
    }
    if (read_state(condition)) return condition;
    if (read_setting(condition)) return condition;
    condition.left = read_sum();
    for (const Word<ConditionKind>& comparison : kComparisonSigns)
      if (in_.take(comparison.word)) {
        condition.kind = comparison.value;
        condition.right = read_sum();
        return condition;
      }
    if (read_superlative(condition)) return condition;
    in_.fail("claims nothing", "compare with one of < <= > >= = != ~ !~, as in {if scores[1,0] > 0}");
  }

  bool read_setting(Condition& condition) {
    for (std::size_t i = 0; i < kConditionSettingWords.size(); ++i) {
      const Word<ConditionSetting>& known = kConditionSettingWords[i];
      const auto& values = kSettingValues[i];
      TextScanner ahead = in_;
      if (!ahead.take_word(known.word) || !ahead.take_word("is")) continue;
      in_ = ahead;
      condition.kind = ConditionKind::Setting;
      condition.setting = known.value;
      condition.word = std::string(in_.take_word());
      if (!condition.word.empty() && std::find(values.begin(), values.end(), condition.word) != values.end())
        return true;
      std::vector<std::string> words;
      for (const std::string_view word : values)
        if (!word.empty()) words.emplace_back(word);
      in_.fail("says what " + in_quotes(known.word) + " can never be: " + in_quotes(condition.word),
               "it is one of " + listed(words));
    }
    return false;
  }

  // `changed`, `moved` or `nan`; false if none of them comes next.
  bool read_state(Condition& condition) {
    if (in_.take_word("changed")) {
      condition.kind = in_.take_word("lesson") ? ConditionKind::ChangedLesson
                       : in_.take_word("only") ? ConditionKind::ChangedOnly
                                               : ConditionKind::Changed;
      if (condition.kind == ConditionKind::ChangedOnly) return read_changed_part(condition);
      if (condition.kind == ConditionKind::Changed) condition.left = read_sum();
      return true;
    }
    if (in_.take_word("moved")) {
      condition.kind = ConditionKind::Moved;
      condition.left.kind = Arithmetic::TextReference;
      condition.left.reference = read_reference(in_, sequence_, head_);
      return true;
    }
    condition.kind = in_.take_word("known") ? ConditionKind::Known : ConditionKind::Nan;
    if (condition.kind == ConditionKind::Nan && !in_.take_word("nan")) return false;
    condition.left = read_sum();
    return true;
  }

  bool read_changed_part(Condition& condition) {
    for (const Word<ChangedSetting>& known : kChangedWords)
      if (in_.take_word(known.word)) {
        condition.part = known.value;
        return true;
      }
    condition.left.kind = Arithmetic::TextReference;
    condition.left.reference = read_reference(in_, sequence_, head_);
    const TextReference& reference = condition.left.reference;
    if (reference.kind != ReferenceKind::Value ||
        (!reference.parameter && reference.stage != Stage::Embeddings))
      in_.fail("asks whether only what nobody can edit has changed",
               "name embeddings[2], W_query or a setting like scale");
    return true;
  }

  bool read_superlative(Condition& condition) {
    if (!in_.take_word("is")) return false;
    const bool largest = in_.take_word("largest");
    if ((!largest && !in_.take_word("smallest")) || !in_.take_word("of"))
      in_.fail("does not say what it is", "write it like {if weights[1,0] is largest of weights[1]}");
    condition.kind = largest ? ConditionKind::SoleLargest : ConditionKind::SoleSmallest;
    condition.right = read_sum();
    return true;
  }

  Amount read_product() {
    Amount product = read_factor();
    for (;;) {
      if (in_.take("*"))
        product = joined(Arithmetic::Multiply, std::move(product), read_factor());
      else if (in_.take("/"))
        product = joined(Arithmetic::Divide, std::move(product), read_factor());
      else
        return product;
    }
  }

  Amount read_factor() {
    count_part();
    Amount amount;
    if (in_.take_number(amount.number)) return amount;
    if (in_.take("-")) return {Arithmetic::Negate, 0, {}, {read_factor()}};
    if (in_.take_word("abs")) return {Arithmetic::Abs, 0, {}, {read_factor()}};
    if (in_.take_word("bits")) return {Arithmetic::Bits, 0, {}, {read_factor()}};
    if (in_.take("(")) {
      amount = read_sum();
      if (!in_.take(")"))
        in_.fail("has a bracket that is not closed", "write it like {if (2 + 3) * d_k > 9}");
      return amount;
    }
    amount.kind = Arithmetic::TextReference;
    amount.reference = read_reference(in_, sequence_, head_);
    const ReferenceKind kind = amount.reference.kind;
    if (kind == ReferenceKind::Token || kind == ReferenceKind::Terms || kind == ReferenceKind::LargestToken ||
        kind == ReferenceKind::SmallestToken)
      in_.fail("compares what is no number",
               "ask by numbers: {if weights[1,2] = weights[1] largest} for the token of column 2");
    return amount;
  }

  static constexpr int kMostParts = 200;

  TextScanner& in_;
  Index sequence_, head_;
  int parts_ = 0;
};

std::string_view on_off(bool on) {
  return on ? "on" : "off";
}

}  // namespace

bool alike(double a, double b) {
  if (a == b) return true;
  const double apart = std::abs(a - b);
  return apart <= 5e-5 || (std::isfinite(apart) && apart <= 1e-5 * std::max(std::abs(a), std::abs(b)));
}

std::string setting_word(ConditionSetting setting, const Layer& layer) {
  const AttentionSettings& a = layer.attention;
  switch (setting) {
    case ConditionSetting::Mask: {
      const std::string_view word = word_of(kMaskWords, a.mask);
      return std::string(word.empty() ? "other" : word);
    }
    case ConditionSetting::Normalization:
      return std::string(word_of(kNormalizationWords, a.normalization));
    case ConditionSetting::Projection: {
      const std::string_view word = word_of(kProjectionWords, a.projection);
      return std::string(word.empty() ? "given" : word);
    }
    case ConditionSetting::Scale: {
      const std::string_view word = word_of(kScaleWords, a.scale.kind);
      return std::string(word.empty() ? "number" : word);
    }
    case ConditionSetting::Dropout:
      return std::string(on_off(a.dropout.active()));
    case ConditionSetting::Training:
      return std::string(on_off(a.dropout.training));
    case ConditionSetting::Bias:
      return std::string(on_off(a.qkv_bias));
    case ConditionSetting::OutputProjection:
      return std::string(on_off(a.output_projection));
    case ConditionSetting::DropoutSeed:
      return a.dropout.seed ? "set" : "none";
    case ConditionSetting::Layout:
      return std::string(word_of(kLayoutWords, layer.weights.layout));
    case ConditionSetting::DisabledHeads:
      return a.disabled_heads.empty() ? "none" : "some";
  }
  return "";
}

Amount read_amount(TextScanner& in, Index sequence, Index head) {
  return ConditionReader(in, sequence, head).read_sum();
}

Condition read_condition(TextScanner& in, Index sequence, Index head) {
  return ConditionReader(in, sequence, head).read_any();
}

Amount at_moment(Amount amount, ReferencedState moment) {
  amount.reference.moment = moment;
  for (Amount& part : amount.parts)
    part = at_moment(std::move(part), moment);
  return amount;
}

void add_references(const Amount& amount, std::vector<TextReference>& references) {
  if (amount.kind == Arithmetic::TextReference) references.push_back(amount.reference);
  for (const Amount& part : amount.parts)
    add_references(part, references);
}

namespace {

// A condition on the whole lesson needs no number of the first state, only that the state exists.
TextReference some_first_setting() {
  TextReference reference;
  reference.kind = ReferenceKind::Setting;
  reference.moment = ReferencedState::First;
  return reference;
}

}  // namespace

void add_references(const Condition& condition, std::vector<TextReference>& references) {
  add_references(condition.left, references);
  add_references(condition.right, references);
  if (condition.kind == ConditionKind::Changed || condition.kind == ConditionKind::Moved ||
      (condition.kind == ConditionKind::ChangedOnly && !condition.part))
    add_references(at_moment(condition.left, ReferencedState::First), references);
  if (condition.kind == ConditionKind::ChangedLesson || condition.part)
    references.push_back(some_first_setting());
  for (const Condition& part : condition.conditions)
    add_references(part, references);
}

}  // namespace headlight
