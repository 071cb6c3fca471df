import { Pod } from '#lib/kind/handles/reference.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { type Case, type Hands, refusedAtLast } from './hands.ts';
import { containers, fieldManager, handle, objectOf, pod, Quota } from './objects.ts';

const quota = async (on: Hands, hard: object): Promise<void> => {
  await on.create(Quota, objectOf(Quota, 'quota', { spec: { hard } }));
  const target = { namespace: on.namespace, name: 'quota' };
  await waitFor('the quota to be counted', async () => {
    const { status } = (await on.admin.get(Quota, target)) as { status?: { hard?: object } };
    return status?.hard !== undefined;
  });
};

/** What authorization and admission refuse. */
export const refusedByAdmission: readonly Case[] = [
  {
    reason: 'a quota is used up',
    expected: 'QuotaExceeded',
    httpStatus: 403,
    provoke: async (on) => {
      await quota(on, { pods: '0' });
      return on.create(Pod, pod('a'));
    },
  },
  {
    reason: 'a quota asks for limits that the pod does not say',
    expected: 'QuotaExceeded',
    httpStatus: 403,
    provoke: async (on) => {
      await quota(on, { 'limits.cpu': '1' });
      return on.create(Pod, pod('a'));
    },
  },
  {
    reason: 'a LimitRange allows less',
    expected: 'AdmissionDenied',
    httpStatus: 403,
    provoke: async (on) => {
      const Range = handle('v1', 'LimitRange', 'limitranges');
      await on.create(Range, objectOf(Range, 'r', { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } }));
      const resources = { limits: { cpu: '2' } };
      return refusedAtLast(async (attempt) =>
        on.create(Pod, pod(`p${attempt}`, { containers: [{ ...containers[0], resources }] })),
      );
    },
  },
  {
    reason: 'the ServiceAccount is missing',
    expected: 'AdmissionDenied',
    httpStatus: 403,
    provoke: async (on) => on.create(Pod, pod('a', { serviceAccountName: 'missing' })),
  },
  {
    reason: 'the priority class is missing',
    expected: 'AdmissionDenied',
    httpStatus: 403,
    provoke: async (on) => on.create(Pod, pod('a', { priorityClassName: 'missing' })),
  },
  {
    reason: 'Pod Security denies it',
    expected: 'AdmissionDenied',
    httpStatus: 403,
    provoke: async (on) => {
      await on.plane.kubectl(['label', 'namespace', on.namespace, 'pod-security.kubernetes.io/enforce=restricted']);
      return on.create(Pod, pod('a'));
    },
  },
  {
    reason: 'the user has no right to create',
    expected: 'Forbidden',
    httpStatus: 403,
    provoke: async (on) => on.nobody.create(Pod, pod('a'), { namespace: on.namespace, fieldManager }),
  },
  {
    reason: 'the user has no right to patch',
    expected: 'Forbidden',
    httpStatus: 403,
    provoke: async (on) =>
      on.nobody.patch(Pod, { namespace: on.namespace, name: 'a' }, {}, { type: 'merge', fieldManager }),
  },
];
