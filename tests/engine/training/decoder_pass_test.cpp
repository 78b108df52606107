// The loss of whole models and its gradients, against differences of plain float64 loops.
#include "engine/training/decoder_pass.h"
#include "engine/core/error.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"
#include "tests/support/plain_network.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kGolden = source_root() + "/tests/golden/";

Windows text_windows(std::vector<std::int32_t> ids) {
  Windows windows;
  windows.next.assign(ids.begin() + 1, ids.end());
  windows.next.push_back(Windows::kNone);
  windows.ids = std::move(ids);
  return windows;
}

std::vector<std::int32_t> some_ids(const NetworkConfig& config, std::size_t count) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(
        static_cast<std::int32_t>((i * i * 7 + 3 * i + 5) % static_cast<std::size_t>(config.vocabulary)));
  ids[count - 1] = ids[1];
  return ids;
}

// Some cells of a matrix: the largest one, and others spread over it.
std::vector<std::pair<Index, Index>> some_cells(const Matrix& matrix, Index count) {
  std::vector<std::pair<Index, Index>> cells(1);
  matrix.cwiseAbs().maxCoeff(&cells[0].first, &cells[0].second);
  for (Index i = 1; i < count; ++i) {
    const Index number = i * 7919 % matrix.size();
    cells.emplace_back(number / matrix.cols(), number % matrix.cols());
  }
  return cells;
}

// The gradients of one model's text, fast and by differences.
class GradientCheck {
 public:
  explicit GradientCheck(const std::filesystem::path& folder, std::size_t tokens = 7)
      : network_(folder),
        ids_(some_ids(network_.config(), tokens)),
        plain_(network_),
        weights_(network_),
        found_(weights_) {
    DecoderPass(weights_).backward(text_windows(ids_), DecoderPass::Wanted::Everything, found_);
  }

  double check_losses() {
    const std::vector<double> losses = plain_.losses(ids_);
    REQUIRE(found_.loss_by_token.size() == losses.size());
    double worst = std::abs(found_.loss - plain_.loss(ids_));
    for (std::size_t i = 0; i < losses.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(found_.loss_by_token[i]) - losses[i]));
    return worst;
  }

  // The worst difference of all tensors, each relative to its largest number.
  double check_tensors(Index cells = 3) {
    double worst = 0;
    for (const Tensor* tensor : tensors_of(network_.weights())) {
      const Matrix& gradient = found_.tensors.matrices[index_of(tensor->name)];
      std::vector<double>& numbers = plain_.numbers(tensor);
      worst =
          std::max(worst, worst_cell(tensor->name, gradient, cells, [&](Index row, Index column, double by) {
                     double& number = numbers[static_cast<std::size_t>(row * gradient.cols() + column)];
                     const double before = number;
                     number = before + by;
                     const double loss = plain_.loss(ids_);
                     number = before;
                     return loss;
                   }));
    }
    return worst;
  }

  double check_stages() {
    const NetworkConfig& c = network_.config();
    double worst = 0;
    for (Index layer = 0; layer <= c.layers; ++layer)
      worst = std::max(worst, worst_nudge({PatchStage::Residual, layer},
                                          found_.residual[static_cast<std::size_t>(layer)]));
    for (Index layer = 0; layer < c.layers; ++layer)
      for (Index head = 0; head < c.heads; ++head)
        worst =
            std::max(worst, worst_nudge({PatchStage::Weights, layer, head},
                                        found_.weights[static_cast<std::size_t>(layer * c.heads + head)]));
    return worst;
  }

  const DecoderGradients& found() const { return found_; }
  const TrainedWeights& weights() const { return weights_; }
  const std::vector<std::int32_t>& ids() const { return ids_; }

 private:
  std::size_t index_of(const std::string& name) const {
    const auto& all = weights_.tensors();
    return static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [&](const WeightTensor& one) { return one.name == name; }) -
        all.begin());
  }

  template <class Loss>
  double worst_cell(const std::string& name, const Matrix& gradient, Index cells, const Loss& loss) const {
    constexpr double kStep = 1e-4;
    const auto largest = static_cast<double>(gradient.cwiseAbs().maxCoeff());
    double worst = 0;
    for (const auto& [row, column] : some_cells(gradient, cells)) {
      const double difference = (loss(row, column, kStep) - loss(row, column, -kStep)) / (2 * kStep);
      const double error = std::abs(difference - static_cast<double>(gradient(row, column)));
      INFO(name << " at " << row << ", " << column << ": " << gradient(row, column) << ", expected "
                << difference);
      CHECK(error <= 1e-4 * std::max(largest, 1e-3));
      worst = std::max(worst, error / std::max(largest, 1e-3));
    }
    return worst;
  }

  double worst_nudge(Nudge nudge, const Matrix& gradient) const {
    return worst_cell("stage of layer " + std::to_string(nudge.layer), gradient, 2,
                      [&](Index row, Index column, double by) {
                        nudge.row = row;
                        nudge.column = column;
                        nudge.by = by;
                        return plain_.loss(ids_, nudge);
                      });
  }

  Network network_;
  std::vector<std::int32_t> ids_;
  PlainNetwork plain_;
  TrainedWeights weights_;
  DecoderGradients found_;
};

