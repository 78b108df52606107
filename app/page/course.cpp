#include "app/page/course.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "app/figure/plan/names.h"
#include "app/lesson_text/evaluated_runs.h"
#include "app/lesson_text/lesson_number.h"
#include "app/page/lesson_data.h"
#include "app/page/page.h"
#include "app/page/page_parts.h"
#include "app/page/page_picture.h"
#include "app/page/script_compaction.h"
#include "app/page/still_page.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/layer/stage.h"

namespace headlight {
namespace {

// Each after those that it imports from.
constexpr std::array kLessonModules = {"random.js",
                                       "session.js",
                                       "softmax.js",
                                       "layer.js",
                                       "gradients.js",
                                       "colors.js",
                                       "picture.js",
                                       "frame.js",
                                       "trace.js",
                                       "inputs.js",
                                       "state.js",
                                       "views.js",
                                       "maps.js",
                                       "panels.js",
                                       "lesson_progress.js",
                                       "lesson_places.js",
                                       "lesson_state.js",
                                       "lesson_text.js",
                                       "lesson_truth.js",
                                       "lesson_steps.js",
                                       "lesson_question.js",
                                       "lesson_learning.js",
                                       "lesson_settings.js",
                                       "lesson.js"};
constexpr std::array kStillLessonModules = {"lesson_progress.js", "still_lesson.js"};
constexpr std::array kListModules = {"lesson_progress.js", "course.js"};
constexpr std::array kLessonStyles = {"page.css", "lesson.css"};
constexpr std::array kStillStyles = {"page.css", "layer.css", "lesson.css"};
constexpr std::array kListStyles = {"page.css", "course.css"};
constexpr Index kMostGlyphLines = 12;  // rows and columns of the small picture of a lesson

const Lesson& lesson_of(const CourseLesson& lesson) {
  return *lesson.session.lesson;
}

// The place in lists: a variation follows its lesson.
std::tuple<int, bool, int, std::string> place_of(const CourseLesson& lesson) {
  const Lesson& own = lesson_of(lesson);
  return {own.variation_of.value_or(own.order), own.variation_of.has_value(), own.order, lesson.name};
}

std::string number_of(const CourseLesson& lesson) {
  return lesson_number(lesson_of(lesson).order, lesson_of(lesson).variation_of);
}

std::string file_of(const CourseLesson& lesson) {
  return lesson.name + ".html";
}

// The lesson that follows; those that vary another one are passed over. Null behind the last one.
const CourseLesson* lesson_behind(const std::vector<CourseLesson>& lessons, std::size_t at) {
  for (std::size_t next = at + 1; next < lessons.size(); ++next)
    if (!lesson_of(lessons[next]).variation_of) return &lessons[next];
  return nullptr;
}

Json next_json(const CourseLesson* next) {
  if (!next) return {{"next", nullptr}};
  return {{"next", {{"file", file_of(*next)}, {"title", next->session.title}}}};
}

// Whether the page computes the gradients of the layer (assets/page/gradients.js).
bool has_page_gradients(const Layer& layer) {
  const AttentionSettings& settings = layer.attention;
  const bool is_plain = settings.position.kind == PositionKind::None && settings.softcap == 0 &&
                        settings.sinks.empty() && layer.score_bias.empty() && layer.overwritten.empty();
  return is_plain && settings.normalization != Normalization::Sum &&
         (settings.projection == Projection::None || settings.projection == Projection::Linear);
}

std::string why_still(const CourseLesson& lesson) {
  const std::vector<LessonStep>& steps = lesson_of(lesson).steps;
  if (lesson.session.work) return "it looks at a whole model";
  if (lesson.session.goal && !has_page_gradients(lesson.session.layer))
    return "a page has no gradients of such a layer";
  if (std::any_of(steps.begin(), steps.end(), [](const LessonStep& step) { return !step.unread.empty(); }))
    return "one of its steps cannot be read";
  return headlight::why_still(lesson.session.layer);
}

// ---- the steps as the program evaluates them ----

std::string told(const LessonText& text, const ReferencedStates& states) {
  std::string words;
  for (const EvaluatedRun& run : evaluated_runs(text.pieces(), states))
    words += run.text;
  return html_text(words);
}

FigureChoice picture_of(const LessonStep& step) {
  FigureChoice choice;
  choice.part.stage = step.stage;
  choice.part.sequence = step.sequence;
  if (step.head) choice.part.heads = std::vector<Index>{*step.head};
  return choice;
}

// The steps of a lesson: titles, texts and questions with their right answers behind them; pictures if
// wanted.
class EvaluatedSteps {
 public:
  EvaluatedSteps(const Session& session, bool pictures)
      : session_(session), pictures_(pictures), opened_(evaluate(session.layer)) {}

