import { parseArgs } from 'node:util';
import { ConfigurationError } from '#lib/errors.ts';

/** What the command was asked to do. */
export type Command =
  | { readonly command: 'help' }
  | { readonly command: 'version' }
  | {
      readonly command: 'init';
      readonly folder: string;
      readonly name: string | undefined;
      readonly kind: string;
      readonly group: string;
    }
  | { readonly command: 'add-kind'; readonly kind: string; readonly group: string | undefined }
  | { readonly command: 'image'; readonly tag: string | undefined; readonly base: string | undefined };

/** What `cdk8s-reconcile --help` prints. */
export const HELP = `cdk8s-reconcile: Kubernetes APIs from one TypeScript definition

Usage
  cdk8s-reconcile init [folder]      a project: a kind, its test, a chart, the operator's process, a Dockerfile
    --kind <Kind>                      its first kind (default: Sample)
    --group <group>                    the API group of its kinds, a domain of yours (default: apps.example.com)
    --name <name>                      of package, operator and image (default: that of the folder)

  cdk8s-reconcile add kind <Kind>    another kind in the project of this folder, with its test
    --group <group>                    (default: the group of the project)

  cdk8s-reconcile image              an image of dist/operator, by docker, podman or buildah
    --tag <image>                      (default: name and version in package.json)
    --base <image>                     what it is built on (default: as in the Dockerfile)

  -h, --help                         this text
  -v, --version                      the version of the package

No file is ever overwritten.
`;

const OPTIONS = {
  kind: { type: 'string' },
  group: { type: 'string' },
  name: { type: 'string' },
  tag: { type: 'string' },
  base: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Which options a command has. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  init: ['kind', 'group', 'name'],
  add: ['group'],
  image: ['tag', 'base'],
};

const SEE_HELP = 'see cdk8s-reconcile --help';

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const text = error instanceof Error ? error.message.replace(/\. .*$/s, '') : String(error);
    throw new ConfigurationError(`${text}; ${SEE_HELP}`, { cause: error });
  }
};

const refuseMore = (command: string, words: readonly string[]): void => {
  if (words.length > 0)
    throw new ConfigurationError(`Too many words after "${command}": "${words.join(' ')}"; ${SEE_HELP}`);
};

const addedKind = ([what, kind, ...more]: readonly string[]): string => {
  if (what !== 'kind')
    throw new ConfigurationError(
      `Cannot add ${what === undefined ? 'nothing' : `"${what}"`}: only a kind can be added; write cdk8s-reconcile add kind CronTask`,
    );
  if (kind === undefined) throw new ConfigurationError('The kind has no name; write cdk8s-reconcile add kind CronTask');
  refuseMore(`add kind ${kind}`, more);
  return kind;
};

/**
 * Understands the words after `cdk8s-reconcile`.
 *
 * @throws {ConfigurationError} when they mean nothing, with what was expected
 */
export const commandOf = (args: readonly string[]): Command => {
  const { values, positionals } = parsed(args);
  const { kind = 'Sample', group, name, tag, base } = values;
  if (values.help === true) return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [word, ...rest] = positionals;
  if (word === undefined) return { command: 'help' };
  const allowed = Object.hasOwn(ALLOWED, word) ? ALLOWED[word] : undefined;
  if (allowed === undefined)
    throw new ConfigurationError(`There is no command "${word}", only ${Object.keys(ALLOWED).join(', ')}; ${SEE_HELP}`);
  const foreign = Object.keys(values).find((option) => !allowed.includes(option));
  if (foreign !== undefined)
    throw new ConfigurationError(
      `"${word}" has no option --${foreign}, only ${allowed.map((each) => `--${each}`).join(', ')}; ${SEE_HELP}`,
    );
  if (word === 'add') return { command: 'add-kind', kind: addedKind(rest), group };
  if (word === 'image') {
    refuseMore(word, rest);
    return { command: 'image', tag, base };
  }
  const [folder = '.', ...more] = rest;
  refuseMore(`init ${folder}`, more);
  return { command: 'init', folder, name, kind, group: group ?? 'apps.example.com' };
};
