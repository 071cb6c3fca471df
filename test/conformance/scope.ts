/** Some tests, with a reason. */
export interface Explained {
  readonly tests: RegExp;
  readonly reason: string;
}

const row = (tests: RegExp, reason: string): Explained => ({ tests, reason });

const CONTAINERS = 'needs running containers: the test reads their output, or sends requests to them';
const VOLUMES = 'needs running containers that read their volumes';
const NETWORK = 'needs a network between containers';
const notServed = (kind: string): string => `needs ${kind}, which the embedded cluster does not serve`;

/** Tests without meaning for this cluster, and the reason. The first row that matches a test's name counts. */
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
  row(/\] StatefulSet /, notServed('StatefulSet')),
  row(/Daemon set|ControllerRevision/, notServed('DaemonSet')),
  row(
    /ignore failure matching on DisruptionTarget condition/,
    'needs evictions (`pods/eviction`), which the embedded cluster does not serve',
  ),
  row(/EndpointSlice|Endpoints/, notServed('Endpoints and EndpointSlice')),
  row(/ServiceCIDR and IPAddress/, notServed('ServiceCIDR and IPAddress')),
  row(/Ingress/, notServed('Ingress and IngressClass')),
  row(/Certificates API/, notServed('CertificateSigningRequest')),
  row(/LimitRange/, notServed('LimitRange')),
  row(/RuntimeClass/, notServed('RuntimeClass')),
  row(/\[DRA\]|ResourceClaim/, notServed('the group resource.k8s.io')),
  row(/SchedulerPreemption|PodPriority/, notServed('PriorityClass')),
  row(/sig-storage.*(CSI|VolumeAtt)/, notServed('the group storage.k8s.io')),
  row(/PersistentVolumes|persistent volume|VolumeAttributesClass/, notServed('PersistentVolume')),
  row(
    /DisruptionController/,
    'needs a controller for PodDisruptionBudgets; the embedded cluster only stores these objects',
  ),

  row(/sig-storage.*(?<!be immutable if `immutable` field is set \[Conformance\])$/, VOLUMES),
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
    'needs a scheduler that uses the contents of Node objects; the simulated scheduler ignores them',
  ),
];

/** Tests in addition to the conformance tests, about guarantees of the virtual API server. */
export const additional =
  /^\[sig-api-machinery\] (ServerSideApply|CustomResourceValidationRules|CRDValidationRatcheting|Watchers|FieldValidation|Discovery|Servers with support for|OpenAPIV3|Namespaces|Garbage collector|ResourceQuota|Server request timeout|API Streaming)/;

/** Tests that run and fail, and the reason. */
export const knownFailures: readonly Explained[] = [
  row(
    /Services should complete a service status lifecycle/,
    'the embedded cluster does not support the field spec.loadBalancerClass of a Service, and refuses it with the status 501',
  ),
  row(
    /exceeds the estimated cost limit/,
    'the embedded cluster does not estimate the cost of CEL rules (see `cel-cost` in docs/virtual-cluster.md)',
  ),
  row(
    /requested by (metadata client's List|metadatainformer)/,
    'the embedded cluster responds with JSON, and the test expects protobuf. In JSON, each item of a metadata list has the fields `kind` and `apiVersion`, as on a real API server; in protobuf, it lacks them',
  ),
];
