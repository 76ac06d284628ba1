import { readdirSync, readFileSync } from 'node:fs'
import { hasErrorCode } from '../../src/shared/errors.ts'
import type { HostLab } from './host-lab.ts'
import { type ProcessParts, processParts } from '../process-parts.ts'

/** Memory of one pod in MiB. */
export interface PodMemory {
  component: string
  /** What the host counts against quotas and limits, and `kubectl top` shows: all that was not read from files. */
  workingSet: number
  /** The working set of each container. */
  containers: Record<string, number>
  /** Proportional set size of its processes, pages of the programs' files included; undefined on another machine. */
  total: number | undefined
  /** What each of them consists of; empty on another machine. */
  processes: ProcessParts[]
}

interface Pod {
  metadata: { uid: string; labels: Record<string, string> }
  spec: { nodeName: string }
}

interface Summary {
  pods: Array<{
    podRef: { uid: string; name: string; namespace: string }
    memory?: Memory
    cpu?: { time?: string; usageCoreNanoSeconds?: number }
    containers?: Array<{ name: string; memory?: Memory }>
  }>
}

interface Memory {
  workingSetBytes?: number
}

const MEBIBYTE = 1024 ** 2

/** The memory of each pod of a plane. */
export async function podMemory(
  { kubectl }: HostLab,
  { name, namespace }: { name: string; namespace: string },
): Promise<PodMemory[]> {
  const labels = `vplane.dev/name=${name}`
  const { stdout } = await kubectl('get', 'pods', '-n', namespace, '-l', labels, '--output', 'json')
  const { items }: { items: Pod[] } = JSON.parse(stdout)
  const nodes = [...new Set(items.map(({ spec }) => spec.nodeName))]
  const measured = new Map<string, Pick<PodMemory, 'workingSet' | 'containers'>>()
  for (const node of nodes) {
    const path = `/api/v1/nodes/${node}/proxy/stats/summary`
    const summary: Summary = JSON.parse((await kubectl('get', '--raw', path)).stdout)
    for (const { containers = [], memory, podRef } of summary.pods) {
      measured.set(podRef.uid, {
        workingSet: mebibytes(memory),
        containers: Object.fromEntries(containers.map((one) => [one.name, mebibytes(one.memory)])),
      })
    }
  }
  return items.map(({ metadata: { labels: own, uid } }) => {
    const processes = processesOf(uid).map((id) => processParts(id))
    return {
      component: own['vplane.dev/component'] ?? '',
      ...(measured.get(uid) ?? { workingSet: Number.NaN, containers: {} }),
      total: totalOf(processes),
      processes,
    }
  })
}

/** Where a CPU has been used: in nanoseconds of one core, until a time in milliseconds. */
export interface PodUsage {
  workingSet: number
  cpuNanoseconds: number
  atMs: number
}

/** What the kubelet counts of a pod; undefined while it has counted nothing. */
export async function podUsage(
  { kubectl }: HostLab,
  { name, namespace }: { name: string; namespace: string },
): Promise<PodUsage | undefined> {
  const place = ['pod', name, '-n', namespace]
  const node = await kubectl('get', ...place, '--output', 'jsonpath={.spec.nodeName}')
  const path = `/api/v1/nodes/${node.stdout}/proxy/stats/summary`
  const summary: Summary = JSON.parse((await kubectl('get', '--raw', path)).stdout)
  const pod = summary.pods.find(
    ({ podRef }) => podRef.name === name && podRef.namespace === namespace,
  )
  const { time, usageCoreNanoSeconds: cpuNanoseconds } = pod?.cpu ?? {}
  return time === undefined || cpuNanoseconds === undefined
    ? undefined
    : { workingSet: mebibytes(pod?.memory), cpuNanoseconds, atMs: Date.parse(time) }
}

/** Working set of the syncer of a plane in MiB, without its DNS server. */
export async function syncerMemory(...of: Parameters<typeof podMemory>): Promise<number> {
  const pods = await podMemory(...of)
  const syncer = pods.find(({ component }) => component === 'syncer')
  return syncer?.containers['syncer'] ?? Number.NaN
}

/** The sum over all pods. */
export function sumOf(pods: readonly PodMemory[], of: (pod: PodMemory) => number): number {
  return pods.reduce((sum, pod) => sum + of(pod), 0)
}

function mebibytes(memory: Memory | undefined): number {
  return (memory?.workingSetBytes ?? Number.NaN) / MEBIBYTE
}

function totalOf(processes: readonly ProcessParts[]): number | undefined {
  return processes.length === 0 ? undefined : processes.reduce((sum, { total }) => sum + total, 0)
}

/** The processes of a pod by their control group, whose name has the pod's uid in it. */
function processesOf(uid: string): number[] {
  const isOfPod = (id: string) => {
    try {
      const groups = readFileSync(`/proc/${id}/cgroup`, 'utf8')
      return [uid, uid.replaceAll('-', '_')].some((form) => groups.includes(`pod${form}`))
    } catch (error) {
      // It ended meanwhile.
      if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ESRCH')) {
        return false
      }
      throw error
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOfPod(name))
    .map(Number)
}
