// Ownership of recovery files: those of a running process are not offered to another.
#include "app/recovery/recovery_files.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

Session session(float value) {
  Session session;
  session.title = "Mine";
  session.layer.tokens = {"a"};
  session.layer.embeddings = {Matrix::Constant(1, 1, value)};
  session.layer.attention.d_out = 1;
  return session;
}

// A child process that writes a session into the folder and holds its files until it is killed.
class Keeper {
 public:
  explicit Keeper(const fs::path& folder) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      RecoveryFiles files(folder);
      files.write_whole(session(7), {"/a/file.headlight", {}}, 3);
      const bool told = ::write(ends[1], "x", 1) == 1;
      if (told) ::pause();
      ::_exit(0);
    }
    char ready = 0;
    REQUIRE(::read(ends[0], &ready, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Keeper() { end(); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("recovery: files of a living process are not offered, those of one that was killed are") {
  const TemporaryFolder folder;
  Keeper keeper(folder.path());
  CHECK(UnsavedSessions(folder.path()).list().empty());
  CHECK(folder.names().size() == 3);
  keeper.end();
  UnsavedSessions left(folder.path());
  REQUIRE(left.list().size() == 1);
  CHECK(left.list().front().path == fs::path("/a/file.headlight"));
  CHECK(left.list().front().changes == 3);
  CHECK(left.list().front().bytes > 0);
  const auto age = std::chrono::system_clock::now() - left.list().front().since;
  CHECK(age < std::chrono::minutes(5));
  CHECK(left.load(0).layer.embeddings[0](0, 0) == 7.0f);

  CHECK(UnsavedSessions(folder.path()).list().empty());  // `left` holds the session's lock
  left = UnsavedSessions();
  UnsavedSessions next(folder.path());
  REQUIRE(next.list().size() == 1);
  next.remove(0);
  CHECK(next.list().empty());
  CHECK(folder.names().empty());
}

TEST_CASE("recovery: whoever is killed at any moment of writing leaves the name of the person's file") {
  std::size_t left = 0;
  // The delay grows until even a slow disk has written something.
  for (useconds_t i = 0; i < 60 || left < 5; ++i) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    if (child == 0)
      for (;;) {
        RecoveryFiles files(folder.path());
        files.write_whole(session(7), {"/a/file.headlight", {}}, 3);
        files.remove();
      }
    ::usleep(2000 + 97 * i);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const UnsavedSessions sessions(folder.path());
    for (const UnsavedSession& kept : sessions.list()) {
      ++left;
      CHECK(kept.path == fs::path("/a/file.headlight"));
    }
  }
}

TEST_CASE("recovery: several that were left behind come newest first, each by itself") {
  const TemporaryFolder folder;
  for (const float value : {1.0f, 2.0f, 3.0f}) {
    RecoveryFiles files(folder.path());
    files.write_whole(session(value), {}, 1);
  }
  UnsavedSessions left(folder.path());
  REQUIRE(left.list().size() == 3);
  CHECK(left.list()[0].name >= left.list()[1].name);
  left.remove(1);
  REQUIRE(left.list().size() == 2);
  CHECK(folder.names().size() == 6);
}

TEST_CASE("recovery: what ended before it held a session is cleared away, and damage harms nothing") {
  const TemporaryFolder folder;
  folder.write("20200101-000000-00000000.lock", "");
  folder.write(".20200101-000000-00000001.lock", "");
  std::filesystem::last_write_time(folder / ".20200101-000000-00000001.lock",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  // One that another process is about to lock and to rename.
  folder.write(".20200101-000000-00000005.lock", "");
  folder.write("20200101-000000-00000002.journal", "headlight-journal 1\n");
  folder.write("20200101-000000-00000003.headlight", "no session");
  folder.write("20200101-000000-00000003.journal", "no journal");
  const UnsavedSessions left(folder.path());
  REQUIRE(left.list().size() == 1);
  CHECK_THROWS_AS(left.load(0), std::exception);
  CHECK(folder.names().size() == 4);
  CHECK(std::filesystem::exists(folder / ".20200101-000000-00000005.lock"));
  CHECK(UnsavedSessions(folder / "missing").list().empty());
}

TEST_CASE("recovery: the folder is the person's own") {
  const TemporaryFolder folder;
  RecoveryFiles files(folder / "state" / "recovery");
  files.write_whole(session(1), {}, 1);
  CHECK((fs::status(folder / "state" / "recovery").permissions() & fs::perms::others_all) == fs::perms::none);
  files.remove();
  CHECK(fs::is_empty(folder / "state" / "recovery"));
}
