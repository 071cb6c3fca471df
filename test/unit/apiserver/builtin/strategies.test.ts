import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { cases } from '#test/sim/builtin-oracle/cases/index.ts';
import { kindNamed, statusOf, viewOf } from '#test/unit/apiserver/support/strategies.ts';

const complete = (name: string, body: JsonObject): ServerObject => {
  const { strategy, version } = kindNamed(name);
  return strategy.setDefaults(strategy.decode(body, version).object as unknown as ServerObject, version);
};

/** Objects of the cases that decode: wrong types are not needed here. */
const decoded = cases.flatMap(({ kind, object }) => {
  const { strategy, version } = kindNamed(kind);
  try {
    return [{ strategy, version, object: strategy.decode(object, version).object }];
  } catch {
    return [];
  }
});

describe('decode()', () => {
  it('changes nothing of what it has written', () => {
    expect(decoded.length).toBeGreaterThan(150);
    for (const { strategy, version, object } of decoded) {
      expect(strategy.decode(object, version)).toEqual({ object, unknownFields: [] });
    }
  });

  it.for([
    ['Pod', { spec: { resources: { limits: { cpu: '1' } } } }, 'spec.resources'],
    ['Pod', { spec: { volumes: [{ name: 'a', nfs: { server: 's', path: '/' } }] } }, 'spec.volumes[0].nfs'],
    ['Pod', { spec: { containers: [{ volumeDevices: [{ name: 'a' }] }] } }, 'spec.containers[0].volumeDevices'],
    ['Deployment', { spec: { template: { spec: { hostUsers: true } } } }, 'spec.template.spec.hostUsers'],
    ['Service', { spec: { externalIPs: ['192.0.2.1'] } }, 'spec.externalIPs'],
  ] as const)('refuses a field of %s that nothing acts on', ([kind, body, path]) => {
    const { strategy, version } = kindNamed(kind);
    expect(statusOf(() => strategy.decode(body, version))).toEqual({
      code: 501,
      message: `the virtual cluster does not implement the field "${path}"; see docs/virtual-cluster.md for what it does`,
    });
  });

  it('takes such a field when it is empty', () => {
    const { strategy, version } = kindNamed('Pod');
    const { object } = strategy.decode(
      { spec: { overhead: {}, resourceClaims: [], os: null, hostnameOverride: null } },
      version,
    );
    expect(object).toEqual({ metadata: {}, spec: { containers: null }, status: {} });
  });
});

describe('validateCreate()', () => {
  it('names the type of a value that is no object in the login data of a Secret, as Go does', () => {
    const { strategy, version } = kindNamed('Secret');
    const data = { '.dockerconfigjson': Buffer.from('true').toString('base64') };
    const secret = { type: 'kubernetes.io/dockerconfigjson', metadata: { name: 'a', namespace: 'b' }, data };
    expect(JSON.stringify(strategy.validateCreate(secret as unknown as ServerObject, version))).toContain(
      'json: cannot unmarshal bool into Go value of type map[string]interface {}',
    );
  });
});

const problemsOf = (kind: string, body: JsonObject): readonly string[] => {
  const { strategy, version } = kindNamed(kind);
  return strategy.validateCreate(complete(kind, body), version).map(({ field, message }) => `${field}: ${message}`);
};

const MISMATCH = 'involvedObject.namespace: Invalid value: "": does not match event.namespace';

describe('validateCreate() of events', () => {
  it.each([
    ['default', undefined, []],
    ['default', 'default', []],
    ['other', 'other', []],
    ['other', undefined, [MISMATCH]],
    ['other', 'default', [MISMATCH.replace('""', '"default"')]],
  ])(
    'finds these problems when an event in the namespace %s is about an object in the namespace %s: %j',
    (namespace, involved, problems) => {
      const involvedObject = { kind: 'Pod', name: 'p', ...(involved !== undefined && { namespace: involved }) };
      expect(problemsOf('Event', { metadata: { name: 'e', namespace }, involvedObject })).toEqual(problems);
    },
  );

  it('requires only the namespace of the event when neither the event nor its object has a namespace', () => {
    const problems = problemsOf('Event', { metadata: { name: 'e' }, involvedObject: { kind: 'Node', name: 'n' } });
    expect(problems).toEqual([expect.stringMatching(/^namespace: Invalid value: ""/)]);
  });
});

describe('validateCreate() of HorizontalPodAutoscalers', () => {
  const NO_GROUP = 'apiVersion must specify API group';
  it.each([
    ['apps/v1', undefined],
    ['apps/', undefined],
    ['v1', NO_GROUP],
    ['/v1', NO_GROUP],
    ['/', NO_GROUP],
  ])('finds this problem when the API version of the scaled object is %s: %s', (apiVersion, problem) => {
    const scaleTargetRef = { apiVersion, kind: 'Deployment', name: 'd' };
    const metadata = { name: 'h', namespace: 'n' };
    expect(problemsOf('HorizontalPodAutoscaler', { metadata, spec: { maxReplicas: 3, scaleTargetRef } })).toEqual(
      problem === undefined ? [] : [`spec.scaleTargetRef.apiVersion: Invalid value: "${apiVersion}": ${problem}`],
    );
  });
});

describe('setDefaults()', () => {
  it('changes nothing of what it has completed', () => {
    for (const { strategy, version, object } of decoded) {
      const once = strategy.setDefaults(object as unknown as ServerObject, version);
      expect(strategy.setDefaults(once, version)).toBe(once);
    }
  });
});

