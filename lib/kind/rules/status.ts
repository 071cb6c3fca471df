import { isPlainObject } from '#lib/json.ts';
import type { RuleFinding, ShapeRule } from './rule.ts';

const RESERVED = ['observedGeneration', 'conditions'];

/** Fields that the library maintains for every kind alike. Stricter than the server. */
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
