import { listPlacesWithSlices } from '../../src/drivers/kubernetes/gateway/gateway-slices.ts'
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { PLANE_LABEL } from '../../src/manifests/object-names.ts'
import { collectionPath } from '../../src/shared/kube/collections.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { total, value } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import { countRequests } from '../host/api-requests.ts'
import type { HostLab } from '../host/host-lab.ts'
import { nodePortKubeconfig } from '../host/host-node-port.ts'
import { podUsage } from '../host/host-pod-memory.ts'
import { type BenchOperator, installOperator } from '../host/operator/bench-operator.ts'
import { fallAsleep } from '../host/operator/fall-asleep.ts'
import { declareMany } from '../host/operator/many-declared.ts'
import { workByTurns } from '../scale/awake-planes.ts'
import { timesOf } from '../scale/times-of.ts'
import { accessIn, type StaticAccess } from '../static-kubeconfig.ts'

/** This share of the planes is awake: 20 of 1,000. */
const AWAKE_SHARE = 0.02
/** Of all planes. */
const LABEL = 'bench=rest'
/** So many pods that should not exist are named. */
const SHOWN = 20
/** The operator may take so long to lead the clients of all paused planes to its gateway. */
const LED_AWAY_MS = 1_800_000

interface Measured {
  bench: Bench
  host: HostLab
  client: KubeClient
}

/** Planes in a host namespace, of which some are awake. */
interface PlanesAtRest {
  namespace: string
  awake: readonly string[]
  /** Where there is one. */
  operator?: BenchOperator
}

/**
 * What the host runs for many paused planes, while a few run and are used by turns: planes with a keeper and a gateway,
 * and planes that an operator keeps.
 */
export const hostRestFigures: readonly Figure[] = [
  restFigure('host-rest-kept', measureKept),
  restFigure('host-rest-declared', measureDeclared),
]

function restFigure(name: string, measure: (measured: Measured) => Promise<Result[]>): Figure {
  return {
    name,
    isOnDemand: true,
    async measure(bench) {
      const host = await bench.host()
      if (host === undefined) {
        return []
      }
      await using client = createKubeClient(accessIn(host.lab.kubeconfig))
      return await measure({ bench, host, client })
    },
  }
}

async function measureKept(measured: Measured): Promise<Result[]> {
  const { bench, host } = measured
  await using namespace = await host.namespace('bench-rest')
  const count = Math.max(...bench.planes)
  const place = ['--namespace', namespace.name]
  const wake = ['--paused', '--idle', '1h', '--set', 'wake.by=any', '--expose', 'node-port']
  const options = [...wake, '--label', LABEL, '--no-connect', '--timeout', '2h']
  const { ms } = await host.vplane('create', 'rest', '--count', String(count), ...place, ...options)
  bench.say(`${count} planes, each after ${(ms / count).toFixed(0)} ms`)
  const awake = Array.from(
    { length: Math.ceil(count * AWAKE_SHARE) },
    (_, index) => `rest-${index + 1}`,
  )
  for (const name of awake) {
    await host.vplane('resume', name, ...place)
  }
  return await measurePlanes(measured, { namespace: namespace.name, awake })
}

async function measureDeclared(measured: Measured): Promise<Result[]> {
  const { bench, client, host } = measured
  const { signal } = bench.workspace
  await using operator = await installOperator(host, 'bench-rest-operator')
  await using namespace = await host.namespace('bench-declared')
  using stop = new DisposableStack()
  const watching = stop.adopt(new AbortController(), (one) => one.abort())
  const count = Math.max(...bench.planes)
  const running = Math.ceil(count * AWAKE_SHARE)
  const counts = { namespace: namespace.name, running, paused: count - running }
  const labels = Object.fromEntries([LABEL.split('=')])
  const spec = { idle: '1h', wake: { by: 'any' }, expose: { type: 'node-port' }, labels }
  const signals = AbortSignal.any([signal, watching.signal])
  const planes = await declareMany(client, { ...counts, spec }, signals)
  await planes.settle()
  const [awake, names] = [planes.names.slice(0, running), planes.names.slice(running)]
  const { name: place } = namespace
  await operator.whileStopped(() => fallAsleep(client, { names, namespace: place }, signal))
  await planes.settle()
  const areLedAway = async () =>
    (await listPlacesWithSlices(client, place, signal)).length >= names.length
  const what = 'the gateway of the operator'
  await waitFor(areLedAway, { what, timeoutMs: LED_AWAY_MS, intervalMs: 500, signal })
  return await measurePlanes(measured, { namespace: place, awake, operator })
}

