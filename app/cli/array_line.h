// The command-line options that describe arrays where the file leaves a choice.
#pragma once

#include <string>
#include <vector>

#include "engine/array_import/array_choices.h"

namespace CLI {
class App;
}

namespace headlight {

class ArrayLine {
 public:
  void add_to(CLI::App& command);
  // Adds --layer to a command without another option --layer.
  void add_layer(CLI::App& command);

  // Whether any option was given.
  bool any() const;
  // The options that were given, for a command that is run again.
  std::vector<std::string> words() const;
  // Of the batch, from 0: it is the one to show, and of arrays the only one that is read.
  std::optional<Index> sequence() const;
  // `layer`: used if --layer is not given. Throws Error if the file of tokens cannot be read.
  ArrayOptions answers(std::optional<Index> layer = {}) const;

 private:
  std::string layout_, mask_true_, mask_as_, corner_, tokens_;
  Index heads_ = 0, kv_heads_ = 0, layer_ = -1, sequence_ = -1;
  bool causal_ = false;
};

}  // namespace headlight
