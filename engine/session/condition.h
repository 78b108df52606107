// Claims about numbers in a lesson's text, as `weights[1,1] > weights[1,4]` in {if ...}.
//
//   A < B   A <= B   A > B   A >= B   A = B   A != B      by the very numbers
//   A ~ B   A !~ B                                        to the digits that a text shows; see alike()
//   A is largest of B             whether it is the largest number of the list B, and no other one is as
//                                 large; A is smallest of B likewise
//   changed A                     whether a number or a list is no longer what the lesson began with
//   changed lesson                whether any input or setting is another one, names of tokens aside
//   changed only W_key            whether that has changed and nothing else: embeddings[2], W_key, ... or one
//                                 of mask, normalization, scale, dropout, disabled_heads, bias, heads, d_out
//   moved scores[1]               whether other tokens or dimensions stand there than at first, or others
//                                 beside them; what has moved has changed as well
//   nan A                         whether it, or one of a list, is no number
//   mask is causal                a setting: mask (none, causal, other), normalization (softmax,
//   naive_softmax,
//                                 sum), projection (none, linear, given, weights), scale (inverse_sqrt_dk,
//                                 none, number), dropout, training, bias, output_projection (on, off),
//                                 dropout_seed (set, none), layout (in_out, out_in),
//                                 disabled_heads (none, some)
//   ... and ...   ... or ...   not ...
//
// A and B are references, numbers, and what + - * /, brackets, abs and bits (the
// logarithm to base 2) make of them. Of a list a condition holds when
// it holds of each number; two lists are compared number by number.
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
  std::vector<Amount> parts;  // of a sum or a product two, of the others one
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
  SoleLargest,   // the left amount is the largest number of the list at the right, and no other is as large
  SoleSmallest,  // likewise
  Changed,
  ChangedLesson,  // anything
  ChangedOnly,    // the left reference, or `part`, and nothing else
  Moved,          // another token or dimension stands where the left reference points
  Nan,
  Setting,
  And,
  Or,
  Not
};

// What `changed only` asks of beside numbers.
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
  Amount left, right;  // of a comparison; Changed, ChangedOnly, Moved and Nan have the left one alone
  std::optional<ChangedSetting> part;  // of ChangedOnly: the setting, else the left reference
  ConditionSetting setting = ConditionSetting::Mask;
  std::string word;                   // of Setting: what it is said to be
  std::vector<Condition> conditions;  // And, Or: two; Not: one
};

// Whether two numbers look the same with four decimals: no more than half of the last one apart, or a
// hundred-thousandth of the larger.
bool alike(double a, double b);

// The word that the setting has in conditions: "causal", "on".
std::string setting_word(ConditionSetting setting, const Model& model);

// Read what comes next. Throw Error when it is of no known form.
Amount read_amount(TextScanner& in, Index sequence, Index head);
Condition read_condition(TextScanner& in, Index sequence, Index head);

// The same amount at another moment.
Amount at_moment(Amount amount, ReferencedState moment);

// Every reference in it, at the end of `references`; those of `changed` stand there as they are and as they
// were first, and where a condition looks back on the whole lesson one of its settings does.
void add_references(const Amount& amount, std::vector<TextReference>& references);
void add_references(const Condition& condition, std::vector<TextReference>& references);

}  // namespace headlight
