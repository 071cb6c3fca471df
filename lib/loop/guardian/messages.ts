import type { Authentication } from '#lib/kube/credentials/authentication.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { LeaseTarget } from '#lib/loop/election/lease-object.ts';
import type { LeaseTimes } from '#lib/loop/election/times.ts';
import type { LeaseVersions } from '#lib/loop/election/types.ts';

/** The lease for which this process is a candidate, and the identity of the process. */
export interface Candidacy {
  readonly lease: LeaseTarget;
  readonly identity: string;
  readonly times: LeaseTimes;
}

/** A kind with supervised functions. */
export interface GuardedKind {
  readonly resource: ApiResource;
  /** The field manager of status writes of this kind. */
  readonly fieldManager: string;
}

/** The data with which the guardian starts. */
export interface GuardianData {
  readonly board: SharedArrayBuffer;
  readonly server: string;
  readonly authentication: Authentication;
  /** The kinds of this process. A call on the `Board` refers to a kind by its position. */
  readonly kinds: readonly GuardedKind[];
  /** Absent when leader election is off. */
  readonly candidacy?: Candidacy;
  /** The value of {@link clockOriginMs} in the main thread. */
  readonly originMs: number;
}

/** Messages from the guardian. */
export type FromGuardian =
  | { readonly type: 'attempted' | 'released' | 'renew' }
  /** See `Acquired`. The time is by the clock of the main thread. */
  | { readonly type: 'acquired'; readonly aloneSinceMs: number }
  /** See `ElectionListener.restored`. The time is by the clock of the main thread. */
  | { readonly type: 'restored'; readonly versions: LeaseVersions; readonly seenAtMs: number }
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'follows'; readonly holder: string }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly retryInMs: number };

/** Messages to the guardian. */
export type ToGuardian =
  | { readonly type: 'credentials'; readonly authentication: Authentication }
  /** Whether to take the lease when it is free. */
  | { readonly type: 'stand'; readonly stands: boolean }
  | { readonly type: 'release' };
