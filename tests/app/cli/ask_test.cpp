// `headlight ask`: analyses of a model, in the terminal and as files.
#include "engine/analysis/analysis.h"
#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "engine/network/network_pass.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/dictionaries.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kModel = source_root() + "/tests/golden/models/gpt2";

std::vector<std::string> asking(const std::string& analysis, const std::vector<std::string>& more = {}) {
  std::vector<std::string> line = {"ask", kModel, analysis, "--ids", "1,5,9,2"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

std::string written_dictionary(const TemporaryFolder& folder) {
  std::string file = folder / "dictionary.npz";
  write_identity_dictionary(file, Network(kModel).config().width);
  return file;
}

std::string changed_session() {
  return R"({"format": "headlight-session", "version": 1, "model_folder": {"path": ")" + kModel +
         R"(", "ids": [1, 5, 9, 2], "layer": 0, "changes": [{"layer": 0, "head": 0, "state": "off"}]}})";
}

// Queries, keys and values of two heads, whose axes only --layout can tell.
std::string saved_layer(const std::string& file) {
  std::vector<NamedArray> arrays;
  for (const std::string name : {"query", "key", "value"}) {
    arrays.push_back({name, {1, 2, 2, 3}, {}});
    for (int i = 0; i < 12; ++i)
      arrays.back().values.push_back(static_cast<float>((i * 7 + static_cast<int>(name.size())) % 5));
  }
  write_npz(file, arrays);
  return file;
}

// The bytes that the command of an `about` saves as `file`.
std::string rerun(const Json& about, const std::string& file) {
  std::vector<std::string> command = about.at("command");
  REQUIRE(command.at(0) == "headlight");
  command.erase(command.begin());
  command.insert(command.end(), {"-o", file});
  const Outcome outcome = run(command);
  INFO(outcome.err);
  REQUIRE(outcome.status() == 0);
  return read_file(file);
}

}  // namespace

TEST_CASE("ask: every question is answered in the terminal and in every format") {
  const TemporaryFolder folder;
  const std::string dictionary = written_dictionary(folder);
  for (const AnalysisInfo& info : analysis_table()) {
    INFO(info.name);
    std::vector<std::string> more = {"--layer", "1", "--head", "1"};
    if (info.of_other) more.insert(more.end(), {"--from-ids", "1,6,9,2"});
    if (info.kind == AnalysisKind::Features) more.insert(more.end(), {"--dictionary", dictionary});
    const Outcome shown = run(asking(std::string(info.name), more));
    INFO(shown.err);
    CHECK(shown.status() == 0);
    CHECK_THAT(shown.out, ContainsSubstring(std::string(info.label)));
    for (const std::string ending : {"png", "svg", "pdf", "csv", "tsv", "json", "npz"}) {
      const std::string file = folder / (std::string(info.name) + "." + ending);
      std::vector<std::string> saving = more;
      saving.insert(saving.end(), {"-o", file});
      CHECK(run(asking(std::string(info.name), saving)).status() == 0);
      CHECK(read_file(file).size() > 100);
      CHECK(run(asking(std::string(info.name), saving)).status() == 1);  // it exists
    }
  }
}

TEST_CASE("ask: every answer says what it is, and the command in it gives the same numbers again") {
  const TemporaryFolder folder;
  const std::string session = folder.write("changed.headlight", changed_session()),
                    dictionary = written_dictionary(folder);
  for (const AnalysisInfo& info : analysis_table()) {
    INFO(info.name);
    std::vector<std::string> more = {"--layer", "1",     "--head", "1",         "--target",
                                     "#7",      "--top", "3",      "--changes", session};
    if (info.of_other) more.insert(more.end(), {"--from-ids", "1,6,9,2"});
    if (info.kind == AnalysisKind::Features) more.insert(more.end(), {"--dictionary", dictionary});
    const std::string name(info.name), first = folder / (name + ".json"),
                                       again = folder / (name + "-again.json"),
                                       arrays = folder / (name + ".npz");
    std::vector<std::string> line = asking(name, more);
    line.insert(line.end(), {"-o", first});
    REQUIRE(run(line).status() == 0);
    const Json about = parse_json(read_file(first)).at("about");
    CHECK(about.at("question") == name);
    CHECK(about.at("model").at("path") == kModel);
    CHECK(about.at("model").at("family") == "gpt2");
    CHECK(about.at("ids") == Json::parse("[[1, 5, 9, 2]]"));
    CHECK(about.at("from").size() == (info.of_other ? 1 : 0));
    CHECK(about.at("changes").size() == 1);
    CHECK(about.at("target") == (info.of_target ? Json(7) : Json()));
    if (info.of_layer) CHECK(about.at("options").at("layer") == "1");
    CHECK(rerun(about, again) == read_file(first));
    rerun(about, arrays);
    const Json table = parse_json(read_file(first)).at("tables").at(0);
    const std::string of = table.at("name");
    CHECK(read_npz(arrays, "rows." + of).texts == table.at("rows").get<std::vector<std::string>>());
    CHECK(read_npz(arrays, "columns." + of).texts == table.at("columns").get<std::vector<std::string>>());
    CHECK(parse_json(read_npz(arrays, "about").texts.at(0)) == about);
  }
}

