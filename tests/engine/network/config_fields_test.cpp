// Every member of a config.json changes the result, is reported as not read, or is rejected.
#include "engine/network/config_fields.h"

#include <cmath>
#include <functional>
#include <set>

#include "engine/core/error.h"
#include "engine/network/norms.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/model_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct FamilyCase {
  Family family;
  std::string folder;  // below tests/golden
};
const std::vector<FamilyCase> kCases = {
    {Family::Gpt2, "models/gpt2"},     {Family::GptNeoX, "models/gpt_neox"},
    {Family::Llama, "models/llama"},   {Family::Mistral, "models/mistral"},
    {Family::Qwen2, "models/qwen2"},   {Family::Qwen3, "models/qwen3"},
    {Family::Gemma2, "models/gemma2"}, {Family::Bert, "library/bert_decoder"}};

const std::vector<std::int32_t> kIds = {5, 17, 2, 40, 17, 9, 63, 1};

// A copy of a model folder with the same weights and a varying config.json.
class TriedFolder {
 public:
  explicit TriedFolder(const std::string& folder) {
    const std::string from = HEADLIGHT_SOURCE_DIR "/tests/golden/" + folder;
    for (const auto& entry : std::filesystem::directory_iterator(from))
      if (entry.path().string().ends_with("safetensors"))
        std::filesystem::copy_file(entry.path(), folder_.path() / entry.path().filename());
    std::ifstream file(from + "/config.json");
    config = Json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
  }

  struct Outcome {
    std::string refusal, notes;
    Matrix stream, logits;

    bool same_numbers(const Outcome& other) const {
      const bool both = (logits.size() == 0) == (other.logits.size() == 0);
      return both && largest_difference(stream, other.stream) < kRounding &&
             (logits.size() == 0 || largest_difference(logits, other.logits) < kRounding);
    }
  };
  Outcome computed(const Json& with) const {
    folder_.write("config.json", with.dump());
    Outcome outcome;
    try {
      NetworkPass pass(std::make_shared<const Network>(folder_.path()));
      pass.set_ids(kIds);
      outcome.stream = pass.residual(pass.network().config().layers);
      if (pass.network().predicts()) outcome.logits = pass.logits(0, pass.token_count());
      for (const std::string& note : pass.network().notes())
        outcome.notes += note + "\n";
    } catch (const Error& error) {
      outcome.refusal = error.what();
    }
    return outcome;
  }
  Json with(const std::string& members) const {
    Json changed = config;
    changed.update(Json::parse(members));
    return changed;
  }

  Json config;

 private:
  TemporaryFolder folder_;
};

// Another value of a member, and the other members with which it has an effect.
struct Trial {
  std::string name, value, beside = "{}";
};
const std::vector<Trial> kTrials = {
    {"vocab_size", "7"},
    {"n_embd", "64"},
    {"hidden_size", "64"},
    {"n_layer", "1"},
    {"num_hidden_layers", "1"},
    {"n_head", "2"},
    {"num_attention_heads", "2"},
    {"n_positions", "4"},
    {"max_position_embeddings", "4"},
    {"n_inner", "7"},
    {"intermediate_size", "7"},
    {"layer_norm_epsilon", "0.5"},
    {"layer_norm_eps", "0.5"},
    {"rms_norm_eps", "0.5"},
    {"activation_function", R"("silu")"},
    {"hidden_act", R"("gelu_new")"},
    {"hidden_activation", R"("silu")"},
    {"tie_word_embeddings", "true", R"({"tie_word_embeddings": false})"},
    {"scale_attn_weights", "false"},
    {"scale_attn_by_inverse_layer_idx", "true"},
    {"use_parallel_residual", "false"},
    {"attention_bias", "true", R"({"attention_bias": false})"},
    {"mlp_bias", "true"},
    {"rotary_pct", "0.5"},
    {"partial_rotary_factor", "0.5"},
    {"rotary_emb_base", "500", R"({"rotary_pct": 0.5})"},
    {"rope_theta", "500"},
    {"rope_scaling", R"({"rope_type": "linear", "factor": 4})"},
    {"rope_parameters", R"({"rope_type": "linear", "factor": 4})"},
    {"original_max_position_embeddings", "5", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 2}})"},
    {"num_key_value_heads", "1"},
    {"head_dim", "2"},
    {"use_sliding_window", "true", R"({"sliding_window": 2, "max_window_layers": 0})"},
    {"sliding_window", "2", R"({"use_sliding_window": true, "max_window_layers": 0})"},
    {"max_window_layers", "0", R"({"use_sliding_window": true, "sliding_window": 2})"},
    {"layer_types", R"(["full_attention", "sliding_attention", "sliding_attention"])",
     R"({"use_sliding_window": true, "sliding_window": 2})"},
    {"query_pre_attn_scalar", "2"},
    {"final_logit_softcapping", "0.5"},
    {"attn_logit_softcapping", "0.5"},
    {"type_vocab_size", "1"},
    {"is_decoder", "false"}};

