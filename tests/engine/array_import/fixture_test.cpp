// Files written by NumPy (tests/fixtures/make_arrays.py) are read bit for bit. The expected numbers follow
// the formulas in that script.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/array_import/array_roles.h"
#include "engine/arrays/catalog.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/table_file.h"
#include "tests/support/format_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Shape = std::vector<Index>;

fs::path fixture(const std::string& name) {
  return fs::path(source_root()) / "tests/fixtures/arrays" / name;
}

// a[r][c] = r - c / 4.
std::vector<float> grid(Index rows, Index columns) {
  std::vector<float> values;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c)
      values.push_back(static_cast<float>(r) - static_cast<float>(c) / 4);
  return values;
}

void check_array(const std::string& file, const std::string& name, const Shape& shape,
                 const std::vector<float>& values) {
  INFO(file << "[" << name << "]");
  const NamedArray array = read_array(fixture(file), name);
  CHECK(array.shape == shape);
  REQUIRE(array.values.size() == values.size());
  // Bitwise, because -0 differs from 0.
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO("value " << i << ": " << array.values[i] << ", expected " << values[i]);
    CHECK(std::memcmp(&array.values[i], &values[i], sizeof(float)) == 0);
  }
}

std::vector<std::string> names_in(const std::string& file) {
  std::vector<std::string> names;
  for (const ArrayEntry& entry : list_arrays(fixture(file)))
    names.push_back(entry.name);
  return names;
}

}  // namespace

TEST_CASE("fixtures: .npy of every floating type and byte order") {
  for (const char* name : {"f2", "f4", "f8", "f2_big", "f4_big", "f8_big"})
    check_array(std::string("npy/") + name + ".npy", "", {3, 4}, grid(3, 4));
}

TEST_CASE("fixtures: .npy of every integer type and byte order, and bool") {
  const auto check_limits = [](const std::string& name, double low, double high) {
    check_array("npy/" + name + ".npy", "", {5},
                {static_cast<float>(low), 0, 1, 100, static_cast<float>(high)});
  };
  for (const int bytes : {1, 2, 4, 8}) {
    const double half = std::ldexp(1.0, 8 * bytes - 1);
    check_limits("i" + std::to_string(bytes), -half, half - 1);
    check_limits("u" + std::to_string(bytes), 0, 2 * half - 1);
    if (bytes > 1) check_limits("i" + std::to_string(bytes) + "_big", -half, half - 1);
  }
  check_limits("u4_big", 0, 4294967295.0);
  check_array("npy/bool.npy", "", {4, 4}, {1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1});
}

TEST_CASE("fixtures: .npy in Fortran order, of each version, and of unusual shapes") {
  check_array("npy/fortran.npy", "", {3, 4}, grid(3, 4));
  std::vector<float> cube(24);
  for (std::size_t i = 0; i < cube.size(); ++i)
    cube[i] = static_cast<float>(i);
  check_array("npy/fortran_cube.npy", "", {2, 3, 4}, cube);
  for (const char* version : {"1", "2", "3"})
    check_array(std::string("npy/version") + version + ".npy", "", {2, 2}, grid(2, 2));
  check_array("npy/scalar.npy", "", {}, {2.5f});
  check_array("npy/empty.npy", "", {0, 0}, {});
}

TEST_CASE("fixtures: NaN and infinity are read, and counted") {
  const ArraySummary all_nan = summary_of(read_array(fixture("npy/all_nan.npy"), ""));
  CHECK(all_nan.nan_count == 6);
  CHECK_FALSE(all_nan.min.has_value());
  const NamedArray special = read_array(fixture("npy/special.npy"), "");
  const ArraySummary summary = summary_of(special);
  CHECK(summary.nan_count == 1);
  CHECK(summary.infinity_count == 2);
  CHECK(summary.max == std::numeric_limits<float>::max());
  CHECK(special.values[4] == std::numeric_limits<float>::denorm_min());
  CHECK(std::signbit(special.values[3]));
}

TEST_CASE("fixtures: what NumPy can write and Headlight refuses") {
  const auto check_refused = [](const std::string& name, const std::string& what) {
    INFO(name);
    const ArrayEntry entry = list_arrays(fixture("npy/bad_" + name + ".npy")).at(0);
    REQUIRE(entry.problem.has_value());
    CHECK_THAT(entry.problem->summary(), ContainsSubstring(what));
    check_error([&] { read_array(fixture("npy/bad_" + name + ".npy"), ""); }, what, "bad_" + name, "");
  };
  check_refused("objects", "pickled Python objects (shape 2), which are never loaded");
  check_refused("layers", "pickled Python objects (shape 2), which are never loaded");
  check_refused("dictionary", "one pickled Python object, and no array of numbers");
  check_refused("complex", "\"<c8\" cannot be read");
  check_refused("records", "named fields");
  check_refused("dates", "\"<M8[D]\" cannot be read");
  check_refused("truncated", "ends after 47 of 48 bytes");
}

TEST_CASE("fixtures: text is read as text, and is no matrix") {
  const ArrayEntry entry = list_arrays(fixture("npy/bad_text.npy")).at(0);
  CHECK_FALSE(entry.problem);
  CHECK(entry.text);
  CHECK(entry.shape == Shape{2});
  CHECK(read_array(fixture("npy/bad_text.npy"), "", TextArrays::Read).texts ==
        std::vector<std::string>{"a", "bc"});
  check_error([] { read_array(fixture("npy/bad_text.npy"), ""); }, "text", "bad_text.npy", "tokens");
}

