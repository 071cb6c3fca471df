import { badCases } from '#test/company/backup/bad.ts';
import { tryWay, type Way, ways } from '#test/company/backup/orders.ts';
import { BackupScene } from '#test/company/backup/scene.ts';
import type { Case, Part } from '#test/company/part.ts';
import { missingPrograms } from '#test/company/programs.ts';
import { shared } from '#test/company/shared.ts';
import { provideArtifacts } from '#test/control-plane/binaries.ts';

const scene = shared(async () => BackupScene.open());

const caseOf = (way: Way): Case => ({
  title: `${way.order}, into ${way.into}, operator ${way.operator}`,
  run: async () => `as it was after ${await tryWay(await scene.get(), way)} ms`,
});

/** A backup of all kinds, restored as Velero does, in other orders, and into other clusters. */
export const part: Part = {
  lacks: () => missingPrograms(() => provideArtifacts(['kube-apiserver'])),
  cases: [...ways.map(caseOf), ...badCases(scene.get)],
  end: scene.end,
};
