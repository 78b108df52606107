#include "app/page/script_compaction.h"

#include <string>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("a script is compacted: blanks and the ends of lines go, but where they part something") {
  CHECK(compact_script("f( 1 ,\n  2 );\ng();\n") == "f(1,2);g();\n");
  CHECK(compact_script("return x in y;\n") == "return x in y;\n");
  CHECK(compact_script("f(1 - -2, 3 + +4);\n") == "f(1- -2,3+ +4);\n");
  CHECK(compact_script("f(\n  [1, 2,],\n  { a: 1, },\n);\n") == "f([1,2],{a:1});\n");
  CHECK(compact_script("f\n[1].g();\n") == "f\n[1].g();\n");
  CHECK(compact_script("f(1e-30, 0xff, 5n);\n") == "f(1e-30,0xff,5n);\n");
}

TEST_CASE("a script is compacted: texts and patterns stay as they are") {
  CHECK(compact_script("f(\"a  b\", 'c \\' d');\n") == "f(\"a  b\",'c \\' d');\n");
  CHECK(compact_script("f(/[/ ]  x/g, a / b / c);\n") == "f(/[/ ]  x/g,a/b/c);\n");
  CHECK(compact_script("f(`a  ${ g( 1 ) }  b`);\n") == "f(`a  ${g(1)}  b`);\n");
}

TEST_CASE("a script is compacted: what it declares has one short name, and what it does not keeps its own") {
  CHECK(compact_script("const width = 1;\nf(width, height.width);\n") == "const a=1;f(a,height.width);\n");
  CHECK(compact_script("const width = 1,\n  height = 2;\nf(width + height);\n") == "const b=1,a=2;f(b+a);\n");
  CHECK(compact_script("function area(width) {\n  return width;\n}\n") == "function b(a){return a;}\n");
  CHECK(compact_script("f((row) => row, row => row);\n") == "f((a)=>a,a=>a);\n");
  // A name of the browser keeps its own, and nothing takes it.
  CHECK(compact_script("const width = a.b;\n") == "const b=a.b;\n");
}

TEST_CASE("a script is compacted: a variable that has a name of the browser keeps it") {
  CHECK(compact_script("const { window } = rules;\nf(window);\n") == "const{window}=rules;f(window);\n");
  CHECK(compact_script("function f(rules) {\n  const location = rules;\n}\nwindow.g(location);\n") ==
        "function b(a){const location=a;}window.g(location);\n");
}

TEST_CASE("a script is compacted: properties keep their names") {
  CHECK(compact_script("const { width, height: tall } = box;\nf(width, tall);\n") ==
        "const{width:b,height:a}=box;f(b,a);\n");
  CHECK(compact_script("const width = 1;\nf({ width, size: width });\n") ==
        "const a=1;f({width:a,size:a});\n");
  CHECK(compact_script("class Box {\n  width(scale) {\n    return this.width * scale;\n  }\n}\n") ==
        "class b{width(a){return this.width*a;}}\n");
  CHECK(compact_script("const width = 1;\nf(yes ? width : 2, { width: 3 });\n") ==
        "const a=1;f(yes?a:2,{width:3});\n");
  CHECK(compact_script("switch (word) {\n  case \"a\": {\n    const width = 1;\n    f(width);\n  }\n}\n") ==
        "switch(word){case\"a\":{const a=1;f(a);}}\n");
}

TEST_CASE("a script whose brackets do not match is refused") {
  CHECK_THROWS_AS(compact_script("f(1;\n"), Error);
  CHECK_THROWS_AS(compact_script("f(1));\n"), Error);
  CHECK_THROWS_AS(compact_script("f(\"a\n"), Error);
}
