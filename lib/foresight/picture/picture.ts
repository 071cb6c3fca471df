import type { ResourceStory, SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { durationText } from '#lib/foresight/simulate/script/time-text.ts';
import { LAYOUT, PLOT_WIDTH } from './layout.ts';
import { lookOf, panelOf } from './panel.ts';
import { PICTURE_STYLE } from './style.ts';
import { element, textElement } from './svg.ts';
import { cut, textWidth } from './text-width.ts';

/** Options for {@link pictureOf}. */
export interface PictureOptions {
  /** The resources to draw, such as `Deployer default/nginx`. @default the first six with pods; if none has pods, the first six */
  readonly resources?: readonly string[];
}

const MOST_PANELS = 6;
const TITLE_FONT = 22;
const FONT = 13;
const TITLE_Y = 44;
/** Width factor of bold letters. */
const BOLD = 1.12;

/** An entry of the legend. */
interface LegendEntry {
  readonly word: string;
  readonly swatch: (x: number, y: number) => string;
}

const box =
  (look: string) =>
  (x: number, y: number): string =>
    element('rect', { x, y: y - 10, width: 14, height: 11, rx: 2, class: look });

const line = (x: number, y: number): string => element('path', { d: `M${x} ${y - 4}h16`, class: 'wanted' });

const legendOf = (stories: readonly ResourceStory[]): readonly LegendEntry[] => {
  const [story] = stories;
  const isWanted = stories.some(({ samples }) => samples.some(({ wanted }) => wanted !== undefined));
  // If the picture has several resources, the legend has no revisions, because each area has the label of its revision.
  const revisions = stories.length === 1 ? (story?.revisions ?? []) : [];
  return [
    ...revisions.slice(0, 8).map(({ label }, index) => ({ word: label, swatch: box(lookOf(index)) })),
    { word: 'not ready', swatch: box(`${lookOf(Math.max(0, revisions.length - 1))} soft`) },
    ...(isWanted ? [{ word: 'wanted', swatch: line }] : []),
  ];
};

const legendSvg = (entries: readonly LegendEntry[], y: number): string => {
  const parts: string[] = [];
  let x = LAYOUT.width - LAYOUT.right;
  for (const { word, swatch } of entries.toReversed()) {
    x -= textWidth(word, FONT) + 4;
    parts.push(textElement('text', { x, y, class: 'dim' }, word));
    x -= 22;
    parts.push(swatch(x, y));
    x -= 16;
  }
  return parts.join('');
};

const inWords = (report: SimulationReport, stories: readonly ResourceStory[]): string => {
  const ends = stories.map(({ object, samples, revisions, bands }) => {
    const last = samples.at(-1);
    const labelOf = (id: string): string => revisions.find((revision) => revision.id === id)?.label ?? id;
    const pods = (last?.pods ?? []).map(
      ({ revision, ready, notReady }) =>
        `${ready} of ${labelOf(revision)} ready${notReady > 0 ? `, ${notReady} not` : ''}`,
    );
    const states = bands.filter(({ fromMs, toMs }) => toMs - fromMs > report.durationMs / 50).map(({ text }) => text);
    return `${object}: in the end ${pods.join('; ') || 'no pods'}. It was: ${[...new Set(states)].join(', ') || 'silent'}.`;
  });
  return `Pods over ${durationText(report.durationMs)}. ${ends.join(' ')}`;
};

const chosen = ({ resources }: SimulationReport, names: readonly string[] | undefined): readonly ResourceStory[] => {
  const withPods = resources.filter(({ revisions }) => revisions.length > 0);
  if (names !== undefined) return resources.filter(({ object }) => names.includes(object));
  return (withPods.length > 0 ? withPods : resources).slice(0, MOST_PANELS);
};

/**
 * Draws a simulation: for each resource its pods over time by revision and readiness, its states, and events.
 *
 * Guarantees: the SVG is self-contained and has no scripts. It has a light and a dark scheme, and a title and a description for
 * screen readers. Equal reports give equal bytes.
 *
 * @example
 * await writeFile('canary.svg', pictureOf(report));
 */
export const pictureOf = (report: SimulationReport, options: PictureOptions = {}): string => {
  const stories = chosen(report, options.resources);
  const xOf = (ms: number): number =>
    LAYOUT.left + (Math.min(ms, report.durationMs) / Math.max(1, report.durationMs)) * PLOT_WIDTH;
  const legend = legendOf(stories);
  const legendWidth = legend.reduce((sum, { word }) => sum + textWidth(word, FONT) + 42, 0);
  const title = cut(report.title, TITLE_FONT * BOLD, PLOT_WIDTH);
  const isCrowded = textWidth(title, TITLE_FONT) * BOLD + legendWidth > PLOT_WIDTH;
  const legendY = isCrowded ? LAYOUT.head : TITLE_Y - 1;
  const chartHeight = stories.length > 1 ? LAYOUT.smallChart : LAYOUT.chart;
  let top: number = LAYOUT.head + (isCrowded ? 16 : 0);
  const panels: string[] = [];
  for (const story of stories) {
    const { svg, height } = panelOf({ report, story, top, xOf, chartHeight }, { hasName: stories.length > 1 });
    panels.push(svg);
    top += height;
  }
  const height = top + LAYOUT.foot;
  const names = stories.map(({ object }) => object.replace(' default/', ' ')).join(', ');
  const note = `${names} · ${durationText(report.durationMs)} of virtual time · seed ${report.seed}`;
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${LAYOUT.width} ${Math.round(height)}`,
      role: 'img',
      'aria-labelledby': 'title desc',
    },
    textElement('title', { id: 'title' }, report.title),
    textElement('desc', { id: 'desc' }, inWords(report, stories)),
    `<style>${PICTURE_STYLE}</style>`,
    element('rect', { width: LAYOUT.width, height: Math.round(height), class: 'bg' }),
    textElement('text', { x: LAYOUT.left, y: TITLE_Y, class: 'title' }, title),
    legendSvg(legend, legendY),
    `\n${panels.join('\n')}\n`,
    textElement('text', { x: LAYOUT.left, y: height - 14, class: 'small dim' }, cut(note, 12, PLOT_WIDTH)),
  )}\n`;
};
