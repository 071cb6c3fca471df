import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { shortHash } from '#lib/desired/canonical/canonical.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { isDns1123Label, isDnsSubdomain } from '#lib/kind/dns.ts';
import { namesOf } from '#lib/kind/names.ts';
import { leaseTimesOf } from '#lib/loop/election/times.ts';
import type { Candidacy } from '#lib/loop/guardian/messages.ts';

/**
 * Options of leader election among processes with the same kinds. Each option takes precedence over its environment variable.
 */
export interface LeaderElectionOptions {
  /** The name of the Lease. @default `LEASE_NAME`; without it, `cdk8s-reconcile-` and a hash of the kinds */
  readonly leaseName?: string;
  /** The namespace of the Lease. @default `POD_NAMESPACE`; without it, the namespace of the pod or of the kubeconfig's context */
  readonly namespace?: string;
  /**
   * The duration of the Lease in whole seconds, 1–3600. The leader renews the Lease at intervals of 2/15 of the duration. It
   * stops after 2/3 of the duration without a renewal.
   *
   * @default `LEASE_DURATION_SECONDS`; without it, 15
   */
  readonly leaseDurationSeconds?: number;
}

/** Options of {@link candidacyOf}. */
export interface CandidacyInput {
  /** The options of leader election, or false to work without it. @default `LEADER_ELECTION`; without it, on */
  readonly leaderElection?: boolean | LeaderElectionOptions | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly kinds: readonly AnyKindDefinition[];
  /** The namespace of the credentials. */
  readonly namespace: string;
}

const HASH_LENGTH = 8;

/** An empty value counts as absent, as in other Kubernetes manifests. */
const settingOf = (env: CandidacyInput['env'], name: string): string | undefined => env[name] || undefined;

const isOn = (text: string | undefined): boolean => {
  if (text === undefined || text === 'true') return true;
  if (text === 'false') return false;
  throw new ConfigurationError(`LEADER_ELECTION is "${text}": set it to true or false`);
};

/** Only digits are valid, as in other numbers of the environment. */
const secondsOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new ConfigurationError(
    `LEASE_DURATION_SECONDS is ${JSON.stringify(text)}: set it to a whole number from 1 to 3600`,
  );
};

const checked = (value: string, isName: (name: string) => boolean, what: string): string => {
  if (isName(value)) return value;
  throw new ConfigurationError(
    `Cannot run for leader: ${what} is "${value}"; expected lower-case letters, digits and "-", as Kubernetes names are`,
  );
};

/** The default lease name, equal for all processes that run the same kinds. */
const defaultNameOf = (kinds: readonly AnyKindDefinition[]): string =>
  `cdk8s-reconcile-${shortHash(kinds.map((kind) => namesOf(kind).crdName).toSorted(), HASH_LENGTH)}`;

/**
 * Reads the Lease, the identity of the process and the times of leader election.
 *
 * @returns undefined when leader election is off
 * @throws {ConfigurationError} for invalid settings
 */
export const candidacyOf = ({ leaderElection, env, kinds, namespace }: CandidacyInput): Candidacy | undefined => {
  if (!['boolean', 'object', 'undefined'].includes(typeof leaderElection) || leaderElection === null)
    throw new ConfigurationError(
      `leaderElection is ${JSON.stringify(leaderElection)}: set it to true, false or its options`,
    );
  const options = typeof leaderElection === 'object' ? leaderElection : {};
  const on = leaderElection === undefined ? isOn(settingOf(env, 'LEADER_ELECTION')) : leaderElection !== false;
  if (!on) return undefined;
  const name = options.leaseName ?? settingOf(env, 'LEASE_NAME') ?? defaultNameOf(kinds);
  const where = options.namespace ?? settingOf(env, 'POD_NAMESPACE') ?? namespace;
  const seconds = options.leaseDurationSeconds ?? secondsOf(settingOf(env, 'LEASE_DURATION_SECONDS'));
  return {
    lease: {
      namespace: checked(where, isDns1123Label, 'the namespace of the lease'),
      name: checked(name, isDnsSubdomain, 'the name of the lease'),
    },
    identity: `${settingOf(env, 'POD_NAME') ?? hostname()}_${randomUUID()}`,
    times: leaseTimesOf(seconds),
  };
};
