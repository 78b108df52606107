// Files that are exported together: all of them, or the folder as it was.
#include "app/export/exported_files.h"

#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using headlight_test::TemporaryFolder;

namespace fs = std::filesystem;

TEST_CASE("exported files: all appear together, and what is replaced keeps its permissions and its link") {
  const TemporaryFolder folder;
  folder.write("old.csv", "old");
  fs::permissions(folder / "old.csv", fs::perms::owner_read | fs::perms::owner_write);
  folder.write("target.csv", "old");
  fs::create_symlink(folder / "target.csv", folder / "link.csv");
  FileSet files;
  files.add(folder / "old.csv", "new");
  files.add(folder / "link.csv", "linked");
  files.add(folder / "fresh.csv", "fresh");
  CHECK(read_file(folder / "old.csv") == "old");
  CHECK_FALSE(fs::exists(folder / "fresh.csv"));
  files.commit();
  CHECK(read_file(folder / "old.csv") == "new");
  CHECK(fs::status(folder / "old.csv").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(fs::is_symlink(folder / "link.csv"));
  CHECK(read_file(folder / "target.csv") == "linked");
  CHECK(read_file(folder / "fresh.csv") == "fresh");
  CHECK(folder.names().size() == 4);
}

TEST_CASE("exported files: if one cannot be put in its place, all are as they were") {
  const TemporaryFolder folder;
  folder.write("a.csv", "old");
  {
    FileSet files;
    files.add(folder / "a.csv", "new");
    files.add(folder / "b.csv", "new");
    files.add(folder / "c.csv", "new");
    fs::create_directories(folder / "c.csv" / "inside");
    CHECK_THROWS_AS(files.commit(), Error);
  }
  CHECK(read_file(folder / "a.csv") == "old");
  CHECK_FALSE(fs::exists(folder / "b.csv"));
  CHECK(folder.names().size() == 2);
}

TEST_CASE("exported files: without a commit nothing is left behind") {
  const TemporaryFolder folder;
  {
    FileSet files;
    files.add(folder / "a.csv", "new");
  }
  CHECK(folder.names().empty());
  FileSet files;
  CHECK_THROWS_AS(files.add(folder / "missing" / "a.csv", "new"), Error);
}