const Trial* trial_of(std::string_view name) {
  for (const Trial& trial : kTrials)
    if (trial.name == name) return &trial;
  return nullptr;
}

bool is_known(Family family, const std::string& name) {
  for (const ConfigField& field : fields_read(family))
    if (field.name == name || field.also == name) return true;
  for (const ConfigLimit& limit : fields_limited(family))
    if (limit.name == name) return true;
  return is_idle_field(name);
}

// Members that contradict each other, and a text that the message contains.
const std::vector<std::pair<std::string, std::string>> kTold = {
    {R"({"model_type": "gpt_neox", "rotary_pct": 0.5, "rope_parameters": {"partial_rotary_factor": 0.25}})",
     "rotary_pct"},
    {R"({"model_type": "gpt_neox", "partial_rotary_factor": 0.5})", "partial_rotary_factor"},
    {R"({"model_type": "gpt_neox", "rotary_emb_base": 10000, "rope_theta": 500})", "rope_theta"},
    {R"({"model_type": "llama", "rope_theta": 500, "rope_parameters": {"rope_theta": 10000}})", "rope_theta"},
    {R"({"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2},
         "rope_parameters": {"rope_type": "linear", "factor": 4}})",
     "rope_scaling"},
    {R"({"model_type": "llama", "rope_scaling": {"type": "linear", "rope_type": "dynamic", "factor": 2}})",
     "rope_type"},
    {R"({"model_type": "llama", "rope_scaling": {"factor": 2}})", "rope_type"},
    {R"({"model_type": "llama", "rope_scaling": {"type": "linear"}})", "factor"},
    {R"({"model_type": "llama", "rope_scaling": {"type": "longrope", "factor": 2}})", "longrope"},
    {R"({"model_type": "llama", "max_position_embeddings": 64,
         "rope_scaling": {"type": "yarn", "factor": 2, "original_max_position_embeddings": 16}})",
     "yarn"},
    {R"({"model_type": "llama", "max_position_embeddings": 64,
         "rope_scaling": {"type": "dynamic", "factor": 2, "original_max_position_embeddings": 16}})",
     "original_max_position_embeddings"},
    {R"({"model_type": "llama", "rope_parameters": {"full_attention": {"rope_theta": 5},
                                                    "sliding_attention": {"rope_theta": 6}}})",
     "rope_parameters"},
    {R"({"model_type": "llama", "rope_theta": 1, "rope_scaling": {"type": "yarn", "factor": 2}})",
     "rope_theta"},
    {R"({"model_type": "llama", "rope_parameters": {"partial_rotary_factor": 0.5}})",
     "partial_rotary_factor"},
    {R"({"model_type": "gemma2", "sliding_window": null})", "sliding_window"},
    {R"({"model_type": "qwen2", "layer_types": ["full_attention", "sliding_attention", "full_attention",
                                                 "full_attention"]})",
     "sliding_window"},
    {R"({"model_type": "qwen2", "layer_types": ["full_attention"]})", "layer_types"},
    {R"({"model_type": "qwen2", "layer_types": ["full_attention", "chunked_attention", "full_attention",
                                                 "full_attention"]})",
     "chunked_attention"},
    {R"({"model_type": "bert", "hidden_act": null})", "hidden_act"}};

