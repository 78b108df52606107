// Masks in the document: a preset is one step, and so is one stroke of painting over any number of cells.
#include <variant>
#include <vector>

#include "app/document/document.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/layer/mask_presets.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Session causal_session() {
  Session session;
  session.layer.tokens = {"a", "b", "c", "d"};
  Dice dice(81);
  session.layer.embeddings = {dice.matrix(4, 3)};
  session.layer.attention.d_out = 3;
  session.layer.attention.mask = MaskKind::Causal;
  return session;
}

// The command of a stroke: the current mask with one more cell changed.
SetMask stroke(const Document& document, Index row, Index column, float value, std::uint64_t gesture) {
  Matrix mask = mask_matrix(document.layer());
  mask(row, column) = value;
  return {MaskKind::Custom, mask, gesture};
}

}  // namespace

TEST_CASE("mask command: a preset is one step, and undo brings back what was there") {
  Document document(causal_session());
  document.run(SetMask{MaskKind::Custom, window_mask(4, 1, 0)});
  CHECK(document.layer().attention.mask == MaskKind::Custom);
  CHECK(document.layer().custom_mask == window_mask(4, 1, 0));
  CHECK(document.undo_name() == "Change mask");
  document.undo();
  CHECK(document.layer().attention.mask == MaskKind::Causal);
  CHECK(document.layer().custom_mask.size() == 0);
  CHECK(document.saved());
  document.redo();
  CHECK(document.layer().custom_mask == window_mask(4, 1, 0));
}

TEST_CASE("mask command: a stroke over many cells that starts on a causal mask is one step") {
  Document document(causal_session());
  for (Index column = 1; column < 4; ++column)
    document.run(stroke(document, 0, column, 1, 7));
  CHECK(document.layer().custom_mask.row(0) == Matrix::Ones(1, 4));
  CHECK(document.layer().custom_mask.bottomRows(3) == causal_mask(4).bottomRows(3));
  CHECK(document.undo_name() == "Paint mask");
  document.undo();
  CHECK(document.layer().attention.mask == MaskKind::Causal);
  CHECK_FALSE(document.can_undo());
}

TEST_CASE("mask command: two strokes are two steps, and a stroke does not merge with a preset") {
  Document document(causal_session());
  document.run(SetMask{MaskKind::Custom, block_mask(4, 2)});
  document.run(stroke(document, 3, 0, 1, 8));
  document.run(stroke(document, 3, 1, 1, 9));
  document.undo();
  CHECK(document.layer().custom_mask(3, 0) == 1);
  CHECK(document.layer().custom_mask(3, 1) == 0);
  document.undo();
  CHECK(document.layer().custom_mask == block_mask(4, 2));
}

TEST_CASE("mask command: a mask of another shape or with other numbers is refused and changes nothing") {
  Document document(causal_session());
  const std::uint64_t revision = document.revision();
  CHECK_THROWS_AS(document.run(SetMask{MaskKind::Custom, open_mask(3)}), Error);
  CHECK_THROWS_AS(document.run(SetMask{MaskKind::Custom, Matrix::Constant(4, 4, 0.5f)}), Error);
  CHECK(document.layer().attention.mask == MaskKind::Causal);
  CHECK(document.layer().custom_mask.size() == 0);
  CHECK(document.revision() == revision);
  CHECK_FALSE(document.can_undo());
}

TEST_CASE("mask command: the edit passed on leads an evaluator to the same stages as a new one") {
  std::vector<Edit> edits;
  Document document(causal_session(), [&](const Edit& edit, std::uint64_t) { edits.push_back(edit); });
  Evaluator evaluator = evaluate(document.layer());
  document.run(SetMask{MaskKind::Custom, padding_mask(4, {0, 2})});
  REQUIRE(edits.size() == 1);
  evaluator.apply(edits[0]);
  evaluator.refresh();
  const Evaluator fresh = evaluate(document.layer());
  for (const Stage stage : stages_in_use(document.layer()))
    CHECK(same_bits(evaluator.matrix(stage, 0, 0), fresh.matrix(stage, 0, 0)));
}
