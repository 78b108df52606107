#include "engine/session/session_fields.h"

#include <functional>

#include "engine/core/error.h"
#include "engine/json/json_members.h"
#include "engine/session/attention_field.h"
#include "engine/session/given_field.h"
#include "engine/session/lesson_field.h"
#include "engine/session/lesson_question_field.h"
#include "engine/session/model_folder_field.h"
#include "engine/session/session_words.h"
#include "engine/session/weights_field.h"

namespace headlight {
namespace {

struct Betas {
  void read(const Json& json, const std::string& place, std::array<double, 2>& value) const {
    if (!json.is_array() || json.size() != 2)
      throw Error("is " + (json.is_array() ? "a list of " + std::to_string(json.size()) : json_kind(json)) +
                      ", expected two numbers",
                  place, "write [0.9, 0.999]");
    value = {number_value(json[0], place + "[0]"), number_value(json[1], place + "[1]")};
  }
  void write(JsonWriter& out, const std::array<double, 2>& value) const {
    out.numbers({value.begin(), value.end()});
  }
};

struct TrainedParts : form::List<form::OneWord<TrainedPart, kTrainedPartWords.size()>> {
  TrainedParts() : List{{kTrainedPartWords}, "write what is trained, as [\"query\", \"key\"]"} {}
  void read(const Json& json, const std::string& place, std::vector<TrainedPart>& parts) const {
    List::read(json, place, parts);
    if (parts.empty())
      throw Error("names nothing to train", place, "leave it out to train all weights, or name some");
  }
};

}  // namespace

void members(auto& member, Of<TrainingSettings> auto& training) {
  member("optimizer", training.optimizer, form::OneWord{kOptimizerWords});
  member("rate", training.rate, form::Plain());
  member("momentum", training.momentum, form::Plain());
  member("betas", training.betas, Betas());
  member("epsilon", training.epsilon, form::Plain());
  member("decay", training.decay, form::Plain());
  member("parameters", training.parameters, TrainedParts(), !training.parameters.empty());
  member("steps", training.steps, form::Whole{0, kMostSteps});
}

void members(auto& member, Of<Bundle> auto& bundle) {
  member("model", bundle.with_model, form::Plain());
}

namespace {

// Called before any other check, because a newer file may hold keys that are unknown here.
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

std::vector<std::string> read_tokens(const Json& value, const std::string& place) {
  if (value.is_array()) require_token_count(value.size());
  std::vector<std::string> tokens;
  form::List{form::Plain(), "write [\"Your\", \"journey\"]", "a list of labels"}.read(value, place, tokens);
  return tokens;
}

// X and the embeddings of the key tokens. X is optional if the weights, or queries, keys and values, are
// given.
void read_embeddings(const JsonFields& fields, const Json* given, ArrayReader& arrays, Layer& layer) {
  const auto is_given = [given](const char* name) {
    return given && given->is_object() && given->contains(name);
  };
  const bool spare = is_given("weights") || (is_given("query") && is_given("key") && is_given("value"));
  if (!spare) fields.require("embeddings", "give one row of numbers for each token");
  if (const Json* x = fields.find("embeddings")) layer.embeddings = arrays.batch(*x, "embeddings");
  if (const Json* y = fields.find("key_embeddings"))
    layer.key_embeddings = arrays.batch(*y, "key_embeddings");
}

void read_layer(const JsonFields& fields, ArrayReader& arrays, Layer& layer) {
  layer.tokens = read_tokens(
      fields.require("tokens", "list the labels of the tokens: \"tokens\": [\"Your\", \"journey\"]"),
      "tokens");
  if (const Json* keys = fields.find("key_tokens")) layer.key_tokens = read_tokens(*keys, "key_tokens");
  const Json* given = fields.find("given");
  read_embeddings(fields, given, arrays, layer);
  const Json& attention = fields.require("attention", "at least \"attention\": {\"projection\": \"none\"}");
  read_attention(attention, arrays, layer);
  if (given) read_given(*given, attention, arrays, layer);
  if (const Json* weights = fields.find("weights")) {
    if (!attention.contains("projection"))
      throw Error("\"projection\" is missing, but there are weights", "attention.projection",
                  "write \"projection\": \"linear\" to use them, or \"none\"");
    read_weights(*weights, arrays, layer);
  }
}

void write_layer(JsonWriter& out, const Layer& layer, ArrayWriter& arrays) {
  out.key("tokens").texts(layer.tokens);
  if (!layer.key_tokens.empty()) {
    out.key("key_tokens").texts(layer.key_tokens);
  }
  if (!layer.embeddings.empty()) {
    out.key("embeddings");
    arrays.batch(out, "embeddings", layer.embeddings);
  }
  if (!layer.key_embeddings.empty()) {
    out.key("key_embeddings");
    arrays.batch(out, "key_embeddings", layer.key_embeddings);
  }
  out.key("attention");
  write_attention(out, layer, arrays);
  write_given(out, layer, arrays);
  write_weights(out, layer.weights, arrays);
}

Goal read_goal(const Json& value, const Layer& layer, ArrayReader& arrays) {
  const JsonFields fields(value, "goal", {"stage", "loss", "target"});
  Goal goal;
  fields.require("stage", "name a stage, such as \"weights\"");
  goal.stage = read_stage(fields, goal.stage);
  fields.require("loss", "write \"cross_entropy\", for weights, or \"squared\"");
  goal.loss = fields.choice("loss", kLossWords, goal.loss);
  goal.target =
      arrays.pairs(fields.require("target", "give the numbers that are wanted, and \"nan\" where nothing is"),
                   fields.place("target"));
  validate_goal(layer, goal);
  return goal;
}

void write_goal(JsonWriter& out, const Goal& goal, ArrayWriter& arrays) {
  out.key("goal").begin_object();
  out.key("stage").text(stage_info(goal.stage).name);
  out.key("loss").text(word_of(kLossWords, goal.loss));
  out.key("target");
  arrays.pairs(out, "goal.target", goal.target);
  out.end_object();
}

TrainingSettings read_training(const Json& value, const Layer& layer) {
  TrainingSettings training;
  read_members(value, "training", training);
  validate_training(layer, training);
  return training;
}

// After an edit of the layer a target may have another shape, or a trained matrix may be unused: the file
// could not be opened. check: throws Error then.
bool fits(const std::function<void()>& check) {
  try {
    check();
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool goal_fits(const Session& session) {
  return session.goal && fits([&] { validate_goal(session.layer, *session.goal); });
}

bool training_fits(const Session& session) {
  return session.training && fits([&] { validate_training(session.layer, *session.training); });
}

void write_learning(JsonWriter& out, const Session& session, ArrayWriter& arrays) {
  if (goal_fits(session)) write_goal(out, *session.goal, arrays);
  if (training_fits(session)) {
    out.key("training");
    write_members(out, *session.training);
  }
}

}  // namespace

Session read_session(const Json& document, ArrayReader& arrays, std::vector<Error>* faults,
                     const std::filesystem::path& model) {
  check_format(document);
  const JsonFields fields(
      document, "",
      {"format", "version", "title", "notes", "tokens", "key_tokens", "embeddings", "key_embeddings",
       "attention", "given", "weights", "model_folder", "goal", "training", "lesson", "bundle"});
  Session session;
  Layer& layer = session.layer;
  session.title = fields.text("title", "");
  session.notes = fields.text("notes", "");
  if (const Json* folder = fields.find("model_folder")) {
    for (const char* own : {"tokens", "key_tokens", "embeddings", "key_embeddings", "attention", "given",
                            "weights", "goal", "training"})
      if (fields.has(own))
        throw Error("stands beside a model's folder, which has its own", own, "leave one of the two out");
    session.work = read_model_folder(*folder, arrays.folder(), arrays, model);
    layer = shown_layer(*session.work);
  } else {
    read_layer(fields, arrays, layer);
  }
  validate(layer);
  if (const Json* goal = fields.find("goal"))
    session.goal = std::make_shared<const Goal>(read_goal(*goal, layer, arrays));
  if (const Json* training = fields.find("training")) session.training = read_training(*training, layer);
  if (const Json* lesson = fields.find("lesson"))
    session.lesson = read_lesson(*lesson, layer, {session.goal, session.training}, faults);
  if (const Json* bundle = fields.find("bundle")) read_members(*bundle, "bundle", session.bundle.emplace());
  session.origins = arrays.take_origins();
  return session;
}

void write_session(JsonWriter& out, const Session& session, ArrayWriter& arrays,
                   const std::optional<std::filesystem::path>& folder, const Bundle* bundle,
                   const std::vector<CarriedFile>& carried) {
  const Layer& layer = session.layer;
  out.begin_object();
  out.key("format").text(kSessionFormat);
  out.key("version").whole(kSessionVersion);
  out.key("title").text(session.title);
  out.key("notes").text(session.notes);
  if (session.work) {
    out.key("model_folder");
    write_model_folder(out, *session.work, arrays, {folder, bundle != nullptr, carried});
  } else {
    write_layer(out, layer, arrays);
    write_learning(out, session, arrays);
  }
  if (session.lesson) {
    out.key("lesson");
    write_lesson(out, fitting_lesson(*session.lesson, layer, goal_fits(session) && training_fits(session)));
  }
  if (bundle) {
    out.key("bundle");
    write_members(out, *bundle);
  }
  out.end_object();
}

}  // namespace headlight
