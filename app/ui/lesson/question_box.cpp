#include "app/ui/lesson/question_box.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/lesson_text/brief_reply.h"
#include "app/lesson_text/done_text.h"
#include "app/lesson_text/model_change.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/judging.h"
#include "app/ui/widgets/marks.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kPad = 12;     // planned pixels from the box to its texts
constexpr float kSample = 20;  // side of a mark in the legend

const GivenAnswer* given_to(const LessonGuide& guide) {
  const auto found = guide.answers.find(guide.step);
  return found == guide.answers.end() ? nullptr : &found->second;
}

// The number to guess, if the question has one and it is computed.
std::optional<double> guessed_number(UiContext& ui, const LessonQuestion& question) {
  return question.number ? live_number(ui, question.number->number) : std::nullopt;
}

std::string cell_words(const UiContext& ui, const CellAddress& cell) {
  const Layer& layer = ui.layer();
  if (!address_exists(layer, cell)) return "a cell that is gone";
  const std::string row = token_name(layer.tokens, cell.row, ui.counting());
  return stage_info(cell.stage).columns == StageColumns::Tokens
             ? row + ", " + token_name(layer.key_labels(), cell.column, ui.counting())
             : row + ", column " + ui.counting().number(cell.column);
}

// The note below a question about a cell, a number or a guess with a shape.
std::string note_of(const UiContext& ui, const LessonQuestion& question, const GivenAnswer* given,
                    const std::optional<CellAddress>& chosen, const ShownGuess& shown) {
  if (question.has_shape())
    return shown.guess.size() > 0 ? guess_note(ui, question, shown)
           : given                ? "What you guessed is not there any more."
                                  : "";
  if (question.cell && given)
    return label_text(ui, LessonLabel::YouClicked) + " " + cell_words(ui, *given->cell) + ".";
  if (question.cell)
    return chosen ? label_text(ui, LessonLabel::YouChose) + " " + cell_words(ui, *chosen) + "."
                  : label_text(ui, LessonLabel::ClickCell);
  if (question.number && given)
    return label_text(ui, LessonLabel::YouGuessed) + " " + guess_number_text(ui, given->number) + ".";
  return {};
}

// The heading over a reply.
LessonLabel outcome_heading(const LessonQuestion& question, const GivenAnswer& given) {
  const auto right = is_right(question, given);
  return !right ? LessonLabel::TheAnswer : *right ? LessonLabel::Right : LessonLabel::NotQuite;
}

// Whether there is a guess to give: of cells none may be right too, a word or a cell has to be chosen.
bool can_give(const LessonQuestion& question, const ShownGuess& shown,
              const std::optional<CellAddress>& chosen) {
  if (question.cell) return chosen.has_value();
  return shown.editable && shown.guess.size() > 0 && (!question.word || shown.guess.maxCoeff() > 0);
}

// A line of the question's box below the texts. Returns where it begins.
float next_line(const UiContext& ui, float gap, float height, float& y) {
  const float top = y + ui.theme.px(gap);
  y = top + height;
  return top;
}

// The cell that is chosen and not given yet.
std::optional<CellAddress> chosen_cell(const UiContext& ui, const LessonGuide& guide) {
  const auto found = guide.chosen_cells.find(guide.step);
  if (given_to(guide) || found == guide.chosen_cells.end()) return std::nullopt;
  return address_exists(ui.layer(), found->second) ? std::optional(found->second) : std::nullopt;
}

void count(GuessOutcomes& outcomes, bool guessed, bool right) {
  outcomes.right += guessed && right ? 1 : 0;
  outcomes.wrong += guessed && !right ? 1 : 0;
  outcomes.missed += !guessed && right ? 1 : 0;
}

// None of other questions, and until what is right is shown.
std::optional<GuessOutcomes> outcomes_of(const UiContext& ui, const LessonGuide& guide,
                                         const LessonQuestion& question, const ShownGuess& shown) {
  GuessOutcomes outcomes;
  if (question.cell && is_revealed(ui, guide)) {
    const bool right = is_right(*question.cell, *given_to(guide)->cell);
    count(outcomes, true, right);
    if (!right) count(outcomes, false, true);
    return outcomes;
  }
  if (question.bars || shown.truth.size() == 0) return std::nullopt;
  for (Index row = 0; row < shown.guess.rows(); ++row)
    for (Index column = 0; column < shown.guess.cols(); ++column)
      count(outcomes, shown.guess(row, column) > 0, shown.truth(row, column) > 0);
  return outcomes;
}

