#include "app/cli/animate_command.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "app/cli/session_training.h"
#include "app/export/exported_files.h"
#include "app/export/figure_preview.h"
#include "app/export/motion_of.h"
#include "app/export/state_animation.h"
#include "app/terminal/font_note.h"
#include "engine/checkpoint/checkpoint_series.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

AnimationFormat format_of(const std::filesystem::path& output) {
  if (const std::optional<AnimationFormat> format = animation_format(output)) return *format;
  throw Error("an animation is saved as .gif, .webp or .png", output.string(),
              "give a name with one of these endings");
}

void require_motion(const Layer& layer, Stage stage) {
  const std::string why = why_no_motion(layer, stage);
  if (why.empty()) return;
  std::string others;
  for (const Stage other : stages_in_use(layer))
    if (has_motion(layer, other))
      others += (others.empty() ? "" : ", ") + std::string(stage_info(other).name);
  throw Error(why, "--play " + std::string(stage_info(stage).name),
              others.empty() ? "choose a session whose stages are computed" : "it can be one of " + others);
}

// The choice with the sequence as the loaded session counts it.
StageChoice loaded_choice(const AnimateOptions& options) {
  StageChoice choice = options.choice;
  choice.sequence -= first_sequence(options.source);
  return choice;
}

// Throws Error unless the layer has it.
CellAddress chosen_cell(const AnimateOptions& options, const Layer& layer) {
  StageChoice choice = loaded_choice(options);
  const Stage stage = choice.stage;
  if (!choice.heads) choice.heads = {0};
  const std::vector<Index> heads = chosen_heads(choice, layer);
  CellAddress cell = usual_cell(layer, stage, choice.sequence, heads.front());
  if (options.cell) std::tie(cell.row, cell.column) = *options.cell;
  if (address_exists(layer, cell)) return cell;
  const auto last = [](Index count) { return std::to_string(count - 1); };
  throw Error("there is no such cell of " + std::string(stage_info(stage).name),
              "--cell " + std::to_string(cell.row) + "," + std::to_string(cell.column),
              "rows are 0 to " + last(stage_rows(layer, stage)) + ", columns 0 to " +
                  last(stage_columns(layer, stage)));
}

Animation cell_animation(const AnimateOptions& options, std::ostream& err) {
  Session session = load_source(options.source, err);
  require_motion(session.layer, options.choice.stage);
  const CellAddress cell = chosen_cell(options, session.layer);
  const Evaluator evaluator = evaluate(std::move(session.layer));
  return animation_of(ComputedSession(evaluator, session.title), cell, options.animation);
}

std::shared_ptr<const Layer> shared_layer(const Source& source, std::ostream& err) {
  return std::make_shared<const Layer>(load_source(source, err).layer);
}

Animation way_animation(const AnimateOptions& options, std::ostream& err) {
  Source from = options.source;
  from.path = options.from;
  const bool same_name = source_name(from) == source_name(options.source);
  const auto name_of = [&](const Source& source) {
    return same_name ? source.path.lexically_normal().string() : source_name(source);
  };
  const std::size_t count = state_count(options.animation);
  return animation_of_states(states_between(shared_layer(from, err), shared_layer(options.source, err),
                                            name_of(from), name_of(options.source), count),
                             loaded_choice(options), options.animation);
}

Animation training_animation(const AnimateOptions& options, std::ostream& err) {
  Session session = load_source(options.source, err);
  require_trainable(session, options.source.path, err);
  StageChoice choice = loaded_choice(options);
  if (!options.stage_chosen) choice.stage = session.goal->stage;
  try {
    const auto training = std::make_shared<LayerTraining>(session.layer, *session.goal, *session.training);
    const Index first = training->step_number();
    require_converging(*training);
    while (training->step_number() < first + options.steps) {
      training->step();
      require_converging(*training);
    }
    training->seek(first);
    const std::size_t most = state_count(options.animation);
    return animation_of_states(states_of_training(training, first + options.steps, most), choice,
                               options.animation);
  } catch (const Error& error) {
    throw error.inside(options.source.path.string());
  }
}

Animation checkpoint_animation(const AnimateOptions& options, std::ostream& err) {
  const std::vector<SavedStep> steps = series_of(options.source.path).steps;
  if (steps.size() < 2)
    throw Error("the folder has no checkpoints of a training", options.source.path.string(),
                "give the folder that `headlight train --save-every` has written, or one of its checkpoints");
  const auto at = [&err, steps, saved = options.source](std::size_t index) mutable {
    saved.path = steps[index].folder;
    return ShownState{load_source(saved, err).layer, "step " + std::to_string(steps[index].step) + " of " +
                                                         std::to_string(steps.back().step)};
  };
  return animation_of_states({steps.size(), at}, loaded_choice(options), options.animation);
}

Animation animation_of(const AnimateOptions& options, std::ostream& err) {
  switch (options.what) {
    case Animated::FromOther:
      return way_animation(options, err);
    case Animated::Training:
      return training_animation(options, err);
    case Animated::Checkpoints:
      return checkpoint_animation(options, err);
    case Animated::Cell:
      break;
  }
  return cell_animation(options, err);
}

}  // namespace

void save_animation(const AnimateOptions& options, std::ostream& out, std::ostream& err) {
  const AnimationFormat format = format_of(options.output);
  if (format != AnimationFormat::Png) require_free(options.output, options.force);
  const Animation animation = animation_of(options, err);
  note_fonts(err);
  const auto paths = animation_paths(options.output, format, animation.frame_count());
  for (const std::filesystem::path& path : paths)
    require_free(path, options.force);
  FileSet files;
  std::size_t size = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string bytes = animation_bytes(animation, format, i);
    size += bytes.size();
    files.add(paths[i], bytes);
  }
  files.commit();
  out << paths.front().string();
  if (paths.size() > 1) out << " to " << paths.back().filename().string();
  out << " saved: " << animation.frame_count() << " frames, " << file_size_text(size) << '\n';
}

}  // namespace headlight
