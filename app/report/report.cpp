#include "app/report/report.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/visible_text.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

Report report_of(std::vector<ReportFile> files) {
  Report report;
  for (ReportFile& file : files) {
    if (file.name == kReportText)
      report.text = std::move(file.bytes);
    else
      report.files.push_back(std::move(file));
  }
  return report;
}

bool has_file(const Report& report, const std::string& name) {
  return std::any_of(report.files.begin(), report.files.end(),
                     [&](const ReportFile& file) { return file.name == name; });
}

// Letters and digits of the name; "picture" if there are none.
std::string plain_stem(const std::string& name) {
  std::string stem;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (plain)
      stem += c;
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  constexpr std::size_t kLongest = 60;
  stem.resize(std::min(stem.size(), kLongest));
  return stem.empty() ? "picture" : stem;
}

// "3-weights", such that no picture and no data of the report has it.
std::string free_stem(const Report& report, const std::string& name) {
  const std::string stem = plain_stem(name);
  for (std::size_t number = 1;; ++number) {
    std::string candidate = std::to_string(number) + "-" + stem;
    if (!has_file(report, candidate + ".png") && !has_file(report, candidate + ".json")) return candidate;
  }
}

void add_block(std::string& text, const std::string& block) {
  if (!text.empty()) text += text.ends_with('\n') ? "\n" : "\n\n";
  text += block + "\n";
}

std::string table_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells)
    line += " " + cell + " |";
  return line + "\n";
}

}  // namespace

Report read_report(const fs::path& session) {
  return report_of(report_files(session));
}

Report read_report_text(const fs::path& markdown) {
  require_file(markdown, kMostReportBytes);
  Report report;
  report.text = read_text_file(markdown);
  std::uint64_t bytes = report.text.size();
  const fs::path folder = markdown.has_parent_path() ? markdown.parent_path() : fs::path(".");
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    // Of a folder with other files only what the text names, and what those files are of.
    const std::string stem = entry.path().stem().string() + ".";
    if (!is_report_file(name) || name == kReportText || report.text.find(stem) == std::string::npos) continue;
    bytes += require_file(entry.path(), kMostReportBytes);
    if (bytes > kMostReportBytes)
      throw Error("the report has more than " + bytes_text(kMostReportBytes), markdown.string(),
                  "take large pictures out of it");
    report.files.push_back({name, read_file(entry.path())});
  }
  return report;
}

void save_report(const Report& report, const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    throw Error("the folder of the report cannot be made: " + failure.message(), folder.string(),
                "save the session in another folder");
  for (const ReportFile& file : report.files) {
    const fs::path path = folder / file.name;
    std::error_code missing;
    const bool as_before =
        fs::file_size(path, missing) == file.bytes.size() && !missing && read_file(path) == file.bytes;
    if (!as_before) write_file_atomically(path, file.bytes);
  }
  write_file_atomically(folder / kReportText, report.text);
}

std::string markdown_text(const std::string& text) {
  constexpr std::string_view kSigns = "\\`*_{}[]<>()#+-.!|~&";
  std::string escaped;
  for (const char c : visible_text(text)) {
    if (kSigns.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void add_entry(Report& report, const ReportEntry& entry, const std::string& session) {
  if (report.text.empty())
    report.text = "# " + (session.empty() ? std::string("Report") : markdown_text(session)) + "\n";
  add_block(report.text, "## " + markdown_text(entry.title));
  const std::string stem = free_stem(report, entry.name);
  if (!entry.picture.empty()) {
    report.files.push_back({stem + ".png", entry.picture});
    add_block(report.text, "![" + markdown_text(entry.title) + "](" + stem + ".png)");
  }
  if (!entry.about.empty()) report.files.push_back({stem + ".json", entry.about + "\n"});
  if (!entry.caption.empty()) add_block(report.text, markdown_text(entry.caption));
  if (!entry.table.empty()) add_block(report.text, entry.table);
  if (!entry.command.empty()) add_block(report.text, "    " + visible_text(entry.command));
}

std::string markdown_table(const ResultTable& table, Index most_rows) {
  std::vector<std::string> head = {markdown_text(table.row_axis)}, rule = {"---"};
  for (const std::string& column : table.columns) {
    head.push_back(markdown_text(column));
    rule.emplace_back("---:");
  }
  if (!table.remarks.empty()) {
    head.push_back(markdown_text(table.remark_title));
    rule.emplace_back("---");
  }
  std::string text = table_line(head) + table_line(rule);
  const Index rows = std::min(table.values.rows(), most_rows);
  for (Index row = 0; row < rows; ++row) {
    std::vector<std::string> cells = {markdown_text(table.rows[static_cast<std::size_t>(row)])};
    for (Index column = 0; column < table.values.cols(); ++column) {
      const auto value = static_cast<double>(table.values(row, column));
      cells.push_back(std::isnan(value) ? "" : table_digits(value, 4));
    }
    if (!table.remarks.empty()) cells.push_back(markdown_text(table.remarks[static_cast<std::size_t>(row)]));
    text += table_line(cells);
  }
  if (rows < table.values.rows())
    text += "\n" + counted(table.values.rows() - rows, "row more", "rows more") + " in the numbers\\.\n";
  text.pop_back();
  return text;
}

}  // namespace headlight
