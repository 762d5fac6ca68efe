# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --format: tables of Markdown for a ticket, and metrics for node exporter
load helpers

EXPORTER=''

teardown() {
	[ -z "$EXPORTER" ] || kill "$EXPORTER" 2>/dev/null || true
	tidy
}

# page PORT: prints what an exporter shows at /metrics
page() {
	exec {connection}<>"/dev/tcp/127.0.0.1/$1" &&
		printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$connection" &&
		timeout 20 cat <&"$connection"
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
		for _ in {1..50}; do
			! page "$port" 2>/dev/null >"$BATS_TEST_TMPDIR/metrics" || break 2
			kill -0 "$EXPORTER" 2>/dev/null || continue 2 # the port is taken
			sleep 0.1
		done
	done
	[ -s "$BATS_TEST_TMPDIR/metrics" ] || fail "$(cat "$log")" "$tries"
	tr -d '\r' <"$BATS_TEST_TMPDIR/metrics"
}

# views: the views that have metrics, with the device where they need one
views() {
	local view

	for view in device probe host system; do
		mr stat --"$view" --format openmetrics >/dev/null 2>"$BATS_TEST_TMPDIR/why" ||
			! grep -q 'no metrics' "$BATS_TEST_TMPDIR/why" || continue
		echo "$view"
	done
}

@test "promtool finds nothing to complain of in any view's metrics" {
	command -v promtool >/dev/null ||
		skip "needs promtool: apt-get install --no-install-recommends prometheus"
	for view in $(views); do
		mr stat --"$view" --format openmetrics >"$BATS_TEST_TMPDIR/$view.prom" || true
		[ "$(tail -n 1 "$BATS_TEST_TMPDIR/$view.prom")" = '# EOF' ]
		run promtool check metrics <"$BATS_TEST_TMPDIR/$view.prom"
		[ "$status" -eq 0 ] && [ -z "$output" ] || fail "$view: $output"
	done
	[[ " $(views | tr '\n' ' ')" == *' device host '* ]] || [[ $(views) == *device*host* ]]
}

@test "node exporter reads the metrics, and shows each with its type and value" {
	local dir=$BATS_TEST_TMPDIR/textfiles view name type

	mkdir "$dir"
	for view in $(views); do
		mr stat --"$view" --format openmetrics >"$dir/$view.prom" || true
	done
	export_textfiles "$dir" >"$BATS_TEST_TMPDIR/page"
	grep -qx 'node_textfile_scrape_error 0' "$BATS_TEST_TMPDIR/page" || fail "$(cat "$BATS_TEST_TMPDIR/exporter")"
	# its own sample of each file's time says that it was read
	for view in $(views); do
		grep -q "^node_textfile_mtime_seconds{file=\"[^\"]*$view.prom\"}" "$BATS_TEST_TMPDIR/page"
	done
	[ "$(cat "$dir"/*.prom | grep -c '^# TYPE')" -ge 3 ]
	while read -r _ _ name type; do
		grep -qx "# TYPE $name $type" "$BATS_TEST_TMPDIR/page" || fail "$name: $(grep "$name" "$BATS_TEST_TMPDIR/page")"
		[ "$(cat "$dir"/*.prom | grep -c "^${name}[{ ]")" -eq "$(grep -c "^${name}[{ ]" "$BATS_TEST_TMPDIR/page")" ]
	done < <(cat "$dir"/*.prom | grep '^# TYPE')
	# a whole number that no rounding changes
	grep -qE '^mrctl_device_mr_max\{device="[^"]+"\} [0-9.e+]+$' "$BATS_TEST_TMPDIR/page"
}

@test "names and labels follow the rules of Prometheus" {
	local view

	for view in $(views); do
		run --separate-stderr mr stat --"$view" --format openmetrics
		while read -r _ _ name type; do
			[[ $name =~ ^mrctl_[a-z0-9_]+$ ]] || fail "$name"
			if [ "$type" = counter ]; then [[ $name == *_total ]] || fail "$name"; fi
			if [[ $name == *_total ]]; then [ "$type" = counter ] || fail "$name"; fi
		done < <(grep '^# TYPE' <<<"$output")
		while read -r _ _ name unit; do
			[[ $name == *"_$unit" || $name == *"_${unit}_total" ]] || fail "$name: $unit"
		done < <(grep '^# UNIT' <<<"$output")
		# a process is called by its name: numbers would make a series of each process
		! grep -E '[{,]pid=' <<<"$output" || fail "$view: a pid is a label"
		[ "$(grep -v '^#' <<<"$output" | sed 's/ [^ ]*$//' | sort | uniq -d)" = '' ] || fail "the same sample twice"
	done
}

@test "a device is a table of Markdown with what its lines show" {
	run --separate-stderr mr stat --device --format markdown "$(device)"
	succeeded
	[[ ${lines[0]} == '| device '*'|' ]] && [[ ${lines[1]} == '| ---'* ]] || fail "$output"
	grep -qE "^\| name +\| $(device) +\|$" <<<"$output" || fail "$output"
	grep -qE '^\| max_mr +\| [0-9]+ +\|$' <<<"$output" || fail "$output"
	# all lines of a table have as many cells
	[ "$(grep '^|' <<<"$output" | sed -n '1,/^$/p' | awk -F'|' 'NR < 10 { print NF }' | sort -u | wc -l)" -eq 1 ]
}

@test "checks are a table of Markdown with the columns asked for" {
	run --separate-stderr mrctl -o id,verdict stat --host --format markdown
	[[ ${lines[0]} =~ ^'| id'\ +'| verdict |'$ ]] || fail "$output"
	[ "$(grep -cE '^\| MR-[A-Z0-9-]+ +\| (ok|warn|bad|unknown|n/a) +\|$' <<<"$output")" -ge 10 ] || fail "$output"
}

@test "a session's regions are a table of Markdown" {
	run --separate-stderr "${MS[@]}" session -- bash -c 'mrctl reg -q --count 2 --name b && mrctl stat --format markdown'
	succeeded
	[[ $output == *'| b.1 '*'| b.2 '*'| totals '*'| regions '* ]] || fail "$output"
}

@test "usage errors" {
	run --separate-stderr mrctl stat --format openmetrics
	usage_error "--format openmetrics: there are no metrics of a session's regions"
	run --separate-stderr mrctl stat --host --format mark
	usage_error "unknown format 'mark': did you mean 'markdown'?"
	run --separate-stderr mrctl -j stat --host --format markdown
	usage_error "--format excludes --json"
	run --separate-stderr mrctl stat --host --format text --json
	usage_error "--format excludes --json"
	run --separate-stderr mrctl stat -n --host --format markdown
	usage_error "--format excludes --no-headings"
	run --separate-stderr mrctl stat -q --host --format markdown
	usage_error "--format excludes --quiet"
	run --separate-stderr mrctl -o id stat --host --format openmetrics
	usage_error "--format openmetrics excludes --output"
	run --separate-stderr mrctl stat --host --watch 1 --format openmetrics
	usage_error "--watch excludes --format openmetrics"
	run --separate-stderr mr batch - <<<'stat --format markdown'
	[ "$status" -eq 2 ] && [[ $stderr == *"no line of a batch can be stat --format"* ]] || fail "$stderr"
}
