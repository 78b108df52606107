#include <cmath>

#include "engine/analysis/analysis.h"
#include "engine/analysis/dictionary.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "engine/interpretation/stage_values.h"
#include "tests/engine/analysis/path_support.h"
#include "tests/support/dictionaries.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string& dictionary_file() {
  static const std::string file = paths_folder() + "/dictionary.safetensors";
  return file;
}

// The arrays of that file, but for those of these names.
std::vector<NamedArray> arrays_without(const std::vector<std::string>& names) {
  std::vector<NamedArray> arrays;
  for (const std::string name : {"W_enc", "W_dec", "b_enc", "b_dec", "threshold"})
    if (std::find(names.begin(), names.end(), name) == names.end())
      arrays.push_back(read_array(dictionary_file(), name));
  return arrays;
}

void check_encoding(const Dictionary& dictionary, const std::string& name) {
  INFO(name);
  NetworkPass pass = paths_pass("clean");
  const Matrix rows = pass.residual(1), activations = feature_activations(dictionary, rows),
               rebuilt = reconstruction(dictionary, activations);
  CHECK(relative_error(activations, expected_matrix("features." + name + ".activations")) <= kPathError);
  CHECK(relative_error(rebuilt, expected_matrix("features." + name + ".reconstruction")) <= kPathError);
  const Unexplained left = unexplained(rows, rebuilt);
  const std::vector<float> shares = expected_array("features." + name + ".unexplained").values,
                           by_token = expected_array("features." + name + ".by_token").values;
  CHECK_THAT(left.share, WithinRel(double{shares[0]}, 1e-5));
  CHECK_THAT(left.share_behind_first, WithinRel(double{shares[1]}, 1e-5));
  for (std::size_t i = 0; i < by_token.size(); ++i)
    CHECK_THAT(left.by_token(static_cast<Index>(i)), WithinRel(by_token[i], 1e-5f));
}

Analysis asked_features() {
  Analysis analysis;
  analysis.kind = AnalysisKind::Features;
  analysis.dictionary = dictionary_file();
  analysis.layer = 1;
  analysis.target = 3;
  analysis.against = 8;
  analysis.top = 30;
  analysis.texts = {expected_ids("clean")};
  return analysis;
}

AnalysisResult found_features(NetworkPass& pass, const Analysis& analysis) {
  return run_analysis(pass, analysis, [](double) {});
}

}  // namespace

TEST_CASE("features: thresholds, ReLU and the largest of each token encode as NumPy does") {
  check_encoding(read_dictionary(dictionary_file(), 12), "threshold");
  const TemporaryFolder folder;
  const std::string plain = folder / "plain.npz";
  write_npz(plain, arrays_without({"threshold"}));
  check_encoding(read_dictionary(plain, 12), "relu");
  folder.write("cfg.json",
               R"({"architecture": "topk", "activation_fn_kwargs": {"k": 4}, "apply_b_dec_to_input": true})");
  check_encoding(read_dictionary(plain, 12), "topk");
  // The logarithm of the thresholds.
  const TemporaryFolder other;
  std::vector<NamedArray> arrays = arrays_without({});
  arrays.back().name = "log_threshold";
  for (float& value : arrays.back().values)
    value = std::log(value);
  write_npz(other / "log.npz", arrays);
  CHECK(read_dictionary(other / "log.npz", 12)
            .threshold.isApprox(read_dictionary(dictionary_file(), 12).threshold, 1e-6f));
}

TEST_CASE("features: what each adds, and the text without it, are what NumPy computes") {
  NetworkPass pass = paths_pass("clean");
  const AnalysisResult result = found_features(pass, asked_features());
  const ResultTable& features = result.tables.at(1);
  REQUIRE(features.name == "features");
  const std::vector<float> adds = expected_array("features.adds").values,
                           without = expected_array("features.without").values;
  const auto largest = [](const std::vector<float>& numbers) {
    float size = 0;
    for (const float number : numbers)
      size = std::max(size, std::abs(number));
    return size;
  };
  const Matrix activations = expected_matrix("features.threshold.activations"),
               raised = expected_matrix("features.raised");
  CHECK(features.rows.size() ==
        static_cast<std::size_t>((activations.colwise().maxCoeff().array() > 0).count()));
  for (std::size_t i = 0; i < features.rows.size(); ++i) {
    const auto feature = static_cast<std::size_t>(std::stoi(features.rows[i]));
    const auto row = static_cast<Index>(i), column = static_cast<Index>(feature);
    CHECK_THAT(features.values(row, 0), WithinRel(activations.col(column).maxCoeff(), 1e-5f));
    CHECK(features.values(row, 1) == static_cast<float>((activations.col(column).array() > 0).count()));
    CHECK_THAT(features.values(row, 2), WithinAbs(adds[feature], 1e-5f * largest(adds)));
    CHECK_THAT(features.values(row, 3), WithinAbs(without[feature], 1e-5f * largest(without)));
    Index most = 0;
    raised.row(column).maxCoeff(&most);
    CHECK(features.remarks[i].starts_with(pass.network().label(static_cast<std::int32_t>(most)) + " |"));
    if (i > 0) CHECK(std::abs(features.values(row, 2)) <= std::abs(features.values(row - 1, 2)));
  }
  CHECK(pass.patches().empty());
  std::string notes;
  for (const std::string& note : result.notes)
    notes += note + "\n";
  CHECK_THAT(notes, ContainsSubstring("30 features; encoded with a threshold by feature"));
  CHECK_THAT(notes, ContainsSubstring("not explained: 424.3"));
}