TEST_CASE("patches: the arrays say what they are, and the command in them gives the same bytes again") {
  const TemporaryFolder folder;
  const std::string first = folder / "first.npz", again = folder / "again.npz";
  REQUIRE(run({"patches", kModel, "--ids", "1,5,9,2", "--from-ids", "1,6,9,2", "--target", "7", "--against",
               "#3", "--each", "-o", first})
              .status() == 0);
  const Json about = parse_json(read_npz(first, "about").texts.at(0));
  CHECK(about.at("question") == "patches");
  CHECK(about.at("model").at("path") == kModel);
  CHECK(about.at("ids") == Json::parse("[[1, 5, 9, 2]]"));
  CHECK(about.at("from").size() == 1);
  CHECK(about.at("target") == 7);
  CHECK(about.at("against") == 3);
  CHECK(about.at("metric") == "logit_difference");
  CHECK(about.at("options").at("each") == true);
  CHECK(about.at("changes").empty());
  CHECK(rerun(about, again) == read_file(first));
  for (const ArrayEntry& entry : list_npz(first)) {
    INFO(entry.name);
    if (entry.name == "about" || entry.name.starts_with("rows.") || entry.name.starts_with("columns."))
      continue;
    const std::vector<Index> shape = read_npz(first, entry.name).shape;
    if (shape.empty()) continue;
    const std::size_t last = shape.size() - 1;
    CHECK(read_npz(first, "rows." + entry.name).shape == std::vector{shape[last == 0 ? 0 : last - 1]});
    if (last > 0) CHECK(read_npz(first, "columns." + entry.name).shape == std::vector{shape[last]});
  }
  CHECK(read_npz(first, "rows.estimate.residual").texts.back() == "end");
  CHECK(read_npz(first, "columns.estimate.context").texts.front() == "0");
}

TEST_CASE("patches and compute: the changes of a session apply, and are told") {
  const TemporaryFolder folder;
  const std::string session = folder.write("changed.headlight", changed_session()),
                    patches = folder / "patches.npz", again = folder / "again.npz",
                    plain = folder / "plain.npz", changed = folder / "changed.npz";
  REQUIRE(run({"patches", kModel, "--ids", "1,5,9,2", "--from-ids", "1,6,9,2", "--target", "7", "--changes",
               session, "-o", patches})
              .status() == 0);
  const Json about = parse_json(read_npz(patches, "about").texts.at(0));
  CHECK(about.at("changes").size() == 1);
  CHECK(rerun(about, again) == read_file(patches));
  const auto logit_of = [&](const std::string& file) {
    const NamedArray logits = read_npz(file, "logits");
    return logits.values[static_cast<std::size_t>(3 * logits.shape[1] + 7)];
  };
  REQUIRE(run({"compute", kModel, "--ids", "1,5,9,2", "--layers", "none", "-o", plain}).status() == 0);
  REQUIRE(
      run({"compute", kModel, "--ids", "1,5,9,2", "--layers", "none", "--changes", session, "-o", changed})
          .status() == 0);
  CHECK_THAT(read_npz(patches, "logit").values.at(0), WithinAbs(logit_of(changed), 1e-4));
  CHECK(std::abs(logit_of(changed) - logit_of(plain)) > 1e-3f);
  const std::string settings = folder.write(
      "settings.headlight",
      R"({"format": "headlight-session", "version": 1, "model_folder": {"path": ")" + kModel +
          R"(", "ids": [1, 5, 9, 2], "layer": 0, "changes": [{"layer": 0, "attention": {"softcap": 0.3}},)" +
          R"({"layer": 1, "attention": {"dropout": {"probability": 0.5, "training": true, "seed": 4}}}]}})");
  REQUIRE(run({"compute", kModel, "--ids", "1,5,9,2", "--layers", "none", "--changes", settings, "--force",
               "-o", changed})
              .status() == 0);
  CHECK(std::abs(logit_of(changed) - logit_of(plain)) > 1e-3f);
  REQUIRE(run({"patches", kModel, "--ids", "1,5,9,2", "--from-ids", "1,6,9,2", "--target", "7", "--changes",
               settings, "--force", "-o", patches})
              .status() == 0);
  CHECK_THAT(read_npz(patches, "logit").values.at(0), WithinAbs(logit_of(changed), 1e-4));
  CHECK(parse_json(read_npz(patches, "about").texts.at(0)).at("changes") ==
        Json({"layer 0: softcap 0.3", "layer 1: dropout 0.5, seed 4"}));
  CHECK_THAT(run({"compute", source_root() + "/tests/golden/library/t5", "--ids", "1,2", "--decoder-ids", "0",
                  "--changes", session, "-o", folder / "t5.npz"})
                 .err,
             ContainsSubstring("leave --changes out"));
}

TEST_CASE("heads: files say what they are, and the command in them gives the same bytes again") {
  const TemporaryFolder folder;
  const std::string session = source_root() + "/assets/examples/induction-head.headlight",
                    arrays = saved_layer(folder / "layer.npz"),
                    changed = folder.write("changed.headlight", changed_session());
  const std::vector<std::vector<std::string>> sources = {
      {session, "--sort", "induction", "--ascending", "--like", "2"},
      {arrays, "--layout", "bthd", "--causal"},
      {changed},
      {kModel, "--ids", "1,5,9,2", "--layer", "1", "--sort", "entropy"}};
  const std::vector<std::string> families = {"session", "arrays", "session", "gpt2"};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    INFO(sources[i].front());
    for (const std::string ending : {".json", ".npz"}) {
      const std::string first = folder / ("heads" + std::to_string(i) + ending),
                        again = folder / ("again" + std::to_string(i) + ending);
      std::vector<std::string> line = {"heads"};
      line.insert(line.end(), sources[i].begin(), sources[i].end());
      line.insert(line.end(), {"-o", first});
      const Outcome outcome = run(line);
      INFO(outcome.err);
      REQUIRE(outcome.status() == 0);
      const Json about = ending == ".json" ? parse_json(read_file(first)).at("about")
                                           : parse_json(read_npz(first, "about").texts.at(0));
      CHECK(about.at("question") == "heads");
      CHECK(about.at("model").at("path") == sources[i].front());
      CHECK(about.at("model").at("family") == families[i]);
      CHECK(about.at("model").at("bytes").get<std::uint64_t>() > 0);
      CHECK(about.at("texts").size() == 1);
      CHECK(about.at("changes").size() == (sources[i].front() == changed ? 1 : 0));
      CHECK(rerun(about, again) == read_file(first));
    }
  }
  const NamedArray measures = read_npz(folder / "heads0.npz", "measures");
  CHECK(read_npz(folder / "heads0.npz", "rows.measures").shape == std::vector{measures.shape[0]});
  CHECK(read_npz(folder / "heads0.npz", "columns.measures").texts.at(3) == "induction");
}

