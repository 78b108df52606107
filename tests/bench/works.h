// What the benchmark times: for each size of a model, the work that the engine does and an edit asks for.
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
  double operations = 0;  // two for each multiply-add that the work needs; 0 where there is nothing to count
  int runs = 0;
  double eigen_ratio = 0;  // of this time to that of the same in Eigen; 0 where there is no such thing
};

// Times everything for one size. `report` is called with each row as soon as it is known; `wanted` says
// which works are timed, by name.
void time_works(const Size& size, bool causal, const std::function<bool(const std::string&)>& wanted,
                const std::function<void(const Row&)>& report);

// Forward passes as real layers have them, of the sizes that are wanted by their tokens: grouped keys and
// values, rotary positions, and at 4,096 tokens that are given a window of 256 keys beside none.
void time_layers(const std::function<bool(headlight::Index tokens)>& wanted,
                 const std::function<void(const Row&)>& report);

// The same for 32,768 tokens, whose scores are not kept.
void time_streams(const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
