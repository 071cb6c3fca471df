import { histogramBars } from '#lib/foresight/simulate/runs/histogram-bars.ts';
import { runsVerdict } from '#lib/foresight/simulate/runs/runs-text.ts';
import type { ResourceRuns, SimulationRuns } from '#lib/foresight/simulate/runs/simulate-runs.ts';
import { LAYOUT, PLOT_WIDTH } from './layout.ts';
import { PICTURE_STYLE } from './style.ts';
import { element, textElement } from './svg.ts';
import { cut } from './text-width.ts';

const MOST_PANELS = 6;
const PLOT = 130;
const PANEL = PLOT + 100;
const TITLE_FONT = 22;
const FONT = 15;
const GAP = 0.15;

const panelOf = (one: ResourceRuns, { runs, top }: { readonly runs: number; readonly top: number }): string => {
  const name = textElement(
    'text',
    { x: LAYOUT.left, y: top + 18, class: 'name' },
    cut(runsVerdict(one, runs), FONT, PLOT_WIDTH),
  );
  if (one.histogram.length === 0) return name;
  const bars = histogramBars(one);
  const most = Math.max(...bars.map((bar) => bar.runs));
  const step = Math.min(PLOT_WIDTH / bars.length, 120);
  const base = top + PLOT + 54;
  const drawn = bars.map(({ label, runs: count }, place) => {
    const height = (count / most) * PLOT;
    const middle = LAYOUT.left + (place + 0.5) * step;
    const x = middle - step * (0.5 - GAP);
    return [
      element('rect', { x, y: base - height, width: step * (1 - 2 * GAP), height, class: 'r0' }),
      count === 0
        ? ''
        : textElement(
            'text',
            { x: middle, y: base - height - 5, class: 'small num', 'text-anchor': 'middle' },
            String(count),
          ),
      textElement('text', { x: middle, y: base + 17, class: 'small dim num', 'text-anchor': 'middle' }, label),
    ].join('');
  });
  const axis = element('path', { d: `M${LAYOUT.left} ${base}h${PLOT_WIDTH}`, class: 'axis' });
  return `${name}${drawn.join('')}${axis}`;
};

/**
 * Draws many runs of a simulation: for each of at most six resources, a histogram of the fewest ready pods of a run.
 *
 * Guarantees: the same as `pictureOf()`.
 */
export const histogramPicture = ({ title, runs, firstSeed, resources }: SimulationRuns): string => {
  const shown = resources.slice(0, MOST_PANELS);
  const height = LAYOUT.head + shown.length * PANEL + LAYOUT.foot;
  const words = shown.map((one) => runsVerdict(one, runs)).join(' ');
  const rest = resources.length - shown.length;
  const more = rest > 0 ? ` · ${rest} more resources are not drawn` : '';
  const note = `number of runs by their fewest ready pods · seeds ${firstSeed} to ${firstSeed + runs - 1}${more}`;
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${LAYOUT.width} ${height}`,
      role: 'img',
      'aria-labelledby': 'title desc',
    },
    textElement('title', { id: 'title' }, title),
    textElement('desc', { id: 'desc' }, words === '' ? 'No resource had pods.' : words),
    `<style>${PICTURE_STYLE}</style>`,
    element('rect', { width: LAYOUT.width, height, class: 'bg' }),
    textElement('text', { x: LAYOUT.left, y: 44, class: 'title' }, cut(title, TITLE_FONT, PLOT_WIDTH)),
    shown.map((one, place) => panelOf(one, { runs, top: LAYOUT.head + place * PANEL })).join('\n'),
    textElement('text', { x: LAYOUT.left, y: height - 14, class: 'small dim' }, note),
  )}\n`;
};
