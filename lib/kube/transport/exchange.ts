import type { Dispatcher } from 'undici';
import { WorkTurn } from '#lib/kube/interface/work-turn.ts';
import { TooLargeError } from './malformed.ts';

/**
 * The maximum size of a response that is not a stream, in bytes. Parsed JSON needs several times the memory of its text. Without
 * this limit, an endless response would exhaust the memory of the process. If a page of a list is larger, the reflector requests
 * smaller pages.
 */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A complete response. */
export interface TransportAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as UTF-8; U+FFFD replaces invalid bytes. Empty when `onChunk` received the body. */
  readonly text: string;
}

/** The options of an exchange. */
export interface ExchangeOptions {
  /** The name of the request, such as `list pods`, with which messages start. */
  readonly what: string;
  /** Aborts the exchange, also while it waits for a connection. */
  readonly signal: AbortSignal;
  /** Called immediately before the first byte is sent. When it throws, the exchange rejects with the error, and sends nothing. */
  readonly beforeSend?: (() => void) | undefined;
  /** Called when a response begins. */
  readonly onHead?: (status: number) => void;
  /**
   * Called with each piece of a response with a status code below 400. When it throws, the exchange ends and rejects with the
   * thrown value.
   */
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined;
}

type Handler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError'
  >
>;

/** The streams of a process share their turns: undici passes all bytes that have arrived to `onChunk` in one callback. */
const streamTurn = new WorkTurn(() => performance.now());

const NOTHING = Buffer.alloc(0);

const joined = (chunks: readonly Uint8Array[], bytes: number): Buffer => {
  const [first = NOTHING, second] = chunks;
  if (second !== undefined) return Buffer.concat(chunks, bytes);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
};

/**
 * One request and its response. The class uses undici's dispatcher directly: the streams of undici's `request()` would cause a
 * third of the cost of a small request.
 */
class Exchange implements Handler {
  readonly answer: Promise<TransportAnswer>;
  readonly #options: ExchangeOptions;
  readonly #chunks: Uint8Array[] = [];
  readonly #settle: { readonly resolve: (answer: TransportAnswer) => void; readonly reject: (error: unknown) => void };
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;
  #status = 0;
  #headers: TransportAnswer['headers'] = {};

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { promise, resolve, reject } = Promise.withResolvers<TransportAnswer>();
    this.answer = promise;
    this.#settle = { resolve, reject };
    options.signal.addEventListener('abort', this.#giveUp);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal, beforeSend } = this.#options;
    // A thrown error leaves the connection open for other requests. `controller.abort()` would close it.
    signal.throwIfAborted();
    this.#controller = controller;
    beforeSend?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: TransportAnswer['headers']): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#options.onHead?.(status);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const { onChunk, what } = this.#options;
    if (onChunk && this.#status < 400) {
      onChunk(chunk);
      if (!streamTurn.hasTime(this.#resume)) controller.pause();
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BODY_BYTES) throw new TooLargeError(`Cannot ${what}: the answer is longer than 64 MiB`);
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    const text = joined(this.#chunks, this.#bytes).toString('utf8');
    this.#settle.resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#release();
    this.#settle.reject(error);
  }

  readonly #giveUp = (): void => {
    const reason: unknown = this.#options.signal.reason;
    this.#settle.reject(reason);
    this.#controller?.abort(reason as Error);
  };

  readonly #resume = (): void => this.#controller?.resume();

  #release(): void {
    this.#options.signal.removeEventListener('abort', this.#giveUp);
  }
}

/**
 * Sends a request.
 *
 * @returns the complete response, whatever its status
 * @throws Error of undici, `signal`, `beforeSend` or `onChunk`; `TooLargeError` for a response of more than 64 MiB
 */
export const exchange = async (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): Promise<TransportAnswer> => {
  options.signal.throwIfAborted();
  const handler = new Exchange(options);
  dispatcher.dispatch(request, handler);
  return handler.answer;
};
