import type { StreamMessage } from '#lib/foresight/page/live/stream-message.ts';
import { type PackedRun, unpackRun } from '#lib/foresight/page/packed-run.ts';
import type { ReportRun } from '#lib/foresight/page/report-run.ts';

/** Delay before a new connection after a refused one, in milliseconds. The browser itself repeats a broken connection. */
const AGAIN_MS = 2000;
/** Time without a message after which a connection counts as broken, in milliseconds. The server sends one every 5 s. */
const SILENCE_MS = 15_000;

/** The state of the connection to the server. */
export type StreamState = 'connecting' | 'live' | 'lost';

/** Options for {@link LiveStream}. */
interface LiveStreamOptions {
  readonly onRun: (run: ReportRun) => void;
  readonly onState: (state: StreamState) => void;
  /** Called with the kinds with rollouts that can be steered, each as `<kind>.<group>`. */
  readonly onKinds: (steered: readonly string[]) => void;
}

const joined = (known: ReportRun, more: PackedRun): ReportRun => {
  const run = unpackRun(more);
  return { ...run, objects: [...known.objects, ...run.objects], events: [...known.events, ...run.events] };
};

/** The stream of the history. After a lost connection, the stream connects again, and the server sends the whole history. */
export class LiveStream {
  readonly #options: LiveStreamOptions;
  #source: EventSource | undefined;
  #run: ReportRun | undefined;
  #timer = 0;

  constructor(options: LiveStreamOptions) {
    this.#options = options;
  }

  open(): void {
    this.#source?.close();
    const source = new EventSource('events');
    this.#source = source;
    source.addEventListener('message', ({ data }: MessageEvent<string>) =>
      this.#take(JSON.parse(data) as StreamMessage),
    );
    source.addEventListener('error', () => {
      this.#options.onState('lost');
      if (source.readyState === EventSource.CLOSED) this.#again(AGAIN_MS);
    });
    this.#again(SILENCE_MS);
  }

  /** Connects again after a delay, if there is no message before. */
  #again(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#options.onState('lost');
      this.open();
    }, delayMs);
  }

  #take(message: StreamMessage): void {
    this.#again(SILENCE_MS);
    if (message.type === 'kinds') return this.#options.onKinds(message.steered);
    const known = this.#run;
    if (message.type === 'run') this.#run = unpackRun(message.run);
    else if (known === undefined) return this.open();
    else if (message.type === 'time') this.#run = { ...known, durationMs: message.durationMs };
    else if (message.after.events === known.events.length && message.after.objects === known.objects.length)
      this.#run = joined(known, message.run);
    else return this.open();
    this.#options.onState('live');
    this.#options.onRun(this.#run);
  }
}
