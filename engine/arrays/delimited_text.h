// Text cut into lines and those into fields: what all tables of text share, in files and on the clipboard.
// What a field means, and what an empty line means, is for those who read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

struct DelimitedField {
  std::string_view text;  // between the quotation marks if there are some, their doubles still doubled
  bool quoted = false;
};

// The field without the doubling of its quotation marks. Blanks about it stay.
std::string field_text(const DelimitedField& field);
// Nothing but blanks, and no quotation marks.
bool is_empty(const DelimitedField& field);

struct DelimitedRules {
  // The first of these that the first line has outside quotation marks separates; a blank when it has none.
  // Several blanks separate like one.
  std::string_view separators = "\t;,";
  // A field in quotation marks may hold separators, line feeds and (doubled) quotation marks; one that is not
  // closed is an error, and so is text behind it. Otherwise it ends with its line, and a mark in front of
  // what is no such field is a letter: lists of tokens have it as a token.
  bool quotes_go_on = true;
  // A line that begins with two separators has the separator itself as its first field: the comma in a list
  // of tokens.
  bool separator_may_lead = false;
};

// Line by line, in time that grows with the length of the text. Lines end with LF or CRLF; a mark of UTF-8
// at the beginning is skipped; a separator at a line's end is ignored, but a tab is not.
// Errors are thrown with `where` (which may be empty) and the line, counted from 1.
class DelimitedText {
 public:
  // text, where: kept by reference. Throws Error for UTF-16 and for what is no text.
  DelimitedText(std::string_view text, const std::string& where, DelimitedRules rules = {});

  // Goes on to the next line, which may be blank; false behind the last one. Throws Error for a quotation
  // mark that is not closed or that text follows, and for more than a million fields; Stopped (see
  // stopping.h).
  bool next();
  const std::vector<DelimitedField>& fields() const { return fields_; }  // at least one
  // Whether all fields of the line are empty.
  bool blank() const;
  // "t.csv, line 3": the line's first one, where quotation marks make it more than one.
  std::string place() const;

 private:
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

// The text without the mark of UTF-8 in front of it. Throws Error for UTF-16 and for what is no text.
std::string_view utf8_content(std::string_view text, const std::string& where);

}  // namespace headlight
