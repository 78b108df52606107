// Conditions on numbers in a lesson's text, like `weights[1,1] > weights[1,4]` in {if ...}.
//
//   A < B   A <= B   A > B   A >= B   A = B   A != B      exact comparison
//   A ~ B   A !~ B                                        to the digits that a text shows; see alike()
//   A is largest of B             A is the largest number of the list B, and no other one is as large;
//                                 A is smallest of B likewise
//   changed A                     a number or a list differs from its value in the `first` state
//   changed lesson                any input or setting differs from the `first` state, token labels aside
//   changed only W_key            that differs and nothing else: embeddings[2], W_key, ... or one of
//                                 mask, normalization, scale, dropout, disabled_heads, bias, heads, d_out
//   moved scores[1]               the token or dimension at this place, or one of the list, is another than
//                                 in the `first` state; what has moved has changed as well
//   nan A                         the number, or one of the list, is NaN
//   mask is causal                a setting: mask (none, causal, other),
//                                 normalization (softmax, naive_softmax, sum),
//                                 projection (none, linear, given, weights),
//                                 scale (inverse_sqrt_dk, none, number),
//                                 dropout, training, bias, output_projection (on, off),
//                                 dropout_seed (set, none), layout (in_out, out_in),
//                                 disabled_heads (none, some)
//   ... and ...   ... or ...   not ...
//
// A and B are expressions of references and numbers with + - * /, brackets, abs and bits (the logarithm to
// base 2). A comparison of lists, element by element, holds if it holds for every number; != and !~ negate =
// and ~. The states are described in text_reference.h.
#pragma once

#include <optional>
#include <vector>

#include "engine/session/text_reference.h"

namespace headlight {

enum class Arithmetic { Number, TextReference, Add, Subtract, Multiply, Divide, Negate, Abs, Bits };

struct Amount {
  Arithmetic kind = Arithmetic::Number;
  double number = 0;
  TextReference reference;
  std::vector<Amount> parts;  // operands: two of Add to Divide, one of Negate, Abs and Bits
};

enum class ConditionKind {
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  Equal,
  NotEqual,
  Alike,
  NotAlike,
  SoleLargest,  // `left` is the largest number of the list `right`, and no other is as large
  SoleSmallest,
  Changed,
  ChangedLesson,
  ChangedOnly,  // `part`, or the reference in `left`, and nothing else
  Moved,        // the reference in `left` points at another token or dimension
  Nan,
  Known,  // there are such numbers: of draws, only while they are shown
  Setting,
  And,
  Or,
  Not
};

// The settings that `changed only` accepts beside references.
enum class ChangedSetting { Mask, Normalization, Scale, Dropout, DisabledHeads, Bias, Heads, DOut };

enum class ConditionSetting {
  Mask,
  Normalization,
  Projection,
  Scale,
  Dropout,
  Training,
  Bias,
  OutputProjection,
  DropoutSeed,
  Layout,
  DisabledHeads
};

struct Condition {
  ConditionKind kind = ConditionKind::Equal;
  Amount left, right;  // of a comparison; Changed, ChangedOnly, Moved, Nan and Known use `left` alone
  std::optional<ChangedSetting> part;  // ChangedOnly: the setting; none: the reference in `left`
  ConditionSetting setting = ConditionSetting::Mask;
  std::string word;                   // Setting: the claimed value
  std::vector<Condition> conditions;  // And, Or: two; Not: one
};

// Whether two numbers look the same with four decimals: they differ by at most 5e-5, or 1e-5 of the larger.
bool alike(double a, double b);

// The value of the setting as conditions write it: "causal", "on".
std::string setting_word(ConditionSetting setting, const Layer& layer);

// `sequence` and `head` apply to references that name none. Throw Error for an unknown form.
Amount read_amount(TextScanner& in, Index sequence, Index head);
Condition read_condition(TextScanner& in, Index sequence, Index head);

// The expression with all its references in another state.
Amount at_moment(Amount amount, ReferencedState moment);

// Append every reference in it. References of Changed, Moved and ChangedOnly are appended in the present and
// the first state; ChangedLesson and a changed setting append one setting in the first state.
void add_references(const Amount& amount, std::vector<TextReference>& references);
void add_references(const Condition& condition, std::vector<TextReference>& references);

}  // namespace headlight
