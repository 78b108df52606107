// Gradients of a model, and patches estimated by them.
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <span>
#include <utility>

#include "app/cli/changed_pass.h"
#include "app/cli/model_commands.h"
#include "app/export/about.h"
#include "app/export/exported_files.h"
#include "app/figure/plan/names.h"
#include "engine/analysis/analysis.h"
#include "engine/analysis/tables.h"
#include "engine/analysis/text_set.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/zip_writer.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/patch_estimate.h"
#include "engine/interpretation/patch_map.h"
#include "engine/network/layer_at.h"
#include "engine/network/network_pass.h"
#include "engine/training/decoder_pass.h"

namespace headlight {
namespace {

NamedArray stacked(const std::string& name, std::vector<Index> shape, std::span<const Matrix> matrices) {
  NamedArray array{name, std::move(shape), {}};
  for (const Matrix& matrix : matrices)
    array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
  return array;
}

// embeddings: T x d, the stream that enters the first layer.
void save_arrays(const ModelGradients& requested, const TrainedWeights& weights, const Matrix& embeddings,
                 const DecoderGradients& all) {
  const NetworkConfig& c = weights.config();
  const Index tokens = all.residual.front().rows();
  AtomicFile file(requested.output);
  ZipWriter archive(file);
  const auto add = [&](const NamedArray& array) { archive.add(array.name + ".npy", npy_bytes(array)); };
  add({"loss", {}, {static_cast<float>(all.loss)}});
  add({"loss_by_token", {tokens - 1}, all.loss_by_token});
  const Eigen::RowVectorXf parts = embeddings.cwiseProduct(all.residual.front()).rowwise().sum().transpose();
  add({"loss_by_embedding", {tokens}, {parts.begin(), parts.end()}});
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
  windows.ids = ids_of(network, text);
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

struct NamedPatches {
  PatchStage stage;
  const char* name;
};
constexpr std::array kNamedPatches = {NamedPatches{PatchStage::Residual, "residual"},
                                      NamedPatches{PatchStage::AttentionAdded, "attention_added"},
                                      NamedPatches{PatchStage::MlpAdded, "mlp_added"},
                                      NamedPatches{PatchStage::Context, "context"},
                                      NamedPatches{PatchStage::Weights, "weights"}};

// The patches as an analysis: both texts, and whose logit is meant.
Analysis analysis_of(const Network& network, const ModelPatches& requested) {
  const auto token = [&](const std::string& typed, const char* option) -> std::optional<std::int32_t> {
    if (typed.empty()) return std::nullopt;
    const bool id = typed.find_first_not_of("0123456789") == std::string::npos;
    try {
      return typed_target(network, id ? "#" + typed : typed).id;
    } catch (const Error& failure) {
      throw Error(failure.summary(), option, failure.hint());
    }
  };
  Analysis analysis;
  analysis.kind = AnalysisKind::Patches;
  analysis.texts = {ids_of(network, requested.text)};
  analysis.others = {ids_of(network, requested.from)};
  analysis.target = token(requested.target, "--target");
  analysis.against = token(requested.against, "--against");
  return analysis;
}

LogitChoice logit_of(NetworkPass& pass, const Analysis& analysis) {
  LogitChoice logit;
  logit.position = predicted_position(pass.network(), pass.ids());
  logit.id = analysis.target.value_or(likeliest(pass.logits(logit.position, 1).row(0), 1).front().id);
  logit.other = analysis.against;
  if (logit.other == logit.id)
    throw Error("the logit of token " + std::to_string(logit.id) + " less itself is 0", "--against",
                "give another token, or leave it out");
  return logit;
}

// What the estimates of single tokens and weights are saved from: by layer, heads one after the other.
struct HeadProducts {
  std::vector<NamedArray> arrays;

  void take(const PatchPlace& place, const Matrix& products, Index heads) {
    if (place.stage != PatchStage::Weights) return;
    if (place.head == 0)
      arrays.push_back({"estimate.layers." + std::to_string(place.layer) + ".weights",
                        {heads, products.rows(), products.cols()},
                        {}});
    std::vector<float>& values = arrays.back().values;
    values.insert(values.end(), products.data(), products.data() + products.size());
  }
};

NamedArray matrix_array(const std::string& name, const Matrix& matrix) {
  return {name, {matrix.rows(), matrix.cols()}, {matrix.data(), matrix.data() + matrix.size()}};
}

// Gradient x embedding of each token: T numbers.
std::vector<float> embedding_products(NetworkPass& pass, const LogitChoice& logit) {
  std::vector<float> sums;
  logit_gradients(pass, logit, GradientsOf::Embedding, [&](const PatchPlace&, const MatrixRef& gradient) {
    for (Index token = 0; token < gradient.rows(); ++token)
      sums.push_back(pass.residual(0).row(token).dot(gradient.row(token)));
  });
  return sums;
}

std::vector<NamedArray> estimate_arrays(const PatchEstimate& estimate, std::vector<float> embeddings) {
  const auto tokens = static_cast<Index>(embeddings.size());
  std::vector<NamedArray> arrays = {{"logit", {}, {static_cast<float>(estimate.before)}},
                                    {"logit_by_embedding", {tokens}, std::move(embeddings)}};
  for (const NamedPatches& one : kNamedPatches)
    arrays.push_back(matrix_array(std::string("estimate.") + one.name, estimate.of(one.stage)));
  for (std::size_t layer = 0; layer < estimate.context_by_token.size(); ++layer)
    arrays.push_back(matrix_array("estimate.layers." + std::to_string(layer) + ".context",
                                  estimate.context_by_token[layer]));
  return arrays;
}

bool is_of_one_layer(const NamedArray& array) {
  return array.name.find(".layers.") != std::string::npos;
}

// The names of the last axis but one, and of the last one of several. Layers and heads are numbers, the
// stream that leaves the last layer is "end".
std::vector<std::string> rows_of(const NamedArray& array, const NetworkConfig& c,
                                 const std::vector<std::string>& tokens) {
  if (array.shape.size() != 2) return tokens;
  if (is_of_one_layer(array)) return index_names(c.heads);
  std::vector<std::string> layers = index_names(c.layers);
  if (array.name.ends_with(".residual")) layers.emplace_back("end");
  return layers;
}
std::vector<std::string> columns_of(const NamedArray& array, const NetworkConfig& c,
                                    const std::vector<std::string>& tokens) {
  const bool heads = array.name.ends_with(".context") || array.name.ends_with(".weights");
  return heads && !is_of_one_layer(array) ? index_names(c.heads) : tokens;
}

// Adds rows.NAME and columns.NAME for each array NAME.
void add_names(const NetworkPass& pass, std::vector<NamedArray>& arrays) {
  const NetworkConfig& c = pass.network().config();
  const std::vector<std::string> tokens = token_labels(pass);
  std::vector<NamedArray> names;
  const auto add = [&](const std::string& name, std::vector<std::string> of) {
    names.push_back({name, {static_cast<Index>(of.size())}, {}, std::move(of)});
  };
  for (const NamedArray& array : arrays) {
    if (!array.shape.empty()) add("rows." + array.name, rows_of(array, c, tokens));
    if (array.shape.size() > 1) add("columns." + array.name, columns_of(array, c, tokens));
  }
  arrays.insert(arrays.end(), std::make_move_iterator(names.begin()), std::make_move_iterator(names.end()));
}

// "residual: correlation 0.98, largest difference 0.31 (layer 2, token 5: 1.20 estimated, 0.89 patched)".
std::string error_line(const NamedPatches& one, const Matrix& estimated, const Matrix& moved) {
  const EstimateError error = estimate_error(estimated, moved);
  char text[160];
  std::snprintf(text, sizeof text,
                "correlation %.4f, largest difference %.4f (layer %d, %s %d: %.4f estimated, %.4f patched)",
                error.correlation, error.largest, static_cast<int>(error.row),
                has_heads(one.stage) ? "head" : "token", static_cast<int>(error.column),
                static_cast<double>(estimated(error.row, error.column)),
                static_cast<double>(moved(error.row, error.column)));
  return std::string(one.name) + ": " + text;
}

}  // namespace

void save_model_gradients(const ModelGradients& requested, std::ostream& out, std::ostream& err) {
  if (requested.output.extension() != ".npz")
    throw Error("gradients are saved as .npz only", requested.output.string(),
                "give a name that ends in .npz");
  require_free(requested.output, requested.force);
  const auto owner = std::make_shared<const Network>(requested.folder);
  const Network& network = *owner;
  require_decoder(network.config(), network.weights(), requested.folder.string());
  const Windows windows = windows_of(network, requested.text, requested.folder.string());
  const TrainedWeights weights(network);
  require_memory_for("computing the gradients", bytes_needed(weights, windows.length()),
                     requested.folder.string());
  DecoderGradients all(weights);
  DecoderPass(weights, DecoderPass::Storage::Recomputed)
      .backward(windows, DecoderPass::Wanted::Everything, all);
  NetworkPass pass(owner);
  pass.set_ids(windows.ids);
  save_arrays(requested, weights, pass.residual(0), all);
  out << "loss " << all.loss << "\n" << requested.output.string() << " saved\n";
  report_omitted(network, err);
}

void save_patches(const ModelPatches& requested, std::ostream& out, std::ostream& err) {
  if (requested.output.extension() != ".npz")
    throw Error("the effects of patches are saved as .npz only", requested.output.string(),
                "give a name that ends in .npz");
  require_free(requested.output, requested.force);
  if (requested.text.empty())
    throw Error("a model's folder needs a text", requested.folder.string(),
                "give one with --text, or ids with --ids");
  ChangedPass changed(open_text_model(requested.folder));
  const Analysis analysis = analysis_of(changed.network(), requested);
  changed.take(requested.changes, analysis.texts.front());
  NetworkPass& pass = changed.pass();
  NetworkPass source(pass.network_owner());
  source.set_ids(analysis.others.front());
  const LogitChoice logit = logit_of(pass, analysis);
  HeadProducts products;
  const PatchEstimate estimate =
      estimate_patches(pass, source, logit, [&](const PatchPlace& place, const Matrix& all) {
        products.take(place, all, pass.network().config().heads);
      });
  std::vector<NamedArray> arrays = estimate_arrays(estimate, embedding_products(pass, logit));
  arrays.insert(arrays.end(), products.arrays.begin(), products.arrays.end());
  std::vector<std::string> lines;
  for (const NamedPatches& one : kNamedPatches) {
    if (!requested.each) break;
    Matrix moved = patch_map(pass, source, one.stage, logit, [](Index, Index) {}).logits;
    moved.array() -= static_cast<float>(estimate.before);
    lines.push_back(error_line(one, estimate.of(one.stage), moved));
    arrays.push_back(matrix_array(std::string("patch.") + one.name, moved));
  }
  add_names(pass, arrays);
  arrays.push_back({"about",
                    {},
                    {},
                    {about_patches(pass.network(), analysis, requested.each,
                                   {"", "", requested.changes, changed.changes()})}});
  write_npz(requested.output, arrays);
  const auto token = [&](std::int32_t id) {
    return std::to_string(id) + ", " + visible_label(pass.network().label(id)) + ", ";
  };
  if (logit.other)
    out << "logit of token " << token(logit.id) << "less that of token " << token(*logit.other)
        << estimate.before << "\n";
  else
    out << "logit of token " << token(logit.id) << estimate.before << "\n";
  for (const std::string& line : lines)
    out << line << "\n";
  out << requested.output.string() << " saved\n";
  report_omitted(pass.network(), err);
}

}  // namespace headlight
