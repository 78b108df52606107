// Signals, hangs and exceptions that end the program, each in a child process: every noted change is on disk.
#include "app/recovery/shutdown_guard.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "app/document/document.h"
#include "app/recovery/autosave_writer.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/no_threads.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Session session() {
  Session session;
  session.layer.tokens = {"a"};
  session.layer.embeddings = {Matrix::Constant(1, 1, 0.0f)};
  session.layer.attention.d_out = 1;
  return session;
}

// Runs `end` in a child process after five changes. The writer's interval is an hour, so that only the end of
// the process writes the last four. Returns the process's status, as waitpid reports it.
int status_after(const std::filesystem::path& folder, void (*end)(ShutdownGuard&, AutosaveWriter&)) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // without Catch2's handler
    AutosaveWriter keeper({folder, std::chrono::hours(1)});
    ShutdownGuard sudden_end([] {}, [&] { keeper.write_now(std::chrono::seconds(30)); });
    Document document(session());
    keeper.follow_opened({}, document.take_unchanged());
    document.set_change_listener(
        [&](Change change) { keeper.note(std::move(change), document.unsaved_steps()); });
    for (int i = 1; i <= 5; ++i) {
      document.run(SetCells{{}, 0, 0, Matrix::Constant(1, 1, static_cast<float>(i)), 0});
      if (i == 1) keeper.write_now(std::chrono::seconds(30));  // the next write of the timer is an hour away
    }
    end(sudden_end, keeper);
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

float recovered_value(const std::filesystem::path& folder) {
  const UnsavedSessions kept(folder);
  REQUIRE(kept.list().size() == 1);
  return kept.load(0).layer.embeddings[0](0, 0);
}

}  // namespace

TEST_CASE("recovery: signals end the program as they would, with everything written") {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const TemporaryFolder folder;
    static int sent = 0;
    sent = signal;
    ::signal(signal, SIG_DFL);  // an ignored signal, as under nohup, would not arrive
    const int status = status_after(folder.path(), [](ShutdownGuard& sudden_end, AutosaveWriter& keeper) {
      ::raise(sent);
      while (!sudden_end.signal())
        ::usleep(1000);
      keeper.write_now(std::chrono::seconds(30));  // as the program's loop does
      ShutdownGuard::end_by(*sudden_end.signal());
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(recovered_value(folder.path()) == 5.0f);
  }
}

TEST_CASE("recovery: a program that hangs is ended by the signal all the same, and loses nothing") {
  const TemporaryFolder folder;
  const int status = status_after(folder.path(), [](ShutdownGuard&, AutosaveWriter&) {
    ::raise(SIGTERM);
    for (;;)
      ::pause();
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK(recovered_value(folder.path()) == 5.0f);
}

TEST_CASE("recovery: an exception that nobody catches loses nothing") {
  const TemporaryFolder folder;
  const int status = status_after(folder.path(), [](ShutdownGuard&, AutosaveWriter&) {
    std::thread([] { throw std::runtime_error("a bug"); }).join();
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(recovered_value(folder.path()) == 5.0f);
}

TEST_CASE("recovery: a signal that was ignored before stays ignored") {
  const TemporaryFolder folder;
  ::signal(SIGHUP, SIG_IGN);
  const int status = status_after(folder.path(), [](ShutdownGuard& sudden_end, AutosaveWriter&) {
    ::raise(SIGHUP);
    ::usleep(20000);
    if (!sudden_end.signal()) ::_exit(0);
  });
  ::signal(SIGHUP, SIG_DFL);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("shutdown guard: without a thread there is an error, and everything is as it was") {
  const std::terminate_handler before = std::get_terminate();
  struct sigaction action_before {
  }, action{};
  ::sigaction(SIGTERM, nullptr, &action_before);
  const TemporaryFolder folder;
  const NoThreads none;
  CHECK_THROWS_AS(ShutdownGuard([] {}, [] {}), Error);
  CHECK_THROWS_AS(AutosaveWriter({folder.path()}), Error);
  ::sigaction(SIGTERM, nullptr, &action);
  CHECK(std::get_terminate() == before);
  CHECK(action.sa_handler == action_before.sa_handler);
  ShutdownGuard::last_words();
}
