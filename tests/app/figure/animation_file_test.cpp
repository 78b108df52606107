// The computation of a cell as an animation: every stage that has a motion, its first and last frame, and the
// bytes of each format.
#include "app/export/animation_file.h"

#include <cmath>

#include "app/export/motion_of.h"
#include "app/figure/plan/heatmap_figure.h"
#include "engine/core/error.h"
#include "engine/session/session.h"
#include "tests/app/figure/animation_support.h"
#include "tests/app/figure/figure_support.h"
#include "tests/app/figure/pixels.h"
#include "tests/support/places.h"

using namespace headlight_test;

namespace {

struct AnimatedLesson {
  explicit AnimatedLesson(const std::string& stem)
      : evaluator(evaluate(load_session(source_root() + "/assets/lessons/" + stem + ".headlight").layer)) {}

  Animation animation(Stage stage, AnimationOptions options = small()) const {
    return animation_of(session, usual_cell(session.layer(), stage, 0, 0), options);
  }
  static AnimationOptions small() {
    AnimationOptions options;
    options.width = 480;
    options.height = 300;
    options.seconds = 0.5;
    options.frames_per_second = 10;
    return options;
  }

  Evaluator evaluator;
  ComputedSession session{evaluator, "a lesson"};
};

}  // namespace

TEST_CASE("animation of a cell: every stage that computes has frames that differ, in every kind of layer") {
  for (const char* stem : {"04-softmax-and-context", "22-two-heads-with-dropout", "29-grouped-queries",
                           "30-rotary-positions", "32-cross-attention"}) {
    const AnimatedLesson lesson(stem);
    const Layer& layer = lesson.session.layer();
    for (const Stage stage : stages_in_use(layer)) {
      INFO(stem << ", " << stage_info(stage).name);
      const bool moves = why_no_motion(layer, stage).empty();
      CHECK(moves == has_motion(layer, stage));
      if (!moves) continue;
      const Animation animation = lesson.animation(stage);
      REQUIRE(animation.frame_count() == 5);
      const FigurePixels first = animation.paint(0), middle = animation.paint(2), last = animation.paint(4);
      CHECK(first.width == 480);
      CHECK(first.height == 300);
      CHECK(largest_difference(first, middle) > 20);
      CHECK(largest_difference(middle, last) > 20);
      CHECK(largest_difference(first, last) > 20);
      CHECK(largest_difference(first, animation.paint(0)) == 0);
    }
  }
}

TEST_CASE("animation of a cell: its numbers are the engine's, and its length that of the window") {
  const AnimatedLesson lesson("15-linear-layers");
  const CellAddress cell = {Stage::Scores, 0, 0, 3, 2};
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = plain_measure;
  ComputedMotionNumbers numbers(lesson.session);
  const MotionPlan plan = motion_of(numbers, cell, {style, 700, 400, measure});
  REQUIRE_FALSE(plan.empty());
  const float score = lesson.evaluator.matrix(Stage::Scores, 0, 0)(3, 2);
  CHECK_THAT(plan.steps[2].caption, ContainsSubstring(number_text(double{score}, 4)));
  AnimationOptions options = AnimatedLesson::small();
  options.seconds.reset();
  options.frames_per_second = 20;
  const Animation animation = animation_of(lesson.session, cell, options);
  CHECK(animation.frame_count() == static_cast<std::size_t>(std::lround(20 * plan.seconds)));
  CHECK(animation.durations_ms.front() == 50);
  CHECK(animation.durations_ms.back() == 1050);
}

TEST_CASE("animation of a cell: heads that share a range have its colours, and a range is asked for once") {
  const AnimatedLesson lesson("20-two-heads");
  ComputedMotionNumbers numbers(lesson.session);
  const ValueStatistics all = numbers.statistics(Stage::Scores, 0, std::nullopt);
  const ValueStatistics first = numbers.statistics(Stage::Scores, 0, 0),
                        second = numbers.statistics(Stage::Scores, 0, 1);
  CHECK(all.range.low == std::min(first.range.low, second.range.low));
  CHECK(all.range.high == std::max(first.range.high, second.range.high));
  CHECK(numbers.statistics(Stage::Scores, 0, 0).range.high == first.range.high);
}

