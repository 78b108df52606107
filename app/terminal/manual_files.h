// The files of the manual's pages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/terminal/manual_page.h"

namespace headlight {

// The pages' folder: manual/ of an installed program or app/manual/ of the sources. Throws Error without one.
std::filesystem::path manual_folder();

// The names: "index", then the pages in the order of its table. Throws Error if the index cannot be read.
std::vector<std::string> manual_pages();

// Throws Error that lists the pages if none has this name.
ManualPage read_manual_page(const std::string& name);

}  // namespace headlight
