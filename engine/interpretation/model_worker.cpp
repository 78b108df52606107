#include "engine/interpretation/model_worker.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "engine/interpretation/logit_lens.h"
#include "engine/network/layer_at.h"

namespace headlight {
namespace {

std::vector<std::vector<ExpertShare>> experts_at(NetworkPass& pass, Index position) {
  const NetworkConfig& config = pass.network().config();
  std::vector<std::vector<ExpertShare>> experts;
  for (Index layer = 0; config.experts.count > 0 && layer < config.layers; ++layer) {
    std::vector<ExpertShare>& taken = experts.emplace_back();
    if (!config.experts.in_layer(layer)) continue;
    const Matrix shares = pass.expert_shares(layer);
    for (Index expert = 0; expert < shares.cols(); ++expert)
      if (shares(position, expert) > 0) taken.push_back({expert, shares(position, expert)});
    std::stable_sort(taken.begin(), taken.end(),
                     [](const ExpertShare& a, const ExpertShare& b) { return a.share > b.share; });
  }
  return experts;
}

double share(Index done, Index all) {
  return static_cast<double>(done) / static_cast<double>(std::max<Index>(1, all));
}

// Computes layer by layer, to report progress.
void compute_layers(NetworkPass& pass, const std::function<void(double)>& progress) {
  const Index layers = pass.network().config().layers;  // those of an encoder are computed already
  for (Index layer = 0; layer < layers; ++layer) {
    pass.keys(layer);
    progress(share(layer + 1, layers));
  }
}

}  // namespace

ModelResult answer_of(NetworkPass& pass, const ModelState& state, const ModelRequest& request,
                      const std::function<void(double)>& progress) {
  const auto begun = std::chrono::steady_clock::now();
  take_state(pass, state);
  ModelResult answer;
  answer.state = state;
  answer.request = request;
  compute_layers(pass, progress);
  if (pass.network().predicts()) {
    answer.logits = std::make_shared<const Matrix>(pass.logits(request.position, 1));
    answer.predictions = likeliest(answer.logits->row(0), request.top);
    if (request.lens) answer.lens = logit_lens(pass, request.position, request.top);
    if (request.losses && pass.token_count() > 1) answer.losses = token_losses(pass);
    if (request.lens) answer.experts = experts_at(pass, request.position);
  }
  if (request.layer) answer.layer = std::make_shared<const Layer>(layer_at(pass, *request.layer));
  if (request.parts) answer.parts = attribute(pass, *request.parts);
  if (request.parts && request.embeddings) answer.embeddings = embedding_parts(pass, *request.parts);
  if (request.parts && request.sources)
    answer.sources = attribute_sources(pass, *request.parts, request.sources->first, request.sources->second);
  if (request.values) answer.values = std::make_shared<const Matrix>(stage_values(pass, *request.values));
  if (request.picture_side > 0)
    answer.glance = std::make_shared<const HeadsOverview>(overview_of_heads(
        pass, request.picture_side, [&](Index done, Index all) { progress(share(done, all)); }));
  answer.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return answer;
}

void ModelWorker::ask(const ModelState& state, const ModelRequest& request) {
  keeping_.forget();
  job_.start([state, request, pass = pass_, progress = progress_] {
    ModelResult answer;
    *progress = 0;
    try {
      if (!*pass || (*pass)->network_owner() != state.network) pass->emplace(state.network);
      answer = answer_of(**pass, state, request, [&](double part) { *progress = part; });
    } catch (const Stopped&) {
      return answer;  // a newer request has replaced this one
    } catch (const Error& error) {
      answer.failure = error;
    } catch (const std::bad_alloc&) {
      pass->reset();
      answer.failure =
          Error("there is not enough memory for this text", state.network->name(), "give a shorter one");
    }
    if (answer.failure) {
      answer.state = state;
      answer.request = request;
    }
    return answer;
  });
}

std::optional<ModelResult> ModelWorker::take() {
  std::optional<ModelResult> answer = job_.take();
  if (!answer || answer->failure) return answer;
  const std::shared_ptr<const Network> network = answer->state.network;
  const auto is_kept = [](const Network& side) { return kept_share(side.weights()).missing == 0; };
  if (is_kept(*network) && (!network->encoder() || is_kept(*network->encoder()))) return answer;
  keeping_.start([network] {
    if (network->encoder()) keep_panels(network->encoder()->weights());
    return keep_panels(network->weights());
  });
  return answer;
}

void ModelWorker::forget() {
  job_.forget();
  keeping_.forget();
}

}  // namespace headlight
