import { apply, between, ConfigMap, defineKind, ready, s, type VersionShape } from 'cdk8s-reconcile';

/** As it was at first: one text. */
export const v1alpha1 = {
  version: 'v1alpha1',
  deprecated: 'demo.example.com/v1alpha1 Greeting is deprecated; use v1beta1',
  spec: s.object({
    text: s.string({ maxLength: 100, description: 'What to say.' }),
    times: s.int32({ minimum: 1, maximum: 10, default: 1, description: 'How often.' }),
  }),
  status: s.object({ said: s.boolean({ description: 'True once it was said.' }) }),
} satisfies VersionShape;

/** The text has a language, and there are names to greet: the first version has no room for them. */
export const v1beta1 = {
  version: 'v1beta1',
  spec: s.object({
    message: s.object({
      text: s.string({ maxLength: 100, description: 'What to say.' }),
      language: s.optional(s.enum(['en', 'de', 'fr'], { description: 'The language of the text.' })),
    }),
    repeat: s.int32({ minimum: 1, maximum: 10, default: 1, description: 'How often.' }),
    names: s.mapList(
      s.object({
        name: s.string({ maxLength: 20, description: 'Whom to greet.' }),
        title: s.optional(s.string({ maxLength: 20, description: 'How to address them.' })),
      }),
      { keys: ['name'], maxItems: 10, default: [], description: 'Whom to greet.' },
    ),
  }),
  status: s.object({
    said: s.boolean({ description: 'True once it was said.' }),
    length: s.int32({ description: 'How long it is.' }),
  }),
} satisfies VersionShape;

/** A kind in its second version. */
export const greeting = defineKind({
  group: 'demo.example.com',
  kind: 'Greeting',
  ...v1beta1,
  versions: [
    between(v1alpha1, v1beta1, {
      up: ({ spec, status }) => ({
        spec: { message: { text: spec.text }, repeat: spec.times, names: [] },
        status: status.said === undefined ? {} : { said: status.said },
      }),
      down: ({ spec, status }) => ({
        spec: { text: spec.message.text, times: spec.repeat },
        status: status.said === undefined ? {} : { said: status.said },
      }),
    }),
  ],
  owns: [ConfigMap],
  desired({ resource }) {
    const { message, repeat, names } = resource.spec;
    const text = [...names.map(({ title = '', name }) => `${title} ${name}`.trim()), message.text].join(', ');
    return {
      children: [
        apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: resource.metadata.name },
          data: { text: Array.from({ length: repeat }, () => text).join(' '), language: message.language ?? '' },
        }),
      ],
      status: { said: true, length: text.length },
      state: ready('Said', 'the greeting is in a ConfigMap'),
    };
  },
});
