// Interventions: numbers of a pass that are replaced, or moved along a direction, at a place of a layer, for
// chosen heads or neurons and positions. Everything computed from them follows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/architecture/network_config.h"
#include "engine/core/counting.h"
#include "engine/layer/pair_array.h"

namespace headlight {

// What is changed, for each token. Residual: d numbers, the stream as it enters the layer; of layer L, as it
// leaves the last one. Queries, Keys, Values: d_k numbers a head (Keys and Values: a head of keys and
// values), behind their biases and norms and before rotary positions. Weights: a query's row of T numbers a
// head, behind the softmax; it is not normalised again. Head: d_v numbers a head, its context; so what it
// adds to the stream is changed, and the output projection's bias stays. Neuron: one number a neuron of the
// MLP, behind the non-linearity. Mlp: the d numbers that the MLP adds to the stream, its last bias included.
enum class InterventionPlace { Residual, Queries, Keys, Values, Weights, Head, Neuron, Mlp };
// Zero: 0. Mean: the mean of the same numbers over all positions of all `texts`, each run without any change;
// every token counts as much. Resample: the same numbers of the run of a text, without any change. Value:
// given. Add: x + strength direction. ProjectOut: x - (x . u) u, u = direction / |direction|.
enum class InterventionHow { Zero, Mean, Resample, Value, Add, ProjectOut };

struct Intervention {
  InterventionPlace place = InterventionPlace::Residual;
  InterventionHow how = InterventionHow::Zero;
  Index layer = 0;
  // Heads or neurons, and positions; empty: all. Negative numbers count from the end.
  std::vector<Index> units, positions;
  std::vector<Index> from;  // of Resample: whence each position is taken; empty: from the same position
  std::vector<std::vector<std::int32_t>> texts;  // Mean: one or more; Resample: one
  // Of Value: heads are units, rows positions and columns numbers, of one sequence; each size is 1 or that of
  // what is selected.
  PairArray value;
  Matrix direction;       // of Add and ProjectOut: 1 x numbers
  double strength = 1;    // of Add
  Index order = 0;        // among several: those of the same numbers are applied in it
  std::string name = {};  // in messages: "changes[2]"
  bool operator==(const Intervention& other) const;
};
using Interventions = std::vector<std::shared_ptr<const Intervention>>;

// What an intervention selects in a text.
struct InterventionRange {
  std::vector<Index> units, positions;  // from 0 on
  std::vector<Index> from;              // of Resample: positions of its text
  Index numbers = 0;                    // of each unit at each position
};
// Throws Error, with the member's name, for a layer, head, neuron or position that there is not or that is
// named twice, for positions of another text that are not as many, for a direction or an array that does not
// fit, for a text that is too short (of Weights: of another length), for the mean of weights, and for neurons
// of a model whose MLPs are experts.
InterventionRange range_of(const NetworkConfig& config, const Intervention& intervention, Index tokens);
bool fits(const NetworkConfig& config, const Intervention& intervention, Index tokens);

// Heads, neurons, or 1.
Index unit_count(const NetworkConfig& config, InterventionPlace place);

// "head 2 at token 4 set to zero", without the layer.
std::string intervention_text(const Intervention& intervention, Counting counting);

}  // namespace headlight
