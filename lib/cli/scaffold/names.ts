import { ConfigurationError } from '#lib/errors.ts';
import { isDnsSubdomain } from '#lib/kind/dns.ts';

/** What is called after a kind. */
export interface KindNames {
  /** As it was given: `CronTask`. */
  readonly kind: string;
  /** Of the constant that holds the definition: `cronTask`. */
  readonly constant: string;
  /** Of its files, without ending: `cron-task`. */
  readonly file: string;
}

/** Names that the files of the templates use already, or that JavaScript keeps for itself. */
const TAKEN = new Set(
  `apply assert await break case catch class const continue debugger default defineKind delete do else enum export extends
  false finally for function if implements import in instanceof interface kinds let new null package private progressing
  protected public ready render return s static super switch test this throw true try typeof var void while with yield
  appliedOf app arguments compileCrd conditionOf children eval name process rendered resource run spec text`.split(
    /\s+/,
  ),
);

/** Classes that stand beside those of the kinds, and the file that lists these. */
const RESERVED_KINDS: readonly string[] = ['App', 'Chart', 'ConfigMap', 'CustomResource', 'Index', 'Operator'];

const KIND = /^[A-Z][A-Za-z0-9]{0,49}$/;

const camelCase = (kind: string): string =>
  kind.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());

const kebabCase = (kind: string): string =>
  kind.replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2').toLowerCase();

/**
 * What the files and the constant of a kind are called.
 *
 * @param kind - such as `CronTask`
 * @throws {ConfigurationError} when no kind can be called so
 */
export const kindNamesOf = (kind: string): KindNames => {
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
 * An API group, as it was given.
 *
 * @throws {ConfigurationError} when it is no domain, or one of Kubernetes' own
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
 * The name of a project: of its package, its operator and its image.
 *
 * @throws {ConfigurationError} when one of them cannot be called so
 */
export const checkedProject = (name: string): string => {
  if (PROJECT.test(name)) return name;
  throw new ConfigurationError(
    `Cannot name a project "${name}": it must be at most 40 lower-case letters, digits and "-", begin with a letter and not end with "-"; choose another folder, or pass --name`,
  );
};