TEST_CASE("fixtures: .npz, stored and deflated") {
  for (const char* file : {"npz/stored.npz", "npz/deflated.npz"}) {
    check_array(file, "W_query", {3, 2}, grid(3, 2));
    check_array(file, "layers/0/bias", {3}, {0, 1, 2});
    check_array(file, "empty", {0, 3}, {});
  }
  check_array("npz/deflated.npz", "zeros", {64, 64}, std::vector<float>(4096, 0.0f));
  CHECK(names_in("npz/stored.npz") == std::vector<std::string>{"W_query", "layers/0/bias", "empty"});
  CHECK(list_arrays(fixture("npz/stored.npz"))[1].type == "<f8");
  check_array("npz/unnamed.npz", "arr_0", {2, 2}, grid(2, 2));
  check_array("npz/unnamed.npz", "arr_1", {1, 3}, grid(1, 3));
}

TEST_CASE("fixtures: .npz with pickles, path tricks and a bomb") {
  check_array("npz/objects.npz", "fine", {1, 1}, {0});
  check_error([] { read_array(fixture("npz/objects.npz"), "objects"); }, "pickled", "[objects]", "astype");
  check_array("npz/paths.npz", "fine", {1, 2}, grid(1, 2));
  CHECK(names_in("npz/paths.npz") == std::vector<std::string>{"../up", "/root", "fine"});
  for (const char* name : {"../up", "/root"})
    check_error([&] { read_array(fixture("npz/paths.npz"), name); }, "leads out", "paths.npz", "plain name");
  check_error([] { read_array(fixture("npz/bomb.npz"), "x"); }, "bytes follow the values", "[x]", "damaged");
}

TEST_CASE("fixtures: .safetensors of every type") {
  for (const char* name : {"f64", "f32", "f16", "bf16"})
    check_array("safetensors/types.safetensors", name, {2, 3}, grid(2, 3));
  for (const char* name : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"})
    check_array("safetensors/types.safetensors", name, {3}, {0, 1, 100});
  check_array("safetensors/types.safetensors", "bool", {2}, {1, 0});
  check_array("safetensors/types.safetensors", "scalar", {}, {2.5f});
  check_array("safetensors/types.safetensors", "empty", {0, 4}, {});
  check_error([] { read_array(fixture("safetensors/types.safetensors"), "unknown"); }, "\"F8_E4M3\"",
              "[unknown]", "convert");
}

TEST_CASE("fixtures: a layer of GPT-2 in .safetensors") {
  const std::string file = "safetensors/gpt2.safetensors";
  CHECK(names_in(file) == std::vector<std::string>{"h.0.attn.c_attn.bias", "h.0.attn.c_attn.weight",
                                                   "h.2.attn.c_attn.bias", "h.2.attn.c_attn.weight",
                                                   "h.10.attn.c_attn.bias", "h.10.attn.c_attn.weight"});
  const NamedArray fused = read_array(fixture(file), "h.10.attn.c_attn.weight");
  const RoleProposal proposal = propose_roles(fused.name, fused.shape, Layer()).at(0);
  CHECK(proposal.role == ArrayRole::FusedWeight);
  REQUIRE(proposal.layout == WeightLayout::InOut);
  CHECK(split_fused(fused, proposal.layout)[1].values == std::vector<float>{-0.5f, -0.75f, 0.5f, 0.25f});
}

TEST_CASE("fixtures: .safetensors that are damaged") {
  const auto check_damaged = [](const std::string& name, const std::string& what) {
    const fs::path path = fixture("safetensors/bad_" + name + ".safetensors");
    check_error([&] { list_arrays(path); }, what, "bad_" + name, "damaged");
    check_error([&] { read_array(path, "x"); }, what, "bad_" + name, "damaged");
  };
  check_damaged("truncated", "not two places inside the file");
  check_damaged("overlap", "\"x\" and \"y\" overlap");
  check_damaged("header", "header claims 4611686018427387904 bytes");
}

TEST_CASE("fixtures: tables") {
  for (const char* name : {"savetxt.csv", "savetxt.tsv", "blanks.csv"})
    check_array(std::string("tables/") + name, "", {3, 4}, grid(3, 4));
  CHECK(summary_of(read_array(fixture("tables/special.csv"), "")).infinity_count == 2);
  const TableFile pandas = read_table_file(fixture("tables/pandas.csv"));
  CHECK(pandas.row_labels == std::vector<std::string>{"Your", "journey"});
  CHECK(pandas.column_labels == std::vector<std::string>{"0", "1"});
  check_array("tables/pandas.csv", "", {2, 2}, grid(2, 2));
  const TableFile quoted = read_table_file(fixture("tables/quoted.csv"));
  CHECK(quoted.row_labels == std::vector<std::string>{"\"", " x"});
  CHECK(quoted.column_labels == std::vector<std::string>{"a;b", "c"});
  check_array("tables/quoted.csv", "", {2, 2}, grid(2, 2));
  check_error([] { read_array(fixture("tables/bad_ragged.csv"), ""); }, "1 field", "line 2", "one length");
  check_array("tables/decimal_comma.csv", "", {2, 2}, {0.5f, 1.5f, 2.5f, 3.5f});
}
