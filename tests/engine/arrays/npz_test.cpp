#include <zip.h>

#include <cstdlib>
#include <ctime>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "tests/support/format_support.h"

using headlight::NamedArray;
using namespace headlight_test;

namespace {

const std::vector<NamedArray> kArrays = {{"weights", {2, 2}, {1, 0, 0.25f, 0.75f}},
                                         {"context", {3}, {-1, 0, 1}}};

// A zip archive as other programs write it, deflated or stored.
void write_zip(const fs::path& path, const std::string& name, const std::string& content, bool deflate) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive != nullptr);
  zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
  REQUIRE(index >= 0);
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                           9);
  REQUIRE(zip_close(archive) == 0);
}

}  // namespace

TEST_CASE("npz: reading returns what was written") {
  const TemporaryFolder folder;
  headlight::write_npz(folder / "stages.npz", kArrays);
  for (const NamedArray& array : kArrays) {
    const NamedArray back = headlight::read_npz(folder / "stages.npz", array.name);
    CHECK(back.name == array.name);
    CHECK(back.shape == array.shape);
    CHECK(back.values == array.values);
  }
  CHECK(folder.names() == std::vector<std::string>{"stages.npz"});
}

TEST_CASE("npz: the bytes depend on the arrays only") {
  const std::string first = headlight::npz_bytes(kArrays);
  ::setenv("TZ", "Pacific/Kiritimati", 1);
  ::tzset();
  const std::string second = headlight::npz_bytes(kArrays);
  ::unsetenv("TZ");
  ::tzset();
  CHECK(first == second);
  // Date and time of the first local header: 1 January 1980, midnight.
  CHECK(first.substr(10, 4) == std::string("\x00\x00\x21\x00", 4));
  CHECK(first.find("weights.npy") < first.find("context.npy"));
}

TEST_CASE("npz: an archive without arrays can be written") {
  const TemporaryFolder folder;
  headlight::write_npz(folder / "empty.npz", {});
  check_error([&] { headlight::read_npz(folder / "empty.npz", "x"); }, "holds no arrays", "empty.npz",
              "savez");
}

TEST_CASE("npz: stored and deflated members are read") {
  const TemporaryFolder folder;
  const NamedArray array{"", {1000}, std::vector<float>(1000, 0.5f)};
  write_zip(folder / "stored.npz", "x.npy", headlight::npy_bytes(array), false);
  write_zip(folder / "deflated.npz", "x.npy", headlight::npy_bytes(array), true);
  CHECK(fs::file_size(folder / "deflated.npz") < fs::file_size(folder / "stored.npz") / 5);
  CHECK(headlight::read_npz(folder / "stored.npz", "x").values == array.values);
  CHECK(headlight::read_npz(folder / "deflated.npz", "x").values == array.values);
}

TEST_CASE("npz: a missing array is named, and those that exist") {
  const TemporaryFolder folder;
  headlight::write_npz(folder / "stages.npz", kArrays);
  check_error([&] { headlight::read_npz(folder / "stages.npz", "wieghts"); }, "no array \"wieghts\"",
              "stages.npz", "\"weights\", \"context\"");
  check_error([&] { headlight::read_npz(folder / "stages.npz", ""); }, "no array is named", "stages.npz",
              "\"weights\"");
  write_zip(folder / "notes.zip", "readme.txt", "hello", false);
  check_error([&] { headlight::read_npz(folder / "notes.zip", "x"); }, "holds no arrays", "notes.zip",
              "numpy.savez");
}

TEST_CASE("npz: a member that unpacks to too much is refused") {
  const TemporaryFolder folder;
  const NamedArray zeros{"", {100000}, std::vector<float>(100000, 0.0f)};
  write_zip(folder / "bomb.npz", "x.npy", headlight::npy_bytes(zeros), true);
  CHECK(fs::file_size(folder / "bomb.npz") < 2000);
  check_error([&] { headlight::read_npz(folder / "bomb.npz", "x", 100000); }, "larger than 100000 bytes",
              "bomb.npz[x]", "too large");
  // The size in the headers may be false: the limit applies to the unpacked bytes.
  std::string bytes = headlight::read_file(folder / "bomb.npz");
  const std::size_t central = bytes.find("PK\x01\x02");
  REQUIRE(central != std::string::npos);
  bytes.replace(central + 24, 4, std::string("\x10\x00\x00\x00", 4));
  bytes.replace(22, 4, std::string("\x10\x00\x00\x00", 4));
  folder.write("liar.npz", bytes);
  CHECK_THROWS_AS(headlight::read_npz(folder / "liar.npz", "x", 100000), headlight::Error);
}

TEST_CASE("npz: what is no archive, or a damaged one, is refused") {
  const TemporaryFolder folder;
  folder.write("text.npz", "this is no archive, only text that is long enough to look at");
  check_error([&] { headlight::read_npz(folder / "text.npz", "x"); }, "not a .npz file", "text.npz",
              "numpy.savez");
  folder.write("empty.npz", "");
  CHECK_THROWS_AS(headlight::read_npz(folder / "empty.npz", "x"), headlight::Error);
  check_error([&] { headlight::read_npz(folder.path(), "x"); }, "folder", folder.path().string(),
              "choose a file");
  check_error([&] { headlight::read_npz(folder / "none.npz", "x"); }, "no such file", "none.npz", "check");

  std::string bytes = headlight::npz_bytes(kArrays);
  const std::size_t data = bytes.find("\x93NUMPY");
  bytes[data + 130] ^= 1;  // does not match the checksum in the zip archive
  folder.write("flipped.npz", bytes);
  check_error([&] { headlight::read_npz(folder / "flipped.npz", "weights"); }, "cannot be unpacked",
              "flipped.npz", "damaged");
  const std::string whole = headlight::npz_bytes(kArrays);
  for (std::size_t length = 0; length < whole.size(); length += 37) {
    folder.write("cut.npz", whole.substr(0, length));
    CHECK_THROWS_AS(headlight::read_npz(folder / "cut.npz", "weights"), headlight::Error);
  }
}

TEST_CASE("npz: a file that was cut off says so, at whatever place") {
  const TemporaryFolder folder;
  headlight::write_npz(folder / "whole.npz", kArrays);
  const auto size = fs::file_size(folder / "whole.npz");
  for (const std::uintmax_t length : {std::uintmax_t{4}, size / 2, size - 30, size - 1}) {
    INFO(length << " of " << size << " bytes");
    fs::copy_file(folder / "whole.npz", folder / "cut.npz", fs::copy_options::overwrite_existing);
    fs::resize_file(folder / "cut.npz", length);
    check_error([&] { headlight::list_npz(folder / "cut.npz"); }, "cut off", "cut.npz", "copy or download");
  }
}
