import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf } from './answers.ts';
import type { Call } from './call.ts';
import type { AnswerCode, Fault, StreamMoment } from './fault.ts';
import { linesOf } from './lines.ts';

/** An open watch through the proxy. Its functions take effect at once. */
export interface OpenStream {
  readonly call: Call;
  /** Number of events passed on. */
  readonly events: () => number;
  /** Cuts the connection. */
  readonly cut: () => void;
  /** Keeps the connection open without sending more data. */
  readonly silence: () => void;
  /** Ends the stream with an ERROR event, as after a compaction. */
  readonly expire: () => void;
  /** Holds events back until the returned function is called; their order stays. */
  readonly hold: () => () => void;
}

/** Both ends of a watch. */
export interface StreamEnds {
  readonly call: Call;
  readonly from: IncomingMessage;
  readonly to: ServerResponse;
  /** Ends the request to the API server. */
  readonly abort: () => void;
  /** Called for every event, before any fault. */
  readonly onEvent?: (line: string) => void;
}

class Stream implements OpenStream {
  readonly call: Call;
  readonly #ends: StreamEnds;
  #count = 0;
  #holds = 0;
  #held: string[] = [];
  #over = false;
  #moment: { readonly afterEvents: number; readonly act: () => void } | undefined;

  constructor(ends: StreamEnds) {
    this.call = ends.call;
    this.#ends = ends;
  }

  readonly events = (): number => this.#count;

  readonly cut = (): void => {
    this.#finish();
    this.#ends.to.socket?.destroy();
  };

  readonly silence = (): void => this.#finish();

  readonly expire = (): void => this.#end(410);

  readonly hold = (): (() => void) => {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds === 0) for (const line of this.#held.splice(0)) this.#pass(line);
    };
  };

  /**
   * Passes events on until the API server ends the stream; a connection that breaks on one side breaks on the other.
   */
  async run(fault: Fault | undefined): Promise<void> {
    this.#arm(fault);
    try {
      for await (const line of linesOf(this.#ends.from)) {
        if (this.#over) return;
        this.#ends.onEvent?.(line);
        this.#arrive(line, fault);
      }
      // Events that are held back arrive late, but before the end.
      if (fault?.fault === 'holdEvents') await sleep(fault.ms);
      for (const line of this.#held.splice(0)) this.#pass(line);
      if (!this.#over) this.#ends.to.end();
    } catch {
      if (!this.#over) this.cut();
    }
  }

  #arrive(line: string, fault: Fault | undefined): void {
    if (fault?.fault === 'holdEvents') setTimeout(() => this.#deliver(line), fault.ms);
    else this.#deliver(line);
  }

  #deliver(line: string): void {
    if (this.#holds > 0) this.#held.push(line);
    else this.#pass(line);
  }

  #pass(line: string): void {
    if (this.#over) return;
    this.#count += 1;
    const moment = this.#moment;
    const isMoment = moment !== undefined && this.#count >= moment.afterEvents;
    // The event must be written before the connection is cut.
    this.#ends.to.write(`${line}\n`, () => isMoment && moment.act());
    if (isMoment) this.#over = true;
  }

  #arm(fault: Fault | undefined): void {
    if (fault?.fault === 'cutStream') this.#at(fault, this.cut);
    else if (fault?.fault === 'halfOpen') this.#at(fault, this.silence);
    else if (fault?.fault === 'endStream') this.#at(fault, () => this.#end(fault.code ?? 410));
  }

  #at({ afterEvents, afterMs }: StreamMoment, act: () => void): void {
    if (afterEvents !== undefined && afterEvents > 0) this.#moment = { afterEvents, act };
    else if (afterMs === undefined) act();
    if (afterMs !== undefined) setTimeout(() => void (this.#over || act()), afterMs).unref();
  }

  #end(code: AnswerCode): void {
    this.#finish();
    this.#ends.to.end(`${JSON.stringify({ type: 'ERROR', object: statusOf({ code }) })}\n`);
  }

  #finish(): void {
    this.#over = true;
    this.#ends.abort();
  }
}

/** Joins both ends of a watch; `run` passes its events on. */
export const joinStream = (
  ends: StreamEnds,
): OpenStream & { readonly run: (fault: Fault | undefined) => Promise<void> } => new Stream(ends);
