#include "engine/checkpoint/gguf_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/checkpoint/gguf_config.h"
#include "engine/checkpoint/gguf_family.h"
#include "engine/checkpoint/gguf_file.h"
#include "engine/checkpoint/gguf_tokenizer.h"
#include "engine/core/ascii.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTakeFolder = "take the model's folder as the hub has it";

bool has_gguf_name(const fs::path& path) {
  return lowered(path.extension().string()) == ".gguf";
}

// "blk.3.attn_q" with N for the layer: "blk.N.attn_q", and "3".
struct LayerName {
  std::string stem, layer;
};
LayerName layer_name(const std::string& name) {
  constexpr std::string_view kBlock = "blk.";
  const std::size_t end = name.find('.', kBlock.size());
  if (!name.starts_with(kBlock) || end == std::string::npos) return {name, ""};
  return {"blk.N" + name.substr(end), name.substr(kBlock.size(), end - kBlock.size())};
}

std::string with_layer(std::string name, const std::string& layer) {
  const std::size_t at = name.find(".N.");
  return at == std::string::npos ? name : name.replace(at + 1, 1, layer);
}

// "blk.0.attn_q.weight" in two parts: the name and ".weight".
std::pair<std::string, std::string> name_and_part(const std::string& name) {
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  return {name.substr(0, dot), name.substr(dot)};
}

class TensorMapper {
 public:
  TensorMapper(const GgufFile& file, const GgufFamily& family, const fs::path& path, TensorFile& weights)
      : file_(file), family_(family), heads_(gguf_heads(file, family)), path_(path), weights_(weights) {}

  void map() {
    for (const GgufTensor& tensor : file_.tensors) {
      const auto [stem, part] = name_and_part(tensor.name);
      const LayerName name = layer_name(stem);
      const TensorName& known = require_known(name.stem, part, tensor.name);
      if (!known.gguf.starts_with(kRotaryFactors))
        add(tensor, with_layer(std::string(known.hub), name.layer) + part, known.change);
    }
    require_all();
  }

  RotaryFactors rotary_factors() const {
    return {numbers_of_row("rope_freqs.weight"), numbers_of_row("rope_factors_long.weight"),
            numbers_of_row("rope_factors_short.weight")};
  }

 private:
  static constexpr std::string_view kRotaryFactors =
      "rope_f";  // of the names of tensors that become settings

  const TensorName& require_known(const std::string& stem, const std::string& part,
                                  const std::string& name) const {
    for (const TensorName& known : family_.tensors)
      if (known.gguf == stem && (part == ".weight" || part == ".bias")) return known;
    throw Error("a " + std::string(family_.architecture) + " with this tensor is not computed here", name,
                kTakeFolder);
  }

  // Every layer has the tensors that the family has.
  void require_all() const {
    std::set<std::string, std::less<>> names;
    for (const GgufTensor& tensor : file_.tensors)
      names.insert(tensor.name);
    const auto layers =
        file_.metadata.whole_if(std::string(family_.architecture) + ".block_count", 1, 1 << 16);
    for (const TensorName& known : family_.tensors) {
      const bool in_layers = known.gguf.starts_with("blk.");
      for (std::int64_t i = 0; i < (in_layers ? layers.value_or(0) : 1) && !known.optional; ++i) {
        const std::string name = with_layer(std::string(known.gguf), std::to_string(i)) + ".weight";
        if (!names.contains(name))
          throw Error("the file has no such tensor", name,
                      "the file is not complete: copy or convert it again");
      }
    }
  }

  Tensor as_stored(const GgufTensor& tensor) const {
    return {tensor.name, tensor.shape, tensor.type,
            weights_.file->bytes().substr(tensor.begin, tensor.end - tensor.begin), weights_.file.get()};
  }

  static std::vector<float> numbers_of(const Tensor& tensor) {
    std::vector<float> numbers(static_cast<std::size_t>(tensor.rows() * tensor.columns()));
    read_numbers(tensor, 0, static_cast<Index>(numbers.size()), numbers.data());
    return numbers;
  }

  // Empty if there is no such tensor.
  std::vector<float> numbers_of_row(std::string_view name) const {
    for (const GgufTensor& tensor : file_.tensors) {
      if (tensor.name != name) continue;
      if (tensor.shape.size() != 1) throw Error("it has several axes, expected one", tensor.name, "");
      return numbers_of(as_stored(tensor));
    }
    return {};
  }

  void add(const GgufTensor& found, const std::string& name, TensorChange change) {
    const std::size_t stacked = name.find(".E.");
    if (stacked == std::string::npos) return add_one(found, as_stored(found), name, change);
    if (found.shape.size() < 2)
      throw Error("it has one axis, expected a stack of several tensors", found.name, kTakeFolder);
    const Tensor stack = as_stored(found);
    const auto count = static_cast<std::size_t>(stack.shape.front());
    for (std::size_t i = 0; i < count; ++i) {
      Tensor tensor = stack;
      tensor.shape.erase(tensor.shape.begin());
      tensor.bytes = stack.bytes.substr(stack.bytes.size() / count * i, stack.bytes.size() / count);
      add_one(found, std::move(tensor), std::string(name).replace(stacked + 1, 1, std::to_string(i)), change);
    }
  }

