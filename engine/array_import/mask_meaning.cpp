#include "engine/array_import/mask_meaning.h"

#include <algorithm>

#include "engine/array_import/array_names.h"
#include "engine/core/ascii.h"

namespace headlight {
namespace {

std::string last_name(std::string_view name) {
  return lowered(last_part(name));
}

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

std::optional<MaskTruth> named_truth(std::string_view name) {
  const std::string last = last_name(name);
  if (ends_with_any(last, {"key_padding_mask", "encoder_padding_mask", "decoder_padding_mask"}))
    return MaskTruth::Forbidden;
  if (ends_with_any(last, {"attention_mask"})) return MaskTruth::Allowed;
  if (last == "allowed" || last == "allowed_mask" || last == "custom_mask") return MaskTruth::Allowed;
  // Buffers of GPT-2 and of TransformerLens.
  if (name.ends_with("attn.bias") || name.ends_with("attn.mask")) return MaskTruth::Allowed;
  return std::nullopt;
}

// Whether by `truth` the mask shows each query the future and hides the past.
bool looks_ahead(const MaskFacts& facts, MaskTruth truth) {
  const bool allowed = truth == MaskTruth::Allowed;
  const bool past_open = allowed ? facts.one_before : facts.zero_before;
  const bool past_shut = allowed ? facts.zero_before : facts.one_before;
  return past_shut && !past_open && (allowed ? facts.one_behind : facts.zero_behind);
}

// Whether by `truth` the mask hides all of the future and shows each query its own token.
bool is_causal(const MaskFacts& facts, MaskTruth truth) {
  const bool allowed = truth == MaskTruth::Allowed;
  const bool future_open = allowed ? facts.one_behind : facts.zero_behind;
  const bool future_shut = allowed ? facts.zero_behind : facts.one_behind;
  return future_shut && !future_open && !(allowed ? facts.zero_at : facts.one_at);
}

std::string words(std::string_view name, MaskTruth truth, bool of_keys) {
  const std::string text(name);
  if (truth == MaskTruth::Forbidden)
    return text + (of_keys ? ": True (1) is padding" : ": True (1) forbids a query to look there");
  return text + (of_keys ? ": 1 (True) is a token, 0 padding" : ": 1 (True) lets a query look there");
}

MaskMeaning ask(std::string_view name, bool of_keys, bool floats) {
  if (floats)
    return {std::nullopt,
            "it cannot be known what 1 in the mask " + std::string(name) +
                " means: it is a float, which frameworks add to the scores, and a person may mean that it " +
                (of_keys ? "is a token, or padding" : "lets a query look there, or forbids it")};
  return {std::nullopt, "it cannot be known whether True (1) in the mask " + std::string(name) +
                            (of_keys ? " is a token or padding" : " lets a query look there or forbids it")};
}

}  // namespace

MaskMeaning mask_meaning(std::string_view name, const MaskFacts& facts, bool of_keys, bool floats) {
  std::optional<MaskTruth> truth = named_truth(name);
  const bool any_zero = facts.zero_before || facts.zero_at || facts.zero_behind;
  const bool any_one = facts.one_before || facts.one_at || facts.one_behind;
  const bool ambiguous_in_torch =
      ends_with_any(last_name(name), {"attn_mask", "src_mask", "tgt_mask", "memory_mask"});
  // A mask that forbids everything has no use: 0 alone is added or forbids nothing, whatever its name is.
  if (!any_one) return {MaskTruth::Forbidden, std::string(name) + ": nothing but 0, it forbids nothing"};
  if (!any_zero && truth == MaskTruth::Forbidden) return ask(name, of_keys, floats);
  if (!truth && !any_zero) truth = MaskTruth::Allowed;
  if (!truth && !ambiguous_in_torch && !of_keys && is_causal(facts, MaskTruth::Allowed))
    truth = MaskTruth::Allowed;
  const bool named_causal = last_name(name).ends_with("causal_mask");
  if (!truth && named_causal && is_causal(facts, MaskTruth::Forbidden)) truth = MaskTruth::Forbidden;
  if (!truth) return ask(name, of_keys, floats);
  if (!of_keys && looks_ahead(facts, *truth))
    return {std::nullopt, "the mask " + std::string(name) +
                              " would leave the future open and shut the past: it cannot be known whether "
                              "that is meant"};
  return {truth, words(name, *truth, of_keys)};
}

}  // namespace headlight
