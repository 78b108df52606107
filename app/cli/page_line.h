// The options of a figure's page: its size, resolution and font.
#pragma once

#include <string>

#include "app/export/figure_options.h"

namespace CLI {
class App;
}

namespace headlight {

class PageLine {
 public:
  void add_to(CLI::App& command);
  // Sets what was given; a preset first, so that the others go before it. Throws a usage error.
  void read(FigureOptions& figure) const;

 private:
  std::string preset_, width_, height_, cell_, font_;
  double dpi_ = 0, scale_ = 0, font_size_ = 0;
};

}  // namespace headlight
