// How the weights of one head are computed from its scores.
#pragma once

#include <algorithm>

#include "engine/attention/stage_store.h"
#include "engine/views/mark_rule.h"
#include "engine/views/span.h"

namespace headlight {

class MaskStrips;

struct StripRules {
  float factor = 1;                  // scaled = score * factor
  Index offset = 0;                  // how many keys precede the first query
  KeyBand band;                      // the keys that the mask's rules open to each query
  const Matrix* allowed = nullptr;   // the model's own mask, Tq x Tk of 0 and 1; null: not used
  const MaskStrips* mask = nullptr;  // the same mask in strip layout, if the storage uses it
  const Matrix* noise = nullptr;     // dropout multipliers, Tq x Tk

  bool causal() const { return band.to == 1; }  // for maps, whose band is that of the causal mask or open
};

// `mask` stays null.
inline StripRules rules_of(const StageStore& store, Index sequence, Index head) {
  StripRules rules;
  rules.factor = store.layer->scale_factor();
  rules.band = store.layer->key_band(sequence);
  rules.offset = store.layer->query_offset(sequence);
  if (store.layer->attention.mask == MaskKind::Custom) rules.allowed = &store.layer->custom_mask;
  rules.noise = store.noise_of(sequence, head);
  return rules;
}

inline MarkRule marks_of(Stage stage, const StripRules& rules) {
  MarkRule marks;
  if (!shows_marks(stage)) return marks;
  marks.open.band = rules.band;
  marks.open.allowed = rules.allowed;
  if (stage == Stage::Dropped) marks.noise = rules.noise;
  return marks;
}

// Sets cells to `masked` where a query may not attend. rows: the queries from `first` on, at the given keys.
inline void mask_rows(const StripRules& rules, Index first, Span keys, float masked, MatrixOut rows) {
  for (Index row = 0; row < rows.rows(); ++row) {
    const Index own = first + row;
    const Index begin = std::clamp(rules.band.begin(own), keys.begin, keys.end);
    const Index end = std::clamp(rules.band.end(own), begin, keys.end);
    rows.row(row).head(begin - keys.begin).setConstant(masked);
    rows.row(row).tail(keys.end - end).setConstant(masked);
    if (rules.allowed)
      rows.row(row) = (rules.allowed->row(own).segment(keys.begin, keys.size()).array() != 0.0f)
                          .select(rows.row(row), masked);
  }
}

}  // namespace headlight