  std::string html() const {
    std::string html;
    for (const LessonStep& step : session_.lesson->steps)
      html += step.unread.empty() ? step_html(step) : "";
    return html;
  }

 private:
  std::string step_html(const LessonStep& step) const {
    const Evaluator first = evaluate(layer_of(step));
    const Goal* const goal = session_.goal.get();
    const PassValues of_first(first, goal), of_opened(opened_, goal);
    ReferencedStates states = {&of_first, &of_first, &of_opened};
    states.language = &session_.lesson->language;
    states.counting = counting();
    std::string html = "<section class=\"still-step\"><h2>" + html_text(step.title) +
                       "</h2>\n<p class=\"text\">" + told(step.text, states) + "</p>\n";
    if (pictures_ && stage_exists(first.layer(), step.stage))
      html += "<figure class=\"still\">" +
              figure_svg(picture_of(step), {first, session_.title}, counting().first) + "</figure>\n";
    if (step.question) html += question_html(step, states);
    return html + "</section>\n";
  }

  std::string question_html(const LessonStep& step, ReferencedStates states) const {
    const LessonQuestion& question = *step.question;
    std::string html = "<p class=\"question\">" + told(question.text, states) + "</p>\n";
    Layer changed = layer_of(step);
    if (question.change) apply_change(*question.change, changed);
    const Evaluator after = evaluate(changed);
    const PassValues of_after(after, session_.goal.get());
    states.now = &of_after;
    const auto right = static_cast<std::size_t>(question.answers.empty() ? 0 : question.right);
    html += "<details><summary>The answer</summary><p>";
    if (!question.answers.empty()) html += html_text(question.answers[right]) + ". ";
    return html + told(question.replies[right], states) + "</p></details>\n";
  }

  Layer layer_of(const LessonStep& step) const {
    Layer layer = session_.layer;
    apply_settings(step.settings, layer);
    return layer;
  }
  Counting counting() const { return {session_.lesson->count_from.value_or(0)}; }

