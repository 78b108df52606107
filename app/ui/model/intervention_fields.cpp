#include "app/ui/model/intervention_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/ui/widgets/dialog_frame.h"
#include "engine/analysis/text_set.h"
#include "engine/analysis/typed_place.h"
#include "engine/arrays/npy.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/number_text.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 22, kMostArrayFile = std::uint64_t{1} << 26;

// What `read` returns; its Error becomes one of the field.
template <class Read>
auto in_field(const char* field, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    const std::string& where = error.where();
    throw Error(where.empty() || where == field ? error.summary() : where + ": " + error.summary(), field,
                error.hint());
  }
}

// The fields of the members that range_of() names.
const char* field_of(const std::string& member) {
  constexpr std::pair<std::string_view, const char*> kFields[] = {
      {"place", "place"},         {"layer", "layer"},   {"how", "how"},     {"head", "units"},
      {"neuron", "units"},        {"text", "text"},     {"value", "value"}, {"position", "positions"},
      {"direction", "direction"}, {"positions", "from"}};
  for (const auto& [name, field] : kFields)
    if (name == member) return field;
  return "place";
}

std::vector<std::string> typed_items(const std::string& typed, std::string_view separators) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= typed.size();) {
    const std::size_t end = std::min(typed.find_first_of(separators, begin), typed.size());
    items.emplace_back(trimmed(std::string_view(typed).substr(begin, end - begin)));
    begin = end + 1;
  }
  return items;
}

