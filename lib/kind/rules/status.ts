import { isPlainObject } from '#lib/json.ts';
import type { RuleFinding, ShapeRule } from './rule.ts';

const RESERVED = ['observedGeneration', 'conditions'];

/** The status does not declare the fields that the library adds for every kind. This rule is stricter than the API server. */
export const reservedStatus: ShapeRule = {
  id: 'reserved-status',
  *check({ shape }): Iterable<RuleFinding> {
    const fields = 'properties' in shape.status ? shape.status.properties : undefined;
    for (const name of isPlainObject(fields) ? RESERVED.filter((field) => Object.hasOwn(fields, field)) : []) {
      const message = 'is added to every status and maintained by the library';
      yield { at: `status.${name}`, message, fix: 'leave it out; report conditions of your own as conditions' };
    }
  },
};
