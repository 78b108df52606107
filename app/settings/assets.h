// Locations of the program's own files: lessons, examples, icons.
#pragma once

#include <filesystem>
#include <vector>

namespace headlight {

// The first of these folders that contains lessons/:
// - $HEADLIGHT_ASSETS;
// - relative to the program's current location: `../assets` (build folder), `assets` (unpacked archive), and
//   share/headlight of the prefix it is installed in, even if the prefix was moved;
// - headlight/ in $XDG_DATA_HOME and in each of $XDG_DATA_DIRS.
// Throws Error if there is none.
std::filesystem::path asset_folder();

// The lessons in the order of their file names, then the examples of trained models, which are lessons too.
// May be empty. Throws Error like asset_folder().
std::vector<std::filesystem::path> lesson_files();

// A session on the language model that comes with the program; empty if it is not installed. Throws Error
// like asset_folder().
std::filesystem::path bundled_model();

// The PNG files that exist of the program's icon, in the sizes that a window passes to the desktop.
std::vector<std::filesystem::path> icon_files();

}  // namespace headlight
