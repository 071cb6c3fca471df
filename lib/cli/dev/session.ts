import { setTimeout as sleep } from 'node:timers/promises';
import type { CliContext } from '../context.ts';
import { refuseBeside } from '../run/beside.ts';
import type { FileWatch, Saved } from './file-watch.ts';
import { installProject, type ProjectHome } from './install-project.ts';
import type { ManifestFiles } from './manifest-files.ts';
import type { FileHashes, Loaded, NotLoaded } from './messages.ts';
import { IMPATIENCE_MS, NextOperator, type NextOperatorOptions } from './next-operator.ts';
import { operatorEnvironment } from './operator-environment.ts';
import type { Project, ProjectOptions } from './project.ts';
import type { RestartPolicy } from './restart-policy.ts';
import { type Operator, WorkingOperator } from './working-operator.ts';

/** What is developed, and where. */
export interface SessionOptions extends ProjectHome, NextOperatorOptions {
  readonly config: string;
  readonly manifests: Pick<ManifestFiles, 'apply' | 'hashes' | 'saved'>;
  readonly project: ProjectOptions;
  /** Whether it works where an installed operator does the same work. */
  readonly mayBeBeside: boolean;
  readonly watch: Pick<FileWatch, 'watch' | 'untilSaved' | 'take' | 'close'>;
  readonly restarts: RestartPolicy;
}

/**
 * The operator of a project, made anew whenever a file of the project is saved.
 *
 * Flow: load in a new process → definitions and rights → the old operator ends in order → the new one works → a save → load …
 *
 * Guarantees: what cannot be loaded, or installed, is told, and what runs goes on. At most one operator works at a time.
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
   * Works until the command is told to end; then the operator has ended, too.
   *
   * @throws {ConfigurationError} when an installed operator does the same work
   */
  async run(): Promise<void> {
    const { signal } = this.#context;
    const { restarts, watch } = this.#options;
    try {
      // From the start of this process.
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
    const { manifests, restarts, telling } = this.#options;
    telling.saved(saved.files);
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
    const { config, project, restarts, telling } = this.#options;
    restarts.cancel();
    const loading = this.#next.load({ config, cwd: this.#context.cwd, options: project });
    const tried = await Promise.race([loading, this.#aborted]);
    if (tried === undefined) return;
    const { operator, loaded } = tried;
    // A file that could not be loaded hides those that it imports.
    this.#files = loaded.type === 'loaded' ? operator.files : { ...this.#files, ...operator.files };
    this.#watchAll();
    if (loaded.type === 'unstarted') {
      telling.ended(loaded.ended, restarts.unstarted());
      if (this.#working.isThere) telling.goesOn(true);
      return;
    }
    if (!(await this.#isReplaced(operator, { loaded, saved }))) {
      operator.kill();
      telling.goesOn(this.#working.isThere);
    }
    if (!this.#context.signal.aborted) this.#next.prepare();
  }

  /** Whether what was loaded works now; if not, why was told. */
  async #isReplaced(
    operator: Operator,
    { loaded, saved }: { readonly loaded: Loaded | NotLoaded; readonly saved: Saved },
  ): Promise<boolean> {
    if (loaded.type === 'failed') {
      this.#options.telling.failed(loaded.message);
      return false;
    }
    await this.#refuseBeside(loaded.project);
    const kubeconfig = await installProject(loaded.project, this.#options);
    // Manifests were read.
    this.#watchAll();
    if (kubeconfig === undefined) return false;
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
    operator: Operator,
    { kubeconfig, saved, kinds }: Pick<Project, 'kinds'> & { readonly kubeconfig: string; readonly saved: Saved },
  ): Promise<void> {
    const { project, telling } = this.#options;
    const { env, isTerminal } = this.#context;
    const order = { env: operatorEnvironment(env, { kubeconfig, ...project }), isTerminal };
    const onStarted = (isFirst: boolean): void => telling.started(kinds, { ms: performance.now() - saved.at, isFirst });
    this.#next.release();
    await this.#working.replace(operator, { order, onStarted });
    // The next process is not started beside this one, which is waited for.
    const impatience = sleep(IMPATIENCE_MS, undefined, { ref: false });
    await Promise.race([operator.started, operator.ended, this.#aborted, impatience]);
  }
}
