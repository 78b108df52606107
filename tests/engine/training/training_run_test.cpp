// Optimizers, windows of texts, checkpoints and untrained models.
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/network/known_families.h"
#include "engine/tokenizers/learned_tokenizer.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/training/saved_model.h"
#include "engine/training/training_run.h"
#include "engine/training/untrained_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<std::int32_t> counting(std::int32_t count) {
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < count; ++i)
    ids.push_back(i);
  return ids;
}

const std::string kRhyme =
    "the cat sat on the mat and the dog sat on the log, the cat saw the dog and the dog saw the cat";

// A run over the golden gpt2 with the text's ids, from a fixed order of windows.
TrainingRun small_run(const Network& network, const OptimizerSettings& optimizer, double rate) {
  ModelTrainingSettings settings;
  settings.batch = 2;
  settings.length = 8;
  settings.rate = {rate, RateSchedule::Constant, 0, 30};
  static_cast<OptimizerSettings&>(settings) = optimizer;
  settings.order = WindowOrder::Sequential;
  return {network, golden_ids("gpt2"), settings};
}

}  // namespace

TEST_CASE("training: windows begin where torch.randint draws, or one behind the other") {
  WindowStream random(counting(1000), 16, WindowOrder::Random, 123);
  CHECK(random.next_begins(3) == std::vector<Index>{598, 349, 174});
  CHECK(random.next_begins(3) == std::vector<Index>{666, 172, 74});
  WindowStream ordered(counting(10), 3, WindowOrder::Sequential, 0);
  CHECK(ordered.next_begins(5) == std::vector<Index>{0, 3, 6, 0, 3});
  // The third window would take the last token, but none would follow it.
  CHECK(WindowStream(counting(9), 3, WindowOrder::Sequential, 0).next_begins(4) ==
        std::vector<Index>{0, 3, 0, 3});
  const Windows windows = WindowStream(counting(10), 4, WindowOrder::Sequential, 0).next(2);
  CHECK(windows.count == 2);
  CHECK(windows.ids == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(windows.next == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK_THROWS_WITH(WindowStream(counting(4), 4, WindowOrder::Random, 0), ContainsSubstring("needs 5"));
}

TEST_CASE("training: normal numbers are those of torch.normal_") {
  TorchStream stream(123);
  Matrix drawn(5, 7);
  fill_normal(stream, 0.02f, drawn.data(), 35);
  const std::vector<float> first = {0.00674740365f, -0.00355554419f, -0.00607055193f, -0.0117602367f},
                           last = {0.00538397115f,  -0.00154040463f, -0.0204094388f,  -0.00337912561f,
                                   0.0210471563f,   -0.00776966149f, -0.0186869167f,  -0.00998288207f,
                                   -0.021733053f,   0.0192484204f,   0.00498416973f,  -0.00969004165f,
                                   -0.00350974407f, 0.0019656755f,   -0.00187014858f, 0.00532429432f,
                                   -0.0117007094f,  -0.00686075957f, -0.0136429472f,  -0.0197737888f};
  for (std::size_t i = 0; i < first.size(); ++i)
    CHECK(std::abs(drawn.data()[i] - first[i]) < 1e-8f);
  for (std::size_t i = 0; i < last.size(); ++i)
    CHECK(std::abs(drawn.data()[15 + i] - last[i]) < 1e-8f);
}

TEST_CASE("training: optimizers take the steps of their formulas") {
  const Network network(model_folder("gpt2"));
  for (const OptimizerSettings& settings :
       {OptimizerSettings{OptimizerKind::AdamW, 0, {0.8, 0.95}, 1e-8, 0.1},
        OptimizerSettings{OptimizerKind::Adam}, OptimizerSettings{OptimizerKind::Sgd, 0.9},
        OptimizerSettings{OptimizerKind::Sgd}}) {
    TrainedWeights weights(network);
    TensorGradients gradients(weights);
    ModelOptimizer optimizer(settings, weights);
    const Matrix before = weights.tensors()[4].numbers;
    double number = static_cast<double>(before(0, 0)), mean = 0, square = 0;
    for (int step = 1; step <= 3; ++step) {
      const double gradient = 0.3 * step - 0.5, rate = 0.01 * step;
      for (Matrix& matrix : gradients.matrices)
        matrix.setConstant(static_cast<float>(gradient));
      optimizer.step(rate, gradients, weights);
      if (settings.optimizer == OptimizerKind::Sgd) {
        mean = settings.momentum * mean + gradient;
        number -= rate * mean;
        continue;
      }
      if (settings.optimizer == OptimizerKind::AdamW) number *= 1 - rate * settings.decay;
      mean = settings.betas[0] * mean + (1 - settings.betas[0]) * gradient;
      square = settings.betas[1] * square + (1 - settings.betas[1]) * gradient * gradient;
      number -= rate * mean / (1 - std::pow(settings.betas[0], step)) /
                (std::sqrt(square / (1 - std::pow(settings.betas[1], step))) + settings.epsilon);
    }
    CHECK(std::abs(static_cast<double>(weights.tensors()[4].numbers(0, 0)) - number) < 1e-6);
  }
}

TEST_CASE("training: a weight without a gradient stays, with an epsilon that float32 rounds to 0 too") {
  TrainedWeights weights(Network(model_folder("gpt2")));
  const Matrix before = weights.tensors()[4].numbers;
  ModelOptimizer optimizer({OptimizerKind::Adam, 0, {0.9, 0.999}, 1e-300}, weights);
  TensorGradients gradients(weights);
  optimizer.step(0.1, gradients, weights);
  CHECK(weights.tensors()[4].numbers == before);
}

TEST_CASE("training: gradients are limited together, and the rate follows its schedule") {
  const TrainedWeights weights{Network(model_folder("gpt2"))};
  TensorGradients gradients(weights);
  gradients.matrices[0](0, 0) = 3;
  gradients.matrices[1](0, 0) = 4;
  CHECK(clip_gradients(0, gradients) == 5);
  CHECK(gradients.matrices[0](0, 0) == 3);
  CHECK(clip_gradients(1, gradients) == 5);
  CHECK(std::abs(gradients.matrices[1](0, 0) - 0.8f) < 1e-6f);
  CHECK(std::abs(clip_gradients(2, gradients) - 1) < 1e-6);
  const LearningRate cosine = {2, RateSchedule::Cosine, 4, 12};
  CHECK(cosine.at(0) == 0);
  CHECK(cosine.at(2) == 1);
  CHECK(cosine.at(4) == 2);
  CHECK(std::abs(cosine.at(8) - 1) < 1e-12);
  CHECK(LearningRate{2, RateSchedule::Constant, 0, 12}.at(0) == 2);
}

TEST_CASE("training: the loss falls, and what is saved opens as it was") {
  const Network network(model_folder("gpt2"));
  TrainingRun run = small_run(network, {OptimizerKind::AdamW}, 3e-3);
  const double first = run.advance().loss;
  TrainingStep last;
  for (int i = 1; i < 30; ++i)
    last = run.advance();
  CHECK(last.number == 30);
  CHECK(last.loss < first / 2);
  const TemporaryFolder folder;
  const SavedForm form = saved_form(model_folder("gpt2"), SavedFloat::F32);
  save_checkpoint(folder.path(), "step-30", run.weights(), form);
  save_checkpoint(folder.path(), "step-30", run.weights(), form);
  save_model(folder.path(), run.weights(), form);
  CHECK(folder.names() ==
        std::vector<std::string>{"config.json", "model.safetensors", "step-30", "tokenizer.json"});
  for (const std::filesystem::path& saved : {folder.path(), folder / "step-30"}) {
    const Network opened(saved);
    CHECK(opened.notes().empty());
    const TrainedWeights again(opened);
    for (std::size_t i = 0; i < again.tensors().size(); ++i) {
      CHECK(again.tensors()[i].name == run.weights().tensors()[i].name);
      CHECK(again.tensors()[i].numbers == run.weights().tensors()[i].numbers);
    }
  }
  const WeightTensor& norm = run.weights().tensors()[2];
  CHECK(run.weights().weights().layers[0].attention_norm.weight == norm.numbers.row(0));
}

TEST_CASE("training: a number that F16 cannot hold is refused with the tensor's name") {
  std::vector<float> numbers = {1, 70000};
  const TemporaryFolder folder;
  AtomicFile file(folder / "model.safetensors");
  CHECK_THROWS_WITH(write_safetensors({{"wte.weight", {2}, numbers.data()}}, SavedFloat::F16, file),
                    ContainsSubstring("70000") && ContainsSubstring("wte.weight"));
}

TEST_CASE("training: a loss that is no number ends the run") {
  const Network network(model_folder("gpt2"));
  TrainingRun run = small_run(network, {OptimizerKind::Sgd}, 1e6);
  CHECK_THROWS_WITH(
      [&] {
        for (int i = 0; i < 30; ++i)
          run.advance();
      }(),
      ContainsSubstring("no number any more"));
}

TEST_CASE("learned tokenizers: the most frequent pairs are joined first, of equal ones the smaller ids") {
  const LearnedTokenizer learned = learn_byte_pairs({"low low low lower lower newest newest"}, 263);
  const Tokenizer tokenizer = Tokenizer::parse(learned.json, "learned");
  CHECK(learned.size == 263);
  CHECK(tokenizer.size() == 263);
  // lo 5, ow 5, Ġl 4 of "Ġlow" and "Ġlower"; then low 5, Ġlow 4, we 2 + newest's we 2
  CHECK(tokenizer.word(0) == "<|endoftext|>");
  CHECK(tokenizer.word(1) == "!");
  CHECK(tokenizer.word(257) == "lo");
  CHECK(tokenizer.word(258) == "low");
  CHECK(tokenizer.word(259) == "Ġlow");
  CHECK(tokenizer.decode(tokenizer.encode(kRhyme)) == kRhyme);
  CHECK(tokenizer.encode(" low") == std::vector<std::int32_t>{259});
  CHECK(tokenizer.encode("<|endoftext|>") == std::vector<std::int32_t>{0});
  CHECK(learn_byte_pairs({"ab ab"}, 1000).size < 300);
  CHECK_THROWS_WITH(learn_byte_pairs({"ab"}, 256), ContainsSubstring("257"));
  CHECK_THROWS_WITH(learn_byte_pairs({"a\xff"}, 300), ContainsSubstring("not UTF-8"));
}

TEST_CASE("learned tokenizers: whole words by their number") {
  const LearnedTokenizer learned = learn_words({kRhyme}, 6);
  const Tokenizer tokenizer = Tokenizer::parse(learned.json, "learned");
  CHECK(learned.size == 6);
  CHECK(tokenizer.word(2) == "the");
  CHECK(tokenizer.word(3) == "cat");
  CHECK(tokenizer.word(4) == "dog");
  CHECK(tokenizer.encode("the dog, cat") == std::vector<std::int32_t>{2, 4, 1, 3});
}

TEST_CASE("untrained models: weights as GPT-2 draws them, in a folder that opens and learns") {
  UntrainedShape shape;
  shape.layers = 8;
  shape.vocabulary = 300;
  const std::string config = untrained_config(shape);
  const auto weights = untrained_weights(config, 7);
  const auto deviation = [&](const std::string& name) {
    for (const WeightTensor& tensor : weights->tensors())
      if (tensor.name == name)
        return std::sqrt(tensor.numbers.squaredNorm() / static_cast<float>(tensor.numbers.size()));
    return -1.0f;
  };
  CHECK(std::abs(deviation("wte.weight") - 0.02f) < 4e-4f);
  CHECK(std::abs(deviation("h.3.attn.c_attn.weight") - 0.02f) < 4e-4f);
  CHECK(std::abs(deviation("h.3.mlp.c_proj.weight") - 0.005f) < 1e-4f);
  CHECK(deviation("h.7.mlp.c_fc.bias") == 0);
  CHECK(deviation("ln_f.weight") == 1);
  const TemporaryFolder folder;
  save_model(
      folder.path(), *weights,
      {SavedFloat::F32, {{"config.json", config}, {"tokenizer.json", learn_byte_pairs({kRhyme}, 300).json}}});
  const Network network(folder.path());
  CHECK(network.notes().empty());
  CHECK(network.predicts());
  shape.family = "llama";
  CHECK_THROWS_WITH(untrained_config(shape), ContainsSubstring("llama"));
  shape.family = "gpt2";
  shape.heads = 5;
  CHECK_THROWS_WITH(untrained_config(shape), ContainsSubstring("divide"));
}

TEST_CASE("training: the numbers of an untrained model are counted before it is made") {
  UntrainedShape shape;
  shape.layers = 3;
  shape.heads = 2;
  shape.width = 10;
  shape.positions = 7;
  shape.vocabulary = 11;
  const std::string config = untrained_config(shape);
  CHECK(untrained_number_count(parse_network_config(config)) == untrained_weights(config, 1)->number_count());
}
