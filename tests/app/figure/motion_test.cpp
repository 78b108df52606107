// Computations as pictures that move: at rest, on the way and at the end, in rooms of every size.
#include <algorithm>
#include <functional>
#include <numeric>

#include "app/figure/motion/joining_motion.h"
#include "app/figure/motion/mixing_motion.h"
#include "app/figure/motion/product_motion.h"
#include "app/figure/motion/row_motion.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

const FigureStyle kStyle = FigureStyle::dark();
const MeasureText kMeasure = plain_measure;

struct Size {
  double width = 620, height = 420;
};

MotionRoom room_of(Size size) {
  return {kStyle, size.width, size.height, kMeasure};
}

MotionMatrix matrix(const std::string& name, Index rows, Index columns) {
  const Index most = 40;
  MotionMatrix made{name, std::min(rows, most), std::min(columns, most), {}};
  made.colors.assign(static_cast<std::size_t>(made.rows * made.columns), Color{80, 120, 160, 255});
  return made;
}

std::vector<float> numbers(Index count, float from = -1, float to = 1) {
  std::vector<float> made;
  for (Index i = 0; i < count; ++i)
    made.push_back(from + (to - from) * static_cast<float>((i * 37) % 101) / 100.0F);
  return made;
}

CellColors colors_to(double high) {
  CellColors colors;
  colors.range = {-high, high};
  return colors;
}

ProductMotion product(Index pairs, bool bias = false) {
  ProductMotion motion;
  motion.left = matrix("Q", 6, pairs);
  motion.right = matrix("Kᵀ", pairs, 6);
  motion.result = matrix("scores", 6, 6);
  motion.left_row = motion.row = 2;
  motion.right_column = motion.column = 4;
  const std::vector<float> left = numbers(pairs), right = numbers(pairs, -0.5F, 2);
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    motion.terms.push_back({left[i], right[i]});
    sum += static_cast<double>(motion.terms.back().product());
  }
  if (bias) motion.bias = 0.25F;
  motion.value = static_cast<float>(sum + (bias ? 0.25 : 0));
  motion.left_colors = motion.right_colors = motion.result_colors = colors_to(2);
  motion.left_name = "q of starts (2)";
  motion.right_name = "k of one (4)";
  motion.result_name = "scores of starts (2) and one (4)";
  return motion;
}

RowMotion row(RowOperation operation, Index keys) {
  RowMotion motion;
  motion.operation = operation;
  motion.before = matrix("scores", keys, keys);
  motion.after = matrix("after", keys, keys);
  motion.row = std::min<Index>(1, motion.before.rows - 1);
  motion.from = numbers(keys);
  motion.to = numbers(keys, 0, 1);
  motion.marks.assign(motion.from.size(), CellMark::None);
  motion.total = motion.allowed = keys;
  motion.labels = tokens(keys);
  motion.from_colors = motion.to_colors = colors_to(1);
  motion.query = "journey (1)";
  motion.how = "× 0.7071";
  motion.why = "Every score is multiplied by 0.7071";
  motion.raised = numbers(keys, 0.1F, 1);
  motion.sum = std::accumulate(motion.raised.begin(), motion.raised.end(), 0.0F);
  motion.raised_known = keys <= 64;
  if (operation == RowOperation::Softmax)
    for (std::size_t i = 0; i < motion.to.size(); ++i)
      motion.to[i] = motion.raised[i] / motion.sum;
  const CellMark mark = operation == RowOperation::Dropout ? CellMark::Dropped : CellMark::Masked;
  if (operation != RowOperation::Each)
    for (Index i = 2; i < keys; i += 3) {
      motion.marks[static_cast<std::size_t>(i)] = mark;
      motion.to[static_cast<std::size_t>(i)] = operation == RowOperation::Mask ? -INFINITY : 0.0F;
      if (mark == CellMark::Masked) motion.raised[static_cast<std::size_t>(i)] = 0, --motion.allowed;
    }
  return motion;
}

