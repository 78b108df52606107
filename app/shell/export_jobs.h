// Makes figures and numbers in a background thread: previews, files and clipboard contents. The worker's
// thread reads the numbers from its stages part by part; this thread plans and paints the figures.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/export/exported_files.h"
#include "app/export/figure_preview.h"
#include "app/ui/context/ui_context.h"
#include "engine/worker/worker.h"

namespace headlight {

// What is exported: a copy, because the document may change meanwhile.
struct ExportSource {
  std::shared_ptr<const Session> session;
  std::uint64_t revision = 0;  // of the session's model, as the worker counts
  Baseline baseline;           // A, for figures that compare
};

struct ExportOutcome {
  enum class Kind { Saved, Copied, Stopped, Failed };
  Kind kind = Kind::Saved;
  std::string text;                     // the message for the user
  std::string picture, clipboard_text;  // set by Copied: one of the two
};

class ExportJobs {
 public:
  using SendRead = std::function<std::future<bool>(StageRead)>;
  // `wake` is called on the jobs' thread and must only wake the window. `send` is Worker::read_stages; the
  // worker may be created later, but must exist at the first request and outlive this object. Throws Error if
  // no thread can be started.
  ExportJobs(std::function<void()> wake, SendRead send);
  ~ExportJobs();  // stops the running job
  ExportJobs(const ExportJobs&) = delete;
  ExportJobs& operator=(const ExportJobs&) = delete;

  // Only the newest order is carried out; an order equal to the last one is ignored.
  void preview(const PreviewRequest& order, const ExportSource& source);
  // Null until the first preview is made, and after end_previews.
  std::shared_ptr<const FigurePreview> newest_preview() const;
  bool previewing() const;
  void end_previews();

  // Precondition: no request is running. If an edit arrives before all numbers are read, the session is
  // computed again in its state at the start.
  void start(ExportRequest request, const ExportSource& source);
  ExportProgress progress() const;
  // Takes effect while the worker is awaited, or before the next file. Files of the request that are already
  // written are removed.
  void stop();
  std::optional<ExportOutcome> take_outcome();
  bool running() const;  // whether a request or a preview is running

 private:
  struct Computed;
  struct Request {
    ExportRequest order;
    ExportSource source;
  };
  struct Preview {
    PreviewRequest order;
    ExportSource source;
  };

  void work();
  // Calls `read` on the worker's thread and waits for it. Throws StoppedByUser once given_up() returns true,
  // and RevisionChanged if the worker's model has another revision.
  void read_from_worker(const ExportSource& source, const FigureChoice& choice, const ReadStages& read,
                        const std::function<bool()>& given_up) const;
  void make_preview(const Preview& preview);
  void preview_from_worker(const Preview& preview);
  void show(std::shared_ptr<const FigurePreview> preview);
  ExportOutcome carry_out(const Request& request);
  ExportOutcome copy(const Request& request);
  std::string save_all(const Request& request);
  ExportedBytes bytes_of(const Request& request, const ExportItem& item);
  ExportedBytes computed_bytes_of(const Request& request, const ExportItem& item);
  ExportedBytes moving_bytes(Animation animation, const std::filesystem::path& path) const;
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
  // The evaluators of the running request, if the worker's model has changed since. Used only by the thread.
  std::unique_ptr<Computed> computed_;
  std::thread thread_;
};

}  // namespace headlight
