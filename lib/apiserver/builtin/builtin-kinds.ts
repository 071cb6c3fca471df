import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { configMapKind } from './config-map.ts';
import { controllerRevisionKind } from './controller-revision.ts';
import { deploymentKind } from './deployment.ts';
import { eventKind } from './event.ts';
import { leaseKind } from './lease.ts';
import { namespaceKind } from './namespace.ts';
import { nodeKind } from './node.ts';
import { podKind } from './pod.ts';
import { replicaSetKind } from './replica-set.ts';
import { resourceQuotaKind } from './resource-quota.ts';
import { secretKind } from './secret.ts';
import { serviceKind } from './service.ts';
import { toServedKind } from './strategy.ts';

/** The kinds of Kubernetes itself that the virtual API server serves, besides CustomResourceDefinition. */
export const builtinKinds: readonly ServedKind[] = [
  configMapKind,
  controllerRevisionKind,
  deploymentKind,
  eventKind,
  leaseKind,
  namespaceKind,
  nodeKind,
  podKind,
  replicaSetKind,
  resourceQuotaKind,
  secretKind,
  serviceKind,
].map(toServedKind);
