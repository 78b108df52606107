// Detects whether a file has changed since it was read.
#include "engine/core/file_stamp.h"

#include <chrono>
#include <filesystem>

#include "engine/core/file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE(
    "file stamp: a file that was written anew has changed, one that was touched or copied back has not") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("a", "one");
  const auto before = stamp_of(file);
  REQUIRE(before.has_value());
  CHECK_FALSE(changed_since(file, *before));
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
  CHECK_FALSE(changed_since(file, *before));
  write_file_atomically(file, "one");  // another inode
  CHECK_FALSE(changed_since(file, *before));
  write_file_atomically(file, "two");
  CHECK(changed_since(file, *before));
  write_file_atomically(file, "longer");
  CHECK(changed_since(file, *before));
  fs::remove(file);
  CHECK_FALSE(changed_since(file, *before));  // a missing file has no changes to lose
  CHECK_FALSE(stamp_of(file).has_value());
  CHECK_FALSE(stamp_of(folder.path()).has_value());
}

TEST_CASE("file stamp: the hash is the same by pieces and of the whole, and tells bytes apart") {
  const TemporaryFolder folder;
  std::string bytes(3'000'001, 'x');
  const auto hash = content_hash(bytes.data(), bytes.size());
  CHECK(content_hash(nullptr, 0) == content_hash(folder.write("empty", "")));
  CHECK(content_hash(folder.write("a", bytes)) == content_hash(folder.write("b", bytes)));
  bytes.back() = 'y';
  CHECK(content_hash(bytes.data(), bytes.size()) != hash);
  CHECK(content_hash(folder / "a") != content_hash(folder.write("b", bytes)));
  CHECK(content_hash("", 0) != content_hash("\0", 1));
}
