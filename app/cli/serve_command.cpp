#include "app/cli/serve_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/ask_command.h"
#include "app/cli/changed_pass.h"
#include "app/cli/model_commands.h"
#include "app/cli/run_arrays.h"
#include "app/cli/text_line.h"
#include "app/cli/training_lines.h"
#include "app/export/array_answer.h"
#include "app/export/result_files.h"
#include "app/settings/version.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_document.h"
#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"

namespace headlight {
namespace {

constexpr int kProtocol = 1;
constexpr std::size_t kStoredResults = 32;  // of which figures can be drawn

// The line of a reply, and what follows it: arrays one after the other, or the bytes of a figure.
struct Reply {
  std::string line;
  std::function<void(std::ostream&)> body = {};
};

Json error_json(const Error& error) {
  return {{"error", {{"what", error.summary()}, {"where", error.where()}, {"hint", error.hint()}}}};
}

// Invalid UTF-8, of tokens that are parts of a character, becomes U+FFFD.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// ---- the options of a question

std::string comma_list(const Json& list, const std::string& place) {
  std::string text;
  for (const Json& item : list) {
    if (!item.is_string() && !item.is_number())
      throw Error("it holds " + json_kind(item), place, "give words or numbers");
    text += (text.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : item.dump());
  }
  return text;
}

// {"text": "...", "words": true} as --text=... and --words, in the reverse order that CLI11 requires.
std::vector<std::string> option_words(const Json& options) {
  std::vector<std::string> words;
  for (const auto& [name, value] : options.items()) {
    const std::string option = "--" + name, place = "options." + name;
    if (value.is_null() || value == false) continue;
    if (value == true) {
      words.push_back(option);
      continue;
    }
    if (value.is_object()) throw Error("is an object", place, "give text, a number, or a list of these");
    const std::string text = value.is_string()  ? value.get<std::string>()
                             : value.is_array() ? comma_list(value, place)
                                                : value.dump();
    if (text.empty())
      words.insert(words.end(), {option, ""});
    else
      words.push_back(std::string(option).append("=").append(text));
  }
  std::reverse(words.begin(), words.end());
  return words;
}

// Parses the options of a request, and words that stand before them on the command line.
void parse_options(CLI::App& command, const Json& options, const std::vector<std::string>& before) {
  if (!options.is_object()) throw Error("is " + json_kind(options) + ", expected an object", "options", "");
  std::vector<std::string> words = option_words(options);
  words.insert(words.end(), before.rbegin(), before.rend());
  command.parse(std::move(words));
}

// Calls `read` and turns a usage error into Error. command: whose help lists the options.
template <class Read>
auto without_usage_error(const std::string& command, const Read& read) {
  try {
    return read();
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw Error(what, "options", "headlight " + command + " --help lists them");
  }
}

AskedAnalysis asked_of(const std::string& folder, const std::string& question, const Json& options) {
  return without_usage_error("ask", [&] {
    CLI::App command;
    AskLine line;
    line.add_to(command);
    parse_options(command, options, {folder, question});
    return line.options();
  });
}

ModelPatches patches_asked(const Json& options) {
  return without_usage_error("patches", [&] {
    CLI::App command;
    TextLine text;
    PatchesLine line;
    line.add_choices(command, text);
    parse_options(command, options, {});
    return line.options(text.text());
  });
}

ModelGradients gradients_asked(const std::string& folder, const Json& options) {
  return without_usage_error("gradients", [&] {
    CLI::App command;
    TextLine text;
    GradientsLine line;
    text.add_text(command);
    line.add_to(command);
    parse_options(command, options, {});
    return line.options(folder, text.text());
  });
}

// ---- the model

class ModelServer {
 public:
  explicit ModelServer(const std::filesystem::path& folder)
      : folder_(folder), changed_(open_text_model(folder)) {}

  Json description() const {
    const Network& network = changed_.network();
    const NetworkConfig& c = network.config();
    return {{"headlight", kVersion},
            {"protocol", kProtocol},
            {"model",
             {{"path", folder_.string()},
              {"family", family_name(c)},
              {"layers", c.layers},
              {"heads", c.heads},
              {"kv_heads", c.kv_heads},
              {"head_width", c.head_width},
              {"width", c.width},
              {"mlp_width", c.mlp_width},
              {"vocabulary", c.vocabulary},
              {"positions", c.positions}}},
            {"notes", network.notes()}};
  }

