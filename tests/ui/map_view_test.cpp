// The large heatmaps as a map: wheel, drags, keys and menu, and the requests to the engine.
#include "app/ui/picture/map_view.h"

#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/tile_source.h"
#include "tests/support/catch.h"
#include "tests/ui/support/centre.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::PanelFixture;
using headlight_test::WithinAbs;

namespace {

// One head of attention without projections over tokens of three numbers.
Session long_mapped_session(Index tokens) {
  Session session;
  for (Index i = 0; i < tokens; ++i)
    session.layer.tokens.push_back("t" + std::to_string(i));
  session.layer.embeddings = {Matrix(tokens, 3)};
  for (Index i = 0; i < tokens * 3; ++i)
    session.layer.embeddings[0].data()[i] = static_cast<float>((i * 37) % 101) / 101.0f;
  session.layer.attention.d_out = 3;
  return session;
}

struct MapBench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit MapBench(Index tokens, float width = 1000)
      : fixture(long_mapped_session(tokens), [this](UiContext& ui) { draw(ui); }, {width, 800}) {
    robot().frames(4);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  const CellBlock& region() { return view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)]; }
  // The point at a relative position (0 to 1) in the large picture of the weights.
  ImVec2 place(double row, double column) {
    const Rect r = robot().widget("focus.weights.h0").rect;
    return {static_cast<float>(r.x + r.width * column), static_cast<float>(r.y + r.height * row)};
  }
  void turn(double row, double column, float steps, headlight_test::KeysHeld held = {}) {
    robot().wheel_at(place(row, column), steps, held);
  }
  std::optional<CellAddress> pointed_at(double row, double column) {
    robot().move_to(place(row, column));
    robot().frames(2);
    return view().selection.hovered.last;
  }

 private:
  // Inputs and stages side by side, with the program's keys.
  void draw(UiContext& ui) {
    ui.view.selection.hovered.now.reset();
    ui.view.selection.note.clear();
    column("inputs", 0, 300, [&] { inputs_panel(ui, state.inputs); });
    column("stages", 300, ImGui::GetIO().DisplaySize.x - 300,
           [&] { headlight_test::centre_panel(ui, state); });
    ui.view.selection.hovered.last = ui.view.selection.hovered.now;
    window_keys(ui, state);
  }
  template <class Draw>
  void column(const char* id, float x, float width, Draw content) {
    ImGui::SetCursorScreenPos({x, 0});
    begin_child(id, {width, 800}, false);
    content();
    ImGui::EndChild();
  }
};

}  // namespace

TEST_CASE("map: the wheel zooms at the pointer, whose cell stays there") {
  MapBench bench(300);
  const auto before = bench.pointed_at(0.4, 0.7);
  REQUIRE(before);
  for (int i = 0; i < 3; ++i)
    bench.turn(0.4, 0.7, 1);
  CHECK(bench.region().rows() == 154);
  CHECK(bench.region().columns() == 154);
  const CellBlock region = bench.region();
  CHECK(region.contains(before->row, before->column));
  const auto after = bench.pointed_at(0.4, 0.7);
  REQUIRE(after);
  CHECK(std::abs(after->row - before->row) <= 2);
  CHECK(std::abs(after->column - before->column) <= 2);
  for (int i = 0; i < 3; ++i)
    bench.turn(0.4, 0.7, -1);
  CHECK(bench.region().empty());  // the whole matrix
}

TEST_CASE("map: what is zoomed in on is asked of the engine, exact once it has room") {
  MapBench bench(300, 1400);
  bench.view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)] = {100, 110, 50, 60};
  bench.robot().frames(3);
  bool found = false;
  for (const auto& tile : bench.fixture.answer()->tiles) {
    if (!tile || tile->request.stage != Stage::Weights || tile->request.row_begin != 100) continue;
    found = true;
    CHECK(tile->request.column_end == 60);
    CHECK(tile->values.rows() == 10);
    CHECK_FALSE(tile->pooled);
  }
  CHECK(found);
  // The address under the pointer is that in the whole matrix.
  const auto pointed = bench.pointed_at(0.05, 0.95);
  REQUIRE(pointed);
  CHECK(*pointed == CellAddress{Stage::Weights, 0, 0, 100, 59});
  bench.robot().click_at(bench.place(0.55, 0.05));
  REQUIRE(bench.view().selection.cell);
  CHECK(*bench.view().selection.cell == CellAddress{Stage::Weights, 0, 0, 105, 50});
  // The small picture still shows the whole matrix.
  bench.robot().move_to({1, 1});
  bench.robot().click("stage.weights.h0");
  CHECK(std::abs(bench.view().selection.cell->row - 150) < 20);
}

