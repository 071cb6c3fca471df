import { instantOf } from '#lib/desired/clock.ts';
import { isPlainObject } from '#lib/json.ts';
import type { ApiObject, ApiResource, ApiTarget } from '#lib/kube/interface/api.ts';

/** The API resource of Leases. */
export const LEASES: ApiResource = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};

/** The namespace and the name of a lease. */
export type LeaseTarget = Required<ApiTarget>;

/** The fields of a lease that an election uses. */
export interface LeaseRecord {
  /** The identity of the leader; empty when there is no leader. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** A value that changes with every renewal, and is compared for equality only. */
  readonly mark: string;
}

const numberIn = (value: unknown, fallback: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback;

/** Reads a lease. An absent or invalid holder counts as none, and an absent or invalid number as 0. */
export const leaseRecordOf = (lease: ApiObject): LeaseRecord => {
  const spec = isPlainObject(lease['spec']) ? lease['spec'] : {};
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = spec;
  return {
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    durationMs: numberIn(leaseDurationSeconds, 0) * 1000,
    transitions: numberIn(leaseTransitions, 0),
    mark: `${lease.metadata.uid} ${JSON.stringify(spec)}`,
  };
};

/** A time in the format of metav1.MicroTime, with exactly six digits after the second. */
const microTime = (epochMs: number): string => instantOf(Math.round(epochMs * 1000));

/** The new holder of a lease, and the wall-clock time for users. No decision depends on the time. */
export interface Taking {
  readonly identity: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly nowMs: number;
}

/** The spec of a lease for a new holder. */
export const takenSpec = ({ identity, durationMs, transitions, nowMs }: Taking): object => ({
  holderIdentity: identity,
  leaseDurationSeconds: Math.round(durationMs / 1000),
  acquireTime: microTime(nowMs),
  renewTime: microTime(nowMs),
  leaseTransitions: transitions,
});

/** The changes of the spec for a renewal. */
export const renewedSpec = (nowMs: number): object => ({ renewTime: microTime(nowMs) });

/** The changes of the spec for a release, as in client-go: the lease has no holder, and expires after a second. */
export const releasedSpec = (nowMs: number): object => ({
  holderIdentity: null,
  leaseDurationSeconds: 1,
  renewTime: microTime(nowMs),
});
