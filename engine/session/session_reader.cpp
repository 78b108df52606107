#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/session/array_field.h"
#include "engine/session/attention_reader.h"
#include "engine/session/lesson_reader.h"
#include "engine/session/session.h"
#include "engine/session/session_words.h"
#include "engine/session/weights_reader.h"

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

// Queries, keys and values as they are, beside "projection": "none". One that is absent is X itself.
void read_given(const Json& value, bool has_d_out, const ArrayField& arrays, Model& model) {
  if (model.attention.projection == Projection::Linear)
    throw Error("queries, keys and values are given, but the projection is linear", "given",
                "write \"projection\": \"none\", or remove \"given\"");
  const JsonFields fields(value, "given", {"query", "key", "value"});
  for (std::size_t p = 0; p < model.given.size(); ++p) {
    const char* name = parameter_name(kParameters[p]);
    const Json* matrices = fields.find(name);
    model.given[p] = matrices ? arrays.batch(*matrices, fields.place(name)) : model.embeddings;
  }
  model.attention.projection = Projection::Given;
  const auto& queries = model.given.front();
  if (!has_d_out && !queries.empty()) model.attention.d_out = queries.front().cols();
}

Session read_session(const Json& document, const fs::path& folder) {
  check_format(document);
  const JsonFields fields(document, "",
                          {"format", "version", "title", "notes", "tokens", "embeddings", "attention",
                           "given", "weights", "lesson"});
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
  if (const Json* given = fields.find("given"))
    read_given(*given, attention.contains("d_out"), arrays, model);
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
