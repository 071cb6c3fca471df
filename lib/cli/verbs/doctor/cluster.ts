import { ConnectionError } from '#lib/errors.ts';
import { lasting } from '../../objects/age.ts';
import { textAt } from '../../objects/json.ts';
import type { ApiAnswer, Cluster } from '../../shell/context.ts';
import { type DoctorFinding, failedCheck, ok, warning } from './finding.ts';

/** The oldest minor version of Kubernetes 1 that has all APIs that this library uses. */
const OLDEST = 30;
const NEWEST = 37;
const TESTED = 36;

/**
 * The clock skew that causes a warning, in milliseconds. Deadlines use the clock of the operator, and users compare them with
 * their own clock.
 */
const SKEW_WARNING_MS = 5_000;
const SKEW_FAILED_MS = 60_000;

const versionFinding = (server: string, { code, body }: ApiAnswer): DoctorFinding => {
  const version = textAt(body, 'gitVersion') ?? '';
  const minor = Number(/^v1\.(\d+)/.exec(version)?.[1] ?? Number.NaN);
  if (code === 401 || code === 403)
    return failedCheck(
      'cluster',
      `${server} refuses the credentials (${code})`,
      'sign in again, or choose another context: --context',
    );
  if (code >= 400 || Number.isNaN(minor))
    return failedCheck(
      'cluster',
      `${server} answers ${code} and no version: it is no API server`,
      'choose another context: --context',
    );
  if (minor >= OLDEST && minor <= NEWEST) return ok('cluster', `${server} answers, Kubernetes ${version}`);
  return warning(
    'cluster',
    `Kubernetes ${version} is outside of 1.${OLDEST} to 1.${NEWEST}, for which this is made (tests run on 1.${TESTED})`,
    minor < OLDEST ? 'upgrade the cluster' : 'upgrade cdk8s-reconcile, if there is a newer version',
  );
};

const clockFinding = ({ date }: ApiAnswer, now: number): DoctorFinding[] => {
  if (date === undefined) return [];
  // The `Date` header has whole seconds, so a difference of one second is not a skew.
  const skew = Math.max(0, Math.abs(now - date) - 1000);
  if (skew <= SKEW_WARNING_MS) return [ok('clock', 'this clock and that of the API server agree')];
  const message = `this clock is ${lasting(skew)} ${now > date ? 'ahead of' : 'behind'} that of the API server`;
  const fix = 'synchronize the clocks (NTP), those of the nodes, too';
  return [skew > SKEW_FAILED_MS ? failedCheck('clock', message, fix) : warning('clock', message, fix)];
};

/** The result of {@link examineCluster}. */
export interface ClusterExamination {
  readonly findings: readonly DoctorFinding[];
  /** The time of the API server minus the local time, in milliseconds; 0 if the API server reports no time. */
  readonly aheadMs: number;
}

/**
 * Checks connection, version and clock of the cluster.
 *
 * @param cluster - the cluster
 * @param clock - returns the local time, in epoch milliseconds. The time is read after the response, because the credentials of
 * the first request can take long, for example a login in a browser.
 */
export const examineCluster = async (cluster: Cluster, clock: () => number): Promise<ClusterExamination> => {
  const answer = await cluster.ask('/version').catch((error: unknown) => {
    if (error instanceof ConnectionError) return error;
    throw error;
  });
  if (answer instanceof ConnectionError) {
    const fix = 'start it, or choose another one: --kubeconfig, --context';
    return { findings: [failedCheck('cluster', answer.message, fix)], aheadMs: 0 };
  }
  const now = clock();
  const findings = [versionFinding(cluster.server, answer), ...clockFinding(answer, now)];
  return { findings, aheadMs: (answer.date ?? now) - now };
};
