// The layout of the strip at every size: nothing covers anything, lines end at pictures, and the lines are
// the dependencies of the stages.
#include "app/ui/pipeline/pipeline_plan.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/sessions.h"

using namespace headlight;
using headlight_test::lesson_session;

namespace {

// The room of a strip this large. text: size of the letters by their usual size.
PipelineArea room_of(double width, double height, double scale = 1, double text = 1) {
  const double size = scale * text;
  return {width, height, scale, 28 * size, 14 * size, 0, [size](const std::string& words) {
            return 6.5 * size * static_cast<double>(words.size());
          }};
}

PipelineArea usual_room() {
  return room_of(1240, 160);
}

PipelinePlan plan_of(const Session& session, const PipelineArea& room) {
  return plan_pipeline(session.layer,
                       strip_content(session.layer, session.lesson ? &*session.lesson : nullptr, {}), room);
}

struct Named {
  std::string name;
  Rect rect;
  bool text = false;  // a name, an operation, a setting or a matrix: no line crosses it
};

std::vector<Named> things(const PipelinePlan& plan) {
  std::vector<Named> all;
  for (const PipelineNode& node : plan.nodes) {
    const std::string name = node.stage       ? std::string(stage_info(*node.stage).name)
                             : node.parameter ? parameter_name(*node.parameter)
                                              : "X_k";
    all.push_back({name, node.place, node.parameter.has_value()});
    if (node.stage) all.push_back({"name of " + name, node.caption, true});
  }
  for (const PipelineSlot& slot : plan.slots)
    all.push_back({"setting", slot.place, true});
  for (const PipelineLabel& label : plan.labels)
    all.push_back({label.operation, label.place, true});
  if (plan.more) all.push_back({"+", *plan.more, true});
  return all;
}

constexpr double kRounding = 1.01;

bool inside(const Rect& rect, const Point& point) {
  return point.x > rect.x && point.x < rect.right() && point.y > rect.y && point.y < rect.bottom();
}

void check_apart(const PipelinePlan& plan, const PipelineArea& room) {
  const std::vector<Named> all = things(plan);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name);
    const Rect& rect = all[i].rect;
    const bool within = rect.x >= -kRounding && rect.y >= -kRounding &&
                        rect.right() <= room.width + kRounding &&
                        (plan.form == PipelineForm::Names || rect.bottom() <= room.height + kRounding);
    if (!within) CHECK(within);
    for (std::size_t j = 0; j < i; ++j) {
      INFO(all[j].name);
      const bool apart = !overlap(outset(rect, -kRounding / 2), outset(all[j].rect, -kRounding / 2));
      if (!apart) CHECK(apart);
    }
  }
}

const Rect* place_of(const PipelinePlan& plan, const StripSource& source) {
  for (const PipelineNode& node : plan.nodes)
    if (!node.parameter && node.stage == source) return &node.place;
  return nullptr;
}

// Points along a wire, closer together than the narrowest name.
std::vector<Point> samples(const PipelineWire& wire) {
  const std::vector<Point> corners = wire_points(wire);
  std::vector<Point> points = {corners.front()};
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const int steps = std::abs(corners[i].y - corners[i - 1].y) < 1 ? 32 : 2;  // of a curve: short pieces
    for (int step = 1; step <= steps; ++step) {
      const double t = static_cast<double>(step) / steps;
      points.push_back({corners[i - 1].x + (corners[i].x - corners[i - 1].x) * t,
                        corners[i - 1].y + (corners[i].y - corners[i - 1].y) * t});
    }
  }
  return points;
}

void check_wires(const PipelinePlan& plan) {
  const std::vector<Named> all = things(plan);
  for (const PipelineWire& wire : plan.wires) {
    INFO("to " << stage_info(wire.leads_to).name);
    const Rect *from = place_of(plan, wire.comes_from), *to = place_of(plan, wire.leads_to);
    REQUIRE(from);
    REQUIRE(to);
    const Point &begin = wire.path.front(), &end = wire.path.back();
    CHECK(begin.x == from->right());
    CHECK((begin.y >= from->y && begin.y <= from->bottom()));
    CHECK(std::abs(end.x - to->x) < 1);
    CHECK((end.y >= to->y && end.y <= to->bottom()));
    for (const Point& point : samples(wire))
      for (const Named& thing : all)
        if (inside(thing.rect, point)) {
          INFO(thing.name);
          CHECK_FALSE(inside(thing.rect, point));
        }
  }
}

