#include <algorithm>
#include <chrono>

#include "app/cli/commands.h"
#include "app/cli/export_files.h"
#include "app/export/exported_files.h"
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

// The item's state A is the session; with another one to compare with, that is B.
ExportedBytes bytes_of(const ExportOptions& options, const ExportFile& file, const LoadedSession& session,
                       const LoadedSession* compared) {
  ExportItem item{choice_of(options, file.stage), options.figure, file.output};
  item.options.layer = options.layer.value_or(0);
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
    if (options.stages_in_use && !stage_exists(session->evaluator.model(), file.stage)) continue;
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
