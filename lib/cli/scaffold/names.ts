import { ConfigurationError } from '#lib/errors.ts';
import { isDnsSubdomain } from '#lib/kind/dns.ts';

/** Names derived from a kind. */
export interface ScaffoldNames {
  /** The name of the kind, such as `CronTask`. */
  readonly kind: string;
  /** The name of the constant with the definition, such as `cronTask`. */
  readonly constant: string;
  /** The base name of the kind's files, such as `cron-task`. */
  readonly file: string;
}

/** Names that the templates already use, and reserved words of JavaScript. */
const TAKEN = new Set(
  `apply assert await break case catch class const continue debugger default defineKind delete do else enum export extends
  false finally for function if implements import in instanceof interface kinds let new null package private progressing
  protected public ready render return s static super switch test this throw true try typeof var void while with yield
  appliedOf app arguments compileCrd conditionOf children eval name process rendered resource run samples spec text`.split(
    /\s+/,
  ),
);

/** Names that a kind must not have: the templates import all except `Index`, which would make the file `kinds/index.ts`. */
const RESERVED_KINDS: readonly string[] = ['App', 'Chart', 'ConfigMap', 'CustomResource', 'Index', 'Operator'];

const KIND = /^[A-Z][A-Za-z0-9]{0,49}$/;

const camelCase = (kind: string): string =>
  kind.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());

const kebabCase = (kind: string): string =>
  kind.replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2').toLowerCase();

/**
 * Derives the names of the constant and the files from a kind.
 *
 * @param kind - the name of the kind, such as `CronTask`
 * @throws {ConfigurationError} for an invalid or reserved name
 */
export const kindNamesOf = (kind: string): ScaffoldNames => {
  if (!KIND.test(kind))
    throw new ConfigurationError(
      `Cannot name a kind "${kind}": it must be at most 50 letters and digits, and begin with a capital letter, such as CronTask`,
    );
  if (RESERVED_KINDS.includes(kind))
    throw new ConfigurationError(
      `Cannot name a kind "${kind}": the project uses ${RESERVED_KINDS.join(', ')} for something else; take another name`,
    );
  const constant = camelCase(kind);
  return { kind, constant: TAKEN.has(constant) ? `${constant}Kind` : constant, file: kebabCase(kind) };
};

/**
 * Checks an API group.
 *
 * @throws {ConfigurationError} when the group is not a domain, or belongs to Kubernetes
 */
export const checkedGroup = (group: string): string => {
  const isOfKubernetes = /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);
  if (isDnsSubdomain(group) && group.includes('.') && !isOfKubernetes) return group;
  throw new ConfigurationError(
    `Cannot use the group "${group}": it must be a domain of yours in lower case with a dot in it, such as apps.example.com${isOfKubernetes ? '; k8s.io and kubernetes.io are reserved for Kubernetes' : ''}`,
  );
};

const PROJECT = /^[a-z](?:[-a-z0-9]{0,38}[a-z0-9])?$/;

/**
 * Checks the name of a project, which is also the name of its package, operator and image.
 *
 * @throws {ConfigurationError} when the name is not valid for all of these uses
 */
export const checkedProject = (name: string): string => {
  if (PROJECT.test(name)) return name;
  throw new ConfigurationError(
    `Cannot name a project "${name}": it must be at most 40 lower-case letters, digits and "-", begin with a letter and not end with "-"; choose another folder, or pass --name`,
  );
};
