import { describe, expect, it } from 'vitest';
import { errorOfAnswer } from '#lib/kube/interface/status-error.ts';
import { isOverload } from '#lib/loop/flow/write-slots.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { type Throttle, throttle } from './throttle.ts';

/** A plane, and the installed operator that leads on it. */
export interface Around {
  readonly plane: ControlPlane;
  readonly operator: OperatorProcess;
}

interface PodSetBody {
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly message: string }[];
  };
}

interface Events {
  readonly items: readonly { readonly reason: string; readonly note: string }[];
}

const merge = { contentType: 'application/merge-patch+json' };

/** One PodSet in a namespace of its own. */
class Subject {
  readonly namespace: string;
  readonly path: string;
  readonly #plane: ControlPlane;

  constructor(plane: ControlPlane, namespace: string) {
    this.#plane = plane;
    this.namespace = namespace;
    this.path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/web`;
  }

  async status(): Promise<NonNullable<PodSetBody['status']>> {
    return (await this.#plane.request<PodSetBody>('GET', this.path)).body.status ?? {};
  }

  async scale(replicas: number): Promise<void> {
    await this.#plane.request('PATCH', this.path, { spec: { replicas } }, merge);
  }

  async has(replicas: number): Promise<void> {
    await waitFor(`${replicas} pods`, async () => (await this.status()).replicas === replicas);
  }

  /** Writes the status as another controller does, unless it already has this value. */
  async rival(readyReplicas: number): Promise<void> {
    if ((await this.status()).readyReplicas === readyReplicas) return;
    await this.#plane.request('PATCH', `${this.path}/status?fieldManager=rival`, { status: { readyReplicas } }, merge);
  }
}

const subjectIn = async (plane: ControlPlane, prefix: string): Promise<Subject> => {
  const subject = new Subject(plane, await plane.createNamespace(prefix));
  const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' } };
  await plane.request('POST', subject.path.replace(/\/web$/, ''), { ...body, spec: { replicas: 1 } });
  await subject.has(1);
  return subject;
};

const metric = async ({ log }: OperatorProcess, series: string): Promise<number> => {
  const port = String(log.find(({ msg }) => msg === 'operator started')?.['metricsPort']);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
};

const STALE = 'cdk8s_reconcile_status_stale_seconds{controller="podset"}';
const LIMIT = 'cdk8s_reconcile_writes_in_flight_limit';

const RIVALRY_MS = 4000;

/** Requests for pods and statuses; renewals of the lease have another priority level. */
const RULES = [
  { verbs: ['patch'], apiGroups: ['app.example.com'], resources: ['podsets/status'] },
  { verbs: ['create'], apiGroups: [''], resources: ['pods'] },
];

/** Checks that the loop treats the server's answer as an overload, with the server's own body. */
const expectOverload = ({ status: httpStatus, retryAfter, body }: Throttle['answer']): void => {
  expect([httpStatus, retryAfter, body]).toEqual([429, '1', 'Too many requests, please try again later.\n']);
  expect(isOverload(errorOfAnswer('patch podsets', { method: 'PATCH', httpStatus, body, receivedAt: 0 }))).toBe(true);
};

/** Defines the tests of the status when the API server refuses writes, or another writer competes. */
export const statusUnderDistress = (around: () => Around): void => {
  describe('the status of a resource', () => {
    it('is corrected ever more rarely while another writer keeps changing it, and event and condition name writer and field (P11)', async () => {
      const { plane } = around();
      const subject = await subjectIn(plane, 'contest');
      const said = '"rival" keeps changing status.readyReplicas; stop one of the two writers';
      await waitFor('the rival to be named', async () => {
        await subject.rival(9);
        return (await subject.status()).conditions?.some(({ message }) => message === said) ?? false;
      });
      const since = new Date();
      await waitFor('some seconds', async () => {
        await subject.rival(9);
        return Date.now() - since.getTime() > RIVALRY_MS;
      });
      const { namespace } = subject;
      const written = (await plane.auditEntries({ user: OPERATOR_USER, namespace, since })).filter(
        ({ resource, subresource }) => resource === 'podsets' && subresource === 'status',
      );
      // Without a limit the operator would write the status up to four times a second.
      expect(written.length).toBeLessThanOrEqual(RIVALRY_MS / 1000);
      const events = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const conflicts = (await plane.request<Events>('GET', events)).body.items.filter(({ note }) => note === said);
      expect(conflicts.map(({ reason }) => reason)).toEqual(['StatusConflict']);
      await plane.request('DELETE', subject.path);
    });

    it('grows old, as a metric shows, while priority and fairness refuses its writes; fewer are sent, the lease is renewed all the same, and what was missed is made up for', async () => {
      const { plane, operator } = around();
      const subject = await subjectIn(plane, 'throttled');
      await waitFor('fresh statuses', async () => (await metric(operator, STALE)) < 1);
      const since = new Date();
      {
        const status = `${subject.path}/status`;
        await using throttled = await throttle(plane, { serviceAccount: OPERATOR, rules: RULES, status });
        expectOverload(throttled.answer);
        await subject.scale(6);
        await waitFor('one write at a time', async () => (await metric(operator, LIMIT)) === 1);
        await waitFor('an old status', async () => (await metric(operator, STALE)) > 5);
        const sent = await plane.auditEntries({ user: OPERATOR_USER, since });
        const renewals = sent.filter(({ resource }) => resource === 'leases').map(({ code }) => code);
        expect(renewals.length).toBeGreaterThanOrEqual(2);
        expect(renewals).toEqual(renewals.map(() => 200));
        const refused = sent.filter(({ code }) => code === 429).length;
        expect(refused).toBeGreaterThan(0);
        // One or two refusals each second, and those of the first round.
        expect(refused).toBeLessThan(30);
      }
      await subject.has(6);
      await waitFor('fresh statuses again', async () => (await metric(operator, STALE)) < 1);
      expect(operator.log.filter(({ msg }) => msg === 'leading')).toHaveLength(1);
    });
  });
};
