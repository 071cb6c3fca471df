import { apply, defineKind, elsewhere, elsewhereName, NetworkPolicy, progressing, ready, s } from 'cdk8s-reconcile';

export const databaseAccess = defineKind({
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'DatabaseAccess',
  plural: 'databaseaccesses',
  description: 'DatabaseAccess lets the pods of its namespace reach a database of the team in the namespace databases.',
  spec: s.object({
    database: s.string({ minLength: 1, maxLength: 40, description: 'The name of the database.' }),
    port: s.int32({ minimum: 1, maximum: 65_535, default: 5432, description: 'The port of the database.' }),
  }),
  status: s.object({ open: s.boolean({ description: 'True while the pods are admitted.' }) }),
  owns: [elsewhere(NetworkPolicy, { namespaces: ['databases'] })],
  desired({ resource, children }) {
    const { database, port } = resource.spec;
    const { name, namespace } = resource.metadata;
    const team = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: elsewhereName(resource, name), namespace: 'databases' },
      spec: {
        // The author of the resource has no rights in this namespace. So the function, and not the spec, names the team.
        podSelector: { matchLabels: { 'acme.io/team': namespace, 'acme.io/database': database } },
        ingress: [{ from: [{ namespaceSelector: team }], ports: [{ port }] }],
      },
    };
    const open = children.of(NetworkPolicy).some((child) => child.metadata?.name === policy.metadata.name);
    const state = open ? ready('Open', 'the pods are admitted') : progressing('Opening', 'the policy is under way');
    return { children: [apply(policy)], status: { open }, state };
  },
});
