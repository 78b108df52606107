// Gradients of the sessions of tests/golden/gradients against differences computed by NumPy in float64.
#include <cmath>
#include <filesystem>
#include <set>

#include "engine/arrays/catalog.h"
#include "engine/learning/gradients.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/random_goals.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

const fs::path kGradientsFolder = fs::path(source_root()) / "tests/golden/gradients";

std::vector<fs::path> gradient_cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kGradientsFolder))
    if (entry.path().extension() == ".headlight") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<float> numbers_of(const std::vector<Matrix>& matrices) {
  std::vector<float> numbers;
  for (const Matrix& matrix : matrices)
    numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
  return numbers;
}

// By its name in a golden. grad.output is the matrix's where there is one, and grad.output_stage the stage's.
std::vector<float> gradient_named(const std::string& name, const Layer& layer, const Gradients& all) {
  if (name == "key_embeddings") return numbers_of(all.key_embeddings);
  if (name == "output_stage") return numbers_of(all.of(Stage::Output));
  for (const Parameter p : kParameters) {
    if (name == parameter_name(p) && layer.uses(p)) return numbers_of({all.matrix(p)});
    if (name == std::string(parameter_name(p)) + "_bias") return numbers_of({all.bias(p)});
  }
  const auto stage = stage_from_name(name);
  REQUIRE(stage.has_value());
  return numbers_of(all.of(*stage));
}

}  // namespace

TEST_CASE("golden gradients: every stage, input and loss of every case") {
  REQUIRE(gradient_cases().size() == 21);
  std::set<Stage> goals;
  for (const fs::path& file : gradient_cases()) {
    INFO(file.stem().string());
    const Session session = load_session(file);
    REQUIRE(session.goal != nullptr);
    goals.insert(session.goal->stage);
    const Gradients all = gradients(session.layer, *session.goal);
    const fs::path golden = kGradientsFolder / (file.stem().string() + ".golden.npz");
    for (const ArrayEntry& entry : list_arrays(golden)) {
      if (entry.name.starts_with("step.")) continue;  // golden_training_test.cpp
      const NamedArray array = read_array(golden, entry.name);
      INFO(array.name);
      const std::vector<float> got = array.name == "loss"
                                         ? std::vector{static_cast<float>(all.loss)}
                                         : gradient_named(array.name.substr(5), session.layer, all);
      REQUIRE(got.size() == array.values.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        INFO("number " << i);
        CHECK(std::abs(got[i] - array.values[i]) <= 4e-6f * std::max(1.0f, std::abs(array.values[i])));
      }
    }
  }
  CHECK(goals.size() >= 9);
}

TEST_CASE("golden gradients: a goal is saved and opened again") {
  for (const fs::path& file : gradient_cases()) {
    INFO(file.stem().string());
    const Session session = load_session(file);
    CHECK(*parse_session(session_text(session), kGradientsFolder, "x").goal == *session.goal);
  }
}
