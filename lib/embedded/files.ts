import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetLeftover, noteLeftover } from './leftovers.ts';
import { stateOfLife, thisLife } from './process-life.ts';

/** What a kubeconfig says. */
export interface Kubeconfig {
  readonly url: string;
  /** In PEM. */
  readonly ca: string;
  readonly token: string;
  readonly user: string;
  readonly namespace?: string;
}

const CLUSTER = 'embedded';
const PREFIX = 'cdk8s-reconcile-embedded-';

const kubeconfigOf = ({ url, ca, token, user, namespace }: Kubeconfig): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    { name: CLUSTER, cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
  ],
  users: [{ name: user, user: { token } }],
  contexts: [{ name: CLUSTER, context: { cluster: CLUSTER, user, ...(namespace !== undefined && { namespace }) } }],
  'current-context': CLUSTER,
});

/** Whether a folder was left by a process that was killed. */
const isLeft = async (name: string): Promise<boolean> => {
  const [, pid, start = '', place = ''] = /^(\d+)-(\d+)-([0-9a-f]+)-\w+$/.exec(name.slice(PREFIX.length)) ?? [];
  if (!name.startsWith(PREFIX) || pid === undefined) return false;
  if (stateOfLife({ pid: Number(pid), start, place }) !== 'over') return false;
  const { uid } = await lstat(join(tmpdir(), name));
  return uid === process.getuid?.();
};

/** Removes what processes of this user left here when they were killed. What cannot be removed stays. */
const sweep = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    try {
      if (await isLeft(name)) await rm(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Somebody else sweeps, too.
    }
  }
};

/** A temporary folder with credentials. It is removed with the cluster, or when the process ends before. */
export class Files {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    noteLeftover(folder);
  }

  /** Makes the folder; nobody else may look into it. */
  static async create(): Promise<Files> {
    await sweep();
    const { pid, start, place } = thisLife();
    return new Files(await mkdtemp(join(tmpdir(), `${PREFIX}${pid}-${start}-${place}-`)));
  }

  /** Writes a kubeconfig that only this user can read. JSON is YAML, too. @returns its path */
  async writeKubeconfig(config: Kubeconfig): Promise<string> {
    const path = join(this.#folder, `${config.user}.kubeconfig`);
    await writeFile(path, `${JSON.stringify(kubeconfigOf(config), undefined, 2)}\n`, { mode: 0o600 });
    return path;
  }

  /** Removes everything. */
  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    forgetLeftover(this.#folder);
  }
}