NetworkConfig parsed(const std::string& members) {
  Json config = Json::parse(R"({"vocab_size": 10, "hidden_size": 1024, "num_hidden_layers": 4,
                                "num_attention_heads": 32, "intermediate_size": 8})");
  config.update(Json::parse(members));
  return parse_network_config(config.dump());
}

}  // namespace

TEST_CASE("config fields: whatever a family reads changes its numbers, or is refused") {
  for (const FamilyCase& one : kCases) {
    const TriedFolder folder(one.folder);
    for (const ConfigField& field : fields_read(one.family)) {
      INFO(family_name(one.family) << " " << field.name);
      const Trial* trial = trial_of(field.name);
      REQUIRE(trial);
      const Json base = folder.with(trial->beside);
      Json changed = base;
      changed[trial->name] = Json::parse(trial->value);
      if (changed == base) continue;
      const TriedFolder::Outcome before = folder.computed(base), after = folder.computed(changed);
      INFO(before.refusal << "\n" << after.refusal);
      if (!before.refusal.empty()) CHECK(after.refusal != before.refusal);
      if (before.refusal.empty() && after.refusal.empty()) CHECK_FALSE(after.same_numbers(before));
      CHECK(after.notes.find("\"" + trial->name + "\"") == std::string::npos);
    }
  }
}

TEST_CASE("config fields: what asks for another computation is refused by name") {
  for (const FamilyCase& one : kCases) {
    const TriedFolder folder(one.folder);
    REQUIRE(folder.computed(folder.config).refusal.empty());
    for (const ConfigLimit& limit : fields_limited(one.family)) {
      const std::string name(limit.name);
      INFO(family_name(one.family) << " " << name);
      CHECK(folder.computed(folder.with("{\"" + name + "\": 0.5}")).refusal.find(name) != std::string::npos);
      for (const std::string_view only : limit.only)
        CHECK(folder.computed(folder.with("{\"" + name + "\": " + std::string(only) + "}")).refusal.empty());
    }
  }
}

TEST_CASE("config fields: what a family does not read is told, and changes nothing") {
  std::set<std::string> names = {"a_new_setting", "attention_sinks"};
  for (const Trial& trial : kTrials)
    names.insert(trial.name);
  for (const FamilyCase& one : kCases) {
    const TriedFolder folder(one.folder);
    const TriedFolder::Outcome plain = folder.computed(folder.config);
    for (const std::string& name : names) {
      if (is_known(one.family, name)) continue;
      INFO(family_name(one.family) << " " << name);
      const Trial* trial = trial_of(name);
      const auto told =
          folder.computed(folder.with("{\"" + name + "\": " + (trial ? trial->value : "3") + "}"));
      CHECK(told.refusal.empty());
      CHECK(told.notes.find("\"" + name + "\"") != std::string::npos);
      CHECK(told.same_numbers(plain));
    }
    for (const std::string name : {"torch_dtype", "attn_pdrop", "use_cache", "architectures"}) {
      const auto idle = folder.computed(folder.with("{\"" + name + "\": 0}"));
      CHECK(idle.notes == plain.notes);
      CHECK(idle.same_numbers(plain));
    }
  }
}

