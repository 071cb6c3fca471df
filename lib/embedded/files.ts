import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PrivateFolder, privateFolder } from './private-folder.ts';

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
  readonly #folder: PrivateFolder;

  private constructor(folder: PrivateFolder) {
    this.#folder = folder;
  }

  /** Makes the folder; nobody else may look into it. */
  static async create(): Promise<Files> {
    return new Files(await privateFolder(CLUSTER));
  }

  /** Writes a kubeconfig that only this user can read. JSON is YAML, too. @returns its path */
  async writeKubeconfig(config: Kubeconfig): Promise<string> {
    const path = join(this.#folder.path, `${config.user}.kubeconfig`);
    await writeFile(path, `${JSON.stringify(kubeconfigOf(config), undefined, 2)}\n`, { mode: 0o600 });
    return path;
  }

  /** Removes everything. */
  async remove(): Promise<void> {
    await this.#folder.remove();
  }
}
