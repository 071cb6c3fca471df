import type { ServerResponse } from 'node:http';
import { messageAfter } from '#lib/foresight/page/live/message-after.ts';
import type { LiveHistoryRun, StreamMessage } from '#lib/foresight/page/live/stream-message.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';

/** Options for {@link LiveStreams}. */
export interface LiveStreamsOptions {
  /** The current history. */
  readonly run: () => LiveHistoryRun;
  /** The kinds with rollouts that can be steered. */
  readonly steered: () => readonly string[];
  readonly timers: Timers;
}

/** Delay between a change and the message with it, in milliseconds. Changes within this time share the message. */
const PACE_MS = 200;
/** Interval of the messages that are sent even without a change, in milliseconds. */
const BEAT_MS = 5000;
/** Maximum number of open pages. A browser opens at most six connections to a server, and one must be free for requests. */
const MAX_STREAMS = 5;
/** Unsent data of a page after which its connection ends, in bytes. The page then connects again, and gets the whole history. */
export const MAX_UNSENT = 16_777_216;

const textOf = (message: StreamMessage): string => `data: ${JSON.stringify(message)}\n\n`;

/**
 * Sends the history to all open pages: at first, and after older events were merged, the whole history; otherwise what was
 * added.
 */
export class LiveStreams implements Disposable {
  readonly #options: LiveStreamsOptions;
  readonly #open = new Set<ServerResponse>();
  /** The history that all open pages have. */
  #sent: LiveHistoryRun | undefined;
  #isWaiting = false;
  #endBeat: () => void = () => undefined;

  constructor(options: LiveStreamsOptions) {
    this.#options = options;
    this.#beat();
  }

  /** Sends events to a response until its connection ends. */
  connect(response: ServerResponse): void {
    if (this.#open.size >= MAX_STREAMS) {
      response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' }).end('Close other tabs of this page.\n');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#send();
    this.#sent ??= this.#options.run();
    this.#write(response, `retry: 1000\n${this.#kindsText()}${textOf(messageAfter(undefined, this.#sent))}`);
    this.#open.add(response);
    response.on('close', () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#sent = undefined;
    });
  }

  /** Sends the new part of the history soon. */
  changed(): void {
    if (this.#isWaiting || this.#open.size === 0) return;
    this.#isWaiting = true;
    this.#options.timers.setTimer(PACE_MS, () => {
      this.#isWaiting = false;
      this.#send();
    });
  }

  /** Sends the kinds to all open pages. */
  kindsChanged(): void {
    for (const response of this.#open) this.#write(response, this.#kindsText());
  }

  [Symbol.dispose](): void {
    this.#endBeat();
    for (const response of this.#open) response.destroy();
  }

  #kindsText(): string {
    return textOf({ type: 'kinds', steered: this.#options.steered() });
  }

  #beat(): void {
    this.#endBeat = this.#options.timers.setTimer(BEAT_MS, () => {
      this.#send();
      this.#beat();
    });
  }

  #send(): void {
    if (this.#open.size === 0) return;
    const now = this.#options.run();
    const text = textOf(messageAfter(this.#sent, now));
    this.#sent = now;
    for (const response of this.#open) this.#write(response, text);
  }

  #write(response: ServerResponse, text: string): void {
    // The check is before the write, because one message can be larger, such as the whole history.
    if (response.writableLength > MAX_UNSENT) response.destroy();
    else response.write(text);
  }
}