describe('mutate() of pods', () => {
  const { strategy } = kindNamed('Pod');
  const admit = (body: JsonObject): ServerObject => {
    const object = complete('Pod', {
      metadata: { name: 'p', namespace: 'n' },
      spec: { containers: [{ name: 'a', image: 'b' }] },
      ...body,
    });
    return strategy.mutate?.({ operation: 'create', subresource: '', object }, viewOf([])) ?? object;
  };

  it('names the volume of the token by nothing but the name of the pod', () => {
    expect(admit({})).toEqual(admit({}));
    expect(JSON.stringify(admit({}))).toMatch(/kube-api-access-[bcdf-hj-np-tv-xz2456789]{5}"/);
  });

  it('refuses a priority class that does not exist', () => {
    const spec = { containers: [{ name: 'a', image: 'b' }], priorityClassName: 'gold' };
    expect(statusOf(() => admit({ spec }))).toMatchObject({
      code: 403,
      message: 'pods "p" is forbidden: no PriorityClass with name gold was found',
    });
  });

  it('refuses annotations that a real server would act on', () => {
    const object = complete('Pod', { metadata: { name: 'p', annotations: { 'kubernetes.io/config.mirror': 'x' } } });
    expect(statusOf(() => strategy.validateCreate(object, kindNamed('Pod').version))).toMatchObject({ code: 501 });
  });
});

const period = (spec: JsonObject, phase?: string, requested?: number): number | undefined => {
  const pod = { spec: { terminationGracePeriodSeconds: 30, ...spec }, status: { phase } } as unknown as ServerObject;
  return kindNamed('Pod').strategy.gracePeriodSeconds?.(pod, requested);
};

describe('gracePeriodSeconds()', () => {
  it('is that of the spec unless the request says otherwise', () => {
    expect(period({ nodeName: 'n' })).toBe(30);
    expect(period({ nodeName: 'n' }, 'Running', 5)).toBe(5);
    expect(period({ nodeName: 'n' }, 'Running', 0)).toBe(0);
    expect(period({ nodeName: 'n' }, 'Running', -3)).toBe(1);
  });

  it('is nothing for pods that are not on a node, or have ended', () => {
    expect(period({}, 'Pending', 5)).toBe(0);
    expect(period({ nodeName: 'n' }, 'Failed', 5)).toBe(0);
    expect(period({ nodeName: 'n' }, 'Succeeded')).toBe(0);
  });
});

const schemaOf = (kind: string) => kindNamed(kind).version.schema;

describe('schema', () => {
  it('has references resolved, and the keys of lists', () => {
    const ports = schemaOf('Pod').properties?.['spec']?.properties?.['containers']?.items?.properties?.['ports'];
    expect(ports).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      items: { properties: { protocol: { default: 'TCP', type: 'string' } } },
    });
  });

  it('is shared where types are', () => {
    const template = schemaOf('Deployment').properties?.['spec']?.properties?.['template'];
    const other = schemaOf('ReplicaSet').properties?.['spec']?.properties?.['template'];
    expect(template?.properties).toBe(other?.properties);
  });
});

const pod = (name: string, phase = 'Running') =>
  ({
    kind: 'Pod',
    metadata: { name, namespace: 'n' },
    spec: { containers: [] },
    status: { phase },
  }) as unknown as ServerObject;

describe('ResourceQuota', () => {
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'n' },
    spec: { hard: { pods: '1' } },
    status: { hard: { pods: '1' }, used: { pods: '0' } },
  } as unknown as ServerObject;
  const admit = (present: readonly ServerObject[]): void => {
    kindNamed('Pod').strategy.admit?.(
      { operation: 'create', subresource: '', object: pod('new') },
      viewOf([quota, ...present]),
    );
  };

  it('counts objects that its status does not know yet', () => {
    expect(statusOf(() => admit([pod('a')]))).toEqual({
      code: 403,
      message: 'pods "new" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    });
  });

  it('does not count pods that have ended', () => {
    expect(() => admit([pod('a', 'Succeeded')])).not.toThrow();
  });
});

describe('LimitRange', () => {
  const range = {
    kind: 'LimitRange',
    metadata: { name: 'l', namespace: 'n' },
    spec: {
      limits: [
        { type: 'Container', min: { cpu: '1' } },
        { type: 'PersistentVolumeClaim', min: { storage: '1' } },
      ],
    },
  } as unknown as ServerObject;
  const limited = { metadata: { name: 'x', namespace: 'n' }, spec: { containers: [{ name: 'c' }] } };
  const update = (kind: string, metadata: JsonObject = {}): void => {
    const object = { kind, ...limited } as unknown as ServerObject;
    const old = { ...object, metadata: { ...object.metadata, ...metadata } };
    kindNamed(kind).strategy.admit?.({ operation: 'update', subresource: '', object, old }, viewOf([range]));
  };

  it('does not apply to changes of pods, because resources of containers cannot change', () => {
    expect(() => update('Pod')).not.toThrow();
  });

  it('applies to changes of claims until their deletion', () => {
    expect(statusOf(() => update('PersistentVolumeClaim'))).toEqual({
      code: 403,
      message:
        'persistentvolumeclaims "x" is forbidden: minimum storage usage per PersistentVolumeClaim is 1.  No request is specified',
    });
    expect(() => update('PersistentVolumeClaim', { deletionTimestamp: '2026-01-01T00:00:00Z' })).not.toThrow();
  });
});
