import { layout, oneUnit } from '#test/company/flux/installing.ts';
import { newVersion, storedTooEarly } from '#test/company/flux/new-version.ts';
import { removal } from '#test/company/flux/removal.ts';
import { rollouts } from '#test/company/flux/rollouts.ts';
import { inScene } from '#test/company/flux/scene.ts';
import { provideFlux } from '#test/company/gitops/build-flux.ts';
import type { Part } from '#test/company/part.ts';
import { missingPrograms } from '#test/company/programs.ts';

/** Flux: its controllers, and repositories with usual layouts. */
export const part: Part = {
  lacks: () => missingPrograms(provideFlux),
  cases: [
    { title: 'definitions, operator and resources in one Kustomization', run: async () => inScene(oneUnit) },
    { title: 'the layout of init --gitops flux', run: async () => inScene(layout) },
    { title: 'a new version with functions, in one Kustomization', run: async () => inScene(newVersion) },
    { title: 'a new version that is stored too early', run: async () => inScene(storedTooEarly) },
    { title: 'rollouts that wait for a person, and reverts', run: async () => inScene(rollouts) },
    { title: 'everything is removed, in order and at once', run: async () => inScene(removal) },
  ],
};
