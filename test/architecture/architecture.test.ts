import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outsideBudget, roomsIn } from './house/line-budgets.ts';
import { repository } from './repository.ts';

const page = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8');

/**
 * The number of lines of code below a path, without comments and empty lines, so that comments do not count against a budget.
 */
const linesOf = (path: string): number =>
  globSync(path.endsWith('.ts') ? path : `${path}/**/*.ts`, { cwd: repository })
    .flatMap((file) => readFileSync(join(repository, file), 'utf8').split('\n'))
    .filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;

const rooms = roomsIn(page);

/** The files of a text, `a/b.ts`; those after "in `folder/`," are relative to that folder, up to the next semicolon. */
const filesIn = (text: string): readonly string[] =>
  text.split(';').flatMap((part) => {
    const [, folder = ''] = /in `([^`]+\/)`,/.exec(part) ?? [];
    return [...part.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path = '']) => `${folder}${path}`);
  });

const [, eventPath = ''] = page.split('\n## From an event to a status\n');
/** The files to read, from the table, and the files that a change may also need, from the paragraph after the table. */
const [followed = '', changed = ''] = (eventPath.split('\nThe path from a definition')[0] ?? '').split(
  '\nThese ten files',
);

describe('ARCHITECTURE.md', () => {
  it('is read in ten minutes: 120 lines at most, and its third line leads to the glossary', () => {
    const lines = page.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(lines[2]).toContain('(docs/glossary.md)');
  });

  it('has a row for each file of lib, constructs and apps', () => {
    const files = globSync('{lib,constructs,apps}/**/*.ts', { cwd: repository });
    expect(files.length).toBeGreaterThan(1000);
    const named = rooms.flatMap(({ paths }) => paths);
    expect(files.filter((file) => !named.some((path) => file === path || file.startsWith(`${path}/`)))).toEqual([]);
  });

  it('has a budget of lines for each room, which no room exceeds', () => {
    expect(outsideBudget(rooms, linesOf)).toEqual([]);
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
