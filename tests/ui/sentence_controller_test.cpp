// The sentence of the start screen: its model is read in the background, and the session on it has the text.
#include "app/shell/sentence_controller.h"

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "app/shell/model_session.h"
#include "engine/interpretation/open_model.h"
#include "engine/json/json_document.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using headlight_test::ContainsSubstring;

namespace {

const std::string kWordsModel = headlight_test::source_root() + "/assets/examples/words";

// Follows until the running job's result is in the state.
void follow_to_end(SentenceController& controller, const std::filesystem::path& folder,
                   SentenceState& state) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  controller.follow(folder, state);
  while (!controller.follow(folder, state)) {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error("the sentence is not read");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

TEST_CASE(
    "sentence controller: a model that cannot be opened is said, and asked for again with the next text") {
  const headlight_test::TemporaryFolder empty;
  SentenceController controller([] {});
  SentenceState state;
  CHECK_FALSE(controller.follow({}, state));  // no model is bundled
  CHECK(controller.idle());
  follow_to_end(controller, empty.path(), state);
  CHECK_THAT(state.trouble, ContainsSubstring(empty.path().string()));
  CHECK_FALSE(state.reading);
  CHECK_FALSE(controller.follow(empty.path(), state));
  CHECK(controller.idle());  // the same text is not tried again
  state.text = "When Ann went out";
  follow_to_end(controller, kWordsModel, state);
  CHECK(state.trouble.empty());
  REQUIRE(state.reading);
  CHECK(state.reading->text == "When Ann went out");
}

TEST_CASE("sentence controller: the session on the model has the sentence and the layer") {
  SentenceController controller([] {});
  SentenceState state;
  follow_to_end(controller, kWordsModel, state);
  REQUIRE(state.reading);
  for (Index layer = 0; layer < state.reading->layers; ++layer) {
    const Session session = controller.session_of(*state.reading, std::nullopt, layer);
    CHECK(session.work->on == ModelChanges());
    REQUIRE(session.work);
    CHECK(session.work->text == state.reading->text);
    CHECK(session.work->ids == state.reading->ids);
    CHECK(session.work->layer == layer);
    CHECK(session.layer.token_count() == static_cast<Index>(state.reading->ids.size()));
  }
}

TEST_CASE(
    "sentence controller: what is supposed is read too, and is a change of the session that is opened") {
  SentenceController controller([] {});
  SentenceState state;
  follow_to_end(controller, kWordsModel, state);
  REQUIRE(state.reading);
  const std::shared_ptr<const TextReading> as_it_is = state.reading;
  state.supposed = MovedAttention{*as_it_is->leading_head, 12, 2, 4};
  follow_to_end(controller, kWordsModel, state);
  REQUIRE(state.supposing);
  CHECK(state.supposing->supposed == state.supposed);
  CHECK(state.reading == as_it_is);  // the same text is not read again
  CHECK(state.supposing->next.back().front().probability < as_it_is->next.back().front().probability - 0.2);

  const TextHead head = state.supposed->of;
  const Session session = controller.session_of(*as_it_is, state.supposed, head.layer);
  REQUIRE(session.work->on.patches.size() == 1);
  CHECK(session.work->on.patches == patches_of(*as_it_is, *state.supposed));
  NetworkPass pass(session.work->network);
  pass.set_ids(session.work->ids);
  pass.set_patches(session.work->on.patches);
  const Matrix weights = pass.attention_weights(head.layer, *head.head);
  CHECK(weights.row(12) == Matrix(state.supposing->weights_of(12, head)));

  state.supposed.reset();
  follow_to_end(controller, kWordsModel, state);
  CHECK_FALSE(state.supposing);
}

TEST_CASE("model session: a model opens with words of its own where the usual ones come to too many tokens") {
  const headlight_test::ModelCopy copy("gpt2");
  // Words are tokens if they are in the vocabulary, else they are spelled; and those of the usual text are
  // not.
  Json tokenizer = parse_json(copy.text("tokenizer.json"));
  Json& model = tokenizer["model"];
  model["ignore_merges"] = true;
  model["merges"] = Json::array();
  Json words = Json::object();
  for (const auto& [word, id] : model["vocab"].items()) {
    const bool usual =
        word.size() > 3 && std::string("Ġcat Ġsat Ġmat Ġthe Ġbecause").find(word) != std::string::npos;
    words[usual ? word + "QQ" : word] = id;
  }
  model["vocab"] = words;
  copy.write("tokenizer.json", tokenizer.dump());
  const Session session = model_session(copy.path());
  const std::vector<std::int32_t>& ids = session.work->ids;
  REQUIRE(ids.size() >= 13);
  const std::size_t first = ids.size() - 12;  // the first word has no blank before it and may be spelled
  for (std::size_t i = first; i < first + 4; ++i)
    CHECK(ids[i + 8] == ids[i]);
  CHECK(std::set<std::int32_t>(ids.begin() + static_cast<std::ptrdiff_t>(first),
                               ids.begin() + static_cast<std::ptrdiff_t>(first) + 7)
            .size() == 7);
}

TEST_CASE("model session: without a tokenizer a model opens with the first ids") {
  const headlight_test::ModelCopy copy("gpt2");
  std::filesystem::remove(copy.path() / "tokenizer.json");
  CHECK(model_session(copy.path()).work->ids == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
}
