import type { ApiResource } from '#lib/kube/api.ts';
import type { Authentication } from '#lib/kube/authentication.ts';
import type { LeaseTarget } from '#lib/loop/election/lease-object.ts';
import type { LeaseTimes } from '#lib/loop/election/times.ts';

/** Which lease this process runs for, and as whom. */
export interface Candidacy {
  readonly lease: LeaseTarget;
  readonly identity: string;
  readonly times: LeaseTimes;
}

/** A kind whose functions are watched over. */
export interface GuardedKind {
  readonly resource: ApiResource;
  /** The one of its other writes. */
  readonly fieldManager: string;
}

/** What a guardian starts with. */
export interface GuardianData {
  readonly board: SharedArrayBuffer;
  readonly server: string;
  readonly authentication: Authentication;
  /** By number: what calls are announced with. */
  readonly kinds: readonly GuardedKind[];
  /** Absent when leader election is off. */
  readonly candidacy?: Candidacy;
  /** See {@link clockOriginMs}: of the main thread. */
  readonly originMs: number;
}

/** What the guardian tells. */
export type FromGuardian =
  | { readonly type: 'acquired' | 'attempted' | 'released' | 'renew' }
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'follows'; readonly holder: string }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly retryInMs: number };

/** What the guardian is told. */
export type ToGuardian =
  | { readonly type: 'credentials'; readonly authentication: Authentication }
  | { readonly type: 'release' };
