import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnsweringProcess } from '#lib/cli/child/answering-process.ts';
import { checkPartsOf } from '#lib/cli/verbs/check/workers/parts.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { isAlive } from '#test/unit/support/is-alive.ts';
import { ran } from './run-cli.ts';

/** The entry point of the processes of `check`. */
const ENTRY = new URL('../../../lib/cli/verbs/check/workers/main.ts', import.meta.url);
const PODSET = 'test/manifests/podset.yaml';

let folder = '';

/** A module with invariants that notes each process, and in which `check` breaks. */
const moduleOf = async (name: string, check: string): Promise<{ readonly module: string; readonly pids: string }> => {
  const [module, pids] = [join(folder, `${name}.mjs`), join(folder, `${name}.pids`)];
  await writeFile(
    module,
    `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');
export const invariants = () => [{ name: 'own', check: (view) => { ${check} } }];
`,
  );
  return { module, pids };
};

/** As `moduleOf`; each process except this one also starts a process without an end. */
const startingModule = async (name: string): Promise<{ readonly module: string; readonly pids: string }> => {
  const { module, pids } = await moduleOf(name, 'return undefined');
  const start = `import { spawn } from 'node:child_process';
if (process.pid !== ${process.pid}) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n' + child.pid + '\\n');
}
`;
  await writeFile(module, `${start}${await readFile(module, 'utf8')}`);
  return { module, pids };
};

/** A clock for `--time` that passes the end of the time after its first call. */
const soonOver = (): (() => number) => {
  let calls = 0;
  return () => (calls++ === 0 ? Date.now() : Infinity);
};

const pidsIn = async (file: string): Promise<readonly number[]> =>
  (await readFile(file, 'utf8')).trim().split('\n').map(Number);

describe('checkPartsOf()', () => {
  it('checkPartsOf() puts the search first, and gives each process several ranges of seeds', () => {
    expect(checkPartsOf({ seed: 5, schedules: 10, states: 20 }, 2)).toEqual([
      { seed: 5, schedules: 0, states: 20 },
      ...[5, 7, 9, 11, 13].map((seed) => ({ seed, schedules: 2, states: 0 })),
    ]);
  });

  it.for([
    [{ seed: 1, schedules: 0, states: 0 }, 1],
    [{ seed: 1, schedules: 0, states: 9 }, 1],
    [{ seed: 1, schedules: 3, states: 0 }, 3],
    [{ seed: 1, schedules: 301, states: 0 }, 8],
  ] as const)('checkPartsOf() of %o has %i parts, and all schedules', ([limits, count]) => {
    const parts = checkPartsOf(limits, 2);
    expect(parts).toHaveLength(count);
    expect(parts.reduce((all, { schedules }) => all + schedules, 0)).toBe(limits.schedules);
  });
});

