#include "tests/bench/model_works.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/network/network_pass.h"
#include "tests/bench/timing.h"
#include "tests/support/temporary_folder.h"

namespace headlight_bench {
namespace {

using namespace headlight;

constexpr Index kWidth = 768, kLayers = 12, kHeads = 12, kVocabulary = 50257, kPositions = 1024;

constexpr std::array<Index, 5> kForwards = {1, 16, 64, 256, 1024};  // tokens

constexpr const char* kConfig = R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
 "n_positions": 1024, "vocab_size": 50257})";

struct Named {
  std::string name;
  Index rows, columns;  // rows 0: one axis
};

std::vector<Named> tensors() {
  std::vector<Named> all = {{"wte.weight", kVocabulary, kWidth}, {"wpe.weight", kPositions, kWidth}};
  const auto with_bias = [&](const std::string& name, Index rows, Index columns) {
    all.push_back({name + ".weight", rows, columns});
    all.push_back({name + ".bias", 0, columns});
  };
  for (Index i = 0; i < kLayers; ++i) {
    const std::string h = "h." + std::to_string(i) + ".";
    with_bias(h + "ln_1", 0, kWidth);
    with_bias(h + "attn.c_attn", kWidth, 3 * kWidth);
    with_bias(h + "attn.c_proj", kWidth, kWidth);
    with_bias(h + "ln_2", 0, kWidth);
    with_bias(h + "mlp.c_fc", kWidth, 4 * kWidth);
    with_bias(h + "mlp.c_proj", 4 * kWidth, kWidth);
  }
  with_bias("ln_f", 0, kWidth);
  return all;
}

// The upper half of each float32.
std::vector<std::uint16_t> shortened(const std::vector<float>& numbers) {
  std::vector<std::uint16_t> halves;
  halves.reserve(numbers.size());
  for (const float number : numbers)
    halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16));
  return halves;
}

