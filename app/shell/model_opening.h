// A model's folder on its way to the window: its tokenizer is read and its first text goes through it on a
// thread of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/core/newest_job.h"
#include "engine/session/session.h"

namespace headlight {

struct OpenedModel {
  std::filesystem::path path;  // as it was asked for
  std::uint64_t revision = 0;  // of the document, when it was
  std::optional<Session> session;
  std::string failure;  // why there is none
};

class ModelOpening {
 public:
  // `wake`: called beside the window when there is something to take; it must only wake it.
  explicit ModelOpening(std::function<void()> wake) : job_(std::move(wake)) {}

  // Returns at once. In the place of what was asked for before.
  void start(const std::filesystem::path& path, std::uint64_t revision);
  // Something else is open by now.
  void forget() { job_.forget(); }
  bool running() const { return job_.running(); }
  // What has become of the newest, once.
  std::optional<OpenedModel> take() { return job_.take(); }

 private:
  NewestJob<OpenedModel> job_;
};

}  // namespace headlight
