#include "engine/session/model_folder_field.h"

#include <algorithm>

#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_members.h"
#include "engine/network/layer_at.h"
#include "engine/session/attention_field.h"
#include "engine/session/intervention_field.h"
#include "engine/session/session.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

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
constexpr std::array<Word<Side>, 3> kSideWords = {
    {{"encoder", Side::Encoder}, {"decoder", Side::Own}, {"cross", Side::Cross}}};
constexpr std::int64_t kFarthest = 1 << 30;

// "gpt2 (548 MB, header 0f3a...)", as far as it is stored.
std::string described(const JsonFields& fields, const std::string& name) {
  std::string facts;
  if (fields.has("bytes"))
    facts = bytes_text(static_cast<std::uint64_t>(fields.whole("bytes", 0, 0, INT64_MAX)));
  if (fields.has("header")) facts += (facts.empty() ? "header " : ", header ") + fields.text("header", "");
  return in_quotes(name) + (facts.empty() ? "" : " (" + facts + ")");
}

constexpr const char* kChooseAnew =
    "put it back, or choose its folder anew: in the window when it asks, on the command line with --model "
    "FOLDER";

// Throws ModelNotFound unless the model is the one that the session was saved with.
void require_same_model(const JsonFields& fields, const Checkpoint& files, const fs::path& place,
                        const std::string& name) {
  const auto bytes = static_cast<std::int64_t>(files.bytes());
  const std::string header = hash_text(files.header_hash());
  if (fields.whole("bytes", bytes, 0, INT64_MAX) == bytes && fields.text("header", header) == header) return;
  throw ModelNotFound(
      Error("the folder " + in_quotes(place.string()) +
                " holds another model than when this was saved: it has " + bytes_text(files.bytes()) +
                ", header " + header + ", and the session's is " + described(fields, name),
            fields.place("path"), kChooseAnew),
      name);
}

// What a person chooses may be the config.json of the folder.
fs::path chosen_place(const fs::path& chosen) {
  return chosen.filename() == "config.json" ? chosen.parent_path() : chosen;
}

std::shared_ptr<const Network> open_place(const JsonFields& fields, const fs::path& place,
                                          const std::string& name) {
  std::error_code unreadable;
  if (!fs::exists(place, unreadable))
    throw ModelNotFound(
        Error("the session's model " + described(fields, name) + " is not there: " + place.string(),
              fields.place("path"), kChooseAnew),
        name);
  try {
    auto network = std::make_shared<const Network>(place);
    require_same_model(fields, network->checkpoint(), place, name);
    return network;
  } catch (const ModelNotFound&) {
    throw;
  } catch (const Error& error) {
    throw ModelNotFound(error.inside(fields.place("path")), name);
  }
}

// A model in the archive, which no path leads to.
std::shared_ptr<const Network> open_carried(const JsonFields& fields, const Json& list,
                                            const ZipArchive* archive, const std::string& name) {
  const std::string place = fields.place("files");
  const std::vector<CarriedFile> files = read_carried_files(list, place);
  if (!archive)
    throw Error("the model's files are members of an archive, and this is none", place,
                "open the bundle itself, the .headlight file that this text was taken from");
  try {
    auto network = std::make_shared<const Network>(unpacked_model(*archive, files, name, place));
    require_same_model(fields, network->checkpoint(), network->checkpoint().folder(), name);
    return network;
  } catch (const Error& error) {
    throw Error(error.inside(place));
  }
}

std::shared_ptr<const Network> open_model(const JsonFields& fields, const fs::path& folder,
                                          const ZipArchive* archive, const fs::path& chosen) {
  const fs::path path = text_value(fields.require("path", "name the model's folder"), fields.place("path"));
  const Json* carried = fields.find("files");
  // The last two parts of a name of the hub are shown, of a path the last one.
  const std::string name = carried ? path.string() : folder_name(path);
  if (carried) return open_carried(fields, *carried, archive, name);
  if (!chosen.empty()) return open_place(fields, chosen_place(chosen), name);
  return open_place(fields, path.is_absolute() ? path : folder / path, name);
}

