import { nothingWritten } from './at-rest.ts';
import { untilSaid } from './conditions.ts';
import { startKyverno } from './kyverno.ts';
import { NAMED_MS, overriddenBy } from './override.ts';
import { ask, type Fleet, onSite, RESOURCES, type Site, untilQuiet, untilWell } from './site.ts';

const REST_MS = 30_000;

interface Match {
  readonly kinds: readonly string[];
  /** The label of the namespaces. */
  readonly hook: string;
  readonly operations?: readonly string[];
}

const ruleOf = (name: string, { kinds, hook, operations }: Match, does: object): object => ({
  name,
  match: {
    any: [{ resources: { kinds, namespaceSelector: { matchLabels: { hook } }, ...(operations && { operations }) } }],
  },
  ...does,
});

const merged = (name: string, match: Match, patchStrategicMerge: object): object =>
  ruleOf(name, match, { mutate: { patchStrategicMerge } });

const pods: Match = { kinds: ['Pod'], hook: 'usual', operations: ['CREATE'] };

/** A policy that replaces each image by one from a mirror. */
const mirrored = (match: Match, path: string, under: (spec: object) => object): object =>
  ruleOf('mirror', match, {
    mutate: {
      foreach: [
        {
          list: `request.object.${path}.containers`,
          preconditions: { all: [{ key: '{{ element.image }}', operator: 'NotEquals', value: 'mirror.local/*' }] },
          patchStrategicMerge: under({
            containers: [{ name: '{{ element.name }}', image: 'mirror.local/{{ element.image }}' }],
          }),
        },
      ],
    },
  });

/** Policies as in Kyverno's own collection; none contradicts the operator's objects. */
const usual = {
  'usual-pods': {
    rules: [
      merged('resources', pods, {
        spec: {
          containers: [{ '(name)': '*', resources: { requests: { '+(memory)': '16Mi', '+(cpu)': '10m' } } }],
        },
      }),
      merged('security-context', pods, {
        spec: { securityContext: { '+(runAsNonRoot)': true, '+(seccompProfile)': { type: 'RuntimeDefault' } } },
      }),
      merged('pull-secrets', pods, { spec: { imagePullSecrets: [{ name: 'registry' }] } }),
    ],
  },
  'usual-pods-alone': {
    isForPodsAlone: true,
    rules: [
      merged('sidecar', pods, { spec: { containers: [{ name: 'agent', image: 'agent:1' }] } }),
      ruleOf('tolerations', pods, {
        mutate: {
          patchesJson6902: '- {op: add, path: "/spec/tolerations/-", value: {key: spot, operator: Exists}}',
        },
      }),
    ],
  },
  'usual-mirror': { isForPodsAlone: true, rules: [mirrored(pods, 'spec', (spec) => ({ spec }))] },
  'usual-labels': {
    rules: [
      merged(
        'labels',
        {
          kinds: ['Pod', 'Deployment', 'PodSet', 'CanaryRollout', 'Deployer', 'AppService', 'ImmortalContainer'],
          hook: 'usual',
        },
        { metadata: { labels: { '+(cost-center)': 'k42' } } },
      ),
    ],
  },
};

/** A field of Deployments that the operator sets. */
const rewritten = {
  'mirrored-deployments': {
    rules: [
      mirrored(
        { kinds: ['Deployment'], hook: 'rewritten', operations: ['CREATE', 'UPDATE'] },
        'spec.template.spec',
        (spec) => ({ spec: { template: { spec } } }),
      ),
    ],
  },
};

const SENTENCE = 'pods need a cost center';

const denied = {
  'cost-center': {
    isForPodsAlone: true,
    rules: [
      ruleOf(
        'cost-center',
        { kinds: ['Pod'], hook: 'denied' },
        {
          validate: {
            failureAction: 'Enforce',
            message: SENTENCE,
            pattern: { metadata: { labels: { 'cost-center': '?*' } } },
          },
        },
      ),
    ],
  },
};

interface Events {
  readonly items: readonly { readonly note: string }[];
}

/** Waits until each kind reports its pods as denied, and the event has the message of the policy. */
const untilDenied = async ({ plane }: Site, fleet: Fleet): Promise<number> => {
  const deniedMs = await untilSaid(
    fleet,
    (conditions) =>
      conditions.filter(({ type, reason }) => type === 'Ready' && reason === 'AdmissionDenied').length >= 3,
    { what: 'AdmissionDenied', limitMs: NAMED_MS },
  );
  const path = `/apis/events.k8s.io/v1/namespaces/${fleet.namespace}/events`;
  const { items } = await ask<Events>(plane, 'GET', path);
  if (!items.some(({ note }) => note.includes(SENTENCE))) throw new Error('no event has the sentence of the policy');
  return deniedMs;
};

/**
 * Kyverno with usual policies, with a policy that changes a field that the operator owns, and with a policy that refuses pods.
 */
export const besideKyverno = async (): Promise<string> =>
  onSite(async (site) => {
    await using kyverno = await startKyverno(site);
    await kyverno.install(usual);
    await kyverno.install(denied);
    const remove = await kyverno.install(rewritten);
    const [quiet, refused] = [await site.fleet('usual'), await site.fleet('denied')];
    for (const { resources } of [quiet, refused]) await resources.create(RESOURCES, 2);
    const deniedMs = await untilDenied(site, refused);
    const madeMs = await untilWell([quiet]);
    const overridden = await overriddenBy(site, remove);
    await ask(site.plane, 'DELETE', '/apis/kyverno.io/v1/clusterpolicies/cost-center');
    const wellMs = await untilWell([refused], 330_000);
    await quiet.resources.change(RESOURCES, 2, '1.29');
    await untilWell([quiet]);
    await untilQuiet(site.plane);
    await nothingWritten(site.plane, REST_MS);
    return `usual policies: well after ${madeMs} ms, 0 writes in ${REST_MS / 1000} s; a changed field ${overridden}; denied after ${deniedMs} ms, well ${wellMs} ms after the policy went`;
  });
