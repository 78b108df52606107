#include "app/page/page_parts.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/figure/paint/base64.h"
#include "app/figure/paint/markup.h"
#include "app/figure/plan/names.h"
#include "app/settings/assets.h"
#include "engine/core/digits.h"
#include "engine/core/file.h"
#include "engine/core/visible_text.h"

namespace headlight {
namespace {

std::string page_asset(const char* name) {
  return read_text_file(asset_folder() / "page" / name);
}

// Calls `take` with each line without its indentation and without comments, which stand behind a blank.
template <class Take>
void each_line(std::string_view text, Take take) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    line = line.substr(0, line.find(" // "));
    if (!line.empty() && !line.starts_with("//") && !line.starts_with("/*")) take(line);
  }
}

// A line of a style without the blanks and semicolons that part nothing.
std::string without_blanks(std::string_view line) {
  constexpr std::string_view kBehind = ":;,{}", kBefore = "{}";
  std::string kept;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool needless =
        line[at] == ' ' && (kept.empty() || kBehind.find(kept.back()) != std::string_view::npos ||
                            (at + 1 < line.size() && kBefore.find(line[at + 1]) != std::string_view::npos));
    if (line[at] == '}' && kept.ends_with(';')) kept.pop_back();
    if (!needless) kept += line[at];
  }
  return kept;
}

std::string labelled_cell(const char* scope, const std::string& label) {
  return std::string("<th scope=\"") + scope + "\"><bdi>" + html_text(visible_label(label)) + "</bdi></th>";
}

}  // namespace

std::string html_text(std::string_view text) {
  return markup_text(visible_text(text, "\n"));
}

std::string page_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_in_script(std::string json) {
  constexpr std::string_view kEscaped = "\\u003c";
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at + kEscaped.size()))
    json.replace(at, 1, kEscaped);
  return json;
}

std::string page_script(std::span<const char* const> modules) {
  constexpr std::string_view kExport = "export ";
  std::string script;
  for (const char* const module : modules)
    each_line(page_asset(module), [&](std::string_view line) {
      if (line.starts_with("import ")) return;
      if (line.starts_with(kExport)) line.remove_prefix(kExport.size());
      script.append(line) += '\n';
    });
  return script;
}

std::string page_style(std::span<const char* const> files) {
  std::string style;
  for (const char* const file : files)
    each_line(page_asset(file), [&](std::string_view line) { style += without_blanks(line); });
  return style + '\n';
}

std::string script_hash(std::string_view script) {
  GChecksum* const checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, reinterpret_cast<const guchar*>(script.data()),
                    static_cast<gssize>(script.size()));
  std::array<guint8, 32> digest{};
  gsize length = digest.size();
  g_checksum_get_digest(checksum, digest.data(), &length);
  g_checksum_free(checksum);
  return "sha256-" + base64({reinterpret_cast<const char*>(digest.data()), length});
}

std::string html_table(const std::string& caption, const std::vector<std::string>& rows,
                       const std::vector<std::string>& columns, const Matrix& numbers) {
  std::string table =
      "<table class=\"numbers\"><caption>" + html_text(caption) + "</caption>\n<thead><tr><td></td>";
  for (const std::string& column : columns)
    table += labelled_cell("col", column);
  table += "</tr></thead>\n<tbody>\n";
  for (Index row = 0; row < numbers.rows(); ++row) {
    table += "<tr>" + labelled_cell("row", rows[static_cast<std::size_t>(row)]);
    for (Index column = 0; column < numbers.cols(); ++column)
      table += "<td>" + four_decimals(static_cast<double>(numbers(row, column))) + "</td>";
    table += "</tr>\n";
  }
  return table + "</tbody></table>\n";
}

std::string page_document(const PageParts& parts) {
  // Style without a hash: pictures carry attributes of style. Images in pictures are part of this file.
  const std::string policy =
      "default-src 'none'; script-src '" + script_hash(parts.script) +
      "'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"generator\" content=\"Headlight\">\n<title>" +
         html_text(parts.title) + "</title>\n<style>\n" + parts.style + "</style>\n</head>\n<body>\n" +
         parts.body + "<script type=\"application/json\" id=\"data\">" + json_in_script(parts.data) +
         "</script>\n<script type=\"module\">" + parts.script + "</script>\n</body>\n</html>\n";
}

}  // namespace headlight
