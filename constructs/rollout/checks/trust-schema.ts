import { s } from '#lib/kind/schema/schema.ts';

/** The schema of the name of a Secret. */
export const secretName = (description: string) => s.secretName({ description });

/** The schema of a reference to the Secret with the Authorization header of a request. */
export const credentials = s.optional(
  s.object(
    {
      secretName: secretName(
        'A Secret of this namespace, of type cdk8s-reconcile/http-credentials. Its annotation cdk8s-reconcile/allowed-hosts must list the host.',
      ),
    },
    { description: 'Source of the Authorization header: the key authorization of a Secret.' },
  ),
);

/** The schema of a reference to the certificate authorities that verify a server. */
export const certificateAuthority = s.optional(
  s.object(
    {
      configMapName: s.optional(s.objectName({ description: 'A ConfigMap of this namespace.' })),
      secretName: s.optional(secretName('A Secret of this namespace, of any type. Its content is never sent.')),
      key: s.optional(
        s.string({
          minLength: 1,
          maxLength: 253,
          pattern: '^[-._a-zA-Z0-9]+$',
          description: 'Key with certificates in PEM. Defaults to ca.crt.',
        }),
      ),
    },
    {
      description:
        'Certificate authorities to verify the server with, from a ConfigMap or a Secret, in place of those that the operator trusts.',
      validations: [
        {
          rule: 'has(self.configMapName) != has(self.secretName)',
          message: 'either configMapName or secretName is needed',
        },
      ],
    },
  ),
);
