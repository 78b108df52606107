// Matrices that a session reads from array files beside it.
#include <cmath>
#include <cstdint>

#include "engine/arrays/npy.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight_test;
using nlohmann::json;

namespace {

struct ReferenceFolder {
  ReferenceFolder() {
    fs::create_directory(folder / "arrays");
    folder.write("x.npy", headlight::npy_bytes({"", {2, 3}, {1, 2, 3, 4, 5, 6}}));
    folder.write("arrays/batch.NPY",
                 headlight::npy_bytes({"", {2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}));
    folder.write("v.csv", "a,b\n1,2\n3,4\n5,0.5\n");
    folder.write("four.npy", headlight::npy_bytes({"", {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}}));
    folder.write("none.npy", headlight::npy_bytes({"", {0, 3}, {}}));
    folder.write("nan.npy", npy_file(npy_header("<f4", "(2, 3)"), bytes_of<float>({1, 2, NAN, 4, 5, 6})));
    headlight::write_npz(folder / "w.npz", {{"W_query", {3, 2}, {1, 2, 3, 4, 5, 6}}, {"bias", {2}, {7, 8}}});
    const std::string header = R"({"k":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}})";
    folder.write("m.safetensors",
                 bytes_of<std::uint64_t>({header.size()}) + header + bytes_of<float>({9, 8, 7, 6, 5, 4}));
  }
  headlight::Session open(const json& document) const {
    return headlight::load_session(folder.write("s.headlight", document.dump()));
  }
  void refuse(const json& embeddings, const std::string& what, const std::string& where,
              const std::string& hint) const {
    json document = small_session();
    document["embeddings"] = embeddings;
    INFO(embeddings.dump());
    check_error([&] { open(document); }, what, where, hint);
  }
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("references: .npy, .npz, .safetensors and .csv beside the session") {
  const ReferenceFolder files;
  json document = small_session();
  document["embeddings"] = {{"file", "x.npy"}};
  document["attention"]["qkv_bias"] = true;
  document["weights"]["query"] = {{"file", "w.npz"}, {"name", "W_query"}};
  document["weights"]["key"] = {{"file", "./m.safetensors"}, {"name", "k"}};
  for (const char* bias : {"query_bias", "key_bias", "value_bias"})
    document["weights"][bias] = {{"file", "w.npz"}, {"name", "bias"}};
  document["weights"]["value"] = {{"file", "v.csv"}};
  const headlight::Layer layer = files.open(document).layer;
  CHECK(layer.embeddings[0](1, 2) == 6);
  CHECK(layer.weights.matrix(headlight::Parameter::Value)(2, 1) == 0.5f);
  CHECK(layer.weights.matrix(headlight::Parameter::Query)(2, 1) == 6);
  CHECK(layer.weights.matrix(headlight::Parameter::Key)(0, 0) == 9);
  CHECK(layer.weights.bias(headlight::Parameter::Value)(0, 1) == 8);
}

TEST_CASE("references: an array of three dimensions is a batch") {
  const ReferenceFolder files;
  json document = small_session();
  document["embeddings"] = {{"file", "arrays/batch.NPY"}};
  const headlight::Layer layer = files.open(document).layer;
  REQUIRE(layer.sequence_count() == 2);
  CHECK(layer.embeddings[1](0, 0) == 7);
}

TEST_CASE("references: never out of the session's folder") {
  const ReferenceFolder files;
  const TemporaryFolder elsewhere;
  const fs::path outside = elsewhere.write("x.npy", headlight::npy_bytes({"", {2, 3}, {1, 2, 3, 4, 5, 6}}));
  files.refuse({{"file", outside.string()}}, "is an absolute path", "embeddings.file", "beside the session");
  files.refuse({{"file", "../x.npy"}}, "leads out of the session's folder", "embeddings.file", "beside");
  files.refuse({{"file", "arrays/../../x.npy"}}, "leads out", "embeddings.file", "beside");
  files.refuse({{"file", ""}}, "no name", "embeddings.file", "beside");
  fs::create_symlink(outside, files.folder / "link.npy");
  files.refuse({{"file", "link.npy"}}, "is a link that leads out", "embeddings.file", "beside");
  fs::create_directory_symlink(elsewhere.path(), files.folder / "door");
  files.refuse({{"file", "door/x.npy"}}, "is a link that leads out", "embeddings.file", "beside");
  fs::create_symlink("loop.npy", files.folder / "loop.npy");
  files.refuse({{"file", "loop.npy"}}, "cannot be found", "embeddings.file", "beside");
  // A link whose target is inside the folder is accepted.
  fs::create_symlink("x.npy", files.folder / "inside.npy");
  json document = small_session();
  document["embeddings"] = {{"file", "inside.npy"}};
  CHECK_NOTHROW(files.open(document));
}

TEST_CASE("references: what is wrong with the array is said with both places") {
  const ReferenceFolder files;
  files.refuse({{"file", "missing.npy"}}, "no such file", "s.headlight: embeddings", "check");
  files.refuse({{"file", "missing.npy"}}, "no such file", "missing.npy", "check");
  files.refuse({{"file", "x.txt"}}, "\".txt\" cannot be read", "embeddings: ", ".npz");
  files.refuse({{"file", "x.npy"}, {"name", "a"}}, "without a name", "embeddings.name", "remove");
  files.refuse({{"file", "w.npz"}}, "no array is named", "w.npz", "\"W_query\", \"bias\"");
  files.refuse({{"file", "w.npz"}, {"name", "W_qery"}}, "no array \"W_qery\"", "embeddings", "\"W_query\"");
  files.refuse({{"file", "w.npz"}, {"name", "bias"}}, "has shape 2, expected tokens x d_in", "embeddings",
               "reshape");
  files.refuse({{"file", "four.npy"}}, "has shape 1 x 1 x 2 x 3", "embeddings", "reshape");
  files.refuse({{"file", "none.npy"}}, "is empty", "embeddings", "save it again");
  files.refuse({{"file", "nan.npy"}}, "row 1, column 3 is not a finite number", "embeddings[0]", "replace");
  files.refuse({{"name", "x"}}, "\"file\" is missing", "embeddings.file", "{\"file\": \"x.npy\"}");
  files.refuse({{"file", 3}}, "is a number, expected text", "embeddings.file", "quotation");
  files.refuse({{"file", "arrays"}}, "cannot be read", "embeddings: ", ".npy");
}

TEST_CASE("references: a matrix and a bias ask for their own dimensions") {
  const ReferenceFolder files;
  json document = small_session();
  document["weights"]["query"] = {{"file", "w.npz"}, {"name", "bias"}};
  check_error([&] { files.open(document); }, "shape 2, expected rows x columns", "weights.query", "reshape");
  document = small_session();
  document["weights"]["query_bias"] = {{"file", "x.npy"}};
  check_error([&] { files.open(document); }, "shape 2 x 3, expected one dimension", "weights.query_bias",
              "reshape");
  document["weights"]["query_bias"] = "none";
  check_error([&] { files.open(document); }, "is text, expected a list of numbers", "weights.query_bias",
              "npy");
  document["weights"]["query_bias"] = json::array();
  check_error([&] { files.open(document); }, "has no numbers", "weights.query_bias", "[0, 0]");
}
