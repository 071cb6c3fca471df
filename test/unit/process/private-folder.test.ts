import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const module = fileURLToPath(new URL('../../../lib/process/private-folder.ts', import.meta.url));
const leftovers = fileURLToPath(new URL('../../../lib/process/leftovers.ts', import.meta.url));

/** Creates a folder, prints its name, and keeps running. */
const script = `
const { privateFolder } = await import(${JSON.stringify(module)});
const { noteLeftover } = await import(${JSON.stringify(leftovers)});
// No system has a folder of that name: removing it throws.
if (process.argv[1] === 'stuck') noteLeftover('\\0');
await privateFolder('embedded');
if (process.argv[1] === 'listening') process.on('SIGTERM', () => process.exit(7));
setInterval(() => {}, 1000);
console.log('ready');
`;

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signals-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const start = async (...args: readonly string[]): Promise<ChildProcess> => {
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
};

/** The result of a process that ends by a signal. */
const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> => {
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code, by] = (await exit) as [number | null, string | null];
  return code ?? by;
};

it('privateFolder() leaves nothing when a signal ends the process, and leaves its meaning to others', async () => {
  const [plain, listening] = await Promise.all([start(), start('listening')]);
  expect(await readdir(folder)).toHaveLength(2);
  expect(await ended(plain, 'SIGINT')).toBe('SIGINT');
  expect(await ended(listening, 'SIGTERM')).toBe(7);
  expect(await readdir(folder)).toEqual([]);
});

it('privateFolder() leaves nothing, and the signal keeps its meaning, when another folder cannot be removed', async () => {
  expect(await ended(await start('stuck'), 'SIGTERM')).toBe('SIGTERM');
  expect(await readdir(folder)).toEqual([]);
});

it.runIf(process.platform === 'linux')('privateFolder() removes what a process left that was killed', async () => {
  const [killed, alive] = await Promise.all([start(), start()]);
  await ended(killed, 'SIGKILL');
  expect(await readdir(folder)).toHaveLength(2);
  await start();
  const left = await readdir(folder);
  expect(left).toHaveLength(2);
  expect(left.some((name) => name.includes(`-${alive.pid}-`))).toBe(true);
});
