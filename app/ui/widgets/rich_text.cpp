#include "app/ui/widgets/rich_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

// Puts [first, last) the other way round between its two ends.
template <typename Piece>
void mirror(Piece first, Piece last, float left, float right) {
  for (; first != last; ++first)
    first->x = left + right - first->x - first->width;
}

// Whether the byte is a letter, or begins one, of the Latin, Greek or Cyrillic alphabet.
bool is_european(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (byte >= 0xC3 && byte <= 0xD4);
}

// The sign that looks to the other side; itself if it looks to none.
std::string mirrored(const std::string& sign) {
  constexpr std::array<std::array<const char*, 2>, 5> kSides = {
      {{"(", ")"}, {"[", "]"}, {"<", ">"}, {"«", "»"}, {"‹", "›"}}};
  for (const auto& [left, right] : kSides)
    if (sign == left || sign == right) return sign == left ? right : left;
  return sign;
}

// Signs alone as they stand between words that are read from right to left. Others stay: their letters or
// digits say which way they run.
std::string turned_signs(const std::string& text) {
  std::string turned;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      ++end;
    const std::string sign = text.substr(at, end - at);
    const auto lead = static_cast<unsigned char>(sign[0]);
    const bool punctuates = lead < 0x80 ? !std::isalnum(lead) : lead == 0xC2 || lead == 0xE2;
    if (!punctuates) return text;
    turned.insert(0, mirrored(sign));
    at = end;
  }
  return turned;
}

// The line of a text that is read from right to left: its words in the other direction, but those of other
// scripts that follow each other.
template <typename Piece>
void turn_line(Piece first, Piece last, float width) {
  mirror(first, last, 0, width);
  const auto runs_on = [](const PlacedText& piece) {
    return std::any_of(piece.text.begin(), piece.text.end(), is_european) && !reads_from_right(piece.text);
  };
  for (Piece piece = first; piece != last; ++piece)
    if (!runs_on(*piece) && !reads_from_right(piece->text)) piece->text = turned_signs(piece->text);
  while (first != last) {
    const Piece begin = std::find_if(first, last, runs_on);
    const Piece end = std::find_if_not(begin, last, runs_on);
    if (begin != end) mirror(begin, end, (end - 1)->x, begin->x + begin->width);
    first = end;
  }
}

void turn_lines(std::vector<PlacedText>& pieces, float width) {
  for (auto first = pieces.begin(); first != pieces.end();) {
    const auto last =
        std::find_if(first, pieces.end(), [first](const PlacedText& piece) { return piece.y != first->y; });
    turn_line(first, last, width);
    first = last;
  }
}

bool reads_from_right(const std::vector<EvaluatedRun>& runs) {
  std::string text;
  for (const EvaluatedRun& run : runs)
    text += run.text;
  return headlight::reads_from_right(text);
}

// Places words one after the other. A word may consist of pieces of several runs.
class Setter {
 public:
  Setter(float width, float line_height, const TextWidth& measure)
      : width_(width), line_height_(line_height), measure_(measure), space_(measure(" ")) {}

  // slider_width: of the slider that is drawn with the text; 0: none. A slider begins a line, so that the
  // words before it, which change as it is dragged, do not move it to the side. Behind it a full stop or a
  // comma would stand alone: it is left out.
  void add(const std::string& text, std::size_t run, float slider_width) {
    if (text.empty() || (has_slider_ && text.find_first_not_of(".,;:") == std::string::npos)) return;
    has_slider_ = has_slider_ || slider_width > 0;
    begins_line_ = begins_line_ || slider_width > 0;
    word_.push_back({word_width_, 0, slider_width > 0 ? slider_width : measure_(text), text, run});
    word_width_ += word_.back().width;
  }
  void end_word() {
    has_slider_ = false;
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
  bool at_begin_ = true, begins_line_ = false, has_slider_ = false;  // of the word
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
  TextPlan plan = setter.finish();
  if (reads_from_right(runs)) turn_lines(plan.pieces, width);
  return plan;
}

}  // namespace headlight
