// Preferences and the window's memory: round trip, broken files, what is remembered of recent files.
#include "app/settings/preferences.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

struct Home : TemporaryFolder {
  fs::path file(const std::string& text) const { return write("file.json", text); }
};

std::string complaint_about(const fs::path& file) {
  try {
    read_preferences(file);
    read_window_memory(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("preferences: what is written is read again, in a folder that is made for it") {
  const Home home;
  const fs::path file = home / "deep" / "preferences.json";
  CHECK(read_preferences(file) == Preferences{});
  const Preferences chosen{Look::System, 1.25, false};
  write_preferences(file, chosen);
  CHECK(read_preferences(file) == chosen);

  WindowMemory memory;
  memory.width = 1500;
  memory.height = 901;
  memory.maximized = memory.hint_seen = true;
  memory.inputs_width = 333.5;
  memory.inspector_width = 280;
  memory.pipeline_share = 0.375;
  memory.recent = {"/a/one.headlight", "/b/größer.headlight"};
  write_window_memory(file, memory);
  CHECK(read_window_memory(file) == memory);
}

TEST_CASE("preferences: a broken file is named with what is wrong in it") {
  const Home home;
  CHECK_THAT(complaint_about(home.file("{")), ContainsSubstring("file.json"));
  CHECK_THAT(complaint_about(home.file("[]")), ContainsSubstring("JSON object"));
  CHECK_THAT(complaint_about(home.file(R"({"look": "pink"})")), ContainsSubstring("pink"));
  CHECK_THAT(complaint_about(home.file(R"({"look": 3})")), ContainsSubstring("look"));
  CHECK_THAT(complaint_about(home.file(R"({"text_scale": 99})")), ContainsSubstring("text_scale"));
  CHECK_THAT(complaint_about(home.file(R"({"motion": "yes"})")), ContainsSubstring("motion"));
  CHECK_THAT(complaint_about(home.file(R"({"width": -5})")), ContainsSubstring("width"));
  CHECK_THAT(complaint_about(home.file(R"({"recent": [1]})")), ContainsSubstring("recent"));
  CHECK(complaint_about(home.file(R"({"of a newer program": 1})")).empty());
}

TEST_CASE("preferences: text sizes are stepped through and end at both ends") {
  CHECK(stepped_text_scale(1, 1) == 1.1);
  CHECK(stepped_text_scale(1.1, -1) == 1);
  CHECK(stepped_text_scale(1.07, 1) == 1.25);  // from the nearest step
  CHECK(stepped_text_scale(kMostTextScale, 1) == kMostTextScale);
  CHECK(stepped_text_scale(kLeastTextScale, -3) == kLeastTextScale);
}

TEST_CASE("preferences: a file opened again comes to the front, and ten are kept") {
  WindowMemory memory;
  for (int i = 0; i < 12; ++i)
    remember_file(memory, "/s/" + std::to_string(i) + ".headlight");
  REQUIRE(memory.recent.size() == kMostRecent);
  CHECK(memory.recent.front() == "/s/11.headlight");
  remember_file(memory, "/s/./5.headlight");
  CHECK(memory.recent.size() == kMostRecent);
  CHECK(memory.recent.front() == "/s/5.headlight");
}

TEST_CASE("preferences: the files lie where the XDG variables say, a relative one is ignored") {
  ::setenv("XDG_CONFIG_HOME", "/x/config", 1);
  ::setenv("XDG_STATE_HOME", "relative", 1);
  ::setenv("HOME", "/home/somebody", 1);
  CHECK(preferences_path() == "/x/config/headlight/preferences.json");
  CHECK(window_memory_path() == "/home/somebody/.local/state/headlight/window.json");
}
