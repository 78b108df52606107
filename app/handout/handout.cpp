#include "app/handout/handout.h"

#include <algorithm>
#include <optional>

#include "app/export/figure_choice.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pdf_painter.h"
#include "app/figure/plan/label_text.h"
#include "app/handout/guess_frame.h"
#include "app/handout/page_setter.h"
#include "app/lesson_text/evaluated_runs.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/lesson_text/lesson_number.h"
#include "app/lesson_text/question_truth.h"
#include "app/lesson_text/reference_text.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr ParagraphLook kTitle = {24, false, 0, 0, 60}, kStepTitle = {17, false, 0, 26, 120},
                        kText = {14, false, 0, 8, 0}, kQuiet = {12, true, 0, 4, 0},
                        kHeading = {12, true, 0, 14, 40}, kAnswer = {14, false, 22, 5, 0};
constexpr double kPictureHeight = 250;  // at most, in planned pixels
// Of a picture with its numbers: cells that hold two decimals, as many as stand beside each other on a page.
constexpr double kNumberedCell = 38;
constexpr Index kMostNumberedRows = 12, kMostNumberedColumns = 9;

// "(a) It grows"; a number where the answer is read from right to left, which a Latin letter would turn.
std::string marked_answer(const LessonQuestion& question, std::size_t index) {
  const std::string& answer = question.answers[index];
  const std::string mark =
      reads_from_right(answer) ? std::to_string(index + 1) : std::string(1, static_cast<char>('a' + index));
  return "(" + mark + ") " + answer;
}

// Writes the numbers of a finished figure as the language does.
void write_numbers_in(const LessonLanguage& language, FigureGrid& figure) {
  const auto write = [&language](std::vector<PlannedText>& texts) {
    for (PlannedText& text : texts)
      if (text.face == FontFace::Number) text.text = localized(language, text.text);
  };
  write(figure.texts);
  for (PlacedPlan& placed : figure.plans)
    write(placed.plan.texts);
  for (PlacedDrawing& placed : figure.drawings)
    write(placed.drawing.texts);
}

// A step in the state that it opens in.
class HandoutStep {
 public:
  HandoutStep(const Session& session, const Evaluator& opened, std::size_t at)
      : session_(session),
        step_(session.lesson->steps[at]),
        at_(at),
        opened_(opened),
        layer_(model_of(session, step_)),
        pass_(evaluate(layer_)) {}

  void set(PageSetter& pages) const {
    auto figure = picture();
    // The text stays beside its picture.
    constexpr double kTextAbove = 110;
    ParagraphLook title = kStepTitle;
    if (figure)
      title.keep_with_next_px = std::min(figure->height + kTextAbove, kPageHeight - 3 * kPageMargin);
    pages.paragraph(std::to_string(at_ + 1) + ". " + step_.title, title);
    pages.paragraph(told(step_.text, pass_), kText);
    if (figure) pages.picture(std::move(*figure), 14);
    const bool asks = step_.question.has_value();
    if (asks) {
      pages.paragraph(label(LessonLabel::Question), kHeading);
      pages.paragraph(told(step_.question->text, pass_), kText);
      for (std::size_t i = 0; i < step_.question->answers.size(); ++i)
        pages.paragraph(marked_answer(*step_.question, i), kAnswer);
      set_guess(pages, *step_.question);
    }
    if (!asks && !step_.try_it.empty()) pages.paragraph(label(LessonLabel::TryIt), kHeading);
    pages.paragraph(told(step_.try_it, pass_), kText);
    if (asks || !step_.try_it.empty()) pages.ruled_lines(2);
  }

  bool asks() const { return step_.question.has_value(); }

  // The right answer, and the reply to it in the state after the change.
  void set_answer(PageSetter& pages) const {
    const LessonQuestion& question = *step_.question;
    Layer changed = layer_;
    if (question.change) apply_change(*question.change, changed);  // checked when the lesson was read
    const Evaluator after = evaluate(std::move(changed));
    pages.paragraph(std::to_string(at_ + 1) + ". " + step_.title, {14, false, 0, 16, 60});
    pages.paragraph(right_answer(question, after), kAnswer);
    pages.paragraph(
        told(question.replies[question.answers.empty() ? 0 : static_cast<std::size_t>(question.right)],
             after),
        kAnswer);
  }

 private:
  static Layer model_of(const Session& session, const LessonStep& step) {
    Layer layer = session.layer;
    apply_settings(step.settings, layer);  // checked when the lesson was read
    return layer;
  }

  std::string told(const LessonText& text, const Evaluator& now) const {
    const Goal* const goal = session_.goal.get();
    const PassValues of_now(now, goal), first(pass_, goal), of_opened(opened_, goal);
    std::string words;
    for (const EvaluatedRun& run : evaluated_runs(
             text.pieces(), {&of_now, &first, &of_opened, nullptr, &session_.lesson->language, counting()}))
      words += run.control.empty() ? run.text : "“" + run.text + "”";
    return words;
  }

