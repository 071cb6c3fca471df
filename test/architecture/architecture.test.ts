import { existsSync, globSync, readFileSync } from 'node:fs';
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

/** The files of a text, `a/b.ts`; those after "in `folder/`," are relative to that folder, up to the next semicolon. */
const filesIn = (text: string): readonly string[] =>
  text.split(';').flatMap((part) => {
    const [, folder = ''] = /in `([^`]+\/)`,/.exec(part) ?? [];
    return [...part.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path = '']) => `${folder}${path}`);
  });

const [, eventPath = ''] = page.split('\n## From an event to a status\n');
/** The files to read, and those that a change may need besides: the table, and the paragraph behind it. */
const [followed = '', changed = ''] = (eventPath.split('\nThe path from a definition')[0] ?? '').split(
  '\nThese ten files',
);

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

  it('follows an event to the status in 10 files, and lists 15 more for a change', () => {
    expect(filesIn(followed)).toHaveLength(10);
    expect(filesIn(changed)).toHaveLength(15);
  });

  it('names only files and folders that exist', () => {
    const paths = page.matchAll(/`((?:lib|constructs|apps|test|docs|templates)\/[\w/.-]+)`/g);
    const named = [...[...paths].map(([, path = '']) => path), ...filesIn(changed)];
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });
});
