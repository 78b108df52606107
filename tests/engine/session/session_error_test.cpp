// Every error in a session file: the message states what, where and how to correct it.
#include "engine/session/session.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight_test;
using nlohmann::json;

namespace {

void refuse_text(const std::string& text, const std::string& what, const std::string& where,
                 const std::string& hint) {
  INFO(text.substr(0, 300));
  check_error([&] { headlight::parse_session(text, ".", "x.headlight"); }, what, where, hint);
  CHECK(error_of([&] { headlight::parse_session(text, ".", "x.headlight"); })
            .where()
            .starts_with("x.headlight"));
}

// Expects an error for the small session with one member changed. path: a JSON pointer; value: JSON text.
void refuse(const std::string& path, const std::string& value, const std::string& what,
            const std::string& where, const std::string& hint) {
  json document = small_session();
  document[json::json_pointer(path)] = json::parse(value);
  refuse_text(document.dump(), what, where, hint);
}

void refuse_without(const std::string& key, const std::string& where, const std::string& hint) {
  json document = small_session();
  document.erase(key);
  refuse_text(document.dump(), "\"" + key + "\" is missing", where, hint);
}

}  // namespace

TEST_CASE("session errors: the file itself") {
  const TemporaryFolder folder;
  folder.write("empty.headlight", "");
  check_error([&] { headlight::load_session(folder / "empty.headlight"); }, "the file is empty",
              "empty.headlight", "restore a copy");
  check_error([&] { headlight::load_session(folder / "none.headlight"); }, "no such file", "none.headlight",
              "check");
  check_error([&] { headlight::load_session(folder.path()); }, "folder, not a file", folder.path().string(),
              "choose");
  folder.write("bad.headlight", "{");
  check_error([&] { headlight::load_session(folder / "bad.headlight"); }, "ends too early",
              (folder / "bad.headlight").string() + ": line 1, column 2", "not closed");
}

TEST_CASE("session errors: not JSON, with line and column") {
  refuse_text("hello", "not JSON", "line 1, column 1", "comma");
  refuse_text("{\n  \"format\": \"headlight-session\",\n  \"version\": 1,\n}", "not JSON", "line 4, column 1",
              "comma");
  refuse_text("{\"title\": \"ü\" \"x\"}", "not JSON", "line 1, column 15", "comma");
  refuse_text("{\"title\": \"never closed", "ends too early", "line 1, column 24", "quotation mark");
  refuse_text("{\"title\": [12}", "not JSON", "line 1, column 14", "comma");
  refuse_text("{\"title\": [12 345]}", "not JSON", "line 1, column 15", "comma");
  refuse_text("   \n ", "ends too early", "line 2", "bracket");
  refuse_text(std::string(1'000'000, '['), "nested more than 100 deep", "", "damaged");
  refuse_text("{\"title\": \"\xff\xfe\"}", "not JSON", "line 1", "comma");
  refuse_text("\x89PNG\r\n\x1a\n", "not JSON", "line 1, column 1", "comma");
  refuse_text("{\"a\": \"" + std::string(5000, 'x') + "\n\"}", "not JSON", "line 1", "comma");
  CHECK(error_of([] { headlight::parse_session("\"" + std::string(5000, 'x') + "\n\"", ".", "x"); })
            .summary()
            .size() < 200);
}

TEST_CASE("session errors: NaN and infinity are named kindly") {
  for (const char* word : {"NaN", "nan", "Infinity", "-Infinity", "-inf", "inf"}) {
    const std::string text = "{\"embeddings\":\n [[1, " + std::string(word) + "]]}";
    refuse_text(text, std::string(word) + " is not a number that JSON can hold", "line 2, column 7",
                "finite");
  }
  refuse_text("{\"embeddings\": [[1e999]]}", "too large", "x.headlight", "3.4e38");
  refuse("/embeddings/1/2", "1e39", "row 2, column 3 is too large for float32", "embeddings", "3.4e38");
}

