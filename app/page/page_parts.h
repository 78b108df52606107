// The parts of a page: scripts and style from assets/page, escaped text, tables of numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/json/json_document.h"

namespace headlight {

// The text as HTML, also in an attribute between double quotes. Marks that reverse the order of letters and
// other control characters become visible; line breaks remain.
std::string html_text(std::string_view text);

// The value as JSON. Bytes that are not UTF-8, as in the name of a folder, become U+FFFD.
std::string page_json(const Json& value);

// JSON inside of <script>: "<" as "\u003c", so that no text of the session ends the script.
std::string json_in_script(std::string json);

// The files of assets/page, in this order, as one script: without the lines that import, the word `export`,
// comments and indentation. Throws Error if one is missing.
std::string page_script(std::span<const char* const> modules);
std::string page_style(std::span<const char* const> files);

// "sha256-..." of a script, as a Content-Security-Policy names it.
std::string script_hash(std::string_view script);

// A table of four decimals, with the labels as headers.
std::string html_table(const std::string& caption, const std::vector<std::string>& rows,
                       const std::vector<std::string>& columns, const Matrix& numbers);

// What a page consists of. `data`: JSON that the script finds in the element "data".
struct PageParts {
  std::string title, data, script, style;
  std::string body;  // HTML
};
// The whole file. It makes no request: a Content-Security-Policy forbids it, and only runs its own script.
std::string page_document(const PageParts& parts);

}  // namespace headlight
