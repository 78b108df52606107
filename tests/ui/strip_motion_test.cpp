// The strip while a stage is added or removed, at every time.
#include "app/ui/pipeline/strip_motion.h"

#include <algorithm>
#include <cmath>

#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/ui/support/centre.h"
#include "tests/ui/support/sessions.h"

using namespace headlight;
using headlight_test::CentrePanel;
using headlight_test::lesson_session;
using headlight_test::WithinAbs;

namespace {

PipelinePlan plan_of(const Layer& layer, double width = 1240, double height = 160) {
  const PipelineArea room = {width, height, 1, 28, 14, 0, [](const std::string& words) {
                               return 6.5 * static_cast<double>(words.size());
                             }};
  StripContent content = strip_content(layer, nullptr, {});
  return plan_pipeline(layer, content, room);
}

struct Addition {
  const char* name;
  Layer before, after;
};

// What can be added to a layer, one after the other.
std::vector<Addition> additions() {
  std::vector<Addition> all;
  Layer layer = lesson_session("11-scaled-scores").layer;
  const auto add = [&](const char* name, const auto& change) {
    Layer next = layer;
    change(next.attention);
    all.push_back({name, layer, next});
    layer = next;
  };
  add("mask", [](AttentionSettings& a) { a.mask = MaskKind::Causal; });
  add("rotary", [](AttentionSettings& a) { a.position.kind = PositionKind::Rotary; });
  add("dropout", [](AttentionSettings& a) { a.dropout.probability = 0.3; });
  return all;
}

const PipelineNode* node_of(const PipelinePlan& plan, Stage stage) {
  for (const PipelineNode& node : plan.nodes)
    if (node.stage == stage) return &node;
  return nullptr;
}

double far(const Rect& a, const Rect& b) {
  return std::max({std::abs(a.x - b.x), std::abs(a.y - b.y), std::abs(a.right() - b.right()),
                   std::abs(a.bottom() - b.bottom())});
}

// The largest way of anything from one moment to another of the same diagrams.
double way(const StripMoment& a, const StripMoment& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.plan.nodes.size(); ++i)
    most = std::max({most, far(a.plan.nodes[i].place, b.plan.nodes[i].place),
                     far(a.plan.nodes[i].caption, b.plan.nodes[i].caption)});
  for (std::size_t i = 0; i < a.plan.labels.size(); ++i)
    most = std::max(most, far(a.plan.labels[i].place, b.plan.labels[i].place));
  for (std::size_t i = 0; i < a.plan.slots.size(); ++i)
    most = std::max(most, far(a.plan.slots[i].place, b.plan.slots[i].place));
  for (std::size_t i = 0; i < a.plan.wires.size(); ++i)
    for (std::size_t k = 0; k < a.plan.wires[i].path.size(); ++k) {
      const Point &p = a.plan.wires[i].path[k], &q = b.plan.wires[i].path[k];
      most = std::max(most, std::hypot(p.x - q.x, p.y - q.y));
    }
  for (std::size_t i = 0; i < a.leaving.size(); ++i)
    most = std::max(most, far(a.leaving[i].place, b.leaving[i].place));
  return most;
}

}  // namespace

TEST_CASE("strip motion: it begins where things were and ends where they are to be") {
  for (const Addition& addition : additions())
    for (const bool added : {true, false}) {
      INFO(addition.name << (added ? " added" : " removed"));
      const PipelinePlan before = plan_of(added ? addition.before : addition.after),
                         after = plan_of(added ? addition.after : addition.before);
      REQUIRE_FALSE(same_parts(before, after));
      const StripMoment first = strip_at(before, after, 0), last = strip_at(before, after, kStripSeconds);
      for (std::size_t i = 0; i < after.nodes.size(); ++i) {
        const PipelineNode* then = same_node(before, after.nodes[i]);
        if (then) CHECK(far(first.plan.nodes[i].place, then->place) < 1e-9);
        if (!then) CHECK(first.plan.nodes[i].place.width == 0);
        CHECK(first.nodes[i] == (then ? 1 : 0));
        CHECK(far(last.plan.nodes[i].place, after.nodes[i].place) < 1e-9);
        CHECK(far(last.plan.nodes[i].caption, after.nodes[i].caption) < 1e-9);
        CHECK(last.nodes[i] == 1);
      }
      for (std::size_t i = 0; i < after.wires.size(); ++i)
        for (std::size_t k = 0; k < after.wires[i].path.size(); ++k)
          CHECK(std::abs(last.plan.wires[i].path[k].x - after.wires[i].path[k].x) < 1e-9);
      CHECK(first.leaving.size() == last.leaving.size());
      for (const PipelineNode& node : first.leaving)
        CHECK(far(node.place, same_node(before, node)->place) < 1e-9);
      for (const PipelineNode& node : last.leaving)
        CHECK_THAT(node.place.width, WithinAbs(0, 1e-9));
      CHECK(last.arrived == 1);
    }
}

TEST_CASE("strip motion: nothing jumps, whatever is added or removed") {
  constexpr int kSteps = 400;
  for (const Addition& addition : additions())
    for (const bool added : {true, false}) {
      INFO(addition.name << (added ? " added" : " removed"));
      const PipelinePlan before = plan_of(added ? addition.before : addition.after),
                         after = plan_of(added ? addition.after : addition.before);
      StripMoment last = strip_at(before, after, 0);
      double most = 0;
      for (int i = 1; i <= kSteps; ++i) {
        const StripMoment now = strip_at(before, after, kStripSeconds * i / kSteps);
        most = std::max(most, way(last, now));
        CHECK(now.arrived >= last.arrived);
        last = now;
      }
      CHECK(most > 0.01);
      CHECK(most < 3);  // of hundreds of pixels
    }
}