TEST_CASE("map: several cells drawn as one are told with what is shown of them") {
  MapBench bench(1024);
  const auto pointed = bench.pointed_at(0.5, 0.25);
  REQUIRE(pointed);
  const std::string note = bench.view().selection.note;
  INFO(note);
  CHECK(note.find("rows " + std::to_string(pointed->row) + "–") != std::string::npos);
  CHECK(note.find(", columns " + std::to_string(pointed->column) + "–") != std::string::npos);
  CHECK(note.find("largest 0.") == 0);
  bench.view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)] = {512, 520, 256, 264};
  bench.robot().frames(3);
  CHECK(bench.pointed_at(0.5, 0.25));
  CHECK(bench.view().selection.note.empty());
}

TEST_CASE("map: Shift with the wheel and the wheel turned sideways pan") {
  MapBench bench(300);
  bench.view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)] = {100, 180, 100, 180};
  bench.robot().frames(2);
  bench.turn(0.5, 0.5, -1, {.shift = true});
  CHECK(bench.region() == CellBlock{100, 180, 110, 190});
  bench.robot().wheel_sideways(bench.place(0.5, 0.5), 2);
  CHECK(bench.region() == CellBlock{100, 180, 90, 170});
}

TEST_CASE("map: the middle button, or Space and the left one, take the picture along") {
  MapBench bench(300);
  bench.view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)] = {100, 150, 100, 150};
  bench.robot().frames(3);
  const Rect cells = bench.robot().widget("focus.weights.h0").rect;
  const auto ten_rows = static_cast<float>(cells.height / 5);
  const ImVec2 from = bench.place(0.5, 0.5);
  bench.robot().stroke_middle(from, {from.x, from.y + ten_rows});
  CHECK(bench.region() == CellBlock{90, 140, 100, 150});
  CHECK_FALSE(bench.view().selection.cell);
  feed_key(Key::Space, true);
  bench.robot().stroke(from, {from.x, from.y - ten_rows});
  feed_key(Key::Space, false);
  CHECK(bench.region() == CellBlock{100, 150, 100, 150});
  CHECK_FALSE(bench.view().selection.cell);
}

TEST_CASE("map: keys zoom about the selected cell, and the region follows it") {
  MapBench bench(300);
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 200, 40};
  bench.robot().frames(2);
  bench.robot().key(Key::Z, {.alt = true});
  CHECK(bench.region() == CellBlock{196, 204, 36, 44});
  for (int i = 0; i < 4; ++i)
    bench.robot().key(Key::Down);
  CHECK(bench.view().selection.cell->row == 204);
  CHECK(bench.region() == CellBlock{198, 206, 36, 44});
  bench.robot().key(Key::Minus);
  CHECK(bench.region().rows() > 8);
  CHECK(bench.region().contains(204, 40));
  bench.robot().key(Key::Num0);
  CHECK(bench.region().empty());
  bench.robot().key(Key::Plus);
  CHECK(bench.region().contains(204, 40));
  CHECK(bench.region().rows() == 192);
}

TEST_CASE("map: the place is kept when the stage is another one with the same axes") {
  MapBench bench(300);
  bench.view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)] = {100, 110, 50, 60};
  bench.view().focused_stage = Stage::Scores;
  bench.robot().frames(3);
  bench.robot().move_to(bench.robot().middle_of("focus.scores.h0"));
  bench.robot().frames(2);
  REQUIRE(bench.view().selection.hovered.last);
  CHECK(CellBlock{100, 110, 50, 60}.contains(bench.view().selection.hovered.last->row,
                                             bench.view().selection.hovered.last->column));
}

TEST_CASE("map: a double click goes to the numbers and back") {
  MapBench bench(300);
  bench.robot().double_click("focus.weights.h0");
  CHECK(bench.region().rows() == kSelectionCells);
  CHECK(bench.region().contains(150, 150));
  bench.robot().double_click("focus.weights.h0");
  CHECK(bench.region().empty());
}

TEST_CASE("map: the right button offers the same") {
  MapBench bench(300);
  bench.robot().right_click("focus.weights.h0");
  bench.robot().click("picture.zoom_in");
  CHECK(bench.region().rows() == 192);
}

