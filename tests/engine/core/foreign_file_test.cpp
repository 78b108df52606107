// Files whose content does not match the expected format, in every loader.
#include "engine/core/foreign_file.h"

#include "engine/array_import/layer_config.h"
#include "engine/array_import/token_table.h"
#include "engine/arrays/catalog.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/network/network.h"
#include "engine/network/saving_class.h"
#include "engine/session/session.h"
#include "tests/support/format_support.h"
#include "tests/support/model_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A zip archive up to the content of its first member.
std::string zip_of(const std::string& name, const std::string& content = "content") {
  std::string bytes("PK\3\4\x14\0\0\0\0\0\0\0\0\0\0\0\0\0", 18);
  const auto add = [&](std::size_t number, int count) {
    for (int i = 0; i < count; ++i)
      bytes += static_cast<char>(number >> 8 * i & 0xff);
  };
  add(content.size(), 4);
  add(content.size(), 4);
  add(name.size(), 2);
  add(0, 2);
  return bytes + name + content;
}

struct Foreign {
  std::string name, bytes, what, hint;
};

const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 548105171\n";
const std::string kWebPage = "\n<!DOCTYPE html>\n<html class=\"\"><head><title>Hugging Face</title>";
const std::string kOldTorch("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M", 17);
const std::string kPickled("\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94(\x8c\x01w", 17);
const std::string kGzip("\x1f\x8b\x08\0\0\0\0\0\0\x03packed", 16);

