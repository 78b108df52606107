// The layout of a sentence and its beams, in every size.
#include "app/ui/sentence/sentence_plan.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<SentenceToken> some_tokens(Dice& dice, Index count) {
  std::vector<SentenceToken> tokens;
  for (Index i = 0; i < count; ++i)
    tokens.push_back({0.3 + 0.1 * static_cast<double>(dice.below(40)), i > 0 && dice.chance(0.2)});
  return tokens;
}

bool inside(const Rect& inner, const Rect& outer) {
  constexpr double kRounding = 1e-6;
  return inner.x >= outer.x - kRounding && inner.y >= outer.y - kRounding &&
         inner.right() <= outer.right() + kRounding && inner.bottom() <= outer.bottom() + kRounding;
}

bool apart(const Rect& a, const Rect& b) {
  return a.right() <= b.x + 1e-6 || b.right() <= a.x + 1e-6 || a.bottom() <= b.y + 1e-6 ||
         b.bottom() <= a.y + 1e-6;
}

Eigen::RowVectorXf some_weights(Dice& dice, Index count) {
  Eigen::RowVectorXf weights(count);
  for (Index i = 0; i < count; ++i)
    weights(i) = 0.001f + static_cast<float>(dice.below(1000));
  return weights / weights.sum();
}

}  // namespace

TEST_CASE("sentence plan: words lie inside, apart and in reading order, at any size") {
  Dice dice(7);
  for (int round = 0; round < 400; ++round) {
    const auto count = static_cast<Index>(1 + dice.below(round % 4 == 0 ? 300 : 20));
    const double scale = 0.5 + 0.25 * static_cast<double>(dice.below(30));
    SentenceArea area;
    area.place = {13, 7, 40 + static_cast<double>(dice.below(3000)),
                  20 + static_cast<double>(dice.below(900))};
    area.scale = scale;
    area.type_px = 28 * scale;
    area.label_px = 18 * scale;
    const SentencePlan plan = plan_sentence(some_tokens(dice, count), area);
    if (plan.count() == 0) continue;
    INFO("round " << round << ", " << count << " tokens");
    CHECK(plan.first + plan.count() == count);
    for (Index i = plan.first; i < count; ++i) {
      CHECK(inside(plan.word(i), area.place));
      if (i == plan.first) continue;
      const Rect &before = plan.word(i - 1), &word = plan.word(i);
      CHECK(apart(before, word));
      CHECK((word.y > before.y || (word.y == before.y && word.x >= before.right() - 1e-6)));
    }
  }
}

TEST_CASE("sentence plan: a text that fits has the largest type; one that does not loses its beginning") {
  SentenceArea area{{0, 0, 1200, 200}};
  const std::vector<SentenceToken> few(12, {2.0, false}), many(300, {2.0, false});
  CHECK(plan_sentence(few, area).type_px == 28);
  CHECK(plan_sentence(few, area).first == 0);
  const SentencePlan cut = plan_sentence(many, area);
  CHECK(cut.type_px == 16);
  CHECK(cut.first > 0);
  CHECK(cut.shows(299));
  CHECK_FALSE(cut.shows(0));
  CHECK(plan_sentence({}, area).count() == 0);
  CHECK(plan_sentence(few, {{0, 0, 0, 200}}).count() == 0);
  CHECK(plan_sentence({{100, false}}, {{0, 0, 60, 200}}).count() == 0);
}

TEST_CASE("sentence plan: pieces of a word stay on one line, closer than words") {
  SentenceArea area{{0, 0, 400, 300}};
  std::vector<SentenceToken> tokens(12, {2.0, false});
  for (const std::size_t piece : {5u, 6u, 9u})
    tokens[piece].continues = true;
  const SentencePlan plan = plan_sentence(tokens, area);
  REQUIRE(plan.count() == 12);
  for (Index i = 1; i < 12; ++i) {
    const double space = plan.word(i).x - plan.word(i - 1).right();
    if (tokens[static_cast<std::size_t>(i)].continues) {
      CHECK(plan.word(i).y == plan.word(i - 1).y);
      CHECK(space < 0.2 * plan.type_px);
    } else if (plan.word(i).y == plan.word(i - 1).y) {
      CHECK(space > 0.2 * plan.type_px);
    }
  }
}

