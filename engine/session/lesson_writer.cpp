#include "engine/session/lesson_writer.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/session/quote.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

void write_scale(JsonWriter& out, const Scale& scale) {
  if (scale.kind == ScaleKind::Number)
    out.number(scale.number);
  else
    out.text(word_of(kScaleWords, scale.kind));
}

void write_flag(JsonWriter& out, const char* key, const std::optional<bool>& flag) {
  if (!flag) return;
  out.key(key);
  out.flag(*flag);
}

void write_whole(JsonWriter& out, const char* key, const std::optional<Index>& number) {
  if (!number) return;
  out.key(key);
  out.whole(*number);
}

template <class E, std::size_t N>
void write_word(JsonWriter& out, const char* key, const std::array<Word<E>, N>& words,
                const std::optional<E>& value) {
  if (!value) return;
  out.key(key);
  out.text(word_of(words, *value));
}

void write_dropout(JsonWriter& out, const LessonSettings& settings) {
  if (!settings.dropout_probability && !settings.dropout_training && !settings.dropout_seed) return;
  out.key("dropout");
  out.begin_object();
  if (settings.dropout_probability) {
    out.key("probability");
    out.number(*settings.dropout_probability);
  }
  write_flag(out, "training", settings.dropout_training);
  if (settings.dropout_seed) {
    out.key("seed");
    if (*settings.dropout_seed)
      out.whole(**settings.dropout_seed);
    else
      out.null();
  }
  out.end_object();
}

void write_settings(JsonWriter& out, const LessonSettings& settings) {
  out.begin_object();
  write_word(out, "projection", kProjectionWords, settings.projection);
  write_whole(out, "d_out", settings.d_out);
  write_whole(out, "num_heads", settings.num_heads);
  write_flag(out, "qkv_bias", settings.qkv_bias);
  write_flag(out, "output_projection", settings.output_projection);
  if (settings.scale) {
    out.key("scale");
    write_scale(out, *settings.scale);
  }
  write_word(out, "mask", kMaskWords, settings.mask);
  write_word(out, "normalization", kNormalizationWords, settings.normalization);
  write_dropout(out, settings);
  if (settings.disabled_heads) {
    out.key("disabled_heads");
    out.wholes(*settings.disabled_heads);
  }
  out.end_object();
}

void write_step(JsonWriter& out, const LessonStep& step) {
  out.begin_object();
  out.key("title");
  out.text(step.title);
  out.key("text");
  out.text(step.text);
  out.key("stage");
  out.text(stage_info(step.stage).name);
  write_whole(out, "head", step.head);
  if (step.sequence > 0) write_whole(out, "sequence", step.sequence);
  if (!step.rows.empty()) {
    out.key("rows");
    out.wholes(step.rows);
  }
  if (!step.columns.empty()) {
    out.key("columns");
    out.wholes(step.columns);
  }
  if (!step.cells.empty()) {
    out.key("cells");
    out.pairs(step.cells);
  }
  if (step.selected) {
    out.key("select");
    out.wholes({(*step.selected)[0], (*step.selected)[1]});
  }
  if (!step.settings.empty()) {
    out.key("set");
    write_settings(out, step.settings);
  }
  if (!step.try_it.empty()) {
    out.key("try");
    out.text(step.try_it);
  }
  out.end_object();
}

bool quotes_exist(const std::string& text, const LessonStep& step, const Model& model) {
  for (const TextPiece& piece : parse_quotes(text, step.sequence, step.first_head()))
    if (piece.quote && !quote_exists(*piece.quote, model)) return false;
  return true;
}

bool all_below(const std::vector<Index>& list, Index count) {
  return std::all_of(list.begin(), list.end(), [count](Index index) { return index < count; });
}

bool fits(const LessonStep& step, Model model) {
  try {
    apply_settings(step.settings, model);
    if (!quotes_exist(step.text, step, model) || !quotes_exist(step.try_it, step, model)) return false;
  } catch (const Error&) {
    return false;
  }
  const Index rows = model.token_count(), columns = stage_columns(model, step.stage);
  const auto inside = [&](const std::array<Index, 2>& cell) { return cell[0] < rows && cell[1] < columns; };
  return step.first_head() < stage_heads(model, step.stage) && step.sequence < model.sequence_count() &&
         all_below(step.rows, rows) && all_below(step.columns, columns) &&
         std::all_of(step.cells.begin(), step.cells.end(), inside) &&
         (!step.selected || inside(*step.selected));
}

}  // namespace

Lesson fitting_lesson(const Lesson& lesson, const Model& model) {
  Lesson fitting = lesson;
  std::erase_if(fitting.steps, [&](const LessonStep& step) { return !fits(step, model); });
  fitting.head = std::min(lesson.head, stage_heads(model, lesson.stage) - 1);
  fitting.row = std::min(lesson.row, model.token_count() - 1);
  fitting.column = std::min(lesson.column, stage_columns(model, lesson.stage) - 1);
  return fitting;
}

void write_lesson(JsonWriter& out, const Lesson& lesson) {
  out.begin_object();
  out.key("order");
  out.whole(lesson.order);
  out.key("chapter");
  out.text(lesson.chapter);
  out.key("source");
  out.text(lesson.source);
  out.key("stage");
  out.text(stage_info(lesson.stage).name);
  out.key("head");
  out.whole(lesson.head);
  out.key("row");
  out.whole(lesson.row);
  out.key("column");
  out.whole(lesson.column);
  if (!lesson.steps.empty()) {
    out.key("steps");
    out.begin_list();
    for (const LessonStep& step : lesson.steps) {
      out.next_item();
      write_step(out, step);
    }
    out.end_list();
  }
  out.end_object();
}

}  // namespace headlight
