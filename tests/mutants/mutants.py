#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes small changes to C files of cmd and lib, and finds out which of them no test notices (tests/mutants.md).

Environment: BUILD (folder of the build); N and SEED (how many changes, which) and ONLY (folders or files), or LIST (a
file with lines "file line was became", by tabs); JOBS (how many at once, one for each processor).
"""
import os
import shutil
import sys
import threading
from collections import Counter

import changes
import coverage
from tree import Tree, list_files

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
FOLDER = os.path.join(ROOT, os.environ.get('BUILD', 'build'), 'mutants')
# Without link-time optimization a change is linked at once; with -O2 the compiler sees which changes are none.  An
# index beyond its array ends the program, as it does in the sanitized build that .ci/run tests.
FLAGS = ['LTO=', 'CFLAGS=-O2 -fsanitize=bounds -fsanitize-undefined-trap-on-error']


# A mutant that root runs can replace /dev/full: it has devices of its own.
OWN_DEVICES = r"""
new=$(mktemp -d)
mount -t tmpfs dev "$new"
cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/fd /dev/std* "$new"
mkdir "$new/pts" "$new/shm"
mount --rbind /dev/pts "$new/pts"
mount -t tmpfs shm "$new/shm"
ln -s pts/ptmx "$new/ptmx"
mount --move "$new" /dev
rmdir "$new"
exec env MUTANTS_OWN_DEVICES=1 "$@"
"""


def say(text):
    print(text, flush=True)


class Draw:
    """Hands out changes to the workers.  Which ones are judged depends on the lists alone: for each kind it is the
    shortest beginning of the list with as many valid changes as are wanted."""

    def __init__(self, lists, wanted):
        self.lists = {kind: list(enumerate(list_of_kind)) for kind, list_of_kind in lists.items()}
        self.left = wanted
        self.running = 0
        self.changed = threading.Condition()

    def next(self):
        with self.changed:
            while True:
                # Take the same number of each kind, even if the run is stopped.
                kind = max((kind for kind in self.lists if self.lists[kind]), key=self.left.get, default=None)
                if kind and self.left[kind] > 0:
                    self.left[kind] -= 1
                    self.running += 1
                    return self.lists[kind].pop(0)
                if not self.running:
                    return None
                self.changed.wait()

    def done(self, change, is_valid):
        with self.changed:
            self.running -= 1
            if not is_valid:
                self.left[change.kind] += 1
            self.changed.notify_all()


class Judge:
    """Tells whether tests notice a change.  `clean` is a tree without one."""

    def __init__(self, clean, cover):
        self.clean, self.cover = clean, cover
        self.programs = [m for m in cover.modules() if not m.startswith('build/tests/unit/')]
        self.passes_clean = {}

    def compile(self, tree, file):
        """Returns the object code of the file, or None where it cannot be compiled."""
        objects = [o for o in (f'build/{file[:-2]}.o', f'build/shared/{file[:-2]}.o')
                   if os.path.exists(os.path.join(tree.path, o))]
        if not tree.make(*objects)[0]:
            return None
        return [open(os.path.join(tree.path, o), 'rb').read() for o in objects]

    def judge(self, tree, change):
        """Returns 'invalid', 'equal', 'killed by ...', 'survived ...' or 'not covered'."""
        path = os.path.join(tree.path, change.file)
        with open(path, encoding='utf-8') as f:
            text = f.read()
        lines = text.split('\n')
        lines[change.line - 1] = lines[change.line - 1].replace(change.was, change.became)
        before = self.compile(tree, change.file)
        try:
            with open(path, 'w', encoding='utf-8') as f:
                f.write('\n'.join(lines))
            after = self.compile(tree, change.file)
            if after is None:
                return 'invalid'
            return 'equal' if after == before else self.test(tree, change)
        finally:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
            self.compile(tree, change.file)

    def test(self, tree, change):
        units, bats = self.cover.tests_of(change.file, change.line)
        if not units and not bats:
            return 'not covered'
        folder = os.path.dirname(change.file)
        own = [unit for unit in units if unit.startswith(folder) or folder.startswith(unit)]
        in_order = sorted(bats, key=lambda file: self.cover.seconds(file, bats[file]))
        # also for the units: those of the simulator run below it
        ok, out = tree.make('all', *self.programs)
        if not ok:
            return f'killed by the linker: {out[-200:]}'
        killer = self.units_kill(tree, own)
        if not killer and bats:
            killer = next(filter(None, (self.bats_kills(tree, file, bats[file]) for file in in_order)), None)
        killer = killer or self.units_kill(tree, [unit for unit in units if unit not in own])
        return f'killed by {killer}' if killer else f'survived {len(units)} unit programs, ' \
            f'{sum(map(len, bats.values()))} tests of {" ".join(os.path.basename(file) for file in in_order) or "no file"}'

    def units_kill(self, tree, units):
        for unit in units:
            if not tree.make(f'build/tests/unit/{unit}')[0]:
                return f'the linker of {unit}'
            if tree.unit(unit, 120) != 0 and self.is_clean(unit, lambda unit=unit: self.clean.unit(unit, 120) == 0):
                return f'unit {unit}'
        return None

    def is_clean(self, test, run):
        """Returns whether the test passes without the change."""
        if test not in self.passes_clean:
            self.passes_clean[test] = run()
            if not self.passes_clean[test]:
                say(f'fails without a change, and does not count: {test}')
        return self.passes_clean[test]

    def first_failure(self, tree, file, names):
        failed = []

        def note(_number, name, passed, _seconds):
            if not passed:
                failed.append(name)
            return not passed
        status = tree.bats(file, names, 120 + 10 * self.cover.seconds(file, names), note)
        if status is None:
            return 'time-out'
        return failed[0] if failed else None if status == 0 else 'the file'

    def bats_kills(self, tree, file, names):
        while names:
            failed = self.first_failure(tree, file, names)
            if not failed:
                return None
            again = [failed] if failed in names else names
            # A test that fails only once has failed by luck.
            if self.is_clean((file, failed), lambda again=again: not self.first_failure(self.clean, file, again)) and \
                    (failed == 'time-out' or self.first_failure(tree, file, again)):
                return f'{os.path.basename(file)}: {failed}'
            if failed not in names:
                return None
            names = names[names.index(failed) + 1:]
        return None


def folder_of(file):
    return '/'.join(file.split('/')[:2]) if file.count('/') > 1 else os.path.dirname(file)


class Known:
    """Keeps the verdicts on drawn changes, so that a run that was stopped goes on where cmd, lib and tests are the
    same."""

    def __init__(self, files):
        self.path, self.verdicts = os.path.join(FOLDER, 'verdicts.tsv'), {}
        tree = coverage.digest(ROOT, [file for file in files if file.startswith(('cmd/', 'lib/', 'tests/cli/', 'tests/unit/'))])
        if os.path.exists(self.path):
            with open(self.path, encoding='utf-8') as f:
                if f.readline().strip() == tree:
                    for row in f.read().splitlines():
                        change, verdict = row.rsplit('\t', 1)
                        self.verdicts[change] = verdict
                    return
        with open(self.path, 'w', encoding='utf-8') as f:
            f.write(f'{tree}\n')

    def add(self, row, verdict):
        with open(self.path, 'a', encoding='utf-8') as f:
            f.write(f'{row}\t{verdict}\n')


def report(verdicts):
    """Prints shares and survivors; verdicts are ((index, change), verdict)."""
    judged = [(change, verdict) for (_, change), verdict in sorted(
        verdicts, key=lambda one: (one[0][1].kind, one[0][0]))
        if verdict not in ('invalid', 'equal')]
    for name, key in ('kind', lambda change: change.kind), ('folder', lambda change: folder_of(change.file)):
        total = Counter(key(change) for change, _ in judged)
        killed = Counter(key(change) for change, verdict in judged if verdict.startswith('killed'))
        say(f'\nKilled by {name}:')
        for word in sorted(total):
            say(f'  {killed[word]:3} of {total[word]:3}  {word}')
    alive = [(change, verdict) for change, verdict in judged if not verdict.startswith('killed')]
    if alive:
        say('\nSurvivors:')
    for change, verdict in alive:
        say(f'  {change.file}:{change.line}: {change.was}  ->  {change.became}\n      {verdict}')
    share = 100 * (len(judged) - len(alive)) / max(len(judged), 1)
    say(f'\nmutants: {len(judged) - len(alive)} of {len(judged)} killed ({share:.0f} %)')


def main():
    if os.geteuid() == 0 and 'MUTANTS_OWN_DEVICES' not in os.environ:
        os.execvp('unshare', ['unshare', '-m', 'sh', '-ec', OWN_DEVICES, 'sh', sys.executable, *sys.argv])
    jobs = int(os.environ.get('JOBS') or os.cpu_count())
    files = list_files(ROOT)
    clean = Tree(os.path.join(FOLDER, 'clean'), FLAGS)
    covered = Tree(os.path.join(FOLDER, 'coverage'), [])
    for tree in clean, covered:
        tree.sync(ROOT)
    cover = coverage.Coverage(covered, os.path.join(FOLDER, 'covered'), files, say)
    cover.load(jobs)
    say('builds without a change')
    ok, out = clean.make('tests', jobs=jobs)
    if not ok:
        sys.exit(f'mutants: {out}')

    only = tuple((os.environ.get('ONLY') or 'cmd/ lib/').split())
    sources = [file for file in files if file.endswith('.c') and file.startswith(('cmd/', 'lib/')) and
               file.startswith(only)]
    if os.environ.get('LIST'):
        listed, lost = changes.read_list(ROOT, os.environ['LIST'])
        for row in lost:
            say(f'in no file now: {row}')
        lists, wanted = {changes.LISTED: listed}, {changes.LISTED: len(listed)}
    else:
        n, kinds = int(os.environ.get('N') or 100), len(changes.KINDS)
        lists = changes.draw(ROOT, sources, os.environ.get('SEED') or '1')
        wanted = {kind: (n + kinds - 1 - i) // kinds for i, kind in enumerate(changes.KINDS)}
    draw, judge, verdicts = Draw(lists, wanted), Judge(clean, cover), []
    known = None if os.environ.get('LIST') else Known(files)

    def work(number):
        tree = Tree(os.path.join(FOLDER, str(number)), FLAGS)
        if not os.path.exists(tree.path):
            shutil.copytree(clean.path, tree.path, symlinks=True)
        tree.sync(ROOT)
        tree.make('all')
        while one := draw.next():
            change = one[1]
            row = f'{change.file}\t{change.line}\t{change.was}\t{change.became}'
            verdict = known and known.verdicts.get(row)
            try:
                if not verdict:
                    verdict = ' '.join(judge.judge(tree, change).split())
                    if known:
                        known.add(row, verdict)
                verdicts.append((one, verdict))
            finally:
                draw.done(change, verdict not in (None, 'invalid', 'equal'))
            if verdict not in ('invalid', 'equal') or os.environ.get('LIST'):
                say(f'{change.kind}: {change.file}:{change.line}: {change.was}  ->  {change.became}\n    {verdict}')
            if verdict.startswith(('survived', 'not')):
                with open(os.path.join(FOLDER, 'survivors.tsv'), 'a', encoding='utf-8') as f:
                    f.write(f'{row}\t{verdict}\n')

    if os.path.exists(os.path.join(FOLDER, 'survivors.tsv')):
        os.rename(os.path.join(FOLDER, 'survivors.tsv'), os.path.join(FOLDER, 'survivors.old.tsv'))
    workers = [threading.Thread(target=work, args=[number]) for number in range(1, jobs + 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    report(verdicts)


if __name__ == '__main__':
    main()
