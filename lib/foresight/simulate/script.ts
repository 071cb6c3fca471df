import { InvalidScriptError, type Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { Props } from '#lib/kind/schema.ts';
import { scriptIssues, verbOf } from './script-issues.ts';
import type { podsObject, scriptSchema, Verb } from './script-schema.ts';
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

/** What is wrong with a script without changes where there are no manifests either. */
export const emptyScript = (): InvalidScriptError => {
  const message = 'does nothing, and there are no manifests';
  return new InvalidScriptError([
    { path: '', rule: 'empty', message, fix: 'name a file of manifests, or add changes' },
  ]);
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
  const issues = scriptIssues(value);
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
