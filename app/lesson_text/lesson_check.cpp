#include "app/lesson_text/lesson_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/lesson_text/evaluated_runs.h"
#include "app/lesson_text/lesson_controls.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/lesson_text/outdated_claims.h"
#include "app/lesson_text/question_truth.h"
#include "app/lesson_text/wording.h"
#include "engine/json/json_document.h"
#include "engine/layer/layer_difference.h"
#include "engine/session/lesson_text.h"

namespace headlight {
namespace {

// A longer text is too much for a reader, and for the regular expressions that search for typed numbers.
constexpr std::size_t kMostText = 10'000;  // bytes

struct NamedText {
  std::string name;  // "text", "reply 2"
  LessonText text;
};

std::vector<NamedText> texts_of(const LessonStep& step) {
  std::vector<NamedText> texts = {{"text", step.text}, {"try", step.try_it}};
  if (!step.question) return texts;
  texts.push_back({"question", step.question->text});
  for (std::size_t i = 0; i < step.question->replies.size(); ++i)
    texts.push_back({"reply " + std::to_string(i + 1), step.question->replies[i]});
  return texts;
}

std::string plain(const std::vector<TextPiece>& pieces, const ReferencedStates& states) {
  std::string text;
  for (const EvaluatedRun& run : evaluated_runs(pieces, states))
    text += run.text;
  return text;
}

std::string step_place(std::size_t at, const std::string& part) {
  return "step " + std::to_string(at + 1) + (part.empty() ? "" : ", " + part);
}

// The written texts of a step that cannot be read, by the names that texts_of() gives them.
std::vector<std::pair<std::string, std::string>> written_texts(const Json& step) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto add = [&texts](const Json& object, const char* key, const std::string& name) {
    if (!object.is_object() || !object.contains(key)) return;
    const Json& value = object[key];
    if (value.is_string()) texts.emplace_back(name, value.get<std::string>());
    if (!value.is_array()) return;
    for (std::size_t i = 0; i < value.size(); ++i)
      if (value[i].is_string())
        texts.emplace_back(name == "reply" ? "reply " + std::to_string(i + 1) : name,
                           value[i].get<std::string>());
  };
  add(step, "title", "title");
  add(step, "text", "text");
  add(step, "try", "try");
  if (!step.is_object() || !step.contains("ask")) return texts;
  add(step["ask"], "question", "question");
  add(step["ask"], "answers", "answers");
  add(step["ask"], "replies", "reply");
  return texts;
}

void check_words(const std::string& place, const std::string& text, std::vector<LessonFault>& faults) {
  if (text.size() > kMostText) {
    faults.push_back(
        {place, "it is longer than " + std::to_string(kMostText) + " bytes: make more steps of it"});
    return;
  }
  for (const std::string& what : wording_faults(text))
    faults.push_back({place, what});
}

// What is wrong with the words of a step is told together with why it cannot be read.
void check_unread(const LessonStep& step, std::size_t at, std::vector<LessonFault>& faults) {
  const JsonTree tree(parse_json(step.unread));
  for (const auto& [name, text] : written_texts(tree.value))
    check_words(step_place(at, name), text, faults);
}

// Checks one step in the state that it opens in.
class StepCheck {
 public:
  StepCheck(const Session& session, const Evaluator& opened_pass, const LessonStep& step, std::size_t at,
            std::vector<LessonFault>& faults)
      : step_(step),
        at_(at),
        faults_(faults),
        session_(session),
        layer_(session.layer),
        goal_(session.goal.get()),
        opened_(opened_pass) {
    apply_settings(step.settings, layer_);  // checked when the lesson was read
  }

