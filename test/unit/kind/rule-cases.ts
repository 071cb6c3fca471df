import { alternativeCases } from './rule-cases/alternatives.ts';
import { extensionCases } from './rule-cases/extensions.ts';
import { keywordCases } from './rule-cases/keywords.ts';
import { listCases } from './rule-cases/lists.ts';
import { shapeCases } from './rule-cases/names.ts';
import { pathCases } from './rule-cases/paths.ts';
import type { RuleCase } from './rule-cases/rule-case.ts';
import { typeCases } from './rule-cases/types.ts';
import { validationCases } from './rule-cases/validations.ts';
import { valueCases } from './rule-cases/values.ts';

export { baseShape } from './rule-cases/rule-case.ts';

/** At least one case for every rule. */
export const RULE_CASES: readonly RuleCase[] = [
  ...shapeCases,
  ...pathCases,
  ...keywordCases,
  ...typeCases,
  ...extensionCases,
  ...alternativeCases,
  ...listCases,
  ...valueCases,
  ...validationCases,
];
