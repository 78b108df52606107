#include "engine/checkpoint/checkpoint.h"

#include <cmath>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The message with which the folder is rejected; "" if it opens.
std::string refusal(const TemporaryFolder& folder) {
  try {
    const Checkpoint checkpoint(folder.path());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

}  // namespace

TEST_CASE("checkpoint: tensors of one file and of shards") {
  const TemporaryFolder folder;
  folder.write("a.safetensors", safetensors_file({{"one", "F32", {2, 3}}}));
  folder.write("b.safetensors", safetensors_file({{"two", "BF16", {4}, 8}}));
  folder.write(kIndex, R"({"weight_map": {"one": "a.safetensors", "two": "b.safetensors"}})");
  const Checkpoint checkpoint(folder.path());
  CHECK(checkpoint.require("one", {2, 3}).rows() == 2);
  CHECK(checkpoint.require("two").type == TensorType::BF16);
  CHECK_FALSE(checkpoint.has("three"));
  CHECK_THROWS_AS(checkpoint.require("three"), Error);
  try {
    checkpoint.require("one", {3, 2});
    FAIL("a tensor of another shape was taken");
  } catch (const Error& error) {
    CHECK(holds(error.what(), (folder / "a.safetensors").string() + "[one]"));
  }
  checkpoint.require_unchanged();
  // Where the index has all of its files, it counts; otherwise model.safetensors does.
  folder.write(kSingle, safetensors_file({{"one", "F32", {1}}}));
  CHECK(Checkpoint(folder.path()).require("one").shape == std::vector<Index>{2, 3});
  CHECK_FALSE(Checkpoint(folder.path()).notes().empty());
  std::filesystem::remove(folder / "b.safetensors");
  CHECK(Checkpoint(folder.path()).require("one").shape == std::vector<Index>{1});
}

TEST_CASE("checkpoint: what a folder is refused with") {
  const TemporaryFolder folder;
  CHECK(holds(refusal(folder), "no model.safetensors"));
  folder.write("pytorch_model.bin", "x");
  CHECK(holds(refusal(folder), "safe_serialization"));
  folder.write(kIndex, "{}");
  CHECK(holds(refusal(folder), "weight_map"));
  folder.write(kIndex, "{");
  CHECK(holds(refusal(folder), kIndex));
  folder.write(kIndex, R"({"weight_map": {"one": "../a.safetensors"}})");
  CHECK(holds(refusal(folder), "no file of this folder"));
  folder.write(kIndex, R"({"weight_map": {"one": 3}})");
  CHECK(holds(refusal(folder), "no file of this folder"));
  folder.write(kIndex, R"({"weight_map": {"one": "a.safetensors"}})");
  CHECK(holds(refusal(folder), "\"a.safetensors\" is missing"));
  folder.write("a.safetensors", safetensors_file({{"two", "F32", {1}}}));
  CHECK(holds(refusal(folder), "\"one\" is not in \"a.safetensors\""));
  const std::string whole = safetensors_file({{"one", "F32", {8}}});
  folder.write("a.safetensors", whole.substr(0, whole.size() - 1));
  CHECK_FALSE(refusal(folder).empty());
  folder.write("a.safetensors",
               file_with_header(R"({"one":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                R"("two":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                                12));
  CHECK(holds(refusal(folder), "overlap"));
  folder.write("a.safetensors", whole);
  CHECK(refusal(folder).empty());
}

TEST_CASE("checkpoint: types that cannot be computed with are named when they are needed") {
  const TemporaryFolder folder;
  folder.write(kSingle, safetensors_file({{"ids", "I64", {1}, 8}, {"one", "F32", {1}}}));
  const Checkpoint checkpoint(folder.path());
  CHECK(checkpoint.require("one").columns() == 1);
  try {
    checkpoint.require("ids");
    FAIL("integers were taken for weights");
  } catch (const Error& error) {
    CHECK(holds(error.what(), "I64"));
    CHECK(holds(error.what(), (folder / kSingle).string() + "[ids]"));
  }
}

TEST_CASE("checkpoint: a file that changes while it is open is noticed") {
  const TemporaryFolder folder;
  folder.write(kSingle, safetensors_file({{"one", "F32", {8}}}));
  const Checkpoint checkpoint(folder.path());
  std::filesystem::resize_file(folder / kSingle, 20);
  CHECK_THROWS_AS(checkpoint.require_unchanged(), Error);
}

TEST_CASE("checkpoint: the hash is of names, types and shapes") {
  const TemporaryFolder folder, same, other;
  folder.write(kSingle, safetensors_file({{"one", "F32", {2}}}));
  same.write(kSingle, safetensors_file({{"one", "F32", {2}}}));
  other.write(kSingle, safetensors_file({{"one", "F32", {1, 2}}}));
  CHECK(Checkpoint(folder.path()).header_hash() == Checkpoint(same.path()).header_hash());
  CHECK(Checkpoint(folder.path()).header_hash() != Checkpoint(other.path()).header_hash());
  CHECK(folder_name(folder.path() / "") == folder.path().filename());
}

TEST_CASE("tensor: half and brain floats become the same number as float32") {
  const std::uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xc000, 0x0001,
                                  0x03ff, 0x7bff, 0x7c00, 0xfc00, 0x7e00};
  const float expected[] = {0, -0.0f, 1, -2, 0x1p-24f, 1023 * 0x1p-24f, 65504, INFINITY, -INFINITY, NAN};
  Tensor tensor{"t", {10}, TensorType::F16, {reinterpret_cast<const char*>(halves), sizeof halves}};
  float numbers[10];
  widen(tensor, 0, 10, numbers);
  for (int i = 0; i < 10; ++i) {
    INFO(i);
    CHECK((numbers[i] == expected[i] || (std::isnan(numbers[i]) && std::isnan(expected[i]))));
    CHECK(std::signbit(numbers[i]) == std::signbit(expected[i]));
  }
  const std::uint16_t brains[] = {0x3f80, 0xc049, 0x7f80, 0x0001};
  tensor = {"t", {4}, TensorType::BF16, {reinterpret_cast<const char*>(brains), sizeof brains}};
  widen(tensor, 1, 2, numbers);
  CHECK(numbers[0] == -3.140625f);
  CHECK(std::isinf(numbers[1]));
  CHECK(as_floats(tensor) == nullptr);
}
