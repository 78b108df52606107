// Replacing the whole model, as lessons do: one step, whatever differs.
#include "app/document/document.h"
#include "engine/core/error.h"
#include "engine/model/lines.h"
#include "engine/model/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("replace model: inputs, settings and labels change in one step, with a name of its own") {
  Dice dice(17);
  Session session;
  session.title = "Title";
  session.model = random_model(dice);
  Document document(session);
  auto changed = std::make_shared<Model>(session.model);
  changed->embeddings[0](0, 0) += 1;
  changed->tokens[0] = "other";
  changed->attention.normalization = Normalization::Sum;
  insert_token(*changed, 0, "new", false);
  document.run(ReplaceModel{changed, "Restore the lesson"});
  CHECK(same_model(document.model(), *changed));
  CHECK(document.session().title == "Title");
  CHECK(document.undo_name() == "Restore the lesson");
  document.undo();
  CHECK(same_model(document.model(), session.model));
  CHECK(document.saved());
  document.redo();
  CHECK(same_model(document.model(), *changed));
}

TEST_CASE("replace model: a model that is not valid is refused and nothing changes") {
  Dice dice(18);
  Session session;
  session.model = random_model(dice);
  Document document(session);
  auto broken = std::make_shared<Model>(session.model);
  broken->tokens.emplace_back("without an embedding");
  CHECK_THROWS_AS(document.run(ReplaceModel{broken, "x"}), Error);
  CHECK(same_model(document.model(), session.model));
  CHECK_FALSE(document.can_undo());
}
