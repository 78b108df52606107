// Makes figures and numbers in the background: previews, files, and what goes to the clipboard. A large one
// takes a while, and the window must not wait. Their numbers are the worker's, taken from its stages part by
// part on its own thread; figures are planned and painted here.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/export/export_request.h"
#include "app/export/figure_preview.h"
#include "app/ui/context/ui_context.h"
#include "engine/worker/worker.h"

namespace headlight {

// What is exported: a copy, for the document may go on changing.
struct ExportSource {
  std::shared_ptr<const Session> session;
  std::uint64_t revision = 0;  // of its model, as the worker counts
  Baseline kept;               // A, of figures that compare
};

struct ExportOutcome {
  enum class Kind { Saved, Copied, Stopped, Failed };
  Kind kind = Kind::Saved;
  std::string text;                     // what happened, for the person
  std::string picture, clipboard_text;  // of Copied: one of the two
};

class ExportJobs {
 public:
  using SendRead = std::function<std::future<bool>(StageRead)>;
  // `wake` is called on the jobs' thread and must only wake the window. `send`: Worker::read_stages, of a
  // worker that may come later but has to be there when anything is asked for, and lives longer. Throws Error
  // where no thread can be started.
  ExportJobs(std::function<void()> wake, SendRead send);
  ~ExportJobs();  // stops what is running
  ExportJobs(const ExportJobs&) = delete;
  ExportJobs& operator=(const ExportJobs&) = delete;

  // The newest order wins; orders that are like the last one cost nothing.
  void preview(const PreviewOrder& order, const ExportSource& source);
  // None while none is made, and after end_previews.
  std::shared_ptr<const FigurePreview> newest_preview() const;
  bool previewing() const;
  void end_previews();

  // Precondition: none is running. Where an edit comes before all numbers are taken, the session is computed
  // once more, as it was.
  void start(ExportRequest request, const ExportSource& source);
  ExportProgress progress() const;
  // While the worker is waited for, or before the next file. Files of the request that are written already do
  // not stay.
  void stop();
  std::optional<ExportOutcome> take_outcome();
  bool running() const;  // a request or a preview

 private:
  struct Computed;
  struct Request {
    ExportRequest order;
    ExportSource source;
  };
  struct Preview {
    PreviewOrder order;
    ExportSource source;
  };

  void work();
  // Calls `read` on the worker's thread, and waits until it has been called. Throws StoppedByUser when nobody
  // wants that any more, and PassedOn when the worker has another state by then.
  void read_from_worker(const ExportSource& source, const FigureChoice& choice, const ReadStages& read,
                        const std::function<bool()>& given_up) const;
  void make_preview(const Preview& preview);
  void preview_from_worker(const Preview& preview);
  void show(std::shared_ptr<const FigurePreview> preview);
  ExportOutcome carry_out(const Request& request);
  ExportOutcome copy(const Request& request);
  std::string save_all(const Request& request);
  std::string bytes_of(const Request& request, const ExportItem& item, std::string* said = nullptr);
  std::string computed_bytes_of(const Request& request, const ExportItem& item, std::string* said);
  bool stopping() const;
  bool newer_preview_waits() const;

  std::function<void()> wake_;
  SendRead send_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false, stop_ = false, keeps_ = false, preview_busy_ = false;
  std::optional<Preview> waiting_preview_, last_preview_;
  std::shared_ptr<const FigurePreview> newest_preview_;
  std::optional<Request> waiting_request_;
  ExportProgress progress_;
  std::optional<ExportOutcome> outcome_;
  // Of the request under way, where the worker has passed on; the thread's own.
  std::unique_ptr<Computed> computed_;
  std::thread thread_;
};

}  // namespace headlight