TEST_CASE("animation of a cell: a GIF and a WebP have the painted frames and the same bytes each time") {
  const AnimatedLesson lesson("22-two-heads-with-dropout");
  for (const Stage stage : {Stage::Weights, Stage::Context}) {
    INFO(stage_info(stage).name);
    const Animation animation = lesson.animation(stage);
    const std::string gif = animation_bytes(animation, AnimationFormat::Gif, 0);
    const std::string webp = animation_bytes(animation, AnimationFormat::WebP, 0);
    CHECK(gif == animation_bytes(lesson.animation(stage), AnimationFormat::Gif, 0));
    CHECK(webp == animation_bytes(lesson.animation(stage), AnimationFormat::WebP, 0));
    const DecodedAnimation from_gif = decoded_gif(gif), from_webp = decoded_webp(webp);
    CHECK(from_gif.duration_ms() == 1500);
    CHECK(from_webp.duration_ms() == 1500);
    for (std::size_t i = 0; i < animation.frame_count(); ++i) {
      INFO(i);
      const FigurePixels painted = animation.paint(i);
      const int middle_ms = 50 + 100 * static_cast<int>(i);
      CHECK(largest_difference(from_webp.at(middle_ms), painted) == 0);
      // The palette joins colours of the edges of letters, which are few pixels.
      CHECK(share_beyond(16, from_gif.at(middle_ms), painted) < 0.005);
    }
  }
}

TEST_CASE("animation of a cell: a frame as a PNG has its pixels") {
  const AnimatedLesson lesson("04-softmax-and-context");
  const Animation animation = lesson.animation(Stage::Context);
  const FigurePixels painted = animation.paint(3);
  const Pixels read(animation_bytes(animation, AnimationFormat::Png, 3));
  REQUIRE(read.width() == painted.width);
  REQUIRE(read.height() == painted.height);
  for (int y = 0; y < painted.height; y += 3)
    for (int x = 0; x < painted.width; x += 3)
      REQUIRE(read.at(x, y) == painted.pixels[static_cast<std::size_t>(y * painted.width + x)]);
}

TEST_CASE("animation of a cell: both themes, and letters that grow with the picture") {
  const AnimatedLesson lesson("15-linear-layers");
  AnimationOptions options = AnimatedLesson::small();
  const FigurePixels light = lesson.animation(Stage::Scores, options).paint(0);
  CHECK(light.pixels.front() == FigureStyle::light().background);
  options.style = StyleKind::Dark;
  CHECK(lesson.animation(Stage::Scores, options).paint(0).pixels.front() == FigureStyle::dark().background);
  options.width = 1440;
  options.height = 900;
  const FigurePixels large = lesson.animation(Stage::Scores, options).paint(0);
  CHECK(large.width == 1440);
  CHECK(large.height == 900);
}

TEST_CASE("animation of a cell: a size, a length and a rate out of bounds are refused by name") {
  const AnimatedLesson lesson("04-softmax-and-context");
  const auto refused = [&](auto change) {
    AnimationOptions options = AnimatedLesson::small();
    change(options);
    try {
      lesson.animation(Stage::Weights, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refused([](auto& options) { options.width = 100; }), ContainsSubstring("160 to 4096"));
  CHECK_THAT(refused([](auto& options) { options.height = 5000; }), ContainsSubstring("height"));
  CHECK_THAT(refused([](auto& options) { options.seconds = 61; }), ContainsSubstring("0.5 to 60"));
  CHECK_THAT(refused([](auto& options) { options.frames_per_second = 0; }), ContainsSubstring("1 to 50"));
  CHECK(refused([](auto& options) { options.width = 160, options.height = 160; }).empty());
}

TEST_CASE("animation of a cell: the format is that of the ending, and PNG files are numbered") {
  CHECK(animation_format("a.gif") == AnimationFormat::Gif);
  CHECK(animation_format("a.WebP") == AnimationFormat::WebP);
  CHECK(animation_format("a.png") == AnimationFormat::Png);
  CHECK_FALSE(animation_format("a.mp4"));
  CHECK_FALSE(animation_format("gif"));
  CHECK(animation_paths("b/a.gif", AnimationFormat::Gif, 3) == std::vector<std::filesystem::path>{"b/a.gif"});
  const auto paths = animation_paths("b/a.png", AnimationFormat::Png, 12);
  REQUIRE(paths.size() == 12);
  CHECK(paths.front() == "b/a-000.png");
  CHECK(paths.back() == "b/a-011.png");
  CHECK(animation_paths("a.png", AnimationFormat::Png, 1001).front() == "a-0000.png");
}
