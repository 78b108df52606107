// The files that describe the window to another program.
#include "app/shell/automation.h"

#include "app/shell/frame_times.h"

#include <imgui.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_robot.h"

using namespace headlight;
using headlight_test::PanelRobot;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

nlohmann::json read(const fs::path& path) {
  return nlohmann::json::parse(std::ifstream(path));
}

}  // namespace

TEST_CASE("automation: widgets and state are written as the header says") {
  const TemporaryFolder folder;
  PanelRobot robot;
  robot.draw_with([&] { robot.probe().mark_rect("settings.mask", {10, 20, 30, 40}, "causal \xFF", false); });
  robot.frames(1);

  Automation automation(folder / "deep" / "in");
  AutomationState state;
  state.revision = 7;
  state.selection = CellAddress{Stage::Weights, 1, 2, 3, 4};
  state.frame_cpu_median_ms = 1.5;
  state.frame_cpu_largest_ms = 2.5;
  state.in_sight = {10, 20, 30, 40};
  state.title = "A lesson";
  state.saved = false;
  state.message = "Saved to /tmp";
  state.range_held = true;
  state.input = {5, 12, 34};
  automation.write(robot.probe(), state);

  const auto widgets = read(folder / "deep" / "in" / "widgets.json").at("widgets");
  REQUIRE(widgets.size() == 1);
  CHECK(widgets[0].at("name") == "settings.mask");
  CHECK(widgets[0].at("rectangle") == nlohmann::json::array({10, 20, 30, 40}));
  CHECK(widgets[0].at("enabled") == false);
  CHECK(widgets[0].at("value").get<std::string>().rfind("causal ", 0) == 0);  // invalid UTF-8 is replaced

  const auto json = read(folder / "deep" / "in" / "state.json");
  CHECK(json.at("revision") == 7);
  CHECK(json.at("settled") == true);
  CHECK(json.at("selection") ==
        nlohmann::json({{"stage", "weights"}, {"sequence", 1}, {"head", 2}, {"row", 3}, {"column", 4}}));
  CHECK(json.at("opened_stage").is_null());
  CHECK(json.at("in_sight").at("rows") == nlohmann::json::array({10, 20}));
  CHECK(json.at("in_sight").at("columns") == nlohmann::json::array({30, 40}));
  CHECK(json.at("document").at("title") == "A lesson");
  CHECK(json.at("document").at("saved") == false);
  CHECK(json.at("document").at("path").is_null());
  CHECK(json.at("message") == "Saved to /tmp");
  CHECK(json.at("range_held") == true);
  CHECK(json.at("input").at("marks") == 5);
  CHECK(json.at("input").at("pointer") == nlohmann::json::array({12, 34}));
  CHECK(json.at("timings").contains("edit_to_picture_ms"));
  CHECK(json.at("timings").at("frame_cpu_ms").at("median") == 1.5);
  CHECK(json.at("timings").at("frame_cpu_ms").at("largest") == 2.5);
}

TEST_CASE(
    "automation: controls are counted as far as they can be used: no cells, words, duplicates or disabled "
    "ones") {
  PanelRobot robot;
  const auto button = [&](const char* name, bool enabled = true) {
    ImGui::Button(name);
    robot.probe().mark(name, "", enabled);
  };
  bool popup = false;
  robot.draw_with([&] {
    button("toolbar.view");
    robot.probe().mark("toolbar.view.again");
    button("toolbar.undo", false);
    button("inputs.embeddings[0,1]");
    button("line.word.3");
    button("model.token.3");
    button("toolbar.share");
    ImGui::TextUnformatted("text");
    robot.probe().mark("text");
    if (popup) ImGui::OpenPopup("menu");
    if (!ImGui::BeginPopup("menu")) return;
    button("menu.open");
    ImGui::EndPopup();
  });
  robot.frames(2);
  CHECK(robot.probe().controls_in_sight() == 2);
  popup = true;
  robot.frames(3);
  CHECK(robot.probe().controls_in_sight() == 1);
}

