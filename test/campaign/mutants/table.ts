import type { MutantCounts, PartResult } from '#test/campaign/part.ts';
import { markdownRow } from '#test/markdown-row.ts';

const triedOf = ({ killed, timeouts, survived, uncovered }: MutantCounts): number =>
  killed + timeouts + survived + uncovered;

const folderRow = (name: string, counts: MutantCounts): string => {
  const { killed, timeouts, survived, uncovered, ignored } = counts;
  const tried = triedOf(counts);
  const share = tried === 0 ? '' : `${((100 * (killed + timeouts)) / tried).toFixed(1)} %`;
  return markdownRow([name, tried, killed, timeouts, survived, uncovered, share, ignored]);
};

/** The number of tried mutants of a result. */
export const mutantCount = ({ mutants }: PartResult): number =>
  Object.values(mutants?.folders ?? {}).reduce((sum, counts) => sum + triedOf(counts), 0);

/** The numbers of mutants by folder, as a chapter of the page; empty if no part with mutants has run. */
export const mutantChapter = (results: readonly PartResult[]): readonly string[] => {
  const rows = results.flatMap(({ mutants }) =>
    Object.entries(mutants?.folders ?? {}).map(([folder, counts]) => folderRow(`\`${folder}\``, counts)),
  );
  if (rows.length === 0) return [];
  return [
    '',
    '## Mutants',
    '',
    'A mutant is a copy of the code with one small change, such as `<` in place of `<=`. A mutant is killed if a unit test fails, or if the tests never end.',
    'Each mutant that survives has a reason in [reasons.json](../test/campaign/mutants/reasons.json), or is a failure of its part.',
    'Mutants of code that runs only once, when its file is loaded, are not tried.',
    '',
    markdownRow(['folder', 'tried', 'killed', 'endless', 'survived', 'not covered', 'found', 'not tried']),
    markdownRow(['---', ...Array.from({ length: 7 }, () => '---:')]),
    ...rows,
  ];
};

/** The survivors without a reason of a part, by file. */
export const survivorLines = ({ part, mutants }: PartResult): readonly string[] => {
  const open = (mutants?.survivors ?? []).filter(({ reason }) => reason === undefined);
  const counts = new Map<string, number>();
  for (const { at } of open) {
    const [file = ''] = at.split(':');
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return [...counts].map(([file, count]) => `- \`${part}\`: ${count} survivors without a reason in \`${file}\``);
};