TEST_CASE("map: a short sentence has no map") {
  MapBench bench(6);
  bench.turn(0.5, 0.5, 3);
  CHECK(bench.region().empty());
  bench.robot().right_click("focus.weights.h0");
  CHECK_FALSE(bench.robot().shows("picture.zoom_in"));
}

TEST_CASE("map: digits in a grid edit the cell and leave the map alone") {
  MapBench bench(300);
  bench.view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)] = {100, 110, 50, 60};
  bench.robot().click("inputs.embeddings[0,0]");
  bench.robot().key(Key::Num0);
  CHECK(bench.region() == CellBlock{100, 110, 50, 60});
}

TEST_CASE("map: until its own tile is here a part is drawn from what there is") {
  const auto tile = [](CellBlock part, Index rows, float first) {
    auto made = std::make_shared<Tile>();
    made->request.row_begin = part.row;
    made->request.row_end = part.row_end;
    made->request.column_begin = part.column;
    made->request.column_end = part.column_end;
    made->total_rows = made->total_columns = 100;
    made->values.resize(rows, rows);
    for (Index i = 0; i < rows * rows; ++i)
      made->values.data()[i] = first + static_cast<float>(i);
    made->marks.assign(static_cast<std::size_t>(rows * rows), CellMark::None);
    made->pooled = rows < part.rows();
    return made;
  };
  TileChoice choice;
  choice.coarse = tile({0, 100, 0, 100}, 10, 1000);
  choice.fine = tile({20, 24, 20, 24}, 4, 0);
  choice.wanted = choice.fine->request;
  choice.wanted.row_begin = choice.wanted.column_begin = 22;
  choice.wanted.row_end = choice.wanted.column_end = 26;
  const StitchedTile made = stitched_tile(choice, {100, 100});
  REQUIRE(made.tile.values.rows() == 4);
  CHECK_FALSE(made.tile.pooled);
  CHECK(made.tile.values(0, 0) == 10);  // cell 22, 22
  CHECK_FALSE(made.rough[0]);
  CHECK(made.tile.values(3, 3) == 1022);  // cell 25, 25 is in block 2, 2
  CHECK(made.rough[15]);
}

TEST_CASE("map: the minimap is there while not everything is in sight, and goes where it is clicked") {
  MapBench bench(300);
  CHECK_FALSE(bench.robot().shows("focus.map"));
  bench.view().picture.regions[static_cast<std::size_t>(StageColumns::Tokens)] = {100, 160, 50, 110};
  bench.robot().frames(4);
  CHECK(bench.robot().value("focus.map.frame") == "rows 100–159, columns 50–109");
  const Rect map = bench.robot().widget("focus.map").rect,
             frame = bench.robot().widget("focus.map.frame").rect;
  CHECK_THAT(frame.y - map.y, WithinAbs(map.height / 3, 2));
  CHECK_THAT(frame.width, WithinAbs(map.width / 5, 2));
  // It is beside the cells.
  const Rect cells = bench.robot().widget("focus.weights.h0").rect;
  CHECK((map.x >= cells.right() || map.y >= cells.bottom()));

  const auto at = [&](double across, double down) {
    return ImVec2{static_cast<float>(map.x + map.width * across),
                  static_cast<float>(map.y + map.height * down)};
  };
  bench.robot().click_at(at(0.5, 0.25));
  CHECK(std::abs(bench.region().row - 45) <= 2);
  CHECK(std::abs(bench.region().column - 120) <= 3);
  CHECK(bench.region().rows() == 60);
  CHECK_FALSE(bench.view().selection.cell);
  bench.robot().stroke(at(0.5, 0.25), at(0.99, 0.99));
  CHECK(bench.region() == CellBlock{240, 300, 240, 300});
  bench.robot().key(Key::Num0);
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("focus.map"));
}

TEST_CASE("map: no more cells are asked for than have a pixel each") {
  MapBench bench(1024, 1400);
  bench.robot().frames(6);
  for (const char* name : {"focus.weights.h0", "stage.weights.h0", "stage.scores.h0"}) {
    INFO(name);
    HeatmapCache& cache = name[0] == 's' ? bench.state.strip.cache : bench.state.stages.cache;
    const PlannedCells& cells = cache.entry(name).plan.cells;
    CHECK(static_cast<double>(cells.rows) <= cells.rect.height + 0.5);
    CHECK(static_cast<double>(cells.columns) <= cells.rect.width + 0.5);
    CHECK(cells.rows >= 32);
  }
}
