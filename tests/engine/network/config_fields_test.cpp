// Every member of a config.json changes the result, is reported as not read, or is rejected.
#include "engine/architecture/config_fields.h"

#include <cmath>
#include <functional>
#include <set>

#include "engine/core/error.h"
#include "engine/network/known_families.h"
#include "engine/network/norms.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::vector<std::int32_t> kIds = {5, 17, 2, 40, 17, 9, 63, 1};

// A copy of a model folder with the same weights and a varying config.json.
class TriedFolder {
 public:
  explicit TriedFolder(const std::string& name) {
    const std::string from = source_root() + "/tests/golden/library/" + name;
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
    std::filesystem::remove(folder_ /
                            "config.json");  // ext4 flushes a file that is cut off to be written anew
    folder_.write("config.json", with.dump());
    Outcome outcome;
    try {
      const auto network = std::make_shared<const Network>(folder_.path());
      NetworkPass pass(network);
      begin(pass);
      outcome.stream = pass.residual(pass.network().config().layers);
      if (pass.network().predicts())
        outcome.logits = pass.logits(0, network->reads_images() ? 1 : pass.token_count());
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
  // Gives a pass the input that its model takes.
  static void begin(NetworkPass& pass) {
    const Network& network = pass.network();
    if (network.reads_images()) {
      const ImageShape& image = network.config().image;
      Matrix pixels(image.channels, image.height * image.width);
      for (Index i = 0; i < pixels.size(); ++i)
        pixels.data()[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
      return pass.set_image(pixels);
    }
    pass.set_ids(kIds);
    if (!network.encoder()) return;
    pass.encoder()->set_ids({kIds.rbegin(), kIds.rend()});
    pass.follow_encoder();
  }

  TemporaryFolder folder_;
};

// Another value of a member, and the other members with which it has an effect. A name may begin with the
// family that it is for.
struct Trial {
  std::string name, value, beside = "{}";
};
const std::vector<Trial> kTrials = {
    {"vocab_size", "7"},
    {"n_embd", "64"},
    {"hidden_size", "64"},
    {"d_model", "64"},
    {"dim", "64"},
    {"n_layer", "1"},
    {"n_layers", "1"},
    {"num_layers", "1"},
    {"gpt_neo/num_layers", "2", R"({"attention_types": [[["global", "local"], 1]], "num_layers": 4})"},
    {"num_hidden_layers", "1"},
    {"num_decoder_layers", "1"},
    {"n_head", "2"},
    {"n_heads", "2"},
    {"num_heads", "2"},
    {"num_attention_heads", "2"},
    {"n_positions", "4"},
    {"max_position_embeddings", "4"},
    {"max_seq_len", "4"},
    {"n_inner", "7"},
    {"intermediate_size", "7"},
    {"qwen3_moe/intermediate_size", "0"},
    {"hidden_dim", "7"},
    {"ffn_dim", "7"},
    {"ffn_hidden_size", "7"},
    {"d_ff", "7"},
    {"d_kv", "4"},
    {"layer_norm_epsilon", "0.5"},
    {"layer_norm_eps", "0.5"},
    {"rms_norm_eps", "0.5"},
    {"norm_eps", "0.5"},
    {"norm_epsilon", "0.5"},
    {"norm_bias", "true"},
    {"activation_function", R"("silu")"},
    {"activation", R"("silu")"},
    {"hidden_act", R"("gelu_new")"},
    {"albert/hidden_act", R"("silu")"},
    {"phi/hidden_act", R"("silu")"},
    {"gemma/hidden_act", R"("silu")"},
    {"starcoder2/hidden_act", R"("silu")"},
    {"hidden_activation", R"("silu")"},
    {"classifier_activation", R"("silu")"},
    {"classifier_bias", "true"},
    {"decoder_bias", "false"},
    {"tie_word_embeddings", "true", R"({"tie_word_embeddings": false})"},
    {"scale_attn_weights", "false"},
    {"scale_attn_by_inverse_layer_idx", "true"},
    {"use_parallel_residual", "false", R"({"use_parallel_residual": true})"},
    {"attention_bias", "true", R"({"attention_bias": false})"},
    {"qkv_bias", "false"},
    {"use_qkv_bias", "true"},
    {"use_bias", "false"},
    {"enable_bias", "false"},
    {"bias", "true"},
    {"mlp_bias", "true"},
    {"rotary_pct", "0.25"},
    {"partial_rotary_factor", "0.25"},
    {"gpt_neox/partial_rotary_factor", "0.25"},
    {"rotary_emb_base", "500"},
    {"rotary_dim", "2"},
    {"rope_theta", "500"},
    {"rope_scaling", R"({"rope_type": "linear", "factor": 4})"},
    {"rope_parameters", R"({"rope_type": "linear", "factor": 4})"},
    {"original_max_position_embeddings", "5", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 2}})"},
    {"rope_local_base_freq", "500"},
    {"global_rope_theta", "500"},
    {"local_rope_theta", "500"},
    {"num_key_value_heads", "1"},
    {"gemma/num_key_value_heads", "2"},
    {"num_kv_heads", "1",
     R"({"new_decoder_architecture": true, "num_kv_heads": 2, "num_ln_in_parallel_attn": 1})"},
    {"head_dim", "2"},
    {"use_sliding_window", "true", R"({"sliding_window": 2, "max_window_layers": 0, "layer_types": null})"},
    {"sliding_window", "2", R"({"use_sliding_window": true, "max_window_layers": 0, "layer_types": null})"},
    {"max_window_layers", "0", R"({"use_sliding_window": true, "sliding_window": 2, "layer_types": null})"},
    {"layer_types", R"(["full_attention", "sliding_attention"])",
     R"({"use_sliding_window": true, "sliding_window": 2})"},
    {"smollm3/layer_types",
     R"(["full_attention", "sliding_attention", "sliding_attention", "full_attention"])",
     R"({"use_sliding_window": true, "sliding_window": 2})"},
    {"gemma3_text/layer_types",
     R"(["full_attention", "full_attention", "full_attention", "full_attention", "full_attention",
         "full_attention"])"},
    {"sliding_window_pattern", "2", R"({"layer_types": null, "_sliding_window_pattern": 2,
                                        "sliding_window_pattern": 2})"},
    {"window_size", "2"},
    {"attention_types", R"([[["global"], 4]])"},
    {"local_attention", "2"},
    {"global_attn_every_n_layers", "2"},
    {"no_rope_layers", "[1, 0, 1, 1]"},
    {"no_rope_layer_interval", "2", R"({"no_rope_layers": null})"},
    {"query_pre_attn_scalar", "2"},
    {"final_logit_softcapping", "0.5"},
    {"attn_logit_softcapping", "0.5"},
    {"attention_multiplier", "2"},
    {"embedding_multiplier", "2"},
    {"residual_multiplier", "2"},
    {"logits_scaling", "2"},
    {"logit_scale", "2"},
    {"clip_qkv", "0.5"},
    {"attn_config", R"({"clip_qkv": 0.5})"},
    {"use_qk_norm", "true"},
    {"qk_layernorm", "true"},
    {"apply_residual_connection_post_layernorm", "true"},
    {"alibi", "true"},
    {"multi_query", "false"},
    {"new_decoder_architecture", "true"},
    {"parallel_attn", "false"},
    {"num_ln_in_parallel_attn", "2"},
    {"do_layer_norm_before", "false"},
    {"layer_norm_elementwise_affine", "false"},
    {"_remove_final_layer_norm", "true"},
    {"word_embed_proj_dim", "8"},
    {"embedding_size", "8"},
    {"num_hidden_groups", "3"},
    {"inner_group_num", "2"},
    {"type_vocab_size", "3"},
    {"is_decoder", "true", R"({"is_decoder": false})"},
    {"pad_token_id", "4"},
    {"num_local_experts", "3"},
    {"num_experts", "3"},
    {"num_experts_per_tok", "1"},
    {"moe_intermediate_size", "8"},
    {"norm_topk_prob", "false"},
    {"decoder_sparse_step", "2"},
    {"mlp_only_layers", "[1]"},
    {"feed_forward_proj", R"("gated-gelu")"},
    {"relative_attention_num_buckets", "4"},
    {"relative_attention_max_distance", "5"},
    {"is_encoder_decoder", "false"},
    {"scale_embedding", "true"},
    {"encoder_layers", "1"},
    {"encoder_attention_heads", "2"},
    {"encoder_ffn_dim", "7"},
    {"decoder_layers", "1"},
    {"decoder_attention_heads", "2"},
    {"decoder_ffn_dim", "7"},
    {"image_size", "16"},
    {"patch_size", "4"},
    {"num_channels", "1"},
    {"id2label", R"({"0": "a", "1": "b"})"},
    {"num_labels", "3", R"({"id2label": null})"}};

