// Prints what the program tells of each step of each lesson, in the state that it begins with, after the
// change that its question asks for, and after random edits: a line of JSON each, for
// tests/page/lesson_test.mjs.
//
//   told_lessons EDITS SEED
//
//   {"lesson": "04-softmax", "step": 0, "texts": [parsed, ...], "first": STATE, "opened": STATE}
//   {"edit": "SetCells", "now": STATE, "told": ["...", ...]}          behind the line of its step
//
// STATE is {"session", "stages": {NAME: ARRAY}, "lineage"}, and with a goal "gradients": {"loss": 1.5, NAME:
// ARRAY}. The numbers are those that the texts were evaluated with, so that the other reader has the same
// ones.
#include <cmath>
#include <iostream>

#include "app/lesson_text/lesson_controls.h"
#include "engine/session/parsed_text.h"
#include "tests/app/lesson_text/edited_lesson.h"
#include "tests/app/lesson_text/lesson_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Json number_json(float number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  return static_cast<double>(number);
}

struct Array {
  std::vector<Index> shape;
  Json data = Json::array();

  void add_row(const float* row, Index columns) {
    for (Index column = 0; column < columns; ++column)
      data.push_back(number_json(row[column]));
  }
  Json json() && { return {{"shape", shape}, {"data", std::move(data)}}; }
};

std::vector<Index> shape_of(const Layer& layer, Stage stage) {
  std::vector<Index> shape = {layer.sequence_count(), stage_rows(layer, stage), stage_columns(layer, stage)};
  if (stage_info(stage).per_head) shape.insert(shape.begin() + 1, stage_heads(layer, stage));
  return shape;
}

Json stages_json(const Evaluator& pass) {
  Json json = Json::object();
  for (const Stage stage : stages_in_use(pass.layer())) {
    Array array{shape_of(pass.layer(), stage)};
    for (Index sequence = 0; sequence < pass.layer().sequence_count(); ++sequence)
      for (Index head = 0; head < stage_heads(pass.layer(), stage); ++head) {
        RowSource whole = pass.rows(stage, sequence, head);
        for (Index row = 0; row < whole.rows(); ++row)
          array.add_row(whole.row(row), whole.cols());
      }
    json[std::string(stage_info(stage).name)] = std::move(array).json();
  }
  return json;
}

Json gradients_json(const Layer& layer, const Gradients& gradients) {
  Json json = {{"loss", gradients.loss}};
  for (const Stage stage : stages_in_use(layer)) {
    if (gradients.of(stage).empty()) continue;
    Array array{shape_of(layer, stage)};
    for (const Matrix& matrix : gradients.of(stage))
      array.add_row(matrix.data(), matrix.size());
    json[std::string(stage_info(stage).name)] = std::move(array).json();
  }
  constexpr std::array kNames = {"W_query", "W_key", "W_value", "W_output"};
  for (const Parameter parameter : kParameters) {
    const Matrix& matrix = gradients.matrix(parameter);
    if (matrix.size() == 0) continue;
    Array array{{matrix.rows(), matrix.cols()}};
    array.add_row(matrix.data(), matrix.size());
    json[kNames[static_cast<std::size_t>(parameter)]] = std::move(array).json();
  }
  return json;
}

// The names on screen of controls, which a page has beside the texts.
Json controls_json() {
  Json json = Json::object();
  for (const LessonControl& control : lesson_controls())
    json[control.name] = control.label;
  return json;
}

Json lineage_json(const PlainLines& lines) {
  Json json = Json::object();
  if (lines.moved_tokens) json["tokens"] = lines.tokens;
  if (lines.moved_inputs) json["inputs"] = lines.inputs;
  if (lines.moved_outputs) json["outputs"] = lines.outputs;
  return json;
}

Json state_json(const Session& session, const Evaluator& pass, const PassValues& values,
                const PlainLines& lines) {
  Session alone;
  alone.layer = pass.layer();
  alone.goal = session.goal;
  Json json = {{"session", parse_json(session_text(alone))},
               {"stages", stages_json(pass)},
               {"lineage", lineage_json(lines)}};
  if (session.goal)
    if (const Gradients* gradients = values.gradients().all)
      json["gradients"] = gradients_json(pass.layer(), *gradients);
  return json;
}

class ToldStep {
 public:
  ToldStep(const Session& session, const LessonStep& step)
      : session_(session),
        texts_(step.texts()),
        first_(pass_of(session, step)),
        opened_(evaluate(session.layer)),
        of_first_(first_, session.goal.get()),
        of_opened_(opened_, session.goal.get()) {}

  void print_step(const std::string& stem, std::size_t index) const {
    Json texts = Json::array();
    for (const LessonText& text : texts_)
      texts.push_back(Json::parse(parsed_text_json(text.pieces())));
    std::cout << Json{{"lesson", stem},
                      {"controls", controls_json()},
                      {"step", index},
                      {"texts", std::move(texts)},
                      {"first", state_json(session_, first_, of_first_, PlainLines(first_.layer()))},
                      {"opened", state_json(session_, opened_, of_opened_, PlainLines(opened_.layer()))}}
              << '\n';
  }

  void print_state(const std::string& edit, const Layer& layer, const PlainLines& lines) const {
    const Evaluator now = evaluate(layer);
    const PassValues of_now(now, session_.goal.get());
    Json all = Json::array();
    for (const LessonText& text : texts_)
      all.push_back(told(text.pieces(), {&of_now, &of_first_, &of_opened_}));
    std::cout << Json{{"edit", edit},
                      {"now", state_json(session_, now, of_now, lines)},
                      {"told", std::move(all)}}
              << '\n';
  }

 private:
  const Session& session_;
  std::vector<LessonText> texts_;
  Evaluator first_, opened_;
  PassValues of_first_, of_opened_;
};

void print_lesson(const std::string& stem, int edits, std::uint32_t seed) {
  const Session session = lesson_session(stem);
  for (std::size_t index = 0; index < session.lesson->steps.size(); ++index) {
    const LessonStep& step = session.lesson->steps[index];
    const ToldStep told_step(session, step);
    told_step.print_step(stem, index);
    Session edited = session;
    edited.layer = step_model(session, step);
    told_step.print_state("none", edited.layer, PlainLines(edited.layer));
    const Layer asked = asked_model(session, step);
    told_step.print_state("asked", asked, PlainLines(asked));
    EditedLesson lesson(edited);
    Dice dice(seed + static_cast<std::uint32_t>(std::hash<std::string>{}(stem) + index));
    for (int edit = 0; edit < edits; ++edit)
      if (const auto done = lesson.random_edit(dice))
        told_step.print_state(*done, lesson.layer(), lesson.lines());
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "told_lessons EDITS SEED\n";
    return 2;
  }
  try {
    for (const std::string& stem : lesson_stems())
      print_lesson(stem, std::stoi(words[1]), static_cast<std::uint32_t>(std::stoul(words[2])));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
