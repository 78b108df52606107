// Background jobs of the window, and threads that cannot be started.
#include "engine/core/newest_job.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/no_threads.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};

}  // namespace

TEST_CASE("newest job: whoever is woken finds the result") {
  for (int round = 0; round < 50; ++round) {
    std::promise<void> woken, looked;
    NewestJob<int> job([&] {
      woken.set_value();
      looked.get_future().wait();  // simulates a slow wake-up
    });
    job.start([] { return 7; });
    woken.get_future().wait();
    const std::optional<int> result = job.take();
    looked.set_value();
    REQUIRE(result == 7);
    CHECK_FALSE(job.running());
    CHECK_FALSE(job.take());
  }
}

TEST_CASE("newest job: what waits is begun by itself, and what it replaces gives nothing") {
  std::promise<void> inside, go;
  std::atomic<int> begun{0};
  NewestJob<int> job;
  job.start([&] {
    inside.set_value();
    go.get_future().wait();
    return 1;
  });
  inside.get_future().wait();
  for (int i = 2; i <= 5; ++i)
    job.start([&, i] {
      ++begun;
      return i;
    });
  CHECK_FALSE(job.take());
  go.set_value();
  CHECK(job.take(kPatience) == 5);
  CHECK(begun == 1);
  job.start([] { return 6; });
  job.forget();
  CHECK_FALSE(job.running());
  CHECK_FALSE(job.take(std::chrono::milliseconds(1)));
}

TEST_CASE("newest job: what the work holds is gone when its result is there") {
  const auto held = std::make_shared<int>(1);
  NewestJob<int> job;
  job.start([held] { return *held; });
  REQUIRE(job.take(kPatience) == 1);
  CHECK(held.use_count() == 1);
}

TEST_CASE("newest job: what work throws all the same is thrown to who takes its result") {
  NewestJob<int> job;
  job.start([]() -> int { throw std::runtime_error("no memory"); });
  CHECK_THROWS_AS(job.take(kPatience), std::runtime_error);
  CHECK_FALSE(job.running());
  job.start([] { return 2; });
  CHECK(job.take(kPatience) == 2);
}

TEST_CASE("newest job: without a thread the work is done at once") {
  int woken = 0;
  NewestJob<int> job([&] { ++woken; });
  const NoThreads none;
  job.start([] { return 3; });
  CHECK(woken == 1);
  CHECK(job.take() == 3);
  job.start([] { return 4; });
  job.start([] { return 5; });
  CHECK(job.take() == 5);
}

TEST_CASE("start thread: one that cannot be started is an error that says what it was for") {
  const NoThreads none;
  try {
    start_thread("exports", [] {}).join();
    FAIL("there was a thread");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), ContainsSubstring("for exports"));
    CHECK_THAT(error.what(), ContainsSubstring("ulimit"));
  }
}

// parallel.cpp is exempt: it contains `start_thread` and the pool, which can run with fewer threads.
TEST_CASE("start thread: every thread of the program is started by it") {
  for (const char* folder : {"engine", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_root()) / folder)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name == "parallel.cpp") continue;
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      INFO(entry.path().string());
      for (const char* start :
           {"std::async", "std::thread(", "std::jthread", "pthread_create", "thread_.emplace"})
        CHECK(text.str().find(start) == std::string::npos);
    }
}
