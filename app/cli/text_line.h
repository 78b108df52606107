// The options of the text and the layer for a model's folder, and of the folder for a session's model.
#pragma once

#include <string>

#include "app/cli/source.h"

namespace CLI {
class App;
}

namespace headlight {

class TextLine {
 public:
  void add_text(CLI::App& command);
  void add_layer(CLI::App& command);
  void add_model(CLI::App& command);

  // Both throw a usage error.
  GivenText text() const;
  Source source(const std::string& path) const;
  const std::string& model() const { return model_; }

 private:
  std::string text_, ids_, model_;
  Index layer_ = -1;
  bool has_text_ = false;
};

// Parses "0,2": ids or layers. Throws a usage error that names the option.
std::vector<std::int32_t> parse_numbers(const char* option, const std::string& text);

}  // namespace headlight
