import { ApiError, InvariantError, type ReconcileError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { type Manager, type ManagerState, startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi, type FakeRequest } from './fake-api.ts';
import { ManualTimers } from './manual-timers.ts';
import { quotaExceeded } from './server-answers.ts';
import { shelf } from './shelf-kind.ts';

/** The reason of the refusals. */
export type RefusedBy = 'quota' | 'policy';

const deniedByPolicy = (name: string): ApiError =>
  new ApiError('create pods', {
    httpStatus: 403,
    reason: 'Forbidden',
    message: `pods "${name}" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no`,
  });

const namespaceEnds = (name: string): ApiError =>
  new ApiError('create pods', {
    httpStatus: 403,
    reason: 'Forbidden',
    message: `pods "${name}" is forbidden: unable to create new content in namespace default because it is being terminated`,
    causes: [
      { reason: 'NamespaceTerminating', field: 'metadata.namespace', message: 'namespace default is being terminated' },
    ],
  });

const refusals: Readonly<Record<CrowdOptions['by'], (pod: string) => ApiError>> = {
  quota: quotaExceeded,
  policy: deniedByPolicy,
  'ending namespace': namespaceEnds,
};

/** Options of a crowd. */
export interface CrowdOptions {
  readonly by: RefusedBy | 'ending namespace';
  /** Number of resources by namespace. */
  readonly resources: Readonly<Record<string, number>>;
  /** Number of pods of each resource. */
  readonly pods: number;
}

/** A refused create. */
export interface RefusedCreate {
  /** `<namespace>-<resource>`, as in the name of the pod. */
  readonly resource: string;
  /** Milliseconds since the loop started. */
  readonly atMs: number;
}

/** Many resources whose pods the API server refuses, in virtual time, with the loop. */
export class RefusedCrowd {
  readonly timers = new ManualTimers();
  readonly api = new FakeApi(this.timers, [shelf]);
  /** Every refused create, in order. */
  readonly refused: RefusedCreate[] = [];
  /** Decides which creates are refused. @default all */
  isRefused: (pod: string) => boolean = () => true;
  readonly #options: CrowdOptions;
  #manager: Manager | undefined;

  constructor(options: CrowdOptions) {
    this.#options = options;
    for (const [namespace, count] of Object.entries(options.resources)) {
      if (namespace !== 'default') this.api.makeNamespace(namespace);
      for (let index = 0; index < count; index += 1) this.declare(namespace, `s${index}`);
    }
    this.api.refuse = (request) => this.#refusal(request);
  }

  /** Creates another resource as a user. */
  declare(namespace: string, name: string): void {
    const { apiVersion, kind } = refOf(shelf);
    const books = Array.from({ length: this.#options.pods }, (_, pod) => `${namespace}-${name}-${pod}`);
    this.api.put(refOf(shelf), { apiVersion, kind, metadata: { name, namespace }, spec: { books } });
  }

  /** Scales a resource to no pods. */
  wantNone(namespace: string, name: string): void {
    const options = { type: 'merge', fieldManager: 'somebody' } as const;
    void this.api.client.patch(refOf(shelf), { namespace, name }, { spec: { books: [] } }, options);
  }

  /** The state of the loop. */
  inspect(): ManagerState {
    if (this.#manager === undefined) throw new InvariantError('The loop is to be started first');
    return this.#manager.inspect();
  }

  /** Starts the loop. */
  start(random: () => number = randomOf(7)): void {
    const { timers, api } = this;
    const log = createLogger('silent');
    this.#manager = startManager({ kinds: [shelf], api: api.client, timers, random, log });
  }

  async stop(): Promise<void> {
    await this.#manager?.stop();
  }

  /** Number of pods in a namespace. */
  pods(namespace: string): number {
    return this.api.all(Pod, namespace).length;
  }

  /**
   * The highest number of refused creates within one second after a moment in milliseconds, wherever that second
   * begins.
   */
  mostPerSecond(afterMs: number): number {
    const later = this.refused.filter(({ atMs }) => atMs > afterMs);
    let from = 0;
    let most = 0;
    for (const [index, { atMs }] of later.entries()) {
      while ((later[from]?.atMs ?? 0) <= atMs - 1000) from += 1;
      most = Math.max(most, index - from + 1);
    }
    return most;
  }

  /** The highest number of refused creates of one resource in its first milliseconds. */
  mostOfOne(firstMs: number): number {
    const counts = Object.values(Object.groupBy(this.refused, ({ resource }) => resource)).map((all = []) => {
      const [first] = all;
      return all.filter(({ atMs }) => atMs - (first?.atMs ?? 0) < firstMs).length;
    });
    return Math.max(0, ...counts);
  }

  #refusal({ verb, name }: FakeRequest): ReconcileError | undefined {
    if (verb !== 'create' || !this.isRefused(name)) return undefined;
    this.refused.push({ resource: name.slice(0, name.lastIndexOf('-')), atMs: this.timers.elapsed() });
    return refusals[this.#options.by](name);
  }
}

/** Numbers in [0, 1) that are the same in every run. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
};
