#include "app/cli/model_commands.h"

#include <algorithm>
#include <numeric>

#include "app/cli/changed_pass.h"
#include "app/cli/run_arrays.h"
#include "app/export/exported_files.h"
#include "app/export/model_picture.h"
#include "app/export/stage_numbers.h"
#include "app/figure/paint/file_format.h"
#include "app/figure/plan/names.h"
#include "app/settings/version.h"
#include "app/terminal/terminal_text.h"
#include "engine/arrays/catalog.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/npy_header.h"
#include "engine/arrays/zip_writer.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/open_image.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/layer_at.h"

namespace headlight {
namespace {

void add_array(ZipWriter& archive, const NamedArray& array) {
  archive.add(array.name + ".npy", npy_bytes(array));
}

NamedArray array_of(const std::string& name, std::vector<Index> shape, const MatrixRef& rows) {
  NamedArray array{name, std::move(shape), {}};
  for (Index row = 0; row < rows.rows(); ++row)
    array.values.insert(array.values.end(), rows.row(row).data(), rows.row(row).data() + rows.cols());
  return array;
}

// prefix: of the side, or empty.
void add_residual(ZipWriter& archive, NetworkPass& pass, const std::string& prefix = "") {
  const NetworkConfig& config = pass.network().config();
  NamedArray residual{prefix + "residual", {config.layers + 1, pass.token_count(), config.width}, {}};
  for (Index layer = 0; layer <= config.layers; ++layer) {
    const MatrixRef rows = pass.residual(layer);
    residual.values.insert(residual.values.end(), rows.data(), rows.data() + rows.size());
  }
  add_array(archive, residual);
}

void add_layer(ZipWriter& archive, NetworkPass& pass, Index layer) {
  const std::string prefix = "layers." + std::to_string(layer) + ".";
  const Index tokens = pass.token_count();
  const Matrix read = pass.attention_input(layer);
  add_array(archive, array_of(prefix + "embeddings", {tokens, read.cols()}, read));
  const Evaluator evaluator = evaluate(layer_at(pass, layer));
  for (NamedArray& stage : every_stage({evaluator, ""})) {
    if (stage.name == stage_info(Stage::Embeddings).name || stage.name == stage_info(Stage::Dropped).name)
      continue;
    stage.name.insert(0, prefix);
    stage.shape.erase(stage.shape.begin());  // the axis of the single sequence
    add_array(archive, stage);
  }
  if (!pass.layer_weights(layer).experts.empty()) {
    const Matrix shares = pass.expert_shares(layer);
    add_array(archive, array_of(prefix + "experts", {tokens, shares.cols()}, shares));
  }
}

// The weights of the heads of each chosen layer, as PREFIXlayers.N.weights.
void add_weights(ZipWriter& archive, const std::string& prefix, const std::vector<std::int32_t>& layers,
                 Index heads, const std::function<Matrix(Index layer, Index head)>& weights_of) {
  for (const std::int32_t layer : layers) {
    NamedArray array{prefix + "layers." + std::to_string(layer) + ".weights", {heads, 0, 0}, {}};
    for (Index head = 0; head < heads; ++head) {
      const Matrix weights = weights_of(layer, head);
      array.shape = {heads, weights.rows(), weights.cols()};
      array.values.insert(array.values.end(), weights.data(), weights.data() + weights.size());
    }
    add_array(archive, array);
  }
}

std::vector<std::int32_t> chosen_layers(const ModelArrays& requested, Index layers) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(layers));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int32_t> chosen = requested.layers.value_or(all);
  for (const std::int32_t layer : chosen)
    if (layer >= layers)
      throw Error("there is no layer " + std::to_string(layer), "--layers",
                  "the layers are 0 to " + std::to_string(layers - 1));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

// Throws Error if the model takes another kind of input than the one that is given.
void require_input_of(const Network& network, const ModelArrays& requested) {
  const std::string where = requested.folder.string();
  if (network.reads_images() != !requested.image.empty())
    throw Error(network.reads_images() ? "the model reads images" : "the model reads texts", where,
                network.reads_images() ? "give one with --image" : "give one with --text, or ids with --ids");
  if (network.reads_images() && !requested.text.empty())
    throw Error("the model reads images", where, "leave --text and --ids out");
  if ((network.encoder() != nullptr) != !requested.decoder_ids.empty())
    throw Error(
        network.encoder() ? "the model has two sides" : "the model has one side", where,
        network.encoder() ? "give the ids of its decoder with --decoder-ids" : "leave --decoder-ids out");
  if (!requested.keep.empty() && (network.reads_images() || network.encoder()))
    throw Error("--keep goes with models that read one text", where, "leave it out");
  if (!requested.changes.empty() && (network.reads_images() || network.encoder()))
    throw Error("changes apply to models that read one text", where, "leave --changes out");
  if (!network.reads_images() && requested.text.empty())
    throw Error("a model's folder needs a text", where, "give one with --text, or ids with --ids");
}

// Saves the arrays that are kept, with all layers in one.
void save_run(NetworkPass& pass, const ModelArrays& requested) {
  const std::vector<RunArray> kept = chosen_run_arrays(pass.network(), requested.keep, "--keep");
  compute_run(pass);
  AtomicFile file(requested.output);
  ZipWriter archive(file);
  archive.add("ids.npy", npy_bytes(pass.ids()));
  for (const RunArray& array : kept) {
    const std::vector<Index> shape = array.shape(pass);
    const std::string head = npy_header_bytes(shape, "<f4");
    std::uint64_t size = sizeof(float);
    for (const Index axis : shape)
      size *= static_cast<std::uint64_t>(axis);
    archive.add(std::string(array.name) + ".npy", head.size() + size, [&](const ZipWriter::Put& put) {
      put(head);
      array.write(pass, put);
    });
  }
  archive.finish();
  file.commit();
}

void compute_text(const std::shared_ptr<const Network>& opened, const ModelArrays& requested) {
  ChangedPass changed(opened);
  changed.take(requested.changes, ids_of(*opened, requested.text), requested.token_types);
  NetworkPass& pass = changed.pass();
  const Network* const network = &pass.network();
  if (!requested.keep.empty()) return save_run(pass, requested);
  const std::vector<std::int32_t> layers = chosen_layers(requested, network->config().layers);
  AtomicFile file(requested.output);
  ZipWriter archive(file);
  archive.add("ids.npy", npy_bytes(pass.ids()));
  add_residual(archive, pass);
  if (network->predicts()) {
    const Matrix logits = pass.logits(0, pass.token_count());
    add_array(archive, array_of("logits", {logits.rows(), logits.cols()}, logits));
  }
  for (const std::int32_t layer : layers)
    add_layer(archive, pass, layer);
  archive.finish();
  file.commit();
}

void add_side(ZipWriter& archive, NetworkPass& pass, const std::string& side, const ModelArrays& requested) {
  archive.add(side + "ids.npy", npy_bytes(pass.ids()));
  add_residual(archive, pass, side);
  const Matrix left = pass.output();
  add_array(archive, array_of(side + "output", {left.rows(), left.cols()}, left));
  const NetworkConfig& c = pass.network().config();
  add_weights(archive, side, chosen_layers(requested, c.layers), c.heads,
              [&](Index layer, Index head) { return pass.attention_weights(layer, head); });
}

void compute_two_sides(const std::shared_ptr<const Network>& network, const ModelArrays& requested) {
  NetworkPass decoder(network);
  NetworkPass& encoder = *decoder.encoder();
  encoder.set_ids(ids_of(*network->encoder(), requested.text), requested.token_types);
  decoder.set_ids(requested.decoder_ids);
  decoder.follow_encoder();
  AtomicFile file(requested.output);
  ZipWriter archive(file);
  add_side(archive, encoder, "encoder.", requested);
  add_side(archive, decoder, "decoder.", requested);
  const NetworkConfig& c = network->config();
  add_weights(archive, "cross.", chosen_layers(requested, c.layers), c.heads,
              [&](Index layer, Index head) { return decoder.cross_weights(layer, head); });
  if (network->predicts()) {
    const Matrix logits = decoder.logits(0, decoder.token_count());
    add_array(archive, array_of("logits", {logits.rows(), logits.cols()}, logits));
  }
  archive.finish();
  file.commit();
}

void compute_image(const std::shared_ptr<const Network>& network, const ModelArrays& requested) {
  NetworkPass pass(network);
  pass.set_image(read_image(requested.image, *network).pixels);
  const NetworkConfig& c = network->config();
  const std::vector<std::int32_t> layers = chosen_layers(requested, c.layers);
  AtomicFile file(requested.output);
  ZipWriter archive(file);
  add_residual(archive, pass);
  if (network->predicts()) {
    const Matrix logits = pass.logits(0, 1);
    add_array(archive, array_of("logits", {logits.cols()}, logits));
  }
  add_weights(archive, "", layers, c.heads,
              [&](Index layer, Index head) { return pass.attention_weights(layer, head); });
  archive.finish();
  file.commit();
}

// Largest side of a head's picture in a map, and the T x T x layers above which computing takes long.
constexpr Index kMapSide = 256, kLongMap = 1'000'000;

}  // namespace

