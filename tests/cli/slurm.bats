# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples for Slurm, run by Slurm: controller, node and munge on this machine, below one folder.  What the scripts
# make of mrctl's answers is in examples.bats.
load helpers

setup_file() {
	export DIR
	DIR=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-slurm.XXXXXX")
	export SLURM_CONF=$DIR/slurm.conf
}

teardown_file() {
	local pid pids

	mapfile -t pids < <(cat "$DIR"/*.pid 2>/dev/null)
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	for pid in "${pids[@]}"; do
		timeout 60 tail --pid="$pid" -f /dev/null || kill -KILL "$pid" 2>/dev/null || true
	done
	rm -rf "$DIR"
}

# daemon NAME CMD...: starts it, in the foreground of a process of its own
daemon() {
	local name=$1

	shift
	"$@" >"$DIR/$name.log" 2>&1 3>&- &
	echo $! >"$DIR/$name.pid"
}

# eventually CMD...: CMD succeeds within two minutes, asked again after pauses, as Slurm tells nobody
eventually() {
	local end=$((SECONDS + 120))

	while [ $SECONDS -lt $end ]; do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	fail "not in time: $*" "$(sinfo 2>&1)" "$(tail -n 5 "$DIR"/*.log)"
}

# node_is STATE REASON: both are patterns
node_is() {
	local state reason

	read -r state reason < <(sinfo -h -o '%T %E')
	# shellcheck disable=SC2053 # patterns
	[[ $state == $1 && $reason == $2 ]]
}

# install_examples: copies of the examples, which find a mrctl that says what a test wants.  Slurm gives a task
# SLURM_PROCID, and a prolog SLURM_JOB_ID.
install_examples() {
	local name

	mkdir "$DIR/bin"
	cat >"$DIR/bin/mrctl" <<-END
		#!/bin/sh
		what=health
		[ -z "\$SLURM_JOB_ID" ] || what=prolog
		[ -z "\$SLURM_PROCID" ] || what=task
		[ -e $DIR/bad-\$what ] || exit 0
		case \$* in *--quiet*) ;; *) echo "1 bad: MR-TEST" ;; esac
		exit 1
	END
	for name in prolog task-prolog health-check; do
		sed "2i export PATH='$DIR/bin:$PATH' SLURM_CONF='$SLURM_CONF'" "$ROOT/man/examples/slurm/$name.sh" >"$DIR/$name"
	done
	chmod 755 "$DIR" "$DIR"/bin/mrctl "$DIR"/{prolog,task-prolog,health-check}
}

write_configuration() {
	local port=$((20000 + RANDOM % 20000)) host

	host=$(hostname -s)
	mkdir "$DIR/state" "$DIR/spool" "$DIR/munge"
	chmod 711 "$DIR/munge"
	(umask 077 && head -c 1024 /dev/urandom >"$DIR/munge/key")
	cat >"$SLURM_CONF" <<-END
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmdPort=$((port + 1))
		AuthType=auth/munge
		AuthInfo=socket=$DIR/munge/socket
		CredType=cred/munge
		SlurmUser=root
		SlurmdUser=root
		StateSaveLocation=$DIR/state
		SlurmdSpoolDir=$DIR/spool
		SlurmctldPidFile=$DIR/slurmctld.file
		SlurmdPidFile=$DIR/slurmd.file
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SwitchType=switch/none
		MpiDefault=none
		ReturnToService=2
		Prolog=$DIR/prolog
		TaskProlog=$DIR/task-prolog
		HealthCheckProgram=$DIR/health-check
		HealthCheckInterval=1
		NodeName=$host NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
		PartitionName=all Nodes=ALL Default=YES MaxTime=5 State=UP
	END
}

# start_slurm: once, for all tests of this file
start_slurm() {
	local program

	for program in slurmctld slurmd munged srun; do
		command -v "$program" >/dev/null ||
			skip "needs $program: apt-get install --no-install-recommends slurmctld slurmd slurm-client munge"
	done
	[ "$(id -u)" -eq 0 ] || skip "slurmd has to be root's"
	rm -f "$DIR"/bad-*
	[ ! -e "$SLURM_CONF" ] || return 0
	install_examples
	write_configuration
	daemon munged munged --foreground --force --key-file="$DIR/munge/key" --socket="$DIR/munge/socket" \
		--pid-file="$DIR/munge/file" --log-file="$DIR/munge/log" --seed-file="$DIR/munge/seed"
	eventually test -S "$DIR/munge/socket"
	daemon slurmctld slurmctld -D -f "$SLURM_CONF"
	daemon slurmd slurmd -D -f "$SLURM_CONF"
	eventually node_is idle none
}

@test "a task whose limits are bad is told so at the head of its output, and runs" {
	start_slurm
	touch "$DIR/bad-task"
	run --separate-stderr timeout 120 srun -n1 echo works
	[ "$status" -eq 0 ] && [ "$output" = $'mrctl: 1 bad: MR-TEST\nworks' ] || fail "$status $output $stderr"
	rm "$DIR/bad-task"
	run --separate-stderr timeout 120 srun -n1 echo works
	[ "$status" -eq 0 ] && [ "$output" = works ] || fail "$status $output $stderr"
}

@test "the health check drains a node that is not ready, and resumes it when it is" {
	start_slurm
	touch "$DIR/bad-health"
	eventually node_is 'drain*' 'mrctl: 1 bad: MR-TEST*'
	rm "$DIR/bad-health"
	eventually node_is 'idle*' none
}

# bats test_tags=slow
@test "the prolog keeps a job from a node that is not ready, and drains the node" {
	start_slurm
	touch "$DIR/bad-prolog"
	daemon job srun -n1 echo works # waits, as the job goes back to the queue
	eventually node_is 'drain*' '*rolog*'
	run ! grep works "$DIR/job.log"
}
