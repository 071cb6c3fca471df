import type { JsonObject } from '#lib/kind/json.ts';

/** Who sends a request. */
export interface ClusterUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** What a request wants, as roles speak of it. */
export type Attributes = ResourceAttributes | PathAttributes;

/** A request for a resource. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** A request for a path that is no resource. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** Users that the server itself knows by name. */
export const userGroups = {
  masters: 'system:masters',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  serviceAccounts: 'system:serviceaccounts',
} as const;

/** Whoever shows no token. */
export const anonymous: ClusterUser = { name: 'system:anonymous', groups: [userGroups.unauthenticated] };

/** The user that a service account is. */
export const serviceAccountUser = (namespace: string, name: string, uid: string): ClusterUser => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  uid,
  groups: [userGroups.serviceAccounts, `${userGroups.serviceAccounts}:${namespace}`, userGroups.authenticated],
});

/** A user as reviews show it. */
export const userInfo = ({ name, uid, groups }: ClusterUser): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups,
});
