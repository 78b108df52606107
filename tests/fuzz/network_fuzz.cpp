// Whole models: the bytes before the first byte 1 are config.json, the rest is model.safetensors. Whatever
// they contain, either a forward pass of two tokens has results of the right shape, or the folder is
// rejected.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/network/network_pass.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

namespace {

// In memory if /dev/shm exists, because each input is written there.
std::filesystem::path folder() {
  static const std::filesystem::path made = [] {
    const std::filesystem::path shared = "/dev/shm";
    const std::filesystem::path base =
        std::filesystem::exists(shared) ? shared : std::filesystem::temp_directory_path();
    const std::filesystem::path path = base / ("headlight-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    return path;
  }();
  return made;
}

void write(const char* name, const std::string& bytes) {
  std::ofstream(folder() / name, std::ios::binary) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input = text_of(data, size);
  const std::size_t cut = std::min(input.find('\1'), input.size());
  write("config.json", input.substr(0, cut));
  write("model.safetensors", input.substr(std::min(cut + 1, input.size())));
  try {
    const auto network = std::make_shared<const Network>(folder());
    NetworkPass pass(network);
    pass.set_ids({0, static_cast<std::int32_t>(network->config().vocabulary - 1)});
    const Index layers = network->config().layers;
    require(pass.residual(layers).rows() == 2, "the stream has a row for each token");
    if (network->predicts())
      require(pass.logits(1, 1).cols() == network->config().vocabulary, "there is a logit for each token");
    pass.attention_weights(layers - 1, 0);
  } catch (const Error&) {
  }
  return 0;
}
