import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR, startInstalledOperator } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';

/** Replicas of the operator, each restarted when it ends, as a kubelet does. */
export class Replicas {
  readonly #plane: ControlPlane;
  readonly #running = new Map<string, OperatorProcess>();
  #wanted: readonly string[] = [];

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  /** Starts the replicas one after the other, so that the first one leads. */
  async start(...names: readonly string[]): Promise<void> {
    this.#wanted = names;
    for (const [index, name] of names.entries()) await this.#start(name, index === 0);
  }

  /** @param signal - with SIGTERM the lease is released */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#wanted = [];
    await Promise.all([...this.#running.values()].map(async (operator) => operator.stop(signal)));
  }

  /** Ends the first replica with SIGTERM, so that another replica leads. */
  async restartFirst(): Promise<void> {
    await this.#running.get(this.#wanted[0] ?? '')?.stop();
  }

  async #start(name: string, waits: boolean): Promise<void> {
    const kubeconfig = await this.#plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
    const env = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR, POD_NAME: name };
    const operator = waits
      ? await startInstalledOperator(this.#plane, { kubeconfig, env })
      : spawnOperator({ kubeconfig, env });
    this.#running.set(name, operator);
    void this.#startAgain(name, operator);
  }

  async #startAgain(name: string, { exited }: OperatorProcess): Promise<void> {
    await exited;
    if (this.#wanted.includes(name)) await this.#start(name, false);
  }
}
