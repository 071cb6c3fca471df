import type { JsonObject } from '#lib/json.ts';

const container = (name: string, more: JsonObject = {}): JsonObject => ({ name, image: `${name}:1`, ...more });

/** The object to patch. */
export const base: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'default',
    labels: { app: 'web', tier: 'front' },
    finalizers: ['example.com/a', 'example.com/b'],
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: 'web' }, annotations: { note: 'old' } },
      spec: {
        containers: [
          container('one', {
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            ports: [{ containerPort: 80, name: 'http' }],
            args: ['--x', '--y'],
          }),
          container('two'),
          container('three'),
        ],
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'config', configMap: { name: 'settings' } },
        ],
        tolerations: [{ key: 'a', operator: 'Exists' }],
      },
    },
  },
};

const pods = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
const containers = (...items: readonly JsonObject[]): JsonObject => pods({ containers: items });

/** Patches by description. `strategic-merge-patch.json` has the answers of the real server. */
export const cases: Readonly<Record<string, unknown>> = {
  'changes a scalar': { spec: { replicas: 5 } },
  'adds and removes labels': { metadata: { labels: { tier: null, color: 'red' } } },
  'changes an item by its key': containers({ name: 'two', image: 'two:2' }),
  'adds an item': containers({ name: 'four', image: 'four:1' }),
  'removes an item': containers({ name: 'two', $patch: 'delete' }),
  'replaces a list': containers({ $patch: 'replace' }, { name: 'only', image: 'only:1' }),
  'orders items': {
    spec: {
      template: {
        spec: {
          '$setElementOrder/containers': [{ name: 'three' }, { name: 'four' }, { name: 'one' }],
          containers: [{ name: 'four', image: 'four:1' }],
        },
      },
    },
  },
  'merges lists in lists': containers({
    name: 'one',
    env: [
      { name: 'B', value: '3' },
      { name: 'C', value: '4' },
    ],
  }),
  'removes items of lists in lists': containers({ name: 'one', env: [{ name: 'A', $patch: 'delete' }] }),
  'takes nulls out of items': containers({ name: 'one', args: null, ports: null }),
  'replaces lists without keys': containers({ name: 'one', args: ['--z'] }),
  'replaces atomic lists': pods({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
  'keeps no other source of a volume': pods({
    volumes: [{ name: 'data', $retainKeys: ['name', 'secret'], secret: { secretName: 'keys' } }],
  }),
  'keeps no other members of the strategy': { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
  'replaces a map': { spec: { template: { metadata: { annotations: { $patch: 'replace', fresh: 'yes' } } } } },
  'merges lists of values': { metadata: { finalizers: ['example.com/c'] } },
  'deletes values of a list': { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } },
  'orders values of a list': { metadata: { '$setElementOrder/finalizers': ['example.com/b', 'example.com/a'] } },
  'removes what is not there': { metadata: { annotations: { nothing: null } } },
  'refuses an unknown directive': { metadata: { labels: { $patch: 'explode' } } },
  'refuses an item without its key': containers({ image: 'x:1' }),
  'refuses a list': [],
  'drops unknown fields': { spec: { colour: 'red' } },
};
