/** Sources of volumes that neither pods nor PersistentVolumes may have. */
const VOLUME_SOURCES = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'glusterfs',
  'iscsi',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

/**
 * Fields of built-in types that have an effect in the real server, but not in this server. This server refuses requests that set
 * such a field, and names the field.
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
  'core.v1.PersistentVolumeSpec': VOLUME_SOURCES,
  'core.v1.PodAffinityTerm': ['matchLabelKeys', 'mismatchLabelKeys'],
  'core.v1.PodSecurityContext': ['appArmorProfile', 'seLinuxChangePolicy', 'sysctls', 'windowsOptions'],
  'core.v1.ResourceRequirements': ['claims'],
  'core.v1.SecurityContext': ['appArmorProfile', 'procMount', 'windowsOptions'],
  'core.v1.ServiceSpec': ['externalIPs', 'healthCheckNodePort', 'loadBalancerSourceRanges'],
  'core.v1.TopologySpreadConstraint': ['matchLabelKeys'],
  'core.v1.Volume': [...VOLUME_SOURCES, 'csi', 'ephemeral', 'gitRepo', 'image', 'nfs'],
  'core.v1.VolumeProjection': ['clusterTrustBundle', 'podCertificate'],
};

const sets = new Map(Object.entries(unsupported).map(([type, fields]) => [type, new Set(fields)]));

/** Whether this server refuses requests that set a field, with code 501. */
export const isUnsupported = (type: string, field: string): boolean => sets.get(type)?.has(field) === true;
