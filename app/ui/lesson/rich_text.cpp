#include "app/ui/lesson/rich_text.h"

namespace headlight {
namespace {

// Places words one after the other. A word may consist of pieces of several runs.
class Setter {
 public:
  Setter(float width, float line_height, const TextWidth& measure)
      : width_(width), line_height_(line_height), measure_(measure), space_(measure(" ")) {}

  // slider_width: of the slider that is drawn with the text; 0: none. A slider begins a line, so that the
  // words before it, which change as it is dragged, do not move it to the side.
  void add(const std::string& text, std::size_t run, float slider_width) {
    if (text.empty()) return;
    begins_line_ = begins_line_ || slider_width > 0;
    word_.push_back({word_width_, 0, slider_width > 0 ? slider_width : measure_(text), text, run});
    word_width_ += word_.back().width;
  }
  void end_word() {
    if (word_.empty()) return;
    if (!at_begin_ && (begins_line_ || x_ + space_ + word_width_ > width_)) new_line();
    begins_line_ = false;
    const float from = at_begin_ ? 0 : x_ + space_;
    for (PlacedText& piece : word_) {
      piece.x += from;
      piece.y = y_;
      plan_.pieces.push_back(std::move(piece));
    }
    x_ = from + word_width_;
    at_begin_ = false;
    word_.clear();
    word_width_ = 0;
  }
  void new_line() {
    x_ = 0;
    y_ += line_height_;
    at_begin_ = true;
  }
  TextPlan finish() {
    end_word();
    plan_.height = y_ + (at_begin_ ? 0 : line_height_);
    return std::move(plan_);
  }

 private:
  float width_, line_height_;
  const TextWidth& measure_;
  float space_;
  TextPlan plan_;
  std::vector<PlacedText> word_;
  float word_width_ = 0, x_ = 0, y_ = 0;
  bool at_begin_ = true, begins_line_ = false;
};

}  // namespace

TextPlan plan_text(const std::vector<EvaluatedRun>& runs, float width, float line_height,
                   const TextWidth& measure, float slider_width) {
  Setter setter(width, line_height, measure);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::string& text = runs[run].text;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const bool end = at == text.size();
      if (!end && text[at] != ' ' && text[at] != '\n') continue;
      setter.add(text.substr(begin, at - begin), run, runs[run].slider ? slider_width : 0);
      begin = at + 1;
      if (end) break;
      setter.end_word();
      if (text[at] == '\n') setter.new_line();
    }
  }
  return setter.finish();
}

}  // namespace headlight
