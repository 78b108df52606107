// The folder is the layer: who may include whom. Every #include of engine/ and app/ is read and checked.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"

namespace {

namespace fs = std::filesystem;
using headlight_test::ContainsSubstring;

// A room, and the beginnings of the paths it may include beside its own. An ending slash means a whole
// folder.
struct Room {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

const std::vector<Room>& rooms() {
  static const std::vector<Room> table = {
      {"engine/core/", {}},
      {"engine/loops/", {"engine/core/"}},
      {"engine/random/", {"engine/core/", "engine/loops/"}},
      {"engine/model/", {"engine/core/", "engine/loops/", "engine/random/"}},
      {"engine/kernels/", {"engine/core/", "engine/loops/", "engine/model/"}},
      {"engine/views/", {"engine/core/", "engine/loops/", "engine/model/"}},
      {"engine/keeping/",
       {"engine/core/", "engine/loops/", "engine/model/", "engine/kernels/", "engine/views/"}},
      {"engine/attention/",
       {"engine/core/", "engine/loops/", "engine/random/", "engine/model/", "engine/kernels/",
        "engine/views/", "engine/keeping/"}},
      {"engine/programs/", {"engine/core/", "engine/model/"}},
      {"engine/worker/", {"engine/core/", "engine/model/", "engine/views/", "engine/attention/"}},
      {"engine/arrays/", {"engine/core/", "engine/model/"}},
      {"engine/session/", {"engine/core/", "engine/model/", "engine/arrays/"}},
      {"engine/placing/", {"engine/core/", "engine/model/", "engine/arrays/"}},
      {"app/document/", {"engine/"}},
      {"app/settings/", {"engine/core/"}},
      {"app/figure/", {"engine/"}},
      {"app/export/", {"engine/", "app/figure/"}},
      {"app/cli/", {"engine/", "app/settings/", "app/figure/", "app/export/"}},
      {"app/platform/", {"engine/core/", "app/figure/"}},
      {"app/ui/",
       {"engine/", "app/document/", "app/settings/", "app/figure/", "app/export/", "app/platform/"}},
      {"app/shell/", {"engine/", "app/"}},
      {"app/main.cpp", {"engine/", "app/"}},
  };
  return table;
}

// Libraries that only some rooms know.
struct LibraryDoor {
  std::vector<std::string_view> headers;  // beginnings of what stands between the angle brackets
  std::vector<std::string_view> rooms;
};

const std::vector<LibraryDoor>& library_doors() {
  static const std::vector<LibraryDoor> table = {
      {{"GL/", "GLES", "EGL/", "GLFW/", "backends/imgui_impl_", "xcb/"}, {"app/platform/"}},
      {{"imgui", "misc/cpp/imgui", "misc/freetype/imgui"}, {"app/ui/", "app/platform/", "app/shell/"}},
      {{"cairo", "pango"}, {"app/figure/"}},
      {{"CLI/"}, {"app/cli/", "app/shell/", "app/main.cpp"}},
  };
  return table;
}

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

struct Include {
  std::string path;
  bool quoted = false;  // "ours", else <a library's>
};

// The include that a line states, if it states one.
std::optional<Include> parse_include(std::string_view line) {
  const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(std::string_view("include").size());
  skip_blanks();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
  const bool quoted = line.front() == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  return Include{std::string(line.substr(1, end - 1)), quoted};
}

// What is wrong with `file` including `include`; empty when nothing is.
std::string complaint(const std::string& file, const Include& include) {
  if (!include.quoted) {
    for (const LibraryDoor& door : library_doors())
      if (starts_with_any(include.path, door.headers) && !starts_with_any(file, door.rooms))
        return file + " may not know <" + include.path + ">";
    return {};
  }
  const auto room = std::find_if(rooms().begin(), rooms().end(),
                                 [&](const Room& candidate) { return file.starts_with(candidate.folder); });
  if (room == rooms().end()) return file + " is in no room that has doors";
  if (include.path.starts_with(room->folder) || starts_with_any(include.path, room->may_include)) return {};
  return file + " may not include \"" + include.path + "\"";
}

// Every source below the folders, as paths from the root with forward slashes.
std::vector<std::string> sources_below(const std::vector<std::string>& folders) {
  const fs::path root = HEADLIGHT_SOURCE_DIR;
  std::vector<std::string> found;
  for (const std::string& folder : folders)
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
        found.push_back(entry.path().lexically_relative(root).generic_string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(fs::path(HEADLIGHT_SOURCE_DIR) / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("doors: every include goes through a door of its room") {
  const std::vector<std::string> files = sources_below({"engine", "app"});
  REQUIRE(files.size() > 20);
  std::size_t includes = 0;
  for (const std::string& file : files)
    for (const std::string& line : lines_of(file))
      if (const std::optional<Include> include = parse_include(line)) {
        ++includes;
        CHECK(complaint(file, *include) == "");
      }
  CHECK(includes > files.size());
}

TEST_CASE("doors: an include of ours is a full path from the root") {
  for (const std::string& file : sources_below({"engine", "app", "tests"}))
    for (const std::string& line : lines_of(file))
      if (const std::optional<Include> include = parse_include(line); include && include->quoted) {
        INFO(file << " includes \"" << include->path << "\"");
        CHECK(fs::exists(fs::path(HEADLIGHT_SOURCE_DIR) / include->path));
      }
}

// tests/headers.cmake relies on it: such a source shows that its header compiles alone.
TEST_CASE("doors: a source begins with its own header") {
  std::size_t pairs = 0;
  for (const std::string& file : sources_below({"engine", "app", "tests"})) {
    const fs::path header = fs::path(file).replace_extension(".h");
    if (!file.ends_with(".cpp") || !fs::exists(HEADLIGHT_SOURCE_DIR / header)) continue;
    ++pairs;
    const std::vector<std::string> lines = lines_of(file);
    const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
      return !line.empty() && !line.starts_with("//");
    });
    INFO(file);
    REQUIRE(first != lines.end());
    CHECK(*first == "#include \"" + header.generic_string() + "\"");
  }
  CHECK(pairs > 20);
}

TEST_CASE("doors: a forbidden include is found") {
  const auto said = [](const std::string& file, std::string_view line) {
    const std::optional<Include> include = parse_include(line);
    REQUIRE(include.has_value());
    return complaint(file, *include);
  };
  CHECK_THAT(said("engine/model/model.cpp", "#include \"engine/attention/evaluator.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("engine/session/session.cpp", "  #  include \"engine/attention/evaluator.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("engine/core/error.cpp", "#include \"app/figure/color/colormap.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/figure/plan/heatmap_plan.cpp", "#include \"app/document/document.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/platform/window.cpp", "#include \"engine/model/model.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/ui/context/theme.cpp", "#include \"app/shell/shell.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/new_file.cpp", "#include \"engine/core/error.h\""), ContainsSubstring("no room"));
  CHECK_THAT(said("app/ui/context/theme.cpp", "#include <GLFW/glfw3.h>"), ContainsSubstring("may not know"));
  CHECK_THAT(said("app/shell/shell.cpp", "#include <backends/imgui_impl_glfw.h>"),
             ContainsSubstring("may not know"));
  CHECK_THAT(said("app/document/document.cpp", "#include <imgui.h>"), ContainsSubstring("may not know"));
  CHECK_THAT(said("engine/core/matrix.h", "#include <cairo.h>"), ContainsSubstring("may not know"));

  CHECK(said("engine/session/session.h", "#include \"engine/model/stage.h\"") == "");
  CHECK(said("app/ui/context/theme.h", "#include <imgui.h>") == "");
  CHECK(said("app/platform/window.cpp", "#include <GLFW/glfw3.h>") == "");
  CHECK(said("app/cli/export.cpp", "#include <vector>") == "");
  CHECK_FALSE(parse_include("// #include \"engine/core/error.h\"").has_value());
}

TEST_CASE("doors: no source is longer than 450 lines") {
  for (const std::string& file : sources_below({"engine", "app", "tests"})) {
    INFO(file);
    CHECK(lines_of(file).size() <= 450);
  }
}