std::optional<Index> whole_number(std::string_view text) {
  Index number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A list of heads, neurons or tokens, of which there are `count`.
struct NumberList {
  const char* what;
  Index count;
  Counting counting;

  // The index of a typed number; from the end it stays negative, so that it is the last one of any text.
  Index index(Index typed) const {
    const Index at = typed < 0 ? typed : typed - counting.first;
    if (at >= -count && at < count && (typed < 0 || at >= 0)) return at;
    throw Error(
        "there is no " + std::string(what) + " " + std::to_string(typed), "",
        "they go from " + counting.number(0) + " to " + counting.number(count - 1) + "; -1 is the last one");
  }
  // "3-5": the indices of its ends; none if it is anything else.
  std::optional<std::pair<Index, Index>> range(const std::string& item) const {
    const std::size_t dash = item.find('-', 1);
    if (item.empty() || dash == std::string::npos) return std::nullopt;
    const auto first = whole_number(trimmed(std::string_view(item).substr(0, dash))),
               last = whole_number(trimmed(std::string_view(item).substr(dash + 1)));
    if (!first || !last || *first < 0 || *last < 0) return std::nullopt;
    if (*last < *first)
      throw Error("\"" + item + "\" ends before it begins", "", "give the smaller one first");
    return std::pair(index(*first), index(*last));
  }
};

// other: reads an item that is neither a number nor a range.
template <class Other>
std::vector<Index> read_list(const std::string& typed, const NumberList& list, Other other) {
  std::vector<Index> numbers;
  if (trimmed(typed).empty()) return numbers;
  for (const std::string& item : typed_items(typed, ",")) {
    if (const auto number = whole_number(item)) {
      numbers.push_back(list.index(*number));
    } else if (const auto range = list.range(item)) {
      for (Index at = range->first; at <= range->second; ++at)
        numbers.push_back(at);
    } else {
      numbers.push_back(other(item));
    }
  }
  return numbers;
}

Index refuse_item(const std::string& item) {
  throw Error("\"" + item + "\" is no number", "",
              "give numbers and ranges, with commas between them: 0, 3-5");
}

std::vector<Index> read_units(const OpenModel& work, const InterventionFields& fields, Counting counting) {
  const char* const word = unit_word(fields.place);
  if (*word == '\0') return {};
  const NumberList list = {word, unit_count(work.network->config(), fields.place), counting};
  return in_field("units", [&] { return read_list(fields.units, list, refuse_item); });
}

std::vector<Index> read_positions(const OpenModel& work, const InterventionFields& fields,
                                  Counting counting) {
  const NumberList list = {"token", token_count(work), counting};
  return in_field("positions", [&] {
    return read_list(fields.positions, list, [&](const std::string& item) {
      return typed_position(*work.network, work.ids, item, "");
    });
  });
}

// Several numbers, or those of a .npy file.
NamedArray read_numbers(const std::string& typed) {
  const std::string text(trimmed(typed));
  if (text.ends_with(".npy")) {
    const std::filesystem::path path = path_from_text(text, home_folder());
    require_file(path, kMostArrayFile);
    NamedArray array = read_npy(path);
    if (array.values.empty()) throw Error("it holds no numbers", text, "give a file of numbers");
    if (!std::all_of(array.values.begin(), array.values.end(), [](float x) { return std::isfinite(x); }))
      throw Error("it holds NaN or infinity", text, "give finite numbers");
    return array;
  }
  if (text.empty()) throw Error("there are no numbers", "", "type them, or the path of a .npy file");
  NamedArray array;
  for (const std::string& item : typed_items(text, ", ;\t"))
    if (!item.empty()) array.values.push_back(finite_number_in(item));
  array.shape = {static_cast<Index>(array.values.size())};
  return array;
}

// Heads or neurons x positions x numbers; axes that are missing are 1. A plain list of neurons has one each.
PairArray value_array(const NamedArray& array, InterventionPlace place) {
  constexpr std::size_t kAxes = 3;
  if (array.shape.size() > kAxes)
    throw Error("it is " + shape_text(array.shape), "",
                "give at most heads or neurons x positions x numbers");
  std::array<Index, kAxes> axes = {1, 1, 1};
  std::copy(array.shape.rbegin(), array.shape.rend(), axes.rbegin());
  if (place == InterventionPlace::Neuron && array.shape.size() <= 1) std::swap(axes.front(), axes.back());
  PairArray value = {1, axes[0], {}};
  for (Index unit = 0; unit < axes[0]; ++unit)
    value.matrices.emplace_back(
        Eigen::Map<const Matrix>(array.values.data() + unit * axes[1] * axes[2], axes[1], axes[2]));
  return value;
}

Matrix direction_row(const NamedArray& array) {
  const auto several = std::count_if(array.shape.begin(), array.shape.end(), [](Index n) { return n != 1; });
  if (several > 1) throw Error("it is " + shape_text(array.shape), "", "give one row of numbers");
  return Eigen::Map<const Matrix>(array.values.data(), 1, static_cast<Index>(array.values.size()));
}

std::vector<std::int32_t> read_text(const Network& network, const std::string& typed) {
  if (trimmed(typed).empty())
    throw Error("there is no text", "", "type the one that the numbers are taken from");
  if (network.tokenizer()) return network.encode(typed);
  std::vector<std::int32_t> ids = ids_from_text(typed);
  network.require_ids(ids);
  return ids;
}

std::vector<std::vector<std::int32_t>> read_texts(const Network& network, const std::string& typed) {
  const std::string text(trimmed(typed));
  if (text.empty()) throw Error("there is no file", "", "type the path of one with a text a line");
  const std::filesystem::path path = path_from_text(text, home_folder());
  require_file(path, kMostTextBytes);
  return parse_text_set(network, read_text_file(path), path.filename().string()).texts;
}

// Reads what the numbers become. kept: the edited intervention, of the same kind; else null.
void read_how(const OpenModel& work, const InterventionFields& fields, Counting counting,
              const Intervention* kept, Intervention& made) {
  const Network& network = *work.network;
  const auto stays = [&](const std::string& field) { return kept && trimmed(field).empty(); };
  switch (fields.how) {
    case InterventionHow::Zero:
      return;
    case InterventionHow::Mean:
      made.texts = stays(fields.texts) ? kept->texts
                                       : in_field("texts", [&] { return read_texts(network, fields.texts); });
      return;
    case InterventionHow::Resample: {
      if (stays(fields.text))
        made.texts = kept->texts;
      else
        made.texts = {in_field("text", [&] { return read_text(network, fields.text); })};
      const NumberList list = {"token in the other text", static_cast<Index>(made.texts.front().size()),
                               counting};
      made.from = in_field("from", [&] { return read_list(fields.from, list, refuse_item); });
      return;
    }
    case InterventionHow::Value:
      made.value = stays(fields.value) ? kept->value : in_field("value", [&] {
        return value_array(read_numbers(fields.value), fields.place);
      });
      return;
    case InterventionHow::Add:
      made.strength =
          in_field("strength", [&] { return static_cast<double>(finite_number_in(fields.strength)); });
      [[fallthrough]];
    case InterventionHow::ProjectOut:
      made.direction = stays(fields.direction) ? kept->direction : in_field("direction", [&] {
        return direction_row(read_numbers(fields.direction));
      });
      return;
  }
}

bool takes_direction(InterventionHow how) {
  return how == InterventionHow::Add || how == InterventionHow::ProjectOut;
}

// "0, 3-5" of {0, 3, 4, 5}.
std::string list_text(const std::vector<Index>& numbers, Counting counting) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (numbers[i] >= 0 && last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    if (last - i < 2) last = i;
    const auto number = [&](Index at) { return at < 0 ? std::to_string(at) : counting.number(at); };
    text += (text.empty() ? "" : ", ") + number(numbers[i]) + (last > i ? "-" + number(numbers[last]) : "");
    i = last + 1;
  }
  return text;
}

}  // namespace