TEST_CASE("ask: a figure carries what it shows, in words and for programs") {
  const TemporaryFolder folder;
  const std::string session = folder.write("changed.headlight", changed_session());
  for (const std::string ending : {"png", "svg", "pdf"}) {
    INFO(ending);
    const std::string file = folder / ("ablation." + ending);
    REQUIRE(run(asking("ablation", {"--ablation", "zero", "--changes", session, "-o", file})).status() == 0);
    const std::string bytes = read_file(file);
    if (ending == "pdf") {
      CHECK_THAT(bytes, ContainsSubstring("/Keywords"));
      continue;
    }
    CHECK_THAT(bytes, ContainsSubstring(ending == "png" ? "{\"against\"" : "<desc>"));
    if (ending == "svg") CHECK_THAT(bytes, ContainsSubstring("1 change: "));
  }
}

TEST_CASE(
    "ask: edges as a figure are the strongest in their layers, with what they carry; as cells a heatmap") {
  const TemporaryFolder folder;
  const auto figure = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> line =
        asking("edges", {"--from-ids", "1,6,9,2", "--target", "#7", "-o", folder / name});
    line.insert(line.end(), more.begin(), more.end());
    REQUIRE(run(line).status() == 0);
    return read_file(folder / name);
  };
  const std::string layered = figure("layered.svg", {"--top", "3"});
  for (const std::string word :
       {"embedding", "layer 1", "MLP", "logits", "edges kept", "3 edges of ", "2 edges carry "})
    CHECK_THAT(layered, ContainsSubstring(word));
  CHECK_THAT(layered, !ContainsSubstring("sender"));
  CHECK_THAT(figure("cells.svg", {"--cell", "12px"}), ContainsSubstring("sender"));
  CHECK(figure("all.svg", {"--top", "40"}).size() > layered.size());
}

TEST_CASE("ask: measures say over how many queries each is a mean") {
  const Outcome few = run({"ask", kModel, "measures", "--ids", "1,5,1,2"});
  CHECK_THAT(few.out, ContainsSubstring("induction 1") && ContainsSubstring("fewer than 5"));
  std::vector<std::string> twice = {"ask", kModel, "measures", "--ids", "1,5,9,2,7,8,3,1,5,9,2,7,8,3"};
  CHECK_THAT(run(twice).out, ContainsSubstring("induction 7") && !ContainsSubstring("fewer than 5"));
}

TEST_CASE("ask: measures on random tokens that are said twice are those of the same ids") {
  const TemporaryFolder folder;
  const std::string first = folder / "first.json", again = folder / "again.json", ids = folder / "ids.json",
                    model = source_root() + "/assets/examples/words";
  REQUIRE(run({"ask", model, "measures", "--repeated", "40", "--seed", "7", "-o", first}).status() == 0);
  const Json saved = parse_json(read_file(first));
  CHECK(saved.at("about").at("options").at("repeated") == "40");
  CHECK(saved.at("about").at("options").at("seed") == "7");
  CHECK(rerun(saved.at("about"), again) == read_file(first));
  std::string list;
  for (const std::int32_t id : saved.at("about").at("ids").at(0).get<std::vector<std::int32_t>>())
    list += (list.empty() ? "" : ",") + std::to_string(id);
  REQUIRE(run({"ask", model, "measures", "--ids", list, "-o", ids}).status() == 0);
  CHECK(parse_json(read_file(ids)).at("tables") == saved.at("tables"));
  CHECK_THAT(run({"ask", model, "measures", "--repeated", "9"}).out,
             ContainsSubstring("9 random ordinary tokens, said twice, drawn with seed 0"));
  CHECK_THAT(run({"ask", model, "measures", "--repeated", "100000"}).err, ContainsSubstring("room for 1 to"));
  CHECK(run({"ask", model, "measures", "--repeated", "9", "--text", "the key"}).status() == 2);
  CHECK(run({"ask", model, "measures", "--seed", "9", "--text", "the key"}).status() == 2);
}

TEST_CASE("ask: the answers behind tabs are targets, and not of the texts") {
  const TemporaryFolder folder;
  const std::string model = source_root() + "/assets/examples/words",
                    plain = folder.write("plain.txt", "Ann gave the key to\nLeo gave the key to\n"),
                    tabs = folder.write("tabs.txt", "Ann gave the key to\tBob\nLeo gave the key to\tAnn\n"),
                    of_plain = folder / "plain.json", of_tabs = folder / "tabs.json",
                    again = folder / "again.json";
  REQUIRE(run({"ask", model, "loss", "--texts", plain, "-o", of_plain}).status() == 0);
  REQUIRE(run({"ask", model, "loss", "--texts", tabs, "-o", of_tabs}).status() == 0);
  CHECK(parse_json(read_file(of_tabs)).at("tables") == parse_json(read_file(of_plain)).at("tables"));
  CHECK_THAT(read_file(of_tabs), ContainsSubstring("behind a tab"));
  REQUIRE(run({"ask", model, "parts", "--texts", tabs, "-o", of_tabs, "--force"}).status() == 0);
  CHECK_THAT(read_file(of_tabs), ContainsSubstring("of each text the answer"));
  CHECK(rerun(parse_json(read_file(of_tabs)).at("about"), again) == read_file(of_tabs));
  const auto outcome = [&](const std::string& file) {
    return run({"ask", model, "parts", "--texts", file, "--target", "key"}).out;
  };
  CHECK(outcome(tabs) == outcome(plain));  // a target that is typed comes first
}

