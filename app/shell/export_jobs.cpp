#include "app/shell/export_jobs.h"

#include <unistd.h>

#include <utility>

#include "app/export/stage_numbers.h"
#include "app/settings/version.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr Index kMostCopied = 4'000'000;  // numbers; text of some 50 MB

struct StoppedByUser {};

bool same(const ExportSource& a, const ExportSource& b) {
  return a.session == b.session && a.kept.model == b.kept.model;
}

FigureNotes notes_of(const FigureGrid& figure, const Session& session) {
  return {figure.title, session.title, std::string("Headlight ") + kVersion};
}

// A folder beside the files to be, for as long as not all of them are written.
struct Scratch {
  fs::path path;
  explicit Scratch(const fs::path& folder) : path(folder / (".headlight-" + std::to_string(::getpid()))) {
    std::error_code failed;
    fs::create_directory(path, failed);
    if (failed)
      throw Error("nothing can be written there: " + failed.message(), folder.string(),
                  "choose another folder");
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

struct ExportJobs::Computed {
  explicit Computed(const ExportSource& of) : source(of), evaluator(evaluate(of.session->model)) {
    if (of.kept.model) kept.emplace(evaluate(*of.kept.model));
  }
  ExportSource source;
  Evaluator evaluator;
  std::optional<Evaluator> kept;

  ComputedSession present() const { return {evaluator, source.session->title}; }
  ComputedSession before() const { return {*kept, source.kept.title}; }
};

ExportJobs::ExportJobs(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { work(); }) {}

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
  changed_.notify_one();
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
      if (!keeps_) computed_.reset();
      changed_.wait(
          lock, [this] { return ending_ || waiting_request_ || waiting_preview_ || (!keeps_ && computed_); });
    }
  }
}

const ExportJobs::Computed& ExportJobs::computed(const ExportSource& source) {
  if (!computed_ || !same(computed_->source, source)) {
    computed_.reset();  // before the next one needs the memory
    computed_ = std::make_unique<Computed>(source);
  }
  return *computed_;
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

// First what can be seen, then what the file will weigh, for which it has to be made.
void ExportJobs::make_preview(const Preview& order) {
  try {
    const Computed& state = computed(order.source);
    const bool compares = order.order.choice.kind == FigureKind::Compare && state.kept;
    const ComputedSession present = state.present();
    const FileFormatInfo& format = file_format_info(order.order.format);
    if (!format.figure) return show(std::make_shared<FigurePreview>(preview_numbers(order.order, present)));
    FigureGrid figure;
    FigurePreview preview = compares ? preview_figure(order.order, state.before(), &present, figure)
                                     : preview_figure(order.order, present, nullptr, figure);
    show(std::make_shared<FigurePreview>(preview));
    if (!preview.failure.empty() || newer_preview_waits()) return;
    const FigureFile file =
        figure_file(figure, *format.figure, order.order.options.dpi, notes_of(figure, *order.source.session));
    preview.file_size = file.bytes.size();
    show(std::make_shared<FigurePreview>(std::move(preview)));
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

std::string ExportJobs::bytes_of(const Request& request, const ExportItem& item, std::string* said) {
  const Computed& state = computed(request.source);
  const ComputedSession present = state.present();
  const FileFormatInfo& format = file_format_info(request.order.format);
  if (!format.figure) {
    if (item.choice.kind == FigureKind::Pipeline) return npz_bytes(every_stage(state.evaluator));
    return table_bytes(stage_table_of(present, item.choice.part), format.format);
  }
  check_options(item.options, item.choice.part.stage);
  const bool compares = item.choice.kind == FigureKind::Compare && state.kept;
  const FigureGrid figure =
      compares ? make_figure(item.choice, state.before(), &present, item.options, *format.figure)
               : make_figure(item.choice, present, nullptr, item.options, *format.figure);
  FigureFile file =
      figure_file(figure, *format.figure, item.options.dpi, notes_of(figure, *request.source.session));
  if (said && format.format != FileFormat::Png && !figure.plans.empty())
    *said = file.cells == CellsForm::Image ? ", one raster image inside vector labels" : ", vector cells";
  return std::move(file.bytes);
}

// One file is replaced in one step; several are written beside the folder's files first, so that all of them
// are there or none.
std::string ExportJobs::save_all(const Request& request) {
  const std::vector<ExportItem>& items = request.order.items;
  if (items.size() == 1) {
    std::string said;
    const std::string bytes = bytes_of(request, items[0], &said);
    write_file_atomically(items[0].path, bytes);
    return "Saved as " + items[0].path.string() + said;
  }
  const Scratch scratch(items.front().path.parent_path());
  for (std::size_t i = 0; i < items.size(); ++i) {
    {
      const std::scoped_lock lock(mutex_);
      if (stop_) throw StoppedByUser{};
      progress_ = {true, i, items.size(), choice_name(items[i].choice)};
    }
    wake_();
    write_file_atomically(scratch.path / items[i].path.filename(), bytes_of(request, items[i]));
  }
  for (const ExportItem& item : items) {
    std::error_code failed;
    fs::rename(scratch.path / item.path.filename(), item.path, failed);
    if (failed) throw Error(failed.message(), item.path.string(), "choose another folder");
  }
  return std::to_string(items.size()) + " files saved in " + items.front().path.parent_path().string();
}

}  // namespace headlight
