import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import type { Shop } from './objects.ts';
import { type Backup, backUp, fill } from './story.ts';

/** One operator at a time: a restart does not wait for the lease of the previous process. */
const env = { LEADER_ELECTION: 'false' };

/** A control plane, the operator, and a backup of resources of all kinds, which all cases share. */
export class BackupScene implements AsyncDisposable {
  readonly plane: ControlPlane;
  /** The namespace of the backup. */
  readonly original: Shop;
  readonly backup: Backup;
  #operator: OperatorProcess;

  private constructor(plane: ControlPlane, operator: OperatorProcess, taken: Pick<BackupScene, 'original' | 'backup'>) {
    this.plane = plane;
    this.#operator = operator;
    this.original = taken.original;
    this.backup = taken.backup;
  }

  static async open(): Promise<BackupScene> {
    const plane = await startControlPlane({ audit: 'Writes' });
    try {
      await installBundle(plane);
      const operator = await startInstalledOperator(plane, { env });
      const original = await fill(plane);
      return new BackupScene(plane, operator, { original, backup: await backUp(original) });
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  /** The operator's log since its last start. */
  get log(): OperatorProcess['log'] {
    return this.#operator.log;
  }

  /** Stops the operator during some work. */
  async withoutOperator(work: () => Promise<void>): Promise<void> {
    await this.#operator.stop('SIGKILL');
    await work();
    this.#operator = await startInstalledOperator(this.plane, { env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator.stop();
    await this.plane.stop();
  }
}