TEST_CASE("ask: composition is of weights alone, and is the same without a text") {
  const TemporaryFolder folder;
  const std::string file = folder / "alone.json", of_text = folder / "text.json";
  const std::vector<std::string> alone = {"ask", kModel, "composition", "--layer", "2", "--head", "1"};
  const auto saved = [&](std::vector<std::string> line, const std::string& to) {
    line.insert(line.end(), {"-o", to});
    const Outcome outcome = run(line);
    INFO(outcome.err);
    REQUIRE(outcome.status() == 0);
    return read_file(to);
  };
  const Json answer = parse_json(saved(alone, file));
  saved(asking("composition", {"--layer", "2", "--head", "1"}), of_text);
  CHECK(answer.at("tables") == parse_json(read_file(of_text)).at("tables"));
  CHECK(answer.at("about").at("ids").empty());
  CHECK(answer.at("about").at("texts").empty());
  CHECK(rerun(answer.at("about"), folder / "again.json") == read_file(file));
  CHECK_THAT(saved(alone, folder / "alone.svg"), ContainsSubstring("weights alone"));
  CHECK_THAT(run({"ask", kModel, "norms"}).err, ContainsSubstring("needs a text"));
}

TEST_CASE("ask: the parts of a capped logit have a row for the cap") {
  const TemporaryFolder folder;
  const std::string file = folder / "parts.json", out = folder / "out.npz",
                    model = source_root() + "/tests/golden/models/gemma2";
  REQUIRE(run({"ask", model, "parts", "--ids", "1,5,9,2", "--target", "#7", "-o", file}).status() == 0);
  REQUIRE(run({"compute", model, "--ids", "1,5,9,2", "-o", out}).status() == 0);
  const Json rest = parse_json(read_file(file)).at("tables").back();
  const std::vector<std::string> names = rest.at("rows");
  REQUIRE(names.size() > 2);
  CHECK(names[names.size() - 2] == "softcap");
  const NamedArray logits = read_npz(out, "logits");
  const auto columns = static_cast<std::size_t>(logits.shape[1]);
  CHECK_THAT(rest.at("values").back().at(0).get<double>(),
             WithinAbs(double{logits.values[3 * columns + 7]}, 1e-4));
}

TEST_CASE("ask: the arrays are those of the engine") {
  const TemporaryFolder folder;
  const std::string file = folder / "norms.npz";
  REQUIRE(run(asking("norms", {"-o", file})).status() == 0);
  NetworkPass pass(std::make_shared<const Network>(kModel));
  pass.set_ids({1, 5, 9, 2});
  const NamedArray stream = read_npz(file, "stream");
  CHECK(stream.shape == std::vector<Index>{pass.network().config().layers + 1, 4});
  CHECK_THAT(stream.values[0], WithinRel(pass.residual_row(0, 0).norm(), 1e-5f));
  const std::string json = folder / "lens.json";
  REQUIRE(run(asking("lens", {"-o", json})).status() == 0);
  const Json lens = parse_json(read_file(json));
  CHECK(lens.at("tables").at(0).at("words").size() == stream.values.size());
}

TEST_CASE("ask: changes of a session apply, and a text that fits nothing is refused") {
  const TemporaryFolder folder;
  folder.write("texts.txt", "the key\nthe cabinet\n");
  folder.write("changed.headlight", R"({"format": "headlight-session", "version": 1, "title": "off",
    "model_folder": {"path": ")" + kModel +
                                        R"(", "ids": [1, 5, 9, 2], "layer": 0,
    "changes": [{"layer": 0, "head": 0, "state": "off"}]}})");
  const std::string lines = folder / "texts.txt", session = folder / "changed.headlight";
  const Outcome plain = run(asking("loss")), changed = run(asking("loss", {"--changes", session})),
                texts = run({"ask", kModel, "loss", "--texts", lines});
  CHECK(changed.status() == 0);
  CHECK(changed.out != plain.out);
  CHECK(texts.status() == 0);
  CHECK_THAT(texts.out, ContainsSubstring("2 the cabinet"));
  const Outcome none = run({"ask", kModel, "loss"});
  CHECK(none.status() == 1);
  CHECK_THAT(none.err, ContainsSubstring("needs a text"));
  CHECK(run(asking("lose")).status() == 2);
  CHECK(run(asking("patches")).status() == 1);
  CHECK(run(asking("neurons", {"--layer", "99"})).status() == 1);
  CHECK(run(asking("parts", {"--target", "#99999"})).status() == 1);
  CHECK(run(asking("loss", {"-o", std::string(folder / "loss.txt")})).status() == 1);
  CHECK(run(asking("loss", {"--texts", lines})).status() == 2);
}

