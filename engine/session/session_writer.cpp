#include "engine/arrays/json_writer.h"
#include "engine/core/file.h"
#include "engine/session/lesson_writer.h"
#include "engine/session/session.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

void write_dropout(JsonWriter& out, const Dropout& dropout) {
  out.begin_object();
  out.key("probability");
  out.number(dropout.probability);
  out.key("training");
  out.flag(dropout.training);
  out.key("seed");
  if (dropout.seed)
    out.whole(*dropout.seed);
  else
    out.null();
  out.end_object();
}

void write_attention(JsonWriter& out, const Model& model) {
  const AttentionSettings& a = model.attention;
  out.begin_object();
  out.key("projection");
  // Queries, keys and values that are given stand beside "attention": nothing is projected.
  out.text(word_of(kProjectionWords, a.projection == Projection::Given ? Projection::None : a.projection));
  out.key("d_out");
  out.whole(a.d_out);
  out.key("num_heads");
  out.whole(a.num_heads);
  out.key("qkv_bias");
  out.flag(a.qkv_bias);
  out.key("output_projection");
  out.flag(a.output_projection);
  out.key("scale");
  if (a.scale.kind == ScaleKind::Number)
    out.number(a.scale.number);
  else
    out.text(word_of(kScaleWords, a.scale.kind));
  out.key("mask");
  if (a.mask == MaskKind::Custom)
    out.matrix(model.custom_mask);
  else
    out.text(word_of(kMaskWords, a.mask));
  out.key("normalization");
  out.text(word_of(kNormalizationWords, a.normalization));
  out.key("dropout");
  write_dropout(out, a.dropout);
  if (!a.disabled_heads.empty()) {
    out.key("disabled_heads");
    out.wholes(a.disabled_heads);
  }
  out.end_object();
}

void write_batch(JsonWriter& out, const std::vector<Matrix>& matrices) {
  if (matrices.size() == 1)
    out.matrix(matrices.front());
  else
    out.matrices(matrices);
}

void write_given(JsonWriter& out, const Model& model) {
  if (model.attention.projection != Projection::Given) return;
  out.key("given");
  out.begin_object();
  for (std::size_t p = 0; p < model.given.size(); ++p) {
    out.key(parameter_name(kParameters[p]));
    write_batch(out, model.given[p]);
  }
  out.end_object();
}

void write_recipe(JsonWriter& out, const WeightRecipe& recipe) {
  out.key("init");
  out.text(word_of(kInitWords, recipe.init));
  out.key("seed");
  out.whole(recipe.seed);
  out.key("order");
  std::vector<std::string> order;
  for (Parameter p : recipe.order)
    order.emplace_back(word_of(kParameterWords, p));
  out.texts(order);
}

// Whether a matrix is worth writing: what the settings use, and what they may use again after one click.
bool worth_writing(const Matrix& matrix) {
  return matrix.size() > 0 && matrix.allFinite();
}

void write_numbers(JsonWriter& out, const Weights& weights) {
  out.key("layout");
  out.text(word_of(kLayoutWords, weights.layout));
  for (Parameter p : kParameters) {
    if (!worth_writing(weights.matrix(p))) continue;
    out.key(parameter_name(p));
    out.matrix(weights.matrix(p));
  }
  for (Parameter p : kParameters) {
    if (weights.bias(p).rows() != 1 || !worth_writing(weights.bias(p))) continue;
    out.key(std::string(parameter_name(p)) + "_bias");
    out.row(weights.bias(p));
  }
}

bool has_numbers(const Weights& weights) {
  for (Parameter p : kParameters)
    if (worth_writing(weights.matrix(p))) return true;
  return false;
}

void write_weights(JsonWriter& out, const Weights& weights) {
  const bool numbers = has_numbers(weights) && (weights.edited || !weights.recipe);
  if (!weights.recipe && !numbers) return;
  out.key("weights");
  out.begin_object();
  if (weights.recipe) write_recipe(out, *weights.recipe);
  if (numbers) write_numbers(out, weights);
  out.end_object();
}

}  // namespace

std::string session_text(const Session& session) {
  const Model& model = session.model;
  validate(model);  // what is saved can be opened again
  JsonWriter out;
  out.begin_object();
  out.key("format");
  out.text(kSessionFormat);
  out.key("version");
  out.whole(kSessionVersion);
  out.key("title");
  out.text(session.title);
  out.key("notes");
  out.text(session.notes);
  out.key("tokens");
  out.texts(model.tokens);
  out.key("embeddings");
  write_batch(out, model.embeddings);
  out.key("attention");
  write_attention(out, model);
  write_given(out, model);
  write_weights(out, model.weights);
  if (session.lesson) {
    out.key("lesson");
    write_lesson(out, fitting_lesson(*session.lesson, model));
  }
  out.end_object();
  return out.take();
}

void save_session(const Session& session, const std::filesystem::path& path) {
  write_file_atomically(path, session_text(session));
}

}  // namespace headlight
