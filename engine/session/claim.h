// Claims about numbers in a lesson's text, as `weights[1,1] > weights[1,4]` in {if ...}.
//
//   A < B   A <= B   A > B   A >= B   A = B   A != B      by the very numbers
//   A ~ B   A !~ B                                        to the digits that a text shows; see alike()
//   changed A                     whether a number or a list is no longer what the lesson began with
//   nan A                         whether it, or one of a list, is no number
//   mask is causal                a setting: mask (none, causal, other), normalization (softmax,
//   naive_softmax,
//                                 sum), projection (none, linear, given, weights), scale (inverse_sqrt_dk,
//                                 none, number), dropout, training, bias, output_projection (on, off),
//                                 dropout_seed (set, none), layout (in_out, out_in),
//                                 disabled_heads (none, some)
//   ... and ...   ... or ...   not ...
//
// A and B are quotes, numbers, and what + - * /, brackets, abs and bits (the
// logarithm to base 2) make of them. Of a list a claim holds when
// it holds of each number; two lists are compared number by number.
#pragma once

#include <vector>

#include "engine/session/quote.h"

namespace headlight {

enum class Arithmetic { Number, Quote, Add, Subtract, Multiply, Divide, Negate, Abs, Bits };

struct Amount {
  Arithmetic kind = Arithmetic::Number;
  double number = 0;
  Quote quote;
  std::vector<Amount> parts;  // of a sum or a product two, of the others one
};

enum class ClaimKind {
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  Equal,
  NotEqual,
  Alike,
  NotAlike,
  Changed,
  Nan,
  Setting,
  And,
  Or,
  Not
};

enum class ClaimedSetting {
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

struct Claim {
  ClaimKind kind = ClaimKind::Equal;
  Amount left, right;  // of a comparison; Changed and Nan have the left one alone
  ClaimedSetting setting = ClaimedSetting::Mask;
  std::string word;           // of Setting: what it is said to be
  std::vector<Claim> claims;  // And, Or: two; Not: one
};

// Whether two numbers look the same with four decimals: no more than half of the last one apart, or a
// hundred-thousandth of the larger.
bool alike(double a, double b);

// The word that the setting has in claims: "causal", "on".
std::string setting_word(ClaimedSetting setting, const Model& model);

// Read what comes next. Throw Error when it is of no known form.
Amount read_amount(TextScanner& in, Index sequence, Index head);
Claim read_claim(TextScanner& in, Index sequence, Index head);

// The same amount at another moment.
Amount at_moment(Amount amount, QuotedState moment);

// Every quote in it, at the end of `quotes`; those of `changed` stand there as they are and as they were
// first.
void add_quotes(const Amount& amount, std::vector<Quote>& quotes);
void add_quotes(const Claim& claim, std::vector<Quote>& quotes);

}  // namespace headlight
