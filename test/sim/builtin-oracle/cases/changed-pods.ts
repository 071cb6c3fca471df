import type { JsonObject } from '#lib/json.ts';
import type { Case } from '../case.ts';
import { pod, podCase, spec, status, web } from './pod.ts';

const tolerated = (key: string, more: JsonObject = {}): JsonObject => ({ key, operator: 'Exists', ...more });
const forAWhile = (tolerationSeconds: number) => ({ effect: 'NoExecute', tolerationSeconds });

/** The tolerations that each pod has. */
const usual = ['not-ready', 'unreachable'].map((name) => tolerated(`node.kubernetes.io/${name}`, forAWhile(300)));

/** Changes of pods. */
export const changedPods: readonly Case[] = [
  podCase('changes that are allowed', pod({ terminationGracePeriodSeconds: 1 }), [
    spec({ containers: [{ ...web, image: 'nginx:2' }] }),
    { merge: { metadata: { labels: { a: 'b' } } } },
    spec({ activeDeadlineSeconds: 10 }),
    spec({ activeDeadlineSeconds: 5 }),
    spec({ activeDeadlineSeconds: 6 }),
    spec({ tolerations: [] }),
  ]),
  podCase('changes of a whole container', pod({ automountServiceAccountToken: false }), [
    spec({
      containers: [
        {
          ...web,
          image: 'nginx:2',
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          resources: {},
        },
      ],
    }),
    spec({ containers: [web, { name: 'b', image: 'b' }] }),
    spec({ containers: [{ ...web, image: '' }] }),
    spec({ activeDeadlineSeconds: -1 }),
    { merge: { metadata: { resourceVersion: '' }, spec: { nodeName: 'n' } } },
    { merge: { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' }] } } },
  ]),
  podCase('tolerations', pod({ tolerations: [tolerated('a', forAWhile(5))] }), [
    spec({ tolerations: [tolerated('a', forAWhile(6)), ...usual] }),
    spec({ tolerations: [tolerated('b'), tolerated('a', forAWhile(7)), ...usual] }),
    spec({ tolerations: [tolerated('b', { effect: 'NoExecute' }), tolerated('a', forAWhile(7)), ...usual] }),
    spec({ tolerations: [tolerated('b'), tolerated('a', forAWhile(7)), tolerated('c d'), ...usual] }),
  ]),
  podCase('gates are only taken away', pod({ schedulingGates: [{ name: 'a' }, { name: 'b' }] }), [
    spec({ schedulingGates: [{ name: 'a' }, { name: 'c' }] }),
    spec({ schedulingGates: [{ name: 'b' }] }),
  ]),
  podCase('status', pod({ nodeName: 'n', restartPolicy: 'OnFailure' }), [
    status({
      phase: 'Running',
      podIP: '10.1.0.1',
      hostIP: '10.2.0.1',
      hostIPs: [{ ip: '10.2.0.1' }],
      startTime: '2026-01-01T01:00:00+01:00',
      observedGeneration: 1,
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 },
      ],
      containerStatuses: [
        {
          name: 'web',
          state: { terminated: { exitCode: 0 } },
          ready: true,
          restartCount: 0,
          image: 'nginx',
          imageID: '',
          started: false,
        },
      ],
    }),
    status({ observedGeneration: 0, conditions: [{ type: 'Ready', status: 'False' }] }),
    status({ containerStatuses: [{ name: 'web', state: { running: {} } }] }),
    status({ qosClass: 'Guaranteed' }),
    status({ qosClass: null, podIPs: [{ ip: 'x' }, { ip: '1.2.3.4' }], podIP: 'x' }),
    status({ podIP: null, podIPs: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }] }),
    status({ podIP: '1.2.3.6' }),
    status({ conditions: [{ type: 'a b', status: 'X', observedGeneration: -1 }] }),
    status({ nominatedNodeName: 'X' }),
    status({ hostIP: '1.1.1.1' }),
    { subresource: 'status', merge: { spec: { nodeName: 'other' }, metadata: { labels: { a: 'b' } } } },
  ]),
];
