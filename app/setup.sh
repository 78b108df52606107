# Shared by app/run and tests/run: what the machine needs, and a build that does nothing when nothing changed.
# All of it speaks on standard error, so that `./app/run print FILE` leaves standard output to the program.

readonly build_packages=(
  g++ cmake ninja-build pkg-config
  libeigen3-dev nlohmann-json3-dev libzip-dev zlib1g-dev libpcre2-dev libutf8proc-dev libcli11-dev libmd4c-dev
  libimgui-dev libstb-dev libglfw3-dev libgl-dev libegl-dev libxcb1-dev libx11-dev
  libcairo2-dev libpango1.0-dev libqpdf-dev libfontconfig-dev libfreetype-dev libglib2.0-dev
)
# Opened by name while the program runs: the OpenGL driver, the X11 extensions that GLFW looks for, the fonts.
readonly run_packages=(
  libgl1-mesa-dri libxcursor1 libxi6 libxinerama1 libxrandr2
  fonts-dejavu-core fonts-inter
)
readonly usual_names='a C++20 compiler, CMake 3.25 or later, Ninja, pkg-config, Eigen 3.4, nlohmann-json, libzip, zlib, PCRE2, utf8proc, CLI11, md4c,
  Dear ImGui 1.86 to 1.92 as a library with imgui.pc, stb, GLFW 3.3 or later, OpenGL and EGL, Cairo, Pango, qpdf, GIO, fontconfig,
  FreeType, the fonts DejaVu and Inter'

say() { printf '%s\n' "headlight: $*" >&2; }
fail() {
  say "$@"
  exit 1
}

# Whether packages have the names of Debian here.
is_debian() {
  [[ -r /etc/os-release ]] && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null &&
    (. /etc/os-release && [[ " ${ID:-} ${ID_LIKE:-} " == *' debian '* ]])
}

# Those of the named packages that are not installed, one a line.
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
# On Debian: installs what is missing, or names it and fails. Elsewhere: names everything and goes on, for
# CMake to find or to miss.
need_packages() {
  local may_install=$1 also=$2
  shift 2
  if ! is_debian; then
    # Said until a build has been configured: from then on everything was found.
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

# One compiler for each core, and no more than there is memory for: one takes up to 1 GiB.
build_jobs() {
  local cores memory_kb
  cores=$(nproc)
  memory_kb=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  local fitting=$((${memory_kb:-8388608} / 1048576))
  ((fitting >= 1)) || fitting=1
  echo $((fitting < cores ? fitting : cores))
}

# configured PRESET [-DNAME=VALUE...]: whether the build folder is up to date, and made with these values if
# any are given. A changed CMakeLists.txt is noticed by the build itself.
configured() {
  local stamp=build/$1/configured.stamp made=()
  [[ -e build/$1/build.ninja && -e $stamp && ! CMakePresets.json -nt $stamp ]] || return 1
  mapfile -t made <"$stamp"
  [[ ${made[0]:-} == "$PWD" ]] && (($# == 1)) || [[ ${made[*]} == "$PWD ${*:2}" ]]
}

# configure PRESET [-DNAME=VALUE...]: starts from nothing, as a folder that moved or an attempt that failed asks for.
configure() {
  say "configuring the $1 build"
  cmake --fresh --preset "$@" >&2 || return 1
  printf '%s\n' "$PWD" "${@:2}" >"build/$1/configured.stamp"
}

# build PRESET [TARGET]
build() {
  cmake --build --preset "$1" --parallel "$(build_jobs)" ${2:+--target "$2"} >&2
}
