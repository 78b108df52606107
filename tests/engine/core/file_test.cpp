#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "engine/core/file.h"
#include "tests/support/format_support.h"

using headlight::AtomicFile;
using headlight::read_file;
using headlight::write_file_atomically;
using namespace headlight_test;

namespace {

// Runs as the user "nobody" while it exists, because the superuser may read and write everything.
class AsNobody {
 public:
  AsNobody() : user_(::geteuid()) {
    if (user_ == 0) REQUIRE(::seteuid(65534) == 0);
  }
  ~AsNobody() {
    if (user_ == 0) (void)!::seteuid(0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  uid_t user_;
};

// Limits the size of written files to `bytes` while it exists, which simulates a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("file: what is written is read, and nothing else stays") {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file_atomically(folder / "x.bin", bytes);
  CHECK(read_file(folder / "x.bin") == bytes);
  write_file_atomically(folder / "x.bin", "");
  CHECK(read_file(folder / "x.bin").empty());
  CHECK(folder.names() == std::vector<std::string>{"x.bin"});
}

TEST_CASE("file: a file in the current folder can be written by its bare name") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("bare.txt", "here");
  const std::string bytes = read_file("bare.txt");
  fs::current_path(before);
  CHECK(bytes == "here");
}

TEST_CASE("file: reading says what is wrong") {
  const TemporaryFolder folder;
  check_error([&] { read_file(folder / "none.txt"); }, "no such file", "none.txt", "check the name");
  check_error([&] { read_file(folder.path()); }, "folder, not a file", folder.path().string(),
              "choose a file");
  check_error([] { read_file("/dev/zero"); }, "device or a pipe", "/dev/zero", "save it to a file");
  check_error([] { read_file("/dev/null/x"); }, "no such file", "/dev/null/x", "check");
  folder.write("large.txt", "12345");
  check_error([&] { headlight::require_file(folder / "large.txt", 4); }, "5 bytes, more than the 4",
              "large.txt", "a part");
}

TEST_CASE("file: no permission to read or write is said") {
  const TemporaryFolder folder;
  const fs::path secret = folder.write("secret.txt", "x");
  fs::permissions(secret, fs::perms::none);
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                     fs::perms::others_exec);
  {
    const AsNobody nobody;
    check_error([&] { read_file(secret); }, "no permission to read", "secret.txt", "chmod +r");
    check_error([&] { write_file_atomically(folder / "new.txt", "x"); }, "no permission to write", "new.txt",
                "another folder");
    check_error([&] { write_file_atomically(secret, "y"); }, "no permission to write", "secret.txt",
                "another folder");
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
  fs::permissions(secret, fs::perms::owner_all);
  CHECK(read_file(secret) == "x");
}

TEST_CASE("file: a read-only file in a writable folder is respected") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("kept.txt", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(folder.path(), fs::perms::all);
  {
    const AsNobody nobody;
    check_error([&] { write_file_atomically(path, "new"); }, "no permission to write", "kept.txt",
                "chmod +w");
  }
  CHECK(read_file(path) == "old");
}

TEST_CASE("file: writing says what is wrong") {
  const TemporaryFolder folder;
  check_error([&] { write_file_atomically(folder / "no/such/x.txt", "x"); }, "there is no folder", "x.txt",
              "create");
  check_error([&] { write_file_atomically(folder.path(), "x"); }, "folder, not a file",
              folder.path().string(), "name of a file");
  check_error([&] { write_file_atomically(folder / std::string(300, 'n'), "x"); }, "name is too long", "nnn",
              "shorter");
  CHECK(folder.names().empty());
}

TEST_CASE("file: a full disk is said, on a device that is always full") {
  check_error([] { write_file_atomically("/dev/full", "x"); }, "the disk is full", "/dev/full",
              "free some space");
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("file: a failure half way leaves the old file and no rest") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("x.txt", "old");
  {
    const FileSizeLimit limit(1000);
    check_error([&] { write_file_atomically(path, std::string(5000, 'x')); }, "too large", "x.txt", "limit");
  }
  CHECK(read_file(path) == "old");
  CHECK(folder.names() == std::vector<std::string>{"x.txt"});
}

TEST_CASE("file: permissions and links survive a save") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("target.txt", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
  fs::create_symlink("target.txt", folder / "link.txt");
  write_file_atomically(folder / "link.txt", "new");
  CHECK(fs::is_symlink(folder / "link.txt"));
  CHECK(read_file(path) == "new");
  CHECK(fs::status(path).permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write));
}

TEST_CASE("file: what a killed process left is taken away, and nothing else") {
  const TemporaryFolder folder;
  folder.write(".headlight-4711-0.tmp", "left");
  folder.write(".headlight-" + std::to_string(::getpid()) + "-0.tmp", "left by one that had this number");
  folder.write(".headlight-4711-0.tmp.txt", "somebody's");
  folder.write(".headlight-notes.tmp", "somebody's");
  folder.write("headlight-4711-0.tmp", "somebody's");
  fs::create_directory(folder / ".headlight-4711-1.tmp");
  write_file_atomically(folder / "x.txt", "new");
  CHECK(read_file(folder / "x.txt") == "new");
  CHECK(folder.names() == std::vector<std::string>{".headlight-4711-0.tmp.txt", ".headlight-4711-1.tmp",
                                                   ".headlight-notes.tmp", "headlight-4711-0.tmp", "x.txt"});
}

TEST_CASE("file: what is still being written stays, beside others that are") {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a.txt");
  first.write("first ");
  {
    AtomicFile second(folder / "b.txt");
    second.write("never committed");
    CHECK(folder.names().size() == 2);
  }
  write_file_atomically(folder / "c.txt", "new");
  first.write("and last");
  CHECK_FALSE(fs::exists(folder / "a.txt"));
  first.commit();
  CHECK(read_file(folder / "a.txt") == "first and last");
  CHECK(folder.names() == std::vector<std::string>{"a.txt", "c.txt"});
}

TEST_CASE("file: a process that is killed while it writes leaves nothing for long") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("x.txt", "old");
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(path);
    file.write("half of what");
    (void)!::write(ready[1], "x", 1);
    for (;;)
      ::pause();
  }
  char told = 0;
  REQUIRE(::read(ready[0], &told, 1) == 1);
  write_file_atomically(folder / "y.txt", "meanwhile");
  CHECK(folder.names().size() == 3);  // its writer is alive, so its temporary file stays
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  CHECK(folder.names().size() == 3);
  write_file_atomically(folder / "y.txt", "later");
  CHECK(folder.names() == std::vector<std::string>{"x.txt", "y.txt"});
  CHECK(read_file(path) == "old");
}

TEST_CASE("file: a pipe that nobody reads from is refused at once, one that is read from is written to") {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_error([&] { write_file_atomically(pipe, "x"); }, "nobody reads from", "pipe", "file");
  check_error([&] { AtomicFile file(pipe); }, "a pipe, not a file", "pipe", "name of a file");
  check_error([&] { read_file(pipe); }, "a pipe, not a file", "pipe", "save it to a file");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  write_file_atomically(pipe, "said");
  char bytes[8] = {};
  CHECK(::read(reader, bytes, sizeof bytes) == 4);
  CHECK(std::string(bytes) == "said");
  ::close(reader);
  CHECK(fs::is_fifo(pipe));
}
