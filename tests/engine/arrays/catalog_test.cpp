#include "engine/arrays/catalog.h"

#include <zip.h>

#include <cmath>
#include <cstdint>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Shape = std::vector<Index>;

std::string safetensors_file(const std::string& header, const std::string& data) {
  return bytes_of<std::uint64_t>({header.size()}) + header + data;
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   std::size_t begin, std::size_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

// A zip archive with arbitrary member names and contents, deflated.
void write_zip(const fs::path& path, const std::vector<std::pair<std::string, std::string>>& members) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive != nullptr);
  for (const auto& [name, content] : members) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    REQUIRE(zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8) >= 0);
  }
  REQUIRE(zip_close(archive) == 0);
}

void check_problem(const ArrayEntry& entry, const std::string& what) {
  INFO(entry.name);
  REQUIRE(entry.problem.has_value());
  CHECK_THAT(entry.problem->summary(), ContainsSubstring(what));
  CHECK(entry.problem->hint() != "");
}

std::vector<std::string> names_of(const std::vector<ArrayEntry>& entries) {
  std::vector<std::string> names;
  for (const ArrayEntry& entry : entries)
    names.push_back(entry.name);
  return names;
}

}  // namespace

TEST_CASE("catalog: a .npy file holds one array, called as the file is") {
  const TemporaryFolder folder;
  const fs::path path =
      folder.write("Wq.NPY", npy_file(npy_header(">f8", "(2, 3)", true), std::string(48, '\0')));
  const std::vector<ArrayEntry> entries = list_arrays(path);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].name == "Wq");
  CHECK(entries[0].shape == Shape{2, 3});
  CHECK(entries[0].type == ">f8");
  CHECK(entries[0].bytes == 48);
  CHECK_FALSE(entries[0].problem.has_value());
  CHECK(read_array(path, "").shape == Shape{2, 3});
  CHECK(read_array(path, "Wq").name == "Wq");
  check_error([&] { read_array(path, "Wk"); }, "no array \"Wk\"", "Wq.NPY", "without a name");
}

TEST_CASE("catalog: what is wrong with a .npy file is in its entry") {
  const TemporaryFolder folder;
  const auto problem_of = [&](const std::string& bytes, const std::string& what) {
    const std::vector<ArrayEntry> entries = list_arrays(folder.write("x.npy", bytes));
    REQUIRE(entries.size() == 1);
    check_problem(entries[0], what);
    CHECK_THROWS_AS(read_array(folder / "x.npy", ""), Error);
    return entries[0];
  };
  problem_of("", "not a .npy file");
  const ArrayEntry pickle = problem_of(npy_file(npy_header("|O", "(4,)"), "pickle"), "pickled Python");
  CHECK(pickle.type == "|O");
  CHECK(pickle.shape == Shape{4});
  problem_of(npy_file(npy_header("<f4", "(2,)"), "1234"), "ends after 4 of 8 bytes");
  problem_of(npy_file(npy_header("<f4", "(2,)"), "123456789"), "1 bytes follow");
  problem_of(npy_file(npy_header("<f4", "(99999, 99999)"), ""), "larger than");
  // Small in the file, too large in memory.
  problem_of(npy_file(npy_header("|u1", "(1073741824,)"), ""), "larger than");
  check_error([&] { list_arrays(folder / "none.npy"); }, "no such file", "none.npy", "check");
}

TEST_CASE("catalog: of a .npz file every member's header is read") {
  const TemporaryFolder folder;
  const std::string one = npy_bytes({"", {2}, {1, 2}});
  write_zip(folder / "a.npz", {{"layers/0/W.npy", one},
                               {"readme.txt", "no array"},
                               {"zeros.npy", npy_bytes({"", {0, 0}, {}})},
                               {"objects.npy", npy_file(npy_header("|O", "(1,)"), "pickle")},
                               {"broken.npy", "not numpy"},
                               {"../../etc/x.npy", one},
                               {"/tmp/x.npy", one},
                               {"a\\..\\x.npy", one}});
  const std::vector<ArrayEntry> entries = list_arrays(folder / "a.npz");
  CHECK(names_of(entries) == std::vector<std::string>{"layers/0/W", "zeros", "objects", "broken",
                                                      "../../etc/x", "/tmp/x", "a\\..\\x"});
  REQUIRE(entries.size() == 7);
  CHECK(entries[0].shape == Shape{2});
  CHECK(entries[0].type == "<f4");
  CHECK(entries[0].bytes == 8);
  CHECK(read_array(folder / "a.npz", "layers/0/W").values == std::vector<float>{1, 2});
  CHECK_FALSE(entries[1].problem.has_value());
  CHECK(entries[1].shape == Shape{0, 0});
  CHECK(read_array(folder / "a.npz", "zeros").values.empty());
  check_problem(entries[2], "pickled Python objects");
  check_problem(entries[3], "not a .npy file");
  for (std::size_t i = 4; i < 7; ++i) {
    check_problem(entries[i], "leads out of the archive");
    check_error([&] { read_array(folder / "a.npz", entries[i].name); }, "leads out", "a.npz", "plain name");
  }
}

