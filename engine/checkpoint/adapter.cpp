#include "engine/checkpoint/adapter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "engine/arrays/array.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMerge =
    "save it merged with its base in Python: model.merge_and_unload().save_pretrained(folder)";

class AdapterSettings {
 public:
  explicit AdapterSettings(const fs::path& file) : where_(file.string()) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
    require_file(file, kMost);
    require_form(file, FileForm::Json);
    try {
      json_ = parse_json(read_file(file));
    } catch (const Error& error) {
      throw error.inside(where_);
    }
    if (!json_.is_object()) throw Error("it is " + json_kind(json_) + ", expected an object", where_, kMerge);
    if (text("peft_type") != "LORA")
      throw Error("adapters of type " + in_quotes(text("peft_type")) + " are not known here", where_, kMerge);
    for (const char* beyond : {"use_dora", "layer_replication", "megatron_config", "eva_config"})
      if (const auto found = json_.find(beyond);
          found != json_.end() && !found->is_null() && *found != Json(false) && !found->empty())
        throw Error(std::string("it is ") + found->dump() + ", which is not done here",
                    where_ + ": " + beyond, kMerge);
  }

  double rank(const std::string& module) const { return number("r", "rank_pattern", module); }
  // The factor of B A for the module.
  double factor(const std::string& module) const {
    const double alpha = number("lora_alpha", "alpha_pattern", module);
    return alpha / (flag("use_rslora") ? std::sqrt(rank(module)) : rank(module));
  }
  bool flag(const char* name) const {
    const auto found = json_.find(name);
    return found != json_.end() && found->is_boolean() && found->get<bool>();
  }

 private:
  std::string text(const char* name) const {
    const auto found = json_.find(name);
    return found != json_.end() && found->is_string() ? found->get<std::string>() : "";
  }
  // A key of a pattern is the name of a module or the end of one, in whole words; with "^", the whole name
  // (peft's get_pattern_key, without its other regular expressions).
  bool names_module(const std::string& key, const std::string& module, const char* pattern) const {
    const std::string name = key.substr(key.starts_with('^') ? 1 : 0);
    if (name.find_first_of("^$*+?()[]{}|\\") != std::string::npos)
      throw Error("the key " + in_quotes(key) + " is a regular expression, which is not understood here",
                  where_ + ": " + pattern, kMerge);
    return module == name || (!key.starts_with('^') && module.ends_with("." + name));
  }
  // The number of the pattern's first key that names the module, else that of all.
  double number(const char* name, const char* pattern, const std::string& module) const {
    const auto own = json_.find(pattern);
    if (own != json_.end() && own->is_object())
      for (const auto& [key, value] : own->items())
        if (names_module(key, module, pattern)) return checked(value, pattern);
    const auto found = json_.find(name);
    if (found == json_.end()) throw Error(std::string("there is no ") + name, where_, kMerge);
    return checked(*found, name);
  }
  double checked(const Json& value, const char* name) const {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (number > 0 && number < 1e6) return number;
    throw Error("it is " + value.dump() + ", expected a number above 0", where_ + ": " + name, kMerge);
  }

  std::string where_;
  Json json_;
};

Matrix matrix_of(const Tensor& tensor, const std::string& where) {
  if (tensor.shape.size() != 2)
    throw Error("it is " + std::to_string(tensor.shape.size()) + " axes wide, expected a matrix", where,
                kMerge);
  Matrix matrix(tensor.rows(), tensor.columns());
  read_numbers(tensor, 0, matrix.size(), matrix.data());
  return matrix;
}

// The name of the base's tensor: adapters name it as the class does that they were made with, which may have
// one module around the names in the file, or none.
std::optional<std::string> name_in(const Checkpoint& base, const std::string& module) {
  const std::string name = module + ".weight";
  if (base.has(name)) return name;
  for (const std::string_view around : {"model.", "transformer.", "bert.", "roberta.", "gpt_neox."}) {
    if (name.starts_with(around) && base.has(name.substr(around.size()))) return name.substr(around.size());
    if (base.has(std::string(around) + name)) return std::string(around) + name;
  }
  return std::nullopt;
}

