import { ConnectionError } from '#lib/errors.ts';
import { startElection } from '#lib/loop/election/election.ts';
import { LEASES } from '#lib/loop/election/lease-object.ts';
import { leaseTimesOf } from '#lib/loop/election/times.ts';
import type { LeaseValidity } from '#lib/loop/election/types.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

/** One process that runs for leader, and what it was told. */
export interface Candidate {
  /** Stops writing and gives the lease back. */
  readonly release: () => Promise<void>;
  readonly told: string[];
  /** Takes the lease when it is free, or only looks at it. */
  readonly stand: (stands: boolean) => void;
  /** Since when it was alone when it took the lease. */
  readonly aloneSinceMs: () => number | undefined;
  /** Until when it may think that it leads; 0 when it does not. */
  readonly validUntilMs: () => number;
  /** Cuts it off: from now on every request of it fails. */
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
    const told: string[] = [];
    let alone: number | undefined;
    let validity: LeaseValidity = { elapsedMs: 0, wallMs: 0 };
    const follow = (word: string) => (given: LeaseValidity) => {
      validity = given;
      if (word !== '') told.push(word);
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
          told.push(`lost: ${why}`);
        },
        restored: ({ seen, shown }) => told.push(`restored: ${seen} > ${shown}`),
        attempted: () => told.push('attempted'),
        follows: (holder) => told.push(`follows ${holder}`),
        failed: () => undefined,
      },
    });
    const release = async (): Promise<void> => {
      validity = { elapsedMs: 0, wallMs: 0 };
      await election.release();
    };
    const candidate: Candidate = {
      release,
      told,
      stand: (now) => election.stand(now),
      aloneSinceMs: () => alone,
      validUntilMs: () => validity.elapsedMs,
      cutOff: false,
    };
    this.all.push(candidate);
    return candidate;
  }

  /** Those who may think that they lead. */
  leaders(): Candidate[] {
    return this.all.filter(({ validUntilMs }) => validUntilMs() > this.timers.elapsed());
  }

  /** Who holds the lease, and how often it changed hands. */
  spec(): Readonly<Record<string, unknown>> {
    return this.api.one(LEASES, lease.name)['spec'] as Record<string, unknown>;
  }
}
