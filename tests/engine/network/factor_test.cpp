// Products with a tensor as it is stored, in every type and order, against plain loops; and a model's logits
// whatever way they were computed.
#include "engine/network/factor.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "engine/core/parallel.h"
#include "engine/core/stopping.h"
#include "engine/training/untrained_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/random_models.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr TensorType kTypes[] = {TensorType::F32, TensorType::BF16, TensorType::F16, TensorType::Q8_0};

// Halves whose numbers are from 2^-7 to 2 with either sign.
std::uint16_t half_bits(Dice& dice, TensorType type) {
  const auto sign = static_cast<std::uint16_t>(dice.chance(0.5) ? 0x8000 : 0);
  return static_cast<std::uint16_t>(
      sign | (type == TensorType::F16 ? dice.between(0x2000, 0x4000) : dice.between(0x3c00, 0x4000)));
}

// Bytes of so many numbers; whole blocks of the type.
std::string random_bytes(Dice& dice, TensorType type, Index numbers) {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (Index i = 0; i < numbers; ++i)
    if (type == TensorType::F32) {
      add(dice.matrix(1, 1)(0, 0));
    } else if (type == TensorType::Q8_0) {
      if (i % 32 == 0) add(half_bits(dice, TensorType::F16));
      add(static_cast<std::int8_t>(dice.between(-127, 127)));
    } else {
      add(half_bits(dice, type));
    }
  return bytes;
}

// A factor of a random shape inside a random tensor.
struct Case {
  std::string bytes, bias_bytes;
  Tensor tensor, bias;
  Factor factor;
};

void make_case(Dice& dice, TensorType type, bool deep, Case& made) {
  constexpr Index kBlock = 32;
  const Index groups = dice.between(1, 3), group = kBlock * dice.between(1, 3),
              step = group + kBlock * dice.between(0, 2);
  const Index inputs = kBlock * (deep ? dice.between(8, 30) : dice.between(1, 4));
  const Index first = kBlock * dice.between(0, 1), outputs = groups * group, all = first + groups * step;
  made.factor.transposed = dice.chance(0.5);
  made.tensor.type = type;
  made.tensor.shape = made.factor.transposed ? std::vector{all, inputs} : std::vector{inputs, all};
  // A turned tensor is stored the other way round; rows in another order are those of one that is not.
  made.tensor.turned = dice.chance(0.3);
  if (!made.tensor.turned && dice.chance(0.3)) made.tensor.order = {2, kBlock / 4, 2};
  const bool shifted = type != TensorType::Q8_0 && dice.chance(0.3);
  made.bytes = (shifted ? "x" : "") + random_bytes(dice, type, all * inputs);
  made.tensor.bytes = std::string_view(made.bytes).substr(shifted ? 1 : 0);
  made.factor.tensor = &made.tensor;
  made.factor.inputs = inputs;
  made.factor.outputs = outputs;
  made.factor.first = first;
  made.factor.group = group;
  made.factor.group_step = step;
  if (dice.chance(0.5)) return;
  made.bias.shape = {all};
  made.bias_bytes = random_bytes(dice, TensorType::F32, all);
  made.bias.bytes = made.bias_bytes;
  made.factor.bias = &made.bias;
}

// The largest difference from sums in double precision, in units of the rounding of their terms.
double error_of(const Matrix& x, const Factor& w, const Matrix& y) {
  const Eigen::MatrixXd a = x.cast<double>(), b = widened(w).cast<double>();
  Eigen::MatrixXd sums = a * b, sizes = a.cwiseAbs() * b.cwiseAbs();
  if (w.bias) {
    const Eigen::RowVectorXd bias = widened_bias(w).row(0).cast<double>();
    sums.rowwise() += bias;
    sizes.rowwise() += bias.cwiseAbs();
  }
  const double rounding = static_cast<double>(std::numeric_limits<float>::epsilon());
  return ((sums - y.cast<double>()).cwiseAbs().array() / (sizes.array() * rounding + 1e-300)).maxCoeff();
}

}  // namespace

