// The shortest journey: the window opens, shows the lesson, and sleeps.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

// The processor time of a process in clock ticks: fields 14 and 15 of /proc/PID/stat.
long ticks_used(pid_t pid) {
  const std::string text = text_of("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field)
    fields >> skipped;
  long user = 0, system = 0;
  fields >> user >> system;
  return user + system;
}

}  // namespace

TEST_CASE("the window opens a lesson given on the command line and paints it") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  const Moment moment = window.now();
  CHECK(moment.state.at("document").at("title") ==
        Json::parse(text_of(lesson_file("16-causal-mask"))).at("title"));
  CHECK(moment.state.at("document").at("saved") == true);
  CHECK(moment.state.at("message") == "");
  for (const char* name : {"toolbar.menu", "toolbar.undo", "settings.mask", "inputs.fold.tokens",
                           "stage.embeddings", "stage.weights", "stage.context"}) {
    INFO(name);
    CHECK(moment.find(name) != nullptr);
  }
  CHECK_FALSE(moment.find("toolbar.undo")->enabled);

  const Picture screen = window.screen();
  CHECK(screen.width == 1280);
  const std::size_t ground = static_cast<std::size_t>(
      std::count(screen.pixels.begin(), screen.pixels.end(), Pixel{0x1B, 0x1E, 0x24}));
  CHECK(ground > screen.pixels.size() / 4);  // the panels' colour
  CHECK(ground < screen.pixels.size());
  CHECK(window.output() == "");
}

TEST_CASE("a window that has grown looks as one that began with that size") {
  const std::string lesson = lesson_file("16-causal-mask").string();
  const ScreenSize large = {1600, 1000};
  const Picture wanted = WindowSession({lesson, "--size", "1600x1000"}, large).screen();
  WindowSession window({lesson, "--size", "900x700"}, large);
  window.resize(large);
  window.until("the window has its size", [](const Moment& moment) {
    const Widget* saved = moment.find("status.saved");
    return saved && saved->x > 1200 && saved->y > 900;
  });
  const Picture grown = window.screen();
  REQUIRE(grown.pixels.size() == wanted.pixels.size());
  std::size_t others = 0;
  for (std::size_t i = 0; i < wanted.pixels.size(); ++i)
    if (grown.pixels[i] != wanted.pixels[i]) ++others;
  CHECK(others < wanted.pixels.size() / 200);
}

TEST_CASE("a window of one pixel, and sizes that follow one another faster than frames, end nothing") {
  WindowSession window({lesson_file("20-two-heads").string()}, {1400, 1000});
  for (int round = 0; round < 12; ++round) {
    window.resize_quickly({{1, 1}, {900, 700}, {1, 400}, {600, 1}, {1200, 800}, {1, 1}, {2, 2}, {700, 500}});
    window.hover("toolbar.menu");
  }
  window.resize({1280, 800});
  window.until("the window has its size", [](const Moment& moment) {
    const Widget* saved = moment.find("status.saved");
    return saved && saved->x > 1000 && saved->y > 700;
  });
  CHECK(window.output() == "");
}

TEST_CASE("lessons whose inputs fill the column draw no frames once they stand") {
  const char* const stem = GENERATE("36-a-head-learns-to-look-back", "33-key-value-cache", "15-linear-layers",
                                    "34-what-a-loss-is");
  INFO(stem);
  WindowSession window({lesson_file(stem).string()});
  const Moment before = window.now();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  CHECK(window.state().at("frame_count") == before.state.at("frame_count"));
}

TEST_CASE("with nothing to do the window draws no frames") {
  // An opened lesson's file is checked periodically.
  const bool of_file = GENERATE(false, true);
  INFO((of_file ? "a lesson that was opened as a file" : "the first session"));
  WindowSession window(of_file ? std::vector{lesson_file("16-causal-mask").string()}
                               : std::vector<std::string>{});
  window.hover("toolbar.menu");
  const auto quiet = std::chrono::seconds(of_file ? 4 : 2);
  const Moment before = window.now();
  const long used_before = ticks_used(window.program_pid());
  std::this_thread::sleep_for(quiet);
  CHECK(window.state().at("frame_count") == before.state.at("frame_count"));
  const long used = ticks_used(window.program_pid()) - used_before;
  CHECK(used * 50 <= quiet.count() * sysconf(_SC_CLK_TCK));  // at most 2 % of a core
}