std::vector<Foreign> foreign_files() {
  return {{"pointer", kPointer, "Git LFS pointer", "git lfs pull"},
          {"page", kWebPage, "web page", "download the file itself"},
          {"lower", "<html><body>Not found</body>", "web page", "download"},
          {"bucket", "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "web page", "log in"},
          {"answer", "{\"error\":\"Repository not found\"}", "error message", "download the file again"},
          {"plain-answer", "Entry not found", "\"Entry not found\"", "download the file again"},
          {"torch", zip_of("archive/data.pkl"), "torch.save", "torch.load(path, map_location='cpu')"},
          {"old-torch", kOldTorch, "torch.save", "AutoModelForCausalLM.from_pretrained(folder)"},
          {"pickle", kPickled, "pickle of Python", "numpy.savez('arrays.npz', **a)"},
          {"gzip", kGzip, "packed", "unpack it first"},
          {"7z", std::string("7z\xbc\xaf\x27\x1c\0\4", 8), "packed", "7z x"},
          {"xz", std::string("\xfd\x37zXZ\0\0\4", 8), "packed", "unpack"},
          {"zstd", std::string("\x28\xb5\x2f\xfd\x04\0", 6), "packed", "unpack"},
          {"hdf5", "\x89HDF\r\n\x1a\n" + std::string(8, '\0'), "HDF5", "h5py.File(path)"},
          {"keras", zip_of("metadata.json"), "Keras", "keras.models.load_model"},
          {"sheet", zip_of("[Content_Types].xml"), "spreadsheet", "CSV (UTF-8)"},
          {"gguf", "GGUF" + std::string("\3\0\0\0", 4), "a whole model in one file", "headlight FILE.gguf"},
          {"picture", "\x89PNG\r\n\x1a\n" + std::string(4, '\0'), "picture", "numbers"}};
}

template <class Open>
void check_refused(const Foreign& foreign, const std::string& file, Open open) {
  const Error error = error_of(open);
  INFO(foreign.name << " as " << file << ": " << error.what());
  CHECK_THAT(error.summary(), ContainsSubstring(foreign.what));
  CHECK_THAT(error.where(), ContainsSubstring(file));
  CHECK_THAT(error.hint(), ContainsSubstring(foreign.hint));
}

// Lists the arrays; throws an entry's problem, because the error may be that of the file's only entry.
void list_or_throw(const fs::path& path) {
  for (const ArrayEntry& entry : list_arrays(path))
    if (entry.problem) throw *entry.problem;
}

std::string session_with(const std::string& file, const std::string& name) {
  return R"({"format": "headlight-session", "version": 1, "title": "x", "tokens": ["a", "b"],
    "embeddings": {"file": ")" +
         file + "\"" + (name.empty() ? "" : ", \"name\": \"" + name + "\"") +
         R"(}, "attention": {"projection": "none", "d_out": 2}})";
}

}  // namespace

TEST_CASE("foreign files: named as what they are by every loader of arrays") {
  const TemporaryFolder folder;
  for (const Foreign& foreign : foreign_files())
    for (const std::string ending : {".npy", ".npz", ".safetensors", ".csv", ".tsv"}) {
      const std::string file = foreign.name + ending;
      const fs::path path = folder.write(file, foreign.bytes);
      check_refused(foreign, file, [&] { list_or_throw(path); });
      check_refused(foreign, file,
                    [&] { read_array(path, names_its_arrays(array_file_kind(path)) ? "x" : ""); });
      if (ending != ".csv" && ending != ".tsv")
        folder.write("x.headlight", session_with(file, ending == ".npy" ? "" : "x"));
      else
        folder.write("x.headlight", session_with(file, ""));
      check_refused(foreign, "x.headlight: embeddings", [&] { load_session(folder / "x.headlight"); });
      if (ending == ".csv") check_refused(foreign, file, [&] { read_token_table(path); });
    }
}

TEST_CASE("foreign files: named as what they are in the place of a session") {
  const TemporaryFolder folder;
  for (const Foreign& foreign : foreign_files()) {
    if (foreign.what == "error message" || foreign.name == "plain-answer")
      continue;  // the JSON error message is equally clear
    for (const std::string ending : {".headlight", ".pt", ""}) {
      const fs::path path = folder.write(foreign.name + ending, foreign.bytes);
      check_refused(foreign, foreign.name, [&] { load_session(path); });
    }
  }
}

TEST_CASE("foreign files: named by their endings where nothing else tells") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& file, const std::string& what) {
    const fs::path path = folder.write(file, "\3\2\1");
    for (const Error& error :
         {error_of([&] { load_session(path); }), error_of([&] { array_file_kind(path); }),
          error_of([&] { list_arrays(path); })}) {
      INFO(error.what());
      CHECK_THAT(error.summary(), ContainsSubstring(what));
      CHECK_FALSE(error.hint().empty());
      CHECK_THAT(error.where(), ContainsSubstring(file));
    }
  };
  for (const char* torch : {"a.pt", "a.PTH", "pytorch_model.bin"})
    refused(torch, "torch.save");
  refused("a.ckpt", "checkpoint");
  refused("a.pkl", "pickle");
  refused("a.h5", "HDF5");
  refused("a.keras", "Keras");
  refused("a.gz", "packed");
  refused("a.onnx", "another program");
  refused("a.mat", "MATLAB");
  refused("a.parquet", "Parquet");
  refused("a.xlsx", "spreadsheet");
  // A session file may have any extension.
  const std::string session = session_with("x.npy", "");
  CHECK_THAT(error_of([&] { load_session(folder.write("session.bin", session)); }).what(),
             ContainsSubstring("x.npy"));
}

TEST_CASE("foreign files: arrays under another name") {
  const TemporaryFolder folder;
  const std::string npy = std::string("\x93NUMPY\1\0", 8) + "v\0{'descr'",
                    tensors = safetensors_file({{"x", "F32", {2}}});
  const auto refused = [&](const std::string& file, const std::string& bytes, const std::string& ending) {
    const fs::path path = folder.write(file, bytes);
    const Error error = error_of([&] { list_or_throw(path); });
    INFO(error.what());
    CHECK_THAT(error.hint(), ContainsSubstring("ends in " + ending));
  };
  for (const char* file : {"x.npz", "x.safetensors", "x.csv"})
    refused(file, npy, ".npy");
  for (const char* file : {"x.npy", "x.safetensors", "x.csv"})
    refused(file, zip_of("arr_0.npy"), ".npz");
  for (const char* file : {"x.npy", "x.npz", "x.csv"})
    refused(file, tensors, ".safetensors");
  for (const char* file : {"x.npy", "x.npz", "x.csv"})
    refused(file, session_with("x.npy", ""), ".headlight");
  for (const char* file : {"empty.npy", "empty.npz", "empty.safetensors"})
    CHECK_THAT(error_of([&] { list_or_throw(folder.write(file, "")); }).summary(),
               ContainsSubstring("empty"));
}

