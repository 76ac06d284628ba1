import { parseSample } from '../../src/shared/text/format-metrics.ts'
import type { CommandRun } from '../run-command.ts'

/** How often each kind of write reached an API server since its start: `POST pods/binding`. */
export type ApiWrites = ReadonlyMap<string, number>

const METRIC = 'apiserver_request_total'
const WRITES = ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE']

/** Reads the counters of an API server, which count refused writes as well, and no dry runs. */
export async function apiWrites(
  kubectl: (...args: string[]) => Promise<CommandRun>,
): Promise<ApiWrites> {
  const { stdout } = await kubectl('get', '--raw', '/metrics')
  const writes = new Map<string, number>()
  for (const line of stdout.split('\n')) {
    const { labels, name, value } = parseSample(line)
    const { dry_run: dryRun, resource = '', subresource = '', verb = '' } = labels
    if (name === METRIC && dryRun === '' && WRITES.includes(verb)) {
      const what = `${verb} ${[resource, subresource].filter((part) => part !== '').join('/')}`
      writes.set(what, (writes.get(what) ?? 0) + value)
    }
  }
  return writes
}

/** The writes per pod between two times, the most frequent first: `POST pods 1.00`. Rare ones are left out. */
export function writesPerPod(
  { after, before }: Record<'before' | 'after', ApiWrites>,
  pods: number,
): string {
  return [...after]
    .map(([what, count]) => [what, (count - (before.get(what) ?? 0)) / pods] as const)
    .filter(([, count]) => count >= 0.1)
    .toSorted(([, left], [, right]) => right - left)
    .map(([what, count]) => `${what} ${count.toFixed(2)}`)
    .join(', ')
}
