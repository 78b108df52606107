// References: the names of numbers in a lesson's text, like weights[1,0] in {weights[1,0]}. A text contains
// no typed numbers: references are replaced by the engine's newest results. All indices count from 0.
//
//   weights[1,0]                a cell                       weights[1]            a row, as a list
//   weights[,1]                 a column, as a list          weights               all numbers of a stage
//   weights[1,0] head 1         in another head              output[0] sequence 1  in another sequence
//   scores[1,2] terms           the products that are summed to the cell; context[1,0] term 2: one of them
//   weights[1,0] exponential    the exponential of the cell; likewise row_max, row_sum, noise
//   dropped[5,5] drawn_mean     the mean over the dropout draws that have been shown
//   scores[1] sum               of a row, a column or a stage: sum, mean, largest, smallest, spread (largest
//                               minus smallest); largest_token and smallest_token of a row or a column
//   scores[1] count < 0         the count of numbers that satisfy <, >, = or != against a number
//   scores transposed           a stage with rows and columns exchanged, for conditions
//   weights[1] entropy          the entropy of a row of weights, in bits
//   W_query[0,1]                a weight, with the same indices: W_query, W_key, W_value, W_output
//   token[1]                    a token's label
//   scale                       a setting: scale, dropout, dropout_factor, d_in, d_out, d_k, heads, kv_heads,
//                               tokens, key_tokens, sequences, weight_seed, dropout_seed
//   gradient weights[1,0]       dL/d(number) of the session's goal; of a stage or a weight, also lists
//   loss                        the loss of the session's goal
//   first weights[1,0]          in the first state: the lesson's own numbers, with the settings of the step
//   opened weights[1,0]         in the opened state: the lesson's own numbers and settings
//   guess[1]   guess[1,0]       the reader's guess, in the conditions of a question alone: a bar, a word (1:
//                               chosen), a marked cell (1: marked); also lists of them, with sum, mean,
//                               largest, smallest, spread and count
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/layer/layer.h"
#include "engine/layer/stage.h"
#include "engine/session/text_scanner.h"

namespace headlight {

enum class ReferenceKind {
  Value,  // a cell, or a list of numbers where no row or no column is given
  Terms,
  Term,
  Exponential,
  RowMax,
  RowSum,
  Noise,
  DrawnMean,  // of Stage::Dropped, over the dropout draws that have been shown
  Sum,
  Mean,
  Largest,
  Smallest,
  Spread,
  Count,
  LargestToken,
  SmallestToken,
  Entropy,
  Token,
  Setting,
};

enum class ReferencedSetting {
  Scale,
  Dropout,
  DropoutFactor,
  DIn,
  DOut,
  DHead,
  Heads,
  KvHeads,
  Tokens,
  KeyTokens,
  Sequences,
  WeightSeed,
  DropoutSeed,
  Loss
};

// The state that a number is taken from. First: the lesson's own numbers with the step's settings. Opened:
// the lesson's own numbers and settings.
enum class ReferencedState { Now, First, Opened };
enum class CountedIf { Less, Greater, Equal, NotEqual };

struct TextReference {
  ReferenceKind kind = ReferenceKind::Value;
  Stage stage = Stage::Weights;
  std::optional<Parameter> parameter;                    // none: `stage` is referenced
  ReferencedSetting setting = ReferencedSetting::Scale;  // Setting
  Index sequence = 0, head = 0, row = 0;
  std::optional<Index> column;
  bool gradient = false;   // the gradient of the number is referenced
  bool guess = false;      // the reader's guess is referenced, not `stage`
  bool every_row = false;  // the whole column, or without a column the whole stage
  bool transposed = false;
  Index term = 0;                       // Term
  CountedIf counted = CountedIf::Less;  // Count
  double threshold = 0;                 // Count
  ReferencedState moment = ReferencedState::Now;
  int decimals = 4;
  bool operator==(const TextReference&) const = default;

  // Whether it depends on the goal of the session.
  bool of_goal() const {
    return gradient || (kind == ReferenceKind::Setting && setting == ReferencedSetting::Loss);
  }
  bool is_cell() const { return column && !every_row; }
  bool is_row() const { return !column && !every_row; }
  // Whether it is not exactly one number: a list, or a token.
  bool is_list() const {
    return (kind == ReferenceKind::Value && !is_cell()) || kind == ReferenceKind::Terms ||
           kind == ReferenceKind::Token || kind == ReferenceKind::LargestToken ||
           kind == ReferenceKind::SmallestToken;
  }
};

// A column or a whole stage with more rows cannot be referenced, because each row is requested separately.
inline constexpr Index kMostReferencedRows = 64;

// Reads the next reference; `sequence` and `head` apply if it names none. Throws Error for an unknown word.
TextReference read_reference(TextScanner& in, Index sequence, Index head);

// What the layer lacks of the referenced number or list, and what it has instead: "column 5 of \"weights\",
// which has 5 columns"; "" if the reference exists. A guess exists in none.
std::string missing_part(const TextReference& reference, const Layer& layer);
inline bool reference_exists(const TextReference& reference, const Layer& layer) {
  return missing_part(reference, layer).empty();
}

}  // namespace headlight
