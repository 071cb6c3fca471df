import type { Issue } from '#lib/errors.ts';
import { InvalidScriptError } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import { readSchema } from '#lib/kind/json-schema.ts';
import type { Props } from '#lib/kind/schema.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import { answerUrlIssues } from './answer-url.ts';
import { changeSchemas, podsObject, scriptSchema, type Verb } from './script-schema.ts';
import { clockText, durationMs } from './time-text.ts';

/** A script as people write it; docs/simulate.md tells what may stand in it. */
export type Script = Props<typeof scriptSchema>;

/** Which pods something happens to. */
export type PodChoice = Props<ReturnType<typeof podsObject>>;

/** One change of a script, with its time. */
export interface Change {
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly verb: Verb;
  /** What stands behind the verb. */
  readonly subject: unknown;
  /** The change as it was written. */
  readonly fields: JsonObject;
  /** Where it stands in the script: `changes[3]`. */
  readonly path: string;
  /** The end of what was to last for a while: whose it is. There may be nothing left to restore. */
  readonly endOf?: { readonly node: string } | { readonly uid: string };
}

const TIME_FORM = 'must be a length of time such as 90s, 2m30s, 1h, or a number of seconds';

const timeIssues = (
  value: unknown,
  path: string,
  { words = [] }: { readonly words?: readonly string[] } = {},
): Issue[] => {
  if (value === undefined || (typeof value === 'string' && words.includes(value))) return [];
  const more = words.length === 0 ? '' : `, or ${words.map((word) => `"${word}"`).join(', ')}`;
  return durationMs(value) === undefined ? [{ path, value, rule: 'time', message: `${TIME_FORM}${more}` }] : [];
};

const verbs = Object.keys(changeSchemas) as readonly Verb[];

const verbOf = (fields: JsonObject): Verb | undefined => {
  // "image" is also what `fail` and others choose by, but never on this level.
  const said = verbs.filter((verb) => Object.hasOwn(fields, verb));
  return said.length === 1 ? said[0] : undefined;
};

const verbIssue = (fields: JsonObject, path: string): Issue => {
  const said = verbs.filter((verb) => Object.hasOwn(fields, verb));
  if (said.length > 1) {
    return {
      path,
      rule: 'verb',
      message: `says ${said.join(' and ')}; one change does one thing`,
      fix: 'write two changes',
    };
  }
  const names = Object.keys(fields).filter((name) => name !== 'at' && name !== 'note');
  const nearest = names.flatMap((name) => tryNearest(name, verbs) ?? []).at(0);
  const what = names.length === 0 ? 'does nothing' : `has no verb, only ${names.map((name) => `"${name}"`).join(', ')}`;
  const fix = nearest === undefined ? {} : { fix: `did you mean "${nearest}"?` };
  return { path, rule: 'verb', message: `${what}; the verbs are ${verbs.join(', ')}`, ...fix };
};

/** A pod may be named alone. */
const podChoiceIssues = (subject: unknown, path: string): Issue[] => {
  if (typeof subject === 'string')
    return subject === '' ? [{ path, rule: 'pod', value: subject, message: 'is empty' }] : [];
  if (!isPlainObject(subject))
    return [
      {
        path,
        rule: 'type',
        value: subject,
        message: 'must be the name of a pod, or an object such as { of: PodSet/web }',
      },
    ];
  const issues = checkValue(readSchema({ ...podsObject() }), subject, { path });
  if (issues.length > 0 || ['of', 'name', 'image'].some((name) => Object.hasOwn(subject, name))) return issues;
  return [{ path, rule: 'pod', value: subject, message: 'names no pods', fix: 'write of: kind/name, name: or image:' }];
};

const isManifest = (value: unknown): boolean => isPlainObject(value) && typeof value['kind'] === 'string';

const manifestIssues = (subject: unknown, path: string): Issue[] => {
  const fits =
    typeof subject === 'string' || isManifest(subject) || (Array.isArray(subject) && subject.every(isManifest));
  return fits
    ? []
    : [
        {
          path,
          rule: 'type',
          value: subject,
          message: 'must be a file of manifests, a manifest with apiVersion and kind, or a list of manifests',
        },
      ];
};

const subjectIssues = (verb: Verb, subject: unknown, path: string): Issue[] => {
  if (verb === 'apply') return manifestIssues(subject, path);
  if (verb === 'answer') return [...answerUrlIssues(subject, path)];
  return ['kill', 'evict', 'fail', 'crash', 'restore'].includes(verb) ? podChoiceIssues(subject, path) : [];
};

/** A container is started again by its kubelet; only the operator stays away for as long as one likes. */
const crashIssues = (verb: Verb, { crash, ...fields }: JsonObject, path: string): Issue[] => {
  const foreign = verb !== 'crash' ? undefined : crash === 'operator' ? 'container' : 'for';
  if (foreign === undefined || fields[foreign] === undefined) return [];
  const message =
    foreign === 'for'
      ? 'goes with crash: operator only; a kubelet starts a container again'
      : 'goes with a pod, not with the operator';
  return [{ path: `${path}.${foreign}`, rule: 'crash', value: fields[foreign], message }];
};

