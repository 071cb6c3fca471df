import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Component, startComponent } from '#test/control-plane/component.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { childrenOf } from '#test/control-plane/process.ts';
import type { NodePrograms } from '../programs/programs.ts';
import { type CgroupHierarchy, JOIN_CGROUPS } from './cgroups.ts';
import { setupScript } from './setup.ts';

const execute = promisify(execFile);

/** The first process of the namespaces ends with `unshare`, and all others with the first. */
export const UNSHARE = [
  '--mount',
  '--propagation=private',
  '--net',
  '--pid',
  '--ipc',
  '--uts',
  '--cgroup',
  '--fork',
  '--kill-child',
  '--mount-proc',
] as const;

/** The namespaces of a node. */
export interface Namespaces {
  readonly first: Component;
  /** The words that run a command in the namespaces: a program and its arguments. */
  readonly enter: (command: readonly string[]) => readonly [string, ...string[]];
}

const searchPath = ({ folder, debian, kubernetes }: NodePrograms): string =>
  [folder, join(kubernetes.kubelet, '..'), join(debian, 'usr/sbin'), process.env['PATH']].join(':');

/**
 * Starts the first process, mounts file systems and cgroups, and sets up the network. None of them is visible outside of the
 * namespaces.
 */
export const startNamespaces = async (
  folder: string,
  options: { readonly programs: NodePrograms; readonly hierarchies: readonly CgroupHierarchy[] },
): Promise<Namespaces> => {
  const { programs, hierarchies } = options;
  const joined = ['-c', JOIN_CGROUPS, folder];
  const args = [...joined, 'unshare', ...UNSHARE, join(programs.folder, 'init'), folder];
  const first = startComponent({ name: 'init', program: 'sh', args, folder, isWrapper: true });
  let pid: number | undefined;
  await waitFor('the namespaces of the node', async () => {
    first.assertRunning();
    [pid] = childrenOf(first.pid);
    return pid !== undefined && (await hasOwnProcesses(pid));
  });
  const target = ['--target', String(pid), '--mount', '--net', '--pid', '--ipc', '--uts', '--cgroup', `--wd=${folder}`];
  const variables = [
    `PATH=${searchPath(programs)}`,
    `TMPDIR=${join(folder, 'tmp')}`,
    // The namespace in which `ctr` looks for containers.
    'CONTAINERD_NAMESPACE=k8s.io',
  ];
  const enter = (command: readonly string[]): readonly [string, ...string[]] => [
    'sh',
    ...joined,
    'nsenter',
    ...target,
    '--',
    'env',
    ...variables,
    ...command,
  ];
  const [program, ...words] = enter(['sh', '-ec', setupScript(folder, hierarchies)]);
  await execute(program, words);
  return { first, enter };
};

/** `unshare` mounts /proc before it starts the program, whose command line is then the folder's. */
const hasOwnProcesses = async (pid: number): Promise<boolean> => {
  const { stdout } = await execute('cat', [`/proc/${pid}/comm`]).catch(() => ({ stdout: '' }));
  return stdout.trim() === 'init';
};