TEST_CASE("config fields: what is missing is as the library takes it") {
  const NetworkConfig gemma = parsed(R"({"model_type": "gemma2"})");
  CHECK(gemma.softcap == 50);
  CHECK(gemma.final_softcap == 30);
  CHECK(gemma.scale == Scale{ScaleKind::Number, 1.0 / 16});
  CHECK(gemma.head_width == 256);
  CHECK(gemma.windows[0] == 4096);
  CHECK_FALSE(gemma.windows[1]);
  CHECK(gemma.tied);
  const NetworkConfig open = parsed(R"({"model_type": "gemma2", "attn_logit_softcapping": null})");
  CHECK(open.softcap == 0);
  CHECK(parsed(R"({"model_type": "mistral"})").kv_heads == 8);
  CHECK(parsed(R"({"model_type": "mistral", "num_key_value_heads": null})").kv_heads == 32);
  CHECK(parsed(R"({"model_type": "mistral"})").windows[3] == 4096);
  CHECK_FALSE(parsed(R"({"model_type": "mistral", "sliding_window": null})").windows[0]);
  CHECK(parsed(R"({"model_type": "qwen3", "hidden_size": 32})").head_width == 128);
  for (const std::string qwen : {"qwen2", "qwen3"}) {
    CHECK_FALSE(
        parsed(R"({"sliding_window": 4, "max_window_layers": 0, "model_type": ")" + qwen + "\"}").windows[0]);
    const NetworkConfig slides =
        parsed(R"({"use_sliding_window": true, "max_window_layers": 1, "model_type": ")" + qwen + "\"}");
    CHECK_FALSE(slides.windows[0]);
    CHECK(slides.windows[1] == 4096);
  }
  CHECK(parsed(R"({"model_type": "gpt_neox"})").position.dims == 8);
  CHECK(parsed(R"({"model_type": "llama"})").position.theta == 10000);
}

TEST_CASE("config fields: two members that stand for the same must agree") {
  const auto refusal = [](const std::string& members) {
    try {
      parsed(members);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  for (const auto& [members, told] : kTold) {
    INFO(members << "\n" << refusal(members));
    CHECK(refusal(members).find(told) != std::string::npos);
  }
  const Json gpt2 =
      Json::parse(R"({"model_type": "gpt2", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 2,
                                    "num_attention_heads": 2})");
  CHECK(parse_network_config(gpt2.dump()).width == 8);
  Json both = gpt2;
  both["n_embd"] = 16;
  CHECK_THROWS_AS(parse_network_config(both.dump()), Error);
}

TEST_CASE("config fields: members of rope_scaling that its kind does not use are told") {
  const NetworkConfig config = parsed(
      R"({"model_type": "llama", "rope_scaling": {"rope_type": "linear", "factor": 4, "beta_fast": 3}})");
  CHECK(config.position.scaling == RotaryScaling::linear(4));
  REQUIRE(config.notes.size() == 1);
  CHECK(config.notes.front().find("rope_scaling.beta_fast") != std::string::npos);
  const NetworkConfig typed = parsed(
      R"({"model_type": "llama", "rope_parameters": {"full_attention": {"rope_theta": 5},
                                                     "sliding_attention": {"rope_theta": 5}}})");
  CHECK(typed.position.theta == 5);
}

TEST_CASE("config fields: activations are those of the library by their names") {
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto tanh_gelu = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
  };
  const auto gelu = [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); };
  const auto silu = [&](double x) { return x * logistic(x); };
  const auto relu = [](double x) { return x > 0 ? x : 0; };
  const std::vector<std::pair<std::string, std::function<double(double)>>> kKnown = {
      {"gelu", gelu},           {"gelu_python", gelu},
      {"gelu_new", tanh_gelu},  {"gelu_pytorch_tanh", tanh_gelu},
      {"gelu_fast", tanh_gelu}, {"quick_gelu", [&](double x) { return x * logistic(1.702 * x); }},
      {"silu", silu},           {"swish", silu},
      {"relu", relu},           {"relu2", [&](double x) { return relu(x) * relu(x); }}};
  for (const auto& [name, function] : kKnown) {
    INFO(name);
    const NetworkConfig config = parsed(R"({"model_type": "llama", "hidden_act": ")" + name + "\"}");
    Matrix x(1, 41);
    for (Index i = 0; i < x.cols(); ++i)
      x(0, i) = static_cast<float>(i - 20) / 4;
    const Matrix before = x;
    Workspace workspace;
    activate(config.activation, x, workspace);
    for (Index i = 0; i < x.cols(); ++i)
      CHECK(std::abs(static_cast<double>(x(0, i)) - function(static_cast<double>(before(0, i)))) < 5e-5);
  }
}
