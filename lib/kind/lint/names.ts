import { namesOf } from '../names.ts';
import type { RuleFinding } from '../rules/rule.ts';
import type { SchemaLint, ShapeLint } from './lint.ts';

const CONVENTIONS =
  'https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md';

/**
 * The name of an integer field does not end in `Timeout`, `Period` or a similar word without a unit.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#units
 */
export const secondsName: SchemaLint = {
  id: 'seconds-name',
  severity: 'lint',
  *check({ schema, name, role }): Iterable<RuleFinding> {
    if (role !== 'field' || schema.type !== 'integer') return;
    if (
      !/(?:[a-z](?:Timeout|Period|Deadline|Duration|Interval|Delay)|^(?:timeout|period|deadline|duration|interval|delay))$/.test(
        name,
      )
    )
      return;
    yield { message: `the name ${name} has no unit`, fix: `name it ${name}Seconds (${CONVENTIONS}#units)` };
  },
};

/** Durations are whole numbers of seconds, because languages parse texts such as `1h30m` differently. */
export const durationAsText: SchemaLint = {
  id: 'duration-text',
  severity: 'lint',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.format !== 'duration') return;
    yield {
      message: 'is a duration in words',
      value: 'duration',
      fix: 'use s.durationSeconds, with a name that ends in Seconds',
    };
  },
};

/** The name of a field with a time does not end in `Timestamp`: `startTime`, not `startTimestamp`. */
export const timeName: SchemaLint = {
  id: 'time-name',
  severity: 'lint',
  *check({ schema, name, role }): Iterable<RuleFinding> {
    if (role !== 'field' || schema.format !== 'date-time' || !/[Tt]imestamp$/.test(name)) return;
    yield { message: `the name ${name} ends in Timestamp`, fix: `name it ${name.replace(/[Tt]imestamp$/, 'Time')}` };
  },
};

/**
 * The status has no field `phase`. A later version cannot add a value of `phase` without breaking programs that read the field.
 * Conditions do not have this problem.
 *
 * @see
 *   https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
 */
export const noPhase: SchemaLint = {
  id: 'no-phase',
  severity: 'lint',
  *check({ path }): Iterable<RuleFinding> {
    if (path === 'status.phase')
      yield { message: 'is one word for all that is known', fix: 'report conditions instead' };
  },
};

/** Names that kubectl uses for kinds of Kubernetes. @see https://kubernetes.io/docs/reference/kubectl/#resource-types */
const TAKEN = new Set(
  'cs cm ep ev limits ns no pvc pv po rc quota sa svc crd crds ds deploy rs sts hpa cj csr ing netpol pdb pc sc vac pods services deployments nodes jobs secrets events all'.split(
    ' ',
  ),
);

/** A short name is not a name that Kubernetes itself uses, because kubectl would then select the kind of Kubernetes. */
export const shortNameTaken: ShapeLint = {
  id: 'short-name-taken',
  severity: 'lint',
  *check({ shape }): Iterable<RuleFinding> {
    for (const [at, value] of namesOf(shape).shortNames.entries()) {
      if (!TAKEN.has(value)) continue;
      yield {
        at: `shortNames[${at}]`,
        message: 'kubectl takes it for a kind of Kubernetes',
        value,
        fix: 'choose another one',
      };
    }
  },
};
