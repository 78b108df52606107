#include "app/cli/animate_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/cli/export_line.h"
#include "app/cli/option_checks.h"
#include "engine/learning/training_settings.h"

namespace headlight {
namespace {

// What is seen, as people call it, and the stage that it is the motion of.
struct PlayName {
  std::string_view name;
  Stage stage;
};
constexpr std::array<PlayName, 6> kPlayNames = {{
    {"product", Stage::Scores},
    {"softmax", Stage::Weights},
    {"mask", Stage::Masked},
    {"dropout", Stage::Dropped},
    {"mix", Stage::Context},
    {"join", Stage::Concat},
}};

std::vector<std::string> play_names() {
  std::vector<std::string> names;
  names.reserve(kPlayNames.size());
  for (const PlayName& one : kPlayNames)
    names.emplace_back(one.name);
  for (const std::string& stage : stage_names())
    names.push_back(stage);
  return names;
}

// Precondition: it is one of play_names().
Stage played_stage(const std::string& name) {
  const auto found = std::find_if(kPlayNames.begin(), kPlayNames.end(),
                                  [&](const PlayName& one) { return one.name == name; });
  return found != kPlayNames.end() ? found->stage : *stage_from_name(name);
}

std::pair<Index, Index> parse_cell(const std::string& text) {
  const std::vector<std::int32_t> numbers = parse_numbers("--cell", text);
  if (numbers.size() != 2)
    throw CLI::ValidationError("--cell", "'" + text + "' is no cell such as 1,2: its row and its column");
  return {numbers[0], numbers[1]};
}

}  // namespace

void AnimateLine::add_to(CLI::App& command) {
  command
      .add_option("FILE", file_,
                  "the session (.headlight), arrays (.npy, .npz, .safetensors, .csv, .tsv), or a model (a "
                  "folder or .gguf)")
      ->type_name("")
      ->required()
      ->check(file_name());
  text_.add_text(command);
  text_.add_layer(command);
  arrays_.add_to(command);
  CLI::Option* const play =
      command
          .add_option("--play", play_,
                      "how a cell is computed: product, softmax (the default), mask, dropout, mix or join, "
                      "or the stage of the cell")
          ->type_name("NAME")
          ->check(CLI::IsMember(play_names()));
  CLI::Option* const cell =
      command
          .add_option("--cell", cell_,
                      "the cell, from 0; by default the last token's row, and of pairs its own column")
          ->type_name("ROW,COLUMN");
  add_states(command, play, cell);
  command
      .add_option("--head", heads_,
                  "of a cell which head (0 by default); of heatmaps 0, or 0,2, or all (the default), or mean "
                  "or max")
      ->type_name("LIST");
  add_look(command);
  command.add_option("-o,--output", output_, "the animation (.gif, .webp), or a file for each frame (.png)")
      ->type_name("FILE")
      ->required()
      ->check(file_name());
  command.add_flag("--force", force_, "replace files that exist");
}

void AnimateLine::add_states(CLI::App& command, CLI::Option* play, CLI::Option* cell) {
  CLI::Option* const from =
      command
          .add_option("--from", from_,
                      "heatmaps on the way from OTHER, a session (.headlight) that differs in numbers, to "
                      "FILE: each frame is computed from inputs between theirs")
          ->type_name("OTHER")
          ->check(file_name());
  CLI::Option* const train =
      command.add_option("--train", steps_, "heatmaps while FILE is trained for N steps towards its goal")
          ->type_name("N")
          ->check(CLI::Range(Index{1}, kMostSteps).description(""));
  CLI::Option* const checkpoints = command.add_flag(
      "--checkpoints", checkpoints_, "heatmaps at one checkpoint of a model's training after the other");
  const std::array<CLI::Option*, 5> all = {play, cell, from, train, checkpoints};
  for (CLI::Option* const one : {from, train, checkpoints})
    for (CLI::Option* const other : all)
      if (other != one) one->excludes(other);
  command
      .add_option("--stage", stage_,
                  "of heatmaps: which stage (weights by default, of a training that of its goal)")
      ->type_name("NAME")
      ->check(CLI::IsMember(stage_names()))
      ->excludes(play)
      ->excludes(cell);
}

void AnimateLine::add_look(CLI::App& command) {
  command
      .add_option(
          "--seconds", seconds_,
          "until the result is there, 0.5 to 60 (as in the window, or 4, by default); it rests for one "
          "more")
      ->type_name("N")
      ->check(number_between(kLeastAnimationSeconds, kMostAnimationSeconds));
  command.add_option("--fps", frames_per_second_, "frames a second, 1 to 50 (20 by default)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostFramesPerSecond).description(""));
  command.add_option("--size", size_, "in pixels, 960x600 by default; letters grow with it")
      ->type_name("WxH");
  command.add_option("--theme", theme_, "light (the default) or dark")
      ->type_name("NAME")
      ->check(CLI::IsMember({"light", "dark"}));
}

void AnimateLine::read_choice(AnimateOptions& options) const {
  options.what = !from_.empty() ? Animated::FromOther
                 : steps_ > 0   ? Animated::Training
                 : checkpoints_ ? Animated::Checkpoints
                                : Animated::Cell;
  options.from = from_;
  options.steps = steps_;
  StageChoice& choice = options.choice;
  choice.sequence = arrays_.sequence().value_or(0);
  options.stage_chosen = !stage_.empty();
  if (options.stage_chosen) choice.stage = *stage_from_name(stage_);
  if (!heads_.empty()) choice.heads = parse_heads(heads_);
  choice.pool = parse_head_pool(heads_);
  if (options.what != Animated::Cell) return;
  choice.stage = played_stage(play_);
  if (options.stage_chosen)
    throw CLI::ValidationError("--stage",
                               "it goes with --from, --train and --checkpoints: the stage of a "
                               "cell is chosen with --play");
  if (!heads_.empty() && (!choice.heads || choice.heads->size() != 1))
    throw CLI::ValidationError("--head", "'" + heads_ + "' is no head of a cell such as 0");
  if (!cell_.empty()) options.cell = parse_cell(cell_);
}

AnimateOptions AnimateLine::options() const {
  AnimateOptions options;
  options.source = text_.source(file_);
  options.source.arrays = arrays_.answers();
  read_choice(options);
  AnimationOptions& animation = options.animation;
  if (!size_.empty())
    std::tie(animation.width, animation.height) =
        parse_pixels("--size", size_, kLeastAnimationSide, kMostAnimationSide);
  if (seconds_ > 0) animation.seconds = seconds_;
  animation.frames_per_second = frames_per_second_;
  animation.style = theme_ == "dark" ? StyleKind::Dark : StyleKind::Light;
  options.output = output_;
  options.force = force_;
  return options;
}

}  // namespace headlight
