// Preferences and the window's memory: round trip, broken files, the list of recent files.
#include "app/settings/preferences.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::TemporaryFolder;
using headlight_test::Variable;
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
  Preferences chosen{Look::System, 1.25, false, true, 1};
  for (const std::optional<ShareForm> shares :
       {std::optional<ShareForm>(), std::optional(ShareForm::PerCent), std::optional(ShareForm::Decimals)}) {
    chosen.shares = shares;
    write_preferences(file, chosen);
    CHECK(read_preferences(file) == chosen);
  }

  WindowMemory memory;
  memory.width = 1500;
  memory.height = 901;
  memory.maximized = memory.hint_seen = true;
  memory.inputs_width = 333.5;
  memory.inspector_width = 280;
  memory.pipeline_height = 224.5;
  memory.recent = {"/a/one.headlight", "/b/größer.headlight"};
  memory.last = "/b/größer.headlight";
  memory.lessons = {{"01-one-query-dot-products", 5}, {"16-causal-mask", 2}};
  memory.examples_read = {"heads", "parts"};
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
  CHECK_THAT(complaint_about(home.file(R"({"count_from": 2})")), ContainsSubstring("count_from"));
  CHECK_THAT(complaint_about(home.file(R"({"shares": "halves"})")), ContainsSubstring("halves"));
  CHECK_THAT(complaint_about(home.file(R"({"width": -5})")), ContainsSubstring("width"));
  CHECK_THAT(complaint_about(home.file(R"({"recent": [1]})")), ContainsSubstring("recent"));
  CHECK_THAT(complaint_about(home.file(R"({"lessons": {"01": "all"}})")), ContainsSubstring("lessons"));
  CHECK(complaint_about(home.file(R"({"of a newer program": 1})")).empty());
}

TEST_CASE("preferences: empty, cut off, binary, or with numbers that are none: each is refused") {
  const Home home;
  const std::string whole = R"({"look": "dark", "text_scale": 1.25, "width": 1280})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    CHECK_FALSE(complaint_about(home.file(whole.substr(0, length))).empty());
  }
  CHECK(complaint_about(home.file(whole)).empty());
  std::string binary;
  for (int byte = 0; byte < 256; ++byte)
    binary += static_cast<char>(byte);
  CHECK_THAT(complaint_about(home.file(binary)), ContainsSubstring("JSON object"));
  for (const char* key :
       {"text_scale", "count_from", "width", "height", "inputs_width", "inspector_width", "strip_height"})
    for (const char* value :
         {"NaN", "-1", "1e300", "-1e300", "1e999", "\"wide\"", "[]", "null", "99999999999999999999"}) {
      INFO(key << ": " << value);
      CHECK_FALSE(complaint_about(home.file("{\"" + std::string(key) + "\": " + value + "}")).empty());
    }
  for (const char* lessons : {"[]", R"({"01": 1e300})", R"({"01": -1})", R"({"01": 0.5})"}) {
    INFO(lessons);
    CHECK_FALSE(complaint_about(home.file("{\"lessons\": " + std::string(lessons) + "}")).empty());
  }
}

TEST_CASE("preferences: a window in which nothing can be used is not begun with, and not remembered") {
  const Home home;
  CHECK_THAT(complaint_about(home.file(R"({"width": 1, "height": 1})")), ContainsSubstring("\"width\" is 1"));
  CHECK_THAT(complaint_about(home.file(R"({"width": 1280, "height": 319})")), ContainsSubstring("height"));
  CHECK(complaint_about(home.file(R"({"width": 10000, "height": 10000})")).empty());
  WindowMemory memory;
  remember_size(memory, 1500, 901);
  for (const int side : {0, 1, kLeastWindow - 1, kMostWindow + 1}) {
    remember_size(memory, side, 901);
    remember_size(memory, 1500, side);
  }
  CHECK(memory.width == 1500);
  CHECK(memory.height == 901);
}

