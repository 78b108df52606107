// Replacing the whole model, as lessons do: one step, whatever differs.
#include "app/document/document.h"
#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("replace model: inputs, settings and labels change in one step, with a name of its own") {
  Dice dice(17);
  Session session;
  session.title = "Title";
  session.layer = random_layer(dice);
  Document document(session);
  auto changed = std::make_shared<Layer>(session.layer);
  changed->embeddings[0](0, 0) += 1;
  changed->tokens[0] = "other";
  changed->attention.normalization = Normalization::Sum;
  insert_token(*changed, 0, "new", false);
  document.run(ReplaceLayer{changed, "Restore the lesson"});
  CHECK(same_layer(document.layer(), *changed));
  CHECK(document.session().title == "Title");
  CHECK(document.undo_name() == "Restore the lesson");
  document.undo();
  CHECK(same_layer(document.layer(), session.layer));
  CHECK(document.saved());
  document.redo();
  CHECK(same_layer(document.layer(), *changed));
}

TEST_CASE("replace model: a model that is not valid is refused and nothing changes") {
  Dice dice(18);
  Session session;
  session.layer = random_layer(dice);
  Document document(session);
  auto broken = std::make_shared<Layer>(session.layer);
  broken->tokens.emplace_back("without an embedding");
  CHECK_THROWS_AS(document.run(ReplaceLayer{broken, "x"}), Error);
  CHECK(same_layer(document.layer(), session.layer));
  CHECK_FALSE(document.can_undo());
}
