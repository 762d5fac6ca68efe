# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154	# the caller's work, logs, build, guest, tools, command
#
# Sourced by run.sh.  One boot of the guest with the software HCA beside it, in $work:
#   vm_run	boots and waits for the end; fails if the job in the guest never began.  $HCA_OPTIONS are the
#		options of the HCA (hca/README.md)
#   vm_verdict	prints what went wrong and exits with the status of the run
#   vm_stop	ends the processes that still run

boot_limit=300	# seconds until the job must have begun; 20 where nothing else runs
end_limit=180	# seconds for the drivers to be unloaded after it
hca_pid='' qemu_pid='' tee_pid='' stopped=''

vm_stop() {
	local pid i

	for pid in $qemu_pid $hca_pid $tee_pid; do
		kill "$pid" 2>/dev/null || true		# lets QEMU restore the terminal
		for ((i = 0; i < 20; i++)); do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.1
		done
		kill -KILL "$pid" 2>/dev/null || true
		{ wait "$pid"; } 2>/dev/null || true
	done
	hca_pid='' qemu_pid='' tee_pid=''
}

# Prints the text that the guest wrote to the port "status" behind a word (see guest/start)
vm_status() { sed -n "s/^$1 *//p" "$work/status"; }

# Waits until QEMU ends, or sets "stopped" to the reason when one of the limits is over
vm_wait() {
	local begun=$SECONDS ended='' limit=${GUEST_TIMEOUT:-1800}

	while kill -0 "$qemu_pid" 2>/dev/null; do
		sleep 0.1
		if grep -q ^exit "$work/status"; then
			ended=${ended:-$SECONDS}
			((SECONDS - ended < end_limit)) || stopped="the drivers did not go away"
		elif ! grep -q ^ready "$work/status"; then
			((SECONDS - begun < boot_limit)) || stopped="no job after $boot_limit s"
		elif [ "$command" != shell ]; then
			((SECONDS - begun < limit)) || stopped="stopped after GUEST_TIMEOUT=$limit s"
		fi
		[ -z "$stopped" ] || return 0
	done
}

vm_run() {
	local qemu memory=1536M i arguments size options

	arguments="console=ttyS0 quiet loglevel=5 printk.devkmsg=on log_buf_len=4M"
	arguments+=" oops=panic panic=-1 mitigations=off hugepagesz=2M hugepages=16"
	arguments+=" secretmem.enable=1"	# memfd_secret(2), which Linux 6.5 enables by itself

	stopped=''
	rm -f "$work/status"
	touch "$work"/{status,console.log,output.log}
	read -ra options <<<"${HCA_OPTIONS:-}"
	"$build/hca" -d "$work/data-direct.sock" "${options[@]}" -t "$work/trace.log" "$work/hca.sock" \
		</dev/null 2>"$work/hca.log" &
	hca_pid=$!
	for ((i = 0; i < 100; i++)); do
		[ ! -S "$work/hca.sock" ] || break
		sleep 0.05
	done

	qemu=(
		qemu-system-x86_64 -L "$tools/usr/share/qemu" -L "$tools/usr/share/seabios"
		-accel tcg -cpu "Nehalem,pdpe1gb=on" -smp 1 -m "$memory"	# README.md says why
		-object "memory-backend-memfd,id=mem,size=$memory,share=on"
		-machine "pc,memory-backend=mem"
		-nodefaults -no-user-config -display none -no-reboot -echr 0x1d
		-kernel "$guest/vmlinuz" -initrd "$guest/initrd" -append "$arguments"
		-serial "file:$work/console.log"
		-drive "file=$guest/root.erofs,format=raw,if=none,id=suite,readonly=on"
		-device "virtio-blk-pci,drive=suite,addr=4"
		-drive "file=$work/project.erofs,format=raw,if=none,id=project,readonly=on"
		-device "virtio-blk-pci,drive=project,addr=5"
		-device "virtio-serial-pci,addr=6"
		-device "edu,addr=8"	# a PCI device without a driver, whose memory a test maps
		-chardev "file,id=status,path=$work/status"
		-device "virtserialport,chardev=status,name=status"
		-chardev "file,id=calls,path=$work/calls.log"
		-device "virtserialport,chardev=calls,name=calls"
		-device '{"driver":"vfio-user-pci","addr":"10.0","socket":{"type":"unix","path":"'"$work"'/hca.sock"}}'
	)
	# unless the options leave it out
	[ ! -S "$work/data-direct.sock" ] || qemu+=(
		-device '{"driver":"vfio-user-pci","addr":"11.0","socket":{"type":"unix","path":"'"$work"'/data-direct.sock"}}'
	)
	if [ "$command" = shell ]; then
		qemu+=(-chardev "stdio,id=tty,mux=on,signal=off" -device "virtconsole,chardev=tty"
			-chardev "pipe,id=size,path=$work/size"
			-device "virtserialport,chardev=size,name=size")
		mkfifo "$work/size"
		exec {size}<>"$work/size"
		stty size >&"$size"
		trap 'stty size >&"$size"' WINCH
		tool_exec "${qemu[@]}" <&0 2>"$work/qemu.log" &
		qemu_pid=$!
		vm_wait
		exec {size}>&-
		rm "$work/size"
	else
		qemu+=(-chardev "file,id=out,path=$work/out" -device "virtserialport,chardev=out,name=out")
		mkfifo "$work/out"
		tee -ip "$work/output.log" <"$work/out" &
		tee_pid=$!
		tool_exec "${qemu[@]}" </dev/null >"$work/qemu.log" 2>&1 &
		qemu_pid=$!
		vm_wait
		rm "$work/out"
	fi
	if [ -z "$stopped" ]; then		# then its output may not have been read to the end yet
		{ wait "$qemu_pid" "$hca_pid" ${tee_pid:+"$tee_pid"}; } 2>/dev/null || true
	fi
	vm_stop
	[ -n "$(vm_status ready)" ]
}