TEST_CASE(
    "ask: ablation and the equal changes of a session have the same loss when they name the same mean") {
  const TemporaryFolder folder;
  const std::string words = source_root() + "/assets/examples/words";
  const std::string texts = folder.write(
      "texts.txt",
      "When Leo and Mary met , Mary gave the key to Leo\nAnn and Tom sat down . Tom gave the key to\n");
  const std::string session = folder.write(
      "means.headlight",
      R"({"format": "headlight-session", "version": 1, "model_folder": {"path": ")" + words +
          R"(", "text": "", "ids": [1, 2], "layer": 0, "changes": [{"layer": 1, "head": 3, "state": "mean"},)" +
          R"({"layer": 2, "head": 1, "state": "mean"}, {"layer": 2, "head": 3, "state": "mean"}]}})");
  const auto answer = [&](const std::string& analysis, const std::vector<std::string>& more) {
    const std::string file = folder / "answer.json";
    std::vector<std::string> line = {"ask", words, analysis, "--texts", texts, "--force", "-o", file};
    line.insert(line.end(), more.begin(), more.end());
    REQUIRE(run(line).status() == 0);
    return parse_json(read_file(file));
  };
  const auto loss_in = [](const Json& of) {  // "loss of all: 1.7272, the mean of ..."
    const std::string note = of.at("notes").at(1);
    return std::stod(note.substr(note.find(": ") + 2));
  };
  const auto ablated = [&](const std::string& mean_over) {
    return answer("ablation", {"--together", "2.3,1.3,2.1", "--mean-over", mean_over});
  };
  const Json own = ablated("text"), of_set = ablated("set"), of_file = ablated(texts);
  CHECK_THAT(own.at("tables")[0].at("values")[0][1].get<double>(),
             WithinAbs(loss_in(answer("loss", {})), 1e-4));
  CHECK_THAT(own.at("tables")[0].at("values")[0][2].get<double>(),
             WithinAbs(loss_in(answer("loss", {"--changes", session})), 1e-4));
  CHECK(own.at("tables") != of_set.at("tables"));
  CHECK(of_file.at("tables") == of_set.at("tables"));
  CHECK_THAT(own.at("notes").dump(), ContainsSubstring("its mean over the tokens of each text itself"));
  CHECK_THAT(of_set.at("notes").dump(), ContainsSubstring("its mean over all 25 tokens of 2 texts"));
  CHECK_THAT(of_file.at("notes").dump(), ContainsSubstring("2 other texts"));
  CHECK(of_file.at("about").at("options").at("mean-over") == texts);
  CHECK_THAT(answer("loss", {"--changes", session}).at("about").at("changes").dump(),
             ContainsSubstring("at its mean over this text"));
  std::vector<std::string> again = of_file.at("about").at("command");
  again.erase(again.begin());
  again.insert(again.end(), {"--force", "-o", folder / "again.json"});
  REQUIRE(run(again).status() == 0);
  CHECK(parse_json(read_file(folder / "again.json")) == of_file);
  CHECK(run({"ask", words, "ablation", "--texts", texts, "--together", "2.1,3"}).status() == 2);
  CHECK_THAT(run({"ask", words, "ablation", "--texts", texts, "--mean-over", "sett"}).err,
             ContainsSubstring("sett"));
}

TEST_CASE(
    "ask: a circuit's tokens are words, ids or a file, need no text, and the answer says which embeddings") {
  const TemporaryFolder folder;
  const std::string words = source_root() + "/assets/examples/words", file = folder / "answer.json",
                    list = folder.write("tokens.txt", " Mary\n Leo\n#40\n");
  const auto answer = [&](const std::string& tokens) {
    REQUIRE(run({"ask", words, "circuit", "--layer", "2", "--head", "1", "--embeddings", "effective",
                 "--tokens", tokens, "--force", "-o", file})
                .status() == 0);
    return parse_json(read_file(file));
  };
  const Json of_file = answer(list);
  CHECK(of_file.at("tables")[0].at("rows").size() == 3);
  CHECK(of_file == answer(" Mary, Leo,#40"));
  const Json about = of_file.at("about");
  CHECK(about.at("options").at("embeddings") == "effective");
  std::vector<std::string> command = about.at("command");
  command.erase(command.begin());
  command.insert(command.end(), {"-o", folder / "again.json"});
  REQUIRE(run(command).status() == 0);
  CHECK(parse_json(read_file(folder / "again.json")) == of_file);
  CHECK_THAT(run({"ask", words, "circuit", "--layer", "2", "--tokens", "Mary and Leo"}).err,
             ContainsSubstring("several tokens"));
  CHECK_THAT(run({"ask", words, "circuit", "--tokens", " Mary", "--embeddings", "effective"}).out,
             ContainsSubstring("the embeddings are raw"));
}

TEST_CASE("ask: maps are between words, the title says so, and other questions refuse it") {
  const TemporaryFolder folder;
  const std::string words = source_root() + "/assets/examples/words", file = folder / "answer.json";
  const auto rows = [&](const std::string& analysis, const std::vector<std::string>& more) {
    std::vector<std::string> line = {"ask",     words, analysis, "--text", "Tom gave the zyxomma to",
                                     "--force", "-o",  file};
    line.insert(line.end(), more.begin(), more.end());
    REQUIRE(run(line).status() == 0);
    return parse_json(read_file(file));
  };
  for (const std::string analysis : {"moved", "rollout"}) {
    INFO(analysis);
    const Json tokens = rows(analysis, {}), merged = rows(analysis, {"--words"});
    CHECK(merged.at("tables")[0].at("rows").size() == 6);
    CHECK(tokens.at("tables")[0].at("rows").size() > 6);
    CHECK_THAT(merged.at("title").get<std::string>(), ContainsSubstring("between words"));
    CHECK(merged.at("about").at("options").at("words") == true);
    for (const Json& row : merged.at("tables")[analysis == "moved" ? 1 : 0].at("values")) {
      double sum = 0;
      for (const Json& value : row)
        sum += value.get<double>();
      CHECK_THAT(sum, WithinAbs(1, 1e-5));
    }
  }
  CHECK(run({"ask", words, "loss", "--text", "Tom", "--words"}).status() == 2);
}