void plan_answers(UiContext& ui, const LessonGuide& guide, QuestionPlan& plan, const LessonQuestion& question,
                  float width, float& y) {
  const GivenAnswer* const given = given_to(guide);
  const std::optional<CellAddress> chosen = chosen_cell(ui, guide);
  ImFont* const font = ui.theme.fonts.reading;
  const float indent = ui.theme.px(22);
  for (const std::string& answer : question.answers) {
    y += ui.theme.px(4);
    set_text(ui, plan.answers.emplace_back(), plain_words(answer), font, width - indent, y);
  }
  if (given && !question.answers.empty()) plan.given = given->choice;
  plan.made = given && given->made;
  if (plan.shown.guess.size() > 0 && !plan.in_picture) {
    plan.guess = plan_guess(ui, question, plan.shown, width);
    plan.guess_y = y + ui.theme.px(8);
    y = plan.guess_y + plan.guess.height;
  }
  const std::string note = note_of(ui, question, given, chosen, plan.shown);
  if (!note.empty()) {
    y += ui.theme.px(4);
    set_text(ui, plan.note, plain_words(note), font, width, y);
  }
  if (question.number && !given) {
    plan.slider_y = y + ui.theme.px(6);
    y = plan.slider_y + ImGui::GetFrameHeight();
  }
  const float line = line_height(ui.theme, font);
  plan.outcomes = outcomes_of(ui, guide, question, plan.shown);
  if (plan.outcomes) plan.legend_y = next_line(ui, 6, kSample * ui.theme.scale, y);
  if (question.bars && plan.in_picture && !plan.shown.editable) plan.whole_y = next_line(ui, 0, line, y);
  if (can_give(question, plan.shown, chosen)) plan.give_y = next_line(ui, 6, ImGui::GetFrameHeight(), y);
}

// The reply, which replaces the question; none if it is not due.
std::optional<LessonText> due_reply(UiContext& ui, const LessonGuide& guide, const LessonStep& step) {
  const GivenAnswer* const given = given_to(guide);
  if (!given || !is_revealed(ui, guide)) return std::nullopt;
  const auto reply = reply_to(*step.question, *given, guessed_number(ui, *step.question));
  return reply ? std::optional(step.question->replies[*reply]) : std::nullopt;
}

// Whether the layer has the change that *Do it* or *See it* has made: undo takes it back.
bool is_done(const UiContext& ui, const LessonGuide& guide) {
  return guide.done && !same_inputs(*guide.done->before, ui.layer());
}

// The try; what the program did of it is told in the past.
std::vector<EvaluatedRun> try_text(UiContext& ui, const LessonGuide& guide, const LessonStep& step) {
  std::vector<EvaluatedRun> runs = step_text(ui, guide, step.try_it);
  if (!step.question || !step.question->change || !is_done(ui, guide)) return runs;
  const std::string done =
      has_label(lesson_language(ui), LessonLabel::Done)
          ? label_text(ui, LessonLabel::Done)  // the sentence is English
          : done_text(*step.question->change, *guide.done->before, ui.layer(), ui.counting());
  std::vector<EvaluatedRun> told = {{done}};
  std::vector<EvaluatedRun> rest = after_first_sentence(std::move(runs));
  if (!rest.empty()) told.front().text += " ";
  told.insert(told.end(), rest.begin(), rest.end());
  return told;
}

// The try, and the button *Do it*.
void plan_doing(UiContext& ui, const LessonGuide& guide, QuestionPlan& plan, const LessonStep& step,
                float width, float& y) {
  ImFont* const font = ui.theme.fonts.reading;
  const GivenAnswer* const given = given_to(guide);
  const bool asks = step.question && !guide.walk, tried = asks && given && given->tried;
  if (!step.try_it.empty() && (!asks || given)) {
    if (asks) y += ui.theme.px(8);
    set_text(ui, plan.try_it, try_text(ui, guide, step), font, width, y);
  }
  if (asks && step.question->change && given && !tried && !given->made) {
    plan.do_y = y + ui.theme.px(8);
    y = plan.do_y + ImGui::GetFrameHeight();
  }
}

// Whether all numbers of the question's text were known when it was written last.
bool is_asked(const LessonGuide& guide) {
  const auto asked = guide.asked.find(guide.step);
  return asked != guide.asked.end() && plain_text(asked->second).find("…") == std::string::npos;
}

// Asks the question of the present layer, as soon as its numbers are known: from then on neither its text nor
// what an answer is compared with changes.
void ask(UiContext& ui, LessonGuide& guide, const LessonQuestion& question, bool given) {
  if (guide.asked_of.contains(guide.step) || (given && is_asked(guide))) return;
  guide.asked[guide.step] = step_text(ui, guide, question.text);
  if (!given && is_asked(guide) && is_settled(ui))
    guide.asked_of[guide.step] = {std::make_shared<const Layer>(ui.layer()), ui.document.session().goal};
}

// The reply in at most 25 words and two numbers, if its sentences allow; the others follow at a click.
void plan_reply(UiContext& ui, const LessonGuide& guide, QuestionPlan& plan, std::vector<EvaluatedRun> runs,
                float width, float& y) {
  std::vector<EvaluatedRun> brief = brief_reply(runs);
  const bool whole = guide.all_of_reply || brief.size() == runs.size();
  ImFont* const font = ui.theme.fonts.reading;
  set_text(ui, plan.reply, whole ? std::move(runs) : std::move(brief), font, width, y);
  if (whole) return;
  plan.more_y = y;
  y += line_height(ui.theme, font);
}

