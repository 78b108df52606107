#include "engine/array_import/array_model.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

// The layer that receives arrays without a session; none of it remains in the result.
Layer bare_model() {
  Layer layer;
  layer.tokens = {"0"};
  layer.attention.projection = Projection::Weights;
  layer.attention.d_out = 1;
  layer.given_weights = {1, 1, {Matrix::Ones(1, 1)}};
  return layer;
}

[[noreturn]] void refuse_missing(const std::string& what, const ArrayChoices& choices, const char* hint) {
  throw Error(what, choices.entries()[choices.chosen().front()].name, hint);
}

// Without a session there are no values for what no array gives.
void require_whole(const ArrayChoices& choices) {
  const ArrayPlan& plan = *choices.plan();
  constexpr std::array kGiven = {"queries", "keys", "values"};
  for (std::size_t p = 0; p < kGiven.size(); ++p)
    if (plan.projection == Projection::Given && plan.given[p] != PartSource::Given)
      refuse_missing(std::string("the ") + kGiven[p] + " are missing among the arrays", choices,
                     "save queries, keys and values together");
  const bool needs_input = plan.projection == Projection::None || plan.projection == Projection::Linear;
  if (needs_input && !plan.embeddings_given)
    refuse_missing("what the weights are multiplied with is missing among the arrays", choices,
                   "save it beside them as hidden_states or embeddings, T x d_in");
  if (plan.projection != Projection::Linear) return;
  for (const Parameter p : kParameters)
    if (plan.weight(p) != PartSource::Given && plan.weight(p) != PartSource::Unused)
      refuse_missing(std::string("W_") + parameter_name(p) +
                         " is missing among the arrays, and would be drawn at random",
                     choices, "save it beside the others");
}

ArrayChoices choose(const std::filesystem::path& path, const ArrayOptions& answers, const Layer& layer,
                    ArrayModel& result) {
  ArrayListing listing = list_array_file(path);
  if (listing.problem) throw *listing.problem;
  if (listing.config_problem)
    result.assumed.push_back(std::string("not used: ") + listing.config_problem->what());
  LayerHints hints;
  hints.config = std::move(listing.config);
  ArrayChoices choices(std::move(listing.entries), layer, std::move(hints), std::move(listing.facts));
  const auto read_all = [&] {
    while (const auto entry = choices.unread())
      choices.set_facts(*entry, read_facts(path, choices.entries()[*entry].name), layer);
  };
  read_all();
  choices.answer(answers, layer);
  read_all();  // for another layer
  return choices;
}

}  // namespace

ArrayModel load_arrays(const std::filesystem::path& path, const ArrayOptions& answers) {
  const Layer layer = bare_model();
  ArrayModel result;
  const ArrayChoices choices = choose(path, answers, layer, result);
  const std::string file = path.string();
  if (choices.chosen().empty()) {
    const ArrayEntry& first = choices.entries().front();
    if (first.problem) throw *first.problem;
    throw Error(
        "no array has a place in a session", file + "[" + first.name + "]",
        "name them as a layer has them: queries, keys, values, attentions, hidden_states, q_proj.weight");
  }
  if (const auto problem = choices.refusal())
    throw problem->where().find(file) == 0 ? *problem : problem->inside(file);
  require_whole(choices);
  ArrayOutcome outcome = place_from_file(choices.order_for(path, std::make_shared<Layer>(layer)));
  if (outcome.problem) throw *outcome.problem;
  const std::vector<std::string> assumed = choices.assumed();
  result.assumed.insert(result.assumed.end(), assumed.begin(), assumed.end());
  result.layer = *outcome.layer;
  return result;
}

}  // namespace headlight