void compute_model(const ModelArrays& requested, std::ostream& err) {
  if (requested.output.extension() != ".npz")
    throw Error("the stages are saved as .npz only", requested.output.string(),
                "give a name that ends in .npz");
  require_free(requested.output, requested.force);
  const auto network = std::make_shared<const Network>(requested.folder);
  require_input_of(*network, requested);
  if (network->encoder())
    compute_two_sides(network, requested);
  else if (network->reads_images())
    compute_image(network, requested);
  else
    compute_text(network, requested);
  report_omitted(*network, err);
}

void print_predictions(const std::filesystem::path& folder, const GivenText& text, Index count,
                       std::ostream& out, std::ostream& err) {
  NetworkPass pass = load_pass(folder, text);
  const Network& network = pass.network();
  const Index position = predicted_position(network, pass.ids());
  const Matrix logits = pass.logits(position, 1);
  const std::string at = visible_label(network.label(pass.ids()[static_cast<std::size_t>(position)]));
  out << (network.config().causal ? "behind" : "in the place of") << " token " << position << ", " << at
      << ":\n";
  std::vector<std::vector<std::string>> lines = {{"rank", "id", "probability", "logit", "token"}};
  for (const Prediction& one : likeliest(logits.row(0), count))
    lines.push_back({std::to_string(lines.size()), std::to_string(one.id),
                     four_decimals(100 * one.probability) + " %",
                     four_decimals(static_cast<double>(one.logit)), visible_label(network.label(one.id))});
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t column = 0; column + 1 < line.size(); ++column) {
      std::size_t width = 0;
      for (const std::vector<std::string>& other : lines)
        width = std::max(width, terminal_width(other[column]));
      out << right_aligned(line[column], width) << "  ";
    }
    out << line.back() << '\n';
  }
  report_omitted(network, err);
}

