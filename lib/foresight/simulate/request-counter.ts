import type { ApiServer } from '#lib/sim/machinery/server.ts';

const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Counts the requests that a server gets, by who sends them. */
export class RequestCounter {
  readonly #counts = new Map<string, Map<string, number>>();
  #who = '';
  #isCounting = false;

  /** What came before was the stage being built. */
  begin(): void {
    this.#isCounting = true;
  }

  /** Whose requests come now. */
  from(who: string): void {
    this.#who = who;
  }

  over(server: ApiServer): ApiServer {
    return {
      handle: (request) => {
        const { verb, subresource } = request;
        this.#count(subresource === undefined ? verb : `${verb} ${subresource}`);
        return server.handle(request);
      },
      watch: (request, onEvent) => {
        this.#count('watch');
        return server.watch(request, onEvent);
      },
      objects: (resource, namespace) => server.objects(resource, namespace),
      objectsAt: (resource, resourceVersion) => server.objectsAt(resource, resourceVersion),
      get resourceVersion() {
        return server.resourceVersion;
      },
      restore: (resource, object) => server.restore(resource, object),
      compact: (resourceVersion, keep) => server.compact(resourceVersion, keep),
      copy: (now) => server.copy(now),
      dump: () => server.dump(),
    };
  }

  /** By who and verb, sorted. */
  get counts(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries(sorted(this.#counts).map(([who, verbs]) => [who, Object.fromEntries(sorted(verbs))]));
  }

  #count(verb: string): void {
    if (!this.#isCounting) return;
    let verbs = this.#counts.get(this.#who);
    if (verbs === undefined) this.#counts.set(this.#who, (verbs = new Map()));
    verbs.set(verb, (verbs.get(verb) ?? 0) + 1);
  }
}
