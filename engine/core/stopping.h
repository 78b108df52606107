// Work that another thread may stop: whoever starts it opens a scope on the thread that does it, and its long
// loops ask now and then. A loop that runs on a thread without a scope is never stopped.
#pragma once

#include <exception>
#include <stop_token>

namespace headlight {

// Thrown out of work that was stopped; nobody waits for its result.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

// While it lives, what this thread does can be stopped through the token's source.
class StopScope {
 public:
  explicit StopScope(std::stop_token token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  std::stop_token outer_;
};

// Throws Stopped when the innermost scope's work is to stop. Costs some nanoseconds.
void stop_if_asked();
// The token of the innermost scope, to be asked by threads that share in the work.
std::stop_token stop_token_here();

}  // namespace headlight
