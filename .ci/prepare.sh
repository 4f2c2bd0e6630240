# shellcheck shell=sh disable=SC2034 # the list is for whoever sources this
#
# Sourced by examples/run and tests/run: what percuss needs on this machine, and how to get it.
#
# A need is named after the Debian package that meets it. Whether it is met is found out by looking
# for the thing itself (a command, a pkg-config module, a header), so that any system and any
# way of installing counts.
#
#     . .ci/prepare.sh
#     require $PERCUSS_PACKAGES      # installs with apt-get or exits 2, saying what to run
#     obtain gnuplot-nox || echo ... # the same for what one can do without
#
# PERCUSS_NO_INSTALL=1 never installs.

PERCUSS_PACKAGES="build-essential cmake pkg-config
libsuitesparse-dev libccd-dev libqhull-dev libhdf5-dev libjansson-dev
zlib1g-dev check"

say() {
    printf '%s\n' "== $*"
}

# whether version $1 is at least $2 (major.minor)
at_least() {
    [ "${1%%.*}" -gt "${2%%.*}" ] && return 0
    [ "${1%%.*}" -eq "${2%%.*}" ] || return 1
    minor=${1#*.}
    [ "${minor%%.*}" -ge "${2#*.}" ]
}

# a header that some compiler here finds, with the folder Debian puts it in
has_header() {
    printf '#include <%s>\n' "$1" | ${CC:-cc} -E -I/usr/include/suitesparse -x c - >/dev/null 2>&1
}

# whether command $1 is there; of "ccache gcc" the first word counts
has() {
    command -v "${1%% *}" >/dev/null 2>&1
}

# whether need $1 is met
met() {
    case $1 in
    build-essential) has "${CC:-cc}" && has "${CXX:-c++}" && has make ;;
    cmake) has cmake && at_least "$(cmake --version | sed -n '1s/[^0-9]*//p')" 3.25 ;;
    pkg-config) has pkg-config ;;
    libsuitesparse-dev) has_header cholmod.h && has_header klu.h ;;
    libccd-dev) has pkg-config && pkg-config --exists ccd ;;
    libqhull-dev) has pkg-config && pkg-config --exists qhull_r ;;
    libhdf5-dev) has pkg-config && pkg-config --exists hdf5-serial ;;
    libjansson-dev) has pkg-config && pkg-config --exists jansson ;;
    zlib1g-dev) has pkg-config && pkg-config --exists zlib ;;
    check) has pkg-config && pkg-config --exists check ;;
    clang) has clang && has clang++ ;;
    libclang-rt-*) clang_sanitizes ;;
    doxygen) has doxygen ;;
    groff-base) has groff ;;
    mandoc) has mandoc ;;
    gnuplot-nox) has gnuplot ;;
    python3-vtk9) python_has vtkmodules.vtkIOXML ;;
    python3-h5py) python_has h5py ;;
    chromium) has chromium || has chromium-browser || has google-chrome ;;
    *) return 1 ;;
    esac
}

# need $1 in words, for systems that name their packages differently
words() {
    case $1 in
    build-essential) echo "a C17 and a C++17 compiler, and make" ;;
    cmake) echo "CMake 3.25 or newer" ;;
    pkg-config) echo "pkg-config" ;;
    libsuitesparse-dev) echo "SuiteSparse (CHOLMOD, KLU) with headers" ;;
    libccd-dev) echo "libccd, in double precision, with headers and ccd.pc" ;;
    libqhull-dev) echo "Qhull, the reentrant library, with headers and qhull_r.pc" ;;
    libhdf5-dev) echo "HDF5, the serial library, with headers and hdf5-serial.pc" ;;
    libjansson-dev) echo "jansson, the parser of JSON, with headers and jansson.pc" ;;
    zlib1g-dev) echo "zlib with headers and zlib.pc" ;;
    check) echo "Check, the unit test framework, with check.pc" ;;
    clang) echo "clang" ;;
    libclang-rt-*) echo "the sanitizer runtime of clang" ;;
    doxygen) echo "Doxygen" ;;
    python3-vtk9) echo "VTK for Python, to open an export in a test" ;;
    python3-h5py) echo "h5py for Python, to read a trajectory in a test" ;;
    chromium) echo "Chromium, to open the replay page in a test" ;;
    groff-base) echo "groff, to check the man page" ;;
    mandoc) echo "mandoc, to check the man page" ;;
    gnuplot-nox) echo "gnuplot with its pngcairo and svg terminals" ;;
    *) echo "$1" ;;
    esac
}

