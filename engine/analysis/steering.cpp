#include "engine/analysis/steering.h"

#include <memory>
#include <optional>
#include <utility>

#include "engine/analysis/analysis.h"
#include "engine/analysis/tables.h"
#include "engine/arrays/catalog.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/safetensors.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

constexpr const char* kDirectionArray = "direction";

// Of several arrays the one that is named so.
std::string array_of_direction(const std::filesystem::path& file) {
  const std::vector<ArrayEntry> all = list_arrays(file);
  if (all.size() == 1) return names_its_arrays(array_file_kind(file)) ? all.front().name : "";
  std::string names;
  for (const ArrayEntry& entry : all) {
    if (entry.name == kDirectionArray) return entry.name;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  throw Error("there is no array direction; the file has " + (names.empty() ? "none" : names), file.string(),
              "give a file with one array, or name the direction so");
}

// The place of an intervention at a stage; none: no intervention is at it.
std::optional<InterventionPlace> place_of(PatchStage stage) {
  if (stage == PatchStage::Residual) return InterventionPlace::Residual;
  if (stage == PatchStage::MlpAdded) return InterventionPlace::Mlp;
  return std::nullopt;
}

// A pass with a direction added, until end(): as an intervention behind all others, where there can be one;
// else as a patch.
class SteeredPass {
 public:
  SteeredPass(NetworkPass& pass, const Steering& steering, double strength)
      : pass_(pass),
        place_(steering.place),
        tokens_(steering.tokens),
        step_(steering.direction * static_cast<float>(strength)),
        patches_(pass.patches()) {
    for (const PreparedIntervention& one : pass.interventions())
      interventions_.push_back(std::make_shared<const Intervention>(one.what()));
    const auto place = place_of(place_.stage);
    if (!place) return;
    Intervention added;
    added.place = *place;
    added.how = InterventionHow::Add;
    added.layer = place_.layer;
    added.positions = tokens_;
    added.direction = step_;
    added.name = "direction";
    Interventions with = interventions_;
    with.push_back(std::make_shared<const Intervention>(std::move(added)));
    pass_.set_interventions(with);
  }

  // To be called once the pass has a text.
  void follow_text() {
    if (place_of(place_.stage)) return;
    pass_.set_patches(patches_);
    Patch patch{place_.stage, place_.layer, 0, 0, 0, stage_values(pass_, place_)};
    if (tokens_.empty()) patch.values.rowwise() += step_;
    for (const Index token : tokens_)
      patch.values.row(token) += step_;
    std::vector<Patch> with = patches_;
    with.push_back(std::move(patch));
    pass_.set_patches(with);
  }

  // As the pass was.
  void end() {
    pass_.set_interventions(interventions_);
    pass_.set_patches(patches_);
  }

 private:
  NetworkPass& pass_;
  const PatchPlace place_;
  const std::vector<Index> tokens_;
  const Eigen::RowVectorXf step_;
  const std::vector<Patch> patches_;
  Interventions interventions_;  // those of the pass
};

bool is_safetensors(const std::filesystem::path& file) {
  return array_file_kind(file) == ArrayFileKind::Safetensors;
}

}  // namespace

Matrix logits_along(NetworkPass& pass, const Steering& steering, double strength, Index position) {
  SteeredPass steered(pass, steering, strength);
  steered.follow_text();
  Matrix logits = pass.logits(position, 1);
  steered.end();
  return logits;
}

TokenIds continuation(NetworkPass& pass, const Steering& steering, double strength, Index count) {
  const NetworkConfig& c = pass.network().config();
  if (!c.causal)
    throw Error("the model does not predict the next token, so it continues no text", pass.network().name(),
                "leave the steps out");
  const TokenIds text = pass.ids();
  const std::vector<Patch> own = pass.patches();
  TokenIds ids = text;
  SteeredPass steered(pass, steering, strength);
  for (Index step = 0; step < count; ++step) {
    const auto tokens = static_cast<Index>(ids.size());
    if (c.dynamic == 0 && tokens > c.positions) break;
    throw_if_stopped();
    if (step > 0) take_text(pass, ids, own);
    steered.follow_text();
    ids.push_back(likeliest(pass.logits(tokens - 1, 1).row(0), 1).front().id);
  }
  steered.end();
  take_text(pass, text, own);
  return {ids.begin() + static_cast<std::ptrdiff_t>(text.size()), ids.end()};
}

