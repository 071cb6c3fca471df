import type { Authentication } from '#lib/kube/credentials/authentication.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { LeaseTarget } from '#lib/loop/election/lease-object.ts';
import type { LeaseTimes } from '#lib/loop/election/times.ts';
import type { LeaseVersions } from '#lib/loop/election/types.ts';

/** The lease that this process runs for, and its identity. */
export interface Candidacy {
  readonly lease: LeaseTarget;
  readonly identity: string;
  readonly times: LeaseTimes;
}

/** A kind with supervised functions. */
export interface GuardedKind {
  readonly resource: ApiResource;
  /** The one of its other writes. */
  readonly fieldManager: string;
}

/** The data that the guardian's thread starts with. */
export interface GuardianData {
  readonly board: SharedArrayBuffer;
  readonly server: string;
  readonly authentication: Authentication;
  /** By number: the names that calls refer to. */
  readonly kinds: readonly GuardedKind[];
  /** Absent when leader election is off. */
  readonly candidacy?: Candidacy;
  /** See {@link clockOriginMs}: of the main thread. */
  readonly originMs: number;
}

/** Messages from the guardian. */
export type FromGuardian =
  | { readonly type: 'attempted' | 'released' | 'renew' }
  /** See `Acquired`; by the main thread's clock. */
  | { readonly type: 'acquired'; readonly aloneSinceMs: number }
  /** See `ElectionListener.restored`; by the main thread's clock. */
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
