import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { planInWords } from '#lib/foresight/plan/plan-in-words.ts';
import { apply, defineKind, ready, Secret, s } from '#lib/index.ts';
import { resourceOf, website } from './served/portal.ts';

const changes = [{ verb: 'apply', object: resourceOf('Website') }] as const;

const planOf = async (kind: AnyKindDefinition) => planChange({ kinds: [kind], live: [], changes, now: 0 });

/** A Website whose ConfigMap has a text that is computed anew at each call. */
const websiteWith = (text: () => string): AnyKindDefinition => {
  const kind = website as unknown as AnyKindDefinition;
  const child = () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: text() } });
  return { ...kind, desired: (seen) => ({ ...kind.desired(seen), children: [apply(child())] }) };
};

describe('the plan of an impure function', () => {
  it.for([
    ['the time', () => new Date().toISOString()],
    ['randomness', () => String(Math.random())],
  ] as const)('planChange() names the function and the field when the result depends on %s', async ([, text]) => {
    const plan = await planOf(websiteWith(text));
    const note =
      'desired() of Website is not pure: with the same observation of default/example, children[0].object.data.text came out ' +
      'differently the second time. Some of these changes can be noise, and can differ in the next plan; ' +
      'compute the result from the observation alone';
    expect(plan.notes.filter((each) => each.includes('not pure'))).toEqual([note]);
    expect(planInWords(plan)).toContain(`Note\n  ${plan.notes.join('\n  ')}\n`);
  });

  it('planChange() plans the first result of the function', async () => {
    let calls = 0;
    const plan = await planOf(websiteWith(() => String((calls += 1))));
    expect(plan.writes[0]).toMatchObject({ action: 'create', object: { data: { text: '1' } } });
  });

  it('planChange() notes nothing when the function is pure', async () => {
    expect((await planOf(website as unknown as AnyKindDefinition)).notes.join()).not.toContain('not pure');
  });

  it('planChange() does not show the values of a Secret that differ', async () => {
    const safe = defineKind({
      group: 'web.example.com',
      version: 'v1',
      kind: 'Website',
      spec: s.object({ text: s.string({ maxLength: 9, description: 'Any.' }) }),
      status: s.object({}),
      owns: [Secret],
      desired: () => ({
        children: [
          apply({
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'a' },
            stringData: { key: `secret-${Math.random()}` },
          }),
        ],
        status: {},
        state: ready('Written', 'the key is written'),
      }),
    });
    const plan = await planOf(safe);
    expect(plan.notes.join()).toContain('children[0].object.stringData.key came out differently');
    expect(JSON.stringify(plan)).not.toContain('secret-0');
  });
});
