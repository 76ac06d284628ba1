import { setTimeout as delay } from 'node:timers/promises'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { isReadyPod } from '../../src/drivers/kubernetes/observed/observed-plane.ts'
import { alternate } from '../alternate.ts'
import { ratio, value } from '../compare.ts'
import type { Figure } from '../figure.ts'
import type { HostLab } from '../host/host-lab.ts'
import { podMemory, sumOf } from '../host/host-pod-memory.ts'
import { REST_MS } from './memory.ts'

const [FIRST = '', ...OTHERS] = Array.from({ length: 20 }, (_, index) => `twenty-${index}`)
/** So many are made at the same time. */
const AT_ONCE = 4

/** Twenty planes on one host, beside one alone. Once, however many rounds there are: it takes minutes. */
export const hostTwentyFigure: Figure = {
  name: 'host-twenty',
  async measure({ host: openHost, say, shortRounds, workspace }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace('bench-twenty')
    const workingSetOf = async (name: string) => {
      const pods = await podMemory(host, { name, namespace: namespace.name })
      return sumOf(pods, ({ workingSet }) => workingSet)
    }
    const startedAt = performance.now()
    await createPlanes(host, { names: [FIRST], namespace: namespace.name })
    await delay(REST_MS, undefined, { signal: workspace.signal })
    const one = await workingSetOf(FIRST)
    await createPlanes(host, { names: OTHERS, namespace: namespace.name })
    const minutes = (performance.now() - startedAt - REST_MS) / 60_000
    say(`twenty planes after ${minutes.toFixed(1)} minutes`)
    await delay(REST_MS, undefined, { signal: workspace.signal })
    const twenty: number[] = []
    for (const name of [FIRST, ...OTHERS]) {
      twenty.push(await workingSetOf(name))
    }
    const list = () => host.vplane('list', '--namespace', namespace.name)
    await refuseUnready(host, namespace.name)
    await list()
    const times = await alternate(shortRounds, { list: async () => (await list()).ms })
    await host.vplane('delete', FIRST, ...OTHERS, '--namespace', namespace.name, '--yes')
    return [
      ratio({
        name: 'host-twenty-memory',
        what: 'memory of each of twenty idle planes',
        unit: 'MiB',
        of: 'twenty',
        to: { samples: 'one', what: 'of one alone' },
        target: 1,
        samples: { twenty, one: [one] },
        notes: [`all twenty were ready after ${minutes.toFixed(1)} minutes, ${AT_ONCE} at a time`],
      }),
      value({
        name: 'host-twenty-list',
        what: '`vplane list` of twenty planes on one host',
        unit: 'ms',
        of: 'list',
        target: 500,
        samples: times,
      }),
    ]
  },
}

async function createPlanes(
  { vplane }: HostLab,
  { names, namespace }: { names: readonly string[]; namespace: string },
): Promise<void> {
  const left = [...names]
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await vplane('create', name, '--namespace', namespace, '--ephemeral', '--timeout', '10m')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function refuseUnready({ kubectl }: HostLab, namespace: string): Promise<void> {
  const { stdout } = await kubectl('get', 'pods', '-n', namespace, '--output', 'json')
  const { items }: { items: KubeObject[] } = JSON.parse(stdout)
  const unready = items.filter((pod) => !isReadyPod(pod)).map(({ metadata }) => metadata.name)
  if (unready.length > 0) {
    throw new Error(`not ready: ${unready.join(', ')}`)
  }
}
