#include "app/cli/run_arrays.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

void put_rows(const MatrixRef& rows, const PutBytes& put) {
  for (Index row = 0; row < rows.rows(); ++row)
    put({reinterpret_cast<const char*>(rows.row(row).data()),
         static_cast<std::size_t>(rows.cols()) * sizeof(float)});
}

std::string never_missing(const Network&) {
  return "";
}

std::string no_neurons(const Network& network) {
  return network.config().experts.count > 0
             ? "its MLPs are experts, of which each token takes some: there are no neurons for all tokens"
             : "";
}

std::string no_logits(const Network& network) {
  return network.predicts() ? "" : "it predicts no tokens: " + network.missing_head();
}

void put_residual(NetworkPass& pass, const PutBytes& put) {
  for (Index layer = 0; layer <= pass.network().config().layers; ++layer)
    put_rows(pass.residual(layer), put);
}

void put_weights(NetworkPass& pass, const PutBytes& put) {
  const NetworkConfig& c = pass.network().config();
  for (Index layer = 0; layer < c.layers; ++layer)
    for (Index head = 0; head < c.heads; ++head)
      put_rows(pass.attention_weights(layer, head), put);
}

void put_context(NetworkPass& pass, const PutBytes& put) {
  const NetworkConfig& c = pass.network().config();
  for (Index layer = 0; layer < c.layers; ++layer)
    for (Index head = 0; head < c.heads; ++head)
      put_rows(pass.concat(layer).middleCols(head * c.head_width, c.head_width), put);
}

void put_neurons(NetworkPass& pass, const PutBytes& put) {
  for (Index layer = 0; layer < pass.network().config().layers; ++layer)
    put_rows(pass.mlp_hidden(layer, 0, pass.token_count()), put);
}

void put_logits(NetworkPass& pass, const PutBytes& put) {
  constexpr Index kRows = 64;  // the logits of a long text take gigabytes
  for (Index row = 0; row < pass.token_count(); row += kRows)
    put_rows(pass.logits(row, std::min(kRows, pass.token_count() - row)), put);
}

}  // namespace

const std::vector<RunArray>& run_arrays() {
  static const std::vector<RunArray> arrays = {
      {"residual",
       [](const NetworkPass& pass) -> std::vector<Index> {
         return {pass.network().config().layers + 1, pass.token_count(), pass.network().config().width};
       },
       put_residual, never_missing},
      {"weights",
       [](const NetworkPass& pass) -> std::vector<Index> {
         const NetworkConfig& c = pass.network().config();
         return {c.layers, c.heads, pass.token_count(), pass.token_count()};
       },
       put_weights, never_missing},
      {"context",
       [](const NetworkPass& pass) -> std::vector<Index> {
         const NetworkConfig& c = pass.network().config();
         return {c.layers, c.heads, pass.token_count(), c.head_width};
       },
       put_context, never_missing},
      {"mlp",
       [](const NetworkPass& pass) -> std::vector<Index> {
         const NetworkConfig& c = pass.network().config();
         return {c.layers, pass.token_count(), c.mlp_width};
       },
       put_neurons, no_neurons},
      {"logits",
       [](const NetworkPass& pass) -> std::vector<Index> {
         return {pass.token_count(), pass.network().config().vocabulary};
       },
       put_logits, no_logits},
  };
  return arrays;
}

std::vector<RunArray> chosen_run_arrays(const Network& network, const std::vector<std::string>& names,
                                        const std::string& where) {
  std::vector<RunArray> chosen;
  std::vector<std::string> known;
  for (const RunArray& array : run_arrays()) {
    known.emplace_back(array.name);
    if (names.empty() && array.missing(network).empty()) chosen.push_back(array);
  }
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw Error(in_quotes(name) + " is none of the arrays of a pass", where, nearest_of(name, known));
    const RunArray& array = run_arrays()[static_cast<std::size_t>(found - known.begin())];
    if (const std::string why = array.missing(network); !why.empty())
      throw Error(std::string("the model has no ").append(name).append(": ").append(why), where,
                  "leave it out");
    chosen.push_back(array);
  }
  return chosen;
}

void compute_run(NetworkPass& pass) {
  const Index layers = pass.network().config().layers;
  pass.residual(layers);
}

}  // namespace headlight
