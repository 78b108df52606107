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
  CHECK(compact_script("const row = 1;\nf(`${/row  /.test(row)}`, `${row}` / row);\n") ==
        "let a=1;f(`${/row  /.test(a)}`,`${a}`/a);\n");
}

TEST_CASE("a script is compacted: what it declares has one short name, and what it does not keeps its own") {
  CHECK(compact_script("const width = 1;\nf(width, height.width);\n") == "let a=1;f(a,height.width);\n");
  CHECK(compact_script("const width = 1,\n  height = 2;\nf(width + height);\n") == "let b=1,a=2;f(b+a);\n");
  CHECK(compact_script("function area(width) {\n  return width;\n}\n") == "function a(b){return b}\n");
  CHECK(compact_script("f((row) => row, row => row);\n") == "f(a=>a,a=>a);\n");
  // A name of the browser keeps its own, and nothing takes it.
  CHECK(compact_script("const width = a.b;\n") == "let b=a.b;\n");
}

TEST_CASE("a script is compacted: a variable that has a name of the browser keeps it") {
  CHECK(compact_script("const { window } = rules;\nf(window);\n") == "let{window}=rules;f(window);\n");
  CHECK(compact_script("function f(rules) {\n  const location = rules;\n}\nwindow.g(location);\n") ==
        "function a(b){let location=b}window.g(location);\n");
}

TEST_CASE("a script is compacted: properties keep their names") {
  CHECK(compact_script("const { width, height: tall } = box;\nf(width, tall);\n") ==
        "let{width:b,height:a}=box;f(b,a);\n");
  CHECK(compact_script("const width = 1;\nf({ width, size: width });\n") == "let a=1;f({width:a,size:a});\n");
  CHECK(compact_script("class Box {\n  width(scale) {\n    return this.width * scale;\n  }\n}\n") ==
        "class a{width(b){return this.width*b}}\n");
  CHECK(compact_script("const width = 1;\nf(yes ? width : 2, { width: 3 });\n") ==
        "let a=1;f(yes?a:2,{width:3});\n");
  CHECK(compact_script("switch (word) {\n  case \"a\": {\n    const width = 1;\n    f(width);\n  }\n}\n") ==
        "switch(word){case\"a\":{let a=1;f(a)}}\n");
}

TEST_CASE(
    "a script is compacted: what is declared within a statement of the script has a name of its own there") {
  CHECK(
      compact_script("function f(row) {\n  return g(row);\n}\nfunction h(column) {\n  return column;\n}\n") ==
      "function a(b){return g(b)}function b(a){return a}\n");
  CHECK(compact_script("const wide = 1;\nfunction f(row) {\n  return row + wide;\n}\nfunction h(wide) {\n  "
                       "return wide;\n}\n") == "let a=1;function b(c){return c+a}function c(a){return a}\n");
}

TEST_CASE("a script is compacted: a shorter way to write the same") {
  CHECK(compact_script("const a = 1;\nconst b = 2;\nlet c = 3;\nf(a, b, c);\nconst d = 4;\n") ==
        "let a=1,b=2,c=3;f(a,b,c);let d=4;\n");
  CHECK(compact_script("for (const one of all) {\n  f(one);\n}\n") == "for(let a of all){f(a)}\n");
  CHECK(compact_script("if (a) f();\n") == "if(a)f();\n");
  CHECK(compact_script("while (f()) {\n  for (;;);\n}\n") == "while(f()){for(;;);}\n");
  CHECK(compact_script("f(true, false, a.true, { false: 1 });\n") == "f(!0,!1,a.true,{false:1});\n");
  CHECK(compact_script("f((row) => row, (row, column) => column, () => 1, ({ row }) => row);\n") ==
        "f(a=>a,(a,b)=>b,()=>1,({row:a})=>a);\n");
}

TEST_CASE("a script is compacted: a text that stands often has a name") {
  CHECK(compact_script("f(\"weights\", \"weights\", \"weights\");\nf({ \"weights\": 1 }, `weights`, \"row\", "
                       "\"row\");\n") ==
        "let a=\"weights\";f(a,a,a);f({\"weights\":1},`weights`,\"row\",\"row\");\n");
}

TEST_CASE("a script whose brackets do not match is refused") {
  CHECK_THROWS_AS(compact_script("f(1;\n"), Error);
  CHECK_THROWS_AS(compact_script("f(1));\n"), Error);
  CHECK_THROWS_AS(compact_script("f(\"a\n"), Error);
}
