// Splits text into lines and fields, for all text tables in files and on the clipboard. What a field or an
// empty line means is decided by the caller.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

struct DelimitedField {
  std::string_view text;  // without the enclosing quotation marks; doubled ones are still doubled
  bool quoted = false;
};

// The field's text; in a quoted field each doubled quotation mark becomes one. Surrounding blanks remain.
std::string field_text(const DelimitedField& field);
// Whether the field is blank and not quoted.
bool is_empty(const DelimitedField& field);

struct DelimitedRules {
  // The separator is the first of these that the first line has outside quotation marks, or a blank if it has
  // none. Consecutive blanks separate like one.
  std::string_view separators = "\t;,";
  // If true, a field in quotation marks may contain separators, line feeds and (doubled) quotation marks; a
  // missing closing mark is an error, and so is text after it. If false, a quoted field ends with its line,
  // and a mark that opens no such field is an ordinary character: lists of tokens have it as a token.
  bool quotes_span_lines = true;
  // A line that begins with two separators has the separator itself as its first field: the comma in a list
  // of tokens.
  bool allow_separator_field = false;
};

// Iterates over the lines, in time linear in the length of the text. Lines end with LF or CRLF; a UTF-8 byte
// order mark at the beginning is skipped; a separator at a line's end is ignored, unless it is a tab. A first
// line "sep=;", as Excel writes it, states the separator and is no line of the table. Errors carry `where`
// (which may be empty) and the line number, counted from 1.
class DelimitedText {
 public:
  // text, where: held by reference. Throws `Error` for UTF-16 and for data that is not text.
  DelimitedText(std::string_view text, const std::string& where, DelimitedRules rules = {});

  // Advances to the next line, which may be blank; false after the last one. Throws `Error` for a quotation
  // mark that is not closed or that text follows, and for more than a million fields; throws `Stopped` (see
  // stopping.h).
  bool next();
  const std::vector<DelimitedField>& fields() const { return fields_; }  // at least one
  // Whether all fields of the line are empty.
  bool blank() const;
  char separator() const { return separator_; }
  // "t.csv, line 3": the first of the lines over which quotation marks spread the fields.
  std::string place() const;

 private:
  bool take_stated_separator();
  char find_separator() const;
  void read_fields();
  void add_field();
  bool take_separator();
  void end_line();
  void skip_blanks();
  bool opens_quotation() const;
  bool ends_field(std::size_t at) const;
  std::size_t closing_mark() const;
  DelimitedField quoted_field(std::size_t closing);
  DelimitedField plain_field();
  std::string column() const;

  std::string_view rest_;
  const std::string& where_;
  DelimitedRules rules_;
  char separator_ = ',';
  std::vector<DelimitedField> fields_;
  std::size_t line_ = 1, lines_in_record_ = 0;
};

// The text without a leading UTF-8 byte order mark. Throws `Error` for UTF-16 and for data that is not text.
std::string_view utf8_content(std::string_view text, const std::string& where);

}  // namespace headlight