// The reply or the question, then the answers, and below a reply the question.
void plan_asking(UiContext& ui, LessonGuide& guide, QuestionPlan& plan, const LessonStep& step, float width,
                 float& y) {
  const LessonQuestion& question = *step.question;
  const GivenAnswer* const given = given_to(guide);
  ask(ui, guide, question, given != nullptr);
  ImFont* const font = ui.theme.fonts.reading;
  const auto reply = due_reply(ui, guide, step);
  plan.replies = reply.has_value();
  if (reply) {
    if (!question.answers.empty()) plan.right = static_cast<std::size_t>(question.right);
    plan_reply(ui, guide, plan, step_text(ui, guide, *reply), width, y);
    y += ui.theme.px(4);
  } else {
    set_text(ui, plan.question, guide.asked[guide.step], font, width, y);
  }
  if (question.has_shape()) plan.shown = shown_guess(ui, guide, question);
  plan.in_picture = guide.in_picture && question.has_shape();
  plan_answers(ui, guide, plan, question, width, y);
  if (!reply) return;
  y += ui.theme.px(8);
  set_text(ui, plan.question, guide.asked[guide.step], font, width, y);
}

// A circle, filled for the chosen answer, and the answer's words after it. Once the reply is shown, the right
// answer has a tick instead.
bool answer_row(UiContext& ui, const QuestionPlan& plan, std::size_t index, ImVec2 at, float width) {
  const Theme& theme = ui.theme;
  const PanelText& answer = plan.answers[index];
  const bool chosen = plan.given == index, right = plan.right == index;
  const float top = at.y + answer.y, line = font_size(theme.fonts.reading);
  const std::string name = "lesson.answer." + std::to_string(index);
  const std::string value = (chosen ? "chosen: " : "") + plain_text(answer.runs) + (right ? " ✓" : "");
  const ImVec2 size = {width, answer.plan.height + theme.px(2)};
  bool pressed = false, hot = false;
  if (plan.replies || plan.made) {  // *Ask again* takes another answer
    ui.probe.mark_rect(name, {at.x, top - theme.px(2), size.x, size.y}, value);
  } else {
    ImGui::SetCursorScreenPos({at.x, top - theme.px(2)});
    pressed = click_area(("##" + name).c_str(), size);
    ui.probe.mark(name, value);
    hot = ImGui::IsItemHovered();
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  // The circle goes with the words, which are drawn whole or not at all.
  if (!is_whole(theme, theme.fonts.reading, top, list.GetClipRectMin().y, list.GetClipRectMax().y))
    return pressed;
  const ImVec2 middle = {at.x + theme.px(8), top + line / 2};
  const Color color = chosen || hot ? theme.text : theme.quiet_text;
  if (right)
    draw_tick(list, {middle.x - theme.px(6), middle.y - theme.px(6)}, theme.px(12), to_imgui(theme.text),
              theme.px(2));
  else
    list.AddCircle(middle, theme.px(6), to_imgui(color), 0, std::max(1.0f, theme.px(1.5f)));
  if (chosen && !right) list.AddCircleFilled(middle, theme.px(3), to_imgui(color));
  draw_text(ui, answer, theme.fonts.reading, theme.text, {at.x + theme.px(22), at.y}, "");
  return pressed;
}

// The number that the reader is to change is the selected one of its grid. *See it* changes it by itself.
void select_asked_input(UiContext& ui, const LessonStep& step) {
  const auto& change = step.question->change;
  const bool by_hand = !step.question->has_shape() && !step.question->cell && !step.try_it.empty();
  if (!by_hand || !change || change->numbers.empty()) return;
  const ChangedNumber& number = change->numbers.front();
  ui.view.selection.asked = InputCell{{number.parameter ? InputKind::Weight : InputKind::Embeddings, 0,
                                       number.parameter.value_or(Parameter::Query)},
                                      number.row,
                                      number.column};
}

void give(UiContext& ui, LessonGuide& guide, GivenAnswer answer) {
  const LessonStep& step = *shown_step(ui, guide);
  answer.revision = ui.document.revision();
  answer.tried = !waits_for_try(step);
  const auto asked = guide.asked_of.find(guide.step);
  if (is_computed(step))
    answer.asked_of =
        asked != guide.asked_of.end() ? asked->second.layer : std::make_shared<const Layer>(ui.layer());
  guide.answers[guide.step] = std::move(answer);
  guide.outcomes.erase(guide.step);  // that of an answer before
  select_asked_input(ui, step);
  guide.answers_unsaved = true;
  guide.answers_saved = false;
  guide.shows_end = true;
}

void guess_slider(UiContext& ui, LessonGuide& guide, const AskedNumber& asked, ImVec2 at, float width) {
  const Theme& theme = ui.theme;
  const std::string words = label_text(ui, LessonLabel::Answer);
  const float field = theme.px(72), gap = theme.px(12);
  const float room = width - field - button_width(words) - 2 * gap;
  if (!guide.guess) guide.guess = static_cast<float>((asked.low + asked.high) / 2);
  const auto low = static_cast<float>(asked.low), high = static_cast<float>(asked.high);
  ImGui::SetCursorScreenPos(at);
  if (const auto typed =
          text_field(ui, guide.typed, "lesson.guess.typed", guess_number_text(ui, double{*guide.guess}),
                     field, "Your guess: type it, or drag the knob beside it", refuse_decimal))
    guide.guess = std::clamp(*parse_decimal(*typed).value, low, high);
  ImGui::SetCursorScreenPos({at.x + field + gap, at.y});
  ImGui::SetNextItemWidth(room);
  ImGui::SliderFloat("##lesson.guess", &*guide.guess, low, high, "", ImGuiSliderFlags_AlwaysClamp);
  ui.probe.mark("lesson.guess", number_text(*guide.guess, 2));
  ImGui::SetCursorScreenPos({at.x + width - button_width(words), at.y});
  if (tool_button(ui, "lesson.guess.give", words, "This is your guess")) {
    GivenAnswer answer;
    answer.number = *guide.guess;
    give(ui, guide, answer);
  }
}

// What the change of the question begins from: steps of training from where it was asked, whatever was
// trained since, so that the reply is about as many steps as the question.
std::shared_ptr<const Layer> changed_from(const UiContext& ui, const LessonGuide& guide,
                                          const LessonChange& change) {
  const auto asked = guide.asked_of.find(guide.step);
  const auto& training = ui.document.session().training;
  const bool trained = change.learning && training && training->steps > 0;
  return trained && asked != guide.asked_of.end() ? asked->second.layer
                                                  : std::make_shared<const Layer>(ui.layer());
}

// Makes the change that the step asks for, as one undo step if the lesson does it. False if it does not fit.
bool do_change(UiContext& ui, LessonGuide& guide, const LessonChange& change,
               ReplacedBy by = ReplacedBy::Lesson) {
  const std::shared_ptr<const Layer> before = changed_from(ui, guide, change);
  auto changed = std::make_shared<Layer>(*before);
  try {
    apply_change(change, *changed);
  } catch (const Error& error) {
    guide.trouble = error.summary();
    return false;
  }
  guide.done = {before, changed};
  ui.send(ReplaceLayer{std::move(changed), "What the lesson asks", by});
  return true;
}

// What the program has done itself is the whole change, whatever the layer shows of it.
void take_as_try(LessonGuide& guide, const LessonChange& change) {
  const auto given = guide.answers.find(guide.step);
  if (given == guide.answers.end()) return;
  given->second.made = true;
  given->second.tried = change.draws == 0;
  guide.shows_end = true;
}

// Takes the guess as the answer, and makes the change at once: what is right moves in over the guess.
void give_guess(UiContext& ui, LessonGuide& guide, const LessonQuestion& question, GivenAnswer answer) {
  if (question.change && !do_change(ui, guide, *question.change)) return;
  give(ui, guide, std::move(answer));
  if (question.change) take_as_try(guide, *question.change);
  if (!question.change && question.has_shape()) guide.answers[guide.step].tried = true;
  guide.drafts.erase(guide.step);
  guide.chosen_cells.erase(guide.step);
}

void give_button(UiContext& ui, LessonGuide& guide, const LessonQuestion& question, const QuestionPlan& plan,
                 ImVec2 at) {
  if (plan.give_y == 0) return;
  ImGui::SetCursorScreenPos({at.x, at.y + plan.give_y});
  if (!tool_button(ui, "lesson.guess.give", label_text(ui, LessonLabel::SeeIt),
                   "This is your guess; undo takes the change back"))
    return;
  GivenAnswer answer;
  answer.cell = chosen_cell(ui, guide);
  answer.guess = plan.shown.guess;
  give_guess(ui, guide, question, std::move(answer));
}

// What the marks of the answer are, and how many there are of each.
void draw_legend(UiContext& ui, const QuestionPlan& plan, ImVec2 at) {
  struct Entry {
    Mark mark;
    const char* id;
    LessonLabel words;
    Index count;
  };
  const std::array<Entry, 3> entries = {
      {{Mark::Right, "right", LessonLabel::RightMarks, plan.outcomes->right},
       {Mark::Wrong, "wrong", LessonLabel::WrongMarks, plan.outcomes->wrong},
       {Mark::Missed, "missed", LessonLabel::MissedMarks, plan.outcomes->missed}}};
  ImFont* const font = ui.theme.fonts.label;
  const float side = ui.theme.px(kSample), y = at.y + plan.legend_y;
  float x = at.x;
  for (const Entry& entry : entries) {
    if (entry.count == 0) continue;
    const std::string text = std::to_string(entry.count) + " " + label_text(ui, entry.words);
    const ImVec2 words = {x + side + ui.theme.px(6), std::floor(y + (side - font_size(font)) / 2)};
    draw_mark(ui, entry.mark, {x, y}, {x + side, y + side});
    if (entry.mark == Mark::Right)
      draw_tick(*ImGui::GetWindowDrawList(), {x + side * 0.28f, y + side * 0.28f}, side * 0.44f,
                to_imgui(ui.theme.text), ui.theme.px(1.5f));
    ImGui::GetWindowDrawList()->AddText(font, font_size(font), words, to_imgui(ui.theme.text), text.c_str());
    const float end = words.x + text_width(font, text);
    ui.probe.mark_rect(std::string("lesson.legend.") + entry.id, {x, y, end - x, side}, text);
    x = end + ui.theme.px(16);
  }
}

// A link in the label font. Returns whether it was clicked.
bool link(UiContext& ui, const char* name, const std::string& label, ImVec2 at, ImFont* font,
          const std::string& tip) {
  ImGui::SetCursorScreenPos(at);
  const bool pressed = click_area(name, {text_width(font, label), font_size(font)});
  ui.probe.mark(name, label);
  tooltip(ui, tip);
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), at,
                                      to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link),
                                      label.c_str());
  return pressed;
}

