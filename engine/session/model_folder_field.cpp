#include "engine/session/model_folder_field.h"

#include <cstdio>

#include "engine/core/error.h"
#include "engine/network/layer_model.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

constexpr std::array<Word<HeadState>, 2> kHeadStateWords = {
    {{"off", HeadState::Off}, {"mean", HeadState::Mean}}};
constexpr std::array<Word<PatchStage>, 9> kPatchStageWords = {
    {{"residual", PatchStage::Residual},
     {"embeddings", PatchStage::Input},
     {"queries", PatchStage::Queries},
     {"keys", PatchStage::Keys},
     {"values", PatchStage::Values},
     {"weights", PatchStage::Weights},
     {"context", PatchStage::Context},
     {"attention_added", PatchStage::AttentionAdded},
     {"mlp_added", PatchStage::MlpAdded}}};
constexpr std::int64_t kFarthest = 1 << 30;

std::string hash_text(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::shared_ptr<const Network> open_folder(const JsonFields& fields, const std::filesystem::path& folder) {
  const std::filesystem::path path =
      text_value(fields.require("path", "name the model's folder"), fields.place("path"));
  std::shared_ptr<const Network> network;
  try {
    network = open_text_model(path.is_absolute() ? path : folder / path);
  } catch (const Error& error) {
    throw error.inside(fields.place("path"));
  }
  const Checkpoint& files = network->checkpoint();
  const auto bytes = static_cast<std::int64_t>(files.bytes());
  const std::string header = hash_text(files.header_hash());
  const bool same =
      fields.whole("bytes", bytes, 0, INT64_MAX) == bytes && fields.text("header", header) == header;
  if (!same)
    throw Error("the folder " + in_quotes(path.string()) + " holds another model than when this was saved",
                fields.place("path"), "put that model back, or open the folder itself");
  return network;
}

std::string path_of(const OpenModel& work, const std::optional<std::filesystem::path>& folder) {
  const std::filesystem::path& place = work.network->checkpoint().folder();
  std::error_code unreadable;
  const std::filesystem::path given = work.path;
  const bool leads_there = !work.path.empty() && given.is_relative() &&
                           (!folder || std::filesystem::equivalent(*folder / given, place, unreadable));
  return leads_there ? work.path : std::filesystem::absolute(place, unreadable).string();
}

std::vector<std::int32_t> read_ids(const JsonFields& fields) {
  const Json& value = fields.require("ids", "list the ids of the text's tokens");
  if (!value.is_array()) throw Error("is " + json_kind(value) + ", expected a list", fields.place("ids"), "");
  require_token_count(value.size());
  std::vector<std::int32_t> ids;
  for (const Json& id : value)
    ids.push_back(static_cast<std::int32_t>(
        whole_value(id, fields.place("ids") + "[" + std::to_string(ids.size()) + "]", 0, INT32_MAX)));
  return ids;
}

Patch read_patch(const JsonFields& fields, Index layer, ArrayReader& arrays) {
  Patch patch;
  patch.stage = fields.choice("stage", kPatchStageWords, PatchStage::Residual);
  patch.layer = layer;
  patch.head = fields.whole("head", 0, 0, kFarthest);
  patch.row = fields.whole("row", 0, 0, kFarthest);
  patch.column = fields.whole("column", 0, 0, kFarthest);
  patch.values = arrays.matrix(fields.require("values", "give the numbers in rows"), fields.place("values"));
  return patch;
}

// Adds one entry of "changes" to the changes that are on or off.
void read_change(const Json& value, const std::string& place, Index layers, ArrayReader& arrays,
                 OpenModel& work) {
  const JsonFields fields(value, place,
                          {"on", "layer", "head", "state", "temperature", "mask", "parameter", "weights",
                           "bias", "stage", "row", "column", "values"});
  ModelChanges& changes = fields.flag("on", true) ? work.on : work.off;
  const Index layer = fields.whole("layer", 0, 0, layers);
  if (fields.has("stage")) {
    changes.patches.push_back(read_patch(fields, layer, arrays));
    return;
  }
  if (layer == layers)
    throw Error("there is no layer " + std::to_string(layer), fields.place("layer"),
                "the layers are 0 to " + std::to_string(layers - 1));
  LayerChanges& of_layer = changes.layers[layer];
  if (fields.has("state")) {
    const Index head = fields.whole("head", 0, 0, work.network->config().heads - 1);
    of_layer.heads.resize(std::max(of_layer.heads.size(), static_cast<std::size_t>(head) + 1), HeadState::On);
    of_layer.heads[static_cast<std::size_t>(head)] = fields.choice("state", kHeadStateWords, HeadState::Off);
  } else if (fields.has("temperature")) {
    of_layer.temperature = fields.number("temperature", 1);
  } else if (const Json* mask = fields.find("mask")) {
    of_layer.allowed = std::make_shared<const Matrix>(arrays.matrix(*mask, fields.place("mask")));
  } else {
    const Parameter parameter = JsonFields::word_value(
        fields.require("parameter",
                       "name what is changed: a parameter, a stage, a head's state, a mask or a "
                       "temperature"),
        fields.place("parameter"), kParameterWords);
    OwnWeights own;
    own.w = arrays.matrix(fields.require("weights", "give its matrix"), fields.place("weights"));
    if (const Json* bias = fields.find("bias")) own.bias = arrays.vector(*bias, fields.place("bias"));
    of_layer.weights[static_cast<std::size_t>(parameter)] =
        std::make_shared<const OwnWeights>(std::move(own));
  }
}

// Writes the list "changes": each entry names its layer and whether it is on.
class ChangeWriter {
 public:
  ChangeWriter(JsonWriter& out, ArrayWriter& arrays) : out_(out), arrays_(arrays) {}

  void write(const OpenModel& work) {
    out_.begin_list();
    for (const ChangeEntry& entry : list_changes(work)) {
      const ModelChanges& changes = entry.on ? work.on : work.off;
      out_.next_item();
      out_.begin_object();
      out_.key("layer");
      out_.whole(entry.layer);
      if (entry.kind == ChangeKind::Patch)
        write_patch(changes.patches[static_cast<std::size_t>(entry.at)]);
      else
        write_of_layer(changes.layers.at(entry.layer), entry);
      if (!entry.on) {
        out_.key("on");
        out_.flag(false);
      }
      out_.end_object();
      ++count_;
    }
    out_.end_list();
  }

 private:
  std::string place(const char* member) const {
    return "model_folder.changes[" + std::to_string(count_) + "]." + member;
  }
  void write_of_layer(const LayerChanges& layer, const ChangeEntry& entry) {
    switch (entry.kind) {
      case ChangeKind::Head:
        out_.key("head");
        out_.whole(entry.at);
        out_.key("state");
        out_.text(word_of(kHeadStateWords, layer.heads[static_cast<std::size_t>(entry.at)]));
        return;
      case ChangeKind::Temperature:
        out_.key("temperature");
        out_.number(layer.temperature);
        return;
      case ChangeKind::Mask:
        out_.key("mask");
        arrays_.flags(out_, place("mask"), *layer.allowed);
        return;
      default:
        break;
    }
    const OwnWeights& own = *layer.weights[static_cast<std::size_t>(entry.at)];
    out_.key("parameter");
    out_.text(parameter_name(static_cast<Parameter>(entry.at)));
    out_.key("weights");
    arrays_.matrix(out_, place("weights"), own.w);
    if (own.bias.size() == 0) return;
    out_.key("bias");
    arrays_.row(out_, place("bias"), own.bias);
  }
  void write_patch(const Patch& patch) {
    out_.key("stage");
    out_.text(word_of(kPatchStageWords, patch.stage));
    for (const auto& [name, value] :
         {std::pair{"head", patch.head}, {"row", patch.row}, {"column", patch.column}}) {
      out_.key(name);
      out_.whole(value);
    }
    out_.key("values");
    arrays_.matrix(out_, place("values"), patch.values);
  }

  JsonWriter& out_;
  ArrayWriter& arrays_;
  std::size_t count_ = 0;
};

}  // namespace

