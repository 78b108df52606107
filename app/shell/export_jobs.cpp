#include "app/shell/export_jobs.h"

#include <chrono>
#include <utility>

#include "app/export/motion_of.h"
#include "app/page/model_page.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr Index kMostCopied = 4'000'000;  // numbers; about 50 MB of text

// Interval between checks whether the request to the worker is still needed.
constexpr std::chrono::milliseconds kLook{20};

struct StoppedByUser {};
struct RevisionChanged {};

bool same(const ExportSource& a, const ExportSource& b) {
  return a.session == b.session && a.baseline.layer == b.baseline.layer;
}

bool compares(const FigureChoice& choice, const ExportSource& source) {
  return figure_kind_info(choice.kind).kept && source.baseline.layer;
}

ExportedBytes page_bytes(const Session& session, const ComputedSession& present) {
  const bool computes_model = session.work && why_still(*session.work).empty();
  Page page = computes_model ? model_page(session, present, false) : page_of(session, present, false);
  return {std::move(page.html), page.still.empty() ? "" : ", standing still: " + page.still};
}

Animation moving_cell(const CellAnimation& wanted, const ComputedSession& present) {
  const Layer& layer = present.layer();
  if (!address_exists(layer, wanted.cell) || !has_motion(layer, wanted.cell.stage))
    throw Error("the cell is no longer there, or is no longer computed", "the animation",
                "select another cell and save it again");
  return animation_of(present, wanted.cell, wanted.options);
}

Animation moving_states(const WayAnimation& wanted, const ExportSource& source) {
  if (!source.baseline.layer)
    throw Error("no state is kept", "the animation", "keep one first: Ctrl+Shift+K");
  const std::shared_ptr<const Layer> now(source.session, &source.session->layer);
  return animation_of_states(
      states_between(source.baseline.layer, now, "kept", "now", state_count(wanted.options)), wanted.choice,
      wanted.options);
}

}  // namespace

