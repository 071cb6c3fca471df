import type { Band, ResourceStory, SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { areaPath, type Layer, layersOf, type Stretch, stretchesOf, wantedPath } from './area.ts';
import { LAYOUT, PLOT_WIDTH } from './layout.ts';
import { marksOf, type PictureMark } from './marks.ts';
import { PALETTE } from './style.ts';
import { element, rounded, textElement, titled } from './svg.ts';
import { cut, textWidth } from './text-width.ts';
import { countTicks, timeTicks } from './ticks.ts';

/** A part of a picture, with its height in pixels. */
export interface Panel {
  readonly svg: string;
  readonly height: number;
}

/** The input of a panel, and its position in the picture. */
interface Place {
  readonly report: SimulationReport;
  readonly story: ResourceStory;
  readonly top: number;
  readonly xOf: (ms: number) => number;
  /** Height of the chart. */
  readonly chartHeight: number;
}

const RIGHT = LAYOUT.left + PLOT_WIDTH;
const MOST_X_TICKS = 10;
const MOST_Y_TICKS = 6;
const FONT = 12;
const AREA_FONT = 15;

/** The CSS class of a revision, by index. */
export const lookOf = (index: number): string => `r${index % PALETTE}`;

/** The longest variant of a text that fits into a width; an empty text if none fits. */
const fitting = (text: string, width: number): string => {
  const parts = text.split(' · ');
  const short = text.replace(/^Step /, '');
  const tries = [
    text,
    short,
    ...(parts.length > 2 ? [parts.slice(1).join(' · '), parts.slice(1, -1).join(' · ')] : []),
  ];
  return tries.find((one) => textWidth(one, FONT) <= width) ?? '';
};

/** Ratio of the height of the chart to the height of the largest number of pods. */
const HEADROOM = 1.08;

const NARROWEST_BAND = 1.5;

const laneOf = (bands: readonly Band[], top: number, xOf: Place['xOf']): string =>
  bands
    .map(({ fromMs, toMs, text, mood }) => {
      const [from, to] = [xOf(fromMs), xOf(toMs)];
      const width = to - from - 1;
      if (width < NARROWEST_BAND) return '';
      const label = fitting(text, width - 10);
      const words =
        label === ''
          ? ''
          : textElement(
              'text',
              { x: from + width / 2, y: top + 17, class: `label ${mood}-ink`, 'text-anchor': 'middle' },
              label,
            );
      return titled('rect', { x: from, y: top, width, height: LAYOUT.lane, rx: 4, class: mood }, text) + words;
    })
    .join('');

const markSvg = (
  { x, look, title, label }: PictureMark,
  { lane, bottom }: { readonly lane: number; readonly bottom: number },
): string => {
  const point = titled('path', { d: `M${rounded(x - 4.5)} ${lane - 9}h9l-4.5 7z`, class: look }, title);
  const line =
    look === 'mark' ? '' : element('path', { d: `M${rounded(x)} ${lane}V${bottom}`, class: 'lead', fill: 'none' });
  if (label === undefined) return line + point;
  const y = lane - 14 - label.row * LAYOUT.row;
  const lead = element('path', { d: `M${rounded(x)} ${lane - 9}V${y - 10}`, class: 'lead', fill: 'none' });
  const strength = look === 'mark' ? 'dim' : 'user-text';
  const words = textElement(
    'text',
    { x: label.x, y, class: `label halo ${strength}`, ...(label.anchor === 'end' && { 'text-anchor': 'end' }) },
    label.text,
  );
  return line + lead + point + words;
};

const axisSvg = ({ report, xOf }: Place, top: number, bottom: number): string =>
  timeTicks(report.durationMs, MOST_X_TICKS)
    .map(({ at, label }) => {
      const x = xOf(at);
      const tick = element('path', { d: `M${rounded(x)} ${bottom}v5`, class: 'axis' });
      const grid = element('path', { d: `M${rounded(x)} ${top}V${bottom}`, class: 'grid' });
      return (
        grid + tick + textElement('text', { x, y: bottom + 20, class: 'label dim num', 'text-anchor': 'middle' }, label)
      );
    })
    .join('');

const sumOf = ({ pods }: Stretch): number => pods.reduce((sum, { ready, notReady }) => sum + ready + notReady, 0);

/** The label of a revision, in the largest stretch with enough room; empty if there is none. */
const areaLabel = (
  layer: Layer,
  {
    stretches,
    below,
    yOf,
  }: {
    readonly stretches: readonly Stretch[];
    readonly below: (stretch: Stretch) => number;
    readonly yOf: (count: number) => number;
  },
): string => {
  const text = layer.title.replace(/, ready$/, '');
  const width = textWidth(text, AREA_FONT) + 16;
  const roomy = stretches.filter((one) => one.to - one.from >= width && yOf(0) - yOf(layer.of(one)) >= AREA_FONT + 10);
  const [best] = roomy.toSorted((a, b) => (b.to - b.from) * layer.of(b) - (a.to - a.from) * layer.of(a));
  if (best === undefined) return '';
  const y = yOf(below(best) + layer.of(best) / 2) + AREA_FONT / 3;
  return textElement('text', { x: (best.from + best.to) / 2, y, class: 'area', 'text-anchor': 'middle' }, text);
};

const chartSvg = (place: Place, top: number): string => {
  const { story, report, xOf, chartHeight } = place;
  const bottom = top + chartHeight;
  const stretches = stretchesOf(story, xOf, report.durationMs);
  const largest = Math.max(1, ...stretches.map((one) => Math.max(sumOf(one), one.wanted ?? 0)));
  const ticks = countTicks(largest, MOST_Y_TICKS);
  const full = largest * HEADROOM;
  const yOf = (count: number): number => bottom - (count / full) * chartHeight;
  const layers = layersOf(story, lookOf);
  const stacked = layers.map((layer, index) => {
    const below = (stretch: Stretch): number => layers.slice(0, index).reduce((sum, { of }) => sum + of(stretch), 0);
    const d = areaPath(stretches, { below, of: layer.of, yOf });
    const area = d === '' ? '' : titled('path', { d, class: `layer ${layer.look}` }, layer.title);
    return { area, label: layer.title.endsWith(', ready') ? areaLabel(layer, { stretches, below, yOf }) : '' };
  });
  const wanted = wantedPath(stretches, yOf);
  const rows = ticks.map(({ at, label }) => {
    const y = yOf(at);
    const grid = element('path', { d: `M${LAYOUT.left} ${rounded(y)}H${RIGHT}`, class: at === 0 ? 'axis' : 'grid' });
    return (
      grid + textElement('text', { x: LAYOUT.left - 10, y: y + 4, class: 'label dim num', 'text-anchor': 'end' }, label)
    );
  });
  return [
    axisSvg(place, top, bottom),
    ...rows,
    ...stacked.map(({ area }) => area),
    wanted === '' ? '' : titled('path', { d: wanted, class: 'wanted' }, 'wanted'),
    ...stacked.map(({ label }) => label),
    textElement('text', { x: LAYOUT.left - 10, y: top - 8, class: 'label dim', 'text-anchor': 'end' }, 'pods'),
  ].join('');
};

/**
 * Draws the panel of a resource: its name (if there are several panels), marks with texts, a row of states, and pods over time.
 */
export const panelOf = (place: Place, { hasName }: { readonly hasName: boolean }): Panel => {
  const { report, story, top, xOf, chartHeight } = place;
  const marks = marksOf(report, { story, xOf, rows: LAYOUT.rows, left: LAYOUT.left, right: RIGHT });
  const rows = Math.max(0, ...marks.map(({ label }) => (label === undefined ? 0 : label.row + 1)));
  const nameHeight = hasName ? LAYOUT.name : 0;
  const lane = top + nameHeight + rows * LAYOUT.row + 14;
  const hasLane = story.bands.length > 0;
  const chart = lane + (hasLane ? LAYOUT.lane + LAYOUT.gap : 4);
  const bottom = chart + chartHeight;
  const name = hasName
    ? textElement(
        'text',
        { x: LAYOUT.left, y: top + 14, class: 'name' },
        cut(story.object.replace(' default/', ' '), AREA_FONT, PLOT_WIDTH),
      )
    : '';
  const parts = [
    name,
    chartSvg(place, chart),
    laneOf(story.bands, lane, xOf),
    ...marks.toReversed().map((mark) => markSvg(mark, { lane, bottom })),
  ];
  return { svg: parts.join(''), height: bottom + LAYOUT.axis - top };
};