std::shared_ptr<const OpenModel> read_model_folder(const Json& value, const std::filesystem::path& folder,
                                                   ArrayReader& arrays) {
  const JsonFields fields(value, "model_folder",
                          {"path", "bytes", "header", "text", "ids", "layer", "changes"});
  OpenModel work;
  work.network = open_folder(fields, folder);
  work.path = fields.text("path", "");
  const Index layers = work.network->config().layers;
  work.text = fields.text("text", "");
  work.ids = read_ids(fields);
  work.network->require_ids(work.ids);
  work.layer = fields.whole("layer", 0, 0, layers - 1);
  if (const Json* changes = fields.find("changes")) {
    if (!changes->is_array())
      throw Error("is " + json_kind(*changes) + ", expected a list", fields.place("changes"), "");
    std::size_t count = 0;
    for (const Json& change : *changes)
      read_change(change, fields.place("changes") + "[" + std::to_string(count++) + "]", layers, arrays,
                  work);
  }
  return std::make_shared<const OpenModel>(std::move(work));
}

void write_model_folder(JsonWriter& out, const OpenModel& work, ArrayWriter& arrays,
                        const std::optional<std::filesystem::path>& folder) {
  const Checkpoint& files = work.network->checkpoint();
  out.begin_object();
  out.key("path");
  out.text(path_of(work, folder));
  out.key("bytes");
  out.whole(static_cast<long long>(files.bytes()));
  out.key("header");
  out.text(hash_text(files.header_hash()));
  out.key("text");
  out.text(work.text);
  out.key("ids");
  out.wholes({work.ids.begin(), work.ids.end()});
  out.key("layer");
  out.whole(work.layer);
  out.key("changes");
  ChangeWriter(out, arrays).write(work);
  out.end_object();
}

Model shown_layer(const OpenModel& work) {
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  return layer_model(pass, work.layer);
}

}  // namespace headlight
