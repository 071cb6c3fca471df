import { apply, ConfigMap, defineKind, progressing, ready, s } from 'cdk8s-reconcile';

/** Stores a text in a ConfigMap: a starting point for your own kind. */
export const __kind__ = defineKind({
  group: '__group__',
  version: 'v1alpha1',
  kind: '__Kind__',
  scope: '__scope__',
  description: '__Kind__ keeps a text in a ConfigMap.',
  name: { maxLength: 180 },
  spec: s.object({
    text: s.string({ maxLength: 1024, description: 'What the ConfigMap holds.' }),
  }),
  status: s.object({
    configMap: s.string({ maxLength: 253, description: 'Name of the ConfigMap.' }),
  }),
  // What "kubectl get" shows.
  columns: [
    { name: 'ConfigMap', type: 'string', jsonPath: '.status.configMap' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  // Kinds of the children. The operator gets rights for these and for nothing else.
  owns: [ConfigMap],
  // A pure function: returns all children as they should be, every time. Children that it no longer returns are
  // deleted.
  desired({ resource, children }) {
    const name = `${resource.metadata.name}-__file__`;
    return {
      children: [
        apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name__inNamespace__ }, data: { text: resource.spec.text } }),
      ],
      status: { configMap: name },
      state:
        children.of(ConfigMap).length > 0
          ? ready('Written', 'the text is in the ConfigMap')
          : progressing('Writing', 'the ConfigMap is being made'),
    };
  },
});