  std::string label(LessonLabel label) const { return label_text(session_.lesson->language, label); }

  // What is to be drawn, marked, chosen or written, with its empty frame.
  void set_guess(PageSetter& pages, const LessonQuestion& question) const {
    const GuessNames names = guess_names(question, layer_, counting());
    if (question.bars) return pages.drawing(bars_to_draw(*question.bars, names, pages), 10);
    if (question.marks) {
      pages.paragraph(label(LessonLabel::MarkInPicture), kAnswer);
      return pages.drawing(cell_frame({names.rows, names.columns}, pages.style(), pages.measure()).drawing,
                           6);
    }
    std::string words;
    for (const std::string& name : names.columns)
      words += (words.empty() ? "" : "  ·  ") + name;
    pages.paragraph(words, kAnswer);
  }

  // The bars that the reader moves are empty, the others stand at the numbers that they have now.
  Drawing bars_to_draw(const AskedBars& asked, const GuessNames& names, const PageSetter& pages) const {
    const PassValues now(pass_, session_.goal.get());
    const TextReference list = references_of(asked.list.pieces()).front();
    const ReferencedNumbers numbers = referenced_numbers(list, now);
    std::vector<FramedBar> bars;
    for (std::size_t i = 0; i < names.columns.size(); ++i) {
      const auto& drawn = asked.drawn;
      const bool moves = std::find(drawn.begin(), drawn.end(), static_cast<Index>(i)) != drawn.end();
      bars.push_back({names.columns[i]});
      if (!moves && i < numbers.values.size()) bars.back().number = numbers.values[i];
    }
    return bar_frame(bars, axis_of(asked), pages.style(), pages.measure());
  }

  // Both ends and the middle, as the texts and the answers write numbers.
  BarAxis axis_of(const AskedBars& asked) const {
    BarAxis axis = {asked.low, asked.high, {}};
    for (const double number : {asked.low, (asked.low + asked.high) / 2, asked.high})
      axis.ticks.push_back(localized(session_.lesson->language, shortest_digits(static_cast<float>(number))));
    return axis;
  }

  std::string right_answer(const LessonQuestion& question, const Evaluator& after) const {
    if (!question.answers.empty()) return marked_answer(question, static_cast<std::size_t>(question.right));
    if (question.number) return told(question.number->number, after);
    if (question.has_shape()) {
      const Goal* const goal = session_.goal.get();
      const PassValues of_after(after, goal), first(pass_, goal);
      const auto truth = right_guess(question, {&of_after, &first, &first});
      if (!truth) return "";
      const std::string words =
          guess_words(question, *truth, guess_names(question, after.layer(), counting()));
      return question.bars ? localized(session_.lesson->language, words) : words;
    }
    const AskedCell& cell = *question.cell;
    const std::string own = stage_label(session_.lesson->language, cell.stage);
    const std::string row = std::to_string(cell.at[0] + counting().first),
                      column = std::to_string(cell.at[1] + counting().first);
    return (own.empty() ? std::string(stage_info(cell.stage).name) : own) + "[" + row + ", " + column + "]";
  }

  Counting counting() const { return {session_.lesson->count_from.value_or(0)}; }

  FigureChoice choice() const {
    FigureChoice choice;
    choice.part.stage = step_.stage;
    choice.part.sequence = step_.sequence;
    if (step_.head) choice.part.heads = std::vector<Index>{*step_.head};
    if (step_.part) {
      const auto range = [](Index begin, Index end) {
        return std::to_string(begin) + ":" + std::to_string(end);
      };
      choice.part.rows = range(step_.part->row, step_.part->row_end);
      if (stage_info(step_.stage).columns == StageColumns::Tokens)
        choice.part.columns = range(step_.part->column, step_.part->column_end);
    }
    const bool pairs = stage_info(step_.stage).columns == StageColumns::Tokens;
    if (step_.view == LessonView::Flow && pairs) choice.kind = FigureKind::Flow;
    if (step_.view == LessonView::Row && pairs) choice.kind = FigureKind::Row;
    if (step_.view == LessonView::Compare && step_.against) choice.kind = FigureKind::Compare;
    const FigureKindInfo& info = figure_kind_info(choice.kind);
    if (info.lines) choice.part.stage = stage_for(choice.kind, step_.stage);
    if (info.one_row && !choice.part.heads) choice.part.heads = std::vector<Index>{0};
    if (step_.selected)
      choice.query = (*step_.selected)[0];
    else if (!step_.rows.empty())
      choice.query = step_.rows.front();
    return choice;
  }

  // Whether one map of the step's stage fits the page with its numbers.
  bool is_numbered(const FigureChoice& chosen) const {
    const bool one = step_.head || stage_heads(layer_, step_.stage) == 1;
    return figure_kind_info(chosen.kind).own_maps && one &&
           stage_rows(layer_, step_.stage) <= kMostNumberedRows &&
           stage_columns(layer_, step_.stage) <= kMostNumberedColumns;
  }

