import type { ServerResponse as HttpResponse } from 'node:http';
import type { ServerEvent } from '#lib/apiserver/machinery/request.ts';
import type { JsonObject } from '#lib/json.ts';
import { jsonOf } from '../encoding/json-text.ts';

/** Maximum number of bytes that a client may leave unread, without initial events. With more unread bytes, its watch ends. */
const UNREAD_LIMIT = 32 * 1024 * 1024;

/** Converts the object of an event to the form that the client wants. `isFirst` is true only for the first event of a watch. */
export type ShowEvent = (object: JsonObject, isFirst: boolean) => JsonObject;

/**
 * Writes the events of a watch, one per line.
 *
 * Guarantees: events stay in order. Initial events have no size limit, because the server collects all of them before the client
 * can read the first event. The writer sends them as fast as the client reads. If a client leaves 32 MiB of later events unread,
 * the writer disconnects the client.
 */
export class EventWriter {
  readonly #response: HttpResponse;
  readonly #show: ShowEvent;
  /** The initial events that were not written yet, in reverse order. */
  #beginning: ServerEvent[] = [];
  #waiting: string[] = [];
  #waitingLength = 0;
  #isFirst = true;
  /** Whether an ERROR event was written. ERROR is the last event of a watch. */
  #isFailed = false;

  constructor(response: HttpResponse, show: ShowEvent) {
    this.#response = response;
    this.#show = show;
  }

  begin(events: readonly ServerEvent[]): void {
    this.#beginning = events.toReversed();
    this.#response.on('drain', () => this.#goOn());
    this.#goOn();
  }

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
