#include <span>

#include "app/cli/model_commands.h"
#include "app/export/exported_files.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/zip_writer.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/training/decoder_pass.h"

namespace headlight {
namespace {

NamedArray stacked(const std::string& name, std::vector<Index> shape, std::span<const Matrix> matrices) {
  NamedArray array{name, std::move(shape), {}};
  for (const Matrix& matrix : matrices)
    array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
  return array;
}

void save_arrays(const ModelGradients& requested, const TrainedWeights& weights,
                 const DecoderGradients& all) {
  const NetworkConfig& c = weights.config();
  const Index tokens = all.residual.front().rows();
  AtomicFile file(requested.output);
  ZipWriter archive(file);
  const auto add = [&](const NamedArray& array) { archive.add(array.name + ".npy", npy_bytes(array)); };
  add({"loss", {}, {static_cast<float>(all.loss)}});
  add({"loss_by_token", {tokens - 1}, all.loss_by_token});
  for (std::size_t i = 0; i < weights.tensors().size(); ++i)
    add(stacked("grad." + weights.tensors()[i].name, weights.tensors()[i].shape,
                std::span(&all.tensors.matrices[i], 1)));
  add(stacked("grad.residual", {c.layers + 1, tokens, c.width}, all.residual));
  for (Index layer = 0; layer < c.layers; ++layer)
    add(stacked("grad.layers." + std::to_string(layer) + ".weights", {c.heads, tokens, tokens},
                std::span(all.weights)
                    .subspan(static_cast<std::size_t>(layer * c.heads), static_cast<std::size_t>(c.heads))));
  archive.finish();
  file.commit();
}

Windows windows_of(const Network& network, const GivenText& text, const std::string& folder) {
  if (text.empty())
    throw Error("a model's folder needs a text", folder, "give one with --text, or ids with --ids");
  Windows windows;
  windows.ids = text.words ? network.encode(*text.words) : text.ids;
  network.require_ids(windows.ids);
  if (windows.ids.size() < 2)
    throw Error("there is one token, and none to predict from it", text.words ? "--text" : "--ids",
                "give at least two tokens");
  windows.next.assign(windows.ids.begin() + 1, windows.ids.end());
  windows.next.push_back(Windows::kNone);
  return windows;
}

double bytes_needed(const TrainedWeights& weights, Index tokens) {
  const NetworkConfig& c = weights.config();
  const double pairs = static_cast<double>(c.layers * c.heads) * static_cast<double>(tokens * tokens);
  return sizeof(float) * (2 * weights.number_count() + pairs) +
         DecoderPass::bytes(c, 1, tokens, DecoderPass::Storage::Recomputed);
}

}  // namespace

void save_model_gradients(const ModelGradients& requested, std::ostream& out, std::ostream& err) {
  if (requested.output.extension() != ".npz")
    throw Error("gradients are saved as .npz only", requested.output.string(),
                "give a name that ends in .npz");
  require_free(requested.output, requested.force);
  const Network network(requested.folder);
  require_decoder(network.config(), network.weights(), requested.folder.string());
  const Windows windows = windows_of(network, requested.text, requested.folder.string());
  const TrainedWeights weights(network);
  require_memory_for("computing the gradients", bytes_needed(weights, windows.length()),
                     requested.folder.string());
  DecoderGradients all(weights);
  DecoderPass(weights, DecoderPass::Storage::Recomputed)
      .backward(windows, DecoderPass::Wanted::Everything, all);
  save_arrays(requested, weights, all);
  out << "loss " << all.loss << "\n" << requested.output.string() << " saved\n";
  report_omitted(network, err);
}

}  // namespace headlight
