// What is written to a terminal: one place that all of it passes.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace headlight {

// While it lives, the stream writes visible text (see visible_text.h): no file, name or token steers the
// terminal. Lines end as before.
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
  std::string unfinished_;  // the beginning of a character whose rest is not written yet
};

}  // namespace headlight
