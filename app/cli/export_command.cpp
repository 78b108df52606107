#include <algorithm>
#include <chrono>

#include "app/cli/commands.h"
#include "app/cli/export_files.h"
#include "app/export/stage_numbers.h"
#include "app/settings/version.h"
#include "app/terminal/font_note.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

// Reports progress once the work has taken a second, or at once for work that is known to take long.
class Progress {
 public:
  Progress(std::ostream& err, std::size_t files) : err_(err), files_(files) {}

  void begin_file() { ++file_; }
  void step(const std::string& what, bool long_work = false) {
    using namespace std::chrono_literals;
    if (!long_work && std::chrono::steady_clock::now() - started_ < 1s) return;
    err_ << "headlight: ";
    if (files_ > 1) err_ << file_ << " of " << files_ << ": ";
    err_ << what << std::endl;
  }

 private:
  std::ostream& err_;
  std::size_t files_, file_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// A session and its computed stages, reused for consecutive files of the same session.
struct LoadedSession {
  std::filesystem::path path;
  std::string title;
  Evaluator evaluator;

  ComputedSession computed() const { return {evaluator, title}; }
};

LoadedSession load(const ExportOptions& options, const std::filesystem::path& path, Progress& progress,
                   std::ostream& err) {
  Session session = load_source({path, options.text, options.layer, options.arrays}, err);
  const Model& model = session.model;
  const double scores = static_cast<double>(model.sequence_count() * stage_heads(model, Stage::Scores)) *
                        static_cast<double>(model.token_count()) * static_cast<double>(model.key_count());
  progress.step("computing " + path.string(), scores > 2e7);
  return {path, session.title, evaluate(std::move(session.model))};
}

std::string number_bytes(const ExportOptions& options, const ExportFile& file, const LoadedSession& session) {
  const StageTable table = stage_table_of(session.computed(), choice_of(options, file.stage).part);
  return table_bytes(table, file_format(file.output)->format);
}

// "x.svg saved, cells as rectangles": the form of the cells matters for editing the figure.
std::string saved_message(const ExportFile& file, const FigureFile& figure, std::size_t heatmaps) {
  std::string message = file.output.string() + " saved";
  if (figure_format(file.output) == FigureFormat::Png || heatmaps == 0) return message;
  const bool image = figure.cells == CellsForm::Image;
  return message + (image ? ", the cells of each heatmap as an image" : ", cells as rectangles");
}

std::string write_figure(const ExportOptions& options, const ExportFile& file, const LoadedSession& session,
                         const LoadedSession* compared, Progress& progress) {
  const FigureFormat format = *figure_format(file.output);
  const ComputedSession a = session.computed();
  std::optional<ComputedSession> b;
  if (compared) b.emplace(compared->computed());
  FigureOptions figure_options = options.figure;
  figure_options.layer = options.layer.value_or(0);
  const FigureGrid figure =
      make_figure(choice_of(options, file.stage), a, b ? &*b : nullptr, figure_options, format);
  progress.step("painting " + file.output.string());
  const std::string program = std::string("Headlight ") + kVersion;
  const FigureFile bytes =
      figure_file(figure, format, options.figure.dpi, {figure.title, session.title, program});
  write_file_atomically(file.output, bytes.bytes);
  return saved_message(file, bytes, figure.plans.size());
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error("the folder cannot be made: " + failed.message(), folder.string(), "choose another");
}

}  // namespace

void export_stages(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  for (const Stage stage : options.stages)
    check_options(options.figure, stage);
  const std::vector<ExportFile> files = export_files(options);
  Progress progress(err, files.size());
  if (std::any_of(files.begin(), files.end(),
                  [](const ExportFile& file) { return figure_format(file.output); }))
    note_fonts(err);
  std::optional<LoadedSession> session, compared;
  if (options.compared) compared.emplace(load(options, *options.compared, progress, err));
  for (const ExportFile& file : files) {
    progress.begin_file();
    if (!session || session->path != file.session)
      session.emplace(load(options, file.session, progress, err));
    if (options.stages_in_use && !stage_exists(session->evaluator.model(), file.stage)) continue;
    if (file.output != options.output) make_folder(options.output);
    std::string message = file.output.string() + " saved";
    if (figure_format(file.output))
      message = write_figure(options, file, *session, compared ? &*compared : nullptr, progress);
    else
      write_file_atomically(file.output, number_bytes(options, file, *session));
    // No message if the output is a pipe, which may be standard output.
    if (std::filesystem::is_regular_file(file.output)) out << message << '\n';
  }
}

}  // namespace headlight
