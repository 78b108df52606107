// Heatmaps of a layer in one state after another: their frames, captions, colours and durations.
#include "app/export/state_animation.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/layer/interpolation.h"
#include "engine/session/session.h"
#include "tests/app/figure/animation_support.h"
#include "tests/support/places.h"
#include "tests/support/random_models.h"

using namespace headlight_test;

namespace {

Session open_lesson(const std::string& stem) {
  return load_session(source_root() + "/assets/lessons/" + stem + ".headlight");
}

AnimationOptions small_animation() {
  AnimationOptions options;
  options.width = 480;
  options.height = 360;
  options.seconds = 0.5;
  options.frames_per_second = 10;
  return options;
}

std::shared_ptr<const Layer> shared(Layer layer) {
  return std::make_shared<const Layer>(std::move(layer));
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The session's training, taken so many steps on and back again.
std::shared_ptr<LayerTraining> trained(const Session& session, Index steps) {
  auto training = std::make_shared<LayerTraining>(session.layer, *session.goal, *session.training);
  const Index first = training->step_number();
  for (Index i = 0; i < steps; ++i)
    training->step();
  training->seek(first);
  return training;
}

}  // namespace

TEST_CASE("states: a way shows layers between, each computed, from the first to the second") {
  const Layer a = open_lesson("16-causal-mask").layer;
  Layer b = a;
  b.weights.matrix(Parameter::Query) *= -3;
  b.weights.edited = true;
  const ShownStates states = states_between(shared(a), shared(b), "one", "two", 5);
  REQUIRE(states.count == 5);
  CHECK(states.at(1).caption == "computed from inputs 25 % of the way from one to two");
  CHECK(same_layer(states.at(4).layer, b));
  CHECK(same_layer(states.at(2).layer, layer_between(a, b, 0.5)));
  const Animation animation = animation_of_states(states, {}, small_animation());
  CHECK(animation.durations_ms == std::vector<int>{1100, 100, 100, 100, 1100});
  for (std::size_t i = 0; i < 5; ++i) {
    const FigurePixels frame = animation.paint(i);
    CHECK(frame.width == 480);
    CHECK(frame.height == 360);
    if (i > 0) CHECK(largest_difference(frame, animation.paint(i - 1)) > 20);
    CHECK(largest_difference(frame, animation.paint(i)) == 0);
  }
}

TEST_CASE("states: one range of colours for all frames, so that equal numbers have equal colours") {
  const Layer a = open_lesson("16-causal-mask").layer;
  Layer b = a;
  for (Matrix& embeddings : b.embeddings)
    embeddings *= 2;
  StageChoice choice;
  choice.stage = Stage::Scores;
  AnimationOptions options = small_animation();
  options.look.decimals = 0;
  const Animation animation =
      animation_of_states(states_between(shared(a), shared(b), "one", "two", 2), choice, options);
  FigureOptions alone;
  alone.width = Length{480};
  alone.height = Length{360};
  alone.dpi = kPixelsPerInch;
  alone.colors = options.look.colors[static_cast<std::size_t>(Stage::Scores)];
  alone.decimals = 0;
  alone.subtitle = "computed from inputs 0 % of the way from one to two";
  FigureChoice figure;
  figure.part = choice;
  const Evaluator evaluator = evaluate(a);
  const ComputedSession session(evaluator, "");
  const auto painted = [&] {
    return figure_pixels(make_figure(figure, session, nullptr, alone, FigureFormat::Png), 1);
  };
  // Scores of doubled embeddings are four times as large: with its own range the first frame is stronger.
  CHECK(largest_difference(animation.paint(0), painted()) > 50);
  ValueStatistics all;
  for (const Layer& layer : {a, b}) {
    const Evaluator of_layer = evaluate(layer);
    TileRequest request;
    request.stage = Stage::Scores;
    all = joined(all, statistics_of(of_layer.tile(request)));
  }
  alone.colors = picture_colors(alone.colors, Stage::Scores, all.range);
  alone.range = color_range(all, alone.colors, Stage::Scores);
  CHECK(largest_difference(animation.paint(0), painted()) == 0);
}

TEST_CASE("states: a training is shown at every k-th step, with its loss, and ends at the last one") {
  const Session session = open_lesson("36-a-head-learns-to-look-back");
  const auto training = trained(session, 25);
  const Index first = training->step_number();
  const ShownStates states = states_of_training(training, first + 25, 11);
  CHECK(states.count == 10);  // every third step: 0, 3, ... 24, and 25
  LayerTraining alone(session.layer, *session.goal, *session.training);
  for (int i = 0; i < 3; ++i)
    alone.step();
  const ShownState second = states.at(1);
  CHECK(same_layer(second.layer, alone.layer()));
  CHECK_THAT(second.caption, ContainsSubstring("step " + std::to_string(first + 3) + " of " +
                                               std::to_string(first + 25) + ", loss "));
  CHECK_THAT(states.at(9).caption, ContainsSubstring("step " + std::to_string(first + 25) + " of "));
  training->seek(first);
  CHECK(states_of_training(training, first + 25, 100).count == 26);
  StageChoice choice;
  choice.stage = session.goal->stage;
  AnimationOptions options = small_animation();
  options.seconds.reset();
  const Animation animation = animation_of_states(states, choice, options);
  CHECK(animation.frame_count() == 10);
  CHECK(animation.durations_ms[1] == 400);
  CHECK(largest_difference(animation.paint(0), animation.paint(9)) > 20);
}

TEST_CASE("states: what differs beside numbers is listed, and equal layers have no way") {
  const Layer a = open_lesson("16-causal-mask").layer;
  Layer b = a;
  b.attention.mask = MaskKind::None;
  b.embeddings[0](0, 0) += 1;
  const auto way = [&](const Layer& to) {
    return error_of([&] { states_between(shared(a), shared(to), "one", "two", 3); });
  };
  CHECK_THAT(way(b), ContainsSubstring("mask causal → none") && ContainsSubstring("one and two"));
  CHECK_THAT(way(a), ContainsSubstring("the same numbers"));
  CHECK_THAT(error_of([&] {
               const Session session = open_lesson("36-a-head-learns-to-look-back");
               states_of_training(trained(session, 2), 9, 4);
             }),
             ContainsSubstring("no step after"));
}

TEST_CASE("states: a stage, a head or a size that there is not is refused") {
  const Layer a = open_lesson("16-causal-mask").layer;
  Layer b = a;
  b.embeddings[0](0, 0) += 1;
  const ShownStates states = states_between(shared(a), shared(b), "one", "two", 2);
  const auto refused = [&](const StageChoice& choice, const AnimationOptions& options) {
    return error_of([&] { animation_of_states(states, choice, options); });
  };
  StageChoice choice;
  choice.stage = Stage::Capped;
  CHECK_THAT(refused(choice, small_animation()), ContainsSubstring("softcap"));
  choice.stage = Stage::Weights;
  choice.heads = std::vector<Index>{1};
  CHECK_THAT(refused(choice, small_animation()), ContainsSubstring("no head 1"));
  AnimationOptions options = small_animation();
  options.width = 159;
  CHECK_THAT(refused({}, options), ContainsSubstring("160 to 4096"));
}
