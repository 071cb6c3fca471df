import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';

const LOOK_MS = 200;
/** The API server recreates the storage of a changed CRD: client-go and kubectl repeat the request. */
const AGAIN = 429;
const UNSERVED = 404;

/** The result of requests of one sort. */
export interface Answers {
  /** Number of failures, without those that clients repeat by themselves. */
  readonly failures: number;
  /** The last failure. */
  readonly message: string;
  /** The longest time without a good answer, in milliseconds. */
  readonly longestMs: number;
}

/** A request that is sent repeatedly. */
export type Question = () => Promise<{ readonly status: number; readonly body: unknown }>;

interface Asked {
  failures: number;
  message: string;
  longestMs: number;
  goodAt: number;
}

/** A list of the kind in a version. */
export const listIn =
  (plane: ControlPlane, version: string): Question =>
  () =>
    plane.request('GET', `/apis/demo.example.com/${version}/letters`);

/** A dry-run write without a change, as a tool sends it before it applies. */
export const dryRunIn =
  (plane: ControlPlane, version: string): Question =>
  () =>
    plane.request(
      'PATCH',
      `/apis/demo.example.com/${version}/namespaces/default/letters/first?dryRun=All`,
      { metadata: { labels: { asked: 'true' } } },
      { contentType: 'application/merge-patch+json' },
    );

const fresh = (): Asked => ({ failures: 0, message: '', longestMs: 0, goodAt: Date.now() });

/** Sends several requests repeatedly until `end` is called. A version that is not served (404) is no failure. */
export const ask = <Name extends string>(questions: Readonly<Record<Name, Question>>) => {
  const names = Object.keys(questions) as Name[];
  const asked = Object.fromEntries(names.map((name) => [name, fresh()])) as Record<Name, Asked>;
  const over = new AbortController();
  const one = async (name: Name): Promise<void> => {
    const state = asked[name];
    while (!over.signal.aborted) {
      const { status, body } = await questions[name]();
      state.longestMs = Math.max(state.longestMs, Date.now() - state.goodAt);
      if (status < 400 || status === UNSERVED) state.goodAt = Date.now();
      else state.message = `${status} ${JSON.stringify(body).slice(0, 300)}`;
      if (status >= 400 && status !== UNSERVED && status !== AGAIN) state.failures += 1;
      await sleep(LOOK_MS);
    }
  };
  const running = Promise.all(names.map(one));
  const end = async (): Promise<Readonly<Record<Name, Answers>>> => {
    over.abort();
    await running;
    return asked;
  };
  return {
    /** @returns the results by name */
    end,
    [Symbol.asyncDispose]: async (): Promise<void> => void (await end()),
  };
};
