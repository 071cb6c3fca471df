/** Some tests, with a reason. */
export interface Explained {
  readonly tests: RegExp;
  readonly reason: string;
}

const row = (tests: RegExp, reason: string): Explained => ({ tests, reason });

const CONTAINERS = 'needs running containers: the test reads their output, or sends requests to them';
const COMMANDS = 'needs running containers: the test runs commands in them';
const VOLUMES = 'needs running containers that read their volumes';
const NETWORK = 'needs a network between containers';
const notServed = (kind: string): string => `needs ${kind}, which the embedded cluster does not serve`;

/** Tests that do not apply to an embedded cluster, and the reasons. The first row that matches the name of a test counts. */
export const outOfScope: readonly Explained[] = [
  row(/AdmissionWebhook|ConversionWebhook|CustomResourceFieldSelectors/, 'needs webhooks, whose servers run in pods'),
  row(/\] Aggregator |Aggregated APIServer/, 'needs API aggregation'),
  row(/MutatingAdmissionPolicy/, notServed('MutatingAdmissionPolicy')),
  row(
    /ValidatingAdmissionPolicy.*(validate against a Deployment|refer variables)/,
    'needs an API server that evaluates admission policies; the embedded cluster only stores them',
  ),
  row(/API priority and fairness/, 'needs API priority and fairness'),
  row(
    /Discovery should (locate the groupVersion|support (raw )?aggregated discovery (interface|endpoint Accept headers) \[)/,
    'needs at least one kind of each API group of Kubernetes',
  ),

  row(
    /\brc\b|replication controller|ReplicationController|Guestbook|Update Demo|Kubectl (describe|label)|both valid owner and owner/,
    notServed('ReplicationController'),
  ),
  row(/\] StatefulSet .*(roll backs|halt if any stateful pod is unhealthy|Burst scaling)/, COMMANDS),
  row(/Should recreate evicted statefulset/, 'needs kubelets that refuse pods whose host ports are in use'),
  row(
    /Daemon set .*rollback without unnecessary restarts/,
    'needs kubelets that cannot pull an image that does not exist; in the embedded cluster, its containers start',
  ),
  row(
    /volume attributes class scope .* with different volume attributes class/,
    'needs a controller that binds PersistentVolumeClaims, which the embedded cluster lacks',
  ),
  row(
    /ignore failure matching on DisruptionTarget condition/,
    'needs evictions (`pods/eviction`), which the embedded cluster does not serve',
  ),
  row(
    /EndpointSlice should support a|EndpointSliceMirroring|Endpoints|EndpointSlices/,
    'needs Endpoints, or a controller for EndpointSlices; the embedded cluster only stores EndpointSlices',
  ),
  row(/ServiceCIDR and IPAddress/, notServed('ServiceCIDR and IPAddress')),
  row(/Certificates API/, notServed('CertificateSigningRequest')),
  row(/RuntimeClass/, notServed('RuntimeClass')),
  row(/\[DRA\]|ResourceClaim/, notServed('the group resource.k8s.io')),
  row(
    /SchedulerPreemption(?!.* PriorityClass endpoints)/,
    'needs a scheduler that preempts pods with a lower priority, which the embedded cluster lacks',
  ),
  row(
    /lifecycle of a PV and a PVC|sig-storage.*(CSIInline|CSINode|CSIStorage|VolumeAtt)/,
    notServed('kinds of the group storage.k8s.io other than StorageClass'),
  ),
  row(
    /DisruptionController/,
    'needs a controller for PodDisruptionBudgets; the embedded cluster only stores these objects',
  ),

  row(/sig-storage(?!.*(?:be immutable if `immutable` field is set|StorageClasses|pv\/pvc status))/, VOLUMES),
  row(/\] DNS |Networking Granular|Proxy version v1|HostPort|session affinity|Service endpoints latency/, NETWORK),
  row(
    /Services should (serve|be able to create a functioning|be able to change the type)|basic endpoint from pods/,
    NETWORK,
  ),
  row(
    /consumable|Downward API|Container Lifecycle Hook|Container Runtime|\] Containers|Variable Expansion|Security Context/,
    CONTAINERS,
  ),
  row(/InitContainer|Ephemeral Containers|KubeletManagedEtcHosts|Kubelet when|ImageVolume|PreStop|Sysctls/, CONTAINERS),
  row(/Probing container|InPlace Resize|websockets|environment variables for services/, CONTAINERS),
  row(/mount an API token|projected service account token|Kubectl logs|OIDC discovery/, CONTAINERS),
  row(/image on each replica with a public image/, CONTAINERS),
  row(
    /NoExecuteTaintManager|SchedulerPredicates/,
    'needs a scheduler that counts the resources and ports of nodes, and a controller that deletes pods after a NoExecute taint',
  ),
];

/** Tests in addition to the conformance tests, about guarantees of the virtual API server. */
export const additional =
  /^\[sig-api-machinery\] (ServerSideApply|CustomResourceValidationRules|CRDValidationRatcheting|Watchers|FieldValidation|Discovery|Servers with support for|OpenAPIV3|Namespaces|Garbage collector|ResourceQuota|Server request timeout|API Streaming)/;

/** Tests that run and fail, and the reason. */
export const knownFailures: readonly Explained[] = [
  row(
    /exceeds the estimated cost limit/,
    'the embedded cluster does not estimate the cost of CEL rules (see `cel-cost` in docs/virtual-cluster.md)',
  ),
  row(
    /requested by (metadata client's List|metadatainformer)/,
    'the embedded cluster responds with JSON, and the test expects protobuf. In JSON, each item of a metadata list has the fields `kind` and `apiVersion`, as on a real API server; in protobuf, it lacks them',
  ),
];