# whether some Python here has this module
python_has() {
    python3 -c "import $1" >/dev/null 2>&1 || /usr/bin/python3 -c "import $1" >/dev/null 2>&1
}

clang_sanitizes() {
    has clang || return 1
    probe=$(mktemp) || return 1
    echo 'int main(void) { return 0; }' |
        clang -fsanitize=address,undefined -x c - -o "$probe" >/dev/null 2>&1
    code=$?
    rm -f "$probe"
    return $code
}

# the Debian package of the sanitizer runtime: its name carries the version of clang
clang_runtime() {
    version=$(clang -dumpversion 2>/dev/null)
    echo "libclang-rt-${version%%.*}-dev"
}

missing() {
    for package in "$@"; do
        met "$package" || printf '%s ' "$package"
    done
}

# how to become root without being asked anything: "", "sudo -n", or failure
root_command() {
    if [ "$(id -u)" -eq 0 ]; then
        return 0
    elif has sudo && sudo -n true </dev/null >/dev/null 2>&1; then
        echo "sudo -n"
    else
        return 1
    fi
}

# whether packages can be installed without asking anybody
can_install() {
    [ -z "${PERCUSS_NO_INSTALL:-}" ] && has apt-get && as_root=$(root_command)
}

apt_run() {
    # shellcheck disable=SC2086 # $as_root is a command with its flag, or nothing
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" \
        </dev/null >>"$apt_log" 2>&1
}

# meets the needs given, or says on stderr what to do and fails
obtain() {
    lacking=$(missing "$@")
    lacking=${lacking% }
    [ -n "$lacking" ] || return 0

    if ! has apt-get; then
        echo "percuss needs, and does not find:" >&2
        for package in $lacking; do
            echo "  $(words "$package")  (on Debian: $package)" >&2
        done
        echo "Install these with the package manager of this system and run the command again." >&2
        return 2
    fi

    by_hand="apt-get update && apt-get install -y --no-install-recommends $lacking"
    if has sudo; then
        by_hand="sudo sh -c '$by_hand'"
    elif [ "$(id -u)" -ne 0 ]; then
        by_hand="su -c '$by_hand'"
    fi
    if ! can_install; then
        echo "Packages are missing. Run this once, then the command again:" >&2
        echo "  $by_hand" >&2
        return 2
    fi

    say "installing $lacking"
    apt_log=$(mktemp) || return 2
    # a stale list of packages may still do, so only the install decides
    apt_run update || true
    # shellcheck disable=SC2086 # a list of packages
    if ! apt_run install --no-install-recommends $lacking; then
        tail -n 20 "$apt_log" >&2
        rm -f "$apt_log"
        echo "apt-get could not install them. When the cause is mended, run:" >&2
        echo "  $by_hand" >&2
        return 2
    fi
    rm -f "$apt_log"

    # shellcheck disable=SC2086 # a list of packages
    lacking=$(missing $lacking)
    [ -z "$lacking" ] && return 0
    for package in $lacking; do
        echo "$package is installed, but this is still not found: $(words "$package")" >&2
    done
    return 2
}

require() {
    obtain "$@" || exit 2
}

cores() {
    nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# build PRESET [CMAKE-OPTION...]: configures and builds everything, or $targets if there are any; quiet
# unless something is wrong
build() {
    preset=$1
    shift
    say "building: preset $preset, in build/$preset"
    if ! configured=$(cmake --preset "$preset" "$@" 2>&1 </dev/null); then
        printf '%s\n' "$configured" >&2
        echo "CMake could not configure. After a change of compiler, remove build/$preset." >&2
        exit 1
    fi
    # shellcheck disable=SC2086 # a list of targets
    cmake --build "build/$preset" --parallel "${PERCUSS_JOBS:-$(cores)}" ${targets:+--target $targets} \
        </dev/null >"build/$preset/build.log" 2>&1 || {
        # without the lines of progress
        grep -v '^\[ *[0-9]*%\]' "build/$preset/build.log" >&2 || true
        echo "The build failed; build/$preset/build.log has all of it." >&2
        exit 1
    }
    # warnings are errors here, but a linker may warn and go on
    grep -i 'warning' "build/$preset/build.log" >&2 || true
}
