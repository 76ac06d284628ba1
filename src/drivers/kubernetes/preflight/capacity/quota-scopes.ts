import type { Container, PodSpec } from '../../host/workload.ts'

/** Which pods a quota counts; all of them when it says nothing. */
export interface ScopeSelector {
  scopes?: string[]
  scopeSelector?: { matchExpressions?: ScopeExpression[] }
}

interface ScopeExpression {
  scopeName?: string
  operator?: string
  values?: string[]
}

/** Whether a quota counts a pod. */
export function matchesScopes(
  pod: PodSpec,
  { scopes = [], scopeSelector }: ScopeSelector,
): boolean {
  const expressions = [
    ...scopes.map((scopeName): ScopeExpression => ({ scopeName, operator: 'Exists' })),
    ...(scopeSelector?.matchExpressions ?? []),
  ]
  return expressions.every((expression) => matches(pod, expression))
}

function matches(pod: PodSpec, { operator, scopeName, values = [] }: ScopeExpression): boolean {
  switch (scopeName ?? '') {
    case 'Terminating':
      return pod.activeDeadlineSeconds !== undefined
    case 'NotTerminating':
      return pod.activeDeadlineSeconds === undefined
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    case 'PriorityClass':
      return matchesPriority(pod.priorityClassName, operator, values)
    // Planes have no affinity across namespaces; scopes of volumes and of later versions are left to the host.
    default:
      return false
  }
}

function matchesPriority(name: string | undefined, operator = '', values: readonly string[] = []) {
  const isNamed = name !== undefined && name !== ''
  switch (operator) {
    case 'In':
      return isNamed && values.includes(name)
    case 'NotIn':
      return !isNamed || !values.includes(name)
    case 'DoesNotExist':
      return !isNamed
    default:
      return isNamed
  }
}

function isBestEffort({ containers = [], initContainers = [] }: PodSpec): boolean {
  const isEmpty = ({ resources }: Container) =>
    Object.keys({ ...resources?.requests, ...resources?.limits }).length === 0
  return [...containers, ...initContainers].every(isEmpty)
}