// A link in the line of the box's heading, which ends at `end` and has `room` pixels there.
bool heading_link(UiContext& ui, const char* name, LessonLabel label, ImVec2 end, float room,
                  const char* tip) {
  ImFont* const font = ui.theme.fonts.label;
  ImGui::PushFont(font);
  const std::string words = elided(label_text(ui, label), room);
  ImGui::PopFont();
  return link(ui, name, words, {std::floor(end.x - text_width(font, words)), end.y}, font, tip);
}

// The picture of the guess, where it is not in the large picture.
void guess_picture(UiContext& ui, LessonGuide& guide, const LessonQuestion& question,
                   const QuestionPlan& plan, ImVec2 at, float width) {
  if (plan.guess_y == 0) return;
  const ImVec2 origin = {at.x, at.y + plan.guess_y};
  ShownGuess shown = plan.shown;
  ui.probe.mark_rect("lesson.guess.picture", {origin.x, origin.y, width, plan.guess.height},
                     shown.editable           ? "to be answered"
                     : shown.truth.size() > 0 ? "answered"
                                              : "given");
  if (draw_guess(ui, question, shown, plan.guess, origin, GuessPlace::Box))
    guide.drafts[guide.step] = shown.guess;
}

// The guess with what belongs to it, from top to bottom.
void draw_guess_parts(UiContext& ui, LessonGuide& guide, const LessonQuestion& question,
                      const QuestionPlan& plan, ImVec2 at, float width) {
  guess_picture(ui, guide, question, plan, at, width);
  if (plan.legend_y > 0) draw_legend(ui, plan, at);
  if (plan.whole_y > 0 && link(ui, "lesson.guess.whole", "Show all rows", {at.x, at.y + plan.whole_y},
                               ui.theme.fonts.reading, "The guess goes below the question"))
    guide.whole_picture = true;
  give_button(ui, guide, question, plan, at);
}

}  // namespace

