import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './repository.ts';

const page = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8');

/** Rooms grow every day; a larger deviation makes a figure misleading. */
const DRIFT = 0.25;

interface Room {
  readonly paths: readonly string[];
  readonly lines: number;
}

const roomsOf = (markdown: string): readonly Room[] =>
  [...markdown.matchAll(/^\| (`.*?) \| ([\d,]+) \| /gm)].map(([, cell = '', lines = '']) => ({
    paths: [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, path = '']) => path),
    lines: Number(lines.replaceAll(',', '')),
  }));

const linesOf = (path: string): number =>
  globSync(path.endsWith('.ts') ? path : `${path}/**/*.ts`, { cwd: repository })
    .map((file) => readFileSync(join(repository, file), 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);

const rooms = roomsOf(page);

describe('ARCHITECTURE.md', () => {
  it('is read in ten minutes: 120 lines at most, and its third line leads to the glossary', () => {
    const lines = page.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(lines[2]).toContain('(docs/glossary.md)');
  });

  it('has a row for each folder of lib and constructs', () => {
    const folders = globSync('{lib,constructs}/*/', { cwd: repository }).map((path) => path.replace(/\/$/, ''));
    expect(folders.length).toBeGreaterThan(20);
    const named = new Set(rooms.flatMap(({ paths }) => paths));
    expect(folders.filter((folder) => !named.has(folder))).toEqual([]);
  });

  it('gives each room about the size that it has', () => {
    expect(rooms.length).toBeGreaterThan(25);
    const measured = rooms.map(({ paths, lines }) => ({
      paths,
      lines,
      real: paths.map(linesOf).reduce((a, b) => a + b),
    }));
    expect(measured.filter(({ lines, real }) => Math.abs(lines - real) > real * DRIFT)).toEqual([]);
  });
});
