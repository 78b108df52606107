#include "engine/session/lesson_settings.h"

#include <utility>

#include "engine/core/error.h"
#include "engine/layer/edit.h"
#include "engine/layer/reshape.h"
#include "engine/learning/layer_training.h"

namespace headlight {
namespace {

// Calls a setter only for a value that differs, because each of them may draw the weights again.
void apply_shapes(const LessonSettings& settings, Layer& layer) {
  const AttentionSettings& now = layer.attention;
  if (settings.projection && *settings.projection != now.projection)
    set_projection(layer, *settings.projection);
  // A single head divides every width, so it leads from any pair of d_out and num_heads to any other.
  if (settings.d_out && *settings.d_out != now.d_out) {
    const Index heads = settings.num_heads.value_or(now.num_heads);
    set_num_heads(layer, 1);
    set_d_out(layer, *settings.d_out);
    set_num_heads(layer, heads);
  }
  if (settings.num_heads && *settings.num_heads != now.num_heads) set_num_heads(layer, *settings.num_heads);
  if (settings.qkv_bias && *settings.qkv_bias != now.qkv_bias) set_qkv_bias(layer, *settings.qkv_bias);
  if (settings.output_projection && *settings.output_projection != now.output_projection)
    set_output_projection(layer, *settings.output_projection);
}

Layer trained(const Layer& layer, const LessonLearning& learning) {
  TrainingSettings settings = learning.training;
  if (learning.rate) settings.rate = *learning.rate;
  LayerTraining training(layer, *learning.goal, settings);
  for (Index step = 0; step < learning.steps && !training.divergence(); ++step)
    training.step();
  return training.layer();
}

template <class T>
void between(std::optional<T>& way, const std::optional<T>& before, const std::optional<T>& next,
             const T& opened) {
  if (next)
    way = next;
  else if (before)
    way = opened;
}

}  // namespace

void apply_settings(const LessonSettings& settings, Layer& layer) {
  Layer changed = layer;
  apply_shapes(settings, changed);
  AttentionSettings& a = changed.attention;
  if (settings.scale) a.scale = *settings.scale;
  if (settings.mask) a.mask = *settings.mask;
  if (settings.normalization) a.normalization = *settings.normalization;
  if (settings.dropout_probability) a.dropout.probability = *settings.dropout_probability;
  if (settings.dropout_training) a.dropout.training = *settings.dropout_training;
  if (settings.dropout_seed) a.dropout.seed = *settings.dropout_seed;
  if (settings.disabled_heads) a.disabled_heads = *settings.disabled_heads;
  validate(changed);
  layer = std::move(changed);
}

LessonSettings with_settings_of(const Layer& layer, LessonSettings settings) {
  const AttentionSettings& own = layer.attention;
  settings.scale = own.scale;
  if (own.mask == MaskKind::None || own.mask == MaskKind::Causal) settings.mask = own.mask;
  settings.normalization = own.normalization;
  settings.dropout_probability = own.dropout.probability;
  settings.dropout_training = own.dropout.training;
  settings.dropout_seed = own.dropout.seed;
  settings.disabled_heads = own.disabled_heads;
  return settings;
}

LessonSettings settings_between(const LessonSettings& before, const LessonSettings& next,
                                const Layer& opened) {
  const AttentionSettings& a = opened.attention;
  LessonSettings way;
  between(way.projection, before.projection, next.projection, a.projection);
  between(way.d_out, before.d_out, next.d_out, a.d_out);
  between(way.num_heads, before.num_heads, next.num_heads, a.num_heads);
  between(way.qkv_bias, before.qkv_bias, next.qkv_bias, a.qkv_bias);
  between(way.output_projection, before.output_projection, next.output_projection, a.output_projection);
  between(way.scale, before.scale, next.scale, a.scale);
  between(way.mask, before.mask, next.mask, a.mask);
  between(way.normalization, before.normalization, next.normalization, a.normalization);
  between(way.dropout_probability, before.dropout_probability, next.dropout_probability,
          a.dropout.probability);
  between(way.dropout_training, before.dropout_training, next.dropout_training, a.dropout.training);
  between(way.dropout_seed, before.dropout_seed, next.dropout_seed, a.dropout.seed);
  between(way.disabled_heads, before.disabled_heads, next.disabled_heads, a.disabled_heads);
  return way;
}

void apply_change(const LessonChange& change, Layer& layer) {
  Layer changed = layer;
  apply_settings(change.settings, changed);
  for (const ChangedNumber& number : change.numbers) {
    const InputId input = {number.parameter ? InputKind::Weight : InputKind::Embeddings, 0,
                           number.parameter.value_or(Parameter::Query)};
    if (number.parameter && !changed.uses(*number.parameter))
      throw Error("the settings have no such weights", input_name(input), "set a projection that has them");
    apply_edit(CellsEdit{input, number.row, number.column, Matrix::Constant(1, 1, number.value)}, changed);
  }
  if (change.learning) changed = trained(changed, *change.learning);
  layer = std::move(changed);
}

}  // namespace headlight
