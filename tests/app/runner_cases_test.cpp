// Test cases that tests/runner/runner_test.py runs by their tag: what the runner of the tests does with a
// test case that fails, crashes, hangs or cannot run. Without the tag they are not run.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/skip.h"

TEST_CASE("runner: one that passes, with [brackets], a comma and <a & b>", "[.runner]") {
  CHECK(1 + 1 == 2);
}

TEST_CASE("runner: one that crashes", "[.runner]") {
  std::raise(SIGSEGV);
}

TEST_CASE("runner: one that fails", "[.runner]") {
  INFO("what was looked at");
  CHECK(1 + 1 == 3);
  SECTION("a section") {
    CHECK(std::string("left") == "right");
  }
}

TEST_CASE("runner: one that throws", "[.runner]") {
  throw std::runtime_error("thrown by a test");
}

TEST_CASE("runner: one that hangs", "[.runner]") {
  for (;;)
    std::this_thread::sleep_for(std::chrono::seconds(1));
}

TEST_CASE("runner: one that cannot run here", "[.runner]") {
  HEADLIGHT_SKIP("for a reason");
}

TEST_CASE("runner: one that ends its process", "[.runner]") {
  std::puts("printed before the end");
  std::fflush(stdout);
  std::_Exit(3);
}

TEST_CASE("runner: the last one passes, too", "[.runner]") {
  CHECK(true);
}

TEST_CASE("runner end: one whose process does not end", "[.runner-end]") {
  std::atexit([] {
    for (;;)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  });
}
