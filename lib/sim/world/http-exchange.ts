import type { HttpAnswer } from '#lib/kube/http.ts';

/** A request of an operator to the world outside of the cluster, and what became of it. */
export interface HttpExchange {
  /** Who sent it, such as `operator-1`. */
  readonly operator: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** The address came out of a Secret. */
  readonly isUrlSecret?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The uid of the resource and the key of the effect. */
  readonly idempotencyKey: string;
  /**
   * `sent`: on its way, also when whoever sent it does not wait any more; `performed`: it arrived, whether or not its answer
   * was heard; `lost`: it never will arrive.
   */
  readonly fate: 'sent' | 'performed' | 'lost';
  /** Of what was performed. */
  readonly answer?: HttpAnswer;
}
