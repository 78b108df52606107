// The settings of attention that a layer of a whole model can have of its own, in the place of its
// checkpoint's. Others, such as the number of heads, are shapes of its weights.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "engine/layer/layer.h"

namespace headlight {

// Mask: its kind, rules and matrices. Bias: what is added to the scores. Position: rotary or ALiBi.
enum class LayerSetting { Position, Softcap, Sinks, Bias, Scale, Mask, Normalization, Dropout };

inline constexpr std::array kLayerSettings = {
    LayerSetting::Position, LayerSetting::Softcap, LayerSetting::Sinks,         LayerSetting::Bias,
    LayerSetting::Scale,    LayerSetting::Mask,    LayerSetting::Normalization, LayerSetting::Dropout};

// By LayerSetting: a Layer in which this setting alone counts; null: the checkpoint's.
using OwnSettings = std::array<std::shared_ptr<const Layer>, kLayerSettings.size()>;

void copy_setting(LayerSetting setting, const Layer& from, Layer& to);
// Compares what is computed with: not the matrix of a mask by rules without one, for example.
bool same_setting(LayerSetting setting, const Layer& a, const Layer& b);
// A Layer in which this setting alone counts.
std::shared_ptr<const Layer> setting_of(LayerSetting setting, const Layer& layer);

// Sets them in a layer's frame: attention settings, masks and bias, without other matrices. Throws Error if
// a value is outside of its range, does not fit the frame's heads or tokens, or does not go with another.
void put_settings(const OwnSettings& settings, Layer& frame);
// Whether a value of any setting is one for that many queries and keys.
bool setting_fits(const Layer& value, Index tokens, Index keys);

// The multipliers of the dropout of a layer with this frame: H matrices of Tq x Tk; none while dropout is not
// active. Weights of a checkpoint were not drawn here: without a seed, the stream is that of seed 0.
std::vector<Matrix> layer_noise(const Layer& frame);

// The name in files: "softcap".
const char* setting_name(LayerSetting setting);
// "softcap 30", "no softcap", "mask painted", "causal mask, 4 keys before".
std::string setting_text(LayerSetting setting, const Layer& value);

}  // namespace headlight
