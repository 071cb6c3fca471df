/** A container, as far as webhooks read it. */
export interface AdmittedContainer {
  readonly name: string;
  image: string;
  imagePullPolicy?: string;
  args?: readonly string[];
  env?: { readonly name: string; readonly value: string }[];
  resources?: { readonly requests?: object; readonly limits?: object };
  restartPolicy?: string;
  securityContext?: object;
  volumeMounts?: { readonly name: string; readonly mountPath: string }[];
}

/** The spec of a pod, as far as webhooks read it. */
export interface AdmittedPodSpec {
  containers: AdmittedContainer[];
  initContainers?: AdmittedContainer[];
  tolerations?: object[];
  imagePullSecrets?: object[];
  securityContext?: object;
  volumes?: { readonly name: string; readonly emptyDir: object }[];
  hostAliases?: object[];
  dnsConfig?: object;
  topologySpreadConstraints?: object[];
  priorityClassName?: string;
  priority?: number;
  terminationGracePeriodSeconds?: number;
}

/** Metadata, as far as webhooks read it. */
export interface AdmittedMetadata {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: readonly { readonly kind: string }[];
}

/** An object in an admission review. */
export interface Admitted {
  readonly kind: string;
  readonly metadata: AdmittedMetadata;
  readonly spec?: Partial<AdmittedPodSpec> & {
    replicas?: number;
    minReadySeconds?: number;
    readonly template?: { metadata?: AdmittedMetadata; readonly spec: AdmittedPodSpec };
  };
}

/** A pod, or the pod template of a Deployment. */
export interface AdmittedPod {
  readonly metadata: AdmittedMetadata;
  readonly spec: AdmittedPodSpec;
}

/** The pod that an object is or creates; undefined for another object. */
export const podIn = ({ kind, metadata, spec }: Admitted): AdmittedPod | undefined => {
  if (kind === 'Pod') return { metadata, spec: spec as AdmittedPodSpec };
  if (kind !== 'Deployment' || !spec?.template) return undefined;
  spec.template.metadata ??= {};
  return { metadata: spec.template.metadata, spec: spec.template.spec };
};
