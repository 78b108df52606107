#include "engine/architecture/layer_setting.h"

#include <algorithm>

#include "engine/core/digits.h"
#include "engine/layer/dropout_mean.h"

namespace headlight {
namespace {

std::string short_number(double value) {
  return significant_digits(value, 3);
}

std::string list_text(const std::vector<double>& numbers) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, numbers.size()); ++i)
    text += (i == 0 ? "" : ", ") + short_number(numbers[i]);
  return text + (numbers.size() > kMost ? ", …" : "");
}

bool same_position(const Position& a, const Position& b) {
  return a == b || (a.kind == PositionKind::None && b.kind == PositionKind::None);
}

bool same_mask(const Layer& a, const Layer& b) {
  const MaskKind kind = a.attention.mask;
  if (kind != b.attention.mask) return false;
  if (kind == MaskKind::Custom) return same_matrix(a.custom_mask, b.custom_mask);
  return kind != MaskKind::Rules || (a.attention.rules == b.attention.rules && a.allowed == b.allowed);
}

bool same_scale(const Scale& a, const Scale& b) {
  return a.kind == b.kind && (a.kind != ScaleKind::Number || a.number == b.number);
}

bool fits_axis(Index count, Index expected) {
  return count == expected || count == 1;
}

std::string position_text(const Position& position) {
  if (position.kind == PositionKind::None) return "no positions";
  if (position.kind == PositionKind::Alibi)
    return "ALiBi" + (position.slopes.empty() ? "" : ", slopes " + list_text(position.slopes));
  std::string text = "rotary positions, base " + short_number(position.theta);
  if (position.dims > 0) text += ", " + std::to_string(position.dims) + " dimensions";
  if (position.pairs == RotaryPairs::Neighbours) text += ", neighbours paired";
  if (position.scaling != RotaryScaling{}) text += ", scaled";
  if (position.start != 0) text += ", queries from " + std::to_string(position.start);
  if (position.key_start != 0) text += ", keys from " + std::to_string(position.key_start);
  return text;
}

std::string rules_text(const Layer& value) {
  const MaskRules& rules = value.attention.rules;
  std::string text = rules.causal ? "causal mask" : "mask by rules";
  if (rules.left) text += ", " + std::to_string(*rules.left) + " keys before";
  if (rules.right) text += ", " + std::to_string(*rules.right) + " keys after";
  if (!rules.offsets.empty()) text += ", offset " + std::to_string(rules.offsets.front());
  if (!rules.keys.empty()) text += ", " + std::to_string(rules.keys.front()) + " keys";
  return text + (value.allowed.empty() ? "" : ", pairs painted");
}

std::string mask_text(const Layer& value) {
  switch (value.attention.mask) {
    case MaskKind::None:
      return "no mask";
    case MaskKind::Causal:
      return "causal mask";
    case MaskKind::Custom:
      return "mask painted";
    case MaskKind::Rules:
      break;
  }
  return rules_text(value);
}

std::string scale_text(const Scale& scale) {
  if (scale.kind == ScaleKind::Number) return "scale " + short_number(scale.number);
  return scale.kind == ScaleKind::None ? "no scale" : "scale 1/√dₖ";
}

std::string dropout_text(const Dropout& dropout) {
  if (dropout.probability == 0) return "no dropout";
  return "dropout " + short_number(dropout.probability) +
         (dropout.seed ? ", seed " + std::to_string(*dropout.seed) : "") +
         (dropout.training ? "" : ", not training");
}

}  // namespace

void copy_setting(LayerSetting setting, const Layer& from, Layer& to) {
  const AttentionSettings& a = from.attention;
  AttentionSettings& b = to.attention;
  // No `default`, so that the compiler warns about a missing setting; likewise below.
  switch (setting) {
    case LayerSetting::Position:
      b.position = a.position;
      return;
    case LayerSetting::Softcap:
      b.softcap = a.softcap;
      return;
    case LayerSetting::Sinks:
      b.sinks = a.sinks;
      return;
    case LayerSetting::Bias:
      to.score_bias = from.score_bias;
      return;
    case LayerSetting::Scale:
      b.scale = a.scale;
      return;
    case LayerSetting::Mask:
      b.mask = a.mask;
      b.rules = a.mask == MaskKind::Rules ? a.rules : MaskRules{};
      to.custom_mask = a.mask == MaskKind::Custom ? from.custom_mask : Matrix();
      to.allowed = a.mask == MaskKind::Rules ? from.allowed : PairArray{};
      return;
    case LayerSetting::Normalization:
      b.normalization = a.normalization;
      return;
    case LayerSetting::Dropout:
      b.dropout = a.dropout;
      return;
  }
}