std::string path_of(const OpenModel& work, const std::optional<std::filesystem::path>& folder) {
  const std::filesystem::path& place = work.network->checkpoint().folder();
  std::error_code unreadable;
  const std::filesystem::path given = work.path;
  const bool leads_there = !work.path.empty() && given.is_relative() &&
                           (!folder || std::filesystem::equivalent(*folder / given, place, unreadable));
  return leads_there ? work.path : std::filesystem::absolute(place, unreadable).string();
}

// Ids whose text is another one than the text beside them would be computed under a false name.
void require_same_text(const JsonFields& fields, const Network& network, const std::string& text,
                       const std::vector<std::int32_t>& ids) {
  if (text.empty() || !network.tokenizer()) return;
  if (network.decode(ids) == text || network.encode(text) == ids) return;
  throw Error("it is not the text of the ids, \"" + network.decode(ids) + "\"", fields.place("text"),
              "leave the text out, or open the folder itself with this text");
}

std::vector<std::int32_t> read_ids(const JsonFields& fields) {
  const Json& value = fields.require("ids", "list the ids of the text's tokens");
  if (value.is_array()) require_token_count(value.size());
  std::vector<std::int32_t> ids;
  form::List{form::Whole{0, INT32_MAX}, ""}.read(value, fields.place("ids"), ids);
  return ids;
}

// The side of a layer, which a model of one side has none of.
Side read_side(const JsonFields& fields, const NetworkConfig& config) {
  const Side side = fields.choice("side", kSideWords, Side::Own);
  if (fields.has("side") && !config.cross)
    throw Error("the model has one side", fields.place("side"), "leave it out");
  return side;
}

void write_side(JsonWriter& out, const NetworkConfig& config, Side side) {
  if (!config.cross) return;
  out.key("side").text(word_of(kSideWords, side));
}

// What the encoder of a model of two sides reads.
void read_source(const JsonFields& fields, OpenModel& work) {
  if (!work.network->encoder()) {
    if (fields.has("source")) throw Error("the model has one side", fields.place("source"), "leave it out");
    return;
  }
  const JsonFields source(fields.require("source", "the model has two sides: give what its encoder reads"),
                          fields.place("source"), {"text", "ids"});
  work.source_text = source.text("text", "");
  work.source_ids = read_ids(source);
  work.network->encoder()->require_ids(work.source_ids);
  require_same_text(source, *work.network->encoder(), work.source_text, work.source_ids);
}

std::uint64_t hash_of(const Matrix& pixels) {
  constexpr std::uint64_t kOffset = 14695981039346656037ull, kPrime = 1099511628211ull;  // FNV-1a, 64 bits
  std::uint64_t hash = kOffset;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(pixels.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(pixels.size()) * sizeof(float); ++i)
    hash = (hash ^ bytes[i]) * kPrime;
  return hash;
}

OpenImage read_image_field(const Json& value, const JsonFields& fields, const Network& network,
                           const std::filesystem::path& folder, ArrayReader& arrays) {
  const JsonFields image(value, fields.place("image"), {"path", "pixels", "values"});
  if (const Json* values = image.find("values")) return {"", arrays.matrix(*values, image.place("values"))};
  const std::filesystem::path path = text_value(
      image.require("path", "name the picture's file, or give its numbers as values"), image.place("path"));
  try {
    OpenImage read = read_image(path.is_absolute() ? path : folder / path, network);
    const std::string hash = hash_text(hash_of(read.pixels));
    if (image.text("pixels", hash) != hash)
      throw Error("it is another picture than when this was saved", path.string(),
                  "put that picture back, or open the model's folder itself");
    return read;
  } catch (const Error& error) {
    throw error.inside(image.place("path"));
  }
}

// Of a model of images; without the member the program's own picture.
void read_input_image(const JsonFields& fields, const std::filesystem::path& folder, ArrayReader& arrays,
                      OpenModel& work) {
  const Json* value = fields.find("image");
  try {
    set_image(work, value ? read_image_field(*value, fields, *work.network, folder, arrays)
                          : first_image(*work.network));
  } catch (const Error& error) {
    throw error.where().starts_with(fields.place("image")) ? error : error.inside(fields.place("image"));
  }
}

