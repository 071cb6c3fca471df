/**
 * Facts of Go's types that OpenAPI lacks: which optional scalars are pointers, so that a received `0`, `false` or `''`
 * is kept. All other optional fields of these types are omitted when they have Go's zero value.
 *
 * @see k8s.io/api v0.36.4 core/v1/types.go, apps/v1/types.go, coordination/v1/types.go
 * @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/v1/types.go
 */
const pointers: Readonly<Record<string, readonly string[]>> = {
  'meta.v1.ObjectMeta': ['deletionGracePeriodSeconds', 'deletionTimestamp'],
  'meta.v1.ManagedFieldsEntry': ['fieldsV1', 'time'],
  'meta.v1.OwnerReference': ['blockOwnerDeletion', 'controller'],
  'core.v1.PodSpec': [
    'activeDeadlineSeconds',
    'automountServiceAccountToken',
    'enableServiceLinks',
    'hostUsers',
    'hostnameOverride',
    'preemptionPolicy',
    'priority',
    'runtimeClassName',
    'setHostnameAsFQDN',
    'shareProcessNamespace',
    'terminationGracePeriodSeconds',
  ],
  'core.v1.PodStatus': ['startTime'],
  'core.v1.Container': ['restartPolicy'],
  'core.v1.ContainerStatus': ['started', 'stopSignal'],
  'core.v1.VolumeMountStatus': ['recursiveReadOnly'],
  'core.v1.ConfigMapKeySelector': ['optional'],
  'core.v1.SecretKeySelector': ['optional'],
  'core.v1.ConfigMapEnvSource': ['optional'],
  'core.v1.SecretEnvSource': ['optional'],
  'core.v1.Probe': ['terminationGracePeriodSeconds'],
  'core.v1.GRPCAction': ['service'],
  'core.v1.SecurityContext': [
    'allowPrivilegeEscalation',
    'privileged',
    'procMount',
    'readOnlyRootFilesystem',
    'runAsGroup',
    'runAsNonRoot',
    'runAsUser',
  ],
  'core.v1.SeccompProfile': ['localhostProfile'],
  'core.v1.VolumeMount': ['mountPropagation', 'recursiveReadOnly'],
  'core.v1.PodDNSConfigOption': ['value'],
  'core.v1.PodSecurityContext': [
    'fsGroup',
    'fsGroupChangePolicy',
    'runAsGroup',
    'runAsNonRoot',
    'runAsUser',
    'seLinuxChangePolicy',
    'supplementalGroupsPolicy',
  ],
  'core.v1.Taint': ['timeAdded'],
  'core.v1.Toleration': ['tolerationSeconds'],
  'core.v1.TopologySpreadConstraint': ['minDomains', 'nodeAffinityPolicy', 'nodeTaintsPolicy'],
  'core.v1.EmptyDirVolumeSource': ['sizeLimit'],
  'core.v1.ConfigMapVolumeSource': ['defaultMode', 'optional'],
  'core.v1.SecretVolumeSource': ['defaultMode', 'optional'],
  'core.v1.ConfigMapProjection': ['optional'],
  'core.v1.SecretProjection': ['optional'],
  'core.v1.ServiceAccountTokenProjection': ['expirationSeconds'],
  'core.v1.KeyToPath': ['mode'],
  'core.v1.DownwardAPIVolumeSource': ['defaultMode'],
  'core.v1.DownwardAPIVolumeFile': ['mode'],
  'core.v1.HostPathVolumeSource': ['type'],
  'core.v1.ProjectedVolumeSource': ['defaultMode'],
  'core.v1.ResourceHealth': ['message'],
  'apps.v1.DeploymentSpec': ['progressDeadlineSeconds', 'replicas', 'revisionHistoryLimit'],
  'apps.v1.DeploymentStatus': ['collisionCount', 'terminatingReplicas'],
  'apps.v1.RollingUpdateDeployment': ['maxSurge', 'maxUnavailable'],
  'apps.v1.ReplicaSetSpec': ['replicas'],
  'apps.v1.ReplicaSetStatus': ['terminatingReplicas'],
  'core.v1.ConfigMap': ['immutable'],
  'core.v1.Secret': ['immutable'],
  'core.v1.ServiceSpec': [
    'allocateLoadBalancerNodePorts',
    'internalTrafficPolicy',
    'ipFamilyPolicy',
    'loadBalancerClass',
    'trafficDistribution',
  ],
  'core.v1.ServicePort': ['appProtocol'],
  'core.v1.ClientIPConfig': ['timeoutSeconds'],
  'core.v1.LoadBalancerIngress': ['ipMode'],
  'core.v1.PortStatus': ['error'],
  'core.v1.ServiceAccount': ['automountServiceAccountToken'],
  'networking.v1.NetworkPolicyPort': ['endPort', 'protocol'],
  'policy.v1.PodDisruptionBudgetSpec': ['maxUnavailable', 'minAvailable', 'unhealthyPodEvictionPolicy'],
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': ['failurePolicy'],
  'admissionregistration.v1.MatchResources': ['matchPolicy'],
  'admissionregistration.v1.NamedRuleWithOperations': ['scope'],
  'admissionregistration.v1.ParamRef': ['parameterNotFoundAction'],
  'admissionregistration.v1.Validation': ['reason'],
  'coordination.v1.LeaseSpec': [
    'acquireTime',
    'holderIdentity',
    'leaseDurationSeconds',
    'leaseTransitions',
    'preferredHolder',
    'renewTime',
    'strategy',
  ],
};

/** Fields that Go always writes although OpenAPI declares them optional. */
const alwaysWritten: Readonly<Record<string, readonly string[]>> = {
  'core.v1.Event': ['reportingComponent', 'reportingInstance'],
  'core.v1.GRPCAction': ['service'],
  'core.v1.ProjectedVolumeSource': ['sources'],
};

const toSets = (table: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(table).map(([type, fields]) => [type, new Set(fields)]));

const pointerSets = toSets(pointers);
const writtenSets = toSets(alwaysWritten);

/** Whether a scalar field is a pointer in Go. */
export const isPointer = (type: string, field: string): boolean => pointerSets.get(type)?.has(field) === true;

/** Whether an optional field is written even when empty. */
export const isAlwaysWritten = (type: string, field: string): boolean => writtenSets.get(type)?.has(field) === true;
