import {
  apply,
  ConfigMap,
  defineKind,
  type KindRef,
  keep,
  ownerLabels,
  progressing,
  ready,
  refOf,
  Service,
  s,
  shortHash,
  stalled,
} from 'cdk8s-reconcile';
import type { Job as KubeJob } from 'kubernetes-types/batch/v1.js';
import type { Secret as KubeSecret, PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import type { Ingress as KubeIngress } from 'kubernetes-types/networking/v1.js';
import { runner } from '../runner.ts';

const Secret: KindRef<KubeSecret> = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', scope: 'Namespaced' };

const Ingress: KindRef<KubeIngress> = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  plural: 'ingresses',
  scope: 'Namespaced',
};

// The template of a Job never changes; another template is another Job, under another name.
const Job: KindRef<KubeJob> = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  plural: 'jobs',
  scope: 'Namespaced',
  createOnce: true,
  fields: ['status.succeeded', 'status.conditions'],
};

// Its deletion needs the consent of a person.
const Claim: KindRef<PersistentVolumeClaim> = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  scope: 'Namespaced',
  holdsData: true,
};

// A custom resource: the kind of another definition.
const Runner = refOf(runner);

export const portal = defineKind({
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Portal',
  description: 'Portal runs an image behind an Ingress, after its database was migrated.',
  name: { maxLength: 45, isLabel: true },
  spec: s.object({
    host: s.string({ minLength: 1, maxLength: 253, description: 'Where it is found.' }),
    image: s.string({ minLength: 1, maxLength: 512, description: 'Image to run.' }),
    settingsName: s.objectName({ description: 'The ConfigMap with its settings.' }),
    storage: s.quantity({ default: '1Gi', description: 'Room for its data.' }),
  }),
  status: s.object({ migrated: s.boolean({ description: 'True once the database fits the image.' }) }),
  owns: [Secret, Service, Ingress, Job, Claim, Runner],
  reads: [ConfigMap],
  desired({ resource, children, related }) {
    const { name } = resource.metadata;
    const { host, image, settingsName, storage } = resource.spec;
    const settings = related.get(ConfigMap, settingsName);
    if (settings === undefined) {
      // Without the settings, the children cannot be computed. `partial` keeps the existing children.
      const message = `there is no ConfigMap ${settingsName}`;
      return {
        children: [],
        partial: message,
        status: { migrated: false },
        state: stalled('SettingsMissing', message),
      };
    }

    const jobName = `${name}-migrate-${shortHash(image, 5)}`;
    const job = children.of(Job).find(({ metadata }) => metadata?.name === jobName);
    const migrated = (job?.status?.succeeded ?? 0) > 0;
    const failed = job?.status?.conditions?.some(({ type, status }) => type === 'Failed' && status === 'True') ?? false;

    // Until the migration is over, the Runner of the previous image keeps running.
    const runners = migrated
      ? [
          apply({
            apiVersion: Runner.apiVersion,
            kind: Runner.kind,
            metadata: { name },
            spec: { image, args: [`--settings=${shortHash(settings.data, 10)}`] },
          }),
        ]
      : children.of(Runner).map(keep);

    const state = failed
      ? stalled('MigrationFailed', `see the logs of the Job ${jobName}; it runs again for another image`)
      : migrated
        ? ready('Open', `serves ${host}`)
        : progressing('Migrating', `the Job ${jobName} is under way`);
    return {
      children: [
        apply<KubeSecret>({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name },
          data: { 'database-url': btoa(`postgres://${name}-db/portal`) },
        }),
        apply<PersistentVolumeClaim>({
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: String(storage) } } },
        }),
        apply<KubeJob>({
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: jobName },
          spec: {
            backoffLimit: 3,
            template: {
              spec: {
                restartPolicy: 'Never',
                containers: [{ name: 'migrate', image, args: ['migrate'], envFrom: [{ secretRef: { name } }] }],
              },
            },
          },
        }),
        apply({
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name },
          // Every child has a label with the name of its owner. So this selector selects the pods of the Runner.
          spec: { selector: ownerLabels(runner, name), ports: [{ port: 80, targetPort: 8080 }] },
        }),
        apply<KubeIngress>({
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { name },
          spec: {
            rules: [
              {
                host,
                http: {
                  paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { number: 80 } } } }],
                },
              },
            ],
          },
        }),
        ...runners,
      ],
      status: { migrated },
      state,
      conditions: [
        {
          type: 'Migrated',
          status: migrated ? 'True' : failed ? 'False' : 'Unknown',
          reason: migrated ? 'JobSucceeded' : failed ? 'JobFailed' : 'JobRunning',
          message: '',
        },
      ],
      events:
        migrated && resource.status?.migrated !== true
          ? [{ type: 'Normal', reason: 'Migrated', message: `the database fits ${image}` }]
          : [],
    };
  },
});