Eigen::RowVectorXf read_direction(const std::filesystem::path& file, Index width) {
  const NamedArray array = read_array(file, array_of_direction(file));
  const bool row = array.shape == std::vector<Index>{width} || array.shape == std::vector<Index>{1, width};
  if (!row)
    throw Error("the direction is " + shape_text(array.shape) + ", expected " + std::to_string(width),
                file.string(), "give as many numbers as the model's stream has");
  Eigen::RowVectorXf direction = Eigen::Map<const Eigen::RowVectorXf>(array.values.data(), width);
  if (!direction.allFinite())
    throw Error("the direction has numbers that are not finite", file.string(), "save it again");
  return direction;
}

void require_direction_file(const std::filesystem::path& file) {
  if (file.extension() != ".npy" && file.extension() != ".safetensors")
    throw Error("a direction is saved as .npy or .safetensors", file.string(),
                "give a name with one of these endings");
}

void save_direction(const std::filesystem::path& file, const Eigen::RowVectorXf& direction) {
  require_direction_file(file);
  const Index width = direction.size();
  if (!is_safetensors(file)) {
    write_file_atomically(file, npy_bytes({kDirectionArray, {width}, {direction.begin(), direction.end()}}));
    return;
  }
  AtomicFile saved(file);
  write_safetensors({{kDirectionArray, {width}, direction.data()}}, SavedFloat::F32, saved);
  saved.commit();
}

std::string strength_label(double strength) {
  std::string text = "x ";
  append_float(text, static_cast<float>(strength + 0.0));  // no -0
  return text;
}

std::string steered_tokens_in_words(const std::vector<Index>& tokens) {
  if (tokens.empty()) return "at every token of the text";
  std::string words;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    words += (i == 0                  ? "at token "
              : i + 1 < tokens.size() ? ", token "
                                      : " and token ") +
             std::to_string(tokens[i]);
  return words;
}

ResultTable direction_table(Metric metric, std::vector<std::string> strengths, Matrix values) {
  const std::string what = metric_in_words(metric);
  return of_quantity(
      what, grid_table("target", "", "strength", {what}, std::move(strengths), std::move(values), true));
}

void Continuations::add(NetworkPass& pass, const Steering& steering, const Matrix& values, std::size_t row) {
  for (std::size_t i = 0; i < kDirectionShares.size(); ++i) {
    const double strength = kDirectionShares[i] * analysis_.strength;
    std::string text;
    for (const std::int32_t id : continuation(pass, steering, strength, analysis_.generated))
      text += (pass.network().tokenizer() || text.empty() ? "" : " ") + pass.network().token_label(id);
    rows_.push_back(analysis_.set ? std::to_string(row + 1) : strength_label(strength));
    texts_.push_back(std::move(text));
    values_.push_back({static_cast<float>(strength), values(0, static_cast<Index>(i))});
  }
}

ResultTable Continuations::table() const {
  const std::string number = metric_in_words(target_metric(analysis_));
  const bool of_set = analysis_.set != nullptr;
  Matrix values(static_cast<Index>(rows_.size()), of_set ? 2 : 1);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (of_set) values(row, 0) = values_[i][0];
    values(row, of_set ? 1 : 0) = values_[i][1];
  }
  std::vector<std::string> columns = {number};
  if (of_set) columns.insert(columns.begin(), "strength");
  ResultTable table =
      list_table("generated", of_set ? "row" : "strength", rows_, std::move(columns), std::move(values));
  table.remarks = texts_;
  table.remark_title = "continuation";
  return table;
}

}  // namespace headlight
