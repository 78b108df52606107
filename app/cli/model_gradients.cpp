// Gradients of a model, and patches estimated by them.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <span>
#include <sstream>
#include <utility>

#include "app/cli/ask_command.h"
#include "app/cli/changed_pass.h"
#include "app/cli/model_commands.h"
#include "app/export/about.h"
#include "app/export/exported_files.h"
#include "app/figure/plan/names.h"
#include "engine/analysis/analysis.h"
#include "engine/analysis/set_analysis.h"
#include "engine/analysis/tables.h"
#include "engine/analysis/text_set.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/interpretation/patch_estimate.h"
#include "engine/interpretation/patch_map.h"
#include "engine/network/layer_at.h"
#include "engine/network/network_pass.h"
#include "engine/training/decoder_pass.h"

namespace headlight {
namespace {

using TokenNames = std::vector<std::string>;
using TokenAxes = std::vector<std::size_t>;

TextArray stacked(const std::string& name, std::vector<Index> shape, std::span<const Matrix> matrices) {
  TextArray one;
  one.array = {name, std::move(shape), {}};
  for (const Matrix& matrix : matrices)
    one.array.values.insert(one.array.values.end(), matrix.data(), matrix.data() + matrix.size());
  return one;
}

TextArray along_tokens(TextArray one, TokenAxes axes, TokenNames rows, TokenNames columns = {}) {
  one.token_axes = std::move(axes);
  one.rows = std::move(rows);
  one.columns = std::move(columns);
  return one;
}

// T numbers.
TextArray by_token(const std::string& name, std::vector<float> values, TokenNames tokens) {
  TextArray one;
  one.array = {name, {static_cast<Index>(values.size())}, {}};
  one.array.values = std::move(values);
  return along_tokens(std::move(one), {0}, std::move(tokens));
}

// Calls body(row) and names the row in what it throws.
void for_each_row(const DataSet& set, const std::function<void(std::size_t at)>& body) {
  for (std::size_t at = 0; at < set.rows.size(); ++at)
    try {
      body(at);
    } catch (const Error& failure) {
      throw failure.inside("row " + std::to_string(at + 1)).inside(set.file);
    }
}

std::vector<TextArray> of_row(std::vector<TextArray> arrays, const DataSet& set, std::size_t at) {
  const std::vector<Index> tokens = tokens_of_row(set, at);
  for (TextArray& one : arrays)
    one = at_tokens(std::move(one), tokens, names_of_tokens(set));
  return arrays;
}

std::string over_rows(const DataSet& set) {
  return ", the mean over the " + counted(static_cast<std::int64_t>(set.rows.size()), "row", "rows") +
         " of " + set.file;
}

// ---- gradients

Windows windows_of(const TokenIds& ids, const std::string& where) {
  if (ids.size() < 2)
    throw Error("there is one token, and none to predict from it", where, "give at least two tokens");
  Windows windows;
  windows.ids = ids;
  windows.next.assign(ids.begin() + 1, ids.end());
  windows.next.push_back(Windows::kNone);
  return windows;
}

// At its largest; rows: of a set, whose gradients are summed, or stored each.
double bytes_needed(const TrainedWeights& weights, const std::vector<TokenIds>& texts, bool of_set,
                    bool each) {
  const NetworkConfig& c = weights.config();
  Index tokens = 0;
  for (const TokenIds& ids : texts)
    tokens = std::max(tokens, static_cast<Index>(ids.size()));
  const double pairs = static_cast<double>(c.layers * c.heads) * static_cast<double>(tokens * tokens);
  const double numbers = weights.number_count();
  const double of_rows = each     ? sizeof(float) * 2 * numbers * static_cast<double>(texts.size())
                         : of_set ? 3 * sizeof(double) * numbers
                                  : 0;
  return sizeof(float) * (2 * numbers + pairs) + of_rows +
         DecoderPass::bytes(c, 1, tokens, DecoderPass::Storage::Recomputed);
}

// A model whose gradients are computed.
struct Gradiented {
  const std::shared_ptr<const Network>& network;
  const TrainedWeights& weights;
};

// Of one text. by_row: whether of a set the gradients by tensors of each row are stored. loss: receives it.
std::vector<TextArray> gradients_of(const Gradiented& model, const Windows& windows, bool by_row,
                                    double& loss) {
  const TrainedWeights& weights = model.weights;
  const NetworkConfig& c = weights.config();
  DecoderGradients all(weights);
  DecoderPass(weights, DecoderPass::Storage::Recomputed)
      .backward(windows, DecoderPass::Wanted::Everything, all);
  NetworkPass pass(model.network);
  pass.set_ids(windows.ids);
  const TokenNames tokens = token_labels(pass);
  const auto count = static_cast<Index>(tokens.size());
  loss = all.loss;
  std::vector<TextArray> arrays(1);
  arrays.front().array = {"loss", {}, {static_cast<float>(all.loss)}};
  arrays.push_back(by_token("loss_by_token", all.loss_by_token, {tokens.begin() + 1, tokens.end()}));
  arrays.back().first_token = 1;
  const Eigen::RowVectorXf parts =
      pass.residual(0).cwiseProduct(all.residual.front()).rowwise().sum().transpose();
  arrays.push_back(by_token("loss_by_embedding", {parts.begin(), parts.end()}, tokens));
  for (std::size_t i = 0; i < weights.tensors().size(); ++i) {
    Matrix& numbers = all.tensors.matrices[i];
    arrays.push_back(
        stacked("grad." + weights.tensors()[i].name, weights.tensors()[i].shape, std::span(&numbers, 1)));
    arrays.back().by_row = by_row;
    numbers.resize(0, 0);  // so that not all are there twice
  }
  arrays.push_back(
      along_tokens(stacked("grad.residual", {c.layers + 1, count, c.width}, all.residual), {1}, tokens));
  for (Index layer = 0; layer < c.layers; ++layer) {
    const auto heads = static_cast<std::size_t>(c.heads);
    const auto of_layer =
        std::span<const Matrix>(all.weights).subspan(static_cast<std::size_t>(layer) * heads, heads);
    arrays.push_back(along_tokens(
        stacked("grad.layers." + std::to_string(layer) + ".weights", {c.heads, count, count}, of_layer),
        {1, 2}, tokens, tokens));
  }
  return arrays;
}

std::string loss_line(double loss) {
  std::ostringstream line;
  line << "loss " << loss;
  return line.str();
}

// ---- patches

struct NamedPatches {
  PatchStage stage;
  const char* name;
};
constexpr std::array kNamedPatches = {NamedPatches{PatchStage::Residual, "residual"},
                                      NamedPatches{PatchStage::AttentionAdded, "attention_added"},
                                      NamedPatches{PatchStage::MlpAdded, "mlp_added"},
                                      NamedPatches{PatchStage::Context, "context"},
                                      NamedPatches{PatchStage::Weights, "weights"}};

std::optional<std::int32_t> typed_id(const Network& network, const std::string& typed, const char* option) {
  if (typed.empty()) return std::nullopt;
  const bool id = typed.find_first_not_of("0123456789") == std::string::npos;
  try {
    return typed_target(network, id ? "#" + typed : typed).id;
  } catch (const Error& failure) {
    throw Error(failure.summary(), option, failure.hint());
  }
}

// The patches as an analysis: both texts or the set, and whose logit is meant.
Analysis analysis_of(const Network& network, const ModelPatches& requested) {
  Analysis analysis;
  analysis.kind = AnalysisKind::Patches;
  analysis.target = typed_id(network, requested.target, "--target");
  analysis.against = typed_id(network, requested.against, "--against");
  if (requested.set.empty()) {
    analysis.texts = {ids_of(network, requested.text)};
    analysis.others = {ids_of(network, requested.from)};
    return analysis;
  }
  analysis.set = std::make_shared<const DataSet>(read_data_set(network, requested.set));
  if (!analysis.set->has("from"))
    throw Error("patches need a column from, the texts that numbers are taken from", requested.set.string(),
                "add the column");
  for (const char* column : {"target", "against"})
    if (analysis.set->has(column) &&
        (column == std::string_view("target") ? analysis.target : analysis.against))
      throw Error("the set has a column " + std::string(column) + " already", std::string("--") + column,
                  "leave one of them out");
  return analysis;
}

LogitChoice logit_of(NetworkPass& pass, std::optional<std::int32_t> target,
                     std::optional<std::int32_t> against) {
  LogitChoice logit;
  logit.position = predicted_position(pass.network(), pass.ids());
  logit.id = target.value_or(likeliest(pass.logits(logit.position, 1).row(0), 1).front().id);
  logit.other = against;
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
// Whether its columns are heads: all of a head is put in.
bool is_by_head(const NamedArray& array) {
  return !is_of_one_layer(array) && (array.name.ends_with(".context") || array.name.ends_with(".weights"));
}

// With the names of the last axis but one, and of the last one of several. Layers and heads are numbers, the
// stream that leaves the last layer is "end".
TextArray with_names(NamedArray array, const NetworkConfig& c, const TokenNames& tokens) {
  TextArray one;
  one.array = std::move(array);
  const std::size_t axes = one.array.shape.size();
  if (axes == 0) return one;
  if (axes == 1) return along_tokens(std::move(one), {0}, tokens);
  if (axes == 3) return along_tokens(std::move(one), {1, 2}, tokens, tokens);
  TokenNames rows = index_names(is_of_one_layer(one.array) ? c.heads : c.layers);
  if (one.array.name.ends_with(".residual")) rows.emplace_back("end");
  const bool by_head = is_by_head(one.array);
  return along_tokens(std::move(one), by_head ? TokenAxes{} : TokenAxes{1}, std::move(rows),
                      by_head ? index_names(c.heads) : tokens);
}

// Of the texts of both passes. each: also the patches themselves. before: receives the logit without one.
std::vector<TextArray> patches_of(NetworkPass& pass, NetworkPass& source, const LogitChoice& logit, bool each,
                                  double& before) {
  HeadProducts products;
  const PatchEstimate estimate =
      estimate_patches(pass, source, logit, [&](const PatchPlace& place, const Matrix& all) {
        products.take(place, all, pass.network().config().heads);
      });
  before = estimate.before;
  std::vector<NamedArray> arrays = estimate_arrays(estimate, embedding_products(pass, logit));
  arrays.insert(arrays.end(), products.arrays.begin(), products.arrays.end());
  for (const NamedPatches& one : kNamedPatches) {
    if (!each) break;
    Matrix moved = patch_map(pass, source, one.stage, logit, [](Index, Index) {}).logits;
    moved.array() -= static_cast<float>(estimate.before);
    arrays.push_back(matrix_array(std::string("patch.") + one.name, moved));
  }
  std::vector<TextArray> named;
  named.reserve(arrays.size());
  const TokenNames tokens = token_labels(pass);
  for (NamedArray& array : arrays)
    named.push_back(with_names(std::move(array), pass.network().config(), tokens));
  return named;
}

const AnswerArray* array_named(const std::vector<AnswerArray>& arrays, const std::string& name) {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const AnswerArray& one) { return one.array.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

// "residual: correlation 0.98, largest difference 0.31 (layer 2, token 5: 1.20 estimated, 0.89 patched)".
// Tokens of a set have names.
std::string error_line(const NamedPatches& one, const AnswerArray& estimated, const AnswerArray& patched,
                       bool names) {
  const Index rows = estimated.array.shape[0], columns = estimated.array.shape[1];
  const Eigen::Map<const Matrix> estimate(estimated.array.values.data(), rows, columns),
      moved(patched.array.values.data(), rows, columns);
  const EstimateError error = estimate_error(estimate, moved);
  const std::string column = std::to_string(error.column);
  const std::string at = has_heads(one.stage) ? "head " + column
                         : names ? visible_label(estimated.columns[static_cast<std::size_t>(error.column)])
                                 : "token " + column;
  char numbers[120], text[120];
  std::snprintf(text, sizeof text, "correlation %.4f, largest difference %.4f (layer %d, ", error.correlation,
                error.largest, static_cast<int>(error.row));
  std::snprintf(numbers, sizeof numbers, ": %.4f estimated, %.4f patched)",
                static_cast<double>(estimate(error.row, error.column)),
                static_cast<double>(moved(error.row, error.column)));
  return std::string(one.name) + ": " + text + at + numbers;
}

void add_error_lines(ArrayAnswer& answer) {
  for (const NamedPatches& one : kNamedPatches) {
    const AnswerArray* const patched = array_named(answer.arrays, std::string("patch.") + one.name);
    if (!patched) continue;
    const AnswerArray* const estimated = array_named(answer.arrays, std::string("estimate.") + one.name);
    const bool names = answer.set && !answer.set->names.empty();
    answer.lines.push_back(error_line(one, *estimated, *patched, names));
  }
}

std::string logit_line(const Network& network, const LogitChoice& logit, double before) {
  const auto token = [&](std::int32_t id) {
    return std::to_string(id) + ", " + visible_label(network.label(id)) + ", ";
  };
  std::ostringstream line;
  line << "logit of token " << token(logit.id);
  if (logit.other) line << "less that of token " << token(*logit.other);
  line << before;
  return line.str();
}

// Of each row: its `from` is put into its text.
ArrayAnswer patches_of_set(NetworkPass& pass, const Analysis& analysis, bool each) {
  const DataSet& set = *analysis.set;
  NetworkPass source(pass.network_owner());
  const std::vector<Patch> own_patches = pass.patches();
  ArrayAnswer answer;
  answer.set = analysis.set;
  ArrayMeans means;
  for_each_row(set, [&](std::size_t at) {
    const DataRow& row = set.rows[at];
    take_text(pass, row.text, own_patches);
    source.set_ids(row.from);
    const LogitChoice logit = logit_of(pass, row.target ? row.target : analysis.target,
                                       row.against ? row.against : analysis.against);
    double before = 0;
    means.add(of_row(patches_of(pass, source, logit, each, before), set, at));
    answer.metric.push_back(before);
  });
  take_text(pass, set.rows.front().text, own_patches);
  answer.arrays = means.arrays();
  answer.lines = {metric_in_words(target_metric(analysis)) + " " + mean_in_words(answer.metric) +
                  over_rows(set)};
  return answer;
}

ArrayAnswer patches_of_text(NetworkPass& pass, const Analysis& analysis, bool each) {
  NetworkPass source(pass.network_owner());
  source.set_ids(analysis.others.front());
  const LogitChoice logit = logit_of(pass, analysis.target, analysis.against);
  double before = 0;
  std::vector<TextArray> arrays = patches_of(pass, source, logit, each, before);
  ArrayAnswer answer;
  answer.arrays = answer_arrays(arrays);
  answer.lines = {logit_line(pass.network(), logit, before)};
  return answer;
}

void save_and_say(const ArrayAnswer& answer, const std::filesystem::path& output, std::ostream& out) {
  save_array_answer(answer, output);
  for (const std::string& line : answer.lines)
    out << line << "\n";
  out << output.string() << " saved\n";
}

}  // namespace

ArrayAnswer model_gradients(const std::shared_ptr<const Network>& network, const ModelGradients& requested) {
  const std::string folder = requested.folder.string();
  require_decoder(network->config(), network->weights(), folder);
  Analysis analysis;  // for what the answer says of itself
  if (!requested.set.empty())
    analysis.set = std::make_shared<const DataSet>(read_data_set(*network, requested.set));
  else if (requested.text.empty())
    throw Error("a model's folder needs a text", folder,
                "give one with --text, ids with --ids, or a data set with --set");
  else
    analysis.texts = {ids_of(*network, requested.text)};
  const std::vector<TokenIds> texts = analysis.set ? analysis.set->texts() : analysis.texts;
  for (const TokenIds& ids : texts)
    network->require_ids(ids);
  const TrainedWeights weights(*network);
  require_memory_for("computing the gradients",
                     bytes_needed(weights, texts, analysis.set != nullptr, requested.each), folder);
  const Gradiented model{network, weights};
  ArrayAnswer answer;
  answer.set = analysis.set;
  double loss = 0;
  if (analysis.set) {
    ArrayMeans means;
    for_each_row(*analysis.set, [&](std::size_t at) {
      means.add(of_row(gradients_of(model, windows_of(texts[at], "text"), requested.each, loss),
                       *analysis.set, at));
      answer.metric.push_back(loss);
    });
    answer.arrays = means.arrays();
    answer.lines = {"loss " + mean_in_words(answer.metric) + over_rows(*analysis.set)};
  } else {
    const Windows windows = windows_of(texts.front(), requested.text.words ? "--text" : "--ids");
    std::vector<TextArray> arrays = gradients_of(model, windows, false, loss);
    answer.arrays = answer_arrays(arrays);
    answer.lines = {loss_line(loss)};
  }
  answer.about =
      about_gradients(*network, analysis, requested.each, {"", "", {}, {}, requested.set.string()});
  return answer;
}

ArrayAnswer model_patches(ChangedPass& changed, const ModelPatches& requested) {
  if (requested.text.empty() && requested.set.empty())
    throw Error("a model's folder needs a text", requested.folder.string(),
                "give one with --text, ids with --ids, or a data set with --set");
  const Analysis analysis = analysis_of(changed.network(), requested);
  changed.take(requested.changes, analysis.set ? analysis.set->rows.front().text : analysis.texts.front());
  NetworkPass& pass = changed.pass();
  ArrayAnswer answer = analysis.set ? patches_of_set(pass, analysis, requested.each)
                                    : patches_of_text(pass, analysis, requested.each);
  add_error_lines(answer);
  answer.about = about_patches(pass.network(), analysis, requested.each,
                               {"", "", requested.changes, changed.changes(), requested.set.string()});
  return answer;
}

void save_model_gradients(const ModelGradients& requested, std::ostream& out, std::ostream& err) {
  if (requested.output.extension() != ".npz")
    throw Error("gradients are saved as .npz only", requested.output.string(),
                "give a name that ends in .npz");
  require_free(requested.output, requested.force);
  const auto network = std::make_shared<const Network>(requested.folder);
  save_and_say(model_gradients(network, requested), requested.output, out);
  report_omitted(*network, err);
}

void save_patches(const ModelPatches& requested, std::ostream& out, std::ostream& err) {
  if (requested.output.extension() != ".npz")
    throw Error("the effects of patches are saved as .npz only", requested.output.string(),
                "give a name that ends in .npz");
  require_free(requested.output, requested.force);
  if (requested.text.empty() && requested.set.empty())
    throw Error("a model's folder needs a text", requested.folder.string(),
                "give one with --text, ids with --ids, or a data set with --set");
  ChangedPass changed(open_text_model(requested.folder));
  save_and_say(model_patches(changed, requested), requested.output, out);
  report_omitted(changed.network(), err);
}

}  // namespace headlight
