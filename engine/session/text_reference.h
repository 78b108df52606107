// Quotes: the names of numbers in a lesson's text, as weights[1,0] in {weights[1,0]}. The numbers are never
// typed: they are filled in from the engine's newest answer. All indices count from 0.
//
//   weights[1,0]                a cell                       weights[1]            a row, as a list
//   weights[,1]                 a column, as a list          weights               all numbers of a stage
//   weights[1,0] head 1         of another head              output[0] sequence 1  of another sequence
//   scores[1,2] terms           the products it is the sum of, context[1,0] term 2 one of them
//   weights[1,0] exponential    the exponential; row_max, row_sum and noise likewise
//   dropped[5,5] drawn_mean     the mean of the draws of dropout that are shown
//   scores[1] sum               of a row, a column or a stage: sum, mean, largest, smallest, spread (largest
//                               less smallest); largest_token and smallest_token of a row or a column
//   scores[1] count < 0         how many of them are so: <, >, = or != and a number
//   scores transposed           a stage with rows and columns exchanged, for conditions
//   weights[1] entropy          of a row of weights, in bits
//   W_query[0,1]                a weight likewise: W_query, W_key, W_value, W_output
//   token[1]                    a token's label
//   scale                       a setting: scale, dropout, dropout_factor, d_in, d_out, d_k, heads, kv_heads,
//                               tokens, key_tokens, sequences, weight_seed, dropout_seed
//   first weights[1,0]          as it is at the lesson's own numbers, with the settings of the step
//   opened weights[1,0]         as it is at the lesson's own numbers and settings
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/model/model.h"
#include "engine/model/stage.h"
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
  DrawnMean,  // Dropped: of the draws that have been played
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
  DropoutSeed
};

// The state that a number is of: the present one, the lesson's own with the step's settings, or as it opened.
enum class ReferencedState { Now, First, Opened };
enum class CountedIf { Less, Greater, Equal, NotEqual };

struct TextReference {
  ReferenceKind kind = ReferenceKind::Value;
  Stage stage = Stage::Weights;
  std::optional<Parameter> parameter;                    // of a weight, else the stage
  ReferencedSetting setting = ReferencedSetting::Scale;  // Setting
  Index sequence = 0, head = 0, row = 0;
  std::optional<Index> column;
  bool every_row = false;  // a column, or without one the whole
  bool transposed = false;
  Index term = 0;                       // Term
  CountedIf counted = CountedIf::Less;  // Count
  double threshold = 0;                 // Count
  ReferencedState moment = ReferencedState::Now;
  int decimals = 4;
  bool operator==(const TextReference&) const = default;

  bool is_cell() const { return column && !every_row; }
  bool is_row() const { return !column && !every_row; }
  // Whether several numbers stand for it, or none.
  bool is_list() const {
    return (kind == ReferenceKind::Value && !is_cell()) || kind == ReferenceKind::Terms ||
           kind == ReferenceKind::Token || kind == ReferenceKind::LargestToken ||
           kind == ReferenceKind::SmallestToken;
  }
};

// Of more rows a column or a whole stage is not referenced: each row is asked for.
inline constexpr Index kMostReferencedRows = 64;

// Reads the reference that comes next; `sequence` and `head` are those of one that names none. Throws Error
// when a name or word is unknown.
TextReference read_reference(TextScanner& in, Index sequence, Index head);

// Whether the model has what is referenced.
bool reference_exists(const TextReference& reference, const Model& model);
// What is referenced, for messages: "row 2 of \"weights\"".
std::string reference_place(const TextReference& reference);

}  // namespace headlight
