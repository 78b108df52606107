#include "app/settings/preferences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/user_folders.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The sizes that Ctrl+Plus and Ctrl+Minus step through.
constexpr std::array kTextScales = {0.5, 0.67, 0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0};

struct LookName {
  Look look;
  std::string_view name;
};
constexpr LookName kLookNames[] = {{Look::Dark, "dark"}, {Look::Light, "light"}, {Look::System, "system"}};

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw Error(what, path.string(), "the usual settings are in force");
}

// The files here are nested at most two deep. The JSON library destroys values recursively, so that nesting
// of a hundred thousand levels would overflow the stack.
bool shallow(int depth, Json::parse_event_t, Json&) {
  constexpr int kDeepest = 16;
  if (depth > kDeepest) throw std::length_error("too deep");
  return true;
}

Json read_object(const fs::path& path) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  std::error_code none;
  if (!fs::exists(path, none)) return Json::object();
  const std::uint64_t size = require_file(path, kMostBytes);
  Json json;
  try {
    json = Json::parse(read_piece(path, 0, size), shallow, false);
  } catch (const std::length_error&) {
    refuse(path, "brackets are nested too deep");
  }
  if (!json.is_object()) refuse(path, "this is not a JSON object");
  return json;
}

// Reads the value if the key is present. Unknown keys are ignored: a newer program may have written them.
template <class T>
void take(const Json& json, const char* key, T& value, const fs::path& path) {
  const auto found = json.find(key);
  if (found == json.end()) return;
  try {
    value = found->get<T>();
  } catch (const Json::exception&) {
    refuse(path, std::string("\"") + key + "\" is " + found->dump());
  }
}

void take_number(const Json& json, const char* key, double& value, double low, double high,
                 const fs::path& path) {
  take(json, key, value, path);
  if (!(value >= low && value <= high)) refuse(path, std::string("\"") + key + "\" is out of its range");
}

// Refuses values that are not numbers, have a fraction or are out of range.
int whole_number(const Json& json, const std::string& name, int low, int high, const fs::path& path) {
  const double value = json.is_number() ? json.get<double>() : std::nan("");
  if (!(value >= low && value <= high) || value != std::floor(value))
    refuse(path, "\"" + name + "\" is " + json.dump() + ", not a whole number from " + std::to_string(low) +
                     " to " + std::to_string(high));
  return static_cast<int>(value);
}

// A side of the window; 0: unknown.
int window_side(const Json& json, const char* key, const fs::path& path) {
  const auto found = json.find(key);
  if (found == json.end() || (found->is_number() && found->get<double>() == 0)) return 0;
  return whole_number(*found, key, kLeastWindow, kMostWindow, path);
}

void write_object(const fs::path& path, const Json& json) {
  if (path.empty())
    throw Error("there is no home folder", "HOME", "set HOME; settings last until the window is closed");
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed)
    throw Error("the folder cannot be made: " + failed.message(), path.parent_path().string(),
                "settings last until the window is closed");
  write_file_atomically(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

double stepped_text_scale(double scale, int steps) {
  const auto nearest = std::min_element(kTextScales.begin(), kTextScales.end(), [scale](double a, double b) {
    return std::abs(a - scale) < std::abs(b - scale);
  });
  const auto at = nearest - kTextScales.begin() + steps;
  return kTextScales[static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(at, 0, static_cast<std::ptrdiff_t>(kTextScales.size()) - 1))];
}

void remember_size(WindowMemory& memory, int width, int height) {
  if (std::min(width, height) < kLeastWindow || std::max(width, height) > kMostWindow) return;
  memory.width = width;
  memory.height = height;
}

void remember_file(WindowMemory& memory, const fs::path& file) {
  std::error_code failed;
  const fs::path whole = fs::absolute(file, failed).lexically_normal();
  const fs::path& kept = failed ? file : whole;
  std::erase(memory.recent, kept);
  memory.recent.insert(memory.recent.begin(), kept);
  if (memory.recent.size() > kMostRecent) memory.recent.resize(kMostRecent);
}

std::string fit_to_window(WindowMemory& memory, int width, int height) {
  constexpr double kMostOfWidth = 0.7, kMostOfHeight = 0.5;
  constexpr int kBorders = 80;  // pixels that a desktop may use for window borders and bars
  if (memory.inputs_width + memory.inspector_width > kMostOfWidth * width)
    memory.inputs_width = memory.inspector_width = 0;
  if (memory.pipeline_height > kMostOfHeight * height) memory.pipeline_height = 0;
  if (memory.maximized || memory.width <= 0 || memory.height <= 0) return "";
  if (memory.width <= width + kBorders && memory.height <= height + kBorders) return "";
  const auto size = [](int w, int h) { return std::to_string(w) + " x " + std::to_string(h); };
  return "The window had " + size(memory.width, memory.height) + " on its last screen; here it has " +
         size(width, height);
}

fs::path preferences_path() {
  const std::optional<fs::path> folder = config_folder();
  return folder ? *folder / "preferences.json" : fs::path();
}

