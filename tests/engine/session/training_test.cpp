// The training of a session: read, refused, and written again.
#include "engine/learning/training_settings.h"

#include <limits>

#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight_test;
using headlight::OptimizerKind;
using headlight::TrainedPart;
using nlohmann::json;

namespace {

json with_training(const std::string& training) {
  json document = small_session();
  document["training"] = json::parse(training);
  return document;
}

void refuse_training(const std::string& training, const std::string& what, const std::string& where,
                     const std::string& hint) {
  INFO(training);
  check_error([&] { parsed(with_training(training)); }, what, where, hint);
}

}  // namespace

TEST_CASE("training: every setting, and what is taken where it is left out") {
  CHECK_FALSE(parsed(small_session()).training.has_value());
  CHECK_FALSE(json::parse(headlight::session_text(parsed(small_session()))).contains("training"));
  const auto plain = parsed(with_training("{}"));
  CHECK(plain.training == headlight::TrainingSettings());
  CHECK(trained_parts(plain.layer, *plain.training) ==
        std::vector{TrainedPart::Query, TrainedPart::Key, TrainedPart::Value});
  const auto session = parsed(with_training(
      R"({"optimizer": "adamw", "rate": 0.25, "momentum": 0.5, "betas": [0, 0.5], "epsilon": 1e-3, "decay": 0,
          "parameters": ["key", "embeddings"], "steps": 12})"));
  const headlight::TrainingSettings& training = *session.training;
  CHECK(training.optimizer == OptimizerKind::AdamW);
  CHECK(training.rate == 0.25);
  CHECK(training.momentum == 0.5);
  CHECK(training.betas == std::array{0.0, 0.5});
  CHECK(training.epsilon == 1e-3);
  CHECK(training.decay == 0);
  CHECK(training.steps == 12);
  CHECK(trained_parts(session.layer, training) == std::vector{TrainedPart::Embeddings, TrainedPart::Key});
  CHECK(parsed(json::parse(headlight::session_text(session))).training == session.training);
}

TEST_CASE("training: faults are named with their place and how to mend them") {
  refuse_training("[]", "expected", "training", "");
  refuse_training(R"({"speed": 1})", "speed", "training", "");
  refuse_training(R"({"optimizer": "adamm"})", "\"adamm\" is unknown", "training.optimizer", "\"adam\"");
  refuse_training(R"({"rate": -0.5})", "the rate is -0.5", "training.rate", "0 or more");
  refuse_training(R"({"rate": "nan"})", "expected a number", "training.rate", "0.5");
  refuse_training(R"({"momentum": -1})", "the momentum is -1", "training.momentum", "0 or more");
  refuse_training(R"({"betas": [0.9]})", "a list of 1, expected two numbers", "training.betas",
                  "[0.9, 0.999]");
  refuse_training(R"({"betas": 0.9})", "expected two numbers", "training.betas", "[0.9, 0.999]");
  refuse_training(R"({"betas": ["a", 0]})", "expected a number", "training.betas[0]", "");
  refuse_training(R"({"betas": [1, 0.5]})", "the first beta is 1, expected", "training.betas[0]", "0.9");
  refuse_training(R"({"betas": [0.5, -0.1]})", "the second beta is -0.1", "training.betas[1]", "0.9");
  refuse_training(R"({"epsilon": 0})", "the epsilon is 0", "training.epsilon", "above 0");
  refuse_training(R"({"epsilon": -1e-8})", "the epsilon is -1e-08", "training.epsilon", "above 0");
  refuse_training(R"({"decay": -0.01})", "the decay is -0.01", "training.decay", "0 or more");
  refuse_training(R"({"parameters": "query"})", "expected a list", "training.parameters", "query");
  refuse_training(R"({"parameters": []})", "names nothing to train", "training.parameters", "leave it out");
  refuse_training(R"({"parameters": ["query", "keys"]})", "\"keys\" is unknown", "training.parameters[1]",
                  "\"key\"");
  refuse_training(R"({"parameters": ["key", "key"]})", "\"key\" is named twice", "training.parameters[1]",
                  "once");
  refuse_training(R"({"parameters": ["output"]})", "computes nothing from \"output\"",
                  "training.parameters[0]", "it has embeddings, query, key, value");
  refuse_training(R"({"steps": -1})", "is -1, expected a whole number from 0", "training.steps", "");
  refuse_training(R"({"steps": 0.5})", "is 0.5, expected a whole number", "training.steps", "");
}

TEST_CASE("training: settings that no file can hold are refused as well") {
  const headlight::Layer layer = parsed(small_session()).layer;
  headlight::TrainingSettings training;
  training.rate = std::numeric_limits<double>::quiet_NaN();
  check_error([&] { validate_training(layer, training); }, "the rate is not a number", "training.rate",
              "0.1");
  training.rate = std::numeric_limits<double>::infinity();
  check_error([&] { validate_training(layer, training); }, "the rate is infinite", "training.rate", "0.1");
  training = {};
  training.betas[0] = std::numeric_limits<double>::quiet_NaN();
  check_error([&] { validate_training(layer, training); }, "beta", "training.betas[0]", "");
  training = {};
  training.steps = -3;
  check_error([&] { validate_training(layer, training); }, "-3", "training.steps", "0 or more");
}

TEST_CASE("training: embeddings beside given queries, keys and values are not trained") {
  json document = plain_session();
  document["training"] = json::parse(R"({"parameters": ["embeddings"]})");
  CHECK(parsed(document).training.has_value());
  document["given"] = json::parse(R"({"query": [[1, 2, 3], [4, 5, 6]]})");
  check_error([&] { parsed(document); }, "computes nothing from \"embeddings\"", "training.parameters[0]",
              "nothing of it can be trained");
  document["training"] = json::object();
  CHECK(parsed(document).training.has_value());
}

TEST_CASE("training: settings that an edit made unfit are left out of the saved session") {
  auto session = parsed(with_training(R"({"parameters": ["query"]})"));
  session.layer.attention.projection = headlight::Projection::None;
  session.layer.attention.d_out = 3;
  CHECK_FALSE(parsed(json::parse(headlight::session_text(session))).training.has_value());
  session.training->parameters.clear();
  CHECK(parsed(json::parse(headlight::session_text(session))).training.has_value());
}

TEST_CASE("training: a whole model has none") {
  json document = json::parse(
      R"({"format": "headlight-session", "version": 1, "model_folder": {"path": "x"}, "training": {}})");
  check_error([&] { parsed(document); }, "stands beside a model's folder", "training", "leave one");
}
