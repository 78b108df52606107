// The user's preferences and the state of the window, stored between starts and never in a session: two
// files, by the XDG base directories under $XDG_CONFIG_HOME (preferences) and $XDG_STATE_HOME (window state).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headlight {

enum class Look { Dark, Light, System };
enum class ShareForm { PerCent, Decimals };

struct Preferences {
  Look look = Look::Dark;
  double text_scale = 1;  // scales the whole window on top of the screen's scale; kLeast... to kMostTextScale
  bool motion = true;     // changed cells glow, pictures cross-fade, a lesson's light fades in
  bool surprise = false;  // words are coloured by how much they surprise the open model
  int count_from = 0;     // number of the first head, token, dimension and sequence: 0 or 1
  std::optional<ShareForm> shares = {};  // how shares of attention are shown; none: by what is open
  // The last choices of the export dialog, which alone interprets them.
  std::map<std::string, std::string> exports = {};
  bool operator==(const Preferences&) const = default;
};

struct WindowMemory {
  int width = 0, height = 0;  // of the window in pixels at the screen's scale 1; 0: unknown
  bool maximized = false;
  // Widths of the panels and height of the strip in planned pixels; 0: the default layout.
  double inputs_width = 0, inspector_width = 0;
  double pipeline_height = 0;
  bool hint_seen = false;                   // the start screen was shown before: this is not the first start
  std::filesystem::path last;               // the session or lesson that was open last; "": neither
  std::map<std::string, int> lessons = {};  // number of steps read of each lesson, by its file's stem
  // Answers to questions of lessons, by stem and step, counted from 0: "16-causal-mask/4"; of lessons of
  // one's own by what is asked: "own-1f2e3d4c5b6a7988" (app/lesson_text/question_id.h).
  std::map<std::string, std::string> answers = {};
  std::string reader;                         // the name that answers were saved under last; "": none yet
  std::set<std::string> examples_read;        // pages of a whole model whose example was dismissed
  std::vector<std::filesystem::path> recent;  // newest first
  bool operator==(const WindowMemory&) const = default;
};

inline constexpr double kLeastTextScale = 0.5, kMostTextScale = 3;
inline constexpr std::size_t kMostRecent = 10;
// Limits for the sides of a stored window size: a smaller window is unusable.
inline constexpr int kLeastWindow = 320, kMostWindow = 32767;

// The text scale `steps` steps larger, or smaller if negative.
double stepped_text_scale(double scale, int steps);

// Stores the size if it is within kLeastWindow and kMostWindow.
void remember_size(WindowMemory& memory, int width, int height);

// Moves the file to the front of the recent ones.
void remember_file(WindowMemory& memory, const std::filesystem::path& file);

// Resets stored panel sizes that leave the pictures too little of a window of width x height planned pixels,
// as after a change to a smaller screen. Returns a message if the window is smaller than its stored size,
// else "".
std::string fit_to_window(WindowMemory& memory, int width, int height);

// "preferences.json" in config_folder() and "window.json" in state_folder(); empty without such a folder.
std::filesystem::path preferences_path();
std::filesystem::path window_memory_path();

// A missing file gives the defaults. Throws Error if the file exists and cannot be read. Returns or throws
// for any file, also a pipe or a million nested brackets.
Preferences read_preferences(const std::filesystem::path& path);
WindowMemory read_window_memory(const std::filesystem::path& path);

// Renames the file by appending ".damaged" (or ".damaged-2" and so on), so that it does not affect further
// starts and its contents remain. Returns the new path; none on failure.
std::optional<std::filesystem::path> rename_damaged(const std::filesystem::path& path);

// Create the folder if it does not exist. Throw Error.
void write_preferences(const std::filesystem::path& path, const Preferences& preferences);
void write_window_memory(const std::filesystem::path& path, const WindowMemory& memory);

}  // namespace headlight