TEST_CASE("catalog: two members of one name are refused") {
  const TemporaryFolder folder;
  const std::string one = npy_bytes({"", {1}, {1}});
  write_zip(folder / "a.npz", {{"x.npy", one}, {"y.npy", one}});
  std::string bytes = read_file(folder / "a.npz");
  for (std::size_t at = bytes.find("y.npy"); at != std::string::npos; at = bytes.find("y.npy"))
    bytes[at] = 'x';
  folder.write("b.npz", bytes);
  const std::vector<ArrayEntry> entries = list_arrays(folder / "b.npz");
  REQUIRE(entries.size() == 2);
  check_problem(entries[0], "two arrays are named \"x\"");
  check_problem(entries[1], "two arrays are named \"x\"");
  check_error([&] { read_array(folder / "b.npz", "x"); }, "two arrays are named", "b.npz", "name of its own");
}

TEST_CASE("catalog: a member that goes on behind its array stops being unpacked") {
  const TemporaryFolder folder;
  // 32 MiB of zeros in a file of 32 kB, with a header that declares four bytes.
  write_zip(folder / "bomb.npz",
            {{"x.npy", npy_file(npy_header("<f4", "(1,)"), std::string(std::size_t{1} << 25, '\0'))}});
  const Error error = error_of([&] { read_array(folder / "bomb.npz", "x"); });
  CHECK_THAT(error.summary(), ContainsSubstring("bytes follow the values"));
  // The excess was not unpacked to the end, so its count is small.
  CHECK(std::stoul(error.summary()) < 1'000'000);
  CHECK(list_arrays(folder / "bomb.npz").at(0).shape == Shape{1});
}

TEST_CASE("catalog: of a .safetensors file the header alone is read") {
  const TemporaryFolder folder;
  const std::uint64_t size = std::uint64_t{1} << 34;
  const std::string header =
      "{\"__metadata__\":{}," + tensor("h.10.w", "BF16", "[2,1]", 0, 4) + "," +
      tensor("h.2.w", "F8_E5M2", "[4]", 4, 8) + "," + tensor("h.2.b", "F32", "[]", 8, 12) + "," +
      tensor("empty", "F32", "[0,7]", 0, 0) + "," + tensor("big", "F32", "[4294967293]", 12, size) + "}";
  const std::string head = safetensors_file(header, "");
  const fs::path path = folder.write("m.safetensors", head);
  fs::resize_file(path, head.size() + size);
  const std::vector<ArrayEntry> entries = list_arrays(path);
  CHECK(names_of(entries) == std::vector<std::string>{"big", "empty", "h.2.b", "h.2.w", "h.10.w"});
  REQUIRE(entries.size() == 5);
  check_problem(entries[0], "larger than");
  CHECK(entries[0].bytes == size - 12);
  CHECK(entries[1].shape == Shape{0, 7});
  CHECK_FALSE(entries[1].problem.has_value());
  CHECK(entries[2].shape.empty());
  check_problem(entries[3], "type \"F8_E5M2\"");
  CHECK(entries[3].type == "F8_E5M2");
  CHECK(entries[4].shape == Shape{2, 1});
  CHECK(entries[4].type == "BF16");
  CHECK(read_array(path, "h.10.w").values.size() == 2);
  CHECK(read_array(path, "empty").values.empty());
}

TEST_CASE("catalog: a table is one array with its labels") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("emb.csv", "token,x,y\nYour,0.43,0.15\njourney,0.55,nan\n");
  const std::vector<ArrayEntry> entries = list_arrays(path);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].name == "emb");
  CHECK(entries[0].type == "text");
  CHECK(entries[0].shape == Shape{2, 2});
  CHECK(entries[0].bytes == fs::file_size(path));
  CHECK(entries[0].row_labels == std::vector<std::string>{"Your", "journey"});
  CHECK(entries[0].column_labels == std::vector<std::string>{"x", "y"});
  const NamedArray array = read_array(path, "");
  CHECK(array.name == "emb");
  CHECK(array.shape == Shape{2, 2});
  CHECK(array.values[2] == 0.55f);
  CHECK(std::isnan(array.values[3]));
  check_problem(list_arrays(folder.write("bad.tsv", "1\t2\n3\n")).at(0), "1 field");
}

TEST_CASE("catalog: another ending is refused with those that can be read") {
  check_error([] { list_arrays("/tmp/model.bin"); }, "type \".bin\" cannot be read", "model.bin",
              ".safetensors, .csv and .tsv");
  check_error([] { read_array("/tmp/model", ""); }, "cannot be read", "/tmp/model", ".npy");
}
