#include "engine/analysis/dictionary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/arrays/catalog.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/stopping.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

class DictionaryFile {
 public:
  explicit DictionaryFile(const std::filesystem::path& file) : file_(file) {
    for (const ArrayEntry& entry : list_arrays(file))
      names_.push_back(entry.name);
  }

  bool has(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  NamedArray require(const std::string& name) const {
    if (!has(name)) {
      std::string all;
      for (std::size_t i = 0; i < names_.size() && i < 8; ++i)
        all += (i == 0 ? "" : ", ") + names_[i];
      throw Error("there is no array " + name + "; the file has " + (all.empty() ? "none" : all),
                  file_.string(), "give a dictionary with W_enc, W_dec, b_enc and b_dec");
    }
    NamedArray array = read_array(file_, name);
    for (const float value : array.values)
      if (!std::isfinite(value))
        throw Error(name + " has numbers that are not finite", file_.string(),
                    "save the dictionary again from a training that did not diverge");
    return array;
  }

  Matrix matrix(const std::string& name, Index rows, Index columns) const {
    NamedArray array = require(name);
    require_shape(array, {rows, columns});
    return Eigen::Map<const Matrix>(array.values.data(), rows, columns);
  }

  Eigen::RowVectorXf row(const std::string& name, Index count) const {
    const NamedArray array = require(name);
    require_shape(array, {count});
    return Eigen::Map<const Eigen::RowVectorXf>(array.values.data(), count);
  }

  // F, once W_enc is known to have d rows.
  Index feature_count(Index width) const {
    const std::vector<Index> shape = require("W_enc").shape;
    if (shape.size() != 2)
      throw Error("W_enc is " + shape_text(shape) + ", expected " + std::to_string(width) + " x features",
                  file_.string(), "give a matrix");
    if (shape[0] != width)
      throw Error("W_enc is " + shape_text(shape) + ": it reads " + std::to_string(shape[0]) +
                      " numbers, and the model has " + std::to_string(width) + " at this place",
                  file_.string(),
                  shape[1] == width ? "transpose the matrix" : "take a dictionary of this model");
    return shape[1];
  }

 private:
  void require_shape(const NamedArray& array, const std::vector<Index>& shape) const {
    if (array.shape != shape)
      throw Error(array.name + " is " + shape_text(array.shape) + ", expected " + shape_text(shape),
                  file_.string(), "give arrays of one dictionary");
  }

  std::filesystem::path file_;
  std::vector<std::string> names_;
};

// SAELens' description of the encoding, if it stands beside the file.
Json settings_beside(const std::filesystem::path& file) {
  const std::filesystem::path settings = file.parent_path() / "cfg.json";
  std::error_code none;
  if (!std::filesystem::exists(settings, none)) return Json::object();
  Json json = parse_json(read_text_file(settings));
  if (!json.is_object()) throw Error("it is no object", settings.string(), "give the cfg.json of SAELens");
  return json;
}

std::string text_of(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

Index largest_features(const Json& json) {
  for (const Json* const from :
       {&json, json.contains("activation_fn_kwargs") ? &json["activation_fn_kwargs"] : &json})
    if (from->is_object() && from->contains("k") && (*from)["k"].is_number_integer())
      return (*from)["k"].get<Index>();
  return 0;
}

// In newer files of SAELens the names of places stand in an object of their own.
std::string place_in(const Json& json, const char* key) {
  const std::string own = text_of(json, key);
  return own.empty() && json.contains("metadata") && json["metadata"].is_object()
             ? text_of(json["metadata"], key)
             : own;
}

// What a transcoder encodes, by the name of the place as TransformerLens has it.
TranscoderInput input_of(const std::string& hook, const std::string& where) {
  if (hook.empty() || hook.ends_with("mlp.hook_in")) return TranscoderInput::MlpInput;
  if (hook.ends_with("ln2.hook_normalized")) return TranscoderInput::Normalized;
  if (hook.ends_with("hook_mlp_in") || hook.ends_with("hook_resid_mid")) return TranscoderInput::Stream;
  throw Error("the dictionary reads " + hook + ", which is no input of an MLP", where,
              "take a transcoder that reads what the MLP reads, or say what it does");
}

// The architectures of transcoders, and those of the encoders that they have.
struct TranscoderKind {
  const char *name, *encoder;
  bool skip;  // whether it has W_skip
};
constexpr std::array<TranscoderKind, 5> kTranscoders = {{{"transcoder", "standard", false},
                                                         {"skip_transcoder", "standard", true},
                                                         {"jumprelu_transcoder", "jumprelu", false},
                                                         {"jumprelu_skip_transcoder", "jumprelu", true},
                                                         {"topk_transcoder", "topk", false}}};

// Finds out whether it is a transcoder, and what it encodes. `architecture` becomes that of its encoder; one
// that is not known stays as it is.
void read_transcoder(const Json& json, const std::string& where, std::string& architecture,
                     Dictionary& dictionary) {
  const auto* const kind = std::find_if(kTranscoders.begin(), kTranscoders.end(),
                                        [&](const TranscoderKind& one) { return one.name == architecture; });
  const bool named = kind != kTranscoders.end();
  if (named && kind->skip && dictionary.skip.size() == 0)
    throw Error("there is no array W_skip, and cfg.json says " + architecture, where, "give W_skip");
  if (named) architecture = kind->encoder;
  const std::string in = place_in(json, "hook_name"), out = place_in(json, "hook_name_out");
  const bool between = !out.empty() && out != in;
  if (!dictionary.reads && (named || between || dictionary.skip.size() > 0))
    dictionary.reads = input_of(in, where);
  if (dictionary.reads && !out.empty() && !out.ends_with("hook_mlp_out") && !out.ends_with("mlp.hook_out"))
    throw Error("the dictionary writes " + out + ", which is not what an MLP adds", where,
                "take a transcoder of an MLP");
}

void read_encoding(const Json& json, const std::string& where, Dictionary& dictionary) {
  const auto refuse = [&](const std::string& what) {
    throw Error(
        "the dictionary's " + what + " is not computed here", where,
        "take one of architecture standard, jumprelu or topk, or a transcoder of one of them, without "
        "other settings");
  };
  std::string architecture = text_of(json, "architecture");
  read_transcoder(json, where, architecture, dictionary);
  const std::string norm = text_of(json, "normalize_activations"),
                    function = text_of(
                        json, json.contains("activation_fn_str") ? "activation_fn_str" : "activation_fn");
  if (!architecture.empty() && architecture != "standard" && architecture != "jumprelu" &&
      architecture != "topk")
    refuse("architecture " + architecture);
  if (!norm.empty() && norm != "none") refuse("normalize_activations " + norm);
  if (!function.empty() && function != "relu" && function != "topk") refuse("activation_fn " + function);
  if (json.contains("rescale_acts_by_decoder_norm") && json["rescale_acts_by_decoder_norm"] == true)
    refuse("rescale_acts_by_decoder_norm");
  if (architecture == "topk" || function == "topk") {
    dictionary.most = largest_features(json);
    if (dictionary.most < 1) refuse("number k of a topk");
  }
  if (architecture == "jumprelu" && dictionary.threshold.size() == 0)
    throw Error("there is no array threshold, and cfg.json says jumprelu", where, "give the threshold");
  const bool said = json.contains("apply_b_dec_to_input") && json["apply_b_dec_to_input"].is_boolean();
  dictionary.bias_subtracted =
      said ? json["apply_b_dec_to_input"].get<bool>() : dictionary.threshold.size() == 0 && !dictionary.reads;
  dictionary.how =
      (dictionary.threshold.size() > 0 ? std::string("a threshold by feature")
       : dictionary.most > 0           ? "the " + std::to_string(dictionary.most) + " largest of each token"
                                       : std::string("ReLU")) +
      (dictionary.bias_subtracted ? ", b_dec subtracted first" : ", b_dec not subtracted") +
      (said ? ", by cfg.json" : ", as such dictionaries mostly are: no cfg.json says so") +
      (dictionary.skip.size() > 0 ? "; with a skip connection" : "");
}

double squared(const MatrixRef& rows) {
  return rows.cast<double>().squaredNorm();
}

double share_left(const MatrixRef& rows, const MatrixRef& reconstruction) {
  if (rows.rows() < 2) return std::numeric_limits<double>::quiet_NaN();
  const Matrix centred = rows.rowwise() - rows.colwise().mean();
  const double all = squared(centred);
  return all > 0 ? squared(rows - reconstruction) / all : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Dictionary read_dictionary(const std::filesystem::path& path, Index width,
                           std::optional<TranscoderInput> reads) {
  const DictionaryFile file(path);
  const Index features = file.feature_count(width);
  Dictionary dictionary;
  dictionary.encoder = file.matrix("W_enc", width, features);
  dictionary.decoder = file.matrix("W_dec", features, width);
  dictionary.encoder_bias = file.row("b_enc", features);
  dictionary.decoder_bias = file.row("b_dec", width);
  if (file.has("threshold")) {
    dictionary.threshold = file.row("threshold", features);
  } else if (file.has("log_threshold")) {
    dictionary.threshold = file.row("log_threshold", features).array().exp();
  }
  if (file.has("W_skip")) dictionary.skip = file.matrix("W_skip", width, width);
  dictionary.reads = reads;
  read_encoding(settings_beside(path), path.string(), dictionary);
  return dictionary;
}

Matrix feature_activations(const Dictionary& dictionary, const MatrixRef& rows) {
  Matrix read = rows;
  if (dictionary.bias_subtracted) read.rowwise() -= dictionary.decoder_bias;
  throw_if_stopped();
  Matrix made = read * dictionary.encoder;
  made.rowwise() += dictionary.encoder_bias;
  for (Index row = 0; row < made.rows(); ++row) {
    auto numbers = made.row(row).array();
    if (dictionary.threshold.size() > 0) {
      numbers = (numbers > dictionary.threshold.array() && numbers > 0).select(numbers, 0.0f);
      continue;
    }
    numbers = numbers.max(0.0f);
    if (dictionary.most == 0 || dictionary.most >= numbers.size()) continue;
    std::vector<Index> order(static_cast<std::size_t>(numbers.size()));
    std::iota(order.begin(), order.end(), 0);
    std::nth_element(order.begin(), order.begin() + dictionary.most, order.end(), [&](Index a, Index b) {
      return numbers(a) > numbers(b) || (numbers(a) == numbers(b) && a < b);
    });
    for (auto at = order.begin() + dictionary.most; at != order.end(); ++at)
      numbers(*at) = 0;
  }
  return made;
}

Matrix reconstruction(const Dictionary& dictionary, const MatrixRef& activations, const MatrixRef& rows) {
  Matrix made = dictionary.decoder_bias.replicate(activations.rows(), 1);
  for (Index row = 0; row < activations.rows(); ++row)
    for (Index feature = 0; feature < activations.cols(); ++feature)
      if (activations(row, feature) != 0)
        made.row(row) += activations(row, feature) * dictionary.decoder.row(feature);
  if (dictionary.skip.size() > 0) made += rows * dictionary.skip.transpose();
  return made;
}

Unexplained unexplained(const MatrixRef& rows, const MatrixRef& reconstruction) {
  Unexplained left;
  const Index behind = rows.rows() - 1;
  left.share = share_left(rows, reconstruction);
  left.share_behind_first = share_left(rows.bottomRows(behind), reconstruction.bottomRows(behind));
  left.by_token =
      ((rows - reconstruction).rowwise().squaredNorm().array() / rows.rowwise().squaredNorm().array());
  return left;
}

}  // namespace headlight
