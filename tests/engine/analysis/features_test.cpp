#include <cmath>

#include "engine/analysis/analysis.h"
#include "engine/analysis/dictionary.h"
#include "engine/analysis/steering.h"
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
               rebuilt = reconstruction(dictionary, activations, rows);
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

// Numbers that look drawn, between -1 and 1.
NamedArray drawn_array(const std::string& name, std::vector<Index> shape, float phase) {
  Index count = 1;
  for (const Index axis : shape)
    count *= axis;
  NamedArray array{name, std::move(shape), {}};
  for (Index i = 0; i < count; ++i)
    array.values.push_back(std::sin(phase + 2.3f * static_cast<float>(i)));
  return array;
}

constexpr Index kTranscoderFeatures = 7;

// With a skip connection unless it is left out.
std::vector<NamedArray> transcoder_arrays(Index width, bool skip) {
  std::vector<NamedArray> arrays = {drawn_array("W_enc", {width, kTranscoderFeatures}, 0.1f),
                                    drawn_array("W_dec", {kTranscoderFeatures, width}, 0.7f),
                                    drawn_array("b_enc", {kTranscoderFeatures}, 1.3f),
                                    drawn_array("b_dec", {width}, 1.9f)};
  if (skip) arrays.push_back(drawn_array("W_skip", {width, width}, 2.5f));
  return arrays;
}

Matrix whole_matrix(const NamedArray& array) {
  const Index columns = array.shape.back();
  return Eigen::Map<const Matrix>(array.values.data(), static_cast<Index>(array.values.size()) / columns,
                                  columns);
}

// A golden model, or one of "library/".
NetworkPass named_pass(const std::string& name) {
  if (!name.starts_with("library/")) return golden_pass(name);
  NetworkPass pass(std::make_shared<const Network>(source_root() + "/tests/golden/" + name));
  pass.set_ids({1, 5, 9, 2, 7});
  return pass;
}

// A norm, token by token. own: with its weights and bias.
Matrix normed_by_hand(const NetworkConfig& c, const NormWeights& norm, const Matrix& stream, bool own) {
  Matrix rows = stream;
  for (Index token = 0; token < rows.rows(); ++token) {
    Eigen::RowVectorXd x = rows.row(token).cast<double>();
    if (c.norm == NormKind::Layer) x.array() -= x.mean();
    x /= std::sqrt(x.squaredNorm() / static_cast<double>(x.size()) + c.epsilon);
    if (own) x.array() *= norm.weight.cast<double>().array() + (c.norm == NormKind::RmsPlusOne ? 1 : 0);
    if (own && norm.bias.size() > 0) x += norm.bias.cast<double>();
    rows.row(token) = x.cast<float>();
  }
  return rows;
}

// What the MLP of a layer is added to, and what it reads: the same where the norms are behind the sums.
Matrix stream_by_hand(NetworkPass& pass, Index layer) {
  const NetworkConfig& c = pass.network().config();
  const Matrix sum = pass.middle(layer, 0, pass.token_count());
  return c.norm_place == NormPlace::After
             ? normed_by_hand(c, pass.layer_weights(layer).attention_norm, sum, true)
             : sum;
}