std::vector<const PanelText*> texts_of(const QuestionPlan& plan) {
  std::vector<const PanelText*> texts = {&plan.question};
  for (const PanelText& answer : plan.answers)
    texts.push_back(&answer);
  for (const PanelText* text : {&plan.note, &plan.try_it, &plan.reply})
    texts.push_back(text);
  return texts;
}

QuestionPlan plan_question(UiContext& ui, LessonGuide& guide, float width, float& y) {
  const LessonStep& step = *shown_step(ui, guide);
  QuestionPlan plan;
  const bool asks = step.question && !guide.walk;
  if (!asks && step.try_it.empty()) return plan;
  const Theme& theme = ui.theme;
  const float inner = width - 2 * theme.px(kPad);
  plan.heading = label_text(ui, !asks                        ? LessonLabel::TryIt
                                : step.question->bars        ? LessonLabel::DrawGuess
                                : step.question->has_shape() ? LessonLabel::MarkGuess
                                                             : LessonLabel::Question);
  plan.y = y += theme.px(kBoxGap);
  y += theme.px(8) + font_size(theme.fonts.label) + theme.px(4);
  if (asks) plan_asking(ui, guide, plan, step, inner, y);
  if (plan.replies) plan.heading = label_text(ui, outcome_heading(*step.question, *given_to(guide)));
  plan_doing(ui, guide, plan, step, inner, y);
  y += theme.px(8);
  plan.height = y - plan.y;
  return plan;
}

