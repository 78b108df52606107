// The benchmark's works: what the engine computes for each size of a model, and after an edit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight_bench {

struct Size {
  headlight::Index tokens = 0, d = 0, heads = 0;
};
const std::vector<Size>& sizes();

struct Row {
  std::string work;
  Size size;
  bool causal = true;
  double ms = 0;          // the median of all runs
  double operations = 0;  // two for each multiply-add that the work needs; 0 if not counted
  int runs = 0;
  double eigen_ratio = 0;  // this time / Eigen's time for the same work; 0 if Eigen has none
  double read_ms = 0;      // the time of reading the weights once, where that bounds the work; else 0
};

// Times the works of one size whose names `wanted` accepts. Reports each row as soon as it is timed.
void time_works(const Size& size, bool causal, const std::function<bool(const std::string&)>& wanted,
                const std::function<void(const Row&)>& report);

// Forward passes with the settings of real layers, for the token counts that `wanted` accepts: at 1,024
// tokens grouped keys and values, and rotary positions; at 4,096 tokens given queries, keys and values
// without a mask, with a causal mask and with a causal window of 256 keys.
void time_layers(const std::function<bool(headlight::Index tokens)>& wanted,
                 const std::function<void(const Row&)>& report);

// Works at 32,768 tokens, whose scores are not stored.
void time_streams(const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
