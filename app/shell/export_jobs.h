// Makes figures and numbers in the background: previews, files, and what goes to the clipboard. A large one
// takes a while, and the window must not wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/export/export_request.h"
#include "app/export/figure_preview.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// What is exported: a copy, for the document may go on changing.
struct ExportSource {
  std::shared_ptr<const Session> session;
  KeptState kept;  // A, of figures that compare
};

struct ExportOutcome {
  enum class Kind { Saved, Copied, Stopped, Failed };
  Kind kind = Kind::Saved;
  std::string text;                     // what happened, for the person
  std::string picture, clipboard_text;  // of Copied: one of the two
};

class ExportJobs {
 public:
  // `wake` is called on the jobs' thread and must only wake the window.
  explicit ExportJobs(std::function<void()> wake);
  ~ExportJobs();  // stops what is running
  ExportJobs(const ExportJobs&) = delete;
  ExportJobs& operator=(const ExportJobs&) = delete;

  // The newest order wins; orders that are like the last one cost nothing.
  void preview(const PreviewOrder& order, const ExportSource& source);
  // None while none is made, and after end_previews, which also lets go of what was computed for them.
  std::shared_ptr<const FigurePreview> newest_preview() const;
  bool previewing() const;
  void end_previews();

  // Precondition: none is running.
  void start(ExportRequest request, const ExportSource& source);
  ExportProgress progress() const;
  void stop();  // before the next file; files of the request that are written already do not stay
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
  void make_preview(const Preview& preview);
  void show(std::shared_ptr<const FigurePreview> preview);
  ExportOutcome carry_out(const Request& request);
  ExportOutcome copy(const Request& request);
  std::string save_all(const Request& request);
  std::string bytes_of(const Request& request, const ExportItem& item, std::string* said = nullptr);
  const Computed& computed(const ExportSource& source);
  bool newer_preview_waits() const;

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false, stop_ = false, keeps_ = false, preview_busy_ = false;
  std::optional<Preview> waiting_preview_, last_preview_;
  std::shared_ptr<const FigurePreview> newest_preview_;
  std::optional<Request> waiting_request_;
  ExportProgress progress_;
  std::optional<ExportOutcome> outcome_;
  std::unique_ptr<Computed>
      computed_;  // of the last source; the thread's own. Key: its session and kept model
  std::thread thread_;
};

}  // namespace headlight
