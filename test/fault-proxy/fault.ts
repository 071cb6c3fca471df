import type { Call, Verb } from './call.ts';

/** Errors that the proxy returns itself, with the reasons that the API server uses. */
export type AnswerCode = 401 | 403 | 404 | 409 | 410 | 429 | 500 | 503;

/** When a fault happens to a stream: at the first of the two moments, or at once without either. */
export interface StreamMoment {
  /** Number of events passed on before, bookmarks included. */
  readonly afterEvents?: number;
  /** Milliseconds after the stream was opened. */
  readonly afterMs?: number;
}

/** A fault of a request. Plain data, so that a run can be recorded and replayed. */
export type Fault =
  /** The request is not forwarded, and the connection is cut. The caller cannot distinguish this fault from `dropAfter`. */
  | { readonly fault: 'dropBefore' }
  /** Forwarded; when the API server has answered, the connection is cut and the answer is lost. */
  | { readonly fault: 'dropAfter' }
  /**
   * The proxy calls the option `kill` and waits for it, before forwarding or after the answer; then it cuts the
   * connection.
   */
  | { readonly fault: 'kill'; readonly when: 'before' | 'after' }
  /** The request is forwarded after `ms` milliseconds. */
  | { readonly fault: 'delay'; readonly ms: number }
  /** The request is not forwarded; the proxy answers. `retryAfterSeconds` becomes the header and the detail of the status. */
  | {
      readonly fault: 'answer';
      readonly code: AnswerCode;
      readonly retryAfterSeconds?: number;
      readonly reason?: string;
    }
  /**
   * A list, or the initial events of a watch, as it was `back` answers ago (from 1); unchanged when there were fewer
   * answers.
   */
  | { readonly fault: 'staleList'; readonly back: number }
  /** The connection of the watch is cut. */
  | ({ readonly fault: 'cutStream' } & StreamMoment)
  /** The watch ends with an ERROR event, 410 by default, as after a compaction. */
  | ({ readonly fault: 'endStream'; readonly code?: AnswerCode } & StreamMoment)
  /**
   * The connection stays open and its bytes are acknowledged, but no more data arrives. For any request; a watch after
   * a moment.
   */
  | ({ readonly fault: 'halfOpen' } & StreamMoment)
  /** All events of a watch are passed on `ms` milliseconds late, in order. */
  | { readonly fault: 'holdEvents'; readonly ms: number };

/** The requests that a rule matches; an absent field matches all. */
export interface Trigger {
  readonly verb?: Verb | readonly Verb[] | 'mutating';
  /** Plural with its subresource: `pods`, `podsets/status`. */
  readonly resource?: string;
  readonly namespace?: string;
  /** A complete name, or a pattern. */
  readonly name?: string | RegExp;
  /** Only the nth of the requests that the other fields match, from 1. */
  readonly nth?: number;
  /** Start of the period, in milliseconds since the start of the proxy. */
  readonly fromMs?: number;
  /** End of the period. */
  readonly untilMs?: number;
}

/** A fault, and the requests that it applies to. */
export interface Rule {
  readonly on: Trigger;
  readonly do: Fault;
  /** Maximum number of times. @default no limit */
  readonly times?: number;
}

/** Decides about each request once, in the order of arrival. */
export type FaultPlan = (call: Call) => Fault | undefined;

/** A request and its fault. */
export interface Decision {
  readonly call: Call;
  readonly fault?: Fault;
  /** Status code of the API server's answer; absent until it answers, and when the request was not forwarded. */
  readonly status?: number;
}
