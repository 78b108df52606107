#include "engine/array_import/mask_meaning.h"

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

enum class Pattern { Lower, Upper, StrictUpper, Ones, Zeros, Checkered };

MaskMeaning meaning_of(const std::string& name, Pattern pattern, bool of_keys = false) {
  NamedArray mask{name, {5, 5}, {}};
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column) {
      const bool one = pattern == Pattern::Lower         ? column <= row
                       : pattern == Pattern::Upper       ? column >= row
                       : pattern == Pattern::StrictUpper ? column > row
                       : pattern == Pattern::Checkered   ? (row + column) % 2 == 0
                                                         : pattern == Pattern::Ones;
      mask.values.push_back(one ? 1.0f : 0.0f);
    }
  return mask_meaning(name, facts_of(mask).mask, of_keys);
}

std::optional<MaskTruth> truth_of(const std::string& name, Pattern pattern, bool of_keys = false) {
  return meaning_of(name, pattern, of_keys).truth;
}

}  // namespace

TEST_CASE("mask meaning: names that say it are believed") {
  for (const char* name :
       {"attention_mask", "encoder_attention_mask", "allowed", "h.0.attn.bias", "blocks.3.attn.mask"})
    CHECK(truth_of(name, Pattern::Checkered) == MaskTruth::Allowed);
  for (const char* name : {"key_padding_mask", "batch/src_key_padding_mask", "memory_key_padding_mask"})
    CHECK(truth_of(name, Pattern::Checkered, true) == MaskTruth::Forbidden);
  CHECK(truth_of("causal_mask", Pattern::Lower) == MaskTruth::Allowed);
  CHECK(truth_of("causal_mask", Pattern::StrictUpper) == MaskTruth::Forbidden);
}

TEST_CASE("mask meaning: torch's attn_mask means both, and is asked about whatever it looks like") {
  for (const char* name : {"attn_mask", "src_mask", "layers.0.tgt_mask", "memory_mask"})
    for (const Pattern pattern : {Pattern::Lower, Pattern::StrictUpper, Pattern::Checkered}) {
      CHECK_FALSE(truth_of(name, pattern).has_value());
      CHECK_THAT(meaning_of(name, pattern).why, ContainsSubstring(name));
    }
}

TEST_CASE("mask meaning: of other names only what can mean one thing is known") {
  CHECK(truth_of("mask", Pattern::Lower) == MaskTruth::Allowed);
  CHECK(truth_of("mask", Pattern::Ones) == MaskTruth::Allowed);
  CHECK(truth_of("mask", Pattern::Zeros) == MaskTruth::Forbidden);
  CHECK_FALSE(truth_of("mask", Pattern::Checkered).has_value());
  CHECK_FALSE(truth_of("padding_mask", Pattern::Checkered, true).has_value());
}

TEST_CASE("mask meaning: a mask that shows the future and hides the past is asked about") {
  for (const Pattern pattern : {Pattern::Upper, Pattern::StrictUpper}) {
    CHECK_FALSE(truth_of("mask", pattern).has_value());
    CHECK_FALSE(truth_of("attention_mask", pattern).has_value());
  }
  CHECK_THAT(meaning_of("attention_mask", Pattern::Upper).why, ContainsSubstring("future"));
}
