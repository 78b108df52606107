// Reads a session's file or a model's folder on a background thread; a model's text is computed there too.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/file_stamp.h"
#include "engine/core/newest_job.h"
#include "engine/session/session.h"

namespace headlight {

struct OpenRequest {
  std::filesystem::path path;
  std::uint64_t revision = 0;            // of the document at the time of the request
  bool as_copy = false;                  // of a session: saving it asks for a path
  std::string text = {};                 // of a model: the first one; "": any
  std::optional<std::size_t> step = {};  // the step of the open lesson whose file has changed
  // Of a session: where its model is, if not where it says; empty: there.
  std::filesystem::path model = {};
};

struct OpenedFile {
  OpenRequest requested;
  bool of_model = false;
  std::optional<FileStamp> stamp;  // of a session's file at the time it was read
  std::optional<Session> session;
  std::vector<Error> faults;                 // in the steps of a lesson
  std::string failure;                       // why there is no session
  std::optional<std::string> missing_model;  // the name of the session's model, if that is why
};

class FileOpening {
 public:
  // `wake` is called on another thread when there is something to take; it must only wake the window.
  explicit FileOpening(std::function<void()> wake) : job_(std::move(wake)) {}

  // Returns at once. Replaces the previous request.
  void start(OpenRequest requested);
  // Discards the request.
  void forget() { job_.forget(); }
  bool running() const { return job_.running(); }
  // Returns the result of the newest request once; waits for it for at most `patience`.
  std::optional<OpenedFile> take(std::chrono::milliseconds patience = std::chrono::milliseconds(0)) {
    return job_.take(patience);
  }

 private:
  NewestJob<OpenedFile> job_;
};

}  // namespace headlight