  const Session& session_;
  const bool pictures_;
  Evaluator opened_;
};

// ---- the page of a lesson ----

std::string heading(const CourseLesson& lesson) {
  return "<header><div class=\"heading\"><a class=\"link\" href=\"index.html\">‹ Course</a>\n"
         "<p class=\"chapter\">Lesson " +
         number_of(lesson) + " · <bdi>" + html_text(lesson_of(lesson).chapter) +
         "</bdi></p></div>\n<h1><bdi>" + html_text(lesson.session.title) + "</bdi></h1>\n";
}

std::string way_on(const CourseLesson* next) {
  const std::string href = next ? file_of(*next) : "index.html";
  return "<p><a class=\"primary\" href=\"" + html_text(href) + "\">" +
         (next ? "Next: " + html_text(next->session.title) : "To the course") + "</a></p>\n";
}

std::string still_body(const CourseLesson& lesson, const std::string& said, const CourseLesson* next,
                       bool pictures) {
  return "<div class=\"page lesson\">\n" + heading(lesson) + "<p class=\"hint\">" + html_text(said) +
         "</p></header>\n<main>" + EvaluatedSteps(lesson.session, pictures).html() + way_on(next) +
         "</main>\n<footer><span>made with Headlight</span></footer>\n</div>\n";
}

CoursePage lesson_page(const CourseLesson& lesson, const CourseLesson* next,
                       const std::string& lesson_script) {
  CoursePage page;
  page.file = file_of(lesson);
  page.still = why_still(lesson);
  if (!page.still.empty()) {
    const Json data = {{"lesson", {{"name", lesson.name}, {"steps", lesson_of(lesson).steps.size()}}}};
    page.html =
        page_document({lesson.session.title, page_json(data), page_script(kStillLessonModules),
                       page_style(kStillStyles), still_body(lesson, still_words(page.still), next, true)});
    return page;
  }
  Session alone = lesson.session;
  alone.lesson.reset();
  const std::string data = "{\"session\":" + session_text(alone) +
                           ",\"lesson\":" + lesson_json(lesson.session, lesson.name) +
                           ",\"course\":" + page_json(next_json(next)) + "}";
  const std::string said = "Without scripts this page has the lesson's text as it begins.";
  page.html = page_document({lesson.session.title, data, lesson_script, page_style(kLessonStyles),
                             "<noscript>\n" + still_body(lesson, said, next, false) + "</noscript>\n"});
  return page;
}

// ---- the list of lessons ----

// The weights of the first head as squares, darker where they are larger.
std::string glyph_svg(const Layer& layer) {
  const Evaluator pass = evaluate(layer);
  TileRequest request;
  request.stage = Stage::Weights;
  request.max_rows = layer.token_count();
  request.max_columns = layer.key_count();
  const Matrix weights = pass.tile(request).values;
  const Index rows = std::min(weights.rows(), kMostGlyphLines),
              columns = std::min(weights.cols(), kMostGlyphLines);
  const float most = std::max(1e-6F, weights.topLeftCorner(rows, columns).maxCoeff());
  std::string svg = "<svg class=\"glyph\" aria-hidden=\"true\" viewBox=\"0 0 " + std::to_string(columns) +
                    " " + std::to_string(rows) + "\" shape-rendering=\"crispEdges\">";
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column)
      if (const float share = weights(row, column) / most; share > 0.01F)
        svg += "<rect x=\"" + std::to_string(column) + "\" y=\"" + std::to_string(row) +
               "\" width=\"1\" height=\"1\" fill-opacity=\"" + std::to_string(std::lround(share * 100)) +
               "%\"/>";
  return svg + "</svg>";
}

std::string entry_html(const CourseLesson& lesson) {
  const Lesson& own = lesson_of(lesson);
  const std::string steps = counted(static_cast<Index>(own.steps.size()), "step", "steps");
  return std::string("<li") + (own.variation_of ? " class=\"variation\"" : "") + "><a href=\"" +
         html_text(file_of(lesson)) + "\" data-lesson=\"" + html_text(lesson.name) + "\" data-steps=\"" +
         std::to_string(own.steps.size()) + "\">" + glyph_svg(lesson.session.layer) +
         "<span class=\"entry\"><span class=\"entry-title\"><span class=\"quiet\">" + number_of(lesson) +
         "</span> <bdi>" + html_text(lesson.session.title) + "</bdi></span>\n<span class=\"quiet\"><bdi>" +
         html_text(lesson.session.notes.substr(0, lesson.session.notes.find('\n'))) +
         "</bdi></span>\n<span class=\"progress\">" + steps + "</span></span></a></li>\n";
}

CoursePage list_page(const std::vector<CourseLesson>& lessons) {
  std::string body =
      "<div class=\"page course\">\n<header><div class=\"heading\"><h1>Attention, step by step</h1></div>\n"
      "<p class=\"notes\">" +
      counted(static_cast<Index>(lessons.size()), "lesson", "lessons") +
      ". Each has its numbers with it: change any of them, and the pictures and the text follow.</p>\n"
      "<p id=\"go-on\"></p></header>\n<main>\n";
  std::string chapter;
  for (const CourseLesson& lesson : lessons) {
    if (&lesson == &lessons.front() || lesson_of(lesson).chapter != chapter) {
      body += (&lesson == &lessons.front() ? "" : "</ul></section>\n") + std::string("<section><h2><bdi>") +
              html_text(lesson_of(lesson).chapter) + "</bdi></h2>\n<ul>\n";
      chapter = lesson_of(lesson).chapter;
    }
    body += entry_html(lesson);
  }
  body +=
      "</ul></section>\n</main>\n<footer><span>made with Headlight</span><span>What was read is kept in this "
      "browser.</span></footer>\n</div>\n";
  return {"index.html",
          page_document(
              {"Attention, step by step", "{}", page_script(kListModules), page_style(kListStyles), body}),
          ""};
}

}  // namespace

std::vector<CoursePage> course_of(std::vector<CourseLesson> lessons) {
  std::stable_sort(lessons.begin(), lessons.end(),
                   [](const CourseLesson& a, const CourseLesson& b) { return place_of(a) < place_of(b); });
  std::set<std::string> names;
  for (const CourseLesson& lesson : lessons)
    if (!names.insert(lesson.name).second || lesson.name == "index")
      throw Error("two pages would have the same name", file_of(lesson), "rename the lesson's file");
  const std::string script = compact_script(page_script(kLessonModules));
  std::vector<CoursePage> pages = {list_page(lessons)};
  for (std::size_t at = 0; at < lessons.size(); ++at)
    pages.push_back(lesson_page(lessons[at], lesson_behind(lessons, at), script));
  return pages;
}

}  // namespace headlight