void check_gradients(const std::filesystem::path& folder, std::size_t tokens = 7, Index cells = 3) {
  GradientCheck check(folder, tokens);
  CHECK(check.check_losses() < 2e-5);
  check.check_tensors(cells);
  check.check_stages();
}

}  // namespace

TEST_CASE("training: the gradients of nine families are those of float64 differences") {
  for (const std::string family : kNetworks) {
    if (family == "bert") continue;
    INFO(family);
    check_gradients(model_folder(family));
  }
}

TEST_CASE("training: the gradients of the special cases of families are those of float64 differences") {
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden + "library")) {
    const Network network(entry.path());
    if (!network.config().causal || !network.predicts() || !network.has_gradients()) continue;
    INFO(entry.path().filename().string());
    check_gradients(entry.path(), 8, 1);
    ++seen;
  }
  CHECK(seen >= 35);
}

TEST_CASE("training: each activation has its slope") {
  for (const std::string activation : {"gelu", "gelu_new", "quick_gelu", "silu", "relu", "relu2"}) {
    const ModelCopy copy("gpt2");
    copy.replace("config.json", "gelu_new", activation);
    INFO(activation);
    check_gradients(copy.path());
  }
}

TEST_CASE("training: windows together have the mean of their losses and gradients") {
  for (const std::string family : {"gpt2", "gpt_neox", "gemma2"}) {
    INFO(family);
    const Network network(model_folder(family));
    const TrainedWeights weights(network);
    DecoderGradients together(weights), one(weights);
    DecoderPass pass(weights);
    const std::vector<std::int32_t> ids = some_ids(network.config(), 21);
    Windows both;
    both.count = 2;
    std::vector<Matrix> means;
    double loss = 0;
    for (const std::ptrdiff_t begin : {0, 10}) {
      Windows window;
      window.ids.assign(ids.begin() + begin, ids.begin() + begin + 10);
      window.next.assign(ids.begin() + begin + 1, ids.begin() + begin + 11);
      both.ids.insert(both.ids.end(), window.ids.begin(), window.ids.end());
      both.next.insert(both.next.end(), window.next.begin(), window.next.end());
      pass.backward(window, DecoderPass::Wanted::Weights, one);
      loss += one.loss / 2;
      means.resize(one.tensors.matrices.size());
      for (std::size_t i = 0; i < means.size(); ++i)
        means[i] =
            begin == 0 ? Matrix(one.tensors.matrices[i] / 2) : Matrix(means[i] + one.tensors.matrices[i] / 2);
    }
    for (const DecoderPass::Storage storage :
         {DecoderPass::Storage::Stored, DecoderPass::Storage::Recomputed}) {
      DecoderPass(weights, storage).backward(both, DecoderPass::Wanted::Weights, together);
      CHECK(std::abs(together.loss - loss) < 1e-5);
      for (std::size_t i = 0; i < means.size(); ++i) {
        INFO(weights.tensors()[i].name);
        CHECK(largest_difference(together.tensors.matrices[i], means[i]) <=
              1e-5f * std::max(1.0f, means[i].cwiseAbs().maxCoeff()));
      }
    }
  }
}

TEST_CASE("training: the loss of a model is that of its logits, and tied embeddings are one tensor") {
  const GradientCheck check(model_folder("gpt2"));
  NetworkPass pass(open_model("gpt2"));
  pass.set_ids(check.ids());
  const Matrix logits = pass.logits(0, pass.token_count());
  for (std::size_t i = 0; i + 1 < check.ids().size(); ++i) {
    const auto row = logits.row(static_cast<Index>(i)).cast<double>().array();
    const double expected = std::log(row.exp().sum()) - row(check.ids()[i + 1]);
    CHECK(std::abs(static_cast<double>(check.found().loss_by_token[i]) - expected) < 1e-4);
  }
  for (const WeightTensor& tensor : check.weights().tensors())
    CHECK(tensor.name.find("lm_head") == std::string::npos);
}

TEST_CASE("training: a model whose gradients are not computed is refused by its name and what it has") {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"mixtral", "experts"}, {"qwen3_moe", "experts"}, {"gpt_oss", "experts"}, {"opt_350m", "another width"},
      {"t5", "two sides"},    {"bart", "two sides"},    {"vit", "an image"}};
  for (const auto& [name, why] : refused) {
    INFO(name);
    const Network network(kGolden + "library/" + name);
    CHECK_FALSE(network.has_gradients());
    CHECK_THROWS_WITH(
        require_decoder(network.config(), network.weights(), "folder"),
        ContainsSubstring("type " + std::string(family_name(network.config()))) && ContainsSubstring(why));
  }
}

TEST_CASE("training: a model that is no decoder is refused by its name") {
  const Network bert(model_folder("bert"));
  CHECK_THROWS_WITH(require_decoder(bert.config(), bert.weights(), "folder"),
                    ContainsSubstring("type bert") && ContainsSubstring("both directions"));
  const Network gpt2(model_folder("gpt2"));
  CHECK_NOTHROW(require_decoder(gpt2.config(), gpt2.weights(), "folder"));
}
