#include "app/ui/dialogs/layer_switch.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace headlight {
namespace {

constexpr double kLayerLookSeconds = 0.005;

const Matrix& identifying_matrix(const Layer& layer) {
  if (!layer.given_weights.empty()) return layer.given_weights.matrices.back();
  if (!layer.given[0].empty()) return layer.given[0].back();
  return layer.weights.matrix(Parameter::Query);
}

// A sample of numbers that identifies a layer; from all rows: the first rows of causal weights are equal.
std::vector<float> numbers_of(const Layer& layer) {
  constexpr Index kAbout = 256;
  const Matrix& matrix = identifying_matrix(layer);
  std::vector<float> numbers;
  for (Index i = 0; i < matrix.size(); i += std::max(Index{1}, matrix.size() / kAbout))
    numbers.push_back(matrix.data()[i]);
  return numbers;
}

PlacementRequest order_of(const LayerPlan& plan, std::size_t layer, const Layer& model) {
  PlacementRequest order = plan.order;
  const LayerSource& source = plan.sources[layer];
  order.instead_of = plan.sources[plan.at].names;
  for (std::size_t i = 0; i < order.parts.size(); ++i) {
    order.parts[i].name = source.names[i];
    if (order.parts[i].layer) order.parts[i].layer = source.slice;
  }
  // The settings of the first layer hold for all layers, whatever would be proposed for the new model.
  order.num_heads = model.head_count();
  order.model = std::make_shared<Layer>(model);
  return order;
}

void remember(LayerSwitchState& state, std::size_t layer, const Layer& model) {
  state.plan.at = layer;
  state.seen.resize(state.plan.sources.size());
  state.seen[layer] = numbers_of(model);
}

// Undo and redo change the model, and with it the layer.
void follow_model(UiContext& ui, LayerSwitchState& state) {
  const std::vector<float> now = numbers_of(ui.layer());
  for (std::size_t layer = 0; layer < state.seen.size(); ++layer)
    if (!state.seen[layer].empty() && state.seen[layer] == now) state.plan.at = layer;
  const bool there =
      ui.layer().attention.projection == state.projection && now.size() == state.seen[state.plan.at].size();
  ui.view.layers.count = there ? state.plan.sources.size() : 0;
  ui.view.layers.at = state.plan.at;
}

void forget_layers(UiContext& ui, LayerSwitchState& state) {
  state.reading.forget();
  state.plan = {};
  state.seen.clear();
  ui.view.layers = {};
}

// Whether the layer is among the arrays read before and can be placed within a frame.
bool at_hand(const PlacementRequest& order) {
  constexpr std::size_t kMostNumbers = std::size_t{1} << 20;  // of a layer; they are copied several times
  std::size_t numbers = 0;
  for (const PlacementRequest::Part& part : order.parts) {
    const auto array = order.read.arrays.find(part.name);
    if (array == order.read.arrays.end()) return false;
    const std::size_t count = array->second->values.size();
    numbers += part.layer ? count / static_cast<std::size_t>(array->second->shape[0]) : count;
  }
  return numbers <= kMostNumbers && !order.read.outdated(order.path);
}

// The arrays, unless they are too large to stay in memory beside the model.
ReadArrays small_enough_to_cache(const ReadArrays& read) {
  constexpr std::size_t kMostNumbers = std::size_t{1} << 27;  // half a gigabyte
  std::size_t numbers = 0;
  for (const auto& [name, array] : read.arrays)
    numbers += array->values.size();
  return numbers <= kMostNumbers ? read : ReadArrays{};
}

std::optional<Error> take_layer(UiContext& ui, LayerSwitchState& state, const LayerReading& reading) {
  if (reading.outcome.problem) return reading.outcome.problem;
  state.plan.order.read = small_enough_to_cache(reading.outcome.read);
  remember(state, reading.layer, *reading.outcome.layer);
  ui.view.layers.at = reading.layer;
  ui.send(ReplaceLayer{.layer = reading.outcome.layer,
                       .name = "Layer " + state.plan.sources[reading.layer].label,
                       .may_leave_model = true});
  return std::nullopt;
}

}  // namespace

void begin_layers(UiContext& ui, LayerSwitchState& state, LayerPlan plan, const ArrayOutcome& placed) {
  forget_layers(ui, state);
  if (plan.sources.size() < 2) return;
  state.plan = std::move(plan);
  for (const LayerSource& source : state.plan.sources)
    ui.view.layers.names.push_back(source.label);
  ui.view.layers.count = state.plan.sources.size();
  ui.view.layers.at = state.plan.at;
  state.opening = ui.document.opening();
  state.projection = placed.layer->attention.projection;
  state.plan.order.read = small_enough_to_cache(placed.read);
  remember(state, state.plan.at, *placed.layer);
}

std::optional<Error> switch_layers(UiContext& ui, LayerSwitchState& state) {
  if (state.plan.sources.empty()) return std::nullopt;
  if (ui.document.opening() != state.opening) {
    forget_layers(ui, state);
    return std::nullopt;
  }
  if (const auto read = state.reading.take()) {
    if (auto problem = take_layer(ui, state, *read)) return problem;
  } else {
    follow_model(ui, state);
  }
  if (const auto asked = std::exchange(ui.view.layers.asked, std::nullopt))
    if (*asked < state.plan.sources.size() && (*asked != state.plan.at || state.reading.running())) {
      PlacementRequest order = order_of(state.plan, *asked, ui.layer());
      if (at_hand(order) && !state.reading.running())
        return take_layer(ui, state, {place_from_file(order), *asked});
      state.reading.start([order = std::move(order), layer = *asked] {
        return LayerReading{place_from_file(order), layer};
      });
    }
  if (state.reading.running()) ui.wake_within(kLayerLookSeconds);
  return std::nullopt;
}

}  // namespace headlight
