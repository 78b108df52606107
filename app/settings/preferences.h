// What a person has chosen about the program, and what the window remembers of itself: kept between starts,
// never part of a session. Two files, as the XDG base directories have it: choices under $XDG_CONFIG_HOME,
// memory under $XDG_STATE_HOME.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

enum class Look { Dark, Light, System };

struct Preferences {
  Look look = Look::Dark;
  double text_scale = 1;  // of everything in the window, beside the screen's own scale; kLeast... to kMost...
  bool motion = true;     // changed cells glow, a lesson's light fades in
  int count_from = 0;     // what the first head, token, dimension and sequence is called: 0 or 1
  // How files were last exported, in words that the export dialog writes and understands.
  std::map<std::string, std::string> exports = {};
  bool operator==(const Preferences&) const = default;
};

struct WindowMemory {
  int width = 0, height = 0;  // of the window in pixels at the screen's scale 1; 0: not known yet
  bool maximized = false;
  // Widths of the panels in planned pixels; 0: as the program lays them out.
  double inputs_width = 0, inspector_width = 0;
  double pipeline_height = 0;               // of the strip in planned pixels; 0: likewise
  bool hint_seen = false;                   // the start screen has been there: this is no first start
  std::filesystem::path last;               // the session or lesson that was open last; "": neither
  std::map<std::string, int> lessons = {};  // how many steps of each were read, by its file's stem
  // What a lesson's questions were answered, by stem and step from 0: "16-causal-mask/4".
  std::map<std::string, std::string> answers = {};
  std::vector<std::filesystem::path> recent;  // newest first
  bool operator==(const WindowMemory&) const = default;
};

inline constexpr double kLeastTextScale = 0.5, kMostTextScale = 3;
inline constexpr std::size_t kMostRecent = 10;
// Of the sides of a window that is remembered: in less nothing can be used.
inline constexpr int kLeastWindow = 320, kMostWindow = 32767;

// The next larger or smaller step of the text's size; `steps` may be negative.
double stepped_text_scale(double scale, int steps);

// Takes the size over, where it is one that a next start may begin with.
void remember_size(WindowMemory& memory, int width, int height);

// The file becomes the first of the recent ones.
void remember_file(WindowMemory& memory, const std::filesystem::path& file);

// What was remembered on a larger screen and does not fit this window, which is width x height planned
// pixels: panels that would leave nothing to the pictures get their usual sizes. Returns what is said of it;
// "" where the window has the size that is remembered.
std::string fit_to_window(WindowMemory& memory, int width, int height);

// "preferences.json" in the config_folder() and "window.json" in the state_folder(); empty where there is no
// such folder.
std::filesystem::path preferences_path();
std::filesystem::path window_memory_path();

// A file that is missing gives the defaults. Throws Error when it is there and cannot be understood; whatever
// it is, a pipe or a million brackets, reading it ends.
Preferences read_preferences(const std::filesystem::path& path);
WindowMemory read_window_memory(const std::filesystem::path& path);

// Gives the file another name, with ".damaged" behind it (".damaged-2" where there is one already), so that
// it harms no further start and nothing of it is lost. Returns the new path, or none when that cannot be
// done.
std::optional<std::filesystem::path> put_aside(const std::filesystem::path& path);

// Create the folder when need be. Throw Error.
void write_preferences(const std::filesystem::path& path, const Preferences& preferences);
void write_window_memory(const std::filesystem::path& path, const WindowMemory& memory);

}  // namespace headlight
