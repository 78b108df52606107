#include "engine/session/lesson_field.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/session/lesson_question_field.h"
#include "engine/session/lesson_settings_field.h"
#include "engine/session/lesson_text.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

std::array<Index, 2> cell_value(const Json& value, const std::string& place, Index rows, Index columns) {
  if (!value.is_array() || value.size() != 2)
    throw Error("is no pair of a row and a column", place, "write it like [1, 2], counted from 0");
  return {static_cast<Index>(whole_value(value[0], place + "[0]", 0, rows - 1)),
          static_cast<Index>(whole_value(value[1], place + "[1]", 0, columns - 1))};
}

std::array<double, 2> range_value(const Json& value, const std::string& place) {
  const std::string example = "write it like [0, 1], the lowest number and the highest";
  if (!value.is_array() || value.size() != 2)
    throw Error("is no pair of a lowest and a highest number", place, example);
  const std::array<double, 2> range = {number_value(value[0], place + "[0]"),
                                       number_value(value[1], place + "[1]")};
  if (!(range[0] < range[1])) throw Error("the lowest number is not below the highest", place, example);
  return range;
}

// The range [first, end) of one axis; all of it if the key is absent.
std::array<Index, 2> span_value(const JsonFields& fields, const char* key, Index count) {
  const Json* value = fields.find(key);
  if (!value) return {0, count};
  const std::string place = fields.place(key);
  if (!value->is_array() || value->size() != 2)
    throw Error("is no pair of the first one and the end", place,
                "write it like [0, 6]: from the first to the sixth, counted from 0");
  const Index first = whole_value((*value)[0], place + "[0]", 0, count - 1);
  return {first, static_cast<Index>(whole_value((*value)[1], place + "[1]", first + 1, count))};
}

LessonPart part_value(const Json& value, const std::string& place, Index rows, Index columns) {
  const JsonFields fields(value, place, {"rows", "columns"});
  const std::array<Index, 2> r = span_value(fields, "rows", rows), c = span_value(fields, "columns", columns);
  return {r[0], r[1], c[0], c[1]};
}

// The view of the step, its colour range, visible part and comparison.
void read_view(const JsonFields& fields, LessonStep& step, const Layer& opened, Index rows, Index columns) {
  step.view = fields.choice("view", kLessonViewWords, LessonView::Heatmap);
  if (const Json* range = fields.find("range")) step.range = range_value(*range, fields.place("range"));
  if (const Json* part = fields.find("zoom"))
    step.part = part_value(*part, fields.place("zoom"), rows, columns);
  if (!fields.has("against")) return;
  if (step.view != LessonView::Compare)
    throw Error("only a comparison has something to compare with", fields.place("against"),
                "give the step \"view\": \"compare\", or remove \"against\"");
  Layer against = opened;
  step.against = fitting_settings(fields, "against", against);
}

// The stage of the step and what it points at there.
void read_place(const JsonFields& fields, LessonStep& step, const Layer& layer, const Layer& opened) {
  step.stage = read_stage(fields, Stage::Weights);
  const Index rows = stage_rows(layer, step.stage), columns = stage_columns(layer, step.stage);
  if (fields.has("head")) step.head = fields.whole("head", 0, 0, stage_heads(layer, step.stage) - 1);
  step.sequence = fields.whole("sequence", 0, 0, layer.sequence_count() - 1);
  step.rows = read_indices(fields, "rows", rows);
  step.columns = read_indices(fields, "columns", columns);
  if (const Json* cells = fields.find("cells"))
    for (const Json& cell : list_value(*cells, fields.place("cells"), "[[1, 2], [1, 3]]"))
      step.cells.push_back(cell_value(
          cell, fields.place("cells") + "[" + std::to_string(step.cells.size()) + "]", rows, columns));
  if (const Json* cell = fields.find("select"))
    step.selected = cell_value(*cell, fields.place("select"), rows, columns);
  read_view(fields, step, opened, rows, columns);
}

void read_weight(const JsonFields& fields, LessonStep& step, const Layer& layer) {
  if (!fields.has("weight")) return;
  step.weight = fields.choice("weight", kParameterWords, Parameter::Query);
  if (!layer.uses(*step.weight))
    throw Error("the settings of the step have no such weights", fields.place("weight"),
                "leave it out, or set a projection that has them");
}

void read_learning(const JsonFields& fields, LessonStep& step, const LessonTraining& training) {
  step.gradients = fields.flag("gradients", false);
  step.learning = fields.flag("learning", false);
  if ((step.gradients || step.learning) && !training.goal)
    throw Error("there is no goal whose gradients could be shown",
                fields.place(step.gradients ? "gradients" : "learning"), "give the session a \"goal\"");
}

