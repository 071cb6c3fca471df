import type { Issue } from '#lib/errors.ts';
import { answerUrlIssues } from '#lib/foresight/simulate/targets/answer-url.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import { changeSchemas, podsObject, scriptSchema, type Verb } from './script-schema.ts';
import { durationMs } from './time-text.ts';

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

// The field `image` of `fail` and other verbs is inside the value of the verb, and cannot be mistaken for the verb `image`.
const saidIn = (fields: JsonObject): readonly Verb[] => verbs.filter((verb) => Object.hasOwn(fields, verb));

/** The verb of a change; `undefined` unless there is exactly one. */
export const scriptVerbOf = (fields: JsonObject): Verb | undefined => {
  const said = saidIn(fields);
  return said.length === 1 ? said[0] : undefined;
};

const verbIssue = (fields: JsonObject, path: string): Issue => {
  const said = saidIn(fields);
  if (said.length > 1) {
    return {
      path,
      rule: 'verb',
      message: `has ${said.join(' and ')}; a change has one verb`,
      fix: 'write two changes',
    };
  }
  const names = Object.keys(fields).filter((name) => !['at', 'note', 'every', 'times', 'within'].includes(name));
  const nearest = names.flatMap((name) => tryNearest(name, verbs) ?? []).at(0);
  const what = names.length === 0 ? 'does nothing' : `has no verb, only ${names.map((name) => `"${name}"`).join(', ')}`;
  const fix = nearest === undefined ? {} : { fix: `did you mean "${nearest}"?` };
  return { path, rule: 'verb', message: `${what}; the verbs are ${verbs.join(', ')}`, ...fix };
};

/** Issues of a selection of pods. The script may name a single pod with a string. */
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

/** Issues of `crash`. Only a crash of the operator can have a duration, because the kubelet restarts a crashed container. */
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
  const verb = scriptVerbOf(fields);
  if (verb === undefined) return [verbIssue(fields, path)];
  const { at } = fields;
  const instant = typeof at === 'string' && at.startsWith('+') ? at.slice(1) : at;
  return [
    ...checkValue(readSchema({ ...changeSchemas[verb] }), fields, { path }),
    ...timeIssues(instant, `${path}.at`),
    ...['for', 'every', 'within'].flatMap((name) => timeIssues(fields[name], `${path}.${name}`)),
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

/** Issues of the form of a script. They depend neither on the order of the changes nor on existing objects. */
export const scriptIssues = (script: JsonObject): Issue[] => {
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
