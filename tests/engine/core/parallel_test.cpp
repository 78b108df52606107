// Work on several threads: every index is called once, and exceptions reach the caller.
#include "engine/core/parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("parallel: every index is called once, whether the work is small or large") {
  for (const double work : {0.0, 1e9}) {
    std::vector<std::atomic<int>> calls(37);
    for_each_index(37, work, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const std::atomic<int>& count : calls)
      CHECK(count == 1);
    for_each_index(0, work, [](Index) { FAIL("there is nothing to do"); });
  }
}

TEST_CASE("parallel: what a call throws is thrown when the others have ended") {
  for (const double work : {0.0, 1e9}) {
    std::atomic<int> ended{0};
    CHECK_THROWS_AS(for_each_index(8, work,
                                   [&](Index i) {
                                     if (i == 3) throw std::runtime_error("no memory");
                                     ++ended;
                                   }),
                    std::runtime_error);
    CHECK(ended == 7);
  }
}
