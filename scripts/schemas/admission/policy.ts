import type { Json } from '../../../src/shared/json-fields.ts'

export interface Validation {
  expression: string
  /** An expression for what the user reads; it can use everything but `authorizer`. */
  messageExpression: string
  reason: 'Forbidden'
}

export interface PolicyOptions {
  name: string
  validations: readonly Validation[]
  /** @default none */
  variables?: ReadonlyArray<{ name: string; expression: string }>
  /** @default `controlplanes` */
  resource?: string
  /** Whether the validations read the ControlPlaneLimits of the namespace. @default false */
  hasLimits?: boolean
}

/** API servers allow each policy a cost of 10,000,000. A check of a right costs 350,000; the rest is for all else. */
export const MAX_CHECKS = 27

/** What a user reads who may not do something. */
export function forbidden(expression: string, messageExpression: string): Validation {
  return { expression, messageExpression, reason: 'Forbidden' }
}

/** How many rights an expression checks at most. */
export function checksIn(expression: string): number {
  return expression.split('.check(').length - 1
}

/**
 * A ValidatingAdmissionPolicy about changes of a spec, with its binding.
 * @throws {Error} when it checks more rights than API servers allow
 */
export function policyWithBinding(options: PolicyOptions): Json[] {
  const { hasLimits = false, name, resource = 'controlplanes', validations, variables } = options
  const expressions = [...validations, ...(variables ?? [])].map(({ expression }) => expression)
  const checks = expressions.reduce((sum, expression) => sum + checksIn(expression), 0)
  if (checks > MAX_CHECKS || expressions.some((expression) => checksIn(expression) > 2)) {
    throw new Error(`the policy "${name}" checks too many rights: ${checks}`)
  }
  const paramKind = { apiVersion: 'vplane.dev/v1beta1', kind: 'ControlPlaneLimits' }
  const paramRef = { selector: {}, parameterNotFoundAction: 'Allow' }
  return [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        ...(hasLimits ? { paramKind } : {}),
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['vplane.dev'],
              apiVersions: ['v1beta1'],
              operations: ['CREATE', 'UPDATE'],
              resources: [resource],
            },
          ],
        },
        // Writes of metadata alone, such as those of finalizers, need no right.
        matchConditions: [
          {
            name: 'spec-changes',
            expression: 'oldObject == null || object.spec != oldObject.spec',
          },
        ],
        ...(variables === undefined ? {} : { variables }),
        validations,
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ['Deny'],
        ...(hasLimits ? { paramRef } : {}),
      },
    },
  ]
}
