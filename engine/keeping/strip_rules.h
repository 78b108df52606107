// How the weights of one head are made from its scores.
#pragma once

#include <algorithm>

#include "engine/keeping/stage_store.h"
#include "engine/views/mark_rule.h"
#include "engine/views/span.h"

namespace headlight {

class MaskStrips;

struct StripRules {
  float factor = 1;                  // scaled = score * factor
  bool causal = false;               // or
  const Matrix* allowed = nullptr;   // the model's own mask, T x T of 0 and 1
  const MaskStrips* mask = nullptr;  // the same, for those who keep it in strips
  const Matrix* noise = nullptr;     // multipliers of dropout, T x T
};

// Without MaskStrips.
inline StripRules rules_of(const StageStore& store, Index sequence, Index head) {
  StripRules rules;
  rules.factor = store.model.scale_factor();
  rules.causal = store.model.attention.mask == MaskKind::Causal;
  if (store.model.attention.mask == MaskKind::Custom) rules.allowed = &store.model.custom_mask;
  rules.noise = store.noise_of(sequence, head);
  return rules;
}

inline MarkRule marks_of(Stage stage, const StripRules& rules) {
  MarkRule marks;
  if (!shows_marks(stage)) return marks;
  marks.causal = rules.causal;
  marks.allowed = rules.allowed;
  if (stage == Stage::Dropped) marks.noise = rules.noise;
  return marks;
}

// Puts `masked` where a query may not attend. rows: those of the queries from `first` on, with those keys.
inline void mask_rows(const StripRules& rules, Index first, Span keys, float masked, MatrixOut rows) {
  for (Index row = 0; row < rows.rows(); ++row) {
    const Index own = first + row;
    if (rules.causal && own + 1 < keys.end)
      rows.row(row).tail(keys.end - std::max(own + 1, keys.begin)).setConstant(masked);
    if (rules.allowed)
      rows.row(row) = (rules.allowed->row(own).segment(keys.begin, keys.size()).array() != 0.0f)
                          .select(rows.row(row), masked);
  }
}

}  // namespace headlight
