// Directions that are added, compared with streams that are patched by hand.
#include "engine/analysis/steering.h"

#include <cmath>

#include "engine/analysis/analysis.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/engine/analysis/words_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr Index kSteeredLayer = 1;

Eigen::RowVectorXf drawn_direction(Index width) {
  Eigen::RowVectorXf direction(width);
  for (Index i = 0; i < width; ++i)
    direction(i) = std::sin(1.7f * static_cast<float>(i) + 0.3f);
  return direction;
}

Steering steered_at(const Eigen::RowVectorXf& direction, std::vector<Index> tokens) {
  return {{PatchStage::Residual, kSteeredLayer}, direction, std::move(tokens)};
}

// The logits of the last token with the stream overwritten. tokens: empty: all.
Matrix patched_logits(const std::string& family, const TokenIds& ids, const Eigen::RowVectorXf& step,
                      const std::vector<Index>& tokens) {
  NetworkPass pass(open_model(family));
  pass.set_ids(ids);
  Matrix stream = pass.residual(kSteeredLayer);
  for (Index token = 0; token < stream.rows(); ++token)
    if (tokens.empty() || std::find(tokens.begin(), tokens.end(), token) != tokens.end())
      stream.row(token) += step;
  pass.set_patches({{PatchStage::Residual, kSteeredLayer, 0, 0, 0, stream}});
  return pass.logits(pass.token_count() - 1, 1);
}

Analysis asked_direction(const std::string& file) {
  Analysis analysis;
  analysis.kind = AnalysisKind::Direction;
  analysis.layer = kSteeredLayer;
  analysis.direction = file;
  return analysis;
}

}  // namespace

