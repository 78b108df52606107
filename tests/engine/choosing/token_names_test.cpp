// Names of tokens in files: text with a token a line, and NumPy's arrays of text.
#include "engine/array_import/token_names.h"

#include "engine/arrays/npy.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("token names: a token a line, also with the line ends of Windows and without the last one") {
  const TemporaryFolder folder;
  using Names = std::vector<std::string>;
  CHECK(read_token_names(folder.write("a.txt", "the\ncat\n")) == Names{"the", "cat"});
  CHECK(read_token_names(folder.write("b.txt", "the\r\ncat\r\n\r\nsat")) == Names{"the", "cat", "", "sat"});
  CHECK(read_token_names(folder.write("c.txt", " the\n\n")) == Names{" the", ""});
  check_error([&] { read_token_names(folder.write("d.txt", "")); }, "no tokens in it", "d.txt", "one a line");
  check_error([&] { read_token_names(folder / "none.txt"); }, "no such file", "none.txt", "check the name");
}

TEST_CASE("token names: an array of text is read, one of numbers or of nothing is refused") {
  const TemporaryFolder folder;
  const fs::path words = folder.write("words.npy", npy_file(npy_header("|S3", "(2,)"), "thecat"));
  CHECK(read_token_names(words) == std::vector<std::string>{"the", "cat"});
  const fs::path numbers = folder.write("numbers.npy", npy_bytes({"", {2}, {1, 2}}));
  check_error([&] { read_token_names(numbers); }, "it holds no text", "numbers.npy", "numpy.save");
  const fs::path empty = folder.write("empty.npy", npy_file(npy_header("|S3", "(0,)"), ""));
  check_error([&] { read_token_names(empty); }, "it holds no text", "empty.npy", "numpy.save");
}