TEST_CASE("session errors: the format and its version") {
  refuse_text("[]", "not a Headlight session", "x.headlight", "\"format\"");
  refuse_text("3", "not a Headlight session", "x.headlight", "\"format\"");
  refuse_text("{}", "\"format\" is missing", "format", "headlight-session");
  refuse("/format", "\"something\"", "the format is \"something\"", "format", "headlight-session");
  refuse("/format", "7", "the format is a number", "format", "headlight-session");
  refuse("/version", "2", "has version 2, this program reads up to version 1", "version", "newer Headlight");
  refuse("/version", "1.5", "has version 1.5", "version", "newer");
  refuse("/version", "0", "the version is 0", "version", "\"version\": 1");
  refuse("/version", "\"1\"", "the version is text", "version", "\"version\": 1");
  // A newer version may have unknown keys: the error names the version.
  json document = small_session();
  document["version"] = 3;
  document["layers"] = 12;
  refuse_text(document.dump(), "has version 3", "version", "newer");
}

TEST_CASE("session errors: missing keys") {
  refuse_without("version", "version", "\"version\": 1");
  refuse_without("tokens", "tokens", "labels");
  refuse_without("embeddings", "embeddings", "one row");
  refuse_without("attention", "attention", "projection");
  refuse_text(
      [] {
        json document = small_session();
        document["attention"].erase("d_out");
        return document.dump();
      }(),
      "\"d_out\" is missing", "attention.d_out", "\"d_out\": 2");
  refuse_text(
      [] {
        json document = small_session();
        document["attention"].erase("projection");
        return document.dump();
      }(),
      "\"projection\" is missing, but there are weights", "attention.projection", "linear");
}

TEST_CASE("session errors: more tokens than can be shown are told from their number alone") {
  json document = plain_session();
  document["tokens"] = std::vector<std::string>(100'000, "a");
  document["embeddings"] = "not looked at any more";
  refuse_text(document.dump(), "these are 100000 tokens", "tokens", "at most 32768");
}

TEST_CASE("session errors: unknown keys name the nearest known one") {
  refuse("/tokenz", "[]", "unknown key \"tokenz\"", "tokenz", "\"tokens\"");
  refuse("/attention/num_head", "2", "unknown key \"num_head\"", "attention.num_head", "\"num_heads\"");
  refuse("/attention/dropout", "{\"build\": \"mkll\"}", "mkll", "attention.dropout.build", "\"mkl\"");
  refuse("/attention/dropout", "{\"p\": 0.5}", "unknown key \"p\"", "attention.dropout.p",
         "nearest known key");
  refuse("/weights/querry", "[[1]]", "unknown key \"querry\"", "weights.querry", "\"query\"");
  refuse("/lesson", "{\"Stage\": \"weights\"}", "unknown key \"Stage\"", "lesson.Stage", "\"stage\"");
  refuse("/embeddings", "{\"flie\": \"x.npy\"}", "unknown key \"flie\"", "embeddings.flie", "\"file\"");
}

TEST_CASE("session errors: the same key twice") {
  refuse_text("{\"format\": \"headlight-session\", \"version\": 1, \"title\": \"a\", \"title\": \"b\"}",
              "\"title\" stands twice", "x.headlight", "remove one");
  // The same key in different objects, and as a value, is valid.
  json document = plain_session();
  document["notes"] = "notes";
  document["title"] = "notes";
  CHECK_NOTHROW(parsed(document));
}

TEST_CASE("session errors: long, deep and odd text makes short messages of one line") {
  const std::string endless(100000, 'x');
  const std::string begin = R"({"format": "headlight-session", "version": 1, )";
  const std::vector<std::string> texts = {
      endless,
      std::string(1000000, '['),
      "{\"" + endless + "\": 1}",
      "{\"format\": \"" + endless + "\"}",
      "{\"format\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}",
      R"({"format": "headlight-session", "version": ")" + endless + "\"}",
      begin + "\"" + endless + "\": 1}",
      begin + R"("a\nb": 1})",
      begin + R"("tokens": ["a"], "embeddings": [[1]], "attention": {"mask": ")" + endless + "\"}}",
  };
  for (const std::string& text : texts) {
    INFO(text.substr(0, 100));
    const std::string line = error_of([&] { headlight::parse_session(text, ".", "x"); }).what();
    CHECK(line.size() < 400);
    CHECK(line.find('\n') == std::string::npos);
  }
}

