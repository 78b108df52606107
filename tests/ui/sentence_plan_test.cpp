// The layout of a sentence and its beams, in every size.
#include "app/ui/start/sentence_plan.h"

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

// Whether a line of that width with this middle touches the rectangle.
bool touches(const Rect& r, const Point& p, double width) {
  return p.x > r.x - width / 2 && p.x < r.right() + width / 2 && p.y > r.y - width / 2 &&
         p.y < r.bottom() + width / 2;
}

SentenceArea area_of(double width, double height, double scale) {
  return {{5, 9, width, height}, scale, 28 * scale, 18 * scale, 34 * scale};
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
    const SentenceArea area =
        area_of(500 + static_cast<double>(dice.below(1500)), 120 + static_cast<double>(dice.below(400)), 1);
    const SentencePlan plan = plan_sentence(some_tokens(dice, count), area);
    if (plan.count() == 0) continue;
    const auto query = plan.first + static_cast<Index>(dice.below(static_cast<int>(plan.count())));
    const Eigen::RowVectorXf weights = some_weights(dice, count);
    const auto beams = plan_beams(plan, weights, query, 1, 34, 15).beams;
    for (Index key = plan.first; key < count; ++key) {
      const auto drawn = std::count_if(beams.begin(), beams.end(),
                                       [key](const SentenceBeam& beam) { return beam.key == key; });
      CHECK(drawn == (weights(key) >= kLeastBeam ? 1 : 0));
    }
    double width = 0;
    for (const SentenceBeam& beam : beams) {
      CHECK(beam.weight == weights(beam.key));
      if (beam.key == query) continue;
      CHECK(beam.end().y == plan.word(beam.key).y);
      CHECK(beam.path.front().y == plan.word(query).y);
      CHECK(std::abs(beam.end().x - plan.word(beam.key).x - plan.word(beam.key).width / 2) < 1e-6);
      CHECK(beam.width >= width);
      width = beam.width;
    }
  }
}

TEST_CASE(
    "sentence beams: none crosses a word between its ends or leaves the place, on any number of lines") {
  Dice dice(19);
  std::size_t on_lines[4] = {};
  for (int round = 0; round < 120; ++round) {
    const auto count = static_cast<Index>(1 + dice.below(round % 3 == 0 ? 300 : 30));
    const double scale = round % 2 == 0 ? 1 : 2;
    const double widths[] = {420, 976, 1232, 2000};
    const SentenceArea area =
        area_of(widths[dice.below(4)], 60 + static_cast<double>(dice.below(400)), scale);
    const SentencePlan plan = plan_sentence(some_tokens(dice, count), area);
    if (plan.count() == 0) continue;
    ++on_lines[std::min<std::size_t>(3, plan.lines.size())];
    const auto query = plan.first + static_cast<Index>(dice.below(static_cast<int>(plan.count())));
    Eigen::RowVectorXf weights = Eigen::RowVectorXf::Constant(count, 0.02f);
    weights(plan.first + static_cast<Index>(dice.below(static_cast<int>(plan.count())))) = 0.9f;
    for (const SentenceBeam& beam : plan_beams(plan, weights, query, scale, 34 * scale, 15 * scale).beams) {
      std::size_t crossed = 0, outside = 0;
      constexpr int kPoints = 50;
      for (int i = 0; i <= kPoints; ++i) {
        const Point p = beam_point(beam, static_cast<double>(i) / kPoints);
        outside += p.x < area.place.x || p.x > area.place.right() || p.y < area.place.y ||
                   p.y > area.place.bottom() + 1e-6;
        for (Index word = plan.first; word < count; ++word)
          crossed += word == query || word == beam.key ? touches(plan.word(word), p, -1e-6)
                                                       : touches(plan.word(word), p, 0);
        // A thick beam keeps its edge off the words of other lines.
        for (Index word = plan.first; word < count; ++word)
          if (plan.line(word) != plan.line(query) && plan.line(word) != plan.line(beam.key))
            crossed += touches(plan.word(word), p, beam.width);
      }
      INFO("round " << round << ", query " << query << ", key " << beam.key);
      CHECK(crossed == 0);
      CHECK(outside == 0);
    }
  }
  for (std::size_t lines = 1; lines < 4; ++lines)
    CHECK(on_lines[lines] > 4);
}

