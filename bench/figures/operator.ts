import { setTimeout as delay } from 'node:timers/promises'
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { alternate } from '../alternate.ts'
import { difference, value } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import { createPlane } from '../host/host-create-plane.ts'
import type { HostLab } from '../host/host-lab.ts'
import { podUsage } from '../host/host-pod-memory.ts'
import { type BenchOperator, installOperator } from '../host/operator/bench-operator.ts'
import { declareMany, type ManyDeclared } from '../host/operator/many-declared.ts'
import { applyUntilUsable, openNodePort } from '../host/operator/usable-secret.ts'
import { accessIn } from '../static-kubeconfig.ts'

const RUNNING = 10
const PAUSED = 90
const REST_MS = 65_000
const RESTART_TIMEOUT_MS = 300_000

interface Measured {
  bench: Bench
  host: HostLab
  client: KubeClient
  operator: BenchOperator
}

/** The operator: how soon a declared plane can be used, what the operator needs for many planes, and how fair it is. */
export const operatorFigure: Figure = {
  name: 'operator',
  async measure(bench) {
    const host = await bench.host()
    if (host === undefined) {
      return []
    }
    await using operator = await installOperator(host, 'bench-operator')
    await using client = createKubeClient(accessIn(host.lab.kubeconfig))
    const measured = { bench, host, client, operator }
    const secret = await measureSecret(measured)
    bench.say(`a usable Secret after ${secret.median} ms, ${secret.reference?.median} ms by create`)
    return [secret, ...(await measureMany(measured))]
  },
}

async function measureSecret({ bench, host }: Measured): Promise<Result> {
  await using namespace = await host.namespace('bench-secret')
  const place = { namespace: namespace.name, server: await openNodePort(host, namespace.name) }
  const flags = ['--ephemeral']
  const samples = await alternate(bench.rounds, {
    secret: () => applyUntilUsable(host, place),
    create: () => createPlane(host, { namespace: namespace.name, flags, phases: new Map() }),
  })
  return difference({
    name: 'operator-secret',
    what: '`kubectl apply` of a ControlPlane with `credentials`, until the Secret is used',
    unit: 'ms',
    of: 'secret',
    to: { samples: 'create', what: '`vplane create`, then `connect -- kubectl get sa default`' },
    target: 1000,
    samples,
  })
}

async function measureMany(measured: Measured): Promise<Result[]> {
  const { bench, client, host } = measured
  const { say, workspace } = bench
  await using namespace = await host.namespace('bench-many')
  using watching = new DisposableStack()
  const stop = watching.adopt(new AbortController(), (one) => one.abort())
  const signal = AbortSignal.any([workspace.signal, stop.signal])
  const startedAt = performance.now()
  const counts = { running: RUNNING, paused: PAUSED }
  const planes = await declareMany(client, { namespace: namespace.name, ...counts }, signal)
  await planes.settle()
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  say(`${planes.names.length} ControlPlanes after ${minutes} minutes`)
  const notes = [`all were as declared after ${minutes} minutes`]
  const rest = await measureRest(measured)
  say(`at rest: ${rest.map(({ median, unit }) => `${median.toFixed(1)} ${unit}`).join(', ')}`)
  return [
    ...rest.map((result) => ({ ...result, notes })),
    await measureRestart(measured, planes),
    ...(await measureChange(bench, planes)),
  ]
}

/** Memory, and CPU in milliseconds of a core for each second. */
async function measureRest({ bench, host, operator }: Measured): Promise<Result[]> {
  const samples = { memory: [] as number[], cpu: [] as number[] }
  const usage = async () => podUsage(host, { ...operator, name: await operator.pod() })
  const { signal } = bench.workspace
  await delay(REST_MS, undefined, { signal })
  for (let before = await usage(); samples.cpu.length < bench.rounds;) {
    await delay(REST_MS, undefined, { signal })
    const after = await usage()
    if (before !== undefined && after !== undefined) {
      const seconds = (after.atMs - before.atMs) / 1000
      samples.cpu.push((after.cpuNanoseconds - before.cpuNanoseconds) / 1_000_000 / seconds)
      samples.memory.push(after.workingSet)
    }
    before = after
  }
  const what = `of the operator with ${RUNNING} running and ${PAUSED} paused planes`
  return [
    value({
      name: 'operator-memory',
      what: `working set ${what}`,
      unit: 'MiB',
      of: 'memory',
      target: 120,
      samples,
    }),
    value({
      name: 'operator-cpu',
      what: `CPU in a second ${what}`,
      unit: 'ms',
      of: 'cpu',
      target: 20,
      samples,
    }),
  ]
}

/** From the deletion of its pod until the next one has looked at each ControlPlane. */
async function measureRestart(
  { bench, host, operator }: Measured,
  { names }: ManyDeclared,
): Promise<Result> {
  const samples: number[] = []
  const place = ['-n', operator.namespace]
  while (samples.length < bench.rounds) {
    const former = await operator.pod()
    const startedAt = Date.now()
    await host.kubectl('delete', 'pod', former, ...place, '--wait=false')
    const settledAt = async () => {
      const pod = await operator.pod()
      if (pod === former || pod === '') {
        return undefined
      }
      const { stdout } = await host.kubectl('logs', pod, ...place)
      const line = stdout
        .split('\n')
        .find((one) => one.includes(`of ${names.length} ControlPlanes`))
      return line === undefined ? undefined : Date.parse(line.split(' ')[0] ?? '')
    }
    const what = 'the next pod of the operator'
    const limits = { timeoutMs: RESTART_TIMEOUT_MS, intervalMs: 500 }
    samples.push((await waitFor(settledAt, { what, ...limits })) - startedAt)
  }
  return value({
    name: 'operator-restart',
    what: `restart of the operator, until it has seen all ${names.length} planes`,
    unit: 'ms',
    of: 'restart',
    target: 20_000,
    samples: { restart: samples },
  })
}

/** A change of all at once, and another one of a plane that has its change, in the middle of it. */
async function measureChange({ rounds }: Bench, planes: ManyDeclared): Promise<Result[]> {
  const samples = { first: [] as number[], last: [] as number[], between: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const all = planes.change(planes.names, `all-${round}`)
    const [chosen = ''] = await planes.untilChanged(`all-${round}`, planes.names.length / 2)
    const between = planes.change([chosen], `one-${round}`)
    const times = await all
    samples.first.push(Math.min(...times))
    samples.last.push(Math.max(...times))
    samples.between.push(...(await between))
    await planes.settle()
  }
  const what = `a change of ${planes.names.length} ControlPlanes at once`
  return [
    value({ name: 'operator-change', what: `${what}, the last`, unit: 'ms', of: 'last', samples }),
    value({ name: 'operator-first', what: `${what}, the first`, unit: 'ms', of: 'first', samples }),
    value({
      name: 'operator-between',
      what: `a change of one of them in the middle of ${what}`,
      unit: 'ms',
      of: 'between',
      samples,
    }),
  ]
}
