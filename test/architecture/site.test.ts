import { describe, expect, it } from 'vitest';
import { linkedPages } from '#apps/site/build.ts';
import { repository } from '#apps/site/folders.ts';
import { addressOf, pagesOf } from '#apps/site/pages.ts';
import { pagesIn, sidebarGroups } from '#apps/site/sidebar.ts';

const pages = pagesOf(repository);

describe('the documentation site', () => {
  it('has each page in one group of the sidebar, apps/site/sidebar.ts', () => {
    expect(pages.length).toBeGreaterThan(50);
    expect(sidebarGroups.flatMap((group) => pagesIn(group, pages)).toSorted()).toEqual(pages);
  });

  it('names no page in the sidebar that does not exist', () => {
    const named = sidebarGroups.flatMap((group) => group.pages).filter((page) => !page.endsWith('/**'));
    expect(named.filter((page) => !pages.includes(page))).toEqual([]);
  });

  it('gives each page an address of its own', () => {
    expect(new Set(pages.map((page) => addressOf(page).toLowerCase())).size).toBe(pages.length);
  });

  it('has no link that leads nowhere', () => {
    expect(linkedPages().size).toBe(pages.length);
  });
});