bool same_setting(LayerSetting setting, const Layer& a, const Layer& b) {
  const AttentionSettings &x = a.attention, &y = b.attention;
  switch (setting) {
    case LayerSetting::Position:
      return same_position(x.position, y.position);
    case LayerSetting::Softcap:
      return x.softcap == y.softcap;
    case LayerSetting::Sinks:
      return x.sinks == y.sinks;
    case LayerSetting::Bias:
      return a.score_bias == b.score_bias;
    case LayerSetting::Scale:
      return same_scale(x.scale, y.scale);
    case LayerSetting::Mask:
      return same_mask(a, b);
    case LayerSetting::Normalization:
      return x.normalization == y.normalization;
    case LayerSetting::Dropout:
      return x.dropout == y.dropout;
  }
  return true;
}

std::shared_ptr<const Layer> setting_of(LayerSetting setting, const Layer& layer) {
  Layer value;
  copy_setting(setting, layer, value);
  return std::make_shared<const Layer>(std::move(value));
}

void put_settings(const OwnSettings& settings, Layer& frame) {
  const bool none = std::none_of(settings.begin(), settings.end(), [](const auto& own) { return own; });
  if (none) return;
  for (const LayerSetting setting : kLayerSettings)
    if (const auto& own = settings[static_cast<std::size_t>(setting)]) copy_setting(setting, *own, frame);
  const bool none_there = frame.sequence_count() == 0;
  if (none_there) frame.embeddings.emplace_back();  // of one sequence
  validate_pair_settings(frame);
  if (none_there) frame.embeddings.clear();
}

bool setting_fits(const Layer& value, Index tokens, Index keys) {
  const Matrix& painted = value.custom_mask;
  const bool custom = value.attention.mask == MaskKind::Custom;
  if (custom && (painted.rows() != tokens || painted.cols() != keys)) return false;
  if (!value.allowed.empty() && (value.allowed.rows() != tokens || value.allowed.columns() != keys))
    return false;
  for (const Index count : value.attention.rules.keys)
    if (count > keys) return false;
  return value.score_bias.empty() ||
         (fits_axis(value.score_bias.rows(), tokens) && fits_axis(value.score_bias.columns(), keys));
}

std::vector<Matrix> layer_noise(const Layer& frame) {
  std::vector<Matrix> noise;
  if (!frame.attention.dropout.active()) return noise;
  Layer one;  // of one sequence, without weights
  one.tokens = frame.tokens;
  one.key_tokens = frame.key_tokens;
  one.attention = frame.attention;
  one.embeddings.emplace_back();
  draw_dropout_noise(one, 0, noise);
  return noise;
}

const char* setting_name(LayerSetting setting) {
  return std::array{"position", "softcap", "sinks", "bias", "scale", "mask", "normalization", "dropout"}
      [static_cast<std::size_t>(setting)];
}

std::string setting_text(LayerSetting setting, const Layer& value) {
  const AttentionSettings& a = value.attention;
  switch (setting) {
    case LayerSetting::Position:
      return position_text(a.position);
    case LayerSetting::Softcap:
      return a.softcap > 0 ? "softcap " + short_number(a.softcap) : "no softcap";
    case LayerSetting::Sinks:
      return a.sinks.empty() ? "no sinks" : "sinks " + list_text(a.sinks);
    case LayerSetting::Bias:
      return value.score_bias.empty() ? "nothing added to the scores" : "what is added to the scores edited";
    case LayerSetting::Scale:
      return scale_text(a.scale);
    case LayerSetting::Mask:
      return mask_text(value);
    case LayerSetting::Normalization:
      return std::array{"weights by softmax", "weights by naive softmax",
                        "weights by sum"}[static_cast<std::size_t>(a.normalization)];
    case LayerSetting::Dropout:
      return dropout_text(a.dropout);
  }
  return "";
}

}  // namespace headlight
