#include <algorithm>
#include <limits>

#include "engine/core/error.h"
#include "engine/formats/array_field.h"
#include "engine/formats/file.h"
#include "engine/formats/session.h"
#include "engine/formats/session_words.h"
#include "engine/formats/weights_reader.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxSessionBytes = std::uint64_t{1} << 30;

// Before anything else is looked at: a newer file may hold keys that mean nothing here.
void check_format(const Json& document) {
  const char* hint = "a session begins with {\"format\": \"headlight-session\", \"version\": 1, ...";
  if (!document.is_object()) throw Error("is " + json_kind(document) + ", not a Headlight session", "", hint);
  const auto format = document.find("format");
  if (format == document.end())
    throw Error("this is not a Headlight session: \"format\" is missing", "format", hint);
  if (!format->is_string())
    throw Error("this is not a Headlight session: the format is " + json_kind(*format), "format", hint);
  if (const auto& name = format->get_ref<const std::string&>(); name != kSessionFormat)
    throw Error("this is not a Headlight session: the format is " + in_quotes(name), "format", hint);
  const auto version = document.find("version");
  if (version == document.end()) throw Error("\"version\" is missing", "version", "write \"version\": 1");
  if (version->is_number() && version->get<double>() > kSessionVersion)
    throw Error("the file has version " + version->dump() + ", this program reads up to version " +
                    std::to_string(kSessionVersion),
                "version", "open it with a newer Headlight");
  if (!version->is_number_integer() || *version != kSessionVersion)
    throw Error(
        "the version is " + (version->is_number() ? version->dump() : json_kind(*version)) + ", expected 1",
        "version", "write \"version\": 1");
}

std::vector<std::string> read_tokens(const JsonFields& fields) {
  const Json& value =
      fields.require("tokens", "list the labels of the tokens: \"tokens\": [\"Your\", \"journey\"]");
  if (!value.is_array())
    throw Error("is " + json_kind(value) + ", expected a list of labels", "tokens",
                "write [\"Your\", \"journey\"]");
  std::vector<std::string> tokens;
  for (const Json& token : value)
    tokens.push_back(text_value(token, "tokens[" + std::to_string(tokens.size()) + "]"));
  return tokens;
}

Scale read_scale(const JsonFields& fields) {
  Scale scale;
  const Json* value = fields.find("scale");
  if (!value) return scale;
  if (value->is_number()) {
    scale.kind = ScaleKind::Number;
    scale.number = value->get<double>();
  } else {
    scale.kind = JsonFields::word_value(*value, fields.place("scale"), kScaleWords);
  }
  return scale;
}

Dropout read_dropout(const JsonFields& attention) {
  Dropout dropout;
  const Json* value = attention.find("dropout");
  if (!value) return dropout;
  const JsonFields fields(*value, attention.place("dropout"), {"probability", "training", "seed"});
  dropout.probability = fields.number("probability", dropout.probability);
  dropout.training = fields.flag("training", dropout.training);
  const Json* seed = fields.find("seed");
  if (seed && !seed->is_null())
    dropout.seed = whole_value(*seed, fields.place("seed"), std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max());
  return dropout;
}

void read_mask(const JsonFields& fields, const ArrayField& arrays, Model& model) {
  const Json* value = fields.find("mask");
  if (!value) return;
  if (value->is_array() || value->is_object()) {
    model.attention.mask = MaskKind::Custom;
    model.custom_mask = arrays.matrix(*value, fields.place("mask"));
  } else {
    model.attention.mask = JsonFields::word_value(*value, fields.place("mask"), kMaskWords);
  }
}

std::vector<Index> read_disabled_heads(const JsonFields& attention, Index head_count) {
  std::vector<Index> heads;
  const Json* value = attention.find("disabled_heads");
  if (!value) return heads;
  const std::string place = attention.place("disabled_heads");
  if (!value->is_array())
    throw Error("is " + json_kind(*value) + ", expected a list of heads", place, "write [1]: counted from 0");
  for (const Json& head : *value)
    heads.push_back(whole_value(head, place + "[" + std::to_string(heads.size()) + "]", 0, head_count - 1));
  std::sort(heads.begin(), heads.end());
  return heads;
}