describe('check --workers', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'check-workers-'));
  });
  afterAll(async () => rm(folder, { recursive: true }));

  it('check with two processes reports the same as with one', async () => {
    const { module, pids } = await moduleOf('calm', 'return undefined');
    const line = `check PodSet ${PODSET} --invariants ${module} --schedules 12 --states 30 -o json`;
    const alone = await ran(line);
    const together = await ran(`${line} --workers 2`);
    expect(together).toEqual(alone);
    expect(alone.code).toBe(0);
    const [own, ...others] = new Set(await pidsIn(pids));
    expect(own).toBe(process.pid);
    expect(others).toHaveLength(2);
  });

  it.for([
    ['searching', "return /^crash/.test(view.lastStep) ? 'crashed' : undefined", '--states 300'],
    ['a random schedule', "return /answer lost/.test(view.lastStep) ? 'lost' : undefined", '--states 5 --seed 2'],
  ] as const)('check with two processes finds the same failure by %s as with one', async ([name, check, limits]) => {
    const { module } = await moduleOf(name.replaceAll(' ', '-'), check);
    const line = `check PodSet ${PODSET} --invariants ${module} --schedules 40 ${limits}`;
    const alone = await ran(line);
    expect(alone.code).toBe(2);
    expect(alone.stdout).toContain(`Found by ${name}`);
    expect(await ran(`${line} --workers 2`)).toEqual(alone);
  });

  it('check ends what the files of the project have started in its processes', async () => {
    const { module, pids } = await startingModule('starting');
    const { code } = await ran(
      `check PodSet ${PODSET} --invariants ${module} --schedules 4 --states 5 -o json --workers 2`,
    );
    expect(code).toBe(0);
    const others = [...new Set(await pidsIn(pids))].filter((pid) => pid !== process.pid);
    expect(others).toHaveLength(4);
    await waitFor('all of them to end', async () => !others.some(isAlive));
  });

  it('check with two processes reports a failure that it found before the end of --time', async () => {
    const { module } = await moduleOf('late', "return /answer lost/.test(view.lastStep) ? 'lost' : undefined");
    const line = `check PodSet ${PODSET} --invariants ${module} --schedules 40 --states 0 --seed 3`;
    const { code, stdout } = await ran(`${line} --time 1h --workers 2`, { now: soonOver() });
    expect(code).toBe(2);
    expect(stdout).toContain('Found by a random schedule');
  });

  it('check with two processes reports only the parts that began before the end of --time', async () => {
    const line = `check PodSet ${PODSET} --schedules 40 --states 0 --time 1h --workers 2 -o json`;
    const { code, stdout } = await ran(line, { now: soonOver() });
    expect(code).toBe(0);
    // Two parts of five schedules.
    expect(JSON.parse(stdout)).toMatchObject({ schedules: 10, states: 0 });
  });

  it('check ends its processes after an interruption', async () => {
    const { module, pids } = await moduleOf('endless', 'return undefined');
    const controller = new AbortController();
    const line = `check PodSet ${PODSET} --invariants ${module} --schedules 1000000 --workers 2`;
    const running = ran(line, { signal: controller.signal });
    const noted = async (): Promise<readonly number[]> => pidsIn(pids).catch(() => []);
    await waitFor('both processes to work', async () => new Set(await noted()).size === 3);
    controller.abort();
    expect(await running).toEqual({ stdout: '', stderr: '', code: 130 });
    const others = (await noted()).filter((pid) => pid !== process.pid);
    await waitFor('both processes to end', async () => !others.some(isAlive));
  });

  it('check that is killed leaves no process, nor what the files of the project have started', async () => {
    const { module, pids } = await startingModule('orphan');
    const limits = ['--schedules', '1000000', '--workers', '2'];
    const words = ['check', 'PodSet', PODSET, '--invariants', module, ...limits];
    const main = spawn(process.execPath, ['lib/cli/main.ts', ...words], { stdio: 'ignore' });
    const noted = async (): Promise<readonly number[]> => [...new Set(await pidsIn(pids).catch(() => []))];
    // The killed process, two more processes, and what each of the three has started.
    await waitFor('all processes to start', async () => (await noted()).length === 6);
    main.kill('SIGKILL');
    const [own, ownStarted, ...others] = await noted();
    expect(own).toBe(main.pid);
    await waitFor('the other processes to end', async () => !others.some(isAlive));
    process.kill(ownStarted as number, 'SIGKILL');
  });

  it('AnsweringProcess adds no listener of the end of this process, so that Node.js warns of none', () => {
    const before = process.listenerCount('exit');
    using first = new AnsweringProcess(ENTRY);
    using second = new AnsweringProcess(ENTRY);
    expect([first, second, process.listenerCount('exit')]).toEqual([first, second, before]);
  });

  it('check repeats the part of a process that ends', async () => {
    const { module } = await moduleOf('deadly', `if (process.pid !== ${process.pid}) process.exit(3)`);
    const line = `check PodSet ${PODSET} --invariants ${module} --schedules 2 --states 5`;
    expect(await ran(`${line} --workers 2`)).toEqual(await ran(line));
  });

  it('check says the same about a wrong script as with one process', async () => {
    const script = join(folder, 'script.yaml');
    await writeFile(script, 'changes:\n  - { at: 1m, delete: Pod/none }\n');
    const line = `check PodSet ${PODSET} --script ${script} --schedules 2`;
    const alone = await ran(line);
    expect(alone.code).toBe(1);
    expect(await ran(`${line} --workers 2`)).toEqual(alone);
  });

  it.each(['0', '65', 'two'])('check refuses --workers %s', async (workers) => {
    const { stderr, code } = await ran(`check PodSet ${PODSET} --workers ${workers}`);
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining(`--workers is "${workers}"; it must be a whole number, 1 to 64`),
    ]);
  });
});
