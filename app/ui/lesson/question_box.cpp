#include "app/ui/lesson/question_box.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kPad = 12;  // planned pixels from the box to its texts

const GivenAnswer* given_to(const LessonGuide& guide) {
  const auto found = guide.answers.find(guide.step);
  return found == guide.answers.end() ? nullptr : &found->second;
}

// The number to guess, if the question has one and it is computed.
std::optional<double> guessed_number(UiContext& ui, const LessonQuestion& question) {
  return question.number ? live_number(ui, question.number->number) : std::nullopt;
}

std::string cell_words(const UiContext& ui, const CellAddress& cell) {
  const Model& model = ui.model();
  if (!address_exists(model, cell)) return "a cell that is gone";
  const std::string row = token_name(model.tokens, cell.row, ui.counting());
  return stage_info(cell.stage).columns == StageColumns::Tokens
             ? row + ", " + token_name(model.key_labels(), cell.column, ui.counting())
             : row + ", column " + ui.counting().number(cell.column);
}

// The note below a question about a cell or a number.
std::string note_of(const UiContext& ui, const LessonQuestion& question, const GivenAnswer* given) {
  if (question.cell)
    return given ? "You clicked " + cell_words(ui, *given->cell) + "."
                 : "Click the cell in the large picture.";
  if (question.number && given) return "You guessed " + number_text(given->number, 2) + ".";
  return {};
}

void plan_answers(UiContext& ui, QuestionPlan& plan, const LessonQuestion& question, const GivenAnswer* given,
                  float width, float& y) {
  ImFont* const font = ui.theme.fonts.text;
  const float indent = ui.theme.px(22);
  for (const std::string& answer : question.answers) {
    y += ui.theme.px(4);
    set_text(ui, plan.answers.emplace_back(), plain_words(answer), font, width - indent, y);
  }
  if (given && !question.answers.empty()) plan.given = given->choice;
  const std::string note = note_of(ui, question, given);
  if (!note.empty()) {
    y += ui.theme.px(4);
    set_text(ui, plan.note, plain_words(note), font, width, y);
  }
  if (question.number && !given) {
    plan.slider_y = y + ui.theme.px(6);
    y = plan.slider_y + ImGui::GetFrameHeight();
  }
}

// The try, the button *Do it*, and after the try the reply.
void plan_doing(UiContext& ui, const LessonGuide& guide, QuestionPlan& plan, const LessonStep& step,
                float width, float& y) {
  ImFont* const font = ui.theme.fonts.text;
  const GivenAnswer* const given = given_to(guide);
  const bool asks = step.question && !guide.walk, tried = asks && given && given->tried;
  if (!step.try_it.empty() && (!asks || given)) {
    if (asks) y += ui.theme.px(8);
    set_text(ui, plan.try_it, step_text(ui, guide, step.try_it), font, width, y);
  }
  if (asks && step.question->change && given && !tried) {
    plan.do_y = y + ui.theme.px(8);
    y = plan.do_y + ImGui::GetFrameHeight();
  }
  if (!tried) return;
  const auto reply = reply_to(*step.question, *given, guessed_number(ui, *step.question));
  if (!reply) return;
  y += ui.theme.px(8);
  if (!step.question->answers.empty()) plan.right = static_cast<std::size_t>(step.question->right);
  set_text(ui, plan.reply, step_text(ui, guide, step.question->replies[*reply]), font, width, y);
}

// A circle, filled for the chosen answer, and the answer's words after it. Once the reply is shown, the right
// answer has a tick instead.
bool answer_row(UiContext& ui, const QuestionPlan& plan, std::size_t index, ImVec2 at, float width) {
  const Theme& theme = ui.theme;
  const PanelText& answer = plan.answers[index];
  const bool chosen = plan.given == index, right = plan.right == index;
  const float top = at.y + answer.y, line = font_size(theme.fonts.text);
  const std::string name = "lesson.answer." + std::to_string(index);
  ImGui::SetCursorScreenPos({at.x, top - theme.px(2)});
  const bool pressed = click_area(("##" + name).c_str(), {width, answer.plan.height + theme.px(2)});
  ui.probe.mark(name, (chosen ? "chosen: " : "") + plain_text(answer.runs) + (right ? " ✓" : ""));
  const bool hot = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 middle = {at.x + theme.px(8), top + line / 2};
  const Color color = chosen || hot ? theme.lesson : theme.quiet_text;
  if (right)
    draw_tick(list, {middle.x - theme.px(6), middle.y - theme.px(6)}, theme.px(12), to_imgui(theme.lesson),
              theme.px(2));
  else
    list.AddCircle(middle, theme.px(6), to_imgui(color), 0, std::max(1.0f, theme.px(1.5f)));
  if (chosen && !right) list.AddCircleFilled(middle, theme.px(3), to_imgui(color));
  draw_text(ui, answer, theme.fonts.text, theme.text, {at.x + theme.px(22), at.y}, "");
  return pressed;
}

void give(UiContext& ui, LessonGuide& guide, GivenAnswer answer) {
  const LessonStep& step = *shown_step(ui, guide);
  answer.revision = ui.document.revision();
  answer.tried = !waits_for_try(step);
  guide.answers[guide.step] = answer;
  guide.shows_end = true;
}

