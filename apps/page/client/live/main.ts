import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import { pageParts } from '../page-parts.ts';
import { firstShown, PageView } from '../view.ts';
import { LiveStatus } from './status.ts';
import { LiveStream } from './stream.ts';

const start = (page: HTMLElement): void => {
  const status = new LiveStatus();
  let view: PageView | undefined;
  const show = (run: ReportRun): void => {
    status.shows(run);
    if (view !== undefined) return view.show(run);
    view = new PageView(run);
    page.replaceChildren(...pageParts(view, { isLive: true }));
    view.selected = firstShown(run);
    view.goToEnd();
  };
  document.querySelector('header')?.append(status.node);
  new LiveStream({ onRun: show, onState: (state) => status.is(state) }).open();
};

const page = document.querySelector<HTMLElement>('#page');
if (page !== null) start(page);
