// A long session in the real window, as a map.
#include <cmath>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

// Writes a session of attention without projections over tokens of two numbers.
std::filesystem::path write_session(const std::filesystem::path& folder, int tokens) {
  Json session = {{"format", "headlight-session"}, {"version", 1}, {"title", "Long"}, {"notes", ""}};
  for (int i = 0; i < tokens; ++i) {
    session["tokens"].push_back("t" + std::to_string(i));
    session["embeddings"].push_back({i % 7 / 7.0, i % 11 / 11.0});
  }
  session["attention"] = {{"projection", "none"}, {"mask", "causal"}};
  const std::filesystem::path file = folder / "long.headlight";
  std::ofstream(file) << session;
  return file;
}

int size_of(const Json& ends) {
  return ends.at(1).get<int>() - ends.at(0).get<int>();
}

// The resident memory of a process in bytes.
double resident_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0) return 1024 * std::stod(line.substr(6));
  return 0;
}

// Programs started during its lifetime assume 16 GB of memory, too little for the stages of 32,768 tokens
// (21 GB).
class SmallMachine {
 public:
  SmallMachine() { setenv("HEADLIGHT_TEST_MEMORY", "16e9", 1); }
  ~SmallMachine() { unsetenv("HEADLIGHT_TEST_MEMORY"); }
  SmallMachine(const SmallMachine&) = delete;
  SmallMachine& operator=(const SmallMachine&) = delete;
};

}  // namespace

TEST_CASE("the wheel goes into a session of 1,024 tokens down to the numbers, and a key back out") {
  const TemporaryFolder folder;
  WindowSession window({write_session(folder.path(), 1024).string()});
  CHECK(window.state().at("in_sight").at("rows") == Json({0, 1024}));
  const std::string picture = "focus.weights.h0";
  window.wheel(picture, 8, 0.25, 0.75);
  const Json half = window.state().at("in_sight");
  CHECK(half.at("stage") == "weights");
  CHECK(size_of(half.at("rows")) < 200);
  CHECK(half.at("rows").at(0) < 768);
  CHECK(half.at("rows").at(1) > 768);
  CHECK(half.at("columns").at(0) < 256);
  CHECK(half.at("columns").at(1) > 256);

  // A click on the map moves the visible part.
  CHECK(window.value("focus.map") == "1024 x 1024");
  window.click("focus.map");
  const Json middle = window.state().at("in_sight");
  CHECK(size_of(middle.at("rows")) == size_of(half.at("rows")));
  // A pixel of the map covers eleven tokens.
  CHECK(std::abs(middle.at("rows").at(0).get<int>() + size_of(half.at("rows")) / 2 - 512) <= 16);

  window.wheel(picture, 20, 0.25, 0.75);
  const Json deep = window.state().at("in_sight");
  CHECK(size_of(deep.at("rows")) == 4);
  window.click(picture);
  const Json selection = window.state().at("selection");
  CHECK(selection.at("row") >= deep.at("rows").at(0));
  CHECK(selection.at("row") < deep.at("rows").at(1));
  CHECK(selection.at("column") >= deep.at("columns").at(0));
  for (int i = 0; i < 4; ++i)
    window.key("Down");
  const Json followed = window.state().at("in_sight");
  CHECK(followed.at("rows").at(0) > deep.at("rows").at(0));
  window.key("0");
  CHECK(window.state().at("in_sight").at("columns") == Json({0, 1024}));
  window.until_gone("focus.map");
}

TEST_CASE("32,768 tokens open like a map, and a cell of it is exact") {
  const SmallMachine machine;
  const TemporaryFolder folder;
  WindowSession window({write_session(folder.path(), 32'768).string()});
  CHECK(window.state().at("in_sight").at("rows") == Json({0, 32'768}));
  CHECK(window.value("status.storage").find("mapped") != std::string::npos);
  CHECK(resident_bytes(window.program_pid()) < 1024.0 * 1024 * 1024);

  const std::string picture = "focus.weights.h0";
  window.wheel(picture, 60, 0.25, 0.75);
  const Json deep = window.state().at("in_sight");
  CHECK(size_of(deep.at("rows")) == 4);
  window.click(picture);
  const Json cell = window.state().at("selection");
  const int row = cell.at("row"), column = cell.at("column");
  CHECK(row >= deep.at("rows").at(0));
  CHECK(row < deep.at("rows").at(1));
  REQUIRE(column < row);
  const auto score = [row](int key) {
    return (row % 7 / 7.0) * (key % 7 / 7.0) + (row % 11 / 11.0) * (key % 11 / 11.0);
  };
  double sum = 0;
  for (int key = 0; key <= row; ++key)
    sum += std::exp(score(key) / std::sqrt(2.0));
  const double weight = std::exp(score(column) / std::sqrt(2.0)) / sum;
  INFO("row " << row << ", column " << column);
  CHECK(std::abs(number_from(window.value("inspector.value")) - weight) < 1e-4 * weight);
}

TEST_CASE("a mapped session is previewed and exported out of the map") {
  const SmallMachine machine;
  const TemporaryFolder folder;
  WindowSession window({write_session(folder.path(), 32'768).string()});
  REQUIRE(window.value("status.storage").find("mapped") != std::string::npos);
  window.click("stage.weights");
  window.key("ctrl+e");
  window.until_value("dialog.preview", "picture");
  window.fill("dialog.path", folder.path().string());
  window.fill("dialog.name", "map.png");
  window.click("dialog.ok");
  window.until_gone("dialog.ok");
  CHECK(message_of(window).find("map.png") != std::string::npos);
  CHECK(text_of(folder / "map.png").starts_with("\x89PNG"));
}

TEST_CASE("what would take all cells of a mapped session is refused, and nothing is changed") {
  const SmallMachine machine;
  const TemporaryFolder folder;
  WindowSession window({write_session(folder.path(), 32'768).string()});
  REQUIRE(window.value("status.storage").find("mapped") != std::string::npos);
  window.add_step("dropout");
  CHECK(message_of(window).find("multipliers of 32768 tokens would take") != std::string::npos);
  window.until_value("settings.dropout", "0");
  window.click("message.close");
  CHECK(window.state().at("document").at("saved") == true);
  window.click("stage.dropped");
  CHECK(window.shows("focus.dropped.h0"));
  window.key("alt+5");
  CHECK(window.value("compare.invitation").find("fewer tokens") != std::string::npos);
  CHECK(resident_bytes(window.program_pid()) < 1024.0 * 1024 * 1024);
}
