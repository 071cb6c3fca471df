import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { harnessUser } from '#test/control-plane/users.ts';

/** The requests that priority and fairness refuses. */
export interface ThrottleOptions {
  /** Name of the ServiceAccount that sends the requests, and of its namespace. */
  readonly serviceAccount: string;
  /** Rules of a FlowSchema, which apply in all namespaces. */
  readonly rules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
  }[];
  /** Path of the status of an object that one of the rules matches. */
  readonly status: string;
}

/** A priority level without a free seat. */
export interface Throttle extends AsyncDisposable {
  /** The answer of the API server to each refused request. */
  readonly answer: { readonly status: number; readonly retryAfter: string | undefined; readonly body: string };
}

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';
const NAME = 'no-seat';

/** Even a level with no shares has room for one request, while nothing else is under way. */
const LEVEL = {
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: 0,
    lendablePercent: 0,
    borrowingLimitPercent: 0,
    limitResponse: { type: 'Reject' },
  },
};

/** Sends a patch that changes nothing as the ServiceAccount, and leaves its body open. */
const patchOf = ({ access }: ControlPlane, { serviceAccount, status }: ThrottleOptions): ClientRequest => {
  const token = access.credentials.find(({ user }) => user === harnessUser)?.token ?? '';
  const headers = {
    authorization: `Bearer ${token}`,
    'impersonate-user': `system:serviceaccount:${serviceAccount}:${serviceAccount}`,
    'content-type': 'application/merge-patch+json',
  };
  const options = { method: 'PATCH', ca: readFileSync(access.caFile), agent: false, headers } as const;
  const sent = request(`${access.url}${status}?dryRun=All`, options);
  // The connection may be cut.
  sent.on('error', () => undefined);
  sent.write('{');
  return sent;
};

const answerTo = async (sent: ClientRequest): Promise<Throttle['answer']> => {
  sent.end('}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers } = response;
  return { status, retryAfter: headers['retry-after'], body: await text(response) };
};

/**
 * Makes the API server refuse the requests of a ServiceAccount by priority and fairness, until the throttle is disposed of. The
 * requests get a priority level with one seat, and a request with an endless body holds this seat. The throttle ends by itself
 * within a minute, when the open request times out.
 */
export const throttle = async (plane: ControlPlane, options: ThrottleOptions): Promise<Throttle> => {
  const { serviceAccount: name, rules } = options;
  await plane.request('POST', `${GROUP}/prioritylevelconfigurations`, { metadata: { name: NAME }, spec: LEVEL });
  const resourceRules = rules.map((rule) => ({ ...rule, namespaces: ['*'] }));
  const subjects = [{ kind: 'ServiceAccount', serviceAccount: { namespace: name, name } }];
  const spec = {
    matchingPrecedence: 2,
    priorityLevelConfiguration: { name: NAME },
    rules: [{ subjects, resourceRules }],
  };
  await plane.request('POST', `${GROUP}/flowschemas`, { metadata: { name: NAME }, spec });
  let seated = patchOf(plane, options);
  let answer: Throttle['answer'] = { status: 0, retryAfter: undefined, body: '' };
  await waitFor('requests to be refused', async () => {
    answer = await answerTo(patchOf(plane, options));
    if (answer.status === 429) return true;
    // The open request began before the level took effect, or another request holds the seat.
    seated.destroy();
    seated = patchOf(plane, options);
    return false;
  });
  return {
    answer,
    [Symbol.asyncDispose]: async () => {
      await plane.request('DELETE', `${GROUP}/flowschemas/${NAME}`);
      await plane.request('DELETE', `${GROUP}/prioritylevelconfigurations/${NAME}`);
      seated.destroy();
    },
  };
};
