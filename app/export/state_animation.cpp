#include "app/export/state_animation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "engine/core/error.h"
#include "engine/layer/interpolation.h"
#include "engine/layer/layer_difference.h"

namespace headlight {
namespace {

constexpr int kLossDecimals = 4;

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += (text.empty() ? "" : "; ") + line;
  return text;
}

void require_stage(const Layer& layer, Stage stage) {
  if (const std::string why = why_no_stage(layer, stage); !why.empty())
    throw Error(why, "--stage " + std::string(stage_info(stage).name), "choose another stage");
}

// What the colours of all frames range over.
ValueStatistics all_numbers(const ShownStates& states, const StageChoice& choice, const StageColors& colors) {
  ValueStatistics numbers;
  for (std::size_t i = 0; i < states.count; ++i) {
    Layer layer = states.at(i).layer;
    require_stage(layer, choice.stage);
    const std::vector<Index> heads = chosen_heads(choice, layer);
    const Evaluator evaluator = evaluate(std::move(layer));
    for (const Index head : heads) {
      TileRequest request;
      request.stage = choice.stage;
      request.sequence = choice.sequence;
      request.head = head;
      request.content = choice.content();
      request.max_rows = request.max_columns = 1;  // its range and spread are of the whole matrix
      request_spread(request, colors);
      numbers = joined(numbers, statistics_of(evaluator.tile(request)));
    }
  }
  return numbers;
}

FigureOptions heatmap_options(const AnimationOptions& options, Stage stage, double scale) {
  FigureOptions figure;
  figure.width = Length{static_cast<double>(options.width), LengthUnit::Pixels};
  figure.height = Length{static_cast<double>(options.height), LengthUnit::Pixels};
  figure.dpi = scale * kPixelsPerInch;
  figure.theme = options.style;
  figure.colors = options.look.colors[static_cast<std::size_t>(stage)];
  figure.decimals = options.look.decimals;
  figure.counting = options.look.counting;
  return figure;
}

std::vector<int> durations_ms(const AnimationOptions& options, std::size_t count) {
  const double all_ms = 1000 * options.seconds.value_or(kStatesSeconds);
  std::vector<int> durations;
  int begins_ms = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const auto ends_ms =
        static_cast<int>(std::lround(all_ms * static_cast<double>(i) / static_cast<double>(count)));
    durations.push_back(ends_ms - begins_ms);
    begins_ms = ends_ms;
  }
  durations.front() += kRestMs;
  durations.back() += kRestMs;
  return durations;
}

}  // namespace

std::size_t state_count(const AnimationOptions& options) {
  const double frames = options.seconds.value_or(kStatesSeconds) * options.frames_per_second;
  return std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(frames)));
}

ShownStates states_between(std::shared_ptr<const Layer> a, std::shared_ptr<const Layer> b,
                           const std::string& a_name, const std::string& b_name, std::size_t count) {
  const std::string names = a_name + " and " + b_name;
  if (const std::vector<std::string> obstacles = interpolation_obstacles(*a, *b); !obstacles.empty())
    throw Error("more differs than numbers: " + joined_lines(obstacles), names,
                "take two states that differ in numbers only, such as embeddings, weights and the scale");
  if (layer_differences(layer_between(*a, *b, 0), *b).empty())
    throw Error("both have the same numbers", names, "take two states that differ");
  const auto at = [a = std::move(a), b = std::move(b), a_name, b_name, count](std::size_t index) {
    const double t = static_cast<double>(index) / static_cast<double>(count - 1);
    const std::string share = std::to_string(std::lround(100 * t));
    return ShownState{layer_between(*a, *b, t),
                      "computed from inputs " + share + " % of the way from " + a_name + " to " + b_name};
  };
  return {count, at};
}

ShownStates states_of_training(std::shared_ptr<LayerTraining> training, Index last, std::size_t most) {
  const Index first = training->step_number();
  if (last <= first || last > training->last_step())
    throw Error("there is no step after step " + std::to_string(first), "the training", "train it first");
  const auto gaps = static_cast<Index>(std::max<std::size_t>(2, most)) - 1;
  const Index stride = (last - first + gaps - 1) / gaps;
  const auto count = static_cast<std::size_t>((last - first + stride - 1) / stride) + 1;
  const auto at = [training = std::move(training), first, last, stride](std::size_t index) {
    training->seek(std::min(first + static_cast<Index>(index) * stride, last));
    return ShownState{training->layer(), "step " + std::to_string(training->step_number()) + " of " +
                                             std::to_string(last) + ", loss " +
                                             number_text(training->loss(), kLossDecimals)};
  };
  return {count, at};
}

Animation animation_of_states(const ShownStates& states, const StageChoice& choice,
                              const AnimationOptions& options) {
  check_bounds(options);
  const double scale = animation_scale(options);
  FigureOptions figure = heatmap_options(options, choice.stage, scale);
  check_options(figure, choice.stage);
  const ValueStatistics numbers = all_numbers(states, choice, figure.colors);
  figure.colors = picture_colors(figure.colors, choice.stage, numbers.range);
  figure.range = color_range(numbers, figure.colors, choice.stage);
  Animation animation;
  animation.width = options.width;
  animation.height = options.height;
  animation.durations_ms = durations_ms(options, states.count);
  animation.paint = [states, choice, figure, scale](std::size_t frame) {
    ShownState state = states.at(frame);
    const Evaluator evaluator = evaluate(std::move(state.layer));
    FigureOptions shown = figure;
    shown.subtitle = state.caption;
    FigureChoice heatmaps;
    heatmaps.part = choice;
    return figure_pixels(
        make_figure(heatmaps, ComputedSession(evaluator, ""), nullptr, shown, FigureFormat::Png), scale);
  };
  animation.paint(0);  // whatever has no room is said before a file is begun
  return animation;
}

}  // namespace headlight