TEST_CASE("sentence beams: they end at their words, are as wide as their weights, and stay inside") {
  Dice dice(11);
  for (int round = 0; round < 200; ++round) {
    const auto count = static_cast<Index>(1 + dice.below(40));
    SentenceArea area{
        {5, 9, 500 + static_cast<double>(dice.below(1500)), 120 + static_cast<double>(dice.below(400))}};
    const SentencePlan plan = plan_sentence(some_tokens(dice, count), area);
    if (plan.count() == 0) continue;
    const auto query = plan.first + static_cast<Index>(dice.below(static_cast<int>(plan.count())));
    const Eigen::RowVectorXf weights = some_weights(dice, count);
    const auto beams = plan_beams(plan, weights, query, 1, 34, 15);
    for (Index key = plan.first; key < count; ++key) {
      const auto drawn = std::count_if(beams.begin(), beams.end(),
                                       [key](const SentenceBeam& beam) { return beam.key == key; });
      CHECK(drawn == (weights(key) >= kLeastBeam ? 1 : 0));
    }
    for (std::size_t i = 0; i < beams.size(); ++i) {
      const SentenceBeam& beam = beams[i];
      CHECK(beam.weight == weights(beam.key));
      CHECK(beam.to.y == plan.word(beam.key).y);
      CHECK(beam.from.y == plan.word(query).y);
      if (beam.key != query)
        CHECK(std::abs(beam.to.x - plan.word(beam.key).x - plan.word(beam.key).width / 2) < 1e-6);
      if (i > 0) CHECK(beam.width >= beams[i - 1].width);
      for (const double t : {0.1, 0.3, 0.5, 0.7, 0.9})
        CHECK(beam_point(beam, t).y >= area.place.y - 1e-6);
      if (beam.label)
        for (std::size_t other = 0; other < i; ++other)
          CHECK((!beams[other].label || apart(*beam.label, *beams[other].label)));
    }
  }
}

TEST_CASE("sentence beams: weights that are no numbers are not drawn, and a growing beam keeps its line") {
  const SentencePlan plan = plan_sentence(std::vector<SentenceToken>(4, {2.0, false}), {{0, 0, 800, 200}});
  Eigen::RowVectorXf weights(4);
  weights << 0.5f, std::nanf(""), 0.01f, 0.4f;
  const auto beams = plan_beams(plan, weights, 3, 1, 30, 12);
  REQUIRE(beams.size() == 2);
  CHECK(beams.back().key == 0);
  const SentenceBeam half = grown_beam(beams.back(), 0.5), whole = grown_beam(beams.back(), 1);
  CHECK(std::abs(half.to.x - beam_point(beams.back(), 0.5).x) < 1e-9);
  CHECK(std::abs(half.to.y - beam_point(beams.back(), 0.5).y) < 1e-9);
  CHECK(std::abs(beam_point(half, 0.5).x - beam_point(beams.back(), 0.25).x) < 1e-9);
  CHECK(whole.to.x == beams.back().to.x);
}

TEST_CASE("token line: the query's word is shown, words are inside and apart, and what is left out is told") {
  Dice dice(5);
  for (int round = 0; round < 300; ++round) {
    const auto count = static_cast<Index>(1 + dice.below(60));
    const Rect place = {3, 4, 20 + static_cast<double>(dice.below(1500)), 24};
    const auto around = static_cast<Index>(dice.below(count));
    const std::vector<SentenceToken> tokens = some_tokens(dice, count);
    const TokenLine line = plan_token_line(tokens, place, 20, around);
    const auto shown = static_cast<Index>(line.words.size());
    if (shown == 0) {
      CHECK(tokens[static_cast<std::size_t>(around)].width * 20 > place.width - 41);
      continue;
    }
    CHECK((line.first <= around && around < line.first + shown));
    CHECK(line.more_before == (line.first > 0));
    CHECK(line.more_behind == (line.first + shown < count));
    for (std::size_t i = 0; i < line.words.size(); ++i) {
      CHECK(inside(line.words[i], place));
      if (i > 0) CHECK(line.words[i].x >= line.words[i - 1].right());
    }
  }
  CHECK(plan_token_line({}, {0, 0, 100, 20}, 20, 0).words.empty());
}