// The path is relative if the file lies in the folder or below.
void write_image(JsonWriter& out, const OpenModel& work, ArrayWriter& arrays, const ModelFolderForm& form) {
  const OpenImage& image = *work.image;
  if (image.path.empty() && same_matrix(image.pixels, first_image(*work.network).pixels)) return;
  out.key("image").begin_object();
  if (image.path.empty() || form.portable) {
    out.key("values");
    arrays.matrix(out, "model_folder.image.values", image.pixels);
  } else {
    std::error_code unreadable;
    const std::filesystem::path file = std::filesystem::absolute(image.path, unreadable);
    const std::filesystem::path relative =
        form.folder
            ? file.lexically_relative(std::filesystem::absolute(*form.folder, unreadable).lexically_normal())
            : std::filesystem::path();
    const bool below = !relative.empty() && *relative.begin() != "..";
    out.key("path").text((below ? relative : file).string());
    out.key("pixels").text(hash_text(hash_of(image.pixels)));
  }
  out.end_object();
}

Patch read_patch(const JsonFields& fields, LayerPlace layer, ArrayReader& arrays) {
  if (layer.side == Side::Cross)
    throw Error("numbers of cross-attention are not overwritten", fields.place("stage"),
                "overwrite those of the encoder or of the decoder");
  Patch patch;
  patch.side = layer.side;
  patch.stage = fields.choice("stage", kPatchStageWords, PatchStage::Residual);
  patch.layer = layer.layer;
  patch.head = fields.whole("head", 0, 0, kFarthest);
  patch.row = fields.whole("row", 0, 0, kFarthest);
  patch.column = fields.whole("column", 0, 0, kFarthest);
  patch.values = arrays.matrix(fields.require("values", "give the numbers in rows"), fields.place("values"));
  return patch;
}

// What a change is of, and the members that go with it.
struct ChangeForm {
  std::string_view of;
  std::vector<std::string_view> members;
};

const std::vector<ChangeForm>& change_forms() {
  static const std::vector<ChangeForm> forms = {{"place", intervention_members()},
                                                {"stage", {"head", "row", "column", "values"}},
                                                {"state", {"head"}},
                                                {"temperature", {}},
                                                {"mask", {}},
                                                {"attention", {}},
                                                {"adapter", {}},
                                                {"parameter", {"weights", "bias"}}};
  return forms;
}

const std::vector<std::string>& change_members() {
  static const std::vector<std::string> members = [] {
    std::vector<std::string> all = {"on", "side", "layer"};
    for (const ChangeForm& form : change_forms()) {
      all.emplace_back(form.of);
      for (const std::string_view member : form.members)
        if (std::find(all.begin(), all.end(), member) == all.end()) all.emplace_back(member);
    }
    return all;
  }();
  return members;
}

void require_one_form(const JsonFields& fields) {
  const auto& forms = change_forms();
  const auto form = std::find_if(forms.begin(), forms.end(),
                                 [&](const ChangeForm& candidate) { return fields.has(candidate.of); });
  if (form == forms.end())
    throw Error("it is not said what is changed", fields.place("parameter"),
                "name a place, a parameter, a stage, a head's state, settings of attention or the adapter");
  const auto refuse = [&](std::string_view member) {
    if (member == form->of || !fields.has(member)) return;
    if (std::find(form->members.begin(), form->members.end(), member) != form->members.end()) return;
    throw Error("\"" + std::string(member) + "\" does not go with \"" + std::string(form->of) + "\"",
                fields.place(member), "leave it out, or give two changes");
  };
  for (const ChangeForm& other : forms) {
    refuse(other.of);
    for (const std::string_view member : other.members)
      refuse(member);
  }
}

// An adapter that lies in the model's folder is on unless a change says otherwise.
void read_adapter(const JsonFields& fields, OpenModel& work) {
  if (!work.network->adapter())
    throw Error("the model's folder has no adapter", fields.place("adapter"), "leave this change out");
  if (!fields.flag("adapter", true))
    throw Error("is false, expected true", fields.place("adapter"), R"(say "on": false beside it)");
  for (const ChangeEntry& entry : list_changes(work))
    if (entry.kind == ChangeKind::Adapter && entry.on != fields.flag("on", true)) switch_change(work, entry);
}