  void set_size(FigureOptions& options, const FigureChoice& chosen) const {
    options.decimals = 2;
    if (is_numbered(chosen)) {
      options.cell = Length{kNumberedCell, LengthUnit::Pixels};
      return;
    }
    options.width = Length{kTextWidth, LengthUnit::Pixels};
    options.height = Length{kPictureHeight, LengthUnit::Pixels};
  }

  // None if the stage does not exist in this state or the figure cannot be made.
  std::optional<FigureGrid> picture() const {
    if (!stage_exists(layer_, step_.stage)) return std::nullopt;
    FigureOptions options;
    options.counting = counting();
    options.subtitle = "";
    options.words = figure_words(session_.lesson->language);
    if (step_.range) {
      options.colors.range = RangeKind::ByHand;
      options.colors.low = (*step_.range)[0];
      options.colors.high = (*step_.range)[1];
    }
    std::optional<Evaluator> against;
    std::optional<ComputedSession> compared;
    if (step_.against) {
      Layer layer = session_.layer;
      apply_settings(*step_.against, layer);  // checked when the lesson was read
      against.emplace(evaluate(std::move(layer)));
      compared.emplace(*against, session_.title);
    }
    try {
      const ComputedSession here(pass_, session_.title);
      const FigureChoice chosen = choice();
      set_size(options, chosen);
      // The comparison shows the earlier state first.
      const bool compares = figure_kind_info(chosen.kind).kept;
      FigureGrid figure = make_figure(chosen, compares ? *compared : here, compares ? &here : nullptr,
                                      options, FigureFormat::Pdf);
      write_numbers_in(session_.lesson->language, figure);
      return figure;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  const Session& session_;
  const LessonStep& step_;
  std::size_t at_;
  const Evaluator& opened_;
  Layer layer_;
  Evaluator pass_;
};

// "Lesson 4 · One word asks"; only lessons of the course have numbers.
std::string heading_of(const Lesson& lesson, bool of_course) {
  if (!of_course) return lesson.chapter;
  const std::string number = label_text(lesson.language, LessonLabel::Lesson) + " " +
                             lesson_number(lesson.order, lesson.variation_of);
  return lesson.chapter.empty() ? number : number + " · " + lesson.chapter;
}

// The numbers that the lesson begins with; none where they do not fit or there are none.
std::optional<FigureGrid> embeddings_picture(const Session& session, const Evaluator& opened) {
  const Layer& layer = session.layer;
  if (!stage_exists(layer, Stage::Embeddings) || stage_rows(layer, Stage::Embeddings) > kMostNumberedRows ||
      stage_columns(layer, Stage::Embeddings) > kMostNumberedColumns)
    return std::nullopt;
  FigureOptions options;
  options.counting = {session.lesson->count_from.value_or(0)};
  options.decimals = 2;
  options.cell = Length{kNumberedCell, LengthUnit::Pixels};
  options.subtitle = "";
  options.color_bar = false;
  FigureChoice choice;
  choice.part.stage = Stage::Embeddings;
  options.words = figure_words(session.lesson->language);
  const ComputedSession here(opened, session.title);
  FigureGrid figure = make_figure(choice, here, nullptr, options, FigureFormat::Pdf);
  write_numbers_in(session.lesson->language, figure);
  return figure;
}

}  // namespace

std::vector<FigureGrid> handout_pages(const Session& session, bool of_course) {
  if (!session.lesson || session.lesson->steps.empty())
    throw Error("there is no lesson with steps in this session", "lesson",
                "a handout is made of a lesson: see assets/lessons/README.md");
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = pango_measure(style.fonts);
  PageSetter pages(style, measure);
  pages.paragraph(heading_of(*session.lesson, of_course), kQuiet);
  pages.paragraph(session.title, kTitle);
  pages.paragraph(session.notes, kText);
  const Evaluator opened = evaluate(session.layer);
  if (auto picture = embeddings_picture(session, opened)) pages.picture(std::move(*picture), 14);
  std::vector<std::size_t> asking;
  for (std::size_t at = 0; at < session.lesson->steps.size(); ++at) {
    const HandoutStep step(session, opened, at);
    step.set(pages);
    if (step.asks()) asking.push_back(at);
  }
  if (!asking.empty()) {
    pages.new_page();
    pages.paragraph(label_text(session.lesson->language, LessonLabel::Answers), kTitle);
  }
  for (const std::size_t at : asking)
    HandoutStep(session, opened, at).set_answer(pages);
  return pages.take(session.title, label_text(session.lesson->language, LessonLabel::Of));
}

std::string handout_bytes(const Session& session, bool of_course, const std::string& program) {
  const std::vector<FigureGrid> pages = handout_pages(session, of_course);
  return pdf_bytes(pages, {session.title, session.lesson->source, program});
}

}  // namespace headlight