# Prints the complaints of the kernel, except warnings that a test announced with a line
# "mrctl-test: expect PATTERN" in /dev/kmsg
vm_complaints() {
	tr -d '\r' <"$work/console.log" | awk '
		/mrctl-test: expect / { sub(/.*mrctl-test: expect /, ""); expected[++n] = $0; next }
		/WARNING:|invoked oom-killer/ { known = 0; for (i = 1; i <= n; i++) if ($0 ~ expected[i]) known = 1 }
		/BUG:|Oops|general protection|Kernel panic/ { known = 0 }
		/WARNING:|BUG:|Oops|Call Trace|general protection|Kernel panic/ && !known { print }
		/---\[ end trace|Killed process/ { known = 0 }'
}

# Prints which objects the driver had not freed when it was unloaded, as the HCA counts them
vm_left() {
	sed -n 's/.*TEARDOWN_HCA -> OK: left: //p' "$work/trace.log" | tail -1 |
		awk '{ for (i = 1; i < NF; i += 2) if ($(i + 1)) printf "%s %s ", $i, $(i + 1) }'
}

# Prints 30 lines of the console: those from the first Oops, BUG or panic on, else the last ones
vm_last_words() {
	tr -d '\r' <"$work/console.log" | awk '
		/Oops|BUG:|Kernel panic/ && !from { from = NR }
		{ line[NR] = $0 }
		END {
			if (!from || NR - from < 30) from = NR - 29
			for (i = from; i < from + 30 && i <= NR; i++) if (i > 0) print line[i]
		}'
}

vm_verdict() {
	local status complaints left

	status=$(vm_status exit)
	[ "$command" != shell ] || [ -z "$status" ] || status=0
	complaints=$(vm_complaints)
	if [ -z "$status" ]; then
		say "${stopped:-the guest died}; its console:"
		vm_last_words | sed 's/^/  /' >&2
		sed 's/^/  qemu: /' "$work/qemu.log" >&2
		say "all of it: $logs"
		exit 125
	fi
	if [ -n "$complaints" ]; then
		say "the kernel complained (all of it: $logs/console.log):"
		printf '%s\n' "$complaints" >&2
		[ "$status" -ne 0 ] || status=1
	fi
	left=$(vm_left)
	if [ -n "$stopped" ] || ! grep -q ^end "$work/status"; then
		say "${stopped:-the guest did not end as it should}: see $logs"
		[ "$status" -ne 0 ] || status=1
	elif [ -n "$left" ]; then
		say "left over in the HCA when its driver went: $left(see $logs/trace.log)"
		[ "$status" -ne 0 ] || status=1
	fi
	exit "$status"
}
