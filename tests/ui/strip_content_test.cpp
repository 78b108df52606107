// What the strip shows: in each lesson the steps that it uses or points at, and behind "+" all others.
#include "app/ui/pipeline/strip_content.h"

#include <algorithm>
#include <filesystem>

#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/sessions.h"

using namespace headlight;
using headlight_test::lesson_session;

namespace {

std::vector<Session> course() {
  std::vector<Session> lessons;
  for (const auto& entry :
       std::filesystem::directory_iterator(headlight_test::source_root() + "/assets/lessons"))
    if (entry.path().extension() == ".headlight") lessons.push_back(load_session(entry.path()));
  std::sort(lessons.begin(), lessons.end(),
            [](const Session& a, const Session& b) { return a.lesson->order < b.lesson->order; });
  return lessons;
}

StripContent content_of(const Session& session, const StripAsked& asked = {}) {
  return strip_content(session.layer, session.lesson ? &*session.lesson : nullptr, asked);
}

}  // namespace

TEST_CASE("strip: stages have the names of the lesson's language, the others the usual ones") {
  Session session = lesson_session("16-causal-mask");
  session.lesson->language.labels = {{"stage_weights", "Gewichte"}};
  const StripContent content = content_of(session);
  CHECK(content.name(Stage::Weights) == "Gewichte");
  CHECK(content.name(Stage::Scores) == "scores");
  CHECK(content_of(lesson_session("16-causal-mask")).name(Stage::Weights) == "weights");
}

TEST_CASE("strip: a step is idle when it hands on what it is given") {
  Layer layer = lesson_session("20-two-heads").layer;
  AttentionSettings& settings = layer.attention;
  CHECK_FALSE(is_idle(layer, Stage::Scaled));
  CHECK_FALSE(is_idle(layer, Stage::Masked));
  CHECK_FALSE(is_idle(layer, Stage::Concat));
  CHECK_FALSE(is_idle(layer, Stage::Output));
  CHECK(is_idle(layer, Stage::Dropped));
  settings.dropout = {0.5, true, 1};
  CHECK_FALSE(is_idle(layer, Stage::Dropped));
  settings.dropout.training = false;
  CHECK(is_idle(layer, Stage::Dropped));
  settings.scale.kind = ScaleKind::None;
  settings.mask = MaskKind::None;
  settings.num_heads = 1;
  settings.output_projection = false;
  for (const Stage stage : {Stage::Scaled, Stage::Masked, Stage::Concat, Stage::Output})
    CHECK(is_idle(layer, stage));
  CHECK_FALSE(is_idle(layer, Stage::Weights));
}

TEST_CASE("strip: lessons 0 to 5 show no step and no setting that does nothing") {
  for (const Session& session : course()) {
    const Lesson& lesson = *session.lesson;
    if (lesson.variation_of.value_or(lesson.order) > 5) continue;
    INFO(session.title);
    const StripContent content = content_of(session);
    CHECK((content.parts & ~parts_in_use(session.layer)) == 0);
    for (const Stage stage : stages_in_use(session.layer))
      if (content.shows(stage)) CHECK_FALSE(is_idle(session.layer, stage));
    CHECK_FALSE(content.shows(Stage::Queries));
    CHECK_FALSE(content.more.empty());
  }
}

TEST_CASE("strip: the parts stand in the order in which the course brings them") {
  const std::vector<Session> lessons = course();
  const auto first = [&](StripPart part) {
    for (const Session& session : lessons)
      if (content_of(session).shows(part)) return session.lesson->order;
    return 1000;
  };
  for (std::size_t i = 1; i < kStripParts; ++i) {
    INFO(strip_part_info(static_cast<StripPart>(i)).id);
    CHECK(first(static_cast<StripPart>(i - 1)) <= first(static_cast<StripPart>(i)));
  }
  CHECK(first(StripPart::Softcap) == 1000);
}

TEST_CASE("strip: each lesson shows what it points at, and what its questions change") {
  for (const Session& session : course()) {
    INFO(session.title);
    const StripContent content = content_of(session);
    for (const LessonStep& step : session.lesson->steps) {
      if (stage_exists(session.layer, step.stage)) CHECK(content.shows(step.stage));
      if (step.question && step.question->change && step.question->change->settings.mask)
        CHECK(content.shows(StripPart::Mask));
    }
  }
}

TEST_CASE("strip: every setting of a layer is shown or behind +") {
  for (Session session : course())
    for (const bool taught : {true, false}) {
      INFO(session.title);
      if (!taught) session.lesson.reset();
      const StripContent content = content_of(session);
      for (const StripPart part : content.more)
        CHECK_FALSE(content.shows(part));
      const bool shares = session.layer.attention.projection == Projection::Linear &&
                          session.layer.head_count() > 1;  // key-value heads can be shared
      std::size_t shown = 0;
      for (std::size_t i = 0; i < kStripParts; ++i)
        shown += content.shows(static_cast<StripPart>(i)) ? 1 : 0;
      CHECK(shown + content.more.size() == kStripParts - (shares ? 0 : 1));
    }
}

TEST_CASE("strip: without a lesson all that a layer uses is shown, and nothing that is off") {
  Session session = lesson_session("20-two-heads");
  session.lesson.reset();
  const StripContent content = content_of(session);
  for (const StripPart part : {StripPart::Normalization, StripPart::Projection, StripPart::Scale,
                               StripPart::Mask, StripPart::Heads, StripPart::OutputProjection})
    CHECK(content.shows(part));
  for (const StripPart part :
       {StripPart::Dropout, StripPart::KvHeads, StripPart::Positions, StripPart::Softcap}) {
    CHECK_FALSE(content.shows(part));
    CHECK(std::count(content.more.begin(), content.more.end(), part) == 1);
  }
  CHECK_FALSE(content.shows(Stage::Dropped));
  CHECK(content.more.front() == StripPart::Dropout);
  CHECK(content_of(session, {stage_bit(Stage::Dropped), 0}).shows(StripPart::Dropout));
  CHECK(content_of(session, {0, part_bit(StripPart::Softcap)}).shows(StripPart::Softcap));
}

TEST_CASE("strip: a hidden stage hands its sources on, as often as they are used") {
  const Layer layer = lesson_session("00-why-attention").layer;
  const StageSet shown = stage_bit(Stage::Embeddings) | stage_bit(Stage::Scores) | stage_bit(Stage::Weights) |
                         stage_bit(Stage::Context);
  CHECK(shown_sources(layer, shown, Stage::Scores) ==
        std::vector<StripSource>{Stage::Embeddings, Stage::Embeddings});
  CHECK(shown_sources(layer, shown, Stage::Weights) == std::vector<StripSource>{Stage::Scores});
  CHECK(shown_sources(layer, shown, Stage::Context) ==
        std::vector<StripSource>{Stage::Weights, Stage::Embeddings});
  CHECK(shown_sources(layer, shown, Stage::Embeddings).empty());
}
