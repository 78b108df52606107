// Goals and training: the first byte chooses a small layer; the bytes up to the first byte 1 are the value of
// "goal" in its session, and the rest is that of "training". What is accepted has a gradient, or a message
// why not, and a few steps of training that can be gone back.
#include <array>
#include <bit>

#include "engine/learning/gradients.h"
#include "engine/learning/layer_training.h"
#include "engine/session/session.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

namespace {

// Sessions without their last brace.
constexpr std::array<const char*, 5> kLayers = {
    R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b", "a"],
"embeddings": [[0.43, 0.15], [0.55, 0.87], [0.57, 0.85]],
"attention": {"projection": "linear", "d_out": 4, "num_heads": 2, "qkv_bias": true, "output_projection": true,
"mask": "causal"},
"weights": {"init": "linear", "seed": 123, "order": ["query", "key", "value", "output"]})",
    R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b"],
"embeddings": [[[0.4, 0.1], [0.5, 0.8]], [[0.2, 0.9], [0.7, 0.3]]],
"attention": {"projection": "none", "normalization": "sum", "scale": "none"})",
    R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b"], "embeddings": [[0.4, 0.1], [0.5, 0.8]],
"attention": {"projection": "linear", "d_out": 2, "num_heads": 1, "normalization": "naive_softmax", "softcap": 5,
"bias": [[0, "-inf"], [0.5, 0]], "dropout": {"probability": 0.5, "training": true, "seed": 3}},
"weights": {"init": "rand", "seed": 123, "order": ["query", "key", "value"]})",
    R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b"], "key_tokens": ["c", "d", "e"],
"embeddings": [[0.4, 0.1], [0.5, 0.8]], "key_embeddings": [[1, 0], [0, 1], [0.5, 0.5]],
"attention": {"projection": "linear", "d_out": 4, "num_heads": 2, "num_kv_heads": 1, "disabled_heads": [1],
"position": {"kind": "rope", "theta": 10000, "dims": 2, "pairs": "halves"}},
"weights": {"init": "rand", "seed": 5, "order": ["query", "key", "value"]})",
    R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b"],
"given": {"weights": [[[[1, 0], [0.25, 0.75]]]], "value": [[1, 2], [3, 4]]},
"attention": {"projection": "weights", "d_out": 2, "num_heads": 1})"};

// The input may close the member that it stands in and add others: such a layer may be of any size.
constexpr Index kMostNumbers = 4096;
bool is_small(const Layer& layer) {
  const Index pairs = layer.sequence_count() * layer.head_count() * layer.token_count() *
                      std::max<Index>(1, layer.key_count());
  return pairs + layer.token_count() * layer.d_in() + layer.d_in() * layer.d_out() < kMostNumbers;
}

// Each step and each one back has the same bits as before.
void train(const Session& session) {
  constexpr Index kSteps = 4;
  LayerTraining training(session.layer, *session.goal, session.training.value_or(TrainingSettings()));
  std::vector<double> losses = {training.loss()};
  const Index first = training.step_number();
  for (Index i = 0; i < kSteps && !training.divergence(); ++i)
    losses.push_back(training.step());
  for (Index step = training.last_step(); step >= first; --step) {
    training.seek(step);
    require(std::bit_cast<std::uint64_t>(training.loss()) ==
                std::bit_cast<std::uint64_t>(losses[static_cast<std::size_t>(step - first)]),
            "the loss of a step that is gone back to is the same");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string input = text_of(data + 1, size - 1);
  const std::size_t cut = std::min(input.find('\1'), input.size());
  const std::filesystem::path nowhere = "/var/empty/headlight";
  std::string text = kLayers[data[0] % kLayers.size()];
  if (cut > 0) text += ", \"goal\": " + input.substr(0, cut);
  if (cut + 1 < input.size()) text += ", \"training\": " + input.substr(cut + 1);
  Session session;
  try {
    session = parse_session(text + "}", nowhere, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  const std::string written = must_succeed([&] { return session_text(session); });
  const Session back = must_succeed([&] { return parse_session(written, nowhere, "written"); });
  require(must_succeed([&] { return session_text(back); }) == written, "a session is written the same twice");
  if (!session.goal || !is_small(session.layer)) return 0;
  try {
    gradients(session.layer, *session.goal);
    train(session);
  } catch (const Error&) {
  }
  return 0;
}