// What a stage is computed from directly, from the engine's table.
StageSet direct_needs(const Layer& layer, Stage stage) {
  const bool weights = layer.attention.projection == Projection::Weights;
  if (weights && stage == Stage::Weights) return 0;
  const Parameter projections[] = {Parameter::Query, Parameter::Key, Parameter::Value};
  for (const Parameter parameter : projections)
    if (projected_stage(parameter) == stage && !layer.given[static_cast<std::size_t>(parameter)].empty())
      return 0;
  StageSet needs = stage_info(stage).needs & existing_stages(layer), direct = needs;
  for (std::size_t i = 0; i < kStageCount; ++i)
    for (std::size_t j = 0; j < kStageCount; ++j) {
      const auto earlier = static_cast<Stage>(i), later = static_cast<Stage>(j);
      const bool both = (needs & stage_bit(earlier)) && (needs & stage_bit(later));
      // The earlier one acts through the later one.
      if (i != j && both && (with_dependents(stage_bit(earlier)) & stage_bit(later)))
        direct &= ~stage_bit(earlier);
    }
  return direct;
}

void collect_shown(const Layer& layer, StageSet shown, Stage stage, StageSet& found) {
  const StageSet needs = direct_needs(layer, stage);
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const auto need = static_cast<Stage>(i);
    if (!(needs & stage_bit(need))) continue;
    if (shown & stage_bit(need))
      found |= stage_bit(need);
    else
      collect_shown(layer, shown, need, found);
  }
}

void check_topology(const Layer& layer, const PipelinePlan& plan) {
  StageSet shown = 0;
  for (const PipelineNode& node : plan.nodes)
    if (node.stage) shown |= stage_bit(*node.stage);
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    if (!(shown & stage_bit(stage))) continue;
    INFO(stage_info(stage).name);
    StageSet needed = 0, drawn = 0;
    collect_shown(layer, shown, stage, needed);
    for (const PipelineWire& wire : plan.wires)
      // The other sequence's embeddings are embeddings too.
      if (wire.leads_to == stage) drawn |= stage_bit(wire.comes_from.value_or(Stage::Embeddings));
    CHECK(drawn == needed);
  }
}

void check_plan(const Layer& layer, const PipelinePlan& plan, const PipelineArea& room) {
  if (plan.form == PipelineForm::List) {
    CHECK(plan.nodes.empty());
    CHECK(plan.wires.empty());
    return;
  }
  check_apart(plan, room);
  check_wires(plan);
  check_topology(layer, plan);
}

std::vector<Session> all_sessions() {
  std::vector<Session> sessions;
  for (const char* folder : {"/assets/lessons", "/assets/examples", "/tests/golden/layers"})
    for (const auto& entry : std::filesystem::directory_iterator(headlight_test::source_root() + folder))
      if (entry.path().extension() == ".headlight") sessions.push_back(load_session(entry.path()));
  return sessions;
}

// The usual settings, and everything at once.
StripContent everything(const Layer& layer) {
  return strip_content(layer, nullptr, {kAllStages, kAllParts});
}

}  // namespace

TEST_CASE("pipeline: at every size names are apart, lines end at pictures and say what depends on what") {
  const std::pair<double, double> sizes[] = {{512, 350},   {640, 480},   {800, 600},
                                             {1024, 700},  {1280, 800},  {1920, 1080},
                                             {2560, 1440}, {3840, 2160}, {7680, 4320}};
  const std::pair<double, double> scales[] = {{1, 1}, {1, 2}, {0.5, 1}, {2, 0.5}, {8, 3}};
  for (const Session& session : all_sessions()) {
    INFO(session.title);
    const Layer& layer = session.layer;
    const StripContent usual = strip_content(layer, session.lesson ? &*session.lesson : nullptr, {});
    const StripContent all = everything(layer);
    for (const auto& [width, height] : sizes)
      for (const auto& [scale, text] : scales) {
        INFO(width << " x " << height << " at " << scale << ", text " << text);
        const PipelineArea room = room_of(width - 40 * scale, height * 0.24, scale, text);
        check_plan(layer, plan_pipeline(layer, usual, room), room);
        check_plan(layer, plan_pipeline(layer, all, room), room);
        check_plan(layer, plan_names(layer, usual, room), room);
      }
  }
}

