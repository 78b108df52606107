#include "engine/arrays/npy.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/support/format_support.h"

using headlight::NamedArray;
using headlight::parse_npy;
using namespace headlight_test;

namespace {

std::vector<float> values_of(const std::string& descr, const std::string& data, std::size_t count) {
  return parse_npy(npy_file(npy_header(descr, "(" + std::to_string(count) + ",)"), data), "x.npy").values;
}

template <class T>
void check_type(const std::string& code, const std::vector<T>& written, const std::vector<float>& expected) {
  INFO(code);
  if (sizeof(T) == 1) {
    CHECK(values_of("|" + code, bytes_of(written), written.size()) == expected);
    return;
  }
  CHECK(values_of("<" + code, bytes_of(written), written.size()) == expected);
  CHECK(values_of(">" + code, swapped_bytes_of(written), written.size()) == expected);
}

}  // namespace

TEST_CASE("npy: every version of the header is read") {
  const std::string data = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (int version : {1, 2, 3}) {
    const NamedArray array = parse_npy(npy_file(npy_header("<f4", "(2, 3)"), data, version), "x.npy");
    CHECK(array.shape == std::vector<headlight::Index>{2, 3});
    CHECK(array.values == std::vector<float>{1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("npy: every number type becomes float32, in both byte orders") {
  check_type<float>("f4", {1.5f, -2.25f, 3e38f}, {1.5f, -2.25f, 3e38f});
  check_type<double>("f8", {0.1, -1e-300, 1e30}, {0.1f, -0.0f, 1e30f});
  check_type<std::int8_t>("i1", {-128, 127}, {-128, 127});
  check_type<std::int16_t>("i2", {-32768, 258}, {-32768, 258});
  check_type<std::int32_t>("i4", {-5, 1 << 20}, {-5, 1048576});
  check_type<std::int64_t>("i8", {-(std::int64_t{1} << 40), 7}, {-1099511627776.0f, 7});
  check_type<std::uint8_t>("u1", {0, 255}, {0, 255});
  check_type<std::uint16_t>("u2", {65535, 256}, {65535, 256});
  check_type<std::uint32_t>("u4", {4294967295u, 1}, {4294967296.0f, 1});
  check_type<std::uint64_t>("u8", {std::uint64_t{1} << 63, 3}, {9223372036854775808.0f, 3});
  check_type<std::uint8_t>("b1", {0, 1, 2}, {0, 1, 1});
  // Half precision: 1, -2, the largest, the smallest subnormal, minus zero, infinity.
  const float infinity = std::numeric_limits<float>::infinity();
  check_type<std::uint16_t>("f2", {0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00},
                            {1, -2, 65504, 0x1p-24f, -0.0f, infinity});
  const std::vector<float> special = values_of("<f2", bytes_of<std::uint16_t>({0x7e00, 0x8000, 0x0400}), 3);
  CHECK(std::isnan(special[0]));
  CHECK(std::signbit(special[1]));
  CHECK(special[2] == 0x1p-14f);
}

TEST_CASE("npy: Fortran order is turned round") {
  // a[i][j] = 10 i + j, stored column by column.
  const std::string columns = bytes_of<float>({0, 10, 1, 11, 2, 12});
  CHECK(parse_npy(npy_file(npy_header("<f4", "(2, 3)", true), columns), "x.npy").values ==
        std::vector<float>{0, 1, 2, 10, 11, 12});
  // a[i][j][k] = 100 i + 10 j + k, shape 2 x 1 x 2.
  const std::string cube = bytes_of<float>({0, 100, 1, 101});
  CHECK(parse_npy(npy_file(npy_header("<f4", "(2, 1, 2)", true), cube), "x.npy").values ==
        std::vector<float>{0, 1, 100, 101});
}

TEST_CASE("npy: unusual but right headers are read") {
  const std::string one = bytes_of<float>({7});
  CHECK(parse_npy(npy_file(npy_header("<f4", "()"), one), "x").shape.empty());
  CHECK(parse_npy(npy_file(npy_header("<f4", "(0, 3)"), ""), "x").values.empty());
  CHECK(parse_npy(npy_file("{\"shape\":(1L,),\"descr\":\"<f4\",\"fortran_order\":False}", one), "x")
            .values[0] == 7);
}

TEST_CASE("npy: a file that is cut off or too long is refused") {
  const std::string whole = npy_file(npy_header("<f4", "(2, 3)"), bytes_of<float>({1, 2, 3, 4, 5, 6}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    CHECK_THROWS_AS(parse_npy(whole.substr(0, length), "x.npy"), headlight::Error);
  }
  check_error([&] { parse_npy(whole.substr(0, whole.size() - 1), "x.npy"); }, "ends after 23 of 24 bytes",
              "x.npy", "cut off");
  check_error([&] { parse_npy(whole + "ab", "x.npy"); }, "2 bytes follow the values", "x.npy",
              "several arrays");
}

TEST_CASE("npy: absurd shapes are refused before memory is taken") {
  for (const char* shape : {"(4611686018427387904, 4)", "(1000000000, 1000000000)",
                            "(3037000500, 3037000500)", "(268435457,)", "(0, 9999999999999999999999)"}) {
    INFO(shape);
    CHECK_THROWS_AS(parse_npy(npy_file(npy_header("<f4", shape), "abcd"), "x.npy"), headlight::Error);
  }
  check_error([] { parse_npy(npy_file(npy_header("<f4", "(99999, 99999)"), ""), "x.npy"); },
              "shape 99999 x 99999 is larger than", "x.npy", "damaged");
  check_error([] { parse_npy(npy_file(npy_header("<f4", "(-1, 2)"), ""), "x.npy"); }, "whole numbers",
              "x.npy", "damaged");
  std::string many = "(";
  for (int i = 0; i < 100; ++i)
    many += "1, ";
  CHECK_THROWS_AS(parse_npy(npy_file(npy_header("<f4", many + ")"), "abcd"), "x"), headlight::Error);
}

TEST_CASE("npy: pickles and other types are refused with their cure") {
  const auto refuse = [](const std::string& header, const std::string& what, const std::string& hint) {
    check_error([&] { parse_npy(npy_file(header, std::string(64, '\0')), "x.npy"); }, what, "x.npy", hint);
  };
  refuse(npy_header("|O", "(1,)"), "pickled Python objects (shape 1)", "numpy.stack(a).astype('float32')");
  refuse(npy_header("|O", "(12, 4)"), "objects (shape 12 x 4), which are never loaded",
         "numpy.savez(path, *a)");
  refuse(npy_header("|O", "()"), "one pickled Python object", "numpy.savez(path, **a.item())");
  refuse(npy_header("<c8", "(1,)"), "\"<c8\" cannot be read", "astype('float32')");
  refuse(npy_header("<M8[ns]", "(1,)"), "\"<M8[ns]\"", "astype");
  refuse(npy_header("<f3", "(1,)"), "\"<f3\"", "astype");
  refuse(npy_header("|f4", "(1,)"), "\"|f4\"", "astype");
  refuse("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "named fields", "one field");
}

TEST_CASE("npy: damaged headers are refused") {
  const auto refuse = [](const std::string& bytes, const std::string& what) {
    const headlight::Error error = error_of([&] { parse_npy(bytes, "x.npy"); });
    INFO(error.what());
    CHECK_THAT(error.summary(), ContainsSubstring(what));
    CHECK(error.where() == "x.npy");
  };
  refuse("", "not a .npy file");
  refuse("PK\3\4 something else", "not a .npy file");
  refuse(npy_file(npy_header("<f4", "(1,)"), "abcd", 9), "version 9");
  refuse(npy_file("", "abcd"), "lacks a '{'");
  refuse(npy_file("{'descr': '<f4', 'fortran_order': False}", "abcd"), "lacks descr, fortran_order or shape");
  refuse(npy_file("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", "abcd"),
         "neither True nor False");
  refuse(npy_file("{'descr': '<f4, 'fortran_order': False}", "abcd"), "lacks");
  refuse(npy_file("{'descr: ", "abcd"), "open string");
  refuse(npy_file("{'color': '<f4'}", "abcd"), "unknown key \"color\"");
  refuse(npy_file(npy_header("<f4", "(1,)") + "x", "abcd"), "goes on");
  refuse(npy_file(npy_header("<f4", "(1 2)"), "abcd"), "lacks a ')'");
  std::string huge = npy_file(npy_header("<f4", "(1,)"), "abcd", 2);
  huge[11] = '\x7f';
  refuse(huge, "header claims");
}

TEST_CASE("npy: a double beyond float32 is refused, infinity is kept") {
  check_error(
      [] {
        values_of("<f8", bytes_of<double>({1, 1e300}), 2);
      },
      "value 2 is too large", "x.npy", "3.4e38");
  CHECK(values_of("<f8", bytes_of<double>({-std::numeric_limits<double>::infinity()}), 1)[0] ==
        -std::numeric_limits<float>::infinity());
}

TEST_CASE("npy: what is written is what numpy writes") {
  const NamedArray array{"x", {2, 3}, {1, 2, 3, 4, 5, 6}};
  const std::string bytes = headlight::npy_bytes(array);
  REQUIRE(bytes.size() == 128 + 24);
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(bytes.substr(10, 60) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ");
  CHECK(bytes[127] == '\n');
  CHECK(bytes.substr(128) == bytes_of(array.values));
}

TEST_CASE("npy: reading returns what was written, for any number of dimensions") {
  for (const std::vector<headlight::Index>& shape :
       std::vector<std::vector<headlight::Index>>{{}, {4}, {0}, {2, 2}, {1, 2, 2}, {2, 0, 5}}) {
    std::size_t count = 1;
    for (headlight::Index size : shape)
      count *= static_cast<std::size_t>(size);
    NamedArray array{"", shape, std::vector<float>(count, -0.0f)};
    if (count > 0) array.values[0] = std::numeric_limits<float>::denorm_min();
    const std::string bytes = headlight::npy_bytes(array);
    CHECK((bytes.size() - count * 4) % 64 == 0);
    const NamedArray back = parse_npy(bytes, "x");
    CHECK(back.shape == shape);
    CHECK(bytes_of(back.values) == bytes_of(array.values));
  }
}

TEST_CASE("npy: a file on disk carries its name") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("embeddings.npy", headlight::npy_bytes({"", {1}, {5}}));
  CHECK(headlight::read_npy(path).name == "embeddings");
  check_error([&] { headlight::read_npy(folder / "none.npy"); }, "no such file", "none.npy",
              "check the name");
}

TEST_CASE("npy: text of both kinds and byte orders, without the zeros behind it") {
  const auto texts = [](const std::string& descr, const std::string& shape, const std::string& data) {
    return parse_npy(npy_file(npy_header(descr, shape), data), "x.npy").texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(texts("|S3", "(2,)", std::string("the\0\0\0", 6)) == Texts{"the", ""});
  const std::u32string wide = {U'a', 0, U'\u20ac', U'\U0001f600'};
  const std::vector<std::uint32_t> codes(wide.begin(), wide.end());
  CHECK(texts("<U2", "(2,)", bytes_of(codes)) == Texts{"a", "\u20ac\U0001f600"});
  CHECK(texts(">U2", "(2,)", swapped_bytes_of(codes)) == Texts{"a", "\u20ac\U0001f600"});
  CHECK(texts("<U1", "(1, 1)", bytes_of<std::uint32_t>({0xd800})) == Texts{"\ufffd"});
  check_error([&] { texts("<U2", "(3,)", bytes_of(codes)); }, "ends after 16 of 24 bytes", "x.npy",
              "cut off");
  check_error([&] { texts("<U0", "(2000000,)", ""); }, "too large", "x.npy", "at most");
  check_error([&] { texts("<Ux", "(1,)", ""); }, "cannot be read", "x.npy", "damaged");
}

TEST_CASE("npy: the smallest float64, as masks that are added have it, is the smallest float32") {
  CHECK(values_of("<f8", bytes_of<double>({std::numeric_limits<double>::lowest(), 0}), 2) ==
        std::vector<float>{std::numeric_limits<float>::lowest(), 0});
}
