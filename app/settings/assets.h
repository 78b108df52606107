// Where the program's own files are: lessons, examples, icons.
#pragma once

#include <filesystem>
#include <vector>

namespace headlight {

// The first of these that holds lessons/:
// - $HEADLIGHT_ASSETS;
// - beside the program, from where it is now: `../assets` in a build folder, `assets` of one that was
// unpacked,
//   and the share/headlight of the prefix it is installed in, wherever that was moved to;
// - headlight/ in $XDG_DATA_HOME and each of $XDG_DATA_DIRS.
// Throws Error when there is none.
std::filesystem::path asset_folder();

// The lessons in the order of their file names, and behind them the examples of trained models, which are
// lessons too; empty when there are none. Throws Error as asset_folder does.
std::vector<std::filesystem::path> lesson_files();

// The program's icon in the sizes that a window hands to the desktop, as PNG files; those that are there.
std::vector<std::filesystem::path> icon_files();

}  // namespace headlight