MixingMotion mixing(Index width, std::size_t parts) {
  MixingMotion motion;
  motion.weights = matrix("weights", 6, 6);
  motion.values = matrix("V", 6, width);
  motion.context = matrix("context", 6, width);
  motion.row = 3;
  for (std::size_t i = 0; i < parts; ++i)
    motion.parts.push_back({static_cast<Index>(i % 6), static_cast<Index>(i % 6),
                            0.5F / static_cast<float>(i + 1), numbers(width),
                            "token (" + std::to_string(i) + ")"});
  motion.others = 34;
  motion.others_weight = 0.031F;
  motion.result = numbers(width);
  motion.weight_colors = motion.value_colors = motion.context_colors = colors_to(1);
  motion.query = "with (3)";
  return motion;
}

JoiningMotion joining(Index heads, Index width) {
  JoiningMotion motion;
  motion.joined = matrix("concat", 6, heads * width);
  for (Index head = 0; head < heads; ++head) {
    motion.heads.push_back(matrix("head " + std::to_string(head), 6, width));
    motion.rows.push_back(numbers(width));
    motion.off.push_back(head == 1);
    motion.colors.push_back(colors_to(1));
    motion.marks.push_back(kStyle.series[static_cast<std::size_t>(head) % kStyle.series.size()]);
    motion.names.push_back("head " + std::to_string(head));
  }
  motion.joined_colors = colors_to(1);
  motion.query = "with (3)";
  return motion;
}

struct Kind {
  std::string name;
  std::function<MotionPlan(const MotionRoom&)> plan;
};

// Every kind of motion with so many numbers in a row.
std::vector<Kind> kinds(Index count) {
  std::vector<Kind> all;
  all.push_back({"product", [count](const MotionRoom& r) { return plan_product(product(count), r); }});
  all.push_back({"product with a bias",
                 [count](const MotionRoom& r) { return plan_product(product(count, true), r); }});
  for (const auto& [name, operation] :
       {std::pair{"each", RowOperation::Each}, std::pair{"mask", RowOperation::Mask},
        std::pair{"softmax", RowOperation::Softmax}, std::pair{"dropout", RowOperation::Dropout}})
    all.push_back({name, [count, what = operation](const MotionRoom& r) {
                     return plan_row_motion(row(what, count), r);
                   }});
  all.push_back(
      {"mixing", [count](const MotionRoom& r) { return plan_mixing(mixing(count, fitting_parts(r)), r); }});
  const Index heads = std::max<Index>(1, count / 3);
  all.push_back({"joining", [heads](const MotionRoom& r) {
                   return plan_joining(joining(std::min<Index>(heads, 48), 3), r);
                 }});
  return all;
}

const std::vector<Size> kSizes = {{1, 1},     {40, 30},   {160, 90},  {300, 200},
                                  {620, 420}, {900, 300}, {400, 900}, {3840, 2000}};
const std::vector<Index> kCounts = {1, 2, 3, 6, 12, 40, 64, 300, 2048};

Rect extent(const MotionShape& shape) {
  if (shape.actor->kind != MotionActor::Kind::Text) return shape.place;
  const TextSize size = plain_measure(shape.actor->text, shape.actor->size_px, shape.actor->face);
  const double middle = shape.place.x + shape.place.width / 2;
  const double left = shape.actor->anchor == Anchor::Start    ? middle
                      : shape.actor->anchor == Anchor::Middle ? middle - size.width / 2
                                                              : middle - size.width;
  return {left, shape.place.y + shape.place.height / 2 - size.height / 2, size.width, size.height};
}

bool within(const Rect& rect, Size size) {
  constexpr double kRounding = 1.5;
  return std::isfinite(rect.x) && std::isfinite(rect.y) && rect.width >= -1e-9 && rect.height >= -1e-9 &&
         rect.x >= -kRounding && rect.y >= -kRounding && rect.right() <= size.width + kRounding &&
         rect.bottom() <= size.height + kRounding;
}

