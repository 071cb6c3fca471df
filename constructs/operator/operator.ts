import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { allHosts } from '#lib/desired/hosts/effect-hosts.ts';
import {
  clusterEventRules,
  EVENTS_OF_CLUSTER,
  elsewhereRules,
  namespacesElsewhere,
  policyRules,
  type RightsScope,
} from '#lib/desired/rights/policy-rules.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import { addConversionPolicies } from './admission/conversion-policies.ts';
import { addPodGuard } from './admission/pod-guard.ts';
import { addArgoCdHealth, SYNC_WAVE } from './argo-cd.ts';
import { checkedOperator } from './check/check.ts';
import { addConversion, conversionWorkload, injectedAuthority } from './conversion.ts';
import { addCrd } from './crd.ts';
import { addMetricsAuthentication } from './monitoring/metrics-authentication.ts';
import { addMetricsService } from './monitoring/metrics-service.ts';
import { addMonitoring } from './monitoring/monitoring.ts';
import type { OperatorNames } from './names.ts';
import { addNamespace } from './namespace.ts';
import { addNetworkPolicy } from './network/network-policy.ts';
import { addDeployment } from './process/deployment.ts';
import { addDisruptionBudget } from './process/disruption-budget.ts';
import { memoryWarnings } from './process/memory.ts';
import type { CheckedProps, OperatorProps } from './props.ts';
import { releaseOrderWarnings } from './release-order.ts';
import { addClusterRole } from './rights/cluster-role.ts';
import { ESCALATION_ANNOTATION, escalationSentences } from './rights/escalation.ts';
import { grantRules, grantRulesElsewhere, grantSentences } from './rights/grants.ts';
import { addLeaseRole } from './rights/lease-role.ts';
import { addNamespaceRole } from './rights/namespace-role.ts';
import { addServiceAccount } from './rights/service-account.ts';
import { addUserRoles, userRoleWarnings } from './rights/user-roles.ts';

const addAround = (scope: Construct, names: OperatorNames, { network, effects, ...props }: CheckedProps): void => {
  const hasConversion = props.kinds.some((kind) => needsWebhook(kind));
  addNetworkPolicy(scope, names, { ...network, effectHosts: effects && allHosts(effects), hasConversion });
  addDisruptionBudget(scope, names);
  addMetricsService(scope, names);
  if (props.metricsAuthentication) addMetricsAuthentication(scope, names);
  addConversion(scope, names, props);
  addConversionPolicies(scope, names, props);
};

const addExtras = (scope: Construct, names: OperatorNames, { monitoring, ...props }: CheckedProps): void => {
  const kinds = definedKinds(props.kinds);
  if (props.userRoles && kinds.length > 0) addUserRoles(scope, names, kinds);
  if (monitoring) addMonitoring(scope, names, { ...props, kinds, monitoring });
  if (props.argoCd && kinds.length > 0) addArgoCdHealth(scope, names, kinds);
};

const addRights = (
  scope: Construct,
  names: OperatorNames,
  {
    kinds,
    namespaces,
    effects,
    events,
    grants,
    escalations,
  }: CheckedProps & { readonly escalations: readonly string[] },
): void => {
  const hasEffects = effects !== undefined;
  const hasEvents = events !== 'off';
  const annotations = escalations.length > 0 ? { [ESCALATION_ANNOTATION]: escalations.join('; ') } : undefined;
  const rights = (where: RightsScope | undefined) => ({
    rules: [...policyRules(kinds, { hasEffects, hasEvents, scope: where }), ...grantRules(grants, { kinds, where })],
    ...(annotations && { annotations }),
  });
  addClusterRole(scope, names, rights(namespaces && 'Cluster'));
  for (const namespace of namespaces ?? []) addNamespaceRole(scope, names, { namespace, ...rights('Namespaced') });
  const clusterEvents = clusterEventRules(kinds, { namespaces, hasEvents });
  addNamespaceRole(scope, names, { namespace: EVENTS_OF_CLUSTER, rules: clusterEvents });
  for (const namespace of namespacesElsewhere(kinds)) {
    const rules = [...elsewhereRules(kinds, namespace), ...grantRulesElsewhere(grants, { kinds, namespace })];
    addNamespaceRole(scope, names, { namespace, rules, suffix: '-elsewhere', ...(annotations && { annotations }) });
  }
  addLeaseRole(scope, names);
};

