import { total, value } from '../compare.ts'
import type { Figure, Result } from '../figure.ts'
import { type Metric, resultsByNumber } from '../scale/by-number.ts'
import { type MeasuredPlanes, measurePlanes } from '../scale/measure-planes.ts'
import { canMeasureMemory } from '../plane-memory.ts'

/** This share of the most planes is awake in the end: 20 of 1,000. */
const AWAKE_SHARE = 0.02

/** Fewer planes are for the curve, and rest no longer than this. */
const MINUTES_OF_FEWER = 2

/** So many things that are left are named. */
const SHOWN_LEFT = 20

/** What many paused planes on one machine take, by their number. Once for each number, as it takes minutes. */
export const scaleFigure: Figure = {
  name: 'scale',
  isOnDemand: true,
  async measure(bench) {
    const { minutes, planes, say, workspace } = bench
    if (!canMeasureMemory()) {
      say('the keeper is measured on Linux alone')
      return []
    }
    const most = Math.max(...planes)
    const awake = Math.ceil(most * AWAKE_SHARE)
    // What only the first commands do is not part of any number.
    await workspace.vplane('create', 'first', '--paused', '--idle', '30m', '--no-connect')
    await workspace.vplane('delete', 'first', '--yes')
    const measured = new Map<number, MeasuredPlanes>()
    for (const count of planes) {
      const some =
        count === most
          ? { awake, minutes }
          : { awake: 0, minutes: Math.min(minutes, MINUTES_OF_FEWER) }
      const one = await measurePlanes(bench, { count, ...some })
      measured.set(count, one)
      say(`${count} planes: ${JSON.stringify(one)}`)
    }
    return [
      ...resultsByNumber(METRICS, measured),
      ...awakeResults(measured, awake),
      leftResult(measured),
    ]
  },
}

const METRICS: Array<Metric<MeasuredPlanes>> = [
  {
    name: 'scale-create',
    what: '`vplane create --count --paused`, each plane',
    unit: 'ms',
    samplesIn: ({ createMs }) => [createMs],
  },
  {
    name: 'scale-listen',
    what: 'until the keeper listens for all planes after that',
    unit: 'ms',
    samplesIn: ({ listenMs }) => [listenMs],
  },
  {
    name: 'scale-space',
    what: 'disk space of each paused plane that was never started',
    unit: 'KiB',
    samplesIn: ({ space }) => [space],
  },
  {
    name: 'scale-list',
    what: '`vplane list`',
    unit: 'ms',
    samplesIn: ({ listMs }) => listMs,
  },
  {
    name: 'scale-list-selected',
    what: '`vplane list -l`, which selects all',
    unit: 'ms',
    samplesIn: ({ selectedMs }) => selectedMs,
  },
  {
    name: 'scale-describe',
    what: '`vplane describe` of one plane',
    unit: 'ms',
    samplesIn: ({ describeMs }) => describeMs,
  },
  {
    name: 'scale-keeper-pss',
    what: 'memory of the keeper (PSS)',
    unit: 'MiB',
    samplesIn: ({ keeper }) => [keeper.pss],
  },
  {
    name: 'scale-keeper-rss',
    what: 'memory of the keeper (RSS)',
    unit: 'MiB',
    samplesIn: ({ keeper }) => [keeper.rss],
  },
  {
    name: 'scale-keeper-cpu',
    what: 'CPU of the keeper in each minute at rest',
    unit: 'ms',
    samplesIn: ({ cpuMs }) => [cpuMs],
  },
  {
    name: 'scale-delete',
    what: '`vplane delete -l`, each plane',
    unit: 'ms',
    samplesIn: ({ deleteMs }) => [deleteMs],
  },
]

/** Of the run with the most planes, when some of them were awake. */
function awakeResults(measured: ReadonlyMap<number, MeasuredPlanes>, count: number): Result[] {
  return [...measured].flatMap(([total, { awake }]) => {
    if (awake === undefined) {
      return []
    }
    const where = `${total} planes, ${count} of them awake and used by turns`
    const { cpuMs, failures, keeper, listMs, requestMs } = awake
    const one = { of: 'all', unit: 'ms' } as const
    return [
      value({
        ...one,
        name: 'scale-awake-list',
        what: `\`vplane list\`; ${where}`,
        samples: { all: listMs },
      }),
      value({
        ...one,
        name: 'scale-awake-request',
        what: `a request to one of them, each second; ${where}`,
        samples: { all: requestMs },
        notes: [`${requestMs.length} requests, and ${failures} that failed`],
      }),
      value({
        ...one,
        name: 'scale-awake-keeper',
        what: `memory of the keeper (PSS); ${where}`,
        unit: 'MiB',
        samples: { all: [keeper.pss] },
      }),
      value({
        ...one,
        name: 'scale-awake-cpu',
        what: `CPU of the keeper in each minute; ${where}`,
        samples: { all: [cpuMs] },
      }),
    ]
  })
}

function leftResult(measured: ReadonlyMap<number, MeasuredPlanes>): Result {
  const left = [...measured.values()].flatMap((one) => one.left)
  return total({
    name: 'scale-left',
    what: 'ports, files and processes that are left after all planes are deleted',
    unit: 'left',
    of: 'all',
    target: 0,
    samples: { all: [...measured.values()].map((one) => one.left.length) },
    notes: left.slice(0, SHOWN_LEFT),
  })
}
