// An intervention as it is typed into the fields of its dialog.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/core/counting.h"
#include "engine/interpretation/open_model.h"
#include "engine/layer/stage.h"

namespace headlight {

// Layer, heads, neurons and tokens in the counting of the window.
struct InterventionFields {
  InterventionPlace place = InterventionPlace::Residual;
  InterventionHow how = InterventionHow::Zero;
  Index layer = 0;               // from 0
  std::string units, positions;  // "0, 3-5, -1"; tokens also by their words; empty: all
  std::string texts;             // of Mean: the path of a file with a text a line
  std::string text, from;        // of Resample: a text, or ids; whence each position is taken, or ""
  std::string value;             // of Value: a number, several, or the path of a .npy file
  std::string direction;         // of Add and ProjectOut: the same
  std::string strength = "1";    // of Add
  // The intervention that is edited; null: a new one. Its texts and arrays stay where their field is empty.
  std::shared_ptr<const Intervention> edited = {};
};

// Reads the fields, and the files that they name. Throws Error whose where() is the name of the field with
// the mistake: "place", "layer", "units", "positions", "how", "texts", "text", "from", "value", "direction"
// or "strength". Precondition: the model is of one side.
Intervention intervention_from_fields(const OpenModel& work, const InterventionFields& fields,
                                      Counting counting);

// The fields of an intervention; those of texts and arrays are empty.
InterventionFields fields_of(std::shared_ptr<const Intervention> intervention, Counting counting);

// Sets the numbers of which a cell of the shown layer is one to zero: of its head at its token.
InterventionFields fields_at(const OpenModel& work, const Layer& shown, const CellAddress& cell,
                             Counting counting);

// "head", "neuron" or, of a place without either, "".
const char* unit_word(InterventionPlace place);

}  // namespace headlight
