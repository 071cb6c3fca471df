import { setTimeout as sleep } from 'node:timers/promises';
import type { CliContext } from '../context.ts';
import { refuseBeside } from '../run/beside.ts';
import { define } from './define.ts';
import type { DevCluster } from './dev-cluster.ts';
import { FileWatch, type Saved } from './file-watch.ts';
import type { Installation } from './installation.ts';
import type { ManifestFiles } from './manifest-files.ts';
import type { FileHashes, Loaded, NotLoaded } from './messages.ts';
import { type Ended, notLoaded, OperatorProcess } from './operator-process.ts';
import type { ProjectOptions } from './project.ts';
import type { Telling } from './telling.ts';

/** What is developed, and where. */
export interface SessionOptions {
  readonly config: string;
  readonly dev: DevCluster;
  readonly installation: Installation;
  readonly manifests: ManifestFiles;
  readonly project: ProjectOptions;
  readonly telling: Telling;
  /** Whether it works where an installed operator does the same work. */
  readonly mayBeBeside: boolean;
  /** The first one, where it was started already; it has loaded nothing yet. */
  readonly operator: OperatorProcess | undefined;
}

/** What takes longer than this is not waited for when something else is to be done, in milliseconds. */
const IMPATIENCE_MS = 1000;

/** After an operator that ended by itself another one is started; each in a row later, in milliseconds. */
const PAUSES_MS = [500, 1000, 2000, 5000, 10_000, 30_000];

/** One that has worked for so long begins a new row, in milliseconds. */
const LASTING_MS = 60_000;

/** Settings as of a pod; ports are whatever is free. Nobody else works here, so there is no lease. */
const operatorEnvironment = (
  env: CliContext['env'],
  { kubeconfig, namespaces }: { readonly kubeconfig?: string; readonly namespaces: readonly string[] },
): CliContext['env'] => ({
  HEALTH_PORT: '0',
  METRICS_PORT: '0',
  ...env,
  ...(namespaces.length > 0 && { WATCH_NAMESPACE: namespaces.join(',') }),
  LEADER_ELECTION: 'false',
  ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
});