TEST_CASE("ask: one path, the parts of one score, and a steered feature, by what is typed") {
  const TemporaryFolder folder;
  const std::string file = folder / "path.json", again = folder / "again.json";
  REQUIRE(run(asking("path", {"--from-ids", "1,6,9,2", "--target", "#7", "--against", "#3", "--sender", "0.1",
                              "--receiver", "queries.1.0", "--mlps", "recomputed", "--positions", "#1,-1",
                              "-o", file}))
              .status() == 0);
  const Json about = parse_json(read_file(file)).at("about");
  CHECK(about.at("metric") == "logit_difference");
  CHECK(about.at("options").at("sender") == "0.1");
  CHECK(about.at("options").at("receiver") == "queries.1.0");
  CHECK(about.at("options").at("mlps") == "recomputed");
  CHECK(about.at("options").at("positions") == "#1,#3");
  CHECK(parse_json(read_file(file)).at("tables").size() == 2);
  CHECK(rerun(about, again) == read_file(file));
  const Outcome score = run(asking("score", {"--layer", "1", "--head", "1", "--query", "#-1", "--key", "0"}));
  CHECK(score.status() == 0);
  CHECK_THAT(score.out, ContainsSubstring("the sum of all cells"));
  CHECK_THAT(score.out, ContainsSubstring("L0 MLP"));
  const Outcome steered = run(asking("features", {"--layer", "2", "--dictionary", written_dictionary(folder),
                                                  "--feature", "3", "--strength", "4"}));
  CHECK(steered.status() == 0);
  CHECK_THAT(steered.out, ContainsSubstring("steered"));
}

TEST_CASE(
    "ask: a direction is saved, read again, added at a token, and continues the text at each strength") {
  const TemporaryFolder folder;
  const std::string file = folder / "a.json", again = folder / "b.json";
  const std::vector<std::string> more = {"--layer", "1", "--target",    "#7",
                                         "--steps", "3", "--positions", "#-1"};
  const auto asked = [&](std::vector<std::string> line) {
    line.insert(line.end(), more.begin(), more.end());
    return run(asking("direction", line));
  };
  for (const std::string name : {"v.npy", "v.safetensors"}) {
    const std::string saved = folder / name;
    const Outcome first = asked({"--from-ids", "1,6,9", "--save-direction", saved, "-o", file, "--force"});
    INFO(first.err);
    REQUIRE(first.status() == 0);
    REQUIRE(asked({"--direction", saved, "-o", again, "--force"}).status() == 0);
    const Json one = parse_json(read_file(file)), other = parse_json(read_file(again));
    REQUIRE(one.at("tables").size() == other.at("tables").size());
    CHECK(one.at("tables").back().at("remarks") == other.at("tables").back().at("remarks"));
    const Json &mean = one.at("tables")[0].at("values")[0], &read = other.at("tables")[0].at("values")[0];
    for (std::size_t i = 0; i < 4; ++i)
      CHECK_THAT(mean.at(i).get<double>(), WithinAbs(read.at(i).get<double>(), 1e-4));
    CHECK(one.at("direction") == other.at("direction"));
    CHECK(one.at("direction").size() == static_cast<std::size_t>(Network(kModel).config().width));
    CHECK(other.at("about").at("options").at("direction") == saved);
    CHECK(other.at("about").at("options").at("positions") == "#3");
    CHECK(other.at("about").at("options").at("steps") == "3");
    CHECK(rerun(other.at("about"), folder / "c.json") == read_file(again));
    std::filesystem::remove(folder / "c.json");
  }
  const Outcome shown = asked({"--direction", folder / "v.npy"});
  CHECK_THAT(shown.out, ContainsSubstring("generated\n") && ContainsSubstring("continuation") &&
                            ContainsSubstring("added at token 3"));
  CHECK(asked({"--from-ids", "1,6,9", "--save-direction", folder / "v.npy"}).status() == 1);  // it exists
  const Outcome features = run(asking("features", {"--layer", "2", "--dictionary", written_dictionary(folder),
                                                   "--feature", "3", "--positions", "0", "--steps", "2"}));
  INFO(features.err);
  CHECK(features.status() == 0);
  CHECK_THAT(features.out, ContainsSubstring("generated\n") && ContainsSubstring("added at token 0"));
}

TEST_CASE("ask: what no path, no token and no dictionary is, is refused") {
  const std::vector<std::string> from = {"--from-ids", "1,6,9,2"};
  const auto refused = [&](const std::string& question, std::vector<std::string> more, int status,
                           const std::string& what) {
    INFO(what);
    if (question == "path" || question == "edges") more.insert(more.end(), from.begin(), from.end());
    const Outcome outcome = run(asking(question, more));
    CHECK(outcome.status() == status);
    CHECK_THAT(outcome.err, ContainsSubstring(what));
  };
  refused("path", {"--sender", "9.0"}, 1, "there is no layer 9");
  refused("path", {"--receiver", "scores.0.1"}, 1, "is no receiver");
  refused("path", {"--sender", "1.0", "--receiver", "queries.1.0"}, 1, "nothing goes from L1 H0");
  refused("path", {"--positions", "#9"}, 1, "there is no token 9");
  refused("score", {"--key", "#3", "--query", "#1"}, 1, "later key");
  refused("features", {"--layer", "1"}, 1, "there is no dictionary");
  refused("lens", {"--steps", "3"}, 2, "is of the questions edges, direction and features");
  refused("features", {"--layer", "1", "--steps", "3"}, 2, "name it with --feature");
  refused("direction", {"--direction", "v.npy", "--from-ids", "1,6"}, 2, "stands in the place of --from");
  refused("direction", {"--direction", "no-such.npy"}, 1, "no-such.npy");
  refused("direction", {"--from-ids", "1,6", "--save-direction", "v.csv"}, 1, ".npy or .safetensors");
  refused("edges", {"--save-direction", "v.npy"}, 2, "is of the question direction");
  refused("lens", {"--reads", "stream"}, 2, "is of the question features");
  refused("features", {"--reads", "stream", "--place", "attention"}, 2, "--place mlp");
  refused("edges", {"--sender", "0.1"}, 2, "is of the question path");
  refused("path", {"--query", "0"}, 2, "is of the question score");
  refused("loss", {"--dictionary", "a.npz"}, 2, "is of the question features");
}