void question_box(UiContext& ui, LessonGuide& guide, const QuestionPlan& plan, ImVec2 at, float width) {
  if (plan.height == 0) return;
  const Theme& theme = ui.theme;
  const ImVec2 a = {at.x, at.y + plan.y}, b = {a.x + width, a.y + plan.height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(a, b, to_imgui(theme.raised), theme.px(6));
  list.AddRectFilled({a.x, a.y + theme.px(6)}, {a.x + theme.px(3), b.y - theme.px(6)},
                     to_imgui(theme.quiet_text), theme.px(1.5f));
  const ImVec2 inner = {a.x + theme.px(kPad), at.y};
  const float room = width - 2 * theme.px(kPad);
  const float heading = a.y + theme.px(8);
  if (is_whole(theme, theme.fonts.label, heading, list.GetClipRectMin().y, list.GetClipRectMax().y))
    list.AddText(theme.fonts.label, font_size(theme.fonts.label), {inner.x, heading},
                 to_imgui(theme.quiet_text), plan.heading.c_str());
  ImFont* const font = theme.fonts.reading;
  draw_text(ui, plan.reply, font, theme.text, inner, "lesson.reply.quote.");
  mark_text(ui, "lesson.reply", plan.reply, inner, room);
  if (plan.more_y > 0 && link(ui, "lesson.reply.more", label_text(ui, LessonLabel::MoreNumbers),
                              {inner.x, at.y + plan.more_y}, font, ""))
    guide.all_of_reply = true;
  const float right = b.x - theme.px(kPad);
  const float beside = room - text_width(theme.fonts.label, plan.heading) - theme.px(12);
  if (waits_for_guess(ui, guide) && heading_link(ui, "lesson.guess.skip", LessonLabel::Skip, {right, heading},
                                                 beside, "Go on without a guess: Learn can be pressed"))
    guide.skips = true;
  if (plan.replies && heading_link(ui, "lesson.ask_again", LessonLabel::AskAgain, {right, heading}, beside,
                                   "Clear the guess, and ask the question from the step's own numbers"))
    ask_again(ui, guide);
  draw_text(ui, plan.question, font, plan.replies ? theme.quiet_text : theme.text, inner,
            "lesson.question.quote.");
  mark_text(ui, "lesson.question", plan.question, inner, room);
  for (std::size_t i = 0; i < plan.answers.size(); ++i)
    if (answer_row(ui, plan, i, inner, room)) {
      GivenAnswer answer;
      answer.choice = i;
      give(ui, guide, answer);
    }
  draw_text(ui, plan.note, font, theme.quiet_text, inner, "");
  mark_text(ui, "lesson.note", plan.note, inner, room);
  const LessonStep& step = *shown_step(ui, guide);
  if (step.question) draw_guess_parts(ui, guide, *step.question, plan, inner, room);
  if (plan.slider_y > 0)
    guess_slider(ui, guide, *step.question->number, {inner.x, at.y + plan.slider_y}, room);
  draw_text(ui, plan.try_it, font, theme.text, inner, "lesson.try.quote.");
  mark_text(ui, "lesson.try", plan.try_it, inner, room);
  if (plan.do_y > 0) {
    ImGui::SetCursorScreenPos({inner.x, at.y + plan.do_y});
    if (tool_button(ui, "lesson.do", label_text(ui, LessonLabel::DoIt),
                    "The program does what is asked here; undo takes it back") &&
        do_change(ui, guide, *step.question->change))
      take_as_try(guide, *step.question->change);
  }
}

namespace {

// The cell that the reader clicked in the large picture since the step began; none if the arrow keys moved
// there.
std::optional<CellAddress> clicked_cell(const UiContext& ui, LessonGuide& guide) {
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseReleased(ImGuiMouseButton_Left))
    guide.clicked_frame = ImGui::GetFrameCount();
  const auto& selected = ui.view.selection.cell;
  if (!selected || selected == guide.looked_at) return std::nullopt;
  guide.looked_at = selected;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.x >= guide.panel_at.x && mouse.x < guide.panel_at.x + guide.panel_size.x &&
      mouse.y >= guide.panel_at.y && mouse.y < guide.panel_at.y + guide.panel_size.y)
    return std::nullopt;      // a number of the text
  constexpr int kFrames = 3;  // a click selects when it is released, and is seen in the next frame
  return ImGui::GetFrameCount() - guide.clicked_frame <= kFrames ? selected : std::nullopt;
}

std::optional<Index> index_of(const std::vector<Index>& lines, Index line) {
  const auto found = std::find(lines.begin(), lines.end(), line);
  return found == lines.end() ? std::nullopt : std::optional(found - lines.begin());
}

// A click in the picture marks a cell or takes the mark back. The cell is not taken apart: that would tell
// it.
void take_mark(UiContext& ui, LessonGuide& guide, const LessonQuestion& question) {
  const AskedMarks& marks = *question.marks;
  const auto cell = clicked_cell(ui, guide);
  if (!cell || cell->stage != marks.stage || cell->head != marks.head || cell->sequence != marks.sequence)
    return;
  const auto row = index_of(marks.rows, cell->row), column = index_of(marks.columns, cell->column);
  if (!row || !column || !guess_exists(question, ui.layer())) return;
  Matrix& draft = guide.drafts[guide.step];
  const GuessShape shape = guess_shape(question, ui.layer());
  if (draft.rows() != shape.rows || draft.cols() != shape.columns)
    draft = Matrix::Zero(shape.rows, shape.columns);
  draft(*row, *column) = draft(*row, *column) > 0 ? 0.0f : 1.0f;
  ui.view.selection.cell.reset();
  guide.looked_at.reset();
}

