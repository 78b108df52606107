# Functions of app/run and tests/run: installing packages, and incremental builds. All messages go to standard
# error, so that the standard output of `./app/run print FILE` is the program's.

readonly build_packages=(
  g++ cmake ninja-build pkg-config ccache
  libeigen3-dev nlohmann-json3-dev libzip-dev zlib1g-dev libonig-dev libutf8proc-dev libcli11-dev libmd4c-dev
  libimgui-dev libstb-dev libglfw3-dev libgl-dev libegl-dev libxcb1-dev libx11-dev
  libpng-dev libjpeg-dev libgif-dev libwebp-dev libcairo2-dev libpango1.0-dev libfontconfig-dev libfreetype-dev libglib2.0-dev
)
# Loaded at run time: the OpenGL driver, the X11 extensions that GLFW uses, the fonts.
readonly run_packages=(
  libgl1-mesa-dri libxcursor1 libxi6 libxinerama1 libxrandr2
  fonts-dejavu-core fonts-inter
)
readonly usual_names='a C++20 compiler, CMake 3.25 or later, Ninja, pkg-config, Eigen 3.4, nlohmann-json, libzip, zlib, Oniguruma, utf8proc, libpng, libjpeg, giflib, libwebp, CLI11, md4c,
  Dear ImGui 1.86 to 1.92 as a library with imgui.pc, stb, GLFW 3.3 or later, OpenGL and EGL, Cairo, Pango, GIO, fontconfig,
  FreeType, the fonts DejaVu and Inter'

say() { printf '%s\n' "headlight: $*" >&2; }
fail() {
  say "$@"
  exit 1
}

# Whether this is Debian or a derivative, with Debian's package names.
is_debian() {
  [[ -r /etc/os-release ]] && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null &&
    (. /etc/os-release && [[ " ${ID:-} ${ID_LIKE:-} " == *' debian '* ]])
}

# missing_packages PACKAGE...: prints those that are not installed, one per line.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p') || true
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

# as_root COMMAND...
as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    sudo "$@"
  fi
}

# need_packages MAY_INSTALL(yes|no) ALSO_BY_USUAL_NAMES PACKAGE...
# On Debian: installs missing packages, or names them and fails. Elsewhere: names all dependencies and
# continues; CMake reports the missing ones.
need_packages() {
  local may_install=$1 also=$2
  shift 2
  if ! is_debian; then
    # Printed until a build is configured: then all dependencies were found.
    [[ -e build/release/build.ninja ]] || say "this is not Debian, so nothing is installed. Needed are $usual_names$also"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  local command="apt-get install --no-install-recommends ${missing[*]}"
  [[ $may_install == yes ]] || fail "these packages are missing and --no-install was given: ${missing[*]}"
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    fail "these packages are missing, and installing them needs root or sudo. As root: $command"
  fi
  say "installing ${#missing[@]} packages that are missing here: ${missing[*]}"
  {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y -o Dpkg::Use-Pty=0 --no-install-recommends "${missing[@]}"
  } >&2 || fail "the packages could not be installed (see above). By hand, as root: $command"
}

# build_jobs: prints the number of parallel compilers: one per core, limited by the free memory, 1 GiB each.
build_jobs() {
  local cores memory_kb
  cores=$(nproc)
  memory_kb=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  local fitting=$((${memory_kb:-8388608} / 1048576))
  ((fitting >= 1)) || fitting=1
  echo $((fitting < cores ? fitting : cores))
}

# configured PRESET [-DNAME=VALUE...]: whether the build folder is configured, with these values if any are
# given. The build itself reacts to changes of CMakeLists.txt.
configured() {
  local stamp=build/$1/configured.stamp made=()
  [[ -e build/$1/build.ninja && -e $stamp && ! CMakePresets.json -nt $stamp ]] || return 1
  mapfile -t made <"$stamp"
  [[ ${made[0]:-} == "$PWD" ]] && (($# == 1)) || [[ ${made[*]} == "$PWD ${*:2}" ]]
}

# configure PRESET [-DNAME=VALUE...]: configures from scratch, as a moved folder or a failed attempt requires.
configure() {
  say "configuring the $1 build"
  cmake --fresh --preset "$@" >&2 || return 1
  printf '%s\n' "$PWD" "${@:2}" >"build/$1/configured.stamp"
}

# build PRESET [TARGET...]
build() {
  local targets=("${@:2}")
  ((${#targets[@]} == 0)) || targets=(--target "${targets[@]}")
  cmake --build --preset "$1" --parallel "$(build_jobs)" "${targets[@]}" >&2
}