const addSyncWaves = (scope: Construct): void => {
  for (const child of scope.node.children) {
    if (!ApiObject.isApiObject(child)) continue;
    for (const [name, value] of Object.entries(SYNC_WAVE)) child.metadata.addAnnotation(name, value);
  }
};

/**
 * The bundle of an operator: the namespace, the CRDs, the RBAC objects, the Deployment, and the objects that the props select.
 *
 * Flow: definitions → CRDs and policy rules → plain manifests with fixed names, in the order in which they are applied.
 *
 * Guarantees: the RBAC rules have no wildcards, and only the rights that these kinds and props require. The pods satisfy the
 * Pod Security level *restricted*. Cluster-scoped objects have no namespace, even if the chart has a namespace.
 *
 * Assumptions: the image runs `run({ kinds })` with the same kinds.
 *
 * Caveats: by default, the operator works in all namespaces. Network policies do not support host names: see {@link
 * NetworkProps}.
 *
 * @example
 * new Operator(chart, 'operator', { kinds: [podSet], image: 'registry.example.com/operator:1.0.0' });
 */
export class Operator extends Construct {
  /**
   * One sentence for each right that users gain through this operator, and for each wide right of the operator itself. The
   * roles with the rules of the kinds have the same sentences in the annotation `cdk8s-reconcile/escalation`.
   */
  readonly escalations: readonly string[];

  /**
   * One sentence for each problem that does not fail synth. The problems are too little memory for conversions, a possibly wrong
   * order of releases if `released` is absent, and kinds that `userRoles` leaves out. The caller prints them.
   */
  readonly warnings: readonly string[];

  /**
   * @throws {InvalidOperatorError} for invalid props, and for kinds that cannot become CRDs or break conventions. The error
   *   lists all problems
   * @throws {BreakingChangeError} if the only problems are changes of the CRDs that break users of the last release
   */
  constructor(scope: Construct, id: string, props: OperatorProps) {
    super(scope, id);
    const { crds, ...checked } = checkedOperator(this, props);
    const { kinds, image, name, namespace, namespaces, effects, memoryMiB, logLevel, recordPasses } = checked;
    const names = { name, namespace };
    addNamespace(this, names);
    const conversion = conversionWorkload(names, kinds, checked.conversion);
    for (const [index, crd] of crds.entries())
      addCrd(this, names, {
        crd,
        annotations: injectedAuthority(names, definedKinds(kinds)[index], checked.conversion),
      });
    addServiceAccount(this, names);
    this.escalations = [
      ...escalationSentences(kinds, {
        hasEffects: effects !== undefined,
        patchesDefinitions: conversion !== undefined && !conversion.isMounted,
      }),
      ...grantSentences(kinds, checked.grants),
    ];
    this.warnings = [
      ...releaseOrderWarnings(kinds, { isReleased: checked.released !== undefined }),
      ...memoryWarnings(memoryMiB, conversion !== undefined),
      ...(checked.userRoles ? userRoleWarnings(definedKinds(kinds)) : []),
    ];
    addRights(this, names, { ...checked, escalations: this.escalations });
    const processSettings = {
      logLevel,
      isRecorded: recordPasses === true,
      events: checked.events,
      tuning: checked,
      metricsAuthentication: checked.metricsAuthentication === true,
    };
    // With an ordered apply, the operator never runs without its guard.
    addPodGuard(this, names, checked);
    addDeployment(this, names, {
      image,
      namespaces,
      effectHosts: effects,
      prometheusUrl: effects?.prometheusUrl,
      trust: effects?.certificateAuthority,
      conversion,
      memoryMiB,
      ...processSettings,
    });
    addAround(this, names, checked);
    addExtras(this, names, checked);
    if (checked.argoCd) addSyncWaves(this);
  }
}

export { argoCdHealthScripts } from './argo-cd.ts';
export type { ConversionProps } from './conversion.ts';
export { kubeStateMetricsConfig } from './monitoring/kube-state-metrics.ts';
export type { KubeStateMetricsProps, MonitoringProps } from './monitoring/props.ts';
export type { NetworkProps } from './network/network-policy.ts';
export type { TrustProps } from './process/trust.ts';
export type { LogLevel } from './props.ts';
export type { AcceptedChange, ReleasedProps } from './released/released.ts';
export type { GrantProps, RoleName } from './rights/grants.ts';
export type { OperatorProps };
