import { objectIn } from '#lib/apiserver/machinery/members.ts';
import { resourceKey } from '#lib/apiserver/machinery/resources.ts';
import type { JsonObject } from '#lib/json.ts';
import type { CatalogueEntry } from '../discovery/catalogue.ts';
import { claimPrinter } from './claims.ts';
import type { Printer } from './column.ts';
import { customPrinter } from './custom.ts';
import { cronJobPrinter, jobPrinter } from './jobs.ts';
import {
  bindingPrinter,
  budgetPrinter,
  configMapPrinter,
  eventPrinter,
  leasePrinter,
  namespacePrinter,
  networkPolicyPrinter,
  nodePrinter,
  plainPrinter,
  policyBindingPrinter,
  policyPrinter,
  quotaPrinter,
  secretPrinter,
  serviceAccountPrinter,
  servicePrinter,
} from './others.ts';
import { podPrinter } from './pod.ts';
import {
  controllerRevisionPrinter,
  daemonSetPrinter,
  deploymentPrinter,
  podTemplatePrinter,
  replicaSetPrinter,
  statefulSetPrinter,
} from './workloads.ts';

const PRINTERS: Readonly<Record<string, Printer>> = {
  pods: podPrinter,
  podtemplates: podTemplatePrinter,
  'deployments.apps': deploymentPrinter,
  'replicasets.apps': replicaSetPrinter,
  'daemonsets.apps': daemonSetPrinter,
  'statefulsets.apps': statefulSetPrinter,
  persistentvolumeclaims: claimPrinter,
  'controllerrevisions.apps': controllerRevisionPrinter,
  'jobs.batch': jobPrinter,
  'cronjobs.batch': cronJobPrinter,
  configmaps: configMapPrinter,
  secrets: secretPrinter,
  namespaces: namespacePrinter,
  serviceaccounts: serviceAccountPrinter,
  'leases.coordination.k8s.io': leasePrinter,
  services: servicePrinter,
  nodes: nodePrinter,
  events: eventPrinter,
  resourcequotas: quotaPrinter,
  'rolebindings.rbac.authorization.k8s.io': bindingPrinter,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingPrinter,
  'networkpolicies.networking.k8s.io': networkPolicyPrinter,
  'poddisruptionbudgets.policy': budgetPrinter,
  'validatingadmissionpolicies.admissionregistration.k8s.io': policyPrinter,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindingPrinter,
};

const custom = new WeakMap<object, Printer>();

/** Returns the printer of a resource. Custom resources have a printer for each version of their CRD. */
export const printerOf = (resource: CatalogueEntry): Printer => {
  const { definition } = resource;
  if (definition === undefined) return PRINTERS[resourceKey(resource)] ?? plainPrinter;
  let printer = custom.get(definition);
  if (printer === undefined) {
    printer = customPrinter(definition);
    custom.set(definition, printer);
  }
  return printer;
};

/** The parameters of a table. */
export interface TableOptions {
  /** The current time in epoch milliseconds, for ages. */
  readonly nowMs: number;
  /** The part of each object that the rows contain. @default 'Metadata' */
  readonly includeObject?: string | undefined;
  /** The apiVersion and kind of the objects, which items in lists of built-in kinds do not contain. */
  readonly typeMeta: JsonObject;
  /** Whether to leave out the columns. A watch sends the columns only with its first event. @default false */
  readonly isHeadless?: boolean;
  /** The version of the Table kind. @default 'v1' */
  readonly version?: string | undefined;
}

/** Reduces an object to its metadata. */
export const partialOf = (object: JsonObject, version = 'v1'): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: object['metadata'],
});

const rowObject = (object: JsonObject, { includeObject = 'Metadata', typeMeta, version }: TableOptions): JsonObject => {
  if (includeObject === 'None') return {};
  return { object: includeObject === 'Object' ? { ...typeMeta, ...object } : partialOf(object, version) };
};

/**
 * Converts a list or an object to a table.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/response.go (`asTable`)
 */
export const toTable = (printer: Printer, body: JsonObject, options: TableOptions): JsonObject => {
  const items = Array.isArray(body['items']) ? (body['items'] as readonly JsonObject[]) : undefined;
  const { resourceVersion, continue: token, remainingItemCount } = objectIn(body, 'metadata');
  const isMore = typeof token === 'string' && token !== '';
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version ?? 'v1'}`,
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(items && isMore && { continue: token }),
      ...(items && remainingItemCount !== undefined && { remainingItemCount }),
    },
    columnDefinitions: options.isHeadless === true ? null : printer.columns,
    rows: (items ?? [body]).map((object) => ({
      cells: printer.cells(object, options.nowMs),
      ...rowObject(object, options),
    })),
  };
};
