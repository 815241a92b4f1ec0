#!/bin/sh
# window-test.sh PICTURE: see the real window work on a screen that nobody looks at. Six things are asserted:
#   1. the window starts a lab and its page reports itself ready to that lab;
#   2. on SIGTERM the window ends with status 0 and leaves no process behind;
#   3. a killed window takes its lab along;
#   4. a window attaches to a lab that runs, and leaves it running;
#   5. where the usual port is taken, the window's lab takes another;
#   6. without a screen the program says so, with status 1, and ends its lab.
# PICTURE gets a screenshot of the first window. Everything happens below a temporary folder, which is removed.
set -eu
picture=$1
program=$(pwd)/bin/parley-desktop
headless=$(pwd)/bin/parley
work=$(mktemp -d)
export HOME="$work/home" PARLEY_DATA="$work/data" XDG_RUNTIME_DIR="$work/run"
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME DBUS_SESSION_BUS_ADDRESS
mkdir -m 700 "$HOME" "$XDG_RUNTIME_DIR"

window='' screen='' lab=''

# Ends what this script started, by process id, and shows the logs of a run that failed.
finish() {
	status=$?
	for pid in $window $lab $screen; do kill "$pid" 2>/dev/null || true; done
	[ "$status" = 0 ] || for log in "$work"/*.log; do echo "--- $log" && cat "$log"; done >&2
	wait || true
	rm -rf "$work"
	exit "$status"
}
trap finish EXIT

fail() {
	echo "window-test: $*" >&2
	exit 1
}

# until_true SECONDS WHAT COMMAND...: waits for the command to succeed, or fails naming what did not happen.
until_true() {
	left=$(($1 * 10)) what=$2
	shift 2
	while ! "$@"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || fail "$what"
		sleep 0.1
	done
}

page_is_ready() { grep -qs 'page ready.*screen=runner' "$1"; }
has_text() { [ -s "$1" ]; }
is_gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null; }

# The process id of the lab that a window started or found, from the window's log.
lab_of() { sed -n 's/.*lab pid=\([0-9]*\).*/\1/p' "$1" | head -n 1; }

# Processes that live in our HOME, other than the screen. A zombie has no environment, and what this function starts is
# younger than the list it goes through.
left_behind() {
	for process in /proc/[0-9]*; do
		if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qx "HOME=$HOME"; then
			[ "${process#/proc/}" = "$screen" ] || echo "${process#/proc/}"
		fi
	done
}

open_window() {
	"$program" >"$1" 2>&1 &
	window=$!
	until_true 60 "no page reported itself ready within 60 s" page_is_ready "$1"
}

Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
screen=$!
until_true 20 "no virtual screen within 20 s" has_text "$work/display"
DISPLAY=:$(cat "$work/display")
export DISPLAY

open_window "$work/first.log"
child=$(lab_of "$work/first.log")
sleep 1 # the page is ready before its last pixel is drawn
mkdir -p "$(dirname "$picture")"
import -window root "$picture"
colours=$(identify -format %k "$picture")
[ "$colours" -gt 100 ] || fail "the picture has $colours colours; an empty window has a handful, a page hundreds"
kill -TERM "$window"
wait "$window" || fail "the window ended with status $? on SIGTERM, want 0"
window=''
until_true 5 "the lab, process $child, outlived its window" is_gone "$child"
[ -z "$(left_behind)" ] || fail "processes left behind: $(left_behind | tr '\n' ' ')"
echo "window: page ready, $colours colours, status 0 on SIGTERM, nothing left behind"

open_window "$work/killed.log"
child=$(lab_of "$work/killed.log")
kill -KILL "$window"
wait "$window" 2>/dev/null || true
window=''
until_true 5 "the lab, process $child, outlived its killed window" is_gone "$child"
echo "window: a killed window takes its lab along"

"$headless" serve --json --no-open --addr 127.0.0.1:0 >"$work/serve.out" 2>"$work/serve.log" &
lab=$!
until_true 20 "no lab within 20 s" has_text "$work/serve.out"
"$program" >"$work/attached.log" 2>&1 &
window=$!
until_true 60 "the attached page did not report itself ready within 60 s" page_is_ready "$work/serve.log"
[ "$(lab_of "$work/attached.log")" = "$lab" ] || fail "the window did not attach to the running lab, process $lab"
kill -TERM "$window"
wait "$window" || fail "the attached window ended with status $? on SIGTERM, want 0"
window=''
kill -0 "$lab" || fail "the lab that somebody else started ended with the window"
kill -TERM "$lab"
wait "$lab" || fail "the lab ended with status $? on SIGTERM, want 0"
lab=''
echo "window: attached to a running lab and left it running"

# Whoever has the usual port now, this lab or a program outside the test, a second lab must take another.
"$headless" serve --json --no-open --data "$work/holder" >"$work/holder.out" 2>"$work/holder.log" &
lab=$!
until_true 20 "the usual port is neither free nor taken" grep -q 'msg=ready\|port 7007 is in use' "$work/holder.log"
open_window "$work/moved.log"
if grep -q '127.0.0.1:7007 ' "$work/moved.log"; then fail "the window's lab took a port that was taken"; fi
kill -TERM "$window"
wait "$window" || fail "the window beside another lab ended with status $? on SIGTERM, want 0"
window=''
kill "$lab" 2>/dev/null || true
wait "$lab" || true
lab=''
echo "window: another port where the usual one is taken"

status=0
env -u DISPLAY -u WAYLAND_DISPLAY "$program" >"$work/blind.log" 2>&1 || status=$?
[ "$status" = 1 ] || fail "without a screen the status is $status, want 1"
grep -q 'open the window: ' "$work/blind.log" || fail "without a screen nothing says why there is no window"
[ -z "$(left_behind)" ] || fail "processes left behind without a screen: $(left_behind | tr '\n' ' ')"
echo "window: without a screen, a sentence and status 1"
