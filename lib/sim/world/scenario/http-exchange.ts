import type { HttpAnswer } from '#lib/kube/interface/http.ts';

/** An HTTP request that an operator sent for an effect, and its result. */
export interface HttpExchange {
  /** The operator that sent the request, such as `operator-1`. */
  readonly operator: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Whether the URL comes from a Secret. */
  readonly isUrlSecret?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The uid of the resource and the key of the effect. */
  readonly idempotencyKey: string;
  /**
   * `sent`: the request is in transit, even if the sender no longer waits. `performed`: the request arrived, and the sender may
   * or may not have received the response. `lost`: the request will never arrive.
   */
  readonly fate: 'sent' | 'performed' | 'lost';
  /** The response; present for a performed request. */
  readonly answer?: HttpAnswer;
}
