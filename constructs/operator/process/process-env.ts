import type { EnvVar, ObjectFieldSelector } from 'kubernetes-types/core/v1.js';
import type { ConversionWorkload } from '#constructs/operator/conversion.ts';
import type { OperatorNames } from '#constructs/operator/names.ts';
import { HOST_LISTS, hostsVariable } from '#lib/desired/hosts/effect-hosts.ts';
import { TUNING, TUNING_NAMES, type Tuning } from '#lib/desired/settings/tuning.ts';
import { heapMiB, semiSpaceMiB } from './memory.ts';
import { CONVERSION_PORT, HEALTH_PORT, METRICS_PORT } from './ports.ts';
import { recordEnv } from './record.ts';
import { trustEnv } from './trust.ts';
import type { Workload } from './workload.ts';

/** The folder in which the certificate and the private key from cert-manager are mounted. */
export const CERTIFICATE_DIR = '/var/run/secrets/conversion';

/**
 * Makes a field reference with the `apiVersion` that the API server would add as default. Without the `apiVersion`, a
 * server-side apply after a client-side apply would report a conflict about an unchanged field.
 */
export const fieldRef = (fieldPath: string): ObjectFieldSelector => ({ apiVersion: 'v1', fieldPath });

const fromField = (name: string, fieldPath: string): EnvVar => ({
  name,
  valueFrom: { fieldRef: fieldRef(fieldPath) },
});

const conversionEnv = (conversion: ConversionWorkload | undefined): EnvVar[] =>
  conversion === undefined
    ? []
    : [
        { name: 'CONVERSION_SERVICE', value: conversion.service },
        { name: 'CONVERSION_PORT', value: String(CONVERSION_PORT) },
        ...(conversion.isMounted ? [{ name: 'CONVERSION_CERTIFICATE_DIR', value: CERTIFICATE_DIR }] : []),
      ];

const nodeOptions = (memoryMiB: number, hasConversions: boolean): string =>
  `--max-old-space-size=${heapMiB(memoryMiB, hasConversions)} --max-semi-space-size=${semiSpaceMiB(memoryMiB)}`;

/**
 * Settings of glibc that reduce the memory of an idle operator by 15 MiB; images with musl ignore these settings. One arena is
 * enough, because one thread does nearly all of the work. A fixed trim threshold also keeps the mmap threshold at 128 KiB.
 *
 * @see https://man7.org/linux/man-pages/man3/mallopt.3.html
 */
const MALLOC: readonly EnvVar[] = [
  { name: 'MALLOC_ARENA_MAX', value: '1' },
  { name: 'MALLOC_TRIM_THRESHOLD_', value: String(64 * 1024) },
];

const variable = (name: string, value: string | undefined): EnvVar[] => (value === undefined ? [] : [{ name, value }]);

const tuningEnv = (tuning: Tuning): EnvVar[] =>
  TUNING_NAMES.flatMap((name) => variable(TUNING[name].variable, tuning[name]?.toString()));

/** Makes the environment variables of the container: the settings of `run()`, and settings of Node.js and glibc. */
export const envOf = (
  names: OperatorNames,
  { namespaces, effectHosts, memoryMiB, ...workload }: Workload,
): EnvVar[] => [
  fromField('POD_NAME', 'metadata.name'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  { name: 'LEASE_NAME', value: names.name },
  { name: 'HEALTH_PORT', value: String(HEALTH_PORT) },
  { name: 'METRICS_PORT', value: String(METRICS_PORT) },
  // The default heap size of V8 depends on the version of Node.js, and may not fit the memory limit of the container.
  { name: 'NODE_OPTIONS', value: nodeOptions(memoryMiB, workload.conversion !== undefined) },
  ...MALLOC,
  ...variable('WATCH_NAMESPACE', namespaces?.join(',')),
  ...HOST_LISTS.flatMap((list) => variable(hostsVariable(list), effectHosts?.[list]?.join(','))),
  ...variable('PROMETHEUS_URL', workload.prometheusUrl),
  ...trustEnv(workload),
  ...variable('LOG_LEVEL', workload.logLevel),
  ...variable('EVENTS', workload.events),
  ...variable('METRICS_AUTHENTICATION', workload.metricsAuthentication ? 'true' : undefined),
  ...tuningEnv(workload.tuning),
  ...recordEnv(workload),
  ...conversionEnv(workload.conversion),
];
