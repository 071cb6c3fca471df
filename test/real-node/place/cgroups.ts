import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** A hierarchy of cgroup v1. */
export interface CgroupHierarchy {
  /** The mount option that names the hierarchy, such as `cpu,cpuacct` or `name=systemd`. */
  readonly controllers: string;
  readonly mountPoint: string;
  /** The cgroup of this process. */
  readonly own: string;
}

const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean);

/** The fields of a line of /proc/self/mountinfo: proc_pid_mountinfo(5). */
const mountOf = (line: string) => {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '', mountPoint = ''] = before.split(' ');
  const [type = '', , options = ''] = after.split(' ');
  return { root, mountPoint, type, options: options.split(',') };
};

/** The mounted hierarchies of cgroup v1; limits of this process's own cgroups also hold for the node. */
export const cgroupHierarchies = (): readonly CgroupHierarchy[] => {
  const mounts = linesOf('/proc/self/mountinfo')
    .map(mountOf)
    .filter(({ type }) => type === 'cgroup');
  return linesOf('/proc/self/cgroup').flatMap((line) => {
    const [, controllers = '', ...path] = line.split(':');
    const mount = mounts.find(({ options }) => controllers.split(',').every((name) => options.includes(name)));
    if (controllers === '' || mount === undefined) return [];
    const { mountPoint, root } = mount;
    return [{ controllers, mountPoint, own: join(mountPoint, relative(root, path.join(':'))) }];
  });
};

/** The file in the folder of a node that lists its cgroups. */
const listOf = (folder: string): string => join(folder, 'cgroups');

/** Creates a cgroup below our own in every hierarchy, named as the folder of the node. */
export const makeCgroups = (folder: string, hierarchies: readonly CgroupHierarchy[]): void => {
  const groups = hierarchies.map(({ own }) => join(own, basename(folder)));
  // Listed before they are made, so that the next process can remove those of a killed process.
  writeFileSync(listOf(folder), `${groups.join('\n')}\n`);
  for (const [index, group] of groups.entries()) {
    mkdirSync(group);
    // A new cpuset is empty, and takes no process.
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      if (existsSync(join(group, file)))
        writeFileSync(join(group, file), readFileSync(join(hierarchies[index]?.own ?? '', file)));
  }
};

/** A script that moves its process into the cgroups of the folder `$0`, and then runs its arguments. */
export const JOIN_CGROUPS = 'for group in $(cat "$0/cgroups"); do echo $$ > "$group/cgroup.procs"; done; exec "$@"';

const below = (group: string): readonly string[] =>
  readdirSync(group, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [...below(join(group, name)), join(group, name)]);

const PATIENCE_MS = 20_000;
const PAUSE_MS = 20;

/** Blocks the thread, so that it also works while the process ends. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);

const tryRemove = (group: string): boolean => {
  try {
    for (const each of [...below(group), group]) {
      // A frozen process does not end, even when it was killed.
      const freezer = join(each, 'freezer.state');
      if (existsSync(freezer)) writeFileSync(freezer, 'THAWED');
      rmdirSync(each);
    }
    return true;
  } catch {
    // Processes that were killed just now still end.
    return !existsSync(group);
  }
};

/**
 * Removes the cgroups of a node whose processes were killed.
 *
 * @throws {Error} when processes in them do not end
 */
export const removeCgroups = (folder: string): void => {
  if (!existsSync(listOf(folder))) return;
  const deadline = performance.now() + PATIENCE_MS;
  for (const group of linesOf(listOf(folder)))
    while (existsSync(group) && !tryRemove(group)) {
      if (performance.now() > deadline) throw new Error(`Cannot remove ${group}: its processes do not end`);
      pause();
    }
};