bool has_text(const std::vector<MotionShape>& shapes, const std::string& text) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const MotionShape& shape) { return shape.actor->text == text; });
}

void each_plan(const std::function<void(const MotionPlan&, Size, const std::string&)>& check) {
  for (const Size size : kSizes)
    for (const Index count : kCounts)
      for (const Kind& kind : kinds(count))
        check(kind.plan(room_of(size)), size,
              kind.name + " of " + std::to_string(count) + " in " + std::to_string(size.width) + " x " +
                  std::to_string(size.height));
}

}  // namespace

TEST_CASE("motion: in rooms of every size every shape is in the room, at any time") {
  each_plan([](const MotionPlan& plan, Size size, const std::string& name) {
    INFO(name);
    REQUIRE_FALSE(plan.empty());
    std::size_t outside = 0;
    for (const PlannedFill& fill : plan.rest.fills)
      outside += within(fill.rect, size) ? 0 : 1;
    for (const double t : {0.0, 0.1, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0})
      for (const MotionShape& shape : shapes_at(plan, t))
        outside += within(extent(shape), size) ? 0 : 1;
    CHECK(outside == 0);
  });
}

TEST_CASE("motion: it begins with the picture at rest and ends with the result alone") {
  each_plan([](const MotionPlan& plan, Size, const std::string& name) {
    INFO(name);
    CHECK(shapes_at(plan, 0).empty());
    CHECK(shapes_at(plan, -1).empty());
    const std::vector<MotionShape> end = shapes_at(plan, 1), beyond = shapes_at(plan, 2);
    CHECK(end.size() == beyond.size());
    // What has come to its place stays; nothing is on its way.
    for (const MotionShape& shape : end)
      CHECK(shape.actor->keys.back().place == shape.place);
  });
}

TEST_CASE("motion: cells of matrices are square, and a larger room is the matrices'") {
  const ProductMotion motion = product(16);
  double share = 0;
  for (const Size size : {Size{620, 420}, Size{1600, 900}}) {
    const MotionPlan plan = plan_product(motion, room_of(size));
    REQUIRE(plan.rest.boxes.size() >= 3);
    for (std::size_t i = 0; const MotionMatrix* shape : {&motion.left, &motion.right, &motion.result}) {
      const Rect& place = plan.rest.boxes[i++].rect;
      CHECK_THAT(place.width / static_cast<double>(shape->columns),
                 WithinAbs(place.height / static_cast<double>(shape->rows), 1e-9));
    }
    CHECK(plan.result == plan.rest.boxes[2].rect);
    const double now = plan.rest.boxes[1].rect.height / size.height;
    CHECK(now > share);
    share = now;
  }
  CHECK(share > 0.6);
}

TEST_CASE("motion: the keys of every actor are in order, and the steps end with the motion") {
  each_plan([](const MotionPlan& plan, Size, const std::string& name) {
    INFO(name);
    std::size_t disordered = 0;
    for (const MotionActor& actor : plan.actors) {
      REQUIRE_FALSE(actor.keys.empty());
      for (std::size_t i = 1; i < actor.keys.size(); ++i)
        disordered += actor.keys[i - 1].t < actor.keys[i].t ? 0 : 1;
      disordered += actor.keys.back().t <= 1 ? 0 : 1;
    }
    CHECK(disordered == 0);
    for (std::size_t i = 1; i < plan.steps.size(); ++i)
      CHECK(plan.steps[i - 1].end < plan.steps[i].end);
    CHECK(plan.steps.back().end == 1);
    CHECK((plan.seconds >= 1 && plan.seconds <= 3));
  });
}

