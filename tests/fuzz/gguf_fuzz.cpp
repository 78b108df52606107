// GGUF files: whatever the bytes are, either a forward pass of two tokens has results of the right shape, and
// the tokenizer inside gives ids of its vocabulary, or the file is rejected.
#include "engine/network/network_pass.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file("GGUF" + text_of(data, size));
  try {
    const auto network = std::make_shared<const Network>(file.path());
    if (const auto& tokenizer = network->tokenizer())
      for (const std::int32_t id : tokenizer->encode("It's 12 words\n"))
        require(id >= 0 && id < tokenizer->size(), "an id is below the size");
    NetworkPass pass(network);
    pass.set_ids({0, static_cast<std::int32_t>(network->config().vocabulary - 1)});
    require(pass.residual(network->config().layers).rows() == 2, "the stream has a row for each token");
    require(pass.logits(1, 1).cols() == network->config().vocabulary, "there is a logit for each token");
  } catch (const Error&) {
  }
  return 0;
}
