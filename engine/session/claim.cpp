#include "engine/session/claim.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/session/session_words.h"

namespace headlight {
namespace {

struct SettingWords {
  std::string_view name;
  ClaimedSetting setting;
  std::array<std::string_view, 4> words;  // "" where there are fewer
};

constexpr std::array<SettingWords, 11> kSettings = {
    {{"mask", ClaimedSetting::Mask, {"none", "causal", "other"}},
     {"normalization", ClaimedSetting::Normalization, {"softmax", "naive_softmax", "sum"}},
     {"projection", ClaimedSetting::Projection, {"none", "linear", "given", "weights"}},
     {"scale", ClaimedSetting::Scale, {"inverse_sqrt_dk", "none", "number"}},
     {"dropout", ClaimedSetting::Dropout, {"on", "off"}},
     {"training", ClaimedSetting::Training, {"on", "off"}},
     {"bias", ClaimedSetting::Bias, {"on", "off"}},
     {"output_projection", ClaimedSetting::OutputProjection, {"on", "off"}},
     {"dropout_seed", ClaimedSetting::DropoutSeed, {"set", "none"}},
     {"layout", ClaimedSetting::Layout, {"in_out", "out_in"}},
     {"disabled_heads", ClaimedSetting::DisabledHeads, {"none", "some"}}}};

constexpr std::array<Word<ChangedSetting>, 8> kChangedWords = {
    {{"mask", ChangedSetting::Mask},
     {"normalization", ChangedSetting::Normalization},
     {"scale", ChangedSetting::Scale},
     {"dropout", ChangedSetting::Dropout},
     {"disabled_heads", ChangedSetting::DisabledHeads},
     {"bias", ChangedSetting::Bias},
     {"heads", ChangedSetting::Heads},
     {"d_out", ChangedSetting::DOut}}};

struct Comparison {
  std::string_view sign;
  ClaimKind kind;
};

// Longer signs stand before those that they begin with.
constexpr std::array<Comparison, 8> kComparisons = {{{"<=", ClaimKind::LessOrEqual},
                                                     {"<", ClaimKind::Less},
                                                     {">=", ClaimKind::GreaterOrEqual},
                                                     {">", ClaimKind::Greater},
                                                     {"!=", ClaimKind::NotEqual},
                                                     {"=", ClaimKind::Equal},
                                                     {"!~", ClaimKind::NotAlike},
                                                     {"~", ClaimKind::Alike}}};

class ClaimReader {
 public:
  ClaimReader(TextScanner& in, Index sequence, Index head) : in_(in), sequence_(sequence), head_(head) {}

