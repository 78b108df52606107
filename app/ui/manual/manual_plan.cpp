#include "app/ui/manual/manual_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

using Kind = ManualBlock::Kind;

// A piece of a run without blanks, and whether a blank or a line break precedes it.
struct Word {
  std::string text;
  ManualStyle style;
  std::string link;
  bool spaced, broken;  // after a blank; after a line break
};

std::vector<Word> words_of(const ManualText& text) {
  std::vector<Word> words;
  bool spaced = false, broken = false;
  for (const ManualRun& run : text)
    for (std::size_t at = 0; at < run.text.size();) {
      const std::size_t end = std::min(run.text.find_first_of(" \n", at), run.text.size());
      if (end > at) {
        words.push_back({run.text.substr(at, end - at), run.style, run.link, spaced, broken});
        spaced = broken = false;
      }
      if (end < run.text.size()) (run.text[end] == '\n' ? broken : spaced) = true;
      at = end + 1;
    }
  return words;
}

class Layout {
 public:
  Layout(float width, const ManualMetrics& metrics) : width_(width), metrics_(metrics) {}

  ManualPlan plan(const ManualPage& page) {
    for (std::size_t i = 0; i < page.blocks.size(); ++i) {
      const bool in_list =
          i > 0 && page.blocks[i].kind == Kind::Item && page.blocks[i - 1].kind == Kind::Item;
      if (i > 0) y_ += units(page.blocks[i].kind == Kind::Heading ? 2.5F : in_list ? 0.5F : 1.25F);
      place(page.blocks[i]);
    }
    plan_.height = y_;
    return std::move(plan_);
  }

 private:
  float units(float count) const { return std::round(metrics_.unit * count); }

  void place(const ManualBlock& block) {
    switch (block.kind) {
      case Kind::Heading:
        y_ = text(block.text, 0, width_, y_, block.level == 1 ? ManualFont::Title : ManualFont::Heading);
        break;
      case Kind::Item: {
        const float x = units(2) * static_cast<float>(block.level);
        if (!block.bullet.empty()) text({{block.bullet, ManualStyle::Plain, ""}}, x - units(2), units(2), y_);
        y_ = text(block.text, x, width_ - x, y_);
        break;
      }
      case Kind::Code:
        place_code(plain_text(block.text));
        break;
      case Kind::Table:
        place_table(block.rows);
        break;
      case Kind::Picture:
        place_picture(block);
        break;
      case Kind::Paragraph:
        y_ = text(block.text, 0, width_, y_);
        break;
    }
  }

  ManualFont font_of(const Word& word, ManualFont font) const {
    return word.style == ManualStyle::Code && font == ManualFont::Body ? ManualFont::Code : font;
  }

  // Places the text in a column from `y` on and returns its lower end.
  float text(const ManualText& runs, float left, float width, float y, ManualFont font = ManualFont::Body) {
    const float line = metrics_.line(font), blank = metrics_.width(font, " ");
    float x = left;
    for (const Word& word : words_of(runs)) {
      const ManualFont of_word = font_of(word, font);
      const float wide = metrics_.width(of_word, word.text), gap = word.spaced && x > left ? blank : 0;
      // Words without a blank between them (a quotation mark and a word) may be separated by a line end.
      if (word.broken || (x > left && x + gap + wide > left + width)) {
        y += line;
        x = left;
      } else {
        x += gap;
      }
      const float lower = std::max(0.0F, (line - metrics_.line(of_word)) / 2);
      plan_.words.push_back({x, y + lower, wide, word.text, of_word, word.style, word.link});
      x += wide;
    }
    return y + line;
  }

  // Places a line of code; a line that is too wide continues below with an indent.
  void place_code_line(const std::string& line) {
    const float pad = units(1);
    float x = pad;
    for (std::size_t begin = 0; begin < line.size();) {
      std::size_t end = line.size();
      while (x + metrics_.width(ManualFont::Code, line.substr(begin, end - begin)) > width_ - pad) {
        const std::size_t blank = line.find_last_of(' ', end - 1);
        if (blank == std::string::npos || line.find_first_not_of(' ', begin) > blank) break;
        end = blank;
      }
      const std::string part = line.substr(begin, line.find_last_not_of(' ', end - 1) + 1 - begin);
      plan_.words.push_back(
          {x, y_, metrics_.width(ManualFont::Code, part), part, ManualFont::Code, ManualStyle::Code, ""});
      begin = std::min(line.find_first_not_of(' ', end), line.size());
      x = pad + units(4);
      if (begin < line.size()) y_ += metrics_.line(ManualFont::Code);
    }
    y_ += metrics_.line(ManualFont::Code);
  }

  void place_code(const std::string& code) {
    const float pad = units(1), top = y_;
    y_ += pad;
    for (std::size_t at = 0; at < code.size();) {
      const std::size_t end = std::min(code.find('\n', at), code.size());
      place_code_line(code.substr(at, end - at));
      at = end + 1;
    }
    y_ += pad;
    plan_.grounds.push_back({0, top, width_, y_ - top});
  }

  float text_width(const ManualText& runs) const {
    float width = 0;
    for (const Word& word : words_of(runs))
      width += metrics_.width(font_of(word, ManualFont::Body), word.text) +
               (word.spaced ? metrics_.width(ManualFont::Body, " ") : 0);
    return width;
  }

  std::vector<float> column_widths(const std::vector<std::vector<ManualText>>& rows) const {
    std::vector<float> widths(rows.front().size(), 0);
    for (const auto& row : rows)
      for (std::size_t c = 0; c < std::min(row.size(), widths.size()); ++c)
        widths[c] = std::max(widths[c], text_width(row[c]) + units(2));
    float left = width_;
    for (std::size_t c = 0; c + 1 < widths.size(); ++c) {
      widths[c] = std::min(widths[c], width_ / static_cast<float>(widths.size()));
      left -= widths[c];
    }
    widths.back() = left;
    return widths;
  }

  void place_table(const std::vector<std::vector<ManualText>>& rows) {
    if (rows.empty() || rows.front().empty()) return;
    const std::vector<float> widths = column_widths(rows);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r > 0) {
        plan_.rules.push_back({0, y_, width_, 1});
        y_ += units(0.5F);
      }
      float x = 0, below = y_;
      for (std::size_t c = 0; c < std::min(rows[r].size(), widths.size()); ++c) {
        ManualText cell = rows[r][c];
        if (r == 0)
          for (ManualRun& run : cell)
            run.style = ManualStyle::Strong;
        const bool last = c + 1 == widths.size();
        below = std::max(below, text(cell, x, widths[c] - (last ? 0 : units(2)), y_));
        x += widths[c];
      }
      y_ = below + units(0.5F);
    }
  }

  void place_picture(const ManualBlock& block) {
    const ImVec2 size = metrics_.picture(block.file);
    if (size.x <= 0 || size.y <= 0) {
      y_ = text(block.text, 0, width_, y_);
      return;
    }
    const float scale = std::min(1.0F, width_ / size.x);
    const PlacedBox box{0, y_, std::floor(size.x * scale), std::floor(size.y * scale)};
    plan_.pictures.push_back({box, block.file, plain_text(block.text)});
    y_ += box.height;
  }

  float width_, y_ = 0;
  const ManualMetrics& metrics_;
  ManualPlan plan_;
};

}  // namespace

ManualPlan plan_manual_page(const ManualPage& page, float width, const ManualMetrics& metrics) {
  return Layout(std::max(width, 1.0F), metrics).plan(page);
}

}  // namespace headlight