TEST_CASE("steering: at some tokens and at all it is the stream with the direction added there") {
  for (const std::string family : {"gpt2", "llama", "gemma2"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const TokenIds ids = pass.ids();
    const Index last = pass.token_count() - 1;
    const Eigen::RowVectorXf direction = drawn_direction(pass.network().config().width);
    const Matrix before = pass.logits(last, 1);
    for (const std::vector<Index>& tokens : {std::vector<Index>{}, {2}, {0, last}}) {
      const Matrix logits = logits_along(pass, steered_at(direction, tokens), -1.5, last);
      CHECK(largest_difference(logits, patched_logits(family, ids, -1.5f * direction, tokens)) < kRounding);
      CHECK(largest_difference(logits, before) > 0);
    }
    CHECK(largest_difference(pass.logits(last, 1), before) < kRounding);
    CHECK(pass.interventions().empty());
    CHECK(pass.patches().empty());
  }
}

TEST_CASE("steering: an intervention at the same place is applied once, and stays") {
  NetworkPass pass = golden_pass("gpt2");
  const Index last = pass.token_count() - 1;
  const Eigen::RowVectorXf direction = drawn_direction(pass.network().config().width);
  Intervention own;
  own.how = InterventionHow::Add;
  own.layer = kSteeredLayer;
  own.direction = 0.5f * direction;
  own.name = "changes[0]";
  pass.set_interventions({std::make_shared<const Intervention>(own)});
  const Matrix before = pass.logits(last, 1);
  CHECK(largest_difference(logits_along(pass, steered_at(direction, {}), 0, last), before) < kRounding);
  const Matrix both = logits_along(pass, steered_at(direction, {}), 0.25, last);
  CHECK(largest_difference(both, patched_logits("gpt2", pass.ids(), 0.75f * direction, {})) < kRounding);
  CHECK(pass.interventions().size() == 1);
}

TEST_CASE("steering: what attention and the MLP add is steered too") {
  NetworkPass pass = golden_pass("gpt2"), plain = golden_pass("gpt2");
  const Index last = pass.token_count() - 1;
  const Eigen::RowVectorXf direction = drawn_direction(pass.network().config().width);
  for (const PatchStage stage : {PatchStage::AttentionAdded, PatchStage::MlpAdded}) {
    Steering steering = steered_at(direction, {1});
    steering.place.stage = stage;
    plain.set_patches({});
    Matrix added = stage_values(plain, steering.place);
    added.row(1) += 2 * direction;
    plain.set_patches({{stage, kSteeredLayer, 0, 0, 0, added}});
    CHECK(largest_difference(logits_along(pass, steering, 2, last), plain.logits(last, 1)) < kRounding);
    CHECK(pass.patches().empty());
  }
}

TEST_CASE("steering: each token of a continuation is the likeliest of a pass over those before it") {
  for (const std::string family : {"gpt2", "llama"})
    for (const std::vector<Index>& tokens : {std::vector<Index>{}, {1}}) {
      INFO(family);
      NetworkPass pass = golden_pass(family);
      const TokenIds text = {pass.ids().begin(), pass.ids().begin() + 4};
      pass.set_ids(text);
      const Eigen::RowVectorXf direction = drawn_direction(pass.network().config().width);
      const TokenIds found = continuation(pass, steered_at(direction, tokens), 1.5, 5);
      TokenIds ids = text;
      for (int step = 0; step < 5; ++step) {
        const Matrix logits = patched_logits(family, ids, 1.5f * direction, tokens);
        Index likeliest_id = 0;
        logits.row(0).maxCoeff(&likeliest_id);
        ids.push_back(static_cast<std::int32_t>(likeliest_id));
      }
      CHECK(found == TokenIds(ids.begin() + 4, ids.end()));
      CHECK(pass.ids() == text);
      CHECK(pass.interventions().empty());
    }
}

TEST_CASE("steering: a continuation ends where the model has no more positions") {
  NetworkPass pass = golden_pass("gpt2");
  const Index positions = pass.network().config().positions;
  TokenIds text(static_cast<std::size_t>(positions - 2), 5);
  pass.set_ids(text);
  const Eigen::RowVectorXf direction = drawn_direction(pass.network().config().width);
  CHECK(continuation(pass, steered_at(direction, {}), 1, 10).size() == 3);
  CHECK(pass.ids() == text);
  NetworkPass bert = golden_pass("bert");
  CHECK_THROWS_WITH(continuation(bert, steered_at(drawn_direction(bert.network().config().width), {}), 1, 1),
                    ContainsSubstring("next token"));
}

TEST_CASE("steering: a direction is saved to a file and read from it, and others are refused") {
  const TemporaryFolder folder;
  const Eigen::RowVectorXf direction = drawn_direction(12);
  for (const std::string name : {"a.npy", "a.safetensors"}) {
    save_direction(folder / name, direction);
    CHECK(read_direction(folder / name, 12) == direction);
    CHECK_THROWS_WITH(read_direction(folder / name, 13), ContainsSubstring("12, expected 13"));
  }
  const std::vector<float> values(direction.begin(), direction.end()), zeros(12);
  write_npz(folder / "two.npz", {{"other", {12}, zeros}, {"direction", {1, 12}, values}});
  CHECK(read_direction(folder / "two.npz", 12) == direction);
  write_npz(folder / "none.npz", {{"a", {12}, values}, {"b", {12}, values}});
  CHECK_THROWS_WITH(read_direction(folder / "none.npz", 12), ContainsSubstring("no array direction"));
  write_npz(folder / "nan.npz", {{"a", {1}, {NAN}}});
  CHECK_THROWS_WITH(read_direction(folder / "nan.npz", 1), ContainsSubstring("not finite"));
  CHECK_THROWS_WITH(save_direction(folder / "a.csv", direction), ContainsSubstring(".npy or .safetensors"));
}

TEST_CASE("steering: the question has the file's direction, the tokens and the texts at each strength") {
  NetworkPass pass = words_pass();
  const TemporaryFolder folder;
  const Eigen::RowVectorXf direction = drawn_direction(pass.network().config().width);
  const std::string file = folder / "v.npy";
  save_direction(file, direction);
  Analysis analysis = asked_direction(file);
  analysis.texts = {words().encode("Mary gave the key to")};
  analysis.positions = {2};
  analysis.generated = 3;
  analysis.strength = 2;
  const AnalysisResult result = run_analysis(pass, analysis, kUnwatched);
  CHECK(result.direction == direction);
  const ResultTable& generated = result.tables.back();
  REQUIRE(generated.name == "generated");
  CHECK(generated.rows == std::vector<std::string>{"x 0", "x 1", "x 2", "x 4"});
  for (std::size_t i = 0; i < 4; ++i) {
    const double strength = 2 * kDirectionShares[i];
    std::string text;
    for (const std::int32_t id : continuation(pass, steered_at(direction, {2}), strength, 3))
      text += words().token_label(id);
    CHECK(generated.remarks[i] == text);
  }
  const Index last = pass.token_count() - 1;
  const Matrix plain = pass.logits(last, 1);
  CHECK_THAT(generated.values(0, 0), WithinAbs(plain.maxCoeff(), 1e-4f));
  analysis.positions = {9};
  CHECK_THROWS_WITH(run_analysis(pass, analysis, kUnwatched), ContainsSubstring("no token 9"));
}

TEST_CASE("steering: of a data set at the tokens that it names, in each row its own") {
  NetworkPass pass = words_pass();
  const TemporaryFolder folder;
  const Eigen::RowVectorXf direction = drawn_direction(pass.network().config().width);
  Analysis analysis = asked_direction(folder / "v.safetensors");
  save_direction(analysis.direction, direction);
  analysis.set = std::make_shared<const DataSet>(parse_data_set(
      words(), "text\ttarget\t@S\nMary gave the key to\tLeo\t#1\nThen Mary gave the key to\tTom\t#2\n",
      "s.tsv"));
  analysis.position_names = {"@S"};
  analysis.generated = 2;
  const AnalysisResult result = run_analysis(pass, analysis, kUnwatched);
  const ResultTable& generated = result.tables.back();
  REQUIRE(generated.rows == std::vector<std::string>{"1", "1", "1", "1", "2", "2", "2", "2"});
  for (std::size_t row = 0; row < 2; ++row) {
    const DataRow& own = analysis.set->rows[row];
    pass.set_ids(own.text);
    const Steering steering = steered_at(direction, own.tokens);
    const Matrix logits = logits_along(pass, steering, 2, pass.token_count() - 1);
    CHECK_THAT(result.rows[row].values[0](0, 3), WithinAbs(logits(0, *own.target), 1e-4f));
    std::string text;
    for (const std::int32_t id : continuation(pass, steering, 2, 2))
      text += words().token_label(id);
    CHECK(generated.remarks[4 * row + 3] == text);
    CHECK(generated.values(static_cast<Index>(4 * row + 3), 0) == 2);
  }
  analysis.position_names = {"@T"};
  CHECK_THROWS_WITH(run_analysis(pass, analysis, kUnwatched), ContainsSubstring("does not name a token @T"));
}
