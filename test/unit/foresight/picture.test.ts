import { describe, expect, it } from 'vitest';
import { pictureOf } from '#lib/foresight/picture/picture.ts';
import { cut, textWidth } from '#lib/foresight/picture/text-width.ts';
import { countTicks, timeTicks } from '#lib/foresight/picture/ticks.ts';
import type { SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { storyOf } from './simulate/stories.ts';

interface Box {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly text: string;
  /** The class that makes the text strong or dim. */
  readonly strength: string;
}

/** The texts of the marks, as boxes. */
const labelsIn = (svg: string): readonly Box[] =>
  [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" class="label halo ([\w-]+)"( text-anchor="end")?>([^<]*)</g)].map(
    ([, x, y, strength = '', end, text = '']) => {
      const width = textWidth(text.replaceAll(/&\w+;/g, '<'), 12);
      const from = Number(x) - (end === undefined ? 0 : width);
      return { from, to: from + width, y: Number(y), text, strength };
    },
  );

const touching = (boxes: readonly Box[]): readonly string[] =>
  boxes.flatMap((a, index) =>
    boxes
      .slice(index + 1)
      .flatMap((b) => (Math.abs(a.y - b.y) < 12 && a.from < b.to && b.from < a.to ? [`${a.text} | ${b.text}`] : [])),
  );

let busyDayReport: Promise<SimulationReport> | undefined;

/** The report of the busy day, which is simulated once for all tests. */
const busyDay = async (): Promise<SimulationReport> => {
  busyDayReport ??= storyOf(
    [1, 3, 2, 3, 1, 2].flatMap((to, index) => [
      { at: `${index + 1}m`, scale: 'PodSet/web', to },
      { at: `${index + 1}m10s`, kill: { of: 'PodSet/web' }, note: `<b>killed</b> & gone ${index}` },
    ]),
  );
  return busyDayReport;
};

describe('pictureOf()', () => {
  it('pictureOf() gives texts that do not touch each other, within the picture', async () => {
    const svg = pictureOf(await busyDay());
    const labels = labelsIn(svg);
    expect(labels.length).toBeGreaterThan(5);
    expect(touching(labels)).toEqual([]);
    for (const { from, to } of labels) expect([from >= 0, to <= 1200]).toEqual([true, true]);
  });

  it('pictureOf() makes the texts of changes by users stronger than those of other events', async () => {
    const changes = [
      { at: '1m', scale: 'PodSet/web', to: 5 },
      { at: '5m', crash: 'operator', for: '30s' },
    ] as const;
    const labels = labelsIn(pictureOf(await storyOf(changes)));
    expect(labels.map(({ strength, text }) => [strength, text])).toEqual([
      ['dim', 'operator starts'],
      ['user-text', 'scaled from 3 to 5'],
      ['user-text', 'created'],
    ]);
  });

  it('pictureOf() escapes what people write, and holds no script and nothing from elsewhere', async () => {
    const report = { ...(await busyDay()), title: '</style><script>alert("1")</script>\u0000 & more' };
    const svg = pictureOf(report);
    expect(svg).toContain('&lt;b&gt;killed&lt;/b&gt; &amp; gone');
    expect(svg).not.toMatch(/<script|<b>|href=|url\(/);
    expect(svg).not.toContain(String.fromCodePoint(0));
    expect(svg.match(/<title/g)?.length).toBe(svg.match(/<\/title>/g)?.length);
  });

  it('pictureOf() supports dark mode and screen readers', async () => {
    const svg = pictureOf(await storyOf());
    expect(svg).toContain('@media (prefers-color-scheme:dark)');
    expect(svg).toContain('role="img" aria-labelledby="title desc"');
    expect(svg).toMatch(/<desc id="desc">Pods over .*PodSet default\/web: in the end 3 of busybox ready/);
  });

  it('pictureOf() draws the resources that are asked for', async () => {
    const report = await storyOf();
    expect(pictureOf(report, { resources: [] })).not.toContain('class="layer');
    expect(pictureOf(report, { resources: ['PodSet default/web'] })).toContain('class="layer');
  });
});

describe('ticks', () => {
  it.for([
    [270_000, ['0:00', '0:30', '1:00', '1:30', '2:00', '2:30', '3:00', '3:30', '4:00', '4:30']],
    [86_400_000, ['0 h', '3 h', '6 h', '9 h', '12 h', '15 h', '18 h', '21 h', '24 h']],
    [500, ['0.0 s', '0.1 s', '0.2 s', '0.3 s', '0.4 s', '0.5 s']],
    [0, ['0.0 s']],
  ] as const)('timeTicks() of %i ms are round', ([ms, labels]) => {
    expect(timeTicks(ms, 10).map(({ label }) => label)).toEqual(labels);
  });

  it('countTicks() are round, and not above the largest', () => {
    expect(countTicks(13, 6).map(({ at }) => at)).toEqual([0, 5, 10]);
    expect(countTicks(1, 6).map(({ at }) => at)).toEqual([0, 1]);
    expect(countTicks(10_000, 6).map(({ at }) => at)).toEqual([0, 2000, 4000, 6000, 8000, 10_000]);
  });
});

describe('cut()', () => {
  it('cut() keeps what fits, and ends the rest with an ellipsis', () => {
    expect(cut('short', 12, 100)).toBe('short');
    expect(cut('a text that is too long', 12, 60)).toMatch(/^a te.*…$/);
    expect(cut('x', 12, 0)).toBe('');
  });
});
