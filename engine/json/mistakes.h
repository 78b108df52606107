// Collects what is wrong with the parts of something, so that all of it is told and not only the first
// mistake.
#pragma once

#include <utility>
#include <vector>

#include "engine/core/error.h"

namespace headlight {

class Mistakes {
 public:
  // Calls `part`; returns whether it threw no Error. Whatever it left half done stays so.
  template <typename Part>
  bool read(Part&& part) {
    try {
      std::forward<Part>(part)();
      return true;
    } catch (const Error& error) {
      found_.push_back(error);
      return false;
    }
  }
  void add(Error error) { found_.push_back(std::move(error)); }
  const std::vector<Error>& found() const { return found_; }
  bool none() const { return found_.empty(); }

 private:
  std::vector<Error> found_;
};

}  // namespace headlight
