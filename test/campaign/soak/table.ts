import { writeFileSync } from 'node:fs';
import { curvePicture } from '#test/bench/report/curve-picture.ts';
import type { PartResult } from '#test/campaign/part.ts';
import { markdownRow } from '#test/markdown-row.ts';
import type { SoakSegment } from './segment.ts';

const pictureName = ({ segment }: SoakSegment): string => `soak-${segment}.svg`;

const number = (value: number): string => value.toLocaleString('en');

/** A value at the first rest and at the last one. */
const both = (first: number, last: number): string => `${number(first)} → ${number(last)}`;

const segmentsOf = (results: readonly PartResult[]): readonly SoakSegment[] =>
  results.flatMap(({ segments = [] }) => segments);

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const endsOf = ({ ends }: SoakSegment): string =>
  Object.entries(ends)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');

const segmentRow = (segment: SoakSegment): string => {
  const { firstRest: first, lastRest: last } = segment;
  return markdownRow([
    segment.segment,
    segment.minutes,
    both(segment.resources, last.objects),
    segment.requests,
    total(segment.disturbances),
    endsOf(segment),
    both(first.heapMiB, last.heapMiB),
    both(first.rssMiB, last.rssMiB),
    both(first.handles, last.handles),
    both(first.watches, last.watches),
    last.queue,
    segment.drift,
    segment.writesAtRest,
  ]);
};

/** The segments of the soak as a chapter of the page; empty if no segment has run. */
export const soakChapter = (results: readonly PartResult[]): readonly string[] => {
  const segments = segmentsOf(results);
  if (segments.length === 0) return [];
  return [
    '',
    '## Soak',
    '',
    'In a segment of the soak, two replicas of the bundled operator run on the real control plane, each behind a fault proxy.',
    'A driver changes resources and pods, and a timetable disturbs the cluster; the seed of both is the number of the segment.',
    'Values with an arrow are those of the leader at the first rest, after all resources were created, and at the last rest, after the disturbances.',
    'Garbage was collected before both. [test/campaign](../test/campaign/README.md#the-soak) lists the disturbances and the checks. No claim is made beyond the length of a segment.',
    '',
    markdownRow([
      'segment',
      'minutes',
      'resources → objects in caches',
      'requests of the driver',
      'disturbances',
      'ends of processes',
      'heap, MiB',
      'RSS, MiB',
      'handles',
      'watches',
      'queue',
      'drift',
      'writes at rest',
    ]),
    markdownRow(['---:', '---:', '---:', '---:', '---:', '---', ...Array.from({ length: 7 }, () => '---:')]),
    ...segments.map(segmentRow),
    '',
    ...segments.map(
      (segment) => `![Memory of the leader in segment ${segment.segment}](pictures/${pictureName(segment)})`,
    ),
  ];
};

/** Names of the phases that have room in a picture. */
const shownPhases = ({ phases }: SoakSegment): SoakSegment['phases'] =>
  phases
    .filter(({ name }) => name !== 'creations' && name !== 'first rest')
    .map(({ name, seconds }) => ({ name: name.replace(/^leader /, ''), seconds }));

/** Draws the memory of the leader in a segment, as SVG. */
export const soakPicture = (segment: SoakSegment): string =>
  curvePicture({
    title: `segment ${segment.segment} of the soak, ${number(segment.resources)} resources`,
    samples: segment.samples.map(({ seconds, rssMiB }) => ({ seconds, mib: rssMiB })),
    phases: shownPhases(segment),
    end: segment.samples.at(-1)?.seconds ?? 1,
  });

/** Writes the pictures of the segments, next to the page. */
export const writeSoakPictures = (results: readonly PartResult[], folder: URL): void => {
  for (const segment of segmentsOf(results)) writeFileSync(new URL(pictureName(segment), folder), soakPicture(segment));
};