TEST_CASE("features: one is steered along its direction, at every token") {
  NetworkPass pass = paths_pass("clean");
  Analysis analysis = asked_features();
  analysis.feature = 3;
  analysis.strength = 2;
  const AnalysisResult result = found_features(pass, analysis);
  const ResultTable& steered = result.tables.at(3);
  REQUIRE(steered.name == "steered");
  REQUIRE(steered.columns == std::vector<std::string>{"x 0", "x 1", "x 2", "x 4"});
  const std::vector<float> expected = expected_array("features.steered").values;
  for (std::size_t row = 0; row < steered.rows.size(); ++row) {
    const std::int32_t id = typed_target(pass.network(), steered.rows[row]).id;
    CHECK_THAT(steered.values(static_cast<Index>(row), 2),
               WithinAbs(std::exp(expected[static_cast<std::size_t>(id)]), 1e-5f));
  }
  CHECK(result.tables.at(1).rows == std::vector<std::string>{"3"});
}

TEST_CASE("features: at what attention and the MLP add, and at the end of the stream") {
  for (const std::string family : {"gpt2", "llama", "gemma2"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    const TemporaryFolder folder;
    const std::string file = folder / "identity.npz";
    write_identity_dictionary(file, c.width);
    Analysis analysis = asked_features();
    analysis.texts = {pass.ids()};
    analysis.dictionary = file;
    for (const auto& [place, layer] :
         {std::pair(PatchStage::AttentionAdded, Index{1}), std::pair(PatchStage::MlpAdded, Index{0}),
          std::pair(PatchStage::Residual, c.layers)}) {
      analysis.place = place;
      analysis.layer = layer;
      // The positive numbers themselves are the features of the identity.
      const Matrix rows = stage_values(pass, {place, layer, 0});
      const ResultTable tokens = found_features(pass, analysis).tables.at(0);
      for (Index token = 0; token < rows.rows(); ++token) {
        CHECK(tokens.values(token, 0) == static_cast<float>((rows.row(token).array() > 0).count()));
        const float left = rows.row(token).cwiseMin(0).squaredNorm() / rows.row(token).squaredNorm();
        CHECK_THAT(tokens.values(token, 1), WithinAbs(left, 1e-5f));
      }
    }
    analysis.layer = c.layers + 1;
    CHECK_THROWS_WITH(found_features(pass, analysis), ContainsSubstring("no layer"));
  }
}

TEST_CASE("features: a dictionary that is not whole, or of another model, is refused by name") {
  const TemporaryFolder folder;
  const std::string file = folder / "broken.npz";
  const auto refused = [&](std::vector<NamedArray> arrays, const std::string& what, Index width = 12) {
    INFO(what);
    write_npz(file, arrays);
    CHECK_THROWS_WITH(read_dictionary(file, width), ContainsSubstring(what));
  };
  for (const std::string name : {"W_enc", "W_dec", "b_enc", "b_dec"})
    refused(arrays_without({name}), "there is no array " + name);
  refused(arrays_without({}), "W_enc is 12 x 30: it reads 12 numbers, and the model has 16", 16);
  refused(arrays_without({}), "transpose the matrix", 30);
  for (std::size_t at = 0; at < 5; ++at) {
    std::vector<NamedArray> arrays = arrays_without({});
    arrays[at].values.back() = at % 2 == 0 ? NAN : INFINITY;
    refused(arrays, arrays[at].name + " has numbers that are not finite");
  }
  std::vector<NamedArray> arrays = arrays_without({});
  arrays[2].shape = {2, 15};
  refused(arrays, "b_enc is 2 x 15, expected 30");
  for (const std::string settings :
       {R"({"architecture": "gated"})", R"({"normalize_activations": "layer_norm"})",
        R"({"architecture": "topk"})", R"({"activation_fn": "tanh-relu"})",
        R"({"rescale_acts_by_decoder_norm": true})"}) {
    INFO(settings);
    folder.write("cfg.json", settings);
    refused(arrays_without({}), "is not computed here");
  }
  folder.write("cfg.json", R"({"architecture": "jumprelu"})");
  refused(arrays_without({"threshold"}), "no array threshold");
  NetworkPass pass = paths_pass("clean");
  Analysis analysis = asked_features();
  analysis.dictionary.clear();
  CHECK_THROWS_WITH(found_features(pass, analysis), ContainsSubstring("there is no dictionary"));
  analysis = asked_features();
  analysis.feature = 30;
  CHECK_THROWS_WITH(found_features(pass, analysis), ContainsSubstring("no feature 30"));
  pass.set_patches({{PatchStage::Residual, 1, 0, 0, 0, Matrix::Zero(1, 12)}});
  CHECK_THROWS_WITH(found_features(pass, asked_features()), ContainsSubstring("overwrites the place"));
}
