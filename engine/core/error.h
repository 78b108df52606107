// An expected failure: bad input, a full disk, a shape that does not fit. It is thrown where it is found
// and reported once, to the person who can mend it. Assertions are for bugs; this is for input.
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

  // The same failure seen from further out: `outer` is put before the place.
  Error inside(const std::string& outer) const;

 private:
  std::string summary_;
  std::string where_;
  std::string hint_;
  std::string line_;
};

}  // namespace headlight
