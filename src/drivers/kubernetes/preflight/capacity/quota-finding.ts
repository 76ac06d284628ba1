import type { Finding } from '../../../../control-plane/status/finding.ts'
import { quantityValue } from '../../../../control-plane/spec/fields/quantity.ts'
import { shellWord } from '../../../../shared/text/shell-word.ts'
import type { HostObject } from '../../host/host-api.ts'
import { type CommandPlace, kubectl } from '../../context/kubectl-hint.ts'
import { specPathOf } from '../../context/spec-path.ts'
import { formatQuantity } from './format-quantity.ts'
import type { PodDemand } from './pod-demand.ts'
import { type Demand, needOf } from './quota-need.ts'
import { matchesScopes, type ScopeSelector } from './quota-scopes.ts'
import type { Quantities } from '../../host/workload.ts'

/** What a namespace may hold in all. */
export interface ResourceQuota extends HostObject {
  spec?: ScopeSelector & { hard?: Quantities }
  status?: { hard?: Quantities; used?: Quantities }
}

/** Whether what a plane still needs fits below a quota, pods of rolling updates included. */
export function quotaFinding(quota: ResourceQuota, demand: Demand, place: CommandPlace): Finding {
  const name = quota.metadata.name ?? ''
  const subject = `quota "${name}"`
  const pods = demand.pods.filter(({ spec }) => matchesScopes(spec, quota.spec ?? {}))
  const shortages = shortagesOf(quota, { ...demand, pods })
  const unnamed = unnamedOf(quota, pods)
  const lines = [...shortages, ...unnamed].map(({ text }) => text)
  if (lines.length === 0) {
    return { subject, level: 'ok', message: 'has room' }
  }
  const flags = unnamed.flatMap(({ flag }) => flag ?? [])
  const hints = [
    ...(shortages.length > 0 ? [raiseCommand(name, shortages, place)] : []),
    ...(flags.length > 0 ? [flags.join(' ')] : []),
  ]
  return { subject, level: 'problem', message: lines.join('; '), hint: hints.join('; ') }
}

/** For those who may: with the quota raised to what is needed. */
function raiseCommand(name: string, shortages: readonly Shortage[], place: CommandPlace): string {
  const hard = Object.fromEntries(shortages.map(({ resource, total }) => [resource, total]))
  const patch = shellWord(JSON.stringify({ spec: { hard } }))
  return kubectl(place, `patch resourcequota ${name} --type merge -p ${patch}`)
}

interface Shortage {
  resource: string
  text: string
  /** What the quota would have to be. */
  total: string
}

function shortagesOf({ spec, status }: ResourceQuota, demand: Demand): Shortage[] {
  const isScoped = (spec?.scopes ?? spec?.scopeSelector) !== undefined
  return Object.entries(status?.hard ?? spec?.hard ?? {}).flatMap(([resource, hard]) => {
    const need = needOf(resource, demand, isScoped)
    const [limit, used] = [valueOf(hard), valueOf(status?.used?.[resource])]
    if (need === undefined || need.amount === 0 || isAtMost(used + need.amount, limit)) {
      return []
    }
    const format = (value: number) => formatQuantity(resource, value)
    const surge = need.surge > 0 ? ` (${format(need.surge)} of it for rolling updates)` : ''
    const left = `${format(Math.max(0, limit - used))} of ${hard} left`
    const text = `${resource}: ${format(need.amount)} needed${surge}, ${left}`
    return [{ resource, text, total: format(used + need.amount) }]
  })
}

interface Unnamed {
  text: string
  flag: string | undefined
}

/** Below a quota of cpu or memory every container has to name its own: LimitRanges may do it for it. */
function unnamedOf({ spec, status }: ResourceQuota, pods: readonly PodDemand[]): Unnamed[] {
  return Object.keys(status?.hard ?? spec?.hard ?? {}).flatMap((resource) => {
    const [, kind = 'requests', size] =
      /^(?:(requests|limits)\.)?(cpu|memory|ephemeral-storage)$/.exec(resource) ?? []
    if (size === undefined || (kind !== 'requests' && kind !== 'limits')) {
      return []
    }
    return pods.flatMap(({ component, owner, spec: { containers = [], initContainers = [] } }) => {
      const isUnnamed = [...containers, ...initContainers].some(
        ({ resources }) => resources?.[kind]?.[size] === undefined,
      )
      const path = specPathOf(component)
      return isUnnamed
        ? [
            {
              text: `${owner} has to name ${kind}.${size}`,
              flag: path && `--set ${path}.resources.${kind}.${size}=QUANTITY`,
            },
          ]
        : []
    })
  })
}

function valueOf(quantity: string | undefined): number {
  return quantityValue(quantity ?? '0') ?? 0
}

/** Sums of thousandths are not exact. */
function isAtMost(sum: number, limit: number): boolean {
  return sum - limit < 1e-6
}
