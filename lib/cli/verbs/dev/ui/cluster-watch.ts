import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import type { Reflector } from '#lib/kube/reflector/types.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { isKubernetesEvent } from './kubernetes-events.ts';

/** A change of a watched object. */
export interface WatchedChange {
  /** `undefined` for a deleted object. */
  readonly now: ApiObject | undefined;
  /** `undefined` for a new object. */
  readonly before: ApiObject | undefined;
  /** Whether the object existed when the watch of its kind began. */
  readonly isInitial: boolean;
}

/** Options for {@link ClusterWatch}. */
export interface ClusterWatchOptions {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  /** The namespaces of namespaced kinds; empty for all. */
  readonly namespaces: readonly string[];
  /** Called with the changes of a short period, in their order. */
  readonly onChanges: (changes: readonly WatchedChange[]) => void;
  /** Called with the reason when a kind cannot be watched, and with `undefined` while it can be watched. */
  readonly onProblem: (kind: string, message: string | undefined) => void;
  readonly timers: Timers;
}

/**
 * Period in which changes are collected and then sorted, in milliseconds. The watches of two kinds can deliver changes in
 * another order than they happened.
 */
export const COLLECT_MS = 100;
/**
 * Maximum number of periods to wait for the first lists of all kinds. After them, the changes of the listed kinds are
 * delivered.
 */
const MAX_PERIODS = 50;

const idOf = ({ apiVersion, plural }: ApiResource, namespace: string | undefined): string =>
  `${apiVersion} ${plural} ${namespace ?? ''}`;

/** An object without its contents. The contents of past Kubernetes Events are not needed, and there can be many. */
const identityOf = ({
  apiVersion,
  kind,
  metadata: { name, namespace, uid, resourceVersion },
}: ApiObject): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion },
});

/** The resource version as a number, which orders the changes of all kinds. An unusual version counts as the newest. */
const versionOf = ({ now, before }: WatchedChange): number => {
  const version = Number((now ?? before)?.metadata.resourceVersion);
  return Number.isSafeInteger(version) ? version : Number.MAX_SAFE_INTEGER;
};

/** Watches the objects of some kinds. The set of kinds can change. */
export class ClusterWatch implements AsyncDisposable {
  readonly #options: ClusterWatchOptions;
  readonly #watchLists = new WatchLists();
  readonly #reflectors = new Map<string, { readonly reflector: Reflector; readonly known: Map<string, ApiObject> }>();
  #collected: WatchedChange[] = [];
  #isCollecting = false;
  /** Number of watches whose first list has neither arrived nor failed. */
  #unlisted = 0;
  #isEnded = false;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** Watches these kinds from now on, and no other kinds. Objects of a kind that is no longer watched count as deleted. */
  async watch(resources: readonly ApiResource[]): Promise<void> {
    if (this.#isEnded) return;
    const { namespaces } = this.#options;
    const wanted = new Map(
      resources.flatMap((resource) => {
        const places = resource.scope === 'Cluster' || namespaces.length === 0 ? [undefined] : namespaces;
        return places.map((namespace) => [idOf(resource, namespace), { resource, namespace }] as const);
      }),
    );
    const gone = [...this.#reflectors].filter(([id]) => !wanted.has(id));
    for (const [id] of gone) this.#reflectors.delete(id);
    await Promise.all(gone.map(([, { reflector }]) => reflector.stop()));
    for (const [, { known }] of gone) for (const object of known.values()) this.#note(undefined, object);
    for (const [id, { resource, namespace }] of wanted)
      if (!this.#reflectors.has(id)) this.#reflectors.set(id, this.#start(resource, namespace));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#reflectors.values()].map(({ reflector }) => reflector.stop()));
  }

  #start(resource: ApiResource, namespace: string | undefined) {
    const { api, timers, onProblem } = this.#options;
    const known = new Map<string, ApiObject>();
    let isInitial = true;
    let isAwaited = true;
    this.#unlisted += 1;
    const answered = (): void => {
      if (isAwaited) this.#unlisted -= 1;
      isAwaited = false;
    };
    const set = (object: ApiObject): void => {
      const before = known.get(object.metadata.uid);
      if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
      known.set(object.metadata.uid, isKubernetesEvent(object) ? identityOf(object) : object);
      this.#note(object, before, isInitial);
    };
    const remove = (object: ApiObject): void => {
      if (known.delete(object.metadata.uid)) this.#note(undefined, object);
    };
    const reflector = startReflector({
      api,
      resource,
      timers,
      ...(namespace !== undefined && { namespace }),
      random: Math.random,
      watchLists: this.#watchLists,
      onError: ({ message }, retryInMs) => {
        // A kind that cannot be listed must not delay the changes of the others.
        answered();
        onProblem(resource.kind, retryInMs > 0 ? message : undefined);
      },
      sink: {
        replace: (items) => {
          onProblem(resource.kind, undefined);
          const uids = new Set(items.map(({ metadata }) => metadata.uid));
          for (const object of known.values()) if (!uids.has(object.metadata.uid)) remove(object);
          for (const object of items) set(object);
          isInitial = false;
        },
        event: (event) => {
          onProblem(resource.kind, undefined);
          if (event.type === 'BOOKMARK') return;
          if (event.type === 'DELETED') remove(event.object);
          else set(event.object);
        },
      },
    });
    void reflector.synced.then(answered);
    return { reflector, known };
  }

  #note(now: ApiObject | undefined, before: ApiObject | undefined, isInitial = false): void {
    this.#collected.push({ now, before, isInitial });
    if (this.#isCollecting || this.#isEnded) return;
    this.#isCollecting = true;
    this.#deliver(MAX_PERIODS);
  }

  /**
   * Delivers the collected changes after a period. While a first list is missing, waits for further periods, at most
   * {@link MAX_PERIODS}.
   */
  #deliver(periods: number): void {
    this.#options.timers.setTimer(COLLECT_MS, () => {
      if (this.#isEnded) return;
      if (this.#unlisted > 0 && periods > 1) return this.#deliver(periods - 1);
      this.#isCollecting = false;
      const changes = this.#collected.toSorted((a, b) => versionOf(a) - versionOf(b));
      this.#collected = [];
      this.#options.onChanges(changes);
    });
  }
}
