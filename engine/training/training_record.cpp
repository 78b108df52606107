#include "engine/training/training_record.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/arrays/safetensors.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "training.json";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kMend = "it is as the training wrote it, or cannot be continued: train anew";

template <class Value>
struct Named {
  Value value;
  const char* name;
};
constexpr std::array kOptimizers = {Named<OptimizerKind>{OptimizerKind::Sgd, "sgd"},
                                    Named<OptimizerKind>{OptimizerKind::Adam, "adam"},
                                    Named<OptimizerKind>{OptimizerKind::AdamW, "adamw"}};
constexpr std::array kSchedules = {Named<RateSchedule>{RateSchedule::Constant, "constant"},
                                   Named<RateSchedule>{RateSchedule::Cosine, "cosine"}};
constexpr std::array kOrders = {Named<WindowOrder>{WindowOrder::Random, "random"},
                                Named<WindowOrder>{WindowOrder::Sequential, "sequential"}};
constexpr std::array kTypes = {Named<SavedFloat>{SavedFloat::F32, "f32"},
                               Named<SavedFloat>{SavedFloat::F16, "f16"}};

template <class Table, class Value>
const char* name_in(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.value == value; })->name;
}

// Reads the members of training.json; each must be there and of its kind.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {
    if (!json.is_object()) throw Error("it is " + json_kind(json) + ", expected an object", "", kMend);
  }
  double number(const char* name, double least, double most) const {
    const Json& value = at(name);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
      wrong(name, "a number from " + short_text(least) + " to " + short_text(most));
    return value.get<double>();
  }
  Index whole(const char* name, Index least) const {
    const Json& value = at(name);
    const bool fits = value.is_number_integer() && value.get<std::int64_t>() >= least &&
                      value.get<std::int64_t>() <= kMostSteps;
    if (!fits) wrong(name, "a whole number from " + std::to_string(least) + " on");
    return static_cast<Index>(value.get<std::int64_t>());
  }
  std::string text(const char* name) const { return text_of(at(name), name); }
  template <class Table>
  auto one_of(const char* name, const Table& table) const {
    const std::string named = text(name);
    for (const auto& one : table)
      if (named == one.name) return one.value;
    wrong(name, "one of the names that there are");
  }
  template <class Each>
  void each(const char* name, const Each& each) const {
    if (!at(name).is_array()) wrong(name, "a list");
    for (const Json& value : at(name))
      each(value);
  }
  static std::string text_of(const Json& value, const char* name) {
    if (!value.is_string()) wrong(name, "text");
    return value.get<std::string>();
  }
  [[noreturn]] static void wrong(const char* name, const std::string& expected) {
    throw Error("it is not " + expected, name, kMend);
  }

 private:
  static std::string short_text(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  const Json& at(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) throw Error("it is missing", name, kMend);
    return *found;
  }
  const Json& json_;
};

Json json_of(const UnfinishedTraining& training, Index tokens) {
  const TrainingPlan& plan = training.plan;
  const ModelTrainingSettings& s = plan.settings;
  std::vector<std::string> texts;
  for (const fs::path& text : plan.texts)
    texts.push_back(fs::absolute(text).string());
  return {{"step", training.step},
          {"tokens", tokens},
          {"model", plan.model.string()},
          {"texts", texts},
          {"steps", s.rate.steps},
          {"batch", s.batch},
          {"length", s.length},
          {"rate", s.rate.most},
          {"schedule", name_in(kSchedules, s.rate.schedule)},
          {"warmup", s.rate.warmup},
          {"optimizer", name_in(kOptimizers, s.optimizer.kind)},
          {"momentum", s.optimizer.momentum},
          {"betas", {s.optimizer.beta1, s.optimizer.beta2}},
          {"epsilon", s.optimizer.epsilon},
          {"decay", s.optimizer.decay},
          {"clip", s.clip},
          {"order", name_in(kOrders, s.order)},
          {"seed", s.seed},
          {"held_out", plan.held_out},
          {"save_every", plan.save_every},
          {"save_at", plan.save_at},
          {"dtype", name_in(kTypes, plan.type)}};
}

ModelTrainingSettings settings_in(const Members& json, const Json& document) {
  constexpr double kMostNumber = 1e9;
  constexpr Index kMostSide = Index{1} << 30;
  ModelTrainingSettings s;
  s.batch = std::min(json.whole("batch", 1), kMostSide);
  s.length = std::min(json.whole("length", 1), kMostSide);
  s.rate = {json.number("rate", 0, kMostNumber), json.one_of("schedule", kSchedules), json.whole("warmup", 0),
            json.whole("steps", 1)};
  s.optimizer.kind = json.one_of("optimizer", kOptimizers);
  s.optimizer.momentum = json.number("momentum", 0, kMostNumber);
  std::vector<double> betas;
  json.each("betas", [&](const Json& beta) {
    if (!beta.is_number() || !(beta.get<double>() >= 0 && beta.get<double>() < 1))
      Members::wrong("betas", "two numbers from 0 to 1");
    betas.push_back(beta.get<double>());
  });
  if (betas.size() != 2) Members::wrong("betas", "two numbers from 0 to 1");
  s.optimizer.beta1 = betas.front();
  s.optimizer.beta2 = betas.back();
  s.optimizer.epsilon = json.number("epsilon", 0, kMostNumber);
  s.optimizer.decay = json.number("decay", 0, kMostNumber);
  s.clip = json.number("clip", 0, kMostNumber);
  s.order = json.one_of("order", kOrders);
  if (!document.contains("seed") || !document["seed"].is_number_integer())
    Members::wrong("seed", "a whole number");
  s.seed = document["seed"].get<std::int64_t>();
  return s;
}

