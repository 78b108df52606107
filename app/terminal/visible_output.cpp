#include "app/terminal/visible_output.h"

#include "engine/core/visible_text.h"

namespace headlight {

VisibleOutput::VisibleOutput(std::ostream& stream) : stream_(stream), target_(stream.rdbuf()) {
  const std::ios_base::iostate state = stream.rdstate();
  stream_.rdbuf(this);
  stream_.setstate(state);
}

VisibleOutput::~VisibleOutput() {
  const std::ios_base::iostate state = stream_.rdstate();
  pass(visible_text(unfinished_));
  stream_.rdbuf(target_);
  stream_.setstate(state);
}

bool VisibleOutput::pass(std::string_view text) {
  const auto count = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), count) == count;
}

VisibleOutput::int_type VisibleOutput::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  const char byte = traits_type::to_char_type(letter);
  return xsputn(&byte, 1) == 1 ? letter : traits_type::eof();
}

std::streamsize VisibleOutput::xsputn(const char* text, std::streamsize count) {
  unfinished_.append(text, static_cast<std::size_t>(count));
  const std::size_t whole = unfinished_.size() - unfinished_bytes(unfinished_);
  const bool passed = pass(visible_text(std::string_view(unfinished_).substr(0, whole), "\n"));
  unfinished_.erase(0, whole);
  return passed ? count : 0;
}

int VisibleOutput::sync() {
  return target_->pubsync();
}

}  // namespace headlight
