// The user's folders for the program, as in the XDG base directories. All code finds them by these functions.
#pragma once

#include <filesystem>
#include <optional>

namespace headlight {

// The user's home folder: $HOME, else that of the system's user database. Relative paths and the root folder,
// where the program must not write, are ignored.
std::optional<std::filesystem::path> user_home();

// "$XDG_CONFIG_HOME/headlight", "$XDG_STATE_HOME/headlight" and "$XDG_CACHE_HOME/headlight", or
// "~/.config/headlight", "~/.local/state/headlight" and "~/.cache/headlight"; none without a home folder.
// They need not exist yet. What the cache holds can be made again: a user may delete it.
std::optional<std::filesystem::path> config_folder();
std::optional<std::filesystem::path> state_folder();
std::optional<std::filesystem::path> cache_folder();

}  // namespace headlight
