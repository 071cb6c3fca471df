import { ConnectionError } from '#lib/errors.ts';
import { startElection } from '#lib/loop/election/election.ts';
import { LEASES } from '#lib/loop/election/lease-object.ts';
import { leaseTimesOf } from '#lib/loop/election/times.ts';
import type { LeaseValidity } from '#lib/loop/election/types.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

/** A process that runs for leader, and its reports. */
export interface Candidate {
  /** Stops writing and releases the lease. */
  readonly release: () => Promise<void>;
  readonly reports: string[];
  /** Sets whether the process acquires a free lease, or only observes the lease. */
  readonly stand: (stands: boolean) => void;
  /** The instant from which on no other process led, when this process acquired the lease. */
  readonly aloneSinceMs: () => number | undefined;
  /** The instant until which the process may assume that it leads; 0 when it does not lead. */
  readonly validUntilMs: () => number;
  /** Whether every request of the process fails. */
  cutOff: boolean;
}

const lease = { namespace: 'default', name: 'operator' };

/** Some candidates for one lease on the virtual API server, in virtual time. */
export class Candidates {
  readonly timers = new ManualTimers();
  readonly api = new FakeApi(this.timers, []);
  readonly all: Candidate[] = [];

  start(
    identity: string,
    { random = () => 0, stands }: { readonly random?: () => number; readonly stands?: boolean } = {},
  ): Candidate {
    const reports: string[] = [];
    let alone: number | undefined;
    let validity: LeaseValidity = { elapsedMs: 0, wallMs: 0 };
    const follow = (word: string) => (given: LeaseValidity) => {
      validity = given;
      if (word !== '') reports.push(word);
    };
    const guarded = async <R>(request: () => Promise<R>): Promise<R> => {
      if (candidate.cutOff) throw new ConnectionError('cut off');
      const answer = await request();
      if (candidate.cutOff) throw new ConnectionError('cut off');
      return answer;
    };
    const { client } = this.api;
    const election = startElection({
      api: {
        get: async (...request) => guarded(async () => client.get(...request)),
        apply: async (...request) => guarded(async () => client.apply(...request)),
        patch: async (...request) => guarded(async () => client.patch(...request)),
      },
      lease,
      identity,
      times: leaseTimesOf(15),
      timers: this.timers,
      random,
      ...(stands !== undefined && { stands }),
      listener: {
        acquired: (given, aloneSinceMs) => {
          alone = aloneSinceMs;
          follow('acquired')(given);
        },
        renewed: follow(''),
        lost: (why) => {
          validity = { elapsedMs: 0, wallMs: 0 };
          reports.push(`lost: ${why}`);
        },
        restored: ({ seen, shown }) => reports.push(`restored: ${seen} > ${shown}`),
        attempted: () => reports.push('attempted'),
        follows: (holder) => reports.push(`follows ${holder}`),
        failed: () => undefined,
      },
    });
    const release = async (): Promise<void> => {
      validity = { elapsedMs: 0, wallMs: 0 };
      await election.release();
    };
    const candidate: Candidate = {
      release,
      reports,
      stand: (now) => election.stand(now),
      aloneSinceMs: () => alone,
      validUntilMs: () => validity.elapsedMs,
      cutOff: false,
    };
    this.all.push(candidate);
    return candidate;
  }

  /** The candidates that may assume that they lead. */
  leaders(): Candidate[] {
    return this.all.filter(({ validUntilMs }) => validUntilMs() > this.timers.elapsed());
  }

  /** The spec of the lease: holder and number of transitions. */
  spec(): Readonly<Record<string, unknown>> {
    return this.api.one(LEASES, lease.name)['spec'] as Record<string, unknown>;
  }
}
