// Every setting that a layer of a whole model can have of its own, with values of every kind.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/architecture/layer_setting.h"
#include "engine/interpretation/layer_edit.h"
#include "engine/network/layer_at.h"

namespace headlight_test {

inline headlight::OwnSettings own_settings(std::initializer_list<headlight::LayerSetting> which,
                                           const std::function<void(headlight::Layer&)>& change) {
  headlight::Layer value;
  change(value);
  headlight::OwnSettings settings;
  for (const headlight::LayerSetting setting : which)
    settings[static_cast<std::size_t>(setting)] = headlight::setting_of(setting, value);
  return settings;
}

inline headlight::OwnSettings painted_mask(const headlight::Matrix& allowed) {
  return own_settings({headlight::LayerSetting::Mask}, [&](headlight::Layer& value) {
    value.attention.mask = headlight::MaskKind::Custom;
    value.custom_mask = allowed;
  });
}

// The model after its shown layer was replaced.
inline headlight::OpenModel after_edit(const headlight::OpenModel& work, const headlight::Layer& edited,
                                       const headlight::Layer& layer) {
  return with_layer_edit(work, headlight::LayerEdit{std::make_shared<const headlight::Layer>(edited)}, layer);
}

struct SettingCase {
  std::string name;
  headlight::OwnSettings settings;
  bool cancels = false;  // weights are shares of sums that may be near zero
};

// For a layer with this frame, of that many queries and keys. Each computes other numbers than the
// checkpoint's layer.
inline std::vector<SettingCase> setting_cases(const headlight::Layer& frame, headlight::Index tokens,
                                              headlight::Index keys) {
  using namespace headlight;
  const Index heads = frame.head_count(), d_k = frame.d_k();
  std::vector<SettingCase> cases;
  const auto add = [&](const char* name, LayerSetting setting, const std::function<void(Layer&)>& change) {
    cases.push_back({name, own_settings({setting}, change)});
  };
  add("softcap", LayerSetting::Softcap, [](Layer& m) { m.attention.softcap = 0.7; });
  if (frame.attention.softcap > 0) add("no softcap", LayerSetting::Softcap, [](Layer&) {});
  const auto sinks = [&](Layer& m) {
    for (Index head = 0; head < heads; ++head)
      m.attention.sinks.push_back(0.5 * static_cast<double>(head % 3));
  };
  add("sinks", LayerSetting::Sinks, sinks);
  add("number as scale", LayerSetting::Scale, [](Layer& m) {
    m.attention.scale = {ScaleKind::Number, -0.125};
  });
  if (frame.attention.scale.kind != ScaleKind::None)
    add("no scale", LayerSetting::Scale, [](Layer& m) { m.attention.scale = {ScaleKind::None}; });
  if (frame.attention.sinks.empty()) {
    add("sum", LayerSetting::Normalization, [](Layer& m) { m.attention.normalization = Normalization::Sum; });
    cases.back().cancels = true;
  }
  add("window", LayerSetting::Mask, [](Layer& m) {
    m.attention.mask = MaskKind::Rules;
    m.attention.rules.causal = true;
    m.attention.rules.left = 2;
  });
  add("window on both sides", LayerSetting::Mask, [](Layer& m) {
    m.attention.mask = MaskKind::Rules;
    m.attention.rules.left = m.attention.rules.right = 1;
  });
  add("offset and fewer keys", LayerSetting::Mask, [&](Layer& m) {
    m.attention.mask = MaskKind::Rules;
    m.attention.rules.causal = true;
    m.attention.rules.offsets = {2};
    m.attention.rules.keys = {keys - 1};
  });
  add("painted mask", LayerSetting::Mask, [&](Layer& m) {
    m.attention.mask = MaskKind::Custom;
    m.custom_mask = Matrix::Ones(tokens, keys);
    m.custom_mask(3, 1) = m.custom_mask(2, 0) = 0;
  });
  add("masks of heads", LayerSetting::Mask, [&](Layer& m) {
    m.attention.mask = MaskKind::Rules;
    m.attention.rules.causal = true;
    m.allowed = {1, heads, {}};
    for (Index head = 0; head < heads; ++head)
      m.allowed.matrices.emplace_back(Matrix::Ones(tokens, keys))(3, head % 3) = 0;
  });
  add("bias", LayerSetting::Bias, [&](Layer& m) {
    m.score_bias = {1, heads, {}};
    for (Index head = 0; head < heads; ++head) {
      Matrix& own = m.score_bias.matrices.emplace_back(tokens, keys);
      for (Index i = 0; i < own.size(); ++i)
        own.data()[i] = 0.25f * static_cast<float>((i * 7 + head) % 5);
      own(3, 1) = -std::numeric_limits<float>::infinity();
    }
  });
  add("bias of one row", LayerSetting::Bias, [&](Layer& m) {
    m.score_bias = {1, 1, {Matrix(Eigen::RowVectorXf::LinSpaced(keys, -1, 2))}};
  });
  const auto rotary = [](double theta, Index dims) {
    Position position;
    position.kind = PositionKind::Rotary;
    position.theta = theta;
    position.dims = dims;
    return position;
  };
  add("rotary base and dimensions", LayerSetting::Position,
      [&](Layer& m) { m.attention.position = rotary(50, d_k / 4 * 2); });
  add("neighbours from elsewhere", LayerSetting::Position, [&](Layer& m) {
    m.attention.position = rotary(700, 0);
    m.attention.position.pairs = RotaryPairs::Neighbours;
    m.attention.position.start = 3;
    m.attention.position.key_start = 1;
    m.attention.position.scaling = RotaryScaling::linear(2);
  });
  if (frame.attention.position.kind != PositionKind::None)
    add("no positions", LayerSetting::Position, [](Layer&) {});
  add("slopes", LayerSetting::Position, [&](Layer& m) {
    m.attention.position.kind = PositionKind::Alibi;
    for (Index head = 0; head < heads; ++head)
      m.attention.position.slopes.push_back(0.1 * static_cast<double>(head + 1));
  });
  for (const DropoutBuild build : {DropoutBuild::Default, DropoutBuild::Mkl})
    for (const std::optional<std::int64_t> seed : {std::optional<std::int64_t>(7), {}})
      add("dropout", LayerSetting::Dropout, [&](Layer& m) {
        m.attention.dropout = {0.4, true, seed, build};
      });
  return cases;
}

}  // namespace headlight_test
