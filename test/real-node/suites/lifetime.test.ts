import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { waitFor } from '#test/control-plane/poll.ts';
import { commandLine } from '#test/control-plane/process.ts';
import { startRealNode } from '../node.ts';
import { cgroupHierarchies } from '../place/cgroups.ts';
import { describeNode } from './node-suite.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Starts a node in a process of its own. @returns the process and the folder of the node */
const started = async (): Promise<{ readonly child: ChildProcess; readonly folder: string }> => {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, kubeconfig] = /^export KUBECONFIG=(.+)$/.exec(line) ?? [];
    if (kubeconfig === undefined) continue;
    child.stdout.resume();
    return { child, folder: dirname(kubeconfig) };
  }
  throw new Error('The node did not start');
};

/** What remains of a node: processes, cgroups, mounts and files. */
const remains = (folder: string): object => ({
  processes: readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLine(Number(pid)).includes(folder)),
  cgroups: cgroupHierarchies()
    .map(({ own }) => join(own, basename(folder)))
    .filter((group) => existsSync(group)),
  mounts: readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder)),
  isThere: existsSync(folder),
});

const NOTHING = { processes: [], cgroups: [], mounts: [], isThere: false };

const rulesOfMachine = (): string => execFileSync('ip', ['-brief', 'link'], { encoding: 'utf8' });

describeNode('a node in a process of its own', () => {
  it.for(['SIGINT', 'SIGTERM'] as const)('leaves nothing after %s', async (signal) => {
    const before = rulesOfMachine();
    const { child, folder } = await started();
    expect(rulesOfMachine()).toBe(before);
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(remains(folder)).toEqual(NOTHING);
  });

  it('leaves nothing when it is killed and another one starts', async () => {
    const { child, folder } = await started();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(remains(folder)).not.toEqual(NOTHING);
    const next = await startRealNode();
    try {
      const isGone = async (): Promise<boolean> => JSON.stringify(remains(folder)) === JSON.stringify(NOTHING);
      await waitFor('the end of all processes', isGone);
    } finally {
      await next.stop();
    }
  });
});
