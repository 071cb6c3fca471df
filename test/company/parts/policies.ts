import type { Part } from '#test/company/part.ts';
import { atRest } from '#test/company/policies/at-rest.ts';
import { provideKyverno } from '#test/company/policies/build-kyverno.ts';
import { ending, refusedCrowds } from '#test/company/policies/crowds.ts';
import { disowns } from '#test/company/policies/disown.ts';
import { failing } from '#test/company/policies/failing.ts';
import { immortal } from '#test/company/policies/immortal.ts';
import { besideKyverno } from '#test/company/policies/kyverno-story.ts';
import { flips, overrides } from '#test/company/policies/override.ts';
import { slowWebhook } from '#test/company/policies/slow.ts';
import { missingPrograms } from '#test/company/programs.ts';

/** Policies and webhooks in clusters with all kinds. */
export const part: Part = {
  lacks: () => missingPrograms(provideKyverno),
  cases: [
    { title: 'webhooks and policies that add and default, all kinds at rest', run: atRest },
    { title: 'a webhook that changes a field of ours', run: overrides },
    { title: 'a webhook that gives a field of ours another value each time', run: flips },
    { title: 'a webhook that takes the owner reference off', run: disowns },
    // This case waits for up to five minutes until a write is tried again.
    { title: 'Kyverno', isBeside: true, run: besideKyverno },
    { title: 'webhooks that fail, are too slow, are missing, refuse connections', run: failing },
    { title: 'a namespace that ends', run: ending },
    { title: 'hundreds of resources refused by quota, by policy', run: refusedCrowds },
    { title: 'ImmortalContainer beside a sidecar, and refused in place', run: immortal },
    { title: 'many creates against a slow webhook', run: slowWebhook },
  ],
};