TEST_CASE("automation: the strip's nodes and the large pictures are told with where they are") {
  const TemporaryFolder folder;
  PanelRobot robot;
  Automation automation(folder / "in");
  AutomationState state;
  PipelineNode scores, query;
  scores.stage = Stage::Scores;
  scores.place = {1, 2, 3, 4};
  query.parameter = Parameter::Query;
  query.idle = true;
  state.strip = {scores, query};
  LargePicture left, right;
  left.cells = {10, 20, 60, 60};
  left.room = {10, 20, 80, 90};
  left.cell_width = left.cell_height = 10;
  left.row_labels = left.column_labels = 6;
  right = left;
  right.head = 1;
  right.cells.x = right.room.x = 100;
  right.row_labels = 0;
  right.numbers = true;
  state.pictures = {left, right};
  automation.write(robot.probe(), state);

  const auto json = read(folder / "in" / "state.json");
  CHECK(json.at("strip").at(0) ==
        nlohmann::json({{"stage", "scores"}, {"rectangle", {1, 2, 3, 4}}, {"idle", false}}));
  CHECK(json.at("strip").at(1).at("parameter") == "W_query");
  CHECK(json.at("strip").at(1).at("idle") == true);
  const auto& second = json.at("pictures").at(1);
  CHECK(second.at("stage") == "weights");
  CHECK(second.at("head") == 1);
  CHECK(second.at("rectangle") == nlohmann::json::array({100, 20, 60, 60}));
  CHECK(second.at("cell_px") == nlohmann::json::array({10, 10}));
  CHECK(second.at("given") == nlohmann::json::array({160, 90}));
  CHECK(second.at("row_labels") == 6);  // those of the first picture in its row
  CHECK(second.at("column_labels") == 6);
  CHECK(second.at("numbers") == true);
}

TEST_CASE("automation: the lesson's words and the derivation's card are told, and null without them") {
  const TemporaryFolder folder;
  PanelRobot robot;
  Automation automation(folder / "in");
  AutomationState state;
  automation.write(robot.probe(), state);
  CHECK(read(folder / "in" / "state.json").at("lesson").is_null());
  CHECK(read(folder / "in" / "state.json").at("card").is_null());
  state.lesson = Rect{880, 44, 400, 730};
  state.lesson_words = 130;
  state.lesson_words_in_sight = 120;
  state.card = Rect{500, 300, 320, 200};
  automation.write(robot.probe(), state);
  const auto json = read(folder / "in" / "state.json");
  CHECK(json.at("lesson") ==
        nlohmann::json({{"words", 130}, {"words_in_sight", 120}, {"rectangle", {880, 44, 400, 730}}}));
  CHECK(json.at("card") == nlohmann::json::array({500, 300, 320, 200}));
}

TEST_CASE("automation: a file is written again only when something in it has changed") {
  const TemporaryFolder folder;
  PanelRobot robot;
  Automation automation(folder.path());
  AutomationState state;
  automation.write(robot.probe(), state);
  fs::remove(folder / "widgets.json");
  fs::remove(folder / "state.json");
  automation.write(robot.probe(), state);
  CHECK_FALSE(fs::exists(folder / "state.json"));
  state.frame_count = 1;
  automation.write(robot.probe(), state);
  CHECK(fs::exists(folder / "state.json"));
  CHECK_FALSE(fs::exists(folder / "widgets.json"));
}

TEST_CASE("automation: a folder that can't be made is an error that names it") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "where the folder should be");
  CHECK_THROWS_AS(Automation(file / "below"), Error);
}

TEST_CASE("automation: of the times of frames the last 120 count") {
  FrameTimes times;
  CHECK(times.median() == 0);
  CHECK(times.largest() == 0);
  times.add(1000);
  CHECK(times.largest() == 1000);
  for (int i = 0; i < 120; ++i)
    times.add(i);
  CHECK(times.largest() == 119);
  CHECK(times.median() == 60);
}
