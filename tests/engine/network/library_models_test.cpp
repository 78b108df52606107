// Special cases of the families against the transformers library (tests/golden/README.md).
#include <set>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/interpretation/attribution.h"
#include "engine/interpretation/logit_lens.h"
#include "engine/network/known_families.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr float kShareNear = 3e-4f;  // relative to the largest number

struct LibraryGolden {
  std::string folder;
  NamedArray array(const std::string& name) const { return read_array(folder + "/golden.npz", name); }
  std::vector<std::int32_t> ids() const {
    const NamedArray ids = array("ids");
    return {ids.values.begin(), ids.values.end()};
  }
  bool has(const std::string& name) const {
    for (const ArrayEntry& entry : list_arrays(folder + "/golden.npz"))
      if (entry.name == name) return true;
    return false;
  }
};

LibraryGolden golden_of(const std::string& name) {
  return {source_root() + "/tests/golden/library/" + name};
}

bool agrees(const MatrixRef& computed, const Matrix& golden) {
  return largest_difference(computed, golden) < kShareNear * golden.cwiseAbs().maxCoeff();
}

// The names of the folders, each a family or a special case of one.
std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() + "/tests/golden/library"))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// prefix: of the side, or empty.
void check_side(NetworkPass& pass, const LibraryGolden& golden, const std::string& prefix = "") {
  const NetworkConfig& c = pass.network().config();
  const NamedArray residual = golden.array(prefix + "residual");
  REQUIRE(residual.shape.front() == c.layers + 1);
  for (Index layer = 0; layer <= c.layers; ++layer) {
    INFO(prefix << "residual " << layer);
    CHECK(agrees(pass.residual(layer), golden_matrix(residual, layer)));
  }
  for (Index layer = 0; layer < c.layers; ++layer) {
    const NamedArray weights = golden.array(prefix + "weights." + std::to_string(layer));
    for (Index head = 0; head < c.heads; ++head) {
      INFO(prefix << "weights " << layer << ", head " << head);
      CHECK(agrees(pass.attention_weights(layer, head), golden_matrix(weights, head)));
    }
  }
  if (golden.has(prefix + "output"))
    CHECK(agrees(pass.output(), golden_matrix(golden.array(prefix + "output"))));
}

// Every stage of a layer as the evaluator computes it goes on to the layer's weights and to what is added.
void check_layers(NetworkPass& pass) {
  const NetworkConfig& c = pass.network().config();
  for (Index layer = 0; layer < c.layers; ++layer) {
    const Evaluator evaluator = evaluate(layer_at(pass, layer));
    for (Index head = 0; head < c.heads; ++head)
      CHECK(agrees(evaluator.matrix(Stage::Weights, 0, head), pass.attention_weights(layer, head)));
    CHECK(agrees(evaluator.matrix(Stage::Concat, 0, 0), pass.concat(layer)));
  }
}

void check_pass(NetworkPass& pass, const LibraryGolden& golden) {
  check_side(pass, golden);
  if (golden.has("logits"))
    CHECK(agrees(pass.logits(0, pass.token_count()), golden_matrix(golden.array("logits"))));
  CHECK(pass.network().predicts() == golden.has("logits"));
  check_layers(pass);
}

void check_two_sides(const std::shared_ptr<const Network>& network, const LibraryGolden& golden) {
  const auto ids = [&](const std::string& name) {
    const NamedArray array = golden.array(name);
    return std::vector<std::int32_t>(array.values.begin(), array.values.end());
  };
  NetworkPass decoder(network);
  decoder.encoder()->set_ids(ids("encoder.ids"));
  check_side(*decoder.encoder(), golden, "encoder.");
  decoder.set_ids(ids("decoder.ids"));
  decoder.follow_encoder();
  check_side(decoder, golden, "decoder.");
  const NetworkConfig& c = network->config();
  for (Index layer = 0; layer < c.layers; ++layer) {
    const NamedArray weights = golden.array("cross.weights." + std::to_string(layer));
    for (Index head = 0; head < c.heads; ++head)
      CHECK(agrees(decoder.cross_weights(layer, head), golden_matrix(weights, head)));
  }
  CHECK(agrees(decoder.logits(0, decoder.token_count()), golden_matrix(golden.array("logits"))));
}