// With mistakes, the step is incomplete.
LessonStep read_step(const Json& value, const std::string& place, const Layer& opened,
                     const LessonTraining& training, Mistakes& mistakes) {
  const JsonFields fields(
      value, place,
      {"title", "text", "try", "stage", "head", "sequence", "rows", "columns", "cells", "select", "weight",
       "set", "view", "range", "zoom", "against", "ask", "gradients", "learning"});
  LessonStep step;
  Layer layer = opened;
  if (fields.has("set")) step.settings = fitting_settings(fields, "set", layer);
  mistakes.read([&] {
    step.title =
        text_value(fields.require("title", "give the step a heading of a few words"), fields.place("title"));
  });
  mistakes.read([&] { read_place(fields, step, layer, opened); });
  mistakes.read([&] { read_weight(fields, step, layer); });
  mistakes.read([&] { read_learning(fields, step, training); });
  mistakes.read([&] { fields.require("text", "say what there is to see, in two to four sentences"); });
  const StepModels layers = {layer, opened, training};
  step.text = read_text(fields, "text", step, layers, mistakes);
  step.try_it = read_text(fields, "try", step, layers, mistakes);
  if (const Json* ask = fields.find("ask"))
    step.question = read_question(*ask, fields.place("ask"), step, layers, mistakes);
  return step;
}

// Replaces a step that cannot be read.
LessonStep unread_step(const Json& value, const Error& error) {
  LessonStep step;
  const auto title = value.is_object() ? value.find("title") : value.end();
  const bool named = title != value.end() && title->is_string();
  step.title = named ? title->get<std::string>() : "A step without a title";
  step.text = literal_text("This step cannot be read. " + std::string(error.what()));
  step.unread = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return step;
}

void write_span(JsonWriter& out, const char* key, Index first, Index end) {
  out.key(key).wholes({first, end});
}

void write_view(JsonWriter& out, const LessonStep& step) {
  if (step.view != LessonView::Heatmap) {
    out.key("view").text(word_of(kLessonViewWords, step.view));
  }
  if (step.range) {
    out.key("range").numbers({(*step.range)[0], (*step.range)[1]});
  }
  if (step.part) {
    out.key("zoom").begin_object();
    write_span(out, "rows", step.part->row, step.part->row_end);
    write_span(out, "columns", step.part->column, step.part->column_end);
    out.end_object();
  }
  if (step.against) {
    out.key("against");
    write_settings(out, *step.against);
  }
  for (const auto& [key, on] :
       {std::pair("gradients", step.gradients), std::pair("learning", step.learning)}) {
    if (!on) continue;
    out.key(key).flag(true);
  }
}

void write_step(JsonWriter& out, const LessonStep& step) {
  if (!step.unread.empty()) return out.json(step.unread);
  out.begin_object();
  out.key("title").text(step.title);
  out.key("text").text(step.text.written());
  out.key("stage").text(stage_info(step.stage).name);
  write_whole(out, "head", step.head);
  if (step.sequence > 0) write_whole(out, "sequence", step.sequence);
  if (!step.rows.empty()) {
    out.key("rows").wholes(step.rows);
  }
  if (!step.columns.empty()) {
    out.key("columns").wholes(step.columns);
  }
  if (!step.cells.empty()) {
    out.key("cells").pairs(step.cells);
  }
  if (step.selected) {
    out.key("select").wholes({(*step.selected)[0], (*step.selected)[1]});
  }
  write_word(out, "weight", kParameterWords, step.weight);
  write_view(out, step);
  if (!step.settings.empty()) {
    out.key("set");
    write_settings(out, step.settings);
  }
  if (!step.try_it.empty()) {
    out.key("try").text(step.try_it.written());
  }
  if (step.question) {
    out.key("ask");
    write_question(out, *step.question);
  }
  out.end_object();
}

bool all_below(const std::vector<Index>& list, Index count) {
  return std::all_of(list.begin(), list.end(), [count](Index index) { return index < count; });
}

