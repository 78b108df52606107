// Checks every #include of engine/ and app/ against the dependencies that their modules declare, and that
// names are unique. A folder is a module.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;
using headlight_test::ContainsSubstring;

// A module's folder and the folders of other modules that it may include, each with a trailing slash. The
// build links by the same table.
struct Module {
  std::string folder;
  std::vector<std::string> may_include;
};

const std::vector<Module>& modules() {
  static const std::vector<Module> table = [] {
    std::vector<Module> all;
    std::ifstream in(headlight_test::build_root() + "/dependencies.txt");
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      Module module;
      words >> module.folder;
      module.folder += '/';
      for (std::string used; words >> used;)
        module.may_include.push_back(used + '/');
      all.push_back(module);
    }
    return all;
  }();
  return table;
}

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/') + 1);
}

// Libraries that only some modules may include.
struct LibraryDependency {
  std::vector<std::string_view> headers;  // prefixes of the path between the angle brackets
  std::vector<std::string_view> modules;
};

const std::vector<LibraryDependency>& library_dependencies() {
  static const std::vector<LibraryDependency> table = {
      {{"GL/", "GLES", "EGL/", "GLFW/", "backends/imgui_impl_"}, {"app/platform/"}},
      {{"xcb/"}, {"app/platform/"}},
      {{"imgui", "misc/cpp/imgui", "misc/freetype/imgui"}, {"app/ui/", "app/platform/", "app/shell/"}},
      {{"cairo", "pango"}, {"app/figure/paint/"}},
      {{"oniguruma"}, {"engine/tokenizers/"}},
      {{"utf8proc"}, {"engine/unicode/"}},
      {{"gif_lib.h", "webp/"}, {"app/figure/paint/"}},
      {{"png.h", "jpeglib.h"}, {"engine/interpretation/"}},
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
  bool quoted = false;  // true: "ours"; false: <a library's>
};

// The include directive in a line, if there is one.
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

// Describes the violation if `file` may not include `include`; otherwise empty.
std::string complaint(const std::string& file, const Include& include) {
  if (!include.quoted) {
    for (const LibraryDependency& dependency : library_dependencies())
      if (starts_with_any(include.path, dependency.headers) && !starts_with_any(file, dependency.modules))
        return file + " may not know <" + include.path + ">";
    return {};
  }
  if (file == "app/main.cpp") return {};  // it connects the modules
  const std::string folder = folder_of(file), wanted = folder_of(include.path);
  const auto module = std::find_if(modules().begin(), modules().end(),
                                   [&](const Module& candidate) { return candidate.folder == folder; });
  if (module == modules().end()) return file + " is in no module";
  const auto& dependencies = module->may_include;
  if (wanted == folder || std::find(dependencies.begin(), dependencies.end(), wanted) != dependencies.end())
    return {};
  return file + " may not include \"" + include.path + "\"";
}

// Every source below the folders, as sorted paths from the root with forward slashes.
std::vector<std::string> sources_below(const std::vector<std::string>& folders) {
  const fs::path root = headlight_test::source_root();
  std::vector<std::string> found;
  for (const std::string& folder : folders)
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
        found.push_back(entry.path().lexically_relative(root).generic_string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(fs::path(headlight_test::source_root()) / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("modules: every include goes through a declared dependency of its module") {
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

TEST_CASE("modules: the table has every folder with sources, and none leads in a circle") {
  std::set<std::string> known, below;
  for (const Module& module : modules()) {
    for (const std::string& used : module.may_include) {
      INFO(module.folder << " uses " << used);
      CHECK(below.count(used) == 1);  // declared earlier in the table: there are no cycles
    }
    below.insert(module.folder);
    known.insert(module.folder);
  }
  for (const std::string& file : sources_below({"engine", "app"}))
    if (file != "app/main.cpp") {
      INFO(file);
      CHECK(known.count(folder_of(file)) == 1);
    }
}

// The types that a source defines in the namespace of the program, as "TextPart"; those of unnamed namespaces
// are the source's own.
std::vector<std::string> types_defined_in(const std::string& file) {
  std::vector<std::string> types;
  bool own = false;
  for (const std::string& line : lines_of(file)) {
    if (line == "namespace {") own = true;
    if (line == "}  // namespace") own = false;
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (own || line.starts_with(' ') || line.find('{') == std::string::npos) continue;
    if (kind == "enum" && name == "class") words >> name;
    if (kind == "struct" || kind == "class" || kind == "enum")
      types.push_back(name.substr(0, name.find_first_of("{<")));
  }
  return types;
}

TEST_CASE("modules: no two types of the program have one name") {
  std::map<std::string, std::string> defined;  // by their names: where they are defined
  for (const std::string& file : sources_below({"engine", "app"}))
    for (const std::string& type : types_defined_in(file)) {
      const auto [known, first] = defined.emplace(type, file);
      INFO(type << " is defined in " << known->second << " and in " << file
                << ": what is compiled for one of them is used for both");
      CHECK(first);
    }
  CHECK(defined.size() > 500);
  CHECK(defined.at("Tokenizer") == "engine/tokenizers/tokenizer.h");
  CHECK(defined.at("MaskKind") == "engine/layer/layer.h");
}

// The modules of a README's table that have a description, in its order.
std::vector<std::string> described_modules(const std::string& readme) {
  std::vector<std::string> described;
  for (const std::string& line : lines_of(readme)) {
    if (!line.starts_with("| `engine/") && !line.starts_with("| `app/")) continue;
    const std::size_t end = line.find("` | ");
    if (end != std::string::npos && line.size() > end + 8) described.push_back(line.substr(3, end - 3) + "/");
  }
  return described;
}

TEST_CASE("modules: the READMEs say of each what it is for, from the lowest up") {
  for (const std::string folder : {"engine", "app"}) {
    std::vector<std::string> expected;
    for (const Module& module : modules())
      if (module.folder.starts_with(folder + "/")) expected.push_back(module.folder);
    CHECK(described_modules(folder + "/README.md") == expected);
  }
}

TEST_CASE("modules: an include of ours is a full path from the root") {
  for (const std::string& file : sources_below({"engine", "app", "tests"}))
    for (const std::string& line : lines_of(file))
      if (const std::optional<Include> include = parse_include(line); include && include->quoted) {
        INFO(file << " includes \"" << include->path << "\"");
        CHECK(fs::exists(fs::path(headlight_test::source_root()) / include->path));
      }
}

// Then a source that is compiled alone shows that its header needs no other one before it.
TEST_CASE("modules: a source begins with its own header") {
  std::size_t pairs = 0;
  for (const std::string& file : sources_below({"engine", "app", "tests"})) {
    const fs::path header = fs::path(file).replace_extension(".h");
    if (!file.ends_with(".cpp") || !fs::exists(headlight_test::source_root() / header)) continue;
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

TEST_CASE("modules: a forbidden include is found") {
  const auto said = [](const std::string& file, std::string_view line) {
    const std::optional<Include> include = parse_include(line);
    REQUIRE(include.has_value());
    return complaint(file, *include);
  };
  CHECK_THAT(said("engine/layer/layer.cpp", "#include \"engine/attention/evaluator.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("engine/session/session.cpp", "  #  include \"engine/attention/evaluator.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("engine/core/error.cpp", "#include \"app/figure/color/colormap.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/figure/plan/heatmap_plan.cpp", "#include \"app/document/document.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/platform/window.cpp", "#include \"engine/layer/layer.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/ui/context/theme.cpp", "#include \"app/shell/shell.h\""),
             ContainsSubstring("may not include"));
  CHECK_THAT(said("app/new/file.cpp", "#include \"engine/core/error.h\""), ContainsSubstring("no module"));
  CHECK_THAT(said("app/ui/context/theme.cpp", "#include <GLFW/glfw3.h>"), ContainsSubstring("may not know"));
  CHECK_THAT(said("app/shell/shell.cpp", "#include <backends/imgui_impl_glfw.h>"),
             ContainsSubstring("may not know"));
  CHECK_THAT(said("app/document/document.cpp", "#include <imgui.h>"), ContainsSubstring("may not know"));
  CHECK_THAT(said("engine/core/matrix.h", "#include <cairo.h>"), ContainsSubstring("may not know"));

  CHECK(said("engine/session/session.h", "#include \"engine/layer/stage.h\"") == "");
  CHECK(said("app/ui/context/theme.h", "#include <imgui.h>") == "");
  CHECK(said("app/platform/window.cpp", "#include <GLFW/glfw3.h>") == "");
  CHECK(said("app/cli/export_command.cpp", "#include <vector>") == "");
  CHECK_FALSE(parse_include("// #include \"engine/core/error.h\"").has_value());
}
