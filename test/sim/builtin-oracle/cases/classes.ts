import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const priorityClass = (object: JsonObject, name = 'p'): JsonObject => ({ metadata: { name }, ...object });

const priority = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `priorityclass: ${name}`,
  kind: 'PriorityClass',
  object,
  changes,
});

const important = { kind: 'PriorityClass', ...priorityClass({ value: 1000, preemptionPolicy: 'Never' }, 'important') };
const usual = { kind: 'PriorityClass', ...priorityClass({ value: 7, globalDefault: true }, 'usual') };

const pod = (name: string, spec: JsonObject, before: NonNullable<Case['before']>): Case => ({
  name: `priorityclass: a pod ${name}`,
  kind: 'Pod',
  object: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
  before,
});

/** PriorityClasses, and pods with and without one. */
const priorities: readonly Case[] = [
  priority('the smallest one', priorityClass({ value: 0 })),
  priority('no value', priorityClass({})),
  priority(
    'all fields',
    priorityClass({ value: -5, description: 'x', preemptionPolicy: 'Never', globalDefault: false }),
    [
      { merge: { description: 'y', globalDefault: true } },
      { merge: { value: 6 } },
      { merge: { preemptionPolicy: 'PreemptLowerPriority' } },
    ],
  ),
  priority('a wrong name and a wrong policy', priorityClass({ value: 1, preemptionPolicy: 'Sometimes' }, 'A_')),
  priority('the highest value', priorityClass({ value: 1_000_000_000 })),
  priority('a value that is too high', priorityClass({ value: 1_000_000_001 })),
  priority('the prefix of the system', priorityClass({ value: 1 }, 'system-x')),
  priority('a number that is no integer', priorityClass({ value: 1.5 })),
  { ...priority('a second default', priorityClass({ value: 1, globalDefault: true })), before: [usual] },
  pod('of a class', { priorityClassName: 'important' }, [important]),
  pod('of an unknown class', { priorityClassName: 'other' }, [important]),
  pod('without a class gets the default', {}, [usual]),
  pod('with the priority of its class', { priorityClassName: 'important', priority: 1000 }, [important]),
  pod('with another priority', { priorityClassName: 'important', priority: 1 }, [important]),
  pod('with another policy', { priorityClassName: 'important', preemptionPolicy: 'PreemptLowerPriority' }, [important]),
];

const storageClass = (object: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 's', ...metadata },
  provisioner: 'example.com/disks',
  ...object,
});

const storage = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `storageclass: ${name}`,
  kind: 'StorageClass',
  object,
  changes,
});

const defaultClass = {
  kind: 'StorageClass',
  ...storageClass({}, { name: 'usual', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }),
};

const claim = (name: string, spec: JsonObject, before: NonNullable<Case['before']>): Case => ({
  name: `storageclass: a claim ${name}`,
  kind: 'PersistentVolumeClaim',
  object: {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  },
  before,
});

const topology = (...expressions: readonly JsonObject[]): JsonObject => ({ matchLabelExpressions: expressions });

/** StorageClasses, and claims without a class. */
const storages: readonly Case[] = [
  storage('the smallest one', storageClass()),
  storage('no provisioner', { metadata: { name: 's' } }),
  storage(
    'all fields',
    storageClass({
      provisioner: 'Example.com/Disks',
      parameters: { type: 'fast' },
      reclaimPolicy: 'Retain',
      mountOptions: ['ro'],
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [topology({ key: 'zone', values: ['a', 'b'] })],
    }),
    [
      { merge: { allowVolumeExpansion: false, mountOptions: ['rw'], allowedTopologies: null } },
      { merge: { parameters: { type: 'slow' } } },
      { merge: { provisioner: 'example.com/other' } },
      { merge: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' } },
    ],
  ),
  storage('a wrong name and wrong choices', {
    ...storageClass({ provisioner: 'a b', reclaimPolicy: 'Recycle', volumeBindingMode: 'Later' }),
    metadata: { name: 'A_' },
  }),
  storage('an empty key of a parameter', storageClass({ parameters: { '': 'x' } })),
  storage(
    'wrong topologies',
    storageClass({
      allowedTopologies: [
        topology({ key: 'a', values: [] }, { key: 'b', values: ['x', 'x'] }, { key: 'b', values: ['y'] }),
        topology({ key: 'a b', values: ['x'] }),
        topology({ key: 'c', values: ['1', '2'] }),
        topology({ key: 'c', values: ['2', '1'] }),
      ],
    }),
  ),
  claim('without a class gets the default', {}, [defaultClass]),
  claim('with an empty class keeps it', { storageClassName: '' }, [defaultClass]),
  claim('with a class keeps it', { storageClassName: 'other' }, [defaultClass]),
];

/** PriorityClasses and StorageClasses, and the objects whose admission reads them. */
export const classCases: readonly Case[] = [...priorities, ...storages];
