#include "tests/bench/model_works.h"

#include <cstdio>
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

// Writes config.json and weights from -0.05 to 0.05, in chunks.
void write_model(const headlight_test::TemporaryFolder& folder) {
  folder.write("config.json", kConfig);
  std::string header = "{";
  Index at = 0;
  for (const Named& one : tensors()) {
    const Index numbers = std::max<Index>(1, one.rows) * one.columns;
    const std::string shape =
        (one.rows > 0 ? std::to_string(one.rows) + "," : "") + std::to_string(one.columns);
    header += (at > 0 ? ",\"" : "\"") + one.name + R"(":{"dtype":"F32","shape":[)" + shape +
              R"(],"data_offsets":[)" + std::to_string(at * 4) + "," + std::to_string((at + numbers) * 4) +
              "]}";
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
    file.write(reinterpret_cast<const char*>(piece.data()),
               count * static_cast<std::streamsize>(sizeof(float)));
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

void time_model(const std::shared_ptr<const Network>& network, Index tokens,
                const std::function<void(const Row&)>& report) {
  const Size size = {tokens, kWidth, kHeads};
  const std::vector<std::int32_t> ids = ids_of(tokens);
  NetworkPass pass(network);
  const auto add = [&](const std::string& name, double operations, const std::function<void(int)>& work,
                       const std::function<void()>& prepare) {
    const Timed all = timed(work, prepare);
    report({name, size, true, all.ms, operations, all.runs});
  };
  add(
      "model_forward", forward_operations(tokens), [&](int) { pass.logits(0, tokens); },
      [&] {
        std::vector<std::int32_t> others = ids;
        for (std::int32_t& id : others)
          id += 1;
        pass.set_ids(others);
        pass.set_ids(ids);
      });
  const auto nothing = [] {};
  for (const Index layer : {Index{0}, kLayers / 2, kLayers - 1})
    add(
        "model_toggle_head_" + std::to_string(layer), 0,
        [&](int run) {
          pass.set_heads(layer, run % 2 == 0 ? HeadStates{HeadState::Off} : HeadStates{});
          pass.logits(tokens - 1, 1);
        },
        nothing);
  const Factor& value = pass.layer_weights(kLayers / 2).value;
  OwnWeights own = {widened(value), widened_bias(value)};
  add(
      "model_edit_weight", 0,
      [&](int run) {
        own.w(5, 7) = 0.01f * static_cast<float>(run % 7);
        pass.set_weights(kLayers / 2, Parameter::Value, std::make_shared<OwnWeights>(own));
        pass.logits(tokens - 1, 1);
      },
      nothing);
}

}  // namespace

void time_models(const std::function<bool(Index)>& wanted, const std::function<void(const Row&)>& report) {
  std::vector<Index> texts;
  for (const Index tokens : {Index{64}, Index{256}, Index{1024}})
    if (wanted(tokens)) texts.push_back(tokens);
  if (texts.empty()) return;
  const headlight_test::TemporaryFolder folder;
  write_model(folder);
  const auto network = std::make_shared<const Network>(folder.path());
  for (const Index tokens : texts)
    time_model(network, tokens, report);
}

}  // namespace headlight_bench
