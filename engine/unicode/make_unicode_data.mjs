// Writes unicode_data.cpp from the Unicode Character Database, as the npm packages @unicode/unicode-VERSION
// carry it. In an empty folder:
//
//   npm install @unicode/unicode-{8,9,16,17}.0.0
//   node .../engine/unicode/make_unicode_data.mjs > .../engine/unicode/unicode_data.cpp
import {readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const require = createRequire(process.cwd() + '/');
const kBase = 16;
const kEnd = 0x110000;
const package_folder = (version) =>
    require.resolve(`@unicode/unicode-${version}.0.0/package.json`).replace(/package\.json$/, '');
const points = async (version, path) =>
    (await import(pathToFileURL(`${package_folder(version)}${path}/code-points.mjs`))).default;

const kCategories = {
  Unassigned: 'Cn', Uppercase_Letter: 'Lu', Lowercase_Letter: 'Ll', Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm', Other_Letter: 'Lo', Nonspacing_Mark: 'Mn', Spacing_Mark: 'Mc', Enclosing_Mark: 'Me',
  Decimal_Number: 'Nd', Letter_Number: 'Nl', Other_Number: 'No', Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd', Open_Punctuation: 'Ps', Close_Punctuation: 'Pe', Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf', Other_Punctuation: 'Po', Math_Symbol: 'Sm', Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk', Other_Symbol: 'So', Space_Separator: 'Zs', Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp', Control: 'Cc', Format: 'Cf', Surrogate: 'Cs', Private_Use: 'Co'};
const kBreaks = ['Control', 'Extend', 'ZWJ', 'Regional_Indicator', 'Prepend', 'SpacingMark', 'L', 'V', 'T'];

// The value of every code point: the index of the one of `paths` that it is in, else 0.
async function values(version, paths) {
  const all = new Uint8Array(kEnd);
  for (const [index, path] of paths)
    for (const point of await points(version, path)) all[point] = index;
  return all;
}

const categories = (version) =>
    values(version, Object.keys(kCategories).slice(1).map((name, i) => [i + 1, 'General_Category/' + name]));

const kScriptVersion = 9;
const scripts = readdirSync(package_folder(kScriptVersion) + 'Script')
                    .filter((name) => !/^index|^Unknown$/.test(name)).sort();

async function break_values() {
  const all = await values(kBase, kBreaks.map((name, i) => [i + 1, 'Grapheme_Cluster_Break/' + name]));
  for (const point of await points(kBase, 'Binary_Property/Extended_Pictographic')) {
    if (all[point] !== 0) throw new Error('a pictograph with a break property');
    all[point] = kBreaks.length + 1;
  }
  return all;
}

const list = (type, name, items) => {
  const lines = [];
  for (let i = 0; i < items.length; i += 9) lines.push('    ' + items.slice(i, i + 9).join(', '));
  return `const std::array<${type}, ${items.length}> ${name} = {{\n${lines.join(',\n')}}};\n`;
};

// Where a value begins: the code point times 256, plus the value that holds up to the next.
function changes(all) {
  const items = [];
  for (let point = 0; point < kEnd; ++point)
    if (point === 0 || all[point] !== all[point - 1]) items.push('0x' + (point * 256 + all[point]).toString(16));
  return items;
}

// 255 where both have the same.
const overlay = (older, base) => older.map((value, point) => value === base[point] ? 255 : value);

// Runs of letters, each `step` behind the one before it, whose small letters lie equally far from them.
async function lower_case() {
  const mapping = [...await points(17, 'Simple_Case_Mapping/Lowercase')]
                      .map(([from, to]) => [from, typeof to === 'number' ? to : to[0]])
                      .filter(([from]) => from >= 128).sort((a, b) => a[0] - b[0]);
  const runs = [];
  for (const [from, to] of mapping) {
    const run = runs.at(-1);
    const step = run ? from - run.last : 0;
    if (run && run.offset === to - from && (run.step === 0 ? step <= 2 : step === run.step)) {
      run.last = from;
      run.step = step;
    } else {
      runs.push({first: from, last: from, step: 0, offset: to - from});
    }
  }
  return runs.map((run) => `{${run.first}, ${run.last}, ${Math.max(run.step, 1)}, ${run.offset}}`);
}

const base = await categories(kBase);
const parts = [
  ['kCategories', changes(base)],
  ['kCategoriesOf8', changes(overlay(await categories(8), base))],
  ['kCategoriesOf9', changes(overlay(await categories(9), base))],
  ['kCategoriesOf17', changes(overlay(await categories(17), base))],
  ['kScripts', changes(await values(kScriptVersion, scripts.map((name, i) => [i + 1, 'Script/' + name])))],
  ['kGraphemeBreaks', changes(await break_values())],
];
const lower = await lower_case();
process.stdout.write(`// Written by make_unicode_data.mjs. The data are Unicode's, see assets/README.md.
#include "engine/unicode/unicode_data.h"

#include <array>

// clang-format off
namespace headlight::unicode_data {
namespace {

${parts.map(([name, items]) => list('std::uint32_t', name, items)).join('\n')}
${list('LowerCaseRun', 'kLowerCase', lower).replace(/\{\{/, '{{{').replace('{{{\n    {', '{{\n    {')}
${list('std::string_view', 'kScriptNames', ['""', ...scripts.map((name) => `"${name}"`)])}
}  // namespace

std::span<const std::uint32_t> categories() { return kCategories; }
std::span<const std::uint32_t> categories_of_8() { return kCategoriesOf8; }
std::span<const std::uint32_t> categories_of_9() { return kCategoriesOf9; }
std::span<const std::uint32_t> categories_of_17() { return kCategoriesOf17; }
std::span<const std::uint32_t> scripts() { return kScripts; }
std::span<const std::uint32_t> grapheme_breaks() { return kGraphemeBreaks; }
std::span<const LowerCaseRun> lower_case() { return kLowerCase; }
std::span<const std::string_view> script_names() { return kScriptNames; }

}  // namespace headlight::unicode_data
`);
