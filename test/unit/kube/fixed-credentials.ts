import type { Authentication, Credentials, TlsMaterial } from '#lib/kube/credentials/authentication.ts';

export interface FixedCredentials extends Credentials {
  /** The token after the next renewal. */
  next: string | undefined;
  /** Replaces the TLS material, as after a rotation of the CA. */
  rotate(tls: TlsMaterial): void;
}

const withToken = (value: string | undefined, material: TlsMaterial): Authentication => ({
  headers: value === undefined ? {} : { authorization: `Bearer ${value}` },
  tls: material,
});

/** Credentials that change on request only. */
export const fixedCredentials = (server: string, token?: string, tls: TlsMaterial = {}): FixedCredentials => {
  let current = withToken(token, tls);
  return {
    server,
    namespace: 'default',
    source: 'test',
    next: undefined,
    rotate(material) {
      current = { ...current, tls: material };
    },
    authenticate: async () => current,
    async renew() {
      if (this.next !== undefined) current = withToken(this.next, current.tls);
      this.next = undefined;
    },
  };
};
