#!/bin/sh
# need.sh PART...: see that the machine has what a target needs, or get it. The parts are
#   cc       a C compiler with the C library's headers (the SQLite driver is C)
#   browser  Chromium, for the browser tests
#   window   GTK and WebKit headers, for the desktop program
#   screen   a virtual screen and a picture tool, for the window test
# On Debian and its kin the missing packages are installed, as root or with a sudo that asks nothing; elsewhere the
# script names the one command that does and ends with status 1.
set -eu

have() { command -v "$1" >/dev/null 2>&1; }

have_cc() { printf '#include <stdlib.h>\n' | $(go env CC) -fsyntax-only -x c - >/dev/null 2>&1; }

have_browser() { have "${PARLEY_CHROMIUM:-chromium}"; }

have_window() { have pkg-config && pkg-config --exists gtk+-3.0 webkit2gtk-4.1; }

have_screen() { have Xvfb && have import && have identify; }

packages_of() {
	case $1 in
	cc) echo gcc libc6-dev ;;
	browser) echo chromium ;;
	window) echo pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev ;;
	screen) echo xvfb xauth imagemagick ;;
	*) echo "need.sh: unknown part \"$1\"; the parts are cc, browser, window, screen" >&2 && exit 2 ;;
	esac
}

have go || { echo "need.sh: no go in PATH; install Go 1.26 or newer first" >&2; exit 1; }
parts='' packages=''
for part; do
	names=$(packages_of "$part")
	"have_$part" && continue
	parts="$parts $part" packages="$packages $names"
done
[ -n "$packages" ] || exit 0

if ! have apt-get; then
	echo "this machine lacks:$parts. On Debian the packages are called:$packages; install their like and try again" >&2
	exit 1
fi
as=''
if [ "$(id -u)" != 0 ]; then
	as=sudo
	if ! sudo -n true 2>/dev/null; then
		echo "this machine lacks:$parts. Install with:" >&2
		echo "  sudo apt-get install --no-install-recommends -y$packages" >&2
		exit 1
	fi
fi
echo "installing$packages"
export DEBIAN_FRONTEND=noninteractive
$as apt-get update -qq
# shellcheck disable=SC2086 # a list of names
$as apt-get install -qq -y --no-install-recommends $packages >/dev/null
for part in $parts; do
	"have_$part" || { echo "need.sh: \"$part\" is still missing after installing$packages" >&2; exit 1; }
done