// Writes config.json and weights from -0.05 to 0.05, in chunks. type: F32 or BF16.
void write_model(const headlight_test::TemporaryFolder& folder, const std::string& type) {
  folder.write("config.json", kConfig);
  const Index number_bytes = type == "F32" ? 4 : 2;
  std::string header = "{";
  Index at = 0;
  for (const Named& one : tensors()) {
    const Index numbers = std::max<Index>(1, one.rows) * one.columns;
    const std::string shape =
        (one.rows > 0 ? std::to_string(one.rows) + "," : "") + std::to_string(one.columns);
    header += (at > 0 ? ",\"" : "\"") + one.name + R"(":{"dtype":")" + type + R"(","shape":[)" + shape +
              R"(],"data_offsets":[)" + std::to_string(at * number_bytes) + "," +
              std::to_string((at + numbers) * number_bytes) + "]}";
    at += numbers;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::ofstream file(folder / "model.safetensors", std::ios::binary);
  const std::uint64_t size = header.size();
  file.write(reinterpret_cast<const char*>(&size), sizeof size);
  file << header;
  std::vector<float> piece(1 << 20);
  std::uint32_t state = 1;
  for (Index done = 0; done < at; done += static_cast<Index>(piece.size())) {
    for (float& number : piece) {
      state = state * 1664525u + 1013904223u;
      number = (static_cast<float>(state >> 8) / 16777216.0f - 0.5f) * 0.1f;
    }
    const auto count = static_cast<std::streamsize>(std::min(at - done, static_cast<Index>(piece.size())));
    if (type == "F32")
      file.write(reinterpret_cast<const char*>(piece.data()), count * number_bytes);
    else
      file.write(reinterpret_cast<const char*>(shortened(piece).data()), count * number_bytes);
  }
}

std::vector<std::int32_t> ids_of(Index tokens) {
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < tokens; ++i)
    ids.push_back(static_cast<std::int32_t>(i * 7 % kVocabulary));
  return ids;
}

double forward_operations(Index count) {
  const auto tokens = static_cast<double>(count), d = static_cast<double>(kWidth);
  const double layer = 12 * tokens * d * d + tokens * tokens * d;  // the causal mask halves two products
  return 2 * (static_cast<double>(kLayers) * layer + tokens * d * static_cast<double>(kVocabulary));
}

// Bytes of the weights that every token is multiplied by: those of the layers and of the vocabulary.
double weight_bytes(const std::string& type) {
  const auto d = static_cast<double>(kWidth);
  const double numbers = static_cast<double>(kLayers) * 12 * d * d + static_cast<double>(kVocabulary) * d;
  return numbers * (type == "F32" ? 4 : 2);
}

// The works of one model. Names of rows begin with `prefix`.
class ModelBench {
 public:
  ModelBench(std::shared_ptr<const Network> network, std::string prefix, double read_ms,
             const std::function<void(const Row&)>& report)
      : network_(std::move(network)), prefix_(std::move(prefix)), read_ms_(read_ms), report_(report) {}

  // What reading the weights once takes at the machine's copy speed: the least time of any pass.
  void read_weights() { report_({prefix_ + "read_weights", {1, kWidth, kHeads}, true, read_ms_, 0, 1}); }

  // Keeps the panels that the works below use, as the window does while it waits for a question.
  void keep() {
    const auto begun = std::chrono::steady_clock::now();
    if (keep_panels(network_->weights()).kept == 0) return;
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
    report_({prefix_ + "keep_panels", {1, kWidth, kHeads}, true, ms, 0, 1});
  }

  void forward(Index tokens) {
    NetworkPass pass(network_);
    std::vector<std::int32_t> ids = ids_of(tokens), others = ids;
    for (std::int32_t& id : others)
      id += 1;
    add(
        "model_forward", tokens, forward_operations(tokens), [&](int) { pass.logits(0, tokens); },
        [&] {
          pass.set_ids(others);
          pass.set_ids(ids);
        });
  }

  // From one token more to its predictions.
  void append(Index tokens) {
    NetworkPass pass(network_);
    const std::vector<std::int32_t> ids = ids_of(tokens);
    std::vector<std::int32_t> longer = ids;
    longer.push_back(0);
    pass.set_ids(ids);
    pass.logits(tokens - 1, 1);
    add(
        "model_append", tokens, 0,
        [&](int run) {
          longer.back() = run % static_cast<int>(kVocabulary);
          pass.set_ids(longer);
          pass.logits(tokens, 1);
        },
        [&] { pass.set_ids(ids); });
  }

  // Interventions, from the change to the predictions of the last token.
  void edits(Index tokens) {
    NetworkPass pass(network_);
    pass.set_ids(ids_of(tokens));
    pass.logits(0, tokens);
    const auto nothing = [] {};
    for (const Index layer : {Index{0}, kLayers / 2, kLayers - 1})
      add(
          "model_toggle_head_" + std::to_string(layer), tokens, 0,
          [&](int run) {
            pass.set_heads(layer, run % 2 == 0 ? HeadStates{HeadState::Off} : HeadStates{});
            pass.logits(tokens - 1, 1);
          },
          nothing);
    const Factor& value = pass.layer_weights(kLayers / 2).value;
    OwnWeights own = {widened(value), widened_bias(value)};
    add(
        "model_edit_weight", tokens, 0,
        [&](int run) {
          own.w(5, 7) = 0.01f * static_cast<float>(run % 7);
          pass.set_weights(kLayers / 2, Parameter::Value, std::make_shared<OwnWeights>(own));
          pass.logits(tokens - 1, 1);
        },
        nothing);
  }

 private:
  void add(const std::string& name, Index tokens, double operations, const std::function<void(int)>& work,
           const std::function<void()>& prepare) {
    const Timed all = timed(work, prepare);
    const Index rows = name == "model_append" ? 1 : tokens;
    Row row = {prefix_ + name, {tokens, kWidth, kHeads}, true, all.ms, operations, all.runs};
    if (rows <= kReadingBound) row.read_ms = read_ms_;
    report_(row);
  }

  static constexpr Index kReadingBound = 16;  // rows up to which reading the weights bounds the time

  std::shared_ptr<const Network> network_;
  std::string prefix_;
  double read_ms_;
  const std::function<void(const Row&)>& report_;
};

void time_model(const std::string& type, const std::string& prefix, double copy_gb_per_s,
                const std::function<bool(Index)>& wanted, const std::function<void(const Row&)>& report) {
  const headlight_test::TemporaryFolder folder;
  write_model(folder, type);
  ModelBench bench(std::make_shared<const Network>(folder.path()), prefix,
                   weight_bytes(type) / copy_gb_per_s / 1e6, report);
  bench.read_weights();
  bench.keep();
  for (const Index tokens : {Index{20}, Index{256}})
    if (wanted(tokens)) bench.append(tokens);
  for (const Index tokens : kForwards)
    if (wanted(tokens)) bench.forward(tokens);
  if (type != "F32") return;
  for (const Index tokens : {Index{64}, Index{256}, Index{1024}})
    if (wanted(tokens)) bench.edits(tokens);
}

}  // namespace

void time_models(double copy_gb_per_s, const std::function<bool(Index)>& wanted,
                 const std::function<void(const Row&)>& report) {
  if (!wanted(20) && std::none_of(kForwards.begin(), kForwards.end(), wanted)) return;
  time_model("F32", "", copy_gb_per_s, wanted, report);
  time_model("BF16", "bf16_", copy_gb_per_s, wanted, report);
}

}  // namespace headlight_bench
