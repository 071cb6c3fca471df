import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { casesNow } from '#test/cases.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { isAlive } from '#test/unit/support/is-alive.ts';
import { makeDevProject } from './dev-project.ts';

/** The name of the temporary file of each write of the data file. */
const WRITTEN = 'data.json.tmp';

const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const;

/** Below the ports that the system gives to connections. */
const PORT = 20_000 + (process.pid % 10_000);

let scratch: string;
let project: string;
let temporary: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'dev-ends-'));
  project = join(scratch, 'project');
  temporary = join(scratch, 'temporary');
  await mkdir(temporary);
  await makeDevProject(project);
});

/** The processes with the environment of this test. Their descendants have it, too. */
const processes = async (): Promise<readonly number[]> => {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const ours = await Promise.all(
    pids.map(async (pid) => {
      const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return variables.split('\0').includes(`TMPDIR=${temporary}`) && isAlive(pid);
    }),
  );
  return pids.filter((_, index) => ours[index]);
};

afterEach(async () => {
  for (const pid of await processes()) process.kill(pid, 'SIGKILL');
  await rm(scratch, { recursive: true, force: true });
});

/** Files of a process: credentials, and locks of the data file. */
const left = async (): Promise<readonly string[]> => [
  ...(await readdir(temporary)),
  ...(await readdir(project)).filter((name) => name.includes('.lock-') || name.endsWith('.tmp')),
];

const start = async () => {
  // A `dev` that SIGKILL ended leaves files. The next one removes them, unless it ends before its start.
  const earlier = new Set(await left());
  const words = ['dev', '--data-file', 'data.json', '--port', String(PORT), '-f', 'site.yaml'];
  const child = spawn(process.execPath, [join(repository, 'lib/cli/main.ts'), ...words], {
    cwd: project,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, 'close');
  const works = async (): Promise<void> => {
    await waitFor('the operator', async () => child.exitCode !== null || /The operator of Website works/.test(stderr));
    expect(stderr).toMatch(/The operator of Website works/);
    expect((await left()).filter((name) => earlier.has(name) && name !== WRITTEN)).toEqual([]);
    // The running `dev` may be writing this file at the moment, after it has removed the earlier one.
    if (earlier.has(WRITTEN)) await waitFor(`the end of ${WRITTEN}`, async () => !(await left()).includes(WRITTEN));
  };
  const own = async () => (await left()).filter((name) => !earlier.has(name));
  return { child, closed, works, own, said: () => stderr };
};

/** Ends a `dev` by a signal, and expects that none of its processes runs, and that only SIGKILL leaves files. */
const end = async ({ child, closed, own, said }: Awaited<ReturnType<typeof start>>, signal: NodeJS.Signals) => {
  child.kill(signal);
  await closed;
  await waitFor('the end of all processes', async () => (await processes()).length === 0);
  if (signal !== 'SIGKILL') expect(await own()).toEqual([]);
  expect(said()).not.toMatch(/a mistake of this program|\n\s+at /);
};

describe('dev', () => {
  it('dev leaves no process or port whenever a signal ends it, and no lock or file unless the signal is SIGKILL; the next dev starts, and removes these', async () => {
    const first = await start();
    const begin = performance.now();
    await first.works();
    const startMs = performance.now() - begin;
    await end(first, 'SIGINT');
    const { first: from, count } = casesNow({ usual: 1, soak: 100 });
    for (let number = from; number < from + count; number += 1) {
      const dev = await start();
      // Every second `dev` is ended only after its start: it shows that a start succeeds after an interrupted one.
      if (number % 2 === 0) await dev.works();
      // A fraction that is spread evenly over the cases.
      await setTimeout(startMs * ((number * 0.618_033_988_75) % 1));
      await end(dev, SIGNALS[number % SIGNALS.length] ?? 'SIGKILL');
    }
    const last = await start();
    await last.works();
    await end(last, 'SIGTERM');
    expect([await processes(), await left()]).toEqual([[], []]);
  });
});
