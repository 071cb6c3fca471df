import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PrivateFolder, privateFolder } from '#lib/process/private-folder.ts';
import { kubeconfigOf } from './kubeconfig.ts';

/** The contents of a kubeconfig. */
export interface Kubeconfig {
  readonly url: string;
  /** The certificate authority, in PEM. */
  readonly ca: string;
  readonly token: string;
  readonly user: string;
  readonly namespace?: string;
}

const CLUSTER = 'embedded';

/** A temporary folder with credentials. The folder is removed when the cluster stops, or when the process ends. */
export class Files {
  readonly #folder: PrivateFolder;

  private constructor(folder: PrivateFolder) {
    this.#folder = folder;
  }

  /** Creates the folder. Only this user can access it. */
  static async create(): Promise<Files> {
    return new Files(await privateFolder(CLUSTER));
  }

  /**
   * Writes a kubeconfig that only this user can read. The format is JSON, because JSON is valid YAML.
   *
   * @returns the path of the file
   */
  async writeKubeconfig({ url, ca, token, ...identity }: Kubeconfig): Promise<string> {
    const path = join(this.#folder.path, `${identity.user}.kubeconfig`);
    const config = kubeconfigOf({ name: CLUSTER, server: url, tls: { ca }, auth: { token }, ...identity });
    await writeFile(path, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
    return path;
  }

  async remove(): Promise<void> {
    await this.#folder.remove();
  }
}