void guess_slider(UiContext& ui, LessonGuide& guide, const AskedNumber& asked, ImVec2 at, float width) {
  const Theme& theme = ui.theme;
  constexpr const char* kGive = "Answer";
  const float room = width - button_width(kGive) - theme.px(12);
  if (!guide.guess) guide.guess = static_cast<float>((asked.low + asked.high) / 2);
  ImGui::SetCursorScreenPos(at);
  ImGui::SetNextItemWidth(room);
  ImGui::SliderFloat("##lesson.guess", &*guide.guess, static_cast<float>(asked.low),
                     static_cast<float>(asked.high), "%.2f", ImGuiSliderFlags_AlwaysClamp);
  ui.probe.mark("lesson.guess", number_text(*guide.guess, 2));
  ImGui::SetCursorScreenPos({at.x + room + theme.px(12), at.y});
  if (tool_button(ui, "lesson.guess.give", kGive, "This is your guess")) {
    GivenAnswer answer;
    answer.number = *guide.guess;
    give(ui, guide, answer);
  }
}

// Makes the change that the step asks for, as one undo step.
void do_change(UiContext& ui, LessonGuide& guide, const LessonChange& change) {
  auto changed = std::make_shared<Model>(ui.model());
  try {
    apply_change(change, *changed);
  } catch (const Error& error) {
    guide.trouble = error.summary();
    return;
  }
  guide.done = {std::make_shared<const Model>(ui.model()), changed};
  ui.send(ReplaceModel{std::move(changed), "What the lesson asks"});
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
  plan.heading = asks ? "A question" : "Something to try";
  plan.y = y += theme.px(10);
  y += theme.px(8) + font_size(theme.fonts.label) + theme.px(4);
  if (asks) {
    const GivenAnswer* const given = given_to(guide);
    if (!given || given->revision == ui.document.revision())
      guide.asked[guide.step] = step_text(ui, guide, step.question->text);
    set_text(ui, plan.question, guide.asked[guide.step], theme.fonts.text, inner, y);
    plan_answers(ui, plan, *step.question, given, inner, y);
  }
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
  list.AddRectFilled({a.x, a.y + theme.px(6)}, {a.x + theme.px(3), b.y - theme.px(6)}, to_imgui(theme.lesson),
                     theme.px(1.5f));
  const ImVec2 inner = {a.x + theme.px(kPad), at.y};
  const float room = width - 2 * theme.px(kPad);
  const float heading = a.y + theme.px(8);
  if (is_whole(theme, theme.fonts.label, heading, list.GetClipRectMin().y, list.GetClipRectMax().y))
    list.AddText(theme.fonts.label, font_size(theme.fonts.label), {inner.x, heading}, to_imgui(theme.lesson),
                 plan.heading.c_str());
  ImFont* const font = theme.fonts.text;
  draw_text(ui, plan.question, font, theme.text, inner, "lesson.question.quote.");
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
  if (plan.slider_y > 0)
    guess_slider(ui, guide, *step.question->number, {inner.x, at.y + plan.slider_y}, room);
  draw_text(ui, plan.try_it, font, theme.text, inner, "lesson.try.quote.");
  mark_text(ui, "lesson.try", plan.try_it, inner, room);
  if (plan.do_y > 0) {
    ImGui::SetCursorScreenPos({inner.x, at.y + plan.do_y});
    if (tool_button(ui, "lesson.do", "Do it", "The program does what is asked here; undo takes it back"))
      do_change(ui, guide, *step.question->change);
  }
  draw_text(ui, plan.reply, font, theme.text, inner, "lesson.reply.quote.");
  mark_text(ui, "lesson.reply", plan.reply, inner, room);
}

void follow_question(const UiContext& ui, LessonGuide& guide) {
  const LessonStep* const step = guide.walk ? nullptr : shown_step(ui, guide);
  if (!step || !step->question) return;
  const auto found = guide.answers.find(guide.step);
  if (found != guide.answers.end()) {
    GivenAnswer& given = found->second;
    if (!given.tried && given.revision != ui.document.revision()) {
      given.tried = true;
      guide.shows_end = true;
    }
    return;
  }
  const auto& selected = ui.view.selected;
  if (!step->question->cell || !selected || selected == guide.looked_at) return;
  if (selected->stage != step->question->cell->stage) return;
  GivenAnswer answer;
  answer.cell = *selected;
  answer.revision = ui.document.revision();
  answer.tried = !waits_for_try(*step);
  guide.answers[guide.step] = answer;
  guide.shows_end = true;
}

void sync_answers(const UiContext& ui, LessonGuide& guide, const std::string& stem, WindowMemory& memory) {
  const std::vector<LessonStep>& steps = ui.document.session().lesson->steps;
  const auto key = [&](std::size_t step) { return stem + "/" + std::to_string(step); };
  for (std::size_t i = 0; i < steps.size() && !guide.answers_taken; ++i) {
    const auto kept = memory.answers.find(key(i));
    if (!steps[i].question || kept == memory.answers.end()) continue;
    if (auto answer = answer_from(*steps[i].question, kept->second)) {
      answer->revision = ui.document.revision();
      answer->tried = !waits_for_try(steps[i]);
      guide.answers[i] = *answer;
    }
  }
  guide.answers_taken = true;
  for (const auto& [step, answer] : guide.answers)
    memory.answers[key(step)] = earlier_answer(*steps[step].question, answer);
}

}  // namespace headlight
