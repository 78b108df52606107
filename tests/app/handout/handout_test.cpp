// The pages of a handout: what stands on them, in which language, and where.
#include "app/handout/handout.h"

#include <algorithm>

#include "app/figure/paint/cairo_painter.h"
#include "app/handout/guess_frame.h"
#include "app/handout/page_setter.h"
#include "app/lesson_text/lesson_labels.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kArabic = "ما هو وزن الكلمة الأولى؟";

// Every text of a page, at its place on the page.
std::vector<PlannedText> texts_of(const FigureGrid& page) {
  std::vector<PlannedText> all = page.texts;
  const auto add = [&all](const std::vector<PlannedText>& texts, double x, double y) {
    for (PlannedText text : texts) {
      text.x += x;
      text.y += y;
      all.push_back(std::move(text));
    }
  };
  for (const PlacedPlan& placed : page.plans)
    add(placed.plan.texts, placed.x, placed.y);
  for (const PlacedDrawing& placed : page.drawings)
    add(placed.drawing.texts, placed.x, placed.y);
  return all;
}

std::vector<std::string> words_on(const std::vector<FigureGrid>& pages) {
  std::vector<std::string> words;
  for (const FigureGrid& page : pages)
    for (const PlannedText& text : texts_of(page))
      words.push_back(text.text);
  return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Rect place_of(const PlannedText& text, const MeasureText& measure) {
  const double width = measure(text.text, text.size_px, text.face).width, height = 0.7 * text.size_px;
  const double left = text.anchor == Anchor::Start    ? text.x
                      : text.anchor == Anchor::Middle ? text.x - width / 2
                                                      : text.x - width;
  return {left, text.y - height / 2, width, height};
}

// Pairs of horizontal texts of a page that lie on each other by more than a pixel.
std::vector<std::string> collisions(const FigureGrid& page, const MeasureText& measure) {
  std::vector<std::string> found;
  const std::vector<PlannedText> texts = texts_of(page);
  for (std::size_t a = 0; a < texts.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (texts[a].angle_deg != 0 || texts[b].angle_deg != 0) continue;
      const Rect first = place_of(texts[a], measure), second = place_of(texts[b], measure);
      const double across = std::min(first.right(), second.right()) - std::max(first.x, second.x),
                   down = std::min(first.bottom(), second.bottom()) - std::max(first.y, second.y);
      if (across > 1 && down > 1) found.push_back(texts[a].text + " on " + texts[b].text);
    }
  return found;
}

LessonQuestion bars_to_draw() {
  LessonQuestion question;
  question.text = "Where will they be?";
  question.bars = AskedBars{"{weights[1]}", {0, 1}, 0, 1, 0.05, {}};
  question.replies = {"Yes.", "No."};
  return question;
}

LessonQuestion cells_to_mark() {
  LessonQuestion question;
  question.text = "Which?";
  question.marks = AskedMarks{Stage::Weights, 0, 0, {0, 1, 2}, {0, 1, 2, 3}, {RightIf::Largest}};
  question.replies = {"Yes.", "No."};
  return question;
}

Session question_step(LessonQuestion question) {
  Session session = lesson_session("16-causal-mask");
  LessonStep step;
  step.title = "A step";
  step.text = "It is {weights[1,0]}.";
  step.cells = {{1, 0}};
  step.question = std::move(question);
  session.lesson->steps = {step};
  return session;
}

// The drawing of the guess: the one with the most outlines.
const Drawing& guess_on(const std::vector<FigureGrid>& pages) {
  const Drawing* most = nullptr;
  for (const FigureGrid& page : pages)
    for (const PlacedDrawing& placed : page.drawings)
      if (!most || placed.drawing.boxes.size() > most->boxes.size()) most = &placed.drawing;
  return *most;
}

}  // namespace

TEST_CASE("handout: bars to draw have an empty frame from 0 to 1, the others stand where they are") {
  const std::vector<FigureGrid> pages = handout_pages(question_step(bars_to_draw()), false);
  const Drawing& frame = guess_on(pages);
  CHECK(frame.boxes.size() == 6);
  CHECK(frame.fills.size() == 4);  // two of six are drawn by the reader; under the mask the last are nothing
  std::vector<std::string> words;
  for (const PlannedText& text : frame.texts)
    words.push_back(text.text);
  CHECK(words ==
        std::vector<std::string>{"Your", "journey", "starts", "with", "one", "step", "0", "0.5", "1"});
}

