import type { Tuning } from '#lib/desired/settings/tuning.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { TransportOptions } from '#lib/kube/transport/request.ts';
import type { Candidacy } from '#lib/loop/guardian/messages.ts';

/** The default, in milliseconds, if leader election is off. */
const WRITE_TIMEOUT_MS = 30_000;

/**
 * The time limit of a write, in milliseconds. The default is the renew deadline of the lease, or 30 s without leader
 * election.
 *
 * @throws {ConfigurationError} when the time limit is longer than the renew deadline, because the write could outlast the
 * lease
 */
export const writeTimeoutOf = ({ writeTimeoutSeconds }: Tuning, candidacy?: Pick<Candidacy, 'times'>): number => {
  const limitMs = candidacy?.times.renewDeadlineMs;
  if (writeTimeoutSeconds === undefined) return limitMs ?? WRITE_TIMEOUT_MS;
  const timeoutMs = writeTimeoutSeconds * 1000;
  if (limitMs === undefined || timeoutMs <= limitMs) return timeoutMs;
  throw new ConfigurationError(
    `The write timeout is ${writeTimeoutSeconds} seconds, and the lease allows ${Math.floor(limitMs / 1000)}: ` +
      'lower writeTimeoutSeconds (WRITE_TIMEOUT_SECONDS), or raise the lease duration (LEASE_DURATION_SECONDS)',
  );
};

/** The transport options of the loop: the number of connections and the timeout of reads. Absent settings stay absent. */
export const clientOptionsOf = ({ connections, readTimeoutSeconds }: Tuning): TransportOptions => ({
  ...(connections !== undefined && { connections }),
  ...(readTimeoutSeconds !== undefined && { requestTimeoutMs: readTimeoutSeconds * 1000 }),
});
