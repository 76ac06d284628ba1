import type { Ui } from '../../../shared/ui.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'

export interface RenewalOptions {
  ui: Pick<Ui, 'step'>
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Returns when no Secret with a credential for a plane needs keys that the plane is about to forget. Its keeper, which gets
 * the new keys from the host within a minute or two, renews them.
 * @throws {VplaneError} `TIMED_OUT`.
 */
export async function credentialsRenewed(
  { driver, plane }: ResolvedPlane,
  { signal, timeoutMs, ui }: RenewalOptions,
): Promise<void> {
  const { credentials } = driver
  if (credentials === undefined || plane.spec.credentials === undefined) {
    return
  }
  ui.step('Waiting for credentials in Secrets')
  await waitFor(async (deadline) => (await credentials.outdated(plane, deadline)).length === 0, {
    what: 'the renewal of the credentials in Secrets',
    timeoutMs,
    intervalMs: 500,
    signal,
    hints: [{ action: 'describe', plane: { name: plane.name } }],
  })
}
