import type { ServerRequest, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import { createMemory } from './memory.ts';
import { isWatch, type Step } from './step.ts';

/** An unchanged answer. */
export interface Answer {
  readonly code: number;
  /** Parsed JSON, or text. */
  readonly body: unknown;
}

/** An unchanged event. */
export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/** An opened or refused watch. */
export interface RunningWatch {
  /** Ends the watch, and returns all due events. */
  readonly finish: () => Promise<Watched>;
}

/** The result of a watch: a refusal or events. */
export interface Watched {
  readonly refusal?: Answer;
  readonly events: readonly WatchEvent[];
}

/** A server with a namespace, to which one sequence is sent. */
export interface Target {
  readonly namespace: string;
  /** The server's time, epoch milliseconds. */
  readonly now: () => number;
  readonly request: (request: ServerRequest) => Promise<Answer>;
  readonly watch: (request: WatchRequest) => Promise<RunningWatch>;
}

/** One step with its result. */
export type Played =
  | { readonly step: Step; readonly answer: Answer }
  | { readonly step: Step; readonly watched: Watched };

/** Sends a sequence, one step after the other; watches are read until its end. */
export const play = async (steps: readonly Step[], target: Target): Promise<readonly Played[]> => {
  const memory = createMemory(target.namespace);
  const played: (() => Promise<Played>)[] = [];
  for (const step of steps) {
    if (isWatch(step)) {
      const running = await target.watch(memory.resolve(step.watch));
      played.push(async () => ({ step, watched: await running.finish() }));
      continue;
    }
    const request = memory.resolve(step.request);
    const answer = await target.request(request);
    memory.observe(request, answer.body);
    played.push(() => Promise.resolve({ step, answer }));
  }
  return Promise.all(played.map((done) => done()));
};
