// Families with other options than the library's goldens have, against a plain NumPy computation
// (tests/golden/README.md).
#include <fstream>

#include "engine/arrays/safetensors.h"
#include "engine/attention/evaluator.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "engine/network/known_families.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr float kShareOfLargest = 3e-4f;

// As generate_variants.py draws them.
std::vector<float> drawn(std::uint32_t tensor, std::size_t count, double middle, double spread) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 2654435761u + 40503u * (tensor + 1);
    for (const int shift : {16, 13}) {
      h ^= h >> shift;
      h *= 2246822519u;
    }
    h ^= h >> 16;
    numbers.push_back(static_cast<float>(middle + spread * (h / 4294967296.0 - 0.5)));
  }
  return numbers;
}

// The model's folder.
void write_folder(const Json& variant, const TemporaryFolder& folder) {
  folder.write("config.json", variant.at("config").dump());
  std::vector<std::vector<float>> numbers;
  std::vector<TensorValues> tensors;
  for (const auto& [name, told] : variant.at("tensors").items()) {
    TensorValues tensor{name, {}, nullptr};
    std::size_t count = 1;
    for (std::size_t i = 0; i + 2 < told.size(); ++i) {
      tensor.shape.push_back(told[i].get<Index>());
      count *= told[i].get<std::size_t>();
    }
    const auto number = static_cast<std::uint32_t>(tensors.size());
    numbers.push_back(
        drawn(number, count, told[told.size() - 2].get<double>(), told[told.size() - 1].get<double>()));
    tensors.push_back(tensor);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    tensors[i].values = numbers[i].data();
  AtomicFile file(folder.path() / "model.safetensors");
  write_safetensors(tensors, SavedFloat::F32, file);
  file.commit();
}

struct Stored {
  std::vector<Index> shape;
  std::vector<float> numbers;
};
Stored stored(const Json& array) {
  return {array.at("shape").get<std::vector<Index>>(), array.at("numbers").get<std::vector<float>>()};
}

std::vector<std::int32_t> ids_of(const Json& variant, const char* name) {
  const std::vector<float> numbers = stored(variant.at("inputs").at(name)).numbers;
  return {numbers.begin(), numbers.end()};
}

// Compares the last rows, as many as are stored.
void check_rows(const std::string& name, const Matrix& computed, const float* numbers, Index rows) {
  const Eigen::Map<const Matrix> expected(numbers, rows, computed.cols());
  INFO(name);
  CHECK(largest_difference(computed.bottomRows(rows), expected) <
        kShareOfLargest * std::max(1e-3f, expected.cwiseAbs().maxCoeff()));
}

class VariantCheck {
 public:
  VariantCheck(const Json& variant, std::shared_ptr<const Network> network)
      : arrays_(variant.at("arrays")), network_(std::move(network)) {
    NetworkPass pass(network_);
    if (network_->reads_images()) {
      const Stored image = stored(variant.at("inputs").at("image"));
      pass.set_image(
          Eigen::Map<const Matrix>(image.numbers.data(), image.shape[0], image.shape[1] * image.shape[2]));
    } else if (network_->encoder()) {
      pass.encoder()->set_ids(ids_of(variant, "encoder.ids"));
      check_side(*pass.encoder(), "encoder.");
      pass.set_ids(ids_of(variant, "decoder.ids"));
      pass.follow_encoder();
      check_cross(pass);
    } else {
      pass.set_ids(ids_of(variant, "ids"));
      check_layers(pass);
    }
    check_side(pass, network_->encoder() ? "decoder." : "");
    const Index rows = network_->reads_images() ? 1 : 2;
    const Matrix logits = pass.logits(0, network_->reads_images() ? 1 : pass.token_count());
    check_rows("logits", logits, stored(arrays_.at("logits")).numbers.data(), rows);
    CHECK(seen_ == arrays_.size() - 1);
  }

 private:
  void check_side(NetworkPass& pass, const std::string& side) {
    const NetworkConfig& c = pass.network().config();
    check_array(side + "residual", pass.residual(c.layers));
    for (Index layer = 0; layer < c.layers; ++layer)
      check_heads(side + "weights." + std::to_string(layer), c.heads,
                  [&](Index head) { return pass.attention_weights(layer, head); });
    if (arrays_.contains(side + "output")) check_array(side + "output", pass.output());
  }
  void check_cross(NetworkPass& pass) {
    const NetworkConfig& c = pass.network().config();
    for (Index layer = 0; layer < c.layers; ++layer)
      check_heads("cross.weights." + std::to_string(layer), c.heads,
                  [&](Index head) { return pass.cross_weights(layer, head); });
  }
  // The evaluator computes a layer as the pass does.
  void check_layers(NetworkPass& pass) {
    for (Index layer = 0; layer < network_->config().layers; ++layer) {
      const Evaluator evaluator = evaluate(layer_at(pass, layer));
      const Matrix concat = pass.concat(layer);
      CHECK(largest_difference(evaluator.matrix(Stage::Concat, 0, 0), concat) <
            kShareOfLargest * std::max(1e-3f, concat.cwiseAbs().maxCoeff()));
    }
  }
  void check_array(const std::string& name, const Matrix& computed) {
    const Stored expected = stored(arrays_.at(name));
    check_rows(name, computed, expected.numbers.data(), expected.shape[0]);
    ++seen_;
  }
  void check_heads(const std::string& name, Index heads, const std::function<Matrix(Index)>& weights_of) {
    const Stored expected = stored(arrays_.at(name));
    REQUIRE(expected.shape[0] == heads);
    const Index rows = expected.shape[1];
    for (Index head = 0; head < heads; ++head)
      check_rows(name + ", head " + std::to_string(head), weights_of(head),
                 expected.numbers.data() + head * rows * expected.shape[2], rows);
    ++seen_;
  }

  const Json& arrays_;
  std::shared_ptr<const Network> network_;
  std::size_t seen_ = 0;
};

}  // namespace

TEST_CASE("variant models: other options of every family agree with a plain computation") {
  for (const Family* family : known_families()) {
    std::ifstream file(source_root() + "/tests/golden/variants/" + family->name.data() + ".json");
    const Json variants = Json::parse(file);
    CHECK(variants.size() >= 2);
    for (const Json& variant : variants) {
      INFO(variant.at("config").dump());
      const TemporaryFolder folder;
      write_folder(variant, folder);
      const auto network = std::make_shared<const Network>(folder.path());
      CHECK(network->notes().empty());
      VariantCheck(variant, network);
    }
  }
}