std::shared_ptr<const Layer> painted_mask(Matrix mask) {
  Layer value;
  value.attention.mask = MaskKind::Custom;
  value.custom_mask = std::move(mask);
  return std::make_shared<const Layer>(std::move(value));
}

// Of earlier versions: scores are divided by it before the softmax. c tanh(x / c) / t = c/t tanh(x/t /
// (c/t)), so that it divides the scale and, if scores are capped, the cap as well.
void read_temperature(const JsonFields& fields, LayerPlace place, const NetworkConfig& config,
                      OwnSettings& settings) {
  const double temperature = fields.number("temperature", 1);
  if (!(temperature > 0))
    throw Error("the temperature is no number above 0", fields.place("temperature"),
                "1 leaves the weights as they are");
  const NetworkConfig& of_side = config_of(config, place.side);
  Layer own;
  own.attention = place.side == Side::Cross ? of_side.cross_attention() : of_side.attention(place.layer, 1);
  own.attention.scale = {ScaleKind::Number, static_cast<double>(own.scale_factor()) / temperature};
  own.attention.softcap /= temperature;
  settings[static_cast<std::size_t>(LayerSetting::Scale)] = setting_of(LayerSetting::Scale, own);
  if (own.attention.softcap > 0)
    settings[static_cast<std::size_t>(LayerSetting::Softcap)] = setting_of(LayerSetting::Softcap, own);
}

// Adds one entry of "changes" to the changes that are on or off.
void read_change(const Json& value, const std::string& place, ArrayReader& arrays, OpenModel& work) {
  const JsonFields fields(value, place, change_members());
  require_one_form(fields);
  if (fields.has("adapter")) return read_adapter(fields, work);
  ModelChanges& changes = fields.flag("on", true) ? work.on : work.off;
  const NetworkConfig& config = work.network->config();
  const Side side = read_side(fields, config);
  const Index layers = config_of(config, side).layers;
  if (fields.has("place"))
    return add_intervention(work, read_intervention(fields, place, *work.network, arrays),
                            fields.flag("on", true));
  const LayerPlace layer(side, fields.whole("layer", 0, 0, layers));
  if (fields.has("stage")) {
    changes.patches.push_back(read_patch(fields, layer, arrays));
    return;
  }
  if (layer.layer == layers)
    throw Error("there is no layer " + std::to_string(layers), fields.place("layer"),
                "the layers are 0 to " + std::to_string(layers - 1));
  LayerChanges& of_layer = changes.layers[layer];
  if (fields.has("state")) {
    const Index head = fields.whole("head", 0, 0, config_of(config, side).heads - 1);
    of_layer.heads.resize(std::max(of_layer.heads.size(), static_cast<std::size_t>(head) + 1), HeadState::On);
    const HeadState state = fields.choice("state", kHeadStateWords, HeadState::Off);
    if (side == Side::Cross && state == HeadState::Mean)
      throw Error("a head of cross-attention is not replaced by its mean", fields.place("state"),
                  "give \"off\"");
    of_layer.heads[static_cast<std::size_t>(head)] = state;
  } else if (fields.has("temperature")) {
    read_temperature(fields, layer, config, of_layer.settings);
  } else if (const Json* mask = fields.find("mask")) {
    of_layer.settings[static_cast<std::size_t>(LayerSetting::Mask)] =
        painted_mask(arrays.matrix(*mask, fields.place("mask")));
  } else if (const Json* attention = fields.find("attention")) {
    const Index tokens = token_count(work, side),
                keys = token_count(work, side == Side::Cross ? Side::Encoder : side);
    const OwnSettings read = read_layer_settings(*attention, fields.place("attention"), tokens, keys, arrays);
    for (std::size_t i = 0; i < read.size(); ++i)
      if (read[i]) of_layer.settings[i] = read[i];
  } else {
    const Parameter parameter = fields.choice("parameter", kParameterWords, Parameter::Query);
    OwnWeights own;
    own.w = arrays.matrix(fields.require("weights", "give its matrix"), fields.place("weights"));
    if (const Json* bias = fields.find("bias")) own.bias = arrays.vector(*bias, fields.place("bias"));
    of_layer.weights[static_cast<std::size_t>(parameter)] =
        std::make_shared<const OwnWeights>(std::move(own));
  }
}

