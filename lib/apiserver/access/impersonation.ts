import { badRequest, StatusError } from '#lib/apiserver/machinery/status.ts';
import { anonymous, type ClusterUser, type RequestAttributes, serviceAccountGroups, userGroups } from './user.ts';

/** The impersonation headers of a request. */
export interface Impersonation {
  readonly name: string | undefined;
  readonly groups: readonly string[];
  readonly uid: string | undefined;
  /** Further attributes of the user. Their keys are in lower case. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

type Wanted = Impersonation & { readonly name: string };

const AUTHENTICATION = 'authentication.k8s.io';

/** With this number of groups or more, a check with a constraint first checks the right to impersonate all groups. */
const MANY = 4;

const FORBIDDEN = 403;

/** Formats strings as Go prints a slice of strings: `[]string{"a"}`. */
const goStrings = (texts: readonly string[]): string =>
  texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map((text) => JSON.stringify(text)).join(', ')}}`;

/** Creates the error 400 for headers without a user name. The message contains the parsed headers. */
const withoutUserName = ({ groups, uid = '', extra }: Impersonation): StatusError => {
  const names = Object.keys(extra).toSorted();
  const entries = names.map((name) => `${JSON.stringify(name)}:${goStrings(extra[name] ?? [])}`);
  const shown = `map[string][]string${names.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}`;
  const wanted = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goStrings(groups)}, Extra:${shown}}`;
  return badRequest(`requested ${wanted} without impersonating a user name`);
};

/** Parses the user name of a service account; undefined for any other user name. */
const accountIn = (name: string): { readonly namespace: string; readonly name: string } | undefined => {
  const [, namespace, account] = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/.exec(name) ?? [];
  return namespace === undefined || account === undefined ? undefined : { namespace, name: account };
};

const nodeIn = (name: string): string | undefined => /^system:node:([a-z0-9.-]+)$/.exec(name)?.[1];

const isNameAlone = ({ groups, uid = '', extra }: Wanted): boolean =>
  groups.length === 0 && uid === '' && Object.keys(extra).length === 0;

/** One way to check the right to impersonate. */
interface Mode {
  /**
   * The suffix of the RBAC verb; absent for the older verb `impersonate`, which applies to all kinds of users.
   */
  readonly constraint?: string;
  readonly isMeant: (wanted: Wanted) => boolean;
}

/**
 * The ways to check the right to impersonate, in the order of the checks. The real server has one more way, for a service account
 * that impersonates the node of its pod.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/filters/impersonation/mode.go (`allImpersonationModes`)
 */
const MODES: readonly Mode[] = [
  {
    constraint: 'arbitrary-node',
    isMeant: (wanted) => isNameAlone(wanted) && nodeIn(wanted.name) !== undefined,
  },
  {
    constraint: 'serviceaccount',
    isMeant: (wanted) => isNameAlone(wanted) && accountIn(wanted.name) !== undefined,
  },
  {
    constraint: 'user-info',
    isMeant: ({ name }) => nodeIn(name) === undefined && accountIn(name) === undefined,
  },
  { isMeant: () => true },
];

/** The attributes of a request, and the check of the rights of the requesting user. */
export interface ImpersonationAsk {
  readonly attributes: RequestAttributes;
  /** Checks that the requesting user has a right. @throws {StatusError} 403 without the right, and always if `denial` is given */
  readonly authorize: (wanted: RequestAttributes, denial?: string) => void;
}

/** Checks the rights to impersonate, one after the other. @throws {StatusError} 403 for the first missing right */
const authorizeAs = (
  wanted: Wanted,
  constraint: string | undefined,
  authorize: ImpersonationAsk['authorize'],
): void => {
  const verb = constraint === undefined ? 'impersonate' : `impersonate:${constraint}`;
  const group = constraint === undefined ? '' : AUTHENTICATION;
  const account = accountIn(wanted.name);
  const node = constraint === undefined ? undefined : nodeIn(wanted.name);
  if (account) authorize({ verb, group, resource: 'serviceaccounts', ...account });
  else if (node !== undefined) authorize({ verb, group, resource: 'nodes', name: node });
  else authorize({ verb, group, resource: 'users', name: wanted.name });
  const { uid = '' } = wanted;
  if (uid !== '') authorize({ verb, group: AUTHENTICATION, resource: 'uids', name: uid });
  authorizeGroups(wanted, { verb, group, resource: 'groups' }, authorize);
  for (const [subresource, values] of Object.entries(wanted.extra)) {
    const resource = { verb, group: AUTHENTICATION, resource: 'userextras', subresource };
    for (const name of values) authorize({ ...resource, name });
  }
};

const authorizeGroups = (
  { groups }: Wanted,
  resource: { readonly verb: string; readonly group: string; readonly resource: string },
  authorize: ImpersonationAsk['authorize'],
): void => {
  const isConstrained = resource.group !== '';
  if (isConstrained && groups.includes('')) authorize(resource, 'impersonating the empty string group is not allowed');
  if (isConstrained && groups.includes(userGroups.masters)) {
    const name = userGroups.masters;
    authorize({ ...resource, name }, 'impersonating the system:masters group is not allowed');
  }
  if (isConstrained && groups.length >= MANY && isAllowed(() => authorize({ ...resource, name: '*' }))) return;
  for (const name of groups) authorize({ ...resource, name });
};

/** Returns an error that reports a missing right. Throws any other error, because such an error is a bug. */
const asRefusal = (error: unknown): StatusError => {
  if (error instanceof StatusError && error.status.code === FORBIDDEN) return error;
  throw error;
};

const isAllowed = (ask: () => void): boolean => {
  try {
    ask();
    return true;
  } catch (error) {
    asRefusal(error);
    return false;
  }
};

const groupsOf = ({ name, groups }: Wanted, constraint: string | undefined): readonly string[] => {
  const account = accountIn(name);
  const own = constraint !== undefined && nodeIn(name) !== undefined ? [userGroups.nodes] : groups;
  const all = account && groups.length === 0 ? serviceAccountGroups(account.namespace) : own;
  const commonGroup = name === anonymous.name ? userGroups.unauthenticated : userGroups.authenticated;
  const isComplete = all.includes(commonGroup) || all.includes(userGroups.unauthenticated);
  return isComplete ? all : [...all, commonGroup];
};

/**
 * Returns the user as which a request runs.
 *
 * @param wanted - the impersonation headers
 * @returns undefined without impersonation headers
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/filters/impersonation/constrained_impersonation.go, mode.go
 * @throws {StatusError} 403 with the message of the first check, when the user may not impersonate; 400 for headers without a
 * user name
 */
export const impersonated = (
  wanted: Impersonation,
  { attributes, authorize }: ImpersonationAsk,
): ClusterUser | undefined => {
  const { name = '', groups, uid = '', extra } = wanted;
  const hasExtra = Object.keys(extra).length > 0;
  if (name === '' && (groups.length > 0 || uid !== '' || hasExtra)) throw withoutUserName(wanted);
  if (name === '') return undefined;
  const target = { ...wanted, name };
  const refusals: StatusError[] = [];
  for (const { constraint } of MODES.filter(({ isMeant }) => isMeant(target))) {
    try {
      if (constraint !== undefined)
        authorize({ ...attributes, verb: `impersonate-on:${constraint}:${attributes.verb}` });
      authorizeAs(target, constraint, authorize);
      return { name, ...(uid !== '' && { uid }), groups: groupsOf(target, constraint), ...(hasExtra && { extra }) };
    } catch (error) {
      refusals.push(asRefusal(error));
    }
  }
  throw refusals[0];
};