// A click on a cell chooses the word of its column, or of its row where rows are asked for.
void take_word(UiContext& ui, LessonGuide& guide, const LessonQuestion& question) {
  const auto cell = clicked_cell(ui, guide);
  const TextReference list = references_of(question.word->list.pieces()).front();
  if (!cell || cell->stage != list.stage || cell->sequence != list.sequence) return;
  if (stage_info(list.stage).per_head && cell->head != list.head) return;
  if (!list.every_row && cell->row != list.row) return;
  if (!guess_exists(question, ui.layer())) return;
  const Index word = list.every_row ? cell->row : cell->column;
  Matrix guess = Matrix::Zero(1, guess_shape(question, ui.layer()).columns);
  if (word >= guess.cols()) return;
  guess(0, word) = 1;
  guide.drafts[guide.step] = guess;
}

// Outlines in the picture what is marked, and then what was right.
void light_marks(UiContext& ui, const LessonGuide& guide, const AskedMarks& marks) {
  if (!ui.view.lesson.spotlight || guide.in_picture) return;
  const auto given = guide.answers.find(guide.step);
  const auto draft = guide.drafts.find(guide.step);
  const Matrix* shown = nullptr;
  if (given != guide.answers.end())
    shown = is_revealed(ui, guide) && given->second.truth ? &*given->second.truth : &given->second.guess;
  else if (draft != guide.drafts.end())
    shown = &draft->second;
  if (!shown || shown->rows() != std::ssize(marks.rows) || shown->cols() != std::ssize(marks.columns)) return;
  LessonStep lit = *shown_step(ui, guide);
  lit.stage = marks.stage;
  if (stage_info(marks.stage).per_head && ui.layer().head_count() > 1) lit.head = marks.head;
  lit.rows.clear();
  lit.columns.clear();
  lit.cells.clear();
  for (Index row = 0; row < shown->rows(); ++row)
    for (Index column = 0; column < shown->cols(); ++column)
      if ((*shown)(row, column) > 0)
        lit.cells.push_back(
            {marks.rows[static_cast<std::size_t>(row)], marks.columns[static_cast<std::size_t>(column)]});
  if (lit.cells.empty())
    ui.view.lesson.spotlight = *shown_step(ui, guide);
  else
    ui.view.lesson.spotlight = std::move(lit);
}

// Where a row is chosen, the marked row of the picture is the chosen one.
void light_word(UiContext& ui, const LessonGuide& guide, const LessonQuestion& question) {
  const auto draft = guide.drafts.find(guide.step);
  if (!ui.view.lesson.spotlight || !chooses_row(question)) return;
  LessonStep lit = *shown_step(ui, guide);
  if (given_to(guide) == nullptr && draft != guide.drafts.end() && draft->second.size() > 0)
    lit.rows = {chosen_word(draft->second)};
  ui.view.lesson.spotlight = std::move(lit);
}

// The row that bars stand on covers the picture, and what the step points at in it.
void light_row(UiContext& ui, const LessonGuide& guide) {
  if (!ui.view.lesson.spotlight) return;
  LessonStep lit = *shown_step(ui, guide);
  if (guide.in_picture) {
    lit.rows.clear();
    lit.columns.clear();
    lit.cells.clear();
  }
  ui.view.lesson.spotlight = std::move(lit);
}

// Whether everything is changed that the question supposes; of several things, one alone is no try.
bool is_made(const UiContext& ui, const LessonChange& change) {
  if (change.learning) {
    const auto& training = ui.document.session().training;
    return training && training->steps == change.learning->steps;
  }
  Layer made = ui.layer();
  try {
    apply_change(change, made);
  } catch (const Error&) {
    return true;  // it does not fit the reader's layer: what was changed instead is the try
  }
  return departure_from(made, ui.layer()) == Departure::None;
}

// Undo, redo and Restore may lead away from what an open question was asked of: then it is asked again, and
// what was guessed is dropped.
void ask_of_reverted(const UiContext& ui, LessonGuide& guide, const LessonQuestion& question) {
  bool reverted = std::exchange(guide.restored, false);
  if (ui.document.went_through_history())
    reverted |= std::exchange(guide.reverted_revision, ui.document.revision()) != ui.document.revision();
  const auto asked = guide.asked_of.find(guide.step);
  const GivenAnswer* const given = given_to(guide);
  if (!reverted || asked == guide.asked_of.end() || (given && (given->tried || given->made))) return;
  const auto& goal = ui.document.session().goal;
  const auto& before = asked->second;
  const bool same_wish = goal == before.goal || (goal && before.goal && *goal == *before.goal);
  if (same_wish && departure_from(*before.layer, ui.layer()) == Departure::None) return;
  if (given && question.change && is_made(ui, *question.change)) return;  // redo of what is asked about
  forget_question(guide);
}

