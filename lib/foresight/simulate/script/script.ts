import { InvalidScriptError, type Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { Props } from '#lib/kind/schema/schema.ts';
import { repeated } from './repeats.ts';
import { scriptIssues, scriptVerbOf } from './script-issues.ts';
import type { podsObject, scriptSchema, Verb } from './script-schema.ts';
import { clockText, durationMs } from './time-text.ts';

/** A script of a simulation. docs/simulate.md describes its fields. */
export type Script = Props<typeof scriptSchema>;

/** A selection of pods. */
export type PodChoice = Props<ReturnType<typeof podsObject>>;

/** A change of a script, with its time. */
export interface ScriptChange {
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly verb: Verb;
  /** The value of the verb, such as the object that the change is about. */
  readonly subject: unknown;
  /** All fields of the change. */
  readonly fields: JsonObject;
  /** Path in the script, such as `changes[3]`. */
  readonly path: string;
  /** The text that determines random selections of the change; absent for a manifest and for the end of a fault. */
  readonly luck?: string;
  /** Whether the change is skipped if its object does not exist at that time. @default false */
  readonly mayMiss?: boolean;
  /**
   * Set for the end of a fault with a duration: the node or the pod of the fault. The script may have ended the fault earlier.
   */
  readonly endOf?: { readonly node: string } | { readonly uid: string };
}

const changeAt = (fields: JsonObject, before: number, path: string): ScriptChange => {
  const { at } = fields;
  const isRelative = typeof at === 'string' && at.startsWith('+');
  const givenMs = durationMs(isRelative ? at.slice(1) : at);
  const atMs = givenMs === undefined ? before : givenMs + (isRelative ? before : 0);
  const verb = scriptVerbOf(fields) ?? 'apply';
  return { atMs, verb, subject: fields[verb], fields, path };
};

const orderIssue = ({ path, atMs, fields }: ScriptChange, beforeMs: number): Issue | undefined =>
  atMs >= beforeMs
    ? undefined
    : {
        path: `${path}.at`,
        rule: 'order',
        value: fields['at'],
        message: `goes back in time: the change before it is at ${clockText(beforeMs)}`,
        fix: 'put it where it belongs in time, or write +30s for 30 s after the change before',
      };

const lateIssue = ({ path, atMs, fields }: ScriptChange, endMs: number | undefined): Issue | undefined =>
  endMs === undefined || atMs <= endMs
    ? undefined
    : {
        path: `${path}.at`,
        rule: 'duration',
        value: fields['at'],
        message: `is after the end, ${clockText(endMs)}`,
        fix: 'let duration be longer',
      };

/** The error for a script without changes and without manifests. */
export const emptyScript = (): InvalidScriptError => {
  const message = 'there is nothing to simulate: no manifests, and no changes of a script';
  return new InvalidScriptError([
    { path: '', rule: 'empty', message, fix: 'name a file of manifests, or add changes' },
  ]);
};

/** A parsed script. */
export interface ReadScript {
  readonly script: Script;
  readonly changes: readonly ScriptChange[];
}

/**
 * Parses a script, and reports its issues before the simulation starts. It checks times and repetitions only in a script with a
 * valid form.
 *
 * @param value - the script as plain data, parsed from YAML
 * @param seed - the seed of random times and selections
 * @throws {InvalidScriptError} with the issues and their paths
 * @example
 * readScript({ changes: [{ at: '90s', scale: 'PodSet/web', to: 5 }] });
 */
export const readScript = (value: unknown, seed = 1): ReadScript => {
  if (!isPlainObject(value)) {
    throw new InvalidScriptError([
      { path: '', rule: 'type', value, message: 'the script must be an object with changes' },
    ]);
  }
  const issues = scriptIssues(value);
  if (issues.length > 0) throw new InvalidScriptError(issues);
  const script = value as Script;
  const changes: ScriptChange[] = [];
  const endMs = durationMs(script.duration);
  let beforeMs = 0;
  for (const [index, fields] of (script.changes ?? []).entries()) {
    const change = changeAt(fields, beforeMs, `changes[${index}]`);
    const issue = orderIssue(change, beforeMs) ?? lateIssue(change, endMs);
    const occurrences = repeated(change, { endMs, seed });
    beforeMs = change.atMs;
    if (issue !== undefined) issues.push(issue);
    else if ('issue' in occurrences) issues.push(occurrences.issue);
    else changes.push(...occurrences);
  }
  if (issues.length > 0) throw new InvalidScriptError(issues);
  return { script, changes: changes.toSorted((a, b) => a.atMs - b.atMs) };
};