void export_model_map(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  check_options(options.figure, Stage::Weights);
  const std::filesystem::path& folder = options.files.front();
  if (options.files.size() > 1 || !is_model_folder(folder))
    throw Error("a map is one model's", folder.string(),
                "give the folder of one model, with --text or --ids");
  const std::optional<FigureFormat> format = figure_format(options.output);
  if (!format)
    throw Error("a map is a figure", options.output.string(), "give a name that ends in .png, .svg or .pdf");
  require_free(options.output, options.force);
  NetworkPass pass = load_pass(folder, options.text);
  if (pass.token_count() * pass.token_count() * pass.network().config().layers > kLongMap)
    err << "headlight: computing " << folder.string() << std::endl;
  const HeadsOverview glance = overview_of_heads(pass, kMapSide, [](Index, Index) {});
  const std::string title = pass.network().name();
  FigureOptions look = options.figure;
  look.percent = !look.many_numbers;
  look.text = options.text.words.value_or("");
  const FigureGrid figure = model_map(glance, token_labels(pass), title, look, *format);
  const std::string program = std::string("Headlight ") + kVersion;
  write_file_atomically(
      options.output, figure_file(figure, *format, options.figure.dpi, {figure.title, title, program}).bytes);
  if (std::filesystem::is_regular_file(options.output)) out << options.output.string() << " saved\n";
  report_omitted(pass.network(), err);
}

}  // namespace headlight
