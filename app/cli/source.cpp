#include "app/cli/source.h"

#include <utility>

#include "engine/array_import/array_model.h"
#include "engine/checkpoint/gguf_model.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"

namespace headlight {
namespace {

void require_layer(const NetworkPass& pass, Index layer) {
  const Index layers = pass.network().config().layers;
  if (layer < layers) return;
  throw Error("there is no layer " + std::to_string(layer), "--layer",
              "the layers are 0 to " + std::to_string(layers - 1));
}

bool is_of_arrays(const Source& source) {
  return is_array_file(source.path) && !is_model_folder(source.path) && source.text.empty();
}

}  // namespace

bool is_model_folder(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) || is_gguf_file(path);
}

void require_exists(const std::filesystem::path& path) {
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable))
    throw Error("there is no such file or folder", path.string(), "check the name");
}

std::string source_name(const Source& source) {
  if (!is_model_folder(source.path)) return source.path.stem().string();
  const bool is_file = is_gguf_file(source.path);
  const std::string name = is_file ? source.path.stem().string() : folder_name(source.path);
  return source.layer ? name + "-layer" + std::to_string(*source.layer) : name;
}

NetworkPass load_pass(const std::filesystem::path& folder, const GivenText& text) {
  if (text.empty())
    throw Error("a model's folder needs a text", folder.string(), "give one with --text, or ids with --ids");
  NetworkPass pass(open_text_model(folder));
  pass.set_ids(ids_of(pass.network(), text));
  return pass;
}

std::vector<std::int32_t> ids_of(const Network& network, const GivenText& text) {
  return text.words ? network.encode(*text.words) : text.ids;
}

void report_omitted(const Network& network, std::ostream& err) {
  for (const std::string& note : network.notes())
    err << "headlight: " << network.checkpoint().folder().string() << ": " << note << '\n';
}

Index first_sequence(const Source& source) {
  return is_of_arrays(source) ? source.arrays.sequence.value_or(0) : 0;
}

void require_no_array_options(const Source& source) {
  ArrayOptions answers = source.arrays;
  answers.layer.reset();
  answers.sequence.reset();
  if (answers.any() || source.arrays.layer)
    throw Error("--causal, --heads, --kv-heads, --layout, --mask-true, --mask-as and --tokens go with arrays",
                source.path.string(),
                "leave them out, or give a .npy, .npz, .safetensors, .csv or .tsv file");
}

void require_no_model(const Source& source) {
  if (!source.model.empty())
    throw Error("--model goes with a session of a model", source.path.string(), "leave it out");
}

Session load_session_with(const std::filesystem::path& path, const std::filesystem::path& model) {
  Session session = load_session(path, nullptr, model);
  if (!model.empty() && !session.work)
    throw Error("the session has no model, for which --model would name another folder", path.string(),
                "leave it out");
  return session;
}

Session load_source(const Source& source, std::ostream& err) {
  if (is_of_arrays(source) || is_model_folder(source.path)) require_no_model(source);
  if (is_of_arrays(source)) {
    require_exists(source.path);
    ArrayOptions answers = source.arrays;
    answers.layer = source.layer ? source.layer : source.arrays.layer;
    ArrayModel arrays = load_arrays(source.path, answers);
    for (const std::string& line : arrays.assumed)
      err << "headlight: " << source.path.string() << ": " << line << '\n';
    Session session;
    session.title = source.path.stem().string();
    session.layer = std::move(arrays.layer);
    return session;
  }
  require_no_array_options(source);
  if (!is_model_folder(source.path)) {
    if (!source.text.empty() || source.layer)
      throw Error("--text, --ids and --layer go with a model's folder", source.path.string(),
                  "leave them out, or give the folder of a model");
    return load_session_with(source.path, source.model);
  }
  if (!source.layer)
    throw Error("a model's folder has many layers", source.path.string(), "choose one with --layer");
  NetworkPass pass = load_pass(source.path, source.text);
  require_layer(pass, *source.layer);
  Session session;
  session.title = pass.network().name() + ", layer " + std::to_string(*source.layer);
  session.layer = layer_at(pass, *source.layer);
  return session;
}

}  // namespace headlight
