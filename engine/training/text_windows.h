// Texts as one stream of ids, and the windows of it that a model is trained on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/torch_stream.h"
#include "engine/network/network.h"
#include "engine/training/decoder_pass.h"

namespace headlight {

// The ids of text files, one after the other, as the model's tokenizer makes them of each, with the end of
// text between two where the tokenizer has one (a special token such as <|endoftext|>). Throws Error if there
// is no tokenizer, for a file that cannot be read or is no UTF-8 of at most 16 MiB, and for an id without an
// embedding.
std::vector<std::int32_t> ids_of_files(const Network& network,
                                       const std::vector<std::filesystem::path>& files);

// Random: windows begin where torch.randint(0, ids - T, (B,)) draws after manual_seed(seed). Sequential: they
// begin at 0, T, 2T and so on, and anew at 0 when the next one would pass the end.
enum class WindowOrder { Random, Sequential };

class WindowStream {
 public:
  // A window is T + 1 ids: T go into the model, and the last T are to be predicted. Throws Error if there are
  // fewer ids.
  WindowStream(std::vector<std::int32_t> ids, Index length, WindowOrder order, std::int64_t seed);

  std::vector<Index> next_begins(Index count);
  Windows next(Index count);  // B windows

 private:
  std::vector<std::int32_t> ids_;
  Index length_ = 0;
  WindowOrder order_;
  TorchStream stream_;
  Index place_ = 0;  // where the next sequential window begins
};

}  // namespace headlight
