#include <algorithm>
#include <chrono>
#include <set>

#include "app/cli/commands.h"
#include "app/export/exported_files.h"
#include "app/terminal/font_note.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

struct ExportFile {
  std::filesystem::path session, output;
  Stage stage = Stage::Weights;
};

constexpr const char* kFormats =
    "give a name that ends in .png, .svg or .pdf for a figure, or in .csv, "
    ".tsv, .npy, .npz, .json, .tex or .md for numbers";

bool is_folder(const ExportOptions& options) {
  return options.files.size() > 1 || options.stages.size() > 1 ||
         std::filesystem::is_directory(options.output) || !options.output.has_filename();
}

void require_format(const ExportFile& file, const ExportOptions& options) {
  const std::string extension = file.output.extension().string(), where = file.output.string();
  const FileFormatInfo* format = file_format(file.output);
  if (format && format->figure) return;
  if (!format)
    throw Error(extension.empty() ? "the name does not say which format to save"
                                  : extension + " is not a format of figures or numbers",
                where, kFormats);
  if (!figure_kind_info(options.kind).own_maps)
    throw Error("this figure has no numbers that are saved as " + extension, where,
                "give a name that ends in .png, .svg or .pdf");
}

// The choice of heads, sequence and query for one stage of the export.
FigureChoice choice_of(const ExportOptions& options, Stage stage) {
  FigureChoice choice{options.kind, options.choice, options.query};
  // With several stages, the choice of heads does not apply to stages without heads.
  choice.part = options.stages.size() > 1 ? choice_for(choice.part, stage) : choice.part;
  choice.part.stage = stage;
  return choice;
}

// Sorted by session, then by stage. In a folder files are named by session and stage: "two-weights.png",
// "two-weights-head0.svg", "two-pipeline.pdf". Throws Error if two names are equal, a format is unknown or
// does not suit the kind of figure, or a file exists and `force` is not set.
std::vector<ExportFile> export_files(const ExportOptions& options) {
  std::vector<ExportFile> files;
  const bool folder = is_folder(options);
  if (folder && std::filesystem::exists(options.output) && !std::filesystem::is_directory(options.output))
    throw Error("several sessions or stages need a folder to be saved in, and this is a file",
                options.output.string(), "give the name of a folder");
  if (folder && file_format(options.output))
    throw Error("several sessions or stages need a folder to be saved in", options.output.string(),
                "give the name of a folder, and the format with --format");
  for (const std::filesystem::path& session : options.files)
    for (const Stage stage : options.stages) {
      const std::string name = export_name(source_name({session, options.text, options.layer}),
                                           choice_of(options, stage), options.folder_format);
      files.push_back({session, folder ? options.output / name : options.output, stage});
    }
  std::set<std::filesystem::path> outputs;
  for (const ExportFile& file : files) {
    if (!outputs.insert(file.output).second)
      throw Error("two sessions would be saved under this name", file.output.string(),
                  "export them into different folders");
    require_format(file, options);
    require_free(file.output, options.force);
  }
  return files;
}

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
  Index first_sequence = 0;  // its number in the batch

  ComputedSession computed() const { return {evaluator, title}; }
};

LoadedSession load(const ExportOptions& options, const std::filesystem::path& path, Progress& progress,
                   std::ostream& err) {
  const Source source{path, options.text, options.layer, options.arrays, options.model};
  Session session = load_source(source, err);
  const Layer& model = session.layer;
  const double scores = static_cast<double>(model.sequence_count() * stage_heads(model, Stage::Scores)) *
                        static_cast<double>(model.token_count()) * static_cast<double>(model.key_count());
  progress.step("computing " + path.string(), scores > 2e7);
  std::string title = session.title;
  // The layer stands in the figure's title.
  if (is_model_folder(path)) title = title.substr(0, title.rfind(", layer "));
  return {path, title, evaluate(std::move(session.layer)), first_sequence(source)};
}

// The item's state A is the session; with another one to compare with, that is B.
ExportedBytes bytes_of(const ExportOptions& options, const ExportFile& file, const LoadedSession& session,
                       const LoadedSession* compared) {
  ExportItem item{choice_of(options, file.stage), options.figure, file.output};
  item.options.layer = options.layer.value_or(0);
  if (is_model_folder(file.session)) {
    item.options.percent = !options.figure.many_numbers;
    item.options.place = LayerNames(options.figure.counting).text(item.options.layer);
    item.options.text = options.text.words.value_or("");
  }
  item.options.first_sequence = session.first_sequence;
  item.choice.part.sequence -= session.first_sequence;
  const FileFormatInfo& format = *file_format(file.output);
  const ComputedSession a = session.computed();
  if (!compared) return export_bytes(item, format, a, nullptr, session.title);
  return export_bytes(item, format, compared->computed(), &a, session.title);
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
  FileSet saved;
  std::string messages;
  for (const ExportFile& file : files) {
    progress.begin_file();
    if (!session || session->path != file.session)
      session.emplace(load(options, file.session, progress, err));
    if (options.stages_in_use && !stage_exists(session->evaluator.layer(), file.stage)) continue;
    if (file.output != options.output) make_folder(options.output);
    progress.step((figure_format(file.output) ? "painting " : "writing ") + file.output.string());
    const ExportedBytes bytes = bytes_of(options, file, *session, compared ? &*compared : nullptr);
    if (files.size() == 1)
      write_file_atomically(file.output, bytes.bytes);
    else
      saved.add(file.output, bytes.bytes);
    // Nothing is added to what goes through a pipe.
    std::error_code missing;
    if (!std::filesystem::exists(file.output, missing) || std::filesystem::is_regular_file(file.output))
      messages += file.output.string() + " saved" + bytes.note + "\n";
  }
  saved.commit();
  out << messages;
}

}  // namespace headlight
