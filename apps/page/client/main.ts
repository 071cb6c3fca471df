import { type PackedRun, unpackRun } from '#lib/foresight/page/packed-run.ts';
import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import { Address } from './address.ts';
import { pageParts } from './page-parts.ts';
import { firstShown, PageView } from './view.ts';

const start = (page: HTMLElement, run: ReportRun): void => {
  const view = new PageView(run);
  const address = new Address(view);
  page.replaceChildren(...pageParts(view, { isLive: false }));
  view.selected = firstShown(run);
  if (!address.read()) view.goTo(run.events.length);
  view.add(address);
};

const page = document.querySelector<HTMLElement>('#page');
const data = document.querySelector('#run')?.textContent;
if (page !== null && data !== null && data !== undefined) start(page, unpackRun(JSON.parse(data) as PackedRun));
