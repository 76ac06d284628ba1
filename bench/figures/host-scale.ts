import { total } from '../compare.ts'
import type { Figure, Result } from '../figure.ts'
import type { HostLab } from '../host/host-lab.ts'
import { labelledObjects } from '../host/host-objects.ts'
import { type Metric, resultsByNumber } from '../scale/by-number.ts'
import { timesOf } from '../scale/times-of.ts'

const LABEL = 'bench=scale'

/** So many objects that should not exist are named. */
const SHOWN = 20

interface MeasuredPlanes {
  /** Of each plane, in milliseconds. */
  createMs: number
  listMs: number[]
  selectedMs: number[]
  describeMs: number[]
  /** Of each plane, in milliseconds. */
  deleteMs: number
  /** Pods and volumes of the paused planes. */
  running: string[]
  /** Objects of planes, after all were deleted. */
  left: string[]
}

const METRICS: Array<Metric<MeasuredPlanes>> = [
  {
    name: 'host-scale-create',
    what: '`vplane create --count --paused` in a host namespace, each plane',
    unit: 'ms',
    target: 300,
    samplesIn: ({ createMs }) => [createMs],
  },
  {
    name: 'host-scale-list',
    what: '`vplane list` of them',
    unit: 'ms',
    target: 1500,
    samplesIn: ({ listMs }) => listMs,
  },
  {
    name: 'host-scale-list-selected',
    what: '`vplane list -l`, which selects all of them',
    unit: 'ms',
    samplesIn: ({ selectedMs }) => selectedMs,
  },
  {
    name: 'host-scale-describe',
    what: '`vplane describe` of one of them',
    unit: 'ms',
    samplesIn: ({ describeMs }) => describeMs,
  },
  {
    name: 'host-scale-delete',
    what: '`vplane delete -l` of all of them, each plane',
    unit: 'ms',
    target: 600,
    samplesIn: ({ deleteMs }) => [deleteMs],
  },
]

/** What many paused planes in one host namespace take, by their number. Once for each number, as it takes minutes. */
export const hostScaleFigure: Figure = {
  name: 'host-scale',
  isOnDemand: true,
  async measure(bench) {
    const host = await bench.host()
    if (host === undefined) {
      return []
    }
    const measured = new Map<number, MeasuredPlanes>()
    for (const count of bench.planes) {
      const one = await measurePlanes(host, count)
      measured.set(count, one)
      bench.say(`${count} planes: ${JSON.stringify(one)}`)
    }
    return [...resultsByNumber(METRICS, measured), ...nothing(measured)]
  },
}

async function measurePlanes(host: HostLab, count: number): Promise<MeasuredPlanes> {
  const { vplane } = host
  await using namespace = await host.namespace('bench-scale')
  const place = ['--namespace', namespace.name]
  const options = ['--paused', '--label', LABEL, '--no-connect', '--timeout', '2h']
  const created = await vplane('create', 'scale', '--count', String(count), ...place, ...options)
  const own = () => labelledObjects(host, namespace.name, 'app.kubernetes.io/managed-by=vplane')
  const measured = {
    createMs: created.ms / count,
    running: (await own()).filter((name) => /^(pod|persistentvolumeclaim)\//.test(name)),
    listMs: await timesOf(() => vplane('list', ...place)),
    selectedMs: await timesOf(() => vplane('list', '-l', LABEL, ...place)),
    describeMs: await timesOf(() => vplane('describe', 'scale-1', ...place)),
  }
  const deleted = await vplane('delete', '-l', LABEL, ...place, '--yes')
  return { ...measured, deleteMs: deleted.ms / count, left: await own() }
}

/** What must not exist at all. */
function nothing(measured: ReadonlyMap<number, MeasuredPlanes>): Result[] {
  const count = (name: string, what: string, objects: (one: MeasuredPlanes) => string[]) => {
    const found = [...measured.values()].map(objects)
    return total({
      name,
      what,
      unit: 'left',
      of: 'all',
      target: 0,
      samples: { all: found.map(({ length }) => length) },
      notes: found.flat().slice(0, SHOWN),
    })
  }
  return [
    count('host-scale-running', 'pods and volumes of paused planes', ({ running }) => running),
    count('host-scale-left', 'objects that are left after their deletion', ({ left }) => left),
  ]
}