TEST_CASE("motion: nothing jumps from one frame to the next") {
  for (const Size size : {Size{300, 200}, Size{620, 420}})
    for (const Index count : {1, 6, 64})
      for (const Kind& kind : kinds(count)) {
        INFO(kind.name << " of " << count);
        const MotionPlan plan = kind.plan(room_of(size));
        const double frame = 1 / (60 * plan.seconds), far = 0.2 * std::hypot(size.width, size.height);
        double longest = 0, brightest = 0;
        std::vector<MotionShape> earlier;
        for (double t = 0; t <= 1; t += frame) {
          const std::vector<MotionShape> now = shapes_at(plan, t);
          for (const MotionShape& shape : now) {
            const auto same = std::find_if(earlier.begin(), earlier.end(),
                                           [&](const MotionShape& old) { return old.actor == shape.actor; });
            if (same == earlier.end()) {
              brightest = std::max(brightest, shape.color.a / 255.0);
              continue;
            }
            longest =
                std::max({longest, std::hypot(shape.place.x - same->place.x, shape.place.y - same->place.y),
                          std::abs(shape.place.width - same->place.width),
                          std::abs(shape.place.height - same->place.height)});
            brightest = std::max(brightest, std::abs(shape.color.a - same->color.a) / 255.0);
          }
          earlier = now;
        }
        CHECK(longest <= far);
        CHECK(brightest <= 0.4);
      }
}

TEST_CASE("motion: a dot product writes its numbers, the products, and the value where it falls") {
  const ProductMotion motion = product(3);
  const MotionPlan plan = plan_product(motion, room_of({}));
  const std::vector<MotionShape> lifted = shapes_at(plan, 0.36), multiplied = shapes_at(plan, 0.64);
  for (const Term& term : motion.terms) {
    CHECK(has_text(lifted, number_text(term.left, 4)));
    CHECK(has_text(lifted, number_text(term.right, 4)));
    CHECK_FALSE(has_text(lifted, number_text(term.product(), 4)));
    CHECK(has_text(multiplied, number_text(term.product(), 4)));
  }
  CHECK(has_text(shapes_at(plan, 1), "= " + number_text(motion.value, 4)));
  CHECK_THAT(plan.steps[2].caption, ContainsSubstring(number_text(motion.value, 4)));
  CHECK_THAT(plan.steps[0].caption, ContainsSubstring("3 pairs"));
}

TEST_CASE("motion: long rows are summed in groups, whose sums make the value, and the caption says so") {
  const ProductMotion motion = product(2048);
  const MotionPlan plan = plan_product(motion, room_of({}));
  CHECK_THAT(plan.steps[1].caption, ContainsSubstring("2,048 products, summed in "));
  double sum = 0;
  std::size_t groups = 0;
  for (const MotionShape& shape : shapes_at(plan, 0.63)) {
    if (shape.actor->kind != MotionActor::Kind::Text || shape.actor->face != FontFace::Number) continue;
    std::string text = shape.actor->text;
    if (text.rfind("−", 0) == 0) text = "-" + text.substr(std::string("−").size());
    sum += std::stod(text);
    ++groups;
  }
  CHECK_THAT(plan.steps[1].caption, ContainsSubstring("in " + std::to_string(groups) + " groups"));
  CHECK_THAT(sum, WithinAbs(static_cast<double>(motion.value), 0.006 * static_cast<double>(groups)));
}

TEST_CASE("motion: the bars of softmax pour into one bar of length 1") {
  const RowMotion motion = row(RowOperation::Softmax, 6);
  const MotionPlan plan = plan_row_motion(motion, room_of({}));
  double covered = 0, high = 0;
  for (const MotionShape& shape : shapes_at(plan, 0.78))
    if (shape.actor->kind == MotionActor::Kind::Cell && shape.actor->keys.front().t == kLifted) {
      covered += shape.place.width + 1;
      high = std::max(high, shape.place.height);
    }
  const MotionRoom room = room_of({});
  const MotionMaker maker(room);
  CHECK(covered <= maker.work().width + 1);
  CHECK(covered >= maker.work().width * 0.6);  // the labels of the lines are beside it
  // Before that the bars are as high as the exponentials.
  std::vector<double> heights;
  for (const MotionShape& shape : shapes_at(plan, 0.49))
    if (shape.actor->kind == MotionActor::Kind::Cell && shape.actor->keys.front().t == kLifted)
      heights.push_back(shape.place.height);
  REQUIRE(heights.size() == 4);
  CHECK_THAT(heights[1] / heights[0],
             WithinAbs(static_cast<double>(motion.raised[1] / motion.raised[0]), 0.01));
  for (const std::size_t i : {0, 1, 3, 4})
    CHECK(has_text(shapes_at(plan, 0.5), number_text(motion.raised[i], 4)));
  CHECK_FALSE(has_text(shapes_at(plan, 0.5), number_text(motion.raised[2], 4)));
}

