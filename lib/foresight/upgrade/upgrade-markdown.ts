import { renderMarkdown } from '#lib/foresight/plan/markdown-document.ts';
import { diffSection } from '#lib/foresight/plan/plan-markdown.ts';
import type { UpgradePreview } from './preview-upgrade.ts';
import { upgradeLines, upgradeSections } from './upgrade-in-words.ts';

/** Formats the preview of an upgrade as a comment on a pull request: the numbers of each kind, every write, and the notes. */
export const upgradeMarkdown = (preview: UpgradePreview): string => {
  const { kinds, vanished, writes } = preview;
  const touched = kinds.reduce((sum, kind) => sum + kind.touched, 0);
  const unknown = kinds.some(({ leftOut }) => leftOut > 0) ? ' Some resources cannot be read.' : '';
  const gone = vanished.length === 0 ? '' : ` ${vanished.length} of the kinds would have no operator.`;
  return renderMarkdown({
    name: 'upgrade preview',
    summary: `Upgrade: ${writes.length} writes for ${touched} resources.${gone}${unknown}`,
    sections: [
      { title: 'Kinds', lines: upgradeLines(preview).flatMap((line) => line.split('\n')) },
      ...upgradeSections(preview, { details: true }).map(diffSection),
    ],
  });
};