fs::path window_memory_path() {
  const std::optional<fs::path> folder = state_folder();
  return folder ? *folder / "window.json" : fs::path();
}

std::optional<fs::path> rename_damaged(const fs::path& path) {
  constexpr int kMostAside = 100;
  std::error_code failed;
  fs::path aside = path;
  aside += ".damaged";
  for (int n = 2; fs::exists(fs::symlink_status(aside, failed)); ++n) {
    if (n > kMostAside) return std::nullopt;
    aside = path;
    aside += ".damaged-" + std::to_string(n);
  }
  fs::rename(path, aside, failed);
  if (failed) return std::nullopt;
  return aside;
}

Preferences read_preferences(const fs::path& path) {
  const Json json = read_object(path);
  Preferences preferences;
  std::string look = "dark";
  take(json, "look", look, path);
  const auto* named = std::find_if(std::begin(kLookNames), std::end(kLookNames),
                                   [&](const LookName& known) { return known.name == look; });
  if (named == std::end(kLookNames)) refuse(path, "\"look\" is \"" + look + "\", not dark, light or system");
  preferences.look = named->look;
  take_number(json, "text_scale", preferences.text_scale, kLeastTextScale, kMostTextScale, path);
  take(json, "motion", preferences.motion, path);
  take(json, "surprise", preferences.surprise, path);
  if (const auto first = json.find("count_from"); first != json.end())
    preferences.count_from = whole_number(*first, "count_from", 0, 1, path);
  if (json.contains("shares")) {
    std::string shares;
    take(json, "shares", shares, path);
    if (shares != "percent" && shares != "decimals")
      refuse(path, "\"shares\" is \"" + shares + "\", not percent or decimals");
    preferences.shares = shares == "percent" ? ShareForm::PerCent : ShareForm::Decimals;
  }
  // Values that are not strings are ignored: the dialog then begins with its defaults.
  if (const auto exports = json.find("export"); exports != json.end() && exports->is_object())
    for (const auto& [name, word] : exports->items())
      if (word.is_string()) preferences.exports[name] = word.get<std::string>();
  return preferences;
}

WindowMemory read_window_memory(const fs::path& path) {
  constexpr double kMostPixels = kMostWindow;
  constexpr int kMostSteps = 1000000;
  const Json json = read_object(path);
  WindowMemory memory;
  memory.width = window_side(json, "width", path);
  memory.height = window_side(json, "height", path);
  take(json, "maximized", memory.maximized, path);
  take_number(json, "inputs_width", memory.inputs_width, 0, kMostPixels, path);
  take_number(json, "inspector_width", memory.inspector_width, 0, kMostPixels, path);
  take_number(json, "strip_height", memory.pipeline_height, 0, kMostPixels, path);
  take(json, "hint_seen", memory.hint_seen, path);
  take(json, "reader", memory.reader, path);
  std::string last;
  take(json, "last", last, path);
  memory.last = last;
  Json lessons = Json::object();
  take(json, "lessons", lessons, path);
  if (!lessons.is_object()) refuse(path, "\"lessons\" is " + lessons.dump());
  for (const auto& [stem, steps] : lessons.items())
    memory.lessons[stem] = whole_number(steps, "lessons/" + stem, 0, kMostSteps, path);
  take(json, "answers", memory.answers, path);
  take(json, "examples_read", memory.examples_read, path);
  std::vector<std::string> recent;
  take(json, "recent", recent, path);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
  memory.recent.assign(recent.begin(), recent.end());
  return memory;
}

void write_preferences(const fs::path& path, const Preferences& preferences) {
  const auto* look = std::find_if(std::begin(kLookNames), std::end(kLookNames),
                                  [&](const LookName& known) { return known.look == preferences.look; });
  Json json = {{"look", look->name},
               {"text_scale", preferences.text_scale},
               {"motion", preferences.motion},
               {"surprise", preferences.surprise},
               {"count_from", preferences.count_from}};
  if (preferences.shares) json["shares"] = *preferences.shares == ShareForm::PerCent ? "percent" : "decimals";
  if (!preferences.exports.empty()) json["export"] = preferences.exports;
  write_object(path, json);
}

void write_window_memory(const fs::path& path, const WindowMemory& memory) {
  Json recent = Json::array();
  for (const fs::path& file : memory.recent)
    recent.push_back(file.string());
  write_object(path, {{"width", memory.width},
                      {"height", memory.height},
                      {"maximized", memory.maximized},
                      {"inputs_width", memory.inputs_width},
                      {"inspector_width", memory.inspector_width},
                      {"strip_height", memory.pipeline_height},
                      {"hint_seen", memory.hint_seen},
                      {"reader", memory.reader},
                      {"last", memory.last.string()},
                      {"lessons", memory.lessons},
                      {"answers", memory.answers},
                      {"examples_read", memory.examples_read},
                      {"recent", std::move(recent)}});
}

}  // namespace headlight