TEST_CASE("sentence beams: a word that looks at itself has a small loop below it, at every weight") {
  Dice dice(23);
  for (int round = 0; round < 100; ++round) {
    const double scale = round % 2 == 0 ? 1 : 2;
    const auto count = static_cast<Index>(1 + dice.below(30));
    const SentencePlan plan = plan_sentence(some_tokens(dice, count), area_of(1232, 200, scale));
    if (plan.count() == 0) continue;
    const Index query = count - 1;
    Eigen::RowVectorXf weights = Eigen::RowVectorXf::Zero(count);
    weights(query) = round % 3 == 0 ? 1 : 0.05f;
    const SentenceBeams planned = plan_beams(plan, weights, query, scale, 34 * scale, 15 * scale);
    REQUIRE(planned.beams.size() == 1);
    const SentenceBeam& own = planned.beams[0];
    const Rect& word = plan.word(query);
    CHECK(own.width <= 4 * scale);
    for (int i = 0; i <= 40; ++i) {
      const Point p = beam_point(own, i / 40.0);
      CHECK(p.y >= word.bottom() - 1e-6);
      CHECK(p.y <= word.bottom() + plan.label_px - own.width / 2);
      if (plan.label_rows > 1) CHECK(std::abs(p.x - word.x - word.width / 2) <= plan.label_px / 2);
      REQUIRE(own.label);
      CHECK_FALSE(touches(*own.label, p, own.width));
    }
    // Where there are several rows it stands below its own word, not beside the next one.
    const double middle = own.label->x + own.label->width / 2;
    const bool at_edge = word.x < plan.place.x + 34 * scale || word.right() > plan.place.right() - 34 * scale;
    if (plan.label_rows > 1 && !at_edge) CHECK(std::abs(middle - word.x - word.width / 2) < 1);
  }
}

TEST_CASE(
    "sentence beams: in a line with one row of labels a word's own share stands below it, beside its loop") {
  constexpr double kType = 28, kLabel = 12, kWide = 36;
  std::vector<SentenceToken> tokens(12, {1.6, false});
  tokens[3].width = 0.3;  // narrower than its loop
  const Rect place = {16, 50, 12 * 60, 112};
  const TokenLine line = plan_token_line(tokens, {place.x, 106, place.width, 36}, kType, 11);
  REQUIRE(line.words.size() == 12);
  const SentencePlan plan = plan_of_line(line, place, kType, kLabel);
  for (Index query = 0; query < 12; ++query) {
    Eigen::RowVectorXf weights = Eigen::RowVectorXf::Zero(12);
    weights(query) = 0.7f;
    const SentenceBeams planned = plan_beams(plan, weights, query, 1, kWide, kLabel);
    const SentenceBeam& own = planned.beams.front();
    const Rect& word = plan.word(query);
    INFO(query);
    REQUIRE(own.label);
    CHECK(inside(*own.label, place));
    for (int i = 0; i <= 40; ++i)
      CHECK_FALSE(touches(*own.label, beam_point(own, i / 40.0), own.width));
    CHECK(std::abs(own.end().x - word.x - word.width / 2) <= word.width / 2);
    if (query == 3) continue;
    // The word is as wide as loop and share, which both stand below it.
    CHECK(own.label->x >= word.x);
    CHECK(own.label->right() <= word.right() + 8);
  }
}

