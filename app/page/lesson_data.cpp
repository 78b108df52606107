#include "app/page/lesson_data.h"

#include "app/lesson_text/glossary.h"
#include "app/lesson_text/lesson_controls.h"
#include "app/lesson_text/lesson_number.h"
#include "app/page/page_parts.h"
#include "engine/session/lesson_settings_field.h"
#include "engine/session/parsed_text.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

Json parsed(const LessonText& text) {
  return Json::parse(parsed_text_json(text.pieces()));
}

Json parsed(const std::vector<LessonText>& texts) {
  Json list = Json::array();
  for (const LessonText& text : texts)
    list.push_back(parsed(text));
  return list;
}

template <class T>
Json written(void (*write)(JsonWriter&, const T&), const T& value) {
  JsonWriter out;
  write(out, value);
  return Json::parse(out.take());
}

Json stage_json(Stage stage) {
  return Json(std::string(stage_info(stage).name));
}

Json session_members(const Layer& layer) {
  Session alone;
  alone.layer = layer;
  Json members = Json::parse(session_text(alone));
  members.erase("attention");
  return members;
}

bool change_shapes(const LessonSettings& settings) {
  return settings.projection || settings.d_out || settings.num_heads || settings.qkv_bias ||
         settings.output_projection;
}

// The members of the session that the settings change beside its settings.
Json changed_members(const LessonSettings& settings, const Layer& before) {
  Json changed = Json::object();
  if (!change_shapes(settings)) return changed;
  Layer after = before;
  apply_settings(settings, after);
  const Json own = session_members(before), members = session_members(after);
  for (const auto& [key, value] : members.items())
    if (!own.contains(key) || own.at(key) != value) changed[key] = value;
  return changed;
}

void add(Json& json, const char* key, Json value) {
  if (!value.empty()) json[key] = std::move(value);
}

Json rule_json(const RightRule& rule) {
  const auto compared = [&](const char* sign) {
    return Json(std::string(sign) + " " + Json(rule.threshold).dump());
  };
  switch (rule.kind) {
    case RightIf::Largest:
      return "largest";
    case RightIf::Smallest:
      return "smallest";
    case RightIf::Changed:
      return "changed";
    case RightIf::Unchanged:
      return "unchanged";
    case RightIf::Less:
      return compared("<");
    case RightIf::Greater:
      return compared(">");
    case RightIf::Equal:
      return compared("=");
    case RightIf::NotEqual:
      break;
  }
  return compared("!=");
}

Json bars_json(const AskedBars& bars) {
  Json json = {{"of", parsed(bars.list)}, {"low", bars.low}, {"high", bars.high}, {"near", bars.near}};
  add(json, "drawn", bars.drawn);
  if (!bars.right.empty()) json["right"] = parsed(bars.right);
  return json;
}

Json marks_json(const AskedMarks& marks) {
  return {{"stage", stage_json(marks.stage)},
          {"sequence", marks.sequence},
          {"head", marks.head},
          {"rows", marks.rows},
          {"columns", marks.columns},
          {"right", rule_json(marks.right)}};
}

Json question_json(const LessonQuestion& question, const Layer& layer) {
  Json json = {{"question", parsed(question.text)}, {"replies", parsed(question.replies)}};
  if (!question.answers.empty()) {
    json["answers"] = question.answers;
    json["right"] = question.right;
  }
  if (question.cell)
    json["cell"] = {{"stage", stage_json(question.cell->stage)},
                    {"head", question.cell->head},
                    {"row", question.cell->at[0]},
                    {"column", question.cell->at[1]}};
  if (question.number)
    json["number"] = {{"of", parsed(question.number->number)},
                      {"low", question.number->low},
                      {"high", question.number->high}};
  if (question.bars) json["bars"] = bars_json(*question.bars);
  if (question.marks) json["cells"] = marks_json(*question.marks);
  if (question.word)
    json["word"] = {{"of", parsed(question.word->list)}, {"right", rule_json(question.word->right)}};
  add(json, "wrong", parsed(question.wrong));
  if (question.change) {
    json["change"] = written(write_change, *question.change);
    add(json, "after", changed_members(question.change->settings, layer));
  }
  return json;
}

void add_place(const LessonStep& step, Json& json) {
  json["stage"] = stage_json(step.stage);
  if (step.head) json["head"] = *step.head;
  if (step.sequence != 0) json["sequence"] = step.sequence;
  add(json, "rows", step.rows);
  add(json, "columns", step.columns);
  add(json, "cells", step.cells);
  if (step.selected) json["select"] = *step.selected;
  if (step.weight) json["weight"] = std::string(word_of(kParameterWords, *step.weight));
  if (step.view != LessonView::Heatmap) json["view"] = std::string(word_of(kLessonViewWords, step.view));
  if (step.range) json["range"] = *step.range;
  if (step.gradients) json["gradients"] = true;
  if (step.learning) json["learning"] = true;
}

Json step_json(const LessonStep& step, const Layer& opened) {
  Json json = {{"title", step.title}, {"text", parsed(step.text)}};
  if (!step.try_it.empty()) json["try"] = parsed(step.try_it);
  add_place(step, json);
  add(json, "set", written(write_settings, step.settings));
  add(json, "start", changed_members(step.settings, opened));
  if (step.against) {
    json["against"] = written(write_settings, *step.against);
    add(json, "kept", changed_members(*step.against, opened));
  }
  if (step.question) {
    Layer layer = opened;
    apply_settings(step.settings, layer);
    json["ask"] = question_json(*step.question, layer);
  }
  return json;
}

// The names on screen of all controls that the lesson's texts name.
Json controls_json(const Lesson& lesson) {
  Json controls = Json::object();
  for (const LessonStep& step : lesson.steps)
    for (const LessonText& text : step.texts())
      for (const LessonControl* control : controls_of(text.pieces()))
        controls[control->name] = control->label;
  return controls;
}

// The meanings of the words that the lesson's texts may have.
Json terms_json(const LessonLanguage& language) {
  Json terms = Json::object();
  for (const GlossaryTerm& term : terms_of(language))
    terms[std::string(term.name)] = std::string(term.meaning);
  return terms;
}

}  // namespace

std::string lesson_json(const Session& session, const std::string& name) {
  const Lesson& lesson = *session.lesson;
  Json json = {{"name", name},
               {"number", lesson_number(lesson.order, lesson.variation_of)},
               {"chapter", lesson.chapter},
               {"count_from", lesson.count_from.value_or(0)},
               {"controls", controls_json(lesson)},
               {"terms", terms_json(lesson.language)},
               {"steps", Json::array()}};
  if (!lesson.language.is_english())
    json["language"] = {{"labels", lesson.language.labels},
                        {"decimal", lesson.language.decimal_comma ? "," : "."}};
  for (const LessonStep& step : lesson.steps)
    json["steps"].push_back(step_json(step, session.layer));
  return page_json(json);
}

}  // namespace headlight
