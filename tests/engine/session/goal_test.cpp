// The goal of a session: read, refused, and written again.
#include "engine/learning/goal.h"

#include <cmath>

#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight_test;
using nlohmann::json;

namespace {

// The small session with this goal, as JSON text.
json with_goal(const std::string& goal) {
  json document = small_session();
  document["goal"] = json::parse(goal);
  return document;
}

void refuse_document(const json& document, const std::string& what, const std::string& where,
                     const std::string& hint) {
  INFO(document.at("goal").dump());
  check_error([&] { parsed(document); }, what, where, hint);
}

void refuse_goal(const std::string& goal, const std::string& what, const std::string& where,
                 const std::string& hint) {
  refuse_document(with_goal(goal), what, where, hint);
}

}  // namespace

TEST_CASE("goal: the stage, the loss and a target whose axes may be missing") {
  const auto session =
      parsed(with_goal(R"({"stage": "weights", "loss": "cross_entropy", "target": [[1, 0], ["nan", 2]]})"));
  REQUIRE(session.goal != nullptr);
  const headlight::Goal& goal = *session.goal;
  CHECK(goal.stage == headlight::Stage::Weights);
  CHECK(goal.loss == headlight::Loss::CrossEntropy);
  CHECK(goal.target.sequences == 1);
  CHECK(goal.target.heads == 1);
  CHECK(std::isnan(goal.target.at(0, 0, 1, 0)));
  CHECK(headlight::wanted_count(session.layer, goal) == 1);  // row 2 has a number of which nothing is wanted
  CHECK(*parsed(json::parse(headlight::session_text(session))).goal == *session.goal);
  const auto spread = parsed(with_goal(R"({"stage": "output", "loss": "squared", "target": [0.5]})"));
  CHECK(headlight::wanted_count(spread.layer, *spread.goal) == 4);
  CHECK(parsed(small_session()).goal == nullptr);
}

TEST_CASE("goal: faults are named with their place and how to mend them") {
  refuse_goal(R"([])", "expected", "goal", "");
  refuse_goal(R"({"loss": "squared", "target": [0]})", "\"stage\" is missing", "goal.stage", "weights");
  refuse_goal(R"({"stage": "weights", "target": [0]})", "\"loss\" is missing", "goal.loss", "squared");
  refuse_goal(R"({"stage": "weights", "loss": "squared"})", "\"target\" is missing", "goal.target", "nan");
  refuse_goal(R"({"stage": "weights", "loss": "squared", "target": [0], "tagret": 1})", "tagret", "goal",
              "target");
  refuse_goal(R"({"stage": "wieghts", "loss": "squared", "target": [0]})", "no stage \"wieghts\"",
              "goal.stage", "\"weights\"");
  refuse_goal(R"({"stage": "weights", "loss": "square", "target": [0]})", "square", "goal.loss", "squared");
  refuse_goal(R"({"stage": "capped", "loss": "squared", "target": [0]})", "No softcap", "goal.stage",
              "choose");
  refuse_goal(R"({"stage": "context", "loss": "cross_entropy", "target": [0.5]})", "a loss of weights",
              "goal.loss", "squared");
  refuse_goal(R"({"stage": "weights", "loss": "squared", "target": [1, 2, 3]})",
              "axis 3, columns, has 3, expected 2 or 1", "goal.target", "1 x 1 x 2 x 2");
  refuse_goal(R"({"stage": "output", "loss": "squared", "target": [[[0], [0], [0]]]})",
              "axis 2, rows, has 3, expected 2 or 1", "goal.target", "1 x 1 x 2 x 2");
  refuse_goal(R"({"stage": "weights", "loss": "squared", "target": ["nan", "nan"]})", "wants nothing",
              "goal.target", "nan");
  refuse_goal(R"({"stage": "weights", "loss": "cross_entropy", "target": [0, 0]})", "wants nothing",
              "goal.target", "above zero");
  refuse_goal(R"({"stage": "weights", "loss": "cross_entropy", "target": [2, -1]})", "column 2 is below zero",
              "goal.target", "0 or more");
  refuse_goal(R"({"stage": "weights", "loss": "squared", "target": [2, "-inf"]})", "column 2 is infinite",
              "goal.target", "finite");
}

TEST_CASE("goal: nothing is wanted of a pair that the mask closes") {
  json document = with_goal(R"({"stage": "weights", "loss": "cross_entropy", "target": [[1, 0], [1, 1]]})");
  document["attention"]["mask"] = "causal";
  CHECK(parsed(document).goal != nullptr);
  document["goal"]["target"] = {{1, 0.5}, {1, 1}};
  refuse_document(document, "may not attend: sequence 1, head 1, row 1, column 2", "goal.target", "write 0");
  document["goal"]["loss"] = "squared";
  CHECK(parsed(document).goal != nullptr);  // its weight is 0
  document["goal"]["stage"] = "masked";
  refuse_document(document, "may not attend", "goal.target", "nan");
  document["goal"]["target"] = {{1, "nan"}, {1, 1}};
  CHECK(parsed(document).goal != nullptr);
}

TEST_CASE("goal: one that an edit made unfit is left out of the saved session") {
  auto session = parsed(with_goal(R"({"stage": "weights", "loss": "squared", "target": [[1, 0], [1, 2]]})"));
  CHECK_THAT(headlight::session_text(session), ContainsSubstring("\"goal\""));
  session.layer.tokens.emplace_back("c");
  session.layer.embeddings.front().conservativeResize(3, 3);
  session.layer.embeddings.front().row(2).setZero();
  CHECK(parsed(json::parse(headlight::session_text(session))).goal == nullptr);
}