TEST_CASE("foreign files: in the folder of a model, each of its files") {
  for (const Foreign& foreign : foreign_files())
    for (const std::string file : {"config.json", "tokenizer.json", "model.safetensors"}) {
      const ModelCopy model("gpt2");
      std::ofstream(model.path() / file, std::ios::binary) << foreign.bytes;
      check_refused(foreign, file, [&] { Network(model.path()).encode("a"); });
    }
  const Foreign pointer = foreign_files().front();
  const TemporaryFolder folder;
  folder.write("model.safetensors.index.json", R"({"weight_map": {"one": "a.safetensors"}})");
  folder.write("a.safetensors", kPointer);
  check_refused(pointer, "a.safetensors", [&] { Checkpoint checkpoint(folder.path()); });
  folder.write("model.safetensors.index.json", kPointer);
  check_refused(pointer, "index.json", [&] { Checkpoint checkpoint(folder.path()); });
  folder.write("config.json", kPointer);
  check_refused(pointer, "config.json", [&] { read_layer_config(folder / "a.npz"); });
}

TEST_CASE(
    "foreign files: weights that cannot be opened are converted by the class that has the model's head") {
  const auto hint = [](const std::string& config) {
    const TemporaryFolder folder;
    folder.write("pytorch_model.bin", "x");
    return error_of([&] { Checkpoint checkpoint(folder.path(), saving_class(config)); }).hint();
  };
  CHECK_THAT(hint("{"), ContainsSubstring("AutoModel.from_pretrained"));
  CHECK_THAT(hint(R"({"architectures": ["LlamaForCausalLM"]})"),
             ContainsSubstring("AutoModelForCausalLM.from"));
  CHECK_THAT(hint(R"({"architectures": ["BertForMaskedLM"]})"),
             ContainsSubstring("AutoModelForMaskedLM.from"));
  CHECK_THAT(hint(R"({"architectures": ["T5ForConditionalGeneration"]})"),
             ContainsSubstring("AutoModelForSeq2SeqLM.from"));
  // An unsupported family takes precedence over missing files.
  const ModelCopy model("gpt2");
  fs::remove(model.path() / "model.safetensors");
  std::ofstream(model.path() / "pytorch_model.bin") << "x";
  CHECK_THAT(error_of([&] { Network network(model.path()); }).what(), ContainsSubstring("save_pretrained"));
  std::ofstream(model.path() / "config.json") << R"({"model_type": "rwkv", "vocab_size": 4})";
  CHECK_THAT(error_of([&] { Network network(model.path()); }).what(), ContainsSubstring("rwkv"));
}

TEST_CASE("names with a byte 0 name no file") {
  const TemporaryFolder folder;
  folder.write("a.safetensors", safetensors_file({{"one", "F32", {2}}}));
  folder.write("a.npy", "x");
  const std::string zero = std::string("a.safetensors\0x", 15);
  CHECK_THAT(error_of([&] { list_arrays(folder / zero); }).summary(), ContainsSubstring("byte 0"));
  CHECK_THAT(error_of([&] { list_arrays(folder / std::string("a\0.safetensors", 14)); }).summary(),
             ContainsSubstring("byte 0"));
  folder.write("model.safetensors.index.json", R"({"weight_map": {"one": "a.safetensors\u0000x"}})");
  CHECK_THAT(error_of([&] { Checkpoint checkpoint(folder.path()); }).summary(),
             ContainsSubstring("no file of this folder"));
  CHECK_THAT(error_of([&] { Checkpoint checkpoint(folder / std::string("\0x", 2)); }).summary(),
             ContainsSubstring("byte 0"));
  folder.write("x.headlight", session_with("a.safetensors\\u0000x.safetensors", "one"));
  CHECK_THAT(error_of([&] { load_session(folder / "x.headlight"); }).summary(), ContainsSubstring("byte 0"));
}
