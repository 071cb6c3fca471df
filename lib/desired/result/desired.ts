import type { KubeObject } from '#lib/kind/handles/reference.ts';
import type { ChildIntent } from './intent.ts';
import type { State } from './state.ts';

/** A condition from the function, in addition to Ready, Reconciling and Stalled. */
export interface DesiredCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/**
 * An event about the resource. The loop sends the event when it writes a changed status from the same result. The loop sends the
 * event of an extension when its state or the reason of its state changes.
 */
export interface DesiredEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/**
 * The source of the only CA certificates that the loop trusts for a server: a key of a ConfigMap or a Secret in the namespace
 * of the resource.
 */
export interface CertificateAuthority {
  readonly configMapName?: string | undefined;
  /** The name of the Secret, in place of a ConfigMap. */
  readonly secretName?: string | undefined;
  /** @default 'ca.crt' */
  readonly key?: string | undefined;
}

/** An effect: an HTTP request or a dry run, as data. The loop sends the request, and later passes receive the outcome. */
export type Effect =
  | {
      readonly effect: 'http';
      /**
       * `metric`: the request must be an instant query, `GET …/api/v1/query?query=…`, and is sent only to hosts that may receive
       * metric queries (see `EffectHostLists`). Without a purpose, the lists of a host decide which requests it receives.
       *
       * @default none
       */
      readonly purpose?: 'metric';
      readonly key: string;
      readonly request: {
        readonly method: 'GET' | 'POST';
        readonly url: string | { readonly secretName: string; readonly key: string };
        readonly body?: string;
        readonly credentials?: { readonly secretName: string };
        /** The certificate authority of the server. @default the authorities that the process trusts */
        readonly certificateAuthority?: CertificateAuthority;
      };
      readonly timeoutSeconds: number;
      readonly retries: number;
    }
  | { readonly effect: 'dryRun'; readonly key: string; readonly object: KubeObject };

/** The result of the function of a kind. */
export interface Desired<St> {
  /**
   * The intents of the children, in any order. A child without an intent is pruned, unless `partial` is set, or the deletion
   * needs the consent of a user.
   */
  readonly children: readonly ChildIntent[];
  /** Set to the reason if `children` is incomplete. The loop then prunes no children. */
  readonly partial?: string;
  readonly status: St;
  readonly state: State;
  readonly conditions?: readonly DesiredCondition[];
  readonly events?: readonly DesiredEvent[];
  readonly effects?: readonly Effect[];
}
