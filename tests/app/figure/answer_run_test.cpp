// What *See it* shows at a time.
#include "app/figure/motion/answer_run.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("answer run: it takes 600 to 700 ms, from nothing to everything, without a jump") {
  CHECK(kAnswerSeconds >= 0.6);
  CHECK(kAnswerSeconds <= 0.7);
  for (const std::size_t stages : {0u, 1u, 5u, 14u}) {
    const AnswerMoment first = answer_at(0, stages), last = answer_at(kAnswerSeconds, stages);
    CHECK(first.changed == 0);
    CHECK(first.filled == 0);
    CHECK(last.changed == 1);
    CHECK(last.filled == 1);
    AnswerMoment before = first;
    for (double t = 0; t <= 1; t += 0.005) {
      const AnswerMoment now = answer_at(t, stages);
      CHECK(now.changed >= before.changed);
      CHECK(now.filled >= before.filled);
      CHECK(now.changed - before.changed < 0.1);
      CHECK(now.filled - before.filled < 0.1);
      REQUIRE(now.stages.size() == stages);
      for (std::size_t i = 0; i < stages; ++i) {
        CHECK(now.stages[i] >= 0);
        CHECK(now.stages[i] <= 1);
        CHECK(std::abs(now.stages[i] - before.stages[i]) < 0.35);
      }
      before = now;
    }
    for (const double t : {0.0, kAnswerSeconds, 9.0})
      for (const double light : answer_at(t, stages).stages)
        CHECK(light < 1e-9);
  }
}

TEST_CASE("answer run: the number changes first, then the stages light up in order, then the cells fill") {
  constexpr std::size_t kStages = 6;
  std::vector<double> brightest(kStages), at(kStages);
  double changed = -1, fills = -1;
  for (double t = 0; t <= kAnswerSeconds; t += 0.002) {
    const AnswerMoment now = answer_at(t, kStages);
    for (std::size_t i = 0; i < kStages; ++i)
      if (now.stages[i] > brightest[i]) {
        brightest[i] = now.stages[i];
        at[i] = t;
      }
    if (changed < 0 && now.changed >= 0.5) changed = t;
    if (fills < 0 && now.filled > 0) fills = t;
  }
  for (std::size_t i = 0; i < kStages; ++i)
    CHECK(brightest[i] > 0.9);
  CHECK(std::is_sorted(at.begin(), at.end()));
  CHECK(changed < at.front());
  CHECK(fills > at[kStages / 2]);
}
