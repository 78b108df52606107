// A filter for all output to a terminal that makes control characters visible.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace headlight {

// During its lifetime the stream writes visible text (see visible_text.h), so that no file content, name or
// token controls the terminal. Line ends are unchanged.
class VisibleOutput : private std::streambuf {
 public:
  explicit VisibleOutput(std::ostream& stream);
  ~VisibleOutput() override;
  VisibleOutput(const VisibleOutput&) = delete;
  VisibleOutput& operator=(const VisibleOutput&) = delete;

 private:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;
  bool pass(std::string_view text);

  std::ostream& stream_;
  std::streambuf* target_;
  std::string unfinished_;  // the first bytes of an incomplete character
};

}  // namespace headlight
