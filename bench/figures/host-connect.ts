import { alternate } from '../alternate.ts'
import { ratio, value } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import type { HostLab } from '../host/host-lab.ts'
import { openRequests } from '../host/host-requests.ts'
import { openWays, type Ways } from '../host/host-ways.ts'

const KUBECTL = ['kubectl', 'get', 'namespaces']
const REQUESTS = 1000

interface Plane {
  host: HostLab
  name: string
  ways: Ways
  /** Name and namespace, as arguments. */
  place: string[]
}

/** What the way through the host costs: of a command, of one through a context, and of many requests. */
export const hostConnectFigure: Figure = {
  name: 'host-connect',
  async measure(bench) {
    const host = await bench.host()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace('bench-connect')
    const name = 'bench-connect'
    const place = [name, '--namespace', namespace.name]
    await host.vplane('create', ...place, '--ephemeral')
    const withoutTunnel = await measureWithoutTunnel({ host, name }, bench)
    const ways = await openWays(host, { name, namespace: namespace.name })
    const plane = { host, name, place, ways }
    const results = [
      withoutTunnel,
      ...(await measureCommands(plane, bench)),
      await measureRequests(plane, bench),
    ]
    await host.vplane('delete', ...place, '--yes')
    return results
  },
}

async function measureWithoutTunnel(
  { host, name }: Pick<Plane, 'host' | 'name'>,
  { shortRounds }: Bench,
): Promise<Result> {
  const connect = async () => (await host.vplane('connect', name, '--', ...KUBECTL)).ms
  // kubectl keeps what it discovers of a server, vplane a credential, and Node what it compiles.
  await alternate(2, { connect })
  return value({
    name: 'host-connect',
    what: '`vplane connect dev -- kubectl get namespaces` of a plane in a host namespace',
    unit: 'ms',
    of: 'connect',
    target: 450,
    goal: 300,
    samples: await alternate(shortRounds, { connect }),
  })
}

/** kubectl alone and through vplane, with a tunnel that is up. */
async function measureCommands(plane: Plane, { shortRounds }: Bench): Promise<Result[]> {
  const { host, name, place, ways } = plane
  await host.vplane('connect', ...place)
  const measures = {
    kubectl: async () => (await host.run(KUBECTL, { KUBECONFIG: ways.directKubeconfig })).ms,
    connect: async () => (await host.vplane('connect', name, '--', ...KUBECTL)).ms,
    context: async () => (await host.run(KUBECTL)).ms,
  }
  await alternate(2, measures)
  const samples = await alternate(shortRounds, measures)
  const { connect, context, kubectl } = samples
  return [
    value({
      name: 'host-connect-tunnel',
      what: 'the same with a tunnel that is up',
      unit: 'ms',
      of: 'connect',
      target: 450,
      goal: 300,
      samples: { connect },
    }),
    ratio({
      name: 'host-context',
      what: '`kubectl get namespaces` through the context of `vplane connect` and its tunnel',
      unit: 'ms',
      of: 'context',
      to: { samples: 'kubectl', what: 'through a node port' },
      target: 1.5,
      samples: { context, kubectl },
    }),
  ]
}

async function measureRequests({ ways }: Plane, { rounds }: Bench): Promise<Result> {
  using tunnel = openRequests(ways.tunnel)
  using direct = openRequests(ways.direct)
  const measure = async ({ get }: typeof tunnel) => {
    await get('/version')
    const startedAt = performance.now()
    for (let request = 0; request < REQUESTS; request += 1) {
      await get('/api/v1/namespaces/default')
    }
    return performance.now() - startedAt
  }
  return ratio({
    name: 'host-requests',
    what: `${REQUESTS} requests one after the other through the tunnel`,
    unit: 'ms',
    of: 'tunnel',
    to: { samples: 'direct', what: 'through a node port' },
    target: 1.5,
    samples: await alternate(rounds, {
      tunnel: () => measure(tunnel),
      direct: () => measure(direct),
    }),
  })
}