void read_changes(const Json& changes, const std::string& place, ArrayReader& arrays, OpenModel& work) {
  if (!changes.is_array()) throw Error("is " + json_kind(changes) + ", expected a list", place, "");
  std::size_t count = 0;
  for (const Json& change : changes)
    read_change(change, place + "[" + std::to_string(count++) + "]", arrays, work);
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
      if (entry.kind != ChangeKind::Adapter) {
        write_side(out_, work.network->config(), entry.layer.side);
        out_.key("layer").whole(entry.layer.layer);
      }
      if (entry.kind == ChangeKind::Adapter)
        write_adapter();
      else if (entry.kind == ChangeKind::Patch)
        write_patch(changes.patches[static_cast<std::size_t>(entry.at)]);
      else if (entry.kind == ChangeKind::Intervention)
        write_intervention(out_, *changes.interventions[static_cast<std::size_t>(entry.at)],
                           "model_folder.changes[" + std::to_string(count_) + "]", arrays_);
      else
        write_of_layer(changes.layers.at(entry.layer), entry);
      if (!entry.on) {
        out_.key("on").flag(false);
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
        out_.key("head").whole(entry.at);
        out_.key("state").text(word_of(kHeadStateWords, layer.heads[static_cast<std::size_t>(entry.at)]));
        return;
      case ChangeKind::Setting:
        out_.key("attention");
        return write_layer_setting(out_, static_cast<LayerSetting>(entry.at),
                                   *layer.settings[static_cast<std::size_t>(entry.at)], place("attention"),
                                   arrays_);
      case ChangeKind::Weights:
      case ChangeKind::Patch:
      case ChangeKind::Intervention:
      case ChangeKind::Adapter:
        break;
    }
    const OwnWeights& own = *layer.weights[static_cast<std::size_t>(entry.at)];
    out_.key("parameter").text(parameter_name(static_cast<Parameter>(entry.at)));
    out_.key("weights");
    arrays_.matrix(out_, place("weights"), own.w);
    if (own.bias.size() == 0) return;
    out_.key("bias");
    arrays_.row(out_, place("bias"), own.bias);
  }
  void write_adapter() { out_.key("adapter").flag(true); }
  void write_patch(const Patch& patch) {
    out_.key("stage").text(word_of(kPatchStageWords, patch.stage));
    for (const auto& [name, value] :
         {std::pair{"head", patch.head}, {"row", patch.row}, {"column", patch.column}}) {
      out_.key(name).whole(value);
    }
    out_.key("values");
    arrays_.matrix(out_, place("values"), patch.values);
  }

  JsonWriter& out_;
  ArrayWriter& arrays_;
  std::size_t count_ = 0;
};

// A text, the texts of both sides, or an image.
void read_input(const JsonFields& fields, const std::filesystem::path& folder, ArrayReader& arrays,
                OpenModel& work) {
  const char* const other = work.network->reads_images() ? "ids" : "image";
  if (fields.has(other))
    throw Error(work.network->reads_images() ? "the model reads images" : "the model reads texts",
                fields.place(other), "leave it out");
  if (work.network->reads_images()) return read_input_image(fields, folder, arrays, work);
  work.text = fields.text("text", "");
  work.ids = read_ids(fields);
  work.network->require_ids(work.ids);
  require_same_text(fields, *work.network, work.text, work.ids);
  read_source(fields, work);
}

