// Where the program's own files are: lessons, examples.
#pragma once

#include <filesystem>
#include <vector>

namespace headlight {

// The first of these that is a folder: $HEADLIGHT_ASSETS, ../../assets and ../assets beside the program, the
// assets of the source tree it was built from. Throws Error when there is none.
std::filesystem::path asset_folder();

// The lessons in the order of their file names, and behind them the examples of trained models, which are
// lessons too; empty when there are none.
std::vector<std::filesystem::path> lesson_files();

}  // namespace headlight
