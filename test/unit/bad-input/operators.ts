import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Role, RoleBinding } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, Node, Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { between } from '#lib/kind/versions/between.ts';
import { kindWith } from '#test/unit/support/note-kind.ts';
import { BAD_EXTENSIONS } from './extensions.ts';
import { BAD_HANDLES } from './handles.ts';
import { BAD_SURROUNDINGS, type BadOperator } from './surroundings.ts';

/** A valid kind. */
export const note = kindWith({});
const withField = (schema: Readonly<Record<string, unknown>>): AnyKindDefinition =>
  kindWith({ spec: s.object({ a: s.optional(s.unsafe(schema)) }) });
const count = { type: 'integer', minimum: 0, maximum: 9 };
/** Makes a pod. */
export const desired = (): ReturnType<AnyKindDefinition['desired']> => ({
  children: [apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [] } })],
  status: {},
  state: ready('Done', ''),
});

const endless = (): never => {
  for (;;);
};

const older = { version: 'v1alpha1', spec: s.object({}), status: s.object({}) };
const newer = { version: 'v1', spec: s.object({}), status: s.object({}) };

const keep = (content: never): never => content;

/** The kind with an older version. */
const since = (more: Partial<typeof older>): AnyKindDefinition =>
  kindWith({ versions: [between({ ...older, ...more }, newer, { up: keep, down: keep })] });

