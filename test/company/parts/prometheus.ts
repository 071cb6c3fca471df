import { assertAlerts } from '#test/company/monitoring/alerts.ts';
import { provideMonitoring } from '#test/company/monitoring/build.ts';
import { assertResourceMetrics } from '#test/company/monitoring/resource-metrics.ts';
import { playTrials } from '#test/company/monitoring/rollouts.ts';
import { type Scene, startScene } from '#test/company/monitoring/scene.ts';
import { assertIntervals, assertScraped } from '#test/company/monitoring/scraping.ts';
import { trialsOf } from '#test/company/monitoring/trials.ts';
import type { Case, Part } from '#test/company/part.ts';
import { missingPrograms } from '#test/company/programs.ts';
import { shared } from '#test/company/shared.ts';

const stage = shared(startScene);

/** All cases share one scene: the alerts need minutes, during which rollouts run. */
const inScene = (title: string, run: (scene: Scene) => Promise<string>): Case => ({
  title,
  run: async () => run(await stage.get()),
});

/** Prometheus with its operator, and kube-state-metrics. */
export const part: Part = {
  lacks: () => missingPrograms(provideMonitoring),
  cases: [
    inScene('metrics and rules of the bundle, with and without the Prometheus Operator', assertScraped),
    inScene('rollouts ask Prometheus', async (each) => {
      const figures = await playTrials(each, await trialsOf(each.hosts));
      await assertIntervals(each);
      return figures;
    }),
    inScene('kube-state-metrics shows resources of all kinds', assertResourceMetrics),
    inScene('alerts', assertAlerts),
  ],
  end: stage.end,
};
