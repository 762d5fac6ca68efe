# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Finds which tests execute which lines of cmd and lib.

gcc makes a call at each basic block, which pc.c notes for each test of a bats file and for each unit program (gcov
would lose what killed processes did, and its files cannot be written as nobody).  What was found for a test file is
kept until it or the sources change.
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

PART_SIZE = 8 << 20
PARTS = 128
HERE = os.path.dirname(os.path.abspath(__file__))

# The compiler of the coverage build: adds pc.c to what it links.  The agent's dlsym() needs -O2.
WRAPPER = f'''#!/bin/sh
case " $* " in
*lib/trace/agent/binding.c*) exec gcc "$@" ;;
*" -c "*) exec gcc "$@" -w -O0 -g -fsanitize-coverage=trace-pc ;;
esac
before=
for arg; do
	[ "$before" != -o ] || out=$arg
	before=$arg
done
gcc -D_GNU_SOURCE -O2 -fPIC -fvisibility=hidden -DMODULE="\\"$(echo "$out" | tr / ,)\\"" -DPARTS={PARTS} \\
	-DPART_SIZE={PART_SIZE}L -c -o "$out.pc.o" {HERE}/pc.c && exec gcc "$@" -w -O0 -g -fsanitize-coverage=trace-pc "$out.pc.o"
'''


def digest(root, files):
    sum_of_all = hashlib.sha256()
    for name in sorted(files):
        path = os.path.join(root, name)
        sum_of_all.update(name.encode() + b'\0')
        sum_of_all.update(os.readlink(path).encode() if os.path.islink(path) else open(path, 'rb').read())
    return sum_of_all.hexdigest()[:24]