struct ExportJobs::Computed {
  explicit Computed(const Layer& layer) : evaluator(evaluate(layer)) {}
  Evaluator evaluator;
  std::optional<Evaluator> baseline;
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

void ExportJobs::preview(const PreviewRequest& order, const ExportSource& source) {
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
  const auto reference = compares(choice, source) ? source.baseline.layer : nullptr;
  const auto visited = [asked, reference, &read](const Evaluator& evaluator, const Evaluator* kept) {
    const std::scoped_lock lock(asked->mutex);
    if (asked->given_up) return;  // `read` no longer exists
    if (reference && !kept)
      throw Error("the kept state cannot be computed", "comparison", "keep another one: Ctrl+Shift+K");
    read(evaluator, kept);
  };
  std::future<bool> done = send_({source.revision, stages_in(choice), reference, visited});
  while (done.wait_for(kLook) != std::future_status::ready) {
    if (!given_up()) continue;
    const std::scoped_lock lock(asked->mutex);
    asked->given_up = true;
    throw StoppedByUser{};
  }
  if (!done.get()) throw RevisionChanged{};
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
  const PreviewRequest& order = preview.order;
  const Session& session = *preview.source.session;
  const StageAccess elsewhere = [&](const ReadStages& read) {
    read_from_worker(preview.source, order.choice, read, [this] { return newer_preview_waits(); });
  };
  const ComputedSession present(session.layer, elsewhere, false, session.title);
  const FileFormatInfo& format = file_format_info(order.format);
  if (!format.figure) return show(std::make_shared<FigurePreview>(preview_numbers(order, present)));
  FigureGrid figure;
  FigurePreview shown;
  if (compares(order.choice, preview.source)) {
    const Baseline& kept = preview.source.baseline;
    shown = preview_figure(order, {*kept.layer, elsewhere, true, kept.title}, &present, figure);
  } else {
    shown = preview_figure(order, present, nullptr, figure);
  }
  show(std::make_shared<FigurePreview>(shown));
  if (!shown.failure.empty() || newer_preview_waits()) return;
  shown.file_size = file_of(figure, *format.figure, order.options.dpi, session.title).bytes.size();
  show(std::make_shared<FigurePreview>(std::move(shown)));
}

void ExportJobs::make_preview(const Preview& preview) {
  try {
    try {
      preview_from_worker(preview);
    } catch (const StoppedByUser&) {  // a newer preview was requested, or none
    } catch (const RevisionChanged&) {
      // After an edit, the preview of the new state follows; otherwise validate() throws the error to show.
      validate(preview.source.session->layer);
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
  const Layer& layer = request.source.session->layer;
  const Index cells = stage_heads(layer, stage) * layer.token_count() * stage_columns(layer, stage);
  if (!format.figure && cells > kMostCopied)
    throw Error(std::to_string(cells) + " numbers are too many for the clipboard, which takes " +
                    std::to_string(kMostCopied) + " here",
                name, "save them to a file (Ctrl+E), or choose one head");
  std::string bytes = bytes_of(request, item).bytes;
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

// Looks before each frame whether the user has stopped it.
ExportedBytes ExportJobs::moving_bytes(Animation animation, const std::filesystem::path& path) const {
  const AnimationFormat format = animation_format(path).value_or(AnimationFormat::Gif);
  animation.paint = [this, paint = std::move(animation.paint)](std::size_t frame) {
    if (stopping()) throw StoppedByUser{};
    return paint(frame);
  };
  return {animation_bytes(animation, format, 0), ", " + std::to_string(animation.frame_count()) + " frames"};
}

ExportedBytes ExportJobs::bytes_of(const Request& request, const ExportItem& item) {
  if (request.order.way) return moving_bytes(moving_states(*request.order.way, request.source), item.path);
  if (computed_) return computed_bytes_of(request, item);
  const ExportSource& source = request.source;
  const StageAccess elsewhere = [&](const ReadStages& read) {
    read_from_worker(source, item.choice, read, [this] { return stopping(); });
  };
  const ComputedSession present(source.session->layer, elsewhere, false, source.session->title);
  const FileFormatInfo& format = file_format_info(request.order.format);
  try {
    if (request.order.page) return page_bytes(*source.session, present);
    if (request.order.animation)
      return moving_bytes(moving_cell(*request.order.animation, present), item.path);
    if (!compares(item.choice, source)) return export_bytes(item, format, present, nullptr, present.title);
    const ComputedSession before(*source.baseline.layer, elsewhere, true, source.baseline.title);
    return export_bytes(item, format, present, &before, present.title);
  } catch (const RevisionChanged&) {
    return computed_bytes_of(request, item);
  }
}

ExportedBytes ExportJobs::computed_bytes_of(const Request& request, const ExportItem& item) {
  const ExportSource& source = request.source;
  const FileFormatInfo& format = file_format_info(request.order.format);
  if (!computed_) computed_ = std::make_unique<Computed>(source.session->layer);
  const ComputedSession present(computed_->evaluator, source.session->title);
  if (request.order.page) return page_bytes(*source.session, present);
  if (request.order.animation) return moving_bytes(moving_cell(*request.order.animation, present), item.path);
  if (!compares(item.choice, source)) return export_bytes(item, format, present, nullptr, present.title);
  if (!computed_->baseline) computed_->baseline.emplace(evaluate(*source.baseline.layer));
  const ComputedSession before(*computed_->baseline, source.baseline.title);
  return export_bytes(item, format, present, &before, present.title);
}

std::string ExportJobs::save_all(const Request& request) {
  const std::vector<ExportItem>& items = request.order.items;
  if (items.size() == 1) {
    const ExportedBytes bytes = bytes_of(request, items[0]);
    write_file_atomically(items[0].path, bytes.bytes);
    return "Saved as " + items[0].path.string() + bytes.note;
  }
  FileSet saved;
  for (std::size_t i = 0; i < items.size(); ++i) {
    {
      const std::scoped_lock lock(mutex_);
      if (stop_) throw StoppedByUser{};
      progress_ = {true, i, items.size(), choice_name(items[i].choice)};
    }
    wake_();
    saved.add(items[i].path, bytes_of(request, items[i]).bytes);
  }
  saved.commit();
  return std::to_string(items.size()) + " files saved in " + items.front().path.parent_path().string();
}

}  // namespace headlight
