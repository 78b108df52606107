#include <chrono>

#include "app/cli/commands.h"
#include "app/cli/export_files.h"
#include "app/cli/version.h"
#include "app/figure/cairo_painter.h"
#include "app/figure/drawing_figure.h"
#include "engine/core/error.h"
#include "engine/formats/npy.h"
#include "engine/formats/session.h"
#include "engine/formats/stage_table.h"

namespace headlight {
namespace {

// Says what is being done once the work has taken a second, or at once where it is known to take long.
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

// A session and its stages, kept from one file to the next.
struct LoadedSession {
  std::filesystem::path path;
  std::string title;
  Evaluator evaluator;

  ComputedSession computed() const { return {evaluator, title}; }
};

LoadedSession load(const std::filesystem::path& path, Progress& progress) {
  Session session = load_session(path);
  const Model& model = session.model;
  const double scores = static_cast<double>(model.sequence_count() * stage_heads(model, Stage::Scores)) *
                        static_cast<double>(model.token_count()) * static_cast<double>(model.token_count());
  progress.step("computing " + path.string(), scores > 2e7);
  return {path, session.title, evaluate(std::move(session.model))};
}

SheetSize sheet_size(const FigureOptions& options, FigureFormat format) {
  SheetSize size;
  if (options.width) size.width = planned_px(*options.width, options, format);
  if (options.height) size.height = planned_px(*options.height, options, format);
  size.pixel = format == FigureFormat::Png ? 96 / options.dpi : 0;
  return size;
}

Index one_head(const std::vector<Index>& heads) {
  return heads.empty() ? 0 : heads.front();
}

// Among several stages those without heads have no choice of them.
std::vector<Index> heads_of(const ExportOptions& options, Stage stage, const Model& model) {
  StageChoice choice = options.choice;
  choice.stage = stage;
  if (options.stages.size() > 1 && !stage_info(stage).per_head) choice.heads.reset();
  return chosen_heads(choice, model);
}

FigureGrid figure_of(const ExportOptions& options, const ExportFile& file, const LoadedSession& session,
                     const LoadedSession* compared, FigureFormat format) {
  const FigureStyle style = figure_style(options.figure);
  const MeasureText measure = pango_measure(style.fonts);
  const SheetSize size = sheet_size(options.figure, format);
  const Index sequence = options.choice.sequence;
  const ComputedSession computed = session.computed();
  const std::vector<Index> heads = heads_of(options, file.stage, session.evaluator.model());
  const auto sheet = [&](Index max_cells) {
    if (options.kind == ExportKind::Pipeline)
      return pipeline_sheet(computed, sequence, one_head(heads), options.figure, max_cells);
    if (compared)
      return compare_sheet(computed, compared->computed(), file.stage, sequence, heads, options.figure,
                           max_cells);
    return heads_sheet(computed, file.stage, sequence, heads, options.figure, max_cells);
  };
  FigureGrid figure;
  if (options.kind == ExportKind::Flow)
    figure = flow_figure(computed, file.stage, sequence, heads, options.query, size, options.figure, measure);
  else if (options.kind == ExportKind::Row)
    figure = row_figure(computed, sequence, one_head(heads), options.query.value_or(0), size, options.figure,
                        measure);
  else
    figure = lay_out(sheet, size, style, measure);
  if (options.figure.ground == Ground::White) figure.background = hex("#FFFFFF");
  if (options.figure.ground == Ground::Transparent) figure.background = with_opacity(figure.background, 0);
  return figure;
}

std::string table_bytes(const ExportOptions& options, const ExportFile& file, const LoadedSession& session) {
  const Model& model = session.evaluator.model();
  const Index sequence = options.choice.sequence;
  const std::vector<Index> heads = heads_of(options, file.stage, model);
  std::vector<Matrix> values;
  for (const Index head : heads)
    values.push_back(session.evaluator.matrix(file.stage, sequence, head));
  const StageTable table =
      labelled_stage(model, session.title, file.stage, sequence, heads, std::move(values));
  const std::string format = file.output.extension().string();
  if (format == ".csv") return stage_csv(table);
  if (format == ".tsv") return stage_tsv(table);
  if (format == ".json") return stage_json(table);
  if (format == ".tex") return stage_latex(table);
  if (format == ".md") return stage_markdown(table);
  return format == ".npy" ? npy_bytes(stage_array(table)) : npz_bytes({stage_array(table)});
}

// "x.svg saved, its cells as one image": how cells are held matters to who edits the figure.
std::string saved_message(const ExportFile& file, const FigureFile& figure, std::size_t heatmaps) {
  std::string message = file.output.string() + " saved";
  if (figure_format(file.output) == FigureFormat::Png || heatmaps == 0) return message;
  const bool image = figure.cells == CellsForm::Image;
  return message + (image ? ", the cells of each heatmap as an image" : ", cells as rectangles");
}

std::string write_figure(const ExportOptions& options, const ExportFile& file, const LoadedSession& session,
                         const LoadedSession* compared, Progress& progress) {
  const FigureFormat format = *figure_format(file.output);
  const FigureGrid figure = figure_of(options, file, session, compared, format);
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
  std::optional<LoadedSession> session, compared;
  if (options.compared) compared.emplace(load(*options.compared, progress));
  for (const ExportFile& file : files) {
    progress.begin_file();
    if (!session || session->path != file.session) session.emplace(load(file.session, progress));
    if (file.output != options.output) make_folder(options.output);
    std::string message = file.output.string() + " saved";
    if (figure_format(file.output))
      message = write_figure(options, file, *session, compared ? &*compared : nullptr, progress);
    else
      write_file_atomically(file.output, table_bytes(options, file, *session));
    // Nothing is added to what goes through a pipe.
    if (std::filesystem::is_regular_file(file.output)) out << message << '\n';
  }
}

}  // namespace headlight
