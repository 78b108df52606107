#include "app/handout/class_pages.h"

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pdf_painter.h"
#include "app/handout/class_picture.h"
#include "app/handout/page_setter.h"

namespace headlight {
namespace {

constexpr ParagraphLook kClassTitle = {20, false, 0, 0, 60}, kClassQuestion = {14, false, 0, 22, 160},
                        kReaders = {12, false, 0, 3, 0}, kClassSummary = {12, false, 0, 8, 0},
                        kLegend = {11, true, 0, 6, 0};

std::string names_of(const AnsweredQuestion& asked, AnswerOutcome outcome) {
  std::string names;
  for (const ReaderAnswer& reader : asked.readers)
    if (reader.outcome == outcome) names += (names.empty() ? "" : ", ") + reader.name;
  return names;
}

void set_names(PageSetter& pages, const AnsweredQuestion& asked) {
  constexpr std::pair<AnswerOutcome, const char*> kOutcomes[] = {{AnswerOutcome::Right, "Right: "},
                                                                 {AnswerOutcome::Wrong, "Not right: "},
                                                                 {AnswerOutcome::Open, "Not tried: "}};
  for (const auto& [outcome, words] : kOutcomes)
    if (const std::string names = names_of(asked, outcome); !names.empty())
      pages.paragraph(words + names, kReaders);
}

}  // namespace

std::string class_pages_bytes(const std::vector<AnsweredQuestion>& questions, bool anonymous,
                              const std::string& program) {
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = pango_measure(style.fonts);
  PageSetter pages(style, measure);
  std::string lesson;
  for (const AnsweredQuestion& asked : questions) {
    if (lesson != asked.lesson || &asked == &questions.front()) pages.paragraph(asked.lesson, kClassTitle);
    lesson = asked.lesson;
    std::string place = asked.place();
    place.front() = 'S';
    pages.paragraph(place + ": " + asked.question, kClassQuestion);
    pages.picture(class_picture(asked, style, measure), 10);
    pages.paragraph(class_picture_legend(asked), kLegend);
    pages.paragraph(asked.summary(), kClassSummary);
    if (!anonymous) set_names(pages, asked);
  }
  const std::string title = questions.empty() ? "Answers" : questions.front().lesson;
  return pdf_bytes(pages.take(title), {title, "", program});
}

}  // namespace headlight
