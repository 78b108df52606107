// The manual's pages against the program: they name every option of every command and every stage, and
// nothing that the program does not have.
#include <filesystem>
#include <regex>
#include <set>

#include "app/terminal/manual_files.h"
#include "engine/core/file.h"
#include "engine/layer/stage.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::filesystem::path kManual = std::filesystem::path(source_root()) / "app/manual";

std::string page(const std::string& name) {
  return read_file(kManual / name);
}

std::set<std::string> page_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kManual))
    if (entry.path().extension() == ".md") names.insert(entry.path().filename().string());
  return names;
}

std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> result;
  for (std::sregex_iterator at(text.begin(), text.end(), expression); at != std::sregex_iterator(); ++at)
    result.insert((*at)[1]);
  return result;
}

// The names of the options in a command's help or in a text of the manual.
std::set<std::string> options_in(const std::string& text) {
  return found(text, "(?:^|[\\s`,(])(--[a-z][a-z-]+)");
}

std::string help_of(const std::string& command) {
  const Outcome outcome = command.empty() ? run({"--help"}) : run({command, "--help"});
  REQUIRE(outcome.status() == 0);
  return outcome.out;
}

std::set<std::string> commands() {
  const std::string help = help_of("");
  return found(help.substr(help.find("Subcommands:")), "\\n  ([a-z]+) ");
}

std::set<std::string> all_options() {
  std::set<std::string> all = options_in(help_of(""));
  for (const std::string& command : commands())
    all.merge(options_in(help_of(command)));
  return all;
}

// The manual's section on a command: from its heading to the next one.
std::string section(const std::string& text, const std::string& command) {
  const std::size_t begin = text.find("\n## " + command + "\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace

TEST_CASE("manual: the section of each command has each of its options") {
  const std::string text = page("command-line.md");
  const std::set<std::string> shared =
      options_in(section(text, "Options of arrays") + section(text, "Options of a whole model") +
                 section(text, "A session whose model is elsewhere"));
  for (const std::string& command : commands()) {
    INFO(command);
    const std::string own = section(text, command);
    CHECK_FALSE(own.empty());
    std::set<std::string> missing;
    for (const std::string& option : options_in(help_of(command)))
      if (option != "--help" && !shared.count(option) && !options_in(own).count(option))
        missing.insert(option);
    CHECK(joined(missing) == "");
  }
  std::set<std::string> missing;
  for (const std::string& option : options_in(help_of("")))
    if (!shared.count(option) && !options_in(section(text, "headlight")).count(option))
      missing.insert(option);
  CHECK(joined(missing) == "");
}

TEST_CASE("manual: no page names an option that no command has") {
  const std::set<std::string> options = all_options();
  CHECK(options.size() > 40);
  for (const std::string& name : page_files()) {
    std::set<std::string> unknown = options_in(page(name));
    for (const char* of_others : {"--no-install", "--preset", "--build", "--install", "--prefix", "--target"})
      unknown.erase(of_others);
    for (const std::string& option : options)
      unknown.erase(option);
    INFO(name);
    CHECK(joined(unknown) == "");
  }
}

TEST_CASE("manual: no page names a command that there is none of") {
  const std::set<std::string> known = commands();
  for (const std::string& name : page_files()) {
    std::set<std::string> unknown = found(page(name), "(?:`|    )headlight ([a-z]+)(?=[ `])");
    for (const std::string& command : known)
      unknown.erase(command);
    INFO(name);
    CHECK(joined(unknown) == "");
  }
}

TEST_CASE("manual: the page of stages has each stage, in their order") {
  const std::string text = page("stages.md");
  std::size_t at = 0;
  std::set<std::string> names;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const std::string name(stage_info(static_cast<Stage>(i)).name);
    names.insert(name);
    INFO(name);
    const std::size_t here = text.find("**`" + name + "`**");
    REQUIRE(here != std::string::npos);
    CHECK(here >= at);
    at = here;
  }
  CHECK(found(text, "\\*\\*`([a-z_]+)`\\*\\*") == names);
}

TEST_CASE(
    "manual: a page is written to the terminal, and a page that is not there is refused with the list") {
  CHECK(run({"manual"}).out.starts_with("The Headlight manual\n===="));
  for (const std::string& name : manual_pages()) {
    const Outcome outcome = run({"manual", name});
    INFO(name);
    CHECK(outcome.status() == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out.starts_with(read_manual_page(name).title() + "\n===="));
  }
  const Outcome refused = run({"manual", "fonts"});
  CHECK(refused.status() == 1);
  CHECK(refused.err ==
        "headlight: page \"fonts\": the manual has no such page (its pages are index, window, stages, "
        "learning, "
        "lessons, models, arrays, figures, command-line, files, python, keys)\n");
}

TEST_CASE("manual: every page is listed, and every link leads to a page") {
  const std::set<std::string> pages = page_files();
  std::set<std::string> listed = found(page("index.md"), "\\]\\(([a-z-]+\\.md)\\)");
  listed.insert("index.md");
  CHECK(joined(listed) == joined(pages));
  for (const std::string& name : pages)
    for (const std::string& link : found(page(name), "\\]\\(([^)]+)\\)")) {
      INFO(name << " " << link);
      const bool picture = link.ends_with(".png");
      CHECK((picture ? std::filesystem::exists(kManual / link) : pages.count(link) == 1));
    }
}
