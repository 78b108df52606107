// A text in large type with a whole model behind it: pointing at a word shows where it looks and what the
// model expects behind it; a beam that is pulled to another word, what it would expect then. The text is
// typed in place.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/start/sentence_plan.h"
#include "app/ui/widgets/area.h"
#include "engine/analysis/text_reading.h"

namespace headlight {

// How far the beams of a word have grown since it asks.
struct BeamGrowth {
  std::optional<Index> query;
  double since = 0;  // on ImGui's clock

  // From 0 to 1, and 1 at once where motion is off.
  double grown(const UiContext& ui, Index asks);
};

struct SentenceState {
  // Written by the program: what the model does with `text`, or with an earlier one until that is computed;
  // null before the first. `trouble`: why there is no model; "" if there is one.
  std::shared_ptr<const TextReading> reading;
  std::string trouble;
  // Written by the program: what the model would do with `supposed`, or with an earlier one until that is
  // computed.
  std::shared_ptr<const TextReading> supposing;

  // Set by the panel: the text that is to be read, and the word that is asked about.
  std::string text = "When Ann and Tom went out , Tom gave the key to";
  bool typing = false, focus_asked = false;
  std::optional<Index> pinned;   // the word that was clicked; nullopt: the last one
  std::optional<Index> pointed;  // the word under the pointer
  // A pair of words that was drawn from one to the other: its share alone is shown, until Escape or a click.
  struct Pair {
    Index query = 0, key = 0;
    bool operator==(const Pair&) const = default;
  };
  std::optional<Pair> held;
  std::optional<Index> pressed;  // the word at which the mouse went down
  // What a beam was pulled to: until Escape, a click elsewhere, another text, head or layer.
  std::optional<MovedAttention> supposed;
  std::optional<Index> pulled;   // the key whose beam the hand holds
  std::optional<TextHead> head;  // that was chosen; nullopt: the leading one, if there is one
  BeamGrowth growth;
  ScreenState drawn;  // in the last frame: the words, and the widest beam

  // The word whose beams are drawn. Precondition: there is a reading with tokens.
  Index query() const;
  // The head whose beams are drawn; of a text without a leading head all heads of the last layer.
  // Precondition: there is a reading with tokens.
  TextHead shown() const;
  // Weights of the head shown() at a token, with what is supposed. Precondition: there is a reading with
  // tokens.
  Eigen::RowVectorXf weights_of(Index query) const;
  // The reading whose next words are shown: with what is supposed, as soon as it is computed.
  const TextReading& told() const { return supposed && supposing ? *supposing : *reading; }
};

// A word as it is to be laid out, in the font of sentences.
SentenceToken sentence_token(const Theme& theme, const std::string& word, bool continues);

// The beams of a word as planned with the label size of `beam_labels`, as far as they have grown, with their
// shares below the words. Probe names: `prefix` and the number of the key's token.
void draw_beams(UiContext& ui, const SentenceBeams& planned, double grown, const std::string& prefix);
// The width and height of a share's text below a word.
ImVec2 beam_label(const UiContext& ui);

// The height that the drawing takes, at most `most`.
float sentence_height(const UiContext& ui, float most);

// Draws into `area`. Probe names: "sentence.word.<n>", "sentence.beam.<n>" (its value: the weight),
// "sentence.next.<n>" with ".bar" and ".track", "sentence.layer", "sentence.head", "sentence.heads.leading"
// (back to that head), "sentence.looks", "sentence.mixture", "sentence.text", "sentence.done",
// "sentence.note", those of pulled_beam.h and "sentence.supposed" (what is supposed), and while one types
// "sentence.read" and "sentence.try.<id>".
void sentence_panel(UiContext& ui, SentenceState& state, const Area& area);

}  // namespace headlight