struct LowRank {
  const Tensor *a = nullptr, *b = nullptr;
};

// By module: "model.layers.0.self_attn.q_proj".
std::map<std::string, LowRank> pairs_in(const Checkpoint& adapter, const std::string& where) {
  constexpr std::string_view kAround = "base_model.model.", kWeight = ".weight";
  std::map<std::string, LowRank> pairs;
  const auto place_of = [&](const std::string& name) { return where + "[" + name + "]"; };
  for (const std::string& name : adapter.names()) {
    std::string module = name.starts_with(kAround) ? name.substr(kAround.size()) : name;
    if (module.ends_with(kWeight)) module.resize(module.size() - kWeight.size());
    if (module.ends_with(".default")) module.resize(module.size() - std::string_view(".default").size());
    const bool a = module.ends_with(".lora_A"), b = module.ends_with(".lora_B");
    if (!a && !b)
      throw Error("it is neither the A nor the B of a weight, and is not understood", place_of(name), kMerge);
    LowRank& pair = pairs[module.substr(0, module.size() - std::string_view(".lora_A").size())];
    (a ? pair.a : pair.b) = &adapter.require(name);
  }
  return pairs;
}

}  // namespace

std::string apply_adapter(const fs::path& folder, Checkpoint& base, AdapterUse use) {
  const fs::path file = folder / "adapter_model.safetensors";
  std::error_code unreadable;
  if (!fs::is_regular_file(file, unreadable))
    throw Error("there is an adapter_config.json, but no adapter_model.safetensors", folder.string(),
                "copy or download the adapter again, saved as safetensors");
  const AdapterSettings settings(folder / "adapter_config.json");
  const Checkpoint adapter = Checkpoint::of_file(file);
  base.count_in(adapter);
  if (use == AdapterUse::LeftOut) return "the adapter in " + folder_name(folder) + " is left out";
  const std::map<std::string, LowRank> pairs = pairs_in(adapter, file.string());
  for (const auto& [module, pair] : pairs) {
    const std::string where = file.string() + "[" + module + "]";
    if (!pair.a || !pair.b)
      throw Error(std::string("there is no ") + (pair.a ? "lora_B" : "lora_A") + " beside the other", where,
                  kMerge);
    const std::optional<std::string> name = name_in(base, module);
    if (!name)
      throw Error("the base has no weight of this name", where,
                  "take the adapter and the base it was made for");
    const Tensor& weight = base.require(*name);
    const bool flipped = settings.flag("fan_in_fan_out");
    const Matrix a = matrix_of(*pair.a, where), b = matrix_of(*pair.b, where);
    const std::vector<Index> shape =
        flipped ? std::vector{a.cols(), b.rows()} : std::vector{b.rows(), a.cols()};
    if (a.rows() != b.cols() || weight.shape != shape)
      throw Error("B A is " + shape_text({b.rows(), b.cols()}) + " times " +
                      shape_text({a.rows(), a.cols()}) + ", and the weight is " + shape_text(weight.shape),
                  where, "take the adapter and the base it was made for");
    if (static_cast<double>(a.rows()) != settings.rank(module))
      throw Error("its rank is " + std::to_string(a.rows()) + ", and adapter_config.json gives another one",
                  where, kMerge);
    const Eigen::MatrixXd product = settings.factor(module) * (b.cast<double>() * a.cast<double>());
    const Matrix before = matrix_of(weight, where);
    const Matrix sum = flipped ? Matrix((before.cast<double>() + product.transpose()).cast<float>())
                               : Matrix((before.cast<double>() + product).cast<float>());
    base.replace(*name, sum);
  }
  return "the adapter in " + folder_name(folder) + " is added to " + std::to_string(pairs.size()) +
         (pairs.size() == 1 ? " weight" : " weights") + " (W + s B A)";
}

}  // namespace headlight