async function measurePlanes(measured: Measured, planes: PlanesAtRest): Promise<Result[]> {
  const results = await watch(measured, planes)
  return [...results, await measureDeletion(measured, planes)]
}

async function measureDeletion(
  { bench, host }: Measured,
  { namespace, operator }: PlanesAtRest,
): Promise<Result> {
  const count = Math.max(...bench.planes)
  const { ms } = await host.vplane('delete', '-l', LABEL, '--namespace', namespace, '--yes')
  bench.say(`deleted, each after ${(ms / count).toFixed(0)} ms`)
  return value({
    name: `host-rest-${wayOf(operator)}-delete`,
    what: `\`vplane delete -l\` of all ${count} planes, each plane`,
    unit: 'ms',
    of: 'all',
    target: 600,
    samples: { all: [ms / count] },
  })
}

/** Uses planes by turns, and looks at what else runs meanwhile. */
async function watch(
  { bench, client, host }: Measured,
  { awake, namespace, operator }: PlanesAtRest,
): Promise<Result[]> {
  const { minutes, say, workspace } = bench
  const namespaces = [namespace, ...(operator === undefined ? [] : [operator.namespace])]
  await using requests = await countRequests(client, namespaces)
  const accesses: StaticAccess[] = []
  for (const name of awake) {
    accesses.push(accessIn(await nodePortKubeconfig(host, { name, namespace })))
  }
  const before = await requests.count()
  const begunAt = performance.now()
  const work = await workByTurns(accesses, { minutes, signal: workspace.signal })
  const seconds = (performance.now() - begunAt) / 1000
  const perSecond = ((await requests.count()) - before) / seconds
  const memory = await programMemory({ client, host }, namespaces)
  const listMs = await timesOf(() => host.vplane('list', '--namespace', namespace))
  const others = (await podsIn(client, namespace)).filter(
    ({ plane }) => plane !== undefined && !awake.includes(plane),
  )
  const way = wayOf(operator)
  const where = `${Math.max(...bench.planes)} planes, ${awake.length} of them running and used by turns`
  const one = { of: 'all' } as const
  const results = [
    value({
      ...one,
      name: `host-rest-${way}-memory`,
      what: `working set of the programs for all planes together; ${where}`,
      unit: 'MiB',
      target: 150,
      samples: { all: [memory.reduce((sum, { workingSet }) => sum + workingSet, 0)] },
      notes: memory.map(({ name, workingSet }) => `${name} ${workingSet.toFixed(0)} MiB`),
    }),
    value({
      ...one,
      name: `host-rest-${way}-requests`,
      what: `their requests to the host's API in each second; ${where}`,
      unit: 'requests',
      target: 5,
      samples: { all: [perSecond] },
    }),
    value({
      ...one,
      name: `host-rest-${way}-request`,
      what: `a request to one of those that run; ${where}`,
      unit: 'ms',
      samples: { all: work.times },
      notes: [`${work.times.length} requests, and ${work.failures} that failed`],
    }),
    value({
      ...one,
      name: `host-rest-${way}-list`,
      what: `\`vplane list\`; ${where}`,
      unit: 'ms',
      target: 1500,
      samples: { all: listMs },
    }),
    total({
      ...one,
      name: `host-rest-${way}-running`,
      what: `pods of paused planes; ${where}`,
      unit: 'left',
      target: 0,
      samples: { all: [others.length] },
      notes: others.slice(0, SHOWN).map(({ name }) => name),
    }),
  ]
  say(results.map(({ median, name, unit }) => `${name}: ${median.toFixed(1)} ${unit}`).join(', '))
  return results
}

function wayOf(operator: BenchOperator | undefined): 'declared' | 'kept' {
  return operator === undefined ? 'kept' : 'declared'
}

/** The working set in MiB of each pod that is of no single plane. */
async function programMemory(
  { client, host }: Omit<Measured, 'bench'>,
  namespaces: readonly string[],
): Promise<Array<{ name: string; workingSet: number }>> {
  const memory: Array<{ name: string; workingSet: number }> = []
  for (const namespace of namespaces) {
    for (const { name, plane } of await podsIn(client, namespace)) {
      if (plane === undefined) {
        const usage = await podUsage(host, { name, namespace })
        memory.push({ name, workingSet: usage?.workingSet ?? Number.NaN })
      }
    }
  }
  return memory
}

async function podsIn(
  client: KubeClient,
  namespace: string,
): Promise<Array<{ name: string; plane: string | undefined }>> {
  const { items } = await client.list(collectionPath('pods', namespace))
  return items.map(({ metadata: { labels, name = '' } }) => ({
    name,
    plane: labels?.[PLANE_LABEL],
  }))
}
