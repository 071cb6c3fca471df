import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendAnswer } from './answers.ts';
import { type Asked, askedBy, type Call } from './call.ts';
import type { Decision, Fault } from './fault.ts';
import { createHistory } from './history.ts';
import { asksForInitialEvents, initialEventsCollector, questionOf, resumedAfter } from './initial-events.ts';
import { joinStream, type OpenStream } from './stream.ts';
import { passedOn, type Upstream } from './upstream.ts';

/** The inputs of a handler. */
export interface HandlerOptions {
  readonly upstream: Upstream;
  readonly decide: (call: Call) => Fault | undefined;
  /** Adds the data of the arrival to a request. */
  readonly number: (asked: Asked) => Call;
  readonly kill?: (call: Call) => Promise<void>;
  readonly rewrite?: (target: string) => string;
  readonly onEvent?: (call: Call, line: string) => void;
  readonly onAnswer?: (call: Call, status: number) => void;
}

/** Handles the requests of one proxy. */
export interface Handler {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly decisions: readonly Decision[];
  readonly streams: () => readonly OpenStream[];
  readonly silenceConnections: () => void;
  readonly cutConnections: () => void;
}

/** A request in progress. */
interface Exchange {
  readonly call: Call;
  readonly fault: Fault | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  readonly abort: AbortController;
  readonly onStatus: (status: number) => void;
}

class FaultHandler implements Handler {
  readonly decisions: { call: Call; fault?: Fault; status?: number }[] = [];
  readonly #options: HandlerOptions;
  readonly #history = createHistory();
  readonly #streams = new Set<OpenStream>();
  readonly #sockets = new Set<Socket>();
  readonly #silent = new WeakSet<Socket>();

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  readonly streams = (): readonly OpenStream[] => [...this.#streams];

  readonly silenceConnections = (): void => {
    for (const stream of this.#streams) stream.silence();
    for (const socket of this.#sockets) this.#silent.add(socket);
  };

  readonly cutConnections = (): void => {
    for (const socket of this.#sockets) socket.destroy();
  };

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#remember(request.socket);
    const { rewrite = (target: string) => target } = this.#options;
    const target = rewrite(request.url ?? '/');
    const call = this.#options.number(askedBy(request.method ?? 'GET', target, request.headers['content-type']));
    const fault = this.#options.decide(call);
    const decision: (typeof this.decisions)[number] = { call, ...(fault && { fault }) };
    this.decisions.push(decision);
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    const onStatus = (status: number): void => void (decision.status = status);
    this.#perform({ call, fault, request, response, target, abort, onStatus }).catch(() => request.socket.destroy());
  };

  #remember(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async #perform(exchange: Exchange): Promise<void> {
    const { call, fault, request, response } = exchange;
    const body = await buffer(request);
    if (this.#silent.has(request.socket)) return;
    if (fault?.fault === 'halfOpen' && call.verb !== 'watch') return;
    if (fault?.fault === 'answer') return sendAnswer(response, fault);
    if (fault?.fault === 'delay') await sleep(fault.ms);
    if (fault?.fault === 'kill' && fault.when === 'before') await this.#options.kill?.(call);
    if (fault?.fault === 'dropBefore' || (fault?.fault === 'kill' && fault.when === 'before')) {
      request.socket.destroy();
      return;
    }
    if (call.verb === 'watch') await this.#stream(exchange, body);
    else await this.#pass(exchange, body);
  }

  async #forward({ request, target, abort, onStatus }: Exchange, body: Buffer): Promise<IncomingMessage> {
    const { method = 'GET', headers } = request;
    const from = await this.#options.upstream.forward({ method, target, headers, body, signal: abort.signal });
    onStatus(from.statusCode ?? 0);
    return from;
  }

  async #pass(exchange: Exchange, body: Buffer): Promise<void> {
    const { call, fault, request, response, target } = exchange;
    const from = await this.#forward(exchange, body);
    const answer = await buffer(from);
    if (fault?.fault === 'kill') await this.#options.kill?.(call);
    if (fault?.fault === 'kill' || fault?.fault === 'dropAfter') {
      request.socket.destroy();
      return;
    }
    // The connection may have fallen silent while the API server handled the request.
    if (this.#silent.has(request.socket)) return;
    const stale = fault?.fault === 'staleList' ? this.#history.recall(target, fault.back) : undefined;
    if (call.verb === 'list' && from.statusCode === 200) this.#history.keep(target, answer.toString());
    const headers = passedOn(from.headers);
    delete headers['content-length'];
    response.writeHead(from.statusCode ?? 502, headers);
    response.end(stale ?? answer);
    this.#options.onAnswer?.(call, from.statusCode ?? 502);
  }

  async #stream(exchange: Exchange, body: Buffer): Promise<void> {
    const { call, fault, response, target, abort } = exchange;
    const isWhole = asksForInitialEvents(target);
    const stale =
      isWhole && fault?.fault === 'staleList' ? this.#history.recall(questionOf(target), fault.back) : undefined;
    const from = await this.#forward(stale ? { ...exchange, target: resumedAfter(target, stale) } : exchange, body);
    response.writeHead(from.statusCode ?? 502, passedOn(from.headers));
    // A watch without events has response headers nevertheless.
    response.flushHeaders();
    if (stale) response.write(stale);
    const collect = isWhole && !stale ? initialEventsCollector() : undefined;
    const onEvent = (line: string): void => {
      this.#options.onEvent?.(call, line);
      const events = collect?.(line);
      if (events) this.#history.keep(questionOf(target), events);
    };
    const stream = joinStream({ call, from, to: response, abort: () => abort.abort(), onEvent });
    this.#streams.add(stream);
    try {
      await stream.run(from.statusCode === 200 ? fault : undefined);
    } finally {
      this.#streams.delete(stream);
    }
  }
}

/** Creates the handler of a proxy. */
export const createHandler = (options: HandlerOptions): Handler => new FaultHandler(options);
