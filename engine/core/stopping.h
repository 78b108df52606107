// Cooperative cancellation. The starter of a piece of work opens a StopScope on the thread that runs it, and
// long loops call throw_if_stopped() regularly. A thread without a scope is never stopped.
#pragma once

#include <exception>
#include <stop_token>

namespace headlight {

// Thrown out of cancelled work, whose result is not needed.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

// While it exists, work on this thread can be stopped through the token's source.
class StopScope {
 public:
  explicit StopScope(std::stop_token token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  std::stop_token outer_;
};

// Throws Stopped if the innermost scope's source has requested a stop. Costs a few nanoseconds.
void throw_if_stopped();
// The token of the innermost scope, for threads that take part in the same work.
std::stop_token stop_token_here();

}  // namespace headlight
