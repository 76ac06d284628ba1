import type { Finding } from '../../../control-plane/status/finding.ts'
import { quantityValue } from '../../../control-plane/spec/fields/quantity.ts'
import { shellWord } from '../../../shared/text/shell-word.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { hostResourceOf, qualifiedName } from '../host/host-resource.ts'
import { type CommandPlace, kubectl } from '../context/kubectl-hint.ts'
import type { Claim, Container, PodSpec, Quantities } from '../host/workload.ts'

interface ResourceQuota extends KubeObject {
  spec?: {
    hard?: Quantities
    scopes?: string[]
    scopeSelector?: { matchExpressions?: ScopeExpression[] }
  }
  status?: { hard?: Quantities; used?: Quantities }
}

interface ScopeExpression {
  scopeName?: string
  operator?: string
  values?: string[]
}

interface Pod extends KubeObject {
  spec?: PodSpec
  status?: { qosClass?: string }
}

interface Service extends KubeObject {
  spec?: { type?: string; ports?: unknown[]; allocateLoadBalancerNodePorts?: boolean }
}

interface Kinds {
  ResourceQuota: ResourceQuota
  Pod: Pod
  PersistentVolumeClaim: Claim
  Service: Service
}

/** Equal objects to create, with one of them as the host would store it. */
export interface NewObjects {
  object: KubeObject
  /** @default 1 */
  count?: number
  /** How many additional ones exist during a rollout. @default 0 */
  surge?: number
}

/** The objects that the host creates for an object. */
const DERIVED: Record<string, readonly string[]> = {
  'deployments.apps': ['replicasets.apps'],
  'statefulsets.apps': ['controllerrevisions.apps'],
  services: ['endpoints', 'endpointslices.discovery.k8s.io'],
}

/** Whether a pod is in a scope. The host checks the scopes of volumes, of affinity and of later versions. */
const SCOPES: Record<string, (pod: Pod, expression: ScopeExpression) => boolean> = {
  Terminating: ({ spec }) => spec?.activeDeadlineSeconds !== undefined,
  NotTerminating: ({ spec }) => spec?.activeDeadlineSeconds === undefined,
  BestEffort: ({ status }) => status?.qosClass === 'BestEffort',
  NotBestEffort: ({ status }) => status?.qosClass !== 'BestEffort',
  PriorityClass: ({ spec }, { operator, values }) =>
    matchesPriority(spec?.priorityClassName ?? '', operator, values),
}

const BINARY: ReadonlyArray<readonly [string, number]> = [
  ['Ti', 2 ** 40],
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
]

/** Returns quotas that are too small for all objects together: the host checks one at a time. */
export function quotaFindings(
  quotas: readonly KubeObject[],
  added: readonly NewObjects[],
  place: CommandPlace,
): Finding[] {
  const used = added.map((one) => ({ count: 1, surge: 0, ...one, usage: usageOf(one.object) }))
  return quotas
    .filter((quota) => isKind('ResourceQuota', quota))
    .flatMap((quota) => {
      const name = quota.metadata.name ?? ''
      const counted = used.filter(({ object }) => isCounted(object, quota))
      const shortages = shortagesOf(quota, counted)
      const subject = `quota "${name}"`
      const message = shortages.map(({ text }) => text).join('; ')
      const hint = raiseCommand(name, shortages, place)
      return shortages.length === 0 ? [] : [{ subject, level: 'problem', message, hint }]
    })
}

/** For an administrator. */
function raiseCommand(name: string, shortages: readonly Shortage[], place: CommandPlace): string {
  const hard = Object.fromEntries(shortages.map(({ resource, total }) => [resource, total]))
  const patch = shellWord(JSON.stringify({ spec: { hard } }))
  return kubectl(place, `patch resourcequota ${name} --type merge -p ${patch}`)
}

interface Shortage {
  resource: string
  text: string
  total: string
}

function shortagesOf(
  { spec, status }: ResourceQuota,
  added: ReadonlyArray<Required<NewObjects> & { usage: Usage }>,
): Shortage[] {
  return Object.entries(status?.hard ?? spec?.hard ?? {}).flatMap(([resource, hard]) => {
    const sumOf = (kind: 'count' | 'surge') =>
      added.reduce((sum, one) => sum + one[kind] * (one.usage[resource] ?? 0), 0)
    const surge = sumOf('surge')
    const need = sumOf('count') + surge
    const [limit, used] = [valueOf(hard), valueOf(status?.used?.[resource])]
    // Sums of thousandths are not exact.
    if (need === 0 || used + need - limit < 1e-6) {
      return []
    }
    const format = (value: number) => formatQuantity(resource, value)
    const rolling = surge > 0 ? ` (${format(surge)} of it for rolling updates)` : ''
    const left = `${format(Math.max(0, limit - used))} of ${hard} left`
    const text = `${resource}: ${format(need)} needed${rolling}, ${left}`
    return [{ resource, text, total: format(used + need) }]
  })
}

