// The window in all its sizes: nothing cut off, nothing on top of something else, pictures that fill their
// room. A window at a scale of 2 is laid out as one of half its size, so that the small sizes stand for
// those.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/ui/frame/workbench.h"
#include "tests/support/catch.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const ImVec2 kSizes[] = {{1024, 700}, {1280, 800}, {1920, 1080}, {2560, 1440}, {3840, 2160}};
const ImVec2 kOfScaleTwo[] = {{960, 540}, {1280, 720}, {1920, 1080}};

struct Window {
  WorkbenchState state;
  PanelFixture fixture;

  Window(Session session, ImVec2 size)
      : fixture(
            std::move(session), [this](UiContext& ui) { workbench(ui, state); }, size) {
    fixture.robot().frames(8);
  }
};

std::string told(const DrawnText& text) {
  return text.window + " at " + std::to_string(text.place.x) + ", " + std::to_string(text.place.y) + ", " +
         std::to_string(text.place.width) + " x " + std::to_string(text.place.height);
}

bool overlap(const Rect& a, const Rect& b) {
  constexpr double kTouch = 2;  // boxes of glyphs have some room of their own
  return a.x + kTouch < b.right() && b.x + kTouch < a.right() && a.y + kTouch < b.bottom() &&
         b.y + kTouch < a.bottom();
}

void check_texts() {
  const std::vector<DrawnText> texts = drawn_texts();
  REQUIRE(texts.size() > 20);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(told(texts[i]));
    CHECK_FALSE(texts[i].cut);
    for (std::size_t j = 0; j < i; ++j)
      if (texts[i].window == texts[j].window && overlap(texts[i].place, texts[j].place)) {
        INFO(told(texts[j]));
        CHECK_FALSE(overlap(texts[i].place, texts[j].place));
      }
  }
}

void check_widgets(Window& window, ImVec2 size) {
  for (const ProbedWidget& widget : window.fixture.robot().probe().widgets()) {
    INFO(widget.name);
    CHECK(widget.rect.x >= -1);
    CHECK(widget.rect.y >= -1);
    CHECK(widget.rect.right() <= size.x + 1);
    CHECK(widget.rect.bottom() <= size.y + 1);
  }
}

// Cells grow to what a picture has room for, or to what is enough for anybody: 128 pixels, and no wider than
// a number where they are not square. Of several squares in a long room no arrangement may reach the share:
// those that fill it in one direction are as large as they can be.
void check_pictures(Window& window) {
  constexpr double kLeastShare = 0.45, kMostCell = 127;
  const auto& pictures = window.state.stages.cache.pictures();
  REQUIRE_FALSE(pictures.empty());
  double cells = 0, room = 0;
  bool grown = true, row_labels = false, column_labels = false;
  for (const LargePicture& picture : pictures) {
    cells += picture.cells.width * picture.cells.height;
    room += picture.room.width * picture.room.height;
    const bool fills =
        picture.cells.height >= 0.8 * picture.room.height || picture.cells.width >= 0.8 * picture.room.width;
    grown = grown && (std::max(picture.cell_width, picture.cell_height) >= kMostCell || fills);
    row_labels = row_labels || picture.row_labels > 0;
    column_labels = column_labels || picture.column_labels > 0;
  }
  INFO(cells / room);
  CHECK((cells >= kLeastShare * room || grown));
  CHECK(row_labels);
  CHECK(column_labels);
}

void check_window(const Session& session, ImVec2 size) {
  INFO(size.x << " x " << size.y);
  Window window(session, size);
  check_texts();
  check_widgets(window, size);
  // In less room labels go first, and pictures have what is left.
  if (size.x >= kSizes[0].x && size.y >= kSizes[0].y) check_pictures(window);
}

std::vector<std::string> sessions_of(const std::string& folder) {
  std::vector<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(HEADLIGHT_SOURCE_DIR "/assets/" + folder))
    if (entry.path().extension() == ".headlight") stems.push_back(entry.path().stem().string());
  std::sort(stems.begin(), stems.end());
  return stems;
}

}  // namespace

TEST_CASE("walk: what is cut off or stands on another text is found") {
  PanelRobot robot;
  robot.draw_with([] {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText({10, 10}, IM_COL32_WHITE, "whole");
    list.PushClipRect({10, 40}, {28, 60});
    list.AddText({10, 40}, IM_COL32_WHITE, "cutoff");
    list.PopClipRect();
    list.AddText({14, 12}, IM_COL32_WHITE, "over");
    list.AddRectFilled({0, 100}, {50, 150}, IM_COL32_WHITE);
  });
  robot.frames(2);
  const std::vector<DrawnText> texts = drawn_texts();
  REQUIRE(texts.size() == 3);
  CHECK_FALSE(texts[0].cut);
  CHECK(texts[1].cut);
  CHECK(overlap(texts[0].place, texts[2].place));
  CHECK_FALSE(overlap(texts[0].place, texts[1].place));
}

TEST_CASE("walk: every lesson and both examples, in a window of every size") {
  for (const char* folder : {"lessons", "examples"})
    for (const std::string& stem : sessions_of(folder)) {
      INFO(stem);
      const Session session = lesson_session(stem);
      for (const ImVec2 size : kSizes)
        check_window(session, size);
      check_window(session, kOfScaleTwo[0]);
    }
}

TEST_CASE("walk: forty tokens in twelve heads and thousands in four, in a window of every size") {
  for (const Session& session : {large_session(40, 12), large_session(2048, 4)}) {
    INFO(session.model.token_count() << " tokens");
    for (const ImVec2 size : kSizes)
      check_window(session, size);
    for (const ImVec2 size : kOfScaleTwo)
      check_window(session, size);
  }
}