TEST_CASE("handout: cells to mark have an empty grid with their names") {
  const Drawing frame = guess_on(handout_pages(question_step(cells_to_mark()), false));
  CHECK(frame.boxes.size() == 3 * 4);
  CHECK(frame.fills.empty());
  CHECK(frame.texts.size() == 3 + 4);
}

TEST_CASE("handout: no word lies on another, in any lesson of the course") {
  const MeasureText measure = pango_measure();
  for (const std::string& stem : lesson_stems())
    for (const FigureGrid& page : handout_pages(lesson_session(stem), true))
      for (const std::string& pair : collisions(page, measure)) {
        INFO(stem << ": " << pair);
        CHECK(pair.empty());
      }
}

TEST_CASE("handout: words around the texts, axes, stages and numbers are in the lesson's language") {
  Session german = question_step(bars_to_draw());
  german.lesson->language.decimal_comma = true;
  german.lesson->language.labels = {{"of", "von"},           {"query", "Anfrage"},
                                    {"key", "Schlüssel"},    {"token", "Wort"},
                                    {"dimension", "Stelle"}, {"stage_weights", "Gewichte"},
                                    {"head", "Kopf"},        {"hidden_by_mask", "verdeckt"},
                                    {"value", "Wert"},       {"stage_embeddings", "Einbettungen"}};
  const std::vector<std::string> words = words_on(handout_pages(german, false));
  for (const char* own : {"Anfrage", "Schlüssel", "Wort", "Stelle", "Gewichte", "verdeckt", "Einbettungen"}) {
    INFO(own);
    CHECK(has(words, own));
  }
  for (const std::string& word : words) {
    INFO(word);
    for (const char* left : {"query", "key", "token", "dimension", "hidden by the mask", "Attention weights"})
      CHECK(word != left);
    CHECK(word.find(" of ") == std::string::npos);
    const bool number = !word.empty() && word.find_first_not_of("0123456789.") == std::string::npos;
    CHECK_FALSE((number && word.find('.') != std::string::npos));
  }
}

TEST_CASE("handout: a head has the language's word, and a token that is called like an axis keeps its own") {
  Session session = lesson_session("20-two-heads");
  session.lesson->language.labels = {{"head", "kichwa"}, {"key", "ufunguo"}, {"stage_weights", "uzito"}};
  session.layer.tokens[0] = "key";
  session.layer.tokens[1] = "head 1";
  LessonStep step;
  step.title = "Hatua";
  step.text = "Maneno.";
  step.stage = Stage::Weights;
  session.lesson->steps = {step, step};
  session.lesson->steps[1].head = 1;
  const std::vector<std::string> words = words_on(handout_pages(session, false));
  for (const char* own : {"uzito", "kichwa 0", "kichwa 1", "uzito, kichwa 1", "ufunguo", "key", "head 1"}) {
    INFO(own);
    CHECK(has(words, own));
  }
  CHECK_FALSE(has(words, "head 0"));
  CHECK(figure_words(english()).empty());
}

TEST_CASE("pages: a paragraph that is read from right to left stands at the right, each line in its order") {
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = pango_measure(style.fonts);
  PageSetter pages(style, measure);
  std::string much;
  for (int i = 0; i < 12; ++i)
    much += "1. attention " + kArabic + " ";
  pages.paragraph("אחת 2 שלוש " + much, {});
  pages.paragraph("One " + kArabic, {});
  const std::vector<PlannedText> texts = pages.take("Title", "of").at(0).texts;
  REQUIRE(texts.size() > 5);
  const std::size_t lines = texts.size() - 2;  // the last paragraph, and the foot
  for (std::size_t i = 0; i < lines; ++i) {
    CHECK(texts[i].anchor == Anchor::End);
    CHECK(texts[i].x == kPageMargin + kTextWidth);
    CHECK(texts[i].text.starts_with("\u200F"));
    CHECK(measure(texts[i].text, texts[i].size_px, texts[i].face).width <= kTextWidth + 1);
  }
  CHECK(texts[lines].anchor == Anchor::Start);
  CHECK(texts[lines].text == "One " + kArabic);
}