  Claim read_any() {
    Claim claim = read_all();
    while (in_.take_word("or"))
      claim = joined(ClaimKind::Or, std::move(claim), read_all());
    return claim;
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
  static Claim joined(ClaimKind kind, Claim left, Claim right) {
    Claim claim;
    claim.kind = kind;
    claim.claims = {std::move(left), std::move(right)};
    return claim;
  }
  static Amount joined(Arithmetic kind, Amount left, Amount right) {
    return {kind, 0, {}, {std::move(left), std::move(right)}};
  }

  Claim read_all() {
    Claim claim = read_one();
    while (in_.take_word("and"))
      claim = joined(ClaimKind::And, std::move(claim), read_one());
    return claim;
  }

  // Each part is read by a call within the last: a claim of a file that means harm ends here.
  void count_part() {
    if (++parts_ > kMostParts)
      in_.fail("has more than " + std::to_string(kMostParts) + " parts", "say it in several sentences");
  }

  Claim read_one() {
    count_part();
    Claim claim;
    if (in_.take_word("not")) {
      claim.kind = ClaimKind::Not;
      claim.claims = {read_one()};
      return claim;
    }
    if (read_state(claim)) return claim;
    if (read_setting(claim)) return claim;
    claim.left = read_sum();
    for (const Comparison& comparison : kComparisons)
      if (in_.take(comparison.sign)) {
        claim.kind = comparison.kind;
        claim.right = read_sum();
        return claim;
      }
    if (read_superlative(claim)) return claim;
    in_.fail("claims nothing", "compare with one of < <= > >= = != ~ !~, as in {if scores[1,0] > 0}");
  }

  bool read_setting(Claim& claim) {
    for (const SettingWords& known : kSettings) {
      TextScanner ahead = in_;
      if (!ahead.take_word(known.name) || !ahead.take_word("is")) continue;
      in_ = ahead;
      claim.kind = ClaimKind::Setting;
      claim.setting = known.setting;
      claim.word = std::string(in_.take_word());
      if (!claim.word.empty() &&
          std::find(known.words.begin(), known.words.end(), claim.word) != known.words.end())
        return true;
      std::vector<std::string> words;
      for (const std::string_view word : known.words)
        if (!word.empty()) words.emplace_back(word);
      in_.fail("says what " + in_quotes(known.name) + " can never be: " + in_quotes(claim.word),
               "it is one of " + listed(words));
    }
    return false;
  }

  // A claim that begins with a word of its own.
  bool read_state(Claim& claim) {
    if (in_.take_word("changed")) {
      claim.kind = in_.take_word("lesson") ? ClaimKind::ChangedLesson
                   : in_.take_word("only") ? ClaimKind::ChangedOnly
                                           : ClaimKind::Changed;
      if (claim.kind == ClaimKind::ChangedOnly) return read_changed_part(claim);
      if (claim.kind == ClaimKind::Changed) claim.left = read_sum();
      return true;
    }
    if (in_.take_word("moved")) {
      claim.kind = ClaimKind::Moved;
      claim.left.kind = Arithmetic::Quote;
      claim.left.quote = read_quote(in_, sequence_, head_);
      return true;
    }
    if (!in_.take_word("nan")) return false;
    claim.kind = ClaimKind::Nan;
    claim.left = read_sum();
    return true;
  }

  bool read_changed_part(Claim& claim) {
    for (const Word<ChangedSetting>& known : kChangedWords)
      if (in_.take_word(known.word)) {
        claim.part = known.value;
        return true;
      }
    claim.left.kind = Arithmetic::Quote;
    claim.left.quote = read_quote(in_, sequence_, head_);
    const Quote& quote = claim.left.quote;
    if (quote.kind != QuoteKind::Value || (!quote.parameter && quote.stage != Stage::Embeddings))
      in_.fail("asks whether only what nobody can edit has changed",
               "name embeddings[2], W_query or a setting like scale");
    return true;
  }

  bool read_superlative(Claim& claim) {
    if (!in_.take_word("is")) return false;
    const bool largest = in_.take_word("largest");
    if ((!largest && !in_.take_word("smallest")) || !in_.take_word("of"))
      in_.fail("does not say what it is", "write it like {if weights[1,0] is largest of weights[1]}");
    claim.kind = largest ? ClaimKind::SoleLargest : ClaimKind::SoleSmallest;
    claim.right = read_sum();
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
    amount.kind = Arithmetic::Quote;
    amount.quote = read_quote(in_, sequence_, head_);
    const QuoteKind kind = amount.quote.kind;
    if (kind == QuoteKind::Token || kind == QuoteKind::Terms || kind == QuoteKind::LargestToken ||
        kind == QuoteKind::SmallestToken)
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

std::string setting_word(ClaimedSetting setting, const Model& model) {
  const AttentionSettings& a = model.attention;
  switch (setting) {
    case ClaimedSetting::Mask: {
      const std::string_view word = word_of(kMaskWords, a.mask);
      return std::string(word.empty() ? "other" : word);
    }
    case ClaimedSetting::Normalization:
      return std::string(word_of(kNormalizationWords, a.normalization));
    case ClaimedSetting::Projection: {
      const std::string_view word = word_of(kProjectionWords, a.projection);
      return std::string(word.empty() ? "given" : word);
    }
    case ClaimedSetting::Scale: {
      const std::string_view word = word_of(kScaleWords, a.scale.kind);
      return std::string(word.empty() ? "number" : word);
    }
    case ClaimedSetting::Dropout:
      return std::string(on_off(a.dropout.active()));
    case ClaimedSetting::Training:
      return std::string(on_off(a.dropout.training));
    case ClaimedSetting::Bias:
      return std::string(on_off(a.qkv_bias));
    case ClaimedSetting::OutputProjection:
      return std::string(on_off(a.output_projection));
    case ClaimedSetting::DropoutSeed:
      return a.dropout.seed ? "set" : "none";
    case ClaimedSetting::Layout:
      return std::string(word_of(kLayoutWords, model.weights.layout));
    case ClaimedSetting::DisabledHeads:
      return a.disabled_heads.empty() ? "none" : "some";
  }
  return "";
}

Amount read_amount(TextScanner& in, Index sequence, Index head) {
  return ClaimReader(in, sequence, head).read_sum();
}

Claim read_claim(TextScanner& in, Index sequence, Index head) {
  return ClaimReader(in, sequence, head).read_any();
}

Amount at_moment(Amount amount, QuotedState moment) {
  amount.quote.moment = moment;
  for (Amount& part : amount.parts)
    part = at_moment(std::move(part), moment);
  return amount;
}

void add_quotes(const Amount& amount, std::vector<Quote>& quotes) {
  if (amount.kind == Arithmetic::Quote) quotes.push_back(amount.quote);
  for (const Amount& part : amount.parts)
    add_quotes(part, quotes);
}

namespace {

// What looks back on the lesson as a whole asks for no number of it, only for its being there.
Quote some_first_setting() {
  Quote quote;
  quote.kind = QuoteKind::Setting;
  quote.moment = QuotedState::First;
  return quote;
}

}  // namespace

void add_quotes(const Claim& claim, std::vector<Quote>& quotes) {
  add_quotes(claim.left, quotes);
  add_quotes(claim.right, quotes);
  if (claim.kind == ClaimKind::Changed || claim.kind == ClaimKind::Moved ||
      (claim.kind == ClaimKind::ChangedOnly && !claim.part))
    add_quotes(at_moment(claim.left, QuotedState::First), quotes);
  if (claim.kind == ClaimKind::ChangedLesson || claim.part) quotes.push_back(some_first_setting());
  for (const Claim& part : claim.claims)
    add_quotes(part, quotes);
}

}  // namespace headlight
