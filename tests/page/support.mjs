// What the tests of the page share: arrays of .npz files, the program, comparisons, and a list of what failed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateRawSync } from "node:zlib";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

// The value behind an option of the command line.
export function argument(name, fallback) {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : process.argv[at + 1];
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

// ---- the page's script ----

const SCRIPTS = join(ROOT, "assets/page");

// Modules of assets/page in one script, as a page has them: without their imports, and without the word export.
export function inlinedScript(modules) {
  const text = modules.map((module) => readFileSync(join(SCRIPTS, module), "utf8")).join("\n");
  return text
    .split("\n")
    .filter((line) => !line.startsWith("import "))
    .map((line) => line.replace(/^export /, ""))
    .join("\n");
}

// What modules of assets/page declare with the word export, out of one inlined script.
export async function loadScript(modules) {
  const text = modules.map((module) => readFileSync(join(SCRIPTS, module), "utf8")).join("\n");
  const names = [...text.matchAll(/^export (?:async )?(?:function\*?|class|const|let) +([A-Za-z_$][\w$]*)/gm)].map((match) => match[1]);
  const folder = mkdtempSync(join(tmpdir(), "headlight-page-")),
    file = join(folder, "page.mjs");
  try {
    writeFileSync(file, `${inlinedScript(modules)}\nexport { ${names.join(", ")} };\n`);
    return await import(pathToFileURL(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// ---- .npz: a zip archive of .npy files ----

const NPY_TYPES = {
  "<f4": [4, (view, at) => view.getFloat32(at, true)],
  "<f8": [8, (view, at) => view.getFloat64(at, true)],
  "<i8": [8, (view, at) => Number(view.getBigInt64(at, true))],
  "<i4": [4, (view, at) => view.getInt32(at, true)],
  "|u1": [1, (view, at) => view.getUint8(at)],
  "|b1": [1, (view, at) => view.getUint8(at)],
};

function arrayOfNpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = bytes[6] > 1,
    begin = long ? 12 : 10;
  const end = begin + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = bytes.subarray(begin, end).toString("latin1");
  const type = /'descr': *'([^']+)'/.exec(header)[1],
    shape = /'shape': *\(([^)]*)\)/.exec(header)[1];
  if (/'fortran_order': *True/.test(header)) throw new Error("an array in Fortran's order");
  if (!(type in NPY_TYPES)) return { shape: [], data: [], text: type };
  const [size, read] = NPY_TYPES[type];
  const data = Array.from({ length: (bytes.length - end) / size }, (_, i) => read(view, end + i * size));
  return {
    shape: shape
      .split(",")
      .filter((part) => part.trim())
      .map(Number),
    data,
  };
}

// {name: {shape, data}} of an archive; the central directory at its end says where its members stand.
export function readNpz(path) {
  const bytes = readFileSync(path),
    end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1")),
    arrays = {};
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < bytes.readUInt16LE(end + 10); i++) {
    const [method, size, name, extra, comment, local] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
      bytes.readUInt32LE(at + 42),
    ];
    const member = bytes
      .subarray(at + 46, at + 46 + name)
      .toString("utf8")
      .replace(/\.npy$/, "");
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const stored = bytes.subarray(begin, begin + size);
    arrays[member] = arrayOfNpy(method === 0 ? stored : inflateRawSync(stored));
    at += 46 + name + extra + comment;
  }
  return arrays;
}

// ---- .safetensors: the length of a JSON header, the header, the numbers ----

function floatOfHalf(bits) {
  const exponent = (bits >> 10) & 31,
    fraction = bits & 1023,
    sign = bits & 0x8000 ? -1 : 1;
  return exponent === 0 ? (sign * fraction) / 2 ** 24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

// {name: {shape, data: Float32Array}}
export function readSafetensors(path) {
  const bytes = readFileSync(path),
    begin = 8 + Number(bytes.readBigUInt64LE(0));
  const { __metadata__, ...header } = JSON.parse(bytes.subarray(8, begin).toString("utf8"));
  return Object.fromEntries(
    Object.entries(header).map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [from],
        },
      ]) => {
        const number = {
          F32: (i) => bytes.readFloatLE(begin + from + 4 * i),
          F16: (i) => floatOfHalf(bytes.readUInt16LE(begin + from + 2 * i)),
        }[dtype];
        return [
          name,
          { shape, data: Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, (_, i) => number(i)) },
        ];
      },
    ),
  );
}

