// The container: values of all kinds, and malformed files, each with its message.
#include "engine/checkpoint/gguf_file.h"

#include <functional>

#include "tests/support/format_support.h"
#include "tests/support/gguf_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct GgufFault {
  const char* what;
  std::function<void(WrittenGguf&)> make;
  std::string told, where;
};

void check_faults(const std::vector<GgufFault>& faults) {
  for (const GgufFault& fault : faults) {
    WrittenGguf file = tiny_llama();
    fault.make(file);
    INFO(fault.what);
    check_error([&] { read_gguf(file.bytes()); }, fault.told, fault.where, "");
  }
}

}  // namespace

TEST_CASE("gguf file: metadata of every kind") {
  WrittenGguf file;
  file.set("u8", little(std::uint32_t{0}) + '\xff');
  file.set("i8", little(std::uint32_t{1}) + '\xff');
  file.set("i16", little(std::uint32_t{3}) + little(std::int16_t{-300}));
  file.set("u64", little(std::uint32_t{10}) + little(std::uint64_t{1} << 40));
  file.set("f32", gguf_f32(1e-6f));
  file.set("f64", little(std::uint32_t{12}) + little(0.1));
  file.set("flag", gguf_flag(true));
  file.set("text", gguf_string("a text"));
  file.set("texts", gguf_strings({"a", "", "b"}));
  file.set("numbers", gguf_floats({0.5f, -2}));
  file.set("wholes", gguf_ints({3, -1}));
  for (const std::uint32_t version : {2u, 3u}) {
    file.version = version;
    const GgufMetadata metadata = read_gguf(file.bytes()).metadata;
    CHECK(metadata.whole_if("u8", 0, 1000) == 255);
    CHECK(metadata.whole_if("i8", -10, 10) == -1);
    CHECK(metadata.whole_if("i16", -1000, 10) == -300);
    CHECK(metadata.whole_if("u64", 0, INT64_MAX) == std::int64_t{1} << 40);
    CHECK(metadata.number_if("f32") == 1e-6);  // as it was meant, not as float32 rounds it
    CHECK(metadata.number_if("f64") == 0.1);
    CHECK(metadata.number_if("u8") == 255);
    CHECK(metadata.flag_if("flag") == true);
    CHECK(*metadata.text_if("text") == "a text");
    CHECK(*metadata.texts_if("texts") == std::vector<std::string>{"a", "", "b"});
    CHECK(*metadata.numbers_if("numbers") == std::vector<double>{0.5, -2});
    CHECK(*metadata.numbers_if("wholes") == std::vector<double>{3, -1});
    CHECK_FALSE(metadata.whole_if("none", 0, 1));
    CHECK(metadata.texts_if("none") == nullptr);
    check_error([&] { metadata.whole_if("text", 0, 1); }, "it is text, expected a whole number", "text",
                "convert");
    check_error([&] { metadata.whole_if("u8", 0, 10); }, "expected a number from 0 to 10", "u8", "convert");
    check_error([&] { metadata.flag_if("u8"); }, "expected true or false", "u8", "convert");
    check_error([&] { metadata.texts_if("numbers"); }, "a list of numbers", "numbers", "convert");
  }
}

TEST_CASE("gguf file: tensors lie where the header says, their axes in reverse") {
  WrittenGguf file = tiny_llama();
  const GgufFile read = read_gguf(file.bytes());
  REQUIRE(read.tensors.size() == 11);
  CHECK(read.tensors[0].name == "token_embd.weight");
  CHECK(read.tensors[0].shape == std::vector<Index>{3, 4});
  CHECK(read.tensors[0].end - read.tensors[0].begin == 48);
  CHECK(read.tensors[1].begin == read.tensors[0].begin + 64);
  CHECK(read.tensors.back().end == file.bytes().size());
  file.set("general.alignment", gguf_u32(8));
  CHECK_NOTHROW(read_gguf(file.bytes()));
}