TEST_CASE("sentence beams: labels lie apart and inside; those left out are the faintest, which is told") {
  Dice dice(29);
  for (int round = 0; round < 400; ++round) {
    const auto count = static_cast<Index>(1 + dice.below(40));
    const double scale = round % 2 == 0 ? 1 : 2;
    const SentenceArea area = area_of(500 + static_cast<double>(dice.below(1500)),
                                      120 + static_cast<double>(dice.below(400)), scale);
    const SentencePlan plan = plan_sentence(some_tokens(dice, count), area);
    if (plan.count() == 0) continue;
    const auto query = plan.first + static_cast<Index>(dice.below(static_cast<int>(plan.count())));
    const SentenceBeams planned =
        plan_beams(plan, some_weights(dice, count), query, scale, 34 * scale, 15 * scale);
    for (std::size_t i = 0; i < planned.beams.size(); ++i) {
      const SentenceBeam& beam = planned.beams[i];
      INFO("round " << round << ", key " << beam.key << " of " << count);
      if (beam.key != query && planned.unlabelled)
        CHECK(beam.label.has_value() == (beam.weight > *planned.unlabelled));
      if (!planned.unlabelled) CHECK(beam.label.has_value());
      if (!beam.label) continue;
      CHECK(inside(*beam.label, area.place));
      for (Index word = plan.first; word < count; ++word)
        CHECK(apart(*beam.label, plan.word(word)));
      for (std::size_t other = 0; other < i; ++other)
        CHECK((!planned.beams[other].label || apart(*beam.label, *planned.beams[other].label)));
    }
  }
}

TEST_CASE("sentence beams: the pieces of a word all have their labels where there is room") {
  std::vector<SentenceToken> tokens(8, {2.0, false});
  for (int piece = 0; piece < 6; ++piece)
    tokens.push_back({0.45, piece > 0});
  const SentencePlan plan = plan_sentence(tokens, area_of(1232, 170, 1));
  CHECK(plan.label_rows == 3);
  const Eigen::RowVectorXf weights = Eigen::RowVectorXf::Constant(14, 1.0f / 14);
  const SentenceBeams planned = plan_beams(plan, weights, 13, 1, 34, 15);
  CHECK_FALSE(planned.unlabelled);
  const std::vector<SentenceToken> wide(12, {2.0, false});
  CHECK(plan_sentence(wide, area_of(1232, 170, 1)).label_rows ==
        2);  // one for the word's own, below its loop
}