  void add_one(const GgufTensor& found, Tensor tensor, std::string name, TensorChange change) {
    tensor.name = std::move(name);
    if (tensor.shape.size() == 1)
      change_row(tensor, change);
    else if (tensor.shape.size() == 2)
      change_matrix(tensor, change);
    weights_.tensors.push_back({std::move(tensor), path_.string() + "[" + found.name + "]"});
  }

  void change_matrix(Tensor& tensor, TensorChange change) const {
    if (change == TensorChange::Turned) {
      std::swap(tensor.shape[0], tensor.shape[1]);
      tensor.turned = true;
    } else {
      tensor.order = order_of(tensor.rows(), change);
    }
  }

  // A bias or the weights of a norm: small enough to be copied.
  void change_row(Tensor& tensor, TensorChange change) {
    const Index size = tensor.columns();
    const RowOrder order = order_of(size, change);
    if (change != TensorChange::PlusOne && order.is_plain()) return;
    const std::vector<float> stored = numbers_of(tensor);
    auto& numbers = *weights_.numbers.emplace_back(std::make_unique<std::vector<float>>(stored));
    for (Index i = 0; i < size; ++i)
      numbers[static_cast<std::size_t>(i)] =
          stored[static_cast<std::size_t>(order.stored(i))] - (change == TensorChange::PlusOne ? 1.0f : 0.0f);
    tensor.type = TensorType::F32;
    tensor.bytes = {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
  }

  // Plain where the rows cannot be cut into heads: the weights are refused later, by their shape.
  RowOrder order_of(Index rows, TensorChange change) const {
    if (change == TensorChange::FusedHeads)
      return rows % (3 * heads_.heads) == 0 ? RowOrder{heads_.heads, 3, rows / (3 * heads_.heads)}
                                            : RowOrder();
    if (change != TensorChange::QueryPairs && change != TensorChange::KeyPairs) return {};
    const Index heads = change == TensorChange::QueryPairs ? heads_.heads : heads_.kv_heads;
    return rows % (2 * heads) == 0 ? RowOrder{2, rows / (2 * heads), 1} : RowOrder();
  }

  const GgufFile& file_;
  const GgufFamily& family_;
  GgufHeads heads_;
  const fs::path& path_;
  TensorFile& weights_;
};

GgufModel model_of(const fs::path& path) {
  GgufModel model;
  model.weights.file = std::make_unique<MappedFile>(path);
  const GgufFile file = read_gguf(model.weights.file->bytes());
  const std::string* architecture = file.metadata.text_if("general.architecture");
  if (!architecture)
    throw Error("the file does not say it", "general.architecture",
                "convert the model again, with a current version of llama.cpp");
  const bool has_experts =
      file.metadata.whole_if(*architecture + ".expert_count", 0, 1 << 16).value_or(0) > 0;
  const GgufFamily& family = gguf_family(*architecture, has_experts);
  TensorMapper mapper(file, family, path, model.weights);
  model.config = gguf_config(file, family, mapper.rotary_factors()).dump();
  mapper.map();
  model.has_tokenizer = file.metadata.has("tokenizer.ggml.model");
  try {
    model.tokenizer = gguf_tokenizer(file.metadata);
  } catch (const Error& failure) {
    model.tokenizer_error = failure.inside(path.string());
  }
  model.weights.file->require_unchanged();
  return model;
}

}  // namespace

bool is_gguf_file(const fs::path& path) {
  std::error_code unreadable;
  if (!fs::is_regular_file(path, unreadable)) return false;
  if (has_gguf_name(path)) return true;
  try {
    return read_piece(path, 0, 4) == "GGUF";
  } catch (const Error&) {  // whoever opens it reports that
    return false;
  }
}

std::optional<fs::path> gguf_of_model(const fs::path& path) {
  if (is_gguf_file(path)) return path;
  std::vector<std::string> names;
  std::error_code unreadable;
  for (fs::directory_iterator at(path, unreadable); !unreadable && at != fs::directory_iterator();
       at.increment(unreadable)) {
    if (at->path().extension() == ".safetensors") return std::nullopt;
    if (has_gguf_name(at->path())) names.push_back(at->path().filename().string());
  }
  if (names.empty()) return std::nullopt;
  std::sort(names.begin(), names.end());
  if (names.size() > 1)
    throw Error("there are several GGUF files in it: " + listed(names), path.string(), "choose one of them");
  return path / names.front();
}

GgufModel read_gguf_model(const fs::path& path) {
  constexpr std::uint64_t kMostFile = std::uint64_t{1} << 42;
  require_file(path, kMostFile);
  require_form(path, FileForm::Gguf);
  try {
    return model_of(path);
  } catch (const Error& failure) {
    throw failure.where().starts_with(path.string()) ? failure : failure.inside(path.string());
  }
}

}  // namespace headlight
