import type { ServerResponse as HttpResponse } from 'node:http';
import type { JsonObject } from '#lib/json.ts';
import type { ServerEvent } from '#lib/apiserver/machinery/request.ts';
import { jsonOf } from './json-text.ts';

/** Who has not read so much is not reading: its watch ends, and it begins again with a list. In bytes. */
const UNREAD_LIMIT = 32 * 1024 * 1024;

/** What of an event is sent. */
export type ShowEvent = (object: JsonObject, isFirst: boolean) => JsonObject;

/**
 * Writes the events of a watch, one per line.
 *
 * Guarantees: events in their order. What a watch begins with is written as fast as it is read, however much it is: nobody can read
 * while it is being collected. Who leaves 32 MiB of what happens afterwards unread is disconnected.
 */
export class EventWriter {
  readonly #response: HttpResponse;
  readonly #show: ShowEvent;
  /** Last event first. */
  #beginning: ServerEvent[] = [];
  #waiting: string[] = [];
  #waitingLength = 0;
  #isFirst = true;
  /** An error is the last that is said. */
  #isFailed = false;

  constructor(response: HttpResponse, show: ShowEvent) {
    this.#response = response;
    this.#show = show;
  }

  /** Writes what a watch begins with. */
  begin(events: readonly ServerEvent[]): void {
    this.#beginning = events.toReversed();
    this.#response.on('drain', () => this.#goOn());
    this.#goOn();
  }

  /** Writes an event when those before it are written. */
  send(event: ServerEvent): void {
    if (this.#isFailed || this.#isOver) return;
    const line = this.#lineOf(event);
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    const isBegun = this.#beginning.length === 0;
    if (isBegun) this.#flush();
    const unread = isBegun ? this.#response.writableLength : this.#waitingLength;
    if (unread > UNREAD_LIMIT) this.#response.destroy();
  }

  get #isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  #goOn(): void {
    while (!this.#isOver && !this.#response.writableNeedDrain) {
      const event = this.#beginning.pop();
      if (event === undefined) break;
      this.#response.write(this.#lineOf(event));
    }
    if (this.#beginning.length === 0) this.#flush();
  }

  #flush(): void {
    if (this.#isOver) return;
    for (const line of this.#waiting) this.#response.write(line);
    this.#waiting = [];
    this.#waitingLength = 0;
    if (this.#isFailed) this.#response.end();
  }

  #lineOf({ type, object }: ServerEvent): string {
    this.#isFailed = type === 'ERROR';
    const shown = this.#isFailed ? object : this.#show(object, this.#isFirst);
    this.#isFirst &&= this.#isFailed;
    return `{"type":"${type}","object":${jsonOf(shown)}}\n`;
  }
}
