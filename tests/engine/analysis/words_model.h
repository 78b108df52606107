// The bundled model of words, opened once.
#pragma once

#include <memory>

#include "engine/network/network_pass.h"
#include "tests/support/places.h"

namespace headlight_test {

inline const auto kUnwatched = [](double) {};

inline const std::shared_ptr<const headlight::Network>& words_network() {
  static const auto network =
      std::make_shared<const headlight::Network>(source_root() + "/assets/examples/words");
  return network;
}

inline const headlight::Network& words() {
  return *words_network();
}

inline headlight::NetworkPass words_pass() {
  return headlight::NetworkPass(words_network());
}

}  // namespace headlight_test
