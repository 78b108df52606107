// The command `headlight page`.
#pragma once

#include <filesystem>
#include <ostream>

#include "app/cli/source.h"

namespace headlight {

struct PageOptions {
  Source source;
  std::filesystem::path output;  // .html; a folder for that of a course
  bool still = false;            // not computed in the browser, even if it could be
  bool force = false;            // replace the file if it exists
};

// Saves a session, or a model's folder without a layer, as one HTML file that shows and computes it in any
// browser. Writes to `out` that it is saved, and why a page stands still that was not asked to. Throws Error
// if the input is faulty, the name has another ending, or the file exists and `force` is not set.
void save_page(const PageOptions& options, std::ostream& out, std::ostream& err);

// Whether the source is a folder of lessons, which is saved as a course.
bool is_course(const Source& source);
// Saves a course as a folder of pages, which is made if it is missing: all pages, or none. Writes to `out`
// where it is, and which lessons stand still. Throws Error if a file of the folder is no lesson, and as
// save_page().
void save_course(const PageOptions& options, std::ostream& out);

}  // namespace headlight