class Coverage:
    """`tree` is a Tree of its own; `cache` a folder; `say` prints a line."""

    def __init__(self, tree, cache, files, say):
        self.tree, self.cache, self.say = tree, cache, say
        self.files = files
        self.blocks = {}      # module: {offset: [line]}, where a line is "FILE:NUMBER"
        self.tests = {}       # bats file: [(name, seconds)]
        self.covered = {}     # line: {test}, where a test is "unit PROGRAM" or (bats file, number; 0 for all tests)
        self.with_code = {}   # file: [numbers of lines with code]

    def build(self, jobs):
        # Tests find the build folder in PATH: there it must not stand for cc.
        wrapper = os.path.join(self.tree.path, 'build', 'cc-coverage')
        os.makedirs(os.path.dirname(wrapper), exist_ok=True)
        with open(wrapper, 'w', encoding='utf-8') as f:
            f.write(WRAPPER)
        os.chmod(wrapper, 0o755)
        self.tree.flags = [f'CC={wrapper}', 'LTO=']
        ok, out = self.tree.make('tests', jobs=jobs)
        if not ok:
            raise SystemExit(f'mutants: the coverage build failed:\n{out}')

    def modules(self):
        """Yields the built programs and libraries, which the maker of the coverage build has given a .pc.o."""
        for path in glob.glob('build/**/*.pc.o', root_dir=self.tree.path, recursive=True):
            yield path[:-len('.pc.o')]

    def blocks_of(self, module):
        """Returns {offset behind the call at the begin of a block: [lines]}, from the disassembly."""
        if module in self.blocks:
            return self.blocks[module]
        found, block, line, was_call = {}, None, None, False
        place = re.compile(re.escape(self.tree.path) + r'/((?:cmd|lib)/.*:\d+)')
        with subprocess.Popen(['objdump', '-d', '-l', '--no-show-raw-insn', module], cwd=self.tree.path, text=True,
                              stdout=subprocess.PIPE) as process:
            for text in process.stdout:
                if text.startswith(' '):
                    if was_call:
                        block = found.setdefault(int(text.split(':')[0], 16), set())
                    was_call = '<__sanitizer_cov_trace_pc>' in text
                    if not was_call and block is not None and line:
                        block.add(line)
                elif text.startswith('/'):
                    m = place.match(text)
                    line = m.group(1) if m else None
                elif text.endswith('>:\n'):
                    block = line = None
        self.blocks[module] = {offset: sorted(lines) for offset, lines in found.items()}
        return self.blocks[module]

    def executed(self, folder):
        """Returns {part: {line}} from the files of pc.c."""
        lines = {}
        for module in os.listdir(folder):
            path = os.path.join(folder, module)
            with open(path, 'rb') as f:
                at, size = 0, os.path.getsize(path)
                while True:
                    try:
                        at = os.lseek(f.fileno(), at, os.SEEK_DATA)
                    except OSError:
                        break
                    end = min(os.lseek(f.fileno(), at, os.SEEK_HOLE), size, (at // PART_SIZE + 1) * PART_SIZE)
                    part, blocks = lines.setdefault(at // PART_SIZE, set()), self.blocks_of(module.replace(',', '/'))
                    for m in re.finditer(b'\1', os.pread(f.fileno(), end - at, at)):
                        part.update(blocks.get(at % PART_SIZE + m.start(), ()))
                    at = end
        return lines

    def measure(self, run):
        """Calls run(environment), and returns what executed() does."""
        folder = tempfile.mkdtemp(prefix='mrctl-cover.')
        os.chmod(folder, 0o755)
        for module in self.modules():
            with open(os.path.join(folder, module.replace('/', ',')), 'wb') as f:
                os.fchmod(f.fileno(), 0o666)
                f.truncate(PART_SIZE * PARTS)
        run({'MUTANTS_COVERAGE': folder})
        lines = self.executed(folder)
        shutil.rmtree(folder)
        return lines

    def of_bats(self, file):
        tests = {}

        def note(number, name, _, seconds):
            tests[number] = (name, seconds)
        lines = self.measure(lambda env: self.tree.bats(file, None, 1800, note, env))
        return {'tests': [tests.get(n, ('', 0)) for n in range(1, max(tests, default=0) + 1)],
                'lines': {str(part): sorted(own) for part, own in lines.items()}}

    def of_unit(self, program):
        lines = self.measure(lambda env: self.tree.unit(program, 600, env))
        return {'lines': {'0': sorted(set().union(*lines.values()))}}

    def used_by(self, file):
        """Returns the bats file and the files beside it that it names."""
        with open(os.path.join(self.tree.path, file), encoding='utf-8') as f:
            words = set(re.findall(r'[\w.-]+', f.read()))
        return [file] + [name for name in self.files if name.startswith('tests/cli/') and not name.endswith('.bats') and
                         re.sub(r'\.(bash|c|h)$', '.so' if '/preload/' in name else '', os.path.basename(name)) in words]

    def cached(self, key, measure, name):
        path = os.path.join(self.cache, key + '.json')
        if not os.path.exists(path):
            self.say(f'coverage of {name}')
            found = measure(name)
            with open(path + '.new', 'w', encoding='utf-8') as f:
                json.dump(found, f)
            os.rename(path + '.new', path)
        with open(path, encoding='utf-8') as f:
            return json.load(f)

    def load(self, jobs):
        """Measures what is not known yet."""
        def those(pattern):
            return [name for name in self.files if re.match(pattern, name)]
        os.makedirs(self.cache, exist_ok=True)
        sources = digest(self.tree.path, those('cmd/|lib/'))
        units = digest(self.tree.path, those('tests/unit/'))
        self.build(jobs)
        programs = [path[len('build/tests/unit/'):] for path in self.modules() if path.startswith('build/tests/unit/')]
        work = [(f'{sources}-{units}-{name.replace("/", ",")}', self.of_unit, name) for name in sorted(programs)]
        work += [(f'{sources}-{digest(self.tree.path, self.used_by(name))}', self.of_bats, name)
                 for name in those(r'tests/cli/[^/]*\.bats$')]
        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(lambda one: self.cached(*one), work))
        for (_, measure, name), one in zip(work, found):
            self.tests[name] = one.get('tests')
            for part, lines in one['lines'].items():
                for line in lines:
                    self.covered.setdefault(line, set()).add((name, int(part)))
        for module in ('build/mrctl', 'build/sim/libmrctl-sim.so', 'build/trace/libmrctl-trace.so'):
            for lines in self.blocks_of(module).values():
                for line in lines:
                    file, number = line.rsplit(':', 1)
                    self.with_code.setdefault(file, set()).add(int(number))

    def tests_of(self, file, line):
        """Returns the unit programs and {bats file: names of tests} that execute the line.  A line without code of
        its own (an argument) belongs to the nearest one above."""
        if file.startswith('lib/trace/agent/binding.c'):
            return [], {name: [test[0] for test in tests] for name, tests in self.tests.items()
                        if tests and '/trace' in name}
        with_code = self.with_code.get(file, set())
        while line > 0 and line not in with_code:
            line -= 1
        units, bats = [], {}
        for name, part in self.covered.get(f'{file}:{line}', ()):
            tests = self.tests[name]
            if tests is None:
                units.append(name)
            elif part == 0:
                bats[name] = {test[0] for test in tests}
            elif part <= len(tests):
                bats.setdefault(name, set()).add(tests[part - 1][0])
        return sorted(units), {name: [test[0] for test in self.tests[name] if test[0] in names]
                               for name, names in bats.items()}

    def seconds(self, file, names):
        return sum(seconds for name, seconds in self.tests[file] if name in names)
