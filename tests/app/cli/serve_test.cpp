// `headlight serve`: requests in lines, replies in lines and bytes; and changes as they are given on the
// command line.
#include <sstream>

#include "app/cli/serve_command.h"
#include "engine/arrays/catalog.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "engine/network/network_pass.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kServedModel = source_root() + "/tests/golden/models/gpt2";

// The replies as a stream, behind the line that describes the model.
std::istringstream replies_to(const std::string& requests) {
  std::istringstream in(requests);
  std::ostringstream out;
  REQUIRE(serve_model(kServedModel, in, out));
  std::istringstream replies(out.str());
  std::string line;
  std::getline(replies, line);
  CHECK(Json::parse(line).at("model").at("layers") == 3);
  return replies;
}

Json next_line(std::istream& replies) {
  std::string line;
  REQUIRE(std::getline(replies, line));
  return Json::parse(line);
}

std::vector<float> next_numbers(std::istream& replies, std::size_t count) {
  std::vector<float> numbers(count);
  replies.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(count * sizeof(float)));
  REQUIRE(replies.good());
  return numbers;
}

constexpr const char* kZeroed = R"([{"place": "head", "layer": 1, "head": 2, "how": "zero"}])";

}  // namespace

TEST_CASE("serve: numbers of a pass follow their line, and the next reply follows them") {
  std::istringstream replies = replies_to(
      R"({"do": "run", "ids": [1, 5, 9], "keep": ["logits", "context"]}
{"do": "ids", "ids": [1, 5]}
)");
  const Json run = next_line(replies);
  CHECK(
      run.at("arrays") ==
      Json::parse(R"([{"name": "logits", "shape": [3, 377]}, {"name": "context", "shape": [3, 4, 3, 8]}])"));
  NetworkPass pass(std::make_shared<const Network>(kServedModel));
  pass.set_ids({1, 5, 9});
  const std::vector<float> logits = next_numbers(replies, 3 * 377);
  CHECK(Matrix(Eigen::Map<const Matrix>(logits.data(), 3, 377)).isApprox(pass.logits(0, 3)));
  const std::vector<float> context = next_numbers(replies, 3 * 4 * 3 * 8);
  CHECK(context[8 * 3] == pass.concat(0)(0, 8));  // the second head's first number
  CHECK(next_line(replies).at("ids") == Json::parse("[1, 5]"));
}

TEST_CASE("serve: what is wrong with a request is its reply, and the next one is answered") {
  for (const auto& [request, words] :
       {std::pair{R"({"do": "runs"})", "\"run\""}, std::pair{R"({"do": "run"})", "one of them"},
        std::pair{R"({"do": "run", "ids": [1], "keep": ["mpl"]})", "\"mlp\""},
        std::pair{R"({"do": "run", "ids": [1], "changes": "no-such-file"})", "no-such-file"},
        std::pair{R"({"do": "run", "ids": [1], "changes": [{"place": "head", "layer": 9, "how": "zero"}]})",
                  "no layer 9"},
        std::pair{R"({"do": "ask", "question": "lens", "options": {"text": {}}})", "object"},
        std::pair{R"({"do": "ask", "question": "lens", "options": {"nothing": 1}})", "nothing"},
        std::pair{R"({"do": "figure", "result": 7})", "no longer stored"}, std::pair{"[1, 2", "line 1"}}) {
    INFO(request);
    std::istringstream replies =
        replies_to(std::string(request) + "\n" + R"({"do": "ids", "ids": [3]})" + "\n");
    const Json reply = next_line(replies);
    REQUIRE(reply.contains("error"));
    const Json& error = reply.at("error");
    CHECK((error.at("what").get<std::string>() + error.at("where").get<std::string>() +
           error.at("hint").get<std::string>())
              .find(words) != std::string::npos);
    CHECK(next_line(replies).at("ids") == Json::parse("[3]"));
  }
}

TEST_CASE("serve: a model that cannot be opened is the first line") {
  std::istringstream in;
  std::ostringstream out;
  CHECK_FALSE(serve_model("no-such-folder", in, out));
  CHECK(Json::parse(out.str()).contains("error"));
}

TEST_CASE("serve: an answer is the command line's, and its figure is drawn") {
  std::istringstream replies = replies_to(
      R"({"do": "ask", "question": "norms", "options": {"ids": [1, 5, 9]}}
{"do": "figure", "result": 1, "format": "svg"}
)");
  const Json answer = next_line(replies).at("answer");
  const TemporaryFolder folder;
  const std::string file = folder / "norms.json";
  REQUIRE(run({"ask", kServedModel, "norms", "--ids", "1,5,9", "-o", file}).status() == 0);
  CHECK(answer == Json::parse(read_file(file)));
  const std::size_t bytes = next_line(replies).at("bytes");
  std::string figure(bytes, ' ');
  replies.read(figure.data(), static_cast<std::streamsize>(bytes));
  CHECK(figure.find("<svg") != std::string::npos);
}

TEST_CASE("changes: a list in a file, and on the command line itself, changes what is computed and asked") {
  const TemporaryFolder folder;
  const std::string list = folder.write("zeroed.json", kZeroed);
  const auto computed = [&](const std::vector<std::string>& changes) {
    std::vector<std::string> line = {"compute", kServedModel,       "--ids",  "1,5,9", "--keep", "context",
                                     "-o",      folder / "out.npz", "--force"};
    for (const std::string& one : changes)
      line.insert(line.end(), {"--changes", one});
    const Outcome outcome = run(line);
    INFO(outcome.err);
    REQUIRE(outcome.status() == 0);
    return read_array(folder / "out.npz", "context");
  };
  const NamedArray plain = computed({}), by_file = computed({list}), typed = computed({kZeroed});
  CHECK(plain.shape == std::vector<Index>{3, 4, 3, 8});
  CHECK(by_file.values == typed.values);
  const std::size_t begin = (1 * 4 + 2) * 3 * 8;
  for (std::size_t i = 0; i < std::size_t{3} * 8; ++i) {
    CHECK(plain.values[begin + i] != 0);
    CHECK(by_file.values[begin + i] == 0);
  }
  const NamedArray both =
      computed({list, R"([{"place": "head", "layer": 1, "head": 2, "how": "value", "value": 2}])"});
  CHECK(both.values[begin] == 2);  // the later one is applied behind the earlier one
  const Outcome asked =
      run({"ask", kServedModel, "loss", "--ids", "1,5,9", "--changes", list, "-o", folder / "loss.json"});
  REQUIRE(asked.status() == 0);
  const Json about = Json::parse(read_file(folder / "loss.json")).at("about");
  CHECK(about.at("changes") == Json::parse(R"(["layer 1: head 2 set to zero"])"));
  const Outcome wrong = run({"compute", kServedModel, "--ids", "1,5,9", "--changes", R"([{"place": "haed"}])",
                             "-o", folder / "wrong.npz"});
  CHECK(wrong.status() == 1);
  CHECK(wrong.err.find("changes[0].place") != std::string::npos);
  CHECK(wrong.err.find("\"head\"") != std::string::npos);
}
