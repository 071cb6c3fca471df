import { between, s, type VersionShape } from 'cdk8s-reconcile';

const html = s.string({ maxLength: 65_536, description: 'The page.' });
const replicas = s.int32({ minimum: 0, maximum: 20, default: 2, description: 'How many pods serve it.' });
const status = s.object({
  url: s.string({ maxLength: 300, description: 'Where the pages are found inside the cluster.' }),
  readyReplicas: s.int32({ minimum: 0, description: 'How many pods serve them now.' }),
});
const columns = [
  { name: 'Ready pods', type: 'integer', jsonPath: '.status.readyReplicas' },
  { name: 'URL', type: 'string', jsonPath: '.status.url' },
] as const;

/** As it was at first: one page. */
export const v1alpha1 = {
  version: 'v1alpha1',
  deprecated: 'web.example.com/v1alpha1 Website is deprecated; use v1beta1',
  spec: s.object({ html, replicas }),
  status,
  columns,
} satisfies VersionShape;

export const v1beta1 = {
  version: 'v1beta1',
  spec: s.object({
    index: s.string({ maxLength: 65_536, description: 'The page index.html.' }),
    pages: s.mapList(
      s.object({
        file: s.string({
          maxLength: 63,
          pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
          description: 'Its name, such as about.html.',
        }),
        html,
      }),
      { keys: ['file'], maxItems: 10, default: [], description: 'What is served besides.' },
    ),
    replicas,
  }),
  status,
  columns,
} satisfies VersionShape;

/** The conversions between them, from the oldest to the newest. */
export const versions = [
  between(v1alpha1, v1beta1, {
    up: ({ spec, status }) => ({
      spec: { index: spec.html, pages: [], replicas: spec.replicas },
      status,
    }),
    down: ({ spec, status }) => ({
      spec: { html: spec.index, replicas: spec.replicas },
      status,
    }),
  }),
];
