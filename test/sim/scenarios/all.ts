import { appServiceCases } from './app-service.ts';
import { bellCases } from './bell.ts';
import { canaryCases } from './canary-rollout.ts';
import type { Case } from './case.ts';
import { deployerCases } from './deployer-cases.ts';
import { extensionCases } from './extension.ts';
import { immortalCases } from './immortal/cases.ts';
import { podSetCases } from './pod-set.ts';
import { podSetUpdateCases } from './pod-set-updates.ts';
import { siteCases } from './site.ts';
import { stampCases } from './stamp.ts';

/** Every case of every kind. */
export const allCases: readonly Case[] = [
  ...podSetCases,
  ...podSetUpdateCases,
  ...appServiceCases,
  ...immortalCases,
  ...canaryCases,
  ...deployerCases,
  ...siteCases,
  ...extensionCases,
  ...bellCases,
  ...stampCases,
];

/** The case of a scenario, by its name. */
export const caseNamed = (name: string): Case | undefined => allCases.find(({ scenario }) => scenario.name === name);