/** By the name of a quota's resource. */
type Usage = Record<string, number>

/** What quotas count: kubernetes.io/docs/concepts/policy/resource-quotas. */
function usageOf(object: KubeObject): Usage {
  const name = qualifiedName(hostResourceOf(object, ''))
  const counted = [name, ...(DERIVED[name] ?? [])]
  const counts = counted.flatMap((one) => [one, `count/${one}`]).map((one) => [one, 1] as const)
  return {
    ...Object.fromEntries(counts),
    ...(isKind('Pod', object) && podSizes(object)),
    ...(isKind('PersistentVolumeClaim', object) && claimSizes(object)),
    ...(isKind('Service', object) && serviceCounts(object)),
  }
}

function podSizes({ spec = {} }: Pod): Usage {
  const sizes = ['cpu', 'memory', 'ephemeral-storage'].flatMap((size) => {
    const requests = sizeOf(spec, ({ resources }) => resources?.requests?.[size])
    const limits = sizeOf(spec, ({ resources }) => resources?.limits?.[size])
    return [
      [size, requests],
      [`requests.${size}`, requests],
      [`limits.${size}`, limits],
    ] as const
  })
  return Object.fromEntries(sizes)
}

/** Returns the sum of all containers that run together, or the largest init container before them. */
function sizeOf(
  { containers = [], initContainers = [] }: PodSpec,
  read: (container: Container) => string | undefined,
): number {
  const { before = [], beside = [] } = Object.groupBy(initContainers, ({ restartPolicy }) =>
    restartPolicy === 'Always' ? 'beside' : 'before',
  )
  const sizes = [...containers, ...beside].map((container) => valueOf(read(container)))
  const together = sizes.reduce((sum, size) => sum + size, 0)
  return Math.max(together, ...before.map((container) => valueOf(read(container))))
}

function claimSizes({ spec }: Claim): Usage {
  const sizes = {
    persistentvolumeclaims: 1,
    'requests.storage': valueOf(spec?.resources?.requests?.['storage']),
  }
  const ofClass = Object.entries(sizes).map(([name, size]) => [
    `${spec?.storageClassName}.storageclass.storage.k8s.io/${name}`,
    size,
  ])
  return { ...sizes, ...Object.fromEntries(ofClass) }
}

function serviceCounts({ spec = {} }: Service): Usage {
  const { allocateLoadBalancerNodePorts = true, ports = [], type } = spec
  const isBalanced = type === 'LoadBalancer'
  const hasNodePorts = type === 'NodePort' || (isBalanced && allocateLoadBalancerNodePorts)
  return {
    'services.loadbalancers': isBalanced ? 1 : 0,
    'services.nodeports': hasNodePorts ? ports.length : 0,
  }
}

/** Whether a quota counts an object: one with scopes counts only some pods. */
function isCounted(object: KubeObject, { spec = {} }: ResourceQuota): boolean {
  const { scopeSelector, scopes = [] } = spec
  const expressions: ScopeExpression[] = [
    ...scopes.map((scopeName) => ({ scopeName })),
    ...(scopeSelector?.matchExpressions ?? []),
  ]
  return expressions.every(
    (one) => isKind('Pod', object) && SCOPES[one.scopeName ?? '']?.(object, one) === true,
  )
}

function matchesPriority(name: string, operator = '', values: readonly string[] = []) {
  switch (operator) {
    case 'In':
      return values.includes(name)
    case 'NotIn':
      return !values.includes(name)
    case 'DoesNotExist':
      return name === ''
    default:
      return name !== ''
  }
}

/** Formats an amount for people: `250m` of cpu, `768Mi` of memory, `3` pods. */
function formatQuantity(resource: string, value: number): string {
  if (/memory|storage/.test(resource)) {
    const fit = BINARY.find(([, size]) => value >= size && value % size === 0)
    return fit === undefined ? `${Math.ceil(value)}` : `${value / fit[1]}${fit[0]}`
  }
  const thousandths = Math.round(value * 1000)
  return thousandths % 1000 === 0 ? `${thousandths / 1000}` : `${thousandths}m`
}

function valueOf(quantity: string | undefined): number {
  return quantityValue(quantity ?? '0') ?? 0
}

function isKind<K extends keyof Kinds>(kind: K, object: KubeObject): object is Kinds[K] {
  return object.kind === kind
}
