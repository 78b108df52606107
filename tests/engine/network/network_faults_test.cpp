// Layer folders that cannot be opened: the error names the fault and its place.
#include "engine/core/error.h"
#include "engine/network/network.h"
#include "engine/network/saving_class.h"
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
      {"gpt2", "gelu_new", "mish", "activation"},
      {"gpt2", "\"n_layer\"", "\"quantization_config\": {}, \"n_layer\"", "quantised"},
      {"gpt2", "\"n_layer\"", "\"scale_attn_by_inverse_layer_idx\": true, \"use_qk_norm\": true, \"n_layer\"",
       "use_qk_norm"},
      {"llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 5", "do not divide"},
      {"llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3", "k_proj"},
      {"llama3", "\"llama3\"", "\"longrope\"", "short_factor"},
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
  const Network other(model.path());
  CHECK_FALSE(other.tokenizer());
  REQUIRE(other.tokenizer_error());
  CHECK(std::string(other.tokenizer_error()->what()).find("ids go up to") != std::string::npos);
  CHECK_THROWS_AS(other.encode("key"), Error);
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
  CHECK(llama.encode("").size() == 1);  // the token that the template adds
}

TEST_CASE("network faults: the family is judged before files that are missing") {
  for (const std::string family : {"gpt2", "llama", "bert"}) {
    const ModelCopy model(family);
    model.remove("model.safetensors");
    model.write("pytorch_model.bin", "x");
    const std::string told = refusal(model);
    INFO(told);
    const std::string saving = family == "bert" ? "AutoModelForMaskedLM" : "AutoModelForCausalLM";
    CHECK(told.find(saving + ".from_pretrained") != std::string::npos);
    CHECK(told.find("pickled") != std::string::npos);
    model.replace("config.json", "\"" + family + "\"", "\"mamba\"");
    const std::string unknown = refusal(model);
    CHECK(unknown.find("\"mamba\" are not known here") != std::string::npos);
    CHECK(unknown.find(saving + ".from_pretrained") != std::string::npos);
  }
  const ModelCopy whole("gpt2");
  whole.replace("config.json", "\"gpt2\"", "\"mamba\"");
  CHECK(refusal(whole).find("from_pretrained") == std::string::npos);
}

TEST_CASE("network faults: the class that saves a model is told by its architectures, else by its family") {
  const auto of = [](const std::string& architecture, const std::string& type) {
    return saving_class(R"({"architectures": [")" + architecture + R"("], "model_type": ")" + type + "\"}");
  };
  CHECK(of("GPT2LMHeadModel", "gpt2") == "AutoModelForCausalLM");
  CHECK(of("LlamaModel", "llama") == "AutoModel");
  CHECK(of("BertForSequenceClassification", "bert") == "AutoModelForSequenceClassification");
  CHECK(of("T5ForConditionalGeneration", "t5") == "AutoModelForSeq2SeqLM");
  CHECK(saving_class(R"({"model_type": "distilbert"})") == "AutoModelForMaskedLM");
  CHECK(saving_class(R"({"model_type": "qwen3"})") == "AutoModelForCausalLM");
  CHECK(saving_class("{") == "AutoModel");
  CHECK(saving_class("[]") == "AutoModel");
}

TEST_CASE("network faults: a tokenizer that cannot be read leaves ids, and says why there are no texts") {
  const ModelCopy model("gpt2");
  for (const std::string broken :
       {"{", R"({"model": {"type": "Strange"}})", "version https://git-lfs.github.com/spec/v1"}) {
    model.write("tokenizer.json", broken);
    const Network network(model.path());
    CHECK_FALSE(network.tokenizer());
    REQUIRE(network.notes().size() == 1);
    CHECK(network.notes().front().find("tokenizer.json") != std::string::npos);
    network.require_ids({1, 2, 3});
    CHECK(network.label(7) == "7");
    try {
      network.encode("key");
      FAIL("a text was cut by a tokenizer that cannot be read");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("give ids") != std::string::npos);
    }
  }
}

TEST_CASE("network faults: tensors that are left out are told") {
  const ModelCopy model("gpt2");
  model.replace("config.json", "\"n_layer\": 3", "\"n_layer\": 2");
  const Network network(model.path());
  REQUIRE(network.notes().size() == 1);
  CHECK(network.notes().front().find("h.2.") != std::string::npos);
}

TEST_CASE("network faults: a Git LFS checkout without its files says how to fetch them") {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
  for (const char* name : {"model.safetensors", "config.json"}) {
    const ModelCopy model("gpt2");
    model.write(name, pointer);
    INFO(name << ": " << refusal(model));
    CHECK(refusal(model).find(std::string(name) + ": this is a Git LFS pointer") != std::string::npos);
    CHECK(refusal(model).find("git lfs pull") != std::string::npos);
  }
  const ModelCopy shards("llama3");
  shards.write("model-00002-of-00002.safetensors", pointer);
  CHECK(refusal(shards).find("model-00002-of-00002.safetensors: this is a Git LFS pointer") !=
        std::string::npos);
  const ModelCopy words("gpt2");
  words.write("tokenizer.json", pointer);
  const Network network(words.path());
  REQUIRE(network.tokenizer_error() != nullptr);
  CHECK(std::string(network.tokenizer_error()->what()).find("git lfs pull") != std::string::npos);
}