const char* unit_word(InterventionPlace place) {
  switch (place) {
    case InterventionPlace::Residual:
    case InterventionPlace::Mlp:
      return "";
    case InterventionPlace::Neuron:
      return "neuron";
    case InterventionPlace::Queries:
    case InterventionPlace::Keys:
    case InterventionPlace::Values:
    case InterventionPlace::Weights:
    case InterventionPlace::Head:
      break;
  }
  return "head";
}

Intervention intervention_from_fields(const OpenModel& work, const InterventionFields& fields,
                                      Counting counting) {
  Intervention made;
  made.place = fields.place;
  made.how = fields.how;
  made.layer = fields.layer;
  made.units = read_units(work, fields, counting);
  made.positions = read_positions(work, fields, counting);
  const Intervention* kept = fields.edited.get();
  if (kept) made.name = kept->name;
  const bool same_kind =
      kept && (kept->how == fields.how || (takes_direction(kept->how) && takes_direction(fields.how)));
  read_how(work, fields, counting, same_kind ? kept : nullptr, made);
  // Without a name, so that only the member is named; first without what is taken from where.
  const auto check = [&](Intervention checked) {
    checked.name.clear();
    try {
      (void)range_of(work.network->config(), checked, token_count(work));
    } catch (const Error& error) {
      throw Error(error.summary(), field_of(error.where()), error.hint());
    }
  };
  Intervention selected = made;
  selected.from.clear();
  if (selected.place != InterventionPlace::Weights || selected.how != InterventionHow::Mean)
    selected.how = InterventionHow::Zero;
  check(std::move(selected));
  check(made);
  return made;
}

InterventionFields fields_of(std::shared_ptr<const Intervention> intervention, Counting counting) {
  const Intervention& of = *intervention;
  InterventionFields fields;
  fields.place = of.place;
  fields.how = of.how;
  fields.layer = of.layer;
  fields.units = list_text(of.units, counting);
  fields.positions = list_text(of.positions, counting);
  fields.from = list_text(of.from, counting);
  const bool one_number = of.value.matrices.size() == 1 && of.value.matrices.front().size() == 1;
  if (one_number) fields.value = shortest_digits(of.value.matrices.front()(0, 0));
  fields.strength = shortest_digits(of.strength);
  fields.edited = std::move(intervention);
  return fields;
}

InterventionFields fields_at(const OpenModel& work, const Layer& shown, const CellAddress& cell,
                             Counting counting) {
  InterventionFields fields;
  fields.layer = work.layer.layer;
  fields.positions = counting.number(cell.row);
  const auto of_head = [&](InterventionPlace place) {
    fields.place = place;
    fields.units = counting.number(cell.head);
  };
  switch (cell.stage) {
    case Stage::Embeddings:
      break;
    case Stage::Queries:
    case Stage::RotatedQueries:
      of_head(InterventionPlace::Queries);
      break;
    case Stage::Keys:
    case Stage::RotatedKeys:
      of_head(InterventionPlace::Keys);
      break;
    case Stage::Values:
      of_head(InterventionPlace::Values);
      break;
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Weights:
    case Stage::Dropped:
      of_head(InterventionPlace::Weights);
      break;
    case Stage::Context:
      of_head(InterventionPlace::Head);
      break;
    case Stage::Concat:
      fields.place = InterventionPlace::Head;
      fields.units = counting.number(cell.column / std::max<Index>(1, shown.d_v()));
      break;
    case Stage::Output:
      fields.place = InterventionPlace::Head;  // what all heads add together
      break;
  }
  return fields;
}

}  // namespace headlight
