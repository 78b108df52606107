#include "app/shell/export_jobs.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "app/export/stage_numbers.h"
#include "app/settings/version.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr Index kMostCopied = 4'000'000;  // numbers; about 50 MB of text

// Interval between checks whether the request to the worker is still needed.
constexpr std::chrono::milliseconds kLook{20};

struct StoppedByUser {};
struct PassedOn {};
struct PartlySaved {
  std::string text;  // which files are saved, which are not, and why
};

bool same(const ExportSource& a, const ExportSource& b) {
  return a.session == b.session && a.kept.model == b.kept.model;
}

FigureNotes notes_of(const FigureGrid& figure, const Session& session) {
  return {figure.title, session.title, std::string("Headlight ") + kVersion};
}

bool compares(const FigureChoice& choice, const ExportSource& source) {
  return choice.kind == FigureKind::Compare && source.kept.model;
}

// The file's bytes. `kept` is null unless the choice compares.
std::string file_bytes(const ExportItem& item, const FileFormatInfo& format, const Session& session,
                       const ComputedSession& present, const ComputedSession* kept, std::string* said) {
  if (!format.figure) {
    if (item.choice.kind == FigureKind::Pipeline) return npz_bytes(every_stage(present));
    return table_bytes(stage_table_of(present, item.choice.part), format.format);
  }
  check_options(item.options, item.choice.part.stage);
  const FigureGrid figure = kept ? make_figure(item.choice, *kept, &present, item.options, *format.figure)
                                 : make_figure(item.choice, present, nullptr, item.options, *format.figure);
  FigureFile file = figure_file(figure, *format.figure, item.options.dpi, notes_of(figure, session));
  if (said && format.format != FileFormat::Png && !figure.plans.empty())
    *said = file.cells == CellsForm::Image ? ", one raster image inside vector labels" : ", vector cells";
  return std::move(file.bytes);
}

// A folder beside the target files, removed when the export ends.
struct TemporaryFolder {
  fs::path path;
  explicit TemporaryFolder(const fs::path& folder)
      : path(folder / (".headlight-" + std::to_string(::getpid()))) {
    std::error_code failed;
    fs::create_directory(path, failed);
    if (failed)
      throw Error("nothing can be written there: " + failed.message(), folder.string(),
                  "choose another folder");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

struct ExportJobs::Computed {
  explicit Computed(const Model& model) : evaluator(evaluate(model)) {}
  Evaluator evaluator;
  std::optional<Evaluator> kept;
};

ExportJobs::ExportJobs(std::function<void()> wake, SendRead send)
    : wake_(std::move(wake)), send_(std::move(send)), thread_(start_thread("exports", [this] { work(); })) {}

ExportJobs::~ExportJobs() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ExportJobs::preview(const PreviewOrder& order, const ExportSource& source) {
  const std::scoped_lock lock(mutex_);
  if (last_preview_ && last_preview_->order == order && same(last_preview_->source, source)) return;
  keeps_ = true;
  waiting_preview_ = last_preview_ = Preview{order, source};
  changed_.notify_one();
}

std::shared_ptr<const FigurePreview> ExportJobs::newest_preview() const {
  const std::scoped_lock lock(mutex_);
  return newest_preview_;
}

bool ExportJobs::previewing() const {
  const std::scoped_lock lock(mutex_);
  return waiting_preview_ || preview_busy_;
}

void ExportJobs::end_previews() {
  const std::scoped_lock lock(mutex_);
  if (!keeps_) return;
  keeps_ = false;
  waiting_preview_.reset();
  last_preview_.reset();
  newest_preview_.reset();
}

void ExportJobs::start(ExportRequest request, const ExportSource& source) {
  const std::scoped_lock lock(mutex_);
  stop_ = false;
  progress_ = {true, 0, request.items.size(), choice_name(request.items.front().choice)};
  waiting_request_ = Request{std::move(request), source};
  changed_.notify_one();
}

ExportProgress ExportJobs::progress() const {
  const std::scoped_lock lock(mutex_);
  return progress_;
}

void ExportJobs::stop() {
  const std::scoped_lock lock(mutex_);
  stop_ = true;
}

std::optional<ExportOutcome> ExportJobs::take_outcome() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

bool ExportJobs::running() const {
  const std::scoped_lock lock(mutex_);
  return progress_.running || waiting_preview_ || preview_busy_ || outcome_;
}

void ExportJobs::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (waiting_request_) {
      const Request request = *std::exchange(waiting_request_, std::nullopt);
      lock.unlock();
      ExportOutcome outcome = carry_out(request);
      computed_.reset();
      lock.lock();
      outcome_ = std::move(outcome);
      progress_ = {};
      wake_();
    } else if (waiting_preview_) {
      const Preview preview = *std::exchange(waiting_preview_, std::nullopt);
      preview_busy_ = true;
      lock.unlock();
      make_preview(preview);
      lock.lock();
      preview_busy_ = false;
      wake_();
    } else {
      changed_.wait(lock, [this] { return ending_ || waiting_request_ || waiting_preview_; });
    }
  }
}