TEST_CASE("strip motion: a wire ends at its boxes at every time, and boxes do not overtake one another") {
  for (const Addition& addition : additions()) {
    INFO(addition.name);
    const PipelinePlan before = plan_of(addition.before), after = plan_of(addition.after);
    for (const double share : {0.0, 0.1, 0.35, 0.5, 0.8, 0.99}) {
      const StripMoment now = strip_at(before, after, share * kStripSeconds);
      for (const PipelineWire& wire : now.plan.wires) {
        if (!wire.comes_from) continue;
        const Rect &from = node_of(now.plan, *wire.comes_from)->place,
                   &to = node_of(now.plan, wire.leads_to)->place;
        CHECK_THAT(wire.path.front().x, WithinAbs(from.right(), 1e-6));
        CHECK(wire.path.front().y >= from.y - 1e-6);
        CHECK(wire.path.front().y <= from.bottom() + 1e-6);
        CHECK_THAT(wire.path.back().x, WithinAbs(to.x, 1e-6));
        CHECK(wire.path.back().y >= to.y - 1e-6);
        CHECK(wire.path.back().y <= to.bottom() + 1e-6);
        CHECK(to.x >= from.right() - 1e-6);
      }
    }
  }
}

TEST_CASE("strip motion: a stage grows on the line that it parts, which is there from the beginning") {
  const Addition mask = additions().front();
  const PipelinePlan before = plan_of(mask.before), after = plan_of(mask.after);
  REQUIRE_FALSE(node_of(before, Stage::Masked));
  const StripMoment first = strip_at(before, after, 0), half = strip_at(before, after, kStripSeconds / 2);
  const Rect begins = node_of(first.plan, Stage::Masked)->place,
             grows = node_of(half.plan, Stage::Masked)->place, is = node_of(after, Stage::Masked)->place;
  CHECK(begins.x > node_of(before, Stage::Scaled)->place.right());
  CHECK(begins.x < node_of(before, Stage::Weights)->place.x);
  CHECK_THAT(grows.width, WithinAbs(is.width / 2, 1e-6));
  CHECK_THAT(grows.height, WithinAbs(is.height / 2, 1e-6));
  for (std::size_t i = 0; i < after.wires.size(); ++i)
    if (after.wires[i].leads_to == Stage::Masked || after.wires[i].comes_from == StripSource(Stage::Masked))
      CHECK(first.wires[i] == 1);
  for (const PipelineWire& wire : before.wires)
    if (wire.leads_to == Stage::Weights) CHECK_THAT(begins.y, WithinAbs(wire.path.front().y, 1e-6));
}

TEST_CASE("strip motion: a change on the way goes on from where everything is") {
  const std::vector<Addition> all = additions();
  const PipelinePlan first = plan_of(all[0].before), second = plan_of(all[0].after),
                     third = plan_of(all[1].after);
  const StripMoment on_the_way = strip_at(first, second, kStripSeconds * 0.4),
                    goes_on = strip_at(on_the_way.plan, third, 0);
  for (const PipelineNode& node : on_the_way.plan.nodes) {
    const PipelineNode* now = same_node(goes_on.plan, node);
    REQUIRE(now);
    CHECK(far(now->place, node.place) < 1e-9);
  }
}

namespace {

struct StripPanel : CentrePanel {
  explicit StripPanel(const std::string& lesson, bool motion = true, ImVec2 size = {1264, 800})
      : CentrePanel(lesson_session(lesson), size) {
    fixture.preferences().motion = motion;
    robot().copy_frames();
    robot().rest(1);
    robot().frames(60);
  }
  void mask(MaskKind kind) {
    AttentionSettings settings = fixture.layer().attention;
    settings.mask = kind;
    fixture.document().run(SetAttention{settings});
  }
  bool moves() const { return state.strip.motion.moves(); }
  // All that was drawn in the last frame.
  std::vector<float> drawn() {
    std::vector<float> all;
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int i = 0; i < data.CmdListsCount; ++i)
      for (const ImDrawVert& vertex : data.CmdLists[i]->VtxBuffer)
        all.insert(all.end(), {vertex.pos.x, vertex.pos.y, static_cast<float>(vertex.col)});
    return all;
  }
};

}  // namespace

TEST_CASE("strip motion: an added stage moves the strip for a moment, and nothing asks for frames then") {
  StripPanel panel("11-scaled-scores");
  CHECK_FALSE(panel.moves());
  panel.mask(MaskKind::Causal);
  panel.robot().frames(2);
  REQUIRE(panel.moves());
  CHECK(panel.fixture.view().lesson.fading);
  CHECK(panel.robot().shows("stage.masked"));  // where it is to stand, it can be clicked
  panel.robot().frames(30);
  CHECK_FALSE(panel.moves());
  panel.robot().rest(1);
  panel.robot().frames(2);
  CHECK_FALSE(panel.fixture.wakes_within());
}

TEST_CASE("strip motion: without motion a stage is there at once, and with it in the end the same is drawn") {
  // What is drawn two frames after the change, and at rest.
  const auto drawn = [](bool motion) {
    StripPanel panel("11-scaled-scores", motion);
    panel.mask(MaskKind::Causal);
    panel.robot().frames(2);
    CHECK(panel.moves() == motion);
    const std::vector<float> soon = panel.drawn();
    panel.robot().frames(60);
    panel.robot().rest(1);
    panel.robot().frames(2);
    return std::pair(soon, panel.drawn());
  };
  const auto moving = drawn(true), still = drawn(false);
  CHECK(moving.second == still.second);
  CHECK(moving.first != still.first);
}