// Whether the mean of so many draws of dropout is on screen.
bool has_drawn(const UiContext& ui, Index draws) {
  if (draws == 0) return true;
  if (!ui.answer) return false;
  return std::any_of(ui.answer->tiles.begin(), ui.answer->tiles.end(), [draws](const auto& tile) {
    return tile && tile->request.content == TileContent::MeanDropped && tile->draws >= draws;
  });
}

// Takes a change of the document after the answer as its try, and waits for the draws that belong to it.
void follow_try(const UiContext& ui, LessonGuide& guide, const LessonQuestion& question, GivenAnswer& given) {
  if (given.tried) return;
  if (given.revision != ui.document.revision())
    given.made = !question.change || is_made(ui, *question.change);
  given.revision = ui.document.revision();
  if (given.made && !guide.done && question.change && question.change->learning)
    if (const auto asked = guide.asked_of.find(guide.step); asked != guide.asked_of.end())
      guide.done = {asked->second.layer, std::make_shared<const Layer>(ui.layer())};
  if (!given.made || !has_drawn(ui, question.change ? question.change->draws : 0)) return;
  given.tried = true;
  guide.shows_end = true;
}

// Makes the change of an answer of an earlier start again, once the question is asked of the step's own
// layer: the reply is about both.
void make_earlier(UiContext& ui, LessonGuide& guide, const LessonStep& step, GivenAnswer& given) {
  if (!given.earlier || given.tried || given.made || !guide.outcomes.contains(guide.step)) return;
  if (!is_asked(guide) || !is_settled(ui)) return ui.wake_within(0.02);
  if (is_computed(step) && !given.judged) given.asked_of = std::make_shared<const Layer>(ui.layer());
  const auto& change = step.question->change;
  given.made = !change || do_change(ui, guide, *change, ReplacedBy::LessonStep);
  given.tried = given.made;  // draws were watched then
  given.earlier = given.made;
}

void take_cell(UiContext& ui, LessonGuide& guide, const AskedCell& asked) {
  const auto& selected = ui.view.selection.cell;
  if (!selected || selected == guide.looked_at || selected->stage != asked.stage) return;
  guide.chosen_cells.insert_or_assign(guide.step, *selected);
}

}  // namespace

bool waits_for_guess(const UiContext& ui, const LessonGuide& guide) {
  const LessonStep* const step = shown_step(ui, guide);
  if (!step || !waits_for_answer(guide, *step) || !step->learning || guide.skips) return false;
  const LessonQuestion& question = *step->question;
  return question.has_shape() || question.number || (question.change && question.change->learning);
}

void follow_question(UiContext& ui, LessonGuide& guide) {
  const std::string& at = ui.view.keyboard.at;
  const LessonStep* const step = guide.walk ? nullptr : shown_step(ui, guide);
  ui.view.keyboard.takes_arrows = step && at.starts_with("lesson.");
  const bool waits = step && step->question && waits_for_answer(guide, *step);
  ui.view.keyboard.asked = !waits                  ? ""
                           : step->question->bars  ? "lesson.bar."
                           : step->question->marks ? "lesson.mark."
                                                   : "";
  if (!step || !step->question) return;
  const LessonQuestion& question = *step->question;
  ask_of_reverted(ui, guide, question);
  const auto found = guide.answers.find(guide.step);
  const bool open = found == guide.answers.end() || !found->second.tried;
  if (open && question.change && question.change->learning)
    ui.view.learning.until = question.change->learning->steps;
  if (found != guide.answers.end()) make_earlier(ui, guide, *step, found->second);
  if (found != guide.answers.end())
    follow_try(ui, guide, question, found->second);
  else if (question.cell)
    take_cell(ui, guide, *question.cell);
  else if (question.marks)
    take_mark(ui, guide, question);
  else if (question.word)
    take_word(ui, guide, question);
  if (question.marks) light_marks(ui, guide, *question.marks);
  if (question.bars) light_row(ui, guide);
  if (question.word) light_word(ui, guide, question);
}

void sync_answers(const UiContext& ui, LessonGuide& guide, WindowMemory& memory) {
  const std::vector<LessonStep>& steps = ui.document.session().lesson->steps;
  for (std::size_t i = 0; i < steps.size() && !guide.answers_taken; ++i) {
    const auto kept = memory.answers.find(guide.answer_keys[i]);
    if (!steps[i].question || kept == memory.answers.end()) continue;
    if (auto answer = answer_from(*steps[i].question, kept->second, ui.layer())) {
      answer->revision = ui.document.revision();
      answer->tried = !waits_for_try(steps[i]);
      answer->earlier = true;
      guide.answers[i] = *answer;
      if (const auto right = outcome_of(kept->second)) guide.outcomes[i] = *right;
    }
  }
  guide.answers_taken = true;
  for (const auto& [step, answer] : guide.answers) {
    const auto outcome = guide.outcomes.find(step);
    memory.answers[guide.answer_keys[step]] =
        with_outcome(earlier_answer(*steps[step].question, answer),
                     outcome == guide.outcomes.end() ? std::nullopt : std::optional(outcome->second));
  }
}

}  // namespace headlight
