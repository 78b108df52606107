// Steps of training of the sessions of tests/golden/gradients against those computed by NumPy in float64.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "engine/arrays/catalog.h"
#include "engine/learning/layer_training.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;

namespace {

const std::filesystem::path kTrainingFolder =
    std::filesystem::path(headlight_test::source_root()) / "tests/golden/gradients";

std::vector<float> trained_numbers(const Layer& layer, const std::string& name) {
  std::vector<Matrix> matrices;
  if (name == "embeddings") matrices = layer.embeddings;
  for (const Parameter p : kParameters) {
    if (name == parameter_name(p)) matrices = {layer.weights.matrix(p)};
    if (name == std::string(parameter_name(p)) + "_bias") matrices = {layer.weights.bias(p)};
  }
  std::vector<float> numbers;
  for (const Matrix& matrix : matrices)
    numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
  return numbers;
}

void check_steps(const Session& session, const std::filesystem::path& golden) {
  LayerTraining training(session.layer, *session.goal, *session.training);
  std::size_t arrays = 0;
  for (const ArrayEntry& entry : list_arrays(golden)) {
    if (!entry.name.starts_with("step.")) continue;
    ++arrays;
    INFO(entry.name);
    const std::size_t dot = entry.name.find('.', 5);
    const Index steps = std::stoll(entry.name.substr(5, dot - 5));
    while (training.last_step() < steps)
      training.step();
    training.seek(steps);
    const NamedArray expected = read_array(golden, entry.name);
    const std::vector<float> got = trained_numbers(training.layer(), entry.name.substr(dot + 1));
    REQUIRE(got.size() == expected.values.size());
    float largest = 0;
    for (const float value : expected.values)
      largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(std::abs(got[i] - expected.values[i]) <= 5e-6f * largest);
  }
  CHECK(arrays >= 3);
}

}  // namespace

TEST_CASE("golden training: what is trained after 1, 2 and 5 steps of every optimizer") {
  std::set<OptimizerKind> kinds;
  std::size_t sessions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTrainingFolder)) {
    if (entry.path().extension() != ".headlight") continue;
    INFO(entry.path().stem().string());
    const Session session = load_session(entry.path());
    if (!session.training) continue;
    ++sessions;
    kinds.insert(session.training->optimizer);
    check_steps(session, kTrainingFolder / (entry.path().stem().string() + ".golden.npz"));
  }
  CHECK(sessions == 9);
  CHECK(kinds.size() == 3);
}
