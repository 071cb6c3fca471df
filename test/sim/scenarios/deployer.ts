import { deployerWith } from '#constructs/deployer/kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { JsonObject } from '#lib/json.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ClusterView, Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';

/** The host of the metrics, and the host of hooks and notices. */
export const PROMETHEUS = 'prometheus.example.com:9090';
export const HOOKS = 'hooks.example.com';

/** Deployer with the address of a Prometheus. */
const simulatedDeployer = deployerWith({ prometheusUrl: `http://${PROMETHEUS}` });

const deployers = refOf(simulatedDeployer);
const { apiVersion, kind } = deployers;
const namespace = 'default';

/** The classic steps. */
const classicSteps: readonly JsonObject[] = [
  { percent: 10, sleep: 60 },
  { percent: 30, sleep: 30 },
  { percent: 60, sleep: 30 },
  { percent: 100 },
];

/** A Deployer as it is stored. */
export interface StoredDeployer extends ServerObject {
  readonly status?: {
    readonly phase: string;
    readonly stableVersion?: string;
    readonly canaryVersion?: string;
    readonly canaryHash?: string;
    readonly currentStepIndex?: number;
    readonly percent?: number;
    readonly progress?: { readonly percentage: string; readonly step?: string; readonly wait?: string };
    readonly abortReason?: string;
    readonly analysis: readonly {
      readonly key: string;
      readonly name: string;
      readonly hook: string;
      readonly phase: string;
      readonly count?: number;
    }[];
    readonly history?: readonly { readonly version: string; readonly outcome: string }[];
    readonly conditions: readonly Condition[];
  };
}

/** A child Deployment as it is stored. */
export interface StoredDeployment extends ServerObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };
  };
  readonly status?: { readonly availableReplicas?: number; readonly replicas?: number };
}

/** All Deployers, by name. */
const deployersIn = (view: ClusterView): readonly StoredDeployer[] =>
  view.objects({ group: 'deploy.example.com', plural: 'deployers' });

/** One Deployer. */
export const deployerIn = (view: ClusterView, name = 'nginx'): StoredDeployer | undefined =>
  deployersIn(view).find(({ metadata }) => metadata.name === name);

/** All Deployments, by name. */
export const deploymentsIn = (view: ClusterView): readonly StoredDeployment[] =>
  view.objects({ group: 'apps', plural: 'deployments' }) as unknown as readonly StoredDeployment[];

/** Requested replicas, by the name of the Deployment. */
export const sizesIn = (view: ClusterView): Readonly<Record<string, number>> =>
  Object.fromEntries(deploymentsIn(view).map(({ metadata, spec }) => [metadata.name, spec.replicas]));

/** The Deployment template, and the rest of the spec. */
export interface Written {
  readonly name?: string;
  readonly deployment?: JsonObject;
  readonly spec?: JsonObject;
}

const classic = {
  name: 'nginx',
  image: 'nginx',
  version: '1.7.7',
  labels: { app: 'nginx', operator: 'deployer' },
  replicas: 10,
};

/** A user creates a Deployer: the classic one with these changes. */
export const create = ({ name = 'nginx', deployment = {}, spec = {} }: Written = {}): ScriptStep => ({
  label: `user creates deployer ${name}`,
  run: (user) =>
    void user.create(deployers, {
      apiVersion,
      kind,
      metadata: { name, namespace },
      spec: { steps: classicSteps, ...spec, deployment: { ...classic, ...deployment } },
    }),
});

/** A user edits a Deployer. */
export const edit = (spec: JsonObject, name = 'nginx'): ScriptStep => ({
  label: `user edits deployer ${name}: ${JSON.stringify(spec)}`,
  run: (user) => void user.patch({ resource: deployers, namespace, name }, { spec }),
});

/** A user requests another version. */
export const rollTo = (version: string, name = 'nginx'): ScriptStep => edit({ deployment: { version } }, name);

/** A user writes a command to a rollout. */
export const command = (verb: string, revision: string, name = 'nginx'): ScriptStep => ({
  label: `user commands ${verb}`,
  run: (user) => {
    const text = JSON.stringify({ id: `${verb}-1`, verb, revision });
    const metadata = { annotations: { 'deploy.example.com/command': text } };
    user.patch({ resource: deployers, namespace, name }, { metadata });
  },
});

/** A user deletes a Deployer; with `Orphan` as `kubectl delete --cascade=orphan`. */
export const remove = (name = 'nginx', propagationPolicy: 'Background' | 'Orphan' = 'Background'): ScriptStep => ({
  label: `user deletes deployer ${name}`,
  run: (user) => void user.delete({ resource: deployers, namespace, name }, { propagationPolicy }),
});

/**
 * The parts of the final state that every schedule must reach. Progress is that of the last rollout, which may be the
 * first one.
 */
const outcome = (view: ClusterView): unknown => ({
  deployers: deployersIn(view).map(({ metadata, status }) => [
    metadata.name,
    status?.phase ?? null,
    status?.stableVersion ?? null,
    status?.canaryVersion ?? null,
  ]),
  deployments: deploymentsIn(view).map(({ metadata, spec, status }) => [
    metadata.name,
    spec.replicas,
    spec.selector.matchLabels,
    status?.availableReplicas ?? null,
  ]),
});

/** A scenario of Deployers. */
export const scenarioOf = (name: string, script: readonly ScriptStep[], rest: Partial<Scenario> = {}): Scenario => ({
  name: `deployer-${name}`,
  kinds: [simulatedDeployer],
  script,
  outcome,
  ...rest,
});

/** The classic rollout: 1.7.7, and then 1.7.8 in four steps. */
export const classicRollout = scenarioOf('classic', [create(), rollTo('1.7.8')]);