/** Invalid settings of an operator, and the errors. */
export const BAD_OPERATORS: readonly BadOperator[] = [
  {
    reason: 'a kind owns RoleBindings and nothing says which roles they may refer to',
    props: { kinds: [kindWith({ owns: [RoleBinding] })] },
    rule: 'grants',
    path: 'grants.bind',
  },
  {
    reason: 'a kind owns Roles and nothing says which it may make',
    props: { kinds: [kindWith({ owns: [Role] })], grants: { bind: ['ClusterRole/view'] } },
    rule: 'grants',
    path: 'grants.escalate',
  },
  {
    reason: 'a grant names all roles',
    props: { kinds: [kindWith({ owns: [RoleBinding] })], grants: { bind: ['ClusterRole/*'] } },
    rule: 'grants',
    path: 'grants.bind',
  },
  {
    reason: 'two kinds have one name',
    props: { kinds: [note, kindWith({ plural: 'memos' })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  {
    reason: 'two kinds have one plural',
    props: { kinds: [note, kindWith({ kind: 'Memo', plural: 'notes' })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  {
    reason: 'the plural of one kind is the singular of another',
    props: { kinds: [note, kindWith({ kind: 'Memo', plural: 'note' })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  {
    reason: 'two kinds have one short name',
    props: { kinds: [kindWith({ shortNames: ['nt'] }), kindWith({ kind: 'Memo', shortNames: ['nt'] })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  { reason: 'a kind is listed twice', props: { kinds: [note, note] }, rule: 'kind-twice', path: 'kinds' },
  {
    reason: 'a function does not return',
    props: { kinds: [kindWith({ desired: endless })] },
    rule: 'desired-returns',
    path: 'Note desired',
  },
  {
    reason: 'a child is of a kind that is not owned',
    props: { kinds: [kindWith({ owns: [ConfigMap], desired })] },
    rule: 'owned-kind',
    path: 'Note owns',
  },
  {
    reason: 'a namespaced kind owns a cluster-scoped one',
    props: { kinds: [kindWith({ owns: [Node] })] },
    rule: 'cluster-child',
    path: 'Note owns',
  },
  {
    reason: 'children elsewhere have no namespace',
    props: { kinds: [kindWith({ owns: [elsewhere(ConfigMap, { namespaces: [] })] })] },
    rule: 'elsewhere',
    path: 'Note owns',
  },
  ...BAD_HANDLES,
  {
    reason: 'a kind is owned twice',
    props: { kinds: [kindWith({ owns: [Pod, Pod] })] },
    rule: 'kind-named-twice',
    path: 'Note owns',
  },
  {
    reason: 'a default is out of its bounds',
    props: { kinds: [withField({ ...count, default: 10 })] },
    rule: 'default-fits',
    path: 'Note spec.a',
  },
  {
    reason: 'a default breaks its own rule',
    props: { kinds: [withField({ ...count, default: 3, 'x-kubernetes-validations': [{ rule: 'self % 2 == 0' }] })] },
    rule: 'default-rule',
    path: 'Note spec.a',
  },
  {
    reason: 'a rule over the status does not hold for a status without fields',
    props: { kinds: [kindWith({ status: s.object({ a: count }, { validations: [{ rule: 'self.a > 1' }] }) })] },
    rule: 'default-rule',
    path: 'Note status',
  },
  {
    reason: 'a rule names no field',
    props: { kinds: [kindWith({ spec: s.object({}, { validations: [{ rule: 'self.size > 1' }] }) })] },
    rule: 'cel-compile',
    path: 'Note spec',
  },
  {
    reason: 'a rule is no condition',
    props: { kinds: [withField({ ...count, 'x-kubernetes-validations': [{ rule: 'self + 1' }] })] },
    rule: 'cel-compile',
    path: 'Note spec.a',
  },
  {
    reason: 'the message of a rule does not compile',
    props: {
      kinds: [withField({ ...count, 'x-kubernetes-validations': [{ rule: 'self > 0', messageExpression: 'self' }] })],
    },
    rule: 'cel-compile',
    path: 'Note spec.a',
  },
  {
    reason: 'rules run over too much',
    props: {
      kinds: [
        withField({
          type: 'array',
          maxItems: 100_000,
          'x-kubernetes-list-type': 'atomic',
          items: { type: 'string', maxLength: 9 },
          'x-kubernetes-validations': [{ rule: 'self.all(one, self.exists(other, other == one))' }],
        }),
      ],
    },
    rule: 'cel-cost',
    path: 'Note spec.a',
  },
  {
    reason: 'rules run over the text of many integers or strings, whose maxLength servers before 1.34 ignore',
    props: {
      kinds: [
        withField({
          type: 'array',
          maxItems: 50,
          'x-kubernetes-list-type': 'atomic',
          items: {
            'x-kubernetes-int-or-string': true,
            anyOf: [{ type: 'integer' }, { type: 'string' }],
            minimum: 0,
            maximum: 9,
            maxLength: 9,
            pattern: '^[0-9]%$',
            'x-kubernetes-validations': [{ rule: "type(self) == int || self.matches('^[0-9]%$')" }],
          },
        }),
      ],
    },
    rule: 'cel-cost',
    path: 'Note spec.a[]',
  },
  {
    reason: 'rules see nothing of a value',
    props: {
      kinds: [
        withField({
          'x-kubernetes-preserve-unknown-fields': true,
          'x-kubernetes-validations': [{ rule: 'self != 1' }],
        }),
      ],
    },
    rule: 'cel-unseen',
    path: 'Note spec.a',
  },
  {
    reason: 'a field has no bounds',
    props: { kinds: [withField({ type: 'string' })] },
    rule: 'bound-length',
    path: 'Note spec.a',
  },
  {
    reason: 'a convention is broken without a reason',
    props: { kinds: [withField({ type: 'number', minimum: 0, maximum: 1 })] },
    rule: 'no-float',
    path: 'Note spec.a',
  },
  {
    reason: 'an exception is not needed',
    props: { kinds: [kindWith({ lintExceptions: [{ rule: 'no-float', path: 'spec.a', reason: 'it was there' }] })] },
    rule: 'lint-exception',
    path: 'Note lintExceptions[0]',
  },
  {
    reason: 'a rule of an older version names no field',
    props: { kinds: [since({ spec: s.object({}, { validations: [{ rule: 'self.size > 1' }] }) })] },
    rule: 'cel-compile',
    path: 'Note v1alpha1 spec',
  },
  {
    reason: 'an older version breaks a convention',
    props: { kinds: [since({ status: s.object({ phase: s.string({ maxLength: 9 }) }) })] },
    rule: 'no-phase',
    path: 'Note v1alpha1 status.phase',
  },
  { reason: 'the group is none', props: { kinds: [kindWith({ group: 'demo' })] }, rule: 'group', path: 'Note group' },
  { reason: 'there are no kinds', props: { kinds: [] }, rule: 'kinds', path: 'kinds' },
  { reason: 'there is no image', props: { image: undefined as never }, rule: 'image', path: 'image' },
  { reason: 'the image is empty', props: { image: '' }, rule: 'image', path: 'image' },
  { reason: 'the name is none', props: { name: 'My Operator' }, rule: 'dns-label', path: 'name' },
  {
    reason: 'a short name is taken',
    props: { kinds: [kindWith({ shortNames: ['po'] })] },
    rule: 'short-name-taken',
    path: 'Note shortNames[0]',
  },
  { reason: 'memory is short', props: { memoryMiB: 64 }, rule: 'memory', path: 'memoryMiB' },
  {
    reason: 'its namespace is the cluster’s',
    props: { namespace: 'kube-system' },
    rule: 'namespace',
    path: 'namespace',
  },
  { reason: 'it may work nowhere', props: { namespaces: [] }, rule: 'namespaces', path: 'namespaces' },
  {
    reason: 'an address has no prefix',
    props: { network: { apiServer: ['10.0.0.1'] } },
    rule: 'network',
    path: 'network.apiServer',
  },
  {
    reason: 'an address of the webhook is a name',
    props: { network: { webhookFrom: ['apiserver'] } },
    rule: 'network',
    path: 'network.webhookFrom',
  },
  {
    reason: 'nothing may scrape',
    props: { network: { metricsFrom: [] } },
    rule: 'network',
    path: 'network.metricsFrom',
  },
  {
    reason: 'DNS is any pod',
    props: { network: { dns: { namespace: 'kube-system', labels: {} } } },
    rule: 'network',
    path: 'network.dns',
  },
  {
    reason: 'the release is nowhere',
    props: { released: { from: '/no/such/folder' } },
    rule: 'released-source',
    path: 'released.from',
  },
  ...BAD_EXTENSIONS,
  ...BAD_SURROUNDINGS,
];