TEST_CASE("factor: from 1 to 70 rows, of every type, layout and order, a product is the sum of its terms") {
  Workspace workspace;
  Dice dice(83);
  for (Index rows = 1; rows <= 70; ++rows)
    for (const TensorType type : kTypes) {
      Case made;
      make_case(dice, type, rows % 5 == 0, made);
      const Factor& w = made.factor;
      const Matrix x = dice.matrix(rows, w.inputs);
      INFO(type_name(type) << ", " << rows << " x " << w.inputs << " times " << w.outputs
                           << (w.transposed ? ", transposed" : "") << (made.tensor.turned ? ", turned" : ""));
      Matrix y = Matrix::Constant(rows, w.outputs, std::numeric_limits<float>::quiet_NaN());
      multiply(x, w, y, workspace);
      CHECK(error_of(x, w, y) < static_cast<double>(w.inputs) + 2);
      // On one thread, as inside of another loop; and some of the columns.
      Matrix alone(rows, w.outputs);
      for_each_index(2, 1e9, [&](Index i) {
        if (i == 0) multiply(x, w, alone, workspace);
      });
      CHECK(alone == y);
      const Index first = dice.between(0, w.outputs - 1), count = dice.between(1, w.outputs - first);
      Matrix part(rows, count);
      multiply_columns(x, w, first, part, workspace);
      const Matrix same = y.middleCols(first, count);
      CHECK(largest_difference(part, same) < 1e-3f);
    }
}

TEST_CASE("factor: a model's logits are the same token by token, in pieces and in one pass") {
  Dice dice(84);
  for (const char* const family : {"gpt2", "llama", "gpt_neox", "mistral", "gemma2"}) {
    const std::vector<std::int32_t> golden = golden_ids(family);
    const auto network = open_model(family);
    // Longer than any number of rows at which products change their way.
    std::vector<std::int32_t> ids;
    const auto most = std::min<std::size_t>(
        50, static_cast<std::size_t>(network->config().positions > 0 ? network->config().positions : 50));
    while (ids.size() < most)
      ids.push_back(golden[static_cast<std::size_t>(dice.between(0, static_cast<Index>(golden.size()) - 1))]);
    const auto count = static_cast<Index>(ids.size());
    NetworkPass whole(network);
    whole.set_ids(ids);
    const Matrix logits = whole.logits(0, count);
    INFO(family);
    for (const Index piece : {1, 2, 5, 17}) {
      NetworkPass pass(network);
      for (Index end = 0; end < count;) {
        const Index begin = end;
        end = std::min(count, begin + piece);
        pass.set_ids({ids.begin(), ids.begin() + end});
        const Matrix some = logits.middleRows(begin, end - begin);
        CHECK(largest_difference(pass.logits(begin, end - begin), some) <
              2e-4f * logits.cwiseAbs().maxCoeff());
      }
    }
  }
}

