import { waitFor } from '../../../src/shared/wait.ts'
import type { AppliedPlane } from './applied-plane.ts'
import { podsIn } from './host-pods.ts'

const TIMEOUT_MS = 120_000
const DEFAULT = '/api/v1/namespaces/default'

/** Until everything is there that a plane has by itself. */
export async function waitForPlane({ api }: AppliedPlane): Promise<void> {
  const isThere = async (signal: AbortSignal) =>
    (await api.get(`${DEFAULT}/serviceaccounts/default`, { signal })) !== undefined &&
    (await api.get(`${DEFAULT}/configmaps/kube-root-ca.crt`, { signal })) !== undefined
  await waitFor((signal) => isThere(signal).catch(() => false), {
    what: 'the plane',
    timeoutMs: TIMEOUT_MS,
  })
}

/** Until so many pods are ready, and no others are there. */
export async function waitForPods(plane: AppliedPlane, count: number): Promise<void> {
  const areReady = async () => {
    const pods = await podsIn(plane)
    return pods.length === count && pods.every(({ isReady }) => isReady)
  }
  await waitFor(areReady, { what: `${count} ready pods`, timeoutMs: TIMEOUT_MS })
}
