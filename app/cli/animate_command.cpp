#include "app/cli/animate_command.h"

#include <string>
#include <tuple>
#include <vector>

#include "app/export/exported_files.h"
#include "app/export/figure_preview.h"
#include "app/export/motion_of.h"
#include "app/terminal/font_note.h"
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

// Throws Error unless the layer has it.
CellAddress chosen_cell(const AnimateOptions& options, const Layer& layer) {
  const Index sequence = options.sequence - first_sequence(options.source);
  chosen_heads({options.stage, std::vector{options.head}, sequence}, layer);
  CellAddress cell = usual_cell(layer, options.stage, sequence, options.head);
  if (options.cell) std::tie(cell.row, cell.column) = *options.cell;
  if (address_exists(layer, cell)) return cell;
  const auto last = [](Index count) { return std::to_string(count - 1); };
  throw Error("there is no such cell of " + std::string(stage_info(options.stage).name),
              "--cell " + std::to_string(cell.row) + "," + std::to_string(cell.column),
              "rows are 0 to " + last(stage_rows(layer, options.stage)) + ", columns 0 to " +
                  last(stage_columns(layer, options.stage)));
}

}  // namespace

void save_animation(const AnimateOptions& options, std::ostream& out, std::ostream& err) {
  const AnimationFormat format = format_of(options.output);
  if (format != AnimationFormat::Png) require_free(options.output, options.force);
  Session session = load_source(options.source, err);
  require_motion(session.layer, options.stage);
  const CellAddress cell = chosen_cell(options, session.layer);
  note_fonts(err);
  const Evaluator evaluator = evaluate(std::move(session.layer));
  const Animation animation =
      animation_of(ComputedSession(evaluator, session.title), cell, options.animation);
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