TEST_CASE("sentence beams: weights that are no numbers are not drawn, and a growing beam keeps its line") {
  const SentencePlan plan = plan_sentence(std::vector<SentenceToken>(4, {2.0, false}), {{0, 0, 800, 200}});
  Eigen::RowVectorXf weights(4);
  weights << 0.5f, std::nanf(""), 0.01f, 0.4f;
  const auto beams = plan_beams(plan, weights, 3, 1, 30, 12).beams;
  REQUIRE(beams.size() == 2);
  CHECK(beams.back().key == 0);
  const SentenceBeam half = grown_beam(beams.back(), 0.5), whole = grown_beam(beams.back(), 1);
  CHECK(std::abs(half.end().x - beam_point(beams.back(), 0.5).x) < 1e-9);
  CHECK(std::abs(half.end().y - beam_point(beams.back(), 0.5).y) < 1e-9);
  CHECK(std::abs(beam_point(half, 0.5).x - beam_point(beams.back(), 0.25).x) < 1e-9);
  CHECK(whole.end().x == beams.back().end().x);
  // Around the end of a line: a chain of curves.
  const SentencePlan lines =
      plan_sentence(std::vector<SentenceToken>(30, {2.0, false}), area_of(600, 300, 1));
  Eigen::RowVectorXf first = Eigen::RowVectorXf::Zero(30);
  first(lines.first) = 1;
  const SentenceBeam far = plan_beams(lines, first, 29, 1, 34, 15).beams.at(0);
  REQUIRE(far.path.size() > 4);
  for (const double t : {0.0, 0.2, 0.5, 0.9, 1.0}) {
    const SentenceBeam part = grown_beam(far, t);
    CHECK(std::abs(part.end().x - beam_point(far, t).x) < 1e-9);
    CHECK(std::abs(part.end().y - beam_point(far, t).y) < 1e-9);
  }
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

TEST_CASE("pulled beams: a hand on a word is at its key, between two words between both, and never beyond") {
  Dice dice(7);
  for (int round = 0; round < 200; ++round) {
    const Index count = dice.between(1, 20);
    const std::vector<SentenceToken> tokens = some_tokens(dice, count);
    const SentencePlan plan =
        plan_sentence(tokens, area_of(static_cast<double>(dice.between(300, 1400)), 400, 1));
    if (plan.count() == 0) continue;
    const Index last = dice.between(plan.first, plan.first + plan.count() - 1);
    for (Index key = plan.first; key <= last; ++key) {
      const Rect& word = plan.word(key);
      CHECK(key_place(plan, last, {word.x + word.width / 2, word.y}) == static_cast<double>(key));
      if (key == last || plan.line(key) != plan.line(key + 1)) continue;
      const Rect& next = plan.word(key + 1);
      const double from = word.x + 0.75 * word.width, to = next.x + 0.25 * next.width;
      CHECK_THAT(key_place(plan, last, {from + (to - from) / 4, word.y - 3}),
                 WithinAbs(static_cast<double>(key) + 0.25, 1e-9));
    }
    for (int i = 0; i < 50; ++i) {
      const double place = key_place(
          plan, last,
          {static_cast<double>(dice.between(-100, 1600)), static_cast<double>(dice.between(-100, 600))});
      CHECK(place >= static_cast<double>(plan.first));
      CHECK(place <= static_cast<double>(last));
    }
  }
}

TEST_CASE("pulled beams: the beam below the pointer is the one whose line is there") {
  const SentencePlan plan = plan_sentence(std::vector<SentenceToken>(8, {2.0, false}), area_of(900, 300, 1));
  Eigen::RowVectorXf weights = Eigen::RowVectorXf::Zero(8);
  weights(1) = 0.6f;
  weights(4) = 0.3f;
  weights(7) = 0.1f;
  const SentenceBeams planned = plan_beams(plan, weights, 7, 1, 34, 12);
  for (const SentenceBeam& beam : planned.beams)
    for (const double t : {0.5, 0.8, 1.0}) {
      const Point at = beam_point(beam, t);
      const SentenceBeam* found = beam_under(planned, {at.x, at.y + 1}, 4);
      REQUIRE(found);
      CHECK(found->key == beam.key);
    }
  CHECK_FALSE(beam_under(planned, {plan.place.x, plan.place.y}, 4));
}

TEST_CASE("pulled beams: dashes lie on the beam, are as long as asked and leave gaps as long") {
  const SentencePlan plan = plan_sentence(std::vector<SentenceToken>(8, {2.0, false}), area_of(900, 300, 1));
  Eigen::RowVectorXf weights = Eigen::RowVectorXf::Zero(8);
  weights(1) = 1;
  const SentenceBeams planned = plan_beams(plan, weights, 7, 1, 34, 12);
  const std::vector<Point> points = beam_points(planned.beams.front());
  const auto length = [](const std::vector<Point>& chain) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      sum += std::hypot(chain[i + 1].x - chain[i].x, chain[i + 1].y - chain[i].y);
    return sum;
  };
  for (const double dash : {0.7, 5.0, 9.0, 40.0}) {
    INFO(dash);
    const auto dashes = dashes_of(points, dash);
    double drawn = 0;
    for (const std::vector<Point>& one : dashes) {
      CHECK_THAT(length(one), WithinAbs(dash, 1e-6));
      drawn += length(one);
    }
    CHECK_THAT(drawn, WithinAbs(length(points) / 2, dash));
    CHECK(dashes.front().front().x == points.front().x);
    CHECK_THAT(dashes.back().back().x, WithinAbs(points.back().x, 1e-6));
    const Point &end = dashes[0].back(), &next = dashes[1].front();
    CHECK(std::hypot(next.x - end.x, next.y - end.y) > dash / 2);
  }
  CHECK(dashes_of(points, length(points)).size() == 1);
  CHECK(dashes_of({}, 5).empty());
}