// Nested lists of an array, with numbers that JSON lacks as text.
export function nested({ shape, data }) {
  const build = (axis, begin) => {
    if (axis === shape.length)
      return Number.isFinite(data[begin]) ? data[begin] : data[begin] < 0 ? "-inf" : data[begin] > 0 ? "inf" : "nan";
    const step = shape.slice(axis + 1).reduce((product, size) => product * size, 1);
    return Array.from({ length: shape[axis] }, (_, i) => build(axis + 1, begin + i * step));
  };
  return build(0, 0);
}

// ---- the program ----

export const PROGRAM = process.env.HEADLIGHT;

export function outputOf(words) {
  return execFileSync(PROGRAM, words, { encoding: "utf8", maxBuffer: 1 << 28 });
}

// Runs the program. Gives {code, error}.
export function runProgram(words) {
  try {
    execFileSync(PROGRAM, words, { stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
    return { code: 0, error: "" };
  } catch (error) {
    if (error.status === null || error.status === undefined) throw error;
    return { code: error.status, error: String(error.stderr).trim() };
  }
}

export function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "headlight-page-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// The stages that the program computes of a session, or why it refuses.
export function computedByProgram(session, folder) {
  const file = join(folder, "session.headlight"),
    out = join(folder, "stages.npz");
  writeFileSync(file, JSON.stringify(session));
  const { code, error } = runProgram(["compute", file, "-o", out, "--force"]);
  return code === 0 ? { stages: readNpz(out) } : { error };
}

// ---- comparisons ----

// How far numbers are from those expected, as a share of the largest expected; infinite where one is not finite and the other is something
// else.
export function distance(actual, expected) {
  if (actual.length !== expected.length) return Infinity;
  let most = 0,
    largest = 1e-30;
  for (let i = 0; i < expected.length; i++) {
    if (!Number.isFinite(expected[i]) && Object.is(actual[i], expected[i])) continue;
    if (!Number.isFinite(actual[i]) || !Number.isFinite(expected[i])) return Infinity;
    most = Math.max(most, Math.abs(actual[i] - expected[i]));
    largest = Math.max(largest, Math.abs(expected[i]));
  }
  return most / largest;
}

export class Checks {
  constructor() {
    this.passed = 0;
    this.failed = [];
    this.worst = {};
    this.began = Date.now();
  }

  check(name, good, what = "") {
    if (good) this.passed++;
    else this.failed.push(`${name}${what ? ": " + what : ""}`);
    return good;
  }

  // Numbers within `bound` of the largest one. `group`: under which name the worst of them is told.
  near(name, group, actual, expected, bound) {
    const far = distance(actual, expected);
    if (far <= bound) this.worst[group] = Math.max(this.worst[group] ?? 0, far);
    return this.check(name, far <= bound, `differs by ${far} of the largest number, at most ${bound} is allowed`);
  }

  // Runs a part of the tests; an exception is a failure of its own, not the end of the others.
  run(name, work) {
    try {
      work();
    } catch (error) {
      this.failed.push(`${name}: ${error.stack.split("\n").slice(0, 3).join(" ")}`);
    }
  }

  finish(title) {
    for (const failure of this.failed.slice(0, 40)) console.log(`failed: ${failure}`);
    for (const [group, far] of Object.entries(this.worst)) console.log(`${title}: ${group}: largest difference ${far.toExponential(1)}`);
    console.log(`${title}: ${this.passed} passed, ${this.failed.length} failed in ${((Date.now() - this.began) / 1000).toFixed(1)} s`);
    process.exitCode = this.failed.length > 0 ? 1 : 0;
  }
}