  void run() {
    const Evaluator pass = evaluate(layer_), done_pass = evaluate(done_model());
    const PassValues now(pass, goal_), opened(opened_, goal_), done(done_pass, goal_);
    const ReferencedStates states = {&now, &now, &opened}, replied = {&done, &now, &opened};
    check_words("title", step_.title);
    for (const NamedText& text : texts_of(step_)) {
      if (text.text.empty()) continue;
      check_words(text.name, text.text.written());
      check_controls(text.name, text.text.pieces());
      const bool reply = text.name.starts_with("reply");
      // A change that the reader makes by hand may be anything, so the conditions of its reply need not hold.
      const bool by_hand = reply && !step_.question->change && !step_.try_it.empty();
      check_conditions(text.name, text.text.pieces(), reply ? replied : states, !by_hand, reply);
      if (reply && by_hand) check_quotes(text.name, text.text.pieces());
    }
    if (!step_.points_at_cells() && !step_.selected && !step_.weight && step_.view == LessonView::Heatmap)
      fault(
          "",
          "it lights nothing: name \"rows\", \"columns\" or \"cells\", \"select\" a cell, or choose another "
          "\"view\"");
    if (!step_.question) return;
    check_question(*step_.question);
    if (step_.question->change) check_claims(states, replied);
    if (step_.question->has_shape()) check_guess(*step_.question, {&done, &now, &opened});
  }

 private:
  void fault(const std::string& part, std::string what) {
    faults_.push_back({step_place(at_, part), std::move(what)});
  }

  void check_words(const std::string& name, const std::string& text) {
    headlight::check_words(step_place(at_, name), text, faults_);
  }

  // A control that a text names exists, and is on screen in the step.
  void check_controls(const std::string& name, const std::vector<TextPiece>& pieces) {
    for (const TextPiece* piece : control_pieces(pieces)) {
      const LessonControl* const control = lesson_control(piece->control);
      if (!control) {
        fault(name, unknown_control(piece->control));
        continue;
      }
      if (const std::string missing = control_missing(*control, step_, layer_, session_, named_);
          !missing.empty())
        fault(name, "“" + control->label + "” is not on screen in this step: it " + missing);
      named_.push_back(control);
    }
  }

  // The step's layer after the change that its question asks for.
  Layer done_model() const {
    Layer layer = layer_;
    if (step_.question && step_.question->change) apply_change(*step_.question->change, layer);
    return layer;
  }

  // The condition of each {if} must hold in the opened state, in a reply after the change: the first branch
  // describes what there is to see.
  void check_conditions(const std::string& name, const std::vector<TextPiece>& pieces,
                        const ReferencedStates& states, bool first_holds, bool reply) {
    for (const TextPiece& piece : pieces) {
      if (piece.branches.empty()) continue;
      const bool compares = !piece.branches.back().condition.has_value();  // {if}, not {compare}
      for (const TextBranch& branch : piece.branches)
        if (branch.condition) check_decidable(name, *branch.condition);
      const std::string first = "“" + plain(piece.branches.front().pieces, states) + "”";
      if (compares && first_holds && verdict(*piece.branches.front().condition, states) != Verdict::Yes)
        fault(name, std::string("a claim is false ") + (reply ? "once it was done" : "as the step opens") +
                        ", so that it does not say " + first + ": put what holds there first");
      for (const TextBranch& branch : piece.branches)
        check_conditions(name, branch.pieces, states, first_holds && &branch == &piece.branches.front(),
                         reply);
    }
  }

  // A reply quotes the numbers that it was given for. What the reader changes by hand is undone when the step
  // is left, and not made again when the reader comes back: a quote outside of every {if} is then of others.
  void check_quotes(const std::string& name, const std::vector<TextPiece>& pieces) {
    for (const TextPiece& piece : pieces) {
      std::vector<TextReference> quoted;
      if (piece.reference) quoted.push_back(*piece.reference);
      if (piece.amount) add_references(*piece.amount, quoted);
      const bool moves = std::any_of(quoted.begin(), quoted.end(), [](const TextReference& reference) {
        return reference.moment == ReferencedState::Now && !reference.guess &&
               reference.kind != ReferenceKind::Token;
      });
      if (!moves) continue;
      return fault(name,
                   "it quotes numbers that can change after the answer, and then are not those it was given "
                   "for: make the try the question's \"change\", or put the quote into an {if}");
    }
  }

