import {
  type PlanSection,
  type PlanTextOptions,
  sectionsInWords,
  writeSections,
} from '#lib/foresight/plan/plan-in-words.ts';
import type { KindUpgrade, UpgradePreview, VanishedKind } from './preview-upgrade.ts';

const PARTS = [
  ['created', 'created'],
  ['changed', 'changed'],
  ['replaced', 'replaced'],
  ['removed', 'removed'],
] as const;

const seenLine = (summary: KindUpgrade): string => {
  const { kind, objects, leftOut, touched, restarted, statuses } = summary;
  if (touched === 0 && leftOut === 0) return `${kind}: ${objects} there, without a change`;
  if (touched === 0) return `${kind}: ${objects} there in the new version, which would stay as they are`;
  const children = PARTS.flatMap(([member, word]) => (summary[member] > 0 ? [`${summary[member]} ${word}`] : []));
  const what = children.length === 0 ? 'no child' : `children: ${children.join(', ')}`;
  const pods = restarted === 0 ? '' : ` (${restarted} with pods that restart)`;
  const said = statuses === 0 ? '' : `; ${statuses} status writes`;
  return `${kind}: ${objects} there, ${touched} would be touched; ${what}${pods}${said}`;
};

const kindLine = (summary: KindUpgrade): string => {
  const { kind, objects, leftOut } = summary;
  if (leftOut === 0) return seenLine(summary);
  const unknown = `${kind}: ${leftOut} there in another version, which cannot be read: the changes are UNKNOWN`;
  return objects === 0 ? unknown : `${unknown}\n${seenLine(summary)}`;
};

const vanishedLine = ({ kind, objects }: VanishedKind): string =>
  `${kind}: ${objects} there, without an operator after the upgrade: the new version does not have this kind`;

/** Formats the numbers of a preview, with one text for each kind. A text can have two lines. */
export const upgradeLines = ({ kinds, vanished }: UpgradePreview): readonly string[] => [
  ...kinds.map(kindLine),
  ...vanished.map(vanishedLine),
];

/** Formats the notes of a preview and, with `details`, its writes, grouped by resource. */
export const upgradeSections = (
  { writes, notes }: UpgradePreview,
  { paint = (_, text) => text, details = false }: PlanTextOptions = {},
): readonly PlanSection[] => [
  ...(details ? writeSections(writes, { paint, details: false }) : []),
  ...(notes.length === 0 ? [] : [{ title: 'Note', lines: notes }]),
];

/** Formats a preview: the numbers of each kind, and the notes. With `details`, the text also has every write. */
export const upgradeInWords = (preview: UpgradePreview, options: PlanTextOptions = {}): string => {
  const { paint = (_, text) => text } = options;
  return [...upgradeLines(preview), ...sectionsInWords(upgradeSections(preview, options), paint), ''].join('\n');
};