void ExportJobs::read_from_worker(const ExportSource& source, const FigureChoice& choice,
                                  const ReadStages& read, const std::function<bool()>& given_up) const {
  struct Asked {
    std::mutex mutex;
    bool given_up = false;
  };
  const auto asked = std::make_shared<Asked>();
  const auto reference = compares(choice, source) ? source.kept.model : nullptr;
  const auto visited = [asked, reference, &read](const Evaluator& evaluator, const Evaluator* kept) {
    const std::scoped_lock lock(asked->mutex);
    if (asked->given_up) return;  // `read` no longer exists
    if (reference && !kept)
      throw Error("the state that is compared with cannot be computed", "A", "keep another one");
    read(evaluator, kept);
  };
  std::future<bool> done = send_({source.revision, stages_in(choice), reference, visited});
  while (done.wait_for(kLook) != std::future_status::ready) {
    if (!given_up()) continue;
    const std::scoped_lock lock(asked->mutex);
    asked->given_up = true;
    throw StoppedByUser{};
  }
  if (!done.get()) throw PassedOn{};
}

bool ExportJobs::newer_preview_waits() const {
  const std::scoped_lock lock(mutex_);
  return waiting_preview_ || waiting_request_ || ending_ || !keeps_;
}

void ExportJobs::show(std::shared_ptr<const FigurePreview> preview) {
  const std::scoped_lock lock(mutex_);
  if (keeps_) newest_preview_ = std::move(preview);
  wake_();
}

// Shows the picture first, then the file size, for which the file has to be made.
void ExportJobs::preview_from_worker(const Preview& preview) {
  const PreviewOrder& order = preview.order;
  const Session& session = *preview.source.session;
  const StagesElsewhere elsewhere = [&](const ReadStages& read) {
    read_from_worker(preview.source, order.choice, read, [this] { return newer_preview_waits(); });
  };
  const ComputedSession present(session.model, elsewhere, false, session.title);
  const FileFormatInfo& format = file_format_info(order.format);
  if (!format.figure) return show(std::make_shared<FigurePreview>(preview_numbers(order, present)));
  FigureGrid figure;
  FigurePreview shown;
  if (compares(order.choice, preview.source)) {
    const Baseline& kept = preview.source.kept;
    shown = preview_figure(order, {*kept.model, elsewhere, true, kept.title}, &present, figure);
  } else {
    shown = preview_figure(order, present, nullptr, figure);
  }
  show(std::make_shared<FigurePreview>(shown));
  if (!shown.failure.empty() || newer_preview_waits()) return;
  shown.file_size =
      figure_file(figure, *format.figure, order.options.dpi, notes_of(figure, session)).bytes.size();
  show(std::make_shared<FigurePreview>(std::move(shown)));
}

void ExportJobs::make_preview(const Preview& preview) {
  try {
    try {
      preview_from_worker(preview);
    } catch (const StoppedByUser&) {  // a newer preview was requested, or none
    } catch (const PassedOn&) {
      // After an edit, the preview of the new state follows; otherwise validate() throws the error to show.
      validate(preview.source.session->model);
    }
  } catch (const std::exception& error) {
    FigurePreview failed;
    failed.failure = error.what();
    show(std::make_shared<FigurePreview>(std::move(failed)));
  }
}

ExportOutcome ExportJobs::carry_out(const Request& request) {
  const bool copies = request.order.items.front().path.empty();
  try {
    return copies ? copy(request) : ExportOutcome{ExportOutcome::Kind::Saved, save_all(request), {}, {}};
  } catch (const StoppedByUser&) {
    return {ExportOutcome::Kind::Stopped, "Stopped: nothing was saved", {}, {}};
  } catch (const PartlySaved& part) {
    return {ExportOutcome::Kind::Failed, part.text, {}, {}};
  } catch (const std::exception& error) {
    const char* what = copies ? "Nothing was copied. " : "Nothing was saved. ";
    return {ExportOutcome::Kind::Failed, std::string(what) + error.what(), {}, {}};
  }
}

