import { objectName } from '../../src/manifests/object-names.ts'
import { alternate } from '../alternate.ts'
import { ratio } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { fillLargeList, LARGE_LIST } from '../host/host-large-list.ts'
import { openPortForward } from '../host/host-port-forward.ts'
import { openRequests } from '../host/host-requests.ts'
import { openWays } from '../host/host-ways.ts'
import { ROOM_FOR_MUCH } from '../host/room-for-much.ts'

const NAME = 'bench-list'

/** The same list through the tunnel, a node port and kubectl's port-forward, which takes the tunnel's way. */
export const hostListFigure: Figure = {
  name: 'host-list',
  async measure({ host: openHost, rounds }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace(NAME)
    const place = [NAME, '--namespace', namespace.name]
    await host.vplane('create', ...place, '--ephemeral', ...ROOM_FOR_MUCH)
    const ways = await openWays(host, { name: NAME, namespace: namespace.name })
    await fillLargeList(ways.direct)
    await using forward = await openPortForward(host, {
      target: `deployment/${objectName(NAME, 'kube-apiserver')}`,
      namespace: namespace.name,
      port: 6443,
    })
    using tunnel = openRequests(ways.tunnel)
    using direct = openRequests(ways.direct)
    using forwarded = openRequests({ ...ways.direct, server: forward.server })
    const sizes: number[] = []
    const measure = async ({ get }: typeof tunnel) => {
      const startedAt = performance.now()
      sizes.push(await get(LARGE_LIST))
      return performance.now() - startedAt
    }
    await measure(direct)
    const samples = await alternate(rounds, {
      tunnel: () => measure(tunnel),
      direct: () => measure(direct),
      forwarded: () => measure(forwarded),
    })
    await host.vplane('delete', ...place, '--yes')
    const list = {
      what: 'a list of 200 MB through the tunnel',
      unit: 'ms',
      of: 'tunnel',
      samples,
    } as const
    return [
      ratio({
        ...list,
        name: 'host-list',
        to: { samples: 'direct', what: 'through a node port' },
        // Of the throughput at least 0.7, better 0.8.
        target: 1 / 0.7,
        goal: 1 / 0.8,
        notes: [`${(Math.min(...sizes) / 1e6).toFixed(0)} MB`],
      }),
      ratio({
        ...list,
        name: 'host-list-port-forward',
        to: { samples: 'forwarded', what: 'through `kubectl port-forward`' },
        target: 1,
      }),
    ]
  },
}
