#include "engine/analysis/score_parts.h"

#include <cmath>

#include "engine/core/error.h"

namespace headlight {
namespace {

// What makes queries or keys of the stream.
struct ScoreSide {
  const Factor& projection;
  const NormWeights& head_norm;
  const Rotation* rotation;
  Index head;
};

// Of heads side by side: each part of the head through the norm of heads, with its divisor held. whole: the
// sum of all parts, of all heads.
Eigen::MatrixXd through_head_norm(const NetworkConfig& c, const ScoreSide& side,
                                  const Eigen::RowVectorXd& whole, Eigen::MatrixXd parts) {
  if (side.head_norm.empty()) return parts;
  const Index width = c.head_width, begin = side.head * width;
  if (c.head_norms == HeadNorm::Whole) {
    Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(parts.rows(), whole.size());
    wide.middleCols(begin, width) = parts;
    return through_held_norm(c, side.head_norm, whole, std::move(wide)).middleCols(begin, width);
  }
  NormWeights own = side.head_norm;
  if (c.head_norms == HeadNorm::EachHead) own.weight = side.head_norm.weight.segment(begin, width);
  Eigen::MatrixXd normed = through_held_norm(c, own, whole.segment(begin, width), std::move(parts));
  if (own.bias.size() > 0) normed.bottomRows(1) += own.bias.cast<double>();
  return normed;
}

// The queries or keys that each part of a token's stream makes: P x d_k; the biases are the last part's.
Eigen::MatrixXd projected_parts(NetworkPass& pass, Index layer, Index token, const ScoreSide& side) {
  const NetworkConfig& c = pass.network().config();
  const NormWeights& norm = pass.layer_weights(layer).attention_norm;
  const Eigen::RowVectorXd stream = pass.residual_row(layer, token).row(0).cast<double>();
  Eigen::MatrixXd rows = through_held_norm(c, norm, stream, rows_of_parts(pass, layer, token).cast<double>());
  if (!norm.empty() && norm.bias.size() > 0) rows.bottomRows(1) += norm.bias.cast<double>();
  const Eigen::MatrixXd weights = widened(side.projection).cast<double>();
  const Matrix bias = widened_bias(side.projection);
  Eigen::MatrixXd made = rows * weights.middleCols(side.head * c.head_width, c.head_width);
  Eigen::RowVectorXd whole = Eigen::RowVectorXd::Zero(weights.cols());
  if (bias.size() > 0) {
    made.bottomRows(1) += bias.row(0).segment(side.head * c.head_width, c.head_width).cast<double>();
    whole = bias.row(0).cast<double>();
  }
  if (!side.head_norm.empty()) whole += rows.colwise().sum() * weights;
  made = through_head_norm(c, side, whole, std::move(made));
  if (!side.rotation) return made;
  for (Index part = 0; part < made.rows(); ++part) {
    const Matrix row = made.row(part).cast<float>();
    Matrix turned(1, row.cols());
    side.rotation->apply_rope(row, token, turned);
    made.row(part) = turned.row(0).cast<double>();
  }
  return made;
}

void require_place(const NetworkConfig& c, Index tokens, const ScorePlace& place) {
  const auto check = [](const char* what, Index at, Index count) {
    if (at < 0 || at >= count)
      throw Error("there is no " + std::string(what) + " " + std::to_string(at), what,
                  "they go from 0 to " + std::to_string(count - 1));
  };
  check("layer", place.layer, c.layers);
  check("head", place.head, c.heads);
  check("query", place.query, tokens);
  check("key", place.key, tokens);
  if (c.causal && place.key > place.query)
    throw Error("the query " + std::to_string(place.query) + " does not see the later key " +
                    std::to_string(place.key),
                "key", "give a key that is not behind the query");
}

void require_sums(const Network& network) {
  const NetworkConfig& c = network.config();
  if (c.clip > 0)
    throw Error("the model cuts queries and keys off, so that they are no sums of parts", network.name(),
                "take a model that does not");
  if (c.head_norms == HeadNorm::Whole && c.norm == NormKind::Layer)
    throw Error("the model subtracts the mean over all heads from queries and keys, which is no part of one",
                family_name(c), "take a model whose norms of queries and keys are of single heads");
}

void require_unchanged(const ScoreText& text, Index layer) {
  const std::string of_layer = "layer " + std::to_string(layer);
  for (const Patch& patch : text.patches)
    if (patch.layer == layer && (patch.stage == PatchStage::Queries || patch.stage == PatchStage::Keys))
      throw Error("a patch overwrites queries or keys of " + of_layer + ", which are then no sums of parts",
                  "changes", "switch the patch off");
  if (text.intervenes(InterventionPlace::Queries, layer) || text.intervenes(InterventionPlace::Keys, layer))
    throw Error(
        "an intervention changes queries or keys of " + of_layer + ", which are then no sums of parts",
        "changes", "switch the intervention off");
  // What an intervention makes of the stream that enters layer 0 is the embedding's part.
  for (Index before = 1; before <= layer; ++before)
    if (text.intervenes(InterventionPlace::Residual, before))
      throw Error("an intervention changes the stream that enters layer " + std::to_string(before) +
                      ", which is then no sum of what heads and MLPs add",
                  "changes", "switch the intervention off");
}

}  // namespace

void require_score(const Network& network, const ScoreText& text, const ScorePlace& place) {
  require_parts(network, text.patches);
  require_place(network.config(), text.tokens, place);
  require_sums(network);
  require_unchanged(text, place.layer);
}

ScoreParts score_parts(NetworkPass& pass, const ScorePlace& place) {
  require_score(pass.network(),
                {pass.token_count(), pass.patches(),
                 [&](InterventionPlace where, Index layer) { return pass.intervenes(where, layer); }},
                place);
  const Index width = pass.network().config().head_width;
  const LayerWeights& w = pass.layer_weights(place.layer);
  const Layer& frame = pass.layer_frame(place.layer);
  const Index group = frame.kv_head_of(place.head);
  const HeadRotations turned = pass.rotations(place.layer);
  const auto scale = static_cast<double>(frame.scale_factor());
  const Eigen::MatrixXd queries = projected_parts(pass, place.layer, place.query,
                                                  {w.query, w.query_norm, turned.queries, place.head}),
                        keys = projected_parts(pass, place.layer, place.key,
                                               {w.key, w.key_norm, turned.keys, group});
  ScoreParts found;
  found.parts = parts_before(pass.network(), place.layer);
  found.cells = (queries * keys.transpose() * scale).cast<float>();
  const Eigen::RowVectorXd
      query = pass.queries(place.layer).row(place.query).segment(place.head * width, width).cast<double>(),
      key = pass.keys(place.layer).row(place.key).segment(group * width, width).cast<double>();
  found.score = query.dot(key) * scale;
  return found;
}

Index strongest_key(NetworkPass& pass, Index layer, Index head, Index query) {
  Index key = 0;
  pass.attention_weights(layer, head).row(query).maxCoeff(&key);
  return key;
}

}  // namespace headlight