ExportOutcome ExportJobs::copy(const Request& request) {
  const ExportItem& item = request.order.items.front();
  const FileFormatInfo& format = file_format_info(request.order.format);
  const Stage stage = item.choice.part.stage;
  const std::string name(stage_info(stage).name);
  const Model& model = request.source.session->model;
  const Index cells = stage_heads(model, stage) * model.token_count() * stage_columns(model, stage);
  if (!format.figure && cells > kMostCopied)
    throw Error("these are " + std::to_string(cells) + " numbers", name, "save them to a file");
  std::string bytes = bytes_of(request, item);
  if (format.figure) return {ExportOutcome::Kind::Copied, "Picture copied", std::move(bytes), {}};
  return {ExportOutcome::Kind::Copied,
          "Copied “" + name + "” as " + std::string(format.name),
          {},
          std::move(bytes)};
}

bool ExportJobs::stopping() const {
  const std::scoped_lock lock(mutex_);
  return stop_;
}

std::string ExportJobs::bytes_of(const Request& request, const ExportItem& item, std::string* said) {
  if (computed_) return computed_bytes_of(request, item, said);
  const ExportSource& source = request.source;
  const StagesElsewhere elsewhere = [&](const ReadStages& read) {
    read_from_worker(source, item.choice, read, [this] { return stopping(); });
  };
  const ComputedSession present(source.session->model, elsewhere, false, source.session->title);
  const FileFormatInfo& format = file_format_info(request.order.format);
  try {
    if (!compares(item.choice, source))
      return file_bytes(item, format, *source.session, present, nullptr, said);
    const ComputedSession before(*source.kept.model, elsewhere, true, source.kept.title);
    return file_bytes(item, format, *source.session, present, &before, said);
  } catch (const PassedOn&) {
    return computed_bytes_of(request, item, said);
  }
}

std::string ExportJobs::computed_bytes_of(const Request& request, const ExportItem& item, std::string* said) {
  const ExportSource& source = request.source;
  const FileFormatInfo& format = file_format_info(request.order.format);
  if (!computed_) computed_ = std::make_unique<Computed>(source.session->model);
  const ComputedSession present(computed_->evaluator, source.session->title);
  if (!compares(item.choice, source))
    return file_bytes(item, format, *source.session, present, nullptr, said);
  if (!computed_->kept) computed_->kept.emplace(evaluate(*source.kept.model));
  const ComputedSession before(*computed_->kept, source.kept.title);
  return file_bytes(item, format, *source.session, present, &before, said);
}

// A single file is replaced atomically. Several are written to a temporary folder first, so that all of them
// are saved or none, unless one of the final renames fails.
std::string ExportJobs::save_all(const Request& request) {
  const std::vector<ExportItem>& items = request.order.items;
  if (items.size() == 1) {
    std::string said;
    const std::string bytes = bytes_of(request, items[0], &said);
    write_file_atomically(items[0].path, bytes);
    return "Saved as " + items[0].path.string() + said;
  }
  const TemporaryFolder temporary(items.front().path.parent_path());
  for (std::size_t i = 0; i < items.size(); ++i) {
    {
      const std::scoped_lock lock(mutex_);
      if (stop_) throw StoppedByUser{};
      progress_ = {true, i, items.size(), choice_name(items[i].choice)};
    }
    wake_();
    write_file_atomically(temporary.path / items[i].path.filename(), bytes_of(request, items[i]));
  }
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const ExportItem& item : items)
    names.push_back(item.path.filename().string());
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::error_code failed;
    fs::rename(temporary.path / names[i], items[i].path, failed);
    if (!failed) continue;
    const Error error(failed.message(), items[i].path.string(), "choose another folder");
    if (i == 0) throw error;
    const auto middle = names.begin() + static_cast<std::ptrdiff_t>(i);
    throw PartlySaved{"Saved: " + listed({names.begin(), middle}) +
                      ". Not saved: " + listed({middle, names.end()}) + ". " + error.what()};
  }
  return std::to_string(items.size()) + " files saved in " + items.front().path.parent_path().string();
}

}  // namespace headlight
