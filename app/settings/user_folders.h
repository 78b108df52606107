// Where the files that a person keeps with the program belong, as the XDG base directories have it. Found
// here and nowhere else.
#pragma once

#include <filesystem>
#include <optional>

namespace headlight {

// The home of the person at the machine: $HOME, or what the system's list of users says where that is not
// set. None where both say nothing or name the root folder: nothing of ours belongs there.
std::optional<std::filesystem::path> user_home();

// "$XDG_CONFIG_HOME/headlight" and "$XDG_STATE_HOME/headlight", or "~/.config/headlight" and
// "~/.local/state/headlight"; none where there is no home either. They need not exist yet.
std::optional<std::filesystem::path> config_folder();
std::optional<std::filesystem::path> state_folder();

}  // namespace headlight
