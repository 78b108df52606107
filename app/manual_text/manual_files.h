// The manual's pages as files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/manual_text/manual_page.h"

namespace headlight {

// Where the pages are: manual/ of an installed program, app/manual/ of the sources. Throws Error when there
// is none.
std::filesystem::path manual_folder();

// The pages' names: "index" first, then in the order of its table. Throws Error when the index cannot be
// read.
std::vector<std::string> manual_pages();

// Throws Error that lists the pages when there is none of that name.
ManualPage read_manual_page(const std::string& name);

}  // namespace headlight
