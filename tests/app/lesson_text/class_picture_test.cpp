// The picture of what a class answered.
#include "app/handout/class_picture.h"

#include "app/figure/paint/cairo_painter.h"
#include "app/handout/page_setter.h"
#include "app/lesson_text/question_truth.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

AnsweredQuestion question_of(AnswerKind kind, const std::vector<std::string>& labels, std::size_t readers) {
  AnsweredQuestion asked;
  asked.kind = kind;
  asked.labels = labels;
  asked.right.assign(labels.size(), 0);
  asked.right.front() = 1;
  for (std::size_t i = 0; i < readers; ++i)
    asked.readers.push_back({"r" + std::to_string(i), asked.right, AnswerOutcome::Right});
  return asked;
}

FigureGrid picture_of(const AnsweredQuestion& asked) {
  const FigureStyle style = FigureStyle::light();
  return class_picture(asked, style, pango_measure(style.fonts));
}

}  // namespace

TEST_CASE("class picture: each guess is a mark over the right bar, for three and for three hundred") {
  for (const std::size_t readers : {3u, 300u}) {
    const FigureGrid figure = picture_of(question_of(AnswerKind::Numbers, {"a", "b"}, readers));
    const Drawing& drawing = figure.drawings.at(0).drawing;
    CHECK(drawing.strokes.size() == 2 * (readers + 1));  // and their mean
    CHECK(drawing.fills.size() == 2);
    CHECK(figure.width <= kTextWidth);
  }
}

TEST_CASE("class picture: cells stand in their grid, whatever arrows are in the words") {
  const std::vector<std::string> words = {"a", "b → c", "→"};
  std::vector<std::string> labels;
  for (const std::string& row : words)
    for (const std::string& column : words)
      labels.push_back(row + " → " + column);
  const Drawing drawing = picture_of(question_of(AnswerKind::Marks, labels, 4)).drawings.at(0).drawing;
  CHECK(drawing.boxes.size() == 9 + 1);  // each cell, and the frame of the right one
  CHECK(drawing.fills[0].color.a > drawing.fills[1].color.a);
  labels.pop_back();
  CHECK(picture_of(question_of(AnswerKind::Marks, labels, 4)).drawings.at(0).drawing.boxes.empty());
}

TEST_CASE("class picture: cells of words that are read from the right stand in their grid, too") {
  std::vector<std::string> labels;
  for (const char* row : {"אחת", "שתיים"})
    for (const char* column : {"אחת", "שתיים"})
      labels.push_back(pair_name(row, column));
  CHECK(labels[1] == "אחת ← שתיים");
  CHECK(picture_of(question_of(AnswerKind::Marks, labels, 4)).drawings.at(0).drawing.boxes.size() == 4 + 1);
}

TEST_CASE("class picture: two hundred labels fit a page, the right one among them") {
  std::vector<std::string> labels;
  for (int i = 0; i < 200; ++i)
    labels.push_back("label " + std::to_string(i) + std::string(300, 'x'));
  for (const AnswerKind kind : {AnswerKind::Numbers, AnswerKind::Marks}) {
    AnsweredQuestion asked = question_of(kind, labels, 2);
    std::swap(asked.right.front(), asked.right.back());
    const FigureGrid figure = picture_of(asked);
    CHECK(figure.height <= kPageHeight - 2 * kPageMargin);
    CHECK(figure.drawings.at(0).drawing.texts.back().text == "+ 168");
  }
}
