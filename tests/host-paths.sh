#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# host-paths.sh FILE...: prints, as FILE:LINE:STATEMENT, where C code names a file below /proc, /sys or /boot, and
# hands it neither to lib/host (mr_host_*) nor to a message, nor explains a cause by it.  Such files are read by
# lib/host alone, so that what is read can be recorded.  /proc/self/exe and the files behind own descriptors are no
# facts about the host.
set -eu

awk '
function finish() {
	gsub(/"\/proc\/self\/(exe|fd\/(%d)?)"/, "", text)
	if (text ~ /"\/(proc|boot)["\/]|"\/sys\// && text !~ /mr_(host|fail|hint|wrap|finding|suspect|rule_out)[a-z_]*\(|\.(what|recognise|remedy) = /) {
		gsub(/[ \t]+/, " ", text)
		print file ":" line ":" text
		found = 1
	}
	text = ""
}

# The line without comments, and its strings without what ends a statement
function clean(rest, code, string) {
	code = ""
	while (match(rest, /"([^"\\]|\\.)*"/)) {
		string = substr(rest, RSTART, RLENGTH)
		gsub(/[;{}]|\/[*\/]/, "", string)
		code = code substr(rest, 1, RSTART - 1) string
		rest = substr(rest, RSTART + RLENGTH)
	}
	code = code rest
	if (inside) {
		if (!sub(/^.*\*\//, "", code))
			return ""
		inside = 0
	}
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
	sub(/\/\/.*/, "", code)
	if (sub(/\/\*.*/, "", code))
		inside = 1
	return code
}

FNR == 1 { finish(); inside = 0; file = FILENAME }
{
	rest = clean($0)
	if (rest ~ /^#/)
		finish()
	while (match(rest, /[;{}]/)) {
		if (text == "") line = FNR
		text = text substr(rest, 1, RSTART)
		finish()
		rest = substr(rest, RSTART + 1)
	}
	if (text == "") line = FNR
	text = text rest
	if ($0 ~ /^#/ && $0 !~ /\\$/)
		finish()
}
END { finish(); exit found }' "$@"
