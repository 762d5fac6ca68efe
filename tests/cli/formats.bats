# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --format: metrics for Prometheus, and tables of Markdown for a ticket
load helpers

# metrics DIR: makes a file VIEW.prom in it for each view that has metrics
metrics() {
	local view

	mkdir "$1"
	for view in device probe host system; do
		mr stat --"$view" --format openmetrics >"$1/$view.prom" 2>"$1/why" ||
			! grep -q 'no metrics' "$1/why" || rm "$1/$view.prom"
	done
	[ -s "$1/device.prom" ] && [ -s "$1/host.prom" ]
}

@test "names, units, labels and ends follow the rules of Prometheus" {
	local dir=$BATS_TEST_TMPDIR/textfiles file name type unit

	metrics "$dir"
	for file in "$dir"/*.prom; do
		[ "$(tail -n 1 "$file")" = '# EOF' ]
		while read -r _ _ name type; do
			[[ $name =~ ^mrctl_[a-z0-9_]+$ ]] || fail "$name"
			[[ $([[ $name == *_total ]] && echo counter) == "$([[ $type == counter ]] && echo counter)" ]] || fail "$name"
		done < <(grep '^# TYPE' "$file")
		while read -r _ _ name unit; do
			[[ $name == *"_$unit" || $name == *"_${unit}_total" ]] || fail "$name: $unit"
		done < <(grep '^# UNIT' "$file")
		# a process is called by its name: numbers would make a series of each process
		run ! grep -E '[{,]pid=' "$file"
		[ "$(grep -v '^#' "$file" | sed 's/ [^ ]*$//' | sort | uniq -d)" = '' ] || fail "the same sample twice"
		! command -v promtool >/dev/null || [ -z "$(promtool check metrics <"$file" 2>&1)" ]
	done
	# a whole number that no rounding changes
	grep -qE '^mrctl_device_mr_max\{device="[^"]+"\} [0-9.e+]+$' "$dir/device.prom"
}

@test "a session's regions are tables of Markdown" {
	run --separate-stderr "${MS[@]}" session -- bash -c 'mrctl reg -q --count 2 --name b && mrctl stat --format markdown'
	[[ $output == *'| name '*'| ----'*'| b.1 '*'| b.2 '*'| totals '*'| regions '* ]] || fail "$output"
}

@test "usage errors" {
	local args text

	while IFS='|' read -r args text; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr mrctl $args
		usage_error "$text"
	done <<-EOF
		stat --format openmetrics|--format openmetrics: there are no metrics of a session's regions
		stat --host --format mark|unknown format 'mark': did you mean 'markdown'?
		-j stat --host --format markdown|--format excludes --json
		stat --host --format text --json|--format excludes --json
		stat -n --host --format markdown|--format excludes --no-headings
		stat -q --host --format markdown|--format excludes --quiet
		-o id stat --host --format openmetrics|--format openmetrics excludes --output
	EOF
	run --separate-stderr mr batch - <<<'stat --format markdown'
	[ "$status" -eq 2 ] && [[ $stderr == *"no line of a batch can be stat --format"* ]] || fail "$stderr"
}
