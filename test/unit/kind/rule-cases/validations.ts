import { field, integer, KEYS, LIST_TYPE, named, oldSelf, RULES, type RuleCase, ruled, text } from './rule-case.ts';

/** Cases of lib/kind/rules/validations.ts. */
export const validationCases: readonly RuleCase[] = [
  {
    rule: 'cel-rule',
    reason: 'a rule is not blank',
    path: 'spec.a',
    refused: ruled({ rule: ' ' }),
    accepted: ruled({ rule: 'true' }),
  },
  {
    rule: 'cel-rule',
    reason: 'there are four reasons',
    path: 'spec.a',
    refused: ruled({ rule: 'true', reason: 'Invalid' }),
    accepted: ruled({ rule: 'true', reason: 'FieldValueInvalid' }),
  },
  {
    rule: 'cel-rule',
    reason: 'the server forgets what it does not know',
    path: 'spec.a',
    refused: ruled({ rule: 'true', severity: 'high' }),
    accepted: ruled({ rule: 'true' }),
    ours: true,
  },
  {
    rule: 'cel-message',
    reason: 'a message is one line',
    path: 'spec.a',
    refused: ruled({ rule: 'true', message: 'a\nb' }),
    accepted: ruled({ rule: 'true', message: 'a b' }),
  },
  {
    rule: 'cel-message',
    reason: 'a long rule needs a message',
    path: 'spec.a',
    refused: ruled({ rule: 'true\n&& true' }),
    accepted: ruled({ rule: 'true\n&& true', message: 'always' }),
  },
  {
    rule: 'cel-message',
    reason: 'a message is not blank',
    path: 'spec.a',
    refused: ruled({ rule: 'true', message: ' ' }),
    accepted: ruled({ rule: 'true', message: 'x' }),
  },
  {
    rule: 'cel-field-path',
    reason: 'the blamed field exists',
    path: 'spec.a',
    refused: ruled({ rule: 'true', fieldPath: '.c' }),
    accepted: ruled({ rule: 'true', fieldPath: '.b' }),
  },
  {
    rule: 'cel-field-path',
    reason: 'a path is made of steps',
    path: 'spec.a',
    refused: ruled({ rule: 'true', fieldPath: 'b' }),
    accepted: ruled({ rule: 'true', fieldPath: "['b']" }),
  },
  {
    rule: 'cel-old-self',
    reason: 'items of an atomic list have no past',
    path: 'spec.a[]',
    refused: field({ type: 'array', maxItems: 9, items: { ...integer, [RULES]: oldSelf } }),
    accepted: field({ type: 'array', maxItems: 9, items: { ...integer, [RULES]: [{ rule: "'oldSelf' != ''" }] } }),
  },
  {
    rule: 'cel-old-self',
    reason: 'items of a map list have one',
    path: 'spec.a[]',
    refused: field({ type: 'array', maxItems: 9, [LIST_TYPE]: 'atomic', items: { ...named, [RULES]: oldSelf } }),
    accepted: field({
      type: 'array',
      maxItems: 9,
      [LIST_TYPE]: 'map',
      [KEYS]: ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { ...text, maxLength: 9 } }, [RULES]: oldSelf },
    }),
  },
  {
    rule: 'cel-old-self',
    reason: 'optionalOldSelf is for rules with oldSelf',
    path: 'spec.a',
    refused: ruled({ rule: 'true', optionalOldSelf: true }),
    accepted: ruled({ rule: 'oldSelf.hasValue() || true', optionalOldSelf: true }),
  },
];
