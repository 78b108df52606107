// A session's file or a model's folder on its way to the window: it is read, and a model's text goes through
// it, on a thread of their own.
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
  std::uint64_t revision = 0;            // of the document, when it was asked for
  bool as_copy = false;                  // of a session: saving it asks where
  std::optional<std::size_t> step = {};  // of the lesson that is open and whose file has changed
};

struct OpenedFile {
  OpenRequest requested;
  bool of_model = false;
  std::optional<FileStamp> stamp;  // of a session's file, when it was read
  std::optional<Session> session;
  std::vector<Error> faults;  // of a lesson's steps
  std::string failure;        // why there is no session
};

class FileOpening {
 public:
  // `wake`: called beside the window when there is something to take; it must only wake it.
  explicit FileOpening(std::function<void()> wake) : job_(std::move(wake)) {}

  // Returns at once. In the place of what was asked for before.
  void start(OpenRequest requested);
  // Something else is open by now.
  void forget() { job_.forget(); }
  bool running() const { return job_.running(); }
  // What has become of the newest, once; waits for it as long as `patience`.
  std::optional<OpenedFile> take(std::chrono::milliseconds patience = std::chrono::milliseconds(0)) {
    return job_.take(patience);
  }

 private:
  NewestJob<OpenedFile> job_;
};

}  // namespace headlight
