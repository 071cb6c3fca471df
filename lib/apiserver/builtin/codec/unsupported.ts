/**
 * Fields of built-in types that have an effect in the real server, but not in the virtual cluster. The virtual cluster refuses
 * requests that set such a field, and names the field.
 */
const unsupported: Readonly<Record<string, readonly string[]>> = {
  'core.v1.PodSpec': [
    'ephemeralContainers',
    'hostUsers',
    'hostnameOverride',
    'os',
    'overhead',
    'resourceClaims',
    'resources',
    'runtimeClassName',
    'schedulingGroup',
  ],
  'core.v1.Container': ['restartPolicyRules', 'volumeDevices'],
  'core.v1.EnvVarSource': ['fileKeyRef'],
  'core.v1.Lifecycle': ['stopSignal'],
  'core.v1.NodeSpec': ['configSource', 'externalID', 'podCIDR', 'podCIDRs', 'providerID'],
  'core.v1.NodeStatus': [
    'config',
    'declaredFeatures',
    'features',
    'images',
    'runtimeHandlers',
    'volumesAttached',
    'volumesInUse',
  ],
  'core.v1.PodAffinityTerm': ['matchLabelKeys', 'mismatchLabelKeys'],
  'core.v1.PodSecurityContext': ['appArmorProfile', 'seLinuxChangePolicy', 'sysctls', 'windowsOptions'],
  'core.v1.ResourceRequirements': ['claims'],
  'core.v1.SecurityContext': ['appArmorProfile', 'procMount', 'windowsOptions'],
  'core.v1.ServiceSpec': [
    'externalIPs',
    'healthCheckNodePort',
    'loadBalancerClass',
    'loadBalancerIP',
    'loadBalancerSourceRanges',
  ],
  'core.v1.TopologySpreadConstraint': ['matchLabelKeys'],
  'core.v1.Volume': [
    'awsElasticBlockStore',
    'azureDisk',
    'azureFile',
    'cephfs',
    'cinder',
    'csi',
    'ephemeral',
    'fc',
    'flexVolume',
    'flocker',
    'gcePersistentDisk',
    'gitRepo',
    'glusterfs',
    'image',
    'iscsi',
    'nfs',
    'photonPersistentDisk',
    'portworxVolume',
    'quobyte',
    'rbd',
    'scaleIO',
    'storageos',
    'vsphereVolume',
  ],
  'core.v1.VolumeProjection': ['clusterTrustBundle', 'podCertificate'],
};

const sets = new Map(Object.entries(unsupported).map(([type, fields]) => [type, new Set(fields)]));

/** Whether this server refuses requests that set a field, with code 501. */
export const isUnsupported = (type: string, field: string): boolean => sets.get(type)?.has(field) === true;