  // Throws Error.
  Reply reply(const Json& request) {
    const JsonFields fields(
        request, "request",
        {"do", "text", "ids", "keep", "changes", "model_changes", "question", "options", "result", "format"});
    const std::string what = text_value(fields.require("do", "say what is asked for"), "request.do");
    using Do = Reply (ModelServer::*)(const JsonFields&);
    const std::vector<std::pair<std::string, Do>> known = {
        {"tokens", &ModelServer::tokens},   {"ids", &ModelServer::ids},
        {"run", &ModelServer::run},         {"ask", &ModelServer::ask},
        {"patches", &ModelServer::patches}, {"gradients", &ModelServer::gradients},
        {"figure", &ModelServer::figure},   {"close", &ModelServer::close}};
    std::vector<std::string> names;
    for (const auto& [name, answer] : known) {
      if (name == what) return (this->*answer)(fields);
      names.push_back(name);
    }
    throw Error(in_quotes(what) + " is no request", "request.do", nearest_of(what, names));
  }
  bool closed() const { return closed_; }

 private:
  struct StoredResult {
    long long number = 0;
    AskResult result;
    FigureOptions figure;
  };

  TokenIds ids_in(const JsonFields& fields) const {
    if (fields.has("text") == fields.has("ids"))
      throw Error("a text or its ids are needed, one of them", "text", "give a str, or a list of ids");
    if (fields.has("text")) return changed_.network().encode(fields.text("text", ""));
    TokenIds ids;
    const Json& list = *fields.find("ids");
    if (!list.is_array()) throw Error("is " + json_kind(list) + ", expected a list", "ids", "");
    for (const Json& id : list)
      ids.push_back(static_cast<std::int32_t>(
          whole_value(id, "ids[" + std::to_string(ids.size()) + "]", 0, INT32_MAX)));
    changed_.network().require_ids(ids);
    return ids;
  }

  // Files by their names, and lists as JSON, in this order: those of the model, those of the request.
  static std::vector<std::string> changes_in(const JsonFields& fields) {
    std::vector<std::string> sources;
    for (const char* key : {"model_changes", "changes"}) {
      const Json* changes = fields.find(key);
      if (!changes || changes->is_null()) continue;
      if (!changes->is_string() && !changes->is_array())
        throw Error("is " + json_kind(*changes), key, "give the name of a file, or a list of changes");
      if (changes->is_string() || !changes->empty())
        sources.push_back(changes->is_string() ? changes->get<std::string>() : changes->dump());
    }
    return sources;
  }

  Reply tokens(const JsonFields& fields) {
    Json list = Json::array();
    for (const std::int32_t id : ids_in(fields))
      list.push_back(changed_.network().token_label(id));
    return {line_of({{"tokens", list}})};
  }

  Reply ids(const JsonFields& fields) { return {line_of({{"ids", ids_in(fields)}})}; }

  // Everything is computed before the reply begins, so that what fails is an error and not half an array.
  Reply run(const JsonFields& fields) {
    std::vector<std::string> names;
    if (const Json* keep = fields.find("keep"); keep && !keep->is_null()) {
      if (!keep->is_array() || keep->empty()) throw Error("is no list of names", "keep", "name an array");
      for (const Json& name : *keep)
        names.push_back(text_value(name, "keep[" + std::to_string(names.size()) + "]"));
    }
    const std::vector<RunArray> kept = chosen_run_arrays(changed_.network(), names, "keep");
    const TokenIds ids = ids_in(fields);
    changed_.take(changes_in(fields), ids);
    NetworkPass& pass = changed_.pass();
    compute_run(pass);
    Json arrays = Json::array();
    for (const RunArray& array : kept)
      arrays.push_back({{"name", array.name}, {"shape", array.shape(pass)}});
    return {line_of({{"ids", ids}, {"arrays", arrays}, {"changes", changed_.changes()}}),
            [&pass, kept](std::ostream& out) {
              for (const RunArray& array : kept)
                array.write(pass, [&](std::string_view bytes) {
                  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
                });
            }};
  }

  static Json options_in(const JsonFields& fields) {
    const Json* options = fields.find("options");
    return options ? *options : Json::object();
  }

