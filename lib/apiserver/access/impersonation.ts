import { badRequest, StatusError } from '#lib/apiserver/machinery/status.ts';
import { type Attributes, anonymous, type ClusterUser, serviceAccountGroups, userGroups } from './user.ts';

/** As whom a request is to be carried out, by its headers. */
export interface Impersonation {
  readonly name: string | undefined;
  readonly groups: readonly string[];
  readonly uid: string | undefined;
  /** By their names in lower case. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Somebody whom a user wants to be. */
type Wanted = Impersonation & { readonly name: string };

const AUTHENTICATION = 'authentication.k8s.io';

/** From so many groups on the right to all is asked for first. */
const MANY = 4;

const FORBIDDEN = 403;

/** `[]string{"a"}`, as Go prints it. */
const goStrings = (texts: readonly string[]): string =>
  texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map((text) => JSON.stringify(text)).join(', ')}}`;

/** In the words of the API server, which prints what it has read. */
const nobodyToBe = ({ groups, uid = '', extra }: Impersonation): StatusError => {
  const names = Object.keys(extra).toSorted();
  const entries = names.map((name) => `${JSON.stringify(name)}:${goStrings(extra[name] ?? [])}`);
  const shown = `map[string][]string${names.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}`;
  const wanted = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goStrings(groups)}, Extra:${shown}}`;
  return badRequest(`requested ${wanted} without impersonating a user name`);
};

/** A name of a service account in the form of user names. */
const accountIn = (name: string): { readonly namespace: string; readonly name: string } | undefined => {
  const [, namespace, account] = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/.exec(name) ?? [];
  return namespace === undefined || account === undefined ? undefined : { namespace, name: account };
};

const nodeIn = (name: string): string | undefined => /^system:node:([a-z0-9.-]+)$/.exec(name)?.[1];

const isNameAlone = ({ groups, uid = '', extra }: Wanted): boolean =>
  groups.length === 0 && uid === '' && Object.keys(extra).length === 0;

/** One way of asking for the right to be somebody else. */
interface Mode {
  /** Absent for the old way, which needs one right alone and takes any groups. */
  readonly constraint?: string;
  readonly isMeant: (wanted: Wanted) => boolean;
}

/**
 * In the order in which they are tried.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/filters/impersonation/mode.go (`allImpersonationModes`); a service account knows no node here
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

/** Who asks, and what for. */
export interface ImpersonationAsk {
  readonly attributes: Attributes;
  /** @throws {StatusError} 403 */
  readonly authorize: (wanted: Attributes, denial?: string) => void;
}

/** The rights to be somebody, one after the other. @throws {StatusError} 403 for the first that is not there */
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

/** Whatever else was thrown is a bug, and no answer about rights. */
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
  const everybody = name === anonymous.name ? userGroups.unauthenticated : userGroups.authenticated;
  const isComplete = all.includes(everybody) || all.includes(userGroups.unauthenticated);
  return isComplete ? all : [...all, everybody];
};

/**
 * As whom a request is to be carried out.
 *
 * @param wanted - what the headers of impersonation say
 * @returns undefined when they say nothing
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/filters/impersonation/constrained_impersonation.go, mode.go
 * @throws {StatusError} 403 when the user may not be somebody else, in the words of the first way that was tried; 400 for groups of nobody
 */
export const impersonated = (
  wanted: Impersonation,
  { attributes, authorize }: ImpersonationAsk,
): ClusterUser | undefined => {
  const { name = '', groups, uid = '', extra } = wanted;
  const hasExtra = Object.keys(extra).length > 0;
  if (name === '' && (groups.length > 0 || uid !== '' || hasExtra)) throw nobodyToBe(wanted);
  if (name === '') return undefined;
  const somebody = { ...wanted, name };
  const refusals: StatusError[] = [];
  for (const { constraint } of MODES.filter(({ isMeant }) => isMeant(somebody))) {
    try {
      if (constraint !== undefined)
        authorize({ ...attributes, verb: `impersonate-on:${constraint}:${attributes.verb}` });
      authorizeAs(somebody, constraint, authorize);
      return { name, ...(uid !== '' && { uid }), groups: groupsOf(somebody, constraint), ...(hasExtra && { extra }) };
    } catch (error) {
      refusals.push(asRefusal(error));
    }
  }
  throw refusals[0];
};
