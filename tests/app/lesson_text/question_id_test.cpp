// What tells the questions of a lesson apart.
#include "app/lesson_text/question_id.h"

#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Session choosing() {
  Session session = lesson_session("16-causal-mask");
  LessonStep step;
  step.question.emplace();
  step.question->text = "What will it do?";
  step.question->answers = {"It grows", "It shrinks"};
  step.question->replies = {"No.", "Yes."};
  session.lesson->steps = {step};
  return session;
}

std::string id_of(const Session& session) {
  return question_ids(session, session.layer).back();
}

// Each of the changes alone, to a session that asks.
std::string id_after(void (*change)(Session&)) {
  Session session = choosing();
  change(session);
  return id_of(session);
}

LessonQuestion& question_of(Session& session) {
  return *session.lesson->steps.back().question;
}

}  // namespace

TEST_CASE("question id: titles, texts, replies and other steps leave it as it is") {
  const std::string id = id_of(choosing());
  CHECK_FALSE(id.empty());
  CHECK(id_after([](Session& s) { s.title = "Another title"; }) == id);
  CHECK(id_after([](Session& s) { s.lesson->language.decimal_comma = true; }) == id);
  CHECK(id_after([](Session& s) { s.lesson->steps.back().title = "Another title"; }) == id);
  CHECK(id_after([](Session& s) { question_of(s).text = "What will happen to it?"; }) == id);
  CHECK(id_after([](Session& s) { question_of(s).replies = {"Not so.", "Just so."}; }) == id);
  CHECK(id_after([](Session& s) { s.lesson->steps.insert(s.lesson->steps.begin(), LessonStep{}); }) == id);
}

TEST_CASE("question id: what is asked for and of which numbers makes another one") {
  const std::string id = id_of(choosing());
  CHECK(id_after([](Session& s) { question_of(s).answers[0] = "It grows a lot"; }) != id);
  CHECK(id_after([](Session& s) { question_of(s).right = 1; }) != id);
  CHECK(id_after([](Session& s) { question_of(s).change.emplace().settings.mask = MaskKind::None; }) != id);
  CHECK(id_after([](Session& s) { s.lesson->steps.back().settings.num_heads = 1; }) != id);
  CHECK(id_after([](Session& s) { s.layer.embeddings[0](0, 0) += 1; }) != id);
  CHECK(id_after([](Session& s) { s.layer.weights.matrix(Parameter::Query)(0, 0) += 1; }) != id);
  CHECK(id_after([](Session& s) { s.layer.tokens[0] = "Dein"; }) != id);
  CHECK(id_after([](Session& s) { s.layer.attention.mask = MaskKind::None; }) != id);
}

TEST_CASE("question id: a question that is asked twice is two") {
  Session session = choosing();
  session.lesson->steps.push_back(session.lesson->steps.back());
  const std::vector<std::string> ids = question_ids(session, session.layer);
  CHECK(ids[0] == id_of(choosing()));
  CHECK(ids[1] == ids[0] + "#2");
  session.lesson->steps[0].question.reset();
  CHECK(question_ids(session, session.layer)[0].empty());
}
