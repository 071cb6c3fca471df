import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** A temporary folder with credentials. It is removed with the cluster, or when the process ends before. */
export class Files {
  readonly #folder: string;
  readonly #onExit = (): void => rmSync(this.#folder, { recursive: true, force: true });

  private constructor(folder: string) {
    this.#folder = folder;
    process.once('exit', this.#onExit);
  }

  /** Makes the folder; nobody else may look into it. */
  static async create(): Promise<Files> {
    return new Files(await mkdtemp(join(tmpdir(), 'cdk8s-reconcile-embedded-')));
  }

  /** Writes a kubeconfig that only this user can read. JSON is YAML, too. @returns its path */
  async writeKubeconfig(config: Kubeconfig): Promise<string> {
    const path = join(this.#folder, `${config.user}.kubeconfig`);
    await writeFile(path, `${JSON.stringify(kubeconfigOf(config), undefined, 2)}\n`, { mode: 0o600 });
    return path;
  }

  /** Removes everything. */
  async remove(): Promise<void> {
    process.off('exit', this.#onExit);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