TEST_CASE("session errors: values of another kind") {
  refuse("/title", "3", "is a number, expected text", "title", "quotation marks");
  refuse("/tokens", "\"a b\"", "is text, expected a list", "tokens", "[");
  refuse("/tokens/1", "2", "is a number, expected text", "tokens[1]", "quotation marks");
  refuse("/attention", "[]", "is a list [...], expected an object", "attention", "projection");
  refuse("/attention/projection", "\"liner\"", "\"liner\" is unknown", "attention.projection", "\"linear\"");
  refuse("/attention/projection", "true", "is true, expected a word", "attention.projection",
         "\"none\", \"linear\"");
  refuse("/attention/d_out", "\"2\"", "\"2\" is text, expected a number", "attention.d_out", "plain number");
  refuse("/attention/d_out", "2.5", "is 2.5, expected a whole number", "attention.d_out", "range");
  refuse("/attention/d_out", "0", "is 0, expected a whole number from 1", "attention.d_out", "range");
  refuse("/attention/num_heads", "-1", "is -1", "attention.num_heads", "range");
  refuse("/attention/qkv_bias", "1", "is a number, expected true or false", "attention.qkv_bias",
         "true or false");
  refuse("/attention/scale", "\"sqrt\"", "\"sqrt\" is unknown", "attention.scale", "\"inverse_sqrt_dk\"");
  refuse("/attention/mask", "\"casual\"", "\"casual\" is unknown", "attention.mask", "\"causal\"");
  refuse("/attention/normalization", "\"softmaxx\"", "\"softmaxx\" is unknown", "attention.normalization",
         "\"softmax\"");
  refuse("/attention/dropout", "0.5", "is a number, expected an object", "attention.dropout", "probability");
  refuse("/attention/dropout", "{\"seed\": 0.5}", "is 0.5", "attention.dropout.seed", "range");
  refuse("/attention/dropout", "{\"seed\": 9223372036854775808}", "is 9223372036854775808",
         "attention.dropout.seed", "range");
  refuse("/weights", "null", "is null, expected an object", "weights", "init");
}

TEST_CASE("session errors: ragged and odd matrices name the row") {
  refuse("/embeddings", "[[1, 2, 3], [4, 5]]", "row 2 has 2 numbers, row 1 has 3", "embeddings",
         "equally long");
  refuse("/embeddings", "[[[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4]]]", "row 2 has 1 numbers", "embeddings[1]",
         "equally");
  refuse("/embeddings", "[[[1, 2, 3], [4, 5, 6]], 3]", "is a number, expected a matrix", "embeddings[1]",
         "rows");
  refuse("/embeddings", "[[1, 2, 3], 4]", "row 2 is a number", "embeddings", "[[1, 2], [3, 4]]");
  refuse("/embeddings", "[1, 2, 3]", "row 1 is a number", "embeddings", "rows of numbers");
  refuse("/embeddings", "[]", "has no rows", "embeddings", "rows of numbers");
  refuse("/embeddings", "[[], []]", "row 1 is empty", "embeddings", "rows of numbers");
  refuse("/embeddings", "3", "is a number, expected a matrix", "embeddings", "x.npy");
  refuse("/embeddings/0/1", "\"0.5\"", "row 1, column 2 is text", "embeddings", "without quotation marks");
  refuse("/embeddings/0/1", "null", "row 1, column 2 is null", "embeddings", "finite");
  refuse("/weights/key", "[[1, 2], [3], [4, 5]]", "row 2 has 1 numbers, row 1 has 2", "weights.key",
         "equally long");
}

