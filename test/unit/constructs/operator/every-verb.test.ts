import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { faultsOf, grantedBy, type RightsManifest, type RightsRule } from '#test/contract/rights/rights.ts';
import { EXPLAINED, explainedRights } from '#test/contract/rights/table.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch', '*'];

const withVerbs = (manifests: readonly RightsManifest[], rule: RightsRule, verbs: readonly string[]) =>
  manifests.map((each) => ({
    ...each,
    ...(each.rules && { rules: each.rules.map((one) => (one === rule ? { ...one, verbs } : one)) }),
  }));

/** The manifests with one verb less or one more in one rule: all variants. */
const slipsOf = (manifests: readonly RightsManifest[]) =>
  manifests
    .flatMap(({ rules = [] }) => rules)
    .flatMap((rule) =>
      VERBS.map((verb) => {
        const isThere = rule.verbs.includes(verb);
        const verbs = isThere ? rule.verbs.filter((each) => each !== verb) : [...rule.verbs, verb];
        const fault = isThere ? `needed, and not granted: ${verb} ` : `granted, and needed by nothing: ${verb} `;
        return { fault, rule, manifests: withVerbs(manifests, rule, verbs) };
      }),
    );

describe('the rights in a bundle', () => {
  it.each(EXPLAINED)('are those that have a reason, and no others: $what', ({ manifests, rights }) => {
    expect(faultsOf(grantedBy(manifests()), explainedRights(rights))).toEqual([]);
  });

  it.each(EXPLAINED)('are reported by name with one verb less or one more: $what', ({ manifests: make, rights }) => {
    const manifests = make();
    const slips = slipsOf(manifests);
    expect(slips.length).toBeGreaterThanOrEqual(VERBS.length);
    for (const { fault, rule, manifests: slipped } of slips) {
      const faults = faultsOf(grantedBy(slipped), explainedRights(rights));
      const resources = rule.resources.map((resource) => expect.stringContaining(`${fault}${resource}.`) as string);
      expect(faults).toEqual(expect.arrayContaining(resources));
    }
  });

  it('are each shown by a suite on a real API server', () => {
    const suites = new Set(EXPLAINED.flatMap(({ rights }) => rights.flatMap(({ because }) => because.shownBy)));
    expect(suites.size).toBeGreaterThan(3);
    for (const suite of suites) expect([suite, existsSync(join(repository, suite))]).toEqual([suite, true]);
  });
});