  // The arrays of an answer, and what it says of itself; of a set its rows.
  static Reply arrays_of(ArrayAnswer computed) {
    const auto answer = std::make_shared<const ArrayAnswer>(std::move(computed));
    JsonWriter line(JsonLayout::OneLine);
    line.begin_object();
    line.key("arrays");
    write_array_list(line, *answer);
    line.key("lines").texts(answer->lines);
    if (answer->set) {
      line.key("rows");
      line.begin_list();
      for (std::size_t at = 0; at < answer->set->rows.size(); ++at) {
        line.next_item();
        line.begin_object();
        write_set_row(line, *answer->set, at, answer->metric[at]);
        line.end_object();
      }
      line.end_list();
    }
    line.key("about").json(answer->about);
    line.end_object();
    return {line.take(), [answer](std::ostream& out) {
              for (const std::vector<float>* numbers : sent_numbers(*answer))
                out.write(reinterpret_cast<const char*>(numbers->data()),
                          static_cast<std::streamsize>(numbers->size() * sizeof(float)));
            }};
  }

  Reply patches(const JsonFields& fields) {
    ModelPatches asked = patches_asked(options_in(fields));
    asked.folder = folder_;
    const std::vector<std::string> sources = changes_in(fields);
    asked.changes.insert(asked.changes.begin(), sources.begin(), sources.end());
    return arrays_of(model_patches(changed_, asked));
  }

  Reply gradients(const JsonFields& fields) {
    const ModelGradients asked = gradients_asked(folder_.string(), options_in(fields));
    if (!changes_in(fields).empty())
      throw Error("the gradients are of the model as its files have it", "changes",
                  "leave the changes out; estimated patches and the question edges take them");
    changed_.take_as_stored();
    return arrays_of(model_gradients(changed_.network_owner(), asked));
  }

  Reply ask(const JsonFields& fields) {
    AskedAnalysis asked = asked_of(
        folder_.string(), text_value(fields.require("question", "name one"), "question"), options_in(fields));
    if (asked.checkpoints)
      throw Error("one model is open here, and no others", "checkpoints",
                  "run `headlight ask --checkpoints`");
    const std::vector<std::string> sources = changes_in(fields);
    asked.changes.insert(asked.changes.begin(), sources.begin(), sources.end());
    std::ostringstream notes;
    AskResult result = ask_result(asked, changed_, notes);
    JsonWriter line(JsonLayout::OneLine);
    line.begin_object();
    line.key("result").whole(++results_);
    line.key("answer");
    write_result(line, result.result);
    line.key("notes").text(notes.str());
    line.end_object();
    stored_.push_back({results_, std::move(result), asked.figure});
    if (stored_.size() > kStoredResults) stored_.pop_front();
    return {line.take()};
  }

  Reply figure(const JsonFields& fields) {
    const std::int64_t number = whole_value(fields.require("result", "name the result of a question"),
                                            "result", 0, std::numeric_limits<std::int32_t>::max());
    const auto found = std::find_if(stored_.begin(), stored_.end(),
                                    [&](const StoredResult& one) { return one.number == number; });
    if (found == stored_.end()) throw Error("the result is no longer stored", "result", "ask again");
    const std::string ending = fields.text("format", "png");
    const auto format = figure_format(std::filesystem::path("figure." + ending));
    if (!format)
      throw Error(in_quotes(ending) + " is no format of figures", "format", "give png, svg or pdf");
    std::string bytes = asked_figure(changed_.network(), found->result, found->figure, *format);
    const std::size_t count = bytes.size();
    return {line_of({{"bytes", count}}), [bytes = std::move(bytes)](std::ostream& out) {
              out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            }};
  }

  Reply close(const JsonFields&) {
    closed_ = true;
    return {line_of({{"closed", true}})};
  }

  std::filesystem::path folder_;
  ChangedPass changed_;
  std::deque<StoredResult> stored_;
  long long results_ = 0;
  bool closed_ = false;
};

void answer_line(ModelServer& server, const std::string& line, std::ostream& out) {
  Reply reply;
  try {
    const JsonTree request(parse_json(line));
    reply = server.reply(request.value);
  } catch (const Error& error) {
    reply = {line_of(error_json(error))};
  } catch (const std::bad_alloc&) {
    reply = {line_of(error_json(Error("there is not enough memory for it", "", "give a shorter text")))};
  } catch (const std::exception& error) {
    reply = {line_of(error_json(Error(error.what(), "", "")))};
  }
  out << reply.line;
  if (reply.body) reply.body(out);
  out << std::flush;
}

}  // namespace

bool serve_model(const std::filesystem::path& folder, std::istream& in, std::ostream& out) {
  std::optional<ModelServer> server;
  try {
    server.emplace(folder);
  } catch (const Error& error) {
    out << line_of(error_json(error)) << std::flush;
    return false;
  }
  out << line_of(server->description()) << std::flush;
  std::string line;
  while (!server->closed() && out && std::getline(in, line))
    if (!line.empty()) answer_line(*server, line, out);
  return true;
}

}  // namespace headlight