TEST_CASE("motion: masked numbers are gone before anything is counted, dropped ones before others grow") {
  const MotionPlan mask = plan_row_motion(row(RowOperation::Mask, 6), room_of({}));
  const auto cells = [](const MotionPlan& plan, double t) {
    const std::vector<MotionShape> shapes = shapes_at(plan, t);
    return std::count_if(shapes.begin(), shapes.end(), [](const MotionShape& shape) {
      return shape.actor->kind == MotionActor::Kind::Cell;
    });
  };
  CHECK(cells(mask, 0.34) == 6);
  CHECK(cells(mask, 0.57) == 8);  // four stay, and four leave to be counted
  CHECK_THAT(mask.steps[1].caption, ContainsSubstring("2 keys"));
  CHECK_THAT(mask.steps[2].caption, ContainsSubstring("4 keys are counted"));
  const MotionPlan dropout = plan_row_motion(row(RowOperation::Dropout, 6), room_of({}));
  CHECK(cells(dropout, 0.34) == 6);
  CHECK(cells(dropout, 0.58) == 4);
  CHECK_THAT(dropout.steps[1].caption, ContainsSubstring("2 of them are set to zero"));
}

TEST_CASE("motion: the context is mixed of the rows of values, and the others are told together") {
  const MixingMotion motion = mixing(3, 3);
  const MotionPlan plan = plan_mixing(motion, room_of({}));
  for (const MixingMotion::Part& part : motion.parts)
    CHECK(has_text(shapes_at(plan, 0.36), number_text(part.weight, 4)));
  CHECK(has_text(shapes_at(plan, 0.36), "34 other keys"));
  for (const float value : motion.result)
    CHECK(has_text(shapes_at(plan, 0.82), number_text(value, 4)));
  CHECK_THAT(plan.steps[0].caption, ContainsSubstring("34 other keys together have 0.0310"));
}

TEST_CASE("motion: the rows of the heads end side by side, in their order") {
  const JoiningMotion motion = joining(3, 2);
  const MotionPlan plan = plan_joining(motion, room_of({}));
  std::vector<Rect> cells;
  for (const MotionShape& shape : shapes_at(plan, 0.82))
    if (shape.actor->kind == MotionActor::Kind::Cell) cells.push_back(shape.place);
  REQUIRE(cells.size() == 6);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    CHECK(cells[i].x > cells[i - 1].x);
    CHECK_THAT(cells[i].y, WithinAbs(cells[0].y, 0.01));
  }
  CHECK_THAT(plan.steps[1].caption, ContainsSubstring("heads that are off leave zeros"));
}

TEST_CASE("motion: one goes from the end of a step to the end of the next, and back") {
  const MotionPlan plan = plan_product(product(2), room_of({}));
  double t = 0;
  std::vector<double> stops;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    t = next_stop(plan, t);
    stops.push_back(t);
    CHECK(step_at(plan, t) == i);
  }
  CHECK(t == 1);
  CHECK(next_stop(plan, 1) == 1);
  for (std::size_t i = stops.size() - 1; i > 0; --i) {
    t = previous_stop(plan, t);
    CHECK(t == stops[i - 1]);
  }
  CHECK(previous_stop(plan, t) == 0);
  CHECK(step_at(plan, 0) == 0);
}
