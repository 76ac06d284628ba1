import { alternate } from '../alternate.ts'
import { ratio, value } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { startBarePod } from '../host/host-bare-pod.ts'
import { createPlane, formatPhases, type Phases } from '../host/host-create-plane.ts'
import { prepareHandWrittenPlane } from '../host/host-hand-written.ts'
import { median } from '../statistics.ts'

/** How soon a new plane in a host namespace can be used, beside manifests written by hand. */
export const hostCreateFigure: Figure = {
  name: 'host-create',
  async measure({ host: openHost, rounds }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace('bench-create')
    const handWritten = await prepareHandWrittenPlane(host, namespace.name)
    const phases: Phases = new Map()
    const samples = await alternate(rounds, {
      create: () =>
        createPlane(host, { namespace: namespace.name, flags: ['--ephemeral'], phases }),
      handWritten: async () => {
        const ms = await handWritten.start()
        await handWritten.remove()
        return ms
      },
      volume: () => createPlane(host, { namespace: namespace.name, flags: [], phases: new Map() }),
      pod: () => startBarePod(host, namespace.name),
    })
    const { create, handWritten: byHand, pod, volume } = samples
    const withoutPod = volume.map((ms, round) => ms - (pod[round] ?? 0))
    const what = '`vplane create --ephemeral`, then `connect -- kubectl get sa default`'
    const to = { samples: 'handWritten', what: 'manifests by hand, then `kubectl get sa default`' }
    const common = { unit: 'ms', to, target: 1.4, goal: 1.05 } as const
    return [
      ratio({
        ...common,
        name: 'host-create',
        what,
        of: 'create',
        samples: { create, handWritten: byHand, ...Object.fromEntries(phases) },
        notes: [`time of each step: ${formatPhases(phases)}`],
      }),
      value({
        name: 'host-create-time',
        what: 'the same, without a comparison',
        unit: 'ms',
        of: 'create',
        target: 8000,
        goal: 6000,
        samples: { create },
      }),
      ratio({
        ...common,
        name: 'host-create-volume',
        what: 'the same with a volume, without the time of a bare pod with such a volume',
        of: 'withoutPod',
        samples: { withoutPod, handWritten: byHand, volume, pod },
        notes: [`${seconds(volume)} with the volume, ${seconds(pod)} for the bare pod`],
      }),
    ]
  },
}

function seconds(samples: readonly number[]): string {
  return `${(median(samples) / 1000).toFixed(2)} s`
}
