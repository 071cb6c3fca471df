import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ConfigMap } from 'kubernetes-types/core/v1.js';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type OperatorNames, operatorLabels } from './names.ts';

/**
 * A Lua script that computes the health of a resource from its status. Without a script, Argo CD ignores a custom resource in the
 * health of its application. A rollout with the reason `AvailabilityLost` waits for pods and continues by itself, so it is not
 * Suspended.
 */
const healthScript = `local health = { status = "Progressing", message = "waiting for the operator" }
if obj.metadata.deletionTimestamp ~= nil then
  health.message = "being deleted"
  return health
end
if obj.status == nil or obj.status.conditions == nil then
  return health
end
if obj.status.observedGeneration ~= nil and obj.status.observedGeneration ~= obj.metadata.generation then
  health.message = "waiting for the operator to see the change"
  return health
end
local found = {}
for _, condition in ipairs(obj.status.conditions) do
  found[condition.type] = condition
end
local function is(name)
  return found[name] ~= nil and found[name].status == "True"
end
if is("Stalled") then
  return { status = "Degraded", message = found["Stalled"].message }
end
if is("Paused") and found["Paused"].reason ~= "AvailabilityLost" then
  return { status = "Suspended", message = found["Paused"].message }
end
if is("Ready") then
  return { status = "Healthy", message = found["Ready"].message }
end
if found["Ready"] ~= nil then
  health.message = found["Ready"].message
end
return health
`;

/**
 * Makes health scripts for Argo CD, as entries of its ConfigMap `argocd-cm`.
 *
 * @returns the Lua script by `resource.customizations.health.<group>_<kind>`
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#custom-health-checks
 * @example
 * new ConfigMap(chart, 'argocd-cm', { metadata: { name: 'argocd-cm', namespace: 'argocd' }, data:
 * argoCdHealthScripts([podSet]) });
 */
export const argoCdHealthScripts = (kinds: readonly AnyKindDefinition[]): Record<string, string> =>
  Object.fromEntries(
    kinds
      .map(({ group, kind }) => [`resource.customizations.health.${group}_${kind}`, healthScript] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/**
 * Adds a ConfigMap with the health scripts. An administrator copies the scripts into `argocd-cm`, which may be in another
 * cluster.
 */
export const addArgoCdHealth = (
  scope: Construct,
  names: OperatorNames,
  kinds: readonly AnyKindDefinition[],
): ApiObject =>
  new ApiObject(scope, 'argo-cd-health', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${names.name}-argo-cd-health`, namespace: names.namespace, labels: operatorLabels(names) },
    data: argoCdHealthScripts(kinds),
  } satisfies ConfigMap);

/**
 * The annotation for sync wave -1. Argo CD applies objects with this annotation before objects without it, such as the
 * resources.
 */
export const SYNC_WAVE = { 'argocd.argoproj.io/sync-wave': '-1' } as const;
