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
  'drops a map with a directive where there was none': {
    metadata: { annotations: { $patch: 'replace', a: 'b' } },
    spec: { template: { spec: { nodeSelector: { $patch: 'delete' } } } },
  },
  'keeps nulls in a replaced map': {
    spec: { template: { metadata: { annotations: { $patch: 'replace', note: null, fresh: 'yes' } } } },
  },
  'keeps maps with a directive in a new item': containers({
    name: 'four',
    image: 'four:1',
    resources: { $patch: 'replace', limits: { cpu: '1' } },
  }),
  'orders new items': pods({
    '$setElementOrder/containers': [{ name: 'five' }, { name: 'two' }, { name: 'four' }],
    containers: [
      { name: 'five', image: 'five:1' },
      { name: 'four', image: 'four:1' },
    ],
  }),
  'refuses to merge a map by a directive': { metadata: { labels: { $patch: 'merge', a: 'b' } } },
  'refuses to merge a list by a directive': containers({ name: 'two', $patch: 'merge' }),
  'refuses an unknown directive in a list': containers({ name: 'two', $patch: 'explode' }),
  'refuses to remove an item without its key': containers({ image: 'x', $patch: 'delete' }),
  'refuses members that are not kept': {
    spec: { strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: { maxSurge: 2 } } },
  },
  'refuses to keep a text': { spec: { strategy: { $retainKeys: 'type', type: 'Recreate' } } },
  'refuses an order that is a text': pods({ '$setElementOrder/containers': 'one' }),
  'refuses an order without an item': pods({
    '$setElementOrder/containers': [{ name: 'one' }],
    containers: [{ name: 'two', image: 'x' }],
  }),
  'refuses items in another order': pods({
    '$setElementOrder/containers': [{ name: 'one' }, { name: 'two' }],
    containers: [
      { name: 'two', image: 'x' },
      { name: 'one', image: 'y' },
    ],
  }),
  'orders items without one that is removed': pods({
    '$setElementOrder/containers': [{ name: 'three' }, { name: 'one' }],
    containers: [{ name: 'three', image: 'three:2' }, { name: 'two', $patch: 'delete' }, { name: 'one' }],
  }),
  'refuses a list': [],
  'drops unknown fields': { spec: { colour: 'red' } },
};