  // Text and try are read once the change is made, too.
  void check_claims(const ReferencedStates& asked, const ReferencedStates& done) {
    for (const NamedText& text : {NamedText{"text", step_.text}, NamedText{"try", step_.try_it}})
      for (const std::string& claim : outdated_claims(text.text, asked, done))
        fault(text.name, "a claim is false once it was done, “" + claim +
                             "”: put it into an {if}, or quote {first ...} there");
  }

  void check_decidable(const std::string& name, const Condition& condition) {
    std::vector<TextReference> references;
    add_references(condition, references);
    if (references.empty() && !asks_setting(condition))
      fault(name,
            "a claim names no number of the model, so that no state decides it: compare with a quote like "
            "weights[1,0]");
  }
  static bool asks_setting(const Condition& condition) {
    return condition.kind == ConditionKind::Setting ||
           std::any_of(condition.conditions.begin(), condition.conditions.end(), asks_setting);
  }

  void check_question(const LessonQuestion& question) {
    for (const std::string& answer : question.answers)
      check_words("answers", answer);
    if (!question.change) return;
    if (layer_differences(layer_, done_model()).empty())
      fault("change", "it leaves everything as it is: there is nothing to see");
  }

  // The right guess must exist, be another than what the reader begins with, and be possible to draw.
  void check_guess(const LessonQuestion& question, const ReferencedStates& states) {
    const std::optional<Matrix> truth = right_guess(question, states);
    if (!truth || !truth->allFinite())
      return fault("question", "what is guessed is no number once it was done: ask for another row");
    if (question.bars) return check_bars(*question.bars, question, *truth, states);
    if (truth->maxCoeff() <= 0)
      fault("question", "no answer is right once it was done: choose another \"right\" or \"change\"");
    else if (question.word && truth->minCoeff() > 0)
      fault("question", "every answer is right once it was done: choose another \"right\" or \"change\"");
  }

  void check_bars(const AskedBars& bars, const LessonQuestion& question, const Matrix& truth,
                  const ReferencedStates& states) {
    for (const Index bar : bars.drawn)
      if (double{truth(0, bar)} < bars.low || double{truth(0, bar)} > bars.high)
        return fault("question", "the right bar is beyond its ends: widen \"low\" and \"high\"");
    if (!judge(question, truth, truth, states).right)
      return fault("question",
                   "the numbers that the engine computes are not right by the condition in \"right\"");
    const std::optional<Matrix> before = right_guess(question, {states.first, states.first, states.opened});
    if (question.change && before && before->allFinite() && judge(question, *before, truth, states).right)
      fault("question", "the bars are right as they stand: make \"near\" smaller, or the change larger");
  }

  const LessonStep& step_;
  std::size_t at_;
  std::vector<LessonFault>& faults_;
  const Session& session_;
  std::vector<const LessonControl*> named_;  // by the texts so far, which are read one after the other
  Layer layer_;
  const Goal* goal_;  // of the session; null: it has none
  const Evaluator& opened_;
};

}  // namespace

std::vector<LessonFault> lesson_faults(const Session& session) {
  std::vector<LessonFault> faults;
  if (!session.lesson || session.lesson->steps.empty()) {
    faults.push_back({"", "there is no lesson with \"steps\" in it"});
    return faults;
  }
  for (const std::string& fault : label_faults(session.lesson->language))
    faults.push_back({"labels", fault});
  const Evaluator opened = evaluate(session.layer);
  for (std::size_t at = 0; at < session.lesson->steps.size(); ++at) {
    const LessonStep& step = session.lesson->steps[at];
    if (step.unread.empty())
      StepCheck(session, opened, step, at, faults).run();
    else
      check_unread(step, at, faults);
  }
  return faults;
}

}  // namespace headlight