Matrix read_by_hand(NetworkPass& pass, Index layer, TranscoderInput reads) {
  const NetworkConfig& c = pass.network().config();
  const Matrix stream = stream_by_hand(pass, layer);
  if (reads == TranscoderInput::Stream || c.norm_place == NormPlace::After) return stream;
  return normed_by_hand(c, pass.layer_weights(layer).mlp_norm, stream, reads == TranscoderInput::MlpInput);
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
  analysis.generated = 1;
  const ResultTable generated = found_features(pass, analysis).tables.back();
  REQUIRE(generated.name == "generated");
  REQUIRE(generated.rows.size() == 4);
  const Steering along{
      {PatchStage::Residual, 1, 0}, read_dictionary(dictionary_file(), 12).decoder.row(3), {}};
  for (Index i = 0; i < 4; ++i) {
    const double strength = 2 * kDirectionShares[static_cast<std::size_t>(i)];
    const Matrix logits = logits_along(pass, along, strength, pass.token_count() - 1);
    CHECK_THAT(generated.values(i, 0), WithinAbs(logits(0, 3) - logits(0, 8), 1e-5f));
  }
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

TEST_CASE("features: a transcoder encodes what the MLP reads, and writes what it adds") {
  const TemporaryFolder folder;
  const std::string file = folder / "transcoder.npz";
  for (const std::string family : {"gpt2", "llama", "gemma2", "library/bert_decoder", "library/opt_350m"})
    for (const TranscoderInput reads :
         {TranscoderInput::MlpInput, TranscoderInput::Normalized, TranscoderInput::Stream}) {
      INFO(family << ", " << static_cast<int>(reads));
      NetworkPass pass = named_pass(family), plain = named_pass(family);
      const Index layer = 1, tokens = pass.token_count(), last = tokens - 1;
      const std::vector<NamedArray> arrays = transcoder_arrays(pass.network().config().width, true);
      write_npz(file, arrays);
      Analysis analysis = asked_features();
      analysis.texts = {pass.ids()};
      analysis.dictionary = file;
      analysis.reads = reads;
      analysis.place = PatchStage::MlpAdded;
      analysis.feature = 4;
      const AnalysisResult result = found_features(pass, analysis);
      const Matrix read = read_by_hand(plain, layer, reads), added = plain.mlp_added(layer, 0, tokens);
      Matrix fires = read * whole_matrix(arrays[0]);
      fires.rowwise() += whole_matrix(arrays[2]).row(0);
      fires = fires.cwiseMax(0.0f).eval();
      Matrix rebuilt = fires * whole_matrix(arrays[1]) + read * whole_matrix(arrays[4]).transpose();
      rebuilt.rowwise() += whole_matrix(arrays[3]).row(0);
      const ResultTable &by_token = result.tables.at(0), &features = result.tables.at(1),
                        &activations = result.tables.at(2);
      CHECK(largest_difference(activations.values, fires.col(4)) < 1e-4f * std::max(1.0f, fires.maxCoeff()));
      for (Index token = 0; token < tokens; ++token)
        CHECK_THAT(
            by_token.values(token, 1),
            WithinRel((added - rebuilt).row(token).squaredNorm() / added.row(token).squaredNorm(), 1e-3f));
      const auto difference = [&] {
        const Matrix logits = plain.logits(last, 1);
        return logits(0, 3) - logits(0, 8);
      };
      const float before = difference();
      const Matrix without = added - fires.col(4) * whole_matrix(arrays[1]).row(4);
      plain.set_patches({{PatchStage::MlpAdded, layer, 0, 0, 0, without}});
      CHECK_THAT(features.values(0, 3), WithinAbs(difference() - before, 1e-3f));
      std::string notes;
      for (const std::string& note : result.notes)
        notes += note + "\n";
      CHECK_THAT(notes, ContainsSubstring("a transcoder of layer 1: it encodes") &&
                            ContainsSubstring("with a skip connection"));
    }
}

TEST_CASE(
    "features: a file says by cfg.json or its skip connection that it is a transcoder, and what it reads") {
  const TemporaryFolder folder;
  const std::string file = folder / "transcoder.npz";
  write_npz(file, transcoder_arrays(12, false));
  CHECK_FALSE(read_dictionary(file, 12).reads);
  CHECK(read_dictionary(file, 12).bias_subtracted);
  CHECK(read_dictionary(file, 12, TranscoderInput::Stream).reads == TranscoderInput::Stream);
  CHECK_FALSE(read_dictionary(file, 12, TranscoderInput::Stream).bias_subtracted);
  write_npz(file, transcoder_arrays(12, true));
  CHECK(read_dictionary(file, 12).reads == TranscoderInput::MlpInput);
  CHECK(read_dictionary(file, 12).skip == whole_matrix(transcoder_arrays(12, true)[4]));
  for (
      const auto& [settings, reads] :
      {std::pair(R"({"architecture": "skip_transcoder", "hook_name": "blocks.1.mlp.hook_in"})",
                 TranscoderInput::MlpInput),
       std::pair(R"({"architecture": "transcoder", "hook_name": "blocks.1.ln2.hook_normalized"})",
                 TranscoderInput::Normalized),
       std::pair(
           R"({"metadata": {"hook_name": "blocks.1.hook_mlp_in", "hook_name_out": "blocks.1.hook_mlp_out"}})",
           TranscoderInput::Stream)}) {
    INFO(settings);
    folder.write("cfg.json", settings);
    CHECK(read_dictionary(file, 12).reads == reads);
  }
  folder.write("cfg.json", R"({"architecture": "transcoder", "hook_name": "blocks.1.attn.hook_z"})");
  CHECK_THROWS_WITH(read_dictionary(file, 12), ContainsSubstring("no input of an MLP"));
  folder.write("cfg.json", R"({"architecture": "jumprelu_transcoder", "hook_name": "blocks.1.mlp.hook_in"})");
  CHECK_THROWS_WITH(read_dictionary(file, 12), ContainsSubstring("no array threshold"));
  const TemporaryFolder other;
  NetworkPass pass = paths_pass("clean");
  Analysis analysis = asked_features();
  analysis.dictionary = other / "transcoder.npz";
  write_npz(analysis.dictionary, transcoder_arrays(12, true));
  analysis.layer = pass.network().config().layers;
  CHECK_THROWS_WITH(found_features(pass, analysis), ContainsSubstring("no MLP in layer"));
  std::vector<NamedArray> arrays = transcoder_arrays(12, true);
  arrays[4].shape = {144};
  write_npz(analysis.dictionary, arrays);
  CHECK_THROWS_WITH(read_dictionary(analysis.dictionary, 12), ContainsSubstring("W_skip is 144"));
}

TEST_CASE("features: a transcoder whose cfg.json says what is not computed is refused by name") {
  const TemporaryFolder folder;
  const std::string file = folder / "transcoder.npz";
  std::vector<NamedArray> arrays = transcoder_arrays(12, true), threshold = arrays;
  threshold.push_back({"threshold", {kTranscoderFeatures}, std::vector<float>(kTranscoderFeatures, 0.5f)});
  const auto refused = [&](const std::string& settings, const std::string& what) {
    INFO(settings);
    folder.write("cfg.json", settings);
    CHECK_THROWS_WITH(read_dictionary(file, 12), ContainsSubstring(what));
  };
  const std::string reads = R"("hook_name": "blocks.1.hook_mlp_in")";
  write_npz(file, arrays);
  for (const std::string out :
       {"blocks.1.hook_attn_out", "blocks.1.hook_resid_post", "blocks.1.attn.hook_out"}) {
    const std::string settings = "{" + reads + R"(, "hook_name_out": ")" + out + "\"}";
    refused(settings, "writes " + out + ", which is not what an MLP adds");
    CHECK_THROWS_WITH(read_dictionary(file, 12, TranscoderInput::Stream), ContainsSubstring("writes " + out));
  }
  for (const std::string out : {"blocks.1.hook_mlp_out", "blocks.1.mlp.hook_out"}) {
    INFO(out);
    folder.write("cfg.json", "{" + reads + R"(, "hook_name_out": ")" + out + "\"}");
    CHECK(read_dictionary(file, 12).reads == TranscoderInput::Stream);
  }
  for (const std::string name : {"gated_transcoder", "gated_skip_transcoder", "my_transcoder"})
    refused(R"({"architecture": ")" + name + "\"}", "architecture " + name + " is not computed here");
  refused(R"({"architecture": "topk_transcoder"})", "number k of a topk is not computed here");
  folder.write("cfg.json", R"({"architecture": "topk_transcoder", "activation_fn": "topk", "k": 2})");
  CHECK(read_dictionary(file, 12).most == 2);
  CHECK(read_dictionary(file, 12).reads == TranscoderInput::MlpInput);
  write_npz(file, threshold);
  folder.write("cfg.json", R"({"architecture": "jumprelu_skip_transcoder"})");
  CHECK(read_dictionary(file, 12).threshold.size() == kTranscoderFeatures);
  CHECK(read_dictionary(file, 12).reads == TranscoderInput::MlpInput);
  threshold.erase(threshold.begin() + 4);
  write_npz(file, threshold);
  for (const std::string name : {"skip_transcoder", "jumprelu_skip_transcoder"})
    refused(R"({"architecture": ")" + name + "\"}", "no array W_skip, and cfg.json says " + name);
}

TEST_CASE("features: the place of a transcoder is found, and another one that is chosen is refused") {
  const TemporaryFolder folder;
  NetworkPass pass = golden_pass("gpt2");
  Analysis analysis = asked_features();
  analysis.texts = {pass.ids()};
  analysis.dictionary = folder / "transcoder.npz";
  write_npz(analysis.dictionary, transcoder_arrays(pass.network().config().width, true));
  const AnalysisResult found = found_features(pass, analysis);
  CHECK(found.place == PatchStage::MlpAdded);
  analysis.place = PatchStage::MlpAdded;
  CHECK(found_features(pass, analysis).tables.at(0).values == found.tables.at(0).values);
  for (const PatchStage place : {PatchStage::Residual, PatchStage::AttentionAdded}) {
    analysis.place = place;
    CHECK_THROWS_WITH(found_features(pass, analysis), ContainsSubstring("another place was chosen"));
  }
  // Of other dictionaries every place may be chosen.
  write_npz(analysis.dictionary, transcoder_arrays(pass.network().config().width, false));
  CHECK(found_features(pass, analysis).place == PatchStage::AttentionAdded);
  analysis.place.reset();
  CHECK(found_features(pass, analysis).place == PatchStage::Residual);
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
