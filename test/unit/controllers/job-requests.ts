import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { JobStatus, StoredJob, StoredPod } from '#lib/controllers/workload.ts';
import type { VirtualCluster } from './cluster.ts';

type Body = Readonly<Record<string, unknown>>;

/** The template of a Job whose container runs a command. */
export const jobPods = (command: readonly string[], metadata: Body = {}, spec: Body = {}): Body => ({
  metadata,
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1', command }], ...spec },
});

/** Creation of a Job in the namespace `default`. */
export const jobOf = (name: string, template: Body, spec: Body = {}): ServerRequest => ({
  verb: 'create',
  resource: resources.jobs,
  namespace: 'default',
  body: { metadata: { name }, spec: { template, ...spec } },
});

/** A merge patch of a Job. */
export const jobPatch = (name: string, body: Body): ServerRequest => ({
  verb: 'patch',
  patchType: 'merge',
  resource: resources.jobs,
  namespace: 'default',
  name,
  body,
});

/** The stored Job with a name. */
export const jobIn = (cluster: VirtualCluster, name: string): StoredJob =>
  cluster.objects('jobs').find(({ metadata }) => metadata.name === name) as StoredJob;

/** The stored pods. */
export const podsIn = (cluster: VirtualCluster): readonly StoredPod[] =>
  cluster.objects('pods') as readonly StoredPod[];

/** The conditions that are true, with their reasons. */
export const trueConditions = ({ conditions = [] }: JobStatus = {}): readonly string[] =>
  conditions.filter(({ status }) => status === 'True').map(({ type, reason = '' }) => `${type} ${reason}`);
