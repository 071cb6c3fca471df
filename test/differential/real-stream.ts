import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ControlPlaneAccess } from '#test/control-plane/client.ts';
import type { Answer, WatchEvent } from './target.ts';

/** A watch that the real API server answers with a stream. */
export interface Stream {
  readonly refusal?: Answer;
  /** Grows while the stream is open. */
  readonly events: readonly WatchEvent[];
  readonly close: () => void;
}

/** Opens watches. Resolves when the server has begun to answer: from then on no event is missed. */
export type OpenStream = (path: string, onEvent?: (event: WatchEvent) => void) => Promise<Stream>;

/** Opens streams, each on a connection of its own. */
export const createStreams = ({ url, caFile, credentials }: ControlPlaneAccess): OpenStream => {
  const agent = new Agent({ ca: readFileSync(caFile), keepAlive: false });
  const token = credentials.find(({ user }) => user === 'admin')?.token ?? '';
  return async (path, onEvent) => {
    const request = httpsRequest(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // The end of a stream by close() is no error.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (response.statusCode !== 200) {
      const body = parse(await text(response));
      return { refusal: { code: response.statusCode ?? 0, body }, events: [], close: () => undefined };
    }
    const events: WatchEvent[] = [];
    const lines = createInterface({ input: response });
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      const event = JSON.parse(line) as WatchEvent;
      events.push(event);
      onEvent?.(event);
    });
    return { events, close: () => request.destroy() };
  };
};

const parse = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
};
