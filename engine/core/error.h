// `Error`, the exception for expected failures: bad input, a full disk, shapes that do not match. It is
// thrown where the failure is detected and shown to the user once. Bugs are checked by assertions instead.
#pragma once

#include <exception>
#include <string>

namespace headlight {

class Error : public std::exception {
 public:
  // what: "query is 4 x 3, expected 3 x 2".  where: "weights.query in lesson.headlight".
  // hint: "d_in is 3: resize it or choose another file". where and hint may be empty.
  Error(std::string what, std::string where, std::string hint);

  const std::string& summary() const { return summary_; }
  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

  // One line with all three parts: "weights.query: query is 4 x 3, expected 3 x 2 (d_in is 3: ...)".
  const char* what() const noexcept override { return line_.c_str(); }

  // This error with `outer` in front of where().
  Error inside(const std::string& outer) const;

 private:
  std::string summary_;
  std::string where_;
  std::string hint_;
  std::string line_;
};

}  // namespace headlight
