import type { Ui } from '../../shared/ui.ts'
import { waitFor } from '../../shared/wait.ts'
import { applyObjects } from './apply-objects.ts'
import { isCustomResourceDefinition } from './custom-resource-definition.ts'
import { waitUntilDiscovered, waitUntilEstablished } from './wait-for-crds.ts'
import { waitUntilListed } from './wait-until-listed.ts'
import type { KubeObject, PlaneApi } from '../api/plane-api.ts'

export interface InstallCrdsOptions {
  /** Custom resource definitions, each name once, as `selectCrds` gives them; other objects are left out. */
  objects: readonly KubeObject[]
  /** For all of them together, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Installs custom resource definitions and returns when each is established, discovery lists every served version of
 * it, and its objects can be listed. Definitions that are there already are brought up to date.
 *
 * @returns the definitions as the API server took them.
 * @throws {VplaneError} `FAILED` with the reason of the API server when it refuses one or its names are taken,
 * `TIMED_OUT` with the names of those that are not served in time, `INVALID_SPEC` when one has no name or an API version
 * that is no longer served.
 */
export async function installCrds(
  { api, ui }: { api: PlaneApi; ui: Ui },
  { objects, signal, timeoutMs }: InstallCrdsOptions,
): Promise<KubeObject[]> {
  const definitions = objects.filter(isCustomResourceDefinition)
  if (definitions.length === 0) {
    return []
  }
  const count = definitions.length
  const what = count === 1 ? 'a custom resource definition' : `${count} custom resource definitions`
  ui.step(`Installing ${what}`)
  const deadline = performance.now() + timeoutMs
  const rest = () => ({ signal, timeoutMs: Math.max(0, Math.round(deadline - performance.now())) })
  const applied = await waitFor((either) => applyObjects(api, definitions, either), {
    what: `the API server to take ${what}`,
    ...rest(),
  })
  await waitUntilEstablished(api, applied, rest())
  await waitUntilDiscovered(api, applied, rest())
  await waitUntilListed(api, applied, rest())
  return applied
}