void check_image(const std::shared_ptr<const Network>& network, const LibraryGolden& golden) {
  const NamedArray image = golden.array("image");
  NetworkPass pass(network);
  pass.set_image(
      Eigen::Map<const Matrix>(image.values.data(), image.shape[0], image.shape[1] * image.shape[2]));
  check_side(pass, golden);
  const NamedArray logits = golden.array("logits");
  CHECK(agrees(pass.logits(0, 1), Eigen::Map<const Matrix>(logits.values.data(), 1, logits.shape[0])));
}

void check_model(const std::filesystem::path& folder, const LibraryGolden& golden) {
  const auto network = std::make_shared<const Network>(folder);
  for (const std::string& note : network->notes())
    CHECK(note.starts_with("there are no predictions"));
  if (network->encoder()) return check_two_sides(network, golden);
  if (network->reads_images()) return check_image(network, golden);
  NetworkPass pass(network);
  pass.set_ids(golden.ids());
  check_pass(pass, golden);
}

// A copy of a golden folder whose config.json can be changed.
struct LibraryCopy {
  explicit LibraryCopy(const std::string& name) : golden(golden_of(name)) {
    for (const char* file : {"config.json", "model.safetensors"})
      std::filesystem::copy_file(golden.folder + "/" + file, folder.path() / file);
  }
  void replace(const std::string& from, const std::string& to) const {
    std::ifstream file(folder.path() / "config.json");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(text.find(from) != std::string::npos);
    folder.write("config.json", text.replace(text.find(from), from.size(), to));
  }

  LibraryGolden golden;
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("library models: every family agrees with the library") {
  const std::vector<std::string> names = library_names();
  CHECK(names.size() == 55);
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    INFO(name);
    check_model(golden_of(name).folder, golden_of(name));
    seen.insert(Network(golden_of(name).folder).config().family->name);
  }
  CHECK(seen.size() == known_families().size());
}

TEST_CASE("library models: rotary positions may stand in rope_parameters") {
  const LibraryCopy neox("gpt_neox_rotary");
  for (const char* member : {"\"partial_rotary_factor\": 0.5,", "\"rope_theta\": 10000,",
                             "\"rotary_emb_base\": 10000,", "\"rotary_pct\": 0.5,"})
    neox.replace(member, "");
  neox.replace("\"model_type\"",
               "\"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 10000.0, "
               "\"partial_rotary_factor\": 0.5}, \"model_type\"");
  check_model(neox.folder.path(), neox.golden);
  const LibraryCopy yarn("llama_yarn");
  yarn.replace("\"rope_theta\": 10000.0,", "");
  yarn.replace("\"rope_scaling\": {", "\"rope_parameters\": {\"rope_theta\": 10000.0,");
  check_model(yarn.folder.path(), yarn.golden);
}

TEST_CASE("library models: theta that grows with a text does so whatever the text was before") {
  const LibraryGolden golden = golden_of("llama_dynamic");
  const std::vector<std::int32_t> ids = golden.ids();
  NetworkPass pass(std::make_shared<const Network>(golden.folder));
  REQUIRE(static_cast<Index>(ids.size()) > pass.network().config().positions);
  pass.set_ids({ids.begin(), ids.begin() + 4});
  const Matrix before = pass.residual(1);
  pass.set_ids(ids);
  check_pass(pass, golden);
  pass.set_ids({ids.begin(), ids.end() - 1});
  NetworkPass other(pass.network_owner());
  other.set_ids({ids.begin(), ids.end() - 1});
  CHECK(largest_difference(pass.residual(2), other.residual(2)) < kRounding);
  pass.set_ids({ids.begin(), ids.begin() + 4});
  CHECK(largest_difference(pass.residual(1), before) < kRounding);
}

TEST_CASE("library models: without a head everything but predictions is there, and it is said why") {
  const LibraryGolden golden = golden_of("llama_headless");
  NetworkPass pass(std::make_shared<const Network>(golden.folder));
  pass.set_ids(golden.ids());
  CHECK_FALSE(pass.network().predicts());
  CHECK(pass.network().missing_head().find("lm_head.weight") != std::string::npos);
  REQUIRE(pass.network().notes().size() == 1);
  CHECK(pass.network().notes().front().find("lm_head.weight") != std::string::npos);
  const std::vector<std::function<void()>> asking = {[&] { pass.logits(0, 1); },
                                                     [&] { logit_lens(pass, 0, 1); },
                                                     [&] {
                                                       attribute(pass, {0, 0, {}});
                                                     }};
  for (const auto& ask : asking) {
    try {
      ask();
      FAIL("a model without a head predicts");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("lm_head.weight") != std::string::npos);
      CHECK(std::string(error.what()).find("AutoModelForCausalLM") != std::string::npos);
    }
  }
}
