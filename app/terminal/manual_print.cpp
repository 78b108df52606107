#include "app/terminal/manual_print.h"

#include <algorithm>
#include <sstream>

#include "app/terminal/terminal_text.h"

namespace headlight {
namespace {

// The text, with each link's target after its words if the two differ, because a terminal has no links.
std::string printed(const ManualText& text) {
  std::string result;
  for (const ManualRun& run : text) {
    result += run.text;
    if (!run.link.empty() && run.link != run.text) result += " (" + run.link + ")";
  }
  return result;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && terminal_width(lines.back()) + 1 + terminal_width(word) > columns)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

void print_wrapped(const std::string& text, const std::string& first, std::size_t indent, std::size_t columns,
                   std::ostream& out) {
  std::string before = first + std::string(indent - std::min(indent, terminal_width(first)), ' ');
  for (const std::string& line : wrapped(text, columns - std::min(columns - 10, indent))) {
    out << before << line << '\n';
    before = std::string(indent, ' ');
  }
}

// The width of each column's widest cell, at most an equal share; for the last column, at most the rest.
std::vector<std::size_t> column_widths(const std::vector<std::vector<ManualText>>& rows,
                                       std::size_t columns) {
  std::vector<std::size_t> widths(rows.front().size(), 1);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], terminal_width(printed(row[c])));
  const std::size_t most = columns / (widths.size() + 1);
  std::size_t left = columns;
  for (std::size_t c = 0; c + 1 < widths.size(); ++c) {
    widths[c] = std::min(widths[c], most);
    left -= std::min(left - 10, widths[c] + 2);
  }
  widths.back() = std::min(widths.back(), left);
  return widths;
}

void print_row(const std::vector<ManualText>& row, const std::vector<std::size_t>& widths,
               std::ostream& out) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    cells.push_back(wrapped(printed(row[c]), widths[c]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = line < cells[c].size() ? cells[c][line] : "";
      text += cell;
      if (c + 1 < cells.size())
        text += std::string(widths[c] + 2 - std::min(widths[c] + 1, terminal_width(cell)), ' ');
    }
    out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
  }
}

void print_table(const std::vector<std::vector<ManualText>>& rows, std::size_t columns, std::ostream& out) {
  if (rows.empty() || rows.front().empty()) return;
  const std::vector<std::size_t> widths = column_widths(rows, columns);
  print_row(rows.front(), widths, out);
  std::size_t all = 2 * (widths.size() - 1);
  for (const std::size_t width : widths)
    all += width;
  out << std::string(all, '-') << '\n';
  for (std::size_t row = 1; row < rows.size(); ++row)
    print_row(rows[row], widths, out);
}

void print_code(const std::string& code, std::ostream& out) {
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);)
    out << "    " << line << '\n';
}

void print_block(const ManualBlock& block, std::size_t columns, std::ostream& out) {
  switch (block.kind) {
    case ManualBlock::Kind::Heading: {
      const std::string title = printed(block.text);
      out << title << '\n' << std::string(terminal_width(title), block.level == 1 ? '=' : '-') << '\n';
      break;
    }
    case ManualBlock::Kind::Item: {
      const std::size_t outer = 2 * static_cast<std::size_t>(block.level - 1);
      print_wrapped(printed(block.text), std::string(outer, ' ') + block.bullet, outer + 3, columns, out);
      break;
    }
    case ManualBlock::Kind::Code:
      print_code(plain_text(block.text), out);
      break;
    case ManualBlock::Kind::Table:
      print_table(block.rows, columns, out);
      break;
    case ManualBlock::Kind::Picture:
      print_wrapped("[picture: " + printed(block.text) + "]", "", 0, columns, out);
      break;
    case ManualBlock::Kind::Paragraph:
      print_wrapped(printed(block.text), "", 0, columns, out);
      break;
  }
}

}  // namespace

void print_manual_page(const ManualPage& page, std::size_t columns, std::ostream& out) {
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    const bool in_list = i > 0 && page.blocks[i].kind == ManualBlock::Kind::Item &&
                         page.blocks[i - 1].kind == ManualBlock::Kind::Item;
    if (i > 0 && !in_list) out << '\n';
    print_block(page.blocks[i], columns, out);
  }
}

}  // namespace headlight
