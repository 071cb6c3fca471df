import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { cgroupHierarchies } from './cgroups.ts';
import { UNSHARE } from './namespaces.ts';

const execute = promisify(execFile);

const PROGRAMS = ['unshare', 'nsenter', 'mount', 'ip', 'apt-get', 'dpkg-deb', 'gcc'] as const;

/** Tries the features of the kernel that no file shows, in namespaces that leave no trace. */
const TRIAL = `
mount -t tmpfs tmpfs /mnt
mkdir /mnt/lower /mnt/upper /mnt/work /mnt/joined
mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/joined
mount -t sysfs sysfs /sys
ip link add node0 type bridge`;

const isOnPath = async (program: string): Promise<boolean> =>
  execute('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  );

const trialError = async (): Promise<string | undefined> => {
  try {
    await execute('unshare', [...UNSHARE, 'sh', '-ec', TRIAL]);
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return `namespaces, overlayfs or bridges are missing: ${(stderr || message).trim().split('\n').at(-1)}`;
  }
};

const cgroupError = (): string | undefined => {
  const hierarchies = cgroupHierarchies();
  if (!hierarchies.some(({ controllers }) => controllers.split(',').includes('memory')))
    return 'cgroup v1 with the memory controller is not mounted (cgroup v2 is not supported here)';
  try {
    for (const { own } of hierarchies) accessSync(own, constants.W_OK);
    return undefined;
  } catch (error) {
    return `its cgroup cannot be changed: ${(error as Error).message}`;
  }
};

/** @returns why no node can run on this machine, in one line; undefined when one can */
export const whyImpossible = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'a node needs Linux on amd64';
  if (process.getuid?.() !== 0) return 'a node needs root';
  for (const program of PROGRAMS) if (!(await isOnPath(program))) return `a node needs ${program} on the PATH`;
  // The node has a /var of its own.
  if (tmpdir().startsWith('/var/')) return `a node needs TMPDIR outside of /var, which is ${tmpdir()}`;
  return cgroupError() ?? (await trialError());
};
