// The manual's page of keys against the program's tables of actions and keys.
#include <filesystem>
#include <fstream>

#include "app/ui/main_window/action_table.h"
#include "engine/core/file.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;

namespace {

const std::filesystem::path kPage =
    std::filesystem::path(headlight_test::source_root()) / "app/manual/keys.md";

std::string row(std::string_view keys, std::string_view name, std::string_view what) {
  return "| " + std::string(keys) + " | " + std::string(name) + " | " + std::string(what) + " |\n";
}

std::string action_rows() {
  std::string text;
  std::string_view topic;
  for (const ActionEntry& entry : action_table()) {
    if (entry.topic != topic)
      text += "\n### " + std::string(entry.topic) + "\n\n| keys | action | what it does |\n|---|---|---|\n";
    topic = entry.topic;
    text += row(all_action_keys(entry), entry.name, entry.what);
  }
  return text;
}

std::string place_rows() {
  std::string text = "\n| where | keys | what they do |\n|---|---|---|\n";
  for (const PanelKey& key : panel_keys())
    text += row(key.topic, key.keys, key.what);
  return text;
}

}  // namespace

TEST_CASE("manual: the page of keys has every action and every key, as the tables do") {
  const std::string text = read_file(kPage);
  const std::string actions = "\n## Actions\n" + action_rows(),
                    places = "\n## Keys of a place\n" + place_rows();
  const std::size_t at = text.find("\n## Actions\n");
  REQUIRE(at != std::string::npos);
  if (text.substr(at) == actions + places) return;
  const std::filesystem::path expected = std::filesystem::temp_directory_path() / "headlight-keys.md";
  std::ofstream(expected) << text.substr(0, at) << actions << places;
  FAIL("the page is not that of the tables: copy " << expected << " to app/manual/keys.md");
}