void write_input(JsonWriter& out, const OpenModel& work, ArrayWriter& arrays, const ModelFolderForm& form) {
  if (work.image) return write_image(out, work, arrays, form);
  out.key("text").text(work.text);
  out.key("ids").wholes({work.ids.begin(), work.ids.end()});
  if (!work.network->encoder()) return;
  out.key("source").begin_object();
  out.key("text").text(work.source_text);
  out.key("ids").wholes({work.source_ids.begin(), work.source_ids.end()});
  out.end_object();
}

// The path is absolute in an open model, whose session may be saved elsewhere.
ChosenSet read_set(const Json& value, const std::string& place, const std::filesystem::path& folder) {
  const JsonFields fields(value, place, {"path", "off"});
  const std::filesystem::path path =
      text_value(fields.require("path", "name the file of the data set"), fields.place("path"));
  ChosenSet set{std::filesystem::absolute(path.is_absolute() ? path : folder / path).lexically_normal(), {}};
  MemberReader member(fields);
  member("off", set.off, form::List{form::Whole{0, INT32_MAX}, ""});
  std::sort(set.off.begin(), set.off.end());
  set.off.erase(std::unique(set.off.begin(), set.off.end()), set.off.end());
  return set;
}

// A file beside the session, or below it, is named from there.
void write_set(JsonWriter& out, const ChosenSet& set, const std::optional<std::filesystem::path>& folder) {
  const std::filesystem::path path = set.path;
  const std::filesystem::path beside =
      folder ? path.lexically_relative(std::filesystem::absolute(*folder).lexically_normal()) : "";
  const bool below = !beside.empty() && *beside.begin() != "..";
  out.begin_object();
  out.key("path").text(below ? beside.string() : set.path);
  if (!set.off.empty()) {
    out.key("off").wholes(set.off);
  }
  out.end_object();
}

}  // namespace

std::shared_ptr<const OpenModel> read_model_folder(const Json& value, const fs::path& folder,
                                                   ArrayReader& arrays, const fs::path& chosen) {
  const JsonFields fields(value, "model_folder",
                          {"path", "bytes", "header", "files", "text", "ids", "source", "image", "side",
                           "layer", "set", "changes"});
  OpenModel work;
  work.network = open_model(fields, folder, arrays.archive(), chosen);
  // A model that was chosen or unpacked is named by its actual place.
  if (chosen.empty() && !fields.has("files")) work.path = fields.text("path", "");
  read_input(fields, folder, arrays, work);
  const NetworkConfig& config = work.network->config();
  work.layer.side = read_side(fields, config);
  work.layer.layer = fields.whole("layer", 0, 0, config_of(config, work.layer.side).layers - 1);
  if (const Json* set = fields.find("set")) work.set = read_set(*set, fields.place("set"), folder);
  if (const Json* changes = fields.find("changes"))
    read_changes(*changes, fields.place("changes"), arrays, work);
  return std::make_shared<const OpenModel>(std::move(work));
}

void read_change_list(const std::string& text, const std::filesystem::path& folder, const std::string& where,
                      OpenModel& work) {
  ArrayReader arrays(folder);
  try {
    const JsonTree document(parse_json(text, array_keys()));
    read_changes(document.value, "changes", arrays, work);
  } catch (const Error& error) {
    throw where.empty() ? error : error.inside(where);
  }
}

void write_model_folder(JsonWriter& out, const OpenModel& work, ArrayWriter& arrays,
                        const ModelFolderForm& form) {
  const Checkpoint& files = work.network->checkpoint();
  out.begin_object();
  out.key("path").text(form.files.empty() ? path_of(work, form.folder) : work.network->name());
  out.key("bytes").whole(static_cast<long long>(files.bytes()));
  out.key("header").text(hash_text(files.header_hash()));
  if (!form.files.empty()) {
    out.key("files");
    write_carried_files(out, form.files);
  }
  write_input(out, work, arrays, form);
  write_side(out, work.network->config(), work.layer.side);
  out.key("layer").whole(work.layer.layer);
  if (work.set) {
    out.key("set");
    write_set(out, *work.set, form.folder);
  }
  out.key("changes");
  ChangeWriter(out, arrays).write(work);
  out.end_object();
}

Layer shown_layer(const OpenModel& work) {
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  return layer_at(pass, work.layer);
}

}  // namespace headlight
