#include "engine/learning/training_settings.h"

#include <algorithm>
#include <cmath>

#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

void require_in_range(double number, bool good, const std::string& name, const std::string& hint) {
  if (std::isfinite(number) && good) return;
  std::string what = " is " + shortest_digits(number);
  if (std::isnan(number)) what = " is not a number";
  if (std::isinf(number)) what = " is infinite";
  throw Error("the " + name + what, "training." + name, hint);
}

void check_beta(double beta, std::size_t at) {
  if (beta >= 0 && beta < 1) return;
  throw Error(std::string(at == 0 ? "the first" : "the second") + " beta is " + shortest_digits(beta) +
                  ", expected 0 or more and less than 1",
              "training.betas[" + std::to_string(at) + "]", "the usual ones are [0.9, 0.999]");
}

std::string names_of_parts(const Layer& layer) {
  std::string names;
  for (const TrainedPart part : kTrainedParts)
    if (has_part(layer, part)) names += (names.empty() ? "" : ", ") + std::string(part_name(part));
  return names;
}

void check_parts(const Layer& layer, const std::vector<TrainedPart>& parts) {
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const std::string where = "training.parameters[" + std::to_string(part - parts.begin()) + "]";
    const std::string name = part_name(*part);
    if (std::find(parts.begin(), part, *part) != part)
      throw Error("\"" + name + "\" is named twice", where, "name each one once");
    if (has_part(layer, *part)) continue;
    const std::string names = names_of_parts(layer);
    throw Error("the session computes nothing from \"" + name + "\"", where,
                names.empty() ? "nothing of it can be trained" : "it has " + names);
  }
}

}  // namespace

const char* part_name(TrainedPart part) {
  return part == TrainedPart::Embeddings ? "embeddings" : parameter_name(weights_of(part));
}

Parameter weights_of(TrainedPart part) {
  return kParameters[static_cast<std::size_t>(part) - 1];
}

bool has_part(const Layer& layer, TrainedPart part) {
  if (part != TrainedPart::Embeddings) return layer.uses(weights_of(part));
  const Projection projection = layer.attention.projection;
  return projection == Projection::None || projection == Projection::Linear;
}

std::vector<TrainedPart> trained_parts(const Layer& layer, const TrainingSettings& settings) {
  std::vector<TrainedPart> parts = settings.parameters;
  std::sort(parts.begin(), parts.end());
  if (!parts.empty()) return parts;
  for (const TrainedPart part : kTrainedParts)
    if (part != TrainedPart::Embeddings && has_part(layer, part)) parts.push_back(part);
  return parts;
}

void validate_training(const Layer& layer, const TrainingSettings& settings) {
  require_in_range(settings.rate, settings.rate >= 0, "rate", "write a number of 0 or more, such as 0.1");
  require_in_range(settings.momentum, settings.momentum >= 0, "momentum",
                   "write a number of 0 or more, such as 0.9");
  for (std::size_t i = 0; i < settings.betas.size(); ++i)
    check_beta(settings.betas[i], i);
  require_in_range(settings.epsilon, settings.epsilon > 0, "epsilon",
                   "write a number above 0, such as 1e-8: it keeps a division from being by 0");
  require_in_range(settings.decay, settings.decay >= 0, "decay", "write a number of 0 or more, such as 0.01");
  check_parts(layer, settings.parameters);
  if (settings.steps < 0 || settings.steps > kMostSteps)
    throw Error("the steps are " + std::to_string(settings.steps), "training.steps",
                "write how many were taken, 0 or more");
}

}  // namespace headlight