TEST_CASE("gguf file: malformed headers are refused") {
  check_faults({
      {"version 1", [](auto& f) { f.version = 1; }, "version 1, known are 2 and 3", ""},
      {"version 4", [](auto& f) { f.version = 4; }, "version 4", ""},
      {"big-endian", [](auto& f) { f.version = 3u << 24; }, "big-endian", ""},
      {"a split set", [](auto& f) { f.set("split.count", gguf_u32(3)); }, "one of 3 parts", "split.count"},
      {"a kind that is not known", [](auto& f) { f.set("k", little(std::uint32_t{13})); }, "of the kind 13",
       "\"k\""},
      {"a list of lists", [](auto& f) { f.set("k", gguf_list(9, 1, "")); }, "a list of lists", "\"k\""},
      {"a list that is too long", [](auto& f) { f.set("k", gguf_list(4, 1u << 30, "")); },
       "more than the file can", "\"k\""},
      {"a text that is too long",
       [](auto& f) { f.set("k", little(std::uint32_t{8}) + little(std::uint64_t{1} << 60)); },
       "more than the file can", "\"k\""},
      {"a truth value of 2", [](auto& f) { f.set("k", little(std::uint32_t{7}) + '\2'); }, "neither 0 nor 1",
       "\"k\""},
      {"a number above 2^63", [](auto& f) { f.set("k", little(std::uint32_t{10}) + little(UINT64_MAX)); },
       "above 2^63", "\"k\""},
      {"a key twice", [](auto& f) { f.keys.push_back(f.keys[0]); }, "there twice", "general.architecture"},
      {"an alignment of 0", [](auto& f) { f.set("general.alignment", gguf_u32(0)); }, "from 1 to",
       "general.alignment"},
  });
  check_error([] { read_gguf("GGU"); }, "no GGUF file", "", "choose a .gguf file");
  WrittenGguf many;
  std::string bytes = many.bytes();
  bytes[8] = '\x7f';  // tensors
  check_error([&] { read_gguf(bytes); }, "claims 127 tensors", "", "damaged");
}

TEST_CASE("gguf file: tensors that cannot be are refused") {
  const std::string q = "blk.0.attn_q.weight";
  const auto of_q = [q](const std::function<void(WrittenGguf::Tensor&)>& change) {
    return [q, change](WrittenGguf& file) { change(file.tensor(q)); };
  };
  check_faults({
      {"a type that is not computed", of_q([](auto& t) { t.type = 13; }),
       "of the type Q5_K, which is not computed", q},
      {"a type that is not known", of_q([](auto& t) { t.type = 77; }), "of the type number 77", q},
      {"no axes", of_q([](auto& t) { t.sizes.clear(); }), "0 axes", q},
      {"five axes", of_q([](auto& t) { t.sizes.assign(5, 1); }), "5 axes", q},
      {"an empty axis", of_q([](auto& t) {
         t.sizes = {4, 0};
       }),
       "the size 0", q},
      {"too many numbers", of_q([](auto& t) {
         t.sizes = {1u << 31, 1u << 31};
       }),
       "too many numbers", q},
      {"no whole blocks", of_q([](auto& t) { t.type = 8; }), "no whole blocks of 32", q},
      {"beyond the end", of_q([](auto& t) { t.offset = 1 << 20; }), "ends before the tensor", q},
      {"far beyond the end", of_q([](auto& t) { t.offset = UINT64_MAX - 31; }), "ends before the tensor", q},
      {"longer than the file", of_q([](auto& t) {
         t.sizes = {4, 400};
       }),
       "ends before the tensor", q},
      {"not aligned", of_q([](auto& t) { t.offset += 4; }), "no multiple of 32", q},
      {"two at one place", of_q([](auto& t) { t.offset -= 32; }),
       "overlaps the tensor \"blk.0.attn_norm.weight\"", q},
      {"a name twice", of_q([](auto& t) { t.name = "token_embd.weight"; }), "there twice",
       "token_embd.weight"},
  });
}

TEST_CASE("gguf file: cut anywhere, it is refused") {
  const std::string whole = tiny_llama().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(read_gguf(std::string_view(whole).substr(0, size)), Error);
  CHECK_NOTHROW(read_gguf(whole));
}
