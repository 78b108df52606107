#include "app/lesson_text/model_change.h"

#include <algorithm>

#include "app/lesson_text/reference_lineage.h"
#include "engine/core/error.h"
#include "engine/layer/reshape.h"

namespace headlight {
namespace {

bool same_weights(const Layer& a, const Layer& b) {
  if (a.weights.layout != b.weights.layout) return false;
  return std::all_of(kParameters.begin(), kParameters.end(), [&](Parameter p) {
    // Which parameters are used is a matter of settings.
    return (!a.uses(p) || !b.uses(p) || same_matrix(a.weights.matrix(p), b.weights.matrix(p))) &&
           (!a.uses_bias(p) || !b.uses_bias(p) || same_matrix(a.weights.bias(p), b.weights.bias(p)));
  });
}

bool same_masks(const Layer& a, const Layer& b) {
  switch (a.attention.mask) {
    case MaskKind::Custom:
      return same_matrix(a.custom_mask, b.custom_mask);
    case MaskKind::Rules:
      return a.allowed == b.allowed;
    case MaskKind::None:
    case MaskKind::Causal:
      break;
  }
  return true;
}

// Copies the referenced block of `from` to `to`; nothing if the shapes differ or the block does not fit.
void copy_referenced(const TextReference& reference, const Matrix& from, Matrix& to) {
  if (from.rows() != to.rows() || from.cols() != to.cols()) return;
  const Index row = reference.every_row ? 0 : reference.row, rows = reference.every_row ? from.rows() : 1;
  const Index column = reference.column.value_or(0), columns = reference.column ? 1 : from.cols();
  if (row + rows > from.rows() || column + columns > from.cols()) return;
  to.block(row, column, rows, columns) = from.block(row, column, rows, columns);
}

void copy_referenced(const TextReference& reference, const Layer& from, Layer& to) {
  if (reference.parameter)
    copy_referenced(reference, from.weights.matrix(*reference.parameter),
                    to.weights.matrix(*reference.parameter));
  else if (reference.sequence < from.sequence_count() && reference.sequence < to.sequence_count())
    copy_referenced(reference, from.embeddings[static_cast<std::size_t>(reference.sequence)],
                    to.embeddings[static_cast<std::size_t>(reference.sequence)]);
}

void copy_referenced(ChangedSetting setting, const Layer& from, Layer& to) {
  AttentionSettings& settings = to.attention;
  switch (setting) {
    case ChangedSetting::Mask:
      settings.mask = from.attention.mask;
      settings.rules = from.attention.rules;
      to.custom_mask = from.custom_mask;
      to.allowed = from.allowed;
      break;
    case ChangedSetting::Normalization:
      settings.normalization = from.attention.normalization;
      break;
    case ChangedSetting::Scale:
      settings.scale = from.attention.scale;
      break;
    case ChangedSetting::Dropout:
      settings.dropout = from.attention.dropout;
      break;
    case ChangedSetting::DisabledHeads:
      settings.disabled_heads = from.attention.disabled_heads;
      break;
    case ChangedSetting::Bias:
      set_qkv_bias(to, from.attention.qkv_bias);
      break;
    case ChangedSetting::Heads:
      set_num_heads(to, from.head_count());
      break;
    case ChangedSetting::DOut:
      set_d_out(to, from.d_out());
      break;
  }
}

bool in_place(const std::vector<Index>& places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != static_cast<Index>(i)) return false;
  return true;
}

}  // namespace

bool same_inputs(const Layer& a, const Layer& b) {
  return a.attention == b.attention && same_numbers(a, b) && same_masks(a, b);
}

bool same_numbers(const Layer& a, const Layer& b) {
  return a.token_count() == b.token_count() && a.key_count() == b.key_count() &&
         same_matrices(a.embeddings, b.embeddings) && same_matrices(a.key_embeddings, b.key_embeddings) &&
         std::equal(a.given.begin(), a.given.end(), b.given.begin(), same_matrices) &&
         a.given_weights == b.given_weights && a.score_bias == b.score_bias &&
         a.overwritten == b.overwritten && same_weights(a, b);
}

bool changed_only(const Condition& condition, const Layer& first, const Layer& now) {
  if (same_inputs(first, now)) return false;
  Layer layer = first;
  try {
    if (condition.part)
      copy_referenced(*condition.part, now, layer);
    else
      copy_referenced(condition.left.reference, now, layer);
  } catch (const Error&) {
    return false;  // the setting does not fit the other settings of the lesson
  }
  return same_inputs(layer, now);
}

bool moved(const TextReference& reference, const Layer& now, const Layer& first) {
  if (reference.kind == ReferenceKind::Setting) return false;
  if (!reference_exists(reference, now)) return true;
  const std::optional<TextReference> followed = reference_then(reference, now, first);
  if (!followed || *followed != reference) return true;
  if (reference.is_cell() || reference.kind == ReferenceKind::Token) return false;
  const std::optional<ListOrder> order = order_then(reference, now, first);
  return !order || !in_place(order->rows) || !in_place(order->columns);
}

}  // namespace headlight
