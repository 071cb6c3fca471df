import type { JsonObject } from '#lib/json.ts';

/** Who sends a request. */
export interface ClusterUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What else is known of them. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
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
  nodes: 'system:nodes',
} as const;

/** Whoever shows no token. */
export const anonymous: ClusterUser = { name: 'system:anonymous', groups: [userGroups.unauthenticated] };

/** The groups of all service accounts of a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  userGroups.serviceAccounts,
  `${userGroups.serviceAccounts}:${namespace}`,
];

/** The user name of a service account. */
export const serviceAccountName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

/** A user as reviews show it. */
export const userInfo = ({ name, uid, groups, extra }: ClusterUser): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups,
  ...(extra && { extra }),
});