const Trial* trial_of(const Family& family, std::string_view name) {
  const std::string own = std::string(family.name) + "/" + std::string(name);
  for (const std::string& wanted : {own, std::string(name)})
    for (const Trial& trial : kTrials)
      if (trial.name == wanted) return &trial;
  return nullptr;
}

bool is_known(const Family& family, const std::string& name) {
  for (const ConfigField& field : family.fields)
    if (field.name == name || field.also == name) return true;
  for (const ConfigLimit& limit : fields_limited(family))
    if (limit.name == name) return true;
  return is_idle_field(family, name);
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
    {R"({"model_type": "llama", "rope_scaling": {"type": "longrope", "factor": 2}})", "short_factor"},
    {R"({"model_type": "llama", "rope_scaling": {"type": "ntk", "factor": 2}})", "ntk"},
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
    {R"({"model_type": "bert", "hidden_act": null})", "hidden_act"},
    {R"({"model_type": "gpt_neo", "attention_types": [[["global"], 3]]})", "attention_types"},
    {R"({"model_type": "gpt_neo", "attention_types": [[["near"], 4]]})", "\"near\""},
    {R"({"model_type": "gpt_neo", "attention_types": 3})", "attention_types"},
    {R"({"model_type": "smollm3", "no_rope_layers": [1, 0]})", "no_rope_layers"},
    {R"({"model_type": "smollm3", "no_rope_layers": [1, 0, 2, 1]})", "no_rope_layers"},
    {R"({"model_type": "qwen3_moe", "mlp_only_layers": 3})", "mlp_only_layers"},
    {R"({"model_type": "qwen3_moe", "num_experts": 4})", "num_experts_per_tok"},
    {R"({"model_type": "mixtral", "num_local_experts": 0})", "num_local_experts"},
    {R"({"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3})", "num_experts_per_tok"},
    {R"({"model_type": "gpt_oss", "num_experts_per_tok": 200})", "num_experts_per_tok"},
    {R"({"model_type": "gpt_oss", "swiglu_limit": 5})", "swiglu_limit"},
    {R"({"model_type": "phi3",
         "rope_scaling": {"type": "longrope", "short_factor": [1], "long_factor": [1]}})",
     "short_factor"},
    {R"({"model_type": "gemma", "hidden_act": "gelu", "hidden_activation": "silu"})", "hidden_activation"},
    {R"({"model_type": "gemma3_text", "rope_parameters": {"full_attention": {"rope_theta": 5}}})",
     "sliding_attention"},
    {R"({"model_type": "gptj", "rotary_dim": 3})", "turned"},
    {R"({"model_type": "gptj", "rotary_dim": 40})", "turned"},
    {R"({"model_type": "codegen", "num_attention_heads": 2, "rotary_dim": 4})", "n_head"},
    {R"({"model_type": "phi", "partial_rotary_factor": 1.5})", "partial_rotary_factor"},
    {R"({"model_type": "roberta", "max_position_embeddings": 8, "pad_token_id": 9})", "rows of positions"},
    {R"({"model_type": "falcon", "new_decoder_architecture": true, "parallel_attn": false})",
     "parallel_attn"},
    {R"({"model_type": "falcon", "num_ln_in_parallel_attn": 2})", "num_ln_in_parallel_attn"},
    {R"({"model_type": "mpt", "attn_config": {"qk_ln": true}})", "qk_ln"},
    {R"({"model_type": "mpt", "attn_config": 3})", "attn_config"},
    {R"({"model_type": "albert", "num_hidden_groups": 7})", "num_hidden_groups"},
    {R"({"model_type": "t5", "d_ff": 4,
         "relative_attention_num_buckets": 2})",
     "relative_attention_num_buckets"},
    {R"({"model_type": "t5", "d_ff": 4,
         "feed_forward_proj": "gated-mish"})",
     "feed_forward_proj"},
    {R"({"model_type": "t5", "d_ff": 4,
         "is_encoder_decoder": false})",
     "is_encoder_decoder"},
    {R"({"model_type": "vit", "image_size": 8, "patch_size": 16})", "patch_size"},
    {R"({"model_type": "vit", "image_size": [8, 8, 8]})", "image_size"},
    {R"({"model_type": "vit", "image_size": 16384, "patch_size": 1})", "tokens"}};