void read_attention(const Json& value, const ArrayField& arrays, Model& model) {
  const JsonFields fields(value, "attention",
                          {"projection", "d_out", "num_heads", "qkv_bias", "output_projection", "scale",
                           "mask", "normalization", "dropout", "disabled_heads"});
  constexpr std::int64_t kMost = 1 << 24;
  AttentionSettings& a = model.attention;
  a.projection = fields.choice("projection", kProjectionWords, Projection::None);
  if (a.projection == Projection::Linear)
    fields.require("d_out", "give the width of queries, keys and values, such as \"d_out\": 2");
  a.d_out = fields.whole("d_out", model.d_in(), 1, kMost);
  a.num_heads = fields.whole("num_heads", 1, 1, kMost);
  a.qkv_bias = fields.flag("qkv_bias", false);
  a.output_projection = fields.flag("output_projection", false);
  a.scale = read_scale(fields);
  a.normalization = fields.choice("normalization", kNormalizationWords, Normalization::Softmax);
  a.dropout = read_dropout(fields);
  a.disabled_heads = read_disabled_heads(fields, a.num_heads);
  read_mask(fields, arrays, model);
}

Stage read_stage(const JsonFields& fields) {
  if (!fields.has("stage")) return Lesson{}.stage;
  const std::string name = fields.text("stage", "");
  if (const auto stage = stage_from_name(name)) return *stage;
  std::vector<std::string> names;
  for (const StageInfo& info : stage_table())
    names.emplace_back(info.name);
  throw Error("there is no stage " + in_quotes(name), fields.place("stage"),
              "the nearest known stage is " + in_quotes(nearest_name(name, names)) + " of " + listed(names));
}

// model: valid, so that the address can be checked.
Lesson read_lesson(const Json& value, const Model& model) {
  const JsonFields fields(value, "lesson", {"order", "chapter", "source", "stage", "head", "row", "column"});
  Lesson lesson;
  lesson.order = static_cast<int>(fields.whole("order", 0, 0, 1'000'000));
  lesson.chapter = fields.text("chapter", "");
  lesson.source = fields.text("source", "");
  lesson.stage = read_stage(fields);
  lesson.head = fields.whole("head", 0, 0, stage_heads(model, lesson.stage) - 1);
  lesson.row = fields.whole("row", 0, 0, model.token_count() - 1);
  lesson.column = fields.whole("column", 0, 0, stage_columns(model, lesson.stage) - 1);
  return lesson;
}

Session read_session(const Json& document, const fs::path& folder) {
  check_format(document);
  const JsonFields fields(
      document, "",
      {"format", "version", "title", "notes", "tokens", "embeddings", "attention", "weights", "lesson"});
  const ArrayField arrays(folder);
  Session session;
  Model& model = session.model;
  session.title = fields.text("title", "");
  session.notes = fields.text("notes", "");
  model.tokens = read_tokens(fields);
  model.embeddings =
      arrays.batch(fields.require("embeddings", "give one row of numbers for each token"), "embeddings");
  const Json& attention = fields.require("attention", "at least \"attention\": {\"projection\": \"none\"}");
  read_attention(attention, arrays, model);
  if (const Json* weights = fields.find("weights")) {
    if (!attention.contains("projection"))
      throw Error("\"projection\" is missing, but there are weights", "attention.projection",
                  "write \"projection\": \"linear\" to use them, or \"none\"");
    read_weights(*weights, arrays, model);
  }
  validate(model);
  if (const Json* lesson = fields.find("lesson")) session.lesson = read_lesson(*lesson, model);
  return session;
}

}  // namespace

Session parse_session(const std::string& text, const fs::path& folder, const std::string& where) {
  try {
    return read_session(parse_json(text), folder);
  } catch (const Error& error) {
    throw error.inside(where);
  }
}

Session load_session(const fs::path& path) {
  require_file(path, kMaxSessionBytes);
  return parse_session(read_file(path), path.parent_path(), path.string());
}

}  // namespace headlight
