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
    const NetworkConfig& c = network->config();
    const std::vector<std::int32_t> ids = {0, static_cast<std::int32_t>(c.vocabulary - 1)};
    if (network->reads_images()) {
      constexpr Index kMostNumbers = 1 << 20;
      if (c.image.channels * c.image.height * c.image.width > kMostNumbers) return 0;
      pass.set_image(Matrix::Zero(c.image.channels, c.image.height * c.image.width));
    } else {
      pass.set_ids(ids);
    }
    if (network->encoder()) {
      pass.encoder()->set_ids(ids);
      pass.follow_encoder();
    }
    const Index layers = c.layers;
    require(pass.residual(layers).rows() == pass.token_count(), "the stream has a row for each token");
    if (network->predicts())
      require(pass.logits(1, 1).cols() == c.vocabulary, "there is a logit for each token");
    pass.attention_weights(layers - 1, 0);
  } catch (const Error&) {
  }
  return 0;
}
