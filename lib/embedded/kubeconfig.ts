/** The contents of a kubeconfig: one cluster and one user. */
export interface KubeconfigParts {
  /** The name of the cluster and of the context. */
  readonly name: string;
  readonly server: string;
  readonly tls: {
    /** The certificate authority, in PEM. @default the system's authorities */
    readonly ca?: string | Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  readonly user: string;
  readonly auth: { readonly token: string } | { readonly tokenFile: string };
  /** The namespace of the context. @default `default`, as in kubectl */
  readonly namespace?: string;
}

/** Formats a kubeconfig with one context. The format is JSON, which every YAML parser can read. */
export const kubeconfigOf = ({ name, server, tls, user, auth, namespace }: KubeconfigParts): object => {
  const { ca, servername, rejectUnauthorized } = tls;
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(servername !== undefined && { 'tls-server-name': servername }),
    ...(rejectUnauthorized === false && { 'insecure-skip-tls-verify': true }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name: user, user: auth }],
    contexts: [{ name, context: { cluster: name, user, ...(namespace !== undefined && { namespace }) } }],
    'current-context': name,
  };
};
