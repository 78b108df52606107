#include "engine/session/intervention_field.h"

#include "engine/core/error.h"
#include "engine/json/json_members.h"

namespace headlight {
namespace {

constexpr std::array<Word<InterventionPlace>, 8> kPlaceWords = {{{"residual", InterventionPlace::Residual},
                                                                 {"queries", InterventionPlace::Queries},
                                                                 {"keys", InterventionPlace::Keys},
                                                                 {"values", InterventionPlace::Values},
                                                                 {"weights", InterventionPlace::Weights},
                                                                 {"head", InterventionPlace::Head},
                                                                 {"neuron", InterventionPlace::Neuron},
                                                                 {"mlp", InterventionPlace::Mlp}}};
constexpr std::array<Word<InterventionHow>, 6> kHowWords = {{{"zero", InterventionHow::Zero},
                                                             {"mean", InterventionHow::Mean},
                                                             {"resample", InterventionHow::Resample},
                                                             {"value", InterventionHow::Value},
                                                             {"add", InterventionHow::Add},
                                                             {"project_out", InterventionHow::ProjectOut}}};
constexpr std::int64_t kFarthestIndex = 1 << 30;

// A number, or a list of numbers, none of them twice; empty: the member is missing.
std::vector<Index> read_number_list(const JsonFields& fields, const char* member) {
  const Json* value = fields.find(member);
  if (!value) return {};
  const std::string place = fields.place(member);
  if (!value->is_array()) return {whole_value(*value, place, -kFarthestIndex, kFarthestIndex)};
  std::vector<Index> numbers;
  form::List{form::Whole{-kFarthestIndex, kFarthestIndex}, ""}.read(*value, place, numbers);
  if (numbers.empty()) throw Error("the list is empty", place, "leave it out for all of them");
  return numbers;
}

// [[here, there], ...]
void read_pairs(const JsonFields& fields, Intervention& into) {
  const Json& pairs = *fields.find("positions");
  const std::string place = fields.place("positions");
  const char* const hint = "give pairs, [[here, there], ...]: what stands here is taken from there";
  if (!pairs.is_array() || pairs.empty()) throw Error("is no list of pairs", place, hint);
  for (const Json& pair : pairs) {
    const std::string of_pair = place + "[" + std::to_string(into.positions.size()) + "]";
    if (!pair.is_array() || pair.size() != 2) throw Error("is no pair of positions", of_pair, hint);
    into.positions.push_back(whole_value(pair[0], of_pair, -kFarthestIndex, kFarthestIndex));
    into.from.push_back(whole_value(pair[1], of_pair, -kFarthestIndex, kFarthestIndex));
  }
}

std::vector<std::int32_t> read_text_or_ids(const Json& value, const std::string& place,
                                           const Network& network) {
  try {
    if (value.is_string()) return network.encode(value.get_ref<const std::string&>());
    std::vector<std::int32_t> ids;
    form::List{form::Whole{0, INT32_MAX}, "", "a text, or a list of ids"}.read(value, "", ids);
    network.require_ids(ids);
    return ids;
  } catch (const Error& error) {
    throw error.inside(place);
  }
}

void read_texts(const JsonFields& fields, const Network& network, Intervention& into) {
  const Json& texts = fields.require("texts", "list the texts that the mean is over");
  if (!texts.is_array() || texts.empty())
    throw Error("is no list of texts", fields.place("texts"),
                "give texts, or lists of ids: [\"...\", [1, 2]]");
  for (const Json& text : texts)
    into.texts.push_back(read_text_or_ids(
        text, fields.place("texts") + "[" + std::to_string(into.texts.size()) + "]", network));
}

void require_finite(const Matrix& numbers, const std::string& place) {
  if (!numbers.allFinite()) throw Error("it holds NaN or infinity", place, "give finite numbers");
}

PairArray read_value(const JsonFields& fields, ArrayReader& arrays) {
  const Json& value = fields.require("value", "give a number, or an array");
  const std::string place = fields.place("value");
  if (value.is_number()) return {1, 1, {Matrix::Constant(1, 1, static_cast<float>(value.get<double>()))}};
  PairArray array = arrays.pairs(value, place);
  if (array.sequences != 1)
    throw Error("it has four axes", place, "give at most three: heads or neurons x positions x numbers");
  for (const Matrix& matrix : array.matrices)
    require_finite(matrix, place);
  return array;
}

// Throws Error for a member that does not go with what is done, or with the place.
void require_members(const JsonFields& fields, const Intervention& of) {
  struct Member {
    const char* name;
    bool goes;
  };
  const bool moved = of.how == InterventionHow::Add || of.how == InterventionHow::ProjectOut;
  const Member members[] = {{"texts", of.how == InterventionHow::Mean},
                            {"text", of.how == InterventionHow::Resample},
                            {"positions", of.how == InterventionHow::Resample},
                            {"value", of.how == InterventionHow::Value},
                            {"direction", moved},
                            {"strength", of.how == InterventionHow::Add},
                            {"neuron", of.place == InterventionPlace::Neuron},
                            {"head", of.place != InterventionPlace::Neuron}};
  for (const auto& [name, goes] : members)
    if (!goes && fields.has(name))
      throw Error(std::string("\"") + name + "\" does not go with the place " +
                      in_quotes(word_of(kPlaceWords, of.place)) + " and " +
                      in_quotes(word_of(kHowWords, of.how)),
                  fields.place(name), "leave it out");
  if (fields.has("position") && fields.has("positions"))
    throw Error("\"positions\" stands in the place of \"position\"", fields.place("position"),
                "give one of them");
}

void read_numbers_of(const JsonFields& fields, const Network& network, ArrayReader& arrays,
                     Intervention& into) {
  switch (into.how) {
    case InterventionHow::Zero:
      break;
    case InterventionHow::Mean:
      read_texts(fields, network, into);
      break;
    case InterventionHow::Resample:
      into.texts = {read_text_or_ids(fields.require("text", "give the text that the numbers are taken from"),
                                     fields.place("text"), network)};
      break;
    case InterventionHow::Value:
      into.value = read_value(fields, arrays);
      break;
    case InterventionHow::Add:
    case InterventionHow::ProjectOut: {
      const Json& direction = fields.require("direction", "list its numbers");
      into.direction = direction.is_number()
                           ? Matrix(Matrix::Constant(1, 1, static_cast<float>(direction.get<double>())))
                           : arrays.vector(direction, fields.place("direction"));
      into.strength = fields.number("strength", 1);
      require_finite(into.direction, fields.place("direction"));
      break;
    }
  }
}

void write_number_list(JsonWriter& out, const char* key, const std::vector<Index>& numbers) {
  if (numbers.empty()) return;
  out.key(key).wholes(numbers);
}

void write_texts(JsonWriter& out, const Intervention& of) {
  if (of.how == InterventionHow::Resample) {
    out.key("text").wholes({of.texts.front().begin(), of.texts.front().end()});
    return;
  }
  out.key("texts").begin_list();
  for (const std::vector<std::int32_t>& text : of.texts) {
    out.next_item();
    out.wholes({text.begin(), text.end()});
  }
  out.end_list();
}

void write_pairs(JsonWriter& out, const Intervention& of) {
  std::vector<std::array<Index, 2>> pairs;
  for (std::size_t i = 0; i < of.from.size(); ++i)
    pairs.push_back({of.positions[i], of.from[i]});
  out.key("positions").pairs(pairs);
}

}  // namespace

const std::vector<std::string_view>& intervention_members() {
  static const std::vector<std::string_view> members = {
      "how", "head", "neuron", "position", "texts", "text", "positions", "value", "direction", "strength"};
  return members;
}

Intervention read_intervention(const JsonFields& fields, const std::string& place, const Network& network,
                               ArrayReader& arrays) {
  Intervention read;
  read.name = place;
  read.place = fields.choice("place", kPlaceWords, InterventionPlace::Residual);
  fields.require("how", "say what becomes of the numbers: zero, mean, resample, value, add or project_out");
  read.how = fields.choice("how", kHowWords, InterventionHow::Zero);
  fields.require("layer", "name a layer");
  read.layer = fields.whole("layer", 0, -kFarthestIndex, kFarthestIndex);
  require_members(fields, read);
  read.units = read_number_list(fields, read.place == InterventionPlace::Neuron ? "neuron" : "head");
  if (fields.has("positions"))
    read_pairs(fields, read);
  else
    read.positions = read_number_list(fields, "position");
  read_numbers_of(fields, network, arrays, read);
  return read;
}

void write_intervention(JsonWriter& out, const Intervention& of, const std::string& place,
                        ArrayWriter& arrays) {
  out.key("place").text(word_of(kPlaceWords, of.place));
  out.key("how").text(word_of(kHowWords, of.how));
  write_number_list(out, of.place == InterventionPlace::Neuron ? "neuron" : "head", of.units);
  if (of.from.empty())
    write_number_list(out, "position", of.positions);
  else
    write_pairs(out, of);
  if (!of.texts.empty()) write_texts(out, of);
  if (of.how == InterventionHow::Value) {
    out.key("value");
    arrays.pairs(out, place + ".value", of.value);
  }
  if (of.direction.size() == 0) return;
  out.key("direction");
  arrays.row(out, place + ".direction", of.direction);
  if (of.how != InterventionHow::Add) return;
  out.key("strength").number(of.strength);
}

}  // namespace headlight
