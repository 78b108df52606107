#include "engine/training/training_record.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "engine/arrays/safetensors.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_fields.h"
#include "engine/learning/training_settings.h"
#include "engine/training/training_words.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "training.json";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kMend = "it is as the training wrote it, or cannot be continued: train anew";

// Every member of training.json; each must be there.
const std::vector<std::string> kMembers = {
    "step", "tokens",   "ids",    "model",     "texts",      "steps",   "batch",   "length",
    "rate", "schedule", "warmup", "optimizer", "momentum",   "betas",   "epsilon", "decay",
    "clip", "order",    "seed",   "held_out",  "save_every", "save_at", "dtype"};

double number_between(const JsonFields& json, const char* key, double low, double high) {
  const double number = json.number(key, low);
  if (!(number >= low && number <= high))
    throw Error("is " + Json(number).dump() + ", expected a number from " + Json(low).dump() + " to " +
                    Json(high).dump(),
                json.place(key), kMend);
  return number;
}

Index whole(const JsonFields& json, const char* key, Index low) {
  return static_cast<Index>(json.whole(key, low, low, kMostSteps));
}

const Json& list(const JsonFields& json, const char* key) {
  const Json& value = json.require(key, kMend);
  if (!value.is_array()) throw Error("is " + json_kind(value) + ", expected a list", json.place(key), kMend);
  return value;
}

Json json_of(const UnfinishedTraining& training) {
  const TrainingPlan& plan = training.plan;
  const ModelTrainingSettings& s = plan.settings;
  std::vector<std::string> texts;
  for (const fs::path& text : plan.texts)
    texts.push_back(fs::absolute(text).string());
  return {{"step", training.step},
          {"tokens", training.tokens},
          {"ids", training.ids},
          {"model", plan.model.string()},
          {"texts", texts},
          {"steps", s.rate.steps},
          {"batch", s.batch},
          {"length", s.length},
          {"rate", s.rate.most},
          {"schedule", word_of(kScheduleWords, s.rate.schedule)},
          {"warmup", s.rate.warmup},
          {"optimizer", word_of(kTrainerWords, s.optimizer)},
          {"momentum", s.momentum},
          {"betas", s.betas},
          {"epsilon", s.epsilon},
          {"decay", s.decay},
          {"clip", s.clip},
          {"order", word_of(kOrderWords, s.order)},
          {"seed", s.seed},
          {"held_out", plan.held_out},
          {"save_every", plan.save_every},
          {"save_at", plan.save_at},
          {"dtype", word_of(kSavedFloatWords, plan.type)}};
}

ModelTrainingSettings settings_in(const JsonFields& json) {
  constexpr double kMostNumber = 1e9;
  constexpr Index kMostSide = Index{1} << 30;
  ModelTrainingSettings s;
  s.batch = std::min(whole(json, "batch", 1), kMostSide);
  s.length = std::min(whole(json, "length", 1), kMostSide);
  s.rate = {number_between(json, "rate", 0, kMostNumber),
            json.choice("schedule", kScheduleWords, RateSchedule::Constant), whole(json, "warmup", 0),
            whole(json, "steps", 1)};
  s.optimizer = json.choice("optimizer", kTrainerWords, OptimizerKind::AdamW);
  s.momentum = number_between(json, "momentum", 0, kMostNumber);
  std::vector<double> betas;
  for (const Json& beta : list(json, "betas"))
    betas.push_back(number_value(beta, json.place("betas")));
  const auto is_share = [](double beta) { return beta >= 0 && beta < 1; };
  if (betas.size() != 2 || !std::all_of(betas.begin(), betas.end(), is_share))
    throw Error("are not two numbers from 0 to 1", json.place("betas"), kMend);
  s.betas = {betas.front(), betas.back()};
  s.epsilon = number_between(json, "epsilon", std::numeric_limits<double>::min(), kMostNumber);
  s.decay = number_between(json, "decay", 0, kMostNumber);
  s.clip = number_between(json, "clip", 0, kMostNumber);
  s.order = json.choice("order", kOrderWords, WindowOrder::Random);
  using Limits = std::numeric_limits<std::int64_t>;
  s.seed = json.whole("seed", 0, Limits::min(), Limits::max());
  return s;
}

// Calls each(name in the file, tensor of the model, matrix) for all matrices of the state.
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

void write_training_record(const fs::path& state, const UnfinishedTraining& training) {
  write_file_atomically(state / kRecord, json_of(training).dump(2) + "\n");
}

std::optional<UnfinishedTraining> read_training_record(const fs::path& state) {
  constexpr std::uint64_t kMostRecord = std::uint64_t{1} << 20;
  const fs::path file = state / kRecord;
  std::error_code unreadable;
  if (!fs::is_regular_file(file, unreadable)) return std::nullopt;
  try {
    require_file(file, kMostRecord);
    const Json document = parse_json(read_file(file));
    const JsonFields json(document, "", kMembers);
    for (const std::string& name : kMembers)
      if (name != "ids") json.require(name, kMend);
    UnfinishedTraining found;
    found.step = whole(json, "step", 0);
    found.tokens = whole(json, "tokens", 0);
    found.ids = json.text("ids", "");
    TrainingPlan& plan = found.plan;
    plan.model = json.text("model", "");
    for (const Json& text : list(json, "texts"))
      plan.texts.emplace_back(text_value(text, json.place("texts")));
    plan.settings = settings_in(json);
    plan.held_out = number_between(json, "held_out", 0, kMostHeldOut);
    plan.save_every = whole(json, "save_every", 0);
    for (const Json& step : list(json, "save_at"))
      plan.save_at.push_back(static_cast<Index>(whole_value(step, json.place("save_at"), 0, kMostSteps)));
    plan.type = json.choice("dtype", kSavedFloatWords, SavedFloat::F32);
    return found;
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

OptimizerTensors read_optimizer_state(const fs::path& state, Index step, const ModelOptimizer::State& fresh,
                                      const TrainedWeights& weights, SavedFloat type) {
  const fs::path file = state / kOptimizer;
  OptimizerTensors read{fresh, {}};
  read.state.steps = step;
  try {
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
