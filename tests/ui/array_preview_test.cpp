// The thumbnail and the facts of one array: what cannot be read is a problem beside it.
#include "app/ui/dialogs/array_preview.h"

#include "engine/arrays/npy.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("array preview: a file that is cut off or gone is a problem of that array, not of the program") {
  const TemporaryFolder folder;
  const std::string whole = npy_bytes({"", {2, 3}, {1, 2, 3, 4, 5, 6}});
  const fs::path cut = folder.write("cut.npy", whole.substr(0, whole.size() - 4));
  for (const fs::path& path : {cut, folder / "gone.npy"}) {
    CAPTURE(path.string());
    const ArrayPreview preview = preview_array(path, "", 7);
    CHECK(preview.entry == 7);
    REQUIRE(preview.problem);
    CHECK_THAT(preview.problem->what(), ContainsSubstring(path.filename().string()));
    REQUIRE(preview.facts.unreadable);
    CHECK(preview.facts.unreadable->summary() == preview.problem->summary());
    CHECK(preview.tile.values.size() == 0);
  }
}

TEST_CASE("array preview: the first matrix, a vector as a row, and text without a picture") {
  const TemporaryFolder folder;
  std::vector<float> numbers(2 * 3 * 4);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i);
  const fs::path cube = folder.write("cube.npy", npy_bytes({"", {2, 3, 4}, numbers}));
  const ArrayPreview first = preview_array(cube, "", 0);
  REQUIRE_FALSE(first.problem);
  REQUIRE((first.tile.values.rows() == 3 && first.tile.values.cols() == 4));
  CHECK(first.tile.values(2, 3) == 11);
  const fs::path row = folder.write("row.npy", npy_bytes({"", {5}, {1, 2, 3, 4, 5}}));
  const ArrayPreview vector = preview_array(row, "", 0);
  REQUIRE((vector.tile.values.rows() == 1 && vector.tile.values.cols() == 5));
  const fs::path words = folder.write("words.npy", npy_file(npy_header("|S3", "(2,)"), "thecat"));
  const ArrayPreview text = preview_array(words, "", 0);
  CHECK_FALSE(text.problem);
  CHECK(text.tile.values.size() == 0);
}