namespace {

// As if the machine had so much memory, while it exists.
class Memory {
 public:
  explicit Memory(const char* bytes) { setenv("HEADLIGHT_TEST_MEMORY", bytes, 1); }
  ~Memory() { unsetenv("HEADLIGHT_TEST_MEMORY"); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

// Whose factors are large enough to keep panels.
std::shared_ptr<const Network> wide_model(const TemporaryFolder& folder) {
  UntrainedModel made;
  made.shape.width = 256;
  made.shape.vocabulary = 300;
  made.texts = {folder.write("text.txt", "the cat sat on the mat, and the dog sat on the cat")};
  made.output = folder / "model";
  save_untrained_model(made);
  return std::make_shared<const Network>(made.output);
}

}  // namespace

TEST_CASE("factor: with kept panels a product is the sum of its terms, whole and in parts") {
  Workspace workspace;
  Dice dice(85);
  const double before = KeptPanels::bytes_of_all();
  int kept = 0;
  for (Index rows = 1; rows <= 200; rows += rows < 25 ? 1 : 25) {
    Case made;
    make_case(dice, kTypes[rows % 3], rows % 4 == 0, made);
    Factor& w = made.factor;
    if (!made.tensor.order.is_plain()) continue;
    w.panels = std::make_shared<KeptPanels>();
    REQUIRE(keep_panels(w));
    ++kept;
    CHECK(KeptPanels::bytes_of_all() >= before + bytes_of_panels(w));
    CHECK(bytes_of_panels(w) == static_cast<double>(w.inputs * w.outputs) * (rows % 3 == 0 ? 4 : 2));
    const Matrix x = dice.matrix(rows, w.inputs);
    INFO(rows << " x " << w.inputs << " times " << w.outputs);
    Matrix y = Matrix::Constant(rows, w.outputs, std::numeric_limits<float>::quiet_NaN());
    multiply(x, w, y, workspace);
    CHECK(error_of(x, w, y) < static_cast<double>(w.inputs) + 2);
    const Index first = dice.between(0, w.outputs - 1), count = dice.between(1, w.outputs - first);
    Matrix part(rows, count);
    multiply_columns(x, w, first, part, workspace);
    const Matrix same = y.middleCols(first, count);
    CHECK(largest_difference(part, same) < 1e-3f);
    // The panels are read, not the tensor.
    std::fill(made.bytes.begin(), made.bytes.end(), '\x7f');
    Matrix again(rows, w.outputs);
    multiply(x, w, again, workspace);
    CHECK(again == y);
  }
  CHECK(kept > 10);
  CHECK(KeptPanels::bytes_of_all() == before);
}

TEST_CASE("factor: panels for which there is no memory are not kept, and products are as before") {
  Workspace workspace;
  Dice dice(86);
  Case made;
  do
    make_case(dice, TensorType::F32, true, made);
  while (!made.tensor.order.is_plain());
  Factor& w = made.factor;
  w.panels = std::make_shared<KeptPanels>();
  const Matrix x = dice.matrix(8, w.inputs);
  Matrix y(8, w.outputs), again = y;
  multiply(x, w, y, workspace);
  const double before = KeptPanels::bytes_of_all();
  {
    const Memory small("1000");
    CHECK_FALSE(keep_panels(w));
  }
  CHECK(KeptPanels::bytes_of_all() == before);
  multiply(x, w, again, workspace);
  CHECK(again == y);
  // Later there may be.
  CHECK(keep_panels(w));
}

TEST_CASE("factor: a model's logits are the same with kept panels, and its file is mapped as before") {
  const TemporaryFolder folder;
  const auto network = wide_model(folder);
  Dice dice(87);
  std::vector<std::int32_t> ids;
  while (ids.size() < 100)
    ids.push_back(static_cast<std::int32_t>(dice.between(0, network->config().vocabulary - 1)));
  NetworkPass stored(network);
  stored.set_ids(ids);
  const Matrix logits = stored.logits(0, 100);
  CHECK(kept_share(network->weights()).kept == 0);
  {
    std::stop_source stopped;
    stopped.request_stop();
    const StopScope scope(stopped.get_token());
    CHECK_THROWS_AS(keep_panels(network->weights()), Stopped);
  }
  CHECK(kept_share(network->weights()).kept == 0);
  const KeptShare kept = keep_panels(network->weights());
  CHECK(kept.missing == 0);
  CHECK(kept.kept > 2 * 12 * 256 * 256 * 4.0);
  for (const Index piece : {1, 3, 20, 100}) {
    NetworkPass pass(network);
    for (Index end = 0; end < 100;) {
      const Index begin = end;
      end = std::min<Index>(100, begin + piece);
      pass.set_ids({ids.begin(), ids.begin() + end});
      const Matrix some = logits.middleRows(begin, end - begin);
      CHECK(largest_difference(pass.logits(begin, end - begin), some) < 1e-4f * logits.cwiseAbs().maxCoeff());
    }
  }
  // What a gradient reads of the file is there.
  const Factor& query = network->weights().layers.front().query;
  Factor plain = query;
  plain.panels = nullptr;
  Workspace workspace;
  const Matrix x = dice.matrix(5, 256);
  Matrix y(5, 256), again = y;
  multiply(x, query, y, workspace);
  multiply(x, plain, again, workspace);
  CHECK(largest_difference(y, again) < 1e-4f);
}

TEST_CASE("factor: the panels of a file that has changed are not kept") {
  const TemporaryFolder folder;
  const auto network = wide_model(folder);
  rewrite_in_place(folder / "model" / "model.safetensors");
  CHECK_THROWS_AS(keep_panels(network->weights()), Error);
  CHECK(kept_share(network->weights()).kept == 0);
}
