#!/bin/sh
# Installs what is missing to build and test hone on Debian (12, 13) and Ubuntu (24.04).
# usage: tools/setup.sh [build] [test] [aarch64]   (default: build)
# Asks the machine for each tool, library or header first; touches the package manager, with sudo where needed, only
# when something is missing.
set -eu

# group     probe              Debian package
needs() {
	cat <<-'TABLE'
		build     cmd:gcc            gcc
		build     hdr:stdio.h        libc6-dev
		build     cmd:pkg-config     pkg-config
		build     cmd:ninja          ninja-build
		build     cmd:meson          meson
		build     hdr:jansson.h      libjansson-dev
		build     hdr:zlib.h         zlib1g-dev
		test      hdr:cmocka.h       libcmocka-dev
		test      cmd:zstd           zstd
		test      cmd:tar            tar
		test      cmd:diff           diffutils
		test      pkg:libjpeg        libjpeg-dev
		test      pkg:libpng         libpng-dev
		test      pkg:libtiff-4      libtiff-dev
		test      pkg:libwebp        libwebp-dev
		test      pkg:libopenjp2     libopenjp2-7-dev
		test      any:libonnx        libonnx-testdata
		aarch64   cmd:aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
		aarch64   cmd:qemu-aarch64   qemu-user
		aarch64   arm:stdio.h        libc6-dev-arm64-cross
		aarch64   arm:cmocka.h       libcmocka-dev:arm64
	TABLE
}

have() { # probe
	name=${1#*:}
	case $1 in
	any:*) # useful but not needed: where there is no such package, nothing is missing
		[ -d "/usr/share/libonnx-testdata" ] || ! apt-cache policy libonnx-testdata 2>/dev/null | grep -q 'Candidate: [0-9]'
		;;
	arm:*)
		printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <%s>\nint main(void) { return 0; }\n' \
			"$name" | aarch64-linux-gnu-gcc -x c - -o /dev/null $([ "$name" = cmocka.h ] && echo -lcmocka) >/dev/null 2>&1
		;;
	cmd:*) command -v "$name" >/dev/null 2>&1 ;;
	pkg:*) pkg-config --exists "$name" 2>/dev/null ;;
	hdr:*)
		printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <%s>\n' \
			"$name" | "${CC:-cc}" -E -x c - >/dev/null 2>&1
		;;
	esac
}

groups=${*:-build}
missing=
for group in $groups; do
	case $group in build | test | aarch64) ;; *)
		echo "setup: unknown group '$group' (build, test, aarch64)" >&2
		exit 2
		;;
	esac
done
while read -r group probe package; do
	case " $groups " in *" $group "*) ;; *) continue ;; esac
	have "$probe" || missing="$missing $package"
done <<LIST
$(needs)
LIST
[ -n "$missing" ] || exit 0

echo "setup: missing:$missing" >&2
if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: no apt-get here; install the counterparts of these Debian packages:$missing" >&2
	exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "setup: neither root nor sudo; run as root: apt-get install -y$missing" >&2
		exit 1
	fi
	as_root=sudo
fi
case $missing in *:arm64*) $as_root dpkg --add-architecture arm64 && $as_root apt-get update </dev/null >&2 ;; esac
install() {
	# shellcheck disable=SC2086 # a list of words
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing </dev/null >&2
}
# The lists of a fresh machine are empty, those of an old one stale.
install || { $as_root apt-get update </dev/null >&2 && install; } || {
	echo "setup: could not install:$missing" >&2
	exit 1
}
