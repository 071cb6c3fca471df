import type { Issue } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { type Visit, walkSchema } from '#lib/kind/walk.ts';
import { StatusError } from '#lib/sim/machinery/status.ts';
import { declTypeOf } from '#lib/sim/schema/cel/decl-type.ts';
import { compileRules } from '#lib/sim/schema/cel/rule-tree.ts';
import { validateRules } from '#lib/sim/schema/cel/validate-rules.ts';

const NOT_IMPLEMENTED = 501;

/** What a real server knows and the evaluator here does not is left to the server. */
const unlessUnknown = <T>(otherwise: T, ask: () => T): T => {
  try {
    return ask();
  } catch (error) {
    if (error instanceof StatusError && error.status.code === NOT_IMPLEMENTED) return otherwise;
    throw error;
  }
};

/** The server's text draws an arrow below the place; a message is one line. */
const firstLine = (text: string): string =>
  (text.split('\n')[0] ?? '').replace(/^compilation failed: ERROR: <input>:/, 'at ');

const ofExpressions = ({ schema, path, role }: Visit): Issue[] => {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  if (declTypeOf(schema, role === 'root') === undefined) {
    const fix = 'declare its fields, or put the rule where they are declared';
    return [{ path, rule: 'cel-unseen', message: 'rules cannot see this value: its type is not declared', fix }];
  }
  return compileRules(schema, role === 'root').flatMap(({ rule, error, messageError }) => [
    ...(error === undefined
      ? []
      : [
          {
            path,
            rule: 'cel-compile',
            message: `a rule does not compile: ${firstLine(error)}`,
            value: rule.rule,
            fix: 'correct the rule',
          },
        ]),
    ...(messageError === undefined
      ? []
      : [
          {
            path,
            rule: 'cel-compile',
            message: firstLine(messageError),
            value: rule.messageExpression,
            fix: 'correct messageExpression',
          },
        ]),
  ]);
};

/** The server evaluates rules on a default before the defaults of the fields in it are filled in. */
const ofDefault = ({ schema, path }: Visit): Issue[] => {
  if (schema.default === undefined || schema.default === null) return [];
  const errors = validateRules(schema, schema.default, { isRoot: false });
  return errors === 'skipped'
    ? []
    : errors.map(({ message }) => ({
        path,
        rule: 'default-rule',
        message: `the default breaks a rule of its own: ${message.replace(/^Invalid value: /, '')}`,
        value: schema.default,
        fix: 'choose a default that keeps the rule',
      }));
};

/**
 * Compiles the rules of a definition as an API server does, types included, and evaluates those over defaults.
 *
 * Caveats: functions that are not implemented here are left to the server.
 *
 * @param crd - a definition that keeps the rules of its form
 */
export const checkRules = (crd: CustomResourceDefinition): Issue[] =>
  crd.spec.versions.flatMap(({ schema }) =>
    [...walkSchema({ ...schema.openAPIV3Schema })].flatMap((visit): Issue[] => {
      if (visit.restricting) return [];
      const broken = unlessUnknown([], () => ofExpressions(visit));
      return broken.length > 0 ? broken : unlessUnknown([], () => ofDefault(visit));
    }),
  );
