import type { ServerResponse as HttpResponse } from 'node:http';
import type { ServerEvent, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer, OpenWatch } from '#lib/apiserver/machinery/server.ts';
import { EventWriter, type ShowEvent } from './event-writer.ts';

/** How often a quiet watch is told how far it has come, in milliseconds; as in the real server. */
const BOOKMARK_INTERVAL_MS = 60_000;

/** The real server takes a random time from here to twice this, in milliseconds. */
const SHORTEST_MS = 1_800_000;

/** What a stream is made of. */
export interface WatchStreamOptions {
  readonly server: ApiServer;
  readonly request: WatchRequest;
  readonly response: HttpResponse;
  readonly mediaType: string;
  /** What of an event is sent. */
  readonly show: ShowEvent;
  /** @default a random time of 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
}

/** A watch that is being sent. */
export interface WatchStream {
  /** Ends it in good order. */
  end(): void;
}

const durationMs = (timeoutSeconds: number | undefined): number =>
  timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds * 1000 : SHORTEST_MS * (1 + Math.random());

/**
 * Sends a watch in chunks, one line per event.
 *
 * Guarantees: events in their order; bookmarks each minute to those who asked; an end in good order when its time is over. What it
 * begins with may be of any size; a client that leaves 32 MiB of what happens afterwards unread is disconnected.
 *
 * @param onEnd - called once, whoever ended it
 * @throws {StatusError} when it cannot be opened; nothing was sent then
 */
export const streamWatch = (options: WatchStreamOptions, onEnd: () => void): WatchStream => {
  const { server, request, response, mediaType, show, timeoutSeconds } = options;
  const early: ServerEvent[] = [];
  let send = (event: ServerEvent): void => void early.push(event);
  const watch: OpenWatch = server.watch(request, (event) => send(event));
  response.writeHead(200, { 'content-type': mediaType, 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  const end = (): void => {
    response.end();
  };
  const bookmarks = setInterval(() => watch.bookmark(), BOOKMARK_INTERVAL_MS).unref();
  const timeout = setTimeout(end, Math.min(durationMs(timeoutSeconds), 2 ** 31 - 1)).unref();
  response.once('close', () => {
    clearInterval(bookmarks);
    clearTimeout(timeout);
    watch.close();
    onEnd();
  });
  const writer = new EventWriter(response, show);
  send = (event) => writer.send(event);
  writer.begin(early);
  return { end };
};
