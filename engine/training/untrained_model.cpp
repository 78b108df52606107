#include "engine/training/untrained_model.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/torch_stream.h"
#include "engine/json/json_document.h"
#include "engine/network/known_families.h"
#include "engine/tokenizers/learned_tokenizer.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class UntrainedTensors {
 public:
  UntrainedTensors(std::int64_t seed, double deviation) : stream_(seed), deviation_(deviation) {}

  // share: of the deviation.
  void draw(const std::string& name, Index rows, Index columns, double share = 1) {
    Matrix& numbers = add(name, {rows, columns}, rows, columns);
    fill_normal(stream_, static_cast<float>(deviation_ * share), numbers.data(),
                static_cast<std::size_t>(numbers.size()));
  }
  void row(const std::string& name, Index count, float number) {
    add(name, {count}, 1, count).setConstant(number);
  }
  void layer(const std::string& name, Index inputs, Index outputs, double share = 1) {
    draw(name + ".weight", inputs, outputs, share);
    row(name + ".bias", outputs, 0);
  }
  void norm(const std::string& name, Index width) {
    row(name + ".weight", width, 1);
    row(name + ".bias", width, 0);
  }
  std::vector<WeightTensor> take() { return std::move(tensors_); }

 private:
  Matrix& add(const std::string& name, std::vector<Index> shape, Index rows, Index columns) {
    return tensors_.emplace_back(WeightTensor{name, std::move(shape), Matrix(rows, columns)}).numbers;
  }

  TorchStream stream_;
  double deviation_;
  std::vector<WeightTensor> tensors_;
};

std::vector<std::string> texts_of(const std::vector<fs::path>& files) {
  constexpr std::uint64_t kMostText = std::uint64_t{1} << 24;  // what the tokenizer's steps take
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    require_file(file, kMostText);
    texts.push_back(read_text_file(file));
  }
  return texts;
}

LearnedTokenizer tokenizer_in(const fs::path& file) {
  constexpr std::uint64_t kMostTokenizer = std::uint64_t{1} << 28;
  require_file(file, kMostTokenizer);
  LearnedTokenizer read{read_file(file)};
  const Tokenizer tokenizer = Tokenizer::parse(read.json, file.string());
  read.size = tokenizer.size();
  if (read.size == 0)
    throw Error("the tokenizer has no tokens", file.string(), "give the tokenizer.json of a model");
  for (std::int32_t id = 0; id < read.size; ++id)
    if (tokenizer.is_special(id)) read.end = id;
  return read;
}

LearnedTokenizer tokenizer_for(const UntrainedModel& requested) {
  if (!requested.tokenizer.empty()) return tokenizer_in(requested.tokenizer);
  const std::int32_t most = requested.shape.vocabulary;
  const std::vector<std::string> texts = texts_of(requested.texts);
  return requested.whole_words ? learn_words(texts, most) : learn_byte_pairs(texts, most);
}

}  // namespace

std::string untrained_config(const UntrainedShape& shape) {
  if (shape.family != "gpt2")
    throw Error("untrained models of the family " + shape.family + " cannot be made here", "--family",
                "take gpt2");
  const Json config = {{"model_type", "gpt2"},
                       {"architectures", {"GPT2LMHeadModel"}},
                       {"n_embd", shape.width},
                       {"n_layer", shape.layers},
                       {"n_head", shape.heads},
                       {"n_positions", shape.positions},
                       {"n_ctx", shape.positions},
                       {"vocab_size", shape.vocabulary},
                       {"layer_norm_epsilon", 1e-5},
                       {"activation_function", "gelu_new"},
                       {"initializer_range", shape.deviation},
                       {"tie_word_embeddings", true},
                       {"bos_token_id", shape.end},
                       {"eos_token_id", shape.end},
                       {"torch_dtype", "float32"}};
  std::string text = config.dump(2) + "\n";
  parse_network_config(text);
  return text;
}

double untrained_number_count(const NetworkConfig& c) {
  const auto d = static_cast<double>(c.width), mlp = static_cast<double>(c.mlp_width);
  const double norm = 2 * d, attention = 4 * d * d + 4 * d, both = 2 * d * mlp + mlp + d;
  return static_cast<double>(c.vocabulary + c.positions) * d +
         static_cast<double>(c.layers) * (2 * norm + attention + both) + norm;
}

std::unique_ptr<TrainedWeights> untrained_weights(const std::string& config, std::int64_t seed) {
  const NetworkConfig c = parse_network_config(config);
  const double smaller =
      1 / std::sqrt(2 * static_cast<double>(c.layers));  // 2 L projections add to the stream
  UntrainedTensors made(seed, parse_json(config).at("initializer_range").get<double>());
  made.draw("wte.weight", c.vocabulary, c.width);
  made.draw("wpe.weight", c.positions, c.width);
  for (Index i = 0; i < c.layers; ++i) {
    const std::string h = "h." + std::to_string(i) + ".";
    made.norm(h + "ln_1", c.width);
    made.layer(h + "attn.c_attn", c.width, 3 * c.width);
    made.layer(h + "attn.c_proj", c.width, c.width, smaller);
    made.norm(h + "ln_2", c.width);
    made.layer(h + "mlp.c_fc", c.width, c.mlp_width);
    made.layer(h + "mlp.c_proj", c.mlp_width, c.width, smaller);
  }
  made.norm("ln_f", c.width);
  return std::make_unique<TrainedWeights>(c, made.take());
}

std::int32_t save_untrained_model(const UntrainedModel& requested) {
  UntrainedShape shape = requested.shape;
  untrained_config(shape);  // what is wrong with it is said before the texts are read
  const LearnedTokenizer tokenizer = tokenizer_for(requested);
  shape.vocabulary = tokenizer.size;
  shape.end = tokenizer.end;
  const std::string config = untrained_config(shape);
  save_model(requested.output, *untrained_weights(config, requested.seed),
             {SavedFloat::F32, {{"config.json", config}, {"tokenizer.json", tokenizer.json}}});
  return tokenizer.size;
}

}  // namespace headlight