/** Nothing was saved. */
const unasked = (): Saved => ({ files: [], at: performance.now() });

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
  readonly #watch: FileWatch;
  readonly #aborted: Promise<void>;
  /** Waits with everything loaded but the kinds. */
  #spare: OperatorProcess | undefined;
  #running: OperatorProcess | undefined;
  #files: FileHashes = {};
  #hasStarted = false;
  /** Whether manifests wait for the definitions. */
  #mustApply = true;
  #failures = 0;
  #isDue = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: CliContext, options: SessionOptions) {
    this.#context = context;
    this.#options = options;
    this.#spare = options.operator;
    this.#watch = new FileWatch((error) => options.telling.error(error));
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
    try {
      // From the start of this process.
      await this.#restart({ files: [], at: 0 });
      while (!signal.aborted) {
        await Promise.race([this.#watch.untilSaved(), this.#isDue.promise, this.#aborted]);
        if (!signal.aborted) await this.#follow(this.#watch.take());
      }
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    this.#watch.close();
    clearTimeout(this.#timer);
    const [running, spare] = [this.#running, this.#spare];
    this.#running = undefined;
    spare?.kill();
    await Promise.all([running?.stop(), spare?.ended]);
  }

  async #follow(saved: Saved | undefined): Promise<void> {
    if (saved === undefined) return this.#restart(unasked());
    const { manifests, telling } = this.#options;
    telling.saved(saved.files);
    const hasManifests = saved.files.some((file) => manifests.has(file));
    if (!saved.files.some((file) => file in this.#files)) {
      if (hasManifests) await manifests.apply();
      return this.#watchAll();
    }
    // Their fields may be those of the definitions that are about to change.
    this.#mustApply ||= hasManifests;
    this.#failures = 0;
    await this.#restart(saved);
  }

  #watchAll(): void {
    this.#watch.watch({ ...this.#options.manifests.hashes(), ...this.#files });
  }

  async #restart(saved: Saved): Promise<void> {
    clearTimeout(this.#timer);
    this.#isDue = Promise.withResolvers();
    const candidate = this.#spare ?? OperatorProcess.start(this.#context.stderr);
    this.#spare = candidate;
    const loaded = await this.#load(candidate);
    if (this.#context.signal.aborted) return;
    // A file that could not be loaded hides those that it imports.
    this.#files = loaded.type === 'loaded' ? candidate.files : { ...this.#files, ...candidate.files };
    this.#watchAll();
    const kubeconfig = await this.#install(loaded);
    this.#spare = undefined;
    if (loaded.type === 'loaded' && kubeconfig !== undefined)
      await this.#replace(candidate, { loaded, kubeconfig, saved });
    else this.#giveUp(candidate);
    if (!this.#context.signal.aborted) this.#spare = OperatorProcess.start(this.#context.stderr);
  }

  #giveUp(candidate: OperatorProcess): void {
    candidate.kill();
    this.#options.telling.goesOn(this.#running !== undefined);
  }

  /** Loading for ever is given up when something else is saved. */
  async #load(candidate: OperatorProcess): Promise<Loaded | NotLoaded> {
    const { config, project } = this.#options;
    const impatient = async (): Promise<NotLoaded> => {
      await this.#watch.untilSaved();
      await sleep(IMPATIENCE_MS, undefined, { ref: false });
      return notLoaded('loading the kinds took long, and something else was saved');
    };
    const loading = candidate.load({ config, cwd: this.#context.cwd, options: project });
    return Promise.race([loading, impatient(), this.#aborted.then(() => notLoaded('interrupted'))]);
  }

  /** @returns the kubeconfig of the operator; undefined when it cannot work, which was told */
  async #install(loaded: Loaded | NotLoaded): Promise<string | undefined> {
    const { dev, installation, manifests, telling } = this.#options;
    if (loaded.type === 'failed') {
      telling.failed(loaded.message);
      return undefined;
    }
    const { kinds, definitions, rules, unconverted } = loaded.project;
    if (!this.#hasStarted && !this.#options.mayBeBeside) {
      const own = { kinds, env: operatorEnvironment(this.#context.env, this.#options.project), leaderElection: false };
      await refuseBeside(this.#context, dev.cluster, own);
    }
    try {
      telling.definitions(await define(dev, definitions));
      for (const kind of unconverted) telling.unconverted(kind);
      await installation.grant(rules);
      if (this.#mustApply) await manifests.apply();
      this.#mustApply = false;
      this.#watchAll();
      return await dev.operatorKubeconfig();
    } catch (error) {
      telling.error(error);
      return undefined;
    }
  }

  async #replace(
    candidate: OperatorProcess,
    { loaded, kubeconfig, saved }: { readonly loaded: Loaded; readonly kubeconfig: string; readonly saved: Saved },
  ): Promise<void> {
    const isFirst = !this.#hasStarted;
    const old = this.#running;
    this.#running = undefined;
    await old?.stop();
    const { env, isTerminal } = this.#context;
    candidate.run({ env: operatorEnvironment(env, { kubeconfig, ...this.#options.project }), isTerminal });
    this.#running = candidate;
    this.#hasStarted = true;
    // The one that ended meanwhile has its successor.
    clearTimeout(this.#timer);
    this.#isDue = Promise.withResolvers();
    const startedAt = performance.now();
    void candidate.ended.then((ended) => this.#ended(candidate, ended, performance.now() - startedAt));
    const tell = (): void =>
      this.#options.telling.started(loaded.project.kinds, { ms: performance.now() - saved.at, isFirst });
    const started = candidate.started.then(tell);
    // The next process is not started beside this one, which is waited for.
    await Promise.race([started, candidate.ended, this.#aborted, sleep(IMPATIENCE_MS, undefined, { ref: false })]);
  }

  /** Nobody had told it to. */
  #ended(operator: OperatorProcess, ended: Ended, lastedMs: number): void {
    if (this.#running !== operator) return;
    this.#running = undefined;
    this.#failures = lastedMs > LASTING_MS ? 1 : this.#failures + 1;
    const pauseMs = PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length) - 1] ?? 0;
    this.#options.telling.ended(ended, pauseMs);
    this.#timer = setTimeout(() => this.#isDue.resolve(), pauseMs);
  }
}
