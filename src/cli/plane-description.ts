import { isReadable } from '../control-plane/driver.ts'
import { formatYaml } from '../shared/yaml.ts'
import { formatAge } from './duration.ts'
import { harmlessText } from './harmless-text.ts'
import type { Listed } from './plane-result.ts'
import { timeLeft } from './plane-table.ts'
import { formatTable } from './table.ts'

/** A plane as people see it in `describe`. */
export function planeDescription({ isConnected, plane, status }: Listed, now: Date): string {
  const stored = isReadable(plane) ? plane : undefined
  const facts: Array<[string, string | undefined]> = [
    ['Name', plane.name],
    ['Driver', plane.driver],
    ['Namespace', plane.namespace],
    ['Status', status.phase],
    ['Reason', status.reason],
    ['Version', stored && `Kubernetes ${stored.spec.version}, etcd ${stored.spec.etcdVersion}`],
    ['Server', status.server],
    ['Connected', isConnected ? 'yes' : 'no'],
    [
      'Created',
      stored && `${stored.createdAt.toISOString()} (${formatAge(stored.createdAt, now)} ago)`,
    ],
    ['Certificates', expiry(status.certificatesExpireAt, now)],
    ['Written by', stored && `vplane ${stored.writtenBy}`],
  ]
  const lines = facts.flatMap(([label, value]) =>
    value === undefined ? [] : [`${`${label}:`.padEnd(14)}${plain(value)}`],
  )
  return [
    ...lines,
    ...(status.components.length > 0 ? ['', componentTable(status, now)] : []),
    ...(stored === undefined
      ? []
      : ['', 'Spec:', indented(harmlessText(formatYaml(stored.userSpec)))]),
  ].join('\n')
}

function componentTable({ components }: Listed['status'], now: Date): string {
  const rows = components.map((component) => ({
    component: component.name,
    state: component.state,
    instance: component.instance ?? '',
    address: component.address ?? '',
    age: component.startedAt === undefined ? '' : formatAge(component.startedAt, now),
    reason: component.reason ?? '',
  }))
  return formatTable(['component', 'state', 'instance', 'address', 'age', 'reason'], rows)
}

function expiry(end: Date | undefined, now: Date): string | undefined {
  return end && `the first ends ${end.toISOString()} (${timeLeft(end, now)})`
}

/** Reasons quote logs, and logs quote users: nothing of it may steer the terminal. */
function plain(text: string): string {
  return harmlessText(text).replaceAll('\n', `\n${' '.repeat(14)}`)
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
