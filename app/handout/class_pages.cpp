#include "app/handout/class_pages.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pdf_painter.h"
#include "app/handout/class_picture.h"
#include "app/handout/page_setter.h"
#include "app/lesson_text/lesson_labels.h"

namespace headlight {
namespace {

constexpr ParagraphLook kClassTitle = {20, false, 0, 0, 60}, kClassQuestion = {14, false, 0, 22, 160},
                        kReaders = {12, false, 0, 3, 0}, kClassSummary = {12, false, 0, 8, 0},
                        kLegend = {11, true, 0, 6, 0};
constexpr double kAroundPicture = 70;  // the end of a question, the legend and the summary

std::string names_of(const AnsweredQuestion& asked, AnswerOutcome outcome) {
  std::string names;
  for (const ReaderAnswer& reader : asked.readers)
    if (reader.outcome == outcome) names += (names.empty() ? "" : ", ") + reader.name;
  return names;
}

void set_names(PageSetter& pages, const AnsweredQuestion& asked) {
  for (const AnswerOutcome outcome : {AnswerOutcome::Right, AnswerOutcome::Wrong, AnswerOutcome::Open})
    if (const std::string names = names_of(asked, outcome); !names.empty())
      pages.paragraph(outcome_text(asked.language, outcome) + ": " + names, kReaders);
  std::string missing;
  for (const std::string& name : asked.missing)
    missing += (missing.empty() ? "" : ", ") + name;
  if (!missing.empty())
    pages.paragraph(label_text(asked.language, LessonLabel::NoAnswer) + ": " + missing, kReaders);
}

// The readers by how many of their answers are right, the most first.
void set_totals(PageSetter& pages, const ClassAnswers& answers) {
  const LessonLanguage& language = answers.language();
  std::map<std::pair<int, int>, std::string, std::greater<>> names;
  for (const ClassReader& reader : answers.readers) {
    std::string& all = names[{reader.right, reader.judged}];
    all += (all.empty() ? "" : ", ") + reader.name;
  }
  pages.paragraph(label_text(language, LessonLabel::InAll), kClassQuestion);
  for (const auto& [total, readers] : names)
    pages.paragraph(total_text(total.first, total.second, language) + ": " + readers, kReaders);
}

}  // namespace

std::string class_pages_bytes(const ClassAnswers& answers, bool anonymous, const std::string& program) {
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = pango_measure(style.fonts);
  PageSetter pages(style, measure);
  std::string lesson;
  for (const AnsweredQuestion& asked : answers.questions) {
    if (lesson != asked.lesson || &asked == &answers.questions.front())
      pages.paragraph(asked.lesson, kClassTitle);
    lesson = asked.lesson;
    FigureGrid picture = class_picture(asked, style, measure);
    ParagraphLook look = kClassQuestion;
    look.keep_with_next_px = std::min(picture.height + kAroundPicture, kPageHeight - 3 * kPageMargin);
    pages.paragraph(asked.place() + ": " + asked.question, look);
    pages.picture(std::move(picture), 10);
    pages.paragraph(class_picture_legend(asked), kLegend);
    pages.paragraph(asked.summary(), kClassSummary);
    if (!anonymous) set_names(pages, asked);
  }
  if (!anonymous) set_totals(pages, answers);
  const LessonLanguage& language = answers.language();
  const std::string title = answers.questions.empty() ? label_text(language, LessonLabel::Answers)
                                                      : answers.questions.front().lesson;
  return pdf_bytes(pages.take(title, label_text(language, LessonLabel::Of)), {title, "", program});
}

}  // namespace headlight
