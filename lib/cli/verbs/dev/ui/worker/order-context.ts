import { connectTo } from '../../../../shell/cluster.ts';
import { type CliContext, createContext, type Writer } from '../../../../shell/context.ts';
import type { WorkerPlace } from './orders.ts';

/** Options for {@link orderContext}. */
interface OrderContextOptions {
  /** The text of the input. @default '' */
  readonly input?: string;
  /** The output for results. @default none */
  readonly stdout?: Writer;
  /** The time, in epoch milliseconds. @default the current time, at each call */
  readonly nowMs?: number;
}

const nothing: Writer = { write: () => true };

/** The context of an order: its input is a text, and its messages go nowhere. */
export const orderContext = (
  { cwd }: WorkerPlace,
  { input = '', stdout = nothing, nowMs }: OrderContextOptions = {},
): CliContext => {
  const { env } = process;
  const { signal } = new AbortController();
  return createContext({
    program: 'cdk8s-reconcile',
    stdin: (async function* () {
      yield input;
    })(),
    stdout,
    stderr: nothing,
    isTerminal: false,
    columns: 120,
    env,
    cwd,
    signal,
    endInOrder: () => undefined,
    now: () => nowMs ?? Date.now(),
    connect: (choice) => connectTo(choice, { env, signal }),
  });
};
