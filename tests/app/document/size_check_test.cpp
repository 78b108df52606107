// Sessions over the memory budget: the commands that are refused, and the settings that mend them.
#include "app/document/document.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

constexpr double kBudget = 1e6;  // bytes: stages of 400 tokens take 3.2 MB, scores with multipliers 1.28 MB

Session large_session(Normalization normalization, double dropout) {
  Session session;
  session.layer.tokens.assign(400, "t");
  session.layer.embeddings = {Matrix::Constant(400, 2, 0.5f)};
  session.layer.attention.d_out = 2;
  session.layer.attention.normalization = normalization;
  session.layer.attention.dropout.probability = dropout;
  return session;
}

SetAttention settings(const Document& document, Normalization normalization, double dropout) {
  AttentionSettings changed = document.layer().attention;
  changed.normalization = normalization;
  changed.dropout.probability = dropout;
  return {changed};
}

std::string refusal(Document& document, const Command& command) {
  try {
    document.run(command);
  } catch (const Error& error) {
    return error.where();
  }
  return "";
}

}  // namespace

TEST_CASE("size: a session that is too large in two ways is mended one setting at a time") {
  Document document(large_session(Normalization::Sum, 0.5), {}, kBudget);
  CHECK(document.size_faults().normalization);
  CHECK(document.size_faults().dropout);
  SECTION("dropout first") {
    document.run(settings(document, Normalization::Sum, 0));
    CHECK_FALSE(document.size_faults().dropout);
    document.run(settings(document, Normalization::Softmax, 0));
  }
  SECTION("normalization first") {
    document.run(settings(document, Normalization::Softmax, 0.5));
    CHECK_FALSE(document.size_faults().normalization);
    document.run(settings(document, Normalization::Softmax, 0));
  }
  CHECK_FALSE(document.size_faults().any());
}

TEST_CASE("size: what was mended stays mended, and nothing new comes in") {
  Document document(large_session(Normalization::Softmax, 0), {}, kBudget);
  CHECK(refusal(document, settings(document, Normalization::Sum, 0)) == "normalization");
  CHECK(refusal(document, settings(document, Normalization::Softmax, 0.5)) == "dropout");
  CHECK_FALSE(document.can_undo());
  Document half(large_session(Normalization::Sum, 0), {}, kBudget);
  CHECK(refusal(half, settings(half, Normalization::Sum, 0.5)) == "dropout");
}

TEST_CASE("size: a fault that is there may not grow, and other edits pass") {
  Document document(large_session(Normalization::Sum, 0), {}, kBudget);
  CHECK(refusal(document, InsertToken{0, "one more", false}) == "normalization");
  document.run(SetCells{{}, 0, 0, Matrix::Constant(1, 1, 2.0f)});
  document.run(RemoveToken{0});
  CHECK(document.layer().token_count() == 399);
}

TEST_CASE("size: a replaced model, undo and redo are looked at before as well") {
  Document document(large_session(Normalization::Sum, 0), {}, kBudget);
  document.run(settings(document, Normalization::Softmax, 0));
  CHECK_THROWS_AS(document.undo(), Error);
  CHECK(document.layer().attention.normalization == Normalization::Softmax);
  CHECK(document.can_undo());  // nothing has changed
  CHECK_FALSE(document.can_redo());
  const auto other = std::make_shared<Layer>(large_session(Normalization::Softmax, 0.5).layer);
  CHECK(refusal(document, ReplaceLayer{other, "Restore the lesson"}) == "dropout");
  CHECK(document.layer().attention.dropout.probability == 0);
}
