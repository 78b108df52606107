#include "engine/questions/text_reading.h"

#include <algorithm>

#include "engine/core/stopping.h"
#include "engine/questions/words.h"

namespace headlight {
namespace {

void add_weights(NetworkPass& pass, TextReading& reading) {
  for (Index layer = 0; layer < reading.layers; ++layer) {
    throw_if_stopped();
    pass.queries(layer);
    for (Index head = 0; head < reading.heads; ++head)
      reading.weights.push_back(pass.attention_weights(layer, head));
  }
}

void add_predictions(NetworkPass& pass, TextReading& reading, Index top) {
  if (!pass.network().predicts()) return;
  const Matrix logits = pass.logits(0, reading.token_count());
  for (Index position = 0; position < reading.token_count(); ++position) {
    throw_if_stopped();
    reading.next.push_back(likeliest(logits.row(position), top));
    std::vector<std::string>& names = reading.names.emplace_back();
    for (const Prediction& one : reading.next.back())
      names.push_back(pass.network().label(one.id));
  }
}

std::optional<TextHead> leading_head(const TextReading& reading) {
  if (reading.next.empty() || reading.next.back().empty()) return std::nullopt;
  const std::int32_t expected = reading.next.back().front().id;
  std::optional<TextHead> leading;
  float most = 0;
  for (std::size_t i = 0; i < reading.weights.size(); ++i) {
    float looks = 0;
    for (std::size_t key = 0; key < reading.ids.size(); ++key)
      if (reading.ids[key] == expected)
        looks += reading.weights[i](reading.token_count() - 1, static_cast<Index>(key));
    if (!(looks > most)) continue;
    most = looks;
    leading = TextHead{static_cast<Index>(i) / reading.heads, static_cast<Index>(i) % reading.heads};
  }
  return leading;
}

}  // namespace

Eigen::RowVectorXf TextReading::weights_of(Index query, const TextHead& of) const {
  const auto row = [&](Index head) {
    return weights[static_cast<std::size_t>(of.layer * heads + head)].row(query);
  };
  if (of.head) return row(*of.head);
  Eigen::RowVectorXf mean = Eigen::RowVectorXf::Zero(token_count());
  for (Index head = 0; head < heads; ++head)
    mean += row(head);
  return mean / static_cast<float>(heads);
}

TextReading read_text(NetworkPass& pass, const std::string& text, Index top) {
  TextReading reading;
  reading.text = text;
  try {
    pass.set_ids(pass.network().encode(text));
  } catch (const Error& error) {
    reading.failure = error;
    return reading;
  }
  reading.ids = pass.ids();
  for (const std::int32_t id : reading.ids)
    reading.labels.push_back(pass.network().label(id));
  reading.continues = continued_pieces(pass.network(), reading.ids);
  reading.layers = pass.network().config().layers;
  reading.heads = pass.network().config().heads;
  add_weights(pass, reading);
  add_predictions(pass, reading, top);
  reading.leading_head = leading_head(reading);
  return reading;
}

}  // namespace headlight
