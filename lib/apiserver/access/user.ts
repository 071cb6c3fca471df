import type { JsonObject } from '#lib/json.ts';

/** The user as which a request runs. */
export interface ClusterUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further attributes of the user. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The attributes of a request that RBAC rules refer to. */
export type RequestAttributes = ResourceAttributes | PathAttributes;

/** A request for a resource. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** A request for a non-resource path. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** Groups that the server itself assigns. */
export const userGroups = {
  masters: 'system:masters',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  serviceAccounts: 'system:serviceaccounts',
  nodes: 'system:nodes',
} as const;

/** The user of a request without a token. */
export const anonymous: ClusterUser = { name: 'system:anonymous', groups: [userGroups.unauthenticated] };

/** Returns the groups of the service accounts in a namespace, without `system:authenticated`. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  userGroups.serviceAccounts,
  `${userGroups.serviceAccounts}:${namespace}`,
];

/** Returns the user name of a service account. */
export const serviceAccountName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

/** Converts a user to `UserInfo`, the form of users in the status of reviews. */
export const userInfo = ({ name, uid, groups, extra }: ClusterUser): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups,
  ...(extra && { extra }),
});
