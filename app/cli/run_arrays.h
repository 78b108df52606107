// The arrays of a pass over a text, with all layers in one: what `headlight serve` and `compute --keep` give.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

// Takes the bytes of an array, float32 in rows, one piece after the other.
using PutBytes = std::function<void(std::string_view bytes)>;

struct RunArray {
  std::string_view name;
  std::vector<Index> (*shape)(const NetworkPass& pass);
  // Computes it as it goes, so that not all of it is in memory.
  void (*write)(NetworkPass& pass, const PutBytes& put);
  // Why a model has no such array; "" if it has.
  std::string (*missing)(const Network& network);
};

// residual (L + 1, T, d), weights (L, H, T, T), context (L, H, T, d_v), mlp (L, T, width), logits (T, V).
const std::vector<RunArray>& run_arrays();

// Those of the names; with no names all that the model has. where: names the list in messages. Throws Error
// for another name, and for an array that the model does not have.
std::vector<RunArray> chosen_run_arrays(const Network& network, const std::vector<std::string>& names,
                                        const std::string& where);

// Computes all layers, so that writing fails no more.
void compute_run(NetworkPass& pass);

}  // namespace headlight
