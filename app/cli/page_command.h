// The command `headlight page`.
#pragma once

#include <filesystem>
#include <ostream>

#include "app/cli/options/source.h"

namespace headlight {

struct PageOptions {
  Source source;
  std::filesystem::path output;  // .html
  bool still = false;            // not computed in the browser, even if it could be
  bool force = false;            // replace the file if it exists
};

// Saves a session, or a model's folder without a layer, as one HTML file that shows and computes it in any
// browser. Writes to `out` that it is
// saved, and why a page stands still that was not asked to. Throws Error if the input is faulty, the name has
// another ending, or the file exists and `force` is not set.
void save_page(const PageOptions& options, std::ostream& out, std::ostream& err);

}  // namespace headlight
