#include "engine/analysis/lens_map.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/core/stopping.h"
#include "engine/interpretation/predictions.h"

namespace headlight {
namespace {

constexpr Index kLensRows = 32;  // rows of logits at a time

}  // namespace

LensMap lens_map(NetworkPass& pass, const std::vector<std::int32_t>& targets, const LogitChoice& chosen,
                 const std::function<void(Index, Index)>& done) {
  pass.network().require_predictions();
  LensMap map;
  map.layers = pass.network().config().layers + 1;
  map.tokens = pass.token_count();
  map.likeliest.resize(static_cast<std::size_t>(map.layers * map.tokens));
  map.probability.resize(map.layers, map.tokens);
  map.rank.resize(map.layers, map.tokens);
  map.chosen.resize(map.layers, map.tokens);
  for (Index layer = 0; layer < map.layers; ++layer) {
    const Matrix stream = pass.residual(layer);
    for (Index begin = 0; begin < map.tokens; begin += kLensRows) {
      throw_if_stopped();
      const Index count = std::min(kLensRows, map.tokens - begin);
      const Matrix logits = pass.logits_of(stream.middleRows(begin, count));
      for_each_index(count, static_cast<double>(logits.size()), [&](Index i) {
        const Index token = begin + i;
        LogitChoice choice = chosen;
        choice.id = targets[static_cast<std::size_t>(token)];
        map.chosen(layer, token) = static_cast<float>(chosen_value(logits.row(i), choice));
        const TokenLoss target = loss_of(logits.row(i), choice.id);
        map.probability(layer, token) = static_cast<float>(target.probability);
        map.rank(layer, token) = static_cast<float>(target.rank);
        map.likeliest[static_cast<std::size_t>(layer * map.tokens + token)] =
            likeliest(logits.row(i), 1).front();
      });
    }
    done(layer + 1, map.layers);
  }
  return map;
}

}  // namespace headlight