NetworkConfig parsed(const std::string& members) {
  Json config = Json::parse(R"({"vocab_size": 10, "hidden_size": 1024, "num_hidden_layers": 4,
                                "num_attention_heads": 32, "intermediate_size": 8})");
  config.update(Json::parse(members));
  return parse_network_config(config.dump());
}

}  // namespace

TEST_CASE("config fields: whatever a family reads changes its numbers, or is refused") {
  for (const Family* one : known_families()) {
    const TriedFolder folder(std::string(one->name));
    for (const ConfigField& field : one->fields) {
      INFO(one->name << " " << field.name);
      const Trial* trial = trial_of(*one, field.name);
      REQUIRE(trial);
      const Json base = folder.with(trial->beside);
      Json changed = base;
      changed[std::string(field.name)] = Json::parse(trial->value);
      if (changed == base) continue;
      const TriedFolder::Outcome before = folder.computed(base), after = folder.computed(changed);
      INFO(before.refusal << "\n" << after.refusal);
      if (!before.refusal.empty()) CHECK(after.refusal != before.refusal);
      if (before.refusal.empty() && after.refusal.empty()) CHECK_FALSE(after.same_numbers(before));
      CHECK(after.notes.find("\"" + std::string(field.name) + "\"") == std::string::npos);
    }
  }
}

TEST_CASE("config fields: what asks for another computation is refused by name") {
  for (const Family* one : known_families()) {
    const TriedFolder folder(std::string(one->name));
    REQUIRE(folder.computed(folder.config).refusal.empty());
    for (const ConfigLimit& limit : fields_limited(*one)) {
      const std::string name(limit.name);
      INFO(one->name << " " << name);
      CHECK(folder.computed(folder.with("{\"" + name + "\": 0.5}")).refusal.find(name) != std::string::npos);
      for (const std::string_view only : limit.only)
        CHECK(folder.computed(folder.with("{\"" + name + "\": " + std::string(only) + "}")).refusal.empty());
    }
  }
}

TEST_CASE("config fields: what a family does not read is told, and changes nothing") {
  std::set<std::string> names = {"a_new_setting", "attention_sinks"};
  for (const Trial& trial : kTrials)
    if (trial.name.find('/') == std::string::npos) names.insert(trial.name);
  for (const Family* one : known_families()) {
    const TriedFolder folder(std::string(one->name));
    const TriedFolder::Outcome plain = folder.computed(folder.config);
    for (const std::string& name : names) {
      if (is_known(*one, name)) continue;
      INFO(one->name << " " << name);
      const Trial* trial = trial_of(*one, name);
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
