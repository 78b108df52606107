#include "engine/network/known_families.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/families/decoders.h"
#include "engine/families/encoders.h"
#include "engine/families/llamas.h"

namespace headlight {
namespace {

std::string known_names() {
  std::string names;
  const std::vector<const Family*>& all = known_families();
  for (std::size_t i = 0; i < all.size(); ++i)
    names += std::string(i == 0 ? "" : i + 1 < all.size() ? ", " : " and ") + std::string(all[i]->name);
  return "known are " + names +
         "; of other models the layers can be opened one by one: open their .safetensors file";
}

const Family& family_of(const Json& document) {
  const auto found = document.find("model_type");
  if (found == document.end() || found->is_null())
    throw Error("config.json does not say model_type", "model_type", known_names());
  if (!found->is_string())
    throw Error("it is " + json_kind(*found) + ", expected text", "model_type", kMendConfig);
  const auto type = found->get<std::string>();
  if (const Family* family = find_family(type)) return *family;
  throw Error("models of type " + in_quotes(type) + " are not known here", "model_type", known_names());
}

}  // namespace

const std::vector<const Family*>& known_families() {
  static const std::vector<const Family*> kFamilies = [] {
    std::vector<const Family*> all = {
        &albert_family(),  &bart_family(),        &bert_family(),       &bloom_family(),
        &codegen_family(), &cohere_family(),      &distilbert_family(), &electra_family(),
        &falcon_family(),  &gemma_family(),       &gemma2_family(),     &gemma3_text_family(),
        &gpt2_family(),    &gpt_bigcode_family(), &gpt_neo_family(),    &gpt_neox_family(),
        &gpt_oss_family(), &gptj_family(),        &granite_family(),    &llama_family(),
        &mistral_family(), &mixtral_family(),     &modernbert_family(), &mpt_family(),
        &olmo_family(),    &olmo2_family(),       &opt_family(),        &phi_family(),
        &phi3_family(),    &qwen2_family(),       &qwen3_family(),      &qwen3_moe_family(),
        &roberta_family(), &smollm3_family(),     &stablelm_family(),   &starcoder2_family(),
        &t5_family(),      &vit_family()};
    std::sort(all.begin(), all.end(), [](const Family* a, const Family* b) { return a->name < b->name; });
    return all;
  }();
  return kFamilies;
}

const Family* find_family(const std::string& name) {
  for (const Family* family : known_families())
    if (family->name == name) return family;
  return nullptr;
}

NetworkConfig parse_network_config(const std::string& text) {
  const Json document = parse_json(text);
  if (!document.is_object())
    throw Error("it is " + json_kind(document) + ", expected an object", "", kMendConfig);
  return config_of(family_of(document), document);
}

}  // namespace headlight
