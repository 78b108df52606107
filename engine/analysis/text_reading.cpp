#include "engine/analysis/text_reading.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/analysis/words.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

void add_weights(NetworkPass& pass, TextReading& reading, Index from_layer) {
  reading.weights.resize(static_cast<std::size_t>(from_layer * reading.heads));
  for (Index layer = from_layer; layer < reading.layers; ++layer) {
    throw_if_stopped();
    pass.queries(layer);
    for (Index head = 0; head < reading.heads; ++head)
      reading.weights.push_back(pass.attention_weights(layer, head));
  }
}

void add_predictions(NetworkPass& pass, TextReading& reading, Index top) {
  if (!pass.network().predicts()) return;
  reading.next.clear();
  reading.names.clear();
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

// A pass is left as it is without a supposition, whatever ends the reading.
struct Supposition {
  NetworkPass& pass;
  Supposition(NetworkPass& of, const std::vector<Patch>& patches) : pass(of) { pass.set_patches(patches); }
  ~Supposition() { pass.set_patches({}); }
  Supposition(const Supposition&) = delete;
  Supposition& operator=(const Supposition&) = delete;
};

}  // namespace

double MovedAttention::part(Index key) const {
  return std::max(0.0, 1 - std::abs(to - static_cast<double>(key)));
}

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
  reading.causal = pass.network().config().causal;
  add_weights(pass, reading, 0);
  add_predictions(pass, reading, top);
  reading.leading_head = leading_head(reading);
  return reading;
}

Eigen::RowVectorXf moved_row(Eigen::RowVectorXf row, const MovedAttention& moved) {
  const float share = std::exchange(row(moved.from), 0.0f);
  for (Index key = 0; key < row.size(); ++key)
    row(key) += share * static_cast<float>(moved.part(key));
  return row;
}

std::vector<Patch> patches_of(const TextReading& as_it_is, const MovedAttention& moved) {
  std::vector<Patch> patches;
  for (Index head = 0; head < as_it_is.heads; ++head) {
    if (moved.of.head && *moved.of.head != head) continue;
    Patch& patch = patches.emplace_back();
    patch.stage = PatchStage::Weights;
    patch.layer = moved.of.layer;
    patch.head = head;
    patch.row = moved.query;
    patch.values = moved_row(as_it_is.weights_of(moved.query, {moved.of.layer, head}), moved);
  }
  return patches;
}

TextReading read_supposing(NetworkPass& pass, const TextReading& as_it_is, const MovedAttention& moved,
                           Index top) {
  TextReading reading = as_it_is;
  reading.supposed = moved;
  pass.set_ids(as_it_is.ids);
  const Supposition supposition(pass, patches_of(as_it_is, moved));
  add_weights(pass, reading, moved.of.layer);
  add_predictions(pass, reading, top);
  return reading;
}

}  // namespace headlight
