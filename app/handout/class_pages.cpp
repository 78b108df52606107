#include "app/handout/class_pages.h"

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pdf_painter.h"
#include "app/handout/page_setter.h"

namespace headlight {
namespace {

constexpr ParagraphLook kClassTitle = {20, false, 0, 0, 60}, kClassQuestion = {14, false, 0, 22, 60},
                        kReaderRight = {12, false, 0, 5, 0}, kReader = {12, false, 16, 3, 0},
                        kClassSummary = {12, true, 0, 5, 0};

// Runs of blanks become one: the columns of the terminal do not stand under each other on the page.
std::string joined_columns(const std::string& line) {
  std::string text;
  for (const char c : line) {
    if (c == ' ' && (text.empty() || text.back() == ' ')) continue;
    text += c;
  }
  return text;
}

}  // namespace

std::string class_pages_bytes(const std::vector<AnsweredQuestion>& questions, const std::string& program) {
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = pango_measure(style.fonts);
  PageSetter pages(style, measure);
  std::string lesson;
  for (const AnsweredQuestion& asked : questions) {
    if (lesson != asked.lesson || &asked == &questions.front()) pages.paragraph(asked.lesson, kClassTitle);
    lesson = asked.lesson;
    pages.paragraph("Step " + std::to_string(asked.step) + ": " + asked.question, kClassQuestion);
    if (!asked.labels.empty()) pages.paragraph(joined_columns(asked.labels), kClassSummary);
    if (!asked.right.empty()) pages.paragraph("Right: " + joined_columns(asked.right), kReaderRight);
    for (const ReaderAnswer& reader : asked.readers)
      pages.paragraph(reader.name + ": " + joined_columns(reader.guess) +
                          (reader.outcome.empty() ? "" : "  (" + reader.outcome + ")"),
                      kReader);
    pages.paragraph(asked.summary(), kClassSummary);
  }
  const std::string title = questions.empty() ? "Answers" : questions.front().lesson;
  return pdf_bytes(pages.take(title), {title, "", program});
}

}  // namespace headlight