const changeIssues = (fields: unknown, path: string): Issue[] => {
  if (!isPlainObject(fields)) return [{ path, rule: 'type', value: fields, message: 'must be an object' }];
  const verb = verbOf(fields);
  if (verb === undefined) return [verbIssue(fields, path)];
  const { at } = fields;
  const instant = typeof at === 'string' && at.startsWith('+') ? at.slice(1) : at;
  return [
    ...checkValue(readSchema({ ...changeSchemas[verb] }), fields, { path }),
    ...timeIssues(instant, `${path}.at`),
    ...timeIssues(fields['for'], `${path}.for`),
    ...subjectIssues(verb, fields[verb], `${path}.${verb}`),
    ...crashIssues(verb, fields, path),
  ];
};

const podsIssues = (pods: unknown, path: string): Issue[] => {
  if (!isPlainObject(pods)) return [];
  const rules = Array.isArray(pods['rules']) ? (pods['rules'] as readonly unknown[]) : [];
  return [
    ...['start', 'stop', 'exitAfter'].flatMap((name) => timeIssues(pods[name], `${path}.${name}`)),
    ...timeIssues(pods['ready'], `${path}.ready`, { words: ['never'] }),
    ...rules.flatMap((rule, index) => podsIssues(rule, `${path}.rules[${index}]`)),
  ];
};

const httpIssues = (http: unknown): readonly Issue[] =>
  Array.isArray(http)
    ? http.flatMap((rule: unknown, index) =>
        answerUrlIssues(isPlainObject(rule) ? rule['url'] : undefined, `http[${index}].url`),
      )
    : [];

const shapeIssues = (script: JsonObject): Issue[] => {
  const { changes } = script;
  return [
    ...checkValue(readSchema({ ...scriptSchema }), script),
    ...timeIssues(script['duration'], 'duration'),
    ...podsIssues(script['pods'], 'pods'),
    ...httpIssues(script['http']),
    ...(Array.isArray(changes)
      ? changes.flatMap((change: unknown, index) => changeIssues(change, `changes[${index}]`))
      : []),
  ];
};

const changeAt = (fields: JsonObject, before: number, path: string): Change => {
  const { at } = fields;
  const isRelative = typeof at === 'string' && at.startsWith('+');
  const givenMs = durationMs(isRelative ? at.slice(1) : at);
  const atMs = givenMs === undefined ? before : givenMs + (isRelative ? before : 0);
  const verb = verbOf(fields) ?? 'apply';
  return { atMs, verb, subject: fields[verb], fields, path };
};

const orderIssue = ({ path, atMs, fields }: Change, beforeMs: number): Issue | undefined =>
  atMs >= beforeMs
    ? undefined
    : {
        path: `${path}.at`,
        rule: 'order',
        value: fields['at'],
        message: `goes back in time: the change before it is at ${clockText(beforeMs)}`,
        fix: 'put it where it belongs in time, or write +30s for 30 s after the change before',
      };

const lateIssue = ({ path, atMs, fields }: Change, endMs: number | undefined): Issue | undefined =>
  endMs === undefined || atMs <= endMs
    ? undefined
    : {
        path: `${path}.at`,
        rule: 'duration',
        value: fields['at'],
        message: `is after the end, ${clockText(endMs)}`,
        fix: 'let duration be longer',
      };

/** A script that was read. */
export interface ReadScript {
  readonly script: Script;
  readonly changes: readonly Change[];
}

/**
 * Reads a script and looks for everything that is wrong with it before anything is simulated.
 *
 * @param value - what stands in its YAML
 * @throws {InvalidScriptError} with every issue and its path
 * @example
 * readScript({ changes: [{ at: '90s', scale: 'PodSet/web', to: 5 }] });
 */
export const readScript = (value: unknown): ReadScript => {
  if (!isPlainObject(value)) {
    throw new InvalidScriptError([{ path: '', rule: 'type', value, message: 'must be an object with changes' }]);
  }
  const issues = shapeIssues(value);
  if (issues.length > 0) throw new InvalidScriptError(issues);
  const script = value as Script;
  const changes: Change[] = [];
  for (const [index, fields] of (script.changes ?? []).entries()) {
    const beforeMs = changes.at(-1)?.atMs ?? 0;
    const change = changeAt(fields, beforeMs, `changes[${index}]`);
    const issue = orderIssue(change, beforeMs) ?? lateIssue(change, durationMs(script.duration));
    if (issue !== undefined) issues.push(issue);
    changes.push(change);
  }
  if (issues.length > 0) throw new InvalidScriptError(issues);
  return { script, changes };
};
