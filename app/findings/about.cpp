#include "app/findings/about.h"

#include <charconv>

#include "app/export/option_text.h"
#include "app/findings/question_words.h"
#include "app/settings/version.h"
#include "engine/architecture/network_config.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

using Words = std::vector<std::string>;

std::string joined(const TokenIds& ids) {
  std::string text;
  for (const std::int32_t id : ids)
    text += (text.empty() ? "" : ",") + std::to_string(id);
  return text;
}

// The choices that the question depends on, as options with their values; of a flag "" is the value.
struct Choice {
  std::string option, value;
};
std::vector<Choice> choices_of(const Question& question) {
  const QuestionInfo& info = question_info(question.kind);
  std::vector<Choice> choices;
  const auto add = [&](const char* option, std::string value) {
    choices.push_back({option, std::move(value)});
  };
  if (info.of_target && question.target) add("target", "#" + std::to_string(*question.target));
  if (info.of_target && question.against) add("against", "#" + std::to_string(*question.against));
  if (info.of_layer) add("layer", std::to_string(question.layer));
  if (info.of_head) add("head", std::to_string(question.head));
  if (question.kind == QuestionKind::Patches) {
    add("stage", std::string(word_of(kStageWords, question.stage)));
    if (question.normalized) add("normalized", "");
  }
  if (question.kind == QuestionKind::Ablation) {
    add("ablation", std::string(word_of(kAblationWords, question.ablation)));
    add("measure", std::string(word_of(kMeasureWords, question.measured)));
  }
  const bool lists = question.kind == QuestionKind::Circuit || question.kind == QuestionKind::Neurons ||
                     question.kind == QuestionKind::Direction;
  if (lists) add("top", std::to_string(question.top));
  if (question.kind == QuestionKind::Direction) add("strength", shortest_text(question.strength));
  return choices;
}

std::string metric_of(const Question& question) {
  if (question.kind == QuestionKind::Loss) return "loss";
  if (question.kind == QuestionKind::Ablation && question.measured == OutputMeasure::Kind::Loss)
    return "loss";
  if (!question_info(question.kind).of_target) return "";
  return question.against ? "logit_difference" : "logit";
}

std::string text_of(const Network& network, const TokenIds& ids) {
  if (network.tokenizer()) return network.decode(ids);
  std::string text;
  for (const std::int32_t id : ids)
    text += (text.empty() ? "" : " ") + network.token_label(id);
  return text;
}

void add_texts(Words& words, const std::vector<TokenIds>& texts, const std::string& file, const char* in_file,
               const char* as_ids) {
  if (!file.empty())
    words.insert(words.end(), {in_file, file});
  else if (!texts.empty())
    words.insert(words.end(), {as_ids, joined(texts.front())});
}

}  // namespace

Words asking_command(const Network& network, const Question& question, const AskedHow& how) {
  Words words = {"headlight", "ask", network.checkpoint().folder().string(),
                 std::string(question_info(question.kind).name)};
  add_texts(words, question.texts, how.texts_file, "--texts", "--ids");
  add_texts(words, question.others, how.others_file, "--from-texts", "--from-ids");
  for (const auto& [option, value] : choices_of(question)) {
    words.push_back("--" + option);
    if (!value.empty()) words.push_back(value);
  }
  if (!how.changes_file.empty()) words.insert(words.end(), {"--changes", how.changes_file});
  return words;
}

Words command_in(const std::string& about) {
  return parse_json(about).at("command").get<Words>();
}

std::string shell_line(const Words& words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string python_program(const Words& words) {
  Words saved = words;
  saved.insert(saved.end(), {"-o", "answer.json", "--force"});
  return "import json, subprocess\nsubprocess.run(" + Json(saved).dump() +
         ", check=True)\nanswer = json.load(open(\"answer.json\"))\n";
}

std::string about_answer(const Network& network, const Question& question, const AskedHow& how) {
  const Checkpoint& checkpoint = network.checkpoint();
  char header[32];
  const auto hash = std::to_chars(header, header + sizeof header, checkpoint.header_hash(), 16);
  Json about = {{"version", kVersion},
                {"model",
                 {{"path", checkpoint.folder().string()},
                  {"family", family_name(network.config())},
                  {"bytes", checkpoint.bytes()},
                  {"header", std::string(header, hash.ptr)}}},
                {"question", question_info(question.kind).name}};
  const auto texts_of = [&](const std::vector<TokenIds>& all) {
    Json texts = Json::array();
    for (const TokenIds& ids : all)
      texts.push_back(text_of(network, ids));
    return texts;
  };
  about["texts"] = network.reads_images() ? Json::array() : texts_of(question.texts);
  about["ids"] = question.texts;
  about["from"] = texts_of(question.others);
  const bool of_target = question_info(question.kind).of_target;
  about["target"] = of_target && question.target ? Json(*question.target) : Json();
  about["against"] = of_target && question.against ? Json(*question.against) : Json();
  about["metric"] = metric_of(question);
  about["options"] = Json::object();
  for (const auto& [option, value] : choices_of(question))
    about["options"][option] = value.empty() ? Json(true) : Json(value);
  about["changes"] = how.changes;
  about["command"] = asking_command(network, question, how);
  return about.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string asked_in_words(const Question& question, const AskedHow& how) {
  std::string text;
  for (const auto& [option, value] : choices_of(question)) {
    if (option == "target" || option == "against" || option == "top") continue;
    text += (text.empty() ? "" : " · ") + option + (value.empty() ? "" : " " + value);
  }
  if (!how.changes.empty())
    text += (text.empty() ? "" : " · ") + std::to_string(how.changes.size()) +
            (how.changes.size() == 1 ? " change: " : " changes: ") + how.changes.front() +
            (how.changes.size() > 1 ? ", ..." : "");
  return text;
}

}  // namespace headlight
