// Layers like those of real models: every stage of every case against plain NumPy in float64.
#include <filesystem>
#include <set>

#include "engine/arrays/catalog.h"
#include "engine/attention/evaluator.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/random_models.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

const fs::path kLayersFolder = fs::path(source_root()) / "tests/golden/layers";

std::vector<fs::path> cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kLayersFolder))
    if (entry.path().extension() == ".headlight") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// expected: B x heads x rows x columns, or B x rows x columns.
void check_stage(const Evaluator& evaluator, Stage stage, const NamedArray& expected) {
  const Layer& layer = evaluator.layer();
  const Index heads = stage_heads(layer, stage);
  const Index rows = stage_rows(layer, stage), columns = stage_columns(layer, stage);
  std::vector<Index> shape = {layer.sequence_count(), heads, rows, columns};
  if (!stage_info(stage).per_head) shape.erase(shape.begin() + 1);
  REQUIRE(expected.shape == shape);
  const float* numbers = expected.values.data();
  for (Index b = 0; b < layer.sequence_count(); ++b)
    for (Index h = 0; h < heads; ++h, numbers += rows * columns) {
      const Matrix& matrix = evaluator.matrix(stage, b, h);
      for (Index i = 0; i < matrix.size(); ++i) {
        if (matrix.data()[i] == numbers[i]) continue;  // also minus infinity
        INFO("sequence " << b << ", head " << h << ", number " << i);
        CHECK(std::abs(matrix.data()[i] - numbers[i]) <= 4e-6f * std::max(1.0f, std::abs(numbers[i])));
      }
    }
}

}  // namespace

TEST_CASE("golden layers: every stage of every case is that of the reference") {
  REQUIRE(cases().size() == 24);
  std::set<Stage> seen;
  for (const fs::path& file : cases()) {
    INFO(file.stem().string());
    const Evaluator evaluator = evaluate(load_session(file).layer);
    std::set<std::string> compared;
    const fs::path golden = kLayersFolder / (file.stem().string() + ".golden.npz");
    for (const ArrayEntry& entry : list_arrays(golden)) {
      const NamedArray array = read_array(golden, entry.name);
      INFO(array.name);
      const auto stage = stage_from_name(array.name);
      REQUIRE(stage.has_value());
      check_stage(evaluator, *stage, array);
      compared.insert(array.name);
      seen.insert(*stage);
    }
    for (const Stage stage : stages_in_use(evaluator.layer())) {
      const bool spare = stage == Stage::Dropped || stage == Stage::Output || stage == Stage::Embeddings;
      INFO(stage_info(stage).name);
      CHECK(compared.contains(std::string(stage_info(stage).name)) != spare);
    }
  }
  CHECK(seen.size() == kStageCount - 3);
}

TEST_CASE(
    "golden layers: a case that is saved and opened again is the same model, as text and as an archive") {
  const TemporaryFolder folder;
  for (const fs::path& file : cases()) {
    INFO(file.stem().string());
    const Session session = load_session(file);
    for (const SessionForm form : {SessionForm::Text, SessionForm::Archive}) {
      const fs::path copy = folder.path() / "copy.headlight";
      save_session(session, copy, form);
      CHECK(same_layer(load_session(copy).layer, session.layer));
    }
  }
}

TEST_CASE("layers: random ones are saved and opened again to the bit") {
  Dice dice(15);
  for (int i = 0; i < 300; ++i) {
    INFO("layer " << i);
    Session session;
    session.layer = random_cross_layer(dice);
    const Layer& layer = session.layer;
    const Layer read = parse_session(session_text(session), ".", "x").layer;
    // Unused weights are saved only as their recipe, so the models are compared by their stages.
    CHECK(read.tokens == layer.tokens);
    CHECK(read.key_tokens == layer.key_tokens);
    for (const Stage stage : stages_in_use(layer))
      REQUIRE(stage_exists(read, stage));
    const Evaluator a = evaluate(layer), b = evaluate(read);
    for (const Stage stage : stages_in_use(layer))
      for (Index h = 0; h < stage_heads(layer, stage); ++h)
        REQUIRE(same_numbers(a.matrix(stage, 0, h), b.matrix(stage, 0, h)));
  }
}
