// Folders as people bring them: bookkeeping that disagrees with the files, wrappers, adapters, other names
// and layouts. Each computes what the folder does that it was made from.
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <random>

#include "engine/arrays/safetensors.h"
#include "engine/checkpoint/model_place.h"
#include "engine/interpretation/open_model.h"
#include "engine/json/json_document.h"
#include "engine/session/model_folder_field.h"
#include "engine/session/session.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace fs = std::filesystem;

namespace {

const std::vector<std::int32_t> kFewIds = {5, 17, 3, 40, 9};
constexpr const char *kFirst = "model-00001-of-00002.safetensors",
                     *kSecond = "model-00002-of-00002.safetensors", *kIndex = "model.safetensors.index.json";

using Tensors = std::map<std::string, NamedArray>;

std::string library_folder(const std::string& family) {
  return source_root() + "/tests/golden/library/" + family;
}

Tensors tensors_of(const std::string& family) {
  Tensors tensors;
  const Checkpoint checkpoint(library_folder(family));
  for (const std::string& name : checkpoint.names()) {
    const Tensor& tensor = checkpoint.require(name);
    NamedArray array{name, tensor.shape, std::vector<float>(tensor.bytes.size() / sizeof(float))};
    read_numbers(tensor, 0, static_cast<Index>(array.values.size()), array.values.data());
    tensors.emplace(name, std::move(array));
  }
  return tensors;
}

Json config_of_family(const std::string& family) {
  return parse_json(read_file(library_folder(family) + "/config.json"));
}

void write_tensors(const fs::path& file, const Tensors& tensors) {
  std::vector<TensorValues> values;
  for (const auto& [name, array] : tensors)
    values.push_back({name, array.shape, array.values.data()});
  fs::create_directories(file.parent_path());
  AtomicFile written(file);
  write_safetensors(values, SavedFloat::F32, written);
  written.commit();
}

void write_json(const fs::path& file, const Json& json) {
  fs::create_directories(file.parent_path());
  write_file_atomically(file, json.dump());
}

// Every second tensor.
std::pair<Tensors, Tensors> halves(const Tensors& tensors) {
  std::pair<Tensors, Tensors> parts;
  for (const auto& one : tensors)
    (parts.first.size() > parts.second.size() ? parts.second : parts.first).insert(one);
  return parts;
}

Json index_of(const std::map<std::string, Tensors>& shards) {
  Json map = Json::object();
  for (const auto& [file, tensors] : shards)
    for (const auto& [name, array] : tensors)
      map[name] = file;
  return {{"weight_map", map}};
}

Matrix logits_of(const fs::path& folder) {
  NetworkPass pass(std::make_shared<const Network>(folder));
  pass.set_ids(kFewIds);
  return pass.logits(0, pass.token_count());
}

void check_same(const fs::path& folder, const Matrix& expected, const std::string& note = "") {
  CHECK(largest_difference(logits_of(folder), expected) <= 1e-5f);
  if (note.empty()) return;
  std::string notes;
  const Network network(folder);
  for (const std::string& one : network.notes())
    notes += one + "\n";
  CHECK_THAT(notes, ContainsSubstring(note));
}

std::string refusal_of(const fs::path& folder) {
  try {
    logits_of(folder);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The llama of tests/golden/library in two shards, without an index.
struct Sharded {
  TemporaryFolder folder;
  Tensors all = tensors_of("llama"), first, second;
  Matrix expected = logits_of(library_folder("llama"));

  Sharded() {
    std::tie(first, second) = halves(all);
    write_json(folder / "config.json", config_of_family("llama"));
    write_tensors(folder / kFirst, first);
    write_tensors(folder / kSecond, second);
  }
  void index(const Json& json) const { write_json(folder / kIndex, json); }
};

Tensors renamed(const Tensors& tensors, const std::function<std::string(const std::string&)>& name) {
  Tensors made;
  for (const auto& [old, array] : tensors)
    made.emplace(name(old), array);
  return made;
}

}  // namespace

TEST_CASE("model folders: shards without an index, and an index of other shards") {
  const Sharded model;
  check_same(model.folder.path(), model.expected, "names of the shards");
  Json stale = index_of({{kFirst, model.first}, {kSecond, model.second}});
  for (auto& [name, file] : stale["weight_map"].items())
    file = "model-00003-of-00007.safetensors";
  model.index(stale);
  check_same(model.folder.path(), model.expected, "not there");
  fs::remove(model.folder / kSecond);
  CHECK_THAT(refusal_of(model.folder.path()), ContainsSubstring("model-00003-of-00007.safetensors"));
  fs::remove(model.folder / kIndex);
  CHECK_THAT(refusal_of(model.folder.path()), ContainsSubstring("shard 2 of 2 is missing"));
}

TEST_CASE(
    "model folders: of a tensor in two files the index says which one counts, and stray files are named") {
  const Sharded model;
  Tensors first = model.first, stray;
  NamedArray twice = model.second.begin()->second;
  for (float& value : twice.values)
    value *= 2;
  first[twice.name] = twice;
  write_tensors(model.folder / kFirst, first);
  CHECK_THAT(refusal_of(model.folder.path()), ContainsSubstring("two files"));
  model.index(index_of({{kFirst, model.first}, {kSecond, model.second}}));
  check_same(model.folder.path(), model.expected);
  stray[twice.name] = twice;
  write_tensors(model.folder / "model.safetensors", stray);
  check_same(model.folder.path(), model.expected, "model.safetensors");
}

TEST_CASE("model folders: a file that the index leaves out adds the tensors that no other has") {
  const Sharded model;
  const auto [part, rest] = halves(model.second);
  write_tensors(model.folder / kSecond, part);
  write_tensors(model.folder / "model-extra.safetensors", rest);
  model.index(index_of({{kFirst, model.first}, {kSecond, part}}));
  check_same(model.folder.path(), model.expected, "model-extra.safetensors");
}

TEST_CASE("model folders: a tensor is found by the other names in the metadata") {
  const TemporaryFolder folder;
  Tensors tensors = tensors_of("gpt2");
  const std::string stored = tensors.begin()->first;
  NamedArray moved = tensors.extract(stored).mapped();
  tensors.emplace("another.name", std::move(moved));
  write_json(folder / "config.json", config_of_family("gpt2"));
  write_tensors(folder / "model.safetensors", tensors);
  std::string bytes = read_file(folder / "model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  Json header = parse_json(bytes.substr(8, length));
  header["__metadata__"][stored] = "another.name";
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = text.size();
  write_file_atomically(
      folder / "model.safetensors",
      std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + bytes.substr(8 + length));
  check_same(folder.path(), logits_of(library_folder("gpt2")));
}

TEST_CASE("model folders: the hub's cache, and sentence-transformers, lead to the model") {
  const TemporaryFolder folder;
  const fs::path root = folder / "models--org--tiny";
  for (const char* commit : {"aaa", "bbb"}) {
    write_json(root / "snapshots" / commit / "config.json", config_of_family("llama"));
    write_tensors(root / "snapshots" / commit / "model.safetensors", tensors_of("llama"));
  }
  CHECK_THAT(refusal_of(root), ContainsSubstring("2 snapshots"));
  fs::create_directories(root / "refs");
  write_file_atomically(root / "refs" / "main", "bbb\n");
  const Matrix expected = logits_of(library_folder("llama"));
  check_same(root, expected, "bbb");
  CHECK(Network(root).name() == "org/tiny");
  write_file_atomically(root / "refs" / "main", "../../elsewhere");
  CHECK_THAT(refusal_of(root), ContainsSubstring("elsewhere"));
  const fs::path sentences = folder / "sentences";
  write_json(sentences / "modules.json", Json::array({{{"path", "0_Transformer"}}}));
  CHECK_THAT(refusal_of(sentences), ContainsSubstring("0_Transformer"));
  fs::copy(root / "snapshots" / "aaa", sentences / "0_Transformer");
  check_same(sentences, expected, "sentence-transformers");
}

TEST_CASE("model folders: the text model of one that sees, and names behind another module's") {
  for (const std::string family : {"llama", "gemma3_text", "qwen2"}) {
    INFO(family);
    const Matrix expected = logits_of(library_folder(family));
    const Tensors tensors = tensors_of(family);
    const Json config = {{"model_type", "sees_" + family},
                         {"text_config", config_of_family(family)},
                         {"vision_config", Json::object()}};
    const auto old_names = [](const std::string& name) { return "language_model." + name; };
    const auto new_names = [](const std::string& name) {
      return name.starts_with("model.") ? "model.language_model." + name.substr(6) : name;
    };
    for (const auto& names : {std::function<std::string(const std::string&)>(old_names), {new_names}}) {
      const TemporaryFolder folder;
      Tensors made = renamed(tensors, names);
      made.emplace("vision_tower.patches.weight", NamedArray{"", {2, 2}, {1, 2, 3, 4}});
      write_json(folder / "config.json", config);
      write_tensors(folder / "model.safetensors", made);
      check_same(folder.path(), expected, "vision");
    }
  }
  const TemporaryFolder folder;
  write_json(folder / "config.json", config_of_family("gpt2"));
  write_tensors(folder / "model.safetensors",
                renamed(tensors_of("gpt2"), [](const std::string& name) { return "_orig_mod." + name; }));
  check_same(folder.path(), logits_of(library_folder("gpt2")), "_orig_mod.");
}

TEST_CASE("model folders: matrices that lie the other way are taken as they lie") {
  for (const std::string family : {"gpt2", "llama"}) {
    INFO(family);
    const TemporaryFolder folder;
    Tensors tensors = tensors_of(family);
    for (auto& [name, array] : tensors) {
      const bool matrix =
          array.shape.size() == 2 && (name.find("attn") != name.npos || name.find("mlp") != name.npos);
      if (!matrix) continue;
      NamedArray turned{name, {array.shape[1], array.shape[0]}, {}};
      for (Index column = 0; column < array.shape[1]; ++column)
        for (Index row = 0; row < array.shape[0]; ++row)
          turned.values.push_back(array.values[static_cast<std::size_t>(row * array.shape[1] + column)]);
      array = std::move(turned);
    }
    write_json(folder / "config.json", config_of_family(family));
    write_tensors(folder / "model.safetensors", tensors);
    check_same(folder.path(), logits_of(library_folder(family)), "transposed");
  }
}

TEST_CASE("model folders: a quantization_config that was left behind") {
  const TemporaryFolder folder;
  Json config = config_of_family("llama");
  config["quantization_config"] = {{"quant_method", "gptq"}, {"bits", 4}};
  write_json(folder / "config.json", config);
  Tensors tensors = tensors_of("llama");
  write_tensors(folder / "model.safetensors", tensors);
  check_same(folder.path(), logits_of(library_folder("llama")), "quantization_config");
  tensors.emplace("model.layers.0.self_attn.q_proj.qweight", NamedArray{"", {2, 2}, {1, 2, 3, 4}});
  write_tensors(folder / "model.safetensors", tensors);
  CHECK_THAT(refusal_of(folder.path()), ContainsSubstring("quantised"));
}

namespace {

// An adapter of some matrices, and the tensors with it: W + s B A in float64.
struct Adapted {
  Tensors low, merged;
};

Adapted adapted(const Tensors& tensors, const std::vector<std::string>& names, Index rank, double factor,
                bool flipped) {
  std::mt19937 engine(3);
  std::normal_distribution<float> normal(0, 0.5f);
  Adapted made{{}, tensors};
  for (const std::string& name : names) {
    NamedArray& w = made.merged.at(name);
    const Index rows = w.shape[0], columns = w.shape[1], out = flipped ? columns : rows,
                in = flipped ? rows : columns;
    NamedArray a{"", {rank, in}, {}}, b{"", {out, rank}, {}};
    for (Index i = 0; i < rank * in; ++i)
      a.values.push_back(normal(engine));
    for (Index i = 0; i < rank * out; ++i)
      b.values.push_back(normal(engine));
    for (Index o = 0; o < out; ++o)
      for (Index i = 0; i < in; ++i) {
        double sum = 0;
        for (Index r = 0; r < rank; ++r)
          sum += double{b.values[static_cast<std::size_t>(o * rank + r)]} *
                 double{a.values[static_cast<std::size_t>(r * in + i)]};
        float& number = w.values[static_cast<std::size_t>(flipped ? i * columns + o : o * columns + i)];
        number = static_cast<float>(double{number} + factor * sum);
      }
    const std::string module =
        "base_model.model." + name.substr(0, name.size() - std::string("weight").size());
    made.low.emplace(module + "lora_A.weight", std::move(a));
    made.low.emplace(module + "lora_B.weight", std::move(b));
  }
  return made;
}

}  // namespace

TEST_CASE("model folders: an adapter is added to its base, which it names or lies beside") {
  for (const bool flipped : {false, true}) {
    const std::string family = flipped ? "gpt2" : "llama";
    INFO(family);
    const Tensors tensors = tensors_of(family);
    std::vector<std::string> names;
    for (const auto& [name, array] : tensors)
      if (array.shape.size() == 2 && (name.find("q_proj") != name.npos || name.find("c_attn") != name.npos))
        names.push_back(name);
    REQUIRE(names.size() >= 2);
    const Adapted made = adapted(tensors, names, 2, 3, flipped);
    const TemporaryFolder folder;
    write_json(folder / "merged/config.json", config_of_family(family));
    write_tensors(folder / "merged/model.safetensors", made.merged);
    const Matrix expected = logits_of(folder / "merged");
    Json settings = {{"peft_type", "LORA"},
                     {"base_model_name_or_path", "org/tiny"},
                     {"r", 2},
                     {"lora_alpha", 6},
                     {"fan_in_fan_out", flipped}};
    write_json(folder / "lora/adapter_config.json", settings);
    write_tensors(folder / "lora/adapter_model.safetensors", made.low);
    CHECK_THAT(refusal_of(folder / "lora"),
               ContainsSubstring("base_model_name_or_path") && ContainsSubstring("org/tiny"));
    settings["base_model_name_or_path"] = library_folder(family);
    write_json(folder / "lora/adapter_config.json", settings);
    check_same(folder / "lora", expected, "adapter");
    CHECK(Network(folder / "lora").name() == "lora");
    write_json(folder / "lora/config.json", config_of_family(family));
    write_tensors(folder / "lora/model.safetensors", tensors);
    check_same(folder / "lora", expected, "adapter");
    settings["peft_type"] = "IA3";
    write_json(folder / "lora/adapter_config.json", settings);
    CHECK_THAT(refusal_of(folder / "lora"), ContainsSubstring("IA3"));
  }
}

TEST_CASE("model folders: an adapter is a change that is switched, saved and opened again") {
  const Tensors tensors = tensors_of("llama");
  const Adapted made = adapted(tensors, {"model.layers.0.self_attn.q_proj.weight"}, 2, 3, false);
  const TemporaryFolder folder;
  write_json(folder / "lora/adapter_config.json", {{"peft_type", "LORA"},
                                                   {"base_model_name_or_path", library_folder("llama")},
                                                   {"r", 2},
                                                   {"lora_alpha", 6}});
  write_tensors(folder / "lora/adapter_model.safetensors", made.low);
  const Network added(folder / "lora"), left_out(folder / "lora", AdapterUse::LeftOut),
      base(library_folder("llama"));
  CHECK(added.checkpoint().header_hash() == left_out.checkpoint().header_hash());
  CHECK(added.checkpoint().header_hash() != base.checkpoint().header_hash());
  CHECK(added.checkpoint().bytes() == left_out.checkpoint().bytes());

  OpenModel work;
  work.network = std::make_shared<const Network>(folder / "lora");
  work.ids = kFewIds;
  const auto logits = [](const OpenModel& model) {
    NetworkPass pass(model.network);
    take_state(pass, state_of(model));
    return pass.logits(static_cast<Index>(kFewIds.size()) - 1, 1);
  };
  const Matrix with = logits(work), without = logits_of(library_folder("llama")).bottomRows(1);
  REQUIRE((with - without).cwiseAbs().maxCoeff() > 1e-3f);
  const std::vector<ChangeEntry> listed = list_changes(work);
  REQUIRE(listed.size() == 1);
  CHECK(change_text(work, listed.front(), Counting()) == "the adapter \"lora\" added to its base");
  CHECK(changes_in_words(work).empty());
  switch_change(work, listed.front());
  CHECK(logits(work) == without);
  CHECK(changes_in_words(work) == std::vector<std::string>{"without the adapter \"lora\""});

  Session session;
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(work);
  const std::shared_ptr<const OpenModel> opened =
      parse_session(session_text(session), folder.path(), "x").work;
  CHECK(logits(*opened) == without);
  switch_change(work, list_changes(work).front());
  CHECK(logits(work) == with);
  remove_change(work, list_changes(work).front());
  CHECK(logits(work) == without);
  remove_change(work, list_changes(work).front());
  CHECK(logits(work) == without);
}

TEST_CASE("model folders: a pattern gives the modules that it names numbers of their own") {
  const Tensors tensors = tensors_of("llama");
  const std::string module = "model.layers.0.self_attn.q_proj";
  const Adapted made = adapted(tensors, {module + ".weight"}, 2, 3, false);
  const TemporaryFolder folder;
  write_json(folder / "merged/config.json", config_of_family("llama"));
  write_tensors(folder / "merged/model.safetensors", made.merged);
  write_tensors(folder / "lora/adapter_model.safetensors", made.low);
  const Json settings = {{"peft_type", "LORA"},
                         {"base_model_name_or_path", library_folder("llama")},
                         {"r", 2},
                         {"lora_alpha", 50}};
  const auto write = [&](const char* pattern, const std::string& key, double value) {
    Json changed = settings;
    changed[pattern] = {{key, value}};
    write_json(folder / "lora/adapter_config.json", changed);
  };
  const Matrix expected = logits_of(folder / "merged");
  for (const std::string& key :
       {module, "^" + module, std::string("q_proj"), std::string("self_attn.q_proj")}) {
    INFO(key);
    write("alpha_pattern", key, 6);
    check_same(folder / "lora", expected, "adapter");
  }
  for (const char* key : {"proj", "^q_proj", "k_proj"}) {
    INFO(key);
    write("alpha_pattern", key, 6);
    CHECK((logits_of(folder / "lora") - expected).cwiseAbs().maxCoeff() > 1e-3f);
  }
  write("alpha_pattern", R"(layers\.\d+\.self_attn\.q_proj)", 6);
  CHECK_THAT(refusal_of(folder / "lora"), ContainsSubstring("regular expression"));
  write("rank_pattern", "q_proj", 4);
  CHECK_THAT(refusal_of(folder / "lora"), ContainsSubstring("rank"));
}

TEST_CASE("model folders: types of tokens have rows of their own") {
  NetworkPass pass(std::make_shared<const Network>(library_folder("bert")));
  const std::vector<std::int32_t> types = {0, 0, 1, 1, 1};
  pass.set_ids(kFewIds, types);
  const Matrix with = pass.residual(0);
  pass.set_ids(kFewIds);
  const Matrix without = pass.residual(0);
  CHECK(with.topRows(2) == without.topRows(2));
  CHECK(with.bottomRows(3) != without.bottomRows(3));
  pass.set_ids(kFewIds, types);
  CHECK(Matrix(pass.residual(0)) == with);
  CHECK_THROWS_AS(pass.set_ids(kFewIds, {0, 1}), Error);
  CHECK_THROWS_AS(pass.set_ids(kFewIds, {0, 0, 0, 0, 2}), Error);
  NetworkPass plain(std::make_shared<const Network>(library_folder("llama")));
  CHECK_THROWS_AS(plain.set_ids(kFewIds, types), Error);
}