TEST_CASE("preferences: what was put aside before is not lost to what is put aside next") {
  const Home home;
  for (const char* name : {"file.json.damaged", "file.json.damaged-2", "file.json.damaged-3"}) {
    const auto aside = rename_damaged(home.file(name));
    REQUIRE(aside.has_value());
    CHECK(aside->filename() == name);
  }
  for (const char* name : {"file.json.damaged", "file.json.damaged-2", "file.json.damaged-3"}) {
    std::string text;
    std::ifstream(home / name) >> text;
    CHECK(text == name);
  }
}

TEST_CASE("preferences: text sizes are stepped through and end at both ends") {
  CHECK(stepped_text_scale(1, 1) == 1.1);
  CHECK(stepped_text_scale(1.1, -1) == 1);
  CHECK(stepped_text_scale(1.07, 1) == 1.25);  // counted from the nearest step
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

TEST_CASE("preferences: nested without end, a pipe, a folder: refused at once, and put aside") {
  const Home home;
  for (const char bracket : {'[', '{'}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i)
      deep += bracket == '[' ? "[" : "{\"a\":";
    CHECK_THAT(complaint_about(home.file(deep)), ContainsSubstring("file.json"));
    CHECK_THAT(complaint_about(home.file("{\"exports\":" + deep)), ContainsSubstring("file.json"));
  }
  const std::string closed = std::string(100000, '[') + std::string(100000, ']');
  CHECK_THAT(complaint_about(home.file("{\"look\":" + closed + "}")), ContainsSubstring("nested too deep"));
  CHECK_THAT(complaint_about(home.file(std::string(2000000, ' ') + "{}")), ContainsSubstring("bytes"));

  const fs::path pipe = home / "pipe.json";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(complaint_about(pipe), ContainsSubstring("pipe"));
  const auto aside = rename_damaged(pipe);
  REQUIRE(aside.has_value());
  CHECK(aside->filename() == "pipe.json.damaged");
  CHECK_FALSE(fs::exists(pipe));
  CHECK(fs::exists(*aside));
  CHECK_FALSE(rename_damaged(home / "missing.json").has_value());
}

TEST_CASE("preferences: the files lie where the XDG variables say, a relative one is ignored") {
  const Variable config("XDG_CONFIG_HOME", "/x/config"), state("XDG_STATE_HOME", "relative"),
      home("HOME", "/home/somebody");
  CHECK(preferences_path() == "/x/config/headlight/preferences.json");
  CHECK(window_memory_path() == "/home/somebody/.local/state/headlight/window.json");
}

TEST_CASE("preferences: without a home of one's own nothing goes into the root folder") {
  const Variable config("XDG_CONFIG_HOME", nullptr), state("XDG_STATE_HOME", nullptr);
  for (const char* home : {static_cast<const char*>(nullptr), "", "/", "//", "relative"}) {
    const Variable variable("HOME", home);
    for (const fs::path& path : {preferences_path(), window_memory_path()}) {
      INFO(path);
      CHECK_FALSE(path.string().starts_with("/.config"));
      CHECK_FALSE(path.string().starts_with("/.local"));
    }
  }
  CHECK_THROWS_AS(write_preferences(fs::path(), {}), Error);
  CHECK(read_preferences(fs::path()) == Preferences{});
}

TEST_CASE("preferences: what was remembered on a larger screen is fitted and said, what fits is kept") {
  WindowMemory memory;
  memory.width = 3000;
  memory.height = 2000;
  memory.inputs_width = 1200;
  memory.inspector_width = 900;
  memory.pipeline_height = 700;
  CHECK(fit_to_window(memory, 1280, 800) ==
        "The window had 3000 x 2000 on its last screen; here it has 1280 x 800");
  CHECK(memory.inputs_width == 0);
  CHECK(memory.inspector_width == 0);
  CHECK(memory.pipeline_height == 0);
  WindowMemory fits;
  fits.width = 1300;  // small differences, as from a border of the desktop, are the same screen
  fits.height = 820;
  fits.inputs_width = 320;
  fits.pipeline_height = 240;
  const WindowMemory before = fits;
  CHECK(fit_to_window(fits, 1280, 800).empty());
  CHECK(fits == before);
  CHECK(fit_to_window(memory = {}, 1280, 800).empty());
}
