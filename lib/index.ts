export { shortHash } from '#lib/desired/canonical/canonical.ts';
export { compileDefinition as compileCrd } from '#lib/desired/check/compile-definition.ts';
export { after, type Clock, type Instant, instantOf, microsOf, secondsBetween } from '#lib/desired/clock.ts';
export {
  type AnyKindDefinition,
  type AnyResource,
  defineKind,
  type KindDefinition,
  type Resource,
  type ResourceMeta,
} from '#lib/desired/definition.ts';
export {
  type ExtensionOptions,
  type ExtensionResult,
  extendKind,
  type ParentOf,
} from '#lib/desired/extension/extend-kind.ts';
export { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
export { freeSlots, labelValueOf, ownerLabels, selectorString } from '#lib/desired/marks/names.ts';
export type {
  Children,
  DryRunOutcome,
  HttpOutcome,
  Observation,
  Outcome,
  Outcomes,
  Refusal,
  RefusalReason,
  Related,
} from '#lib/desired/observation.ts';
export { observationOf, observationOfParent, type Situation } from '#lib/desired/observe/observation-of.ts';
export type { Condition } from '#lib/desired/result/conditions.ts';
export type {
  CertificateAuthority,
  Desired,
  DesiredCondition,
  DesiredEvent,
  Effect,
} from '#lib/desired/result/desired.ts';
export { adopt, apply, type ChildIntent, keep, release, remove } from '#lib/desired/result/intent.ts';
export { progressing, ready, type State, stalled } from '#lib/desired/result/state.ts';
export type { OperatorSettings } from '#lib/desired/settings/operator-settings.ts';
export type {
  Revision,
  SteeringAnswer,
  SteeringEdit,
  SteeringOrder,
  SteeringOutcome,
  SteeringVerb,
} from '#lib/desired/steering.ts';
export {
  ApiError,
  BreakingChangeError,
  ConfigurationError,
  ConnectionError,
  formatIssue,
  ImpureFunctionError,
  InvalidDefinitionError,
  InvalidDesiredError,
  InvalidOperatorError,
  InvalidResourceError,
  InvariantError,
  type Issue,
  isReconcileError,
  ReconcileError,
  UndeclaredReadError,
} from '#lib/errors.ts';
export type { CompileOptions, CustomResourceDefinition } from '#lib/kind/crd.ts';
export { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
export type { Change } from '#lib/kind/evolution/change.ts';
export {
  CronJob,
  DaemonSet,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  LimitRange,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  PriorityClass,
  ResourceQuota,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
  StorageClass,
} from '#lib/kind/handles/built-in-handles.ts';
export { type Elsewhere, elsewhere } from '#lib/kind/handles/elsewhere.ts';
export {
  ConfigMap,
  ControllerRevision,
  Deployment,
  type KindRef,
  type KubeObject,
  labelled,
  Node,
  type ObjectMeta,
  type OwnerReference,
  Pod,
  reading,
  Service,
  StatefulSet,
} from '#lib/kind/handles/reference.ts';
export { validateResource } from '#lib/kind/instance/validate.ts';
export { apiVersionOf, namesOf, refOf } from '#lib/kind/names.ts';
export { type Props, type Static, s } from '#lib/kind/schema/schema.ts';
export type { KindHome, KindShape, PrinterColumn, ScalePaths, VersionShape } from '#lib/kind/shape.ts';
export { between, type Conversion, type VersionContent, type VersionStep } from '#lib/kind/versions/between.ts';
export {
  type CurrentRevision,
  currentRevision,
  type RevisionInput,
  type RevisionOptions,
  revisionName,
  revisionObject,
  revisionsOf,
  surplusRevisions,
  tryRevision,
} from '#lib/workload/controller-revision.ts';
export { type History, type HistoryInput, historyOf } from '#lib/workload/controller-revision-history.ts';
export { type DelayOptions, delayAfter } from '#lib/workload/delay.ts';
export { type Fenceposts, type FencepostsInput, fencepostsOf, type IntOrPercent } from '#lib/workload/fenceposts.ts';
export {
  isActive,
  isFinished,
  isReady,
  isTerminating,
  type ObservedPod,
  podCondition,
  readySince,
} from '#lib/workload/pod-state.ts';
export { podRevision, REVISION_LABEL, templateHash, withPodLabels } from '#lib/workload/pod-template.ts';