TEST_CASE("session errors: shapes and settings that do not fit") {
  refuse("/embeddings", "[[1, 2, 3]]", "1 x 3", "embeddings[0]", "tokens");
  refuse("/tokens", "[]", "no tokens", "tokens", "at least one");
  refuse("/weights/query", "[[1, 2], [3, 4]]", "query is 2 x 2, expected 3 x 2", "weights.query",
         "d_in is 3");
  refuse("/attention/num_heads", "3", "does not divide d_out 2", "attention.num_heads", "divides 2");
  refuse("/attention/dropout", "{\"probability\": 1.5}", "1.5", "attention.dropout.probability",
         "between 0 and 1");
  refuse("/attention/mask", "[[1, 0]]", "mask is 1 x 2, expected 2 x 2", "attention.mask", "token");
  refuse("/attention/mask", "[[1, 0.5], [1, 1]]", "row 1, column 2 is neither 0 nor 1", "attention.mask",
         "attend");
  json document = plain_session();
  document["attention"]["d_out"] = 2;
  refuse_text(document.dump(), "d_out is 2, d_in is 3", "attention.d_out", "equal");
}

TEST_CASE("session errors: weights that are neither drawn nor given") {
  refuse("/weights", "{}", "\"query\" is missing", "weights.query", "settings use it");
  refuse("/weights", "{\"seed\": 1}", "\"init\" is missing", "weights.init", "\"rand\" or \"linear\"");
  refuse("/weights", "{\"init\": \"rand\"}", "\"seed\" is missing", "weights.seed", "\"seed\": 123");
  refuse("/weights", "{\"init\": \"randn\", \"seed\": 1}", "\"randn\" is unknown", "weights.init",
         "\"rand\"");
  refuse("/weights", "{\"init\": \"rand\", \"seed\": 1, \"layout\": \"out_in\"}", "does not agree",
         "weights.layout", "remove it");
  refuse("/attention/output_projection", "true", "\"output\" is missing", "weights.output",
         "settings use it");
  refuse("/attention/qkv_bias", "true", "\"query_bias\" is missing", "weights.query_bias",
         "zeros for no bias");
  json document = small_session();
  document["weights"].erase("layout");
  refuse_text(document.dump(), "\"layout\" is missing", "weights.layout", "in_out");
  document = small_session();
  document.erase("weights");
  refuse_text(document.dump(), "query is missing", "weights.query", "3 x 2");
}

TEST_CASE("session errors: the order of the draws") {
  const auto refuse_order = [](const std::string& order, const std::string& what, const std::string& where) {
    refuse("/weights", "{\"init\": \"rand\", \"seed\": 1, \"order\": " + order + "}", what, where, "");
  };
  refuse_order("\"query\"", "is text, expected a list", "weights.order");
  refuse_order("[\"query\", \"kay\"]", "\"kay\" is unknown", "weights.order[1]");
  refuse_order("[\"query\", \"key\", \"query\"]", "\"query\" is named twice", "weights.order");
  refuse_order("[\"query\", \"key\"]", "\"value\" is missing, but the settings use it", "weights.order");
}

TEST_CASE("session errors: dimensions that would fill the memory") {
  json document = small_session();
  document["weights"] = {{"init", "rand"}, {"seed", 1}};
  document["attention"]["d_out"] = 16777216;
  refuse_text(document.dump(), "too large to draw", "attention.d_out", "smaller");
  document["attention"]["d_out"] = 8194;  // four matrices of more than 256 MB each, from a file of 300 bytes
  document["attention"]["output_projection"] = true;
  refuse_text(document.dump(), "8194 x 8194 are too large to draw", "attention.d_out", "smaller");
  document["attention"]["d_out"] = 8192;  // W_out itself is not too large, W_key of wide keys is
  document["key_tokens"] = {"k"};
  document["key_embeddings"] = {json::array({std::vector<int>(8200, 1)})};
  refuse_text(document.dump(), "8200 x 8192 are too large to draw", "attention.d_out", "smaller");
  document["attention"]["d_out"] = 1000000000000;
  refuse_text(document.dump(), "expected a whole number", "attention.d_out", "range");
}

TEST_CASE("session errors: a lesson's address must exist") {
  refuse("/lesson", "{\"stage\": \"wieghts\"}", "no stage \"wieghts\"", "lesson.stage", "\"weights\"");
  refuse("/lesson", "{\"row\": 2}", "is 2, expected a whole number from 0 to 1", "lesson.row", "range");
  refuse("/lesson", "{\"stage\": \"queries\", \"column\": 2}", "from 0 to 1", "lesson.column", "range");
  refuse("/lesson", "{\"head\": 1}", "from 0 to 0", "lesson.head", "range");
}
