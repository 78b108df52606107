// The steps of a lesson in a session file: reading, writing and errors.
#include "engine/session/lesson.h"

#include "engine/attention/evaluator.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "engine/session/session.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

namespace {

json session_with_step(const json& step) {
  json document = small_session();
  document["lesson"] = {{"order", 1}, {"steps", json::array({step})}};
  return document;
}

json plain_step() {
  return {{"title", "A step"}, {"text", "It is {weights[1,0]}."}};
}

// Expects an error for the plain step with one key changed.
void refuse_step(const std::string& key, const std::string& value, const std::string& what,
                 const std::string& where, const std::string& hint) {
  json step = plain_step();
  step[key] = json::parse(value);
  INFO(step.dump());
  check_error([&] { parsed(session_with_step(step)); }, what, "lesson.steps[0]" + where, hint);
}

LessonStep full_step() {
  LessonStep step;
  step.title = "Ein Schritt — α";
  step.text = "Score {scores[1,0]}, \"weight\" {weights[1,0] head 1:2}.";
  step.try_it = "Change {token[0]}.";
  step.stage = Stage::Scores;
  step.head = 1;
  step.rows = {1};
  step.columns = {0, 1};
  step.cells = {{0, 1}, {1, 1}};
  step.selected = {1, 0};
  step.weight = Parameter::Output;
  step.view = LessonView::Compare;
  step.range = std::array<double, 2>{-0.5, 2};
  step.part = LessonPart{0, 2, 1, 2};
  step.against = LessonSettings{};
  step.against->mask = MaskKind::Causal;
  step.against->dropout_probability = 0.25;
  LessonSettings& set = step.settings;
  set.num_heads = 2;
  set.qkv_bias = true;
  set.output_projection = true;
  set.scale = Scale{ScaleKind::Number, 0.25};
  set.mask = MaskKind::Causal;
  set.normalization = Normalization::NaiveSoftmax;
  set.dropout_probability = 0.5;
  set.dropout_training = false;
  set.dropout_seed = std::optional<std::int64_t>(123);
  set.disabled_heads = std::vector<Index>{1};
  return step;
}

void check_same_step(const LessonStep& a, const LessonStep& b) {
  CHECK(a.title == b.title);
  CHECK(a.text == b.text);
  CHECK(a.try_it == b.try_it);
  CHECK(a.stage == b.stage);
  CHECK(a.head == b.head);
  CHECK(a.sequence == b.sequence);
  CHECK(a.rows == b.rows);
  CHECK(a.columns == b.columns);
  CHECK(a.cells == b.cells);
  CHECK(a.selected == b.selected);
  CHECK((a.settings == b.settings));
  CHECK(a.weight == b.weight);
  CHECK((a.view == b.view));
  CHECK(a.range == b.range);
  CHECK((a.part == b.part));
  CHECK((a.against == b.against));
}

}  // namespace

TEST_CASE("lesson steps: read with everything they can have, and with as little as they need") {
  Session session = parsed(small_session());
  session.lesson = Lesson{};
  LessonStep bare;
  bare.title = "Bare";
  bare.text = "Only words.";
  LessonStep streamed = bare;
  streamed.settings.dropout_seed = std::optional<std::int64_t>();
  session.lesson->steps = {full_step(), bare, streamed};
  const std::string text = session_text(session);
  const Session again = parse_session(text, ".", "x.headlight");
  REQUIRE(again.lesson);
  REQUIRE(again.lesson->steps.size() == 3);
  check_same_step(again.lesson->steps[0], full_step());
  check_same_step(again.lesson->steps[1], bare);
  check_same_step(again.lesson->steps[2], streamed);
  CHECK(session_text(again) == text);
}