Json read_record(const fs::path& file) {
  constexpr std::uint64_t kMostRecord = std::uint64_t{1} << 20;
  require_file(file, kMostRecord);
  return parse_json(read_file(file));
}

// Calls each(name of the tensor, matrix) for all matrices of the state and, if wanted, of the weights.
template <class State, class Each>
void for_each_tensor(const TrainedWeights& weights, State& state, const Each& each) {
  for (std::size_t i = 0; i < weights.tensors().size(); ++i) {
    const WeightTensor& tensor = weights.tensors()[i];
    if (!state.mean.empty()) each("mean." + tensor.name, tensor, state.mean[i]);
    if (!state.square.empty()) each("square." + tensor.name, tensor, state.square[i]);
  }
}

void read_into(const fs::path& file, const std::string& name, const WeightTensor& like, Matrix& numbers) {
  const NamedArray read = read_safetensors(file, name);
  if (read.shape != like.shape) throw Error("it has another shape than the model", name, kMend);
  numbers = Eigen::Map<const Matrix>(read.values.data(), like.numbers.rows(), like.numbers.cols());
}

}  // namespace

fs::path state_folder(const fs::path& training) {
  return training / "training";
}

void write_training_record(const fs::path& state, const UnfinishedTraining& training, Index tokens) {
  write_file_atomically(state / kRecord, json_of(training, tokens).dump(2) + "\n");
}

std::optional<UnfinishedTraining> read_training_record(const fs::path& state) {
  const fs::path file = state / kRecord;
  std::error_code unreadable;
  if (!fs::is_regular_file(file, unreadable)) return std::nullopt;
  try {
    const Json document = read_record(file);
    const Members json(document);
    UnfinishedTraining found;
    found.step = json.whole("step", 0);
    TrainingPlan& plan = found.plan;
    plan.model = json.text("model");
    json.each("texts", [&](const Json& text) { plan.texts.emplace_back(Members::text_of(text, "texts")); });
    plan.settings = settings_in(json, document);
    plan.held_out = json.number("held_out", 0, kMostHeldOut);
    plan.save_every = json.whole("save_every", 0);
    json.each("save_at", [&](const Json& step) {
      if (!step.is_number_unsigned()) Members::wrong("save_at", "a list of steps");
      plan.save_at.push_back(step.get<Index>());
    });
    plan.type = json.one_of("dtype", kTypes);
    return found;
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
}

void require_same_tokens(const fs::path& state, Index tokens) {
  const fs::path file = state / kRecord;
  try {
    const Json document = read_record(file);
    const Index before = Members(document).whole("tokens", 0);
    if (before == tokens) return;
    throw Error("the texts have " + std::to_string(tokens) + " tokens now, and had " +
                    std::to_string(before) + " when the training began",
                "texts", "put the texts back as they were, or train anew");
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
}

void write_optimizer_state(const fs::path& state, const ModelOptimizer::State& optimizer,
                           const TrainedWeights& weights, SavedFloat type) {
  std::vector<TensorValues> tensors;
  for_each_tensor(weights, optimizer,
                  [&](const std::string& name, const WeightTensor& like, const Matrix& numbers) {
                    tensors.push_back({name, like.shape, numbers.data()});
                  });
  if (type != SavedFloat::F32)
    for (const WeightTensor& tensor : weights.tensors())
      tensors.push_back({"weight." + tensor.name, tensor.shape, tensor.numbers.data()});
  AtomicFile file(state / kOptimizer);
  write_safetensors(tensors, SavedFloat::F32, file);
  file.commit();
}

OptimizerTensors read_optimizer_state(const fs::path& state, const ModelOptimizer::State& fresh,
                                      const TrainedWeights& weights, SavedFloat type) {
  const fs::path file = state / kOptimizer;
  OptimizerTensors read{fresh, {}};
  try {
    read.state.steps = Members(read_record(state / kRecord)).whole("step", 0);
    for_each_tensor(weights, read.state,
                    [&](const std::string& name, const WeightTensor& like, Matrix& numbers) {
                      read_into(file, name, like, numbers);
                    });
    if (type != SavedFloat::F32)
      for (const WeightTensor& tensor : weights.tensors())
        read_into(file, "weight." + tensor.name, tensor, read.weights.emplace_back());
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
  return read;
}

}  // namespace headlight
