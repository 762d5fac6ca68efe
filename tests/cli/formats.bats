# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --format: metrics for node exporter, and tables of Markdown for a ticket
load helpers

EXPORTER=''

teardown() {
	[ -z "$EXPORTER" ] || kill "$EXPORTER" 2>/dev/null || true
	tidy
}

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

# page PORT: prints what an exporter shows at /metrics
page() {
	exec {connection}<>"/dev/tcp/127.0.0.1/$1" &&
		printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$connection" &&
		timeout 60 cat <&"$connection"
	exec {connection}<&-
}

# export_textfiles DIR: prints what a node exporter makes of the files in DIR
export_textfiles() {
	local exporter=${NODE_EXPORTER:-prometheus-node-exporter} port log=$BATS_TEST_TMPDIR/exporter tries

	command -v "$exporter" >/dev/null ||
		skip "needs node exporter: apt-get install --no-install-recommends prometheus-node-exporter"
	for tries in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 20000))
		"$exporter" --web.listen-address="127.0.0.1:$port" --collector.disable-defaults \
			--collector.textfile --collector.textfile.directory="$1" 2>"$log" 3>&- &
		EXPORTER=$!
		for _ in {1..600}; do
			! page "$port" 2>/dev/null >"$BATS_TEST_TMPDIR/metrics" || break 2
			kill -0 "$EXPORTER" 2>/dev/null || continue 2 # the port is taken
			sleep 0.1
		done
	done
	[ -s "$BATS_TEST_TMPDIR/metrics" ] || fail "$(cat "$log")" "$tries"
	tr -d '\r' <"$BATS_TEST_TMPDIR/metrics"
}

@test "node exporter reads the metrics, and shows each with its type and value" {
	local dir=$BATS_TEST_TMPDIR/textfiles file name type

	metrics "$dir"
	export_textfiles "$dir" >"$BATS_TEST_TMPDIR/page"
	grep -qx 'node_textfile_scrape_error 0' "$BATS_TEST_TMPDIR/page" || fail "$(cat "$BATS_TEST_TMPDIR/exporter")"
	# its own sample of each file's time says that it was read
	for file in "$dir"/*.prom; do
		grep -q "^node_textfile_mtime_seconds{file=\"[^\"]*${file##*/}\"}" "$BATS_TEST_TMPDIR/page"
	done
	[ "$(cat "$dir"/*.prom | grep -c '^# TYPE')" -ge 3 ]
	while read -r _ _ name type; do
		grep -qx "# TYPE $name $type" "$BATS_TEST_TMPDIR/page" || fail "$name: $(grep "$name" "$BATS_TEST_TMPDIR/page")"
		[ "$(cat "$dir"/*.prom | grep -c "^${name}[{ ]")" -eq "$(grep -c "^${name}[{ ]" "$BATS_TEST_TMPDIR/page")" ]
	done < <(cat "$dir"/*.prom | grep '^# TYPE')
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

@test "a device, checks and a session's regions are tables of Markdown" {
	run --separate-stderr mr stat --device --format markdown "$(device)"
	succeeded
	[[ ${lines[0]} == '| device '*'|' ]] && [[ ${lines[1]} == '| ---'* ]] || fail "$output"
	grep -qE "^\| name +\| $(device) +\|$" <<<"$output" || fail "$output"
	run --separate-stderr mrctl -o id,verdict stat --host --format markdown
	[ "$(grep -cE '^\| MR-[A-Z0-9-]+ +\| (ok|warn|bad|unknown|n/a) +\|$' <<<"$output")" -ge 10 ] || fail "$output"
	run --separate-stderr "${MS[@]}" session -- bash -c 'mrctl reg -q --count 2 --name b && mrctl stat --format markdown'
	[[ $output == *'| b.1 '*'| b.2 '*'| totals '*'| regions '* ]] || fail "$output"
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
