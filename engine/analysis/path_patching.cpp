#include "engine/analysis/path_patching.h"

#include "engine/core/error.h"
#include "engine/core/stopping.h"
#include "engine/interpretation/patch_map.h"
#include "engine/network/layer_steps.h"
#include "engine/network/norms.h"

namespace headlight {
namespace {

using ReaderKind = StreamReader::Kind;

struct HeadReaders {
  ReaderKind kind;
  PatchStage stage;
};
constexpr std::array kHeadReaders = {HeadReaders{ReaderKind::Queries, PatchStage::Queries},
                                     HeadReaders{ReaderKind::Keys, PatchStage::Keys},
                                     HeadReaders{ReaderKind::Values, PatchStage::Values}};

Index heads_of(const NetworkConfig& c, ReaderKind kind) {
  return kind == ReaderKind::Queries ? c.heads : c.kv_heads;
}

// What all heads of the layer make of what they read of the stream, side by side.
Matrix projected(NetworkPass& pass, Index layer, ReaderKind kind, const MatrixRef& stream,
                 Workspace& workspace) {
  const NetworkConfig& c = pass.network().config();
  const LayerWeights& w = pass.layer_weights(layer);
  Matrix read = stream;
  norm_input(c, w.attention_norm, read);
  const Factor& factor = kind == ReaderKind::Queries ? w.query : kind == ReaderKind::Keys ? w.key : w.value;
  Matrix made(read.rows(), factor.outputs);
  multiply(read, factor, made, workspace);
  const HeadRotations turned = pass.rotations(layer);
  if (kind == ReaderKind::Queries) turn_heads(c, w.query_norm, turned.queries, 0, made);
  if (kind == ReaderKind::Keys) turn_heads(c, w.key_norm, turned.keys, 0, made);
  if (kind == ReaderKind::Values) clip_rows(c, made);
  return made;
}

}  // namespace

std::string name_of(const StreamReader& reader) {
  const std::string layer = "L" + std::to_string(reader.layer),
                    head = layer + " H" + std::to_string(reader.head);
  switch (reader.kind) {
    case ReaderKind::Queries:
      return head + " queries";
    case ReaderKind::Keys:
      return head + " keys";
    case ReaderKind::Values:
      return head + " values";
    case ReaderKind::Mlp:
      return layer + " MLP";
    case ReaderKind::Logits:
      return "logits";
  }
  return "";
}

std::vector<StreamPart> senders_of(const NetworkConfig& config) {
  std::vector<StreamPart> senders = {{StreamPart::Kind::Embedding, 0, 0}};
  for (Index layer = 0; layer < config.layers; ++layer) {
    for (Index head = 0; head < config.heads; ++head)
      senders.push_back({StreamPart::Kind::Head, layer, head});
    senders.push_back({StreamPart::Kind::Mlp, layer, 0});
  }
  return senders;
}

std::vector<StreamReader> receivers_of(const NetworkConfig& config) {
  std::vector<StreamReader> receivers;
  for (Index layer = 0; layer < config.layers; ++layer) {
    for (const HeadReaders& readers : kHeadReaders)
      for (Index head = 0; head < heads_of(config, readers.kind); ++head)
        receivers.push_back({readers.kind, layer, head});
    receivers.push_back({ReaderKind::Mlp, layer, 0});
  }
  receivers.push_back({ReaderKind::Logits, config.layers, 0});
  return receivers;
}

bool is_edge(const NetworkConfig& config, const StreamPart& sender, const StreamReader& receiver) {
  if (sender.kind == StreamPart::Kind::Embedding || receiver.kind == ReaderKind::Logits) return true;
  const bool own_mlp =
      sender.kind == StreamPart::Kind::Head && receiver.kind == ReaderKind::Mlp && !config.parallel;
  return sender.layer < receiver.layer || (own_mlp && sender.layer == receiver.layer);
}

void require_paths(const NetworkPass& pass) {
  const Network& network = pass.network();
  const NetworkConfig& c = network.config();
  require_parts(pass);
  network.require_predictions();
  const bool together = c.norm_place == NormPlace::Around;
  if (together || c.head_norms == HeadNorm::Whole)
    throw Error("a model of type " + std::string(family_name(c)) + " norms " +
                    (together ? "what its heads add" : "the queries of its heads") +
                    " together, so that a head sends and receives nothing alone",
                network.name(), "open a model that norms only what its layers read, as gpt2 or llama");
  if (!pass.patches().empty())
    throw Error("patches change the text, and a path is one between two texts as they are", "changes",
                "switch the patches off");
  for (Index layer = 0; layer < c.layers; ++layer)
    for (const HeadState state : pass.heads(layer))
      if (state == HeadState::Mean)
        throw Error("a head of layer " + std::to_string(layer) +
                        " is replaced by its mean, which is no path from token to token",
                    "changes", "switch that change off");
}

std::vector<Matrix> sender_outputs(NetworkPass& pass, const std::vector<StreamPart>& senders) {
  std::vector<Matrix> outputs;
  for (const StreamPart& sender : senders) {
    throw_if_stopped();
    if (sender.kind == StreamPart::Kind::Embedding)
      outputs.emplace_back(pass.residual(0));
    else if (sender.kind == StreamPart::Kind::Head)
      outputs.push_back(head_added(pass, sender.layer, sender.head));
    else
      outputs.push_back(pass.mlp_added(sender.layer, 0, pass.token_count()));
  }
  return outputs;
}

PathPatching::PathPatching(NetworkPass& pass, NetworkPass& source, MlpsBetween mlps,
                           const std::vector<Index>& positions, Index position)
    : pass_(pass), patched_(pass), source_(source), mlps_(mlps), positions_(positions), position_(position) {
  require_paths(pass);
  require_paths(source);
  require_alike(pass, source);
  const NetworkConfig& c = pass_.network().config();
  const Index tokens = pass_.token_count();
  for (const Index at : positions)
    if (at < 0 || at >= tokens)
      throw Error("there is no token " + std::to_string(at), "positions",
                  "they go from 0 to " + std::to_string(tokens - 1));
  for (Index layer = 0; layer < c.layers; ++layer) {
    streams_.emplace_back(pass_.residual(layer));
    middles_.push_back(c.parallel ? Matrix() : pass_.middle(layer, 0, tokens));
    mlps_added_.push_back(pass_.mlp_added(layer, 0, tokens));
  }
  streams_.emplace_back(pass_.residual(c.layers));
}

const Matrix& PathPatching::read_by_mlp(Index layer) const {
  const auto at = static_cast<std::size_t>(layer);
  return pass_.network().config().parallel ? streams_[at] : middles_[at];
}

Matrix PathPatching::made_by_mlp(Index layer, const MatrixRef& read) {
  return mlp_output(pass_.network().config(), pass_.layer_weights(layer), read, workspace_);
}

void PathPatching::to_heads(Index layer, const MatrixRef& read, const Wanted& wanted, const Body& body) {
  const NetworkConfig& c = pass_.network().config();
  for (const HeadReaders& readers : kHeadReaders) {
    Matrix made;
    for (Index head = 0; head < heads_of(c, readers.kind); ++head) {
      const StreamReader receiver{readers.kind, layer, head};
      if (!wanted(receiver)) continue;
      throw_if_stopped();
      if (made.size() == 0) made = projected(pass_, layer, readers.kind, read, workspace_);
      Patch patch{readers.stage, layer, head, 0, 0, made.middleCols(head * c.head_width, c.head_width)};
      patched_.set_patches({patch});
      body({receiver, std::move(patch), patched_.logits(position_, 1)});
    }
  }
}

void PathPatching::to_mlp(Index layer, const MatrixRef& read, const Body& body) {
  Patch patch{PatchStage::MlpAdded, layer, 0, 0, 0, made_by_mlp(layer, read)};
  patched_.set_patches({patch});
  body({{ReaderKind::Mlp, layer, 0}, std::move(patch), patched_.logits(position_, 1)});
}

void PathPatching::send(const StreamPart& sender, const Wanted& wanted, const Body& body) {
  const NetworkConfig& c = pass_.network().config();
  Matrix delta = sender_outputs(source_, {sender}).front() - sender_outputs(pass_, {sender}).front();
  if (!positions_.empty()) {
    Matrix chosen = Matrix::Zero(delta.rows(), delta.cols());
    for (const Index at : positions_)
      chosen.row(at) = delta.row(at);
    delta = std::move(chosen);
  }
  for (Index layer = 0; layer < c.layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    if (is_edge(c, sender, {ReaderKind::Queries, layer, 0}))
      to_heads(layer, streams_[at] + delta, wanted, body);
    if (!is_edge(c, sender, {ReaderKind::Mlp, layer, 0})) continue;
    const Matrix read = read_by_mlp(layer) + delta;
    if (wanted({ReaderKind::Mlp, layer, 0})) to_mlp(layer, read, body);
    if (mlps_ == MlpsBetween::Recomputed) delta += made_by_mlp(layer, read) - mlps_added_[at];
  }
  if (wanted({ReaderKind::Logits, c.layers, 0}))
    body({{ReaderKind::Logits, c.layers, 0},
          std::nullopt,
          pass_.logits_of((streams_.back() + delta).middleRows(position_, 1))});
}

}  // namespace headlight
