import type { Call, Verb } from './call.ts';

/** Errors that the proxy answers itself, with the reason that the API server gives them. */
export type AnswerCode = 401 | 403 | 404 | 409 | 410 | 429 | 500 | 503;

/** When something happens to a stream; the first of the two that comes, at once when neither is given. */
export interface StreamMoment {
  /** So many events have been passed on, bookmarks included. */
  readonly afterEvents?: number;
  /** So many milliseconds after the stream was opened. */
  readonly afterMs?: number;
}

/** What can be done to a request. Plain data, so that a run can be written down and played again. */
export type Fault =
  /** Never forwarded; the connection is cut. The caller cannot tell it from the next. */
  | { readonly fault: 'dropBefore' }
  /** Forwarded; when the API server has answered, the connection is cut in place of passing the answer on. */
  | { readonly fault: 'dropAfter' }
  /** `kill` of the options is called and waited for, before forwarding or after the answer; then the connection is cut. */
  | { readonly fault: 'kill'; readonly when: 'before' | 'after' }
  /** Forwarded so many milliseconds later. */
  | { readonly fault: 'delay'; readonly ms: number }
  /** Not forwarded; answered by the proxy. `retryAfterSeconds` becomes the header and the detail of the status. */
  | {
      readonly fault: 'answer';
      readonly code: AnswerCode;
      readonly retryAfterSeconds?: number;
      readonly reason?: string;
    }
  /** A list, or the initial events of a watch, from so many answers ago (from 1); as usual when there were not so many. */
  | { readonly fault: 'staleList'; readonly back: number }
  /** A watch whose connection is cut. */
  | ({ readonly fault: 'cutStream' } & StreamMoment)
  /** A watch that ends with an ERROR event, 410 by default, as when its history was compacted. */
  | ({ readonly fault: 'endStream'; readonly code?: AnswerCode } & StreamMoment)
  /** The connection stays open and its bytes are acknowledged, but nothing comes any more. Any request; a watch after a moment. */
  | ({ readonly fault: 'halfOpen' } & StreamMoment)
  /** A watch whose events are all passed on so many milliseconds late, in their order. */
  | { readonly fault: 'holdEvents'; readonly ms: number };

/** Which requests are meant; an absent field matches all. */
export interface Trigger {
  readonly verb?: Verb | readonly Verb[] | 'mutating';
  /** With its subresource: `pods`, `podsets/status`. */
  readonly resource?: string;
  readonly namespace?: string;
  /** A whole name, or a pattern. */
  readonly name?: string | RegExp;
  /** Only the nth of the requests that the other fields match, from 1. */
  readonly nth?: number;
  /** Not before so many milliseconds after the start of the proxy … */
  readonly fromMs?: number;
  /** … and not later than so many. */
  readonly untilMs?: number;
}

/** What is done to which requests. */
export interface Rule {
  readonly on: Trigger;
  readonly do: Fault;
  /** How many times at most. @default no limit */
  readonly times?: number;
}

/** Decides about a request; called once for each, in the order of their arrival. */
export type FaultPlan = (call: Call) => Fault | undefined;

/** A request, and what was done to it. */
export interface Decision {
  readonly call: Call;
  readonly fault?: Fault;
  /** What the API server answered, as soon as it did; absent when it was not asked. */
  readonly status?: number;
}
