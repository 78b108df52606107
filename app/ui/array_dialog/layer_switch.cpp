#include "app/ui/array_dialog/layer_switch.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace headlight {
namespace {

constexpr double kLookAgainSeconds = 0.005;

// Numbers that tell the layers apart.
std::vector<float> numbers_of(const Model& model) {
  constexpr Index kMost = 256;
  const Matrix& matrix = model.given_weights.empty() ? model.weights.matrix(Parameter::Query)
                                                     : model.given_weights.matrices.front();
  return {matrix.data(), matrix.data() + std::min(matrix.size(), kMost)};
}

ArrayOrder order_of(const LayerPlan& plan, std::size_t layer, const Model& model) {
  ArrayOrder order = plan.order;
  const LayerSource& source = plan.sources[layer];
  order.instead_of = plan.sources[plan.at].names;
  for (std::size_t i = 0; i < order.parts.size(); ++i) {
    order.parts[i].name = source.names[i];
    if (order.parts[i].layer) order.parts[i].layer = source.slice;
  }
  // What was chosen for the first layer holds for all, whatever is proposed beside the new model.
  order.num_heads = model.head_count();
  order.model = std::make_shared<Model>(model);
  return order;
}

void remember(LayerSwitchState& state, std::size_t layer, const Model& model) {
  state.plan.at = layer;
  state.seen.resize(state.plan.sources.size());
  state.seen[layer] = numbers_of(model);
}

// Undo, redo and other files change the model behind the switch.
void follow_model(UiContext& ui, LayerSwitchState& state) {
  const std::vector<float> now = numbers_of(ui.model());
  for (std::size_t layer = 0; layer < state.seen.size(); ++layer)
    if (!state.seen[layer].empty() && state.seen[layer] == now) state.plan.at = layer;
  const bool there = !state.seen.empty() && now.size() == state.seen[state.plan.at].size() && !now.empty();
  ui.view.layers.count = there ? state.plan.sources.size() : 0;
  ui.view.layers.at = state.plan.at;
}

}  // namespace

void begin_layers(UiContext& ui, LayerSwitchState& state, const Model& placed) {
  state.reading.forget();
  state.seen.clear();
  ui.view.layers = {};
  if (state.plan.sources.size() < 2) {
    state.plan = {};
    return;
  }
  for (const LayerSource& source : state.plan.sources)
    ui.view.layers.names.push_back(source.label);
  ui.view.layers.count = state.plan.sources.size();
  ui.view.layers.at = state.plan.at;
  remember(state, state.plan.at, placed);
}

std::optional<Error> switch_layers(UiContext& ui, LayerSwitchState& state) {
  if (state.plan.sources.empty()) return std::nullopt;
  if (auto read = state.reading.take()) {
    if (read->outcome.problem) return read->outcome.problem;
    remember(state, read->layer, *read->outcome.model);
    ui.view.layers.at = read->layer;
    ui.send(ReplaceModel{read->outcome.model, "Layer " + state.plan.sources[read->layer].label});
  } else {
    follow_model(ui, state);
  }
  if (const auto asked = std::exchange(ui.view.layers.asked, std::nullopt))
    if (*asked < state.plan.sources.size() && *asked != state.plan.at)
      state.reading.start([order = order_of(state.plan, *asked, ui.model()), layer = *asked] {
        return LayerReading{place_from_file(order), layer};
      });
  if (state.reading.running()) ui.wake_within(kLookAgainSeconds);
  return std::nullopt;
}

}  // namespace headlight
