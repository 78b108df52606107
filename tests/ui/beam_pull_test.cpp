// Beams of the flow view that are pulled: to another key, wider, and where that is not possible.
#include <chrono>
#include <cmath>
#include <thread>

#include "app/ui/views/stages_panel.h"
#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct BeamBench {
  StagesPanelState stages;
  PanelFixture fixture;

  explicit BeamBench(Session session)
      : fixture(without_lesson(std::move(session)), [this](UiContext& ui) {
          ui.view.focus_view = FocusView::Flow;
          ui.view.selection.hovered.last = std::exchange(ui.view.selection.hovered.now, std::nullopt);
          stages_panel(ui, stages);
        }) {
    robot().frames(6);
  }

  static Session without_lesson(Session session) {
    session.lesson.reset();
    session.layer.attention.mask = MaskKind::Causal;
    return session;
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const Layer& layer() { return fixture.layer(); }
  float weight(Index query, Index key) { return evaluate(layer()).matrix(Stage::Weights, 0, 0)(query, key); }

  // A point of the line, 0 at the query and 1 at the key.
  ImVec2 on_line(int query, int key, float share) {
    const Rect lines = robot().widget("flow.lines").rect;
    const float from = robot().middle_of("flow.query." + std::to_string(query)).y,
                to = robot().middle_of("flow.key." + std::to_string(key)).y;
    const Point on =
        point_on(level_curve({lines.x, double{from}}, {lines.right(), double{to}}), double{share});
    return {static_cast<float>(on.x), static_cast<float>(on.y)};
  }
  // A point of the line as it is drawn: beside the middles of its tokens, whose other lines have room too.
  ImVec2 on_drawn_line(int query, int key, float share) {
    const ImVec2 middle = on_line(query, key, share);
    for (float aside = 0; aside < 40; aside += 1)
      for (const float y : {middle.y - aside, middle.y + aside}) {
        robot().move_to({middle.x, y});
        robot().frames(2);
        const auto& hovered = fixture.view().selection.hovered.last;
        if (hovered && hovered->row == query && hovered->column == key) return {middle.x, y};
      }
    FAIL("the line is not drawn");
    return middle;
  }
  void settle() {
    for (int i = 0; i < 3000 && (i < 4 || stages.flow.pull.pulls()); ++i) {
      robot().frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    robot().frames(4);
  }
  void pull(ImVec2 from, ImVec2 to) {
    robot().stroke(from, to);
    settle();
  }
};

}  // namespace

TEST_CASE("beams: an end that is pulled to another key moves its weight there, as one undo step") {
  BeamBench bench(lesson_session("16-causal-mask"));
  const Layer before = bench.layer();
  const float weight = bench.weight(5, 0), other = bench.weight(5, 3);
  const ImVec2 to = {bench.on_line(5, 0, 0.95f).x, bench.robot().middle_of("flow.key.3").y};
  bench.pull(bench.on_drawn_line(5, 0, 0.9f), to);
  CHECK(std::abs(bench.weight(5, 3) - (weight + other)) < 0.05f);
  CHECK(bench.weight(5, 0) < 0.05f);
  CHECK(bench.robot().value("flow.pull").find("most moved: W_") != std::string::npos);
  CHECK(bench.layer().embeddings == before.embeddings);
  CHECK(bench.layer().weights.matrix(Parameter::Value) == before.weights.matrix(Parameter::Value));
  CHECK(bench.fixture.document().undo_name() == "Pull beam");
  bench.fixture.document().undo();
  CHECK(bench.layer().weights.matrices == before.weights.matrices);
  bench.robot().frames(3);
  CHECK_FALSE(bench.robot().shows("flow.pull"));
}

TEST_CASE("beams: a beginning that is pulled up makes its beam wider") {
  BeamBench bench(lesson_session("16-causal-mask"));
  const float before = bench.weight(4, 0);
  const ImVec2 from = bench.on_line(4, 0, 0.45f);
  bench.pull(from, {from.x, from.y - 40});
  INFO(bench.robot().value("flow.pull"));
  CHECK(bench.weight(4, 0) > before + 0.15f);
}

TEST_CASE("beams: what may move is chosen, and a closed pair is told") {
  BeamBench bench(lesson_session("16-causal-mask"));
  bench.robot().click("flow.pull.parts");
  bench.robot().frames(2);
  bench.robot().click("flow.pull.part.query");
  bench.robot().frames(2);
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  const Layer before = bench.layer();
  const ImVec2 to = {bench.on_line(3, 0, 0.95f).x, bench.robot().middle_of("flow.key.2").y};
  bench.pull(bench.on_line(3, 0, 0.9f), to);
  CHECK(bench.layer().weights.matrix(Parameter::Query) == before.weights.matrix(Parameter::Query));
  CHECK_FALSE(bench.layer().weights.matrix(Parameter::Key) == before.weights.matrix(Parameter::Key));
  const Layer moved = bench.layer();
  bench.pull(bench.on_line(2, 0, 0.92f), {to.x, bench.robot().middle_of("flow.key.5").y});
  CHECK(bench.robot().value("flow.pull").find("closes this pair") != std::string::npos);
}

TEST_CASE("beams: a wish that one dimension cannot fulfil ends with how near it came") {
  Session session = lesson_session("16-causal-mask");
  Layer& layer = session.layer;
  layer.attention.num_heads = 1;
  layer.attention.d_out = 1;
  layer.embeddings = {Matrix::Constant(6, 1, 1)};
  for (Matrix& weights : layer.weights.matrices)
    weights = Matrix::Constant(1, 1, 0.5f);
  layer.attention.qkv_bias = false;
  layer.attention.output_projection = false;
  BeamBench bench(std::move(session));
  const ImVec2 from = bench.on_line(5, 2, 0.45f);
  bench.pull(from, {from.x, from.y - 80});
  INFO(bench.robot().value("flow.pull"));
  CHECK(bench.robot().value("flow.pull").find("the nearest that W_query and W_key allow") !=
        std::string::npos);
  CHECK(std::abs(bench.weight(5, 2) - 1 / 6.0f) < 1e-4f);
}

TEST_CASE("beams: a click selects its line, and pulls nothing") {
  BeamBench bench(lesson_session("16-causal-mask"));
  const std::uint64_t before = bench.fixture.document().revision();
  bench.robot().click_at(bench.on_line(5, 0, 0.8f));
  bench.settle();
  CHECK(bench.fixture.view().selection.cell);
  CHECK(bench.fixture.document().revision() == before);
}
