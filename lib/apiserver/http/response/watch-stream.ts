import type { ServerResponse as HttpResponse } from 'node:http';
import type { ServerEvent, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer, OpenWatch } from '#lib/apiserver/machinery/server.ts';
import { EventWriter, type ShowEvent } from './event-writer.ts';

/** Interval between the bookmarks of a watch, in milliseconds; as in the real server. */
const BOOKMARK_INTERVAL_MS = 60_000;

/**
 * Time between the last bookmark and the end of a watch, in milliseconds; as in the real server.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/cache_watcher.go (`nextBookmarkTime`)
 */
const LAST_BOOKMARK_MS = 2000;

/** Minimum duration of a watch without a timeout, in milliseconds. As on the real server, a random factor from 1 to 2 applies. */
const SHORTEST_MS = 1_800_000;

/** Options of {@link streamWatch}. */
export interface WatchStreamOptions {
  readonly server: ApiServer;
  readonly request: WatchRequest;
  readonly response: HttpResponse;
  readonly mediaType: string;
  /** Converts the object of an event to the form that the client wants. */
  readonly show: ShowEvent;
  /** Maximum duration of the watch. @default a random time of 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
}

/** A watch that is being streamed. */
export interface WatchStream {
  /** Ends the stream properly. */
  end(): void;
}

const durationMs = (timeoutSeconds: number | undefined): number =>
  timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds * 1000 : SHORTEST_MS * (1 + Math.random());

/**
 * Streams a watch in chunks, one event per line.
 *
 * Guarantees: events stay in order. If the client requested bookmarks, the stream sends them each minute and shortly before the
 * end. The stream ends properly after its timeout. Initial events may have any size. A client that leaves 32 MiB of later events
 * unread is disconnected.
 *
 * @param onEnd - called once, regardless of the side that ended the stream
 * @throws {StatusError} when the watch cannot be opened; in this case, nothing has been sent
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
  const lastsMs = Math.min(durationMs(timeoutSeconds), 2 ** 31 - 1);
  const lastBookmark = setTimeout(() => watch.bookmark(), Math.max(0, lastsMs - LAST_BOOKMARK_MS)).unref();
  const timeout = setTimeout(end, lastsMs).unref();
  response.once('close', () => {
    clearInterval(bookmarks);
    clearTimeout(lastBookmark);
    clearTimeout(timeout);
    watch.close();
    onEnd();
  });
  const writer = new EventWriter(response, show);
  send = (event) => writer.send(event);
  writer.begin(early);
  return { end };
};
