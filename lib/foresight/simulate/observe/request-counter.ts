import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { TappedServer } from '#lib/sim/world/api/tapped-server.ts';

const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Counts the requests to a server, by sender. */
export class RequestCounter {
  readonly #counts = new Map<string, Map<string, number>>();
  #who = '';
  #isCounting = false;

  /** Starts to count. Earlier requests are not counted, because they belong to the setup. */
  begin(): void {
    this.#isCounting = true;
  }

  /** Sets the sender of the next requests. */
  from(who: string): void {
    this.#who = who;
  }

  over(server: ApiServer): ApiServer {
    return new TappedServer(server, {
      onRequest: ({ verb, subresource }) => this.#count(subresource === undefined ? verb : `${verb} ${subresource}`),
      onWatch: () => this.#count('watch'),
    });
  }

  /** The counts by sender and verb, sorted. */
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