namespace {

const std::string kWords = source_root() + "/assets/examples/words";
const std::string kPairs = source_root() + "/tests/golden/sets/pairs.tsv";

std::vector<std::string> asking_set(const std::string& analysis, const std::vector<std::string>& more = {}) {
  std::vector<std::string> line = {"ask", kWords, analysis, "--set", kPairs, "--layer", "1", "--head", "1"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

}  // namespace

TEST_CASE(
    "ask: every question over a data set, in the terminal and in every format, and again by its command") {
  const TemporaryFolder folder;
  for (const AnalysisInfo& info : analysis_table()) {
    if (info.kind == AnalysisKind::Composition) continue;
    INFO(info.name);
    std::vector<std::string> more;
    if (info.kind == AnalysisKind::Score) more = {"--query", "@END", "--key", "@S2"};
    if (info.kind == AnalysisKind::Features) {
      write_identity_dictionary(folder / "words.npz", Network(kWords).config().width);
      more = {"--dictionary", folder / "words.npz"};
    }
    const auto asking_row = [&](std::vector<std::string> line) {
      line.insert(line.end(), more.begin(), more.end());
      return asking_set(std::string(info.name), line);
    };
    const Outcome shown = run(asking_row({}));
    INFO(shown.err);
    CHECK(shown.status() == 0);
    CHECK_THAT(shown.out, ContainsSubstring(" ± ") && ContainsSubstring("3 rows"));
    for (const std::string ending : {"png", "csv", "json", "npz"}) {
      const std::string file = folder / (std::string(info.name) + "." + ending);
      CHECK(run(asking_row({"-o", file})).status() == 0);
      if (ending != "json") continue;
      const Json answer = parse_json(read_file(file));
      CHECK(answer.at("about").at("set").at("rows") == 3);
      CHECK(answer.at("about").at("ids").size() == 3);
      CHECK(rerun(answer.at("about"), folder / (std::string(info.name) + "-again.json")) == read_file(file));
    }
  }
}

TEST_CASE("ask: the place of a transcoder is its MLP in what an answer says, and no other one may be typed") {
  const TemporaryFolder folder;
  const std::string file = folder / "transcoder.npz", of_words = folder / "words.npz";
  write_identity_transcoder(file, Network(kModel).config().width);
  write_identity_transcoder(of_words, Network(kWords).config().width);
  const std::vector<std::string> one = asking("features", {"--layer", "1", "--dictionary", file}),
                                 of_set = asking_set("features", {"--dictionary", of_words});
  for (const auto& [line, name] : {std::pair(one, "one"), std::pair(of_set, "set")}) {
    INFO(name);
    const auto with = [&, line = line](std::vector<std::string> more) {
      more.insert(more.begin(), line.begin(), line.end());
      return run(more);
    };
    const std::string first = folder / (name + std::string(".json"));
    REQUIRE(with({"-o", first}).status() == 0);
    const Json about = parse_json(read_file(first)).at("about");
    CHECK(about.at("options").at("place") == "mlp");
    CHECK(rerun(about, folder / (name + std::string("-again.json"))) == read_file(first));
    CHECK(with({"--place", "mlp"}).status() == 0);
    for (const std::string place : {"residual", "attention"}) {
      const Outcome refused = with({"--place", place});
      CHECK(refused.status() == 1);
      CHECK_THAT(refused.err, ContainsSubstring("another place was chosen"));
    }
  }
}

TEST_CASE("ask: an answer over a data set has errors beside its values, and each row's numbers") {
  const TemporaryFolder folder;
  const std::string json = folder / "heads.json", npz = folder / "heads.npz", csv = folder / "heads.csv";
  for (const std::string& file : {json, npz, csv})
    REQUIRE(run(asking_set("patches", {"--stage", "output", "-o", file})).status() == 0);
  const Json answer = parse_json(read_file(json));
  CHECK(answer.at("about").at("metric") == "logit_difference");
  CHECK(answer.at("about").at("target").is_null());
  const Json table = answer.at("tables").at(0), row = answer.at("rows").at(1);
  CHECK(answer.at("rows").size() == 3);
  CHECK(table.at("error").size() == table.at("values").size());
  CHECK(row.at("target") == "Peter");
  CHECK(row.at("positions").at("@S2") == 7);
  CHECK(row.at("from_positions").at("@IO") == row.at("positions").at("@IO"));
  double mean = 0;
  for (const Json& one : answer.at("rows"))
    mean += one.at("tables").at(0).at("values").at(2).at(1).get<double>() / 3;
  CHECK_THAT(table.at("values").at(2).at(1).get<double>(), WithinAbs(mean, 1e-4));
  const NamedArray errors = read_npz(npz, "error.change"), rows = read_npz(npz, "set_rows.change");
  CHECK(errors.shape == std::vector<Index>{3, 6});
  CHECK(rows.shape == std::vector<Index>{3, 3, 6});
  CHECK(read_npz(npz, "set.target").texts == std::vector<std::string>{"Leo", "Peter", "Eve"});
  CHECK(read_npz(npz, "rows.change").texts.size() == 3);
  CHECK_THAT(rows.values.at(18),
             WithinAbs(row.at("tables").at(0).at("values").at(0).at(0).get<double>(), 1e-6));
  CHECK_THAT(read_file(csv), ContainsSubstring("change_error") && ContainsSubstring("change 2 5"));
}

TEST_CASE("ask: the metric is one word for all questions of a target") {
  const auto metric_in = [](const std::vector<std::string>& more) {
    const TemporaryFolder folder;
    const std::string file = folder / "x.json";
    std::vector<std::string> line = {"ask", kWords, "ablation", "--text", "Mary gave the key to", "-o", file};
    line.insert(line.end(), more.begin(), more.end());
    const Outcome outcome = run(line);
    INFO(outcome.err);
    REQUIRE(outcome.status() == 0);
    return parse_json(read_file(file)).at("about").at("metric").get<std::string>();
  };
  CHECK(metric_in({}) == "loss");
  CHECK(metric_in({"--target", "Leo"}) == "loss");
  CHECK(metric_in({"--target", "Leo", "--against", "Mary"}) == "logit_difference");
  CHECK(metric_in({"--target", "Leo", "--against", "Mary", "--metric", "logit"}) == "logit");
  CHECK(metric_in({"--target", "Leo", "--metric", "rank"}) == "rank");
  CHECK(metric_in({"--measure", "logit"}) == "logit");
  const auto status = [&](const std::string& question, const std::string& metric) {
    return run({"ask", kWords, question, "--text", "Mary gave the key to", "--metric", metric}).status();
  };
  CHECK(status("parts", "probability") == 1);
  CHECK(status("lens", "logit_difference") == 1);  // nothing against it
  CHECK(status("norms", "rank") == 2);
  CHECK(status("lens", "odds") == 2);
  CHECK(run({"ask", kWords, "ablation", "--text", "a", "--metric", "rank", "--measure", "loss"}).status() ==
        2);
  CHECK_THAT(
      run({"ask", kWords, "loss", "--text", "Mary gave the key to", "--target", "Leo", "--metric", "rank"})
          .out,
      ContainsSubstring("rank"));
}

TEST_CASE("ask: a data set stands in the place of all texts, and what is wrong with it is named") {
  const TemporaryFolder folder;
  CHECK(run(asking_set("parts", {"--text", "Mary"})).status() == 2);
  CHECK(run(asking_set("patches", {"--from", "Mary"})).status() == 2);
  CHECK(run(asking_set("parts", {"--texts", kPairs})).status() == 2);
  CHECK(run(asking_set("measures", {"--repeated", "4"})).status() == 2);
  CHECK(run(asking_set("composition")).status() == 1);
  CHECK(run(asking_set("parts", {"--target", "Leo"})).status() == 1);
  const std::string wrong = folder.write("wrong.tsv", "text\t@S\nMary met Mary\tMary\n");
  const Outcome refused = run({"ask", kWords, "norms", "--set", wrong});
  CHECK(refused.status() == 1);
  CHECK_THAT(refused.err, ContainsSubstring("wrong.tsv: row 1, column @S") && ContainsSubstring("#1 or #3"));
  const std::string marked =
      folder.write("marked.tsv", "\xEF\xBB\xBFtext\ttarget\nMary gave the key to\tLeo\n");
  CHECK(run({"ask", kWords, "parts", "--set", marked}).status() == 0);
}

TEST_CASE("ask: any number at the checkpoints of a training is that of a question about each of them") {
  const TemporaryFolder folder;
  const std::vector<std::string> text = {"--text", "Mary has a red ball"};
  const auto asked = [&](const std::string& model, std::vector<std::string> more) {
    more.insert(more.begin(), {"ask", model, "norms", text[0], text[1]});
    return run(more);
  };
  const std::string all = folder / "all.json", single = folder / "single.json";
  REQUIRE(asked(kWords, {"--checkpoints", "-o", all}).status() == 0);
  const Json answer = parse_json(read_file(all)), table = answer.at("tables").at(0);
  CHECK(table.at("name") == "steps");
  CHECK(table.at("rows").size() == 8);
  CHECK(rerun(answer.at("about"), folder / "again.json") == read_file(all));
  const std::string step = table.at("rows").at(2);
  REQUIRE(asked(kWords + "/step-" + step, {"-o", single}).status() == 0);
  const Json expected = parse_json(read_file(single)).at("tables").at(0).at("values");
  const std::size_t columns = expected.at(0).size();
  for (std::size_t row = 0; row < expected.size(); ++row)
    for (std::size_t column = 0; column < columns; ++column)
      CHECK(table.at("values").at(2).at(row * columns + column) == expected.at(row).at(column));
}

TEST_CASE("ask: numbers by step are chosen by name, drawn as lines, and refused where they say nothing") {
  const TemporaryFolder folder;
  const auto asked = [&](const std::string& question, std::vector<std::string> more) {
    more.insert(more.begin(), {"ask", kWords, question, "--text", "Mary has a red ball"});
    return run(more);
  };
  const std::string file = folder / "mlp.svg";
  REQUIRE(asked("parts", {"--target", "#7", "--checkpoints", "--number", "mlps", "-o", file}).status() == 0);
  CHECK_THAT(read_file(file), ContainsSubstring("mlps 0") && ContainsSubstring("mlps 2") &&
                                  ContainsSubstring("step ") && !ContainsSubstring("heads 0"));
  const auto refused = [&](const std::string& question, const std::vector<std::string>& more, int status,
                           const std::string& what) {
    INFO(what);
    const Outcome outcome = asked(question, more);
    CHECK(outcome.status() == status);
    CHECK_THAT(outcome.err, ContainsSubstring(what));
  };
  refused("parts", {"--checkpoints"}, 1, "likeliest token is not the same");
  refused("norms", {"--checkpoints", "--number", "heads 9"}, 1, "no number at all checkpoints");
  refused("norms", {"--checkpoints", "-o", folder / "many.png"}, 1, "name the numbers");
  refused("norms", {"--number", "stream"}, 2, "goes with --checkpoints");
  CHECK_THAT(run({"ask", kModel, "norms", "--ids", "1,5", "--checkpoints"}).err,
             ContainsSubstring("no checkpoints"));
}