TEST_CASE("lesson steps: cells are pointed at singly, by rows, by columns, or where both cross") {
  LessonStep step;
  CHECK_FALSE(step.points_at_cells());
  CHECK_FALSE(step.points_at(0, 0));
  step.rows = {1};
  CHECK(step.points_at(1, 5));
  CHECK_FALSE(step.points_at(0, 5));
  step.columns = {2, 3};
  CHECK(step.points_at(1, 3));
  CHECK_FALSE(step.points_at(1, 1));
  step.cells = {{4, 4}};
  CHECK(step.points_at(4, 4));
  step.rows.clear();
  CHECK(step.points_at(0, 2));
}

TEST_CASE("lesson steps: what is wrong is said with its place") {
  refuse_step("titel", "\"x\"", "unknown key \"titel\"", ".titel", "\"title\"");
  refuse_step("title", "3", "expected text", ".title", "quotation marks");
  refuse_step("stage", "\"wieghts\"", "no stage \"wieghts\"", ".stage", "\"weights\"");
  refuse_step("head", "1", "from 0 to 0", ".head", "range");
  refuse_step("sequence", "1", "from 0 to 0", ".sequence", "range");
  refuse_step("rows", "3", "expected a list", ".rows", "[1, 2]");
  refuse_step("rows", "[0, 2]", "from 0 to 1", ".rows[1]", "range");
  refuse_step("columns", "[-1]", "from 0 to 1", ".columns[0]", "range");
  refuse_step("cells", "[[0, 1], [0, 2]]", "from 0 to 1", ".cells[1][1]", "range");
  refuse_step("cells", "[[0]]", "no pair", ".cells[0]", "[1, 2]");
  refuse_step("select", "[0, 1, 1]", "no pair", ".select", "[1, 2]");
  refuse_step("text", "\"{weights[1,0}\"", "not closed", ".text", "{weights[1,0]}");
  refuse_step("text", "\"a { b\"", "a brace is not closed", ".text", "{{");
  refuse_step("text", "\"{weights[2,0]}\"", "not there", ".text", "count from 0");
  refuse_step("try", "\"{wieghts[1,0]}\"", "unknown name", ".try", "\"weights\"");
  refuse_step("weight", "\"kye\"", "\"kye\" is unknown", ".weight", "\"key\"");
  refuse_step("weight", "\"output\"", "no such weights", ".weight", "leave it out");
  refuse_step("view", "\"vektors\"", "\"vektors\" is unknown", ".view", "\"vectors\"");
  refuse_step("range", "[1]", "no pair", ".range", "[0, 1]");
  refuse_step("range", "[1, 1]", "not below", ".range", "[0, 1]");
  refuse_step("zoom", "{\"rows\": [0, 3]}", "from 1 to 2", ".zoom.rows[1]", "range");
  refuse_step("zoom", "{\"columns\": 1}", "no pair", ".zoom.columns", "[0, 6]");
  refuse_step("zoom", "{\"cols\": [0, 1]}", "unknown key \"cols\"", ".zoom.cols", "\"rows\"");
  refuse_step("against", "{\"mask\": \"none\"}", "only a comparison", ".against", "\"view\": \"compare\"");
  refuse_step("text", "\"{if weights[1,0] > 0}a{end}\"", "no {else}", ".text", "{else}");
  refuse_step("set", "{\"maks\": \"none\"}", "unknown key \"maks\"", ".set.maks", "\"mask\"");
  refuse_step("set", "{\"mask\": \"casual\"}", "\"casual\" is unknown", ".set.mask", "\"causal\"");
  refuse_step("set", "{\"num_heads\": 3}", "", ".set", "");
  refuse_step("set", "{\"dropout\": {\"probability\": 2}}", "", ".set", "");
  refuse_step("set", "{\"dropout\": {\"sede\": 2}}", "unknown key \"sede\"", ".set.dropout.sede", "\"seed\"");
  refuse_step("set", "{\"disabled_heads\": [1]}", "", ".set", "");
}

TEST_CASE("lesson steps: a title and a text are needed, and a list of steps") {
  for (const char* key : {"title", "text"}) {
    json step = plain_step();
    step.erase(key);
    check_error([&] { parsed(session_with_step(step)); }, std::string("\"") + key + "\" is missing",
                std::string("lesson.steps[0].") + key, "");
  }
  json document = small_session();
  document["lesson"] = {{"steps", 3}};
  check_error([&] { parsed(document); }, "expected a list", "lesson.steps", "title");
}