bool settings_fit(const LessonSettings& settings, Layer layer) {
  try {
    apply_settings(settings, layer);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool needs_goal(const LessonStep& step) {
  return step.gradients || step.learning ||
         (step.question && step.question->change && step.question->change->learning);
}

bool fits(const LessonStep& step, const Layer& opened, bool learns) {
  if (!step.unread.empty()) return true;
  if (!learns && needs_goal(step)) return false;
  Layer layer = opened;
  try {
    apply_settings(step.settings, layer);
    for (const LessonText& text : step.texts())
      if (!references_exist(text, {layer, opened, {}})) return false;
    if (step.question && !question_fits(*step.question, layer)) return false;
  } catch (const Error&) {
    return false;
  }
  const Index rows = stage_rows(layer, step.stage), columns = stage_columns(layer, step.stage);
  const auto inside = [&](const std::array<Index, 2>& cell) { return cell[0] < rows && cell[1] < columns; };
  return step.first_head() < stage_heads(layer, step.stage) && step.sequence < layer.sequence_count() &&
         all_below(step.rows, rows) && all_below(step.columns, columns) &&
         std::all_of(step.cells.begin(), step.cells.end(), inside) &&
         (!step.selected || inside(*step.selected)) && (!step.weight || layer.uses(*step.weight)) &&
         (!step.part || (step.part->row_end <= rows && step.part->column_end <= columns)) &&
         (!step.against || settings_fit(*step.against, opened));
}

std::map<std::string, std::string> read_words(const JsonFields& fields, const char* key,
                                              const std::string& example) {
  std::map<std::string, std::string> all;
  const Json* value = fields.find(key);
  if (!value) return all;
  const std::string place = fields.place(key);
  if (!value->is_object()) throw Error("is no object of keys and words", place, "write it like " + example);
  const auto place_of = [&](const std::string& name) { return place + "." + name; };
  for (const auto& [name, words] : value->items())
    all[name] = text_value(words, place_of(name));
  return all;
}

void write_words(JsonWriter& out, const char* key, const std::map<std::string, std::string>& all) {
  if (all.empty()) return;
  out.key(key).begin_object();
  for (const auto& [name, words] : all) {
    out.key(name).text(words);
  }
  out.end_object();
}

}  // namespace

LessonLanguage read_language(const JsonFields& fields) {
  LessonLanguage language;
  language.labels = read_words(fields, "labels", "{\"next\": \"Weiter\"}");
  language.glossary = read_words(fields, "glossary", "{\"Maske\": \"Sie verbietet Paare.\"}");
  const std::string decimal = fields.text("decimal", ".");
  if (decimal != "." && decimal != ",")
    throw Error("is no sign between whole numbers and decimals", fields.place("decimal"),
                "write \".\" or \",\"");
  language.decimal_comma = decimal == ",";
  return language;
}

void write_language(JsonWriter& out, const LessonLanguage& language) {
  write_words(out, "labels", language.labels);
  write_words(out, "glossary", language.glossary);
  if (!language.decimal_comma) return;
  out.key("decimal").text(",");
}

Lesson read_lesson(const Json& value, const Layer& layer, const LessonTraining& training,
                   std::vector<Error>* faults) {
  const JsonFields fields(value, "lesson",
                          {"order", "chapter", "source", "variation_of", "stage", "head", "row", "column",
                           "count_from", "labels", "glossary", "decimal", "steps"});
  Lesson lesson;
  lesson.order = static_cast<int>(fields.whole("order", 0, 0, 1'000'000));
  lesson.chapter = fields.text("chapter", "");
  lesson.source = fields.text("source", "");
  if (fields.has("variation_of"))
    lesson.variation_of = static_cast<int>(fields.whole("variation_of", 0, 0, 1'000'000));
  lesson.stage = read_stage(fields, lesson.stage);
  lesson.head = fields.whole("head", 0, 0, stage_heads(layer, lesson.stage) - 1);
  lesson.row = fields.whole("row", 0, 0, stage_rows(layer, lesson.stage) - 1);
  lesson.column = fields.whole("column", 0, 0, stage_columns(layer, lesson.stage) - 1);
  if (fields.has("count_from")) lesson.count_from = fields.whole("count_from", 0, 0, 1);
  lesson.language = read_language(fields);
  if (const Json* steps = fields.find("steps"))
    for (const Json& step : list_value(*steps, fields.place("steps"), "[{\"title\": ...}, ...]")) {
      const std::string place = fields.place("steps") + "[" + std::to_string(lesson.steps.size()) + "]";
      Mistakes mistakes;
      LessonStep read;
      mistakes.read([&] { read = read_step(step, place, layer, training, mistakes); });
      if (!mistakes.none()) {
        if (!faults) throw mistakes.found().front();
        faults->insert(faults->end(), mistakes.found().begin(), mistakes.found().end());
        read = unread_step(step, mistakes.found().front());
      }
      lesson.steps.push_back(std::move(read));
    }
  return lesson;
}

Lesson fitting_lesson(const Lesson& lesson, const Layer& layer, bool learns) {
  Lesson fitting = lesson;
  std::erase_if(fitting.steps, [&](const LessonStep& step) { return !fits(step, layer, learns); });
  fitting.head = std::min(lesson.head, stage_heads(layer, lesson.stage) - 1);
  fitting.row = std::min(lesson.row, stage_rows(layer, lesson.stage) - 1);
  fitting.column = std::min(lesson.column, stage_columns(layer, lesson.stage) - 1);
  return fitting;
}

void write_lesson(JsonWriter& out, const Lesson& lesson) {
  out.begin_object();
  out.key("order").whole(lesson.order);
  out.key("chapter").text(lesson.chapter);
  out.key("source").text(lesson.source);
  write_whole(out, "variation_of", lesson.variation_of);
  out.key("stage").text(stage_info(lesson.stage).name);
  out.key("head").whole(lesson.head);
  out.key("row").whole(lesson.row);
  out.key("column").whole(lesson.column);
  write_whole(out, "count_from", lesson.count_from);
  write_language(out, lesson.language);
  if (!lesson.steps.empty()) {
    out.key("steps").begin_list();
    for (const LessonStep& step : lesson.steps) {
      out.next_item();
      write_step(out, step);
    }
    out.end_list();
  }
  out.end_object();
}

}  // namespace headlight
