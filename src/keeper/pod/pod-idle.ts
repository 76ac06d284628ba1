import { pausePlane } from '../../drivers/kubernetes/lifecycle/pause-plane.ts'
import { readPlane } from '../../drivers/kubernetes/record/hold-plane.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { silentUi } from '../../shared/ui.ts'
import { apiServersInPods } from './api-servers.ts'
import type { Duty } from '../duties/duty.ts'
import { PauseWhenIdle } from '../duties/pause-when-idle.ts'
import { PKI_FOLDER, type PodWorld } from './pod-world.ts'
import { readUse } from '../duties/read-use.ts'
import { statusBoard } from '../duties/status-board.ts'

/** Pauses the plane beside which this pod runs when nobody has used it for so long, and this pod with it. */
export function podIdle({ host, namespace, now, report, settings }: PodWorld, idle: string): Duty {
  const { apiHost: serverName, plane: name, planeId: id, statusName } = settings
  const place = { name, namespace }
  return new PauseWhenIdle(
    { name, idleMs: parseDuration(idle) },
    {
      readUse: async (signal) => {
        const { record } = await readPlane(host, { id, place }, signal)
        // Whoever has told it otherwise since is heard, though this had begun to pause it.
        if (record.desired !== 'running' || record.spec.idle !== idle) {
          return undefined
        }
        const options = { serverName, pkiFolder: PKI_FOLDER, signal }
        return readUse(await apiServersInPods(host, place, options), signal)
      },
      board: statusBoard(host, 'idle', { name: statusName, namespace }),
      pause: async (because) => {
        // Stopping this pod is a part of it, and must not cut it off.
        const { signal } = new AbortController()
        const stored = await readPlane(host, { id, place }, signal)
        const context = { host: async () => ({ api: host }), now }
        await pausePlane(context, stored, { ui: silentUi, signal, idle: because })
      },
      report,
      now,
    },
  )
}