TEST_CASE("lesson steps: addresses are those of the shape that the step sets") {
  json step = plain_step();
  step["set"] = {{"num_heads", 2}};
  step["head"] = 1;
  step["stage"] = "queries";
  step["columns"] = {0};
  const Session session = parsed(session_with_step(step));
  CHECK(session.lesson->steps[0].head == 1);
  CHECK(session.layer.head_count() == 1);  // the session's layer does not change
  step["columns"] = {1};                   // a head is now one column wide
  check_error([&] { parsed(session_with_step(step)); }, "from 0 to 0", "steps[0].columns", "");
}

TEST_CASE("lesson steps: what no longer fits a changed model is not saved, so that the file opens") {
  Session session = parsed(small_session());
  session.lesson = Lesson{};
  session.lesson->row = session.lesson->column = 1;
  LessonStep row, cells, reference, settings, bare;
  row.title = cells.title = reference.title = settings.title = "gone";
  bare.title = "stays";
  row.rows = {1};
  cells.cells = {{0, 1}};
  reference.text = "{weights[1,0]}";
  settings.settings.num_heads = 2;
  session.lesson->steps = {row, bare, cells, reference, settings};
  CHECK(parse_session(session_text(session), ".", "x").lesson->steps.size() == 5);
  remove_token(session.layer, 1);
  set_d_out(session.layer, 3);
  const Lesson again = *parse_session(session_text(session), ".", "x").lesson;
  REQUIRE(again.steps.size() == 1);
  CHECK(again.steps[0].title == "stays");
  CHECK(again.row == 0);
  CHECK(again.column == 0);
}

TEST_CASE("lesson settings: carried out together, or not at all") {
  Layer layer = parsed(small_session()).layer;
  apply_settings(full_step().settings, layer);
  CHECK(layer.head_count() == 2);
  CHECK(layer.attention.mask == MaskKind::Causal);
  CHECK(layer.attention.scale.number == 0.25);
  CHECK(layer.uses(Parameter::Output));
  CHECK_FALSE(layer.attention.dropout.training);
  CHECK(layer.attention.dropout.seed == 123);

  const AttentionSettings before = layer.attention;
  LessonSettings bad;
  bad.mask = MaskKind::None;
  bad.num_heads = 3;
  CHECK_THROWS_AS(apply_settings(bad, layer), Error);
  CHECK(layer.attention == before);

  LessonSettings wide;  // needs one head in between: 2 heads do not divide 3
  wide.d_out = 3;
  wide.num_heads = 3;
  apply_settings(wide, layer);
  CHECK(layer.d_out() == 3);
  CHECK(layer.head_count() == 3);
}

TEST_CASE("lesson settings: what only the step before named goes back to the lesson's own") {
  const Layer opened = parsed(small_session()).layer;
  LessonSettings before, next;
  before.mask = MaskKind::Causal;
  before.dropout_probability = 0.5;
  next.dropout_probability = 0.25;
  next.num_heads = 2;
  const LessonSettings way = settings_between(before, next, opened);
  CHECK(way.mask == MaskKind::None);
  CHECK(way.dropout_probability == 0.25);
  CHECK(way.num_heads == 2);
  CHECK_FALSE(way.scale);
  CHECK(settings_between({}, {}, opened).empty());
}

TEST_CASE("lesson steps: what a comparison is against must fit the lesson") {
  json step = plain_step();
  step["view"] = "compare";
  step["against"] = {{"d_out", 4}, {"num_heads", 3}};
  check_error([&] { parsed(session_with_step(step)); }, "", "lesson.steps[0].against", "");
  step["against"] = {{"mask", "causal"}};
  const Session session = parsed(session_with_step(step));
  REQUIRE(session.lesson->steps[0].against);
  CHECK(session.lesson->steps[0].against->mask == MaskKind::Causal);
}
