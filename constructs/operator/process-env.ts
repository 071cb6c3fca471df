import type { k8s } from 'cdk8s-plus-27';
import type { ConversionWorkload } from './conversion.ts';
import type { OperatorNames } from './names.ts';
import { CONVERSION_PORT, HEALTH_PORT, METRICS_PORT } from './ports.ts';
import { recordEnv } from './record.ts';
import type { Workload } from './workload.ts';

/** Where the certificate of somebody else is mounted, without the key of its authority. */
export const CERTIFICATE_DIR = '/var/run/secrets/conversion';

/**
 * With the version that the API server would set: a reference to a field is compared as a whole, so without it a server-side apply
 * after a client-side one meets a conflict with itself.
 */
export const fieldRef = (fieldPath: string): k8s.ObjectFieldSelector => ({ apiVersion: 'v1', fieldPath });

const fromField = (name: string, fieldPath: string): k8s.EnvVar => ({
  name,
  valueFrom: { fieldRef: fieldRef(fieldPath) },
});

const conversionEnv = (conversion: ConversionWorkload | undefined): k8s.EnvVar[] =>
  conversion === undefined
    ? []
    : [
        { name: 'CONVERSION_SERVICE', value: conversion.service },
        { name: 'CONVERSION_PORT', value: String(CONVERSION_PORT) },
        ...(conversion.isMounted ? [{ name: 'CONVERSION_CERTIFICATE_DIR', value: CERTIFICATE_DIR }] : []),
      ];

/** Of what the container may use; the rest is for code, buffers, threads and stacks. */
const HEAP_SHARE = 0.7;

/**
 * Of each half of V8's young generation, which comes on top of the heap, in three times this size: its default of 16 MiB lets
 * garbage pile up that is a third of the limit.
 */
const SEMI_SPACE_MIB = 4;

const nodeOptions = (memoryMiB: number): string =>
  `--max-old-space-size=${Math.floor(memoryMiB * HEAP_SHARE)} --max-semi-space-size=${SEMI_SPACE_MIB}`;

/**
 * By default glibc keeps what was freed, in an arena for each thread, and raises its own threshold for giving it back: 15 MiB of an operator
 * that rests. One arena will do, as one thread does nearly all of the work. A threshold that is set also keeps the one for
 * blocks that are mapped on their own at 128 KiB. Images with musl do not read these.
 *
 * @see https://man7.org/linux/man-pages/man3/mallopt.3.html
 */
const MALLOC: readonly k8s.EnvVar[] = [
  { name: 'MALLOC_ARENA_MAX', value: '1' },
  { name: 'MALLOC_TRIM_THRESHOLD_', value: String(64 * 1024) },
];

const variable = (name: string, value: string | undefined): k8s.EnvVar[] =>
  value === undefined ? [] : [{ name, value }];

/** Settings of the process, as `run()` reads them. */
export const envOf = (
  names: OperatorNames,
  { namespaces, effectHosts, memoryMiB, ...workload }: Workload,
): k8s.EnvVar[] => [
  fromField('POD_NAME', 'metadata.name'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  { name: 'LEASE_NAME', value: names.name },
  { name: 'HEALTH_PORT', value: String(HEALTH_PORT) },
  { name: 'METRICS_PORT', value: String(METRICS_PORT) },
  // V8 sizes its heap by the memory of the node: it would be killed before it thinks of collecting garbage.
  { name: 'NODE_OPTIONS', value: nodeOptions(memoryMiB) },
  ...MALLOC,
  ...variable('WATCH_NAMESPACE', namespaces?.join(',')),
  ...variable('EFFECT_HOSTS', effectHosts?.join(',')),
  ...variable('PROMETHEUS_URL', workload.prometheusUrl),
  ...variable('LOG_LEVEL', workload.logLevel),
  ...recordEnv(workload),
  ...conversionEnv(workload.conversion),
];
