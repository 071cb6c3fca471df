import { setTimeout as sleep } from 'node:timers/promises';
import type { CliContext } from '../../shell/context.ts';
import { refuseBeside } from '../run/other-operators.ts';
import { installProject, type ProjectHome } from './cluster/install-project.ts';
import type { ManifestFiles } from './cluster/manifest-files.ts';
import type { FileWatch, Saved } from './file-watch.ts';
import type { FileHashes, Loaded, NotLoaded } from './messages.ts';
import { IMPATIENCE_MS, NextOperator, type NextOperatorOptions } from './operator/next-operator.ts';
import { operatorEnvironment } from './operator/operator-environment.ts';
import type { RestartPolicy } from './operator/restart-policy.ts';
import { type DevOperator, WorkingOperator } from './operator/working-operator.ts';
import type { Project, ProjectOptions } from './project.ts';

/** Options for {@link DevSession}. */
export interface SessionOptions extends ProjectHome, NextOperatorOptions {
  readonly config: string;
  readonly manifests: Pick<ManifestFiles, 'apply' | 'hashes' | 'saved'>;
  readonly project: ProjectOptions;
  /** Whether the operator may run beside an installed operator of the same kinds. */
  readonly mayBeBeside: boolean;
  readonly watch: Pick<FileWatch, 'watch' | 'untilSaved' | 'take' | 'close'>;
  readonly restarts: RestartPolicy;
  /** Called with the project after each installation. @default nothing */
  readonly onInstalled?: ((project: Project) => Promise<void>) | undefined;
}

/**
 * Runs the operator of a project, and replaces the operator whenever a project file is saved.
 *
 * Flow: load in a new process → install CRDs and rights → end the old operator → start the new operator → wait for a save →
 * load …
 *
 * Guarantees: at most one operator runs. After a failed load or installation, the error is printed and the old operator
 * continues.
 */
export class DevSession {
  readonly #context: CliContext;
  readonly #options: SessionOptions;
  readonly #aborted: Promise<void>;
  readonly #next: NextOperator;
  readonly #working: WorkingOperator;
  #files: FileHashes = {};

  constructor(context: CliContext, options: SessionOptions) {
    this.#context = context;
    this.#options = options;
    this.#working = new WorkingOperator(options);
    this.#next = new NextOperator(options);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#aborted = promise;
    if (context.signal.aborted) resolve();
    context.signal.addEventListener('abort', () => resolve(), { once: true });
  }

  /**
   * Runs until the command is interrupted. The operator has ended when this function returns.
   *
   * @throws {ConfigurationError} when an installed operator runs the same kinds
   */
  async run(): Promise<void> {
    const { signal } = this.#context;
    const { restarts, watch } = this.#options;
    try {
      // The duration of the first start counts from the start of this process, which is the time 0.
      await this.#restart({ files: [], at: 0 });
      while (!signal.aborted) {
        await Promise.race([watch.untilSaved(), restarts.due, this.#aborted]);
        if (!signal.aborted) await this.#follow(watch.take());
      }
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    this.#options.watch.close();
    this.#options.restarts.cancel();
    await Promise.all([this.#working.stop(), this.#next.end()]);
  }

  async #follow(saved: Saved | undefined): Promise<void> {
    if (saved === undefined) return this.#restart({ files: [], at: performance.now() });
    const { manifests, restarts, output } = this.#options;
    output.saved(saved.files);
    const hasManifests = manifests.saved(saved.files);
    if (saved.files.some((file) => file in this.#files)) {
      restarts.forget();
      return this.#restart(saved);
    }
    if (hasManifests) await manifests.apply();
    this.#watchAll();
  }

  #watchAll(): void {
    const { manifests, watch } = this.#options;
    watch.watch({ ...manifests.hashes(), ...this.#files });
  }

  async #restart(saved: Saved): Promise<void> {
    const { config, project, restarts, output } = this.#options;
    restarts.cancel();
    const loading = this.#next.load({ config, cwd: this.#context.cwd, options: project });
    const tried = await Promise.race([loading, this.#aborted]);
    if (tried === undefined) return;
    const { operator, loaded } = tried;
    // After a failed load, the list of files is incomplete, so the files of the previous load are watched, too.
    this.#files = loaded.type === 'loaded' ? operator.files : { ...this.#files, ...operator.files };
    this.#watchAll();
    if (loaded.type === 'unstarted') {
      output.ended(loaded.ended, restarts.unstarted());
      if (this.#working.isThere) output.goesOn(true);
      return;
    }
    if (!(await this.#isReplaced(operator, { loaded, saved }))) {
      operator.kill();
      output.goesOn(this.#working.isThere);
    }
    if (!this.#context.signal.aborted) this.#next.prepare();
  }

  /** Installs the project and starts its operator. @returns false after an error, which is already printed */
  async #isReplaced(
    operator: DevOperator,
    { loaded, saved }: { readonly loaded: Loaded | NotLoaded; readonly saved: Saved },
  ): Promise<boolean> {
    if (loaded.type === 'failed') {
      this.#options.output.failed(loaded.message);
      return false;
    }
    await this.#refuseBeside(loaded.project);
    const kubeconfig = await installProject(loaded.project, this.#options);
    // The installation has read the manifests, so the watch must use their new content.
    this.#watchAll();
    if (kubeconfig === undefined) return false;
    await this.#options.onInstalled?.(loaded.project);
    await this.#replace(operator, { kubeconfig, saved, kinds: loaded.project.kinds });
    return true;
  }

  async #refuseBeside({ kinds }: Project): Promise<void> {
    const { dev, mayBeBeside, project } = this.#options;
    if (this.#working.hasBegun || mayBeBeside) return;
    const env = operatorEnvironment(this.#context.env, project);
    await refuseBeside(this.#context, dev.cluster, { kinds, env, leaderElection: false });
  }

  async #replace(
    operator: DevOperator,
    { kubeconfig, saved, kinds }: Pick<Project, 'kinds'> & { readonly kubeconfig: string; readonly saved: Saved },
  ): Promise<void> {
    const { project, output } = this.#options;
    const { env, isTerminal } = this.#context;
    const order = { env: operatorEnvironment(env, { kubeconfig, ...project }), isTerminal };
    const onStarted = (isFirst: boolean): void => output.started(kinds, { ms: performance.now() - saved.at, isFirst });
    this.#next.release();
    await this.#working.replace(operator, { order, onStarted });
    // The next process starts after this operator, so that both starts do not slow each other. The wait ends after a second.
    const impatience = sleep(IMPATIENCE_MS, undefined, { ref: false });
    await Promise.race([operator.started, operator.ended, this.#aborted, impatience]);
  }
}
