import { ApiObject, type ApiObjectMetadata, type GroupVersionKind } from 'cdk8s';
import type { Construct } from 'constructs';
import type { TSchema } from 'typebox';
import { firstLookIssues } from '#lib/desired/check/first-look.ts';
import type { KindDefinition } from '#lib/desired/definition.ts';
import { InvalidDefinitionError, InvalidResourceError, type Issue } from '#lib/errors.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import type { Props } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { evaluateRules } from './evaluate-rules.ts';
import { clusterScoped } from './operator/names.ts';

/** The props of the construct of a kind, in the same form that `cdk8s import` generates. */
export interface CustomResourceProps<Sp extends TSchema> {
  /** The metadata. cdk8s derives a missing name from the path of the construct. */
  readonly metadata?: ApiObjectMetadata;
  /** The spec. The constructor and `toJson()` check the spec against the schema and the CEL rules of the kind. */
  readonly spec: Props<Sp>;
}

/** The type of the classes that {@link CustomResource} makes. */
export interface CustomResourceClass<Sp extends TSchema, St extends TSchema> {
  new (scope: Construct, id: string, props: CustomResourceProps<Sp>): ApiObject;
  /** Group, version and kind, as in the classes that `cdk8s import` generates. */
  readonly GVK: GroupVersionKind;
  /** The definition of the kind, as `run()` and the construct `Operator` take it. */
  readonly definition: KindDefinition<Sp, St>;
  /** The desired-state function of the kind, which a test can call directly. */
  readonly desired: KindDefinition<Sp, St>['desired'];
  /** Returns a manifest as a plain object. The function neither checks the manifest nor adds it to a chart. */
  manifest(props: CustomResourceProps<Sp>): object;
}

interface Manifest<Sp extends TSchema> {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec: Props<Sp>;
}

/**
 * Whether a value is a token, such as `Lazy`: an object that cdk8s resolves only at rendering.
 *
 * The function checks methods and not classes. If an app loads two copies of cdk8s, each copy has its own class `Lazy`.
 */
const isToken = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const { produce, resolve } = value as { produce?: unknown; resolve?: unknown };
  return typeof produce === 'function' || typeof resolve === 'function';
};

const containsToken = (value: unknown): boolean => {
  if (isToken(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(containsToken);
};

/**
 * Checks the values and then the rules. Rules are evaluated only if all values are valid, as in the API server, and no token is
 * left.
 */
const issuesOf = (definition: KindShape, object: object): Issue[] => {
  const issues = validateResource(definition, object, { isToken });
  return issues.length > 0 || containsToken(object) ? issues : evaluateRules(definition, { ...object });
};

const checkedDefinitions = new WeakSet<KindShape>();

/**
 * Calls the function of a kind with the first rendered resource.
 *
 * @throws {InvalidDefinitionError} when the function uses a kind that `owns` and `reads` do not list, or does not return
 */
const checkFunctionOnce = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  { metadata, spec }: Manifest<Sp>,
): void => {
  if (checkedDefinitions.has(definition)) return;
  const { name = 'example', namespace = 'default' } = metadata ?? {};
  const home = definition.scope === 'Cluster' ? {} : { namespace };
  const issues = firstLookIssues(definition, { spec, metadata: { name, ...home } });
  if (issues.length > 0) throw new InvalidDefinitionError(definition.kind, issues);
  checkedDefinitions.add(definition);
};

/**
 * Makes the base class of the construct of a kind.
 *
 * @param definition - the result of `defineKind`
 * @returns a class to extend
 * @throws {InvalidResourceError} from the constructor and from `toJson()`, when the resource does not fit the schema or breaks a
 *   CEL rule. The error has the path of the construct, and one issue for each problem. `toJson()` checks the values of tokens
 *   (`Lazy`).
 * @throws {InvalidDefinitionError} from `toJson()`, when the function uses a kind that `owns` and `reads` do not list, or does
 *   not return
 * @example
 * export class PodSet extends CustomResource(podSet) {}
 * new PodSet(chart, 'web', { metadata: { name: 'web' }, spec: { replicas: 3 } });
 */
export const CustomResource = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
): CustomResourceClass<Sp, St> => {
  const type = { apiVersion: apiVersionOf(definition), kind: definition.kind };
  const check = (path: string, object: object): void => {
    const issues = issuesOf(definition, object);
    if (issues.length > 0) throw new InvalidResourceError(`${definition.kind} at construct path "${path}"`, issues);
  };
  return class extends ApiObject {
    static readonly GVK: GroupVersionKind = type;
    static readonly definition = definition;
    static readonly desired = definition.desired;

    static manifest(props: CustomResourceProps<Sp>): object {
      return { ...type, ...props };
    }

    constructor(scope: Construct, id: string, props: CustomResourceProps<Sp>) {
      check([scope.node.path, id].filter(Boolean).join('/'), { ...type, ...props });
      super(scope, id, { ...type, ...props });
      if (definition.scope === 'Cluster') clusterScoped(this);
    }

    /**
     * Renders and checks the resource. All patches and tokens are resolved, so the check covers the manifest that will be
     * applied.
     */
    override toJson(): object {
      const json = super.toJson() as object;
      check(this.node.path, json);
      checkFunctionOnce(definition, json as Manifest<Sp>);
      return json;
    }
  };
};
