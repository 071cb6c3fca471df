import { App, Chart, Testing, Yaml } from 'cdk8s';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { committedBundle } from '#test/control-plane/install.ts';
import { greeting } from '#test/examples/greeting.ts';
import { fleet } from '#test/unit/support/fleet-kind.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';
import {
  CERTIFICATE,
  CHILD,
  CONVERTED,
  EDITORS,
  EFFECT_AUTHORITIES,
  EFFECT_SECRETS,
  EVENTS,
  FINALIZED,
  FINALIZERS,
  LEASE,
  METRICS_REVIEWS,
  OWN,
  READ,
  type Reasons,
  STATUS,
  VIEWERS,
} from './reasons.ts';
import type { RightsManifest } from './rights.ts';

/**
 * The rights granted on the resource `of` (`plural.group`), their reasons, and the name or the namespace that restricts them.
 */
export interface ExplainedRights {
  readonly of: string;
  readonly because: Reasons;
  readonly name?: string;
  readonly namespace?: string;
}

/** An operator, and every right in its bundle. */
export interface ExplainedOperator {
  readonly what: string;
  readonly manifests: () => RightsManifest[];
  readonly rights: readonly ExplainedRights[];
}

const made = (props: Partial<OperatorProps>) => (): RightsManifest[] => {
  const chart = new Chart(new App(), 'chart');
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds: [podSet], image: 'op:1', name: 'op', ...props });
  return Testing.synth(chart) as RightsManifest[];
};

/** The user role with this name alone: the operator may have the same rights. */
const role = (name: string): RightsManifest[] =>
  made({ userRoles: true })().filter(({ metadata, rules }) => rules !== undefined && metadata.name === name);

const committed = (): RightsManifest[] => Yaml.load(committedBundle) as RightsManifest[];

const lease = (name: string): ExplainedRights => ({
  of: 'leases.coordination.k8s.io',
  because: LEASE,
  name,
  namespace: name,
});
const resource = (of: string): ExplainedRights[] => {
  const [plural = '', ...group] = of.split('.');
  return [
    { of, because: OWN },
    { of: `${plural}/status.${group.join('.')}`, because: STATUS },
    { of: `${plural}/finalizers.${group.join('.')}`, because: FINALIZERS },
  ];
};
const events: ExplainedRights = { of: 'events.events.k8s.io', because: EVENTS };
const podSets: readonly ExplainedRights[] = [
  ...resource('podsets.app.example.com'),
  { of: 'pods.', because: CHILD },
  { of: 'controllerrevisions.apps', because: CHILD },
  { of: 'resourcequotas.', because: READ },
];
const podSetOperator = [...podSets, events, lease('op')];

/** The committed bundle, and one operator for every feature that adds rights. */
export const EXPLAINED: readonly ExplainedOperator[] = [
  {
    what: 'the committed bundle',
    manifests: committed,
    rights: [
      ...podSets,
      ...resource('appservices.app.example.com'),
      ...resource('canaryrollouts.deploy.example.com'),
      ...resource('deployers.deploy.example.com'),
      ...resource('immortalcontainers.immortalcontainer.flugel.it'),
      { of: 'deployments.apps', because: CHILD },
      // Whether the node of a pod exists.
      { of: 'nodes.', because: READ },
      events,
      lease('cdk8s-reconcile'),
    ],
  },
  {
    what: 'an operator whose metrics are read by those that may',
    // The role of scrapers names a path and no resource.
    manifests: () =>
      made({ metricsAuthentication: true })().filter(({ metadata }) => metadata.name !== 'op-metrics-reader'),
    rights: [
      ...podSetOperator,
      { of: 'tokenreviews.authentication.k8s.io', because: METRICS_REVIEWS },
      { of: 'subjectaccessreviews.authorization.k8s.io', because: METRICS_REVIEWS },
    ],
  },
  {
    what: 'an operator that writes no events',
    manifests: made({ events: 'off' }),
    rights: [...podSets, lease('op')],
  },
  {
    what: 'an operator of a kind that is in no namespace, without events',
    manifests: made({ kinds: [fleet], events: 'off' }),
    rights: [
      ...resource('fleets.demo.example.com'),
      { of: 'flags.demo.example.com', because: CHILD },
      { of: 'configmaps.', because: CHILD },
      lease('op'),
    ],
  },
  {
    what: 'an operator that works in some namespaces',
    manifests: made({ namespaces: ['blue', 'green'] }),
    rights: [
      ...['blue', 'green'].flatMap((namespace) => [...podSets, events].map((each) => ({ ...each, namespace }))),
      lease('op'),
    ],
  },
  {
    what: 'an operator of a kind with a finalizer',
    manifests: made({ kinds: [{ ...shelf, finalize: shelf.desired }] }),
    rights: [
      { of: 'shelves.demo.example.com', because: FINALIZED },
      { of: 'shelves/status.demo.example.com', because: STATUS },
      { of: 'shelves/finalizers.demo.example.com', because: FINALIZERS },
      { of: 'pods.', because: CHILD },
      { of: 'resourcequotas.', because: READ },
      events,
      lease('op'),
    ],
  },
  {
    what: 'an operator of a kind that is in no namespace',
    manifests: made({ kinds: [fleet] }),
    rights: [
      ...resource('fleets.demo.example.com'),
      { of: 'flags.demo.example.com', because: CHILD },
      { of: 'configmaps.', because: CHILD },
      { ...events, namespace: 'default' },
      lease('op'),
    ],
  },
  {
    what: 'an operator with HTTP effects',
    manifests: made({ effects: { allowedHosts: ['hooks.example.com'] } }),
    rights: [
      ...podSetOperator,
      { of: 'configmaps.', because: EFFECT_AUTHORITIES },
      { of: 'secrets.', because: EFFECT_SECRETS },
    ],
  },
  {
    what: 'an operator that converts versions',
    manifests: made({ kinds: [greeting] }),
    rights: [
      ...resource('greetings.demo.example.com'),
      { of: 'configmaps.', because: CHILD },
      { of: 'secrets.', because: CERTIFICATE, name: 'op-conversion', namespace: 'op' },
      { of: 'customresourcedefinitions.apiextensions.k8s.io', because: CONVERTED, name: 'greetings.demo.example.com' },
      events,
      lease('op'),
    ],
  },
  {
    what: 'the role of viewers',
    manifests: () => role('op-view'),
    rights: ['podsets', 'podsets/scale', 'podsets/status'].map((of) => ({
      of: `${of}.app.example.com`,
      because: VIEWERS,
    })),
  },
  {
    what: 'the role of editors',
    manifests: () => role('op-edit'),
    rights: ['podsets', 'podsets/scale'].map((of) => ({ of: `${of}.app.example.com`, because: EDITORS })),
  },
];

/** The rights of a table, in the form of `grantedBy`. */
export const explainedRights = (rows: readonly ExplainedRights[]): string[] => {
  const rights = rows.flatMap(({ of, because, name = '*', namespace = '*' }) =>
    Object.keys(because.verbs).map((verb) => `${verb} ${of} ${name} in ${namespace}`),
  );
  return [...new Set(rights)].toSorted();
};
