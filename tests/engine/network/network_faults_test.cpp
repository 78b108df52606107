// Folders that cannot be opened, each refused with what is wrong and where.
#include "engine/core/error.h"
#include "engine/network/network.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string refusal(const ModelCopy& model) {
  try {
    const Network network(model.path());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

struct Fault {
  std::string family, from, to, told;
};

}  // namespace

TEST_CASE("network faults: a config.json that is not understood is refused with the member's name") {
  const std::vector<Fault> faults = {
      {"gpt2", "\"gpt2\"", "\"mamba\"", "opened one by one"},
      {"gpt2", "\"model_type\": \"gpt2\",", "", "model_type"},
      {"gpt2", "\"n_embd\": 32,", "", "\"n_embd\""},
      {"gpt2", "\"n_embd\": 32", "\"n_embd\": 33", "4 heads do not divide"},
      {"gpt2", "\"n_embd\": 32", "\"n_embd\": 64", "wte.weight"},
      {"gpt2", "\"n_embd\": 32", "\"n_embd\": \"32\"", "n_embd"},
      {"gpt2", "\"n_layer\": 3", "\"n_layer\": 4", "h.3.ln_1.weight"},
      {"gpt2", "\"n_layer\": 3", "\"n_layer\": 0", "n_layer"},
      {"gpt2", "gelu_new", "relu", "activation"},
      {"gpt2", "\"n_layer\"", "\"quantization_config\": {}, \"n_layer\"", "quantised"},
      {"gpt2", "\"n_layer\"", "\"scale_attn_by_inverse_layer_idx\": true, \"use_qk_norm\": true, \"n_layer\"",
       "use_qk_norm"},
      {"llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 5", "do not divide"},
      {"llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3", "k_proj"},
      {"llama3", "\"llama3\"", "\"yarn\"", "yarn"},
      {"llama3", "\"factor\": 8.0", "\"factor\": 0", "factor"},
      {"bert", "{", "[", "config.json"},
  };
  for (const Fault& fault : faults) {
    const ModelCopy model(fault.family);
    model.replace("config.json", fault.from, fault.to);
    INFO(fault.family << ": " << fault.to << "\n" << refusal(model));
    CHECK(refusal(model).find(fault.told) != std::string::npos);
  }
}

TEST_CASE("network faults: files that are missing or belong to another model") {
  const ModelCopy model("gpt2");
  const std::string tokenizer = model.text("tokenizer.json");
  model.remove("tokenizer.json");
  const Network network(model.path());
  CHECK_FALSE(network.tokenizer());
  CHECK_THROWS_AS(network.encode("key"), Error);
  model.write("tokenizer.json", ModelCopy("llama").text("tokenizer.json"));
  CHECK(refusal(model).find("ids go up to") != std::string::npos);
  model.write("tokenizer.json", tokenizer);
  CHECK(refusal(model).empty());
  model.remove("config.json");
  CHECK(refusal(model).find("no config.json") != std::string::npos);
  model.remove("model.safetensors");
  CHECK(refusal(model).find("no model.safetensors") != std::string::npos);
}

TEST_CASE("network faults: texts that have no tokens, too many, or one without a row") {
  const Network gpt2(ModelCopy("gpt2").path());
  CHECK_THROWS_AS(gpt2.encode(""), Error);
  CHECK_THROWS_AS(gpt2.encode(std::string(1000, 'q')), Error);
  CHECK(gpt2.encode(" ").size() == 1);
  const Network llama(ModelCopy("llama").path());
  CHECK(llama.encode("").size() == 1);  // the template's own token
}
