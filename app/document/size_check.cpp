#include "app/document/size_check.h"

#include "engine/attention/evaluator.h"

namespace headlight {
namespace {

std::optional<Error> fault_with(const Layer& layer, const AttentionSettings& settings, double budget) {
  try {
    check_size(layer, settings, budget);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

void refuse_worse(const std::optional<Error>& before, const std::optional<Error>& after, bool larger) {
  if (after && (!before || larger)) throw Error(*after);
}

}  // namespace

SizeFaults size_faults(const Layer& layer, const AttentionSettings& settings, double memory_budget) {
  // Each setting is checked with a value of the other one that causes no fault.
  AttentionSettings without_dropout = settings, with_softmax = settings;
  without_dropout.dropout.probability = 0;
  with_softmax.normalization = Normalization::Softmax;
  SizeFaults faults;
  faults.normalization = fault_with(layer, without_dropout, memory_budget);
  faults.dropout = fault_with(layer, with_softmax, memory_budget);
  faults.bytes = square_stages_bytes(layer);
  return faults;
}

void refuse_worse(const SizeFaults& before, const SizeFaults& after) {
  const bool larger = after.bytes > before.bytes;
  refuse_worse(before.normalization, after.normalization, larger);
  refuse_worse(before.dropout, after.dropout, larger);
}

}  // namespace headlight
