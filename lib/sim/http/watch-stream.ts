import type { ServerResponse as HttpResponse } from 'node:http';
import type { JsonObject } from '#lib/kind/json.ts';
import type { ServerEvent, WatchRequest } from '#lib/sim/machinery/request.ts';
import type { ApiServer, OpenWatch } from '#lib/sim/machinery/server.ts';

/** How often a quiet watch is told how far it has come, in milliseconds; as in the real server. */
const BOOKMARK_INTERVAL_MS = 60_000;

/** Who has not read so much is not reading: its watch ends, and it begins again with a list. In bytes. */
const UNREAD_LIMIT = 32 * 1024 * 1024;

/** The real server takes a random time from here to twice this, in milliseconds. */
const SHORTEST_MS = 1_800_000;

/** What a stream is made of. */
export interface WatchStreamOptions {
  readonly server: ApiServer;
  readonly request: WatchRequest;
  readonly response: HttpResponse;
  readonly mediaType: string;
  /** What of an event is sent. */
  readonly show: (object: JsonObject, isFirst: boolean) => JsonObject;
  /** @default a random time of 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
}

/** A watch that is being sent. */
export interface WatchStream {
  /** Ends it in good order. */
  end(): void;
}

const lines = new WeakMap<object, string>();

/** Many watch the same; what was written once is written again as it is. */
const jsonOf = (object: JsonObject): string => {
  let json = lines.get(object);
  if (json === undefined) {
    json = JSON.stringify(object);
    lines.set(object, json);
  }
  return json;
};

const durationMs = (timeoutSeconds: number | undefined): number =>
  timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds * 1000 : SHORTEST_MS * (1 + Math.random());

/**
 * Sends a watch in chunks, one line per event.
 *
 * Guarantees: events in their order; bookmarks each minute to those who asked; an end in good order when its time is over. A client
 * that does not read is disconnected once 32 MiB wait for it.
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
  let isFirst = true;
  const end = (): void => {
    response.end();
  };
  send = ({ type, object }) => {
    if (response.writableEnded || response.destroyed) return;
    const shown = type === 'ERROR' ? object : show(object, isFirst);
    isFirst &&= type === 'ERROR';
    response.write(`{"type":"${type}","object":${jsonOf(shown)}}\n`);
    if (type === 'ERROR') end();
    else if (response.writableLength > UNREAD_LIMIT) response.destroy();
  };
  const bookmarks = setInterval(() => watch.bookmark(), BOOKMARK_INTERVAL_MS).unref();
  const timeout = setTimeout(end, Math.min(durationMs(timeoutSeconds), 2 ** 31 - 1)).unref();
  response.once('close', () => {
    clearInterval(bookmarks);
    clearTimeout(timeout);
    watch.close();
    onEnd();
  });
  for (const event of early) send(event);
  return { end };
};
