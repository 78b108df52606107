#include "engine/arrays/safetensors.h"

#include <cmath>
#include <cstdint>
#include <stop_token>

#include "engine/arrays/catalog.h"
#include "engine/core/stopping.h"
#include "tests/support/format_support.h"

using headlight::NamedArray;
using headlight::read_safetensors;
using namespace headlight_test;

namespace {

std::string file_of_header(const std::string& header, const std::string& data) {
  return bytes_of<std::uint64_t>({header.size()}) + header + data;
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  std::size_t begin, std::size_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

template <class T>
void check_type(const TemporaryFolder& folder, const std::string& dtype, const std::vector<T>& written,
                const std::vector<float>& expected) {
  INFO(dtype);
  const std::string data = bytes_of(written);
  const std::string shape = "[" + std::to_string(written.size()) + "]";
  folder.write("t.safetensors", file_of_header("{" + entry("x", dtype, shape, 0, data.size()) + "}", data));
  CHECK(read_safetensors(folder / "t.safetensors", "x").values == expected);
}

}  // namespace

TEST_CASE("safetensors: every number type becomes float32") {
  const TemporaryFolder folder;
  check_type<double>(folder, "F64", {0.1, -2}, {0.1f, -2});
  check_type<float>(folder, "F32", {0.1f, -0.0f}, {0.1f, -0.0f});
  check_type<std::uint16_t>(folder, "F16", {0x3c00, 0xc400}, {1, -4});
  check_type<std::uint16_t>(folder, "BF16", {0x3f80, 0xc0a0, 0x7f80}, {1, -5, INFINITY});
  check_type<std::int64_t>(folder, "I64", {-3, 4}, {-3, 4});
  check_type<std::int32_t>(folder, "I32", {-3, 4}, {-3, 4});
  check_type<std::int16_t>(folder, "I16", {-300, 4}, {-300, 4});
  check_type<std::int8_t>(folder, "I8", {-3, 4}, {-3, 4});
  check_type<std::uint64_t>(folder, "U64", {3, 4}, {3, 4});
  check_type<std::uint32_t>(folder, "U32", {3, 4000000000u}, {3, 4000000000.0f});
  check_type<std::uint16_t>(folder, "U16", {3, 65535}, {3, 65535});
  check_type<std::uint8_t>(folder, "U8", {3, 255}, {3, 255});
  check_type<std::uint8_t>(folder, "BOOL", {0, 1}, {0, 1});
}

TEST_CASE("safetensors: one tensor among several, with metadata and padding") {
  const TemporaryFolder folder;
  const std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," + entry("b", "F32", "[2,2]", 4, 20) +
                             "," + entry("a.weight", "F32", "[]", 0, 4) + "}     ";
  folder.write("m.safetensors", file_of_header(header, bytes_of<float>({9, 1, 2, 3, 4})));
  const NamedArray b = read_safetensors(folder / "m.safetensors", "b");
  CHECK(b.name == "b");
  CHECK(b.shape == std::vector<headlight::Index>{2, 2});
  CHECK(b.values == std::vector<float>{1, 2, 3, 4});
  CHECK(read_safetensors(folder / "m.safetensors", "a.weight").values == std::vector<float>{9});
}

TEST_CASE("safetensors: a missing tensor's message names the nearest one") {
  const TemporaryFolder folder;
  const std::string header = "{" + entry("h.0.attn.c_attn.weight", "F32", "[1]", 0, 4) + "," +
                             entry("wte", "F32", "[1]", 4, 8) + "}";
  folder.write("m.safetensors", file_of_header(header, bytes_of<float>({1, 2})));
  check_error([&] { read_safetensors(folder / "m.safetensors", "h.0.attn.c_atn.weight"); },
              "no tensor \"h.0.attn.c_atn.weight\"", "m.safetensors",
              "nearest name is \"h.0.attn.c_attn.weight\"");
  check_error([&] { read_safetensors(folder / "m.safetensors", ""); }, "no tensor is named", "m.safetensors",
              "wte");
  check_error([&] { read_safetensors(folder / "m.safetensors", "__metadata__"); }, "no tensor",
              "m.safetensors", "wte");
}

TEST_CASE("safetensors: malformed files are refused") {
  const TemporaryFolder folder;
  const std::string data = bytes_of<float>({1, 2});
  const auto refuse = [&](const std::string& bytes, const std::string& what) {
    folder.write("bad.safetensors", bytes);
    check_error([&] { read_safetensors(folder / "bad.safetensors", "x"); }, what, "bad.safetensors", "");
  };
  const auto refuse_header = [&](const std::string& header, const std::string& what) {
    refuse(file_of_header(header, data), what);
  };
  refuse("", "too short");
  refuse("1234567", "too short");
  refuse(bytes_of<std::uint64_t>({~std::uint64_t{0}}) + "{}", "header claims");
  refuse(bytes_of<std::uint64_t>({50}) + "{}", "header claims 50 bytes");
  refuse_header("not json", "not JSON");
  refuse_header("[1]", "a list [...], expected an object");
  refuse_header("{}", "0 of 8 bytes are theirs");  // bytes that belong to no tensor
  refuse_header("{\"x\": 3}", "data_offsets of \"x\"");
  refuse_header("{\"x\": {\"dtype\": \"F32\", \"shape\": [2]}}", "data_offsets of \"x\"");
  refuse_header("{\"x\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, -8]}}",
                "data_offsets of \"x\"");
  refuse_header("{" + entry("x", "F32", "[2]", 0, 12) + "}", "data_offsets of \"x\"");
  refuse_header("{" + entry("x", "F32", "[2]", 8, 0) + "}", "data_offsets of \"x\"");
  refuse_header("{" + entry("x", "F32", "[2]", 0, 8) + "," + entry("y", "F32", "[1]", 4, 8) + "}", "overlap");
  refuse_header("{" + entry("x", "F32", "[2]", 0, 8) + "," + entry("x", "F32", "[1]", 0, 4) + "}",
                "stands twice");
  refuse_header("{" + entry("x", "F8_E4M3", "[8]", 0, 8) + "}", "type \"F8_E4M3\" cannot be read");
  refuse_header("{" + entry("x", "F32", "[1]", 0, 4) + "}", "one behind the other");
  refuse_header("{" + entry("x", "F32", "[1]", 4, 8) + "}", "one behind the other");
  refuse_header("{\"x\": {\"shape\": [2], \"data_offsets\": [0, 8]}}", "no dtype");
  refuse_header("{\"x\": {\"dtype\": \"F32\", \"shape\": [-2], \"data_offsets\": [0, 8]}}",
                "not a list of whole");
  refuse_header("{\"x\": {\"dtype\": \"F32\", \"shape\": 2, \"data_offsets\": [0, 8]}}",
                "not a list of whole");
  refuse_header("{" + entry("x", "F32", "[3]", 0, 8) + "}", "shape 3 takes 12 bytes, the tensor has 8");
  refuse_header("{" + entry("x", "F32", "[4611686018427387904,4]", 0, 8) + "}", "larger than");
  refuse_header("{" + entry("x", "F32", "[18446744073709551615]", 0, 8) + "}", "not a list of whole");
}

TEST_CASE("safetensors: a header that claims other bytes than it has moves all numbers, and is refused") {
  const TemporaryFolder folder;
  const std::string header = "{" + entry("x", "F32", "[2]", 0, 8) + "}  ";
  for (const int off : {-3, -2, -1, 1, 2}) {
    std::string bytes = file_of_header(header, bytes_of<float>({1, 2}));
    bytes[0] = static_cast<char>(bytes[0] + off);
    const fs::path path = folder.write("x.safetensors", bytes);
    INFO(off);
    CHECK_THROWS_AS(read_safetensors(path, "x"), headlight::Error);
    CHECK_THROWS_AS(headlight::list_safetensors(path), headlight::Error);
    CHECK_THROWS_AS(headlight::list_tensor_places(path), headlight::Error);
  }
}

TEST_CASE("safetensors: only the header and the tensor's own bytes are read") {
  const TemporaryFolder folder;
  // A sparse file: 8 GiB long, a few blocks on disk. Reading all of it would fail or take long.
  const std::uint64_t size = std::uint64_t{1} << 33;
  const std::string header =
      "{" + entry("big", "U8", "[8589934588]", 4, size) + "," + entry("x", "F32", "[1]", 0, 4) + "}";
  const std::string head = file_of_header(header, bytes_of<float>({42}));
  const fs::path path = folder.write("sparse.safetensors", head);
  fs::resize_file(path, head.size() - 4 + size);
  CHECK(read_safetensors(path, "x").values == std::vector<float>{42});
  check_error([&] { read_safetensors(path, "big"); }, "larger than", "sparse.safetensors[big]", "too large");
}

TEST_CASE("safetensors: a hundred thousand tensors are told in time that grows with their number") {
  const TemporaryFolder folder;
  constexpr std::size_t kCount = 100'000;  // at quadratic cost the test would time out
  std::string header = "{";
  for (std::size_t i = 0; i < kCount; ++i)
    header += (i > 0 ? "," : "") + entry("h." + std::to_string(i), "U8", "[1]", i, i + 1);
  const fs::path path =
      folder.write("many.safetensors", file_of_header(header + "}", std::string(kCount, '\7')));
  const std::vector<headlight::ArrayEntry> entries = headlight::list_arrays(path);
  REQUIRE(entries.size() == kCount);
  CHECK(entries.back().name == "h.99999");
  CHECK(read_safetensors(path, "h.54321").values == std::vector<float>{7});
}

TEST_CASE("safetensors: reading can be stopped from another thread") {
  const TemporaryFolder folder;
  const fs::path path =
      folder.write("t.safetensors", file_of_header("{" + entry("x", "U8", "[2]", 0, 2) + "}", "ab"));
  const fs::path table = folder.write("t.csv", "1,2\n");
  std::stop_source source;
  const headlight::StopScope scope(source.get_token());
  CHECK(headlight::list_arrays(path).size() == 1);
  source.request_stop();
  CHECK_THROWS_AS(headlight::list_arrays(path), headlight::Stopped);
  CHECK_THROWS_AS(headlight::list_arrays(table), headlight::Stopped);
  const headlight::StopScope inner{std::stop_token()};  // suspends the stop request of the outer scope
  CHECK(headlight::list_arrays(path).size() == 1);
}
