// The options that say what arrays do not, as they are typed.
#pragma once

#include <string>

#include "engine/choosing/array_choices.h"

namespace CLI {
class App;
}

namespace headlight {

class ArrayLine {
 public:
  void add_to(CLI::App& command);
  // --layer of a command that has none of its own.
  void add_layer(CLI::App& command);

  // Whether any is there.
  bool any() const;
  // layer: as it was typed elsewhere. Throws a usage error, and Error for a file of tokens that cannot be
  // read.
  ArrayAnswers answers(std::optional<Index> layer = {}) const;

 private:
  std::string layout_, mask_true_, tokens_;
  Index heads_ = 0, kv_heads_ = 0, layer_ = -1;
  bool causal_ = false;
};

}  // namespace headlight