TEST_CASE("pipeline: every lesson has its pictures in the usual window and its names in a narrow one") {
  for (const Session& session : all_sessions()) {
    INFO(session.title);
    if (session.lesson) CHECK(plan_of(session, usual_room()).form == PipelineForm::Pictures);
    const PipelinePlan narrow = plan_of(session, room_of(760, 60));
    CHECK(narrow.form == PipelineForm::Names);
    CHECK(narrow.height <= 90);
  }
}

TEST_CASE("pipeline: in a narrow window some stages are left out, but not the chosen one") {
  const Layer layer = lesson_session("20-two-heads").layer;
  StripContent content = strip_content(layer, nullptr, {});
  const PipelineArea room = room_of(470, 60);
  const PipelinePlan plan = plan_pipeline(layer, content, room);
  REQUIRE(plan.form == PipelineForm::Names);
  CHECK(place_of(plan, Stage::Masked) == nullptr);
  CHECK(place_of(plan, Stage::Weights) != nullptr);
  check_plan(layer, plan, room);
  content.kept = stage_bit(Stage::Masked);
  const PipelinePlan kept = plan_pipeline(layer, content, room_of(520, 60));
  CHECK(place_of(kept, Stage::Masked) != nullptr);
  CHECK(plan_pipeline(layer, content, room_of(300, 60)).form == PipelineForm::List);
}

TEST_CASE("pipeline: every stage that is shown has its node") {
  for (const Session& session : all_sessions()) {
    INFO(session.title);
    const StripContent content = strip_content(session.layer, nullptr, {});
    const PipelinePlan plan = plan_pipeline(session.layer, content, usual_room());
    for (const Stage stage : stages_in_use(session.layer))
      CHECK((place_of(plan, stage) != nullptr) == content.shows(stage));
  }
}

TEST_CASE("pipeline: queries and keys meet in the scores, and values go round to the context") {
  const Session session = lesson_session("20-two-heads");
  for (const PipelineArea& room : {usual_room(), room_of(700, 90)}) {
    const PipelinePlan plan = plan_of(session, room);
    const auto leads = [&](Stage from, Stage to) {
      return std::count_if(plan.wires.begin(), plan.wires.end(), [&](const PipelineWire& wire) {
        return wire.comes_from == from && wire.leads_to == to;
      });
    };
    CHECK(leads(Stage::Queries, Stage::Scores) == 1);
    CHECK(leads(Stage::Keys, Stage::Scores) == 1);
    CHECK(leads(Stage::Values, Stage::Context) == 1);
    CHECK(leads(Stage::Weights, Stage::Context) == 1);
    CHECK(leads(Stage::Queries, Stage::Keys) == 0);
    CHECK(leads(Stage::Values, Stage::Scores) == 0);
  }
}

TEST_CASE("pipeline: without projections the embeddings are multiplied with themselves, and mixed") {
  const PipelinePlan plan = plan_of(lesson_session("00-why-attention"), usual_room());
  CHECK(std::count_if(plan.wires.begin(), plan.wires.end(), [](const PipelineWire& wire) {
          return wire.comes_from == Stage::Embeddings && wire.leads_to == Stage::Scores;
        }) == 2);
  CHECK(std::any_of(plan.labels.begin(), plan.labels.end(),
                    [](const PipelineLabel& label) { return label.operation == "X Xᵀ"; }));
  CHECK(plan.slots.empty());
}

TEST_CASE("pipeline: heads stand in the middle of their place, as large as it allows") {
  const Session session = lesson_session("20-two-heads");
  PipelineArea room = usual_room();
  const auto scores = [&] { return *place_of(plan_of(session, room), Stage::Scores); };
  const Rect both = scores();
  CHECK(both.width > 1.9 * both.height);
  room.heads = 1;
  const Rect one = scores();
  CHECK(one.width == one.height);
  CHECK(one.height >= both.height);
  CHECK(std::abs(one.y + one.height / 2 - (both.y + both.height / 2)) <= 1);
}

TEST_CASE("pipeline: wide windows spread the diagram over their width") {
  for (const char* lesson : {"00-why-attention", "11-scaled-scores", "20-two-heads"})
    for (const double width : {1240.0, 2520.0, 7640.0}) {
      INFO(lesson << " in " << width);
      CHECK(plan_of(lesson_session(lesson), room_of(width, 300)).width > 0.97 * width);
    }
}
