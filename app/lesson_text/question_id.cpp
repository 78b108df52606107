#include "app/lesson_text/question_id.h"

#include <charconv>
#include <map>

#include "engine/core/file_stamp.h"
#include "engine/json/json_writer.h"
#include "engine/layer/layer.h"
#include "engine/session/lesson_question_field.h"
#include "engine/session/lesson_settings.h"

namespace headlight {
namespace {

std::string digest(const char* bytes, std::size_t count) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, content_hash(bytes, count), 16).ptr;
  return {digits, end};
}

void add(JsonWriter& out, const Matrix& matrix) {
  out.text(std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()) + " " +
           digest(reinterpret_cast<const char*>(matrix.data()),
                  static_cast<std::size_t>(matrix.size()) * sizeof(float)));
}

void add(JsonWriter& out, const std::vector<Matrix>& matrices) {
  for (const Matrix& matrix : matrices)
    add(out, matrix);
}

void add_numbers(JsonWriter& out, const Layer& layer) {
  add(out, layer.embeddings);
  add(out, layer.key_embeddings);
  for (const Parameter parameter : kParameters) {
    if (layer.uses(parameter)) add(out, layer.weights.matrix(parameter));
    if (layer.uses_bias(parameter)) add(out, layer.weights.bias(parameter));
  }
  for (const std::vector<Matrix>& given : layer.given)
    add(out, given);
  add(out, layer.given_weights.matrices);
  add(out, layer.custom_mask);
  add(out, layer.allowed.matrices);
}

// All settings that a step may set.
LessonSettings settings_of(const Layer& layer) {
  const AttentionSettings& attention = layer.attention;
  LessonSettings settings;
  settings.projection = attention.projection;
  settings.d_out = attention.d_out;
  settings.num_heads = attention.num_heads;
  settings.qkv_bias = attention.qkv_bias;
  settings.output_projection = attention.output_projection;
  settings = with_settings_of(layer, settings);
  settings.mask = attention.mask;
  return settings;
}

std::string described(const Session& session, const Layer& opened) {
  JsonWriter out;
  out.texts(opened.tokens);
  out.texts(opened.key_tokens);
  write_settings(out, settings_of(opened));
  if (!session.work) add_numbers(out, opened);
  return out.take();
}

// The question without its words, in the settings of its step.
std::string described(const LessonStep& step) {
  LessonQuestion question = *step.question;
  question.text = {};
  question.replies.clear();
  question.wrong.clear();
  JsonWriter out;
  write_settings(out, step.settings);
  write_question(out, question);
  return out.take();
}

}  // namespace

std::vector<std::string> question_ids(const Session& session, const Layer& opened) {
  std::vector<std::string> ids;
  if (!session.lesson) return ids;
  const std::string numbers = described(session, opened);
  std::map<std::string, int> seen;
  for (const LessonStep& step : session.lesson->steps) {
    ids.emplace_back();
    if (!step.question) continue;
    const std::string asked = numbers + described(step);
    ids.back() = digest(asked.data(), asked.size());
    if (const int count = ++seen[ids.back()]; count > 1) ids.back() += "#" + std::to_string(count);
  }
  return ids;
}

}  // namespace headlight
