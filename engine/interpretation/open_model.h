// A model that is open in a window: its text or image, the layer that is shown, and the changes, each of
// which can be switched off and stays listed.
#pragma once

#include <string>

#include "engine/core/counting.h"
#include "engine/interpretation/model_state.h"

namespace headlight {

struct ModelChanges {
  std::map<LayerPlace, LayerChanges> layers;  // only those that are changed
  std::vector<Patch> patches;
  Interventions interventions;  // by layer, then by Intervention::order; compared by address
  bool operator==(const ModelChanges&) const = default;
};

// The data set (engine/analysis/data_set.h) that is open beside the text.
struct ChosenSet {
  std::string path;        // of its file; absolute, or relative to the folder of the session's file
  std::vector<Index> off;  // the rows that are switched off, in their order
  bool operator==(const ChosenSet&) const = default;
};

struct OpenModel : ModelInput {
  std::shared_ptr<const Network> network;
  std::string path;  // of the folder, as the session's file names it; empty: its actual path
  // As typed, or decoded from ids; empty without a tokenizer. `text`: of the side that predicts.
  std::string text, source_text;
  LayerPlace layer;      // the layer that is shown
  ModelChanges on, off;  // active changes, and those that are switched off
  // The network with its adapter left out, or added, whichever is not shown; null before it was switched.
  std::shared_ptr<const Network> switched;
  std::optional<ChosenSet> set = {};
  bool operator==(const OpenModel&) const = default;
};

ModelState state_of(const OpenModel& work);
// Whether state_of(work) is `state`.
bool is_state_of(const ModelState& state, const OpenModel& work);

// The tokens that the layers of a side compute, which are the decoder's of cross-attention: their ids, their
// number, and the labels of all.
const std::vector<std::int32_t>& ids_of(const OpenModel& work, Side side);
Index token_count(const OpenModel& work, Side side = Side::Own);
std::string token_label(const OpenModel& work, Index token, Side side = Side::Own);

// Whether both have the same family, sizes and vocabulary, like two checkpoints of one training, so that
// texts, changes and results can be carried from one to the other.
bool same_architecture(const Network& a, const Network& b);
// Sets another checkpoint of the same training; text and changes stay. Throws Error if it has another
// architecture; `work` then does not change.
void set_network(OpenModel& work, std::shared_ptr<const Network> network);

// Sets another text of a side, or its ids. Switches off patches that lie beyond its end, and masks and biases
// of another length. Throws Error as Network::encode and Network::require_ids, and for a model of images;
// `work` then does not change.
void set_text(OpenModel& work, const std::string& text, Side side = Side::Own);
void set_ids(OpenModel& work, const std::vector<std::int32_t>& ids, Side side = Side::Own);
// Sets another image. Throws Error if the model reads texts, or images of another shape.
void set_image(OpenModel& work, OpenImage image);

// Parses ids separated by commas or blanks: "464, 3797". Throws Error for anything else.
std::vector<std::int32_t> ids_from_text(const std::string& text);
std::string ids_text(const std::vector<std::int32_t>& ids);

// One change in the list.
enum class ChangeKind { Head, Setting, Weights, Patch, Intervention, Adapter };
struct ChangeEntry {
  ChangeKind kind = ChangeKind::Head;
  LayerPlace layer;
  // Head: its number; Setting: the LayerSetting; Weights: the Parameter; Patch and Intervention: its index
  // among those that are on, or off.
  Index at = 0;
  bool on = true;
  bool operator==(const ChangeEntry&) const = default;
};

// "its mean over this text", or image: what HeadState::Mean puts in the place of a head.
std::string mean_in_words(const Network& network);
// Ordered by layer and kind; a change keeps its place when it is switched.
std::vector<ChangeEntry> list_changes(const OpenModel& work);
// "layer 3, head 5 switched off". Precondition: `entry` is one of list_changes().
std::string change_text(const OpenModel& work, const ChangeEntry& entry, Counting counting);
// What differs from the folder's model, counted from 0 as in files: the changes that are on, an adapter that
// is off.
std::vector<std::string> changes_in_words(const OpenModel& work);
// Switches the change off or on, replacing a change of the same kind and place there; or removes it, which of
// the folder's own adapter is the same as switching it off. Throws Error if the adapter's files can no longer
// be read; `work` then does not change.
void switch_change(OpenModel& work, const ChangeEntry& entry);
void remove_change(OpenModel& work, const ChangeEntry& entry);
// Sets the state of a head of a layer; On removes the change. Throws Error for the mean of a head of
// cross-attention.
void set_head(OpenModel& work, LayerPlace layer, Index head, HeadState state);
// Replaces a patch of the same block of numbers. Throws Error for a patch of cross-attention.
void add_patch(OpenModel& work, Patch patch);
// Adds an intervention, on or off, which is applied after those that there are. Throws Error for a model of
// two sides, and of one that is on as range_of(); one that is off need not fit the text.
void add_intervention(OpenModel& work, Intervention intervention, bool on = true);
// Puts another one in the place of a listed intervention: on or off as that is, and in its turn. Throws as
// add_intervention(); `work` then does not change. Precondition: `entry` is one of list_changes().
void replace_intervention(OpenModel& work, const ChangeEntry& entry, Intervention intervention);

}  // namespace headlight
