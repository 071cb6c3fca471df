/** The memory of a process at a moment. */
export interface MemorySample {
  readonly seconds: number;
  readonly mib: number;
}

/** A part of the measurement that begins at a moment. */
export interface MemoryPhase {
  readonly name: string;
  readonly seconds: number;
}

/** The contents of a picture. */
export interface MemoryCurve {
  readonly title: string;
  readonly samples: readonly MemorySample[];
  readonly phases: readonly MemoryPhase[];
  /** Seconds from the beginning to the end. */
  readonly end: number;
}

const WIDTH = 760;
const HEIGHT = 300;
const LEFT = 48;
const TOP = 56;
const BOTTOM = 36;
const STEP_MIB = 50;
/** The memory limit of the committed bundle. */
const LIMIT_MIB = 256;

const style = `
  text { font: 11px sans-serif; fill: #1f2937 } .title { font-weight: bold; font-size: 13px }
  .grid { stroke: #d1d5db } .limit { stroke: #b91c1c; stroke-dasharray: 4 3 } .curve { fill: none; stroke: #2563eb; stroke-width: 1.5 }
  .phase { stroke: #6b7280; stroke-dasharray: 2 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb } .grid { stroke: #374151 } .limit { stroke: #f87171 } .curve { stroke: #60a5fa } .phase { stroke: #9ca3af }
  }`;

const line = (kind: string, [x1, y1]: readonly [string, string], [x2, y2]: readonly [string, string]): string =>
  `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;

const label = (text: string, at: string, height: string | number, more = ''): string =>
  `<text x="${at}" y="${height}"${more}>${text}</text>`;

/** Draws the memory of an operator over time, as SVG that is readable on light and dark pages. */
export const curvePicture = ({ title, samples, phases, end }: MemoryCurve): string => {
  const most = Math.max(LIMIT_MIB, ...samples.map(({ mib }) => mib));
  const top = Math.ceil(most / STEP_MIB) * STEP_MIB;
  const x = (seconds: number): string => (LEFT + (seconds / end) * (WIDTH - LEFT - 12)).toFixed(1);
  const y = (mib: number): string => (HEIGHT - BOTTOM - (mib / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  // A name near the right edge ends at its line.
  const phaseLabel = (name: string, at: number, height: number): string =>
    at < WIDTH * 0.85 ? label(name, String(at + 3), height) : label(name, String(at - 3), height, ' text-anchor="end"');
  const levels = Array.from({ length: top / STEP_MIB + 1 }, (_, index) => index * STEP_MIB);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Memory of the operator: ${title}">`,
    `<style>${style}\n</style>`,
    label(`Memory of the operator (RSS, MiB): ${title}`, String(LEFT), 18, ' class="title"'),
    ...levels.flatMap((mib) => [
      line('grid', [x(0), y(mib)], [x(end), y(mib)]),
      label(String(mib), String(LEFT - 8), Number(y(mib)) + 4, ' text-anchor="end"'),
    ]),
    line('limit', [x(0), y(LIMIT_MIB)], [x(end), y(LIMIT_MIB)]),
    label(`memory limit of the bundle: ${LIMIT_MIB}`, x(end), Number(y(LIMIT_MIB)) - 4, ' text-anchor="end"'),
    ...phases.flatMap(({ name, seconds }, index) => [
      line('phase', [x(seconds), String(TOP)], [x(seconds), y(0)]),
      phaseLabel(name, Number(x(seconds)), index % 2 === 0 ? TOP - 14 : TOP - 2),
    ]),
    `<polyline class="curve" points="${samples.map(({ seconds, mib }) => `${x(seconds)},${y(mib)}`).join(' ')}"/>`,
    label('0 s', x(0), HEIGHT - 14),
    label(`${Math.round(end)} s`, x(end), HEIGHT - 14, ' text-anchor="end"'),
    '</svg>\n',
  ].join('\n');
};
