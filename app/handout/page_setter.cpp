#include "app/handout/page_setter.h"

#include <utility>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kLine = 1.4;  // line height divided by the font size

// The number of leading bytes of a word that fit the width; at least one character.
std::size_t fitting_bytes(const std::string& word, double width, double size_px, const MeasureText& measure) {
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(word[at]) & 0xC0) == 0x80;
  };
  std::size_t end = 0, fits = 0;
  while (end < word.size()) {
    ++end;
    while (end < word.size() && continues(end))
      ++end;
    if (fits > 0 && measure(word.substr(0, end), size_px, FontFace::Text).width > width) break;
    fits = end;
  }
  return fits;
}

}  // namespace

PageSetter::PageSetter(const FigureStyle& style, const MeasureText& measure)
    : style_(style), measure_(measure) {
  new_page();
}

void PageSetter::new_page() {
  FigureGrid page;
  page.width = kPageWidth;
  page.height = kPageHeight;
  page.background = style_.background;
  page.fonts = style_.fonts;
  pages_.push_back(std::move(page));
  y_ = kPageMargin;
}

void PageSetter::make_room(double height_px) {
  if (y_ > kPageMargin && y_ + height_px > kPageHeight - kPageMargin) new_page();
}

std::vector<std::string> PageSetter::lines_of(const std::string& text, double width, double size_px) const {
  std::vector<std::string> lines = {""};
  const auto add = [&](const std::string& whole) {
    std::string word = capped(whole, kMostMeasured);
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (measure_(longer, size_px, FontFace::Text).width <= width) {
      lines.back() = longer;
      return;
    }
    if (!lines.back().empty()) lines.emplace_back();
    while (measure_(word, size_px, FontFace::Text).width > width) {
      const std::size_t end = fitting_bytes(word, width, size_px, measure_);
      lines.back() = word.substr(0, end);
      word.erase(0, end);
      if (word.empty()) return;
      lines.emplace_back();
    }
    lines.back() = word;
  };
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '\n') {
      word += c;
      continue;
    }
    if (!word.empty()) add(std::exchange(word, {}));
    if (c == '\n') lines.emplace_back();
  }
  if (!word.empty()) add(word);
  return lines;
}

void PageSetter::paragraph(const std::string& text, const ParagraphLook& look) {
  if (text.empty()) return;
  const std::vector<std::string> lines = lines_of(text, kTextWidth - look.indent_px, look.size_px);
  const double line = look.size_px * kLine;
  if (y_ > kPageMargin) y_ += look.space_above_px;
  make_room(line + look.keep_with_next_px);
  // Each line is painted alone: a mark makes one that begins with a number or a word of another script run as
  // its paragraph does.
  const bool from_right = reads_from_right(text);
  for (const std::string& words : lines) {
    make_room(line);
    PlannedText planned;
    planned.text = (from_right && !words.empty() ? kSetFromRight : "") + words;
    planned.x = from_right ? kPageMargin + kTextWidth - look.indent_px : kPageMargin + look.indent_px;
    planned.anchor = from_right ? Anchor::End : Anchor::Start;
    planned.y = y_ + line / 2;
    planned.size_px = look.size_px;
    planned.color = look.quiet ? style_.quiet_text : style_.text;
    if (!words.empty()) pages_.back().texts.push_back(std::move(planned));
    y_ += line;
  }
}

void PageSetter::picture(FigureGrid figure, double above_px) {
  if (y_ > kPageMargin) y_ += above_px;
  make_room(figure.height);
  FigureGrid& page = pages_.back();
  const double x = kPageMargin + (kTextWidth - figure.width) / 2;
  for (PlacedPlan& plan : figure.plans)
    page.plans.push_back({plan.x + x, plan.y + y_, std::move(plan.plan)});
  for (PlacedDrawing& drawing : figure.drawings)
    page.drawings.push_back({drawing.x + x, drawing.y + y_, std::move(drawing.drawing)});
  for (PlannedText& text : figure.texts) {
    text.x += x;
    text.y += y_;
    page.texts.push_back(std::move(text));
  }
  y_ += figure.height;
}

void PageSetter::drawing(Drawing drawing, double above_px) {
  FigureGrid figure;
  figure.width = kTextWidth;
  figure.height = drawing.height;
  figure.drawings.push_back({0, 0, std::move(drawing)});
  picture(std::move(figure), above_px);
}

void PageSetter::ruled_lines(int count) {
  constexpr double kPitch = 28;
  make_room(kPitch * count);
  Drawing drawing;
  drawing.width = kTextWidth;
  drawing.height = kPitch * count;
  for (int i = 1; i <= count; ++i)
    drawing.lines.push_back({0, kPitch * i, kTextWidth, kPitch * i, 1, style_.line});
  pages_.back().drawings.push_back({kPageMargin, y_, std::move(drawing)});
  y_ += kPitch * count;
}

std::vector<FigureGrid> PageSetter::take(const std::string& title, const std::string& of) {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    PlannedText foot;
    foot.text = title + "  ·  ";
    foot.text += std::to_string(i + 1) + " " + of + " " + std::to_string(pages_.size());
    foot.x = kPageWidth / 2;
    foot.y = kPageHeight - kPageMargin / 2;
    foot.size_px = 11;
    foot.anchor = Anchor::Middle;
    foot.color = style_.quiet_text;
    pages_[i].texts.push_back(std::move(foot));
  }
  return std::move(pages_);
}

}  // namespace headlight
