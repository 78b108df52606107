#include "engine/session/lesson_settings_field.h"

#include <string>

#include "engine/core/error.h"
#include "engine/session/attention_members.h"

namespace headlight {
namespace {

constexpr std::int64_t kWidest = 1 << 24;

constexpr std::array<Word<std::optional<Parameter>>, 5> kNumbersOf = {{{"embeddings", std::nullopt},
                                                                       {"W_query", Parameter::Query},
                                                                       {"W_key", Parameter::Key},
                                                                       {"W_value", Parameter::Value},
                                                                       {"W_output", Parameter::Output}}};

void optional_member(auto& member, const char* name, auto& value, auto form_of_value) {
  member(name, value, form::Optional{form_of_value}, value.has_value());
}

void dropout_members(auto& member, Of<LessonSettings> auto& settings) {
  optional_member(member, "probability", settings.dropout_probability, form::Plain());
  optional_member(member, "training", settings.dropout_training, form::Plain());
  optional_member(member, "seed", settings.dropout_seed, form::Seed());
}

struct DropoutObject {
  void read(const Json& json, const std::string& place, LessonSettings& settings) const {
    MemberNames known;
    dropout_members(known, settings);
    const JsonFields object(json, place, known.names);
    MemberReader reader(object);
    dropout_members(reader, settings);
  }
  void write(JsonWriter& out, const LessonSettings& settings) const {
    out.begin_object();
    MemberWriter writer(out);
    dropout_members(writer, settings);
    out.end_object();
  }
};

}  // namespace

void members(auto& member, Of<LessonSettings> auto& settings) {
  const form::Whole width{1, kWidest};
  optional_member(member, "projection", settings.projection, form::OneWord{kProjectionWords});
  optional_member(member, "d_out", settings.d_out, width);
  optional_member(member, "num_heads", settings.num_heads, width);
  optional_member(member, "qkv_bias", settings.qkv_bias, form::Plain());
  optional_member(member, "output_projection", settings.output_projection, form::Plain());
  optional_member(member, "scale", settings.scale, form::ScaleValue());
  optional_member(member, "mask", settings.mask, form::OneWord{kMaskWords});
  optional_member(member, "normalization", settings.normalization, form::OneWord{kNormalizationWords});
  member("dropout", settings, DropoutObject(),
         settings.dropout_probability || settings.dropout_training || settings.dropout_seed);
  optional_member(member, "disabled_heads", settings.disabled_heads, form::Heads{kWidest});
}

void members(auto& member, Of<ChangedNumber> auto& number) {
  member("of", number.parameter, form::OneWord{kNumbersOf});
  member("row", number.row, form::Whole{0, kWidest});
  member("column", number.column, form::Whole{0, kWidest});
  member("value", number.value, form::Required{form::Plain(), "say what the number becomes"});
}

void members(auto& member, Of<LessonLearning> auto& learning) {
  member("steps", learning.steps, form::Whole{1, kMostLessonSteps});
  optional_member(member, "rate", learning.rate, form::Plain());
}

namespace {

LessonLearning read_learning(const Json& value, const std::string& place, const LessonTraining& session) {
  LessonLearning learning;
  read_members(value, place, learning);
  if (!session.goal) throw Error("there is nothing to learn", place, "give the session a \"goal\"");
  if (!session.settings)
    throw Error("it does not say how it is trained", place, "give the session \"training\"");
  learning.goal = session.goal;
  learning.training = *session.settings;
  return learning;
}

LessonChange read_change(const Json& value, const std::string& place, const LessonTraining& session) {
  const JsonFields fields(value, place, {"set", "numbers", "learn", "draws"});
  LessonChange change;
  change.draws = fields.whole("draws", 0, 0, kMostLessonDraws);
  if (const Json* learn = fields.find("learn"))
    change.learning = read_learning(*learn, fields.place("learn"), session);
  if (const Json* settings = fields.find("set"))
    read_members(*settings, fields.place("set"), change.settings);
  const Json* numbers = fields.find("numbers");
  if (numbers && !numbers->is_array())
    throw Error("is " + json_kind(*numbers) + ", expected a list", fields.place("numbers"),
                "write it like [{\"of\": \"embeddings\", \"row\": 1, \"column\": 0, \"value\": 2}]");
  for (std::size_t i = 0; numbers && i < numbers->size(); ++i)
    read_members((*numbers)[i], fields.place("numbers") + "[" + std::to_string(i) + "]",
                 change.numbers.emplace_back());
  if (change == LessonChange{})
    throw Error(
        "changes nothing", place,
        "name settings in \"set\", numbers in \"numbers\", steps in \"learn\", or \"draws\" of dropout");
  return change;
}

}  // namespace

void write_whole(JsonWriter& out, const char* key, const std::optional<Index>& number) {
  if (!number) return;
  out.key(key).whole(*number);
}

LessonSettings fitting_settings(const JsonFields& fields, const char* key, Layer& layer) {
  const std::string place = fields.place(key);
  LessonSettings settings;
  read_members(*fields.find(key), place, settings);
  if (settings.projection && layer.attention.projection == Projection::Given)
    throw Error("queries, keys and values are given: there is nothing to project", place,
                "remove \"projection\"");
  try {
    apply_settings(settings, layer);
  } catch (const Error& error) {
    throw error.inside(place);
  }
  return settings;
}

LessonChange fitting_change(const JsonFields& fields, const char* key, Layer& layer,
                            const LessonTraining& session) {
  const std::string place = fields.place(key);
  LessonChange change = read_change(*fields.find(key), place, session);
  try {
    apply_change(change, layer);
  } catch (const Error& error) {
    throw error.inside(place);
  }
  return change;
}

void write_settings(JsonWriter& out, const LessonSettings& settings) {
  write_members(out, settings);
}

void write_change(JsonWriter& out, const LessonChange& change) {
  out.begin_object();
  if (!change.settings.empty()) {
    out.key("set");
    write_members(out, change.settings);
  }
  if (!change.numbers.empty()) {
    out.key("numbers").begin_list();
    for (const ChangedNumber& number : change.numbers) {
      out.next_item();
      write_members(out, number);
    }
    out.end_list();
  }
  if (change.learning) {
    out.key("learn");
    write_members(out, *change.learning);
  }
  if (change.draws > 0) write_whole(out, "draws", change.draws);
  out.end_object();
}

}  // namespace headlight
