#include "engine/core/stopping.h"

#include <utility>

namespace headlight {
namespace {

thread_local std::stop_token current;

}  // namespace

StopScope::StopScope(std::stop_token token) : outer_(std::exchange(current, std::move(token))) {}

StopScope::~StopScope() {
  current = std::move(outer_);
}

void throw_if_stopped() {
  if (current.stop_requested()) throw Stopped();
}

std::stop_token stop_token_here() {
  return current;
}

}  // namespace headlight
